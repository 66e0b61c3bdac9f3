# SPDX-License-Identifier: GPL-2.0-or-later
"""What the scripts of oak bench share: their options, requests to the oak that has started the script, and files."""
import argparse
import json
import os
import sys

REQUESTS = 3  # the descriptor from which oak reads (app/bench_script.c)


class Failure(Exception):
    """A request failed. `wrong_input`: every other one would fail too; `no_memory`: it was too large."""

    def __init__(self, answer):
        super().__init__(answer["error"])
        self.wrong_input, self.no_memory = answer["wrong_input"], answer["no_memory"]


class Channel:
    """An oak that carries out requests. `silence`: the message if it gives no answer, because it has ended."""

    def __init__(self, requests, answers, silence):
        self.requests, self.answers, self.silence = requests, answers, silence

    def ask(self, *words):
        try:
            self.requests.write("\x1f".join(map(str, words)) + "\x1e")
            self.requests.flush()
            line = self.answers.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            sys.exit(f"oak: error: {self.silence}" if self.silence else 1)
        answer = json.loads(line)
        if "error" in answer:
            raise Failure(answer)
        return answer


class Oak(Channel):
    """The oak that has started this script, with its device open: `gpu`, `ranks`, `device`, `mpi`, `version`, `commit`
    and `flags` (device.flags). `keys` are those of the command line, which all runs get."""

    def __init__(self, keys):
        super().__init__(os.fdopen(REQUESTS, "w", encoding="utf-8", errors="surrogateescape"), sys.stdin, "")
        self.keys = keys
        vars(self).update(self.ask("open", *keys))

    def measure(self, keys, last=(), ranks=0, pieces=3, seconds=0.1, begin=0, steps=0):
        """One run with `keys`, those of the command line, and `last`. It measures at least `pieces` pieces, each of
        about the given number of seconds. With a number of steps, it measures one piece of so many steps from time
        `begin` on. Speeds are GCUPS of all ranks; `phases`: seconds, mean of the ranks; `total`: of all phases;
        `stepping`: of all pieces."""
        return self.ask("measure", ranks or self.ranks, pieces, seconds, begin, steps, *keys, *self.keys, *last)


class Side:
    """A run that stays, number 0 or 1 of an oak, and of which pieces are measured: a `case` of oak bench (uniform or
    adaptive) with keys. `limiter`, `flux` and `precision` are those of the run, `limiters` and `fluxes` all that it
    could have."""

    def __init__(self, oak, number, case, keys):
        self.oak, self.number = oak, number
        vars(self).update(oak.ask("begin", number, case, *keys))

    def piece(self):
        """Million cell updates per second and core."""
        return self.oak.ask("piece", self.number)["mcups"]


def alternate(a, b, count):
    """Pieces of a, as many of b, and their ratios. The speed of a machine drifts by more than the effect of most changes.
    Pieces of both therefore alternate, and each piece of b is compared with the mean of the pieces of a just before and
    just after it."""
    of_a, of_b = [a.piece()], []
    for _ in range(count):
        of_b.append(b.piece())
        of_a.append(a.piece())
    return of_a, of_b, [2 * one / (before + after) for before, one, after in zip(of_a, of_b, of_a[1:])]


class Parser(argparse.ArgumentParser):
    """Options and keys of `oak bench --NAME`. Mistakes take one line."""

    def __init__(self, name, text, after=""):
        super().__init__(prog=f"oak bench --{name}", description=text, epilog=after, allow_abbrev=False,
                         formatter_class=argparse.RawDescriptionHelpFormatter)
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


def run(main):
    """Run a script. Its exit code; failures take one message."""
    sys.stdout.reconfigure(line_buffering=True)
    try:
        sys.exit(main())
    except (Failure, OSError) as failure:
        print(f"oak: error: {failure}", file=sys.stderr)
        sys.exit(1)
