#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST --source @source@ --build @build@ --cmake @CMAKE_COMMAND@
"""What a new user does with make, for CTest: packages that an administrator must install, `make build` after
`make demo`, a clone that was moved after it was built.

usage: test_make.py --source TREE --build BUILD --cmake CMAKE

Nothing is installed or compiled: the first test replaces apt-get and sudo, the others leave out the compilation."""
import os
import shutil
import subprocess
import sys
import tempfile

import oak_test

REFUSING_SUDO = 'echo "user is not in the sudoers file" >&2; echo asked >>"$LOG"; exit 1\n'
SUDO = 'echo asked >>"$LOG"; exec "$@"\n'
# As in the image of a container: no list of packages until the first update.
APT = """case "$*" in
  *update*) touch "$LOG.updated" ;;
  *) [ -e "$LOG.updated" ] || { echo "Unable to locate package"; exit 100; }; echo "got $*" >>"$LOG" ;;
esac
"""


def call(command, folder, env=None):
    """Exit status and output, standard error included."""
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def write_scripts(folder, **scripts):
    os.makedirs(folder, exist_ok=True)
    for name, text in scripts.items():
        oak_test.write(folder, name, "#!/bin/sh\n" + text)
        os.chmod(os.path.join(folder, name), 0o755)


def check_packages(source, top):
    """An ordinary user lacks packages: sudo is asked once, and says no or works."""
    tools, log = os.path.join(top, "tools"), os.path.join(top, "log")
    env = {"PATH": tools + ":/usr/bin:/bin", "LOG": log}
    write_scripts(tools, **{"dpkg-query": "exit 1\n", "id": "echo 1000\n", "sudo": REFUSING_SUDO, "apt-get": APT})
    script = [os.path.join(source, "tools", "deps.sh"), "libone-dev", "two"]
    code, said = call(script, top, env)
    with open(log, encoding="utf-8") as f:
        assert code == 1 and f.read() == "asked\n", f"exit status {code}, sudo is asked other than once:\n{said}"
    for words in ("not in the sudoers", "administrator", "apt-get install --no-remove --no-install-recommends libone-dev two"):
        assert words in said, f"'{words}' is missing in: {said}"
    os.unlink(log)
    write_scripts(tools, sudo=SUDO)
    code, said = call(script, top, env)
    with open(log, encoding="utf-8") as f:
        lines = f.read().split("\n")
    assert code == 0 and lines[0] == "asked" and len(lines) == 3, f"{said}{lines}"
    assert "--no-remove --no-install-recommends libone-dev two" in lines[1], lines
    assert said.count("\n") == 1 and "minute" in said, f"one line should say how long it takes: {said}"
    # Of two packages that exclude each other, the second one may be there already.
    write_scripts(tools, **{"dpkg-query": 'case "$*" in *second*) echo ii ;; *) exit 1 ;; esac\n'})
    code, said = call([*script[:1], "first/second"], top, env)
    assert (code, said) == (0, ""), said
    code, said = call([*script[:1], "first/third"], top, env)
    with open(log, encoding="utf-8") as f:
        assert code == 0 and f.read().endswith("recommends first\n"), said


def link_tree(source, folder, *names):
    os.mkdir(folder)
    for name in names or [n for n in os.listdir(source) if not n.startswith((".", "build", "output"))]:
        os.symlink(os.path.join(source, name), os.path.join(folder, name))


def check_builds(source, cmake, top):
    """`make build` after `make demo` has the tests, in a clone that was moved too."""
    tools, here, there = (os.path.join(top, name) for name in ("no_build", "here", "there"))
    write_scripts(tools, cmake=f'[ "$1" = --build ] || exec {cmake} "$@"\n')
    env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"])
    for name in ("MAKEFLAGS", "MAKELEVEL"):
        env.pop(name, None)
    ctest = [os.path.join(os.path.dirname(cmake), "ctest"), "--output-on-failure"]
    link_tree(source, here)

    def make(folder, *arguments):
        code, said = call(["make", *arguments], folder, env)
        assert code == 0, said
        return said

    make(here, "build", "CMAKE_FLAGS=-DOAK_BUILD_TESTS=OFF")  # as make demo does
    code, said = call(ctest, os.path.join(here, "build"))
    assert code != 0 and "tests are not built" in said, f"exit status {code}: {said}"
    make(here, "build")
    code, said = call([*ctest, "-N"], os.path.join(here, "build"))
    assert code == 0 and "app_errors_np1" in said, said

    os.rename(here, there)
    assert "another folder" in make(there, "build")
    assert "another folder" not in make(there, "build")
    with open(os.path.join(there, "build", "CMakeCache.txt"), encoding="utf-8") as f:
        assert here + "/" not in f.read()

    code, said = call(["make", "build", "BUILD=b", "CMAKE_FLAGS=-G none"], there, env)
    assert code != 0 and "make deps" not in said, said
    code, said = call(["make", "build", "BUILD=b", "CMAKE_FLAGS=-DPNG_PNG_INCLUDE_DIR="], there, env)
    assert code != 0 and "make deps" in said, said


def check_moved(source, build, top):
    """The command of a tree that was moved after it was built reads its sources."""
    clone = os.path.join(top, "clone")
    link_tree(source, clone, "include", "kernels", "numerics", "physics", "problems")
    os.mkdir(os.path.join(clone, "build"))
    for name in [n for n in os.listdir(build) if n == "oak" or n.startswith("liboak.so")]:
        shutil.copy(os.path.join(build, name), os.path.join(clone, "build"), follow_symlinks=False)
    env = {name: value for name, value in os.environ.items() if name != "OAK_HOME"}
    oak = os.path.join(clone, "build", "oak")
    code, said = call([oak, "info"], top, env)
    assert code == 0 and f"sources    {os.path.realpath(clone)} " in said, said


def main():
    options = oak_test.options(__doc__, "source", "build", "cmake")
    with tempfile.TemporaryDirectory(prefix="oak_make_") as top:
        check_packages(options.source, top)
        check_moved(options.source, options.build, top)
        check_builds(options.source, os.path.abspath(shutil.which(options.cmake)), top)
    return 0


if __name__ == "__main__":
    sys.exit(main())
