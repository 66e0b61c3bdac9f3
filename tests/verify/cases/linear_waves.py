# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors over resolution for each wave and limiter."""

captions = {"sound_wave": "Density of the sound wave in 2D after one period; each square is a block of 16 x 16 cells."}
LIMITERS = {"vanleer": "van Leer, Heun", "koren": "Koren, SSPRK33", "weno5": "WENO5, RK4"}


def figures(case):
    t = case.table("errors")
    for dim in (2, 3):
        with case.figure(f"errors_{dim}d", f"Error of the waves in {dim}D after one period, in units of their amplitude. "
                         "Circles: entropy waves, with the order of each step; squares: sound; triangles: shear. "
                         "Dotted: theory for WENO5, entropy and shear.", size=(5.6, 4.6)) as (_, ax):
            for i, (limiter, label) in enumerate(LIMITERS.items()):
                for wave, marker in (("entropy", "o"), ("sound", "s"), ("shear", "^")):
                    rows = (t["dim"] == dim) & (t["limiter"] == limiter) & (t["wave"] == wave)
                    if not rows.any():
                        continue
                    n, error, theory = t["cells"][rows], t["error"][rows], t["theory"][rows]
                    if wave == "entropy":
                        case.convergence(ax, n, error, label, color=f"C{i}")
                    else:
                        ax.plot(n, error, marker + "--", color=f"C{i}", lw=0.8, markersize=3.5, markerfacecolor="white")
                    ax.plot(n, theory, ":", color="black", lw=1.6)
            case.labels(ax, "cells along x", "error / amplitude", fontsize=8)
