# SPDX-License-Identifier: GPL-2.0-or-later
"""Blocks of cells and values on them, from wherever they come: a plotfile, a checkpoint, a running simulation.

    p = oak.open("output/sedov")[-1]         # the last plotfile of a run
    rho = p["rho"]                           # [block][(z)][y][x]
    u = p.uniform("rho")                     # the domain on an even grid: u.values, u.x, u.y
    ray = p.line((0, 0), (0.5, 0.5))         # ray["s"], ray["rho"], one entry per cell crossed
"""
from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import convert, notebook
from .files import AXES, OakError, component_name, file_name

MOST_LEVELS = 31

Names = Union[str, Sequence[str], None]
Point = Union[Sequence[float], np.ndarray]


class Uniform:
    """Values on an even grid: values [(nz)][ny][nx], and the centres of its cells by the names of the coordinates: x, y
    (and z), or r, phi, ... A slice has only the two coordinates of its plane."""

    def __init__(self, values: np.ndarray, axes: dict[str, np.ndarray], name: str = "values",
                 units: Optional[dict[str, str]] = None, coordinates: str = "cartesian") -> None:
        self.coordinates = coordinates
        self.values = values
        self.units = units or {}  # of name and of the axes
        self.axes = axes  # {"x": array, ...}
        self.name = name
        for axis, centres in axes.items():
            setattr(self, axis, centres)

    def __repr__(self) -> str:
        return (f"<oak.Uniform {self.name} [{']['.join(list(self.axes)[::-1])}], shape {self.values.shape}, values "
                f"{np.fmin.reduce(self.values, None):.6g} to {np.fmax.reduce(self.values, None):.6g}>")

    def _repr_html_(self) -> str:
        return notebook.picture(repr(self), self if self.values.ndim == 2 else None)

    def to_xarray(self) -> Any:
        """The same as an xarray.DataArray."""
        xarray = convert.module("xarray")
        units = {name: {"units": unit} for name, unit in self.units.items()}
        axes = {axis: (axis, at, units.get(axis, {})) for axis, at in self.axes.items()}
        return xarray.DataArray(self.values, dims=list(self.axes)[::-1], coords=axes, name=self.name,
                                attrs={**units.get(self.name, {}), "mesh_coordinates": self.coordinates})

    @property
    def extent(self) -> tuple[float, ...]:
        """(left, right, bottom, top) of a plane, as matplotlib's imshow takes it, with origin="lower"."""
        sides = []
        for centres in list(self.axes.values())[:2]:
            half = 0.5 * (centres[1] - centres[0]) if len(centres) > 1 else 0.5
            sides += [centres[0] - half, centres[-1] + half]
        return tuple(sides)


class Blocks:
    """Leaves of a block tree and values on them: what a plotfile and a running simulation have in common.

    dim         2 or 3
    block_shape [dim] cells of a block along each dimension
    block_size  the same as one number, N; 0 if these numbers differ
    xmin, xmax  [dim] corners of the domain
    trees       [dim] blocks of level 0
    level       [nblocks] level of each block
    index       [nblocks][dim] place of each block, counted in blocks of its level
    variables   names
    time, step
    coordinates "cartesian", "axisymmetric" (r, z), "polar" (r, phi), "cylindrical" (r, phi, z) or "spherical"
                (r, theta, phi): x, y, z are then these coordinates, angles in radians
    axes        their names, as columns and grids have them: ["r", "phi"]
    radius      "linear", or "logarithmic": cells have equal sizes of ln r
    units       those that are declared, by name: {"rho": "kg/m^3", "length": "m", "time": "s"}
    """

    coordinates = "cartesian"
    radius = "linear"
    dim: int
    block_shape: np.ndarray
    xmin: np.ndarray
    xmax: np.ndarray
    trees: np.ndarray
    level: np.ndarray
    index: np.ndarray
    variables: list[str]
    units: dict[str, str] = {}
    time: Any
    step: Any

    def _set_blocks(self, level, index):
        level = np.asarray(level, dtype=np.int64)
        index = np.asarray(index, dtype=np.int64).reshape(len(level), self.dim)
        places = {}
        for l in np.unique(level):
            mine = np.flatnonzero(level == l)
            key = self._key(int(l), index[mine])
            order = np.argsort(key)
            places[int(l)] = (key[order], mine[order])
        self.level, self.index, self._sorted, self._cache = level, index, places, {}

    # ---- blocks

    @property
    def axes(self) -> list[str]:
        """[dim] names of the coordinates, as `oak line` has them; x, y or z where a variable has that name."""
        names = AXES[self.coordinates].split()[:self.dim]
        return [cartesian if name in self.keys() else name for name, cartesian in zip(names, "xyz")]

    def _units(self, variable):
        """For a grid, of a variable and the axes."""
        angles = [name in ("theta", "phi") for name in AXES[self.coordinates].split()]
        units = {axis: "rad" if angle else self.units.get("length", "") for axis, angle in zip(self.axes, angles)}
        return {name: unit for name, unit in {**units, variable: self.units.get(variable, "")}.items() if unit}

    @property
    def block_size(self) -> int:
        return int(self.block_shape[0]) if np.ptp(self.block_shape) == 0 else 0

    @property
    def _shape(self):
        """Shape of all values of a variable."""
        return self.nblocks, *self.block_shape[::-1].tolist()

    @property
    def _shape_text(self):
        n = self.block_shape.tolist()
        return f"{n[0]}^{self.dim}" if self.block_size else " x ".join(map(str, n))

    @property
    def nblocks(self) -> int:
        return len(self.level)

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.nblocks * int(np.prod(self.block_shape))

    @property
    def max_level(self) -> int:
        return int(self.level.max(initial=0))  # a rank may have no blocks

    @property
    def min_level(self) -> int:
        return int(self.level.min(initial=self.max_level))

    def _mesh(self, points: np.ndarray) -> np.ndarray:
        """Coordinates of the mesh, of which the first is ln r if the radius is logarithmic, from coordinates
        [...][dim]."""
        if self.radius == "linear":
            return points
        with np.errstate(all="ignore"):
            return np.concatenate([np.log(points[..., :1]), points[..., 1:]], axis=-1)

    def _from_mesh(self, d: int, x: np.ndarray) -> np.ndarray:
        """Coordinate d from that of the mesh."""
        return np.exp(x) if d == 0 and self.radius == "logarithmic" else x

    @property
    def _low(self) -> np.ndarray:
        return self._mesh(self.xmin)

    @property
    def _high(self) -> np.ndarray:
        return self._mesh(self.xmax)

    def cell_size(self, level: Union[int, np.ndarray]) -> np.ndarray:
        """[dim] of a level, or [nblocks][dim] of an array of levels; the first is that of ln r if the radius is
        logarithmic."""
        size = (self._high - self._low) / (self.trees * self.block_shape)
        return size / 2.0 ** np.asarray(level)[..., None]

    @property
    def origin(self) -> np.ndarray:
        """[nblocks][dim] lower corners of the blocks; the first is ln r if the radius is logarithmic."""
        return self._low + self.index * self.block_shape * self.cell_size(self.level)

    @property
    def cell_volume(self) -> np.ndarray:
        """[nblocks] product of the sizes of a cell in the coordinates: its volume if they are Cartesian. See volume."""
        return np.prod(self.cell_size(self.level), axis=1)

    @property
    def volume(self) -> np.ndarray:
        """Volume of each cell, in a shape that fits those of the values."""
        return self._volume_factor * self.cell_volume.reshape([-1] + [1] * self.dim)

    @property
    def _volume_factor(self):
        """Volume of each cell, divided by the product of its sizes in the coordinates. Without an axis phi, a cell is a
        whole ring."""
        if self.coordinates == "cartesian":
            return 1.0
        around = 2 * np.pi if self.coordinates == "axisymmetric" or (self.coordinates == "spherical" and self.dim == 2) else 1
        shape = [-1] + [1] * self.dim
        dr, half = self.cell_size(self.level)[:, 0].reshape(shape), self.cell_size(self.level)[:, 1].reshape(shape) / 2
        r = self.x
        if self.radius == "logarithmic":  # the middle of both radii, and their difference over that of ln r
            around, r, dr = around * 2 * np.sinh(dr / 2) / dr * r, r * np.cosh(dr / 2), 2 * r * np.sinh(dr / 2)
        if self.coordinates != "spherical":
            return around * r
        return around * (r**2 + dr**2 / 12) * np.sin(self.y) * np.sin(half) / half

    def centres(self, axis: str) -> np.ndarray:
        """Coordinates of the cells along an axis ("x", "y", "z"), in a shape that fits those of the values."""
        d = self._axis(axis)
        h = self.cell_size(self.level)[:, d]
        x = self.origin[:, d, None] + (np.arange(self.block_shape[d]) + 0.5) * h[:, None]
        shape = [self.nblocks] + [1] * self.dim
        shape[self.dim - d] = self.block_shape[d]
        return self._from_mesh(d, x.reshape(shape))

    @property
    def x(self) -> np.ndarray:
        return self.centres("x")

    @property
    def y(self) -> np.ndarray:
        return self.centres("y")

    @property
    def z(self) -> np.ndarray:
        return self.centres("z")

    # ---- values

    def read(self, variable: str) -> np.ndarray:
        """Values of all blocks: [nblocks][NY][NX] in 2D, [nblocks][NZ][NY][NX] in 3D, the numbers of block_shape."""
        raise NotImplementedError

    def __getitem__(self, variable: str) -> np.ndarray:
        """read(), kept in memory."""
        cache = self._cache
        if variable not in cache:
            cache[variable] = self.read(variable)
        return cache[variable]

    def keys(self) -> list[str]:
        """Names that p[...] takes."""
        return list(self.variables)

    def __contains__(self, variable: object) -> bool:
        return self._find_name(variable) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __repr__(self) -> str:
        return (f"<oak.{type(self).__name__}{self._where()}: time {self.time:g}, step {self._step()}, {self.nblocks} "
                f"blocks of {self._shape_text}, levels {self.min_level} to {self.max_level}>")

    def _where(self):
        """A text that names the file."""
        path = getattr(self, "path", None)
        return f" {path}" if path else ""

    def _step(self):
        return self.step

    def _repr_html_(self) -> str:
        return notebook.picture(repr(self), self.slice(self.variables[0], level=self._level_for(notebook.MOST_POINTS)))

    def _level_for(self, points):
        """The finest level with at most so many cells along each axis."""
        cells = max(self.trees * self.block_shape)
        return max(0, min(self.max_level, int(np.log2(max(1, points / cells)))))

    def show(self, variable: Optional[str] = None, axis: str = "z", at: Optional[float] = None, level: Optional[int] = None,
             axes: Any = None, **style: Any) -> Any:
        """Draw slice() with matplotlib, in space, also where coordinates are r and an angle. axes: of matplotlib, in which it is
        drawn; style: for its pcolormesh, such as cmap. The mesh of matplotlib is returned."""
        level = self._level_for(notebook.MOST_DRAWN) if level is None else level
        return notebook.draw(self.slice(variable or self.variables[0], axis, at, level), f"time {self.time:.6g}", axes, style)

    def profile(self, along: Any, variables: Names = None, intervals: int = 64) -> np.ndarray:
        """Means of variables (default: all) over the volume in even intervals of `along`: a variable, an axis, an array like those
        of read(), or a point, for the distance from it. An array with the fields at (the middle), volume and the variables."""
        if isinstance(along, str):
            along = self.centres(along) if along in self.axes else self[along]
        elif np.shape(along) == (self.dim,):
            along = np.sqrt(sum((self.centres(axis) - x)**2 for axis, x in zip("xyz", self._point(along, "along"))))
        names, along = _names(self, variables), np.broadcast_to(along, self._shape).ravel()
        volume, edges = np.broadcast_to(self.volume, self._shape).ravel(), np.histogram_bin_edges(along, intervals)
        out = np.empty(intervals, dtype=[(name, float) for name in ("at", "volume", *names)])
        out["at"], out["volume"] = 0.5 * (edges[1:] + edges[:-1]), np.histogram(along, edges, weights=volume)[0]
        for name in names:
            with np.errstate(invalid="ignore"):
                out[name] = np.histogram(along, edges, weights=volume * self[name].ravel())[0] / out["volume"]
        return out

    def to_xarray(self, variables: Names = None, level: Optional[int] = None, lower: Optional[Point] = None,
                  upper: Optional[Point] = None) -> Any:
        """Variables (default: all) as an xarray.Dataset on an even grid; the other arguments are those of uniform()."""
        grids = {name: self.uniform(name, level, lower, upper).to_xarray() for name in _names(self, variables)}
        return convert.module("xarray").Dataset(grids, attrs={"time": self.time, "step": self._step(), "mesh_coordinates": self.coordinates})

    def to_pandas(self, variables: Names = None) -> Any:
        """A pandas.DataFrame with a row for each cell: its centre, level, volume and variables (default: all)."""
        level = self.level.reshape([-1] + [1] * self.dim)
        columns = {**{axis: self.centres(axis) for axis in self.axes}, "level": level, "volume": self.volume,
                   **{name: self[name] for name in _names(self, variables)}}
        flat = {name: np.broadcast_to(values, self._shape).ravel() for name, values in columns.items()}
        return convert.module("pandas").DataFrame(flat)

    def to_yt(self, **units: Any) -> Any:
        """A data set of yt with the variables in code units, and with the names of yt ("gas", "density") where oak's
        are known. units: length_unit, mass_unit, ... of yt.load_amr_grids. Fields of yt that take differences, such as
        vorticity, need periodicity=(True, True, True); then they are wrong at boundaries that are not periodic."""
        return convert.to_yt(self, units)

    def integral(self, variable: Union[str, np.ndarray]) -> float:
        """Integral of a variable (a name or an array like those of read()) over the domain."""
        values = self[variable] if isinstance(variable, str) else variable
        if self.coordinates != "cartesian":
            values = values * self._volume_factor
        sums = values.reshape(self.nblocks, int(np.prod(self.block_shape))).sum(axis=1, dtype=np.float64)
        return float((sums * self.cell_volume).sum())

    def find(self, points: Any) -> np.ndarray:
        """Blocks that hold the points [...][dim]: their numbers, -1 where there is none."""
        points = self._points(points)
        found = np.full(len(points), -1, dtype=np.int64)
        share = (self._mesh(points) - self._low) / (self._high - self._low) * self.trees
        inside = np.all((share >= 0) & (share <= self.trees), axis=1)
        for level, (keys, numbers) in self._sorted.items():
            n = self.trees * 2**level
            at = np.minimum(np.floor(np.where(inside[:, None], share, 0) * 2.0**level).astype(np.int64), n - 1)
            key = self._key(level, at)
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            hit = inside & (keys[place] == key)
            found[hit] = numbers[place[hit]]
        return found

    def value(self, variable: str, points: Any) -> np.ndarray:
        """Values of the cells around the points [...][dim]; NaN where there is none."""
        points = self._points(points)
        block, cell = self._locate(points)
        here, values = block >= 0, np.full(len(points), np.nan)
        values[here] = self[variable][(block[here], *cell[here, ::-1].T)]
        return values

    def _locate(self, points):
        """Blocks that hold the points, as find(), and the cells in them."""
        block = self.find(points)
        here, cell = block >= 0, np.zeros(points.shape, dtype=np.int64)
        share = (self._mesh(points[here]) - self.origin[block[here]]) / self.cell_size(self.level)[block[here]]
        cell[here] = np.clip(np.floor(share).astype(np.int64), 0, self.block_shape - 1)
        return block, cell

    def line(self, start: Point, end: Point, variables: Names = None) -> np.ndarray:
        """The cells that a line crosses, in order: an array with the fields s (distance from start to the middle of the
        part in the cell), x, y (and z; the names in axes), level, and the variables (default: all)."""
        names = [name for name in dict.fromkeys(_names(self, variables)) if name != "level"]
        first, last = self._point(start, "start"), self._point(end, "end")
        for point in (first, last):
            if np.any(point < self.xmin) or np.any(point > self.xmax):
                raise OakError(f"the line leaves the domain, {self.xmin} to {self.xmax}, at {point}")
        step = last - first
        length = float(np.sqrt((step**2).sum()))
        cuts = [np.array([0.0, 1.0])]
        for level in self._sorted if length > 0 else ():
            # Faces of all cells of a level. Some of them cut coarser cells in parts, which are joined again below.
            for d in np.flatnonzero(step):
                h = self.cell_size(level)[d]
                lo, hi = sorted((self._mesh(first)[d], self._mesh(last)[d]))
                faces = np.arange(np.ceil((lo - self._low[d]) / h), np.floor((hi - self._low[d]) / h) + 1)
                cuts.append((self._from_mesh(d, self._low[d] + faces * h) - first[d]) / step[d])
        t = np.unique(np.clip(np.concatenate(cuts), 0, 1))
        if length > 0:
            t = t[np.append(True, np.diff(t) > 1e-12)]
            t[-1] = 1.0
            middle = 0.5 * (t[1:] + t[:-1])
        else:
            middle = np.zeros(1)
        points = first + middle[:, None] * step
        block, cell = self._locate(points)
        # One entry per cell: from where the line enters it to where it leaves it; none for cells of other ranks.
        new = np.ones(len(middle), dtype=bool)
        new[1:] = (block[1:] != block[:-1]) | np.any(cell[1:] != cell[:-1], axis=1)
        enter = np.flatnonzero(new)
        leave = np.append(enter[1:], len(middle)) if length > 0 else enter
        enter, leave = enter[block[enter] >= 0], leave[block[enter] >= 0]
        centre = 0.5 * (t[enter] + t[leave]) if length > 0 else middle
        block, cell = block[enter], cell[enter]
        fields = ["s", *self.axes, "level", *names]
        out = np.empty(len(enter), dtype=[(name, float) for name in fields])
        out["s"] = centre * length
        for d in range(self.dim):
            out[self.axes[d]] = first[d] + centre * step[d]
        out["level"] = self.level[block]
        for name in names:
            out[name] = self[name][(block, *cell[:, ::-1].T)]
        return out

    def uniform(self, variable: str, level: Optional[int] = None, lower: Optional[Point] = None,
                upper: Optional[Point] = None) -> Uniform:
        """A region on the even grid of the cells of a level (default: the finest): coarser cells are repeated, finer
        ones averaged. lower, upper [dim]: corners of the region (default: the domain), widened to whole cells."""
        level = self.max_level if level is None else self._level(level)
        h = self.cell_size(level)
        count = self.trees * self.block_shape * 2**level
        lower = self.xmin if lower is None else self._point(lower, "lower")
        upper = self.xmax if upper is None else self._point(upper, "upper")
        if np.any(lower > upper) or np.any(lower > self.xmax) or np.any(upper < self.xmin):
            raise OakError(f"there is no region from {lower} to {upper} in the domain, {self.xmin} to {self.xmax}")
        low, high = ((self._mesh(corner) - self._low) / h for corner in (lower, upper))
        first = np.clip(np.floor(low + 1e-9).astype(np.int64), 0, count - 1)
        last = np.clip(np.ceil(high - 1e-9).astype(np.int64), first + 1, count)
        values = self._paint(variable, level, first, last)
        axes = {self.axes[d]: self._from_mesh(d, self._low[d] + (np.arange(first[d], last[d]) + 0.5) * h[d])
                for d in range(self.dim)}
        return Uniform(values, axes, variable, self._units(variable), self.coordinates)

    def slice(self, variable: str, axis: str = "z", at: Optional[float] = None,
              level: Optional[int] = None) -> Uniform:
        """The plane across an axis at a coordinate (default: the middle) of a 3D domain, on the even grid of the cells
        of a level (default: the finest); finer cells of the plane are averaged. In 2D all of the domain."""
        if self.dim == 3 or axis != "z":
            d = self._axis(axis)
        if self.dim == 2:
            return self.uniform(variable, level)
        at = 0.5 * (self.xmin[d] + self.xmax[d]) if at is None else float(at)
        if not self.xmin[d] <= at <= self.xmax[d]:
            raise OakError(f"{axis} = {at} is outside of the domain, {self.xmin[d]} to {self.xmax[d]}")
        level = self.max_level if level is None else self._level(level)
        low, high = self._low, self._high
        share = (self._mesh(np.full(3, at))[d] - low[d]) / (high[d] - low[d])
        plane = [e for e in range(3) if e != d]
        count = self.trees * self.block_shape * 2**level
        sums, weight = _sums(count[plane][::-1])
        data, n = self[variable], self.block_shape
        for l in self._sorted:
            layers = int(self.trees[d] * n[d]) * 2**l
            layer = min(int(np.floor(share * layers)), layers - 1)
            for b in self._sorted[l][1]:
                if self.index[b, d] == layer // n[d]:
                    cells = np.take(data[b], layer % n[d], axis=2 - d)
                    _add(sums, weight, cells, (self.index[b] * n)[plane], level - l)
        axes = {self.axes[e]: self._from_mesh(e, low[e] + (np.arange(count[e]) + 0.5) * self.cell_size(level)[e])
                for e in plane}
        return Uniform(_means(sums, weight), axes, variable, self._units(variable), self.coordinates)

    # ---- inside

    def _place_of(self, variable):
        """Place of a variable among the names."""
        return self.variables.index(self._name_of(variable))

    def _name_of(self, variable):
        """The name in keys() of a variable; vx and v_r are one component of a vector, phix is phi_x in files."""
        found = self._find_name(variable)
        if found is None:
            raise OakError(f"there is no variable {variable!r}; known: {', '.join(self.keys())}")
        return found

    def _find_name(self, variable):
        for same in (lambda a, b: a == b, self._same_component, lambda a, b: file_name(a) == b or a == file_name(b)):
            for name in self.keys():
                if isinstance(variable, str) and same(variable, name):
                    return name
        return None

    def _same_component(self, a, b):
        """Whether both are names of one component of a vector: vx and v_r, for example."""
        return component_name(self.coordinates, a) == b or component_name(self.coordinates, b) == a

    def _level(self, level):
        try:
            number = operator.index(level)
        except TypeError:
            number = -1
        if not 0 <= number < MOST_LEVELS:
            raise OakError(f"level {level} is not a whole number from 0 to {MOST_LEVELS - 1}; the blocks have levels "
                           f"{self.min_level} to {self.max_level}")
        return number

    def _point(self, point, what):
        try:
            numbers = np.asarray(point, dtype=float)
        except (TypeError, ValueError):
            numbers = None
        if numbers is None or numbers.shape != (self.dim,) or not np.isfinite(numbers).all():
            raise OakError(f"{what} is {point}, which is no point; give {self.dim} coordinates, such as "
                           f"{tuple(self.xmin.tolist())}")
        return numbers

    def _points(self, points):
        numbers = np.atleast_2d(np.asarray(points, dtype=float))
        if numbers.ndim != 2 or numbers.shape[1] != self.dim:
            raise OakError(f"points have the shape {np.shape(points)}; give a list of points of {self.dim} coordinates "
                           "each")
        return numbers

    def _axis(self, axis):
        names = AXES[self.coordinates].split()[:self.dim]
        d = names.index(axis) if axis in names else "xyz".find(axis) if isinstance(axis, str) and len(axis) == 1 else -1
        if not 0 <= d < self.dim:
            raise OakError(f"{axis!r} is no axis; choose one of {', '.join(names)}")
        return d

    def _key(self, level, index):
        """A unique number for each place of a block on a level."""
        n = self.trees * 2**level
        key = np.zeros(len(index), dtype=np.int64)
        for d in reversed(range(self.dim)):
            key = key * n[d] + index[:, d]
        return key

    def _paint(self, variable, level, first, last):
        """Values of the cells [first, last) of a level."""
        sums, weight = _sums((last - first)[::-1])
        data, n = self[variable], self.block_shape
        scale = 2.0 ** (level - self.level)[:, None]
        touched = np.all((self.index * n * scale < last) & ((self.index + 1) * n * scale > first), axis=1)
        for b in np.flatnonzero(touched):
            finer = level - int(self.level[b])
            _add(sums, weight, data[b], self.index[b] * n, finer, first)
        return _means(sums, weight)


def _means(sums, weight):
    with np.errstate(invalid="ignore"):
        return sums / weight  # NaN where the cells are those of other ranks


def _sums(shape):
    """Arrays for sums of values and for their counts, filled with 0."""
    try:
        return np.zeros(tuple(shape)), np.zeros(tuple(shape), dtype=np.int64)
    except (MemoryError, ValueError) as wrong:
        raise OakError(f"no memory for {' x '.join(map(str, shape))} points; choose a lower level") from wrong


def _add(sums, weight, cells, corner, finer, first=None):
    """Add the cells of a block, whose first one is at corner, to a grid. finer: how many levels the grid
    is finer (negative: coarser). first: the first cell of the grid."""
    dim = cells.ndim
    first = np.zeros(dim, dtype=np.int64) if first is None else first
    count, repeat = 1, 2**max(finer, 0)
    if finer < 0:
        count = np.ones(cells.shape, dtype=np.int64)
        for a in range(dim):
            place = (corner[dim - 1 - a] + np.arange(cells.shape[a])) // 2**-finer
            start = np.flatnonzero(np.append(True, np.diff(place)))
            cells, count = (np.add.reduceat(x, start, axis=a) for x in (cells, count))
        corner = corner // 2**-finer
    here, there = [], []
    for d in reversed(range(dim)):
        low = max(corner[d] * repeat, first[d])
        high = min((corner[d] + cells.shape[dim - 1 - d]) * repeat, first[d] + sums.shape[dim - 1 - d])
        if low >= high:
            return
        here.append(slice(low - first[d], high - first[d]))
        there.append(np.arange(low, high) // repeat - corner[d])
    sums[tuple(here)] += cells[np.ix_(*there)]
    weight[tuple(here)] += count if finer >= 0 else count[np.ix_(*there)]


def _names(blocks, variables):
    if variables is None:
        return list(blocks.variables)
    return [variables] if isinstance(variables, str) else list(variables)
