# SPDX-License-Identifier: GPL-2.0-or-later
"""Values on a grid, from arrays or a file, for the cells of blocks."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

from .convert import module
from .files import OakError, open_regular
from .runs import history

Source = Union[Mapping[str, Any], str, "os.PathLike[str]"]


def arrays(path: Union[str, os.PathLike[str]]) -> dict[str, np.ndarray]:
    """The arrays of a file by their names: .npz, .npy with named fields (as `oak slice -o` writes it), .h5 or .csv, told apart
    by what the file holds."""
    try:
        with open_regular(path, "is no regular file") as file:
            head = file.read(8)
        if head.startswith((b"\x93NUMPY", b"PK\3\4")):
            loaded = np.load(path, allow_pickle=False)
            names = getattr(loaded, "files", None) or loaded.dtype.names
            if not names:
                raise OakError(f"{path} holds an array without a name: give {{'rho': numpy.load({str(path)!r})}}")
            return {name: loaded[name] for name in names}
        if head == b"\x89HDF\r\n\x1a\n":
            with module("h5py").File(path) as file:
                return {name: file[name][()] for name in file if hasattr(file[name], "shape")}
    except (OSError, ValueError) as wrong:
        raise OakError(f"cannot read {path}: {wrong}") from wrong
    return dict(history(path))


def _along(table, knots, points, axis):
    """Values of a table of knots along an axis, linear in between and constant beyond."""
    if len(knots) == 1:
        return np.take(table, np.zeros(len(points), dtype=int), axis)
    at = np.clip(np.searchsorted(knots, points) - 1, 0, len(knots) - 2)
    part = np.clip((points - knots[at]) / (knots[at + 1] - knots[at]), 0, 1)
    part = part.reshape([-1 if d == axis else 1 for d in range(table.ndim)])
    low = np.take(table, at, axis)
    return low + (np.take(table, at + 1, axis) - low) * part


class Grid:
    """Arrays [(nz)][ny][nx] on a grid that covers the domain of blocks: evenly from lower to upper (None: the domain), or with
    the centres of its cells among the arrays, by the names of the axes."""

    def __init__(self, blocks: Any, source: Source, lower: Any, upper: Any) -> None:
        values = dict(source if isinstance(source, Mapping) else arrays(source))
        self._blocks, self._axes = blocks, range(blocks.dim)
        centres = [np.asarray(values.pop(axis)) for axis in blocks.axes if axis in values]
        known = [name for name in values if isinstance(source, Mapping) or name in blocks.variables[:blocks.nvar]]
        self.values = {name: np.asarray(values[name], dtype=float) for name in known}
        self.numbers = [blocks._conserved(name) for name in known]
        if not known:
            raise OakError(f"none of {', '.join(values) or 'no arrays'} is a conserved variable of the simulation")
        low = blocks.xmin if lower is None else blocks._point(lower, "lower")
        high = blocks.xmax if upper is None else blocks._point(upper, "upper")
        if len(centres) == blocks.dim:
            self._sort(centres)
        else:
            counts = next(iter(self.values.values())).shape[::-1]
            self.edges = [np.linspace(low[d], high[d], n + 1) for d, n in enumerate(counts)]
        for name, value in self.values.items():
            shape = tuple(len(e) - 1 for e in reversed(self.edges))
            if value.shape != shape or value.ndim != blocks.dim or not np.isfinite(value).all():
                raise OakError(f"{name}: give {blocks.dim}D arrays of one shape with finite values; this one has the shape "
                               f"{value.shape}")
        for d in self._axes:
            slack = 1e-9 * (blocks.xmax[d] - blocks.xmin[d])
            if not self.edges[d][0] - slack <= blocks.xmin[d] <= blocks.xmax[d] <= self.edges[d][-1] + slack:
                raise OakError(f"the grid has {blocks.axes[d]} = {self.edges[d][0]:g} to {self.edges[d][-1]:g}, which does "
                               f"not cover the domain, {blocks.xmin[d]:g} to {blocks.xmax[d]:g}")

    def _sort(self, centres):
        """Points in any order, or coordinates of a grid along its axes."""
        axes = [np.unique(c) for c in centres]
        shape = tuple(len(a) for a in reversed(axes))
        if min(shape) < 2 or any(value.size != np.prod(shape) for value in self.values.values()):
            raise OakError(f"{len(centres[0].ravel())} points with {' x '.join(map(str, shape[::-1]))} coordinates are no grid")
        if centres[0].size == np.prod(shape):
            place = tuple(np.searchsorted(a, c.ravel()) for a, c in zip(reversed(axes), reversed(centres)))
            order = np.argsort(np.ravel_multi_index(place, shape))
            self.values = {name: value.ravel()[order].reshape(shape) for name, value in self.values.items()}
        middle = [0.5 * (a[1:] + a[:-1]) for a in axes]
        self.edges = [np.concatenate([[2 * a[0] - m[0]], m, [2 * a[-1] - m[-1]]]) for a, m in zip(axes, middle)]

    def _measure(self, d: int, x: np.ndarray) -> np.ndarray:
        """What the volume of a cell is the product of differences of."""
        kind = self._blocks.coordinates
        if kind == "cartesian" or d == 2 or (d == 1 and kind != "spherical"):
            return x
        return -np.cos(x) if d == 1 else x**3 / 3 if kind == "spherical" else x**2 / 2

    def on_blocks(self, name: str, conservative: bool) -> np.ndarray:
        """The values for all cells of the blocks: linear between the centres of the grid's cells, or, conservative, the means
        over the parts of these cells in each cell, which keep integrals."""
        blocks, table = self._blocks, self.values[name]
        knots = [0.5 * (edge[1:] + edge[:-1]) for edge in self.edges]
        if conservative:
            knots = [self._measure(d, edge) for d, edge in enumerate(self.edges)]
            for d in self._axes:  # the integral up to each knot
                axis = blocks.dim - 1 - d
                part = np.diff(knots[d]).reshape([-1 if e == axis else 1 for e in range(blocks.dim)])
                table = np.pad(np.cumsum(table * part, axis), [(int(e == axis), 0) for e in range(blocks.dim)])
        out, h, origin = np.empty(blocks._shape), blocks.cell_size(blocks.level), blocks.origin
        for b in range(blocks.nblocks):
            cells = table
            for d in self._axes:
                n, axis = blocks.block_shape[d], blocks.dim - 1 - d
                at = blocks._from_mesh(d, origin[b, d] + (np.arange(n + 1) if conservative else np.arange(n) + 0.5) * h[b, d])
                at = self._measure(d, at) if conservative else at
                cells = _along(cells, knots[d], at, axis)
                if conservative:
                    cells = np.diff(cells, axis=axis) / np.diff(at).reshape([-1 if e == axis else 1 for e in range(blocks.dim)])
            out[b] = cells
        return out
