#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Where and when the oak command writes, for CTest: intervals, used folders, other files in them.

usage: test_app_output.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD]

Prints nothing for cases that pass but one line at the end. Exit 0: all passed, 1: not."""
import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from test_app_errors import GOOD, LIMIT, MPIEXEC, judge, run


class Work:
    """A temporary folder with run.ini, whose output goes to its folder out."""

    def __init__(self, options, folder):
        self.folder = folder
        self.alone = [os.path.abspath(options.oak), "run"]
        self.ranks = [*shlex.split(options.mpiexec), str(options.np), *self.alone]
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
    assert work.names() == ["notes.txt", "parameters.ini", "plotfiles.visit", "plt000000", "plt000001.old",
                            "plt000002", "rho_0009.png"], work.names()
    assert work.contents()["out/plotfiles.visit"] == b"plt000000/Header\nplt000002/Header\n"
    work.good("run.ini", "output.folder=out/more")
    work.write("out/plt000002/notes.txt", "mine")
    mine = work.contents()
    work.bad([r"out/plt000002/notes\.txt was not written by oak"], "run.ini", "--overwrite")
    assert work.contents() == mine


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
    """A second run in the folder is refused while the first is there, however the first ends."""
    first = work.start()
    try:
        refused = [r"output\.folder = \S*out is in use by another run, process %d on \S+: wait" % first.pid]
        work.bad(refused)
        work.bad(refused, "run.ini", "--overwrite")
        assert first.poll() is None
    finally:
        first.kill()
        first.communicate()
    assert ".oak-lock" in work.names()
    work.good("run.ini", "--overwrite")
    assert work.names() == ["parameters.ini", "plotfiles.visit", "plt000000", "plt000002"], work.names()


def no_locks(work):
    """A file system without locks is said in one line; the run goes on."""
    work.write("no_locks.c", "#include <errno.h>\nint flock(int fd, int how) { errno = ENOLCK; return -1 + 0 * (fd + how); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "no_locks.so", "no_locks.c"], cwd=work.folder, check=True)
    done = subprocess.run([*work.alone, "run.ini"], cwd=work.folder, env={**os.environ, "LD_PRELOAD": "./no_locks.so"},
                          capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0 and done.stdout.count("has no locks") == 1, done
    assert "plt000000" in work.names() and ".oak-lock" not in work.names()


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
        assert file in text and "File too large; raise the file size limit" in text, text
        assert not [name for name in work.names() if name.endswith(".oak-part")], work.names()
        if not arguments:
            assert work.contents()[file].endswith(b"\n")


LONG = ["run.end_time=1e6", "run.max_steps=100000", "output.plot_first_last=no", "output.diagnostics_every=1"]
CASES = [intervals, used_folder, input_file, links, two_runs, no_locks, removed_folder, file_size]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--np", type=int, required=True)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in case.__name__]
    failed = 0
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="oak_output_") as folder:
            try:
                case(Work(options, folder))
            except AssertionError as wrong:
                failed += 1
                print(f"FAILED {case.__name__}: {wrong}\n", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} cases pass")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
