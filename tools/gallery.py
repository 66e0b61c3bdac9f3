#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A contact sheet of the problems that come with oak: runs each of them and writes FOLDER/index.html, a page with a
picture or a profile of each and the command that makes it.

usage: gallery.py --oak OAK [--out FOLDER] [--coarser LEVELS] [NAME ...]

Without names: all problems. --coarser: so many levels less than the problem has (default 1), which takes an eighth of
the time in 2D. A problem that fails has its message on the page; the exit status is 1 then. Needs numpy."""
import argparse
import glob
import html
import os
import re
import struct
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

# What a problem needs beside fewer levels, so that all take minutes and not hours.
SETTINGS = {"rayleigh_taylor_3d": {"run.end_time": 0.4}}

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Problems of oak</title><style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1500px; padding: 0 1.5rem;
  background: #f6f7f9; color: #1e2227; }}
h1 {{ font-weight: 650; margin-bottom: 0.2rem; }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 1.2rem; }}
article {{ background: #fff; border-radius: 10px; box-shadow: 0 1px 4px #0002; overflow: hidden; display: flex;
  flex-direction: column; }}
article a {{ display: block; height: 340px; text-align: center; }}
article svg {{ width: 100%; height: 340px; }}
article div {{ padding: 0.4rem 1rem 1rem; }}
h2 {{ font-size: 1.02rem; margin: 0.3rem 0; }}
code {{ background: #eef0f3; border-radius: 4px; padding: 0.1rem 0.35rem; font-size: 0.85em; overflow-wrap: anywhere; }}
p {{ margin: 0.35rem 0; color: #4a5058; }}
.error {{ color: #b00020; white-space: pre-wrap; }}
</style></head><body><h1>Problems of oak</h1>
<p>{count} problems, each with the command that makes it; made by <code>make gallery</code>, with {levels}.</p>
<main>
{cards}
</main></body></html>
"""


def title_of(path):
    """The first sentence of a parameter file's comment, without where it comes from."""
    with open(path, encoding="utf-8") as f:
        text = " ".join(line[1:].strip() for line in f if line.startswith("#"))
    text = re.split(r"\. |: two|, from |\.$", text)[0]
    return re.sub(r" \((problems/|paper)[^)]*\)", "", text)


def finest(path):
    """mesh.max_level and min_level of a parameter file."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    levels = [re.search(rf"^{key} *= *(\d+)", text, re.M) for key in ("max_level", "min_level")]
    return [int(found.group(1)) if found else None for found in levels]


def profile(p):
    """Density, or the first variable, along x as an SVG."""
    middle = 0.5 * (p.xmin + p.xmax)
    start, end = middle.copy(), middle.copy()
    start[0], end[0] = p.xmin[0], p.xmax[0]
    name = "rho" if "rho" in p.variables else p.variables[0]
    ray = p.line(start, end, name)
    low, high = float(ray[name].min()), float(ray[name].max())
    width, height, left, margin = 600, 400, 60, 40
    x = left + (ray["x"] - p.xmin[0]) / (p.xmax[0] - p.xmin[0]) * (width - left - 20)
    y = height - margin - (ray[name] - low) / ((high - low) or 1) * (height - 2 * margin)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    text = 'font-family="sans-serif" font-size="15" fill="#4a5058"'
    return (f'<svg viewBox="0 0 {width} {height}">'
            f'<rect x="{left}" y="{margin - 15}" width="{width - left - 20}" height="{height - 2 * margin + 30}" '
            'fill="none" stroke="#565c64"/>'
            f'<polyline points="{points}" fill="none" stroke="#2f7fd0" stroke-width="2"/>'
            f'<text x="{left - 6}" y="{margin + 5}" text-anchor="end" {text}>{high:.3g}</text>'
            f'<text x="{left - 6}" y="{height - margin + 5}" text-anchor="end" {text}>{low:.3g}</text>'
            f'<text x="{left}" y="{height - 6}" {text}>{p.xmin[0]:g}</text>'
            f'<text x="{width - 20}" y="{height - 6}" text-anchor="end" {text}>{p.xmax[0]:g}</text>'
            f'<text x="{(left + width) / 2}" y="{height - 6}" text-anchor="middle" {text}>x</text>'
            f'<text x="{left + 10}" y="{margin + 8}" {text}>{html.escape(name)}, t = {p.time:.4g}</text></svg>')


def thumbnail(run, picture, options):
    """The last plotfile with the variable of a picture, drawn at the size of a card, so that its texts are legible."""
    with open(picture, "rb") as f:  # in other coordinates the picture has other sides than the domain
        sides = struct.unpack(">II", f.read(24)[16:])
    small = os.path.join(options.out, os.path.basename(run.folder) + ".png")
    width = max(64, round(min(250, 300 * sides[0] / sides[1])))
    variable = re.sub(r"_\d+\.png$", "", os.path.basename(picture))
    subprocess.run([options.oak, "plot", run.folder, "--var", variable, "--mesh", "--width", str(width), "-o", small],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return small


def show(run, options):
    """The last picture of the run, small and as a link, or a profile if the domain is a narrow tube."""
    p = run[-1]
    sides = p.xmax - p.xmin
    pictures = sorted(glob.glob(os.path.join(run.folder, "*.png")))
    if not pictures or (p.dim == 2 and sides[0] > 4 * sides[1] and np.ptp(p["rho"], axis=1).max() < 1e-9):
        return profile(p)
    large, small = (html.escape(os.path.relpath(path, options.out))
                    for path in (pictures[-1], thumbnail(run, pictures[-1], options)))
    return f'<a href="{large}"><img src="{small}" alt="" loading="lazy"></a>'


def make_card(path, options):
    """Run a problem. The card and whether it worked."""
    name = os.path.splitext(os.path.basename(path))[0]
    settings = dict(SETTINGS.get(name, {}))
    highest, lowest = finest(path)
    if options.coarser and highest is not None:
        settings["mesh.max_level"] = max(highest - options.coarser, lowest or 0)
    words = " ".join([f"oak run {name}", *(f"{key}={value}" for key, value in settings.items())])
    begin = time.time()
    print(f"{words} ...", end=" ", flush=True)
    try:
        run = oak.run(path, {**settings, "output.folder": os.path.join(options.out, name)}, oak=options.oak,
                      overwrite=True)
        p, seconds = run[-1], time.time() - begin
        picture, error = show(run, options), ""
        facts = (f"{p.step} steps to t = {p.time:.4g}, {p.nblocks} blocks of {p.block_size}<sup>{p.dim}</sup> cells, "
                 f"levels {p.min_level} to {p.max_level}; {seconds:.0f} s")
    except oak.OakError as wrong:
        picture, facts, error = "", "", f'<p class="error">{html.escape(str(wrong))}</p>'
    print("failed" if error else f"{time.time() - begin:.1f} s", flush=True)
    return (f"<article>{picture}<div><h2>{html.escape(title_of(path))}</h2><p><code>{html.escape(words)}</code></p>"
            f"<p>{facts}</p>{error}</div></article>"), not error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--out", default="gallery")
    parser.add_argument("--coarser", type=int, default=1)
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    every = sorted(glob.glob(os.path.join(HERE, "..", "problems", "*.ini")))
    paths = [p for p in every if not options.name or os.path.splitext(os.path.basename(p))[0] in options.name]
    if len(paths) < max(len(options.name), 1):
        sys.exit(f"gallery.py: no such problem; known: {' '.join(os.path.basename(p)[:-4] for p in every)}")
    os.makedirs(options.out, exist_ok=True)
    cards, good = zip(*(make_card(path, options) for path in paths))
    levels = "the levels of its parameter file" if not options.coarser else f"{options.coarser} level less than there"
    with open(os.path.join(options.out, "index.html"), "w", encoding="utf-8") as f:
        f.write(PAGE.format(count=len(cards), cards="\n".join(cards), levels=levels))
    print(f"{os.path.join(options.out, 'index.html')}")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
