# SPDX-License-Identifier: GPL-2.0-or-later
"""Plotfiles (AMReX format), read with numpy alone. As in the readers of the oak command (src/io/plotfile), each number
is checked when it is read, sizes are checked before memory is used for them, and the messages are the same."""
from __future__ import annotations

import os
import re
from typing import Union

import numpy as np

from .blocks import MOST_LEVELS, Blocks
from .files import OakError, is_name, open_regular, plain

_BLANKS = b" \t\n\v\f\r"
_BLANK = re.compile(rb"[ \t\n\v\f\r]*")
_INTEGER = re.compile(rb"[+-]?\d+")
_REAL = re.compile(rb"[+-]?(?:0[xX](?:[\da-fA-F]+\.?[\da-fA-F]*|\.[\da-fA-F]+)(?:[pP][+-]?\d+)?"
                   rb"|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
                   rb"|[nN][aA][nN](?:\(\w*\))?)")
_BOX = {dim: re.compile(rb"\s*\(\(%s\) \(%s\) \(%s\)\)" % tuple(b",".join([cell] * dim) for cell in
                                                                (rb"(\d{1,10})", rb"(\d{1,10})", b"0")))
        for dim in (2, 3)}
_PLACE = re.compile(rb"\s*FabOnDisk: (\w{1,64}) (\d{1,18})\s")
_PLAIN_REALS = re.compile(rb"[-+.,\deEinfa \n]*")
_INT, _INT64, _CELL = 2**31 - 1, 2**63 - 1, 2**31 - 1
_MOST_TEXT, _MOST_NAME, _SMALLEST_BLOCK, _FAB_HEADER = 4 << 30, 255, 4, 512
# Precision and order of bytes, as AMReX writes them.
_PRECISION = {
    b"FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))": np.dtype("<f8"),
    b"FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (1 2 3 4 5 6 7 8)))": np.dtype(">f8"),
    b"FAB ((8, (32 8 23 0 1 9 0 127)),(4, (4 3 2 1)))": np.dtype("<f4"),
    b"FAB ((8, (32 8 23 0 1 9 0 127)),(4, (1 2 3 4)))": np.dtype(">f4"),
}


class _Text:
    """A text file and how far it is read."""

    def __init__(self, path):
        self.path, self.at = path, 0
        try:
            with open_regular(path, "is no regular file of at most 4 GB: that is no plotfile") as f:
                if os.fstat(f.fileno()).st_size > _MOST_TEXT:
                    raise OakError(f"{path} is no regular file of at most 4 GB: that is no plotfile")
                self.text = f.read()
        except OSError as wrong:
            raise OakError(f"cannot read {path}: {wrong.strerror}; a plotfile is a folder such as plt000100") from wrong
        if b"\0" in self.text:
            raise OakError(f"{path} holds a zero byte: the file is damaged, or not of a plotfile")

    def unexpected(self, expected):
        """The error for what is at this place."""
        line = self.text.count(b"\n", 0, self.at) + 1
        there = self.text[self.at:self.at + 24].split(b"\n")[0]
        return OakError(f"{self.path}, line {line}: {expected} expected, not '{plain(there)}': the file is damaged, or "
                        "not a plotfile of cells on levels refined by 2")

    def _skip(self):
        self.at = _BLANK.match(self.text, self.at).end()

    def word(self, word):
        self._skip()
        if not self.text.startswith(word, self.at):
            raise self.unexpected(f"'{word.decode()}'")
        self.at += len(word)

    def integer(self, what, low, high):
        self._skip()
        found = _INTEGER.match(self.text, self.at)
        if not found or len(found.group()) > 4000 or not low <= int(found.group()) <= high:
            raise self.unexpected(f"{what} from {low} to {high}")
        self.at = found.end()
        return int(found.group())

    def real(self, what):
        self._skip()
        found = _REAL.match(self.text, self.at)
        if not found:
            raise self.unexpected(what)
        self.at = found.end()
        text = found.group().decode()
        return float.fromhex(text) if "x" in text.lower() else float(text.split("(")[0])

    def reals(self, count, what, comma=False):
        """Skip numbers that are not used, with a comma after each if comma. Plain numbers are skipped all at once."""
        self._skip()
        parts = self.text[self.at:].split(b"," if comma else None, count)
        numbers = parts[:count]
        if len(parts) > count and _PLAIN_REALS.fullmatch(b" ".join(numbers)):
            try:
                np.array(numbers, dtype="S").astype(float)
                self.at = len(self.text) - len(parts[count])
                return
            except ValueError:
                pass
        for _ in range(count):
            self.real(what)
            if comma:
                self.word(b",")

    def name(self, what, stop):
        """Text up to one of the bytes of stop, or to the end of the file."""
        self._skip()
        end = self.at
        while end < len(self.text) and self.text[end] not in stop and end <= self.at + _MOST_NAME:
            end += 1
        name = self.text[self.at:end]
        if not 0 < len(name) <= _MOST_NAME or not is_name(name.decode(errors="replace")):
            raise self.unexpected(what)
        self.at = end
        return name.decode(errors="replace")

    def corner(self, dim):
        out = []
        for d in range(dim):
            self.word(b"," if d else b"(")
            out.append(self.integer("a cell", 0, _CELL))
        self.word(b")")
        return out

    def box(self, dim):
        """Lowest cell and size of "((low) (high) (0,0,0))"."""
        usual = _BOX[dim].match(self.text, self.at)
        if usual:
            cells = [int(cell) for cell in usual.groups()]
            low, high = cells[:dim], cells[dim:]
            if max(high) <= _CELL and all(l <= h for l, h in zip(low, high)):
                self.at = usual.end()
                return low, [h - l + 1 for l, h in zip(low, high)]
        self.word(b"(")
        low, high, centring = self.corner(dim), self.corner(dim), self.corner(dim)
        self.word(b")")
        if any(centring) or any(h < l for l, h in zip(low, high)):
            raise self.unexpected("a box of cells before this")
        return low, [h - l + 1 for l, h in zip(low, high)]

    def starts(self, word):
        self._skip()
        return self.text.startswith(word, self.at)

    def end(self):
        self._skip()
        if self.at < len(self.text):
            raise self.unexpected("the end of the file")


class _Level:
    """Boxes of a level and where their values are. low, size [boxes][dim]; file, offset [boxes]; files: names."""

    def __init__(self, path, l, dim, nvar, cells, count):
        text = _Text(os.path.join(path, f"Level_{l}", "Cell_H"))
        text.integer("version 1,", 1, 1)
        text.integer("one file per process, 1,", 0, 1)
        text.integer("the number of variables,", nvar, nvar)
        text.integer("no ghost cells, 0,", 0, 0)
        self._read_boxes(text, dim, cells, count)
        text.integer("the number of boxes,", count, count)
        self._read_places(text, count)
        for what in ("a lowest value", "a highest value"):
            text.integer("the number of boxes,", count, count)
            text.word(b",")
            text.integer("the number of variables,", nvar, nvar)
            text.reals(count * nvar, what, comma=True)
        text.end()

    def _read_boxes(self, text, dim, cells, count):
        text.word(b"(")
        text.integer("the number of boxes in Header,", count, count)
        text.integer("0", 0, 0)
        low, size = [], []
        for _ in range(count):
            corner, extent = text.box(dim)
            if any(a + n > m for a, n, m in zip(corner, extent, cells)):
                raise text.unexpected("a box within the domain before this")
            low.append(corner)
            size.append(extent)
        text.word(b")")
        self.low, self.size = np.array(low, dtype=np.int64), np.array(size, dtype=np.int64)

    def _read_places(self, text, count):
        number, self.file, self.offset = {}, [], []
        for _ in range(count):
            usual = _PLACE.match(text.text, text.at)
            if usual:
                text.at = usual.end()
                self.file.append(number.setdefault(usual.group(1).decode(), len(number)))
                self.offset.append(int(usual.group(2)))
                continue
            text.word(b"FabOnDisk:")
            name = text.name("the name of a data file", b" \t\r\n")
            if name not in number and "/" in name:
                raise text.unexpected("a file of the same folder before this")
            self.file.append(number.setdefault(name, len(number)))
            self.offset.append(text.integer("a place in the file", 0, _INT64 // 2))
        self.files = list(number)


class Plotfile(Blocks):
    """A plotfile: Blocks whose values are in files. Those of other AMReX codes can be read too, if their cells are
    refined by 2 and their blocks cover the whole domain. Values are read when they are asked for.

    path  its folder, such as "output/sedov/plt000100"

    Any fault in the files raises OakError with the file and the fault."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = os.fspath(path).rstrip("/") or "/"
        self._levels: list[_Level] = []
        try:
            self._read_header()
            self._dtype = self._fab_header(0, 0)[0]
            for l in range(len(self._levels)):
                self._check_level(l)
            self._find_leaves()
        except MemoryError as wrong:
            raise OakError(f"no memory to read {self.path}") from wrong

    # ---- text files

    def _read_header(self):
        text = _Text(os.path.join(self.path, "Header"))
        text.word(b"HyperCLaw-V1.1")
        count = text.integer("a number of variables", 1, _INT)
        self.variables = []
        while len(self.variables) < count:
            # Names become parts of paths, so they must not contain "/".
            self.variables.append(text.name("the name of a variable", b"\r\n").replace("/", "_"))
        self.dim = text.integer("dimension", 2, 3)
        self.time = text.real("a time")
        finest = text.integer("a highest level", 0, MOST_LEVELS - 1)
        self._read_domain(text, finest)
        number = text.integer("coordinates, 0 (Cartesian), 1 (axisymmetric) or 2 (spherical),", 0, 2)
        if number == 1 and self.dim == 3:
            raise text.unexpected("coordinates for 3D before this")
        # Number 2 is in files of earlier versions.
        self.coordinates = ("cartesian", "axisymmetric", "spherical")[number]
        text.integer("a boundary of 0 cells,", 0, 0)
        boxes = []
        for l in range(finest + 1):
            text.integer("the number of the level,", l, l)
            boxes.append(text.integer("a number of boxes", 1, _INT))
            text.real("a time")
            text.integer("a step", 0, _INT64)
            text.reals(boxes[l] * self.dim * 2, "the corner of a box")
            text.word(b"Level_%d/Cell" % l)
        if number == 0 and text.starts(b"coordinates"):
            self._read_coordinates(text)
        self.units = {}
        while text.starts(b"unit of "):
            text.word(b"unit of")
            name = text.name("the name of a variable", b" \r\n").replace("/", "_")
            if name not in [*self.variables, "length", "time"] or name in self.units:
                raise text.unexpected("the unit of a variable, once, before this")
            self.units[name] = text.name("a unit", b"\r\n")
        while text.starts(b"name of "):
            text.word(b"name of")
            old = text.name("the name of a variable", b" \r\n").replace("/", "_")
            if old not in self.variables:
                raise text.unexpected("the name of a variable before this")
            name = text.name("a name", b" \r\n").replace("/", "_")
            self.variables[self.variables.index(old)] = name
            if old in self.units:
                self.units[name] = self.units.pop(old)
        text.end()
        for l in range(finest + 1):
            self._levels.append(_Level(self.path, l, self.dim, len(self.variables), self._cells << l, boxes[l]))

    def _read_coordinates(self, text):
        """Coordinates that AMReX has no number for."""
        text.word(b"coordinates")
        self.coordinates = text.name("coordinates", b" \t\r\n")
        if self.coordinates not in (("polar", "spherical") if self.dim == 2 else ("cylindrical", "spherical")):
            raise text.unexpected("polar, cylindrical or spherical before this")
        if not text.starts(b"logarithmic"):
            return
        text.word(b"logarithmic radius")
        radii = np.array([text.real("a radius"), text.real("a radius")])
        with np.errstate(all="ignore"):
            if not (0 < radii[0] < radii[1] and np.all(abs(np.log(radii) - [self.xmin[0], self.xmax[0]]) < 1e-9)):
                raise text.unexpected("radii that fit the corners of the domain before this")
        self.radius = "logarithmic"
        self.xmin[0], self.xmax[0] = radii

    def _read_domain(self, text, finest):
        self.xmin = np.array([text.real("the lower corner") for _ in range(self.dim)])
        self.xmax = np.array([text.real("the upper corner") for _ in range(self.dim)])
        with np.errstate(all="ignore"):
            if not np.all(np.isfinite(self.xmax - self.xmin) & (self.xmin < self.xmax)):
                raise text.unexpected("a domain of finite size before this")
        for _ in range(finest):
            text.integer("the ratio 2 of levels,", 2, 2)
        cells = None
        for l in range(finest + 1):
            low, size = text.box(self.dim)
            cells = cells or size
            if any(low) or size != [n << l for n in cells]:
                raise text.unexpected("a domain from cell 0, twice as large on each level, before this")
        self._cells = np.array(cells, dtype=np.int64)
        for _ in range(finest + 1):
            self.step = text.integer("a step", 0, _INT64)
        text.reals(self.dim * (finest + 1), "the size of a cell")

    # ---- data files

    def _data_path(self, l, file):
        return os.path.join(self.path, f"Level_{l}", self._levels[l].files[file])

    def _damaged(self, l, b, what):
        level = self._levels[l]
        return OakError(f"{self._data_path(l, level.file[b])}, byte {level.offset[b]}: {what}; the plotfile is damaged, "
                        "or was not written by oak")

    def _fab_box(self, l, b):
        """The part of the header of a box that follows precision and order of bytes."""
        low, size = self._levels[l].low[b].tolist(), self._levels[l].size[b].tolist()
        corners = (low, [a + n - 1 for a, n in zip(low, size)], [0] * self.dim)
        text = " ".join(f"({','.join(map(str, corner))})" for corner in corners)
        return f"({text}) {len(self.variables)}".encode()

    def _open_data(self, l, b):
        path = self._data_path(l, self._levels[l].file[b])
        try:
            return open_regular(path, "is no regular file")
        except OSError as wrong:
            raise OakError(f"cannot read {path}: {wrong.strerror}") from wrong

    def _fab_header(self, l, b):
        """Type of the values of a box, and where they begin."""
        offset = self._levels[l].offset[b]
        with self._open_data(l, b) as f:
            start = os.pread(f.fileno(), _FAB_HEADER - 1, offset)
        line, end, _ = start.partition(b"\n")
        box = self._fab_box(l, b)
        dtype = _PRECISION.get(line[:-len(box)]) if line.endswith(box) else None
        if not end or dtype is None:
            raise self._damaged(l, b, "no header of the box that Cell_H puts there")
        return dtype, offset + len(line) + 1

    def _check_level(self, l):
        """Check the text files against the sizes of the data files."""
        level, present, promised = self._levels[l], [], 0
        for file in range(len(level.files)):
            with self._open_data(l, level.file.index(file)) as f:
                present.append(os.fstat(f.fileno()).st_size)
        value = self._dtype.itemsize * len(self.variables)
        start = next(len(p) for p, dtype in _PRECISION.items() if dtype.itemsize == self._dtype.itemsize) + 1
        for b, cells in enumerate(np.prod(level.size.astype(float), axis=1).tolist()):
            bytes_ = cells * value + start + len(self._fab_box(l, b))
            promised += bytes_
            if bytes_ > present[level.file[b]] - level.offset[b]:
                raise self._damaged(l, b, "the file ends before the values that Cell_H promises")
        if promised > sum(present):
            raise OakError(f"the data files of {self.path}/Level_{l} have {sum(present):.17g} bytes, fewer than the "
                           f"{promised:.17g} of its boxes; the plotfile is damaged")

    # ---- leaves

    def _find_leaves(self):
        """Cut boxes into blocks; those that no block of the next level covers are the leaves."""
        finest = len(self._levels) - 1
        if finest * self.dim > 62:
            raise OakError(f"{self.path} has {finest + 1} levels, more than oak can read")
        sides = [np.concatenate((level.low.ravel(), level.size.ravel())) for level in self._levels]
        n = int(np.gcd.reduce(np.concatenate([self._cells, *sides])))
        edges = self._box_edges()
        complete = edges is not None and self._cut(edges)
        while not complete and n >= _SMALLEST_BLOCK:
            complete = self._cut(np.full(self.dim, n))
            if complete or n % 2:
                break
            n //= 2
        if not complete:
            raise OakError(f"the boxes of {self.path} are no tree of blocks of at least {_SMALLEST_BLOCK}^{self.dim} "
                           "cells that covers level 0 once and each other level in whole families: the plotfile is "
                           "damaged, or not one that oak can read")

    def _box_edges(self):
        """The edges of the boxes of level 0, if all of them have the same ones: oak writes a box for each block of that
        level. None: they differ, or other boxes do not consist of such blocks."""
        edges = self._levels[0].size[0]
        sides = [self._cells[None], *(level.low for level in self._levels), *(level.size for level in self._levels)]
        whole = min(edges) >= _SMALLEST_BLOCK and not any(np.any(side % edges) for side in sides)
        return edges.astype(np.int64) if whole and np.all(self._levels[0].size == edges) else None

    def _count(self, n):
        """Check that the blocks of n [dim] cells can be numbered."""
        finest = len(self._levels) - 1
        if np.any(self._cells // n << finest > _INT):
            raise OakError(f"{self.path} has more than {_INT} blocks along a dimension, more than oak can read")
        if sum(np.prod(level.size / n, axis=1).sum() for level in self._levels) > _INT:
            raise OakError(f"{self.path} has more than {_INT} blocks, more than oak can read")
        if np.prod(self._cells // n).astype(float) * 2.0 ** (self.dim * finest) >= 2.0**63:
            raise OakError(f"{self.path} has more places of blocks on level {finest} than oak for Python can number")

    def _cut(self, n):
        """Whether blocks of n cells are a tree that covers each place exactly once."""
        self._count(n)
        self.block_shape, self.trees = n, self._cells // n
        level, index, self._source = [], [], []
        children = np.zeros((0, self.dim), dtype=np.int64)
        for l in reversed(range(len(self._levels))):
            low, size = self._levels[l].low // n, self._levels[l].size // n
            nodes = [np.stack([a.ravel() for a in np.meshgrid(*(np.arange(s) for s in box[::-1]), indexing="ij")][::-1],
                              axis=1) + corner for corner, box in zip(low, size)]
            box = np.repeat(np.arange(len(nodes)), [len(a) for a in nodes])
            within = np.concatenate([np.arange(len(a)) for a in nodes])
            nodes = np.concatenate(nodes)
            keys = self._key(l, nodes)
            parents, family = np.unique(self._key(l, children // 2), return_counts=True)
            if len(np.unique(keys)) < len(keys) or not np.isin(parents, keys).all() or np.any(family != 2**self.dim):
                return False
            leaf = ~np.isin(keys, parents)
            level.append(np.full(leaf.sum(), l))
            index.append(nodes[leaf])
            self._source.append((l, box[leaf], within[leaf]))
            children = nodes
        if len(children) != np.prod(self.trees):
            return False
        self._set_blocks(np.concatenate(level), np.concatenate(index))
        return True

    # ---- values

    def read(self, variable: str) -> np.ndarray:
        v = self._place_of(variable)
        n, dim = self.block_shape, self.dim
        out, start = np.empty(self._shape, dtype=self._dtype.newbyteorder("=")), 0
        for l, box, within in self._source:
            for b in np.unique(box):
                values = self._read_box(l, b, v)
                blocks = (self._levels[l].size[b] // n)[::-1]
                cut = values.reshape(sum(zip(blocks, n[::-1]), ()))
                cut = cut.transpose(*range(0, 2 * dim, 2), *range(1, 2 * dim, 2)).reshape(-1, *n[::-1])
                mine = slice(*np.searchsorted(box, [b, b + 1]))
                out[start + mine.start:start + mine.stop] = cut[within[mine]]
            start += len(box)
        return out

    def _read_box(self, l, b, v):
        dtype, data = self._fab_header(l, b)
        if dtype.itemsize != self._dtype.itemsize:
            raise self._damaged(l, b, "values of another precision")
        count = int(np.prod(self._levels[l].size[b]))
        with self._open_data(l, b) as f:
            f.seek(data + v * count * dtype.itemsize)
            values = np.fromfile(f, dtype, count)
        if len(values) != count:
            raise self._damaged(l, b, "the file ends within the values, or cannot be read")
        return values.reshape(self._levels[l].size[b][::-1])
