#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The rows of the foap4 paper's performance tables, measured here, beside the paper's figures."""
import csv
import math
import os
import statistics
import time

from rows import LIMITERS, PROBLEMS, all_rows
from session import Oak, Parser, above_zero, run

HELP = """\
Measures the rows of the foap4 paper's performance tables for an H100: advection and Rayleigh-Taylor,
2D 2048^2 and 8192^2, 3D 256^3 and 512^3, blocks of 64 to 8, van Leer and WENO5, Heun, CFL number 0.5;
and Rayleigh-Taylor 256^3 in single precision. Two cases are measured in addition: 64^3 cells, and an
adaptive mesh.

For each row the command prints GCUPS in the paper and here, their ratio, and the share of time
outside flux and update in the paper (foap4%) and here (oak%). GCUPS are 10^9 cell updates per second
of all ranks; each Runge-Kutta stage counts. The sign < marks ratios below 3. A row that does not fit
in memory is skipped. All rows take a few minutes on an H100 and hours on a CPU; --cells leaves out
large ones. Keys change every row; the paper's figures stay what they are."""
EXAMPLES = """\
examples:
  bench/paper.py --out output/paper
  bench/paper.py --rows 3d,vanleer,rt device.name=cuda
  bench/paper.py --cells 5e6 device.name=cpu"""
WORDS = ("uniform hardware small amr, advection rt, 2d 3d, vanleer weno5, 2048^2 8192^2 64^3 256^3 512^3, b64 b32 b16 "
         "b8, double single")
COLUMNS = ("table,problem,dim,limiter,domain,block,precision,state,blocks,cells,steps,pieces,gcups,least,most,outside,"
           "paper_gcups,paper_outside,ratio,memory,stepping_seconds,seconds,ranks,version,device,keys,reason").split(",")
WANTED = 3


def print_number(x, width, digits):
    return f" {'-':>{width}}" if math.isnan(x) else f" {x:{width}.{digits}f}"


class Table:
    """The rows on the terminal, and in FOLDER/paper.csv where there is a folder."""

    def __init__(self, oak, folder):
        self.oak, self.folder, self.csv = oak, folder, None
        if folder:
            os.makedirs(folder, exist_ok=True)
            self.file = open(os.path.join(folder, "paper.csv"), "w", newline="", encoding="utf-8")
            self.csv = csv.writer(self.file, lineterminator="\n")
            self.csv.writerow(COLUMNS)

    def measure(self, row):
        row.measure(self.oak)
        if not self.csv or not row.wanted:
            return

        def text(form, x):
            return "" if math.isnan(x) else format(x, form)
        oak, get = self.oak, row.get
        self.csv.writerow([
            row.table, row.problem, row.dim, row.limiter, row.side, row.block, row.precision, row.state,
            *[text(".0f", get(name)) for name in ("blocks", "cells", "steps", "pieces")],
            *[text(".6g", get(name)) for name in ("gcups", "least", "most")], text(".2f", row.outside()),
            text("g", row.paper), text("g", row.paper_outside), text(".4g", row.ratio()), text(".0f", get("memory")),
            text(".3f", get("stepping")), f"{row.seconds:.3f}", oak.ranks, oak.version, oak.device, " ".join(oak.keys),
            row.reason])
        self.file.flush()  # the file is complete up to this row, even if the next row ends the program

    # ---- the tables, in the layout of the paper

    @staticmethod
    def figures(row):
        """GCUPS of the paper and of oak, their ratio, and both shares of time outside flux and update."""
        if not row.wanted:
            return " | " + " " * 36
        text = " |" + print_number(row.paper, 6, 2)
        if not row.found:
            return text + f" {row.state:29}"
        return (text + print_number(row.get("gcups"), 7, 3) + print_number(row.ratio(), 6, 2)
                + ("<" if row.ratio() < WANTED else " ") + print_number(row.paper_outside, 6, 1)
                + print_number(row.outside(), 6, 1))

    @staticmethod
    def print_reasons(rows):
        for row in rows:
            if row.reason:
                print(f"  {row}: {row.state}: {row.reason}")

    def print_pairs(self, rows):
        """Advection beside Rayleigh-Taylor."""
        group = None
        for pair in zip(rows[::2], rows[1::2]):
            if not any(row.wanted for row in pair):
                continue
            row = pair[0]
            if not group:
                print(f"\n{'':34} | {'scalar advection':>24}{'':12} | {'Rayleigh-Taylor':>25}")
                print(f"{'limiter':11} {'domain':>7} {'block':>5} {'blocks':>8}"
                      + 2 * f" | {'paper':>6} {'oak':>7} {'ratio':>6}  {'foap4%':>6} {'oak%':>6}")
            if group != (row.table, row.dim, row.limiter):
                print("-" * 112)
            group = (row.table, row.dim, row.limiter)
            for row in pair:
                self.measure(row)
            blocks = next((r.get("blocks") for r in pair if r.found), (row.side // row.block)**row.dim)
            domain, block = f"{row.side}^{row.dim}", f"{row.block}^{row.dim}"
            print(f"{LIMITERS[row.limiter]:8} {row.dim}D {domain:>7} {block:>5} {blocks:8}"
                  + "".join(map(self.figures, pair)))
            self.print_reasons(pair)

    def print_hardware(self, rows):
        if not any(row.wanted for row in rows):
            return
        for row in rows:
            self.measure(row)

        def line(title, cells):
            print(f"{title:34} |" + "".join(cells[:3]) + " |" + "".join(cells[3:]))
        print(f"\n{'Rayleigh-Taylor 256^3, van Leer':34} | {'fp64       ':>20} | {'fp32       ':>20}")
        line("GCUPS", [f" {row.block:4}^3" for row in rows])
        line("paper, H100", [print_number(row.paper, 6, 3) for row in rows])
        line("oak", [print_number(row.get("gcups"), 6, 3) for row in rows])
        line("ratio", [print_number(row.ratio(), 6, 2) for row in rows])
        self.print_reasons(rows)

    def print_adaptive(self, row):
        if not row.wanted:
            return
        self.measure(row)
        print(f"\n{'adaptive mesh':34} | {'paper*':>6} {'oak':>7} {'ratio':>6}  {'foap4*':>6} {'oak%':>6}")
        print(f"{'Rayleigh-Taylor 3D, 16^3 blocks':34}" + self.figures(row))
        self.print_reasons([row])
        if row.found:
            print(f"  {row.get('blocks')} blocks, {1e-6 * row.get('cells'):.3g} million cells after the "
                  f"{row.get('pieces') * row.get('steps')} steps measured")
        print("  * of a run to t = 1.5. GCUPS: an upper bound per GPU, from 36 on 64 GPUs at an efficiency slightly\n"
              "    above 50 %; foap4*: on 4 GPUs")


def print_summary(rows, seconds):
    wanted = [row for row in rows if row.wanted]
    ratios = [row.ratio() for row in wanted if row.found and not math.isnan(row.paper)]
    below = [row for row in wanted if row.ratio() < WANTED]
    text = f"\n{len(wanted)} row{'' if len(wanted) == 1 else 's'} in {seconds:.0f} s"
    if ratios:
        text += (f"; ratio to the paper's figures: least {min(ratios):.2f}, median {statistics.median(ratios):.2f}, most "
                 f"{max(ratios):.2f}\n")
        text += (f"Below {WANTED} times the paper's figure: {len(below)} of {len(ratios)} rows" if below else
                 f"None is below {WANTED} times the paper's figure (0 of {len(ratios)} rows)")
    print(text)
    for row in below:
        print(f"  {row.ratio():5.2f}  {row}")


def choose(rows, options, parser):
    """Which rows are wanted. Returns the number of those that are left out because they are large."""
    for word in filter(None, options.rows.split(",")):
        if not any(word in str(row).split() for row in rows):
            parser.error(f"no row has the word '{word}' of --rows; words are {WORDS}")
        for row in rows:
            row.wanted &= word in str(row).split()
    if not any(row.wanted for row in rows):
        parser.error(f"no row has all words of --rows {options.rows}")
    large = [row for row in rows if row.wanted and row.cells() > options.cells]
    for row in large:
        row.wanted = False
    return len(large)


def main():
    parser = Parser(HELP, EXAMPLES)
    parser.add_argument("--rows", default="", metavar="WORDS",
                        help=f"only rows that have all of these comma-separated words: {WORDS}")
    parser.add_argument("--cells", type=above_zero(float), default=math.inf, metavar="N",
                        help="leave out domains of more than N cells, such as 5e6")
    parser.add_argument("--out", metavar="FOLDER", help="write all figures to FOLDER/paper.csv")
    options, rows, begin = parser.read(), all_rows(), time.monotonic()
    left_out = choose(rows, options, parser)
    oak = Oak(options).look()
    table = Table(oak, options.out)
    print(f"{oak.device}, {oak.ranks} rank{'s' if oak.ranks > 1 else ''}\nGCUPS in the paper (one H100) and here, their "
          f"ratio (< : below {WANTED}), and the share of time outside\nflux and update in the paper (foap4%) and here")
    if oak.keys:
        print("every row with", *oak.keys)
    if left_out:
        print(f"left out: {left_out} rows of more than {options.cells:g} cells")
    table.print_pairs([row for row in rows if row.table in ("uniform", "small")])
    table.print_hardware([row for row in rows if row.table == "hardware"])
    table.print_adaptive(rows[-1])
    print_summary(rows, time.monotonic() - begin)
    if options.out:
        print(f"All figures: {options.out}/paper.csv")
    return int(any(row.state == "failed" for row in rows))


run(main)
