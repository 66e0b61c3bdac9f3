# SPDX-License-Identifier: GPL-2.0-or-later
"""Profile of Brio and Wu's tube beside the fine run."""


def figures(case):
    if not case.has("brio_wu_profile"):
        return
    t = case.table("brio_wu_profile")
    with case.figure("brio_wu", "Density of Brio and Wu's tube at t = 0.1: 800 cells, and a run with 3200.", size=(6, 4)) as (_, ax):
        ax.plot(t["x"], t["fine"], color="black", lw=0.8, label="3200 cells")
        ax.plot(t["x"], t["rho"], ".", markersize=2.5, label="800 cells")
        case.labels(ax, "x", "density", fontsize=8)
