# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --compare: two sets of keys, or two builds of oak, in alternating pieces. Another build runs in a process of
its own, which carries out the same requests."""
import math
import os
import subprocess
from statistics import median

from session import Channel, Oak, Parser, Side, alternate, run

HELP = """\
Measures which of two runs is faster. A and B are keys in quotes, or the path of the program oak of
another build, which keys may follow:
  oak bench --compare "scheme.limiter=vanleer" "scheme.limiter=weno5"
  oak bench --compare ../main/build/oak build/oak mesh.block_size=8
Pieces of A and B alternate. The command prints the median of the ratio of their speeds, B / A, with
its 95 % interval (from order statistics, so for any distribution)."""
AFTER = "Two builds are compared on one rank; both must know this option. Further keys are for both."
MOST_PIECES = 200


def interval_rank(n):
    """The 95 % interval of the median of n values begins at value k of the sorted values (from 0 on) and ends at value
    n - 1 - k. The median lies below value k if at most k values lie below the median. The probability of this is that of
    at most k heads in n tosses of a coin. The largest such k."""
    return next(k for k in range(n) if 2 * sum(math.comb(n, i) for i in range(k + 2)) > 0.05 * 2**n)


def read_side(text, both, parser):
    """The program of a side, or None, and its keys."""
    program, keys = None, list(both)
    for word in text.split():
        if "=" in word:
            keys.append(word)
        elif not program and os.access(word, os.X_OK):
            program = word
        else:
            parser.error(f"'{word}' is neither a key (section.key=value) nor a program that can be started")
    return program, keys


class Program(Channel):
    """Another build of oak."""

    def __init__(self, path):
        child = subprocess.Popen([path, "bench", "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        super().__init__(child.stdin, child.stdout, f"{path} gave no piece; its message, if any, is above. It must be a build "
                         "of oak that knows this option")


def main():
    parser = Parser("compare", HELP, AFTER)
    parser.usage = "oak bench --compare A B [--adaptive] [--pieces N] [section.key=value ...]"
    parser.add_argument("--adaptive", action="store_true",
                        help="the adaptive case of oak bench; otherwise 3D 128^3 with blocks of 16^3")
    parser.add_argument("--pieces", type=int, default=15, metavar="N", help=f"pieces of B, 6 to {MOST_PIECES} (15)")
    options = parser.read()
    if len(options.keys) < 2 or not 6 <= options.pieces <= MOST_PIECES:
        parser.error(f"A and B are needed, and --pieces must be a number from 6 to {MOST_PIECES}")
    sides = [read_side(text, options.keys[2:], parser) for text in options.keys[:2]]
    oak, children = Oak(options.keys[2:]), any(program for program, _ in sides)
    if children and oak.ranks > 1:
        parser.error("two builds are compared on one rank, without mpirun")
    this = os.path.realpath(f"/proc/{os.getppid()}/exe")
    case, speeds = "adaptive" if options.adaptive else "uniform", []
    a, b = (Side(Program(program or this) if children else oak, n, case, keys) for n, (program, keys) in enumerate(sides))
    for side in (a, b):
        side.piece()  # the first of each is not counted
    *speeds, ratios = alternate(a, b, options.pieces)
    print(f"   {'median':>9} {'least':>9} {'most':>9}   MCUPS per core")
    for name, (program, keys), pieces in zip("AB", sides, speeds):
        print(f"{name}  {median(pieces):9.2f} {min(pieces):9.2f} {max(pieces):9.2f}   "
              + " ".join(([program or this] if children else []) + keys))
    ratios.sort()
    rank = interval_rank(len(ratios))
    low, high = ratios[rank], ratios[-1 - rank]
    print(f"B / A = {median(ratios):.4f}, 95 % interval of the median {low:.4f} to {high:.4f}, from {len(ratios)} pieces")
    if low <= 1 <= high:
        print("The interval contains 1: these pieces show no difference.")


run(main)
