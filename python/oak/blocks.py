# SPDX-License-Identifier: GPL-2.0-or-later
"""Read what oak writes: plotfiles (AMReX format), checkpoints and histories, with numpy alone.

This file needs nothing else of oak: it may be copied beside a script and imported as `blocks`.

    import oak
    p = oak.open("output/sedov")[-1]         # the last plotfile of a run
    rho = p["rho"]                           # [block][(z)][y][x]
    u = p.uniform("rho")                     # the domain on an even grid: u.values, u.x, u.y
    ray = p.line((0, 0), (0.5, 0.5))         # ray["s"], ray["rho"], one entry per cell crossed
    history = oak.open("output/sedov").history()
"""
import csv
import io
import os
import re
import zlib

import numpy as np


class OakError(Exception):
    """Something that oak cannot read or do; the message says what and why."""


class Uniform:
    """Values on an even grid: values [(nz)][ny][nx], and the centres x, y (and z) of its cells. A slice has the two
    coordinates of its plane."""

    def __init__(self, values, axes):
        self.values = values
        self.axes = axes  # {"x": array, ...}
        for name, centres in axes.items():
            setattr(self, name, centres)

    @property
    def extent(self):
        """(left, right, bottom, top) of a plane, as matplotlib's imshow takes it, with origin="lower"."""
        sides = []
        for centres in list(self.axes.values())[:2]:
            half = 0.5 * (centres[1] - centres[0]) if len(centres) > 1 else 0.5
            sides += [centres[0] - half, centres[-1] + half]
        return tuple(sides)


class Blocks:
    """Leaves of a block tree and values on them: what a plotfile and a running simulation have in common.

    dim         2 or 3
    block_size  cells of a block along each dimension, N
    xmin, xmax  [dim] corners of the domain
    trees       [dim] blocks of level 0
    level       [nblocks] level of each block
    index       [nblocks][dim] its place, counted in blocks of its level
    variables   names
    time, step
    """

    def _set_blocks(self, level, index):
        self.level = np.asarray(level, dtype=np.int64)
        self.index = np.asarray(index, dtype=np.int64).reshape(len(self.level), self.dim)
        self._cache = {}
        self._sorted = {}
        for l in np.unique(self.level):
            mine = np.flatnonzero(self.level == l)
            key = self._key(int(l), self.index[mine])
            order = np.argsort(key)
            self._sorted[int(l)] = (key[order], mine[order])

    # ---- blocks

    @property
    def nblocks(self):
        return len(self.level)

    @property
    def cells(self):
        """Number of cells."""
        return self.nblocks * self.block_size**self.dim

    @property
    def max_level(self):
        return int(self.level.max())

    @property
    def min_level(self):
        return int(self.level.min())

    def cell_size(self, level):
        """[dim] of a level, or [nblocks][dim] of an array of levels."""
        size = (self.xmax - self.xmin) / (self.trees * self.block_size)
        return size / 2.0 ** np.asarray(level)[..., None]

    @property
    def origin(self):
        """[nblocks][dim] lower corners of the blocks."""
        return self.xmin + self.index * self.block_size * self.cell_size(self.level)

    @property
    def cell_volume(self):
        """[nblocks] volume of a cell."""
        return np.prod(self.cell_size(self.level), axis=1)

    def centres(self, axis):
        """Coordinates of the cells along an axis ("x", "y", "z"), in a shape that fits those of the values."""
        d = self._axis(axis)
        h = self.cell_size(self.level)[:, d]
        x = self.origin[:, d, None] + (np.arange(self.block_size) + 0.5) * h[:, None]
        shape = [self.nblocks] + [1] * self.dim
        shape[self.dim - d] = self.block_size
        return x.reshape(shape)

    @property
    def x(self):
        return self.centres("x")

    @property
    def y(self):
        return self.centres("y")

    @property
    def z(self):
        return self.centres("z")

    # ---- values

    def read(self, variable):
        """Values of all blocks: [nblocks][N][N] in 2D, [nblocks][N][N][N] in 3D, x fastest."""
        raise NotImplementedError

    def __getitem__(self, variable):
        """read(), kept in memory."""
        if variable not in self.variables:
            raise OakError(f"there is no variable {variable!r}; known: {', '.join(self.variables)}")
        if variable not in self._cache:
            self._cache[variable] = self.read(variable)
        return self._cache[variable]

    def integral(self, variable):
        """Integral of a variable (a name or an array like those of read()) over the domain."""
        values = self[variable] if isinstance(variable, str) else variable
        sums = values.reshape(self.nblocks, -1).sum(axis=1, dtype=np.float64)
        return float((sums * self.cell_volume).sum())

    def find(self, points):
        """Blocks that hold the points [...][dim]: their numbers, -1 where there is none."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        found = np.full(len(points), -1, dtype=np.int64)
        share = (points - self.xmin) / (self.xmax - self.xmin) * self.trees
        inside = np.all((share >= 0) & (share <= self.trees), axis=1)
        for level, (keys, numbers) in self._sorted.items():
            n = self.trees * 2**level
            at = np.minimum(np.floor(np.where(inside[:, None], share, 0) * 2.0**level).astype(np.int64), n - 1)
            key = self._key(level, at)
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            hit = inside & (keys[place] == key)
            found[hit] = numbers[place[hit]]
        return found

    def value(self, variable, points):
        """Values of the cells around the points [...][dim]; NaN outside of the domain."""
        points = np.atleast_2d(np.asarray(points, dtype=float))
        block = self.find(points)
        h = self.cell_size(self.level)[block]
        cell = np.floor((points - self.origin[block]) / h).astype(np.int64)
        cell = np.clip(cell, 0, self.block_size - 1)
        values = self[variable][(block, *(cell[:, d] for d in reversed(range(self.dim))))]
        return np.where(block >= 0, values, np.nan)

    def line(self, start, end, variables=None):
        """The cells that a line crosses, in order: an array with the fields s (distance from start to the middle of the
        part in the cell), x, y (and z), level, and the variables (default: all)."""
        names = _names(self, variables)
        start, end = (np.asarray(p, dtype=float).reshape(self.dim) for p in (start, end))
        for point in (start, end):
            if np.any(point < self.xmin) or np.any(point > self.xmax):
                raise OakError(f"the line leaves the domain, {self.xmin} to {self.xmax}, at {point}")
        step = end - start
        length = float(np.sqrt((step**2).sum()))
        cuts = [np.array([0.0, 1.0])]
        for level in self._sorted if length > 0 else ():
            # Faces of all cells of a level: those in other blocks cut a cell in parts, joined again below.
            for d in np.flatnonzero(step):
                h = self.cell_size(level)[d]
                lo, hi = sorted((start[d], end[d]))
                faces = np.arange(np.ceil((lo - self.xmin[d]) / h), np.floor((hi - self.xmin[d]) / h) + 1)
                cuts.append((self.xmin[d] + faces * h - start[d]) / step[d])
        t = np.unique(np.clip(np.concatenate(cuts), 0, 1))
        if length > 0:
            t = t[np.concatenate(([True], np.diff(t) > 1e-12))]
            t[-1] = 1.0
            middle = 0.5 * (t[1:] + t[:-1])
        else:
            middle = np.zeros(1)
        points = start + middle[:, None] * step
        block = self.find(points)
        cell = np.floor((points - self.origin[block]) / self.cell_size(self.level)[block]).astype(np.int64)
        cell = np.clip(cell, 0, self.block_size - 1)
        # One entry per cell: from where the line enters it to where it leaves it.
        new = np.ones(len(middle), dtype=bool)
        new[1:] = (block[1:] != block[:-1]) | np.any(cell[1:] != cell[:-1], axis=1)
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(middle)) if length > 0 else first
        centre = 0.5 * (t[first] + t[last]) if length > 0 else middle
        block, cell = block[first], cell[first]
        fields = ["s", *"xyz"[:self.dim], "level", *names]
        out = np.empty(len(first), dtype=[(name, float) for name in fields])
        out["s"] = centre * length
        for d in range(self.dim):
            out["xyz"[d]] = start[d] + centre * step[d]
        out["level"] = self.level[block]
        for name in names:
            out[name] = self[name][(block, *(cell[:, d] for d in reversed(range(self.dim))))]
        return out

    def uniform(self, variable, level=None, lower=None, upper=None):
        """A region on the even grid of the cells of a level (default: the finest): coarser cells are repeated, finer
        ones averaged. lower, upper [dim]: corners of the region (default: the domain), widened to whole cells."""
        level = self.max_level if level is None else int(level)
        h = self.cell_size(level)
        count = self.trees * self.block_size * 2**level
        low = np.zeros(self.dim) if lower is None else (np.asarray(lower, dtype=float) - self.xmin) / h
        high = count if upper is None else (np.asarray(upper, dtype=float) - self.xmin) / h
        first = np.clip(np.floor(low + 1e-9).astype(np.int64), 0, count - 1)
        last = np.clip(np.ceil(np.asarray(high) - 1e-9).astype(np.int64), first + 1, count)
        values = self._paint(variable, level, first, last)
        axes = {"xyz"[d]: self.xmin[d] + (np.arange(first[d], last[d]) + 0.5) * h[d] for d in range(self.dim)}
        return Uniform(values, axes)

    def slice(self, variable, axis="z", at=None, level=None):
        """The plane across an axis at a coordinate (default: the middle) of a 3D domain, on the even grid of the cells
        of a level (default: the finest); finer cells of the plane are averaged. In 2D all of the domain."""
        if self.dim == 2:
            return self.uniform(variable, level)
        d = self._axis(axis)
        at = 0.5 * (self.xmin[d] + self.xmax[d]) if at is None else float(at)
        if not self.xmin[d] <= at <= self.xmax[d]:
            raise OakError(f"{axis} = {at} is outside of the domain, {self.xmin[d]} to {self.xmax[d]}")
        level = self.max_level if level is None else int(level)
        share = (at - self.xmin[d]) / (self.xmax[d] - self.xmin[d])
        plane = [e for e in range(3) if e != d]
        count = self.trees * self.block_size * 2**level
        sums, weight = np.zeros(count[plane][::-1]), np.zeros(count[plane][::-1], dtype=np.int64)
        data, n = self[variable], self.block_size
        for l in self._sorted:
            layers = int(self.trees[d]) * n * 2**l
            layer = min(int(np.floor(share * layers)), layers - 1)
            for b in self._sorted[l][1]:
                if self.index[b, d] == layer // n:
                    cells = np.take(data[b], layer % n, axis=2 - d)
                    _add(sums, weight, cells, self.index[b][plane] * n, level - l)
        axes = {"xyz"[e]: self.xmin[e] + (np.arange(count[e]) + 0.5) * self.cell_size(level)[e] for e in plane}
        return Uniform(sums / weight, axes)

    # ---- inside

    def _axis(self, axis):
        d = "xyz".find(axis) if isinstance(axis, str) and len(axis) == 1 else -1
        if not 0 <= d < self.dim:
            raise OakError(f"{axis!r} is no axis; choose one of {', '.join('xyz'[:self.dim])}")
        return d

    def _key(self, level, index):
        """One number for each place of a level."""
        n = self.trees * 2**level
        key = np.zeros(len(index), dtype=np.int64)
        for d in reversed(range(self.dim)):
            key = key * n[d] + index[:, d]
        return key

    def _paint(self, variable, level, first, last):
        """Values of the cells [first, last) of a level."""
        shape = tuple((last - first)[::-1])
        sums, weight = np.zeros(shape), np.zeros(shape, dtype=np.int64)
        data, n = self[variable], self.block_size
        scale = 2.0 ** (level - self.level)[:, None]
        touched = np.all((self.index * n * scale < last) & ((self.index + 1) * n * scale > first), axis=1)
        for b in np.flatnonzero(touched):
            finer = level - int(self.level[b])
            _add(sums, weight, data[b], self.index[b] * n, finer, first)
        return sums / weight


def _add(sums, weight, cells, corner, finer, first=None):
    """Add the cells of a block, whose first one is at corner, to a grid that is finer by so many levels (or coarser, if
    negative) and begins at first."""
    dim = cells.ndim
    first = np.zeros(dim, dtype=np.int64) if first is None else first
    count = 1
    if finer >= 0:
        for a in range(dim):
            cells = np.repeat(cells, 2**finer, axis=a)
        corner = corner * 2**finer
    else:
        f = min(2**-finer, cells.shape[0])
        corner = corner // 2**-finer
        n = cells.shape[0] // f
        cells = cells.reshape(sum(((n, f) for _ in range(dim)), ())).sum(axis=tuple(range(1, 2 * dim, 2)))
        count = f**dim
    here, there = [], []
    for d in reversed(range(dim)):
        low = max(corner[d], first[d])
        high = min(corner[d] + cells.shape[dim - 1 - d], first[d] + sums.shape[dim - 1 - d])
        if low >= high:
            return
        here.append(slice(low - first[d], high - first[d]))
        there.append(slice(low - corner[d], high - corner[d]))
    sums[tuple(here)] += cells[tuple(there)]
    weight[tuple(here)] += count


def _names(blocks, variables):
    if variables is None:
        return list(blocks.variables)
    return [variables] if isinstance(variables, str) else list(variables)


# ---- plotfiles

_INTEGERS = re.compile(r"-?\d+")
_FAB = re.compile(rb"FAB \(\(8, \((64|32) [\d ]*\)\),\((\d), \(([\d ]+)\)\)\)(.*) (\d+)$")


class Plotfile(Blocks):
    """A plotfile: Blocks whose values are in files. Those of other AMReX codes can be read too, if their cells are
    refined by 2 and nothing is cut off the domain."""

    def __init__(self, path):
        self.path = os.fspath(path).rstrip("/") or "/"
        self._boxes = []  # per level: (low, size, file, offset)
        try:
            self._read_header()
            self._find_leaves()
        except (ValueError, IndexError, AttributeError, StopIteration, OverflowError, MemoryError) as wrong:
            raise OakError(f"{self.path} is no plotfile that can be read, or damaged: {wrong}") from wrong
        except OSError as wrong:
            raise OakError(f"cannot read {self.path}: {wrong.strerror}; a plotfile is a folder such as plt000100") from wrong

    def __repr__(self):
        return (f"<oak.Plotfile {self.path}: time {self.time:g}, step {self.step}, {self.nblocks} blocks of "
                f"{self.block_size}^{self.dim}, levels {self.min_level} to {self.max_level}>")

    def _read_header(self):
        with io.open(os.path.join(self.path, "Header"), encoding="utf-8") as f:
            line = iter(f.read().splitlines())
        if next(line, "").strip() != "HyperCLaw-V1.1":
            raise ValueError("Header does not begin with HyperCLaw-V1.1")
        self.variables = [next(line).strip() for _ in range(int(next(line)))]
        self.dim = int(next(line))
        self.time = float(next(line))
        finest = int(next(line))
        if self.dim not in (2, 3) or not 0 <= finest < 31:
            raise ValueError(f"{self.dim} dimensions, {finest + 1} levels")
        self.xmin, self.xmax = (np.array([float(v) for v in next(line).split()]) for _ in range(2))
        if set(next(line).split()) - {"2"}:
            raise ValueError("levels are not refined by 2")
        domain = [int(v) for v in _INTEGERS.findall(next(line))]
        self._domain = np.array(domain[self.dim:2 * self.dim]) + 1
        self.step = int(next(line).split()[0])
        for l in range(finest + 1):
            self._read_level(l)

    def _read_level(self, l):
        with io.open(os.path.join(self.path, f"Level_{l}", "Cell_H"), encoding="utf-8") as f:
            text = f.read()
        start, end = text.index("(", 0), text.index("\n)")
        count = int(_INTEGERS.search(text, start).group())
        numbers = np.array(_INTEGERS.findall(text, text.index("\n", start), end), dtype=np.int64)
        numbers = numbers.reshape(count, 3, self.dim)
        places = re.findall(r"FabOnDisk: (\S+) (\d+)", text)
        if len(places) != count or numbers[:, 2].any():
            raise ValueError(f"Level_{l}/Cell_H has {count} boxes and {len(places)} places in files")
        self._boxes.append((numbers[:, 0], numbers[:, 1] - numbers[:, 0] + 1, [p[0] for p in places],
                            [int(p[1]) for p in places]))

    def _find_leaves(self):
        """Cut boxes into blocks; those that no block of the next level covers are the leaves."""
        every = [np.concatenate((low.ravel(), size.ravel())) for low, size, _, _ in self._boxes]
        n = int(np.gcd.reduce(np.concatenate([self._domain, *every])))
        while n >= 4:
            if self._cut(n):
                return
            n //= 2
        raise ValueError("its boxes are no complete tree of blocks")

    def _cut(self, n):
        self.block_size, self.trees = n, self._domain // n
        level, index, self._source = [], [], []
        parents = np.zeros(0, dtype=np.int64)
        for l in reversed(range(len(self._boxes))):
            low, size = self._boxes[l][0] // n, self._boxes[l][1] // n
            nodes = [np.stack([a.ravel() for a in np.meshgrid(*(np.arange(s) for s in box[::-1]), indexing="ij")][::-1],
                              axis=1) + corner for corner, box in zip(low, size)]
            box = np.repeat(np.arange(len(nodes)), [len(a) for a in nodes])
            within = np.concatenate([np.arange(len(a)) for a in nodes])
            nodes = np.concatenate(nodes)
            leaf = ~np.isin(self._key(l, nodes), parents)
            parents = np.unique(self._key(l - 1, nodes // 2)) if l > 0 else None
            level.append(np.full(leaf.sum(), l))
            index.append(nodes[leaf])
            self._source.append((l, box[leaf], within[leaf]))
        self._set_blocks(np.concatenate(level), np.concatenate(index))
        covered = (0.5 ** (self.dim * self.level)).sum()
        return covered == np.prod(self.trees)

    def read(self, variable):
        v = self.variables.index(variable)
        n, dim = self.block_size, self.dim
        out, start = None, 0
        for l, box, within in self._source:
            for b in np.unique(box):
                values = self._read_box(l, b, v)
                blocks = (self._boxes[l][1][b] // n)[::-1]
                cut = values.reshape(sum(((k, n) for k in blocks), ()))
                cut = cut.transpose(*range(0, 2 * dim, 2), *range(1, 2 * dim, 2)).reshape(-1, *[n] * dim)
                if out is None:
                    out = np.empty((self.nblocks, *[n] * dim), dtype=values.dtype)
                mine = np.flatnonzero(box == b) if len(box) < 64 else slice(*np.searchsorted(box, [b, b + 1]))
                rows = np.arange(start, start + len(box))[mine]
                out[rows] = cut[within[mine]]
            start += len(box)
        return out

    def _read_box(self, l, b, v):
        low, size, files, offsets = (part[b] for part in self._boxes[l])
        path = os.path.join(self.path, f"Level_{l}", files)
        with io.open(path, "rb") as f:
            f.seek(offsets)
            header = _FAB.match(f.readline(1024).rstrip(b"\n"))
            if not header or int(header.group(5)) != len(self.variables):
                raise OakError(f"{path}, byte {offsets}: no header of a box")
            box = np.array([int(i) for i in _INTEGERS.findall(header.group(4).decode())])
            if list(box[:self.dim]) != list(low) or list(box[self.dim:2 * self.dim]) != list(low + size - 1):
                raise OakError(f"{path}, byte {offsets}: another box than Cell_H says")
            little = header.group(3).startswith((b"8", b"4"))
            dtype = np.dtype(("<" if little else ">") + ("f8" if header.group(1) == b"64" else "f4"))
            count = int(np.prod(size))
            f.seek(v * count * dtype.itemsize, os.SEEK_CUR)
            values = np.fromfile(f, dtype, count)
        if len(values) != count:
            raise OakError(f"{path} ends within the values of a box")
        return values.astype(dtype.newbyteorder("="), copy=False).reshape(size[::-1])


# ---- checkpoints

_HEAD = [("magic", "S8"), ("order", "u4"), ("version", "u4"), ("file_bytes", "u8"), ("text_bytes", "u8"),
         ("blocks", "u8"), ("dim", "u4"), ("block_size", "u4"), ("nvar", "u4"), ("real_size", "u4"), ("trees", "u4", 3),
         ("periodic", "u4"), ("xmin", "f8", 3), ("xmax", "f8", 3), ("step", "i8"), ("time", "f8"), ("dt", "f8"),
         ("rate", "f8"), ("updates", "i8"), ("first_order_cells", "i8"), ("floored_cells", "i8"), ("retries", "i8"),
         ("rates_known", "u4"), ("sum", "u4")]
_RECORD = [("index", "i4", 3), ("level", "u4"), ("rate", "f8"), ("data_sum", "u4"), ("sum", "u4")]
_TEXTS = ("program", "variables", "physics", "problem", "parameters", "schedule")


class Checkpoint(Blocks):
    """A checkpoint (docs/restart.md): Blocks of the conserved variables. parameters: those of the run, as the text of a
    parameter file."""

    def __init__(self, path):
        self.path = os.fspath(path)
        try:
            size = os.path.getsize(self.path)
            with io.open(self.path, "rb") as f:
                start = f.read(np.dtype(_HEAD).itemsize)
                self._read_head(start, size)
                texts = f.read(self._text_bytes)
                if zlib.crc32(texts, zlib.crc32(start[:-4])) != self._sum:
                    raise ValueError("its head is not what was written")
                self._read_texts(texts)
                records = np.frombuffer(f.read(self._count * self._record.itemsize), self._record)
                self._data = f.tell()
                self._check_records(records)
        except (ValueError, IndexError, OverflowError, MemoryError) as wrong:
            raise OakError(f"{self.path} is no checkpoint that can be read, or damaged: {wrong}") from wrong
        except OSError as wrong:
            raise OakError(f"cannot read {self.path}: {wrong.strerror}") from wrong
        self._sums = records["data_sum"]
        self._set_blocks(records["level"], records["index"][:, :self.dim])

    def __repr__(self):
        return f"<oak.Checkpoint {self.path}: time {self.time:g}, step {self.step}, {self.nblocks} blocks>"

    def _read_head(self, start, size):
        if start[:8] != b"\211OAK\r\n\032\n" or len(start) < np.dtype(_HEAD).itemsize:
            raise ValueError("it does not begin as one")
        order = "<" if start[8:12] == b"\4\3\2\1" else ">"
        head = np.frombuffer(start, np.dtype(_HEAD).newbyteorder(order))[0]
        self._record = np.dtype(_RECORD).newbyteorder(order)
        if head["version"] != 2 or head["dim"] not in (2, 3) or head["real_size"] not in (4, 8):
            raise ValueError(f"version {head['version']}")
        self.dim, self.block_size, self._nvar = (int(head[key]) for key in ("dim", "block_size", "nvar"))
        self.trees = head["trees"][:self.dim].astype(np.int64)
        self.xmin, self.xmax = (head[key][:self.dim].astype(float) for key in ("xmin", "xmax"))
        self.time, self.step, self.dt = float(head["time"]), int(head["step"]), float(head["dt"])
        self._real = np.dtype(f"{order}f{head['real_size']}")
        self._text_bytes, self._count, self._sum = int(head["text_bytes"]), int(head["blocks"]), int(head["sum"])
        block = self._nvar * self.block_size**self.dim * self._real.itemsize
        if size != head["file_bytes"] or size != len(start) + self._text_bytes + self._count * (32 + block):
            raise ValueError(f"it has {size} bytes and should have {head['file_bytes']}")

    def _read_texts(self, texts):
        parts = dict(zip(_TEXTS, (part.decode(errors="replace") for part in texts.split(b"\0"))))
        self.program, self.parameters = parts["program"], parts["parameters"]
        self.variables = parts["variables"].split()
        if len(self.variables) != self._nvar:
            raise ValueError(f"{self._nvar} variables, {len(self.variables)} names")

    def _check_records(self, records):
        """A checksum continues that of the head, with the number of the block and its record."""
        numbers = np.arange(len(records), dtype=self._record["rate"].str.replace("f", "u"))
        for b, record in enumerate(records):
            if zlib.crc32(record.tobytes()[:-4], zlib.crc32(numbers[b].tobytes(), self._sum)) != record["sum"]:
                raise ValueError(f"the record of block {b} is wrong")

    def read(self, variable):
        v = self.variables.index(variable)
        shape = (self.nblocks, self._nvar, *[self.block_size] * self.dim)
        values = np.memmap(self.path, self._real, "r", self._data, shape)
        for b, block in enumerate(values):
            if zlib.crc32(block) != self._sums[b]:
                raise OakError(f"{self.path}: block {b} is not what was written: the file is damaged")
        return values[:, v].astype(self._real.newbyteorder("="))


# ---- runs

class Run:
    """The output folder of a run: its plotfiles by number, as in run[-1], and histories."""

    def __init__(self, folder):
        self.folder = os.fspath(folder)
        try:
            names = os.listdir(self.folder)
        except OSError as wrong:
            raise OakError(f"cannot look into {self.folder}: {wrong.strerror}") from wrong
        names = [n for n in names if os.path.exists(os.path.join(self.folder, n, "Header"))
                 and not n.endswith((".oak-part", ".oak-old", ".start"))]
        natural = [([int(t) if t.isdigit() else t for t in re.split(r"(\d+)", n)], n) for n in names]
        self.paths = [os.path.join(self.folder, n) for _, n in sorted(natural)]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [Plotfile(p) for p in self.paths[number]]
        if not self.paths:
            raise OakError(f"there is no plotfile in {self.folder}")
        return Plotfile(self.paths[number])

    def __iter__(self):
        return (Plotfile(p) for p in self.paths)

    def __repr__(self):
        return f"<oak.Run {self.folder}: {len(self)} plotfiles>"

    def history(self, name="diagnostics.csv"):
        """A table of the run as {column: array}."""
        return history(os.path.join(self.folder, name))


def open(path):  # pylint: disable=redefined-builtin
    """A Plotfile, a Checkpoint, or the Run of an output folder."""
    if os.path.isfile(path):
        return Checkpoint(path)
    return Plotfile(path) if os.path.exists(os.path.join(path, "Header")) else Run(path)


def history(path):
    """A CSV of numbers, such as diagnostics.csv, as {column: array}."""
    try:
        with io.open(path, encoding="utf-8", newline="") as f:
            rows = [row for row in csv.reader(f) if row and not row[0].startswith("#")]
        columns = zip(*([float(v) for v in row] for row in rows[1:]))
        return dict(zip(rows[0], map(np.array, columns)))
    except OSError as wrong:
        raise OakError(f"cannot read {path}: {wrong.strerror}") from wrong
    except (ValueError, IndexError) as wrong:
        raise OakError(f"{path} is no table of numbers: {wrong}") from wrong
