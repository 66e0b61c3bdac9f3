# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases of the foap4 paper's performance tables, with its figures for an H100 with 94 GB."""
import math
import time

from session import Failure

# For each domain and blocks of 64, 32, 16, 8: GCUPS and percent of the time outside flux and update, first of
# advection, then of Rayleigh-Taylor (table "performance-uniform").
UNIFORM = {
    ("vanleer", 2, 2048): ((11.31, 16.6, 2.90, 9.0), (13.33, 27.8, 3.07, 15.3), (9.83, 40.5, 2.90, 22.6),
                           (4.26, 48.2, 1.47, 26.2)),
    ("vanleer", 2, 8192): ((21.34, 9.8, 3.67, 6.1), (20.30, 23.0, 3.52, 11.7), (12.68, 37.9, 3.14, 19.8),
                           (4.75, 48.0, 1.55, 23.9)),
    ("vanleer", 3, 256): ((1.36, 3.0, 0.43, 5.4), (7.59, 10.1, 1.37, 8.8), (8.64, 20.4, 1.30, 14.3),
                          (6.95, 33.3, 1.10, 24.0)),
    ("vanleer", 3, 512): ((9.17, 4.6, 1.52, 3.9), (12.27, 12.4, 1.45, 6.8), (10.89, 20.7, 1.35, 11.8),
                          (7.79, 31.1, 1.10, 25.4)),
    ("weno5", 2, 2048): ((6.83, 11.7, 1.42, 5.6), (6.91, 16.8, 1.40, 9.0), (5.46, 26.7, 1.36, 16.1),
                         (2.54, 30.6, 0.68, 16.9)),
    ("weno5", 2, 8192): ((9.13, 6.2, 1.50, 3.6), (8.31, 11.8, 1.45, 6.9), (6.17, 23.2, 1.40, 14.3),
                         (2.70, 29.5, 0.69, 16.2)),
    ("weno5", 3, 256): ((1.13, 3.6, 0.17, 3.2), (3.72, 6.7, 0.53, 5.0), (4.23, 15.6, 0.48, 8.6),
                        (3.19, 24.6, 0.40, 14.4)),
    ("weno5", 3, 512): ((3.92, 2.8, 0.57, 2.3), (5.08, 7.8, 0.52, 4.0), (4.46, 14.6, 0.49, 7.8),
                        (3.24, 22.3, 0.41, 14.2)),
}

# Rayleigh-Taylor 256^3, van Leer: GCUPS with blocks of 32, 16, 8 in fp64, then in fp32 (table "performance-hardware").
HARDWARE = {
    "H100, 94 GB": (1.366, 1.302, 1.097, 2.702, 2.599, 2.081),
    "A100, 40 GB": (0.755, 0.838, 0.685, 1.280, 1.690, 1.369),
    "GTX 1080 Ti": (0.088, 0.090, 0.081, 0.269, 0.243, 0.213),
    "GTX 1060": (0.031, 0.031, math.nan, 0.150, 0.116, 0.096),
    "Intel i7-10700K, 8 tasks": (0.028, 0.025, 0.020, 0.033, 0.030, 0.026),
    "AMD 2700X, 8 tasks": (0.022, 0.020, 0.017, 0.026, 0.024, 0.022),
}

# The paper has no figure of one GPU with an adaptive mesh. Its section "Strong scaling with AMR" gives some 36 GCUPS on
# 64 GPUs, with a parallel efficiency slightly above 50 % relative to one node. So each GPU of one node has less than
# 36 / 64 / 0.5 GCUPS. On one node, 29 % of the time is outside flux and update. The run begins with 62 million cells.
AMR_MOST, AMR_OUTSIDE, AMR_CELLS = 1.125, 29, 62e6
AMR_KEYS = ("refine.criterion=lohner", "refine.variable=rho", "refine.c_refine=0.05", "refine.eps=0.01",
            "refine.c_derefine=0.00625", "refine.eps_abs=1e-10", "mesh.adapt_every=4")

LIMITERS = {"vanleer": "van Leer", "weno5": "WENO5"}
PROBLEMS = {"advection": "scalar advection", "rt": "Rayleigh-Taylor"}


class Row:
    """A case: `side` counts the cells along a side of the domain (amr: on the finest level), `block` those of a block.
    `paper` is GCUPS, `paper_outside` percent of the time; NaN: the paper has none. `found` is what was measured."""

    def __init__(self, table, dim, side, block, problem="rt", limiter="vanleer", single=False, paper=math.nan,
                 paper_outside=math.nan):
        self.table, self.dim, self.side, self.block, self.problem = table, dim, side, block, problem
        self.limiter, self.precision = limiter, "single" if single else "double"
        self.paper, self.paper_outside = paper, paper_outside
        self.wanted, self.state, self.reason, self.found, self.seconds = True, "none", "", None, 0

    def __str__(self):
        domain = "" if self.table == "amr" else f" {self.side}^{self.dim}"
        return f"{self.table} {self.problem} {self.dim}d {self.limiter}{domain} b{self.block} {self.precision}"

    def cells(self):
        return AMR_CELLS if self.table == "amr" else self.side**self.dim

    def keys(self, side=0):
        """Problem, mesh and scheme; `side`: another domain."""
        level = max(0, math.ceil(math.log2((side or self.side) / self.block)))
        amr, rt, axis = self.table == "amr", self.problem == "rt", "xyz"[self.dim - 1]
        return ["scheme.integrator=heun", "run.cfl=0.5", f"scheme.limiter={self.limiter}",
                f"scheme.precision={self.precision}", f"physics.name={'euler' if rt else 'advection'}",
                f"problem.name={'rayleigh_taylor' if rt else 'advection'}",
                *[f"boundary.{axis}{end}=reflect" for end in ("low", "high") if rt], f"mesh.dim={self.dim}",
                f"mesh.block_size={self.block}", f"mesh.min_level={2 if amr else level}", f"mesh.max_level={level}",
                *(AMR_KEYS if amr else ())]

    def measure(self, oak, side=0):
        """A failure is kept with the row. A mistake in the keys would fail in every row, so it ends the command. The
        mesh must change during a piece of the adaptive case."""
        begin = time.monotonic()
        if not self.wanted:
            return
        try:
            self.found = oak.measure(self.keys(side), seconds=1 if self.table == "amr" else 0.1)
            self.state = "measured"
        except Failure as failure:
            if failure.wrong_input:
                raise
            self.state = "skipped" if failure.no_memory else "failed"
            self.reason = str(failure).split("\n", maxsplit=1)[0]
        self.seconds = time.monotonic() - begin

    def get(self, name):
        """What was measured; NaN if nothing was."""
        return self.found[name] if self.found else math.nan

    def ratio(self):
        return self.get("gcups") / self.paper

    def outside(self):
        """Percent of the time outside flux and update."""
        return 100 * (1 - self.found["phases"]["flux and update"] / self.found["stepping"]) if self.found else math.nan


def all_rows():
    """The paper's tables, then small domains and an adaptive mesh."""
    rows = [Row("uniform", dim, side, 64 >> b, problem, limiter, False, *figures[b][2 * p:2 * p + 2])
            for (limiter, dim, side), figures in UNIFORM.items() for b in range(4) for p, problem in enumerate(PROBLEMS)]
    rows += [Row("small", 3, 64, block, problem) for block in (16, 8) for problem in PROBLEMS]
    rows += [Row("hardware", 3, 256, 32 >> i % 3, single=i > 2, paper=figure)
             for i, figure in enumerate(HARDWARE["H100, 94 GB"])]
    return rows + [Row("amr", 3, 1024, 16, paper=AMR_MOST, paper_outside=AMR_OUTSIDE)]
