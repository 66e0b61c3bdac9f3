#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Density along a ray and as a function of the radius, for each plotfile of a run.

    oak run sedov output.plot_every=0.05 output.folder=output/sedov
    python3 profile.py output/sedov profile.png"""
import sys

import matplotlib.pyplot as plt
import numpy as np
import oak

run = oak.open(sys.argv[1])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for p in run:
    centre = 0.5 * (p.xmin + p.xmax)
    end = centre.copy()
    end[0] = p.xmax[0]
    ray = p.line(centre, end, "rho")
    left.step(ray["x"], ray["rho"], where="mid", label=f"t = {p.time:.3g}")
    # All cells at once: blocks are one array, and so are the coordinates of their cells.
    radius = np.sqrt((p.x - centre[0])**2 + (p.y - centre[1])**2)
    rings = np.linspace(0, p.xmax[0], 100)
    which = np.digitize(radius.ravel(), rings)
    area = np.broadcast_to(p.cell_volume[:, None, None], radius.shape).ravel()
    mass = np.bincount(which, area * p["rho"].ravel(), len(rings) + 1)
    total = np.bincount(which, area, len(rings) + 1)
    with np.errstate(invalid="ignore"):
        right.plot(0.5 * (rings[1:] + rings[:-1]), (mass / total)[1:-1])
left.set(xlabel="x", ylabel="density", title="along a ray")
right.set(xlabel="radius", title="mean over rings")
left.legend()
figure.savefig(sys.argv[2], dpi=150)
