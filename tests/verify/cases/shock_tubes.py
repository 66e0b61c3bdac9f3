# SPDX-License-Identifier: GPL-2.0-or-later
TUBES = ["sod", "lax", "toro1", "toro2", "toro3", "toro4", "toro5"]
NAMES = {"sod": "Sod", "lax": "Lax", **{f"toro{i}": f"Toro {i}" for i in range(1, 6)}}
LABELS = {"rho": "density", "u": "velocity", "p": "pressure"}


def draw(ax, case, tube, variable):
    low, high = case.table(f"profile_{tube}_vanleer"), case.table(f"profile_{tube}_weno5")
    ax.plot(low["x"], low["exact " + variable], color="#888888", label="exact")
    ax.plot(low["x"], low[variable], "o", markersize=2.5, label="van Leer")
    ax.plot(high["x"], high[variable], "x", markersize=3, label="WENO5")
    ax.set_xlabel("x")


def figures(case):
    with case.figure("density", "Density at the end, 100 cells, HLLC, SSPRK(3,3).", 2, 4, (13, 5.6)) as (fig, ax):
        for a, tube in zip(ax.flat, TUBES):
            draw(a, case, tube, "rho")
            a.set_title(NAMES[tube])
        handles, labels = ax[0, 0].get_legend_handles_labels()
        ax[1, 3].axis("off")
        ax[1, 3].legend(handles, labels, loc="center", fontsize=12)
    for tube in TUBES:
        with case.figure(tube, f"{NAMES[tube]}, 100 cells, HLLC, SSPRK(3,3).", 1, 3, (11, 3)) as (fig, ax):
            for a, variable in zip(ax, LABELS):
                draw(a, case, tube, variable)
                a.set_title(LABELS[variable])
            ax[0].legend()
    table = case.table("orders")
    with case.figure("orders", "Van Leer, HLLC: L1 error of the density over its largest value.") as (fig, ax):
        for tube, color in zip(TUBES, [None] * 6 + ["#8a5a2b"]):
            rows = table["problem"] == NAMES[tube]
            ax.loglog(table["cells"][rows], table["L1 of rho / largest rho"][rows], "o-", label=NAMES[tube], color=color)
        n = table["cells"]
        n = n[[n.argmin(), n.argmax()]]
        ax.loglog(n, 0.03 * (n / n[0]) ** (-2 / 3), "--", color="#888888", label="order 2/3")
        ax.loglog(n, 0.002 * (n / n[0]) ** -1.0, ":", color="#888888", label="order 1")
        ax.set_xscale("log", base=2)
        ax.set_xticks(sorted(set(table["cells"])), [f"{c:g}" for c in sorted(set(table["cells"]))])
        case.labels(ax, "cells", "L1 error of density", loc="center left", bbox_to_anchor=(1, 0.5))
