#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""What a parameter file may not do to the oak command, for CTest: choose a program that runs, unless
the user says so; hang it with a file that never ends; run code when a user only looks at it. And what others may not
do: put kernel sources where the command looks for its own.

usage: test_app_trust.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import oak_test
from oak_test import GOOD, judge, run

COMPILER = "[device]\nname = cpu\ncompiler = {work}/own-cc\n"
# name: extra text of the parameter file, arguments, does own-cc run, what is said.
# own-cc is a compiler that leaves a file and fails.
CASES = {
    "compiler in the parameter file": (COMPILER, [], False,
                                       [r"run\.ini:\d+: device\.compiler", r"--trust", r"OAK_CC"]),
    "flags in the parameter file": ("[device]\nflags = -wrapper {work}/own-cc\n", [], False,
                                    [r"run\.ini:\d+: device\.flags", r"--trust"]),
    "--trust": (COMPILER, ["--trust"], True, [r"own-cc"]),
    "command line": ("[device]\ncompiler =\nflags =\n", ["device.name=cpu", "device.compiler={work}/own-cc"],
                     True, [r"own-cc"]),
    "problem that never ends": ("", ["problem.name=/dev/zero"], False, [r"/dev/zero", r"must be a C file"]),
    "physics that never comes": ("", ["physics.name={work}/fifo"], False, [r"/fifo", r"must be a C file"]),
    "header that never comes": ("", ["problem.name={work}/problem.c"], False,
                                [r"/fifo.*problem\.c", r"regular file"]),
    "constant of oak": ("", ["device.flags=-DOAK_NPREV=1"], False, [r"-DOAK_NPREV=1", r"device\.flags"]),
}

# Code that runs when a library is loaded, before any function of it is called.
LOADED = """#include <stdio.h>
__attribute__((constructor)) static void leave_mark(void) { fclose(fopen("{work}/ran", "w")); }
PARAMETER(kick, 0.25, "amplitude")
INITIAL(at, q) { q[RHO] = 1; q[PRS] = 1; }
"""
POLYGLOT = "#if 0\n" + GOOD + ";\n#endif\n" + LOADED.replace("\n", "\n;")
# name: arguments, does the code run, what is said
LOOKS = {
    "oak params": (["params", "code.ini"], False, [r"kick = 0\.25"]),
    "a wrong key": (["run", "code.ini", "--check", "problem.kik=1"], False, [r"problem\.kick\?"]),
    "run": (["run", "code.ini", "--quiet", "run.max_steps=1"], True, []),
    "a parameter file that is C": (["run", "both.ini", "problem.name=./both.ini"], False, [r"both\.ini.*must end in \.c"]),
    "physics in a text file": (["run", "code.ini", "physics.name=./both.ini"], False, [r"both\.ini.*must end in \.c"]),
    "parameters in a C file": (["params", "code.c"], False, [r"code\.c is a C file"]),
}


# A copy of the program in {work}/me/build, and kernel sources near it: name: commands, are the sources used. Root gives
# some of them to another user.
SHARE = "mkdir -p share/oak && cp -r files/* share/oak && "
TREE = "cp -r files/* . && "
SOURCES = {
    "own sources": (SHARE + "true", "share/oak"),
    "own sources of a group that may exchange the program": (SHARE + "chmod 775 share share/oak me/build/oak", "share/oak"),
    "own sources in a folder of a group that may exchange the program": (SHARE + "chmod 775 share me/build", "share/oak"),
    "own tree": (TREE + "true", "."),
    "sources that others may write": (SHARE + "chmod 777 share/oak", None),
    "a folder of sources that others may write": (SHARE + "mkdir -p share/oak/physics && chmod 777 share/oak/physics", None),
    "a room of kernels that others may write": (SHARE + "chmod 777 share/oak/kernels/flux", None),
    "sources that a group may write": (SHARE + "chmod 775 share/oak", None),
    "sources that others may replace": (SHARE + "chmod 777 share", None),
    "a link of others to sources": (SHARE + "mv share/oak mine && ln -s ../mine share/oak && chmod 1777 share", None),
    "sources of others": (SHARE + "chown 65534 share/oak", None),
    "sources in a folder of others": (SHARE + "chown 65534 share", None),
    "sources of the owner of the program": (SHARE + "chown 65534 share share/oak me/build/oak", "share/oak"),
    "sources in a folder such as /tmp": (TREE + "chmod 1777 .", None),
    "a tree that others may write": (TREE + "chmod 777 .", None),
    "a tree that a group may write": (TREE + "chmod 775 .", None),
    "a tree of the owner of a folder above the program": (TREE + "chown 65534 .", "."),
    "a tree of others": (TREE + "chown 65534 . && chmod 1755 .", None),
}


def find_sources(name, options):
    """Who may exchange the program may also change the sources, and nobody else."""
    commands, used = SOURCES[name]
    if "chown" in commands and os.geteuid() != 0:
        return [], "only root gives files to other users"
    with tempfile.TemporaryDirectory(prefix="oak_trust_") as top:
        work = os.path.join(os.path.realpath(top), "a")
        for path in ("me/build", "files/include/oak", "files/kernels/flux"):
            os.makedirs(os.path.join(work, path), 0o755)
        oak_test.write(work, "files/include/oak/kernel.h", "")
        oak_test.write(work, "files/kernels/flux/flux.c", "")
        shutil.copy(options.oak, os.path.join(work, "me/build/oak"))
        subprocess.run(f"umask 022 && chmod -R go-w . && {commands}", shell=True, check=True, cwd=work)
        done = subprocess.run([os.path.join(work, "me/build/oak"), "info"], capture_output=True, text=True, check=False, cwd=top,
                              env={k: v for k, v in os.environ.items() if k != "OAK_HOME"})
        text = done.stdout + done.stderr
        found = re.search(r"^sources +(\S+)", text, re.M)
        if used:
            right = found and found.group(1) == os.path.normpath(os.path.join(work, used))
        else:
            right = not (found and found.group(1).startswith(work))
    return [] if right else ["the sources are not used" if used else "the sources are used"], text


def look(name, launch, work):
    """All of them in one folder, so that kernels are compiled once."""
    arguments, runs, patterns = LOOKS[name]
    mark = os.path.join(work, "ran")
    for path, text in {"code.ini": GOOD.replace("shock_tube", "./code.c"), "code.c": LOADED, "both.ini": POLYGLOT}.items():
        oak_test.write(work, path, text.replace("{work}", work))
    done = subprocess.run([*launch, *arguments], cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200,
                          check=False)
    text = done.stdout + done.stderr
    wrong = [f"nothing matches /{p}/" for p in patterns if not re.search(p, text)]
    if os.path.exists(mark) != runs:
        wrong.append("the code does not run" if runs else "the code runs")
    if os.path.exists(mark):
        os.remove(mark)
    return wrong, text


def try_case(name, launch):
    extra, arguments, runs, patterns = CASES[name]
    with tempfile.TemporaryDirectory(prefix="oak_trust_") as work:
        os.mkfifo(os.path.join(work, "fifo"))

        def write(path, text, permissions=0o600):
            oak_test.write(work, path, text.replace("{work}", work))
            os.chmod(os.path.join(work, path), permissions)

        write("run.ini", GOOD + extra)
        write("own-cc", "#!/bin/sh\n: > {work}/ran\nexit 1\n", 0o700)
        write("problem.c", '#include "fifo"\n')
        text, code, _ = run([*launch, "run", "run.ini", *[a.replace("{work}", work) for a in arguments]], work, 30)
        wrong = judge(text, code, patterns, many_lines=True)
        if os.path.exists(os.path.join(work, "ran")) != runs:
            wrong.append("the program does not run" if runs else "the program runs")
    return wrong, text


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_trust_") as work:
        cases = {name: lambda name=name: try_case(name, options.ranks) for name in CASES}
        cases.update({name: lambda name=name: find_sources(name, options) for name in SOURCES})
        cases.update({name: lambda name=name: look(name, options.ranks, work) for name in LOOKS})
        return oak_test.run_cases(options, cases)


if __name__ == "__main__":
    sys.exit(main())
