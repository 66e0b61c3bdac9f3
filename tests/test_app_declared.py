#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What physics and problem files declare beside single parameters, for CTest: arrays (PARAMETER_ARRAY) and units
(UNITS). Hooks compare the numbers that they get with those of the parameter file; units are looked for in files of
each format, and in the numbers of pixels of pictures, which have labels.

usage: test_app_declared.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import os
import re
import struct
import subprocess
import sys
import tempfile

import oak_test
from oak_test import MPIEXEC

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

RUN = """[run]
end_time = 0.01
max_steps = 2
[mesh]
block_size = 8
min_level = 1
max_level = 1
[physics]
name = {physics}
[problem]
name = ./hooks.c
[device]
name = cpu
[output]
folder = out
[output.x]
kind = xdmf
[output.image]
kind = picture
"""
# Arrays stand before, between and behind other members of the structure. A step of 0 ends the run.
ARRAYS = """PARAMETER_ARRAY(height, "1 2 3 4.5e0", "{>0} heights of the steps")
PARAMETER(x0, 0.5, "a number")
PARAMETER_ARRAY(pair, "1, 5/3", "{>=1} two numbers")
GLOBAL_MAX(most, at, q) { return q[0]; }
#if OAK_DIM == 3
PARAMETER_ARRAY(left_out, "1 2", "not in 2D")
#endif
PARAMETER_ARRAY(one, "-7", "one number")
PARAMETER(expect, 10.5, "sum of all heights")
INITIAL(at, q) { q[0] = at->p.pair[1]; }
TIMESTEP(at, q)
{
  double sum = 0;
  for (int n = 0; n < OAK_COUNT(at->p.height); n++) sum += at->p.height[n];
  int wrong = sum != at->p.expect || at->p.height[3] < at->p.height[0];
  wrong |= at->p.x0 != 0.5 || at->p.pair[0] != 1 || at->p.pair[1] != 5.0 / 3.0 || at->p.one[0] != -7;
  wrong |= fabs(at->p.most - at->p.pair[1]) > 1e-6 || OAK_COUNT(at->p.pair) != 2;
  return wrong ? 0 : 0.001;
}
"""
UNITS = """UNITS("m^-3; length: mm; time: Gyr; vx vy: km s^-1; p: Pa; twice: 1/m^3")
OUTPUT(twice, at, q) { return 2 * q[RHO]; }
INITIAL(at, q)
{
  q[RHO] = 1 + at->x[0];
  q[PRS] = 1;
}
"""
# name: a declaration instead of those above, arguments, what is said
BAD = {
    "too few": ("", ["problem.height=1 2 3"], r"problem\.height = 1 2 3: must be 4 numbers above 0$"),
    "below the bound": ("", ["problem.height=1 2 0 4"], r"must be 4 numbers above 0$"),
    "NaN": ("", ["problem.height=1 2 3 nan"], r"must be 4 numbers above 0$"),
    "a number that changed": ("", ["problem.height=1 2 3 5"], "TIMESTEP gives 0"),
    "not in quotes": ("PARAMETER_ARRAY(a, 3, \"help\")", [], r"PARAMETER_ARRAY\(a, \.\.\.\): the second argument must be numbers in quotes"),
    "no numbers": ("PARAMETER_ARRAY(a, \" \", \"help\")", [], "must be numbers in quotes"),
    "a default that is a word": ("PARAMETER_ARRAY(a, \"1 b\", \"help\")", [], "problem.a"),
    "a default below its bound": ("PARAMETER_ARRAY(a, \"1 0\", \"{>0} help\")", [], "problem.a"),
    "choices": ("PARAMETER_ARRAY(a, \"0 1\", \"{x,y} help\")", [], r"PARAMETER_ARRAY\(a, \.\.\.\): its help text may begin with a bound"),
    "twice": ("PARAMETER_ARRAY(a, \"0 1\", \"help\")\n#if 0\nPARAMETER_ARRAY(a, \"0 1 2\", \"help\")\n#endif", [], "parameter a is there a second time, with another number of values"),
    "more than fit": (f"PARAMETER_ARRAY(a, \"{'1 ' * 257}\", \"help\")", [], "too many parameters; at most 256 numbers fit"),
    "an unknown variable": ("UNITS(\"rhoo: kg/m^3\")", [], "UNITS: there is no variable rhoo .*; known: length time rho"),
    "no name": ("UNITS(\" : kg/m^3\")", [], "UNITS: no name stands before ': kg/m.3'"),
    "no unit": ("UNITS(\"rho: \")", [], "UNITS: the unit '': must be 1 to 31 letters"),
    "a unit that XML quotes": ("UNITS(\"rho: <kg>\")", [], "UNITS: the unit '<kg>': must be"),
    "a long unit": (f"UNITS(\"rho: {'m' * 32}\")", [], "UNITS: the unit 'm+': must be 1 to 31"),
    "two for the others": ("UNITS(\"m; s\")", [], "UNITS: m and s stand without names"),
    "a variable named time": ("OUTPUT(time, at, q) { return q[0]; }\nUNITS(\"time: s\")", [], "UNITS: time stands for the axes"),
}


def width(path):
    with open(path, "rb") as file:
        return struct.unpack(">I", file.read(20)[16:])[0]


class Work:
    def __init__(self, folder, launch):
        self.folder, self.launch = folder, launch

    def run(self, hooks, *arguments, status=0, physics="advection"):
        oak_test.write(self.folder, "run.ini", RUN.format(physics=physics))
        oak_test.write(self.folder, "hooks.c", hooks)
        done = subprocess.run([*self.launch, "run", "run.ini", "--overwrite", "device.flags=-O1", *arguments],
                              cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL, text=True, timeout=200,
                              errors="replace", check=False)
        said = "\n".join(line for line in (done.stderr + done.stdout).splitlines() if not MPIEXEC.match(line))
        assert done.returncode == status, f"exit status {done.returncode}:\n{said}"
        return said

    def text(self, *path):
        with open(os.path.join(self.folder, "out", *path), encoding="utf-8", errors="replace") as file:
            return file.read()

    def arrays(self):
        self.run(ARRAYS)
        assert re.search(r"^height = 1 2 3 4.5e0 ", self.text("parameters.ini"), re.M)
        self.run(ARRAYS, "problem.height=1,2 3 1e1", "problem.expect=16")
        self.run(ARRAYS, "scheme.precision=single")
        # The echo gives the same run again.
        os.replace(os.path.join(self.folder, "out", "parameters.ini"), os.path.join(self.folder, "again.ini"))
        subprocess.run([*self.launch, "run", "again.ini", "--overwrite", "--trust"], cwd=self.folder, check=True, capture_output=True,
                       timeout=200)

    def units(self):
        import oak
        self.run(UNITS, physics="euler")
        plot = oak.open(os.path.join(self.folder, "out"))[-1]
        want = {"length": "mm", "time": "Gyr", "rho": "m^-3", "mx": "m^-3", "my": "m^-3", "E": "m^-3", "vx": "km s^-1",
                "vy": "km s^-1", "p": "Pa"}
        assert plot.units == want, plot.units
        assert '<Attribute Name="velocity" AttributeType="Vector" Center="Cell"><Information Name="Unit" Value="km s^-1"/>' in \
            self.text("x_000000.xdmf")
        picture = os.path.join(self.folder, "out", "image_000000.png")
        labelled = width(picture)
        drawn = os.path.join(self.folder, "drawn.png")
        subprocess.run([self.launch[-1], "plot", "out", "--var", "rho", "-o", drawn], cwd=self.folder, check=True,
                       capture_output=True, timeout=200)
        assert width(drawn) == labelled
        self.run(UNITS.replace("UNITS(", "OAK_NOTE_TEXT(_other, 512, "), physics="euler")
        assert oak.open(os.path.join(self.folder, "out"))[-1].units == {}
        assert width(picture) < labelled and "unit" not in self.text("plt000000", "Header")
        assert "Unit" not in self.text("x_000000.xdmf")

    def bad(self, name):
        declared, arguments, pattern = BAD[name]
        physics = "euler" if "UNITS" in declared else "advection"
        hooks = declared + "\nINITIAL(at, q) { q[0] = 1; }\n" if declared else ARRAYS
        said = self.run(hooks, *arguments, status=1, physics=physics)
        return [] if re.search(pattern, said, re.M) else [f"no match for /{pattern}/"], said


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_declared_") as folder:
        work = Work(folder, options.launch)
        cases = {"arrays": work.arrays, "units": work.units}
        cases.update({name: lambda name=name: work.bad(name) for name in BAD})
        return oak_test.run_cases(options, cases)


if __name__ == "__main__":
    sys.exit(main())
