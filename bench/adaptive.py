#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A piece of the paper's adaptive Rayleigh-Taylor run, and where its time goes."""
import os

from rows import Row
from session import Oak, Parser, above_zero, run

HELP = """\
Runs a part of the foap4 paper's adaptive run (Rayleigh-Taylor 3D, 16^3 blocks, levels 2 to 6, van Leer,
adapting every 4 steps). Prints GCUPS, cells, and the share of each phase. It needs about 7 GB at first
and 40 GB late in the run, and much less with mesh.max_level=4."""


def late_keys(oak, begin):
    """Keys that leave the finest level out until `begin`."""
    finest = [key.split("=", 1)[1] for key in ["mesh.max_level=6", *oak.keys] if key.startswith("mesh.max_level=")][-1]
    flags = [key.split("=", 1)[1] for key in ["device.flags=", *oak.keys] if key.startswith("device.flags=")][-1]
    problem = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rayleigh_taylor_late.c")
    return [f"problem.name={problem}",
            f"device.flags={flags} -DLATE_FROM={begin!r} -DLATE_FINEST={finest}".replace("= ", "=")]


def main():
    parser = Parser(HELP)
    parser.add_argument("--from", dest="begin", type=above_zero(float), default=0, metavar="TIME",
                        help="where the measured part begins (0). Until this time the run leaves out the finest level, "
                        "which makes it 16 times faster")
    parser.add_argument("--steps", type=above_zero(int), default=500, metavar="N", help="steps of the measured part (500)")
    options = parser.read()
    oak = Oak(options)
    found = oak.measure(Row("amr", 3, 1024, 16).keys(), late_keys(oak, options.begin) if options.begin else (),
                        begin=options.begin, steps=options.steps)
    total, phases = found["total"], found["phases"]
    print(f"from step {found['begin_step']}, t = {found['begin_time']:.5f}")
    print(f"{found['steps']} steps to t = {found['time']:.5f} in {total:.3f} s: {found['gcups']:.3g} GCUPS; at the end "
          f"{found['blocks']} blocks, {1e-6 * found['cells']:.4g} million cells")
    for name, seconds in phases.items():
        print(f"  {name:26} {seconds:8.3f} s {100 * seconds / total:6.1f} %")
    print(f"  outside flux and update: {100 * (1 - phases['flux and update'] / total):.1f} %; "
          f"{1e-9 * found['memory']:.2f} GB of all ranks")


run(main)
