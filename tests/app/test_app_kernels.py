#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST timeout=180 flags=-O0 --source @source@ --cc @CMAKE_C_COMPILER@
"""Each file of kernels and numerics compiles alone, with the flags that editors find beside it, and so do a physics and a
problem; each hook is in the documentation, for CTest. Prints nothing when all is well.

usage: test_app_kernels.py --source TREE --cc COMPILER"""
import argparse
import glob
import os
import re
import subprocess
import sys

# Kernels have parts that only some runs have.
RUNS = [["-DOAK_DIM=3"], ["-DOAK_DIM=2", "-DOAK_REAL=float"], ["-DOAK_ELLIPTIC=1", "-DOAK_ELLIPTIC_FIELDS=1"]]
LEFT_OUT = ["flux/threads.h"]  # only for devices with many threads, which editors do not know


def complaints(folder, cc, *names, text=None, more=()):
    """What the compiler says of files of a folder, of all of them if none is named; "-": of the text."""
    with open(os.path.join(folder, "compile_flags.txt"), encoding="utf-8") as file:
        flags = file.read().split()
    for name in names or sorted(set(glob.glob("**/*.[ch]", root_dir=folder, recursive=True)) - set(LEFT_OUT)):
        for run in RUNS:
            file = [name] if name == "-" else ["-include", name, "/dev/null"]  # pragma once is for included files
            done = subprocess.run([cc, *flags, *more, "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", *run, *file], cwd=folder,
                                  input=text, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                yield f"{folder}/{name} does not compile alone with {' '.join(run)}:\n{done.stderr}"


def undocumented(source):
    """Hooks of kernels/language/hook_table.h that no table of docs/kernels.md explains with the same arguments."""
    with open(os.path.join(source, "kernels", "language", "hook_table.h"), encoding="utf-8") as file:
        hooks = re.findall(r"^#define ((?!OAK_)\w+)(\([^)]*\))", file.read(), re.M)
    with open(os.path.join(source, "docs", "kernels.md"), encoding="utf-8") as file:
        rows = "".join(line.split(" | ")[0] for line in file if line.startswith("| `"))
    if len(hooks) < 30:
        yield "kernels/language/hook_table.h has no table of hooks"
    for name, arguments in hooks:
        shown = re.sub(r"\b(text|names|values|help|file)\b", r'"\1"', arguments)
        if not re.search(rf"`{name}\b", rows):
            yield f"docs/kernels.md has no row for {name}"
        for other in set(re.findall(rf"`{name}(\([^)]*\))", rows)) - {shown}:
            yield f"docs/kernels.md has {name}{other}, kernels/language/hook_table.h {name}{shown}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "cc"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    found = list(undocumented(options.source))
    found += [text for folder in ("kernels", "numerics")
             for text in complaints(os.path.join(options.source, folder), options.cc)]
    # Editors know the parameters of euler, and others that a line of compile_flags.txt names.
    found += complaints(os.path.join(options.source, "physics"), options.cc, "euler.c")
    text = "INITIAL(at, q) { q[RHO] = at->p.height + at->x[0]; }\n"
    for text, more in ((text.replace("at->p.height", "1"), []), (text, ["-DOAK_EDITOR_PARAMETERS=double height;"])):
        found += complaints(os.path.join(options.source, "problems"), options.cc, "-", text=text, more=more)
    if found:
        sys.exit("\n".join(found))


main()
