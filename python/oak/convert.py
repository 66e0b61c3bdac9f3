# SPDX-License-Identifier: GPL-2.0-or-later
"""Objects of other packages, which are loaded when they are asked for: xarray, pandas, yt."""
from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .files import OakError, component_name

# Names of variables in oak, those of yt, and units in yt's code units. {0} is the axis of a component.
_YT_NAMES = {
    "rho": ("density", "code_mass/code_length**3"),
    "p": ("pressure", "code_pressure"),
    "E": ("total_energy_density", "code_pressure"),
    "v": ("velocity_{}", "code_velocity"),
    "m": ("momentum_density_{}", "code_mass/code_length**2/code_time"),
    "b": ("magnetic_field_{}", "code_magnetic"),
}
# The geometries of yt and their axes. A direction that oak does not have is one cell, as wide as the last number.
_YT_GEOMETRIES = {
    "cartesian": ("cartesian", "xyz", 1.0),
    "axisymmetric": ("cylindrical", ("r", "z", "theta"), 2 * np.pi),
    "polar": ("polar", ("r", "theta", "z"), 1.0),
    "cylindrical": ("polar", ("r", "theta", "z"), 1.0),
    "spherical": ("spherical", ("r", "theta", "phi"), 2 * np.pi),
}


def module(name: str) -> Any:
    """An optional package."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise OakError(f"this needs the Python package {name}, which is not installed here: pip install {name}, or on "
                       f"Debian and Ubuntu apt-get install python3-{name}") from missing


def to_yt(blocks: Any, units: dict[str, Any]) -> Any:
    """The blocks as grids of yt, with their parents, because yt searches cells from level 0 on. Parents hold means."""
    yt = module("yt")
    if blocks.radius != "linear":
        raise OakError("yt has no meshes with a logarithmic radius; use uniform() or to_pandas()")
    geometry, axes, depth = _YT_GEOMETRIES[blocks.coordinates]
    names = _yt_fields(blocks.variables, axes, blocks.coordinates)
    grids = []
    for level, index, values in _tree(blocks):
        size = np.array([1.0, 1.0, depth])
        size[:blocks.dim] = blocks.cell_size(level) * blocks.block_shape
        # Edges that grids share have the same bits, or yt would count the cells beside them twice.
        left, right = np.zeros(3), size.copy()
        left[:blocks.dim] = blocks._low + index * size[:blocks.dim]
        right[:blocks.dim] = np.where(index + 1 == blocks.trees << level, blocks._high,
                                      blocks._low + (index + 1) * size[:blocks.dim])
        grid: dict[Any, Any] = {"level": level, "left_edge": left, "right_edge": right,
                "dimensions": np.array([*blocks.block_shape] + [1] * (3 - blocks.dim))}
        for name, cells in values.items():
            cells = cells.T.reshape(grid["dimensions"])
            grid["stream", name] = (cells, "")
            if name in names:
                grid[names[name][0]] = (cells, names[name][1])
        velocities = [component_name(blocks.coordinates, name) for name in ("vx", "vz")]
        if velocities[0] in values and velocities[1] not in values:  # yt's fields of velocities and vorticity need three components
            grid["gas", f"velocity_{axes[2]}"] = (np.zeros(grid["dimensions"]), "code_velocity")
        grids.append(grid)
    missing = 3 - blocks.dim
    box = np.stack([np.append(blocks._low, [0.0] * missing), np.append(blocks._high, [depth] * missing)], axis=1)
    cells = np.array([*(blocks.trees * blocks.block_shape)] + [1] * missing)
    return yt.load_amr_grids(grids, cells, bbox=box, sim_time=float(blocks.time), **{
        "periodicity": (False,) * 3, "geometry": geometry, "velocity_unit": _velocity_unit(yt, units), **units})


def _yt_fields(variables: Any, axes: Any, coordinates: str = "cartesian") -> dict[str, Any]:
    """{variable of oak: (field of yt, unit)}. Components of the magnetic field are of the type "stream": yt converts
    them to the system of units that the data set has."""
    known = {name: _YT_NAMES[name] for name in ("rho", "p", "E")}
    for letter in "vmb":
        name, unit = _YT_NAMES[letter]
        for axis, other in zip("xyz", axes):  # files of earlier versions have vx in all coordinates
            known[letter + axis] = known[component_name(coordinates, letter + axis)] = (name.format(other), unit)
    return {name: (("stream" if name[0] == "b" else "gas", known[name][0]), known[name][1])
            for name in variables if name in known}


def _velocity_unit(yt: Any, units: dict[str, Any]) -> Any:
    """Length over time. Without this argument yt takes 1 cm/s, whatever the units of length and time are."""
    def quantity(name: str, cgs: str) -> Any:
        unit = units.get(name) or (1, cgs)
        if isinstance(unit, str):
            return yt.YTQuantity(1.0, unit)
        return yt.YTQuantity(*unit) if isinstance(unit, tuple) else yt.YTQuantity(unit, getattr(unit, "units", cgs))

    speed = quantity("length_unit", "cm") / quantity("time_unit", "s")
    return float(speed.to_value("cm/s")), "cm/s"


def _tree(blocks: Any) -> Any:
    """(level, index, {variable: cells}) of all blocks and of all of their ancestors, level 0 first."""
    names, nodes = list(blocks.variables), {}
    for b in range(blocks.nblocks):
        nodes[int(blocks.level[b]), tuple(blocks.index[b].tolist())] = {name: blocks[name][b] for name in names}
    half = blocks.block_shape // 2
    for level in range(blocks.max_level, 0, -1):
        for (l, index), cells in list(nodes.items()):
            if l != level:
                continue
            at = (level - 1, tuple(i // 2 for i in index))
            parent = nodes.setdefault(at, {name: np.empty_like(cells[name]) for name in names})
            part = tuple(slice(i % 2 * n, i % 2 * n + n) for i, n in zip(reversed(index), reversed(half)))
            for name in names:
                fine = cells[name].reshape(sum(((n, 2) for n in reversed(half)), ()))
                parent[name][part] = fine.mean(axis=tuple(range(1, 2 * len(index), 2)))
    for (level, index), cells in sorted(nodes.items(), key=lambda node: node[0]):
        yield level, np.array(index), cells
