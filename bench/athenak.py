#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The speed of oak beside that of AthenaK on one GPU: blast waves in 3D on a uniform mesh, piecewise linear
reconstruction (van Leer), two stages, fp64; gas with HLLC, and MHD with HLLD. AthenaK keeps div B at 0 by constrained
transport; oak runs with it (mhd_ct) and with divergence cleaning (mhd). Runs of both programs follow each other.

Build AthenaK (https://github.com/IAS-Astrophysics/athenak, with its submodule kokkos) for a Hopper GPU:

  cmake -B build -DKokkos_ENABLE_CUDA=ON -DKokkos_ARCH_HOPPER90=ON -DPROBLEM=fluids/blast \\
    -DCMAKE_CXX_COMPILER=$PWD/kokkos/bin/nvcc_wrapper && make -C build -j16"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

from session import Failure, Oak, Parser, run

STAGES = 2
INPUT = """<job>
basename = blast
<mesh>
nghost = 2
{mesh}<meshblock>
nx1 = {block}
nx2 = {block}
nx3 = {block}
<time>
evolution = dynamic
integrator = rk2
cfl_number = 0.3
nlim = {steps}
tlim = 1e9
ndiag = 100000
<{physics}>
eos = ideal
reconstruct = plm
rsolver = {solver}
gamma = 1.6666667
<problem>
pn_amb = 0.1
pi_amb = 0.1
b_amb = 1.0
prat = 100.
inner_radius = 0.1
outer_radius = 0.1
"""
AXIS = "nx{0} = {1}\nx{0}min = -0.5\nx{0}max = 0.5\nix{0}_bc = periodic\nox{0}_bc = periodic\n"


def athenak(program, physics, solver, cells, block, steps):
    """GCUPS of AthenaK by its own clock, which leaves out the start."""
    mesh = "".join(AXIS.format(axis, cells) for axis in (1, 2, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input")
        with open(path, "w", encoding="utf-8") as file:
            file.write(INPUT.format(mesh=mesh, block=block, steps=steps, physics=physics, solver=solver))
        done = subprocess.run([program, "-i", path, "-d", folder], check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
    said = re.search(r"^zone-cycles/cpu_second = (\S+)", done.stdout, re.MULTILINE)
    if not said:
        raise Failure(f"{program}: exit status {done.returncode}:\n{done.stdout[-1000:]}")
    return STAGES * float(said[1]) / 1e9


def main():
    parser = Parser(__doc__)
    parser.add_argument("--athenak", metavar="PATH", required=True, help="the program (build/src/athena)")
    parser.add_argument("--cells", type=int, default=256, help="cells along an axis (256)")
    parser.add_argument("--blocks", default="16 32 64 128", help="cells of a block along an axis (16 32 64 128)")
    parser.add_argument("--steps", type=int, default=30, help="steps of a run of AthenaK (30)")
    parser.add_argument("--pairs", type=int, default=2, help="runs of each (2)")
    options = parser.read()
    oak = Oak(options).look()
    print(f"oak {oak.version} on {oak.device}; {options.cells}^3 cells; GCUPS, medians of {options.pairs} runs")
    print(f"{'blocks':>8}{'gas, AthenaK':>14}{'oak':>8}{'MHD, AthenaK':>14}{'mhd_ct':>8}{'mhd':>8}")
    for block in map(int, options.blocks.split()):
        level = (options.cells // block).bit_length() - 1
        keys = ["mesh.dim=3", f"mesh.block_size={block}", f"mesh.min_level={level}", f"mesh.max_level={level}", "mesh.trees=1 1 1",
                "mesh.xmin=-0.5", "mesh.xmax=0.5"]
        blast = ["problem.name=mhd_blast", "scheme.flux=hlld", "scheme.on_invalid=first_order", *keys]
        runs = {
            "gas, AthenaK": lambda: athenak(options.athenak, "hydro", "hllc", options.cells, block, options.steps),
            "gas": lambda: oak.measure(["problem.name=sedov", "physics.name=euler", "scheme.flux=hllc", *keys])["gcups"],
            "MHD, AthenaK": lambda: athenak(options.athenak, "mhd", "hlld", options.cells, block, options.steps),
            "mhd_ct": lambda: oak.measure(["physics.name=mhd_ct", *blast])["gcups"],
            "mhd": lambda: oak.measure(["physics.name=mhd", *blast])["gcups"],
        }
        found = {name: [] for name in runs}
        for _ in range(options.pairs):
            for name, measure in runs.items():
                try:
                    found[name].append(measure())
                except Failure as failure:
                    print(f"{name}, blocks of {block}^3: {failure}", file=sys.stderr)
        text = ["-" if not values else f"{statistics.median(values):.2f}" for values in found.values()]
        print(f"{block:>8}" + "".join(f"{t:>{w}}" for t, w in zip(text, (14, 8, 14, 8, 8))))
    return 0


if __name__ == "__main__":
    run(main)
