# SPDX-License-Identifier: GPL-2.0-or-later
"""Radial scatter of the adaptive implosions over the exact solution."""

captions = {
    "density_2d": "Density at t = 2 in 2D, adaptive. Outlines are blocks of 16^2 cells.",
    "density_3d": "Density at t = 2 in 3D, adaptive, in the plane z = 0. Outlines are blocks of 8^3 cells.",
}


def figures(case):
    for dim in (2, 3):
        cells, exact = case.table(f"cells_{dim}d"), case.table(f"exact_{dim}d")
        with case.figure(
            f"radial_{dim}d",
            f"Density over radius at t = 2 in {dim}D: cells of the adaptive run in all directions, and the exact "
            "solution. The dip at the centre is wall heating.",
        ) as (_, ax):
            ax.plot(cells["r"], cells["value"], ".", ms=2, color="C0", label="cells")
            ax.plot(exact["r"], exact["rho"], "k-", lw=1, label="exact")
            ax.set_xlim(0, 1.4)
            ax.set_xlabel("r")
            ax.set_ylabel("density")
            ax.legend(loc="upper right")
