# SPDX-License-Identifier: GPL-2.0-or-later
"""Radial scatter of the adaptive implosions over the exact solution."""

captions = {
    "density_2d": "Density at t = 2 in 2D, adaptive. Outlines are blocks of 16^2 cells.",
    "density_3d": "Density at t = 2 in 3D, adaptive, in the plane z = 0. Outlines are blocks of 8^3 cells.",
}


def figures(case):
    for dim in (2, 3):
        case.radial(
            dim,
            f"Density over radius at t = 2 in {dim}D: cells of the adaptive run in all directions, and the exact "
            "solution. The dip at the centre is wall heating.",
            right=1.4,
        )
