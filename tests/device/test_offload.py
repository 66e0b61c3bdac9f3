#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=offload_code timeout=180 suite=all --oak @oak@ --source @source@
"""gcc's code for GPUs of NVIDIA and AMD has all kernels of a run on device openmp. Nothing runs on a GPU: the source that oak
writes is compiled once more for each kind of GPU that an installed package of gcc (gcc-12-offload-nvptx, gcc-12-offload-amdgcn)
makes code for, and the code is searched for an entry of each kernel. In code for GPUs of NVIDIA the lanes of a warp have
one stack: no kernel of these runs may keep an array there."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

import oak_test

# Options for a kind of GPU, and what follows the name of a kernel in the name of its entry there.
TARGETS = {"nvptx-none": (["-misa=sm_80", "-lm", "-latomic"], "$_omp_fn$"), "amdgcn-amdhsa": (["-lm"], "._omp_fn.")}


def check(condition, text):
    """End with a text, unless a condition holds."""
    if not condition:
        raise SystemExit(text)


def command_of(oak, problem, folder, *settings):
    """The command that compiled the kernels of a run for the host; their source stays in the folder."""
    environment = dict(os.environ, OAK_CACHE=folder, OAK_KEEP="1", OAK_OMP_CC="gcc", OAK_CFLAGS="-O0")
    said = subprocess.run([oak, "run", problem, "device.name=openmp", "run.max_steps=0", "mesh.block_size=8",
                           "mesh.min_level=1", "mesh.max_level=1", "output.folder=" + folder + "/out", *settings],
                          env=environment, capture_output=True, text=True, check=False)
    check(said.returncode == 0, f"oak run: {said.stderr}")
    log, = glob.glob(os.path.join(glob.escape(folder), "kernels-*", "*.log"))
    with open(log, encoding="utf-8") as lines:
        return [line.split() for line in lines if " -o " in line][-1]


def entries(command, target, out):
    """Compile for a kind of GPU. (kernels that the file exports, those with an entry in the code for the GPU)"""
    options, mark = TARGETS[target]
    words = [word for word in command if word not in ("-foffload=disable", "-DOAK_ON_HOST=1", "-O0")]
    words[words.index("-o") + 1] = out
    words += ["-foffload=" + target] + [f"-foffload-options={target}={option}" for option in options]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    check(built.returncode == 0, f"{' '.join(words)}:\n{built.stderr[:4000]}")
    names = subprocess.run(["nm", "-D", "--defined-only", out], capture_output=True, text=True, check=True).stdout
    with open(out, "rb") as file:
        code = file.read()
    found = {name.decode() for name in re.findall(rb"(\w+)" + re.escape(mark.encode()) + rb"\d", code)}
    shared = re.findall(rb"// BEGIN FUNCTION DEF: (oak_\w+)\S*((?:(?!// BEGIN FUNCTION).)*)", code, re.DOTALL)
    shared = [name.decode() for name, text in shared if re.search(rb"sub.u64 %frame,%sspprev,[1-9]", text)]
    check(target != "nvptx-none" or not shared, f"lanes of a warp share arrays of {shared}")
    return set(re.findall(r" T (oak_\w+)", names)), found


def main():
    """All kinds of GPUs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    here = [target for target in TARGETS if os.path.isabs(subprocess.run(
        ["gcc", f"-print-file-name=accel/{target}/mkoffload"], capture_output=True, text=True, check=False).stdout.strip())]
    for target in sorted(set(TARGETS) - set(here)):
        oak_test.skip_part(target, f"gcc has no part for it: the package gcc-12-offload-{target.split('-')[0]} is missing")
    if not here:
        oak_test.skip_all("gcc makes code for the host only")
    problem = os.path.join(options.source, "problems", "sedov.ini")
    for settings in (), ("refine.variable=vx", "refine.buffer=2"):
        with tempfile.TemporaryDirectory() as folder:
            command = command_of(options.oak, problem, folder, *settings)
            for target in here:
                kernels, found = entries(command, target, os.path.join(folder, "kernels.so"))
                check(len(kernels) > 10 and kernels <= found, f"{target}: no code for {sorted(kernels - found)}, of {len(kernels)}")
                print(f"{target}: {len(kernels)} kernels")
    return 0


if __name__ == "__main__":
    sys.exit(main())
