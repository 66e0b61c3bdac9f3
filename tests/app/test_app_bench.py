#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=600 suite=all flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""The scripts of bench/, for CTest. The figures of a small mesh on a busy machine mean nothing: only that they are there
is looked at. schemes.py has one line for every limiter and flux that `oak info` names. compare.py finds the median of
ratios and its interval. adaptive.py has a share for each phase, and leaves the finest level out until a late piece
begins. scaling.py measures each number of ranks. vibe.ini begins with the 624 blocks that Parthenon's page of the
benchmark states for two levels. athenak.py runs a stand-in for AthenaK.

usage: test_app_bench.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import os
import re
import subprocess
import sys
import tempfile

import oak_test

SMALL = ["mesh.block_size=8", "mesh.min_level=0", "mesh.max_level=0", "device.flags=-O1"]
MESH = ["mesh.block_size=4", "mesh.min_level=2", "mesh.max_level=3", "device.flags=-O1"]


BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")


def check_schemes(run, script):
    info = dict(line.split(None, 1) for line in run("info").splitlines() if len(line.split()) > 1)
    limiters = info["limiters"].split()
    common, *more = info["fluxes"].split("; with ")
    euler = next(names.removeprefix("euler also ") for names in more if names.startswith("euler also "))
    expected = {(name, "hll", "double") for name in limiters}
    expected |= {("vanleer", name, "double") for name in common.split() + euler.split()}
    expected |= {(name, "hll", "single") for name in ("vanleer", "weno5")}
    assert {"upwind", "weno5"} <= set(limiters) and "hllc" in euler.split(), info

    table = [line.split() for line in script("schemes", "--pieces", "1", *SMALL).stdout.splitlines()[1:]]
    found = [tuple(row[:3]) for row in table]
    assert len(found) == len(set(found)) and set(found) == expected, f"{sorted(found)}\nnot\n{sorted(expected)}"
    for row in table[:-1]:
        for middle, least, most in (map(float, row[3:6]), map(float, row[6:9])):
            assert 0 <= least <= middle <= most, row
    assert tuple(table[-1][:3]) == ("vanleer", "hll", "double") and table[-1][6] == "reference,", table[-1]


def check_compare(script, oak):
    # The 95 % interval of the median of 7 values goes from the least to the greatest value.
    limiters = ["scheme.limiter=vanleer", "scheme.limiter=minmod"]
    text = script("compare", *limiters, "--pieces", "7", *SMALL).stdout.splitlines()
    for line in text[1:3]:
        middle, least, most = map(float, line.split()[1:4])
        assert 0 < least <= middle <= most and line.endswith(limiters[text.index(line) - 1]), text
    words = text[3].split()
    middle, low, high = float(words[4].strip(",")), float(words[11]), float(words[13].strip(","))
    assert low <= middle <= high and words[-2:] == ["7", "pieces"], text
    assert (low <= 1 <= high) == (len(text) > 4 and "contains 1" in text[4]), text
    done = script("compare", oak, f"{oak} scheme.limiter=minmod", "--pieces", "6", *SMALL)
    assert "B / A = " in done.stdout and done.stdout.count(oak) == 2, done
    assert "neither a key" in script("compare", "scheme.limiter", "scheme.flux=hll", status=2).stderr


def check_adaptive(script):
    for late in ([], ["--from", "0.01"]):
        lines = script("adaptive", *late, "--steps", "4", *MESH).stdout.splitlines()
        assert lines[1].startswith("4 steps to t = ") and " GCUPS; at the end " in lines[1], lines
        shares = [float(line.split()[-2]) for line in lines[2:-1]]
        assert len(shares) == 12 and abs(sum(shares) - 100) < 1, lines
        begin = int(lines[0].split()[2].strip(","))
        assert begin > 24 if late else begin == 0, lines


def check_scaling(script):
    lines = script("scaling", "--ranks", "2", "--seconds", "0.01", *MESH).stdout.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["1", "2"] and lines[-2].split()[5] == "100.0%", lines


def check_table(run):
    lines = run("bench", "scheme.flux=hll", *SMALL).splitlines()
    assert lines[0].startswith("In every case: scheme.flux=hll"), lines
    cases = [[float(word.strip("%")) for word in line.split()[-6:]] for line in lines[3:-2]]
    assert len(cases) == 5 and all(c[1] <= c[0] <= c[2] > 0 for c in cases), lines


def check_elliptic(run):
    lines = run("bench", "--elliptic", "mesh.min_level=1", "mesh.max_level=1", "device.flags=-O1").splitlines()
    row = [float(word) for word in lines[1].split()[-6:]]
    assert lines[1].startswith("3D 32^3") and min(row) > 0 and 4 <= row[1] <= 15 and len(lines) == 2, lines
    stage, _, solution, stages, rate, _ = row
    cells = 32**3
    assert abs(solution * 1e6 / (stage * cells) - stages) < 0.05 * stages + 0.1, lines
    assert abs(rate - cells / solution * 1e-3) < 0.05 * rate + 0.1, lines


def check_others(run, script):
    with tempfile.TemporaryDirectory() as folder:
        text = run("run", os.path.join(BENCH, "vibe.ini"), "mesh.max_level=1", "run.max_steps=1", "device.flags=-O1",
                   f"output.folder={folder}/vibe")
        assert re.search(r"^ +0 +0 +- +624 ", text, re.MULTILINE), text
        program = os.path.join(folder, "athena")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ngrep -q 'rsolver = hll[cd]' $2 && echo 'zone-cycles/cpu_second = 1.5e+08'\n")
        os.chmod(program, 0o700)
        table = script("athenak", "--athenak", program, "--cells", "16", "--blocks", "8", "--pairs", "1",
                       "device.flags=-O1").stdout.splitlines()
        row = [float(word) for word in table[2].split()]
        assert row[:2] == [8, 0.3] and row[3] == 0.3 and min(row) >= 0 and len(row) == 6, table


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")

    def run(*arguments):
        # A rank that measures a shorter time than another must not go on alone: then the command never ends.
        done = subprocess.run([*options.ranks, *arguments], check=True, capture_output=True, text=True, timeout=200)
        return done.stdout

    def script(name, *arguments, status=0):
        done = subprocess.run([sys.executable, os.path.join(BENCH, name + ".py"), "--oak", options.oak, *arguments], check=False,
                              capture_output=True, text=True, timeout=200)
        assert done.returncode == status, done.stdout + done.stderr
        return done

    check_schemes(run, script)
    check_compare(script, options.oak)
    check_adaptive(script)
    check_scaling(script)
    check_table(run)
    check_elliptic(run)
    check_others(run, script)
    return 0


if __name__ == "__main__":
    sys.exit(main())
