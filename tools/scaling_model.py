#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Predict the time per step on many GPUs from pieces that were measured on one and two GPUs, and compare it with runs on up to four.

usage: scaling_model.py                print the tables of docs/scaling.md
       scaling_model.py --check PAGE   compare them with the page; exit code 1 if they differ
       scaling_model.py --write PAGE   put them into the page
       scaling_model.py ... --link 50  another bandwidth between hosts, GB/s; names are those in INPUTS

The blocks of each mesh are sorted along the Morton curve and cut into one part per GPU, as oak does it. oak in addition
keeps families together; the model does not. The faces between parts are counted. What a stage then costs is in the
functions oak_stage and foap4_stage. All times are in seconds, all bandwidths in bytes per second. It needs Python 3 and
nothing else.
"""
import difflib
import math
import sys

# name: (value, unit, factor to SI, where it comes from)
INPUTS = {
    "rate": (14.7, "GCUPS", 1e9, "flux kernel of one GPU, many blocks: fit to 64^3, 256^3 and 512^3"),
    "gap": (20, "us", 1e-6, "per stage: launches, the end of a kernel, boundary slots: the same fit"),
    "block": (45, "ns", 1e-9, "per block and stage, adaptive: ghost cells, flags, flux fixing, moving; one GPU"),
    "levels": (44, "us", 1e-6, "per stage, adaptive: launches of those kernels; one GPU"),
    "host_block": (60, "ns", 1e-9, "per block and adaptation: the host's work on mesh and pattern; one GPU"),
    "host_fixed": (42, "us", 1e-6, "per adaptation: the same; one GPU"),
    "move": (200, "ns", 1e-9, "per block and adaptation: partition, new handles, more than one GPU; two GPUs"),
    "spread": (1, "%", 1e-2, "of the kernels: wait for the slower GPU; two GPUs"),
    "meet": (5.7, "us", 1e-6, "a signal between processes of a host, in the queue; two GPUs"),
    "direct": (330, "GB/s", 1e9, "a kernel reads the memory of another GPU of the host; two GPUs"),
    "nccl_start": (8, "us", 1e-6, "an exchange by NCCL within a host; two GPUs"),
    "nccl": (292, "GB/s", 1e9, "the same, large messages; two GPUs"),
    "split": (60, "us", 1e-6, "per stage: flux kernel in two launches, NCCL against direct; two GPUs"),
    "reduce": (7, "us", 1e-6, "per reduction and doubling of the ranks; two GPUs"),
    "memory": (3000, "GB/s", 1e9, "memory of an H100, for packing messages; one GPU"),
    "link": (25, "GB/s", 1e9, "ASSUMED: all that a host sends at a time, and all that it receives"),
    "link_start": (20, "us", 1e-6, "ASSUMED: a round of messages between hosts"),
    "collectives": (20, "", 1, "ASSUMED: reductions and the like in an adaptation"),
    "foap4": (1.275, "GCUPS", 1e9, "the paper: a GPU of a full node, uniform 512^3, 16^3 blocks"),
    "foap4_amr": (1.08, "GCUPS", 1e9, "the paper: the same, adaptive: 36 / 64 / (slightly above 50 %)"),
}
GPUS_PER_HOST = 4
N, LAYERS, VARIABLES, REAL = 16, 2, 5, 8
STAGES, ADAPT_EVERY = 2, 4  # Heun; steps from one adaptation to the next
SLOT = N * N * LAYERS * VARIABLES * REAL  # bytes: ghost cells of a face
PIECE = SLOT // 4                         # of a fine face, averaged to the coarse cells
FLUX = (N // 2) ** 2 * VARIABLES * REAL   # fluxes of a fine face, averaged

# ---- meshes: leaves along the Morton curve, and the faces between them


def spread_bits(x):
    return sum((x >> b & 1) << 3 * b for b in range(20))


class Mesh:
    """Leaves of an octree whose finest level fills a slab; periodic in x and y, walls in z.

    slab: blocks of the finest level below and above height 0.8 (0: all blocks). cell_scale: cells along
    the side of a leaf in units of a block's, for meshes too large to list block by block."""

    def __init__(self, level, lowest=2, slab=None, cell_scale=1):
        self.top, self.scale = level, cell_scale
        # The height where a leaf must be fine, in blocks of the finest level.
        side = 1 << level
        low, high = (0, side) if slab is None else (round(0.8 * side) - slab, round(0.8 * side) + slab)
        leaves = []
        for l in range(lowest, level + 1):
            step = 1 << (level - l)
            for z in range(0, side, step):
                if self.leaf_level(z, l, low, high, lowest) != l:
                    continue
                leaves += [(x, y, z, l) for y in range(0, side, step) for x in range(0, side, step)]
        bits = [spread_bits(x) for x in range(side)]
        leaves.sort(key=lambda b: bits[b[0]] | bits[b[1]] << 1 | bits[b[2]] << 2)
        self.n = len(leaves)
        self.faces = self.find_faces(leaves, side)

    def leaf_level(self, z, l, low, high, lowest):
        """Level of the leaf at height z of a 2:1 balanced mesh. The search begins with the lowest level."""
        for k in range(lowest, self.top):
            step = 1 << (self.top - k)
            begin = z // step * step
            # Two blocks of each level that follows lie between the slab and this level.
            margin = sum(2 << (self.top - j) for j in range(k + 2, self.top + 1))
            if begin + step <= low - margin or begin >= high + margin:
                return k
        return self.top

    def find_faces(self, leaves, side):
        """(reader, source, difference of levels: 0 same, 1 the source is finer, -1 coarser)"""
        number = {leaf: n for n, leaf in enumerate(leaves)}
        faces = []
        for n, (x, y, z, l) in enumerate(leaves):
            step = 1 << (self.top - l)
            for axis, sign in ((0, 1), (0, -1), (1, 1), (1, -1), (2, 1), (2, -1)):
                at = [x, y, z]
                at[axis] += sign * step
                if axis == 2 and not 0 <= at[2] < side:
                    continue
                at = [c % side for c in at]
                m = number.get((*at, l))
                if m is not None:
                    faces.append((n, m, 0))
                    continue
                m = number.get((*(c // (2 * step) * (2 * step) for c in at), l - 1))
                if m is not None:
                    faces += [(n, m, -1), (m, n, 1)]
        return faces

    def cells(self):
        return self.n * N**3 * self.scale**3


class Parts:
    """A mesh on a number of GPUs: what its fullest and busiest parts have."""

    def __init__(self, mesh, gpus, per_host=GPUS_PER_HOST):
        owner = [n * gpus // mesh.n for n in range(mesh.n)]
        near = [0] * gpus                      # bytes read from GPUs of the same host, a stage
        rounds = [[0, 0] for _ in range(-(-gpus // per_host))]  # bytes to and from other hosts: R1, the rest
        own = [0] * gpus                       # the same of one GPU
        outer = set()
        slot, piece, flux = (b * mesh.scale**2 for b in (SLOT, PIECE, FLUX))
        for reader, source, step in mesh.faces:
            a, b = owner[reader], owner[source]
            if a == b:
                continue
            # A coarse block gets averages in R1 and fluxes; a fine one interpolated cells in R2.
            first, later = {0: (slot, 0), 1: (piece, flux), -1: (0, slot)}[step]
            if a // per_host == b // per_host:
                near[a] += first + later
                continue
            outer.add(reader)
            own[a] += first + later
            rounds[a // per_host][0] += first
            rounds[a // per_host][1] += later
        count = [0] * gpus
        for n in outer:
            count[owner[n]] += 1
        self.gpus, self.blocks = gpus, -(-mesh.n // gpus)
        self.cells = self.blocks * mesh.cells() / mesh.n
        self.outer = min(1, max(count) / self.blocks)
        self.near, self.own = max(near), max(own)
        self.first, self.later = max(r[0] for r in rounds), max(r[1] for r in rounds)
        self.hosts = len(rounds)


# ---- the time of a stage


def message(i, size, inside):
    """A round of messages: of NCCL within a host, or between hosts."""
    if inside:
        return i["nccl_start"] + size / i["nccl"]
    return i["link_start"] + size / i["link"]


def oak_stage(i, p, adaptive, messages_inside=False):
    """Seconds of a stage by what they are spent on. With messages_inside the GPUs of a host use messages too:
    p then has one GPU per host."""
    many, hosts = p.gpus > 1, p.hosts > 1
    kernels = p.cells / i["rate"]
    reductions = i["reduce"] * math.log2(p.gpus)
    t = {"kernels": kernels, "launches": i["gap"], "levels": 0, "adaptation": 0}
    if adaptive:
        t["levels"] = i["levels"] + p.blocks * i["block"]
        host = i["host_fixed"] + p.blocks * i["host_block"]
        if many:
            host += p.blocks * i["move"] + i["collectives"] * reductions
        t["adaptation"] = host / (STAGES * ADAPT_EVERY)
    t["reduction"] = reductions / STAGES
    t["host"] = i["spread"] * kernels if many else 0
    if many and not messages_inside:
        t["host"] += (3 if adaptive else 1) * i["meet"] + p.near / i["direct"]
    t["between hosts"] = 0
    if hosts:
        # R1 travels while inner blocks are computed; R2 and averages of fluxes do not.
        t["launches"] += i["split"] + 2 * p.own / i["memory"]
        inner = (1 - p.outer) * kernels
        t["between hosts"] = max(0, message(i, p.first, messages_inside) - inner)
        if adaptive:
            t["between hosts"] += 2 * message(i, p.later / 2, messages_inside)
    return t


def foap4_stage(i, p, adaptive):
    """The paper's code: its own rate on a full node, and messages that do not overlap with computation."""
    t = p.cells / i["foap4_amr" if adaptive else "foap4"]
    if p.hosts > 1:
        rounds = 3 if adaptive else 1
        t += rounds * i["link_start"] + (p.first + p.later) / i["link"]
    return t


def gcups(mesh, seconds):
    return mesh.cells() / seconds / 1e9


LIMITS = {"kernels": "flux kernel", "launches": "launches", "levels": "ghost cells, flux fixing",
          "adaptation": "adaptation on the host", "reduction": "reductions", "host": "exchange on a host",
          "between hosts": "link between hosts"}


def limits(t):
    """What takes most of the time, with its share."""
    most = max(t, key=t.get)
    return f"{LIMITS[most]} {100 * t[most] / sum(t.values()):.0f} %"


# ---- the tables


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)] + ["| " + " | ".join(r) + " |" for r in rows]


# Measured by bench/scaling.py, van Leer, fp64, blocks of 16^3: case, mesh, adaptive, GPUs, NCCL alone, GCUPS.
MEASURED = [
    ("uniform 64^3", "64", 0, 1, 0, 7.21),
    ("uniform 256^3", "256", 0, 1, 0, 14.37),
    ("uniform 512^3", "512", 0, 1, 0, 14.73),
    ("adaptive, levels 2 to 5", "2-5", 1, 1, 0, 12.23),
    ("adaptive, levels 2 to 6", "2-6", 1, 1, 0, 12.37),
    ("uniform 256^3", "256", 0, 2, 0, 26.16),
    ("uniform 512^3", "512", 0, 2, 0, 27.48),
    ("adaptive, levels 2 to 5", "2-5", 1, 2, 0, 21.46),
    ("adaptive, levels 2 to 6", "2-6", 1, 2, 0, 22.29),
    ("uniform 256^3", "256", 0, 4, 0, 50.15),
    ("uniform 512^3", "512", 0, 4, 0, 55.55),
    ("adaptive, levels 2 to 5", "2-5", 1, 4, 0, 36.66),
    ("adaptive, levels 2 to 6", "2-6", 1, 4, 0, 41.95),
    ("uniform 256^3, NCCL alone", "256", 0, 4, 1, 42.26),
    ("uniform 512^3, NCCL alone", "512", 0, 4, 1, 53.03),
    ("adaptive, levels 2 to 5, NCCL alone", "2-5", 1, 4, 1, 31.03),
    ("adaptive, levels 2 to 6, NCCL alone", "2-6", 1, 4, 1, 41.97),
]


def make_meshes():
    return {"64": Mesh(2), "256": Mesh(4, 4), "512": Mesh(5, 5), "2-5": Mesh(5, slab=2), "2-6": Mesh(6, slab=2),
            "paper": Mesh(6, slab=5)}


def measured_rows(i, mesh):
    rows = []
    for text, name, adaptive, gpus, nccl, figure in MEASURED:
        parts = Parts(mesh[name], gpus, 1 if nccl else GPUS_PER_HOST)
        model = gcups(mesh[name], sum(oak_stage(i, parts, adaptive, nccl).values()))
        rows.append([text, str(gpus), f"{figure:.2f}", f"{model:.2f}", f"{100 * (model / figure - 1):+.1f} %"])
    return rows


# The paper's text: GCUPS of strong scaling by GPUs ("about 80 %" of a node's rate on 8 nodes, "about 50" on 16).
PAPER = {"512": {4: "5.1", 32: "about 33", 64: "about 50"}, "paper": {64: "about 36"}}


def strong_rows(i, mesh, name, adaptive):
    rows, one, wide = [], 0, dict(i, link=4 * i["link"])
    for gpus in (1, 2, 4, 8, 16, 32, 64, 256, 1024):
        p = Parts(mesh[name], gpus)
        t = oak_stage(i, p, adaptive)
        theirs = f"{gcups(mesh[name], foap4_stage(i, p, adaptive)):.1f}" if 4 <= gpus <= 64 else ""
        ours = gcups(mesh[name], sum(t.values()))
        one = one if rows else ours
        rows.append([str(gpus), str(p.blocks), PAPER[name].get(gpus, ""), theirs, f"{ours:.1f}",
                     f"{100 * ours / one / gpus:.0f} %", limits(t),
                     f"{gcups(mesh[name], sum(oak_stage(wide, p, adaptive).values())):.1f}"])
    return rows


def weak_rows(i):
    """512^3 cells on each GPU; leaves stand for 8^3 blocks each."""
    rows, first = [], {}
    for gpus, level in ((1, 2), (8, 3), (64, 4), (512, 5)):
        m = Mesh(level, level, cell_scale=8)
        p = Parts(m, gpus)
        p.outer = min(1, p.outer / 8)  # a leaf's face is one of its eight layers of blocks
        ours, theirs = gcups(m, sum(oak_stage(i, p, 0).values())), gcups(m, foap4_stage(i, p, 0))
        first = first or {"oak": ours, "foap4": theirs}
        rows.append([str(gpus), f"{100 * theirs / gpus / first['foap4']:.0f} %", f"{ours:.1f}",
                     f"{100 * ours / gpus / first['oak']:.0f} %", limits(oak_stage(i, p, 0))])
    return rows


def make_tables(i):
    mesh = make_meshes()
    strong = ["GPUs", "blocks on each", "paper, measured", "paper's code, predicted", "oak, predicted", "efficiency",
              "most of oak's time", "oak, link per GPU"]
    return {
        "measured": table(["Case", "GPUs", "GCUPS measured", "model", "error"], measured_rows(i, mesh)),
        "uniform": table(strong, strong_rows(i, mesh, "512", 0)),
        "adaptive": table(strong, strong_rows(i, mesh, "paper", 1)),
        "weak": table(["GPUs", "paper's code, efficiency predicted", "oak, GCUPS predicted", "efficiency",
                       "most of oak's time"], weak_rows(i)),
    }


def fill(page, tables):
    """The page with each table between its two marks."""
    for name, lines in tables.items():
        begin, end = f"<!-- table {name} -->\n", f"<!-- end {name} -->\n"
        if page.count(begin) != 1 or page.count(end) != 1:
            sys.exit(f"scaling_model.py: the page lacks the lines {begin.strip()} and {end.strip()}")
        head, rest = page.split(begin)
        page = head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1]
    return page


def read_arguments(words):
    values = {k: v * factor for k, (v, _, factor, _) in INPUTS.items()}
    page = mode = None
    while words:
        word, value = words.pop(0), words.pop(0) if words else None
        key = word[2:].replace("-", "_")
        if word in ("--check", "--write") and value:
            mode, page = word, value
        elif word.startswith("--") and key in INPUTS and value:
            try:
                values[key] = float(value) * INPUTS[key][2]
            except ValueError:
                sys.exit(f"scaling_model.py: {word} {value}: must be a number")
            if values[key] <= 0:
                sys.exit(f"scaling_model.py: {word} {value}: must be above 0")
        else:
            sys.exit(f"{__doc__}\nscaling_model.py: {word}: unknown, or without its value")
    return values, mode, page


def main():
    values, mode, path = read_arguments(sys.argv[1:])
    tables = make_tables(values)
    if not mode:
        for name, lines in tables.items():
            print(f"{name}:", *lines, "", sep="\n")
        return
    with open(path, encoding="utf-8") as file:
        page = file.read()
    fresh = fill(page, tables)
    if mode == "--write":
        with open(path, "w", encoding="utf-8") as file:
            file.write(fresh)
    elif fresh != page:
        sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), fresh.splitlines(True), path, "the model"))
        sys.exit(f"{path} is out of date: run tools/scaling_model.py --write {path}")


if __name__ == "__main__":
    main()
