#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST flags=-O0 --oak @oak@ --source @source@
"""`oak run --explain` names the lines that keep hooks from being vectorised, and no others, for CTest. Kernels of a
physics that has updates and globals compile in parts.

usage: test_app_explain.py --oak PATH --source TREE"""
import glob
import os
import subprocess
import sys
import tempfile

import oak_test

PHYSICS = """#define physics_flux euler_flux
#include "physics/euler.c"
#undef physics_flux
FLUX(ph, q, dir, f)
{
  euler_flux(ph, q, dir, f);
  f[RHO] += (real)1e-30 * (real)cbrt(q[RHO]);
}
SOURCE(at, q, source)
{
  real x = q[RHO];
  while (x > 1) x *= (real)0.5;
  source[RHO] += 0 * x;
}
"""
PROBLEM = """INITIAL(at, q) { q[RHO] = q[PRS] = 1; }
SOLID(at) { return at->x[0] - 2; }
TIMESTEP(at, q) { return at->dx[0] / (1 + q[PRS]); }
"""


def explain(oak, folder, *words):
    env = {**os.environ, "OAK_CFLAGS": ""}  # other tests compile kernels with less optimisation
    done = subprocess.run([oak, "run", "--explain", *words, "device.name=cpu"], cwd=folder, env=env, text=True, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"oak run --explain {' '.join(words)} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_parts(oak, folder, ini):
    """No kernel file may need another one: oak compiles them in parallel, or all as one file if they depend on each
    other."""
    if len(os.sched_getaffinity(0)) == 1:
        oak_test.skip_part("kernels in parts", "needs two cores")
        return
    cache = os.path.join(folder, "cache")
    subprocess.run([oak, "run", ini, "--check", "device.name=cpu", "output.folder=" + os.path.join(folder, "parts")], check=True,
                   env={**os.environ, "OAK_CFLAGS": "-O0", "OAK_CACHE": cache, "OAK_KEEP": "1"}, capture_output=True)
    (log,) = glob.glob(cache + "/kernels-*/*.log")
    with open(log, encoding="utf-8") as file:
        text = file.read()
    if "error:" in text:
        sys.exit(f"the kernels of {ini} do not compile in parts:\n{text}")


def main():
    options = oak_test.options(__doc__, "oak", "source")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("slow.c", PHYSICS), ("still.c", PROBLEM),
                           ("slow.ini", "[physics]\nname = ./slow.c\n[problem]\nname = ./still.c\n[run]\nend_time = 1\n")):
            oak_test.write(folder, name, text)
        out = explain(options.oak, folder, "slow.ini")
        wanted = ("slow.c:7: FLUX: calls cbrt,", "slow.c:12: SOURCE: a branch or a loop", "  vectorised: TO_PRIMITIVE", "TIMESTEP\n")
        if not all(words in out for words in wanted) or out.count("not vectorised") != 2:
            sys.exit(f"expected lines 7 and 12 of slow.c:\n{out}")
        for ini in ("orszag_tang", "taylor_green"):
            out = explain(options.oak, folder, os.path.join(options.source, "problems", ini + ".ini"))
            if "all loops over cells are vectorised" not in out or "not vectorised" in out:
                sys.exit(f"{ini}: hooks of oak are not vectorised:\n{out}")
        if os.listdir(folder) != [name for name in os.listdir(folder) if name.startswith(("slow", "still"))]:
            sys.exit(f"oak run --explain wrote files: {os.listdir(folder)}")
        check_parts(options.oak, folder, os.path.join(options.source, "problems", "orszag_tang.ini"))


main()
