# SPDX-License-Identifier: GPL-2.0-or-later
"""Cells of a simulation where they are, for NumPy, CuPy, PyTorch, JAX and others, without a copy."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Optional

import numpy as np

from .files import OakError

HOST = 1  # as DLPack numbers memory; 2: CUDA's, 10: HIP's


class _Place(ctypes.Structure):
    """oak_view_t"""
    _fields_ = [("cells", ctypes.c_void_p), ("number_bytes", ctypes.c_int), ("memory", ctypes.c_int),
                ("device", ctypes.c_int), ("block_bytes", ctypes.c_int64)]


class _Tensor(ctypes.Structure):
    """DLManagedTensor, with room for its shape and strides."""
    _fields_ = [("data", ctypes.c_void_p), ("memory", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p),
                ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64), ("hold", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("sizes", ctypes.c_int64 * 12)]


_C = ctypes.CDLL(None)
_C.malloc.restype = ctypes.c_void_p
_new, _valid, _pointer = (getattr(ctypes.pythonapi, f"PyCapsule_{name}") for name in ("New", "IsValid", "GetPointer"))
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_valid.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _unused(capsule):
    """Free the tensor of a capsule that nobody has taken."""
    if _valid(capsule, b"dltensor"):
        tensor = _pointer(capsule, b"dltensor")
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_Tensor.from_address(tensor).deleter)(tensor)


class Memory:
    """The memory that holds the solution, and what keeps it, also after the solution has moved elsewhere."""

    def __init__(self, sim: Any, write: bool) -> None:
        self._lib, self._hold, self.place = sim._lib, ctypes.c_void_p(), _Place()
        sim._must(self._lib.oak_view_cells(sim._sim, int(write), ctypes.byref(self.place), ctypes.byref(self._hold)))

    def take(self) -> ctypes.c_void_p:
        """What keeps the memory now belongs to the caller."""
        hold, self._hold = self._hold, ctypes.c_void_p()
        return hold

    def __del__(self) -> None:
        self._lib.oak_hold_free(ctypes.byref(self._hold))


class View(np.lib.mixins.NDArrayOperatorsMixin):
    """A conserved variable in all blocks of this rank, or all of them, where the simulation has them.

    On CPUs it is used as an array: view[0], view.max(), np.log(view); view[...] = 1 and view *= 2 if it may be written.
    np.asarray(view) is the array itself. On GPUs cupy.asarray(view), torch.from_dlpack(view), jax.dlpack.from_dlpack(...)
    make arrays of the same memory. When the simulation has advanced or adapted, the view raises OakError. The memory of
    arrays made from it stays, but what it holds means nothing then."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __init__(self, sim: Any, number: Optional[int], write: bool) -> None:
        self._memory, self._write, self._moves, self._step = Memory(sim, write), write, sim._moves, sim.step_number
        self._owner = weakref.ref(sim)
        place, cells = self._memory.place, sim._shape[1:]
        size = place.number_bytes
        inner = [size * int(np.prod(cells[d + 1:])) for d in range(len(cells))]
        self.shape, self._strides = (sim.nblocks, *cells), (place.block_bytes, *inner)
        if number is None:
            self.shape, self._strides = (sim.nblocks, sim.nvar, *cells), (place.block_bytes, size * int(np.prod(cells)), *inner)
        self.dtype = np.dtype(f"f{size}")
        self._start = (place.cells or 0) + (number or 0) * size * int(np.prod(cells)) if sim.nblocks else 0

    def _check(self):
        owner = self._owner()
        if owner is None:
            raise OakError("the simulation of this view is gone: keep the simulation, too")
        owner._sim  # closed, or of another process? pylint: disable=pointless-statement
        if owner._moves != self._moves:
            raise OakError(f"this view is of step {self._step}, and the solution has moved since: call view() again")

    def _interface(self):
        self._check()
        return {"shape": self.shape, "strides": self._strides, "typestr": self.dtype.str, "version": 3,
                "data": (self._start, not self._write)}

    def __getattr__(self, name: str) -> Any:
        host = self._memory.place.memory == HOST if name != "_memory" else False
        if name == "__array_interface__" and host and self._start or name == "__cuda_array_interface__" and not host:
            return self._interface()
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.__array__(), name)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        self._check()
        if self._memory.place.memory != HOST:
            raise OakError("these cells are in the memory of a GPU: use cupy.asarray(view), torch.from_dlpack(view) or "
                           "sim[name], which copies")
        array = np.asarray(self) if self._start else np.empty(self.shape, self.dtype)  # no blocks
        return array.astype(dtype or array.dtype) if copy or (dtype and dtype != array.dtype) else array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        def plain(values):
            return tuple(v.__array__() if isinstance(v, View) else v for v in values)

        out = options.get("out", ())
        result = getattr(ufunc, method)(*plain(inputs), **{**options, **({"out": plain(out)} if out else {})})
        return self if len(out) == 1 and out[0] is self else result

    def __getitem__(self, key: Any) -> Any:
        return self.__array__()[key]

    def __setitem__(self, key: Any, values: Any) -> None:
        self.__array__()[key] = values

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<oak.View of step {self._step}: {self.shape}, {self.dtype}{'' if self._write else ', to be read'}>"

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._memory.place.memory, self._memory.place.device

    def __dlpack__(self, **_: Any) -> Any:
        """A capsule with the address of this memory, which is ready for all streams."""
        self._check()
        owner: Any = self._owner()
        at = _C.malloc(ctypes.c_size_t(ctypes.sizeof(_Tensor)))
        if not at:
            raise MemoryError
        tensor, n, size = _Tensor.from_address(at), len(self.shape), self.dtype.itemsize
        place, tensor.hold = self.__dlpack_device__(), Memory(owner, self._write).take()
        tensor.sizes[:2 * n] = (*self.shape, *(stride // size for stride in self._strides))
        tensor.data, tensor.memory, tensor.device, tensor.ndim, tensor.offset = self._start, *place, n, 0
        tensor.code, tensor.bits, tensor.lanes = 2, 8 * size, 1  # floating-point numbers
        tensor.shape = at + _Tensor.sizes.offset
        tensor.strides = tensor.shape + 8 * n
        tensor.deleter = ctypes.cast(owner._lib.oak_view_free, ctypes.c_void_p)
        return _new(at, b"dltensor", _unused)
