# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --report: every table and figure of the foap4 paper's evaluation, measured here, in one page."""
import csv
import math
import os
import platform
import time

import page
import scaling
from page import Series, number
from rows import HARDWARE, LIMITERS, PROBLEMS, all_rows
from session import Oak, Parser, run

HELP = """\
Measures all tables and figures of the evaluation in the foap4 paper and writes FOLDER/report.html, with
plots, and FOLDER/figures.csv: speed on uniform meshes, other hardware, what an adaptive mesh costs,
strong and weak scaling, where the time goes, convergence, flux fixing. Every figure stands beside the
paper's. The head says machine and versions. Scaling is measured on 1, 2, 4, ... of the ranks of mpirun.

On a GPU the domains are those of the paper (about five minutes on an H100). On CPUs the speed is
measured on 128^3 cells and, in 2D, on 1024^2."""
NAN = math.nan

# Values of the paper's figures as its text gives them: H100 or cores, block, {number of GPUs (4 per node) or cores (192
# per node): GCUPS}, and a remark.
STRONG = (("H100", 8, {4: 4.2, 64: 50}, "about 80 % efficiency on 32 GPUs, 65 to 75 % on 64"),
          ("H100", 16, {4: 5.1, 64: 50}, "about 80 % efficiency on 32 GPUs, 65 to 75 % on 64"),
          ("H100", 32, {4: 5.3}, "slower from 32 GPUs on: too few blocks"),
          ("cores", 8, {192: 0.30}, "25 to 40 % efficiency on 6144 cores"),
          ("cores", 16, {192: 0.31}, "25 to 40 % efficiency on 6144 cores"),
          ("cores", 32, {192: 0.36}, "slower from 1536 cores on: too few blocks for a rank"))
WEAK = (("H100", "8^3 to 32", {}, "about 90 % efficiency on 16 to 128 GPUs, of 4 GPUs"),)
ADAPTIVE = (("H100", 16, {64: 36}, "slightly above 50 % efficiency on 64 GPUs; 29 to 56 % of the time outside flux and "
             "update"),
            ("cores", 16, {3072: 2.5}, "slightly below 50 % efficiency on 3072 cores; about 17 % of the time outside flux "
             "and update"))
MACHINES = {"H100": "H100, four to a node", "cores": "2 x Genoa 9654, 192 cores to a node"}


class Report:
    """The page and figures.csv, both written again after each section: what was measured stays if a later one fails."""

    def __init__(self, oak, folder, quick):
        self.oak, self.folder, self.quick, self.begin = oak, folder, quick, time.monotonic()
        self.body, self.figures = "", [("section", "what", "unit", "paper", "oak", "least", "most")]
        os.makedirs(folder, exist_ok=True)
        self.table(("Measured on", ""), [
            ("date", time.strftime("%Y-%m-%d %H:%M")), ("host", platform.node()), ("device", oak.device),
            ("MPI", oak.mpi.replace("\n", ",").split(",")[0]), ("ranks", oak.ranks),
            ("oak", f"{oak.version}, commit {oak.commit}"), ("keys", " ".join(oak.keys) or "none")])
        self.text("One cell in one stage of a Runge-Kutta step is a cell update; GCUPS are 10^9 of them per second. A speed "
                  "is the median of several pieces of a run; least and most are their range. The paper's figures are those "
                  "of its text and tables; hollow points in the plots. figures.csv has all figures.")
        if quick:
            self.text(f"This is a quick report: some of the cases{'' if oak.gpu else ', on smaller meshes'}, and short "
                      "pieces.")

    def section(self, title):
        self.save()
        self.body += page.element("h2", title)

    def text(self, text):
        self.body += page.element("p", text)

    def table(self, head, rows):
        self.body += page.table(head, rows)

    def plot(self, *arguments):
        self.body += page.lines(*arguments)

    def figure(self, section, what, unit, paper, oak, least=NAN, most=NAN):
        self.figures.append((section, what, unit, *("" if math.isnan(x) else f"{x:.6g}" for x in (paper, oak, least, most))))

    def save(self):
        end = page.element("p", f"Made in {time.monotonic() - self.begin:.0f} s.")
        page.write(os.path.join(self.folder, "report.html"), "oak beside the evaluation of the foap4 paper", self.body + end)
        with open(os.path.join(self.folder, "figures.csv"), "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows(self.figures)

    def read(self, name):
        """A table of a case of oak_verify, without its head."""
        with open(os.path.join(self.folder, name), newline="", encoding="utf-8") as file:
            return list(csv.reader(file, delimiter=";"))[1:]


# ---- the tables of the paper

def is_wanted(row, quick, gpu):
    smaller = row.side == (2048 if row.dim == 2 else 256)
    if row.table == "hardware":
        return not quick or row.precision == "double" or row.block == 16
    if row.table == "uniform":  # on CPUs both domains would have the same size
        return (gpu or smaller) and (not quick or (row.block == 16 and smaller))
    return row.table == "amr"  # small domains are not of the paper


def side_here(row, quick, gpu):
    """On CPUs a smaller domain has the same speed per core."""
    if gpu:
        return 0
    side = 256 if row.table == "amr" else 1024 if row.dim == 2 else 128
    return side // 2 if quick else side


def measure_rows(oak, quick):
    rows = all_rows()
    for row in rows:
        row.wanted = is_wanted(row, quick, oak.gpu)
        row.measure(oak, side_here(row, quick, oak.gpu))
        if row.wanted:
            print(f"{row!s:46} " + (f"{row.get('gcups'):8.3f} GCUPS" if row.found else row.reason))
    return rows


def add_speed(report, section, row, what):
    if row.wanted:
        report.figure(section, what, "GCUPS", row.paper, row.get("gcups"), row.get("least"), row.get("most"))


def write_uniform(report, rows):
    gpu, rows = report.oak.gpu, [row for row in rows if row.table == "uniform"]
    report.section("Uniform meshes (table 1 of the paper)")
    report.text("GCUPS of one H100 in the paper and here; foap4 % and oak % are the share of time outside flux and update."
                + ("" if gpu else " On CPUs the domain is smaller than in the paper: the last column says what was "
                   "measured."))
    report.table(("uniform mesh", "domain", "block", "paper", "oak", "least", "most", "pieces", "ratio", "foap4 %", "oak %",
                  "Mcells here"), [
        (f"{'Rayleigh-Taylor' if r.problem == 'rt' else 'advection'}, {LIMITERS[r.limiter]}", f"{r.side}^{r.dim}",
         f"{r.block}^{r.dim}", number(r.paper, 2), *[number(r.get(name), 3) for name in ("gcups", "least", "most")],
         number(r.get("pieces"), 0), number(r.ratio(), 3), number(r.paper_outside, 1), number(r.outside(), 1),
         number(1e-6 * r.get("cells"), 2)) for r in rows])
    for row in rows:
        add_speed(report, "uniform", row, str(row))
    for dim, side in ((2, 2048), (3, 256)):  # the smaller domain, where oak was measured everywhere
        series = []
        for problem in PROBLEMS:
            for limiter, title in LIMITERS.items():
                group = [r for r in rows if (r.side, r.problem, r.limiter) == (side, problem, limiter)]
                name = f"{'Rayleigh-Taylor' if problem == 'rt' else 'advection'}, {title}"
                color = len(series) // 2
                series += [Series(f"paper: {name}", [(r.block, r.paper) for r in group], "outlined", color),
                           Series(f"oak: {name}", [(r.block, r.get("gcups")) for r in group], "line", color)]
        report.text(f"{dim}D, domain of the paper: {side}^{dim}.")
        report.plot("cells along a side of a block", "GCUPS", "log2", "log10", series)


def write_hardware(report, rows):
    rows = [row for row in rows if row.table == "hardware"]
    report.section("Other hardware (table 2 of the paper)")
    report.text("3D Rayleigh-Taylor, van Leer, uniform mesh of 256^3 cells"
                + ("." if report.oak.gpu else "; oak on the smaller mesh of this report."))
    report.table(("GCUPS", "fp64: 32^3", "16^3", "8^3", "fp32: 32^3", "16^3", "8^3"),
                 [(f"paper: {name}", *["–" if math.isnan(x) else f"{x:.3f}" for x in figures])
                  for name, figures in HARDWARE.items()]
                 + [("oak here", *[number(row.get("gcups"), 3) for row in rows])])
    for row in rows:
        add_speed(report, "hardware", row, f"{row}; the paper on an H100")


def write_cost(report, rows):
    uniform = next(r for r in rows if (r.table, r.block, r.precision) == ("hardware", 16, "double"))
    adaptive = rows[-1]
    report.section("What an adaptive mesh costs")
    if not uniform.found or not adaptive.found:
        report.text(f"Not measured: {adaptive.reason or uniform.reason}")
        return
    fast, slow = uniform.get("gcups"), adaptive.get("gcups")
    ratio = fast / slow
    report.text(f"Time per cell update of the adaptive run over that of the uniform run with the same blocks of 16^3: "
                f"{ratio:.2f} ({slow:.3f} and {fast:.3f} GCUPS; {1e-6 * adaptive.get('cells'):.3g} and "
                f"{1e-6 * uniform.get('cells'):.3g} million cells). On the adaptive mesh {adaptive.outside():.1f} % of the "
                "time is outside flux and update; the paper has 29 % on 4 GPUs and 17 % on CPUs.")
    report.figure("adaptive", "time per cell update, adaptive over uniform", "ratio", NAN, ratio)
    print(f"Cost of AMR: a cell update takes {ratio:.2f} times as long as on the uniform mesh")


# ---- scaling

def write_scaling(report, title, name, paper, **options):
    oak, quick = report.oak, report.quick
    adaptive = options.get("adaptive", False)
    side = 64 << adaptive if quick and not oak.gpu else 0
    lines = scaling.measure(oak, side=side, blocks=(16,) if quick or adaptive else (16, 8, 32),
                            seconds=0.15 if quick else 0.5, **options)
    report.section(title)
    report.text("3D Rayleigh-Taylor, van Leer, fp64. Efficiency is relative to the fewest ranks"
                + ("; this report was made on one rank: start it with mpirun for more." if oak.ranks == 1 else "."))
    report.table(("paper", "block", "GCUPS", "what else it says"),
                 [(MACHINES[machine], f"{block}^3", "; ".join(f"{g:g} on {n}" for n, g in gcups.items()) or "–", text)
                  for machine, block, gcups, text in paper])
    report.table(("oak, ranks", "block", "Mcells", "GCUPS", "least", "most", "efficiency", "outside %"),
                 [(n.ranks, f"{n.block}^3", number(1e-6 * n.cells, 2),
                   *[number(1e-3 * x, 3) for x in (n.mcups, n.least, n.most)], f"{100 * n.efficiency:.0f} %",
                   number(100 * (1 - n.share[0]), 1)) for n in lines])
    for n in lines:
        report.figure(name, f"{n.ranks} ranks, blocks of {n.block}^3, {n.cells} cells", "GCUPS", NAN, 1e-3 * n.mcups,
                      1e-3 * n.least, 1e-3 * n.most)
    colors = {16: 0, 8: 1, 32: 2}
    series = [Series(f"oak, blocks of {b}^3", [(n.ranks, 1e-3 * n.mcups) for n in lines if n.block == b], "line", colors[b])
              for b in colors if any(n.block == b for n in lines)]
    known = [p for p in paper if p[2]]
    series += [Series(f"paper, {machine}, blocks of {block}^3", gcups.items(), "outlined", colors[block])
               for machine, block, gcups, _ in known]
    last = max([oak.ranks] + [max(p[2]) for p in known if (p[0] == "H100") == oak.gpu])
    one = lines[0]
    series.append(Series("oak, if scaling were perfect",
                         [(x, 1e-3 * one.mcups * x / one.ranks) for x in (one.ranks, last)], "dashed"))
    report.plot("GPUs, or cores of CPUs", "GCUPS", "log2", "log10", series)
    return lines


def write_time(report, runs):
    report.section("Where the time goes (figure 13, and the same for the uniform mesh)")
    report.text("Shares of the time, mean of the ranks. The paper's run on H100 spends 29 % outside flux and update on 4 "
                "GPUs and 56 % on 64; on CPUs about 17 %.")
    for mesh, lines in runs.items():
        bars = {f"{n.ranks} rank{'' if n.ranks == 1 else 's'}": n.share for n in lines if n.block == 16}
        for name, share in bars.items():
            for phase, s in zip(scaling.PHASES, share):
                report.figure("time", f"{mesh} mesh, {name}: {phase}", "percent", NAN, 100 * s)
        report.text(f"{mesh} mesh, blocks of 16^3, oak:")
        report.body += page.shares(bars, list(scaling.PHASES))


# ---- accuracy, by two cases of oak_verify

def write_convergence(report):
    rows = report.read("convergence/errors.csv")  # dimension, limiter, cells, L1, its order, L2, its order
    report.section("Convergence (figure 7 of the paper)")
    report.text("Uniform meshes with blocks of 16^d. The paper gives orders for fine 2D meshes: van Leer close to 2 in L1 "
                "and 1.7 to 1.8 in L2, WENO5 close to 5 in both.")
    report.table(("advection of a Gaussian", "cells along a side", "L1 error", "order", "L2 error", "order",
                  "paper: order of L1, L2"),
                 [(f"{r[0]}D, {LIMITERS[r[1]]}", r[2], *["–" if x == "nan" else x for x in r[3:7]],
                   "5.0, 5.0" if r[1] == "weno5" else "2, 1.7 to 1.8") for r in rows])
    for r in rows:
        for norm, order in ((1, 2), (2, 1.75)):
            report.figure("convergence", f"L{norm}, {r[0]}D, {r[1]}, {r[2]} cells, error {r[1 + 2 * norm]}", "order",
                          5 if r[1] == "weno5" else order, float(r[2 + 2 * norm]))
    series = []
    for dim in "23":
        for limiter, title in LIMITERS.items():
            for norm in (1, 2):
                points = [(1 / float(r[2]), float(r[1 + 2 * norm])) for r in rows if r[:2] == [dim, limiter]]
                if points:
                    series.append(Series(f"L{norm}, {dim}D, {title}", points, "line", len(series)))
    (x0, y0), (x1, _) = series[0].points[0], series[0].points[-1]
    series += [Series(f"order {order}", [(x, 0.3 * y0 * (x / x0)**order) for x in (x0, x1)], "dashed") for order in (2, 5)]
    report.plot("cell width", "error", "log10", "log10", series)


def write_conservation(report):
    rows, checks = report.read("flux_fixing/conservation.csv"), report.read("flux_fixing/checks.csv")
    report.section("Flux fixing (figure 6 of the paper)")
    report.text("A blob crosses refined regions of a static mesh once; relative error of its total, which must stay at "
                "rounding.")
    report.table(("flux fixing", "oak", "paper"),
                 [(c[0], c[1], "machine precision" if "largest" in c[0] else "–") for c in checks])
    for c in checks:
        report.figure("flux fixing", c[0], "-", NAN, float(c[1]))
    report.plot("time", "relative error of the total, in 1e-16", "linear", "linear", [
        Series(f"{dim}D", [(float(r[1]), 1e16 * float(r[4])) for r in rows if r[0] == dim], "line", color)
        for color, dim in enumerate("23")])


def main():
    parser = Parser("report", HELP)
    parser.add_argument("--quick", action="store_true",
                        help="some of the cases, on CPUs with 64^3 and 512^2 cells: within two minutes")
    parser.add_argument("--out", default="output/bench_report", metavar="FOLDER", help="(output/bench_report)")
    options = parser.read()
    oak = Oak(options.keys)
    report = Report(oak, options.out, options.quick)
    rows = measure_rows(oak, options.quick)
    write_uniform(report, rows)
    write_hardware(report, rows)
    write_cost(report, rows)
    runs = {"Uniform": write_scaling(report, "Strong scaling on a uniform mesh (figures 8 and 9 of the paper)", "strong",
                                     STRONG)}
    write_scaling(report, "Weak scaling (figure 10)", "weak", WEAK, weak=True)
    runs["Adaptive"] = write_scaling(report, "Strong scaling with adaptive refinement (figures 12 and 14)", "adaptive",
                                     ADAPTIVE, adaptive=True)
    write_time(report, runs)
    for case in ("convergence", "flux_fixing"):
        oak.ask("verify", case, options.out, int(oak.gpu and not options.quick), *options.keys)
    write_convergence(report)
    write_conservation(report)
    report.save()
    print(f"\nReport: {options.out}/report.html; all figures: {options.out}/figures.csv "
          f"({time.monotonic() - report.begin:.0f} s)")


run(main)
