#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 needs=fake flags=-O0 --oak @oak@ --library @library@ --mpiexec @mpiexec@ --np @np@
"""Simulations in Python on several ranks and on GPUs (stand-ins: their memory is that of the host), for CTest: a rank that fails
alone, communicators of mpi4py, memory of a GPU that others use.

usage: test_python_ranks.py --oak OAK --library LIBRARY --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import ctypes
import functools
import os
import subprocess
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
SETTINGS = {"mesh": {"block_size": 8, "min_level": 2, "max_level": 3}, "output.folder": "unused", "mesh.adapt_every": 2,
            "device.name": "cpu"}


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


# ---- what all ranks do, in processes of their own

def make(**named):
    return oak.Simulation("kelvin_helmholtz", SETTINGS, **named)


def hooks():
    """Functions that see each step; those that fail on one rank, before, between and after collective calls."""
    sim, times = make(), []
    rank, last = sim._rank, 1
    sim.step(4, each=lambda sim: times.append(sim.time), progress=True)
    assert len(times) == 4 and times == sorted(set(times)) and times[-1] == sim.time
    with make() as other:
        other.step(4)
        assert other.time == sim.time and (other["rho"] == sim["rho"]).all()
    sim.step(until=1, each=lambda sim: rank == last and sim.step_number == 6)
    assert sim.step_number == 6
    for before in range(4):
        def fail(sim, before=before):
            for call in range(4):
                if rank == last and call == before:
                    raise ValueError("too hot")
                if call % 2:
                    sim.write("mx", -sim["mx"])
                else:
                    assert sim.totals()["rho"] > 1 and sim["vorticity"].size
        try:
            sim.step(3, each=fail)
            raise AssertionError("no error")
        except ValueError as error:
            assert rank == last and str(error) == "too hot", error
        except oak.OakError as error:
            assert rank != last and f"rank {last}: ValueError: too hot" in str(error), error
        assert sim.step_number == 7 + before
    sim.change("run.cfl", 0.1)
    dt = sim.dt
    sim.change("run.cfl", "0.2")
    assert abs(sim.dt / dt - 2) < 1e-12
    expect("cannot change", sim.change, "mesh.max_level", 4)


def views():
    """What one rank alone writes through a view, all ranks see: in time steps, ghost cells and messages."""
    sim = make()
    dt, energy = sim.dt, sim.view("E", write=True)
    if sim._rank == 1:
        energy *= 9
    assert 2 < dt / sim.dt < 4, dt / sim.dt
    sim.step()
    energy = sim.view("E", write=True)
    if sim._rank == 1:
        energy[0, 3, 3] = -1
    expect("density and pressure must be positive", sim.step)
    one = oak.Simulation("kelvin_helmholtz", {**SETTINGS, "mesh": {"block_size": 8, "min_level": 0, "max_level": 0}})
    rho = one.view("rho", write=True)  # a rank without blocks, too
    rho *= 2
    assert np.asarray(rho).shape == np.from_dlpack(rho).shape == one["rho"].shape == (one.nblocks, 8, 8)
    one.step(each=lambda sim: sim.totals())
    assert np.isfinite(one.uniform("rho").values).all() == (len(one.line((0, 0), (1, 1))) > 0) == (one.nblocks > 0) == (one.integral("rho") > 0)
    assert np.isfinite(one.value("rho", [(0.1, 0.1)])).all() == (one.nblocks > 0) and "blocks of 8^2" in repr(one)


def arrays():
    """An array on all ranks; a variable that is refused on one rank is refused on all of them."""
    sim, x = make(), (np.arange(40) + 0.5) / 40
    hill = 1 + np.exp(-((x - 0.2)**2 + (x[:, None] - 0.3)**2) / 0.01)
    sim.set({"rho": hill, "E": 0 * hill + 5}, conservative=True, refine=True)
    assert abs(sim.totals()["rho"] / hill.mean() - 1) < 1e-13 and abs(sim.totals()["E"] / 5 - 1) < 1e-13
    hill[:3, :3] = -1
    expect("must be positive", sim.set, {"rho": hill})
    own = sim.nblocks == 0 or sim.find([(0.01, 0.01)])[0] >= 0
    expect("", sim.write, "rho", np.full(sim["rho"].shape, "one") if own else sim["rho"])
    expect("", sim.adapt, ["up"] * sim.nblocks if own else np.zeros(sim.nblocks))
    assert sim.totals()["rho"] > 1 and sim.step() is None


def communicators():
    """Ranks that each have a simulation of their own, and one of all ranks."""
    from mpi4py import MPI  # pylint: disable=import-outside-toplevel
    world = MPI.COMM_WORLD
    with oak.Simulation("kelvin_helmholtz", {**SETTINGS, "run.cfl": 0.1 * (world.rank + 1)}, MPI.COMM_SELF) as own:
        own.step(world.rank + 1)
        assert own.step_number == world.rank + 1 and own.nblocks == own._lib.oak_nblocks_global(own._sim)
    part, all_ranks = make(comm=world.Split(world.rank % 2)), make(comm=world)
    part.step(2)
    all_ranks.step(2)
    assert part.time == all_ranks.time and part.nblocks == world.allreduce(all_ranks.nblocks)
    rays = np.concatenate(world.allgather(all_ranks.line((0, 0), (1, 0.7))))
    assert (np.sort(rays, order="s") == part.line((0, 0), (1, 0.7))).all()
    grids = world.allgather(all_ranks.uniform("rho", part.max_level).values)
    assert (np.fmax.reduce(grids) == part.uniform("rho").values).all()
    for wrong in (MPI.COMM_NULL, 5):
        expect("give a communicator of mpi4py", oak.Simulation, "kelvin_helmholtz", SETTINGS, wrong)


def alone():
    """A rank that ends by an exception, while the others wait for it."""
    sim = make()
    if sim._rank == 1:
        sim.step(-1)
    sim.step(5)


CHILDREN = {child.__name__: child for child in (hooks, views, arrays, communicators, alone)}


def on_ranks(options, name):
    if name == "communicators":
        oak_test.need_mpi4py(options.library)
    done = subprocess.run([*options.start, sys.executable, os.path.abspath(__file__)], env={**os.environ, "OAK_TEST_CHILD": name},
                          capture_output=True, text=True, timeout=oak_test.LIMIT, check=False)
    if name == "alone":
        assert done.returncode and "steps = -1: must be a whole number" in done.stderr, done.stderr
    else:
        assert done.returncode == 0, done.stdout + done.stderr
    if name == "hooks":
        assert "step 4, time" in done.stderr and "100 %" in done.stderr, done.stderr


def main():
    if "OAK_TEST_CHILD" in os.environ:
        CHILDREN[os.environ["OAK_TEST_CHILD"]]()
        return 0
    options = oak_test.options(__doc__, "oak", "library", "mpiexec", "np")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    return oak_test.run_cases(options, {**{name: functools.partial(on_ranks, options, name) for name in CHILDREN},
                                        **{kind: functools.partial(on_gpu, kind) for kind in ("cuda", "hip")}})


if __name__ == "__main__":
    sys.exit(main())
