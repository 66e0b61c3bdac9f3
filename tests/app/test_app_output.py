#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=240 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Where and when the oak command writes, for CTest: intervals, used folders, other files in them.

usage: test_app_output.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD]"""
import csv
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import oak_test
from oak_test import GOOD, LIMIT, MPIEXEC, PROBLEMS, judge, run

try:
    import numpy
except ImportError as missing:
    oak_test.need_module(missing)


class Work:
    """A temporary folder with run.ini, whose output goes to its folder out."""

    def __init__(self, options, folder):
        self.folder, self.np = folder, options.np
        self.alone, self.ranks = [options.oak, "run"], [*options.ranks, "run"]
        self.write("run.ini", GOOD.format(work=folder))

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def contents(self, folder="out"):
        """All files below a folder, and what is in them."""
        files = {}
        for place, _, names in os.walk(self.path(folder)):
            for name in names:
                if name == "oak.log":  # tells the time
                    continue
                with open(os.path.join(place, name), "rb") as f:
                    files[os.path.relpath(os.path.join(place, name), self.folder)] = f.read()
        return files

    def start(self, *arguments):
        """A run of thousands of steps on one process, which has begun to write."""
        child = subprocess.Popen([*self.alone, "run.ini", *LONG, *arguments], cwd=self.folder, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + LIMIT
        while not os.path.exists(self.path("out/parameters.ini")):
            assert child.poll() is None and time.monotonic() < end, child.communicate()
            time.sleep(0.01)
        return child

    def names(self, folder="out"):
        return sorted(os.listdir(self.path(folder)))

    def good(self, *arguments):
        """A run that must succeed and say nothing."""
        text, code, seconds = run([*self.ranks, "--quiet", *(arguments or ["run.ini"])], self.folder, LIMIT)
        assert code == 0 and all(MPIEXEC.match(line) for line in text.splitlines()), (
            f"exit status {code} after {seconds:.1f} s: {text}")

    def bad(self, patterns, *arguments):
        """A run that must fail with one message that matches."""
        text, code, _ = run([*self.ranks, "--quiet", *(arguments or ["run.ini"])], self.folder, LIMIT)
        wrong = judge(text, code, patterns)
        assert not wrong, f"{'; '.join(wrong)}; it said:\n{text}"


def intervals(work):
    """Intervals far below the time step: output at each step, and an end."""
    for every in ("1e-13", "1e-320", "1e-3"):
        work.good("run.ini", f"output.folder=every{every}", f"output.plot_every={every}", "run.dt_max=1e-3")
        plots = [name for name in work.names(f"every{every}") if name.startswith("plt")]
        assert plots[:-1] == [f"plt{step:06d}" for step in range(len(plots) - 1)] and len(plots) > 10, plots


def log_file(work):
    """oak.log holds what a run prints, also with --quiet, and its error; a restart adds to it, another file is refused."""
    def log():
        with open(work.path("out/oak.log"), encoding="utf-8") as f:
            return f.read()

    work.good("run.ini", "run.max_steps=1", "output.plot_every=0", "checkpoint.at_end=yes")
    text = log()
    assert text.startswith("# Log of an oak run.\n# 20") and "\033" not in text, text
    for words in ("run.max_steps=1", "oak 0.", "blocks on levels\n", "wrote ", "\n1 step to t = ", "wall-clock time"):
        assert text.count(words) == 1 or words == "wrote ", (words, text)
    work.good("run.ini", "--restart", "run.max_steps=2", "output.plot_every=0")
    assert log().startswith(text) and "restart from" in log()[len(text):] and "\n1 step to t = " in log()[len(text):], log()
    work.bad([r"rho = -1|density"], "run.ini", "--overwrite", "problem.rho_left=-1")
    assert log().startswith(text)
    core = str(min(os.sched_getaffinity(0)))
    done = subprocess.run(["taskset", "-c", core, *work.ranks, "run.ini", "--overwrite", "run.max_steps=1"], cwd=work.folder,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.stdout.count(f"  advice: {work.np} ranks share 1 core") == int(work.np > 1), done
    work.write("out/oak.log", "")  # a full disk leaves an empty one
    work.good("run.ini", "--overwrite", "run.max_steps=1")
    work.write("other/oak.log", "my own\n")
    work.bad([r"other/oak\.log was not written by oak"], "run.ini", "output.folder=other")


def used_folder(work):
    """An earlier run stays as it is, and --overwrite removes that run and nothing else."""
    shown = ["run.max_steps=4", "run.dt_max=1e-3", "output.plot_steps=1", "output.picture_steps=1", "output.diagnostics_every=1"]
    work.good("run.ini", *shown)
    earlier = work.contents()
    assert len([name for name in work.names() if name.startswith(("plt", "rho_"))]) == 10, work.names()
    refused = [r"output\.folder = \S*out holds a run", r"diagnostics\.csv", r"another folder", r"--overwrite"]
    work.bad(refused)
    work.bad(refused, "out/parameters.ini", "run.max_steps=2")
    work.bad([r"initial condition"], "run.ini", "--overwrite", "problem.rho_left=-1")
    work.bad(refused, "run.ini", "output.folder=link/../out")
    assert work.contents() == earlier
    work.write("out/notes.txt", "mine")
    work.write("out/plt000001.old/Header", "mine too")
    work.write("out/rho_0009.png", "a photograph")
    os.makedirs(work.path("out/plt000007.oak-part/Level_0"))
    work.good("run.ini", "--overwrite", "run.max_steps=2")
    assert work.names() == ["notes.txt", "oak-files.txt", "oak.log", "parameters.ini", "physics.oak-copy.c", "plotfiles.visit", "plt000000", "plt000001.old",
                            "plt000002", "problem.oak-copy.c", "rho_0009.png"], work.names()
    assert work.contents()["out/plotfiles.visit"] == b"plt000000/Header\nplt000002/Header\n"
    work.good("run.ini", "output.folder=out/more")
    work.write("out/plt000002/notes.txt", "mine")
    mine = work.contents()
    work.bad([r"out/plt000002/notes\.txt was not written by oak"], "run.ini", "--overwrite")
    assert work.contents() == mine


def users_files(work):
    """--overwrite removes what the run has listed, or left as .oak-part, and nothing that is called like an output;
    neither a parameters.ini nor a list that somebody else has put there can name files to remove."""
    outputs = ["output.density.kind=plotfile", "output.jet.kind=picture", "output.jet.variables=rho p", "output.line.kind=line",
               "output.line.from=0 .3", "output.line.to=1 .8", "output.fields.kind=xdmf", "output.picture_steps=1"]
    work.good("run.ini", *outputs)
    for name in ("density.py", "density.tex", "density_.csv", "jet.c", "jet_000000_my_movie.mp4", "my.oak-copy.c", "plt000000_rho.png",
                 "chk000000.oak.oak-old", "parameters.ini.oak-old",
                 "thesis.tex", "thesis.bib", "thesis.csv", "thesis_000000.csv", "stop"):
        work.write("out/" + name, "mine\n")
    shutil.copy(work.path("out/rho_0000.png"), work.path("out/drawn.png"))
    with open(work.path("out/parameters.ini"), "a", encoding="utf-8") as f:
        f.write("\n[output.thesis]\nkind = line\n")
    with open(work.path("out/oak-files.txt"), "a", encoding="utf-8") as f:
        f.write("00000000 thesis.tex\n00000000 thesis.csv\n00000000 ../run.ini\n# nothing\nthesis.bib\n")
    mine = {name: data for name, data in work.contents().items() if data == b"mine\n" or name == "out/drawn.png"}
    assert len(mine) == 15, mine
    work.write("out/x_0000.oak-part", "what a killed run has left")
    work.good("run.ini", "--overwrite", "run.max_steps=1")
    after = work.contents()
    assert {name: after.get(name) for name in mine} == mine, [name for name in mine if after.get(name) != mine[name]]
    rest = {name.split("/")[1] for name in after.keys() - mine}
    assert rest == {"oak-files.txt", "parameters.ini", "physics.oak-copy.c", "problem.oak-copy.c", "plotfiles.visit", "plt000000", "plt000001"}, rest
    for name, more in (("problem.oak-copy.c", []), ("density_000001.npy", ["output.density.kind=slice"]), ("rho_0001.png", ["output.picture_steps=1"]),
                       ("plt000003/Header", [])):
        before = work.contents().get("out/" + name)
        work.write("out/" + name, "mine")
        kept = work.contents()
        work.bad([rf"out/{name.split('/')[0]} was not written by oak, or has changed since"], "run.ini", "--overwrite", *more)
        assert work.contents() == kept, name
        os.remove(work.path("out/" + name))
        if before:
            work.write("out/" + name, before.decode())
        if "/" in name:
            os.rmdir(work.path("out/plt000003"))
    shutil.copytree(work.path("out"), work.path("copy"))
    work.good("run.ini", "--overwrite", "output.folder=copy", "run.max_steps=2")
    assert "plt000001" not in work.names("copy"), work.names("copy")
    work.write("new/density_000001.npy", "mine")
    work.bad([r"new/density_000001\.npy was not written by oak"], "run.ini", "output.folder=new", "output.density.kind=slice")
    os.mkdir(work.path("pipe"))
    os.mkfifo(work.path("pipe/oak-files.txt"))
    work.bad([r"pipe/oak-files\.txt was not written by oak"], "run.ini", "output.folder=pipe")


def input_file(work):
    """A parameter file of one's own is not replaced, whatever it is called."""
    with open(work.path("run.ini"), encoding="utf-8") as f:
        text = f.read()
    work.write("parameters.ini", "# mine\n" + text)
    for more in ([], ["--overwrite"]):
        work.bad([r"\./parameters\.ini was not written by oak", r"another folder"], "parameters.ini",
                 "output.folder=.", *more)
    assert work.contents(".") == {"run.ini": text.encode(), "parameters.ini": ("# mine\n" + text).encode()}
    os.remove(work.path("parameters.ini"))
    work.good("run.ini", "output.folder=.")
    assert "plt000000" in work.names(".") and work.contents(".")["run.ini"] == text.encode()
    for folder in ("/proc", "/proc/oak"):
        work.bad([rf"cannot create \S* ?{folder}", r"choose an output folder that you may write to"], "run.ini", "output.folder=" + folder)
    work.bad([r"output\.folder is empty"], "run.ini", "output.folder=")
    work.bad([r"output\.folder has 5000 characters"], "run.ini", "output.folder=" + 2500 * "./")


def links(work):
    """A folder may be a link; files that are links are neither followed nor replaced."""
    work.write("precious", "data")
    os.mkdir(work.path("scratch"))
    os.symlink("scratch", work.path("out"))
    for name in ("diagnostics.csv", "parameters.ini", "plotfiles.visit"):
        os.symlink("../precious", work.path("out/" + name))
        work.bad([rf"out/{name} was not written by oak"], "run.ini", "output.diagnostics_every=1", "--overwrite")
        os.remove(work.path("out/" + name))
    for name in ("rho_0000.png", "rho_0000.png.oak-part", "parameters.ini.part"):
        os.symlink("../precious", work.path("out/" + name))
    work.good("run.ini", "output.picture_steps=1", "--overwrite")
    assert work.contents(".")["precious"] == b"data"
    assert os.path.islink(work.path("out")) and not os.path.islink(work.path("out/rho_0000.png"))


def two_runs(work):
    """A second run in the folder is refused while the first is there, however the first ends. If it is killed, all that
    it has written can be replaced."""
    first = work.start("output.density.kind=picture", "output.axis.kind=line", *(f"output.{name}.every_steps=1" for name in ("density", "axis")))
    try:
        refused = [r"output\.folder = \S*out is in use by another run, process %d on \S+: wait" % first.pid]
        work.bad(refused)
        work.bad(refused, "run.ini", "--overwrite")
        while not any(name.startswith("axis_000003") for name in work.names()):
            assert first.poll() is None
            time.sleep(0.01)
    finally:
        first.kill()
        first.communicate()
    assert ".oak-lock" in work.names()
    work.good("run.ini", "--overwrite")
    assert work.names() == ["oak-files.txt", "oak.log", "parameters.ini", "physics.oak-copy.c", "plotfiles.visit", "plt000000", "plt000002", "problem.oak-copy.c"], work.names()


def no_locks(work):
    """A file system without locks is said in one line; the run goes on."""
    work.write("no_locks.c", "#include <errno.h>\nint flock(int fd, int how) { errno = ENOLCK; return -1 + 0 * (fd + how); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "no_locks.so", "no_locks.c"], cwd=work.folder, check=True)
    done = subprocess.run([*work.alone, "run.ini"], cwd=work.folder, env={**os.environ, "LD_PRELOAD": "./no_locks.so"},
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0 and done.stdout.count("has no locks") == 1, done
    assert "plt000000" in work.names() and ".oak-lock" not in work.names()


def new_folder(work):
    """A new folder is on the disk before files are written to it: the folder above it is synced."""
    work.write("sync.c", "#include <stdio.h>\n#include <unistd.h>\nint fsync(int fd) { char link[64], path[4096]; sprintf(link, \"/proc/self/fd/%d\", fd);"
               "ssize_t n = readlink(link, path, 4095); FILE *f = fopen(\"synced\", \"a\");"
               "if (f && n > 0) fprintf(f, \"%.*s\\n\", (int)n, path); return f ? fclose(f) : -1; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "sync.so", "sync.c"], cwd=work.folder, check=True)
    subprocess.run([*work.alone, "--quiet", "run.ini", "output.folder=new/er"], cwd=work.folder, env={**os.environ, "LD_PRELOAD": "./sync.so"},
                   timeout=LIMIT, check=True)
    with open(work.path("synced"), encoding="utf-8") as f:
        assert f.read().splitlines()[:2] == [os.path.realpath(work.folder), os.path.realpath(work.path("new"))]


def kinds(work):
    """Slices, lines, probes and histories of a run agree with each other, and do not depend on the ranks."""
    common = ["run.max_steps=3", "run.dt_max=2e-3"]
    for name, kind, *more in (("s", "slice", "format=csv", "variables=rho p mx"), ("l", "line", "from=0 0.3", "to=1 0.8", "format=csv"),
                              ("p", "probe", "points=0.53 0.5, 0.25 0.25", "every_steps=1"), ("h", "history", "every_steps=1"), ("i", "history", "variables=p", "region=0.5 0.25 1 1"),
                              ("n", "slice", "level=1", "region=0.5 0 1 1"), ("x", "xdmf", "precision=single", "ghost_layers=1")):
        common += [f"output.{name}.{key}" for key in (f"kind={kind}", *more)]
    work.good("run.ini", *common)
    done = subprocess.run([*work.alone, "--quiet", "run.ini", *common, "output.folder=alone"], cwd=work.folder, timeout=LIMIT, check=True)
    assert done.returncode == 0
    work.bad([r"output\.m\.axis = x: has no effect in 2D"], "run.ini", "output.m.kind=picture", "output.m.axis=x", "output.folder=flat")
    several, alone = work.contents(), work.contents("alone")
    same = [name for name in several if re.search(r"/[slphni](_\d{6})?\.(csv|npy)$", name)]
    assert len(same) == 12, same
    for name in same:
        assert several[name] == alone[name.replace("out/", "alone/")], name
    def table(name):
        with open(work.path("out/" + name), encoding="utf-8") as f:
            return list(csv.DictReader(f))
    plane, line, history, probe = table("s_000003.csv"), table("l_000003.csv"), table("h.csv")[-1], table("p.csv")
    assert [row["step"] for row in probe] == ["0", "1", "2", "3"]
    assert table("l.csv") == [{"step": row["step"], "time": row["time"], "file": f"l_00000{row['step']}.csv"} for row in (probe[0], probe[3])]
    size = 1 / len(plane) # of a sample: the levels are the finest
    assert abs(math.fsum(float(row["rho"]) for row in plane) * size - float(history["total_rho"])) < 1e-14
    assert abs(float(history["mean_rho"]) - float(history["total_rho"])) < 1e-14 # the domain has volume 1
    for word, choose in (("min", min), ("max", max)):
        best = choose(plane, key=lambda row: float(row["p"]))
        assert all(best[key] == history[place] for key, place in (("p", f"{word}_p"), ("x", f"{word}_p_at_x"), ("y", f"{word}_p_at_y")))
    for name in ("max_p", "time"):
        work.write("again.c", f'INITIAL(at, q) {{ q[RHO] = q[PRS] = 1; }}\nGLOBAL_MAX({name}, at, q) {{ return 2; }}\n')
        work.bad([f"output h: two columns have the name {name}: choose another"], "run.ini", "problem.name=./again.c", "output.h.kind=history",
                 "output.folder=flat")
    part, inside = table("i.csv")[-1], [row for row in plane if float(row["x"]) > 0.5 and float(row["y"]) > 0.25]
    assert (min(float(row["p"]) for row in inside), max(float(row["p"]) for row in inside)) == (float(part["min_p"]), float(part["max_p"]))
    assert abs(math.fsum(float(row["rho"]) for row in inside) * size - float(part["total_rho"])) < 1e-14
    assert abs(statistics.fmean(float(row["p"]) for row in inside) - float(part["mean_p"])) < 1e-14
    for name in ("p", "mx"):
        for norm, mean in (("l1", statistics.fmean(abs(float(row[name])) for row in plane)),
                           ("l2", math.sqrt(statistics.fmean(float(row[name]) ** 2 for row in plane)))):
            assert abs(float(history[f"{norm}_{name}"]) - mean) < 1e-14 * max(mean, 1), (norm, name)
    assert abs(float(part["integral_p"]) - math.fsum(float(row["p"]) for row in inside) * size) < 1e-14
    def value(x, y, name):
        return min(plane, key=lambda row: (float(row["x"]) - x) ** 2 + (float(row["y"]) - y) ** 2)[name]
    assert value(0.53, 0.5 + 1e-9, "rho") == probe[3]["rho_1"] != probe[0]["rho_1"]
    for row in line:
        assert value(float(row["x"]), float(row["y"]), "p") == row["p"], row
    array = numpy.load(work.path("out/n_000003.npy"))
    assert array.shape == (16, 8) and array.dtype.names[:3] == ("x", "y", "rho"), array.dtype
    assert abs(array["rho"].mean() - statistics.fmean(float(row["rho"]) for row in plane if float(row["x"]) > 0.5)) < 1e-14
    work.good("run.ini", "--overwrite")
    assert work.names() == ["oak-files.txt", "oak.log", "parameters.ini", "physics.oak-copy.c", "plotfiles.visit", "plt000000", "plt000002", "problem.oak-copy.c"], work.names()
    work.write("out/p.csv", "mine")
    work.bad([r"out/p\.csv was not written by oak"], "run.ini", "--overwrite", *common)
    for wrong, words in (("p.points=0.5", r"command line: output\.p\.points = 0\.5: must be points of 2 coordinates"),
                         ("l.from=2 2", r"output\.l\.from = 2 2: x = 2 is outside the domain: choose 0 to 1"),
                         ("s.region=.5 .5 .1 .9", r"output\.s\.region = \S.*upper corner must be above"),
                         ("x.ghost_layers=5", r"ghost_layers = 5: at most half a block, 4"),
                         ("h.variables=rho speeed", r"output\.h\.variables: there is no variable speeed; did you mean speed\?; known: rho mx"),
                         ("s.times=0.1 x", r"output\.s\.times = 0\.1 x: must be numbers")):
        done = subprocess.run([*work.alone, "--quiet", "run.ini", *common, "output." + wrong], cwd=work.folder, capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        assert done.returncode == 1 and re.search(words, done.stderr), done


def background(work):
    """A run that writes during later time steps leaves the same bytes as one that waits, also if its memory for this is
    full."""
    settings = ["run.max_steps=6", "run.end_time=1", "output.diagnostics_every=1", "output.picture_steps=2", "output.plot_steps=2", "checkpoint.steps=2",
                "output.x.kind=xdmf", "output.x.every_steps=1", "output.x.ghost_layers=1", "output.p.kind=picture", "output.p.every_steps=3",
                "output.p.variables=p speed"]
    found = []
    for buffer in (0, 1, 1024):
        work.good("run.ini", "--overwrite", *settings, f"output.buffer={buffer}")
        assert not [name for name in work.names() if ".oak-" in name and not name.endswith(".c")], work.names()
        # Only the data of checkpoints are compared: the texts contain the keys, and the records contain the checksum of
        # the texts.
        found.append({name: data[192 + int.from_bytes(data[24:32], "little") + 32 * int.from_bytes(data[32:40], "little"):] if "/chk" in name else data
                      for name, data in work.contents().items() if not name.endswith("/parameters.ini")})
        # A thread lists pictures before the run does.
        found[-1]["out/oak-files.txt"] = set(found[-1]["out/oak-files.txt"].splitlines())
    assert len(found[0]) > 40, sorted(found[0])
    for other in found[1:]:
        assert found[0] == other, [name for name in {**found[0], **other} if found[0].get(name) != other.get(name)]


def provenance(work):
    """parameters.ini says where the run comes from and repeats it from another folder, with a problem of one's own."""
    with open(os.path.join(PROBLEMS, "../../problems/shock_tube.c"), encoding="utf-8") as f:
        source = f.read()
    work.write("own/tube.c", source)
    with open(work.path("run.ini"), encoding="utf-8") as f:
        text = f.read()
    work.write("own/run.ini", text.replace("name = shock_tube", "name = ./tube.c"))
    more = ["output.diagnostics_every=1", "output.folder=first", "output.h.kind=history"]
    work.good("own/run.ini", *more)
    files = work.contents("first")
    assert files["first/problem.oak-copy.c"] == source.encode() and b"WAVE_SPEEDS(" in files["first/physics.oak-copy.c"]
    echo = files["first/parameters.ini"].decode()
    for words in (r"^# oak: \d+\.\d+\.\d+, commit ", r"^# command: oak run --quiet own/run\.ini output\.diagnostics_every=1 ",
                  r"^# begun: 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$", r"^# ranks: %d on \S" % work.np, r"^# physics: /\S*/euler\.c, CRC-32 [0-9a-f]{8}",
                  r"^# problem: \S*/own/tube\.c, CRC-32 %08x" % zlib.crc32(source.encode()), r"^folder = /\S*/first$",
                  r"^name = /\S*/own/tube\.c$"):
        assert re.search(words, echo, re.M), (words, echo)
    assert not re.search(r"= *$", echo, re.M), echo
    os.mkdir(work.path("elsewhere"))
    done = subprocess.run([*work.alone, "--quiet", "../first/parameters.ini", "output.folder=../second"], cwd=work.path("elsewhere"),
                          timeout=LIMIT, check=True)
    assert done.returncode == 0
    again = work.contents("second")
    for name in ("diagnostics.csv", "h.csv", "problem.oak-copy.c"):
        assert again["second/" + name] == files["first/" + name], name
    listed = subprocess.run([work.alone[0], "params", "own/run.ini"], cwd=work.folder, capture_output=True, text=True, timeout=LIMIT, check=True)
    assert re.search(r"^\[problem\].*^  rho_left = 1 +number\n +density on the left\n", listed.stdout, re.M | re.S), listed
    assert re.search(r"^  gamma = \S+ +number above 1\n +ratio of specific heats", listed.stdout, re.M), listed


def exact(work):
    """Steps meet the times of outputs exactly, and none is tiny."""
    work.good("run.ini", "run.dt_max=4e-4", "output.a.kind=plotfile", "output.a.times=0.003 0.0007 0.0051", "output.a.exact=yes",
              "output.b.kind=probe", "output.b.every=0.0025", "output.b.exact=yes", "output.b.points=.5 .5", "output.diagnostics_every=1")
    def column(name, word):
        with open(work.path("out/" + name), encoding="utf-8") as f:
            return [float(row[word]) for row in csv.DictReader(f)]
    assert column("b.csv", "time") == [0, 0.0025, 0.005, 0.0075, 0.01], column("b.csv", "time")
    times = column("diagnostics.csv", "time")
    assert {0.0007, 0.003, 0.0051} < set(times), times
    assert min(column("diagnostics.csv", "dt")[1:]) > 0.9e-4, column("diagnostics.csv", "dt")
    assert len([name for name in work.names() if name.startswith("a_")]) == 5, work.names()


def last_steps(work):
    """A step that divides the time until the end is taken so often; otherwise the last two steps share what is left."""
    for end, step, exact, count in (("2", 0.005, 0, 400), ("0.3", 0.1, 0, 3), ("1", 0.03, 0, 34), ("1", 0.01, 0, 100),
                                    ("0.30000000000000004", 0.1, "0.3", 3), ("0.25", 0.1, "0.1", 3)):
        work.good("run.ini", "mesh.xmin=-32", "mesh.xmax=32", f"run.end_time={end}", f"run.dt_max={step}", "mesh.min_level=1", "mesh.max_level=1",
                  "output.diagnostics_every=1", "output.h.kind=history", "output.h.every_steps=1", "output.plot_first_last=no",
                  *([f"output.h.times={exact}", "output.h.exact=yes"] if exact else []))
        tables = []
        for name in ("diagnostics", "h"):
            with open(work.path(f"out/{name}.csv"), encoding="utf-8") as f:
                tables.append(list(csv.DictReader(f)))
        steps = [float(row["dt"]) for row in tables[0][1:]]
        assert len(steps) == count and float(tables[0][-1]["time"]) == float(end), (end, len(steps), tables[0][-1])
        assert min(steps) > 0.49 * step and max(steps) < step * (1 + 2e-6), (end, min(steps), max(steps))
        time, most = ([float(row[name]) for row in tables[1]] for name in ("time", "max_mx"))
        rates = [abs((most[n] - most[n - 1]) / (time[n] - time[n - 1])) for n in range(1, len(time))]
        assert 0 < rates[-1] <= 2 * max(rates[:-1]), (end, rates[-3:])
        shutil.rmtree(work.path("out"))
    for keys in (["run.end_time=1e10"], ["run.end_time=1e20", "run.dt_max=1e-3"], ["run.end_time=1", "run.dt_max=5e-14"]):
        work.good("run.ini", "--overwrite", "run.max_steps=3", *keys)
    work.bad(["never reaches run.end_time = 1: raise run.dt_max"], "run.ini", "--overwrite", "run.end_time=1", "run.dt_max=1e-30")
    work.bad(["lower run.end_time, or set run.max_steps"], "run.ini", "--overwrite", "run.end_time=1e99")
    work.good("run.ini", "--overwrite", "run.end_time=1e99", "run.max_steps=3")


def long_strip(work):
    """A domain whose picture would be too high is refused where pictures are asked for, and nowhere else."""
    strip = ["mesh.trees=1 64", "mesh.xmax=1 64", "mesh.min_level=0", "mesh.max_level=0", "run.max_steps=1"]
    work.good("run.ini", *strip)
    work.bad(["65536 high, more than 16384; choose a smaller width"], "run.ini", "--overwrite", *strip, "output.picture_every=1")


def removed_folder(work):
    """A folder that is removed or renamed during the run ends it, or is noticed at the end, and does not come back."""
    for more in ([], ["output.diagnostics_every=0", "run.max_steps=3000"]):
        child = work.start(*more)
        os.rename(work.path("out"), work.path("gone"))
        shutil.rmtree(work.path("gone"))
        text = child.communicate(timeout=LIMIT)[1]
        assert child.returncode == 1 and text.count("\n") == 1, (child.returncode, text)
        assert "was removed or renamed during the run" in text, text
        assert not os.path.exists(work.path("out"))


def file_size(work):
    """A write beyond the limit of file sizes fails with a message and leaves whole lines."""
    for file, arguments in (("out/diagnostics.csv", []),
                            ("/Cell_D_00000", ["output.diagnostics_every=0", "output.plot_steps=100"])):
        shutil.rmtree(work.path("out"), ignore_errors=True)
        child = work.start(*arguments)
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
        text = child.communicate(timeout=LIMIT)[1]
        assert child.returncode == 1 and text.count("\n") == 1, (child.returncode, text)
        assert file in text and "File too large; raise the file size limit (ulimit -f)\n" in text, text
        assert not [name for name in work.names() if name.endswith(".oak-part")], work.names()
        if not arguments:
            assert work.contents()[file].endswith(b"\n")


def check(work):
    """oak run --check tells what the run then does, and writes nothing."""
    shown = ["run.ini", "run.max_steps=30", "output.picture_every=0.004", "run.report_every=1"]
    before = work.names(".")
    said = subprocess.run([*work.ranks, *shown, "--check"], cwd=work.folder, check=True, capture_output=True, text=True).stdout
    assert work.names(".") == before, work.names(".")
    table = {line[2:11].strip(): line[12:] for line in said.splitlines() if line.startswith("  ")}
    assert {"mesh", "memory", "kernels", "step", "outputs", "folder", "estimate"} <= table.keys(), said
    assert re.search(r"  +picture +every 0\.004, first and last state$", said, re.M) and re.search(r"[0-9]+ steps of [0-9.]+ ms", said), said
    assert said.count("output in") == 1 and said.startswith("oak "), said
    lines = re.findall(r"^ +(?:step +)?(.*?)(?:  +waits for (neighbours|all ranks))?$", said[said.index("  step "):said.index("  outputs ")], re.M)
    order = [line for line in lines if re.match("stages|ghost|fluxes|next", line[0].lstrip("0123456789 "))]
    order = [line for line in order if "inner" not in line[0] and "levels" not in line[0]] # as ranks and levels of the run ask for
    assert [name for name, _ in order[1:]] == ["ghost cells, begin", "ghost cells, end", "fluxes of all other blocks", "next time step"], said
    assert [waits for _, waits in order[1:]] == ["neighbours", "neighbours", "", "all ranks"], said
    ran = subprocess.run([*work.ranks, *shown], cwd=work.folder, check=True, capture_output=True, text=True).stdout
    first = next(line.split() for line in ran.splitlines() if re.match(r" +0 ", line))
    assert table["mesh"].startswith(f"{first[3]} block"), (table["mesh"], first)
    assert "in the cache" in table["kernels"], table
    again = subprocess.run([*work.ranks, *shown, "--check"], cwd=work.folder, check=True, capture_output=True, text=True).stdout
    assert "holds a run; --restart goes on with it, --overwrite removes it" in again, again
    # A mesh that would need 16 GB is only estimated.
    large = subprocess.run([*work.ranks, "run.ini", "--check", "mesh.min_level=11", "mesh.max_level=11"], cwd=work.folder, check=True,
                           capture_output=True, text=True).stdout
    assert "268M cells" in large and re.search(r"memory +about 1\d(\.\d)? GiB|memory +about [5-9]\.\d\d GiB", large), large
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20, "KiB"
    ages = subprocess.run([*work.ranks, "run.ini", "--check", "run.end_time=1e9", "mesh.min_level=7", "mesh.max_level=7"],
                          cwd=work.folder, check=True, capture_output=True, text=True).stdout
    assert re.search(r"estimate +more than 250 years for .* steps", ages), ages
    work.bad([r"output\.plot_variables", r"no variable q"], "run.ini", "--check", "output.plot_variables=q")


LONG = ["run.end_time=1e6", "run.max_steps=100000", "output.plot_first_last=no", "output.diagnostics_every=1"]
CASES = [check, intervals, log_file, used_folder, users_files, input_file, links, two_runs, no_locks, new_folder, kinds, background, provenance, exact, last_steps, long_strip, removed_folder, file_size]


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")

    def try_case(case):
        with tempfile.TemporaryDirectory(prefix="oak_output_") as folder:
            case(Work(options, folder))

    return oak_test.run_cases(options, {case.__name__: lambda case=case: try_case(case) for case in CASES})


if __name__ == "__main__":
    sys.exit(main())
