#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 flags=-O2 --oak @oak@ --library @library@ --mpiexec @mpiexec@ --np @np@
"""The examples of the Python package, for CTest, against formulas: Rayleigh's for the pitot tube, that of a shock tube.

usage: test_python_examples.py --oak OAK --library LIBRARY --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import functools
import importlib.util
import math
import os
import re
import subprocess
import sys
import tempfile

import oak_test

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python")
GAMMA = 1.4


def run(name, *arguments, start=(), needs=("numpy",)):
    for module in needs:
        if importlib.util.find_spec(module) is None:
            raise oak_test.Skipped(f"python3-{module} is missing")
    done = subprocess.run([*start, sys.executable, os.path.join(PYTHON, "examples", name), *arguments], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": PYTHON, "MPLBACKEND": "Agg"}, timeout=oak_test.LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def is_png(path):
    with open(path, "rb") as file:
        return file.read(8) == b"\x89PNG\r\n\x1a\n"


def pitot(mach):
    """Pressure at the nose, over that of the stream."""
    square, above = mach * mach, GAMMA + 1
    return ((above**2 * square / (4 * GAMMA * square - 2 * (GAMMA - 1)))**(GAMMA / (GAMMA - 1))
            * (1 - GAMMA + 2 * GAMMA * square) / above)


def control():
    with tempfile.TemporaryDirectory() as work:
        picture = os.path.join(work, "control.png")
        text = run("control.py", picture, needs=("numpy", "matplotlib"))
        assert is_png(picture)
    pressure, mach = map(float, re.search(r"pressure (\S+) at Mach (\S+)", text).groups())
    assert abs(pressure / 5 - 1) < 0.03 and abs(pitot(mach) / pressure - 1) < 0.03 and 1.7 < mach < 1.95, text


def surrogate():
    errors = [float(error) for error in re.findall(r"error (\S+)", run("surrogate.py"))]
    assert len(errors) == 4 and max(errors) < 0.06, errors


def shock(pressure):
    """Where the shock of sod.ini is at t = 0.2."""
    low, high = 0.1, pressure
    for _ in range(60):
        middle = 0.5 * (low + high)
        right = (middle - 0.1) * math.sqrt(2 / (GAMMA + 1) / 0.125 / (middle + (GAMMA - 1) / (GAMMA + 1) * 0.1))
        left = -2 * math.sqrt(GAMMA * pressure) / (GAMMA - 1) * ((middle / pressure)**((GAMMA - 1) / 2 / GAMMA) - 1)
        low, high = (middle, high) if right < left else (low, middle)
    return 0.5 + 0.2 * math.sqrt(GAMMA * 0.1 / 0.125 * ((GAMMA + 1) / 2 / GAMMA * low / 0.1 + (GAMMA - 1) / 2 / GAMMA))


def ensemble(options):
    oak_test.need_mpi4py(options.library)
    alone, together = (re.findall(r"p_left = (\S+): shock at x = (\S+)", run("ensemble.py", start=start))
                       for start in ((), options.start))
    assert alone == together and len(alone) == 12
    for pressure, place in alone:
        assert abs(shock(float(pressure)) - float(place)) < 0.01, (pressure, place, shock(float(pressure)))


def profile(options):
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([options.oak, "run", "sedov", "run.max_steps=20", "mesh.max_level=3", f"output.folder={work}/sedov", "--quiet"],
                       check=True, timeout=oak_test.LIMIT)
        run("profile.py", os.path.join(work, "sedov"), os.path.join(work, "profile.png"), needs=("numpy", "matplotlib"))
        assert is_png(os.path.join(work, "profile.png"))


def main():
    options = oak_test.options(__doc__, "oak", "library", "mpiexec", "np")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    return oak_test.run_cases(options, {"control": control, "surrogate": surrogate, "ensemble": functools.partial(ensemble, options),
                                        "profile": functools.partial(profile, options)})


if __name__ == "__main__":
    sys.exit(main())
