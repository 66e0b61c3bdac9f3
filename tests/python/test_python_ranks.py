#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 needs=fake flags=-O0 --oak @oak@ --library @library@ --mpiexec @mpiexec@ --np @np@
"""Simulations in Python on several ranks and on GPUs (stand-ins: their memory is that of the host), for CTest: a rank that fails
alone, communicators of mpi4py, memory of a GPU that others use.

usage: test_python_ranks.py --oak OAK --library LIBRARY --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import ctypes
import functools
import os
import sys

import oak_test

try:
    import numpy as np
except ImportError as missing:
    oak_test.need_module(missing)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

expect = functools.partial(oak_test.expect_error, oak.OakError)
SETTINGS = {"mesh": {"block_size": 8, "min_level": 2, "max_level": 3}, "output.folder": "unused", "mesh.adapt_every": 2}


# ---- GPUs

class Program:
    """Another program of the process, which uses the driver itself."""

    def __init__(self, kind):
        names = ("MemcpyDtoHAsync_v2", "MemcpyHtoDAsync_v2", "StreamCreate", "StreamSynchronize", "MemGetInfo_v2")
        if kind == "hip":
            names = ("MemcpyDtoHAsync", "MemcpyHtoDAsync", "StreamCreateWithFlags", "StreamSynchronize", "MemGetInfo")
        driver = ctypes.CDLL({"cuda": "libcuda.so.1", "hip": "libamdhip64.so.7"}[kind])
        self._down, self._up, new, self._wait, self._info = (getattr(driver, kind[:2 + (kind == "hip")] + name) for name in names)
        self._queue = ctypes.c_void_p()
        new(ctypes.byref(self._queue), 1)

    def read(self, told):
        """The values at the address of a __cuda_array_interface__."""
        values = np.empty(told["shape"])
        for b, block in enumerate(values):
            assert self._down(block.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(told["data"][0] + b * told["strides"][0]),
                              ctypes.c_size_t(block.nbytes), self._queue) == 0
        assert self._wait(self._queue) == 0
        return values

    def write(self, told, values):
        """Begin to write values there, which the caller keeps; it goes on."""
        for b, block in enumerate(values):
            assert self._up(ctypes.c_size_t(told["data"][0] + b * told["strides"][0]), block.ctypes.data_as(ctypes.c_void_p),
                            ctypes.c_size_t(block.nbytes), self._queue) == 0

    def room(self):
        free, most = ctypes.c_size_t(), ctypes.c_size_t()
        assert self._info(ctypes.byref(free), ctypes.byref(most)) == 0
        return free.value


def on_gpu(kind):
    """Views of a GPU's memory: what they show and take, and memory that stays when oak has left it."""
    sim = oak.Simulation("kelvin_helmholtz", {**SETTINGS, "device.name": kind})
    program, rho = Program(kind), sim.view("rho", write=True)
    assert rho.__dlpack_device__() == ({"cuda": 2, "hip": 10}[kind], 0) and not hasattr(rho, "__array_interface__")
    expect("in the memory of a GPU: use cupy.asarray(view)", np.asarray, rho)
    expect("in the memory of a GPU", lambda: rho[0])
    place, before = rho.__cuda_array_interface__, sim["rho"].copy()
    assert before.shape == (sim.nblocks, 8, 8) and (program.read(place) == before).all()
    mass, dt, four = sim.totals()["rho"], sim.dt, 4 * before
    program.write(place, four)
    assert abs(sim.totals()["rho"] / mass - 4) < 1e-12 and (sim["rho"] == four).all()
    program.write(place, before)
    assert abs(sim.dt / dt - 1) < 1e-12
    kept = [(view.__cuda_array_interface__, view, view.__dlpack__()) for view in (rho, sim.view("E"))]
    sim.step(4)
    assert sim.nblocks > 16
    expect("the solution has moved since", lambda: rho.__cuda_array_interface__)
    expect("the solution has moved since", rho.__dlpack__)
    whole, copy = sim.view(), sim["my"]
    last = whole.__cuda_array_interface__
    sim.close()
    assert (program.read(last)[:, 2] == copy).all() and all(program.read(told).size for told, _, _ in kept)
    room, bytes_held = program.room(), last["shape"][0] * last["strides"][0]
    del kept, rho, whole
    assert program.room() >= room + bytes_held


def main():
    options = oak_test.options(__doc__, "oak", "library", "mpiexec", "np")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    return oak_test.run_cases(options, {kind: functools.partial(on_gpu, kind) for kind in ("cuda", "hip")})


if __name__ == "__main__":
    sys.exit(main())
