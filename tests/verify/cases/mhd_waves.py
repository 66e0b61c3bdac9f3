# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors over resolution for each wave."""

captions = {"circular_wave": "Field across the plane of the circularly polarised Alfven wave after one period."}


def figures(case):
    t = case.table("errors")
    for dim in (2, 3):
        if not (t["dim"] == dim).any():
            continue
        with case.figure(f"errors_{dim}d", f"Error of the waves in {dim}D after one period, in units of their amplitude.",
                         size=(5.6, 4.6)) as (_, ax):
            for i, wave in enumerate(("fast", "slow", "alfven", "entropy", "circular")):
                rows = (t["dim"] == dim) & (t["limiter"] == "vanleer") & (t["wave"] == wave)
                if rows.any():
                    case.convergence(ax, t["cells"][rows], t["error"][rows], wave, color=f"C{i}")
            case.labels(ax, "cells along x", "error / amplitude", fontsize=8)
