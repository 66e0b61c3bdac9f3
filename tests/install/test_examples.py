#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=example_1 np=2 timeout=300 --source @source@ --build @build@ 1
# TEST name=example_2 np=2 timeout=300 --source @source@ --build @build@ 2
"""Run the commands of the examples' README files as they stand there, for CTest, and look at what they made.

usage: test_examples.py --source TREE --build BUILD NUMBER

The commands are those in ```sh blocks of examples/NUMBER_*/README.md. They run at the top of a folder that
looks like the tree after `make build`, so that nothing is written to the tree itself."""
import csv
import glob
import os
import re
import subprocess
import sys
import tempfile

import oak_test


def commands_of(readme):
    with open(readme, encoding="utf-8") as f:
        return "\n".join(re.findall(r"^```sh\n(.*?)^```", f.read(), re.M | re.S))


def last_numbers(text):
    """The last line of the table that example 1 prints."""
    return [line for line in text.splitlines() if re.match(r"^ *\d+ +\d\.\d+", line)][-1].split()


def check_library(top, printed):
    assert os.path.exists("output/mach/rho.png") and glob.glob("output/mach_fine/plt*/Header")
    step, time, _, mach, mass_error = last_numbers(printed)
    assert abs(float(mass_error)) < 1e-12, f"mass changes by {mass_error}"
    # The same table, to the last digit, on another number of ranks.
    program = [os.path.join(top, "build/examples/1_library/mach"), "mach.every=100", "run.end_time=0.1",
               "output.folder=output/alone", "mesh.max_level=4"]
    alone = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert last_numbers(alone) == [step, time, _, mach, mass_error], (
        f"the number of ranks changes the result:\n{alone}\n{printed}")
    check_mach(float(mach), glob.glob("output/mach_fine/plt*")[0])


def check_mach(mach, plotfile):
    """The kernel's result against the same thing from the plotfile."""
    try:
        import numpy
        from check_plotfile import read
        from vtkmodules.util.numpy_support import vtk_to_numpy
    except (ImportError, SystemExit):
        oak_test.skip_part("Mach number in the plotfile", "VTK is missing; install python3-vtk9")
        return
    state = [read(plotfile, name) for name in ("rho", "vx", "vy", "p")]
    most = 0
    for level in range(state[0].GetNumberOfLevels()):
        for box in range(state[0].GetNumberOfDataSets(level)):
            cell = [amr.GetDataSet(level, box).GetCellData() for amr in state]
            rho, vx, vy, p = [vtk_to_numpy(c.GetArray(n)) for c, n in zip(cell, ("rho", "vx", "vy", "p"))]
            leaf = numpy.ones(rho.shape, bool)
            if cell[0].GetArray("vtkGhostType"):
                leaf = (vtk_to_numpy(cell[0].GetArray("vtkGhostType")) & 8) == 0
            squared = ((vx**2 + vy**2) * rho / (1.4 * p))[leaf]
            most = max([most, *squared])
    assert abs(most**0.5 - mach) < 1e-9, f"the kernel finds {mach}, the plotfile holds {most**0.5}"


def check_problem(_top, printed):
    for folder in ("jet", "fast_jet", "jet_3d"):
        assert glob.glob(f"output/{folder}/plt*/Header"), f"no plotfile in output/{folder}"
        assert glob.glob(f"output/{folder}/rho_*.png"), f"no picture in output/{folder}"
    with open("output/jet/diagnostics.csv", encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    assert float(rows[-1]["time"]) == 0.3 and int(rows[-1]["blocks"]) > int(rows[0]["blocks"])
    # Until the shock reaches the outflow, what the domain gains is what comes through the nozzle. It is
    # 26 cells wide on the finest level, somewhat wider on the coarse mesh of the first steps.
    width, speed = 26 / 256, 3 * (1.4 / 0.3) ** 0.5
    row = [row for row in rows if float(row["time"]) < 0.15][-1]
    for name, flux in (("rho", 0.3 * speed), ("E", speed * (1 / 0.4 + 1 + 0.15 * speed**2))):
        gained = (float(row[name]) - float(rows[0][name])) / float(row["time"])
        assert abs(gained / (width * flux) - 1) < 0.02, f"{name} grows by {gained}, the jet brings {width * flux}"
    assert "3D" in printed


CHECKS = {"1": check_library, "2": check_problem}


def main():
    options = oak_test.options(__doc__, "source", "build", positional=("number",))
    readme, = glob.glob(os.path.join(options.source, "examples", options.number + "_*", "README.md"))
    script = commands_of(readme)
    assert script.strip(), f"{readme} has no commands"
    with tempfile.TemporaryDirectory(prefix="oak_example_") as top:
        for name in ("examples", "problems", "docs"):
            os.symlink(os.path.join(options.source, name), os.path.join(top, name))
        os.symlink(options.build, os.path.join(top, "build"))
        os.chdir(top)
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(f"a command of {readme} fails with exit status {done.returncode}:\n{script}\n{done.stdout}")
            return 1
        CHECKS[options.number](top, done.stdout)
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
