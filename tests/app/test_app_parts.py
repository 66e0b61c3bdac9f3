#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST flags=-O0 --oak @oak@ --source @source@
"""No kernel file needs another one: oak compiles them in parallel, or all as one file if they depend on each other, for
CTest. The case has updates and globals.

usage: test_app_parts.py --oak PATH --source TREE"""
import glob
import os
import subprocess
import sys
import tempfile

import oak_test


def main():
    options = oak_test.options(__doc__, "oak", "source")
    if len(os.sched_getaffinity(0)) == 1:
        oak_test.skip_all("needs two cores")
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache")
        ini = os.path.join(options.source, "problems", "orszag_tang.ini")
        subprocess.run([options.oak, "run", ini, "--check", "device.name=cpu", "output.folder=" + os.path.join(folder, "parts")],
                       check=True, env={**os.environ, "OAK_CACHE": cache, "OAK_KEEP": "1"}, capture_output=True)
        (log,) = glob.glob(cache + "/kernels-*/*.log")
        with open(log, encoding="utf-8") as file:
            text = file.read()
    if "error:" in text:
        sys.exit(f"the kernels of {ini} do not compile in parts:\n{text}")


main()
