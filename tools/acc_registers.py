#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Registers and spills that an NVIDIA GPU needs for oak's kernels of device openacc, on a machine without a GPU. gcc
stores PTX in the built kernels, and ptxas (CUDA) compiles it and prints these numbers. Kernels with this code are in
the cache after a run with a gcc that makes code for GPUs, also after one with ACC_DEVICE_TYPE=host.

usage: acc_registers.py [--arch sm_90] $OAK_CACHE/kernels-*.openacc"""
import argparse
import os
import re
import subprocess
import tempfile

ENTRY = re.compile(r"Compiling entry function '(\w+)\$.*?(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers",
                   re.S)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("file", nargs="+")
    options = parser.parse_args()
    found = 0
    for file in options.file:
        with open(file, "rb") as f:
            texts = [text for text in f.read().split(b"\0") if b".target" in text and b".entry" in text]
        for text in texts:
            with tempfile.TemporaryDirectory() as folder:
                ptx = os.path.join(folder, "kernel.ptx")
                with open(ptx, "wb") as f:
                    f.write(text[text.index(b".version"):])
                said = subprocess.run(["ptxas", "-c", "-v", "-arch=" + options.arch, ptx, "-o", ptx + ".cubin"],
                                      capture_output=True, text=True, check=True).stderr
            for name, stores, loads, registers in ENTRY.findall(said):
                print(f"{name:28} {registers:>4} registers, {stores} and {loads} bytes of spills written and read")
                found += 1
    if not found:
        raise SystemExit("no code for NVIDIA GPUs in these files: build them with a gcc that has its offload package")


if __name__ == "__main__":
    main()
