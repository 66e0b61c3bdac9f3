# SPDX-License-Identifier: GPL-2.0-or-later
"""The output folder of a run, and what is in it."""
from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator
from typing import Any, Optional, Union

import numpy as np

from . import convert, notebook
from .checkpoint import Checkpoint
from .files import Named, OakError, is_name, open_regular, parse_parameters
from .plotfile import Plotfile


def _series_of(name):
    """All before the number at the end, and before its "_"."""
    stem = name.rstrip("0123456789")
    return stem[:-1] if stem.endswith("_") else stem


class History(Named):
    """A table of a run: {column: array}."""

    def __repr__(self) -> str:
        rows = len(next(iter(self.values()), ()))
        return f"<oak.History: {rows} rows of {', '.join(self)}>"

    def to_pandas(self) -> Any:
        """The same as a pandas.DataFrame."""
        return convert.module("pandas").DataFrame(dict(self))


class Run:
    """The output folder of a run: its plotfiles by number, as in run[-1], and histories.

    Plotfiles are those of [output], or of the only series that there is. Those of a section [output.zoom] are
    run.series("zoom"); run.names lists all series."""

    def __init__(self, folder: str | os.PathLike[str], series: Optional[str] = None) -> None:
        self.folder = os.fspath(folder)
        try:
            names = os.listdir(self.folder)
        except OSError as wrong:
            raise OakError(f"cannot look into {self.folder}: {wrong.strerror}; give a plotfile (a folder such as "
                           "plt000100) or the folder of a run") from wrong
        names = [n for n in names if os.path.exists(os.path.join(self.folder, n, "Header")) and is_name(n)
                 and not n.startswith(".") and not n.endswith(".oak-part")]
        natural = [([int(t) if t.isdigit() else t for t in re.split(r"(\d+)", n)], n) for n in names]
        self._all: dict[str, list[str]] = {}
        for _, n in sorted(natural):
            self._all.setdefault(_series_of(n), []).append(os.path.join(self.folder, n))
        self.names = sorted(self._all)
        if series is None and (len(self.names) == 1 or "plt" in self.names):
            series = "plt" if "plt" in self.names else self.names[0]
        if series is not None and series not in self.names:
            raise OakError(f"there is no series {series} of plotfiles in {self.folder}; it holds: "
                           f"{', '.join(self.names)}")
        self.name = series

    def series(self, name: str) -> Run:
        """The Run of the plotfiles that the section [output.NAME] wrote; "plt": those of [output]."""
        return Run(self.folder, name)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the run had, {"mesh.max_level": 5, ...}, from parameters.ini in its folder."""
        path = os.path.join(self.folder, "parameters.ini")
        try:
            with open_regular(path, "is no regular file") as f:
                return parse_parameters(f.read().decode(errors="replace"))
        except OSError as wrong:
            raise OakError(f"cannot read {path}: {wrong.strerror}; a run writes this file when it starts") from wrong

    @property
    def paths(self) -> list[str]:
        """The plotfiles of the series."""
        if self.name is None and self.names:
            raise OakError(f"{self.folder} holds several series of plotfiles: {', '.join(self.names)}; choose one, such "
                           f"as run.series({self.names[0]!r})")
        return self._all.get(self.name or "", [])

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [Plotfile(p) for p in self.paths[number]]
        if not self.paths:
            raise OakError(f"there is no plotfile in {self.folder} (a folder such as plt000100)")
        try:
            return Plotfile(self.paths[number])
        except IndexError:
            raise IndexError(f"there is no plotfile {number} in {self.folder}; it holds {len(self)}, from 0 to "
                             f"{len(self) - 1}") from None

    def __iter__(self) -> Iterator[Plotfile]:
        return (Plotfile(p) for p in self.paths)

    def __repr__(self) -> str:
        counts = [f"{len(paths)} plotfiles {name}" for name, paths in self._all.items() if self.name in (name, None)]
        others = [name for name in self.names if self.name not in (name, None)]
        return (f"<oak.Run {self.folder}: {', '.join(counts) or 'no plotfiles'}"
                f"{', beside ' + ', '.join(others) if others else ''}>")

    def _repr_html_(self) -> str:
        return notebook.picture(repr(self), None) + (self[-1]._repr_html_() if self.name in self._all else "")

    def movie(self, variable: Optional[str] = None, path: str = "movie.gif", *, axis: str = "z", at: Optional[float] = None,
              frames_per_second: float = 10, **style: Any) -> str:
        """Write slices of all plotfiles, as Plotfile.show() draws them with one range of colours, to a .gif, or with ffmpeg to a
        file of another kind. The path is returned: IPython.display.Image(run.movie("rho"))."""
        animation = convert.module("matplotlib.animation")
        level = max(p._level_for(notebook.MOST_POINTS) for p in self)
        planes = [p.slice(variable or p.variables[0], axis, at, level) for p in self]
        style = {"vmin": min(np.nanmin(u.values) for u in planes), "vmax": max(np.nanmax(u.values) for u in planes), **style}
        mesh = notebook.draw(planes[0], "", None, style)
        writer = animation.writers["pillow" if path.endswith(".gif") else "ffmpeg"](fps=frames_per_second)
        with writer.saving(mesh.figure, path, dpi=100):
            for p, plane in zip(self, planes):
                mesh.set_array(plane.values)
                mesh.axes.set_title(f"time {p.time:.6g}")
                writer.grab_frame()
        return path

    def history(self, name: str = "diagnostics.csv") -> History:
        """A table of the run as {column: array}."""
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            raise OakError(f"{self.folder} holds no {name}; the key output.diagnostics_every lets a run write diagnostics.csv, "
                           "and sections [output.NAME] other tables")
        return history(path)


def open(path: str | os.PathLike[str]) -> Union[Plotfile, Checkpoint, Run]:  # pylint: disable=redefined-builtin
    """A Plotfile, a Checkpoint, or the Run of an output folder."""
    if os.path.exists(path) and not os.path.isdir(path):
        return Checkpoint(path)
    return Plotfile(path) if os.path.exists(os.path.join(path, "Header")) else Run(path)


def history(path: str | os.PathLike[str]) -> History:
    """A CSV of numbers, such as diagnostics.csv, as {column: array}."""
    try:
        with io.TextIOWrapper(open_regular(path, "is no regular file"), encoding="utf-8", newline="") as f:
            rows = [row for row in csv.reader(f) if row and not row[0].startswith("#")]
        columns = zip(*([float(v) for v in row] for row in rows[1:])) if rows[1:] else ((),) * len(rows[0])
        return History(zip(rows[0], map(np.array, columns)))
    except OSError as wrong:
        raise OakError(f"cannot read {path}: {wrong.strerror}") from wrong
    except (ValueError, IndexError, csv.Error) as wrong:
        raise OakError(f"{path} is no table of numbers: {wrong}") from wrong
