#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=long_package np=2 suite=long --source @source@
"""The release tarball builds without git and knows its commit; the Debian package is made from it, installed and run.
A part of `make test-long`. Without root the package is unpacked instead of installed.

usage: test_package.py --source TREE"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

import oak_test


def run(command, cwd, env=None):
    done = subprocess.run(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\nfails with exit status {done.returncode}:\n{done.stdout}")
    return done.stdout


def check_program(oak, commit, folder, env):
    """The program runs in an empty folder, with the files that came with it."""
    os.makedirs(folder)
    assert f"(commit {commit})" in run([oak, "--version"], folder, env)
    printed = run([oak, "run", "sod", "run.max_steps=2"], folder, env)
    assert "problems/sod.ini" in printed and "2 steps" in printed, printed
    assert "Tutorial" in run([oak, "help", "tutorial"], folder, env)


def main():
    source = os.path.realpath(oak_test.options(__doc__, "source").source)
    with tempfile.TemporaryDirectory(prefix="oak_package_") as top:
        # What is committed; where git refuses another user's tree, it is told that this one is fine.
        run(["git", "-c", f"safe.directory={source}", "clone", "--quiet", "--no-hardlinks", source, "clone"], top)
        clone = os.path.join(top, "clone")
        commit = run(["git", "rev-parse", "--short=12", "HEAD"], clone).strip()
        run(["make", "dist"], clone)
        tarball, = glob.glob(os.path.join(clone, "dist", "oak-*.tar.gz"))
        run(["tar", "xf", tarball], top)
        tree, = glob.glob(os.path.join(top, "oak-*"))
        # A git that fails, and says so, stands in front of the real one.
        tools, log = os.path.join(top, "tools"), os.path.join(top, "git_was_called")
        os.mkdir(tools)
        oak_test.write(tools, "git", f"#!/bin/sh\n[ \"$1\" = --version ] || touch {log}\nexit 1\n")
        os.chmod(os.path.join(tools, "git"), 0o755)
        env = {k: v for k, v in os.environ.items() if k not in ("OAK_HOME", "OAK_CACHE")}
        env["PATH"] = tools + ":" + env["PATH"]
        env["DEBFULLNAME"], env["DEBEMAIL"] = "A Packager", "packager@host"
        env["XDG_CACHE_HOME"] = os.path.join(top, "cache")
        run(["make", "deb", "JOBS=2"], tree, env)
        assert not os.path.exists(log), "the build of the tarball called git"
        check_program(os.path.join(tree, "build_deb", "oak"), commit, os.path.join(top, "built"), env)
        package, = glob.glob(os.path.join(tree, "dist", "oak_*.deb"))
        listed = run(["dpkg-deb", "-c", package], top)
        for path in ("usr/bin/oak", "usr/include/oak.h", "usr/share/oak/kernels/flux/flux.c", "usr/share/doc/oak/copyright",
                     "usr/share/man/man1/oak.1.gz", "usr/share/oak/docs/tutorial.md",
                     "usr/share/oak/examples/slurm/cpu.sh", "usr/lib/python3/dist-packages/oak -> "):
            assert path in listed, f"the package lacks {path}:\n{listed}"
        if shutil.which("lintian"):
            run(["lintian", "--fail-on", "error,warning", package], top)
        else:
            oak_test.skip_part("lintian", "there is no lintian")
        maintainer = run(["dpkg-deb", "-f", package, "Maintainer"], top).strip()
        assert maintainer == "A Packager <packager@host>", maintainer
        depends = run(["dpkg-deb", "-f", package, "Depends"], top)
        for name in ("p4est", "libpng", "openmpi", "gcc"):
            assert name in depends, f"the package does not depend on {name}: {depends}"
        # The tree must not help the installed program.
        os.rename(tree, os.path.join(top, "moved"))
        package = package.replace(tree, os.path.join(top, "moved"))
        if os.geteuid() == 0 and subprocess.run(["dpkg", "-s", "oak"], capture_output=True, check=False).returncode:
            run(["dpkg", "-i", package], top)
            try:
                check_program("/usr/bin/oak", commit, os.path.join(top, "installed"), env)
                version = run(["/usr/bin/python3", "-c", "import oak; print(oak.__version__); oak.Simulation('sod')"], top, env)
                assert f"oak_{version.split()[0]}" in package, (version, package)
            finally:
                run(["dpkg", "-r", "oak"], top)
            assert not os.path.exists("/usr/bin/oak"), "dpkg -r leaves the program"
        else:
            oak_test.skip_part("dpkg -i", "needs root, and no package oak on this machine")
            run(["dpkg-deb", "-x", package, "unpacked"], top)
            check_program(os.path.join(top, "unpacked", "usr", "bin", "oak"), commit, os.path.join(top, "run"), env)


main()
