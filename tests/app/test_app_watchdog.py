#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Ranks that stop, die or hang, for CTest: a run with run.watchdog ends, each message names a rank and its phase, and no
process is left behind; a run that goes on is left alone.

usage: test_app_watchdog.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import oak_test
from oak_test import GOOD, MPIEXEC

LIMIT = 200
LONG = ["run.end_time=1e9", "run.max_steps=0", "run.report_every=1", "output.plot_first_last=no", "mesh.adapt_every=2"]
# The last block of the domain takes forever from some step on; volatile, so that no compiler sees through it.
HANG = """
INITIAL(at, q)
{
  q[0] = 1;
  q[3] = 1;
}
SOURCE(at, q, source)
{
  volatile int on = at->t > 0.05 && at->x[0] > 0.9 && at->x[1] > 0.9;
  while (on) on = 1;
  source[0] += 0;
}
"""


def state(process):
    """As in /proc: T stopped, Z dead, an empty text: gone."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def ranks(launcher):
    """Processes of oak below mpiexec, by rank."""
    found = {}
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                words = dict(word.split(b"=", 1) for word in file.read().split(b"\0") if b"=" in word)
            with open(f"/proc/{name}/cmdline", "rb") as file:
                command = file.read().split(b"\0")
        except (OSError, ValueError):
            continue
        rank = words.get(b"OMPI_COMM_WORLD_RANK", words.get(b"PMI_RANK"))
        if words.get(b"OAK_WATCHDOG_TEST") == str(launcher).encode() and rank is not None and b"run.ini" in command:
            found[int(rank)] = int(name)
    return found


class Run:
    """A run that has begun to step."""

    def __init__(self, options, work, *arguments, source=None):
        oak_test.write(work, "run.ini", GOOD.format(work=work))
        if source:
            oak_test.write(work, "hang.c", source)
            arguments += ("problem.name=./hang.c",)
        mark = f"{os.getpid()}{time.monotonic_ns()}"
        launch = options.launch
        out = open(os.path.join(work, "stdout"), "w+", encoding="utf-8")  # a pipe would fill up
        self.child = subprocess.Popen([*launch, "run", "run.ini", *LONG, *arguments], cwd=work, stdin=subprocess.DEVNULL, text=True,
                                      stdout=out, stderr=subprocess.PIPE, start_new_session=True,
                                      env=dict(os.environ, OAK_WATCHDOG_TEST=mark))
        end = time.monotonic() + LIMIT
        with open(out.name, encoding="utf-8") as said:
            while not re.search(r"^ +5 ", said.read(), re.M):
                said.seek(0)
                assert self.child.poll() is None and time.monotonic() < end, self.child.communicate()
                time.sleep(0.05)
        self.rank = ranks(mark) if options.np > 1 else {0: self.child.pid}
        assert len(self.rank) == options.np, f"found {self.rank}"

    def end(self, limit=LIMIT):
        """Exit status (None: still running after the limit), standard error, seconds."""
        start = time.monotonic()
        try:
            _, text = self.child.communicate(timeout=limit)
            return self.child.returncode, text, time.monotonic() - start
        except subprocess.TimeoutExpired:
            for process in self.rank.values():
                os.kill(process, signal.SIGKILL)
            os.killpg(self.child.pid, signal.SIGKILL)
            _, text = self.child.communicate()
            return None, text, time.monotonic() - start

    def left(self):
        """Ranks that are still there a moment after the end."""
        for _ in range(50):
            alive = [rank for rank, process in self.rank.items() if state(process) not in ("", "Z")]
            if not alive:
                break
            time.sleep(0.1)
        return alive


def judge(run, outcome, patterns):
    code, text, seconds = outcome
    wrong = []
    if code is None:
        wrong.append(f"it runs on after {seconds:.0f} s")
    elif code == 0:
        wrong.append("exit status 0")
    heads = [line for line in text.splitlines() if line.startswith("oak: error:")]
    if len(heads) != len(patterns):
        wrong.append(f"{len(heads)} messages")
    wrong += [f"nothing matches /{p}/" for p in patterns if not all(re.search(p, line) for line in heads)]
    if run.left():
        wrong.append(f"ranks {run.left()} are still there")
    return wrong, text


def stopped(options, work):
    """A rank that is stopped by a signal."""
    if options.np < 2:
        raise oak_test.Skipped("needs several ranks")
    run = Run(options, work, "run.watchdog=3")
    last = options.np - 1
    os.kill(run.rank[last], signal.SIGSTOP)
    return judge(run, run.end(), [r"rank 0 \(process \d+ on \S+\) has made no progress for 3 s in phase '[a-zA-Z0-9 ()]+' of step \d+, so run\.watchdog"])


def hang(options, work):
    """A kernel that never ends, on one rank."""
    run = Run(options, work, "run.watchdog=3", "mesh.min_level=3", "mesh.max_level=3", "run.dt_max=0.004", source=HANG)
    return judge(run, run.end(), [rf"rank {options.np - 1} \(process \d+ on \S+\) .* in phase 'flux and update' of step 1\d\b"])


def killed(options, work):
    """A rank that is killed: the launcher ends the others, with or without a watchdog."""
    if options.np < 2:
        raise oak_test.Skipped("needs several ranks")
    run = Run(options, work)
    os.kill(run.rank[options.np - 1], signal.SIGKILL)
    return judge(run, run.end(), [])


def goes_on(options, work):
    """Stopping the whole run for a while, as a terminal does, is no fault; nor is a long run."""
    run = Run(options, work, "run.watchdog=3")
    for process in run.rank.values():
        os.kill(process, signal.SIGSTOP)
    time.sleep(5)
    for process in run.rank.values():
        os.kill(process, signal.SIGCONT)
    time.sleep(4)
    wrong = [] if run.child.poll() is None else [f"it ended with {run.child.returncode}"]
    os.kill(run.child.pid, signal.SIGTERM)
    code, text, _ = run.end()
    if code is None or run.left():
        wrong.append("it does not end by SIGTERM")
    return wrong, text


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")

    def case(test):
        with tempfile.TemporaryDirectory(prefix="oak_watchdog_") as work:
            wrong, text = test(options, work)
        return wrong, "\n".join(line for line in text.splitlines() if not MPIEXEC.match(line))

    return oak_test.run_cases(options, {test.__name__: lambda test=test: case(test) for test in (stopped, hang, killed, goes_on)})


if __name__ == "__main__":
    sys.exit(main())
