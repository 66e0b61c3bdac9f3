#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=long_host_work np=2 timeout=1800 suite=long --oak @oak@
"""The host's work in an adaptation with more than 100000 blocks on one rank, for CTest (label long): the phases of
`bench/adaptive.py` in which no kernel runs, with blocks of 4^3 cells. Fails if building the pattern of ghost cells
takes more than 50 ms, or all of the work more than 150 ms. The better of three runs counts, since other programs may
run beside it.

usage: test_host_work.py --oak OAK"""
import re
import subprocess
import sys

import oak_test

ADAPTATIONS = 8
KEYS = ["mesh.block_size=4", "mesh.min_level=5", "mesh.max_level=7", "mesh.adapt_every=1", "device.name=cpu", "device.threads=1",
        "scheme.limiter=upwind", "scheme.integrator=euler"]
PHASES = {"pattern": "ghost cell pattern", "mesh": "mesh adaptation (p4est)", "partition": "partitioning"}
MOST = {"pattern": 50, "all": 150}  # ms
LEAST_BLOCKS = 100000


def measure(oak):
    """Blocks, and milliseconds per adaptation of each phase and of all."""
    command = [oak, "bench", "--adaptive", "--steps", str(ADAPTATIONS), *KEYS]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    blocks = re.search(r"at the end (\d+) blocks", result.stdout)
    if result.returncode != 0 or not blocks:
        sys.exit(f"{' '.join(command)}: exit status {result.returncode}\n{(result.stdout + result.stderr)[-2000:]}")
    time = {}
    for name, phase in PHASES.items():
        line = re.search(rf"^ +{re.escape(phase)} +([0-9.]+) s", result.stdout, re.MULTILINE)
        time[name] = 1e3 * float(line.group(1)) / ADAPTATIONS
    time["all"] = sum(time.values())
    return int(blocks.group(1)), time


def main():
    options = oak_test.options(__doc__, "oak")
    for _ in range(3):
        blocks, time = measure(options.oak)
        slow = [name for name, most in MOST.items() if time[name] > most]
        print(f"{blocks} blocks, ms per adaptation: " + ", ".join(f"{name} {ms:.1f}" for name, ms in time.items()), flush=True)
        if blocks < LEAST_BLOCKS:
            print(f"fewer than {LEAST_BLOCKS} blocks: the test measures nothing")
            return 1
        if not slow:
            return 0
    print("above the limit of " + ", ".join(f"{MOST[name]} ms: {name}" for name in slow))
    return 1


if __name__ == "__main__":
    sys.exit(main())
