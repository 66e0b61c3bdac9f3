#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A controller: the speed of the inflow follows what a probe says, until the pressure at the nose of a cylinder is 5.

    python3 control.py control.png"""
import sys

import matplotlib.pyplot as plt
import oak

GOAL, PROBE = 5.0, (-0.27, 0.01)
sim = oak.Simulation("cylinder", {"mesh.max_level": 1})
record = [(0.0, 1.0, 2.0)]


def control(sim):
    """After each step. The gas needs about 0.5 from the boundary to the probe, so the speed changes slowly."""
    before, _, mach = record[-1]
    pressure = float(sim.value("p", PROBE)[0])
    if sim.time > 1:
        mach -= 0.4 * (pressure / GOAL - 1) * (sim.time - before)
        sim.change("problem.mach", mach)
    record.append((sim.time, pressure, mach))


sim.step(until=6, each=control)
time, pressure, mach = zip(*record)
print(f"pressure {pressure[-1]:.3f} at Mach {mach[-1]:.3f}")
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
left.plot(time, pressure, label="pressure")
left.plot(time, mach, label="Mach number of the inflow")
left.set(xlabel="time")
left.legend()
sim.show("p", axes=right)
figure.savefig(sys.argv[1], dpi=150)
