# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs of a set of parameter values."""
from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional

import numpy as np

from .command import flatten, run
from .files import OakError
from .runs import History, Run


class Scan:
    """The runs of a scan, in the order of their values.

    values  [run] {key: value}
    runs    [run] a Run, or None if it failed
    errors  [run] oak's message, or None"""

    def __init__(self, values: list[dict[str, Any]], runs: list[Optional[Run]], errors: list[Optional[str]]) -> None:
        self.values, self.runs, self.errors = values, runs, errors

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[dict[str, Any], Optional[Run]]]:
        return iter(zip(self.values, self.runs))

    def __getitem__(self, number: int) -> Optional[Run]:
        return self.runs[number]

    def __repr__(self) -> str:
        failed = sum(error is not None for error in self.errors)
        return f"<oak.Scan of {', '.join(self.values[0])}: {len(self)} runs, {failed} failed>"

    def history(self, name: str = "diagnostics.csv") -> History:
        """The tables of all runs in one table, one run after the other, with a column for each key of the scan."""
        tables = [(values, found.history(name)) for values, found in self if found]
        if not tables:
            raise OakError("all runs of the scan failed; their messages are in errors")
        columns = {key: np.concatenate([np.full(len(table["step"]), value if np.isscalar(value) else str(value))
                                        for value, table in ((values[key], table) for values, table in tables)])
                   for key in self.values[0]}
        shared = [column for column in tables[0][1] if all(column in table for _, table in tables)]
        columns.update((column, np.concatenate([table[column] for _, table in tables])) for column in shared)
        return History(columns)


def _title(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} = {value}" for key, value in values.items())


def scan(parameters: str | os.PathLike[str], values: Mapping[str, Iterable[Any]],
         settings: Optional[Mapping[str, Any]] = None, *, folder: Optional[str] = None, at_once: int = 1,
         **arguments: Any) -> Scan:
    """Run every combination of values, {"mesh.max_level": [4, 5], "run.cfl": [0.4, 0.8]}.

    settings   keys that all runs share
    folder     of the scan; default output/scan. Its folders 000, 001, ... hold the runs
    at_once    runs at the same time; they share the cores, unless ranks says how many each has
    arguments  those of oak.run, such as ranks or overwrite

    A run that fails is a warning, and the others go on. A key that oak does not know ends the scan."""
    for key, of_key in values.items():
        if isinstance(of_key, str) or not isinstance(of_key, Iterable):
            raise OakError(f"the values of {key} are {of_key!r} alone; give a list, such as [{of_key!r}]")
    lists = {key: list(of_key) for key, of_key in values.items()}
    if not lists or not all(lists.values()):
        raise OakError("a scan needs keys with at least one value each: {'mesh.max_level': [4, 5]}")
    sets = [dict(zip(lists, chosen)) for chosen in itertools.product(*lists.values())]
    top = folder or os.path.join("output", "scan")
    shared = flatten(settings)
    if at_once > 1 and not arguments.get("ranks"):
        shared.setdefault("device.threads", max(1, len(os.sched_getaffinity(0)) // at_once))

    def one(number: int) -> tuple[Optional[Run], Optional[str]]:
        mine = {**shared, **sets[number], "output.folder": os.path.join(top, f"{number:03d}")}
        try:
            return run(parameters, mine, **arguments), None
        except OakError as wrong:
            if re.search("unknown (key|section)|key without a section", str(wrong)):  # in all runs
                raise
            return None, str(wrong)

    with ThreadPoolExecutor(max(1, at_once)) as pool:
        runs, errors = zip(*pool.map(one, range(len(sets))))
    for chosen, error in zip(sets, errors):
        if error:
            warnings.warn(f"the run with {_title(chosen)} failed: {error}", stacklevel=2)
    return Scan(sets, list(runs), list(errors))
