# SPDX-License-Identifier: GPL-2.0-or-later
SCHEMES = [("minmod", "s", "minmod"), ("vanleer", "o", "van Leer"), ("weno5", "x", "WENO5")]


def figures(case):
    reference = case.table("profile_reference")
    with case.figure("density", "Density at t = 1.8 with 512 cells, and the run on the finest mesh; right: the short "
                     "waves behind the shock.", 1, 2, (12, 4)) as (fig, ax):
        for a, low, high in zip(ax, (-4, 0.5), (4, 2.5)):
            a.plot(reference["x"], reference["rho"], color="#888888", label=f"{len(reference['x'])} cells, WENO5")
            for limiter, marker, label in SCHEMES:
                t = case.table("profile_" + limiter)
                a.plot(t["x"], t["rho"], marker, markersize=3, label=label, fillstyle="none")
            a.set_xlim(low, high)
            a.set_xlabel("x")
        ax[0].set_ylabel("density")
        ax[1].set_ylim(2.9, 4.9)
        ax[0].legend()
    table = case.table("errors")
    with case.figure("errors", "L1 error of the density against the run on the finest mesh.") as (fig, ax):
        for n, limiter in enumerate(dict.fromkeys(table["limiter"])):
            rows = table["limiter"] == limiter
            ax.loglog(table["cells"][rows], table["L1 of rho"][rows], "os"[n // 6] + "-", label=limiter)
        cells = sorted(set(table["cells"]))
        ax.set_xscale("log", base=2)
        ax.set_xticks(cells, [f"{c:g}" for c in cells])
        case.labels(ax, "cells", "L1 error of density")
