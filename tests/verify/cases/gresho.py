# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles and errors of the Gresho vortex."""
import numpy as np

captions = {"vx": "Velocity along x at t = 3 with WENO5, HLLC and 80 x 80 cells: the lobes of the initial state."}
SCHEMES = (("vanleer", "hllc", "van Leer, HLLC"), ("koren", "hllc", "Koren, HLLC"), ("weno5", "hllc", "WENO5, HLLC"),
           ("minmod", "hllc", "minmod, HLLC"), ("vanleer", "hll", "van Leer, HLL"))


def figures(case):
    p, t = case.table("profile"), case.table("errors")
    with case.figure("profile", "Mean azimuthal velocity over the radius at t = 3 on 40 x 40 cells.") as (_, ax):
        r = np.array([0, 0.2, 0.4, 0.5])
        ax.plot(r, [0, 1, 0, 0], "k-", lw=0.9, label="exact, steady")
        for limiter, flux, label in SCHEMES:
            rows = (p["limiter"] == limiter) & (p["flux"] == flux)
            if rows.any():
                ax.plot(p["r"][rows], p["v_phi"][rows], ".-", label=label, markersize=3)
        case.labels(ax, "r", "azimuthal velocity", fontsize=8)
    with case.figure("errors", "L1 error of the azimuthal velocity at t = 3, with the order of each step.") as (_, ax):
        for limiter, flux, label in SCHEMES:
            rows = (t["limiter"] == limiter) & (t["flux"] == flux)
            if rows.any():
                case.convergence(ax, t["cells"][rows], t["L1 of v_phi"][rows], label,
                                 below=limiter in ("weno5", "minmod"))
        ax.set_ylabel("L1 error of the azimuthal velocity")
        ax.legend(fontsize=8)
