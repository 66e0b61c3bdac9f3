# SPDX-License-Identifier: GPL-2.0-or-later
captions = {
    "uniform": "Density on the uniform mesh: its own mirror image about the diagonal, bit for bit.",
    "amr": "The same with AMR; lines are the outlines of blocks of 16 x 16 cells.",
}


def figures(case):
    t = case.table("diagonal")
    with case.figure("diagonal", "Density on the diagonal at t = 0.03, before waves from the walls arrive there.") \
            as (fig, ax):
        ax.plot(t["distance from the edge"], t["exact rho"], color="#888888", label="exact")
        ax.plot(t["distance from the edge"], t["rho"], "o", markersize=2.5, label="van Leer, HLLC")
        case.labels(ax, "distance from the edge of the diamond", "density")
