#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Two sets of keys, or two builds of oak, in alternating pieces."""
import math
import os
from statistics import median

from rows import Row
from session import Oak, Parser, alternate, run

HELP = """\
Measures which of two runs is faster. A and B are keys in quotes, or the path of the program oak of
another build, which keys may follow:
  bench/compare.py "scheme.limiter=vanleer" "scheme.limiter=weno5"
  bench/compare.py ../main/build/oak build/oak mesh.block_size=8
Pieces of A and B alternate. The command prints the median of the ratio of their speeds, B / A, with
its 95 % interval (from order statistics, so for any distribution)."""
AFTER = "Both builds must know `oak bench --measure`. Further keys are for both."
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


def main():
    parser = Parser(HELP, AFTER)
    parser.usage = "compare.py A B [--adaptive] [--pieces N] [section.key=value ...]"
    parser.add_argument("--adaptive", action="store_true",
                        help="levels 2 to 4, adapting every 4 steps; otherwise 3D 128^3 with blocks of 16^3")
    parser.add_argument("--pieces", type=int, default=15, metavar="N", help=f"pieces of B, 6 to {MOST_PIECES} (15)")
    options = parser.read()
    if len(options.keys) < 2 or not 6 <= options.pieces <= MOST_PIECES:
        parser.error(f"A and B are needed, and --pieces must be a number from 6 to {MOST_PIECES}")
    both, options.keys = options.keys, []
    sides = [read_side(text, both[2:], parser) for text in both[:2]]
    row = Row("amr", 3, 256, 16) if options.adaptive else Row("uniform", 3, 128, 16)

    def piece_of(program, keys):
        oak = Oak(options, program)
        return lambda: 1e3 * oak.measure(["device.threads=1", *row.keys()], keys, pieces=1, seconds=0.3)["gcups"] / oak.ranks

    a, b = (piece_of(program, keys) for program, keys in sides)
    *speeds, ratios = alternate(a, b, options.pieces)
    print(f"   {'median':>9} {'least':>9} {'most':>9}   MCUPS per core")
    for name, (program, keys), pieces in zip("AB", sides, speeds):
        print(f"{name}  {median(pieces):9.2f} {min(pieces):9.2f} {max(pieces):9.2f}   "
              + " ".join(([program] if program else []) + keys))
    ratios.sort()
    rank = interval_rank(len(ratios))
    low, high = ratios[rank], ratios[-1 - rank]
    print(f"B / A = {median(ratios):.4f}, 95 % interval of the median {low:.4f} to {high:.4f}, from {len(ratios)} pieces")
    if low <= 1 <= high:
        print("The interval contains 1: these pieces show no difference.")


run(main)
