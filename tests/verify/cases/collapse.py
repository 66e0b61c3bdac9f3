# SPDX-License-Identifier: GPL-2.0-or-later
"""Energies of Evrard's collapse over time."""


def figures(case):
    t = case.table("energies")
    with case.figure("energies", "Energies of Evrard's collapse; lines: spherical symmetry, dots: oak in 3D.") as (_, ax):
        for name, colour in (("kinetic", "C0"), ("internal", "C1"), ("potential", "C2")):
            ax.plot(t["t"], t[name + " in shells"], "-", color=colour, label=name)
            ax.plot(t["t"], t[name], "o", color=colour, markersize=3)
        case.labels(ax, "t", "energy", fontsize=8)
