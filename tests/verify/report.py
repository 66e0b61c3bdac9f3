#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a report of what oak_verify measured.

usage: report.py FOLDER

Reads FOLDER/CASE/{case.txt,checks.csv,*.csv,*.png} for every case of cases.h that was run, draws the figures that
cases/CASE.py describes, and writes FOLDER/report.html and FOLDER/report.md. Exit status 1: a number was outside
its bounds, a case did not end, or a figure could not be drawn; 2: there is nothing to report.

cases/CASE.py defines

    def figures(case):
        t = case.table("errors")                      # column name -> numpy array
        with case.figure("convergence", "Caption.") as (fig, ax):
            case.convergence(ax, t["cells"], t["L1"], "van Leer")

and, if it likes, captions = {"picture": "Caption of picture.png, written by the case."}.
"""
import contextlib
import csv
import html
import importlib.util
import math
import os
import re
import sys
import time
import traceback

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LONG_TABLE = 16  # rows; longer tables are folded

plt.rcParams.update({
    "figure.dpi": 110, "savefig.bbox": "tight", "font.size": 10, "axes.grid": True, "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6, "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
    "axes.edgecolor": "#888888", "legend.frameon": False, "lines.linewidth": 1.4, "lines.markersize": 4.5,
    "image.cmap": "viridis",
    "axes.prop_cycle": plt.cycler(color=["#0b5fa5", "#d1495b", "#2e8b57", "#e08e0b", "#7b52ab", "#3c3c3c"]),
})


class Case:
    """What one case left in its folder. The methods are what cases/NAME.py uses."""

    def __init__(self, folder, name):
        self.name, self.folder = name, os.path.join(folder, name)
        self.facts = {}  # title, source, oak, device, ranks, resolution, seconds
        self.figures, self.captions, self.error = [], {}, None
        with open(os.path.join(self.folder, "case.txt"), encoding="utf-8") as f:
            for line in f:
                key, _, value = line.strip().partition(": ")
                self.facts[key] = value
        self.checks = [c for c in self.rows("checks")[1:] if len(c) >= 7]  # shorter: half written

    def rows(self, name):
        path = os.path.join(self.folder, name + ".csv")
        with open(path, newline="", encoding="utf-8") as f:
            return [row for row in csv.reader(f, delimiter=";", quoting=csv.QUOTE_NONE) if row]

    def has(self, name):
        """Whether the case wrote table `name`: some are for full resolution only."""
        return os.path.exists(os.path.join(self.folder, name + ".csv"))

    def table(self, name):
        """Columns of NAME.csv by their names: arrays of numbers where all are numbers, otherwise of text."""
        head, *rows = self.rows(name)
        out = {}
        for i, column in enumerate(head):
            values = [row[i] for row in rows]
            try:
                out[column] = np.array([float(x) for x in values])
            except ValueError:
                out[column] = np.array(values)
        return out

    @contextlib.contextmanager
    def figure(self, name, caption, rows=1, columns=1, size=None):
        """A figure of the report; `ax` is an array of axes if there are several. size: inches."""
        fig, ax = plt.subplots(rows, columns, figsize=size or (4.6 * columns + 0.6, 3.6 * rows), layout="constrained")
        try:
            yield fig, ax
            fig.savefig(os.path.join(self.folder, f"figure_{name}.png"))
            self.figures.append((f"figure_{name}.png", caption))
        finally:
            plt.close(fig)

    @staticmethod
    def convergence(ax, cells, error, label, below=False, **style):
        """Errors over cells per side, log-log, with the order of convergence written on each step (below the line)."""
        order = np.argsort(cells)
        n, e = np.asarray(cells)[order], np.asarray(error)[order]
        line, = ax.loglog(n, e, label=label, **{"marker": "o", **style})
        for i in range(len(n) - 1):
            slope = math.log(e[i] / e[i + 1]) / math.log(n[i + 1] / n[i])
            ax.annotate(f"{slope:.2f}", (math.sqrt(n[i] * n[i + 1]), math.sqrt(e[i] * e[i + 1])),
                        xytext=(-4, -4) if below else (3, 3), textcoords="offset points",
                        ha="right" if below else "left", va="top" if below else "bottom", fontsize=7.5, color=line.get_color(),
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8})
        ax.set_xscale("log", base=2)
        measured = sorted({x for curve in ax.lines for x in curve.get_xdata()})
        ax.set_xticks(measured, [f"{x:g}" for x in measured])
        ax.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
        ax.set_xlabel("cells per side")
        return line

    @staticmethod
    def labels(ax, x, y, **legend):
        """Names of the axes, and a legend."""
        ax.set_xlabel(x)
        ax.set_ylabel(y)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(**legend)

    def radial(self, dim, caption, right=None, legend="upper right"):
        """Density of all cells over radius with the exact solution, from cells_2d.csv and exact_2d.csv, or 3d. right:
        where the axis of r ends (None: where the solution does)."""
        cells, exact = self.table(f"cells_{dim}d"), self.table(f"exact_{dim}d")
        with self.figure(f"radial_{dim}d", caption) as (_, ax):
            ax.plot(cells["r"], cells["value"], ".", ms=2, color="C0", label="cells")
            ax.plot(exact["r"], exact["rho"], "k-", lw=1, label="exact")
            ax.set_xlim(0, right or exact["r"].max())
            self.labels(ax, "r", "density", loc=legend)

    def draw(self):
        path = os.path.join(HERE, "cases", self.name + ".py")
        if not os.path.exists(path):
            return
        try:
            spec = importlib.util.spec_from_file_location("verify_case_" + self.name, path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self.captions = getattr(module, "captions", {})
            if hasattr(module, "figures"):
                module.figures(self)
        except Exception:  # whatever a figure does wrong, the numbers are still reported
            self.error = traceback.format_exc(limit=-3)

    @property
    def pictures(self):
        """Figures first, then pictures in the order of `captions`, then others."""
        files = [f[:-4] for f in os.listdir(self.folder) if f.endswith(".png") and not f.startswith("figure_")]
        known = list(self.captions)
        files.sort(key=lambda f: (known.index(f) if f in known else len(known), f))
        return self.figures + [(f + ".png", self.captions.get(f, f.replace("_", " "))) for f in files]

    @property
    def tables(self):
        names = sorted(f[:-4] for f in os.listdir(self.folder) if f.endswith(".csv") and f != "checks.csv")
        tables = [(name, self.rows(name)) for name in names]
        return [(name, rows) for name, rows in tables if rows]  # empty: the case did not end

    @property
    def passed(self):
        return sum(c[5] == "1" for c in self.checks)

    @property
    def ended(self):
        return "seconds" in self.facts

    @property
    def good(self):
        return self.ended and not self.error and self.passed == len(self.checks)

    def remarks(self):
        """Errors other than numbers outside their bounds."""
        if not self.ended:
            yield "The case did not end: its numbers are not complete."
        if self.error:
            yield "Figures could not be drawn:\n" + self.error


def read_cases(folder):
    with open(os.path.join(HERE, "cases.h"), encoding="utf-8") as f:
        names = re.findall(r"\bC\((\w+)\)", f.read().split("#define VERIFY_CASES(C)")[1])
    return [Case(folder, n) for n in names if os.path.exists(os.path.join(folder, n, "checks.csv"))]


def number(text):
    """Four digits are enough to read; text stays."""
    try:
        x = float(text)
    except ValueError:
        return text
    return "" if math.isnan(x) else text if re.fullmatch(r"-?\d+", text) else f"{x:.4g}"


def check_row(c):
    what, value, reference, low, high, passed, source = c[:7]
    if float(low) == -math.inf:
        accepted = f"up to {number(high)}"
    elif float(high) == math.inf:
        accepted = f"at least {number(low)}"
    else:
        accepted = f"{number(low)} to {number(high)}"
    return [what, number(value), number(reference), accepted, "yes" if passed == "1" else "NO", source]


CHECKS_HEAD = ["Number", "Measured", "Reference", "Accepted", "Within", "Source of the reference"]


def shared_facts(cases):
    """Lines on machine and program: one value if all cases agree."""
    for key in ("oak", "device", "ranks", "resolution"):
        values = sorted({c.facts.get(key, "unknown") for c in cases})
        yield key, ", ".join(values)
    yield "cases", f"{len(cases)}, in {sum(float(c.facts.get('seconds', 0)) for c in cases):.0f} s"
    yield "date", time.strftime("%Y-%m-%d %H:%M")


def verdict(cases):
    total, passed = sum(len(c.checks) for c in cases), sum(c.passed for c in cases)
    own = sum(k[6].startswith("regression only") for c in cases for k in c.checks)
    bad = [c.name for c in cases if not c.good]
    head = f"{passed} of {total} numbers are within their bounds; look at {', '.join(bad)}" if bad else \
        f"All {total} numbers are within their bounds"
    return f"{head}. {own} of them have no independent reference (regression only)."


# ---- Markdown

def md_table(head, rows):
    def line(cells):
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |\n"
    return line(head) + line(["---"] * len(head)) + "".join(line(r) for r in rows) + "\n"


def md_report(cases):
    out = ["# oak: verification\n\n", verdict(cases) + "\n\n"]
    out.append("".join(f"- {k}: {v}\n" for k, v in shared_facts(cases)) + "\n")
    out.append(md_table(["Case", "", "Within bounds", "Seconds"], [
        [f"[{c.name}](#{c.name})", c.facts["title"], f"{c.passed} of {len(c.checks)}", c.facts.get("seconds", "did not end")]
        for c in cases]))
    for c in cases:
        out.append(f"## {c.name}\n\n{c.facts['title']}. Source: {c.facts['source']}.\n\n")
        out += [f"**{r.splitlines()[0]}**\n\n" for r in c.remarks()]
        out.append(md_table(CHECKS_HEAD, [check_row(k) for k in c.checks]))
        out += [f"![{text}]({c.name}/{f})\n\n*{text}*\n\n" for f, text in c.pictures]
        for name, rows in c.tables:
            if len(rows) <= LONG_TABLE + 1:
                out.append(f"Table {name}:\n\n" + md_table(rows[0], [[number(x) for x in r] for r in rows[1:]]))
            else:
                out.append(f"Table {name}: {len(rows) - 1} rows in [{c.name}/{name}.csv]({c.name}/{name}.csv)\n\n")
    return "".join(out)


# ---- HTML

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #e1e5ea; --good: #1d7a46; --bad: #c02635; --link: #0b5fa5; }
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
nav { position: fixed; top: 0; bottom: 0; width: 210px; overflow-y: auto; padding: 24px 18px; background: #f6f8fa;
  border-right: 1px solid var(--line); font-size: 14px; }
nav b { display: block; margin-bottom: 10px; } nav a { display: block; padding: 2px 0; }
main { margin-left: 210px; max-width: 1180px; padding: 24px 40px 80px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 56px 0 2px; padding-top: 12px; border-top: 2px solid var(--ink); }
.source, .facts { color: var(--soft); } .facts { margin: 14px 0 20px; font-size: 14px; }
.facts td { border: 0; padding: 1px 14px 1px 0; } .verdict { font-size: 17px; margin: 8px 0; }
table { border-collapse: collapse; font-size: 14px; margin: 12px 0; }
th { text-align: left; font-weight: 600; border-bottom: 1.5px solid var(--ink); padding: 4px 14px 4px 0; vertical-align: bottom; }
td { border-bottom: 1px solid var(--line); padding: 4px 14px 4px 0; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
tr.bad td { background: #fdf0f1; color: var(--ink); font-weight: inherit; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(440px, 1fr)); gap: 26px; margin: 22px 0; align-items: start; }
figure { margin: 0; } figure img { max-width: 100%; display: block; } figcaption { font-size: 13.5px; color: var(--soft); margin-top: 6px; }
details { margin: 8px 0; } summary { cursor: pointer; color: var(--soft); font-size: 14px; }
pre { background: #fdf0f1; padding: 10px 14px; white-space: pre-wrap; font-size: 13px; }
@media (max-width: 800px) { nav { display: none; } main { margin: 0; padding: 20px; } .pictures { grid-template-columns: 1fr; } }
@media print { nav { display: none; } main { margin: 0; } details > * { display: block; } }
"""


def is_number(text):
    return re.fullmatch(r"[-+]?(\d[\d.]*(e[-+]?\d+)?|nan|inf)?", text) is not None


def html_table(head, rows, kinds=None, classes=None):
    """kinds: 'n' aligns a column as numbers; found from the cells if not given. classes: of each row."""
    if kinds is None:
        kinds = ["n" if all(is_number(r[i]) for r in rows) else "" for i in range(len(head))]

    def cells(tag, row):
        return "".join(f"<{tag}{' class=n' if k else ''}>{c}</{tag}>" for c, k in zip(row, kinds))
    body = "".join(f"<tr{' class=' + c if c else ''}>{cells('td', r)}</tr>\n"
                   for r, c in zip(rows, classes or [""] * len(rows)))
    return f"<table><tr>{cells('th', head)}</tr>\n{body}</table>\n"


def mark(good, text):
    return f"<span class={'good' if good else 'bad'}>{text}</span>"


def html_case(c):
    esc = html.escape
    out = [f"<h2 id={c.name}>{esc(c.facts['title'])}</h2>\n<div class=source>{esc(c.facts['source'])}</div>\n"]
    out += [f"<pre>{esc(r)}</pre>\n" for r in c.remarks()]
    rows = [[esc(x) for x in check_row(k)] for k in c.checks]
    for row in rows:
        row[4] = mark(row[4] == "yes", row[4])
    out.append(html_table(CHECKS_HEAD, rows, ["", "n", "n", "n", "", ""], ["" if k[5] == "1" else "bad" for k in c.checks]))
    pictures = "".join(f"<figure><a href='{c.name}/{f}'><img src='{c.name}/{f}' alt='{esc(text, quote=True)}' loading=lazy></a>"
                       f"<figcaption>{esc(text)}</figcaption></figure>\n" for f, text in c.pictures)
    if pictures:
        out.append(f"<div class=pictures>\n{pictures}</div>\n")
    for name, (head, *rows) in c.tables:
        body = html_table([esc(x) for x in head], [[esc(number(x)) for x in r] for r in rows])
        out.append(f"<details{' open' if len(rows) <= LONG_TABLE else ''}><summary>Table {esc(name)}, {len(rows)} rows "
                   f"(<a href='{c.name}/{name}.csv'>{c.name}/{esc(name)}.csv</a>)</summary>{body}</details>\n")
    return "".join(out)


def html_report(cases):
    good = all(c.good for c in cases)
    facts = "".join(f"<tr><td>{k}</td><td>{html.escape(v)}</td></tr>" for k, v in shared_facts(cases))
    summary = html_table(["Case", "", "Within bounds", "Seconds"], [
        [f"<a href=#{c.name}>{c.name}</a>", html.escape(c.facts["title"]),
         mark(c.good, f"{c.passed} of {len(c.checks)}"), c.facts.get("seconds", "did not end")] for c in cases],
        ["", "", "n", "n"])
    links = "".join(f"<a href=#{c.name}>{'' if c.good else '&#10007; '}{c.name}</a>" for c in cases)
    return (f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>oak: verification</title>"
            f"<meta name=viewport content='width=device-width'><style>{STYLE}</style></head>\n<body>\n"
            f"<nav><b>oak: verification</b>{links}</nav>\n<main>\n<h1>oak: verification</h1>\n"
            f"<div class=verdict>{mark(good, html.escape(verdict(cases)))}</div>\n"
            f"<table class=facts>{facts}</table>\n{summary}"
            + "".join(html_case(c) for c in cases) + "</main></body></html>\n")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 2
    folder = sys.argv[1]
    cases = read_cases(folder)
    if not cases:
        print(f"report.py: no case in {folder}; run oak_verify --out {folder} first", file=sys.stderr)
        return 2
    for c in cases:
        c.draw()
        for remark in c.remarks():
            print(f"{c.name}: {remark}", file=sys.stderr)
    for name, text in (("report.md", md_report(cases)), ("report.html", html_report(cases))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    print(verdict(cases))
    print(f"Report: {os.path.join(folder, 'report.html')} (and report.md)")
    return 0 if all(c.good for c in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
