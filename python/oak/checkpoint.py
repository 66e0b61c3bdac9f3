# SPDX-License-Identifier: GPL-2.0-or-later
"""Checkpoints, read with numpy alone. As in the readers of the oak command (src/io/checkpoint, which describes the
format), sizes are checked before memory is used for them, checksums before values are used, and the messages are the
same."""
from __future__ import annotations

import math
import os
import sys
import zlib
from typing import Any, Union

import numpy as np

from .blocks import MOST_LEVELS, Blocks
from .files import OakError, open_regular, parse_parameters, plain

_MAGIC, _VERSION, _MOST_TEXT = b"\211OAK\r\n\032\n", 2, 64 << 20
_AXES = {"axisymmetric": "(r, z) ", "polar": "(r, phi) ", "cylindrical": "(r, phi, z) ",
         "spherical": "(r, theta, phi) "}
_HEAD = np.dtype([
    ("magic", "S8"), ("order", "u4"), ("version", "u4"), ("file_bytes", "u8"), ("text_bytes", "u8"), ("blocks", "u8"),
    ("dim", "u4"), ("block_size", "u4"), ("nvar", "u4"), ("real_size", "u4"), ("trees", "u4", 3), ("periodic", "u4"),
    ("xmin", "f8", 3), ("xmax", "f8", 3), ("step", "i8"), ("time", "f8"), ("dt", "f8"), ("rate", "f8"),
    ("updates", "i8"), ("first_order_cells", "i8"), ("floored_cells", "i8"), ("retries", "i8"), ("rates_known", "u4"),
    ("sum", "u4")])
_RECORD = np.dtype([("index", "i4", 3), ("level", "u4"), ("rate", "f8"), ("data_sum", "u4"), ("sum", "u4")])
_TEXTS = ("program", "variables", "physics", "problem", "parameters", "schedule")


class Checkpoint(Blocks):
    """A checkpoint: Blocks of the conserved variables. parameters: those of the run, as in Run.parameters;
    program: the version of oak that wrote it.

    OakError with what is wrong, whatever the file holds. The checksums of all blocks are tested when values are
    read."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.fspath(path)
        try:
            with open_regular(self.path, "is no regular file: check the path") as f:
                size = os.fstat(f.fileno()).st_size
                start = f.read(_HEAD.itemsize)
                head = self._judge_kind(start)
                self._judge_sizes(head, size)
                self._judge_texts(start, f.read(self._text_bytes))
                self._judge_numbers(head)
                records = f.read(self._count * _RECORD.itemsize)
        except OSError as wrong:
            raise OakError(f"cannot open checkpoint {self.path}: {wrong.strerror}; check the path") from wrong
        except MemoryError as wrong:
            raise OakError(f"no memory to read {self.path}") from wrong
        self._judge_records(records)

    def _damaged(self, what):
        return OakError(f"checkpoint {self.path} is damaged: {what}; take an older one")

    @property
    def parameters(self) -> dict[str, Any]:
        return parse_parameters(self._parameters)

    # ---- the head

    def _judge_kind(self, start):
        if start[:8] != _MAGIC:
            raise OakError(f"{self.path} is no checkpoint of oak: check the path")
        if len(start) < _HEAD.itemsize:
            raise self._damaged("it ends within its head")
        head = np.frombuffer(start, _HEAD)[0]
        if head["order"] == 0x04030201:
            raise OakError(f"checkpoint {self.path} was written on a machine of another byte order: go on there")
        if head["order"] != 0x01020304:
            raise self._damaged("its mark of byte order is wrong")
        if head["version"] == 0:
            raise self._damaged("its version is 0")
        if head["version"] != _VERSION:
            raise OakError(f"checkpoint {self.path} has version {head['version']} of the format, and this oak reads "
                           f"version {_VERSION}: use the {'newer' if head['version'] > _VERSION else 'older'} oak that "
                           "wrote it")
        return head

    def _judge_sizes(self, head, size):
        n, nvar, text, count = (int(head[key]) for key in ("block_size", "nvar", "text_bytes", "blocks"))
        dim = int(head["dim"])
        # 8 bits for each axis, x lowest; 0: as along x.
        shape = [n >> 8 * d & 255 or n & 255 for d in range(3)][:dim]
        if (dim not in (2, 3) or n % 256 < 1 or n >> 24 or not 1 <= nvar <= 4096 or head["real_size"] not in (4, 8)
                or not 1 <= count < 2**63 or not len(_TEXTS) <= text <= _MOST_TEXT or text % 8):
            raise self._damaged("sizes in its head are wrong")
        self.dim, self.block_shape, self._nvar = dim, np.array(shape, dtype=np.int64), nvar
        self._real = np.dtype(f"=f{head['real_size']}")
        self._text_bytes, self._count, self._sum = text, count, int(head["sum"])
        self._data = _HEAD.itemsize + text + count * _RECORD.itemsize
        file_bytes = self._data + count * nvar * math.prod(shape) * self._real.itemsize
        if file_bytes >= 2**63 or head["file_bytes"] != file_bytes:
            raise self._damaged("sizes in its head do not fit together")
        if size != file_bytes:
            raise self._damaged(f"it should have {file_bytes} bytes and has {size}")

    def _judge_texts(self, start, texts):
        if zlib.crc32(texts, zlib.crc32(start[:-4])) != self._sum:
            raise self._damaged("the checksum of its head is wrong")
        parts = texts.split(b"\0")
        if len(parts) <= len(_TEXTS):
            raise self._damaged("its texts have no end")
        parts = dict(zip(_TEXTS, map(plain, parts)))
        self.program, self._parameters = parts["program"], parts["parameters"]
        names = parts["variables"]
        for coordinates, axes in _AXES.items():
            for radius, start in (("linear", axes), ("logarithmic", axes.replace("(r", "(ln r"))):
                if names.startswith(start):
                    self.coordinates, self.radius, names = coordinates, radius, names[len(start):]
        self.variables = names.replace("/", "_").split()
        if len(self.variables) != self._nvar:
            raise self._damaged(f"it has {self._nvar} variables and {len(self.variables)} names of them")

    def _judge_numbers(self, head):
        counts = [int(head[key]) for key in ("step", "updates", "first_order_cells", "floored_cells", "retries")]
        bad = not np.isfinite([head[key] for key in ("time", "dt", "rate")]).all() or head["rate"] < 0
        if bad or min(counts) < 0 or max(counts) > (2**63 - 1) // 2:
            raise self._damaged("numbers in its head are out of range")
        self.trees = head["trees"][:self.dim].astype(np.int64)
        self.xmin, self.xmax = (head[key][:self.dim].astype(float) for key in ("xmin", "xmax"))
        self.time, self.step, self.dt = float(head["time"]), int(head["step"]), float(head["dt"])
        if not (np.isfinite([self.xmin, self.xmax]).all() and (self.xmin < self.xmax).all() and (self.trees > 0).all()):
            raise self._damaged("its domain is out of range")

    # ---- blocks

    def _judge_records(self, records):
        """Check the records of blocks. Their checksums start from that of the head and the number of the block."""
        for b in range(self._count):
            record = records[b * _RECORD.itemsize:(b + 1) * _RECORD.itemsize]
            start = zlib.crc32(np.int64(b).tobytes(), self._sum)
            if zlib.crc32(record[:-4], start) != int.from_bytes(record[-4:], sys.byteorder):
                raise self._damaged(f"the record of block {b} is wrong")
        records = np.frombuffer(records, _RECORD)
        level, index = records["level"].astype(np.int64), records["index"][:, :self.dim].astype(np.int64)
        self._judge_mesh(level, index)
        self._sums = records["data_sum"]
        self._set_blocks(level, index)

    def _judge_mesh(self, level, index):
        """Check the mesh. Since the checksums are right, a file with a wrong mesh was not written by oak."""
        finest = int(level.max())
        wrong = f"checkpoint {self.path} holds no valid mesh: "
        if finest >= MOST_LEVELS or finest * self.dim > 62:
            raise OakError(f"{wrong}it has blocks of level {finest}")
        if np.prod(self.trees.astype(float)) * 2.0 ** (self.dim * finest) >= 2.0**63:
            raise OakError(f"{wrong}it has more places of blocks on level {finest} than oak for Python can number")
        outside = np.any((index < 0) | (index >= self.trees << level[:, None]), axis=1)
        if outside.any():
            b = int(outside.argmax())
            raise OakError(f"{wrong}block {b}, of level {level[b]} at ({', '.join(map(str, index[b]))}), is not in a "
                           f"domain of {' x '.join(map(str, self.trees))} trees")
        # Along the Morton curve of each tree, a block begins where the one before ends, and the last ends the tree.
        begin = np.zeros(len(level), dtype=np.int64)
        for bit in range(finest):
            for d in range(self.dim):
                begin |= ((index[:, d] << finest - level) >> bit & 1) << bit * self.dim + d
        tree = self._key(0, index >> level[:, None])
        order = np.lexsort((begin, tree))
        begin += tree << finest * self.dim
        end = begin + (1 << (finest - level) * self.dim)
        filled = int(np.prod(self.trees)) << finest * self.dim
        if begin[order[0]] != 0 or end[order[-1]] != filled or np.any(begin[order[1:]] != end[order[:-1]]):
            raise OakError(f"{wrong}the blocks do not fill the domain")

    def read(self, variable: str) -> np.ndarray:
        v = self._place_of(variable)
        shape = (self.nblocks, self._nvar, *self._shape[1:])
        try:
            values = np.memmap(self.path, self._real, "r", self._data, shape)
        except (OSError, ValueError) as wrong:
            raise OakError(f"cannot read {self.path}: {wrong}") from wrong
        for b, block in enumerate(values):
            if zlib.crc32(block) != self._sums[b]:
                raise self._damaged(f"the checksum of block {b} is wrong")
        return np.array(values[:, v])
