# SPDX-License-Identifier: GPL-2.0-or-later
"""oak from Python: read plotfiles and histories, start runs, step a simulation block by block.

    p = oak.open("output/sedov")[-1]                      # read: oak/runs.py
    run = oak.run("sedov", {"mesh.max_level": 4})         # start the oak command: oak/command.py
    runs = oak.scan("sedov", {"mesh.max_level": [4, 5]})  # several runs: oak/scan.py
    sim = oak.Simulation("sedov"); sim.step(10)           # the library: oak/library.py
"""
from .blocks import Blocks, Uniform
from .checkpoint import Checkpoint
from .command import find_oak, run
from .data import arrays
from .files import OakError
from .library import Simulation
from .plotfile import Plotfile
from .runs import History, Run, history, open  # pylint: disable=redefined-builtin
from .scan import Scan, scan
from .view import View

__all__ = ["Blocks", "Checkpoint", "History", "OakError", "Plotfile", "Run", "Scan", "Simulation", "Uniform", "View",
           "arrays", "find_oak", "history", "open", "run", "scan"]
__version__ = "0.1.0"
