#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draw what `oak bench --paper --out FOLDER` measured beside the figures of the paper.

usage: draw_paper_table.py FOLDER/paper.csv PICTURE.png

One panel for each part of the tables: bars of the paper's GCUPS and of oak's, with the range of oak's pieces; the ratio
of both stands above each pair, in red where it is below 3. Needs matplotlib (Debian: python3-matplotlib)."""
import csv
import math
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

PAPER, OAK, LOW = "#888888", "#0b5fa5", "#d1495b"  # as in the figures of verify/report.py
WANTED = 3
LIMITERS = {"vanleer": "van Leer", "weno5": "WENO5"}
PROBLEMS = {"advection": "scalar advection", "rt": "Rayleigh-Taylor"}

plt.rcParams.update({
    "font.size": 11, "axes.grid": True, "axes.grid.axis": "y", "grid.color": "#e4e4e4", "grid.linewidth": 0.6,
    "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#888888",
    "legend.frameon": False,
})


def number(text):
    return float(text) if text else math.nan


def panels(rows):
    """Title, rows and what tells the rows apart, for each part of the tables that has rows."""
    for limiter, limiter_title in LIMITERS.items():
        for dim in ("2", "3"):
            for problem, title in PROBLEMS.items():
                yield (f"{title}, {limiter_title}, {dim}D",
                       [r for r in rows if r["table"] == "uniform" and r["limiter"] == limiter and r["dim"] == dim
                        and r["problem"] == problem], "domain")
    yield ("Rayleigh-Taylor, van Leer, 3D 256$^3$, precision", [r for r in rows if r["table"] == "hardware"],
           "precision")
    yield ("small domains and adaptive mesh", [r for r in rows if r["table"] in ("small", "amr")], "case")


def group_of(row, kind):
    if kind == "precision":
        return {"double": "fp64", "single": "fp32"}[row["precision"]]
    if row["table"] == "amr":
        return "adaptive, Rayleigh-\nTaylor, levels 2 to 6"
    domain = f"{row['domain']}$^{row['dim']}$"
    return f"{domain}, {PROBLEMS[row['problem']]}" if kind == "case" else domain


def draw_panel(ax, title, rows, kind):
    ax.set_title(title, fontsize=12, loc="left")
    groups = {}
    for row in rows:
        groups.setdefault(group_of(row, kind), []).append(row)
    x, ticks, labels, top = 0.0, [], [], 0.0
    for name, members in groups.items():
        first = x
        for row in members:
            top = max(top, draw_pair(ax, x, row))
            ticks.append(x)
            labels.append(f"{row['block']}$^{row['dim']}$")
            x += 1
        ax.annotate(name, ((first + x - 1) / 2, 0), xytext=(0, -20), textcoords="offset points", ha="center", va="top",
                    xycoords=("data", "axes fraction"), annotation_clip=False)
        x += 0.6
    ax.set_xticks(ticks, labels)
    ax.tick_params(axis="x", length=0)
    ax.set_xlim(-0.7, x - 0.9)
    ax.set_ylim(0, 1.14 * top or 1)
    ax.set_ylabel("GCUPS")


def draw_pair(ax, x, row):
    """The two bars of a row and their ratio. Returns their height."""
    paper, oak = number(row["paper_gcups"]), number(row["gcups"])
    known = [v for v in (paper, oak, number(row["most"])) if not math.isnan(v)]
    height = max(known, default=0.0)
    if not math.isnan(paper):
        ax.bar(x - 0.2, paper, 0.38, color=PAPER)
    if math.isnan(oak):
        ax.annotate(row["state"], (x + 0.2, 0), xytext=(0, 3), textcoords="offset points", rotation=90, ha="center",
                    va="bottom", fontsize=9, color=LOW)
        return height
    middle = x if math.isnan(paper) else x + 0.2
    ax.bar(middle, oak, 0.38, color=OAK, yerr=[[oak - number(row["least"])], [number(row["most"]) - oak]],
           error_kw={"elinewidth": 1, "ecolor": "#3c3c3c", "capsize": 2})
    ratio = oak / paper
    text = f"{oak:.3g}" if math.isnan(ratio) else f"{ratio:.2f}"
    ax.annotate(text, (x, height), xytext=(0, 3), textcoords="offset points",
                ha="center", va="bottom", fontsize=10, color=LOW if ratio < WANTED else "black",
                fontweight="bold" if ratio < WANTED else "normal")
    return height


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(sys.argv[1], newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    parts = [part for part in panels(rows) if part[1]]
    if not parts:
        print(f"draw_paper_table.py: {sys.argv[1]} has no rows", file=sys.stderr)
        return 1
    lines = (len(parts) + 1) // 2
    fig, axes = plt.subplots(lines, 2, figsize=(16, 1.2 + 3.7 * lines), layout="constrained", squeeze=False)
    for ax, part in zip(axes.flat, parts):
        draw_panel(ax, *part)
    for ax in axes.flat[len(parts):]:
        ax.set_axis_off()
    keys = f"\nwith {rows[0]['keys']}" if rows[0]["keys"] else ""
    fig.suptitle(f"Cell updates per second: foap4 on an H100 (from its paper) and oak {rows[0]['version']}\n"
                 f"on {rows[0]['device']}{keys}", fontsize=13, x=0.01, ha="left")
    bars = [plt.Rectangle((0, 0), 1, 1, color=color) for color in (PAPER, OAK)]
    fig.legend(bars, ["paper", "oak (above: ratio, red below 3; alone: GCUPS)"], loc="upper right")
    fig.savefig(sys.argv[2], dpi=100)  # 1600 pixels wide
    return 0


if __name__ == "__main__":
    sys.exit(main())
