# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --kernels: bytes and operations of each kernel per second. For comparison the same run measures the rates
of a copy in memory and of multiply-adds. A table, a CSV file and a roofline plot (S. Williams, A. Waterman, D.
Patterson, Commun. ACM 52 (2009) 65)."""
import csv
import os

import page
from session import Oak, Parser, run

HELP = """\
Runs the 3D adaptive case and times every kernel. Bytes and floating point operations (flop) are those
that a kernel needs at least, from a model. They stand beside the rates at which this device copies
memory, and multiplies and adds, in the same run. The host waits for every kernel, so small kernels look
slower than they are. Writes FOLDER/kernels.html with a roofline plot, and FOLDER/kernels.csv."""
COLUMNS = """\
columns of the table:
  time     share of the time of these kernels
  B/cell   bytes per cell that is worked on, at least; flop/cell: -, if not known
  of copy  bytes per second, relative to the rate of the copy
  of FMA   flop per second, relative to the rate of multiply-adds
  limit    which of both shares is larger"""


def print_table(copy, fma, kernels):
    print(f"{'kernel':16} {'launches':>8} {'time':>7} {'us/launch':>10} {'B/cell':>8} {'flop/cell':>9} {'GB/s':>8} "
          f"{'of copy':>8} {'Gflop/s':>9} {'of FMA':>8}  limit")
    total = sum(k["seconds"] for k in kernels)
    for k in kernels:
        seconds, byte_rate, flop_rate = k["seconds"], k["bytes"] / k["seconds"], (k["flops"] or 0) / k["seconds"]
        of_cell, of_time = f"{'-':>9}", f"{'-':>9} {'-':>7} "
        if k["flops"]:
            of_cell, of_time = f"{k['flops'] / k['cells']:9.1f}", f"{1e-9 * flop_rate:9.2f} {100 * flop_rate / fma:7.1f}%"
        print(f"{k['kernel']:16} {k['launches']:8} {100 * seconds / total:6.1f}% {1e6 * seconds / k['launches']:10.1f} "
              f"{k['bytes'] / k['cells']:8.1f} {of_cell} {1e-9 * byte_rate:8.2f} {100 * byte_rate / copy:7.1f}% {of_time}  "
              f"{'arithmetic' if flop_rate / fma > byte_rate / copy else 'memory'}")


def write_csv(path, copy, fma, kernels):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*kernels[0], "copy_bytes_per_s", "fma_flops_per_s"])
        writer.writerows([*k.values(), copy, fma] for k in kernels)


def roofline(copy, fma, kernels):
    """Kernels are points below the roof, which is the rate of the copy times the intensity, or the rate of
    multiply-adds."""
    known = [k for k in kernels if k["flops"]]
    points = [(k["flops"] / k["bytes"], 1e-9 * k["flops"] / k["seconds"]) for k in known]
    edge = fma / copy
    least, most = min([edge, *(x / 2 for x, _ in points)]), max([4 * edge, *(2 * x for x, _ in points)])
    roof = [(least, 1e-9 * copy * least), (edge, 1e-9 * fma), (most, 1e-9 * fma)]
    return page.lines("flop per byte", "Gflop/s", "log10", "log10", [
        page.Series("kernels", points, "points", names=[k["kernel"] for k in known]),
        page.Series("measured copy and multiply-adds", roof, "dashed")])


def main():
    parser = Parser("kernels", HELP, COLUMNS)
    parser.add_argument("--out", default="output/bench_kernels", metavar="FOLDER", help="(output/bench_kernels)")
    options = parser.read()
    oak = Oak(options.keys)
    found = oak.ask("kernels", *options.keys)
    copy, fma, kernels = found["copy"], found["fma"], found["kernels"]
    rates = f"{1e-9 * copy:.1f} GB/s read and written; multiply-adds: {1e-9 * fma:.1f} Gflop/s"
    print(f"{oak.device}\ncopy: {rates}\n")
    print_table(copy, fma, kernels)
    os.makedirs(options.out, exist_ok=True)
    write_csv(os.path.join(options.out, "kernels.csv"), copy, fma, kernels)
    page.write(os.path.join(options.out, "kernels.html"), "Kernels beside the rates of the device",
               page.element("p", f"{oak.device}; oak {oak.version}, commit {oak.commit}")
               + page.element("p", "Bytes and flop are what a kernel needs at least. The dashed roof is what the device did "
                              f"in the same run: copy {rates}.") + roofline(copy, fma, kernels))
    print(f"\nPlot: {options.out}/kernels.html; numbers: {options.out}/kernels.csv")


run(main)
