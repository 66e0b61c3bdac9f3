# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts of this folder share: their options, and runs that `oak bench --measure` measures."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Failure(Exception):
    """A run failed. `no_memory`: it was too large; `wrong_input`: every other run would fail too."""

    def __init__(self, error, no_memory=False, wrong_input=False):
        super().__init__(error)
        self.no_memory, self.wrong_input = no_memory, wrong_input


class Oak:
    """The program `path`. `keys` are those of the command line, which all runs get."""

    def __init__(self, options, path=None):
        self.path, self.keys, self.ranks = path or options.oak, options.keys, options.ranks
        self.mpirun = options.mpirun.split()
        if not self.path:
            sys.exit("oak: error: no program oak was found; --oak PATH names one")

    def look(self):
        """Set `gpu`, `device`, `mpi`, `version` and `commit`, by a small run. It also shows mistakes in the keys."""
        small = ["problem.name=advection", "physics.name=advection", "mesh.dim=2", "mesh.block_size=8", "mesh.min_level=0"]
        vars(self).update({name: value for name, value in self.measure(small, steps=1, ranks=1).items()
                           if name in ("gpu", "device", "mpi", "version", "commit")})
        return self

    def measure(self, keys, last=(), ranks=0, pieces=3, seconds=0.1, begin=0, steps=0):
        """One run with `keys`, those of the command line, and `last`. It measures at least `pieces` pieces, each of
        about the given number of seconds. With a number of steps, it measures one piece of so many steps from time
        `begin` on. Speeds are GCUPS of all ranks; `phases`: seconds, mean of the ranks; `total`: of all phases;
        `stepping`: of all pieces."""
        ranks = ranks or self.ranks
        plan = ["--steps", steps, "--from", begin] if steps else ["--pieces", pieces, "--seconds", seconds]
        launch = [*self.mpirun, str(ranks)] if ranks > 1 else []
        done = subprocess.run([*launch, self.path, "bench", "--measure", *map(str, plan), *keys, *self.keys, *last],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise Failure(done.stderr.strip() or "the run gives no answer")
        answer = json.loads(lines[-1])
        if "error" in answer:
            raise Failure(**answer)
        return answer


def alternate(a, b, count):
    """Pieces of a, as many of b, and their ratios; a() and b() measure one. The speed of a machine drifts by more than the
    effect of most changes. Pieces of both therefore alternate, and each piece of b is compared with the mean of the
    pieces of a just before and just after it."""
    of_a, of_b = [a()], []
    for _ in range(count):
        of_b.append(b())
        of_a.append(a())
    return of_a, of_b, [2 * one / (before + after) for before, one, after in zip(of_a, of_b, of_a[1:])]


class Parser(argparse.ArgumentParser):
    """Options and keys of a script. Mistakes take one line."""

    def __init__(self, text, after=""):
        super().__init__(description=text, epilog=after, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)
        built = os.path.join(TREE, "build", "oak")
        self.add_argument("--oak", metavar="PATH", default=built if os.path.exists(built) else shutil.which("oak"),
                          help="the program (build/oak of this tree, or else the one in PATH)")
        self.add_argument("--ranks", type=above_zero(int), default=1, metavar="N", help="ranks (1)")
        self.add_argument("--mpirun", metavar="WORDS", default="mpirun -n", help="what starts ranks (mpirun -n)")
        self.add_argument("keys", nargs="*", metavar="section.key=value", help="for every run")

    def read(self):
        return self.parse_intermixed_args()

    def error(self, message):
        print(f"{self.prog}: {message} (see --help)", file=sys.stderr)
        sys.exit(2)


def above_zero(kind):
    """The type of an option: a number above 0."""
    def read(text):
        value = kind(text)
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} must be above 0")
        return value
    read.__name__ = "number"
    return read


def start(*words, threads=1, **more):
    """Run another program with so many threads; `more` is for subprocess.run."""
    return subprocess.run(words, check=False, text=True, capture_output=True,
                          env={**os.environ, "OMP_NUM_THREADS": str(threads)}, **more)


def said(done, pattern):
    """What matches the groups of a pattern in the output of such a program, the last time."""
    found = re.findall(pattern, done.stdout, re.MULTILINE)
    if done.returncode or not found:
        raise Failure(f"{done.args[0]}: exit status {done.returncode}:\n{(done.stderr or done.stdout)[-1000:]}")
    return found[-1]


def run(main):
    """Run a script. Its exit code; failures take one message."""
    sys.stdout.reconfigure(line_buffering=True)
    try:
        sys.exit(main())
    except (Failure, OSError) as failure:
        print(f"oak: error: {failure}", file=sys.stderr)
        sys.exit(1)
