# SPDX-License-Identifier: GPL-2.0-or-later
"""Error of div B over time."""

captions = {"loop": "Field along x after one period, 128 x 64 cells.",
            "mhd_rotor": "Density of the rotor at t = 0.15; each square is a block of 8 x 8 cells.",
            "mhd_blast": "Density of the blast wave at t = 0.2; each square is a block of 8 x 8 cells."}


def figures(case):
    t = case.table("divb")
    with case.figure("divb", "Mean error of div B over time, Orszag-Tang vortex.", size=(6, 4.4)) as (_, ax):
        for run in dict.fromkeys(t["run"]):
            rows = t["run"] == run
            ax.semilogy(t["t"][rows], t["mean"][rows], label=run)
        case.labels(ax, "t", "mean of h |div B| / |B|", fontsize=7)
