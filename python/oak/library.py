# SPDX-License-Identifier: GPL-2.0-or-later
"""The oak library through ctypes: a simulation that Python steps and looks at. See include/oak.h for what each function
does; a failure is an OakError with oak's message."""
from __future__ import annotations

import atexit
import ctypes
import ctypes.util
import functools
import itertools
import math
import os
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Optional, TypeVar, Union, cast

import numpy as np

from . import convert, notebook
from .blocks import Blocks, Point
from .command import assignments, built_near, find_oak
from .data import Grid, Source
from .files import OakError
from .view import HOST, Memory, View

_library = None  # the loaded library; MPI is initialised then
_world = None  # MPI_COMM_WORLD as C takes it
_ranks = ctypes.c_int(1)
_count = itertools.count()
_ended: Optional[str] = None  # the message of a rank that has left a function of the user early, while this rank is in it
_alive: weakref.WeakSet[Simulation] = weakref.WeakSet()
_Method = TypeVar("_Method", bound=Callable[..., Any])
ENDS, FAILED = 1, 7  # what ranks tell each other of a function of the user (oak_status_t)
_lock = threading.RLock()  # one thread at a time uses the library, whatever the simulation


def _find_library():
    places = [os.environ.get("OAK_LIBRARY"), built_near(__file__, "..", "..", "build", "liboak.so")]
    try:
        program = find_oak()
        places += [built_near(program, "liboak.so")]
        places += [built_near(program, "..", lib, "liboak.so") for lib in _library_folders()]
    except OakError:
        pass
    for place in places:
        if place and os.path.exists(place):
            return os.path.abspath(place)
    found = ctypes.util.find_library("oak")
    if found:
        return found
    raise OakError("there is no liboak.so: build oak (make build), install it, or let $OAK_LIBRARY name it")


def _library_folders():
    return ("lib", "lib64", os.path.join("lib", f"{os.uname().machine}-linux-gnu"))


def _load():
    """Load the library, start MPI."""
    global _library, _world  # pylint: disable=global-statement
    if _library:
        return _library
    # RTLD_GLOBAL, because parts of MPI libraries that are loaded later need symbols of this one.
    try:
        lib = ctypes.CDLL(_find_library(), mode=ctypes.RTLD_GLOBAL)
    except OSError as wrong:
        raise OakError(f"cannot load the library of oak: {wrong}") from wrong
    try:  # Open MPI: the address of an object
        _world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(lib, "ompi_mpi_comm_world")))
    except ValueError:  # MPICH and its relatives: a number
        _world = ctypes.c_int(0x44000000)
    done = ctypes.c_int()
    lib.MPI_Initialized(ctypes.byref(done))
    atexit.register(_finish, lib, os.getpid(), not done.value)
    if not done.value:
        lib.MPI_Init_thread(None, None, 2, ctypes.byref(done))  # MPI_THREAD_SERIALIZED
    lib.MPI_Comm_size(_world, ctypes.byref(_ranks))
    sys.excepthook = functools.partial(_end_all, lib, sys.excepthook)
    for name in ("oak_last_error", "oak_variable_name", "oak_variable_unit", "oak_params_text"):
        getattr(lib, name).restype = ctypes.c_char_p
    for name in ("oak_time", "oak_time_step"):
        getattr(lib, name).restype = ctypes.c_double
    for name in ("oak_step", "oak_nblocks_global", "oak_mesh_revision", "oak_solution_revision"):
        getattr(lib, name).restype = ctypes.c_int64
    _library = lib
    return lib


def _forked():
    """In a new process, no other thread has the lock."""
    global _lock  # pylint: disable=global-statement
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_forked)


def _end_all(lib, before, kind, error, trace):
    """For sys.excepthook: a rank that ends by an exception ends the others, which would wait for it."""
    over = ctypes.c_int()
    before(kind, error, trace)
    lib.MPI_Finalized(ctypes.byref(over))
    if _ranks.value > 1 and not over.value:
        sys.stderr.flush()
        lib.MPI_Abort(_world, 1)


def _communicator(comm):
    """A communicator of mpi4py as C takes it."""
    if comm is None:
        return _world
    mpi = convert.module("mpi4py.MPI")
    if not isinstance(comm, mpi.Comm) or comm == mpi.COMM_NULL or mpi._sizeof(mpi.Comm) != ctypes.sizeof(_world):
        raise OakError(f"comm = {comm!r}: give a communicator of mpi4py that uses the MPI of oak, such as MPI.COMM_SELF")
    return type(_world)(type(_world).from_address(mpi._addressof(comm)).value)


def _finish(lib, process, ours):
    if os.getpid() != process:  # a fork
        return
    with _lock:
        for sim in sorted(_alive, key=lambda sim: sim._born):  # in the same order on all ranks
            sim._free()  # pylint: disable=protected-access
        over = ctypes.c_int()
        lib.MPI_Finalized(ctypes.byref(over))
        if ours and not over.value:
            lib.MPI_Finalize()


def _alone(method: _Method) -> _Method:
    """A method that other threads wait for."""
    @functools.wraps(method)
    def locked(self, *args, **kwargs):
        with _lock:
            return method(self, *args, **kwargs)
    return cast(_Method, locked)


def _changes(method: _Method) -> _Method:
    """A method that changes the simulation. Other threads wait for it. A signal handler, which Python calls in the
    midst of methods, must not call it there."""
    @functools.wraps(method)
    def locked(self, *args, **kwargs):
        if _lock._is_owned():  # type: ignore[attr-defined] # pylint: disable=protected-access
            raise OakError(f"{method.__name__}() within another call of oak: a signal handler may look at a simulation, "
                           "and it may set a flag after which the main program changes the simulation")
        with _lock:
            return method(self, *args, **kwargs)
    return cast(_Method, locked)


def _followed(name: str) -> Any:
    """An attribute that is read anew when the mesh or the solution has changed."""
    def get(self):
        with _lock:
            self._follow()
            return self.__dict__[name]

    def put(self, value):
        self.__dict__[name] = value
    return property(get, put)


def _check(status):
    if status != 0:
        raise OakError(_library.oak_last_error().decode(errors="replace"))


def _encode(text):
    """A path or a name for a function of C, which ends a text at a zero byte."""
    encoded = os.fsencode(text)
    if b"\0" in encoded:
        raise OakError(f"{text!r} holds a zero byte")
    return encoded


def _find_parameters(lib, name):
    """A file, or one of those that come with oak."""
    name = os.fspath(name)
    if os.path.isfile(name):
        return name
    root = ctypes.c_char_p()
    if lib.oak_source_root(ctypes.byref(root)) == 0:
        for ending in ("", ".ini"):
            path = os.path.join(root.value.decode(), "problems", name + ending)
            if os.path.isfile(path):
                return path
    return name


class Simulation(Blocks):
    """A simulation that this process (or each rank of `mpirun python3 ...`) steps. Block data are copies
    in NumPy arrays on the CPU, of the blocks of this rank: sim["rho"] is [nblocks][(NZ)][NY][NX]. view() makes no copies.

    parameters  name of a parameter file, or of a problem that comes with oak
    settings    keys that win over the file: {"mesh.max_level": 5}
    comm        a communicator of mpi4py, such as MPI.COMM_SELF for a simulation of this rank alone; None: all ranks

    derived     further names for sim[...]: vorticity, hooks OUTPUT, fields, level, ...; on several ranks these are
                collective

    What Blocks can do (uniform, slice, line, integral, ...) works on the present state. Threads may share simulations:
    each call waits until that of another thread has ended."""

    _process = 0  # that made it
    _moves = 0  # how often the solution may have moved in memory
    _lent = _written = False  # views are used, to write
    _spoils, _seen = False, None  # run.debug; the memory of views since the solution has moved, and its bytes

    level = _followed("level")
    index = _followed("index")
    _sorted = _followed("_sorted")
    _cache = _followed("_cache")

    @_alone
    def __init__(self, parameters: Union[str, os.PathLike[str]], settings: Optional[Mapping[str, Any]] = None,
                 comm: Any = None) -> None:
        self._handle, self._params, self._process = ctypes.c_void_p(), ctypes.c_void_p(), os.getpid()
        self._fits = self._holds = -1  # revisions of the mesh that was read, and of the solution in the cache
        lib = self._lib = _load()
        self.comm, self._comm, self._born, rank = comm, _communicator(comm), next(_count), ctypes.c_int()
        _alive.add(self)
        _check(lib.oak_params_new(ctypes.byref(self._params)))
        path = _find_parameters(lib, parameters)
        _check(lib.oak_params_read(self._params, self._comm, _encode(path)))
        for text in assignments(settings):
            _check(lib.oak_params_assign(self._params, _encode(text), b"settings"))
        _check(lib.oak_create(self._comm, self._params, ctypes.byref(self._handle)))
        lib.MPI_Comm_rank(self._comm, ctypes.byref(rank))
        self._rank = rank.value
        _check(lib.oak_initialize(self._sim))
        shape = (ctypes.c_int * 3)()
        lib.oak_block_shape(self._sim, shape)
        self.dim = lib.oak_dim(self._sim)
        self.block_shape = np.array(shape[:self.dim], dtype=np.int64)
        self.nvar = lib.oak_nvar(self._sim)
        self._gpu = Memory(self, False).place.memory != HOST
        self._find_variables()
        corner = (ctypes.c_double * 3)()
        self.xmin, self.xmax = np.empty(self.dim), np.empty(self.dim)
        for key, out in ((b"mesh.xmin", self.xmin), (b"mesh.xmax", self.xmax)):
            lib.oak_params_reals(self._params, key, corner)
            out[:] = corner[:self.dim]
        self.coordinates = lib.oak_params_text(self._params, b"mesh.coordinates").decode()
        self.radius = lib.oak_params_text(self._params, b"mesh.radius").decode()
        trees = (ctypes.c_int * 3)()
        lib.oak_params_ints(self._params, b"mesh.trees", trees)
        self.trees = np.array(trees[:self.dim], dtype=np.int64)
        self._spoils = bool(lib.oak_params_bool(self._params, b"run.debug"))

    @property
    def _sim(self):
        if not self._handle:
            raise OakError("this simulation is closed: make a new one")
        if self._process != os.getpid():
            raise OakError("this simulation belongs to the process that made it: make a new one in this process")
        return self._handle

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise OakError("a simulation cannot be copied or pickled: write_checkpoint(), and read_checkpoint() in another one")

    def __repr__(self) -> str:
        return super().__repr__() if self._handle else "<oak.Simulation: closed>"

    def _find_variables(self):
        """Conserved variables, then primitive ones of other names, and their numbers."""
        number = {}
        for v in range(2 * self.nvar):
            number.setdefault(self._lib.oak_variable_name(self._sim, v).decode(), v)
        text = ctypes.create_string_buffer(1 << 16)
        self._lib.oak_list_variables(self._sim, text, ctypes.c_size_t(len(text)))
        names = text.value.decode().split()  # as in outputs: v_r for vx
        self._number = dict(zip(names, number.values()))
        self.variables = list(self._number)
        self.derived = names[len(number):]
        units = {name: self._lib.oak_variable_unit(self._sim, name.encode()).decode()
                 for name in [*self.variables, *self.derived, "length", "time"]}
        self.units = {name: unit for name, unit in units.items() if unit}

    def keys(self) -> list[str]:
        return self.variables + self.derived

    def _follow(self):
        """Read the mesh anew if it is another one, and forget values of an earlier solution."""
        mesh, solution = self._lib.oak_mesh_revision(self._sim), self._lib.oak_solution_revision(self._sim)
        if mesh != self._fits:
            if not self._lib.oak_nblocks_global(self._sim):
                raise OakError("reading a checkpoint, or an adaptation, has failed halfway, so there is no solution: read "
                               "another checkpoint, or close the simulation")
            self._read_mesh()
            self._fits, self._holds = mesh, solution
        elif solution != self._holds or self._written:
            self._cache = {}
            self._holds = solution

    def _moved(self, status):
        """After a call that may have moved the solution: views end. With run.debug, which is for CPUs, the memory that the
        solution has left is filled with NaN."""
        self._moves += 1
        self._lent = self._written = False
        _check(status)
        if self._spoils:
            self._begin()  # others may read the memory of this rank until then
            if self._seen and self._seen[0].place.cells != Memory(self, False).place.cells:
                ctypes.memset(self._seen[0].place.cells, 255, self._seen[1])
                self._seen = None

    def _look(self):
        """Wait for what others do with views on a GPU, and let oak know what they may have written."""
        if self._lent:
            Memory(self, self._written)

    def _begin(self):
        """The same before a collective call, which fails on all ranks if one has left a function of the user early."""
        global _ended  # pylint: disable=global-statement
        self._look()
        if not _ended and self._lib.oak_agree(self._comm, 0) != 0:
            _ended = self._lib.oak_last_error().decode(errors="replace")
        if _ended:
            raise OakError(_ended)

    def _settle(self):
        """The same, and find the time step of what was written."""
        self._begin()
        _check(self._lib.oak_update_time_step(self._sim))

    def _read_mesh(self):
        lib, count = self._lib, self._lib.oak_nblocks(self._sim)
        origin, dx = (ctypes.c_double * 3)(), (ctypes.c_double * 3)()
        level, corner = np.empty(count, dtype=np.int64), np.empty((count, self.dim))
        for b in range(count):
            level[b] = lib.oak_block_level(self._sim, b)
            lib.oak_block_geometry(self._sim, b, origin, dx)
            corner[b] = origin[:self.dim]
        index = np.rint((corner - self._low) / (self.cell_size(level) * self.block_shape))
        self._set_blocks(level, index)

    def _step(self):
        return self.step_number

    @_changes
    def close(self) -> None:
        """Free the simulation; also done when Python forgets it."""
        self._free()

    def _free(self):
        if self._process != os.getpid():
            return
        if self._handle:
            self._lib.oak_destroy(ctypes.byref(self._handle))
            self._handle = ctypes.c_void_p()  # also if MPI has ended
        if self._params:
            self._lib.oak_params_destroy(ctypes.byref(self._params))

    @_alone
    def __del__(self) -> None:
        self._free()

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- stepping

    @property
    @_alone
    def time(self) -> float:
        return self._lib.oak_time(self._sim)

    @property
    @_alone
    def step_number(self) -> int:
        return self._lib.oak_step(self._sim)

    @property
    @_alone
    def dt(self) -> float:
        """The largest step that the CFL condition allows now; collective while there are views to write to."""
        if self._written:
            self._settle()
        return self._lib.oak_time_step(self._sim)

    @_changes
    def advance(self, dt: Optional[float] = None) -> None:
        """One time step, of self.dt or a smaller one."""
        self._settle()
        self._advance(self.dt if dt is None else dt)

    def _advance(self, dt):
        self._moved(self._lib.oak_advance(self._sim, ctypes.c_double(dt)))

    @_changes
    def adapt(self, flags: Any = None) -> bool:
        """Adapt the mesh to the refinement criterion, or to flags [nblocks]: above 0 refines the block, below 0 coarsens a whole
        family, within mesh.min_level and mesh.max_level. True if the mesh has changed."""
        self._settle()
        return self._adapt(flags)

    def _adapt(self, flags=None):
        changed = ctypes.c_int()
        if flags is None:
            status = self._lib.oak_adjust_refinement(self._sim, ctypes.byref(changed))
        else:
            try:
                number = np.asarray(flags, dtype=np.float64)
                signs = (number > 0).astype(np.intc) - (number < 0)
            except (TypeError, ValueError):
                signs = np.zeros(0, dtype=np.intc)
            if signs.shape != (self.nblocks,):
                self._lib.oak_adjust_refinement_flags(self._sim, -1, None, ctypes.byref(changed))  # fails on all ranks
                raise OakError(f"flags of shape {np.shape(flags)} do not fit {self.nblocks} blocks: give a number for each block")
            status = self._lib.oak_adjust_refinement_flags(self._sim, len(signs), self._pointer(signs), ctypes.byref(changed))
        self._moved(status)
        return bool(changed.value)

    @_changes
    def step(self, steps: int = 1, until: Optional[float] = None, each: Optional[Callable[[Simulation], Any]] = None,
             progress: bool = False) -> None:
        """Advance by a number of steps, or until a time, which the last step reaches exactly. The mesh is adapted every
        mesh.adapt_every steps, as in oak run.

        each      is called as each(sim) after each step. It may look at the simulation and change it; True ends step(). An
                  exception on one rank ends step() on all ranks.
        progress  show how far it is"""
        if until is not None and math.isnan(until):
            raise OakError("until is not a number")
        if not (hasattr(steps, "__index__") and steps >= 0):
            raise OakError(f"steps = {steps!r}: must be a whole number, 0 or more")
        first, begin, bar = self.step_number, self.time, notebook.Progress(progress and self._rank == 0)
        last, reached = first + steps, until is not None and begin >= until
        every = self._lib.oak_params_int(self._params, b"mesh.adapt_every")
        self._settle()
        while not reached and (until is not None or self.step_number < last):
            dt = self.dt
            if until is not None and self.time + dt >= until:
                dt, reached = until - self.time, True
            self._advance(dt)
            if every > 0 and self.step_number % every == 0:
                self._adapt()
            part = (self.step_number - first) / steps if until is None else (self.time - begin) / (until - begin)
            bar.show(1.0 if reached else part, f"step {self.step_number}, time {self.time:.6g}")
            if each and self._ends(each):
                break

    def _ends(self, each):
        """Call a function of the user, and let the ranks agree on what it has returned or raised."""
        global _ended  # pylint: disable=global-statement
        status, failure = 0, None
        _lock.release()
        try:
            status = ENDS if each(self) else 0
        except BaseException as error:  # pylint: disable=broad-exception-caught
            failure = error
        finally:
            _lock.acquire()
        message, _ended = _ended, None
        if message:  # the ranks have agreed within the function
            raise OakError(message) from failure
        if failure:
            status = FAILED
            self._lib.oak_fail(FAILED, b"", 0, b"%s", f"rank {self._rank}: {type(failure).__name__}: {failure}".encode())
        status = self._lib.oak_agree(self._comm, status)
        if failure:
            raise failure
        _check(0 if status == ENDS else status)
        self._settle()
        return status == ENDS

    @_changes
    def change(self, key: str, value: Any) -> None:
        """Change a key, on all ranks: parameters of physics and problem, and others that may change (include/oak/params.h,
        oak_params_set)."""
        text = assignments({key: value})[0].partition("=")[2]
        self._begin()
        _check(self._lib.oak_params_set(self._params, _encode(key), _encode(text)))
        self._settle()

    # ---- data

    @_alone
    def read(self, variable: str) -> np.ndarray:
        variable = self._name_of(variable)
        self._look()
        if self._number.get(variable, self.nvar) < self.nvar and not self._gpu:
            return np.array(View(self, self._number[variable], False), dtype=np.float64)
        out = np.empty(self._shape)
        if variable in self._number:
            _check(self._lib.oak_read_cells(self._sim, self._number[variable], 0, self.nblocks, self._pointer(out)))
        else:
            self._begin()
            _check(self._lib.oak_read_variable(self._sim, _encode(variable), self.nblocks, self._pointer(out)))
        return out

    @_alone
    def view(self, variable: Optional[str] = None, write: bool = False) -> View:
        """A conserved variable of this rank's blocks where it is, without a copy, [nblocks][(NZ)][NY][NX]; None: all of
        them, [nblocks][nvar][(NZ)][NY][NX]. With write, it may be written, on all ranks; the next step takes account of
        it, but not of the field of mhd_ct, which is on faces. It lasts until the simulation advances or adapts."""
        view = View(self, None if variable is None else self._conserved(variable), write)
        self._written |= write
        self._lent |= write or self._gpu
        if self._spoils:
            self._seen = view._memory, len(view) * view._memory.place.block_bytes
        return view

    @_changes
    def write(self, variable: Union[str, Mapping[str, Any]], values: Any = None) -> None:
        """Overwrite a conserved variable in all blocks of this rank, or several of them, {name: values}. Values that make a
        cell invalid are refused, and the solution stays as it was. Either way the next time step is computed again.
        Collective."""
        new = variable if isinstance(variable, Mapping) else {variable: values}
        numbers, wrong = [self._conserved(name) for name in new], ""
        for name, cells in new.items():
            if np.ma.is_masked(cells):
                wrong = "some values are masked; give a value to each cell, such as values.filled(sim[name])"
            elif np.shape(cells) != self._shape:
                wrong = f"values of shape {np.shape(cells)} do not fit {self.nblocks} blocks of {self._shape_text} cells"
        self._put(numbers, [] if wrong else list(new.values()), wrong)

    def _put(self, numbers, values, wrong=""):
        """Write conserved variables by their numbers. wrong: why this rank cannot; then all ranks fail."""
        self._begin()
        try:
            cells = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            cells, wrong = np.zeros(0), f"values are not numbers: {error}"
        status = self._lib.oak_write_variables(self._sim, len(numbers), (ctypes.c_int * len(numbers))(*numbers),
                                               -1 if wrong else self.nblocks, self._pointer(cells))
        if wrong:
            raise OakError(wrong)
        _check(status)

    @_changes
    def set(self, values: Source, lower: Optional[Point] = None, upper: Optional[Point] = None, conservative: bool = False,
            refine: bool = False) -> None:
        """Set conserved variables to arrays [(nz)][ny][nx] on an even grid, {"rho": array, ...}, or to those of a file (.npy, .npz,
        .h5, .csv), the same on all ranks. Values that make a cell invalid are refused.

        lower, upper  the corners of the grid (default: the domain). Arrays x, y, ... with the centres of its cells win.
        conservative  take means that keep integrals; otherwise values are linear between the centres of the grid's cells
        refine        refine the mesh around the values, level by level"""
        grid = Grid(self, values, lower, upper)
        low, high = (self._lib.oak_params_int(self._params, key) for key in (b"mesh.min_level", b"mesh.max_level"))
        for passes in reversed(range(high - low + 2 if refine else 1)):
            self._put(grid.numbers, [grid.on_blocks(name, conservative) for name in grid.values])
            if not passes or not self._adapt():
                break

    def _conserved(self, variable):
        number = self._number.get(self._find_name(variable), self.nvar)
        if number >= self.nvar:
            raise OakError(f"{variable!r} is no conserved variable; those are {', '.join(self.variables[:self.nvar])}")
        return number

    @_alone
    def totals(self) -> dict[str, float]:
        """Integrals of the conserved variables over the domain, of all ranks: {name: value}."""
        self._begin()
        out = np.empty(self.nvar)
        _check(self._lib.oak_totals(self._sim, self._pointer(out)))
        return dict(zip(self.variables, out.tolist()))

    @_alone
    def write_plotfile(self, path: Union[str, os.PathLike[str]]) -> None:
        self._begin()
        _check(self._lib.oak_write_grid(self._sim, _encode(path)))

    @_alone
    def write_output(self, name: str) -> None:
        """Write the output of the section [output.NAME] to output.folder, as a run does when it is due: files, or a row
        of a table. The keys that say when it is due have no effect. Collective."""
        self._begin()
        _check(self._lib.oak_write_output(self._sim, _encode(name)))

    @_alone
    def write_checkpoint(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the whole state, from which read_checkpoint or `oak run` can go on."""
        self._settle()
        _check(self._lib.oak_write_checkpoint(self._sim, _encode(path)))

    @_changes
    def read_checkpoint(self, path: Union[str, os.PathLike[str]]) -> None:
        """Go on from a checkpoint of this problem."""
        self._begin()
        self._moved(self._lib.oak_read_checkpoint(self._sim, _encode(path)))

    @_alone
    def write_picture(self, path: Union[str, os.PathLike[str]]) -> None:
        """A picture by the keys output.picture_*."""
        self._begin()
        _check(self._lib.oak_write_picture(self._sim, _encode(path)))

    _must = staticmethod(_check)

    @staticmethod
    def _pointer(array):
        return array.ctypes.data_as(ctypes.c_void_p)


# These look several times at mesh and solution, which must not change in between.
for _name in ("__getitem__", "__repr__", "_repr_html_", "to_xarray", "to_pandas", "to_yt", "integral", "find", "value", "line",
              "uniform", "slice", "show", "profile", "centres", "origin", "axes", "cell_volume", "volume", "min_level", "max_level"):
    _old = Simulation.__dict__.get(_name) or getattr(Blocks, _name)
    setattr(Simulation, _name, property(_alone(_old.fget)) if isinstance(_old, property) else _alone(_old))
