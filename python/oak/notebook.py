# SPDX-License-Identifier: GPL-2.0-or-later
"""What is drawn: planes of values, also by notebooks, and how far something is."""
from __future__ import annotations

import base64
import html
import io
import sys
import time
from typing import Any

import numpy as np

from .convert import module
from .files import OakError

MOST_POINTS, MOST_DRAWN = 256, 1024  # along a side of a picture in a notebook, and of one that is drawn


def draw(grid: Any, title: str, axes: Any, style: dict[str, Any]) -> Any:
    """A plane of values (Uniform) with axes, units and a colour bar, as a mesh of matplotlib."""
    axes = axes or module("matplotlib.pyplot").figure(layout="constrained").gca()
    names = list(grid.axes)
    edges = [np.concatenate([[1.5 * c[0] - 0.5 * c[1]], 0.5 * (c[1:] + c[:-1]), [1.5 * c[-1] - 0.5 * c[-2]]]) for c in grid.axes.values()]
    first, second = np.meshgrid(*edges)
    if names in (["r", "phi"], ["r", "theta"]):
        across, along = first * np.sin(second), first * np.cos(second)
        first, second = (along, across) if names[1] == "phi" else (across, along)
        names = ["x", "y"] if names[1] == "phi" else ["r sin theta", "r cos theta"]
    mesh = axes.pcolormesh(first, second, grid.values, **style)
    length = grid.units.get(next(iter(grid.axes)), "")
    axes.set(aspect="equal", title=title, **{f"{x}label": f"{name} [{length}]" if length else name for x, name in zip("xy", names)})
    unit = grid.units.get(grid.name)
    axes.figure.colorbar(mesh, ax=axes, label=f"{grid.name} [{unit}]" if unit else grid.name)
    return mesh


class Progress:
    """A line on standard error that says how far something is."""

    def __init__(self, wanted: bool) -> None:
        self._wanted, self._begin, self._next = wanted, time.monotonic(), 0.0

    def show(self, part: float, text: str) -> None:
        """part: 1 when it is done."""
        now = time.monotonic()
        if self._wanted and (now >= self._next or part >= 1):
            self._next, left = now + 0.2, (now - self._begin) * (1 / max(part, 1e-9) - 1)
            print(f"\r{text} [{'#' * int(20 * part):20}] {100 * part:3.0f} %, {left:.0f} s left  ", end="\n" if part >= 1 else "",
                  file=sys.stderr, flush=True)


def picture(title: str, grid: Any) -> str:
    """HTML of a title and a plane of values (Uniform; None, or without matplotlib: only the title)."""
    try:
        plot = module("matplotlib.pyplot")
    except OakError:
        grid = None
    text = f"<div>{html.escape(title)}</div>"
    if grid is not None and min(grid.values.shape) > 1 and np.isfinite(grid.values).any():
        file, figure = io.BytesIO(), draw(grid, "", None, {}).figure
        figure.savefig(file, format="png")
        plot.close(figure)
        text += f"<img alt='{html.escape(grid.name)}' src='data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}'>"
    return text
