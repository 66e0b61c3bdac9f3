#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of oak beside that of Athena++ on one core: a Rayleigh-Taylor instability in 3D with HLL, van Leer's
limiter and Heun's scheme, on a uniform mesh. The two programs run in turns, because the speed of a machine drifts.
Each run is made with a few and with more steps; the difference of their processor times is that of the steps alone.

Build Athena++ (https://github.com/PrincetonUniversity/athena) in its folder:

  python3 configure.py --prob=rt --flux=hlle --cflag="-O3 -march=native" && make

usage: bench/athena.py ATHENA [--oak build/oak] [--cells 64] [--block 16] [--steps 20] [--pairs 5] [section.key=value ...]

ATHENA is the program (bin/athena). Keys are those of oak."""
import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

STAGES = 2  # of Heun's scheme, which Athena++ calls rk2
# What the program was built for, from `athena -c`.
CONFIGURATION = {"Problem generator": "rt", "Riemann solver": "hlle", "Magnetic fields": "OFF", "Coordinate system": "cartesian",
                 "Relativistic dynamics": "OFF", "General relativity": "OFF", "Floating-point precision": "double"}
ATHENA = """<job>
problem_id = rt
<time>
cfl_number = 0.3
nlim = {steps}
tlim = 1e9
integrator = rk2
xorder = 2
ncycle_out = 0
<mesh>
nx1 = {cells}
x1min = 0
x1max = 1
ix1_bc = periodic
ox1_bc = periodic
nx2 = {cells}
x2min = 0
x2max = 1
ix2_bc = periodic
ox2_bc = periodic
nx3 = {cells}
x3min = -0.5
x3max = 0.5
ix3_bc = user
ox3_bc = user
<meshblock>
nx1 = {block}
nx2 = {block}
nx3 = {block}
<hydro>
gamma = 1.66666667
grav_acc3 = -0.1
<problem>
iprob = 1
amp = 0.01
drat = 3.0
"""
OAK = """[run]
end_time = 1e9
cfl = 0.3
max_steps = {steps}
[mesh]
dim = 3
block_size = {block}
min_level = {level}
max_level = {level}
adapt_every = 0
[physics]
name = euler
gamma = 5/3
[problem]
name = rayleigh_taylor
[boundary]
zlow = reflect
zhigh = reflect
[output]
folder = {folder}/oak
picture_every = 0
plot_first_last = no
"""


def fail(text):
    sys.exit(f"athena.py: {text}")


def processor_time(command, folder, cycles):
    """Seconds that a program and its children have used. Athena++ says how many cells it has advanced, and this must be
    `cycles`; its exit status is 0 after an error too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, check=False, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "OMP_NUM_THREADS": "1"})
    said = re.search(r"^zone-cycles = (\d+)", done.stdout, re.MULTILINE)
    if done.returncode or (cycles and not (said and int(said[1]) == cycles)):
        fail(f"{' '.join(command)} has failed (exit status {done.returncode}):\n{done.stdout[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def check(athena):
    """Compare the configuration of Athena++ with what is needed, and return what names this build."""
    done = subprocess.run([athena, "-c"], check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = {key: value.strip() for key, value in re.findall(r"^\s*(.*?): +(.*)$", done.stdout, re.MULTILINE)}
    for key, value in CONFIGURATION.items():
        if found.get(key) != value:
            fail(f"{athena} was built with '{key}' {found.get(key, 'not stated')}, but must have {value}; see --help")
    commit = subprocess.run(["git", "-C", os.path.dirname(athena), "log", "-1", "--format=%h"], check=False, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    return f"Athena++ {commit or 'of an unknown version'}, {found.get('Compilation command', 'unknown compiler')}"


def measure(programs, options, folder):
    """Nanoseconds per cell update of each program, [program][pair]."""
    level = (options.cells // options.block).bit_length() - 1
    for steps in (options.steps, 3 * options.steps):
        texts = {"steps": steps, "cells": options.cells, "block": options.block, "level": level, "folder": folder}
        write(f"{folder}/athena.{steps}", ATHENA.format(**texts))
        write(f"{folder}/oak.{steps}.ini", OAK.format(**texts))
    times = {name: [] for name in programs}
    updates = options.cells**3 * STAGES * 2 * options.steps
    processor_time(programs["oak"](options.steps), folder, 0)  # compiles the kernels
    for _ in range(options.pairs):
        for name, command in programs.items():
            few, more = (processor_time(command(steps), folder, options.cells**3 * steps if name == "Athena++" else 0)
                         for steps in (options.steps, 3 * options.steps))
            if more <= few:
                fail(f"{2 * options.steps} steps of {name} take too little time to measure: more --steps")
            times[name].append(1e9 * (more - few) / updates)
    return times


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("athena")
    parser.add_argument("keys", nargs="*")
    parser.add_argument("--oak", default="build/oak")
    for name, value in (("cells", 64), ("block", 16), ("steps", 20), ("pairs", 5)):
        parser.add_argument(f"--{name}", type=int, default=value)
    options = parser.parse_intermixed_args()
    for name in ("athena", "oak"):
        path = os.path.abspath(getattr(options, name))
        if not os.access(path, os.X_OK) or os.path.isdir(path):
            fail(f"there is no program {path}")
        setattr(options, name, path)
    if min(options.block, options.steps, options.pairs) < 1 or options.cells not in [options.block << n for n in range(12)]:
        fail("--cells must be --block times a power of two, and all numbers at least 1")
    return options


def main():
    options = read_options()
    athena = check(options.athena)
    version = subprocess.run([options.oak, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        programs = {"oak": lambda steps: [options.oak, "run", f"{folder}/oak.{steps}.ini", "--overwrite", "--quiet", *options.keys],
                    "Athena++": lambda steps: [options.athena, "-i", f"{folder}/athena.{steps}", "-d", f"{folder}/athena_run"]}
        times = measure(programs, options, folder)
    ratios = [b / a for a, b in zip(times["oak"], times["Athena++"])]
    print(f"{version}\n{athena}\n{options.cells}^3 cells in blocks of {options.block}^3, {options.pairs} pairs of runs on one core")
    for name, values in times.items():
        print(f"{name:10} {statistics.median(values):8.1f} ns per cell update (median; {min(values):.1f} to {max(values):.1f})")
    print(f"ratio      {statistics.median(ratios):8.2f} (median; {min(ratios):.2f} to {max(ratios):.2f})")


main()
