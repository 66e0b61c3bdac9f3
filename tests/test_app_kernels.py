#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each file of kernels and numerics compiles alone, with the flags that editors find beside it, for CTest. Prints
nothing when all is well.

usage: test_app_kernels.py --source TREE --cc COMPILER"""
import argparse
import os
import subprocess
import sys

# Kernels have parts that only some runs have.
RUNS = [["-DOAK_DIM=3"], ["-DOAK_DIM=2", "-DOAK_REAL=float"], ["-DOAK_ELLIPTIC=1", "-DOAK_ELLIPTIC_FIELDS=1"]]
LEFT_OUT = ["openacc_runtime.c"]  # needs a compiler with OpenACC


def complaints(folder, cc):
    """What the compiler says of the files of a folder."""
    with open(os.path.join(folder, "compile_flags.txt"), encoding="utf-8") as file:
        flags = file.read().split()
    for name in sorted(os.listdir(folder)):
        if not name.endswith((".c", ".h")) or name in LEFT_OUT:
            continue
        for run in RUNS:
            done = subprocess.run([cc, *flags, "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only", *run, name], cwd=folder,
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                yield f"{folder}/{name} does not compile alone with {' '.join(run)}:\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("source", "cc"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    found = [text for folder in ("kernels", "numerics")
             for text in complaints(os.path.join(options.source, folder), options.cc)]
    if found:
        sys.exit("\n".join(found))


main()
