# SPDX-License-Identifier: GPL-2.0-or-later
"""oak from Python: read plotfiles and histories, start runs, step a simulation block by block.

    p = oak.open("output/sedov")[-1]                      # read: oak/blocks.py
    run = oak.run("sedov", {"mesh.max_level": 4})         # start the oak command: oak/command.py
    sim = oak.Simulation("sedov"); sim.step(10)           # the library: oak/library.py
"""
from .blocks import Blocks, Checkpoint, OakError, Plotfile, Run, Uniform, history, open  # pylint: disable=redefined-builtin
from .command import find_oak, run
from .library import Simulation

__all__ = ["Blocks", "Checkpoint", "OakError", "Plotfile", "Run", "Simulation", "Uniform", "find_oak", "history", "open",
           "run"]
__version__ = "0.1.0"
