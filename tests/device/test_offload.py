#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=offload_code timeout=180 suite=all --oak @oak@ --source @source@
"""gcc's code for GPUs of NVIDIA has all kernels of a run on device openacc. Nothing runs on a GPU: an entry for each kernel is
looked for in what gcc has made, which needs its package gcc-12-offload-nvptx. Without a compiler
the same kernels run from the cache."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

import oak_test


def check(condition, text):
    """End with a text, unless a condition holds."""
    if not condition:
        raise SystemExit(text)


def main():
    """Two runs on the host, with different kernels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    part = subprocess.run(["gcc", "-print-file-name=accel/nvptx-none/mkoffload"], capture_output=True, text=True, check=False)
    if not os.path.isabs(part.stdout.strip()):
        oak_test.skip_all("gcc makes code for the host only")
    problem = os.path.join(options.source, "problems", "sedov.ini")
    for settings in (), ("refine.variable=vx", "refine.buffer=2"):
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, OAK_CACHE=folder, OAK_CFLAGS="-O0", ACC_DEVICE_TYPE="host")
            for compiler in "gcc", "none":  # the second run finds no compiler, and all kernels in the cache
                said = subprocess.run([options.oak, "run", "--overwrite", problem, "device.name=openacc", "run.max_steps=0",
                                       "mesh.block_size=8", "mesh.min_level=1", "mesh.max_level=1",
                                       "output.folder=" + folder + "/out", *settings],
                                      env=dict(environment, OAK_ACC_CC=compiler), capture_output=True, text=True, check=False)
                check(said.returncode == 0, f"oak run: {said.stderr}")
            built, = glob.glob(os.path.join(glob.escape(folder), "kernels-*.openacc"))
            names = subprocess.run(["nm", "-D", "--defined-only", built], capture_output=True, text=True, check=True).stdout
            kernels = set(re.findall(r" T (oak_\w+)", names))
            with open(built, "rb") as file:
                found = {name.decode() for name in re.findall(rb"(\w+)\$_omp_fn\$\d", file.read())}
            check(len(kernels) > 10 and kernels <= found, f"no code for {sorted(kernels - found)}, of {len(kernels)}")
            print(f"{len(kernels)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
