# SPDX-License-Identifier: GPL-2.0-or-later
"""The adaptive runs whose plotfiles several tests read: an implosion in 2D and in 3D, with a total in each step."""

RUNS = {
    "2D": ["mesh.dim=2", "mesh.block_size=8", "mesh.min_level=1", "mesh.max_level=4", "run.max_steps=40"],
    "3D": ["mesh.dim=3", "mesh.block_size=8", "mesh.min_level=1", "mesh.max_level=3", "run.max_steps=8",
           "boundary.zlow=reflect", "boundary.zhigh=reflect"],
}
INI = """[problem]
name = implosion
[physics]
gamma = 1.4
[mesh]
xmax = 0.3
[boundary]
xlow = reflect
xhigh = reflect
ylow = reflect
yhigh = reflect
[output]
diagnostics_every = 1
"""
