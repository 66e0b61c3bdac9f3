#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Density along a ray and as a function of the radius, for each plotfile of a run.

    oak run sedov output.plot_every=0.05 output.folder=output/sedov
    python3 profile.py output/sedov profile.png"""
import sys

import matplotlib.pyplot as plt
import oak

run = oak.open(sys.argv[1])
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
for p in run:
    centre = 0.5 * (p.xmin + p.xmax)
    ray = p.line(centre, (p.xmax[0], *centre[1:]), "rho")
    left.step(ray["x"], ray["rho"], where="mid", label=f"t = {p.time:.3g}")
    rings = p.profile(centre, "rho", 100)
    right.plot(rings["at"], rings["rho"])
left.set(xlabel="x", ylabel="density", title="along a ray")
right.set(xlabel="radius", title="mean over rings")
left.legend()
figure.savefig(sys.argv[2], dpi=150)
