#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input to the real oak command, for CTest: every mistake gives one clear message, once, a
non-zero exit status within seconds, and neither a hang nor a crash, on any number of ranks.

usage: test_app_errors.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD]

Prints nothing for cases that pass but one line at the end. Exit 0: all passed, 1: not."""
import argparse
import concurrent.futures
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROBLEMS = os.path.join(HERE, "problems")
LIMIT = float(os.environ.get("OAK_ERROR_LIMIT", "60"))  # a hang; what is expected is a second or two

GOOD = """[run]
end_time = 0.01
[mesh]
block_size = 8
min_level = 1
max_level = 2
[problem]
name = shock_tube
[boundary]
xlow = outflow
xhigh = outflow
[output]
folder = {work}/out
"""

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
        "", ["nonsense", "mesh.dim=5", "--fast", "run.cfq=1"],
        [r"'nonsense' is not", r"mesh\.dim = 5", r"'--fast' is not", r"run\.cfq.*run\.cfl\?"]),
    "a C file as parameter file": (None, [], [r"problem\.c is a C file.*problem\.name"]),
    "a device as parameter file": (None, [], [r"/dev/zero.*pipe or a device"]),
    "commands to the terminal in a name": (
        "[output]\nplot_variables = \033]0;x\007\n", [], [r"'plot_variables = \?\]0;x\?': has a control"]),
    "too many trees": (
        "", ["mesh.dim=3", "mesh.trees=256"], [r"mesh\.trees = 256 256 256.*1048576.*mesh\.min_level"]),
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
    "no parameter file": (None, [], [r"no parameter file"]),
    "unknown command": (None, [], [r"rnu", r"known"]),
}

# Cases with a command line of their own.
COMMANDS = {
    "missing file": ["run", "missing.ini"],
    "a folder as file": ["run", "."],
    "a C file as parameter file": ["run", "./problem.c"],
    "a device as parameter file": ["run", "/dev/zero"],
    "unknown option": ["run", "--fast", "run.ini"],
    "no parameter file": ["run"],
    "unknown command": ["rnu"],
}
MANY_LINES = {"two mistakes at once", "three mistakes at once", "problem that does not compile"}
CRASH = re.compile(r"signal|Segmentation|core dumped|MPI_ABORT|Sanitizer|runtime error|Aborted", re.I)
# What mpiexec itself says when a program reports failure.
MPIEXEC = re.compile(r"^(-{20,}$|Primary job +terminated|a non-zero exit code\. Per user|(mpiexec|mpirun|prterun) detected that|"
                     r"(thus causing )?the job to be terminated\. The first| +Process name: | +Exit code: |"
                     r"\[\S+:\d+\] (PMIX ERROR: |\[\[\S+\] ORTE_ERROR_LOG: )|\[warn\] Epoll |\s*$)")


def run(command, work, limit):
    """Standard error, exit status (None: killed after the limit), seconds. What goes to standard output
    may come before or after and is looked at only for signs of a crash."""
    start = time.monotonic()
    with subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as child:
        try:
            out, text = child.communicate(timeout=limit)
            text += "".join(f"standard output: {line}\n" for line in out.splitlines() if CRASH.search(line))
            return text, child.returncode, time.monotonic() - start
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                _, text = child.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                _, text = child.communicate()
            return text, None, time.monotonic() - start


def judge(text, code, patterns, many_lines=False):
    """What is wrong with the outcome of a run that must fail, in words."""
    wrong = []
    if code is None:
        return ["it hangs"]
    if code == 0:
        wrong.append("exit status 0")
    said = [line for line in text.splitlines() if not MPIEXEC.match(line)]
    if code < 0 or code >= 128 or CRASH.search("\n".join(said)):
        wrong.append(f"it crashes (exit status {code})")
    heads = [line for line in said if re.match(r"oak[ :]", line) and not re.match(r"oak \d", line)]
    if len(heads) != 1:
        wrong.append(f"{len(heads)} messages instead of one")
    start = said.index(heads[0]) if heads else 0
    message = "\n".join(said[start:])
    if not many_lines and len(said) - start > 1:
        wrong.append(f"{len(said) - start} lines instead of one")
    repeated = [line for line in said if len(line) > 20 and said.count(line) > 1]
    if repeated:
        wrong.append(f"a line comes more than once: {repeated[0]}")
    if re.search(r"[\0-\b\v-\x1f\x7f]", message):
        wrong.append("control characters")
    wrong += [f"nothing matches /{p}/" for p in patterns if not re.search(p, message)]
    return wrong


def try_case(name, launch):
    """Output, seconds and faults of one case, in a folder of its own."""
    extra, arguments, patterns = CASES[name]
    with tempfile.TemporaryDirectory(prefix="oak_errors_") as work:
        with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as f:
            f.write(GOOD.format(work=work) + (extra or ""))
        own = COMMANDS.get(name, ["run", "run.ini"])
        text, code, seconds = run(launch + own + [a.replace("{work}", work) for a in arguments], work, LIMIT)
    return text, seconds, judge(text, code, patterns, name in MANY_LINES)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True, help="command and option that the number of ranks follows")
    parser.add_argument("--np", type=int, required=True)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--show", action="store_true", help="print every message")
    options = parser.parse_args()
    # One rank is started as most users do, without mpiexec, and faster.
    launch = [*shlex.split(options.mpiexec), str(options.np), options.oak] if options.np > 1 else [os.path.abspath(options.oak)]
    names = [name for name in CASES if options.only in name]
    # mpiexec mostly waits: several at a time.
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(lambda name: try_case(name, launch), names))
    failed = 0
    for name, (text, seconds, wrong) in zip(names, outcomes):
        if options.show:
            print(f"== {name} ({seconds:.1f} s)\n{text.rstrip()}")
        if wrong:
            failed += 1
            print(f"FAILED {name}: {'; '.join(wrong)}; after {seconds:.1f} s it said:\n{text.rstrip()}\n")
    slowest = max((seconds, name) for name, (_, seconds, _) in zip(names, outcomes)) if names else (0, "")
    print(f"{len(names) - failed} of {len(names)} cases pass; the slowest took {slowest[0]:.1f} s ({slowest[1]})")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
