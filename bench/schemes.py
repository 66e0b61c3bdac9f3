#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every limiter, every flux and single precision beside one reference run."""
import subprocess
from statistics import median

from rows import Row
from session import Oak, Parser, above_zero, alternate, run

HELP = """\
Measures every limiter, every flux and single precision, relative to van Leer with HLL in double
precision. The case is 3D with 128^3 cells in blocks of 16^3. The pieces of a scheme alternate with
pieces of the reference, so a drift of the machine's speed hardly changes the ratio.

Each line is one scheme. Its columns: MCUPS with the least and the most of the pieces; the ratio to the
reference with the least and the most. The last line is the reference itself.

Keys change the case for all schemes."""
REFERENCE = {"scheme.limiter": "vanleer", "scheme.flux": "hll", "scheme.precision": "double"}


def plan(oak):
    """The keys by which each line differs from the reference. `oak info` names limiters and fluxes."""
    text = subprocess.run([oak.path, "info"], stdout=subprocess.PIPE, text=True, check=True).stdout
    info = dict(line.split(None, 1) for line in text.splitlines() if len(line.split()) > 1)
    common, *more = info["fluxes"].split("; with ")
    fluxes = common.split() + [name for words in more for name in words.split()[2:] if words.startswith("euler ")]
    return ([{"scheme.limiter": name} for name in info["limiters"].split() if name != "vanleer"]
            + [{"scheme.flux": name} for name in fluxes if name != "hll"]
            + [{"scheme.limiter": name, "scheme.precision": "single"} for name in ("vanleer", "weno5")])


def piece_of(oak, keys):
    last = [f"{key}={value}" for key, value in keys.items()]
    return lambda: 1e3 * oak.measure(["device.threads=1", *Row("uniform", 3, 128, 16).keys()], last, pieces=1)["gcups"] / oak.ranks


def print_line(keys, pieces, ratios):
    text = " ".join(f"{x:8.3f}" for x in (median(ratios), min(ratios), max(ratios))) if ratios else \
        f"   reference, {len(pieces)} pieces"
    print("{:14} {:8} {:9}".format(*(keys[key] for key in REFERENCE)),
          f"{median(pieces):8.1f} {min(pieces):8.1f} {max(pieces):8.1f} {text}")


def main():
    parser = Parser(HELP)
    parser.add_argument("--pieces", type=above_zero(int), default=5, metavar="N", help="pieces of each scheme (5)")
    options = parser.read()
    oak, every = Oak(options), []
    print(f"{'limiter':14} {'flux':8} {'precision':9} {'MCUPS':>8} {'least':>8} {'most':>8} {'ratio':>8} {'least':>8} {'most':>8}")
    for keys in plan(oak):
        keys = {**REFERENCE, **keys}
        of_reference, pieces, ratios = alternate(piece_of(oak, REFERENCE), piece_of(oak, keys), options.pieces)
        every += of_reference
        print_line(keys, pieces, ratios)
    print_line(REFERENCE, every, ())


run(main)
