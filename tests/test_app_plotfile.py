#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Plotfiles of adaptive runs as another program reads them, for CTest: the integral of the density over the
leaf cells that VTK's reader finds (check_plotfile.py) against the total that oak computed itself.

usage: test_app_plotfile.py --oak OAK --mpiexec "mpiexec -n" --np N

Exit 77: skipped, VTK is missing."""
import argparse
import csv
import glob
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = {
    "2D": ["mesh.dim=2", "mesh.block_size=8", "mesh.min_level=1", "mesh.max_level=4", "run.max_steps=40"],
    "3D": ["mesh.dim=3", "mesh.block_size=8", "mesh.min_level=1", "mesh.max_level=3", "run.max_steps=8",
           "boundary.zlow=reflect", "boundary.zhigh=reflect"],
}
INI = """[problem]
name = implosion
[physics]
gamma = 1.4
[mesh]
xmax = 0.3
[boundary]
xlow = reflect
xhigh = reflect
ylow = reflect
yhigh = reflect
[output]
diagnostics_every = 1
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--np", type=int, required=True)
    options = parser.parse_args()
    outcome = 0
    with tempfile.TemporaryDirectory(prefix="oak_plotfile_") as work:
        with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as f:
            f.write(INI)
        for name, settings in RUNS.items():
            subprocess.run([*shlex.split(options.mpiexec), str(options.np), options.oak, "run", "--quiet", "run.ini",
                            f"output.folder={name}", *settings], cwd=work, check=True)
            with open(os.path.join(work, name, "diagnostics.csv"), encoding="utf-8", newline="") as f:
                rows = {int(row["step"]): row for row in csv.DictReader(f)}
            plotfiles = sorted(glob.glob(os.path.join(work, name, "plt*")))
            assert len(plotfiles) == 2, plotfiles
            for plotfile in plotfiles:
                row = rows[int(plotfile[-6:])]
                for variable in ("rho", "E"):
                    checked = subprocess.run([sys.executable, os.path.join(HERE, "check_plotfile.py"), plotfile,
                                              variable, row[variable]], check=False)
                    outcome = max(outcome, checked.returncode)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
