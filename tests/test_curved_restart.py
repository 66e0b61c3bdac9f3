#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs in all coordinates, for CTest: the same bits on one rank, on several, and after a restart on another number of
ranks, on a mesh that changes. Another system refuses the checkpoint. Another domain needs no other kernels.

usage: test_curved_restart.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import os
import subprocess
import sys

import oak_test
from oak_test import PROBLEMS

WALLS = ["boundary.xlow=reflect", "boundary.xhigh=reflect"]
SIDES = ["boundary.ylow=reflect", "boundary.yhigh=reflect"]
CASES = {
    "axisymmetric": (2, ["mesh.xmin=0", "mesh.xmax=1", "boundary.xhigh=reflect"]),
    "polar": (2, ["mesh.xmin=0.3 0", "mesh.xmax=1.3 2pi", "mesh.trees=1 4", "mesh.block_size=8 4", *WALLS]),
    "spherical": (2, ["mesh.xmin=0", "mesh.xmax=1 pi", "mesh.trees=1 2", "boundary.xhigh=reflect"]),
    "cylindrical": (3, ["mesh.xmin=0.3 0 0", "mesh.xmax=1.3 2pi 1", "mesh.trees=1 2 1", *WALLS]),
    "polar_log": (2, ["mesh.xmin=0.3 0", "mesh.xmax=1.3 2pi", "mesh.trees=1 4", "mesh.radius=logarithmic", *WALLS]),
    "spherical_log": (2, ["mesh.xmin=0.3 0", "mesh.xmax=1 pi", "mesh.trees=1 2", "mesh.radius=logarithmic", *WALLS]),
    "spherical_3d": (3, ["mesh.xmin=0.3 0.5 0", "mesh.xmax=1 2 2pi", "mesh.trees=1 1 2", *WALLS, *SIDES]),
    "polar_axis": (2, ["mesh.xmin=0", "mesh.xmax=1 2pi", "mesh.trees=2 6", "boundary.xhigh=reflect"]),
    "cylindrical_axis": (3, ["mesh.xmin=0", "mesh.xmax=1 2pi 1", "mesh.trees=2 2 1", "boundary.xhigh=reflect"]),
    "spherical_poles": (3, ["mesh.xmin=0.3 0 0", "mesh.xmax=1 pi 2pi", "mesh.trees=1 3 4", *WALLS]),
}
COMMON = ["physics.name=mhd", f"problem.name={PROBLEMS}/curved.c", "problem.flow=waves", "mesh.block_size=4", "mesh.theta=1",
          "mesh.max_level=2", "mesh.adapt_every=2", "run.end_time=1", "device.flags=-O0", "output.diagnostics_every=1"]


def run(command, work, *keys, words=None):
    """Run oak without a parameter file; with words, it must refuse with these."""
    done = subprocess.run([*command, *keys], cwd=work, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if words is None:
        assert done.returncode == 0, done.stdout
    else:
        assert done.returncode != 0 and words in done.stdout, (words, done.stdout)
    return done.stdout


def another_domain(options, work):
    """The kernels of one domain serve another one, where the radius is linear."""
    caches = []
    keys = [*COMMON, "mesh.dim=2", "mesh.coordinates=spherical", "mesh.trees=1 2", "mesh.xmax=1 2", *WALLS, *SIDES,
            "run.max_steps=1", "output.folder=domain"]
    for low in ("0.2 0.5", "0.3 1"):
        run(["env", "OAK_CACHE=cache", options.oak, "run", "run.ini", "--overwrite"], work, *keys, f"mesh.xmin={low}")
        caches.append(sorted(os.listdir(os.path.join(work, "cache"))))
    assert caches[0] == caches[1] and len(caches[0]) > 5, caches


def case(options, name, work):
    dim, keys = CASES[name]
    with open(os.path.join(work, "run.ini"), "w", encoding="utf-8"):
        pass
    keys = [*COMMON, *keys, f"mesh.dim={dim}", f"mesh.coordinates={name.split('_', maxsplit=1)[0]}"]
    alone, ranks = [options.oak, "run", "run.ini"], [*options.ranks, "run", "run.ini"]
    run(alone, work, *keys, "run.max_steps=8", "output.folder=one")
    run(ranks, work, *keys, "run.max_steps=4", "output.folder=half", "checkpoint.at_end=yes")
    run(ranks, work, *keys, "run.max_steps=8", "output.folder=all")
    checkpoint = "half/chk000004.oak"
    run(alone, work, f"--restart={checkpoint}", *keys, "run.max_steps=8", "output.folder=again")
    for folder in ("all", "again"):
        run([options.oak, "diff"], work, "one/plt000008", f"{folder}/plt000008", "--quiet")
    with open(os.path.join(work, "one/diagnostics.csv"), encoding="utf-8") as one, \
            open(os.path.join(work, "all/diagnostics.csv"), encoding="utf-8") as every:
        assert one.read() == every.read(), "totals"
    if name == "polar":
        another_domain(options, work)
        done = subprocess.run([options.oak, "line", "one/plt000008"], cwd=work, text=True, stdout=subprocess.PIPE, check=True)
        assert done.stdout.startswith("s,r,phi,level,"), done.stdout[:80]
        run(alone, work, f"--restart={checkpoint}", *keys, "mesh.coordinates=axisymmetric", words="mesh.coordinates")
        run(alone, work, f"--restart={checkpoint}", *keys, "mesh.radius=logarithmic", words="mesh.radius is not that")


if __name__ == "__main__":
    sys.exit(oak_test.run_in_folders(oak_test.options(__doc__, "oak", "mpiexec", "np"), CASES, case))
