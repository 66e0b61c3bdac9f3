#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An ensemble of small simulations, of which each rank takes a share: shock tubes with a scatter of pressures.

    mpirun -n 4 python3 ensemble.py"""
import numpy as np
import oak
from mpi4py import MPI

MEMBERS = 12
world = MPI.COMM_WORLD
pressure = 1 + 0.2 * np.random.default_rng(1).standard_normal(MEMBERS)
begin, mine = MPI.Wtime(), {}
for member in range(world.rank, MEMBERS, world.size):
    keys = {"problem.p_left": pressure[member], "mesh.max_level": 1, "device.threads": 1}
    with oak.Simulation("sod", keys, comm=MPI.COMM_SELF) as sim:
        sim.step(until=0.2)
        mine[member] = sim.line((0, 0.06), (1, 0.06), "rho")
shares = world.gather(mine)
if world.rank == 0:
    rays = {member: ray for share in shares for member, ray in share.items()}
    for member, ray in sorted(rays.items()):
        print(f"p_left = {pressure[member]:.3f}: shock at x = {ray['x'][ray['rho'] > 0.13].max():.3f}")
    print(f"{MEMBERS} members in {MPI.Wtime() - begin:.1f} s on {world.size} ranks")
