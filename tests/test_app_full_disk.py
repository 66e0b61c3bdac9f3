#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A disk that fills up while the oak command writes to it, for CTest: one clear message that names the
file, a non-zero exit status, no hang and no crash. Mounts small file systems in memory, in a mount
namespace of its own where the machine allows that. Cases of a GPU use the stand-in (fake_cuda/fake.h): there the thread of
the disk writes while time steps go on.

usage: test_app_full_disk.py --oak OAK --mpiexec "mpiexec -n" --np N --fake FOLDER

Exit 0: passed, 1: failed, 77: skipped, since nothing can be mounted here."""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile

from test_app_cuda import environment
from test_app_errors import GOOD, LIMIT, judge, run

# What is written last before the disk is full: (name, size of the disk, arguments)
CASES = [
    ("parameters.ini", "4k", []),
    ("plotfile", "64k", ["mesh.min_level=3", "mesh.max_level=3"]),
    ("vtkhdf of a GPU", "64k", ["mesh.min_level=3", "mesh.max_level=3", "output.plot_first_last=no", "output.a.kind=vtkhdf",
                                "output.a.every_steps=2", "output.a.first_last=no"]),
    ("picture", "32k", ["output.plot_first_last=no", "output.picture_steps=1"]),
    ("slice", "32k", ["output.plot_first_last=no", "output.a.kind=slice", "output.a.every_steps=1"]),
    ("checkpoint", "40k", ["output.plot_first_last=no", "checkpoint.steps=1", "checkpoint.keep=100",
                           "run.max_steps=40", "run.end_time=10"]),
    ("diagnostics.csv", "28k", ["output.plot_first_last=no", "output.diagnostics_every=1", "run.max_steps=400",
                                "run.end_time=10"]),
]


def has_hdf5(oak):
    """Does this build write VTKHDF files?"""
    with tempfile.TemporaryDirectory(prefix="oak_disk_") as work:
        with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as f:
            f.write(GOOD.format(work=work))
        return subprocess.run([oak, "run", "run.ini", "--check", "output.a.kind=vtkhdf"], cwd=work, capture_output=True,
                              check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--np", type=int, required=True)
    parser.add_argument("--fake", required=True, help="folder with the stand-ins of driver and NVRTC")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.inside:  # mounts made inside vanish with the namespace
        inner = ["unshare", "--mount", "--map-root-user" if os.getuid() else "--propagation=private",
                 sys.executable, *sys.argv, "--inside"]
        if subprocess.run(["unshare", *inner[1:3], "true"], capture_output=True, check=False).returncode:
            print("skipped: this machine gives no mount namespace (unshare --mount)")
            return 77
        return subprocess.run(inner, check=False).returncode
    failed, before = 0, dict(os.environ)
    cases = [case for case in CASES if not case[0].startswith("vtkhdf") or has_hdf5(options.oak)]
    for name, size, arguments in cases:
        os.environ.clear()
        os.environ.update(before)
        if name.endswith("GPU"):
            os.environ.update(environment(options.fake, "late=10", {}, options.np - 1))
            arguments = arguments + ["device.name=cuda", "device.flags=-O1"]
        with tempfile.TemporaryDirectory(prefix="oak_disk_") as work:
            disk = os.path.join(work, "disk")
            os.mkdir(disk)
            if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk],
                              capture_output=True, check=False).returncode:
                print("skipped: no tmpfs can be mounted here")
                return 77
            try:
                with open(os.path.join(work, "run.ini"), "w", encoding="utf-8") as f:
                    f.write(GOOD.format(work=work).replace("/out", "/disk/out"))
                if name == "parameters.ini":
                    with open(os.path.join(disk, "ballast"), "wb") as f:
                        f.write(b"x" * 4096)
                command = [*shlex.split(options.mpiexec), str(options.np), options.oak, "run", "--quiet", "run.ini"]
                text, code, seconds = run(command + arguments, work, LIMIT)
            finally:
                subprocess.run(["umount", disk], check=False)
        wrong = judge(text, code, [r"[Nn]o space", r"disk/out"])
        if wrong:
            failed += 1
            print(f"FAILED {name}: {'; '.join(wrong)}; after {seconds:.1f} s it said:\n{text.rstrip()}\n")
    print(f"{len(cases) - failed} of {len(cases)} cases pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
