# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors over resolution, like the paper's figure "Convergence test results"."""


def figures(case):
    t = case.table("errors")
    for dim in (2, 3):
        with case.figure(f"convergence_{dim}d", f"Errors after one crossing of the {dim}D domain; the numbers are the "
                         "orders of convergence of each step. Filled: L1, open: L2.") as (fig, ax):
            for i, (limiter, label) in enumerate((("vanleer", "van Leer, Heun"), ("weno5", "WENO5, RK4"))):
                rows = (t["dim"] == dim) & (t["limiter"] == limiter)
                case.convergence(ax, t["cells"][rows], t["L1"][rows], label + ", L1", color=f"C{i}", below=True)
                case.convergence(ax, t["cells"][rows], t["L2"][rows], label + ", L2", color=f"C{i}", marker="s",
                                 linestyle="--", markerfacecolor="white")
            ax.set_ylabel("error")
            ax.legend(fontsize=8, loc="lower left")
