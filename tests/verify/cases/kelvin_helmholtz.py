# SPDX-License-Identifier: GPL-2.0-or-later
"""Growth of the mode on all meshes over the published curve."""

captions = {"density": "Density at t = 1.5 on the adaptive mesh."}


def figures(case):
    table = case.table("amplitude")
    t = table.pop("t")
    published = table.pop("published")
    with case.figure(
        "amplitude", "Amplitude of the mode; black: McNally, Lyra and Passy (2012), Pencil Code on 4096^2 points."
    ) as (_, ax):
        ax.semilogy(t, published, "k-", lw=3, alpha=0.3, label="published")
        for name, mode in table.items():
            ax.semilogy(t, mode, "o" if "adaptive" in name else "-", ms=4, mfc="none", label=name.replace("^2", "²"))
        case.labels(ax, "t", "mode amplitude M")
    with case.figure("amplitude_error", "Relative error of the amplitude against the published curve.") as (_, ax):
        for name, mode in table.items():
            error = abs(mode / published - 1)[1:]
            ax.semilogy(t[1:], error, "o" if "adaptive" in name else "-", ms=4, mfc="none", label=name.replace("^2", "²"))
        case.labels(ax, "t", "|M / published - 1|")
