# SPDX-License-Identifier: GPL-2.0-or-later
captions = {"amr": "Density at t = 0.2, AMR."}


def figures(case):
    t = case.table("wall")
    with case.figure("wall", "Density and pressure in the cells along the wall.", 1, 2, (11, 3.4)) as (fig, ax):
        for a, name, label in zip(ax, ("rho", "p"), ("density", "pressure")):
            a.plot(t["x"], t[name])
            a.set_xlim(0, 3.2)
            a.set_xlabel("x")
            a.set_ylabel(label)
