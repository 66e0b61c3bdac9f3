#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads what oak writes with the programs that people use, as far as they are installed: ParaView (pvpython, or its
modules in Python) and yt. Runs are made in 2D and 3D on three ranks; integrals that the readers find are compared
with the totals that oak computed itself, at each time that an output has.

usage: tests/io/check_readers.py [--oak build/oak] [--mpiexec "mpiexec -n 3"]

Prints a line for each format and reader. Exit 0: all agree, 1: one does not, 77: no reader is installed."""
import argparse
import csv
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

INI = """[problem]
name = implosion
[physics]
gamma = 1.4
[mesh]
xmax = 0.3
block_size = 8
min_level = 1
[boundary]
xlow = reflect
xhigh = reflect
ylow = reflect
yhigh = reflect
[run]
max_steps = 8
[output]
diagnostics_every = 1
plot_first_last = no
[output.plot]
kind = plotfile
every_steps = 4
[output.plot_single]
kind = plotfile
every_steps = 4
precision = single
[output.fields]
kind = xdmf
every_steps = 4
[output.fields_single]
kind = xdmf
every_steps = 4
precision = single
[output.boxes]
kind = vtkhdf
every_steps = 4
[output.boxes_single]
kind = vtkhdf
every_steps = 4
precision = single
"""
RUNS = {"2D": ["mesh.dim=2", "mesh.max_level=4"],
        "3D": ["mesh.dim=3", "mesh.max_level=3", "boundary.zlow=reflect", "boundary.zhigh=reflect"]}
STEPS = (0, 4, 8)


# ---- in the process of a reader: each gives a list of (what, time, variable, value, expected, tolerance)

def integrate(source, time, names):
    from paraview import servermanager, simple

    result = simple.IntegrateVariables(Input=source)
    result.UpdatePipeline(time)
    data = servermanager.Fetch(result).GetCellData()
    values = {name: data.GetArray(name).GetValue(0) if data.GetArray(name) else float("nan") for name in names}
    simple.Delete(result)
    return values


def contours(source, time, dim):
    """In 2D a contour consists of lines. Yields (name, its share of cells that are none, expected)."""
    from paraview import servermanager, simple

    if dim == 3:
        return
    points = simple.CellDatatoPointData(Input=source)
    contour = simple.Contour(Input=points, ContourBy=["POINTS", "rho"], Isosurfaces=[0.6])
    merged = simple.MergeBlocks(Input=contour)
    merged.UpdatePipeline(time)
    cells = servermanager.Fetch(merged)
    lines = sum(cells.GetCell(i).GetCellDimension() == 1 for i in range(cells.GetNumberOfCells()))
    yield "contour", 1 - lines / max(cells.GetNumberOfCells(), 1), 0.0
    for proxy in (merged, contour, points):
        simple.Delete(proxy)


def paraview_plotfile(folder, rows, dim, name, tolerance):
    from paraview import simple

    for step in STEPS:
        reader = simple.AMReXBoxLibGridReader(FileNames=[f"{folder}/{name}_{step:06d}"])
        reader.Level = 20
        reader.CellArrayStatus = ["rho", "E"]
        reader.UpdatePipeline()
        # The integral leaves out what finer levels cover. In 2D AMReX grids have no thickness.
        for variable, value in integrate(reader, None, ("rho", "E")).items():
            yield step, variable, value, float(rows[step][variable]), tolerance
        simple.Delete(reader)


def paraview_xdmf(folder, rows, dim, name, tolerance):
    from paraview import simple

    for reader in (simple.XDMFReader(FileNames=[f"{folder}/{name}.xdmf"]),
                   simple.Xdmf3ReaderT(FileName=[f"{folder}/{name}.xdmf"])):
        reader.UpdatePipelineInformation()
        times = list(reader.TimestepValues)
        if times != [float(rows[step]["time"]) for step in STEPS]:
            yield STEPS[0], "times", float("nan"), 0.0, tolerance
            continue
        for step, time in zip(STEPS, times):
            reader.UpdatePipeline(time)
            for variable, value in integrate(reader, time, ("rho", "E")).items():
                yield step, variable, value, float(rows[step][variable]), tolerance
            for found in contours(reader, time, dim):
                yield step, *found, tolerance
        simple.Delete(reader)


def paraview_vtkhdf(folder, rows, dim, name, tolerance):
    from paraview import simple

    # A list of files: ParaView 5.11 does not know NAME.vtkhdf.series.
    reader = simple.VTKHDFReader(FileName=[f"{folder}/{name}_{step:06d}.vtkhdf" for step in STEPS])
    reader.MaximumLevelsToReadByDefaultForAMR = 0
    reader.UpdatePipelineInformation()
    for step, time in zip(STEPS, reader.TimestepValues):
        for variable, value in integrate(reader, time, ("rho", "E")).items():
            yield step, variable, value, float(rows[step][variable]), tolerance
        for found in contours(reader, time, dim):
            yield step, *found, tolerance
    simple.Delete(reader)


def yt_plotfile(folder, rows, dim, name, tolerance):
    import yt

    yt.set_log_level("error")
    for step in STEPS:
        data = yt.load(f"{folder}/{name}_{step:06d}").all_data()
        depth = float(data.ds.domain_width[2]) if dim == 2 else 1.0
        for variable in ("rho", "E"):
            value = float((data["boxlib", variable] * data["index", "cell_volume"]).sum()) / depth
            yield step, variable, value, float(rows[step][variable]), tolerance


CHECKS = {"ParaView": [(paraview_plotfile, "plot", 1e-12), (paraview_plotfile, "plot_single", 1e-6),
                       (paraview_xdmf, "fields", 1e-12), (paraview_xdmf, "fields_single", 1e-6),
                       (paraview_vtkhdf, "boxes", 1e-12), (paraview_vtkhdf, "boxes_single", 1e-6)],
          "yt": [(yt_plotfile, "plot", 1e-12), (yt_plotfile, "plot_single", 1e-6)]}


def read_all(reader, work):
    """All checks of a reader. Prints a line for each as JSON."""
    for run in RUNS:
        folder = os.path.join(work, run)
        with open(os.path.join(folder, "diagnostics.csv"), encoding="utf-8", newline="") as f:
            rows = {int(row["step"]): row for row in csv.DictReader(f)}
        for check, name, tolerance in CHECKS[reader]:
            worst, count, bad = 0.0, 0, []
            for step, variable, value, expected, allowed in check(folder, rows, int(run[0]), name, tolerance):
                error = abs(value - expected) / max(abs(expected), 1e-300)
                count += 1
                worst = max(worst, error)
                if not error <= allowed:
                    bad.append(f"step {step}: {variable} {value:.17g}, expected {expected:.17g}")
            print(json.dumps([f"{check.__name__}: {run} {name}", count, worst, bad]), flush=True)


# ---- the process that starts them

def interpreters():
    """Readers that are installed, and the command that has them."""
    candidates = {"ParaView": ([shutil.which("pvpython")], ["/usr/bin/python3"], [sys.executable]),
                  "yt": (["/usr/bin/python3"], [sys.executable])}
    module = {"ParaView": "paraview.simple", "yt": "yt"}
    for reader, commands in candidates.items():
        for command in commands:
            if command[0] and subprocess.run([*command, "-c", f"import {module[reader]}"], capture_output=True,
                                             check=False).returncode == 0:
                yield reader, command
                break
        else:
            print(f"{reader}: not installed")


def report(reader, command, work):
    """\\return how many checks failed, or gave nothing."""
    run = subprocess.run([*command, os.path.abspath(__file__), "--reader", reader, work], stdout=subprocess.PIPE,
                         text=True, check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("[")]
    failed = len(RUNS) * len(CHECKS[reader]) - len(lines)
    for what, count, worst, bad in lines:
        failed += bool(bad) or count == 0
        print(f"{reader}: {what}: {count} values, largest relative difference {worst:.2g}"
              f"{'' if count and not bad else '  FAILED: ' + '; '.join(bad or ['nothing was read'])}")
    if run.returncode != 0:
        print(f"{reader} ended with status {run.returncode}")
    return failed + (run.returncode != 0)


def main():
    if sys.argv[1:2] == ["--reader"]:
        return read_all(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", default="build/oak")
    parser.add_argument("--mpiexec", default="mpiexec -n 3")
    options = parser.parse_args()
    found = list(interpreters())
    if not found:
        return 77
    with tempfile.TemporaryDirectory(prefix="oak_readers_") as work:
        with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as f:
            f.write(INI)
        for name, settings in RUNS.items():
            subprocess.run([*shlex.split(options.mpiexec), os.path.abspath(options.oak), "run", "--quiet", "run.ini",
                            f"output.folder={name}", *settings], cwd=work, check=True)
        return int(sum(report(reader, command, work) for reader, command in found) > 0)


if __name__ == "__main__":
    sys.exit(main())
