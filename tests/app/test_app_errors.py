#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np={1,3} timeout=600 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Bad input to the real oak command, for CTest: every mistake gives one clear message, once, a
non-zero exit status within seconds, and neither a hang nor a crash, on any number of ranks.

usage: test_app_errors.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD]"""
import sys
import tempfile

import oak_test
from oak_test import GOOD, LIMIT, PROBLEMS, judge, run

# name: (extra text of the parameter file or None for no file, arguments, what the message must say)
CASES = {
    "unknown key": ("[mesh]\nmax_levl = 3\n", [], [r"run\.ini:\d+", r"max_levl", r"mesh\.max_level"]),
    "unknown key on the command line": ("", ["run.endtime=1"], [r"command line", r"run\.end_time"]),
    "unknown section": ("[msh]\nmax_level = 3\n", [], [r"run\.ini:\d+", r"msh"]),
    "value out of range": ("", ["run.cfl=2.5"], [r"run\.cfl", r"2\.5", r"up to 2"]),
    "wrong type": ("", ["mesh.max_level=three"], [r"mesh\.max_level", r"three"]),
    "not a number": ("", ["run.end_time=soon"], [r"run\.end_time", r"soon"]),
    "infinite end time": ("", ["run.end_time=nan"], [r"run\.end_time", r"nan"]),
    "no equals sign": ("", ["mesh.max_level"], [r"mesh\.max_level"]),
    "line without a value": ("[run]\nend_time\n", [], [r"run\.ini:\d+"]),
    "three mistakes at once": (
        "", ["nonsense", "mesh.dim=5", "run.cfq=1"],
        [r"'nonsense' is not", r"mesh\.dim = 5", r"run\.cfq.*run\.cfl\?"]),
    "a C file as parameter file": (None, [], [r"problem\.c is a C file.*problem\.name"]),
    "a device as parameter file": (None, [], [r"/dev/zero.*pipe or a device"]),
    "commands to the terminal in a name": (
        "[output]\nplot_variables = \033]0;x\007\n", [], [r"'plot_variables = \?\]0;x\?': has a control"]),
    "too many trees": (
        "", ["mesh.dim=3", "mesh.trees=256"], [r"mesh\.trees = 256 256 256.*1048576.*mesh\.min_level"]),
    "more cells than plotfiles count": (
        "", ["mesh.trees=4096 1", "mesh.block_size=8", "mesh.max_level=16"],
        [r"output plt:.* level 16 has 2147483648 along x.*mesh\.max_level.*xdmf.*output\.plot_first_last = no"]),
    "more cells than VTKHDF counts": (
        "[output.v]\nkind = vtkhdf\n", ["mesh.dim=3", "mesh.trees=4096 1 1", "mesh.block_size=8", "mesh.max_level=16",
                                       "output.plot_first_last=no"], [r"output v:.*2147483648 along x.*xdmf"]),
    "cells below rounding": (
        "", ["mesh.xmin=1e16", "mesh.xmax=10000000000000004"], [r"mesh\.xmin = 1e\+16.*size 0\.125.*142"]),
    "a domain beyond the largest number": (
        "", ["mesh.xmin=-1.7e308", "mesh.xmax=1.7e308"], [r"mesh\.xmin.*size inf"]),
    "a face that 2D does not have": ("", ["boundary.zlow=outflw"], [r"boundary\.zlow = outflw.*unknown condition"]),
    "adiabatic index of one": ("", ["physics.gamma=1"], [r"physics\.gamma = 1: must be a number above 1$"]),
    "missing file": (None, [], [r"missing\.ini", r"oak info"]),
    "a folder as file": (None, [], [r"folder|directory"]),
    "odd block size": ("", ["mesh.block_size=9"], [r"block_size", r"9", r"even|multiple of 2"]),
    "block too small for the ghost cells": (
        "", ["mesh.block_size=4", "scheme.ghost_layers=3"], [r"block_size|ghost_layers", r"4", r"3"]),
    "ghost layers too few": ("", ["scheme.ghost_layers=1"], [r"ghost_layers = 1", r"2"]),
    "levels in the wrong order": (
        "", ["mesh.min_level=3", "mesh.max_level=2"], [r"min_level = 3", r"max_level = 2"]),
    "logarithmic radius without a radius": (
        "", ["mesh.radius=logarithmic"], [r"command line: mesh\.radius = logarithmic needs mesh\.coordinates = polar"]),
    "coordinates of another dimension": (
        "", ["mesh.coordinates=cylindrical"], [r"mesh\.coordinates = cylindrical is for 3D: set mesh\.dim = 3"]),
    "negative radius": (
        "", ["mesh.coordinates=polar", "mesh.xmin=-1 0"], [r"mesh\.coordinates = polar.*must begin with >= 0"]),
    "r = 0 of a wedge": (
        "", ["mesh.coordinates=polar", "mesh.xmax=1 2"], [r"mesh\.coordinates = polar needs phi over 2 pi"]),
    "a condition on the axis": (
        "", ["mesh.coordinates=axisymmetric", "boundary.xlow=outflow"], [r"boundary\.xlow = outflow.*leave the key out"]),
    "unknown problem": ("", ["problem.name=sood"], [r"sood", r"oak info"]),
    "unknown physics": ("", ["physics.name=eulr"], [r"eulr", r"oak info"]),
    "problem not named": ("", ["problem.name="], [r"problem\.name"]),
    "missing problem file": ("", ["problem.name=./none.c"], [r"none\.c"]),
    "problem that does not compile": (
        "", [f"problem.name={PROBLEMS}/broken.c"], [r"broken\.c[:(]\d+", r"no_such_name"]),
    "problem without initial condition": (
        "", [f"problem.name={PROBLEMS}/no_initial.c"], [r"no_initial\.c", r"INITIAL\(at, q\)"]),
    "parameter that the problem does not have": (
        "", ["problem.rho_lft=2"], [r"rho_lft", r"problem\.rho_left"]),
    "output folder below a file": (
        "", ["output.folder={work}/run.ini/out"], [r"run\.ini/out|run\.ini"]),
    "NaN in the initial condition": (
        "", [f"problem.name={PROBLEMS}/nan_initial.c"], [r"initial condition", r"nan"]),
    "pressure that turns negative": (
        "", [f"problem.name={PROBLEMS}/cooling.c", "run.end_time=10"], [r"step \d+", r"rho|pressure|p ="]),
    "unknown boundary condition": ("", ["boundary.ylow=outflw"], [r"boundary\.ylow", r"outflw", r"outflow"]),
    "half periodic": ("", ["boundary.xlow=periodic"], [r"boundary\.x(low|high)", r"periodic"]),
    "unknown variable in plotfiles": (
        "", ["output.plot_variables=rho pressure"], [r"output\.plot_variables", r"pressure", r"rho mx"]),
    "the same variable twice in plotfiles": (
        "", ["output.plot_variables=" + "rho " * 70], [r"output\.plot_variables", r"\brho twice"]),
    "unknown variable in pictures": ("", ["output.picture_variable=q"], [r"picture_variable", r"\bq\b", r"rho mx"]),
    "unknown refinement variable": ("", ["refine.variable=q"], [r"refine\.variable", r"\bq\b"]),
    "criterion that the problem lacks": ("", ["refine.criterion=user"], [r"REFINE\(at\)"]),
    "unknown limiter": ("", ["scheme.limiter=vanler"], [r"scheme\.limiter", r"vanleer"]),
    "domain upside down": ("", ["mesh.xmax=-1"], [r"mesh\.xmax", r"-1"]),
    "unknown device": ("", ["device.name=gpuu"], [r"gpuu", r"cpu"]),
    "missing compiler": ("", ["device.name=cpu", "device.compiler=no-such-cc"], [r"no-such-cc"]),
    "far too many blocks": (
        "", ["mesh.dim=3", "mesh.min_level=12", "mesh.max_level=12"], [r"memory|blocks", r"min_level"]),
    "more memory than there is": (
        "", ["mesh.dim=3", "mesh.min_level=7", "mesh.max_level=7", "mesh.block_size=64"], [r"memory", r"GiB|TiB"]),
    "two mistakes at once": (
        "", ["run.cfl=-1", "mesh.dim=5"], [r"run\.cfl", r"mesh\.dim"]),
    "unknown option": (None, [], [r"--fast"]),
    "misspelt option": (None, [], [r"did you mean --check"]),
    "misspelt file": (None, [], [r"did you mean sedov"]),
    "no parameter file": (None, [], [r"usage: oak run FILE"]),
    "unknown command": (None, [], [r"rnu", r"known"]),
}

# Cases with a command line of their own.
COMMANDS = {
    "missing file": ["run", "missing.ini"],
    "a folder as file": ["run", "."],
    "a C file as parameter file": ["run", "./problem.c"],
    "a device as parameter file": ["run", "/dev/zero"],
    "unknown option": ["run", "--fast", "run.ini"],
    "misspelt option": ["run", "--chek", "run.ini"],
    "misspelt file": ["run", "sedof"],
    "no parameter file": ["run"],
    "unknown command": ["rnu"],
}
MANY_LINES = {"two mistakes at once", "three mistakes at once", "problem that does not compile"}


def try_case(name, launch):
    """Faults and output of one case, in a folder of its own."""
    extra, arguments, patterns = CASES[name]
    with tempfile.TemporaryDirectory(prefix="oak_errors_") as work:
        oak_test.write(work, "run.ini", GOOD.format(work=work) + (extra or ""))
        own = COMMANDS.get(name, ["run", "run.ini"])
        text, code, _ = run(launch + own + [a.replace("{work}", work) for a in arguments], work, LIMIT)
    return judge(text, code, patterns, name in MANY_LINES), text


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    # mpiexec mostly waits: several at a time.
    return oak_test.run_cases(options, {name: lambda name=name: try_case(name, options.launch) for name in CASES}, threads=3)


if __name__ == "__main__":
    sys.exit(main())
