# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors over resolution for each limiter."""

captions = {"vortex": "Density after one period on the mesh that follows the vortex; each square is a block of 16 x 16 cells."}


def figures(case):
    t = case.table("errors")
    with case.figure("errors", "L1 error of the density after one period, with the order of each step. All schemes turn "
                     "to second order when the errors of their reconstruction have become small.") as (_, ax):
        for limiter, label in (("vanleer", "van Leer, Heun"), ("koren", "Koren, SSPRK33"), ("weno5", "WENO5, RK4")):
            rows = t["limiter"] == limiter
            if rows.any():
                case.convergence(ax, t["cells"][rows], t["L1"][rows], label)
        ax.set_ylabel("L1 error of the density")
        ax.legend(fontsize=8)
