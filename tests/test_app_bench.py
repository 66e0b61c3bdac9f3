#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --schemes has one line for every limiter and flux that `oak info` names, for CTest. The figures
of a small mesh on a busy machine mean nothing: only that they are there is looked at. oak bench --compare finds the
median of ratios and its interval, in one process and with children. oak bench --adaptive has a share
for each phase, and leaves the finest level out until a late piece begins. oak bench --kernels writes its
table and plot, with the bytes of the flux kernel as counted by hand.

usage: test_app_bench.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import json
import subprocess
import sys
import tempfile

import oak_test

SMALL = ["mesh.block_size=8", "mesh.min_level=0", "mesh.max_level=0", "device.flags=-O1"]
MESH = ["mesh.block_size=4", "mesh.min_level=2", "mesh.max_level=3", "device.flags=-O1"]


def check_schemes(run):
    info = dict(line.split(None, 1) for line in run("info").splitlines() if len(line.split()) > 1)
    limiters = info["limiters"].split()
    common, *more = info["fluxes"].split("; with ")
    euler = next(names.removeprefix("euler also ") for names in more if names.startswith("euler also "))
    expected = {(name, "hll", "double") for name in limiters}
    expected |= {("vanleer", name, "double") for name in common.split() + euler.split()}
    expected |= {(name, "hll", "single") for name in ("vanleer", "weno5")}
    assert {"upwind", "weno5"} <= set(limiters) and "hllc" in euler.split(), info

    table = [line.split() for line in run("bench", "--schemes", *SMALL).splitlines()[1:]]
    found = [tuple(row[:3]) for row in table]
    assert len(found) == len(set(found)) and set(found) == expected, f"{sorted(found)}\nnot\n{sorted(expected)}"
    for row in table[:-1]:
        for middle, least, most in (map(float, row[3:6]), map(float, row[6:9])):
            assert 0 <= least <= middle <= most, row
    assert tuple(table[-1][:3]) == ("vanleer", "hll", "double") and table[-1][6] == "reference,", table[-1]


def check_compare(run, oak):
    # The 95 % interval of the median of 7 values goes from the least to the greatest value. With a second build, oak
    # measures in child processes.
    limiters = ["scheme.limiter=vanleer", "scheme.limiter=minmod"]
    text = run("bench", "--compare", *limiters, "--pieces", "7", *SMALL).splitlines()
    for line in text[1:3]:
        middle, least, most = map(float, line.split()[1:4])
        assert 0 < least <= middle <= most and line.endswith(limiters[text.index(line) - 1]), text
    words = text[3].split()
    middle, low, high = float(words[4].strip(",")), float(words[11]), float(words[13].strip(","))
    assert low <= middle <= high and words[-2:] == ["7", "pieces"], text
    assert (low <= 1 <= high) == (len(text) > 4 and "contains 1" in text[4]), text

    def compare(*arguments):
        return subprocess.run([oak, "bench", "--compare", *arguments, "--pieces", "6", *SMALL], check=False,
                              capture_output=True, text=True)

    done = compare(oak, f"{oak} scheme.limiter=minmod")
    assert done.returncode == 0 and "B / A = " in done.stdout and done.stdout.count(oak) == 2, done
    assert "must be a build of oak that knows this option" in compare(oak, "/bin/true").stderr
    assert "neither a key" in compare(oak, "scheme.limiter").stderr


def check_adaptive(run):
    for late in ([], ["--from", "0.01"]):
        lines = run("bench", "--adaptive", *late, "--steps", "4", *MESH).splitlines()
        assert lines[1].startswith("4 steps to t = ") and " GCUPS; at the end " in lines[1], lines
        shares = [float(line.split()[-2]) for line in lines[2:-1]]
        assert len(shares) == 12 and abs(sum(shares) - 100) < 1, lines
        begin = int(lines[0].split()[2].strip(","))
        assert begin > 24 if late else begin == 0, lines


def check_json(run):
    cases = [json.loads(line) for line in run("bench", "--json", "scheme.flux=hll", *SMALL).splitlines()]
    assert len(cases) == 5 and all(0 < c["least"] <= c["mcups"] <= c["most"] and c["keys"][0] == "scheme.flux=hll" for c in cases), cases


def check_elliptic(run, oak):
    lines = run("bench", "--elliptic", "--side", "32", "device.flags=-O1").splitlines()
    row = [float(word) for word in lines[2].split()[1:]]
    assert lines[2].startswith("32^3") and len(row) == 12 and min(row) > 0 and 4 <= row[3] <= 15, lines
    assert abs(row[1] / row[0] - row[2]) < 0.05 * row[2] + 0.01, lines
    parts = [len(line.split()) for line in lines[4:]]
    assert parts == [6, 3], lines  # level 1 lacks the coarsest launch; level 0 has only it and the cycle
    refused = subprocess.run([oak, "bench", "--elliptic", "--side", "48"], check=False, capture_output=True, text=True)
    assert refused.returncode == 2 and "power of 2" in refused.stderr, refused


def check_kernels(run):
    # Heun reads one state in the first stage and two in the second, and writes one: 2.5 states of 5 variables. The operations
    # of a gradient are not known.
    with tempfile.TemporaryDirectory() as folder:
        lines = run("bench", "--kernels", "--out", folder, *MESH, "refine.criterion=gradient").splitlines()
        with open(f"{folder}/kernels.csv", newline="", encoding="utf-8") as f:
            rows = {row["kernel"]: row for row in csv.DictReader(f)}
        with open(f"{folder}/kernels.html", encoding="utf-8") as f:
            page = f.read()
    assert {"flux", "halo", "totals"} <= set(rows) and rows["refine_flags"]["flops"] == "" and "</svg>" in page, rows
    flux = {name: float(value) for name, value in rows["flux"].items() if name != "kernel"}
    assert flux["bytes"] == 100 * flux["cells"] and flux["flops"] == 504 * flux["cells"], flux
    assert flux["launches"] == 16 and flux["seconds"] > 0 and flux["copy_bytes_per_s"] > 1e8 < flux["fma_flops_per_s"], flux
    assert any(line.split()[:2] == ["flux", "16"] for line in lines), lines


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")

    def run(*arguments):
        # A rank that measures a shorter time than another must not go on alone: then the command never ends.
        done = subprocess.run([*options.ranks, *arguments], check=True, capture_output=True, text=True, timeout=200)
        return done.stdout

    check_schemes(run)
    check_compare(run, options.oak)
    check_adaptive(run)
    check_json(run)
    check_elliptic(run, options.oak)
    check_kernels(run)
    return 0


if __name__ == "__main__":
    sys.exit(main())
