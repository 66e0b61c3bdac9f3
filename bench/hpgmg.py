#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of oak's multigrid beside that of HPGMG-FV, second order, on the same cores: Poisson's equation in a cube
with values 0 at its faces. HPGMG's measure is unknowns per second of one F-cycle. oak counts the V-cycles that reduce
the residual as much. HPGMG's coefficient is stored at all faces, oak's is constant. Runs of both follow each other.

Build HPGMG (https://github.com/hpgmg/hpgmg) in finite-volume/source:

  gcc -O3 -march=native -fopenmp -DUSE_FCYCLES -DUSE_GSRB -DUSE_BICGSTAB level.c operators.fv2.c mg.c solvers.c \\
    hpgmg-fv.c timers.c -o hpgmg-fv -lm"""
import math
import os

from session import Oak, Parser, run, said, start


def main():
    parser = Parser(__doc__)
    parser.add_argument("--hpgmg", metavar="PATH", required=True, help="the program hpgmg-fv")
    parser.add_argument("--levels", default="2,3,4", help="16 * 2^level cells along each axis (2,3,4)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each program (1)")
    parser.add_argument("--pairs", type=int, default=3, help="runs of each (3)")
    options = parser.read()
    oak = Oak(options)
    print(f"{'cells':8}{'residual':>10}{'HPGMG':>10}{'oak':>10}   million unknowns per second\n{'':28}{'cycles':>10}")
    for level in (int(word) for word in options.levels.split(",")):
        best = [0, 0]
        for _ in range(options.pairs):
            # Boxes of 32^3 cells are HPGMG's fastest.
            done = start(os.path.abspath(options.hpgmg), "5", str(8 ** (level - 1)), threads=options.threads)
            residual, rate = map(float, said(done, r"rel=(\S+) [\s\S]*?DOF/s=(\S+)"))
            done = start(oak.path, "bench", "--elliptic", f"mesh.min_level={level}", f"mesh.max_level={level}",
                         f"device.threads={options.threads}", *oak.keys, threads=options.threads)
            cycles, ms, factor = map(float, said(done, r"^3D .* (\d+) +(\S+) +\S+ +\S+ +(\S+)$"))
            needed = math.ceil(-math.log(residual) / math.log(factor))
            best = max(best[0], rate / 1e6), max(best[1], 8**level * 16**3 / (1e3 * ms / cycles * needed))
        print(f"{16 << level}^3".ljust(8) + f"{residual:10.1e}{best[0]:10.1f}{best[1]:10.1f}{needed:10}")
    return 0


if __name__ == "__main__":
    run(main)
