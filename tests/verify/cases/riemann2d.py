# SPDX-License-Identifier: GPL-2.0-or-later
NAMES = {"three": "Configuration 3", "four": "Configuration 4", "six": "Configuration 6", "twelve": "Configuration 12"}
captions = {name: f"{title}: density, AMR." for name, title in NAMES.items()}


def figures(case):
    t = case.table("edges")
    for name, title in NAMES.items():
        with case.figure(f"edges_{name}", f"{title}: density along the edges of the square, uniform mesh.", 1, 4,
                         (13, 2.8)) as (fig, ax):
            for a, edge in zip(ax, ("left", "right", "lower", "upper")):
                rows = (t["configuration"] == name) & (t["edge"] == edge)
                a.plot(t["x"][rows], t["exact rho"][rows], color="#888888", label="exact")
                a.plot(t["x"][rows], t["rho"][rows], "o", markersize=2, label="oak")
                a.set_title(edge)
                a.set_xlabel("y" if edge in ("left", "right") else "x")
            ax[0].set_ylabel("density")
            ax[0].legend()
