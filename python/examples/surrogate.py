#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A surrogate that is trained while a simulation runs: dynamic mode decomposition of a sound wave (P. J. Schmid, J. Fluid
Mech. 656 (2010) 5), a linear map from one moment to the next one. It then predicts what the simulation does later.

    python3 surrogate.py"""
import numpy as np
import oak

MODES, EVERY = 2, 5
sim = oak.Simulation("linear_wave", {"mesh.max_level": 1, "mesh.min_level": 1, "run.dt_max": 0.005})
seen = []


def look(sim):
    """After each step: a copy of the cells, whose mesh does not change here."""
    if sim.step_number % EVERY == 0:
        seen.append(np.array(sim.view("rho")).ravel() - 1)


sim.step(100, each=look)
first, last = np.array(seen[:-1]).T, np.array(seen[1:]).T
u, s, v = np.linalg.svd(first, full_matrices=False)
u, s, v = u[:, :MODES], s[:MODES], v[:MODES]
step = u.T @ last @ v.T / s  # in the space of the modes
trained = len(seen)
sim.step(100, each=look)
state = u.T @ seen[trained - 1]
for number, truth in enumerate(seen[trained:], 1):
    state = step @ state
    if number % 5 == 0:
        error = np.linalg.norm(u @ state - truth) / np.linalg.norm(truth)
        print(f"{number * EVERY} steps ahead: error {error:.4f}")
