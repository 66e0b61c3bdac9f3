# SPDX-License-Identifier: GPL-2.0-or-later
"""Radial scatter of the adaptive blasts over the self-similar solution."""

captions = {
    "density_2d": "Density at t = 1 in 2D, adaptive. Outlines are blocks of 16^2 cells.",
    "density_3d": "Density at t = 1 in 3D, adaptive, in the plane z = 0. Outlines are blocks of 8^3 cells.",
}


def figures(case):
    for dim in (2, 3):
        case.radial(
            dim,
            f"Density over radius at t = 1 in {dim}D: cells of the adaptive run in all directions, and the "
            "self-similar solution.",
            legend="upper left",
        )
