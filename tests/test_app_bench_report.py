#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""oak bench --report --quick, for CTest: the HTML file and its plots are well formed and hold every section; figures.csv
has the figures that were printed. Speeds mean nothing here.

usage: test_app_bench_report.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import oak_test


class Balanced(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open_elements, self.headings = [], 0

    def handle_starttag(self, tag, attrs):
        if tag != "meta":
            self.open_elements.append(tag)
        self.headings += tag == "h2"

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        assert self.open_elements.pop() == tag, (tag, self.getpos())


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    launch = [*options.ranks, "bench", "--report"]
    done = subprocess.run([*launch, "--quik"], check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "unrecognized arguments: --quik" in done.stderr, done
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "a", "b")
        done = subprocess.run([*launch, "--quick", "--out", out, "device.name=cpu"], check=False, capture_output=True,
                              text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(os.path.join(out, "report.html"), encoding="utf-8") as f:
            text = f.read()
        with open(os.path.join(out, "figures.csv"), newline="", encoding="utf-8") as f:
            figures = list(csv.DictReader(f))
    page = Balanced()
    page.feed(text)
    assert page.headings == 9 and not page.open_elements, (page.headings, page.open_elements)
    plots = re.findall(r"<svg.*?</svg>", text, re.S)
    assert len(plots) == 9, len(plots)
    for plot in plots:
        root = ET.fromstring(plot)
        width, height = float(root.get("width")), float(root.get("height"))
        for circle in root.iter("{http://www.w3.org/2000/svg}circle"):
            assert 0 < float(circle.get("cx")) < width and 0 < float(circle.get("cy")) < height, circle.attrib
    sections = [f["section"] for f in figures]
    assert sections.count("uniform") == 8 and sections.count("hardware") == 4 and sections.count("strong") == 2, sections
    for figure in figures:
        if figure["unit"] == "GCUPS":
            assert 0 < float(figure["least"]) <= float(figure["oak"]) <= float(figure["most"]), figure
    by_name = {f["what"]: f for f in figures}
    assert by_name["uniform rt 3d vanleer 256^3 b16 double"]["paper"] == "1.3", by_name
    ratio = float(by_name["time per cell update, adaptive over uniform"]["oak"])
    assert f"takes {ratio:.2f} times as long" in done.stdout and f"of 16^3: {ratio:.2f} (" in text, ratio
    shares = [float(f["oak"]) for f in figures if f["section"] == "time"]
    assert abs(sum(shares) - 400) < 1, shares
    orders = {f["what"].split(", error")[0]: float(f["oak"]) for f in figures
              if f["section"] == "convergence" and f["oak"]}
    assert 1.8 < orders["L1, 2D, vanleer, 256 cells"] < 1.9, orders
    total = next(float(f["oak"]) for f in figures if "largest error of the total" in f["what"])
    assert total < 4e-15, total
    return 0


if __name__ == "__main__":
    sys.exit(main())
