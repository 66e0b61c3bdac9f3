#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@ --fake @OAK_FAKE_CUDA@
"""A disk that fills up while the oak command writes to it, for CTest: one clear message that names the
file, a non-zero exit status, no hang and no crash. Mounts small file systems in memory, in a mount
namespace of its own where the machine allows that. Cases of a GPU use the stand-in (fake_cuda/fake.h): there the thread of
the disk writes while time steps go on.

usage: test_app_full_disk.py --oak OAK --mpiexec "mpiexec -n" --np N --fake FOLDER"""
import os
import subprocess
import sys
import tempfile

import oak_test
from oak_test import GOOD, LIMIT, judge, run
from test_app_cuda import environment

# Cases by the file for which the disk is too small: (name, size of the disk, arguments)
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
        oak_test.write(work, "run.ini", GOOD.format(work=work))
        return subprocess.run([oak, "run", "run.ini", "--check", "output.a.kind=vtkhdf"], cwd=work, capture_output=True,
                              check=False).returncode == 0


def fill(options, name, size, arguments):
    """Mistakes of one case, and what oak says."""
    if name.startswith("vtkhdf") and not has_hdf5(options.oak):
        raise oak_test.Skipped("oak was built without HDF5")
    if name.endswith("GPU"):
        os.environ.update(environment(options.fake, "late=10", {}, options.np - 1))
        arguments = arguments + ["device.name=cuda", "device.flags=-O1"]
    with tempfile.TemporaryDirectory(prefix="oak_disk_") as work:
        disk = os.path.join(work, "disk")
        os.mkdir(disk)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True,
                          check=False).returncode:
            raise oak_test.Skipped("no tmpfs can be mounted here")
        try:
            oak_test.write(work, "run.ini", GOOD.format(work=work).replace("/out", "/disk/out"))
            if name == "parameters.ini":
                oak_test.write(disk, "ballast", 4096 * "x")
            text, code, _ = run([*options.ranks, "run", "--quiet", "run.ini", *arguments], work, LIMIT)
        finally:
            subprocess.run(["umount", disk], check=False)
    return judge(text, code, [r"[Nn]o space", r"disk/out"]), text


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np", "fake", flags=("inside",))
    if not options.inside:  # mounts made inside vanish with the namespace
        inner = ["unshare", "--mount", "--map-root-user" if os.getuid() else "--propagation=private",
                 sys.executable, *sys.argv, "--inside"]
        if subprocess.run(["unshare", *inner[1:3], "true"], capture_output=True, check=False).returncode:
            oak_test.skip_all("this machine gives no mount namespace (unshare --mount)")
        return subprocess.run(inner, check=False).returncode
    before = dict(os.environ)

    def case(name, *more):
        try:
            return fill(options, name, *more)
        finally:
            os.environ.clear()
            os.environ.update(before)

    return oak_test.run_cases(options, {name: lambda name=name, more=more: case(name, *more) for name, *more in CASES})


if __name__ == "__main__":
    sys.exit(main())
