#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=3 timeout=200 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""The initial state from a plotfile or a checkpoint (run.initial), for CTest: the same mesh gives the same cells, other
meshes and block sizes keep the integrals, smooth values have an error of second order; bodies keep their charge; refusals.

usage: test_app_initial.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import csv
import os
import re
import shutil
import subprocess
import sys
import tempfile

import oak_test
from oak_test import MPIEXEC

try:
    import numpy
except ImportError as missing:
    oak_test.need_module(missing)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

# Gas with a hill and a jump, a scalar, a stored field and a ball; later a uniform gas in its place.
HOOKS = """PARAMETER(hill, 1, "height")
PARAMETER(jump, 1, "height")
FIELD_STORED(tracer)
INITIAL(at, q) {
  const double dx = at->x[0] - 0.35, dy = at->x[1] - 0.6;
  q[RHO] = 1 + at->p.hill * exp(-40 * (dx * dx + dy * dy)) + (at->x[0] > 0.7 ? at->p.jump : 0);
  q[VX] = 0.3 * at->p.hill;
  q[PRS] = 1 + at->p.jump * (at->x[1] > 0.4);
}
"""
RUN = """[run]
max_steps = 4
[mesh]
block_size = 8
min_level = 1
max_level = 3
trees = 1 2
xmax = 1 2
[refine]
variable = rho
[physics]
name = euler
[problem]
name = ./hooks.c
[output]
folder = first
diagnostics_every = 1
[checkpoint]
at_end = yes
"""
UNIFORM = ["problem.hill=0", "problem.jump=0", "run.max_steps=0", "run.end_time=0"]


class Work:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        for name, text in (("hooks.c", HOOKS), ("run.ini", RUN)):
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(text)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, name, *arguments, code=0, alone=False):
        """A run with its output in folder `name`, and what it printed."""
        start = [self.options.oak] if alone else self.options.ranks
        done = subprocess.run([*start, "run", "run.ini", "--quiet", f"output.folder={name}", *arguments], cwd=self.folder,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=oak_test.LIMIT, check=False)
        text = "\n".join(line for line in done.stdout.splitlines() if not MPIEXEC.match(line))
        assert (done.returncode != 0) == code, f"exit status {done.returncode}: {text}"
        return text

    def totals(self, name, line):
        with open(self.path(name, "diagnostics.csv"), encoding="utf-8") as f:
            row = list(csv.DictReader(f))[line]
        first = list(row).index("rho")
        return numpy.array([float(value) for value in list(row.values())[first:first + 4]])  # rho, the momentum, E

    def last(self, name):
        return oak.Run(self.path(name))[-1]


def same_mesh(work):
    """The same mesh has the same cells, bit for bit, from a plotfile and from a checkpoint."""
    work.run("first")
    for name, file in (("plot", "first/plt000004"), ("check", "first/chk000004.oak")):
        work.run(name, *UNIFORM, f"run.initial={file}", "mesh.adapt_every=0")
        now, before = work.last(name), work.last("first")
        assert now.time == 0 and before.time > 0 and now.max_level == 3
        assert abs(work.totals(name, 0) - work.totals("first", -1)).max() < 1e-14
        done = subprocess.run([work.options.oak, "diff", f"{name}/plt000000", "first/plt000004"], cwd=work.folder, stdout=subprocess.PIPE, text=True, check=False)
        assert now.nblocks == before.nblocks and re.findall(r"^  (?:rho|E|tracer) .*", done.stdout, re.M) == \
            [f"  {v:7} {0:13}" for v in ("rho", "E", "tracer")], done.stdout
    work.run("single", *UNIFORM, "run.initial=first/chk000004.oak", alone=True)
    with open(work.path("single", "diagnostics.csv"), "rb") as a, open(work.path("check", "diagnostics.csv"), "rb") as b:
        assert a.read() == b.read()


def other_meshes(work):
    """Integrals stay the same with other block sizes, levels, trees and a ratio of cells that is not a power of 2."""
    work.run("first", "output.box.kind=history", "output.box.region=0.25 0.5 0.75 1")
    totals = work.totals("first", -1)
    for name, keys in (("large", ["mesh.block_size=16"]), ("coarse", ["mesh.max_level=1"]), ("fine", ["mesh.min_level=4", "mesh.max_level=4"]),
                       ("odd", ["mesh.block_size=12", "mesh.min_level=2", "mesh.max_level=3"]), ("trees", ["mesh.trees=3 5", "mesh.min_level=1"])):
        work.run(name, *UNIFORM, *keys, "run.initial=first/plt000004")
        found = work.totals(name, 0)
        assert abs(found - totals).max() < 1e-13 * abs(totals).max(), (name, found - totals)
        assert work.last(name)["rho"].max() <= work.last("first")["rho"].max() + 1e-12, name
    # A part of the domain.
    work.run("part", *UNIFORM, "run.initial=first/plt000004", "mesh.trees=1 1", "mesh.xmin=0.25 0.5", "mesh.xmax=0.75 1")
    with open(work.path("first", "box.csv"), encoding="utf-8") as f:
        box = float(list(csv.DictReader(f))[-1]["total_rho"])
    assert abs(work.totals("part", 0)[0] - box) < 1e-13
    # Volumes of shells.
    shells = ["mesh.coordinates=spherical", "mesh.xmin=0.5 0.4", *(f"boundary.{face}=reflect" for face in ("xlow", "xhigh", "ylow", "yhigh"))]
    work.run("shells", *shells)
    work.run("others", *UNIFORM, *shells, "run.initial=shells/plt000004", "mesh.block_size=12", "mesh.min_level=2")
    assert abs(work.totals("others", 0) - work.totals("shells", -1)).max() < 1e-13 * abs(work.totals("shells", -1)).max()
    # It goes on with the run, whose parameters name the file by its full path.
    work.run("on", *UNIFORM, "run.initial=first/plt000004", "run.end_time=1", "run.max_steps=2", "mesh.block_size=16")
    with open(work.path("on", "parameters.ini"), encoding="utf-8") as f:
        assert re.search(r"^initial = /.*first/plt000004$", f.read(), re.M)


def second_order(work):
    """A smooth hill on cells half as wide: the error falls by 4 with the cells, but at its top, where slopes are 0."""
    error = []
    for level in (3, 4):
        keys = ["mesh.trees=1 1", "mesh.xmax=1 1", f"mesh.min_level={level}", f"mesh.max_level={level}", "problem.jump=0", "refine.criterion=none"]
        work.run(f"hill{level}", *keys, "run.end_time=0", "run.max_steps=0")
        finer = [*keys[:2], f"mesh.min_level={level + 1}", f"mesh.max_level={level + 1}", "refine.criterion=none"]
        work.run(f"onto{level}", *UNIFORM, *finer, f"run.initial=hill{level}/plt000000")
        ray = work.last(f"onto{level}").line((0, 0.6), (1, 0.6), "rho")
        exact = 1 + numpy.exp(-40 * ((ray["x"] - 0.35) ** 2 + (ray["y"] - 0.6) ** 2))
        error.append(abs(ray["rho"] - exact).mean())
    assert 3 < error[0] / error[1] < 5, error


def other_variables(work):
    """A scalar that the file lacks keeps the value of INITIAL; solids keep theirs."""
    work.run("first")
    with open(work.path("hooks.c"), "a", encoding="utf-8") as f:
        f.write("SOLID(at) { return 0.2 - fabs(at->x[1] - 1) < 0 ? 1 : -1; }\n")
    work.run("more", *UNIFORM, "run.initial=first/plt000004", "physics.scalars=dye", "mesh.adapt_every=0")
    p, before = work.last("more"), work.last("first")
    assert p["rho_dye"].max() == 0
    ray, old = p.line((0.4, 0), (0.4, 2), "rho"), before.line((0.4, 0), (0.4, 2), "rho")
    inside = abs(ray["y"] - 1) < 0.2
    assert abs(numpy.interp(old["y"], ray["y"][~inside], ray["rho"][~inside]) - old["rho"])[old["y"] < 0.7].max() < 0.02
    # A file with solids, whose gas has values of 0.
    work.run("again", *UNIFORM, "run.initial=more/plt000000", "physics.scalars=dye", "mesh.adapt_every=0")
    again = work.last("again").line((0.4, 0), (0.4, 2), "rho")
    assert (again["rho"][~inside] == ray["rho"][~inside]).all()


def collected_charge(work):
    """The charge of bodies stays: gas, ball and glass have the charge of the first state, on any number of ranks."""
    discharge = ["physics.name=streamer", "problem.name=streamer", "mesh.trees=1 1", "mesh.xmin=-1e-3 0", "mesh.xmax=1e-3 2e-3", "mesh.min_level=2", "run.max_steps=6",
                 "refine.criterion=user", "refine.variable=", "problem.background=0", "problem.seed_ions=0", "problem.seed_electrons=1e18",
                 "problem.seed_radius=1.5e-4", "problem.seed_z=0.9e-3", "body.ball.shape=sphere", "body.ball.from=3e-4 1.3e-3", "body.ball.radius=2e-4",
                 "body.ball.potential=3000", "body.glass.shape=plate", "body.glass.kind=dielectric", "body.glass.from=-1 -1",
                 "body.glass.to=1 0.5e-3", "poisson.boundary=zero", "poisson.yhigh=value", "problem.voltage=0",
                 *(f"boundary.{face}=reflect" for face in ("xlow", "xhigh", "ylow", "yhigh"))]
    charge, rows = [], {}
    for name, more in (("first", ["checkpoint.steps=3"]), ("last", ["--restart", "first/chk000003.oak"]),
                       ("second", ["run.initial=first/chk000006.oak", "run.max_steps=0", "run.end_time=0"])):
        work.run(name, *discharge, *more)
        with open(work.path(name, "diagnostics.csv"), encoding="utf-8") as f:
            rows[name] = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(f)]
        row = rows[name][0]
        charge.append(((row["ni"] - row["ne"]) * 1.602176634e-19, row["ball_collected"], row["glass_collected"]))
    assert abs(charge[2][1] - charge[0][1]) > 1e-3 * abs(charge[0][1]), charge
    assert abs(sum(charge[0]) - sum(charge[2])) < 1e-12 * abs(sum(charge[0])), charge
    # The current is the change of the charge less what has been collected, also after a restart.
    for before, row in zip(rows["first"], rows["first"][1:]):
        supplied = [(r["ball_charge"] - r["ball_collected"]) / (row["time"] - before["time"]) for r in (before, row)]
        assert row["ball_current"] != 0 and abs(supplied[1] - supplied[0] - row["ball_current"]) < 1e-9 * abs(supplied[1]), row
    assert rows["first"][0]["ball_current"] == 0
    assert [r["ball_current"] for r in rows["last"][-3:]] == [r["ball_current"] for r in rows["first"][-3:]]


def refusals(work):
    work.run("first")
    os.mkfifo(work.path("pipe"))
    for keys, words in ((["run.initial=none"], r"run\.initial = none: No such file"),
                        (["run.initial=run.ini"], r"run\.ini is neither a plotfile nor a checkpoint; Python makes"),
                        (["run.initial=pipe"], "neither a plotfile nor a checkpoint"),
                        (["run.initial=first"], "first/Header"),
                        (["run.initial=first/plt000004", "mesh.dim=3", "mesh.trees=1 1 1", "mesh.xmax=1 1 1"], "is 2D and this run 3D"),
                        (["run.initial=first/plt000004", "mesh.xmax=1 3"], "does not cover the domain, 0 to 3"),
                        (["run.initial=first/plt000004", "physics.name=mhd"], r"lacks mz bx by bz psi, variables of the physics")):
        text = work.run("never", *UNIFORM, *keys, code=1)
        assert text.count("oak: error") == 1 and re.search(words, text), text
        assert not os.path.exists(work.path("never"))
    text = work.run("first", "run.initial=first/plt000004", "--overwrite", code=1)
    assert text.count("oak: error") == 1 and "which --overwrite empties" in text, text
    assert os.path.exists(work.path("first", "chk000004.oak"))


def damaged(work):
    """A number that is not finite: a message names the variable and the place."""
    work.run("first")
    plot = work.last("first")
    finest = numpy.flatnonzero(plot.level == 3)
    for variable, number in (("rho", numpy.nan), ("E", numpy.inf)):
        shutil.rmtree(work.path("bad"), ignore_errors=True)
        shutil.copytree(plot.path, work.path("bad"))
        value = plot[variable][finest].max()
        with open(work.path("bad", "Level_3", "Cell_D_00000"), "r+b") as f:
            f.seek(f.read().index(value.tobytes()))
            f.write(numpy.float64(number).tobytes())
        text = work.run("never", *UNIFORM, "run.initial=bad", "--overwrite", code=1)
        found = re.search(rf"run\.initial: .*bad: {variable} is {number} at \((\S+), (\S+)\), level 3; all values must be finite", text)
        assert found and text.count("oak: error") == 1, text
        assert plot.value(variable, [(float(found[1]), float(found[2]))])[0] == value, text


CASES = (same_mesh, other_meshes, second_order, other_variables, collected_charge, refusals, damaged)


def try_case(options, case):
    with tempfile.TemporaryDirectory() as folder:
        case(Work(options, folder))


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    return oak_test.run_cases(options, {case.__name__: lambda case=case: try_case(options, case) for case in CASES})


if __name__ == "__main__":
    sys.exit(main())
