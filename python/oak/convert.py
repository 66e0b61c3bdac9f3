# SPDX-License-Identifier: GPL-2.0-or-later
"""Objects of other packages, which are loaded when they are asked for: xarray, pandas, yt."""
from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from .files import OakError

# Names of variables in oak, those of yt, and units in yt's code units.
_YT_NAMES = {
    "rho": ("density", "code_mass/code_length**3"),
    "p": ("pressure", "code_pressure"),
    "vx": ("velocity_x", "code_velocity"),
    "vy": ("velocity_y", "code_velocity"),
    "vz": ("velocity_z", "code_velocity"),
    "mx": ("momentum_density_x", "code_mass/code_length**2/code_time"),
    "my": ("momentum_density_y", "code_mass/code_length**2/code_time"),
    "mz": ("momentum_density_z", "code_mass/code_length**2/code_time"),
    "E": ("total_energy_density", "code_pressure"),
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
    grids = []
    for level, index, values in _tree(blocks):
        size = np.ones(3)
        size[:blocks.dim] = blocks.cell_size(level) * blocks.block_shape
        left, right = np.zeros(3), np.ones(3)
        left[:blocks.dim] = blocks._low + index * size[:blocks.dim]
        right[:blocks.dim] = left[:blocks.dim] + size[:blocks.dim]
        grid: dict[Any, Any] = {"level": level, "left_edge": left, "right_edge": right,
                "dimensions": np.array([*blocks.block_shape] + [1] * (3 - blocks.dim))}
        for name, cells in values.items():
            cells = cells.T.reshape(grid["dimensions"])
            grid["stream", name] = (cells, "")
            if name in _YT_NAMES:
                known, unit = _YT_NAMES[name]
                grid["gas", known] = (cells, unit)
        grids.append(grid)
    ones = np.ones(3 - blocks.dim)
    box = np.stack([np.append(blocks._low, 0 * ones), np.append(blocks._high, ones)], axis=1)
    cells = np.append(blocks.trees * blocks.block_shape, ones.astype(int))
    # There yt has coordinates (r, z, theta); each grid has one cell along theta, of width 2 pi.
    if blocks.coordinates == "axisymmetric":
        units = {"geometry": "cylindrical", **units}
        box[2, 1] = 2 * np.pi
        for grid in grids:
            grid["right_edge"][2] = 2 * np.pi
    return yt.load_amr_grids(grids, cells, bbox=box, sim_time=float(blocks.time), **{"periodicity": (False,) * 3, **units})


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
