#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=long_pitot timeout=1800 suite=long --oak @oak@ --problems @source@/problems
"""The pressure at the foremost point of a cylinder in a stream of Mach 2 (problems/cylinder.ini) against Rayleigh's
formula for the pitot tube, for CTest (make test-long): within 1 %.

usage: test_pitot.py --oak OAK --problems FOLDER"""
import csv
import os
import subprocess
import tempfile

import oak_test


def pitot(mach, gamma):
    """Pressure at the stagnation point behind a normal shock, over that of the stream (Lord Rayleigh 1910)."""
    above, below = gamma + 1, gamma - 1
    square = mach * mach
    return (above / 2 * square) ** (gamma / below) / ((2 * gamma * square - below) / above) ** (1 / below)


def main():
    args = oak_test.options(__doc__, "oak", "problems")
    with tempfile.TemporaryDirectory() as folder:
        run = os.path.join(folder, "cylinder")
        subprocess.run([args.oak, "run", os.path.join(args.problems, "cylinder.ini"), f"output.folder={run}",
                        "output.picture_every=0"], check=True, stdout=subprocess.DEVNULL)
        line = subprocess.run([args.oak, "line", run, "--from", "-0.5,0.001", "--to", "-0.2,0.001", "--var", "p,solid"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = [row for row in csv.DictReader(line.splitlines()) if float(row["solid"]) == 0]
    found, expected = float(rows[-1]["p"]), pitot(2, 1.4)
    print(f"pressure before the cylinder {found:.4f}, Rayleigh {expected:.4f}: {100 * (found / expected - 1):.2f} % more")
    assert abs(found / expected - 1) < 0.01


if __name__ == "__main__":
    main()
