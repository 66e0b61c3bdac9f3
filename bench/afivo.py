#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of oak beside that of afivo-streamer on one core: cases 1 and 3 of the six-code comparison in (r, z), and
case 1 in Cartesian coordinates, with the same formulas, rule of refinement and finest cell. afivo-streamer has its own
tolerances (1e-4; light 1e-2; at most two cycles). Runs of both programs follow each other; the table has the fastest run
of each program, without its start.

Build afivo-streamer (https://github.com/MD-CWI/afivo-streamer), here with -Ofast -march=native in place of -O2 in
makefiles/makerules.make and afivo/makerules.make, and `make` in programs/standard_2d."""
import csv
import math
import os
import re
import subprocess
import tempfile

from session import Failure, Oak, Parser, TREE, run

FORMULAS = {"mu[m2/Vs]": lambda e: 2.3987 * e**-0.26, "dif[m2/s]": lambda e: 4.3628e-3 * e**0.22,
            "alpha[1/m]": lambda e: (1.1944e6 + 4.3666e26 / e**3) * math.exp(-2.73e7 / e), "eta[1/m]": lambda e: 340.75}
INPUT = """end_time = {end}
output%name = out
output%dt = 1e-10
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
refine_adx = 1.0
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


def said(done, pattern):
    found = re.findall(pattern, done.stdout, re.MULTILINE)
    if done.returncode or not found:
        raise Failure(f"{done.args[0]}: exit status {done.returncode}:\n{(done.stderr or done.stdout)[-1000:]}")
    return found[-1]


def start(*words, **more):
    return subprocess.run(words, check=False, text=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
                          **more)


def afivo(program, case, end, folder):
    with open(os.path.join(folder, "input.cfg"), "w", encoding="utf-8") as file:
        file.write(INPUT.format(end=end) + CASES[case][0])
    with open(os.path.join(folder, "formulas.txt"), "w", encoding="utf-8") as file:
        for name, value in FORMULAS.items():
            rows = "".join(f"{e:.8e} {value(e):.8e}\n" for e in (10 ** (3 + 0.0125 * n) for n in range(401)))
            file.write(f"efield[V/m]_vs_{name}\n-----------------------\n{rows}-----------------------\n\n")
    steps, seconds = said(start(program, "input.cfg", cwd=folder), r"100\.00% it: *(\d+) .* wc: *(\S+)")
    with open(os.path.join(folder, "out_log.txt"), encoding="utf-8") as file:
        names, *rows = (line.split() for line in file)
    cells = [float(row[names.index("n_cells")]) for row in rows]
    mean = sum(cells) / len(cells)
    return float(seconds), 1e9 * float(seconds) / int(steps) / mean, mean


def oak_run(oak, case, end, folder):
    path, *keys = CASES[case][1]
    done = start(oak.path, "run", os.path.join(TREE, path), *keys, *oak.keys, "--overwrite", f"run.end_time={end}",
                 f"output.folder={folder}", "output.picture_every=0", "output.plot_first_last=no",
                 "output.diagnostics_every=10")
    seconds = said(done, r"steps to t = \S+ in (\S+) s")
    with open(os.path.join(folder, "diagnostics.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    mean = sum(float(row["cells"]) for row in rows) / len(rows)
    return float(seconds), 1e9 * float(seconds) / int(rows[-1]["step"]) / mean, mean


def main():
    parser = Parser(__doc__)
    parser.add_argument("--afivo", metavar="PATH", required=True, help="the program (programs/standard_2d/streamer)")
    parser.add_argument("--end", default="2e-9", help="time of the end in s (2e-9)")
    parser.add_argument("--pairs", type=int, default=5, help="runs of each (5)")
    options = parser.read()
    oak = Oak(options)
    print(f"{'case':14}{'':16}{'time, s':>10}{'ns per cell and step':>22}{'cells':>10}")
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            found = [(afivo(os.path.abspath(options.afivo), case, options.end, folder),
                      oak_run(oak, case, options.end, os.path.join(folder, "oak"))) for _ in range(options.pairs)]
        for name, runs in zip(("afivo-streamer", "oak"), zip(*found)):
            seconds, each, cells = min(runs)
            print(f"{case:14}{name:16}{seconds:10.2f}{each:22.0f}{cells:10.0f}")
    return 0


if __name__ == "__main__":
    run(main)
