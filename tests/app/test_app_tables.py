#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Functions whose values come from text files (TABLE), for CTest: their values against the functions that the files
hold, the messages about wrong files, and a restart with another file.

usage: test_app_tables.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

import oak_test
from oak_test import MPIEXEC

RUN = """[run]
end_time = 0.01
max_steps = 2
[mesh]
block_size = 8
min_level = 1
max_level = 1
[physics]
name = advection
[problem]
name = part/hooks.c
[output]
folder = out
plot_first_last = no
[checkpoint]
at_end = yes
"""
# x goes from 0 to 1. A step of 0 ends the run: a table differs from its function.
HOOKS = """PARAMETER(slack, 1e-12, "of straight lines")
PARAMETER(scale, 1, "of all functions")
TABLE(line, "line.txt", "2 x - 1 for x in 0.25 ... 0.75")
TABLE(power, "power.txt", "{log} x^-0.26")
TABLE(smooth, "smooth.txt", "{cubic} sin(x)")
TABLE(none, "", "no file")
OAK_FN double beyond(double a, double b) { return fabs(a - b); }
INITIAL(at, q) { q[0] = 1; }
TIMESTEP(at, q)
{
  const double x = at->x[0], inside = OAK_MIN(OAK_MAX(x, 0.25), 0.75), c = at->p.scale;
  int wrong = beyond(line((real)x), c * (2 * inside - 1)) > at->p.slack;
  wrong |= beyond(power((real)(1 + x)), c * pow(1 + x, -0.26)) > 1e-6;
  wrong |= beyond(smooth((real)x), c * sin(x)) > 1e-6;
  wrong |= HAS_TABLE(none) || !HAS_TABLE(line) || none((real)x) != 0;
  return wrong ? 0 : 0.001;
}
"""
FILES = {
    "line.txt": "# x y\n\n0.25, -0.5\t# the first\r\n0.5 0\n  0.75 +5e-1",
    "power.txt": "1 1\n3 " + repr(3**-0.26) + "\n",
    "smooth.txt": "".join(f"{i / 40!r} {math.sin(i / 40)!r}\n" for i in range(41)),
    "twice.txt": "\N{BYTE ORDER MARK}0.25 -1\n0.75 1\n",
}
# Rain on a dry plane: nothing moves at first, and waves do not tell how long a step may be.
RAIN = """PARAMETER(rain, 1e-4, "in m/s")
TABLE(strength, "", "{time} factor of the rain over the time")
FIELD(bed, at) { return 0.05 * at->x[0]; }
INITIAL(at, q) { q[SURFACE] = at->f.bed; }
SOURCE(at, q, source)
{
  real r = (real)at->p.rain;
#if HAS_TABLE(strength)
  const real s = strength((real)at->t);
  r *= s * s * s * s;
#endif
  source[H] += r;
}
"""
RAIN_RUN = ["physics.name=shallow_water", "problem.name=part/rain.c", "run.end_time=120", "run.max_steps=0",
            "mesh.xmax=16 16", "scheme.limiter=minmod", "boundary.xlow=reflect", "boundary.xhigh=reflect",
            "output.rain.kind=history", "output.rain.every_steps=1", "output.rain.variables=h"]
# name: further arguments, text of the file bad.txt, what is said
BAD = {
    "no such file": (["problem.line=other.txt"], "", r"command line: problem\.line = other\.txt: cannot read other\.txt"),
    "a folder": (["problem.line=part"], "", r"problem\.line = part: must be a text file"),
    "one line": ([], "1 2\n", r"bad\.txt has 1 line with numbers: a table needs at least 2"),
    "nothing": ([], "", r"bad\.txt has 0 lines with numbers"),
    "not increasing": ([], "1 2\n#\n1 3\n", r"bad\.txt:3: 1 follows 1: the numbers of the first column must increase"),
    "NaN": ([], "1 2\n2 nan\n", r"bad\.txt:2: nan must be finite"),
    "a word": ([], "1 2\n2 two\n", r"bad\.txt:2: '2 two': must be numbers"),
    "three columns": ([], "1 2 3\n", r"bad\.txt:1: '1 2 3': must be 2 numbers, and there are 3"),
    "binary": ([], "1 2\n2 3\0\n", r"bad\.txt:2: binary data: a table is a text file"),
    "steep": (["scheme.precision=single", "problem.line=bad.txt"], "1 1e300\n1.0000000000000002 1\n", r"bad\.txt: the numbers, .* too large or too small for single precision:"),
    "fluxes": (["scheme.precision=single_fluxes", "problem.line=bad.txt"], "1 1\n2 1\n", r"scheme\.precision = single_fluxes does not know tables"),
    "wide": ([], "-1e308 1\n1e308 2\n", r"bad\.txt: the numbers, .* too large or too small"),
    "logarithm of 0": (["problem.power=bad.txt"], "1 2\n2 0\n", r"bad\.txt:2: 0 must be finite and above 0"),
}


class Work:
    def __init__(self, folder, launch):
        self.folder, self.launch = folder, launch
        os.mkdir(os.path.join(folder, "part"))
        oak_test.write(folder, "run.ini", RUN)
        oak_test.write(folder, "part/hooks.c", HOOKS)
        for name, text in FILES.items():
            oak_test.write(os.path.join(folder, "part"), name, text)

    def run(self, *arguments, status=0):
        fresh = [] if "--restart" in arguments else ["--overwrite"]
        done = subprocess.run([*self.launch, "run", "run.ini", *fresh, *arguments], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=200, check=False)
        said = "\n".join(line for line in (done.stderr + done.stdout).splitlines() if not MPIEXEC.match(line))
        assert done.returncode == status, f"exit status {done.returncode}:\n{said}"
        return said

    def values(self):
        self.run()
        assert "TIMESTEP or DIFFUSIVITY is wrong" in self.run("problem.scale=1.0001", status=1)
        self.run("scheme.precision=single", "problem.slack=1e-6")
        with open(os.path.join(self.folder, "out", "parameters.ini"), encoding="utf-8") as file:
            echo = file.read()
        assert re.search(r"# line: .*part/line\.txt, CRC-32 \w+, copied to line\.oak-copy\.txt\n", echo), echo
        with open(os.path.join(self.folder, "out", "line.oak-copy.txt"), encoding="utf-8", newline="") as file:
            assert file.read() == FILES["line.txt"]

    def steps(self):
        """A step is at most twice the one before, and sees a shower that waves do not announce."""
        oak_test.write(self.folder, "part/rain.c", RAIN)
        oak_test.write(self.folder, "shower.txt", "0 0\n40 0\n46 1\n52 1\n53 0\n")
        for words, depth in ([], 120), (["run.dt_max=60"], 120), (["problem.strength=shower.txt"], 6 / 5 + 6 + 1 / 5):
            self.run(*RAIN_RUN, *words)
            with open(os.path.join(self.folder, "out", "rain.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            time = [float(row["time"]) for row in rows]
            sizes = [after - before for before, after in zip(time, time[1:])]
            fallen = float(rows[-1]["total_h"]) / 16**2 / 1e-4
            print(f"{words}: {len(sizes)} steps, the first {sizes[0]:g} s; rain of {fallen:.4f} s, exact {depth:.4f} s")
            assert sizes[0] < 1e-3 and all(b <= 2.0001 * a for a, b in zip(sizes, sizes[1:]) if not 1e-9 > b), sizes
            assert abs(fallen / depth - 1) < 2e-3, fallen

    def restart(self):
        self.run()
        go_on = ["--restart", "run.max_steps=3", "problem.slack=10"]  # the last file has other values
        note = "the file of the problem or a table of it has changed since"
        assert note not in self.run(*go_on)
        assert note in self.run(*go_on, "problem.line=part/twice.txt")

    def found(self):
        """A table of oak's own folder has no path; a run without tables says that they are faster."""
        run = ["physics.name=streamer", "problem.name=streamer", "mesh.xmax=1e-3 1e-3", "run.max_steps=1", "--check", "device.flags=-O0",
               "boundary.ylow=outflow", "boundary.yhigh=outflow", "poisson.ylow=zero", "poisson.yhigh=value"]
        assert "advice: tables are faster than formulas: physics.mobility, physics.diffusion" in self.run(*run)
        assert "advice: tables" not in self.run(*run, "physics.mobility=streamer_mobility.txt")
        air = self.run(*run, "reactions.file=streamer_air.txt", "reactions.gas=N2 0.8 O2 0.2", "reactions.tables=streamer_air.txt",
                       status=1)
        assert "streamer_air.txt:" in air and "each reaction would count twice" in air, air

    def bad(self, name):
        arguments, text, pattern = BAD[name]
        oak_test.write(self.folder, "bad.txt", text)
        said = self.run(*(arguments or ["problem.line=bad.txt"]), status=1)
        return [] if re.search(pattern, said) and said.count("\n") < 2 else [f"no match for /{pattern}/"], said


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_tables_") as folder:
        work = Work(folder, options.launch)
        cases = {"values": work.values, "restart": work.restart, "steps": work.steps, "found": work.found}
        cases.update({name: lambda name=name: work.bad(name) for name in BAD})
        return oak_test.run_cases(options, cases)


if __name__ == "__main__":
    sys.exit(main())
