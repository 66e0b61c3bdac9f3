#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw the diagrams of docs/ as SVG.

usage: draw_figures.py FOLDER            write all figures to FOLDER (docs/images)
       draw_figures.py --check FOLDER    exit code 1 if a figure there differs from what would be drawn

A figure is a function that returns its width, height and elements. It needs Python 3 and nothing else."""
import html
import os
import sys

BLUE, ORANGE, GREEN, GRAY, DARK = "#cfe2f3", "#fce5cd", "#d9ead3", "#eeeeee", "#333333"
RED = "#c0392b"


def rect(x, y, w, h, fill="none", line=DARK, width=1.2, dash=""):
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" fill="{fill}" stroke="{line}" stroke-width="{width:g}"{extra}/>'


def text(x, y, words, size=13, anchor="middle", fill=DARK, bold=False):
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}"{weight}>{html.escape(words)}</text>'


def lines(x, y, rows, size=12, anchor="middle", fill=DARK, step=16):
    return [text(x, y + n * step, row, size, anchor, fill) for n, row in enumerate(rows)]


def arrow(x0, y0, x1, y1, color=DARK, width=1.6, dash=""):
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    tip = "tipred" if color == RED else "tip"
    return (f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{color}" '
            f'stroke-width="{width:g}" marker-end="url(#{tip})"{extra}/>')


def line(x0, y0, x1, y1, color=DARK, width=1.0, dash=""):
    extra = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="{color}" stroke-width="{width:g}"{extra}/>'


def box(x, y, w, h, title, rows=(), fill=GRAY):
    middle = y + h / 2 + 5 - 8 * len(rows)
    return [rect(x, y, w, h, fill), text(x + w / 2, middle, title, 14, bold=True),
            *lines(x + w / 2, middle + 18, rows)]


def cells(x, y, n, m, size, fill="white"):
    """A block of n x m cells with a thick outline."""
    out = [rect(x, y, n * size, m * size, fill, width=0)]
    out += [line(x + i * size, y, x + i * size, y + m * size, "#999999", 0.7) for i in range(1, n)]
    out += [line(x, y + j * size, x + n * size, y + j * size, "#999999", 0.7) for j in range(1, m)]
    return out + [rect(x, y, n * size, m * size, width=2)]


def architecture():
    out = []
    out += box(20, 15, 340, 46, "app", ["the oak command"], BLUE)
    out += box(380, 15, 340, 46, "a program of yours", ["includes oak.h"], BLUE)
    out += [rect(20, 85, 700, 232, "#f4f9f1"), text(370, 104, "src/solver", 14, bold=True)]
    out += box(35, 114, 220, 52, "run", ["main loop, checkpoints, restart"], GREEN)
    out += box(265, 114, 440, 52, "output, kinds, item", ["what a run writes, and when"], GREEN)
    for n, (name, job) in enumerate([("create", "from parameters"), ("identity", "oak check"), ("program", "public functions"),
                                     ("adapt", "new meshes")]):
        out += box(35 + 170 * n, 182, 160, 52, name, [job], GREEN)
    for n, (name, job) in enumerate([("step", "time steps and their parts"), ("data", "solution on the blocks"),
                                     ("setup", "what is fixed in a run")]):
        out += box(35 + 235 * n, 250, 200, 52, name, [job], GREEN)
    out += [arrow(235, 276, 268, 276), arrow(470, 276, 503, 276)]
    out += box(20, 341, 220, 84, "src/io", ["a folder for each file format;", "view: what a format", "sees of a grid"], GREEN)
    out += box(260, 341, 460, 46, "src/elliptic", ["multigrid for elliptic equations"], GREEN)
    out += box(260, 411, 460, 46, "src/halo", ["ghost cells: tables and exchange"], GREEN)
    out += box(260, 481, 220, 66, "src/mesh", ["the block tree,", "on top of p4est"], GREEN)
    out += box(500, 481, 220, 66, "src/transport", ["peers and messages:", "MPI, NCCL, RCCL"], GREEN)
    out += box(500, 571, 220, 122, "src/device", ["memory, launches,", "run-time compilation:", "cpu, cuda, hip,", "openacc"], GREEN)
    out += box(20, 627, 450, 66, "src/base", ["status, parameters, exact sums, timers"], GREEN)
    out += box(20, 747, 165, 66, "kernels", ["all work on cells,", "geometry of cells"], ORANGE)
    out += box(198, 747, 165, 66, "numerics", ["limiters,", "Riemann solvers"], ORANGE)
    out += box(376, 747, 165, 66, "physics", ["the equations"], ORANGE)
    out += box(554, 747, 166, 66, "problem", ["initial state, boundary,", "sources"], ORANGE)
    downwards = [(190, 61, 83), (550, 61, 83), (130, 317, 339), (490, 317, 339), (490, 387, 409), (370, 457, 479),
                 (610, 457, 479), (610, 547, 569), (370, 547, 625), (130, 425, 625)]
    out += [arrow(x, top, x, bottom) for x, top, bottom in downwards]
    out += [arrow(500, 660, 472, 660), arrow(637, 747, 637, 695)]
    out.append(text(622, 726, "compiled when the run starts, for its dimension, block size, scheme and precision",
                    12, "end"))
    return 740, 828, out


def step():
    out = [text(20, 28, "One stage (Heun's scheme has two, RK4 has four)", 14, "start", bold=True)]
    names = [("ghost cells R1", ["same level, averages,", "boundary values"], BLUE),
             ("ghost cells R2", ["interpolation from", "coarser blocks"], BLUE),
             ("flux kernel", ["reads state A,", "writes state B"], ORANGE),
             ("flux fixing", ["corrects state B where", "levels meet"], GREEN)]
    for n, (name, rows, fill) in enumerate(names):
        out += box(20 + 185 * n, 42, 160, 74, name, rows, fill)
        if n:
            out.append(arrow(20 + 185 * n - 25, 79, 20 + 185 * n - 3, 79))
    out += [rect(390, 146, 160, 56, "white", dash="4 3"), *lines(470, 170, ["fluxes at boundaries", "between levels"])]
    out += [arrow(470, 116, 470, 144), arrow(550, 174, 655, 174), arrow(655, 174, 655, 119)]
    out += [rect(20, 146, 345, 56, "white", dash="4 3"),
            *lines(192, 170, ["state A: cells of all blocks, no ghost cells;", "halo buffer: ghost cells with memory of their own"])]
    out += [arrow(100, 116, 100, 144), arrow(285, 116, 285, 144), arrow(365, 160, 410, 119)]
    out.append(text(20, 240, "Once per step", 14, "start", bold=True))
    out += box(20, 252, 345, 58, "one reduction over all ranks", ["the next time step; are there invalid cells?"], GRAY)
    out.append(text(390, 240, "Every mesh.adapt_every steps", 14, "start", bold=True))
    for n, (name, fill) in enumerate([("flags", ORANGE), ("new mesh", GREEN), ("move blocks", ORANGE)]):
        out += box(390 + 118 * n, 252, 100, 58, name, [["on the device"], ["on the host"], ["on the device"]][n], fill)
        if n:
            out.append(arrow(390 + 118 * n - 18, 281, 390 + 118 * n - 3, 281))
    return 740, 328, out


def ghost_cells():
    s = 24
    out = [text(20, 26, "Where the ghost cells of a block come from", 14, "start", bold=True)]
    x, y = 190, 120
    out += cells(x, y, 4, 4, s, BLUE)
    out.append(text(x + 2 * s, y + 2 * s + 5, "block", 14, bold=True))
    out += cells(x - 4 * s - 30, y, 4, 4, s, GRAY)
    out.append(text(x - 2 * s - 30, y - 10, "same level"))
    for m in range(4):
        out.append(arrow(x - 30 - s / 2, y + m * s + s / 2, x + 4, y + m * s + s / 2, RED, 1.2))
    out += lines(x - 2 * s - 30, y + 4 * s + 18, ["SRL: read in place", "(from another host: R1)"])
    for n in range(2):
        out += cells(x + 4 * s + 40, y + n * 2 * s, 4, 4, s / 2, GREEN)
        for m in range(2):
            out.append(arrow(x + 4 * s + 40 + s / 2, y + (2 * n + m) * s + s / 2, x + 4 * s - 4,
                             y + (2 * n + m) * s + s / 2, RED, 1.2))
    out.append(text(x + 4 * s + 64, y - 10, "finer"))
    out += lines(x + 4 * s + 74, y + 4 * s + 18, ["F2C: averages, R1"])
    out.append(line(x - 10, y - 26, x + 4 * s + 10, y - 26, DARK, 3))
    out.append(text(x + 2 * s, y - 50, "physical boundary"))
    out.append(text(x + 2 * s, y - 34, "BC: boundary values, R1", 12))
    out += cells(x - 2 * s, y + 4 * s + 54, 4, 2, 2 * s, ORANGE)
    for m in range(2):
        out.append(arrow(x + s + 2 * m * s, y + 4 * s + 54 + s, x + s + 2 * m * s, y + 4 * s - 4, RED, 1.2))
    out += lines(x + 6 * s + 12, y + 4 * s + 84, ["coarser", "C2F: interpolation, R2"], anchor="start")
    x, y, c = 560, 100, 48
    out.append(text(510, 26, "Why two rounds", 14, "start", bold=True))
    out += cells(x, y, 2, 4, c, ORANGE) + cells(x + 2 * c, y + 2 * c, 4, 4, c / 2, BLUE)
    out += [text(x + c, y - 12, "coarse block"), text(x + 3 * c, y + 2 * c - 12, "fine block")]
    out += [rect(x + 2 * c, y + 2 * c, c, c, "none", RED, 3), text(x + 2.5 * c, y + 2.5 * c + 6, "1", 18, fill=RED, bold=True)]
    for n in range(2):
        out += [rect(x + 1.5 * c, y + (2 + n / 2) * c, c / 2, c / 2, "white", RED, 3),
                text(x + 1.75 * c, y + (2.25 + n / 2) * c + 6, "2", 18, fill=RED, bold=True)]
    out += lines(510, y + 4 * c + 26, ["1, round R1: the ghost cell of the coarse",
                                       "block is the average of four fine cells.",
                                       "2, round R2: ghost cells of the fine block are",
                                       "interpolated from the coarse cell. Its slope",
                                       "along x needs ghost cell 1."], 12, "start")
    return 800, 392, out


def flux_kernel():
    s = 22
    out = [text(20, 26, "A tile: the current plane of a block", 14, "start", bold=True)]
    x, y = 70, 92
    for i in range(-2, 10):
        for j in range(-2, 10):
            inside = 0 <= i < 8, 0 <= j < 8
            if any(inside):
                out.append(rect(x + i * s, y + j * s, s, s, BLUE if all(inside) else GRAY, "#999999", 0.7))
    out.append(rect(x, y, 8 * s, 8 * s, width=2))
    out += [rect(x + 3 * s, y + 4 * s, s, s, ORANGE, RED, 2)]
    for i in (3, 4):
        out.append(arrow(x + i * s - 7, y + 4.5 * s, x + i * s + 7, y + 4.5 * s, RED, 1.4))
        out.append(arrow(x + 3.5 * s, y + (i + 1) * s + 7, x + 3.5 * s, y + (i + 1) * s - 7, RED, 1.4))
    out += lines(x - 44, y + 10 * s + 20, ["blue: cells of the tile, one lane each",
                                           "gray: halo, read from neighbour blocks and slots",
                                           "red: x and y fluxes, each computed once per face,",
                                           "in memory that all lanes of the tile share"], 12, "start")
    out.append(text(400, 26, "The queue of one column along z (van Leer)", 14, "start", bold=True))
    x, y, w, h = 440, 52, 110, 36
    rows = [("plane k + 3", "not read yet", "white"), ("plane k + 2", "in the queue: enters now", GREEN),
            ("plane k + 1", "in the queue: reconstructed now", GREEN), ("plane k", "in the queue: updated now", ORANGE),
            ("plane k - 1", "done", "white")]
    for n, (name, note, fill) in enumerate(rows):
        out += [rect(x, y + n * h, w, h, fill), text(x + w / 2, y + n * h + 23, name, 13),
                text(x + w + 14, y + n * h + 23, note, 12, "start")]
    for n, note in ((3, "z flux: computed now"), (4, "z flux: kept from the last plane")):
        out += [arrow(x - 14, y + n * h + 10, x - 14, y + n * h - 12, RED, 1.6)]
        out.append(line(x - 22, y + n * h, x, y + n * h, RED, 2))
        out.append(text(x + w + 14, y + n * h + 4, note, 11, "start", RED))
    out += lines(400, y + 5 * h + 28, ["The kernel goes upwards through the planes. A lane keeps",
                                       "the queue of its column in registers: primitive states,",
                                       "the reconstructed state below the next face, and the last",
                                       "z flux. Each z flux and z slope is computed once."], 12, "start")
    return 790, 392, out


def flux_fixing():
    c, x, y = 110, 60, 60
    out = [*cells(x, y, 1, 1, c, ORANGE), *cells(x + c, y, 2, 2, c / 2, BLUE)]
    out += [text(x + c / 2, y - 12, "coarse cell"), text(x + 1.5 * c, y - 12, "fine cells"), text(x + c / 2 - 14, y + c / 2 + 5, "u", 16)]
    out += [arrow(x + c - 32, y + c / 2, x + c - 5, y + c / 2, DARK, 2), text(x + c - 30, y + c / 2 - 8, "Fc", 14, bold=True)]
    for n in range(2):
        out += [arrow(x + c + 4, y + (n + 0.5) * c / 2, x + c + 34, y + (n + 0.5) * c / 2, RED, 2),
                text(x + c + 22, y + (n + 0.5) * c / 2 - 8, f"F{n + 1}", 14, fill=RED, bold=True)]
    out += lines(x - 40, y + c + 30, ["Each side computes fluxes of its own: Fc with", "the coarse cells, F1 and F2 with the fine ones."],
                 12, "start", step=18)
    out += lines(340, 74, ["1. The flux kernel stores all three fluxes.",
                           "2. The fine fluxes are averaged (in 3D four of them):",
                           "3. The coarse cell is corrected:"], 13, "start", step=44)
    out += [text(370, 140, "Ff = (F1 + F2) / 2", 14, "start"),
            text(370, 184, "u + beta dt / dx (Fc - Ff)", 14, "start")]
    out += lines(340, 208, ["The coarse cell then has the flux of the fine side."], 13, "start")
    return 740, 222, out


FIGURES = {"architecture": architecture, "step": step, "ghost_cells": ghost_cells, "flux_kernel": flux_kernel,
           "flux_fixing": flux_fixing}


def draw(name):
    width, height, elements = FIGURES[name]()
    markers = "".join(f'<marker id="{key}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                      f'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="{color}"/></marker>'
                      for key, color in (("tip", DARK), ("tipred", RED)))
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                      f'height="{height}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">',
                      f"<!-- tools/draw_figures.py made this file. -->", f"<defs>{markers}</defs>",
                      rect(0, 0, width, height, "white", "none"), *elements, "</svg>", ""])


def main():
    check = "--check" in sys.argv[1:]
    folders = [a for a in sys.argv[1:] if a != "--check"]
    if len(folders) != 1:
        sys.exit(__doc__)
    for name in FIGURES:
        path = os.path.join(folders[0], name + ".svg")
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(draw(name))
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != draw(name):
                sys.exit(f"{path} is out of date: run tools/draw_figures.py {folders[0]}")


if __name__ == "__main__":
    main()
