#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of oak beside that of afivo-streamer on one core: cases 1 and 3 of the six-code comparison in (r, z), and
case 1 in Cartesian coordinates, with the same formulas and finest cell, and cells refined where alpha dx is above 1.
afivo-streamer has its own tolerances (1e-4; light 1e-2; at most two cycles). Runs of both programs follow each other; the
table has the fastest run of each program, without its start. With --errors it also has the error of the mesh: by how much
the length and the largest field, means over the last quarter of the time, differ from those with alpha dx of at most 0.2.

Build afivo-streamer (https://github.com/MD-CWI/afivo-streamer), here with -Ofast -march=native in place of -O2 in
makefiles/makerules.make and afivo/makerules.make, and `make` in programs/standard_2d."""
import csv
import math
import os
import tempfile

from session import Oak, Parser, TREE, run, said, start

FORMULAS = {"mu[m2/Vs]": lambda e: 2.3987 * e**-0.26, "dif[m2/s]": lambda e: 4.3628e-3 * e**0.22,
            "alpha[1/m]": lambda e: (1.1944e6 + 4.3666e26 / e**3) * math.exp(-2.73e7 / e), "eta[1/m]": lambda e: 340.75}
INPUT = """end_time = {end}
output%name = out
output%dt = {every}
silo_write = f
box_size = 8
coarse_grid_size = 8 8
domain_len = 1.25e-2 1.25e-2
periodic = F F
field_given_by = voltage 18.75e3
seed_density = 0.5e19
seed_charge_type = 1
seed_width = 0.4e-3
seed_falloff = gaussian
refine_adx = {rule}
refine_min_dx = 6.0e-6
refine_per_steps = 2
refine_buffer_width = 4
input_data%file = formulas.txt
input_data%old_style = t
gas%components = N2 O2
gas%fractions = 0.8 0.2
gas%pressure = 1.0
gas%temperature = 300
photoi%method = helmholtz
photoi%per_steps = 4
photoi_helmh%author = Bourdon-3
"""
RINGS = "cylindrical = T\nseed_rel_r0 = 0.0 0.8\nseed_rel_r1 = 0.0 0.8\n"
CASES = {
    "1, (r, z)": (RINGS + "background_density = 1e13\n", ["problems/streamer.ini"]),
    "3, light": (RINGS + "background_density = 1e9\nphotoi%enabled = t\nphotoi%species = M_plus\n",
                 ["problems/streamer_photo.ini"]),
    "1, Cartesian": ("seed_rel_r0 = 0.5 0.8\nseed_rel_r1 = 0.5 0.8\nbackground_density = 1e13\n",
                     ["problems/streamer.ini", "mesh.coordinates=cartesian", "mesh.xmin=-0.625e-2 0",
                      "mesh.xmax=0.625e-2 1.25e-2", "boundary.xlow=outflow", "poisson.xlow=no_slope"]),
}


def late(rows, end):
    """Means of length and field over the last quarter of the time, from rows of time, height and field."""
    rows = [row for row in rows if row[0] >= 0.75 * end]
    return sum(1.25e-2 - row[1] for row in rows) / len(rows), sum(row[2] for row in rows) / len(rows)


def afivo(program, case, end, folder, rule, every):
    with open(os.path.join(folder, "input.cfg"), "w", encoding="utf-8") as file:
        file.write(INPUT.format(end=end, rule=rule, every=every) + CASES[case][0])
    with open(os.path.join(folder, "formulas.txt"), "w", encoding="utf-8") as file:
        for name, value in FORMULAS.items():
            rows = "".join(f"{e:.8e} {value(e):.8e}\n" for e in (10 ** (3 + 0.0125 * n) for n in range(401)))
            file.write(f"efield[V/m]_vs_{name}\n-----------------------\n{rows}-----------------------\n\n")
    steps, seconds = said(start(program, "input.cfg", cwd=folder), r"10\d\.\d\d% it: *(\d+) .* wc: *(\S+)")
    with open(os.path.join(folder, "out_log.txt"), encoding="utf-8") as file:
        names, *rows = (line.split() for line in file)
    cells = [float(row[names.index("n_cells")]) for row in rows]
    mean, field = sum(cells) / len(cells), names.index("max(E)")
    heads = [[float(row[n]) for n in (names.index("time"), field + 2, field)] for row in rows]
    return float(seconds), 1e9 * float(seconds) / int(steps) / mean, mean, late(heads, end)


def oak_run(oak, case, end, folder, rule, every):
    path, *keys = CASES[case][1]
    done = start(oak.path, "run", os.path.join(TREE, path), *keys, f"refine.c_refine={rule}",
                 f"refine.c_derefine={0.45 * rule}", *oak.keys, "--overwrite", f"run.end_time={end}",
                 f"output.folder={folder}", "output.picture_every=0", "output.plot_first_last=no",
                 "output.diagnostics_every=10", f"output.head.every={every}")
    seconds = float(said(done, r"^ +total +(\S+)")) - float(said(done, r"^ +initialization +(\S+)"))
    with open(os.path.join(folder, "diagnostics.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(folder, "head.csv"), encoding="utf-8") as file:
        heads = [[float(row[name]) for name in ("time", "min_head", "max_field")] for row in csv.DictReader(file)]
    mean = sum(float(row["cells"]) for row in rows) / len(rows)
    return seconds, 1e9 * seconds / int(rows[-1]["step"]) / mean, mean, late(heads, end)


def error(run_it, end):
    """The errors of length and field in %."""
    coarse, fine = (run_it(rule, end / 100)[3] for rule in (1, 0.2))
    return "".join(f"{100 * (a / b - 1):10.3f}" for a, b in zip(coarse, fine))


def main():
    parser = Parser(__doc__)
    parser.add_argument("--afivo", metavar="PATH", required=True, help="the program (programs/standard_2d/streamer)")
    parser.add_argument("--end", type=float, default=2e-9, help="time of the end in s (2e-9)")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each (5)")
    parser.add_argument("--errors", action="store_true", help="measure the errors of the mesh too")
    options = parser.read()
    oak, program, end = Oak(options), os.path.abspath(options.afivo), options.end
    print(f"{'case':14}{'':16}{'time, s':>10}{'ns per cell and step':>22}{'cells':>10}" +
          "  errors of length and field, %" * options.errors)
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            runs = {"afivo-streamer": lambda *how, at=case, to=folder: afivo(program, at, end, to, *how),
                    "oak": lambda *how, at=case, to=folder: oak_run(oak, at, end, os.path.join(to, "oak"), *how)}
            found = [[run_it(1, end / 20) for run_it in runs.values()] for _ in range(options.pairs)]
            for (name, run_it), each in zip(runs.items(), zip(*found)):
                seconds, cost, cells, _ = min(each)
                errors = error(run_it, end) if options.errors else ""
                print(f"{case:14}{name:16}{seconds:10.2f}{cost:22.0f}{cells:10.0f}{errors}", flush=True)
    return 0


if __name__ == "__main__":
    run(main)
