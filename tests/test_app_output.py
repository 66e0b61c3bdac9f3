#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where and when the oak command writes, for CTest: intervals, used folders, other files in them.

usage: test_app_output.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD]

Prints nothing for cases that pass but one line at the end. Exit 0: all passed, 1: not."""
import argparse
import os
import shlex
import sys
import tempfile

from test_app_errors import GOOD, LIMIT, MPIEXEC, judge, run


class Work:
    """A temporary folder with run.ini, whose output goes to its folder out."""

    def __init__(self, options, folder):
        self.folder = folder
        self.alone = [os.path.abspath(options.oak), "run"]
        self.ranks = [*shlex.split(options.mpiexec), str(options.np), *self.alone]
        self.write("run.ini", GOOD.format(work=folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def names(self, folder="out"):
        return sorted(os.listdir(self.path(folder)))

    def good(self, *arguments):
        """A run that must succeed and say nothing."""
        text, code, seconds = run([*self.ranks, "--quiet", *(arguments or ["run.ini"])], self.folder, LIMIT)
        assert code == 0 and all(MPIEXEC.match(line) for line in text.splitlines()), (
            f"exit status {code} after {seconds:.1f} s: {text}")

    def bad(self, patterns, *arguments):
        """A run that must fail with one message that matches."""
        text, code, _ = run([*self.ranks, "--quiet", *(arguments or ["run.ini"])], self.folder, LIMIT)
        wrong = judge(text, code, patterns)
        assert not wrong, f"{'; '.join(wrong)}; it said:\n{text}"


def intervals(work):
    """Intervals far below the time step: output at each step, and an end."""
    for every in ("1e-13", "1e-320", "1e-3"):
        work.good("run.ini", f"output.folder=every{every}", f"output.plot_every={every}", "run.dt_max=1e-3")
        plots = [name for name in work.names(f"every{every}") if name.startswith("plt")]
        assert plots[:-1] == [f"plt{step:06d}" for step in range(len(plots) - 1)] and len(plots) > 10, plots


CASES = [intervals]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--np", type=int, required=True)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in case.__name__]
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="oak_output_") as folder:
            try:
                case(Work(options, folder))
            except AssertionError as wrong:
                failed += 1
                print(f"FAILED {case.__name__}: {wrong}\n", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} cases pass")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
