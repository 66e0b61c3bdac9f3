#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 suite=all flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""bench/paper.py, for CTest: rows as the paper has them, chosen by words, on meshes of a few blocks; the table and
the CSV file agree with each other and with themselves. Speeds mean nothing here.

usage: test_app_bench_paper.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import os
import subprocess
import sys
import tempfile

import oak_test

SMALL = ["mesh.min_level=1", "mesh.max_level=1", "device.flags=-O1"]


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")

    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "paper.py")

    def run(*arguments, status=0):
        done = subprocess.run([sys.executable, script, "--oak", options.oak, *arguments], check=False, capture_output=True,
                              text=True)
        assert done.returncode == status, f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    # 64 measurements of one table, 6 of the other, small domains and an adaptive mesh: none has one cell only.
    assert "left out: 75 rows of more than 1 cells" in run("--cells", "1")
    assert "left out: 16 rows" in run("--cells", "1", "--rows", "3d,weno5")
    assert "no row has the word '2e'" in run("--rows", "2e", status=2)
    assert "unrecognized arguments: --row" in run("--row", "2d", status=2)
    assert "did you mean mesh.dim" in run("--rows", "small,b8", "mesh.dimm=2", status=1)

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "a", "b")
        text = run("--rows", "2d,vanleer,2048^2,b8", "--out", out, *SMALL, "--ranks", str(options.np))
        with open(os.path.join(out, "paper.csv"), newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        # The paper's table: van Leer, 2D, 2048^2, 8^2.
        assert [(r["problem"], r["paper_gcups"], r["paper_outside"]) for r in rows] == [
            ("advection", "4.26", "48.2"), ("rt", "1.47", "26.2")], rows
        table = [line.split() for line in text.splitlines() if line.startswith("van Leer 2D")]
        assert len(table) == 1 and table[0][3:6] == ["2048^2", "8^2", "4"], text
        for r in rows:
            v = {key: float(r[key]) for key in ("gcups", "least", "most", "outside", "ratio", "stepping_seconds")}
            assert r["state"] == "measured" and 0 < v["least"] <= v["gcups"] <= v["most"] and 0 < v["outside"] < 100, r
            assert abs(v["ratio"] - v["gcups"] / float(r["paper_gcups"])) < 2e-3 * v["ratio"], r
            # A step has two stages. The mean over all pieces lies in their range.
            mean = 2e-9 * float(r["cells"]) * int(r["steps"]) * int(r["pieces"]) / v["stepping_seconds"]
            assert r["cells"] == "256" and 0.98 * v["least"] <= mean <= 1.02 * v["most"], (mean, r)
            # In the table: the paper's GCUPS, ours, ratio, the paper's share outside flux, ours with a digit less.
            column = table[0].index(f"{float(r['paper_gcups']):.2f}")
            assert abs(float(table[0][column + 4]) - v["outside"]) < 0.056, text
        assert "Below 3 times" in text or "None is below" in text, text
    return 0


if __name__ == "__main__":
    sys.exit(main())
