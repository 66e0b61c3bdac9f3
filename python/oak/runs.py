# SPDX-License-Identifier: GPL-2.0-or-later
"""The output folder of a run, and what is in it."""
import csv
import io
import os
import re

import numpy as np

from .checkpoint import Checkpoint
from .files import OakError, is_name, open_regular
from .plotfile import Plotfile


def _series_of(name):
    """All before the number at the end, and before its "_"."""
    stem = name.rstrip("0123456789")
    return stem[:-1] if stem.endswith("_") else stem


class Run:
    """The output folder of a run: its plotfiles by number, as in run[-1], and histories.

    Plotfiles are those of [output], or of the only series that there is. Those of a section [output.zoom] are
    run.series("zoom"); run.names lists all series."""

    def __init__(self, folder, series=None):
        self.folder = os.fspath(folder)
        try:
            names = os.listdir(self.folder)
        except OSError as wrong:
            raise OakError(f"cannot look into {self.folder}: {wrong.strerror}; give a plotfile (a folder such as "
                           "plt000100) or the folder of a run") from wrong
        names = [n for n in names if os.path.exists(os.path.join(self.folder, n, "Header")) and is_name(n)
                 and not n.startswith(".") and not n.endswith((".oak-part", ".oak-old", ".start"))]
        natural = [([int(t) if t.isdigit() else t for t in re.split(r"(\d+)", n)], n) for n in names]
        self._all = {}
        for _, n in sorted(natural):
            self._all.setdefault(_series_of(n), []).append(os.path.join(self.folder, n))
        self.names = sorted(self._all)
        if series is None and (len(self.names) == 1 or "plt" in self.names):
            series = "plt" if "plt" in self.names else self.names[0]
        if series is not None and series not in self.names:
            raise OakError(f"there is no series {series} of plotfiles in {self.folder}; it holds: "
                           f"{', '.join(self.names)}")
        self.name = series

    def series(self, name):
        """The Run of the plotfiles that the section [output.NAME] wrote; "plt": those of [output]."""
        return Run(self.folder, name)

    @property
    def paths(self):
        """The plotfiles of the series."""
        if self.name is None and self.names:
            raise OakError(f"{self.folder} holds several series of plotfiles: {', '.join(self.names)}; choose one, such "
                           f"as run.series({self.names[0]!r})")
        return self._all.get(self.name, [])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, number):
        if isinstance(number, slice):
            return [Plotfile(p) for p in self.paths[number]]
        if not self.paths:
            raise OakError(f"there is no plotfile in {self.folder} (a folder such as plt000100)")
        return Plotfile(self.paths[number])

    def __iter__(self):
        return (Plotfile(p) for p in self.paths)

    def __repr__(self):
        counts = ", ".join(f"{len(paths)} plotfiles {name}" for name, paths in self._all.items())
        return f"<oak.Run {self.folder}: {counts or 'no plotfiles'}>"

    def history(self, name="diagnostics.csv"):
        """A table of the run as {column: array}."""
        return history(os.path.join(self.folder, name))


def open(path):  # pylint: disable=redefined-builtin
    """A Plotfile, a Checkpoint, or the Run of an output folder."""
    if os.path.exists(path) and not os.path.isdir(path):
        return Checkpoint(path)
    return Plotfile(path) if os.path.exists(os.path.join(path, "Header")) else Run(path)


def history(path):
    """A CSV of numbers, such as diagnostics.csv, as {column: array}."""
    try:
        with io.TextIOWrapper(open_regular(path, "is no regular file"), encoding="utf-8", newline="") as f:
            rows = [row for row in csv.reader(f) if row and not row[0].startswith("#")]
        columns = zip(*([float(v) for v in row] for row in rows[1:]))
        return dict(zip(rows[0], map(np.array, columns)))
    except OSError as wrong:
        raise OakError(f"cannot read {path}: {wrong.strerror}") from wrong
    except (ValueError, IndexError, csv.Error) as wrong:
        raise OakError(f"{path} is no table of numbers: {wrong}") from wrong
