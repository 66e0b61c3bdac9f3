#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Step a simulation from Python, look at it between steps, and change it. The same lines work in a notebook.

    python3 step.py step.png"""
import sys

import matplotlib.pyplot as plt
import numpy as np
import oak

sim = oak.Simulation("kelvin_helmholtz", {"mesh.max_level": 4})
figure, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for axis, time in zip(axes, (0.0, 0.6, 1.2)):
    sim.step(until=time)
    u = sim.slice("rho")
    axis.imshow(u.values, origin="lower", extent=u.extent, cmap="magma")
    for corner, width in zip(sim.origin, sim.cell_size(sim.level) * sim.block_size):
        axis.add_patch(plt.Rectangle(corner, *width, fill=False, linewidth=0.2, edgecolor="white"))
    axis.set_title(f"t = {sim.time:.2f}, {sim.nblocks} blocks")
    if time == 0.6:  # a push upwards in the middle
        push = 0.2 * np.exp(-((sim.x - 0.5)**2 + (sim.y - 0.5)**2) / 0.01)
        energy = sim["E"] + sim["my"] * push + 0.5 * sim["rho"] * push**2
        sim.write("my", sim["my"] + sim["rho"] * push)
        sim.write("E", energy)
figure.savefig(sys.argv[1], dpi=150)
print(sim.totals())
