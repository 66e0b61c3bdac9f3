#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=long_many_ranks np=128 timeout=1800 suite=long --oak @oak@ --mpiexec @mpiexec@ --np 64,128
"""Many more ranks than cores: the same bits as one rank, for CTest (label long). Small blocks in 2D, an adapting mesh
of some thousand blocks, and one with fewer blocks than ranks. Compares the totals of every step and a picture, byte by
byte, and prints blocks and seconds of each run.

usage: test_many_ranks.py --oak OAK --mpiexec "mpiexec -n" [--np 64,128] [KEY=VALUE ...]"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time

LIMIT = 900  # s
KEYS = ["mesh.block_size=4", "mesh.adapt_every=2", "refine.criterion=lohner", "refine.variable=rho E", "scheme.limiter=minmod",
        "refine.c_refine=0.2", "refine.c_derefine=0.1", "output.diagnostics_every=1", "output.picture_width=512", "device.name=cpu",
        "device.threads=1", "device.flags=-O1"]
MESHES = {
    "thousands of blocks": ["mesh.min_level=6", "mesh.max_level=8", "run.max_steps=8", "output.picture_steps=8"],
    "fewer blocks than ranks": ["mesh.min_level=1", "mesh.max_level=2", "run.max_steps=20", "output.picture_steps=20"],
}


def run(options, np, mesh, work):
    """Files that a run leaves: {name: bytes}, and seconds."""
    folder = os.path.join(work, f"{np}_{mesh[0]}")
    launch = [*shlex.split(options.mpiexec), str(np), options.oak, "run", os.path.join(work, "run.ini"), *KEYS, *mesh,
              f"output.folder={folder}", "--quiet", *(options.keys if np > 1 else [])]
    start = time.monotonic()
    result = subprocess.run(launch, capture_output=True, text=True, timeout=LIMIT, check=False)
    seconds = time.monotonic() - start
    if result.returncode != 0:
        print(f"{np} ranks: exit status {result.returncode}\n{(result.stdout + result.stderr)[-2000:]}")
        return None, seconds
    out = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith((".png", ".csv")):
            with open(os.path.join(folder, name), "rb") as file:
                out[name] = file.read()
    return out, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True, help="command and option that the number of ranks follows")
    parser.add_argument("--np", default="64,128", help="numbers of ranks")
    parser.add_argument("keys", nargs="*", help="further keys of the runs on many ranks, such as device.transport=staged")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="oak_ranks_") as work:
        with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as file:
            file.write("[physics]\nname = euler\n[problem]\nname = implosion\n[run]\nend_time = 10\n"
                       "[boundary]\nxlow = reflect\nxhigh = reflect\nylow = reflect\nyhigh = reflect\n")
        for title, mesh in MESHES.items():
            alone, seconds = run(options, 1, mesh, work)
            if not alone or not any(name.endswith(".png") for name in alone) or "diagnostics.csv" not in alone:
                print(f"{title}: no picture or no totals on one rank: {sorted(alone or {})}")
                return 1
            rows = alone["diagnostics.csv"].decode().splitlines()
            blocks = dict(zip(rows[0].lstrip("# ").split(","), rows[-1].split(","))).get("blocks", "?")
            print(f"{title}: 1 rank, {len(rows) - 1} rows of totals, {blocks} blocks, {seconds:.1f} s", flush=True)
            for np in map(int, options.np.split(",")):
                many, seconds = run(options, np, mesh, work)
                other = [name for name in alone if many is None or many.get(name) != alone[name]]
                failed += len(other) > 0
                print(f"{title}: {np} ranks, {seconds:.1f} s: {'other bits in ' + ', '.join(other) if other else 'the same bits'}",
                      flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
