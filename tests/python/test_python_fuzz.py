#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=python_fuzz_plotfile timeout=60 plotfile $<TARGET_FILE:fuzz_plotfile> -runs=500 @source@/tests/fuzz/plotfile
# TEST name=python_fuzz_checkpoint timeout=60 checkpoint $<TARGET_FILE:fuzz_checkpoint> -runs=500 @source@/tests/fuzz/checkpoint
"""The readers of the Python package under the inputs of tests/fuzz, for CTest: they refuse what the readers of the oak
command refuse, with their words, and nothing else. The fuzz program writes an input, says what its reader said, and
waits here until Python has read the same.

usage: test_python_fuzz.py plotfile|checkpoint FUZZ_PROGRAM OPTION ..."""
import os
import subprocess
import sys

import oak_test

try:
    import numpy  # noqa: F401 pylint: disable=unused-import
except ImportError as missing:
    oak_test.need_module(missing)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

# The oak command tests these when it goes on from a checkpoint, not when it reads one. The last one is a limit of the
# package.
LATER = (" holds no valid mesh: ", " its domain is out of range", " names of them", " has blocks with unequal edges")


def read(kind, path):
    """What Python says about a file, "" if it can be read."""
    try:
        blocks = oak.Plotfile(path) if kind == "plotfile" else oak.Checkpoint(path)
        if blocks.cells // blocks.nblocks <= 1 << 20 and blocks.nblocks < 100:  # as in fuzz_plotfile.c
            for variable in blocks.variables[:10]:
                blocks[variable]  # pylint: disable=pointless-statement
    except oak.OakError as error:
        return str(error)
    return ""


def main():
    kind, command = sys.argv[1], sys.argv[2:]
    refused = accepted = 0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env={**os.environ, "OAK_FUZZ_PEER": "1"}) as program:
        while path := program.stdout.readline().decode().rstrip("\n"):
            theirs = program.stdout.read(int(program.stdout.readline())).decode(errors="replace")
            mine = read(kind, path)
            same = mine in theirs if mine and theirs else mine == theirs
            assert same or any(words in mine for words in LATER), (mine, theirs)
            refused, accepted = refused + bool(mine), accepted + (not mine)
            program.stdin.write(b"\n")
            program.stdin.flush()
    assert program.returncode == 0 and refused > 100 and accepted > 10, (program.returncode, refused, accepted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
