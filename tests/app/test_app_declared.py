#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=240 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""What physics and problem files declare beside single parameters, for CTest: arrays (PARAMETER_ARRAY), units (UNITS),
and schemes by name (LIMITER, RIEMANN, CRITERION, BOUNDARY_CONDITION). Hooks compare the numbers that they get with those of the parameter file; units are looked for in files of
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))

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
# Schemes like minmod, hll without branches, gradient, outflow and `user`: runs with them have the same bits.
SCHEMES = """LIMITER(own_limiter, 1, s, lo, hi) {
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real half = a * b > 0 ? (real)0.5 * (oak_abs(a) < oak_abs(b) ? a : b) : 0;
  *lo = s[0] - half;
  *hi = s[0] + half;
}
RIEMANN(own_flux, ph, ql, qr, dir, f) {
  riemann_sides_t s;
  riemann_sides(ph, ql, qr, dir, &s);
  const real left = riemann_speed(ph, ql, dir), right = riemann_speed(ph, qr, dir), speed = OAK_MAX(left, right);
  for (int v = 0; v < PHYSICS_NVAR; v++) f[v] = (real)0.5 * (s.fl[v] + s.fr[v] - speed * (s.ur[v] - s.ul[v]));
  return speed;
}
CRITERION(own_criterion, u, below, above, eps, eps_abs) {
  real sum = 0;
  for (int dir = 0; dir < OAK_DIM; dir++) sum += (above[dir] - below[dir]) * (above[dir] - below[dir]);
  return (real)0.25 * sum / ((eps_abs + oak_abs(u)) * (eps_abs + oak_abs(u))) + 0 * eps;
}
BOUNDARY_CONDITION(own_outflow, b) { return b->nearest; }
BOUNDARY_CONDITION(own_inflow, b) {
  real q[PHYSICS_NVAR] = {0};
  for (int v = 0; v < PHYSICS_NVAR; v++) q[v] = b->q[v];
  q[RHO] = (real)(b->value + 0.1 * b->at->x[1]);
  q[VX] = (real)(0.3 + b->face);
  q[VY] = (real)(0.2 + 0.01 * b->at->t);
  q[PRS] = 2;
  physics_to_conserved(&b->at->ph, q);
  return q[b->v];
}
"""
# Macros in small letters end with the file: they change no word of the kernels.
MACROS = "".join(f"#define {word} 3\n" for word in [*"abcdefghijklmnopqrstuvwxyz", *"block cell dir face lo hi level step time".split()])
START = """BOUNDARY(at, face, q) {
  q[RHO] = 1.5 + 0.1 * at->x[1];
  q[VX] = 0.3 + face;
  q[VY] = 0.2 + 0.01 * at->t;
  q[PRS] = 2;
}
INITIAL(at, q) {
  q[RHO] = 1 + (at->x[0] > 0.4 && at->x[1] > 0.3);
  q[VX] = q[VY] = 0.1;
  q[PRS] = 1;
}
"""
# What the names stand for, with those of oak and with the own ones.
NAMED = ["scheme.limiter=minmod own_limiter", "scheme.flux=rusanov own_flux", "refine.criterion=gradient own_criterion",
         "boundary.xhigh=outflow own_outflow", "boundary.xlow=user own_inflow 1.5"]
# name: a declaration instead of those above, arguments, what is said
BAD = {
    "too few": ("", ["problem.height=1 2 3"], r"problem\.height = 1 2 3: must be 4 numbers above 0$"),
    "below the bound": ("", ["problem.height=1 2 0 4"], r"must be 4 numbers above 0$"),
    "NaN": ("", ["problem.height=1 2 3 nan"], r"must be 4 numbers above 0$"),
    "a number that changed": ("", ["problem.height=1 2 3 5"], "TIMESTEP or DIFFUSIVITY is wrong"),
    "not in quotes": ("PARAMETER_ARRAY(a, 3, \"help\")", [], r"PARAMETER_ARRAY\(a, \.\.\.\): the second argument must be numbers in quotes"),
    "no numbers": ("PARAMETER_ARRAY(a, \" \", \"help\")", [], "must be numbers in quotes"),
    "a default that is a word": ("PARAMETER_ARRAY(a, \"1 b\", \"help\")", [], "problem.a"),
    "a default below its bound": ("PARAMETER_ARRAY(a, \"1 0\", \"{>0} help\")", [], "problem.a"),
    "choices": ("PARAMETER_ARRAY(a, \"0 1\", \"{x,y} help\")", [], r"PARAMETER_ARRAY\(a, \.\.\.\): its help text may begin with a bound"),
    "twice": ("PARAMETER_ARRAY(a, \"0 1\", \"help\")\nPARAMETER_ARRAY(a, \"0 1 2\", \"help\")", [], r"hooks\.c:2: PARAMETER_ARRAY\(a, \.\.\.\) is there a second time, after line 1"),
    "more than fit": (f"PARAMETER_ARRAY(a, \"{'1 ' * 257}\", \"help\")", [], "too many parameters; at most 256 numbers fit"),
    "a limiter of oak": ("LIMITER(minmod, 1, s, lo, hi) { }", [], r"hooks\.c:1: LIMITER\(minmod, \.\.\.\): numerics/limiters\.h has one of this name"),
    "a flux of oak": ("\nRIEMANN(hll, ph, ql, qr, dir, f) { return 0; }", [], r"hooks\.c:2: RIEMANN\(hll, \.\.\.\): numerics/riemann\.h has"),
    "a flux of the physics": ("RIEMANN(hllc, ph, ql, qr, dir, f) { return 0; }", ["physics.name=euler"], r"hooks\.c:1: RIEMANN\(hllc, \.\.\.\): the physics has one of this name"),
    "a criterion of oak": ("CRITERION(lohner, u, below, above, eps, eps_abs) { return 0; }", [], r"hooks\.c:1: CRITERION\(lohner, \.\.\.\): numerics/criteria\.h has"),
    "a word of a criterion": ("CRITERION(none, u, below, above, eps, eps_abs) { return 0; }", [], r"hooks\.c:1: CRITERION\(none, \.\.\.\): oak has one"),
    "a condition of oak": ("BOUNDARY_CONDITION(outflow, b) { return 0; }", [], r"hooks\.c:1: BOUNDARY_CONDITION\(outflow, \.\.\.\): numerics/boundary\.h has"),
    "a word of conditions": ("BOUNDARY_CONDITION(periodic, b) { return 0; }", [], r"hooks\.c:1: BOUNDARY_CONDITION\(periodic, \.\.\.\): oak has one"),
    "a limiter twice": ("LIMITER(a, 1, s, lo, hi) { }\nLIMITER(a, 1, s, lo, hi) { }", [], r"hooks\.c:2: LIMITER\(a, \.\.\.\) is there a second time, after line 1"),
    "a radius that is no number": ("LIMITER(a, b, s, lo, hi) { }", [], r"hooks\.c:1: LIMITER\(a, \.\.\.\): the second argument must be its radius"),
    "an unknown limiter": ("LIMITER(a, 1, s, lo, hi) { *lo = *hi = s[0]; }", ["scheme.limiter=b"], r"command line: scheme\.limiter = b: .* one of upwind minmod .* weno5 a$"),
    "an unknown flux": ("RIEMANN(a, ph, ql, qr, dir, f) { return 0; }", ["scheme.flux=b"], r"command line: scheme\.flux = b: .* one of rusanov hll a$"),
    "an unknown criterion": ("CRITERION(a, u, below, above, eps, eps_abs) { return 0; }", ["refine.criterion=b"], r"command line: refine\.criterion = b: .* one of user none lohner gradient a$"),
    "an unknown condition": ("BOUNDARY_CONDITION(a, b) { return 0; }", ["boundary.xlow=b"], r"command line: boundary\.xlow = b: unknown condition; use one of periodic reflect user dirichlet .* outflow a;"),
    "a misspelt limiter": ("LIMITER(mine, 1, s, lo, hi) { *lo = *hi = s[0]; }", ["scheme.limiter=min"], r"weno5 mine; did you mean mine\?$"),
    "a misspelt flux": ("", ["scheme.flux=hlll"], r"one of rusanov hll; did you mean hll\?$"),
    "a misspelt criterion": ("", ["refine.criterion=gradent"], r"did you mean gradient\?$"),
    "a misspelt condition": ("", ["boundary.xlow=outflw"], r"the word user behind them; did you mean outflow\?$"),
    "a misspelt choice": ("", ["mesh.coordinates=polr"], r"must be one of .*; did you mean polar\?$"),
    "a criterion that gives NaN": ("CRITERION(mine, u, below, above, eps, eps_abs) { return oak_sqrt(0.5 - u); }", ["refine.criterion=mine", "mesh.max_level=2"],
                                   r"refine\.criterion = mine gives NaN in the block of level 1 from \(0, 0, 0\) to \(0\.5, 0\.5, 0\) \(step 0"),
    "a limiter that gives NaN": ("LIMITER(mine, 1, s, lo, hi) { *lo = *hi = oak_sqrt(-s[0]); }", ["scheme.limiter=mine"],
                                 r"invalid state .*: look at LIMITER\(mine\) at \S*hooks\.c:1, which may give NaN or read beyond its radius; else use"),
    "a flux that gives NaN": ("RIEMANN(mine, ph, ql, qr, dir, f) { f[0] = oak_sqrt(-ql[0]); return 1; }", ["scheme.flux=mine"],
                              r"invalid state .*: look at RIEMANN\(mine\) at \S*hooks\.c:1, .* else use"),
    "a condition that gives NaN": ("BOUNDARY_CONDITION(mine, b) { return oak_sqrt(-b->nearest); }", ["boundary.xlow=mine", "boundary.xhigh=outflow"],
                                   r"invalid state .*: look at BOUNDARY_CONDITION\(mine\) at \S*hooks\.c:1, .* else use"),
    "a condition beside a periodic one": ("BOUNDARY_CONDITION(a, b) { return 0; }", ["boundary.xlow=a"], r"command line: boundary\.xlow = a, but boundary\.xhigh is periodic"),
    "a condition of a variable on a periodic face": ("BOUNDARY_CONDITION(a, b) { return 0; }", ["boundary.xlow.rho=a"], r"command line: boundary\.xlow\.rho = a: a face is periodic for all"),
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
        self.run(UNITS.replace("UNITS(", "static const char other[] = (").replace(')\n', ');\n', 1), physics="euler")
        assert oak.open(os.path.join(self.folder, "out"))[-1].units == {}
        assert width(picture) < labelled and "unit" not in self.text("plt000000", "Header")
        assert "Unit" not in self.text("x_000000.xdmf")

    def schemes(self):
        """The same bits with schemes of oak, of the physics and of the problem."""
        first = '#include "numerics/riemann_sides.h"\n' + SCHEMES
        for folder, own, physics, hooks in (("oak", 0, "euler", START), ("physics", 1, "./gas.c", START),
                                            ("problem", 1, "euler", first + START + MACROS)):
            keys = [key + "=" + (value.split(" ", 1)[own]) for key, value in (line.split("=") for line in NAMED)]
            oak_test.write(self.folder, "gas.c", '#include "physics/euler.c"\n' + first)
            self.run(hooks, *keys, f"output.folder={folder}", "mesh.max_level=2", "refine.c_refine=0.1",
                     "mesh.adapt_every=1", physics=physics)
            if folder != "oak":
                subprocess.run([self.launch[-1], "diff", "oak", folder], cwd=self.folder, check=True, capture_output=True, timeout=200)
        # All is in the cache now, what the preprocessor has found too: the run needs no compiler.
        bare = {**os.environ, "PATH": "/nowhere", "OAK_CC": ""}
        subprocess.run([self.launch[-1], "run", "run.ini", "--overwrite", "device.flags=-O1", *keys, "mesh.max_level=2",
                        "refine.c_refine=0.1", "mesh.adapt_every=1"], cwd=self.folder, check=True, capture_output=True, env=bare,
                       timeout=200)
        said = subprocess.run([self.launch[-1], "params", "run.ini"], cwd=self.folder, check=True, capture_output=True, text=True,
                              timeout=200).stdout
        for line in NAMED:
            key, own = line.split("=")[0].replace("xhigh", "xlow"), line.split(" ")[1]
            assert re.search(rf"^  {re.escape(key)} = .*\b{own}\b", said, re.M), said

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
        cases = {"arrays": work.arrays, "units": work.units, "schemes": work.schemes}
        cases.update({name: lambda name=name: work.bad(name) for name in BAD})
        return oak_test.run_cases(options, cases)


if __name__ == "__main__":
    sys.exit(main())
