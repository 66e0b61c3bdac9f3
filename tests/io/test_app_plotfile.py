#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Plotfiles and XDMF files of adaptive runs as other programs read them, for CTest: the integral of the density over
the leaf cells that VTK's reader finds (check_plotfile.py) or that XML and raw data tell (test_xdmf_reader.py) against
the total that oak computed itself; and the lists that viewers open as one time series.

usage: test_app_plotfile.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

import oak_test
import implosion

try:
    import test_xdmf_reader
    import vtk_checks
except ImportError as missing:
    oak_test.need_module(missing)

HERE = os.path.dirname(os.path.abspath(__file__))
INI = implosion.INI + """[output.fields]
kind = xdmf
every_steps = 4
[output.small]
kind = plotfile
precision = single
files = 2
variables = rho
first_last = no
every_steps = 8
"""


def check_fields(folder, rows):
    """All that [output.fields] has left, as listed in fields.xdmf."""
    with open(os.path.join(folder, "fields.xdmf"), encoding="utf-8") as f:
        listed = re.findall('href="(.*?)"', f.read())
    there = sorted(name for name in os.listdir(folder) if re.fullmatch(r"fields_\d+\.xdmf", name))
    assert listed == there == [f"fields_{step:06d}.xdmf" for step in rows if step % 4 == 0 or step == max(rows)], there
    data = sorted(name[:-len(".data")] for name in os.listdir(folder) if name.endswith(".data"))
    assert data == [name[:-len(".xdmf")] for name in listed], data
    for name in listed[::len(listed) - 1]:
        row = rows[int(name[-11:-5])]
        time, grids = test_xdmf_reader.read(os.path.join(folder, name))
        assert time == float(row["time"])
        # In 2D blocks are one cell thick.
        thickness = grids[0].GetSpacing()[2] if len({grid.GetOrigin()[2] for grid in grids}) == 1 else 1
        for variable in ("rho", "E"):
            found = vtk_checks.integral(grids, variable) / thickness
            assert abs(found / float(row[variable]) - 1) < 1e-12, (name, variable, found, row[variable])


def table(folder):
    with open(os.path.join(folder, "diagnostics.csv"), encoding="utf-8", newline="") as f:
        return {int(row["step"]): row for row in csv.DictReader(f)}


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    outcome = 0
    with tempfile.TemporaryDirectory(prefix="oak_plotfile_") as work:
        oak_test.write(work, "run.ini", INI)
        for name, settings in implosion.RUNS.items():
            subprocess.run([*options.ranks, "run", "--quiet", "run.ini",
                            f"output.folder={name}", *settings], cwd=work, check=True)
            rows = table(os.path.join(work, name))
            plotfiles = sorted(glob.glob(os.path.join(work, name, "plt*")))
            assert len(plotfiles) == 2, plotfiles
            for plotfile in plotfiles:
                row = rows[int(plotfile[-6:])]
                for variable in ("rho", "E"):
                    checked = subprocess.run([sys.executable, os.path.join(HERE, "..", "check_plotfile.py"), plotfile,
                                              variable, row[variable]], check=False)
                    outcome = max(outcome, checked.returncode)
            checked = subprocess.run([sys.executable, os.path.join(HERE, "..", "check_plotfile.py"),
                                      os.path.join(work, name, "small_000008"), "rho", rows[8]["rho"], "1e-6"],
                                     check=False)
            outcome = max(outcome, checked.returncode)
            with open(os.path.join(work, name, "small.visit"), encoding="utf-8") as f:
                assert f.read() == "".join(f"small_{step:06d}/Header\n" for step in rows if step % 8 == 0)
            check_fields(os.path.join(work, name), rows)
        # A shorter run in the same folder leaves nothing of the longer one.
        subprocess.run([*options.ranks, "run", "--quiet", "--overwrite",
                        "run.ini", "output.folder=2D", *implosion.RUNS["2D"], "run.max_steps=4"], cwd=work, check=True)
        check_fields(os.path.join(work, "2D"), table(os.path.join(work, "2D")))
    return outcome


if __name__ == "__main__":
    sys.exit(main())
