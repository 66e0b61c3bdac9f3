#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same problem on 1, 2, 4, ... ranks (paper, "Strong scaling", "Weak scaling", "Strong
scaling with AMR"): speed, efficiency, and where the time goes."""
import argparse
import csv

from rows import Row
from session import Oak, Parser, above_zero, run

HELP = """\
Runs 3D Rayleigh-Taylor with van Leer on 1, 2, 4, ... up to --ranks ranks, with one thread each unless
device.threads is given. Prints million cell updates per second (median of 5 pieces), the efficiency, and
the share of each phase in percent (mean of the ranks)."""
# The phases of oak's answers, and their columns.
PHASES = {"flux and update": "flux", "ghost cells R1": "R1", "ghost cells R2": "R2", "MPI transfer": "transfer",
          "flux fixing": "fluxfix", "time step reduction": "dt", "refinement flags": "flags",
          "mesh adaptation (p4est)": "mesh", "block adaptation": "blocks", "partitioning": "partition",
          "ghost cell pattern": "pattern", "other": "other"}
HEADS = list(PHASES.values())[1:]


class Line:
    """One number of ranks. `share`: of the time, by phase; `efficiency`: relative to the fewest ranks."""

    def __init__(self, block, ranks, found, first):
        self.block, self.ranks, self.cells = block, ranks, found["cells"]
        self.mcups, self.least, self.most = (1e3 * found[name] for name in ("gcups", "least", "most"))
        self.share = [found["phases"][name] / found["total"] for name in PHASES]
        self.efficiency = self.mcups / ranks / (first.mcups / first.ranks) if first else 1.0

    def __str__(self):
        return (f"{self.ranks:5} {1e-6 * self.cells:8.2f} {self.mcups:9.1f} {self.least:9.1f} {self.most:9.1f} "
                f"{100 * self.efficiency:5.1f}% {100 * (1 - self.share[0]):7.1f}%  "
                + "".join(f" {100 * s:{len(head)}.1f}" for head, s in zip(HEADS, self.share[1:])))


def measure(oak, *, weak=False, adaptive=False, side=0, blocks=(16,), fewest=1, seconds=0.5, file=None):
    """All blocks and ranks, printed as they come. Returns the lines."""
    result, writer = [], csv.writer(file, lineterminator="\n") if file else None
    side = side or (512 if oak.gpu else 128) << adaptive  # that of a GPU would take minutes on a CPU
    mesh, kind = "adaptive" if adaptive else "uniform", "weak" if weak else "strong"
    if writer:
        writer.writerow("mesh,kind,block,ranks,cells,mcups,least,most,efficiency,outside".split(",") + list(PHASES))
    for block in blocks:
        print(f"\n3D Rayleigh-Taylor, {mesh}, blocks of {block}^3, "
              f"{'a cube for each rank (weak)' if weak else 'one domain (strong)'}, MCUPS")
        print(f"{'ranks':>5} {'Mcells':>8} {'MCUPS':>9} {'least':>9} {'most':>9} {'eff.':>6} {'outside':>8}  "
              "percent of the time:", *HEADS)
        keys = ["device.threads=1", *Row("amr" if adaptive else "uniform", 3, side, block).keys()]
        ranks, first = min(fewest, oak.ranks), None
        while True:
            cubes = [f"mesh.trees={ranks} 1 1", f"mesh.xmax={ranks} 1 1"] if weak else []
            found = oak.measure(keys, cubes, ranks=ranks, pieces=5, seconds=seconds)
            one = Line(block, ranks, found, first)
            first = first or one
            result.append(one)
            print(one)
            if writer:
                writer.writerow([mesh, kind, block, ranks, one.cells] + [f"{v:.3f}" for v in (one.mcups, one.least, one.most)]
                                + [f"{v:.4f}" for v in (one.efficiency, 1 - one.share[0], *one.share)])
            if ranks == oak.ranks:
                break
            ranks = min(2 * ranks, oak.ranks)
    return result


def read_blocks(text):
    blocks = [int(word) if word.isdigit() else 0 for word in text.split(",")]
    if not all(4 <= block <= 1024 for block in blocks):
        raise argparse.ArgumentTypeError(f"{text} must be numbers from 4 to 1024, with commas")
    return blocks


def main():
    parser = Parser(HELP)
    parser.add_argument("--weak", action="store_true", help="every rank gets a cube of its own")
    parser.add_argument("--adaptive", action="store_true",
                        help="the paper's adaptive run: levels from 2 on, adapting every 4 steps; --side counts cells of "
                        "the finest level")
    parser.add_argument("--side", type=above_zero(int), default=0, metavar="N",
                        help="cells along a side of the domain; with --weak along a side of each rank's cube (GPU: 512, "
                        "adaptive 1024; CPU: 128, adaptive 256)")
    parser.add_argument("--blocks", type=read_blocks, default=[16], metavar="LIST",
                        help="cells along a side of a block, such as 8,16,32 (16)")
    parser.add_argument("--fewest", type=above_zero(int), default=1, metavar="N",
                        help="the fewest ranks; the others are compared with them (1)")
    parser.add_argument("--seconds", type=above_zero(float), default=0.5, metavar="S", help="duration of a piece (0.5)")
    parser.add_argument("--out", metavar="FILE", type=argparse.FileType("w", encoding="utf-8"),
                        help="write the table as CSV too")
    options = parser.read()
    oak, file = Oak(options).look(), options.out
    wanted = {name: getattr(options, name) for name in ("weak", "adaptive", "side", "blocks", "fewest", "seconds")}
    measure(oak, file=file, **wanted)
    if file:
        file.close()


if __name__ == "__main__":
    run(main)
