# SPDX-License-Identifier: GPL-2.0-or-later
"""How the total changes with time."""

captions = {
    "blob_00": "Initial state and mesh. The mesh stays as it is; each square is a block.",
    "blob_05": "t = 0.5: the blob is in the coarse corners of the periodic domain.",
    "blob_10": "t = 1: back in the centre, smeared by the coarse blocks that it crossed.",
}


def figures(case):
    t = case.table("conservation")
    with case.figure("conservation", "Relative error of the total while the blob crosses refinement boundaries, in units "
                     "of the machine precision 2.2e-16.") as (_, ax):
        for dim in (2, 3):
            rows = t["dim"] == dim
            ax.plot(t["t"][rows], t["relative error"][rows] / 2.220446e-16, ".-", label=f"{dim}D")
        case.labels(ax, "t", "|total - initial| / initial / 2.2e-16")
