#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST --oak @oak@ --library @library@ --memory $<TARGET_FILE:fail_memory>
"""Simulations in Python under misuse, for CTest: random calls while memory runs out, Ctrl-C, signal handlers and
threads that call in between, copies, forks, and the end of MPI. After each call the blocks that Python knows must be
those that oak has: the integrals that both compute agree, and mass and energy are those of the start. Memory that was
freed is no longer mapped, so an access to it ends the test.

usage: test_python_calls.py --oak OAK --library LIBRARY --memory FAIL_MEMORY"""
import copy
import ctypes
import functools
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import oak_test
from implosion import INI

try:
    import numpy as np
except ImportError as missing:
    oak_test.need_module(missing)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

expect = functools.partial(oak_test.expect_error, oak.OakError)

# As in test_python_package.py, whose kernels are compiled already.
SETTINGS = {"mesh": {"dim": 2, "block_size": 8, "min_level": 1, "max_level": 3}, "output.folder": "unused"}
LOST = "so there is no solution"


def totals(sim):
    """Mass and energy, after a check that Python and oak agree on them."""
    theirs = sim.totals()
    for name in ("rho", "E"):
        assert abs(sim.integral(name) - theirs[name]) < 1e-13 * theirs[name], (name, sim.integral(name), theirs[name])
    assert abs(sim.volume.sum() * 64 - 0.09) < 1e-14 and (np.diff(np.unique(sim.level)) == 1).all()
    assert sim["level"].shape == sim["rho"].shape and (sim["level"] == sim.level[:, None, None]).all()
    return np.array([theirs["rho"], theirs["E"]])


def check_same(sim, other):
    assert sim.time == other.time and sim.nblocks == other.nblocks
    assert all((sim.uniform(name).values == other.uniform(name).values).all() for name in sim.variables)


# ---- memory

def calls(sim, path):
    """Calls by name."""
    def wrong():
        values = sim["rho"].copy()
        values[-1, 0, 0] = -1
        expect("must be positive", sim.write, "rho", values)

    return {"step": lambda: sim.step(2), "adapt": sim.adapt, "vorticity": lambda: sim["vorticity"],
            "write": lambda: sim.write("mx", -sim["mx"]), "wrong": wrong, "rho": lambda: sim.uniform("rho"),
            "read": lambda: sim.read_checkpoint(path), "save": lambda: sim.write_checkpoint(path + ".new"),
            "plot": lambda: sim.write_plotfile(path + ".plt")}


def check_memory(ini, work, memory):
    """Random calls, in which an allocation of oak fails, and then some more."""
    chance, path = random.Random(7), os.path.join(work, "checkpoint")
    sim = oak.Simulation(ini, SETTINGS)
    begin, views, failed, lost = totals(sim), [], {}, 0
    sim.step(9)
    sim.write_checkpoint(path)
    for number in range(300):
        name, call = chance.choice(list(calls(sim, path).items()))
        memory(chance.randrange(1, 4 ** chance.randrange(1, 6)), chance.choice((1, 1, 3, 1000)))
        try:
            call()
        except (oak.OakError, AssertionError) as error:  # a refusal of another kind than the expected one
            if memory(0, 0) > 0:
                raise
            failed[name] = failed.get(name, 0) + 1
            assert "memory" in str(error) or "MB" in str(error), (number, name, error)
        memory(0, 0)
        try:
            sim.adapt()  # what lacked memory gets it now
        except oak.OakError as error:
            assert LOST in str(error), (number, name, error)
            expect(LOST, lambda: sim["rho"])
            expect(LOST, sim.step)
            sim.read_checkpoint(path)
            lost += 1
        assert (abs(totals(sim) / begin - 1) < 1e-12).all(), (number, name, totals(sim), begin)
        views = [*views[-9:], np.asarray(sim.view("rho"))]
        assert (views[-1] == sim["rho"]).all()
        assert all(view.sum() != 0 for view in views)  # memory that oak has left, too
    sim.close()
    assert all(view.sum() != 0 for view in views)
    assert lost > 3 and {"step", "adapt", "write", "read", "save"} <= failed.keys(), (failed, lost)
    print(f"{sum(failed.values())} of 300 calls lacked memory, {lost} of them lost the solution: {failed}")


# ---- misuse

def junk(chance, sim):
    """An argument, right or wrong."""
    return chance.choice((None, True, -1, 0, 1, 2, 2.5, 1e-3, -1e9, float("nan"), "rho", "mx", "p", "vorticity", "x", "z", "q", "", "a\0", b"rho",
                          (), (0.1, 0.1), (0.1, 0.1, 0.1), [0, "x"], {}, {"rho": np.ones((3, 3))}, {"E": -np.ones((2, 2))}, object(), lambda s: s.time,
                          lambda s: s.step(), lambda s: 1 / 0, lambda s: s.close(), np.zeros(3), np.full((sim.nblocks, 8, 8), 2.0), "run.cfl", sim))


def check_sequences(ini):
    """1000 sequences of calls with any arguments: exceptions of Python, never a crash, and nothing that stays in memory."""
    chance, views, raised, held, number = random.Random(11), [], {}, [], 0
    sims = [oak.Simulation(ini, {**SETTINGS, "mesh.max_level": 2}) for _ in range(2)]
    names = [name for name in dir(sims[0]) if name[0] != "_" and not name.startswith(("write_", "read_", "to_")) and name != "comm"]
    while number < 1000:
        number += 1
        for place, sim in enumerate(sims):
            if repr(sim).endswith("closed>"):
                sims[place] = oak.Simulation(ini, {**SETTINGS, "mesh.max_level": 2})
        sim = chance.choice(sims)
        for _ in range(chance.randrange(1, 6)):
            name = chance.choice([*names, *["view"] * 9, *["step"] * 3])
            if name == "close" and chance.random() < 0.8:
                continue
            try:
                if views and chance.random() < 0.3:
                    view = chance.choice(views)
                    chance.choice((lambda: view[0], lambda: view * 2, view.sum, view.__dlpack__, lambda: view.__setitem__(0, 3.0),
                                   lambda: np.asarray(view), lambda: copy.copy(view), lambda: pickle.dumps(view), lambda: view.none))()
                arguments = [junk(chance, sim) for _ in range(chance.randrange(3))]
                result = getattr(sim, name)
                result = result(*arguments) if callable(result) else result
                if name == "view":
                    views = [*views[-5:], result]
                    held = [*held[-5:], np.asarray(result)]
            except Exception as error:  # pylint: disable=broad-exception-caught
                raised[type(error).__name__] = raised.get(type(error).__name__, 0) + 1
        if number % 100 == 0:
            with open("/proc/self/statm", encoding="ascii") as file:
                used = int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
            first = used if number == 100 else first
    assert all(array.size == 0 or array.sum() is not None for array in held)
    for sim in sims:
        sim.close()
    print(f"1000 sequences raised {raised}; memory grew by {(used - first) / 1e6:.1f} MB")
    assert raised["OakError"] > 100 and used - first < 30e6, (raised, used - first)


# ---- signals

def check_interrupts(ini):
    """Ctrl-C at any time: the solution is that before or after a call, and the mesh is known."""
    chance, hits = random.Random(5), 0
    with oak.Simulation(ini, SETTINGS) as sim:
        begin = totals(sim)
        for number in range(60):
            values = sim["rho"].copy()
            values[0, 0, 0] = -1
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(1e-4, 2e-2))
            try:
                while True:
                    try:
                        sim.write("rho", values)
                    except oak.OakError:  # also if another mesh has another number of blocks
                        pass
                    sim.step()
            except KeyboardInterrupt:
                hits += 1
            assert (sim["rho"] > 0).all() and (abs(totals(sim) / begin - 1) < 1e-12).all(), number
            sim.step(2)
    assert hits == 60


def check_handlers(ini):
    """A signal handler may look, but not step within a step; what it changes in between is taken into account."""
    said, times = [], []
    with oak.Simulation(ini, SETTINGS) as sim, oak.Simulation(ini, SETTINGS) as other:
        def handler(*_):
            times.append((sim.time, sim["rho"].sum(), len(sim.level) == sim.nblocks))
            for call in (sim.step, sim.adapt, other.step, lambda: sim.write("mx", -sim["mx"])):
                try:
                    call()
                except oak.OakError as error:
                    said.append(str(error))

        before = signal.signal(signal.SIGUSR1, handler)
        begin, end = totals(sim), time.monotonic() + 60

        def send():
            while len(times) < 20 and time.monotonic() < end:
                time.sleep(0.005)
                os.kill(os.getpid(), signal.SIGUSR1)

        sender = threading.Thread(target=send)
        sender.start()
        while sender.is_alive():
            sim.step(3)
            totals(sim)
        sender.join()
        signal.signal(signal.SIGUSR1, before)
        assert said and all("within another call of oak: a signal handler may look" in text for text in said), set(said)
        assert len(times) >= 20 and all(fits for *_, fits in times) and (abs(totals(sim) / begin - 1) < 1e-12).all()


# ---- threads

def check_first(ini):
    """The first simulations of a process, in four threads at once."""
    made, wrong = [], []

    def make():
        try:
            made.append(oak.Simulation(ini, SETTINGS))
        except Exception as error:  # pylint: disable=broad-exception-caught
            wrong.append(error)

    together([make] * 4)
    assert len(made) == 4 and not wrong, wrong
    for sim in made:
        check_same(sim, made[0])
    for sim in made:
        sim.close()


def together(functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive()


def check_threads(ini):
    """Two threads that step one simulation, and a third one that looks at it, take turns."""
    wrong = []
    with oak.Simulation(ini, SETTINGS) as sim, oak.Simulation(ini, SETTINGS) as alone:
        def guarded(call):
            def run():
                try:
                    for _ in range(10):
                        call()
                except Exception as error:  # pylint: disable=broad-exception-caught
                    wrong.append(error)
            return run

        together([guarded(sim.step), guarded(sim.step), guarded(lambda: sim.uniform("rho")), guarded(lambda: sim.view("rho").sum())])
        alone.step(20)
        assert not wrong and sim.step_number == 20, wrong
        check_same(sim, alone)
        sim = oak.Simulation(ini, SETTINGS)
        closing = threading.Thread(target=sim.close)
        closing.start()
        try:
            sim.step(50)
        except oak.OakError as error:
            assert "simulation is closed" in str(error), error
        closing.join()
        expect("simulation is closed", lambda: sim.level)


# ---- copies, other processes, the end of MPI

def check_copies(ini):
    with oak.Simulation(ini, SETTINGS) as sim:
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            expect("cannot be copied or pickled", call, sim)
        child = os.fork()
        if not child:
            try:
                expect("the process that made it", sim.step)
                expect("the process that made it", lambda: sim["rho"])
                sim.close()
                del sim
                os._exit(0)
            finally:
                os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        sim.step()


def check_end(ini):
    """In a process of its own: after MPI_Finalize nothing works, and nothing ends the process."""
    sim = oak.Simulation(ini, SETTINGS)
    view = np.asarray(sim.view("rho"))
    sim.step(2)
    assert oak.library._library.MPI_Finalize() == 0  # pylint: disable=protected-access
    for call in (sim.step, sim.adapt, lambda: sim["rho"], lambda: oak.Simulation(ini, SETTINGS)):
        expect("MPI has ended", call)
    sim.close()
    assert view.sum() > 0
    print("the end is reached")


def main():
    options = oak_test.options(__doc__, "oak", "library", "memory")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    if "LD_PRELOAD" not in os.environ:  # freed memory of more than a page is no longer mapped
        os.execve(sys.executable, [sys.executable, *sys.argv],
                  {**os.environ, "LD_PRELOAD": options.memory, "MALLOC_MMAP_THRESHOLD_": "4096", "MALLOC_MMAP_MAX_": "1000000"})
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    memory = ctypes.CDLL(options.memory).fail_memory
    memory.restype, memory.argtypes = ctypes.c_long, [ctypes.c_long, ctypes.c_long]
    with tempfile.TemporaryDirectory(prefix="oak_calls_") as work:
        ini = os.path.join(work, "run.ini")
        with open(ini, "w", encoding="utf-8") as f:
            f.write(INI)
        if os.environ.get("OAK_TEST_END"):
            check_end(ini)
            return 0
        check_first(ini)
        check_threads(ini)
        check_interrupts(ini)
        check_handlers(ini)
        check_copies(ini)
        check_sequences(ini)
        check_memory(ini, work, memory)
        done = subprocess.run([sys.executable, *sys.argv], env={**os.environ, "OAK_TEST_END": "1"}, capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0 and "the end is reached" in done.stdout, (done.returncode, done.stdout, done.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
