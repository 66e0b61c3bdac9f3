# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --schemes: every limiter, every flux and single precision beside one reference run."""
from statistics import median

from session import Oak, Parser, Side, alternate, run

HELP = """\
Measures every limiter, every flux and single precision, relative to van Leer with HLL in double
precision. The case is 3D with 128^3 cells in blocks of 16^3. The pieces of a scheme alternate with
pieces of the reference, so a drift of the machine's speed hardly changes the ratio.

Each line is one scheme. Its columns: MCUPS with the least and the most of 5 pieces; the ratio to the
reference with the least and the most. The last line is the reference itself.

Keys change the case for all schemes."""
PIECES = 5


def plan(reference):
    """The keys by which each line differs from the reference."""
    lines = [[f"scheme.limiter={name}"] for name in reference.limiters.split() if name != reference.limiter]
    lines += [[f"scheme.flux={name}"] for name in reference.fluxes.split() if name != reference.flux]
    if reference.precision != "single":
        lines += [[f"scheme.limiter={name}", "scheme.precision=single"] for name in ("vanleer", "weno5")]
    return lines


def print_line(side, pieces, ratios):
    text = " ".join(f"{x:8.3f}" for x in (median(ratios), min(ratios), max(ratios))) if ratios else \
        f"   reference, {len(pieces)} pieces"
    print(f"{side.limiter:14} {side.flux:8} {side.precision:9} {median(pieces):8.1f} {min(pieces):8.1f} {max(pieces):8.1f} {text}")


def main():
    options = Parser("schemes", HELP).read()
    oak = Oak(options.keys)
    print(f"{'limiter':14} {'flux':8} {'precision':9} {'MCUPS':>8} {'least':>8} {'most':>8} {'ratio':>8} {'least':>8} {'most':>8}")
    reference, every = Side(oak, 0, "uniform", oak.keys), []
    for keys in plan(reference):
        side = Side(oak, 1, "uniform", oak.keys + keys)
        of_reference, pieces, ratios = alternate(reference, side, PIECES)
        every += of_reference
        print_line(side, pieces, ratios)
    print_line(reference, every, ())


run(main)
