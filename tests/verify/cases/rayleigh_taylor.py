# SPDX-License-Identifier: GPL-2.0-or-later
"""Growth of a small disturbance on all meshes, beside the eigenvalue of the linearised equations."""
import numpy as np

captions = {
    "density_2d": "The paper's set-up in 2D on the adaptive mesh.",
    "density_3d": "The paper's set-up in 3D on the adaptive mesh, in the plane y = 1/4.",
}


def figures(case):
    table = case.table("amplitude")
    t, sigma = table.pop("t"), table.pop("rate")[0]
    with case.figure(
        "growth", "Displacement of the interface; black: growth with the eigenvalue of the linearised equations."
    ) as (_, ax):
        for name, mode in table.items():
            ax.semilogy(t, mode, label=name.replace("^2", "²"))
        late = t >= 1.9
        ax.semilogy(t[late], 1.15 * mode[-1] * np.exp(sigma * (t[late] - t[-1])), "k--", label="eigenvalue")
        case.labels(ax, "t", "amplitude of the density's mode")
