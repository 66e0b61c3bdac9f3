#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""The commands that look at plotfiles, for CTest: oak ls, line and slice against the totals that oak computed
itself and against each other, oak diff of runs that are the same and of others, oak plot, the series of
plotfiles of a run, names that a plotfile should not have; and what they refuse.

usage: test_app_look.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import csv
import io
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile

import oak_test
from implosion import INI, RUNS

try:
    import numpy as np
except ImportError as missing:
    oak_test.need_module(missing)

TITLE = "Liska-Wendroff implosion"  # TITLE of problems/implosion.c


class Look:
    """Calls the oak command in a folder."""

    def __init__(self, oak, work):
        self.oak, self.work = oak, work

    def __call__(self, *arguments, code=0, words="", folder=""):
        """Text on stdout; code and words: what is expected, the words on stdout or stderr."""
        done = subprocess.run([self.oak, *arguments], cwd=os.path.join(self.work, folder), text=True,
                              capture_output=True, check=False)
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        assert words in done.stdout + done.stderr, (arguments, words, done.stdout, done.stderr)
        return done.stdout

    def table(self, *arguments):
        """Columns of a CSV by name."""
        rows = list(csv.reader(io.StringIO(self(*arguments))))
        return {name: np.array([float(row[c]) for row in rows[1:]]) for c, name in enumerate(rows[0])}

    def load(self, *arguments):
        """The array that -o writes."""
        self(*arguments, "-o", "table.npy")
        return np.load(os.path.join(self.work, "table.npy"))


def check_ls(look, name, rows):
    folder, last = look("ls", name), rows[-1]
    assert f"{name}: 2 plotfiles" in folder, folder
    text = look("ls", f"{name}/plt{int(last['step']):06d}")
    assert f"step     {last['step']}" in text and f"blocks   {last['blocks']} of 8^" in text, text
    assert f"time     {float(last['time']):.10g}" in text, text


def check_slices(look, name, dim, total, volume):
    """Planes of all cells, one after the other, integrate to the total; coarser ones average."""
    if dim == 2:
        fine = look.load("slice", name, "--var", "rho,E")
        assert fine.dtype.names == ("x", "y", "rho", "E"), fine.dtype
        assert abs(fine["rho"].mean() * volume - total) < 1e-12 * total
        coarse = look.load("slice", name, "--level", "2", "--var", "rho")
        assert coarse.shape == (32, 32)
        assert np.allclose(coarse["rho"], fine["rho"].reshape(32, 4, 32, 4).mean(axis=(1, 3)), rtol=1e-13)
        finer = look.load("slice", name, "--level", "5", "--var", "rho")
        assert (finer["rho"][1::2, ::2] == fine["rho"]).all()
        look("slice", name, "--axis", "z", code=1, words="two dimensions")
        return
    low = look.load("slice", name, "--axis", "x", "--at", "0", "--var", "rho")
    assert low.dtype.names == ("y", "z", "rho") and low.shape == (64, 64)
    look("slice", name, "--axis", "z", "--at", "2", code=1, words="outside the domain")


def check_lines(look, name, dim):
    """A line takes the values of the cells of a slice; its parts follow each other."""
    begin, end = [("0,0", "0.1,0.3"), ("0,0,0.2", "0.1,0.3,0.2")][dim - 2]
    table = look.table("line", name, "--from", begin, "--to", end)
    array = look.load("line", name, "--from", begin, "--to", end)
    for column in array.dtype.names:
        assert (array[column] == table[column]).all(), column
    assert (np.diff(array["s"]) > 0).all()
    plane = look.load("slice", name, *([] if dim == 2 else ["--at", "0.2"]), "--var", "rho")
    cells = plane.shape[0]
    i, j = (array["x"] / 0.3 * cells).astype(int), (array["y"] / 0.3 * cells).astype(int)
    assert (plane["rho"][j, i] == array["rho"]).all()
    assert set(array["level"]) == set(range(int(min(array["level"])), [4, 3][dim - 2] + 1)), set(array["level"])
    backwards = look.load("line", name, "--from", end, "--to", begin)
    assert (backwards["rho"][::-1] == array["rho"]).all()
    point = look.table("line", name, "--from", end, "--to", end, "--var", "p")
    assert len(point["p"]) == 1 and point["p"][0] == array["p"][-1]


def check_diff(look, run):
    """The number of ranks changes no bit; other parameters and another mesh do."""
    run("one", 1, RUNS["2D"])
    run("coarse", 1, [*RUNS["2D"], "mesh.max_level=3"])
    text = look("diff", "2D", "one")
    assert text.count("no difference: the same bits") == 2, text
    begin = [f"{name}/plt000000" for name in ("2D", "coarse")]
    text = look("diff", *begin, code=1, words="meshes differ")
    rho = next(line.split() for line in text.splitlines() if line.split()[:1] == ["rho"])
    assert 0 < float(rho[1]) <= 0.875, text
    look("diff", *begin, "--tolerance", "1", words="no difference beyond the tolerance")
    look("diff", *begin, "--absolute", "0.001", "--var", "rho", code=1)
    assert look("diff", *begin, "--quiet", code=1) == ""
    look("diff", "2D", "3D", code=2, words="cannot be compared: one has 2 dimensions")
    look("diff", "2D", "nowhere", code=2, words="No such file")
    os.rename(os.path.join(look.work, "one/plt000000"), os.path.join(look.work, "one/plt000001"))
    look("diff", "2D", "one", code=1, words="is in one run alone")
    os.remove(os.path.join(look.work, "one/plt000001/Header"))
    os.mkdir(os.path.join(look.work, "one/plt000001/Header"))
    text = look("ls", "one", code=1, words="1 of 2 plotfiles in one cannot be read")
    assert "plt000001 cannot be read" in text and "plt000040" in text, text


def check_plot(look):
    """Pictures have the size and the range asked for."""
    def png(name):
        with open(os.path.join(look.work, name), "rb") as f:
            data = f.read()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", name
        notes = {}
        while len(data) > 8:
            length = int.from_bytes(data[8:12], "big")
            if data[12:16] == b"tEXt":
                key, text = data[16:16 + length].decode().split("\0")
                notes[key] = text
            data = data[length + 12:]
        return notes

    look("plot", "2D", "--var", "p", "--log", "--mesh", "--width", "64", words="wrote plt000040_p.png")
    notes = png("plt000040_p.png")
    assert notes["oak variable"] == "p" and notes["oak area"].endswith(" 64 64"), notes
    look("plot", "2D", "--range", "0.5:1.5", "--width", "64", "-o", "frames/rho.png")
    assert [float(word) for word in png("frames/rho.png")["oak range"].split()] == [0.5, 1.5]
    look("plot", "3D", "--slice", "y=0.2", "--width", "64", "-o", "plane.png")
    look("plot", "3D", "--slice", "x=0.1", "--width", "64", "-o", "plane.png")
    assert png("plane.png")["oak variable"] == "rho"
    look("plot", "2D", "--slice", "z=0", code=1, words="two dimensions")
    look("plot", "2D", "--range", "2:1", code=1, words="2 is not below 1")
    look("plot", "2D", "--region", "0,0,0.1", code=1, words="is not 4 numbers")
    look("plot", "2D", "--region", "0,0,0.1,9", code=1, words="y = 0 to 9; give a lower and a higher value")
    pipe = os.path.join(look.work, "pipe")
    os.mkfifo(pipe)
    look("plot", "2D", "-o", "pipe", code=1, words="cannot replace pipe")
    look("slice", "2D", "-o", "pipe", code=1, words="cannot replace pipe")
    assert stat.S_ISFIFO(os.stat(pipe).st_mode) and not os.path.exists(pipe + ".oak-part")


def check_same_pictures(look, run, np):
    """Pictures of a run are those that oak plot makes of its plotfiles, byte for byte."""
    for name, keys, options in (
            ("2D", ["scale=log", "region=0 0.01 0.15 0.3"],
             ["--log", "--mesh", "--region", "0,0.01,0.15,0.3"]),
            ("3D", ["axis=y", "colors=gray", "mesh=no"], ["--slice", "y=0.15", "--colors", "gray"])):
        run(f"pictures_{name}", np, [*RUNS[name], *(f"output.p.{key}" for key in [
            "kind=picture", "variables=p", "width=100", *keys])])
        folder = os.path.join(look.work, f"pictures_{name}")
        pictures = sorted(f for f in os.listdir(folder) if f.endswith(".png"))
        assert len(pictures) == 2, pictures
        look("plot", f"pictures_{name}", "--var", "p", "--width", "100", "-o", "after.png",
             *options, *([] if "colors=gray" in keys else ["--colors", "inferno"]))
        with open(os.path.join(folder, pictures[-1]), "rb") as during, \
                open(os.path.join(look.work, "after.png"), "rb") as after:
            assert during.read() == after.read(), name


def check_series(look, run):
    """Plotfiles of [output] and of sections [output.NAME] are not mixed, and oak names the plotfile that it reads."""
    zoom = [f"output.zoom.{key}" for key in ("kind=plotfile", "region=0 0 0.1 0.1", "variables=p")]
    run("series", 1, [*RUNS["2D"], "run.max_steps=4", *zoom])
    run("grids", 1, [*RUNS["2D"], "run.max_steps=4", *zoom, "output.plot_first_last=no", "output.all.kind=plotfile"])
    whole, part = look("line", "series/plt000004"), look("line", "series/zoom_000004")
    assert part.startswith("s,x,y,level,p\n") and whole.startswith("s,x,y,level,rho,"), (whole, part)
    assert look("line", "series", words="reads series/plt000004") == whole
    assert look("line", "series:zoom", words="reads series/zoom_000004") == part
    assert look("slice", "series/:zoom", "--level", "1", words="reads series/").startswith("x,y,p\n")
    look("line", "series:zom", code=1, words="no series zom of plotfiles in series; it holds: plt, zoom")
    look("plot", "series", "--width", "64", words="wrote plt000004_rho.png")
    look("plot", "series:zoom", "--width", "64", words="wrote zoom_000004_p.png")
    assert not os.path.exists(os.path.join(look.work, "zoom2.png"))
    text = look("ls", "series")
    assert "series: 2 plotfiles" in text and "series:zoom: 2 plotfiles" in text, text
    assert text.split("series:zoom:")[1].split()[-3] == "p" and " rho " not in text.split("series:zoom:")[1], text
    assert "zoom" not in look("ls", "series:plt")
    look("line", "grids", code=1, words="several series of plotfiles: all, zoom; choose one, such as grids:all")
    look("diff", "series:plt", "grids:all", "--quiet", code=1)
    look("diff", "series:zoom", "grids:zoom", words="no difference: the same bits")
    look("diff", "series", "grids/all_000004", words="series/plt000004 and grids/all_000004")


def check_names(look):
    """A plotfile may come from anywhere: the names of its variables neither leave the folder nor command the terminal,
    and neither do names of files beside it."""
    header = os.path.join(look.work, "series/plt000004/Header")
    with open(header, encoding="utf-8") as f:
        text = f.read()

    def rename(name):
        with open(header, "w", encoding="utf-8") as f:
            f.write(text.replace("\nrho\n", f"\n{name}\n"))

    os.makedirs(os.path.join(look.work, "deep/plt000004_"))
    victim = os.path.join(look.work, "victim.png")
    with open(victim, "w", encoding="utf-8") as f:
        f.write("mine")
    rename("/../../victim")
    look("plot", "../series/plt000004", "--width", "64", folder="deep", words="wrote plt000004__.._.._victim.png")
    with open(victim, encoding="utf-8") as f:
        assert f.read() == "mine"
    for name in ("\033]0;owned\007", "a\tb", "\u009b31m"):
        rename(name)
        look("ls", "series/plt000004", code=1, words="the name of a variable expected")
    rename("rho")
    shutil.copytree(os.path.dirname(header), os.path.join(look.work, "series/plt\0331"))
    assert "\033" not in look("ls", "series")


def check_refusals(look):
    for command in ("ls", "line", "slice"):
        look(command, "--help", words=f"usage: oak {command} ")
    look("line", code=2, words="usage: oak line ")
    look("ls", "--foo", "2D", code=2, words="unknown option --foo")
    look("slice", "nowhere", code=1, words="nowhere: No such file")
    look("line", "2D", "--var", "q", code=1, words="known: rho")
    look("line", "2D", "--from", "1,2", code=1, words="both --from and --to")
    look("line", "2D", "--from", "1,x", "--to", "0,0", code=1, words="is not 2 numbers")
    look("line", "2D", "--from", "0,0", "--to", "1,0", code=1, words="ends at x = 1, outside")
    look("slice", "2D", "--level", "77", code=1, words="'77' is not a whole number from 0 to 30")
    os.mkdir(os.path.join(look.work, "empty"))
    look("ls", "empty", code=1, words="no plotfile in empty")


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_look_") as work:
        look = Look(options.oak, work)
        oak_test.write(work, "run.ini", INI)

        def run(name, ranks, settings):
            subprocess.run([*shlex.split(options.mpiexec), str(ranks), options.oak, "run", "--quiet", "run.ini",
                            f"output.folder={name}", *settings], cwd=work, check=True)

        for name, settings in RUNS.items():
            dim = int(name[0])
            run(name, options.np, settings)
            with open(os.path.join(work, name, "diagnostics.csv"), encoding="utf-8", newline="") as f:
                rows = list(csv.DictReader(f))
            check_ls(look, name, rows)
            check_slices(look, name, dim, float(rows[-1]["rho"]), 0.3**dim)
            check_lines(look, name, dim)
        check_diff(look, run)
        check_plot(look)
        check_same_pictures(look, run, options.np)
        check_series(look, run)
        check_names(look)
        check_refusals(look)
    return 0


if __name__ == "__main__":
    sys.exit(main())
