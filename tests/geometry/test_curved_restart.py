#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=3 timeout=300 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Runs in all coordinates, for CTest: the same bits on one rank, on several, and after a restart on another number of
ranks, on a mesh that changes; histories follow what is conserved, the angular momentum too. Another system refuses the
checkpoint. Another domain needs no other kernels. Components of vectors have the names of the axes in all outputs; keys and
files with the names of the physics stay valid.

usage: test_curved_restart.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import os
import re
import shutil
import subprocess
import sys

import oak_test
from oak_test import PROBLEMS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

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
          "mesh.max_level=2", "mesh.adapt_every=2", "run.end_time=1", "device.flags=-O0", "output.diagnostics_every=1",
          "output.h.kind=history", "output.h.variables=rho", "output.h.every_steps=2"]


def run(command, work, *keys, words=None):
    """Run oak without a parameter file; with words, it must refuse with these."""
    done = subprocess.run([*command, *keys], cwd=work, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if words is None:
        assert done.returncode == 0, done.stdout
    else:
        assert done.returncode != 0 and words in done.stdout, (words, done.stdout)
    return done.stdout


AXES = {"axisymmetric": "r z phi", "polar": "r phi z", "cylindrical": "r phi z", "spherical": "r theta phi", "spherical_3d": "r theta phi"}


def head(path):
    with open(path, encoding="utf-8") as file:
        return next(csv.reader(file))


def as_of_old(work, name, axes):
    """The same plotfile as an earlier version wrote it: names of the physics, and a number for spherical coordinates."""
    shutil.copytree(os.path.join(work, "one/plt000008"), os.path.join(work, "old"), dirs_exist_ok=True)
    path = os.path.join(work, "old/Header")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^name of .*\n", "", file.read(), flags=re.M)
    for axis, letter in zip(axes, "123"):
        text = re.sub(rf"^([mvb])(_{axis}|{axis})$", rf"\g<1>{letter}", text, flags=re.M)
    for letter, number in zip("xyz", "123"):
        text = re.sub(rf"^([mvb]){number}$", rf"\g<1>{letter}", text, flags=re.M)
    if name.startswith("spherical"):
        text, count = re.subn(r"^0\n0\n(.*)coordinates spherical\n", r"2\n0\n\1", text, flags=re.M | re.S)
        assert count == 1, text
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def vocabulary(options, name, dim, keys, work):
    """Names of components in plotfiles, tables, keys and Python."""
    axes = AXES[name].split()
    names = ["rho", *(f"m_{axis}" for axis in axes), "E", *(f"b_{axis}" for axis in axes), "psi", *(f"v_{axis}" for axis in axes), "p"]
    assert [n for n in head(os.path.join(work, "one/diagnostics.csv")) if n in names] == names[:9]
    listed = run([options.oak, "ls", "one/plt000008"], work).split("highest")[1].split()[::3]
    assert listed == names, listed
    last = axes[dim - 1]
    line = run([options.oak, "line", "one/plt000008", "--var", f"vx,v_{axes[1]},bz"], work).split("\n", 1)[0]
    assert line == ",".join(["s", *axes[:dim], "level", "v_r", f"v_{axes[1]}", f"b_{axes[2]}"]), line
    as_of_old(work, name, axes)
    run([options.oak, "diff", "old", "one/plt000008", "--quiet"], work)
    new, old = oak.open(os.path.join(work, "one/plt000008")), oak.open(os.path.join(work, "old"))
    assert new.variables == names and old.variables[:4] == ["rho", "mx", "my", "mz"] and old.coordinates == new.coordinates
    for n, letter in enumerate("xyz"):
        for stem in "mvb":
            a = new[f"{stem}_{axes[n]}"]
            assert (a == new[stem + letter]).all() and (a == old[f"{stem}_{axes[n]}"]).all() and (a == old[stem + letter]).all()
        assert f"v{letter}" in new
    more = ["output.folder=names", "run.max_steps=1", "refine.variable=vx v_phi", "boundary.xhigh.mx=antimirror",
            "output.h.kind=history", "output.h.variables=vx v_phi", "output.h.every_steps=1"]
    run([options.oak, "run", "run.ini"], work, *keys, *more)
    columns = head(os.path.join(work, "names/h.csv"))
    assert all(f"{word}_v_r_at_{axis}" in columns for word in ("min", "max") for axis in axes[:dim]), columns
    assert not [c for c in columns if re.search("[mvb][xyz]", c)], columns
    run([options.oak, "run", "run.ini"], work, *keys, *more, "output.h.variables=vx v_r",
        words="names v_r twice")
    if dim == 3:
        done = run([options.oak, "slice", "one/plt000008", f"--axis={last}", "--var=rho"], work)
        assert done.startswith(f"{axes[0]},{axes[1]},rho\n"), done[:40]
        run([options.oak, "plot", "one/plt000008", f"--slice={axes[1]}=1", "--var=vx", "-o", "a.png"], work)
        run([options.oak, "plot", "one/plt000008", "--slice=y=1", "--var=v_r", "-o", "b.png"], work)
        with open(os.path.join(work, "a.png"), "rb") as a, open(os.path.join(work, "b.png"), "rb") as b:
            assert a.read() == b.read(), "one plane by two names"
        run([options.oak, "plot", "one/plt000008", "--slice=q=1"], work, words=f"no axis; choose {axes[0]}, {axes[1]} or {axes[2]}")


def another_domain(options, work):
    """The kernels of one domain serve another one, where the radius is linear."""
    caches = []
    keys = [*COMMON, "mesh.dim=2", "mesh.coordinates=spherical", "mesh.trees=1 2", "mesh.xmax=1 2", *WALLS, *SIDES,
            "run.max_steps=1", "output.folder=domain"]
    for low in ("0.2 0.5", "0.3 1"):
        run(["env", "OAK_CACHE=cache", options.oak, "run", "run.ini", "--overwrite"], work, *keys, f"mesh.xmin={low}")
        caches.append(sorted(os.listdir(os.path.join(work, "cache"))))
    assert caches[0] == caches[1] and len(caches[0]) > 5, caches


def conserved(work, name):
    """Of the vectors, only components along z and the angular momentum have a drift, which is rounding."""
    rows = {}
    for folder in ("one", "again"):
        with open(os.path.join(work, folder, "h.csv"), encoding="utf-8") as f:
            rows[folder] = list(csv.DictReader(f))
    drifts = [key[6:] for key in rows["one"][0] if key.startswith("drift_")]
    along_z = [] if name.startswith("spherical") else ["m_z", "b_z"]
    assert sorted(drifts) == sorted(["rho", "E", "psi", "angular_momentum", *along_z]), drifts
    total, drift = (float(rows["one"][-1][f"{word}_angular_momentum"]) for word in ("total", "drift"))
    assert abs(total) > 0.01 and abs(drift) < 1e-14 * abs(total), (total, drift)
    assert rows["one"][-1] == rows["again"][-1], "history after a restart"


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
    if name in AXES:
        vocabulary(options, name, dim, keys, work)
    conserved(work, name)
    if name == "polar":
        another_domain(options, work)
        done = subprocess.run([options.oak, "line", "one/plt000008"], cwd=work, text=True, stdout=subprocess.PIPE, check=True)
        assert done.stdout.startswith("s,r,phi,level,"), done.stdout[:80]
        run(alone, work, f"--restart={checkpoint}", *keys, "mesh.coordinates=axisymmetric", words="mesh.coordinates")
        run(alone, work, f"--restart={checkpoint}", *keys, "mesh.radius=logarithmic", words="mesh.radius is not that")


if __name__ == "__main__":
    sys.exit(oak_test.run_in_folders(oak_test.options(__doc__, "oak", "mpiexec", "np"), CASES, case))
