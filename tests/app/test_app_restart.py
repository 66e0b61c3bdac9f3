#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
# TEST name=long_app_restart np=5 timeout=3600 suite=long --oak @oak@ --mpiexec @mpiexec@ --np 2 --long
"""Runs that are interrupted and restarted by the oak command, for CTest: a run that went through and one
that was restarted leave the same files, byte by byte; signals, a stop file and limits of time leave a
checkpoint; a damaged checkpoint is not taken; runs that are killed while they write one lose no other.

usage: test_app_restart.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--long]

--long: 20 restart points on 1, 2, 3 and 5 ranks, and 200 kills."""
import glob
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import oak_test
from oak_test import LIMIT, run
from test_app_output import LONG, Work

# Blocks of two levels that come and go, and all that a run can write.
KEYS = ["run.end_time=1", "run.max_steps=42", "output.diagnostics_every=1", "output.picture_steps=3",
        "output.picture_width=64", "output.plot_every=0.01", "checkpoint.steps=2", "checkpoint.keep=100"]
INTERRUPTED = 3


def checkpoints(work, folder="out"):
    """From the oldest to the newest."""
    return sorted(glob.glob(work.path(folder + "/chk*.oak")), key=lambda path: os.stat(path).st_mtime_ns)


def step_of(path):
    return int(re.search(r"chk(\d+)\.oak$", path)[1])


def say(work, *arguments, ranks=None, environment=None, file=("run.ini",)):
    """Exit status and all that a run of `file` says."""
    command = work.alone if ranks is None else [*shlex.split(work.mpiexec), str(ranks), *work.alone]
    child = subprocess.run([*command, *file, *arguments], cwd=work.folder, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LIMIT, check=False,
                           env={**os.environ, **(environment or {})})
    return child.returncode, child.stdout


def flip(path, at):
    """Change one bit."""
    with open(path, "r+b") as f:
        f.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
        byte = f.read(1)[0]
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte ^ 1]))


def keys(text):
    """Lines of a file of parameters without its comments, which tell of command, date and ranks."""
    return [line for line in (text or b"").splitlines() if not line.startswith(b"#")]


def same_files(work):
    """Restart from some points. The folder is as it was then, but its tables also have the rows of later steps."""
    work.good("run.ini", *KEYS)
    os.rename(work.path("out"), work.path("through"))
    points = checkpoints(work, "through")
    assert len(points) == 21, points
    through = {name.replace("through", "out", 1): data for name, data in work.contents("through").items()}
    for point in points[:-1] if work.long else points[3:-1:9]:
        for ranks in (1, 2, 3, 5) if work.long else (work.np, 3):
            shutil.copytree(work.path("through"), work.path("out"))
            for name in glob.glob(work.path("out/*")):
                if os.stat(name).st_mtime_ns > os.stat(point).st_mtime_ns and not name.endswith((".csv", ".visit")):
                    (shutil.rmtree if os.path.isdir(name) else os.remove)(name)
            code, text = say(work, "--restart", point, *KEYS, ranks=ranks)
            assert code == 0, text
            restarted = work.contents()
            other = [name for name in through if through[name] != restarted.get(name)]
            if keys(through["out/parameters.ini"]) == keys(restarted.get("out/parameters.ini")):
                other = [name for name in other if name != "out/parameters.ini"]
            other += list(restarted.keys() - through)
            other = [name for name in other if name != "out/oak-files.txt"]
            if ranks != work.np:  # boxes of plotfiles end where ranks do; the values are the same
                other = [name for name in other if "out/plt" not in name]
                done = subprocess.run([work.alone[0], "diff", "through", "out"], cwd=work.folder, text=True, timeout=LIMIT,
                                      check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                assert done.returncode == 0, done.stdout
            assert not other, f"restart from {point} on {ranks} ranks: {other} differ"
            shutil.rmtree(work.path("out"))



def unfinish(work, place="out"):
    """As if the run had been killed."""
    with open(work.path(f"{place}/oak-files.txt"), encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("# finished")]
    work.write(f"{place}/oak-files.txt", "".join(lines))


def rows(work):
    """A restart on other ranks in the folder of the run leaves the same tables. A drift needs the first row."""
    keys = ["run.max_steps=6", "run.end_time=1", "checkpoint.steps=2", "checkpoint.keep=9", "output.h.kind=history",
            "output.h.every_steps=1", "output.p.kind=probe", "output.p.every_steps=1", "output.p.points=0.5 0.5"]
    work.good("run.ini", *keys)
    before = work.contents()
    for path in checkpoints(work)[1:]:
        os.remove(path)
    unfinish(work)
    code, text = say(work, "--restart", "out/chk000002.oak", *keys, ranks=3)
    assert code == 0, text
    after = work.contents()
    for name in ("out/h.csv", "out/p.csv"):
        assert before[name] == after[name] and before[name].count(b"\n") == 8, (name, after[name])


def interrupted(work, child, words):
    """A run that has been asked to end leaves a checkpoint, says so, and can be continued."""
    text, error = child.communicate(timeout=LIMIT)
    assert child.returncode == INTERRUPTED, (child.returncode, text, error)
    again = re.search(r"^go on with: oak run (.+)$", text, re.MULTILINE)
    assert words in text and again, text
    last = checkpoints(work)[-1]
    assert f"wrote {last}" in text, text
    code, text = say(work, *LONG, f"run.max_steps={step_of(last) + 3}", file=shlex.split(again[1]))
    assert code == 0 and f"restart from {last}" in text, text
    with open(work.path("out/diagnostics.csv"), encoding="utf-8") as f:
        steps = [int(line.split(",")[0]) for line in f.readlines()[1:]]
    assert steps == list(range(step_of(last) + 4)), steps
    shutil.rmtree(work.path("out"))


def signals(work):
    known = ((signal.SIGUSR1, "SIGUSR1"), (signal.SIGTERM, "SIGTERM"), (signal.SIGINT, "SIGINT"))
    for number, name in known if work.long else known[::2]:
        child = work.start()
        time.sleep(0.3)
        child.send_signal(number)
        interrupted(work, child, name)


def late_signals(work):
    """Once the last step or the checkpoint is complete, signals do not change the exit status, whichever rank gets them."""
    work.write("oak", f'#!/bin/sh\necho $$ >> pids\nexec "{work.alone[0]}" "$@"\n')
    os.chmod(work.path("oak"), 0o700)

    def stepped():
        try:
            with open(work.path("out/diagnostics.csv"), encoding="utf-8") as f:
                return "\n3," in f.read()
        except FileNotFoundError:
            return False

    def send(*numbers):
        with open(work.path("pids"), encoding="utf-8") as f:
            pids = [int(line) for line in f]
        assert len(pids) == ranks, pids
        for pid in pids:
            for number in numbers:
                try:
                    os.kill(pid, number)
                except ProcessLookupError:
                    pass

    for ranks in (1, 2):
        for first in (signal.SIGUSR1, signal.SIGTERM, None):
            launch = [*shlex.split(work.mpiexec), str(ranks)] if ranks > 1 else []
            words, status, keys = ("ended early", INTERRUPTED, LONG) if first else ("4 steps to t = ", 0, [*LONG, "run.max_steps=4"])
            child = subprocess.Popen([*launch, work.path("oak"), "run", "run.ini", *keys], cwd=work.folder, text=True,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            while first and not stepped():
                assert child.poll() is None, child.stdout.read()
                time.sleep(0.01)
            if first:
                send(first)
            text = ""
            while words not in text:
                line = child.stdout.readline()
                assert line, text
                text += line
            while child.poll() is None:
                send(signal.SIGUSR1, signal.SIGTERM, signal.SIGINT)
                time.sleep(0.01)
            text += child.stdout.read()
            assert child.returncode == status, (ranks, first, child.returncode, text)
            shutil.rmtree(work.path("out"))
            os.remove(work.path("pids"))


def stop_file(work):
    """One that was there before stays and does nothing, until somebody touches it."""
    work.write("out/stop", "mine")
    child = work.start()
    time.sleep(1.3)
    assert child.poll() is None, child.communicate()
    assert work.contents()["out/stop"] == b"mine"
    os.utime(work.path("out/stop"))
    interrupted(work, child, "a stop file")


def early_signal(work):
    """While kernels are loaded a signal ends the run as always."""
    child = subprocess.Popen([*work.alone, "run.ini"], cwd=work.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env={**os.environ, "OAK_CACHE": work.path("cache")})
    while "loading kernels" not in child.stdout.readline():
        assert child.poll() is None
    child.send_signal(signal.SIGTERM)
    error = child.communicate(timeout=LIMIT)[1]
    assert child.returncode == -signal.SIGTERM and not error, (child.returncode, error)


def closed_pipe(work):
    """A run whose standard output is gone goes on, and says so once."""
    child = subprocess.Popen([*work.alone, "run.ini", *KEYS, "run.report_every=1"], cwd=work.folder, text=True, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child.stdout.readline()
    child.stdout.close()
    error = child.stderr.read()
    assert child.wait(LIMIT) == 0 and error == "oak: standard output cannot be written: the run goes on without it\n", (child.returncode, error)
    assert step_of(checkpoints(work)[-1]) == 42


def limits(work):
    """Of the run, and of a SLURM job. Kernels are in the cache by now."""
    for arguments, environment in ((["run.wall_limit=3", "run.wall_margin=1.5"], {}),
                                   (["run.wall_margin=1.5"], {"SLURM_JOB_END_TIME": str(int(time.time()) + 7)})):
        start = time.monotonic()
        code, text = say(work, *LONG, *arguments, environment=environment)
        assert code == INTERRUPTED and "limit of wall-clock time" in text and checkpoints(work), text
        assert time.monotonic() - start < 80, text
        shutil.rmtree(work.path("out"))
    code, text = say(work, "run.wall_limit=100")
    assert code == 1 and "run.wall_margin" in text, text


def damaged(work):
    """The newest one that is good is taken, and one that is named and damaged is refused."""
    work.good("run.ini", *KEYS, "checkpoint.keep=3")
    files = checkpoints(work)
    assert [step_of(path) for path in files] == [38, 40, 42], files
    os.remove(work.path("out/oak-files.txt"))  # as if the run had not reached its end
    flip(files[2], -100)
    code, text = say(work, "--restart", files[2], *KEYS)
    assert code == 1 and "damaged" in text and "--restart without a name takes" in text, text
    flip(files[1], 60)
    code, text = say(work, "--restart", *KEYS)
    assert code == 0 and f"{files[2]} is damaged" in text and f"restart from {files[0]}" in text, text
    for path in checkpoints(work):
        os.truncate(path, 200)
    code, text = say(work, "--restart", *KEYS)
    assert code == 1 and "damaged" in text, text


def folders(work):
    """A folder that holds a run, and one that does not."""
    work.good("run.ini", *KEYS, "checkpoint.steps=0", "checkpoint.at_end=yes")
    assert [step_of(path) for path in checkpoints(work)] == [42]
    work.bad([r"holds a run already \(chk"], "run.ini", *KEYS)
    work.bad(["no checkpoint in output.folder"], "run.ini", "--restart", *KEYS, "output.folder=elsewhere")
    work.bad(["mesh.block_size = 16, but"], "run.ini", "--restart", *KEYS, "mesh.block_size=16")
    text, code, _ = run([*work.alone, "run.ini", "--restart", "--overwrite"], work.folder, LIMIT)
    assert code == 2 and "--overwrite" in text, text
    code, text = say(work, "--restart", file=["out"])
    assert code == 0 and "the run is finished; a larger run.end_time" in text, text
    child = subprocess.run([*work.alone, "out", "--restart", "run.max_steps=44"], cwd=work.folder, text=True,
                           capture_output=True, check=False)
    assert child.returncode == 0 and "changed: run.max_steps = 44 (was 42)" in child.stdout, (child.stdout, child.stderr)
    work.good("run.ini", "--overwrite")
    assert not checkpoints(work)


def tables(work):
    """A run that goes back with another file of a table has a copy of it; the former one stays in its folder."""
    name, former = work.path("ramp.txt"), "0 1\n1 2\n"
    with open(work.path("ramp.c"), "w", encoding="utf-8") as f:
        f.write('TABLE(ramp, "ramp.txt", "density")\nINITIAL(at, q) { q[RHO] = ramp(at->x[0]); q[PRS] = 1; }\n')
    for text, more in ((former, ["checkpoint.steps=2", "run.max_steps=4"]), ("0 1\n1 3\n", ["--restart=out/chk000002.oak", "run.max_steps=3", "output.folder=again"])):
        with open(name, "w", encoding="utf-8") as f:
            f.write(text)
        work.good("run.ini", KEYS[0], "problem.name=./ramp.c", "checkpoint.keep=9", *more)
    for place, expected in (("out", former), ("again", text)):
        with open(work.path(f"{place}/ramp.oak-copy.txt"), encoding="utf-8") as f:
            assert f.read() == expected, place


def columns(work):
    """A restart with other columns of a table is refused, and leaves the folder as it was."""
    keys = ["run.end_time=1", "output.diagnostics_every=1", "output.h.kind=history", "output.h.every_steps=1", "output.h.variables=rho"]
    work.good("run.ini", *keys, "run.max_steps=4", "checkpoint.steps=2")
    before = work.contents()
    for restart in ("--restart", "--restart=out/chk000004.oak"):
        work.bad([r"h\.csv does not have the columns"], "run.ini", restart, *keys, "run.max_steps=6", "output.h.variables=p")
        assert work.contents() == before, restart


def bodies(work):
    """The solid cells are those of the checkpoint, so a restart with other shapes is refused; the same number may be
    written in another way. A body without cells is refused: here the corner of the domain lies beside the ball."""
    ball = ["body.ball.shape=sphere", "body.ball.kind=wall", "body.ball.from=0.5 0.5", "body.ball.radius=0.1"]
    more = ["run.end_time=1", "run.max_steps=4", "output.folder=other"]
    corner = ["mesh.xmin=0.58 0.58", *[f"boundary.{face}=outflow" for face in ("xlow", "xhigh", "ylow", "yhigh")]]
    for option in ([], ["--check"]):
        work.bad(["the body `ball` contains no centre of a cell"], "run.ini", *option, *ball, *more, *corner)
    plate = ["body.plate.shape=plate", "body.plate.kind=wall", "body.plate.from=0.4 0.4", "body.plate.to=0.6 0.6"]
    with open(work.path("step.c"), "w", encoding="utf-8") as f:
        f.write("INITIAL(at, q) { q[RHO] = q[PRS] = 1; }\nSOLID(at) { return at->x[1] < 0.3 * at->x[0] ? -1 : 1; }\n")
    walls = [f"boundary.{face}=outflow" for face in ("xlow", "xhigh", "ylow", "yhigh")]
    cube = [*plate, "mesh.dim=3", "mesh.max_level=1", "body.plate.from=0.25 0.25 0.25", "body.plate.to=0.75 0.75 0.75"]
    work.bad([r"\[body\.ball\]: mesh\.coordinates = polar allows the shape plate only"], "run.ini", *ball, "mesh.coordinates=polar")
    for body, stairs in ((cube, False), (["problem.name=./step.c", *walls], True), (plate, False), (ball, True)):
        code, text = say(work, *body, "run.end_time=1", "run.max_steps=2", "checkpoint.at_end=yes", "--overwrite")
        with open(work.path("out/oak.log"), encoding="utf-8") as log:
            assert code == 0 and ("are staircases" in text) == ("are staircases" in log.read()) == stairs, text
    restart = ["run.ini", "--restart=out/chk000002.oak", *more]
    work.bad([r"body\.ball\.radius = 0\.2, but checkpoint \S+ has 0\.1; .* run\.initial"], *restart, *ball, "body.ball.radius=0.2")
    work.bad([r"\[body\.second\] is not in checkpoint"], *restart, *ball, *[key.replace("ball", "second") for key in ball])
    work.bad(["physics.name = euler has the variables"], *restart)
    work.good(*restart, *ball, "body.ball.radius=1e-1", "body.ball.from=0.50 5e-1")


def finished(work):
    """A run is not taken back to an earlier step in its folder, whether it is finished or was killed, but in a new one."""
    keys = [*KEYS, "checkpoint.steps=16", "output.plot_every=0", "output.plot_steps=10", "output.s.kind=slice", "output.s.every_steps=7"]
    work.good("run.ini", *keys)
    before = work.contents()
    for more in ([], ["run.max_steps=35"], ["run.max_steps=50"]):
        work.bad([r"out is finished: it ended at step 42, time 0\.\d+, and has no good checkpoint there", r"--restart=\S*/chk000032\.oak output\.folder=NEW"],
                 "run.ini", "--restart", *keys, *more)
        assert work.contents() == before
    first, last = checkpoints(work)
    lost = r"out holds a run \(.*\) of which this is not the last checkpoint: choose a new folder"
    ended = lost.replace("a run", "a finished run")
    for path in (first, last):
        work.bad([ended], "run.ini", f"--restart={path}", *keys, "run.max_steps=50")
        assert work.contents() == before
    work.good("run.ini", *KEYS, "output.folder=other")
    other = work.contents("other")
    work.bad([ended.replace("out", "other", 1)], "run.ini", f"--restart={first}", *keys, "output.folder=other")
    assert work.contents("other") == other
    rows = set()
    again = [f"--restart={first}", *keys, "output.folder=fresh", "run.max_steps=20"]
    for _ in range(2):  # the second time as after a kill
        code, text = say(work, *again, ranks=work.np)
        assert code == 0 and "restart from" in text, text
        fresh = work.contents("fresh")
        rows.add(fresh["fresh/diagnostics.csv"])
        code, text = say(work, *again, environment={"OAK_CACHE": work.path("cache")})
        assert code == 1 and re.search(ended.replace("out", "fresh", 1), text), text
        assert not [name for name in os.listdir(work.path("cache")) if name.startswith("kernels")], "refused after compilation"
        assert work.contents("fresh") == fresh
        work.bad(["no checkpoint in output.folder = fresh, whose run is finished"], "run.ini", "--restart", *keys, "output.folder=fresh")
        unfinish(work, "fresh")
    assert len(rows) == 1 and work.contents() == before, rows
    unfinish(work)
    work.bad([lost], "run.ini", f"--restart={first}", *keys)
    code, text = say(work, f"--restart={last}", *keys, "run.max_steps=34")
    assert code == 0 and len(work.contents()["out/diagnostics.csv"].splitlines()) == 36, text


COOLING = """TITLE("Gas that cools until its pressure is negative")
PARAMETER(rate, 10.0, "energy lost per volume and time")
INITIAL(at, q) { q[RHO] = 1; q[PRS] = 1; }
SOURCE(at, q, source) { source[ENE] -= (real)at->p.rate; }
UPDATE(at, u, dt) { u[RHO] += 0 * (real)dt; }
"""


def failed_step(work):
    """A step that fails leaves a checkpoint of the bad state. It also leaves one of the state before the step, unless
    the first half step of UPDATE has changed that state."""
    work.write("cooling.c", COOLING)
    work.write("run.ini", "[problem]\nname = cooling.c\n[physics]\nname = euler\n[mesh]\nblock_size = 8\n"
               "[scheme]\nintegrator = euler\n[run]\nend_time = 1\n[output]\nfolder = " + work.path("out") + "\n")
    code, text = say(work, ranks=work.np)
    assert code == 1 and "p = -0.2" in text and re.search(r"see \S*invalid\d+;", text), text
    last = checkpoints(work)
    assert len(last) == 1 and f"the state before is in {last[0]}" in text, text
    code, text = say(work, "--restart", "problem.rate=0", f"run.max_steps={step_of(last[0]) + 5}")
    assert code == 0 and f"restart from {last[0]}" in text, text
    shutil.rmtree(work.path("out"))
    code, text = say(work, "scheme.splitting=strang", ranks=work.np)
    assert code == 1 and "state before is in" not in text and "the state before is lost" in text and not checkpoints(work), text


def kills(work):
    """The newest checkpoint loads, whenever the run before was killed."""
    dice = random.Random(7)
    child = work.start("checkpoint.steps=1")
    before = -1
    for _ in range(200 if work.long else 3):
        while not checkpoints(work):
            assert child.poll() is None, child.communicate()
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 0.3))
        child.kill()
        text, error = child.communicate()
        assert not error, error
        left = checkpoints(work)
        assert left and step_of(left[-1]) >= before, (left, before)
        before = step_of(left[-1])
        child = subprocess.Popen([*work.alone, "run.ini", "--restart", *LONG, "checkpoint.steps=1"], cwd=work.folder,
                                 text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        text = ""
        while "restart from" not in text:
            assert child.poll() is None, (text, child.communicate())
            text += child.stdout.readline()
        assert f"chk{before:06d}.oak: step" in text and "damaged" not in text, text
    child.kill()
    child.communicate()


CASES = [same_files, signals, late_signals, stop_file, early_signal, closed_pipe, limits, damaged, folders, finished, tables, columns, bodies, rows, failed_step, kills]


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np", flags=("long",))

    def try_case(case):
        with tempfile.TemporaryDirectory(prefix="oak_restart_") as folder:
            work = Work(options, folder)
            work.mpiexec, work.long = options.mpiexec, options.long
            case(work)

    return oak_test.run_cases(options, {case.__name__: lambda case=case: try_case(case) for case in CASES})


if __name__ == "__main__":
    sys.exit(main())
