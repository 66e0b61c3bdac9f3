#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=240 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Mistakes in the hooks of a problem file, for CTest: the message names the hook, the cell and the value, or the line
of the file.

usage: test_app_hooks.py --oak OAK --mpiexec "mpiexec -n" --np N [--only WORD] [--show]"""
import os
import re
import subprocess
import sys
import tempfile

import oak_test
from oak_test import CRASH, MPIEXEC

RUN = """[run]
end_time = 0.1
max_steps = 8
[mesh]
block_size = 8
min_level = 2
max_level = 3
adapt_every = 2
[refine]
criterion = user
[physics]
name = advection
[problem]
name = ./hooks.c
[output]
folder = out
plot_first_last = no
"""
# Hooks that go wrong in one place after a while; the code 7 stands for NaN, 8 for infinity.
FAULTY = """#include <stdlib.h>
PARAMETER(source, 0, "value that SOURCE gives")
PARAMETER(step, 1, "value that TIMESTEP gives")
PARAMETER(mark, 0, "value that REFINE gives")
PARAMETER(update, 0, "what UPDATE adds")
PARAMETER(quit, -1, "status of a call of exit()")
OAK_FN double number(double code) { return code == 7 ? NAN : code == 8 ? INFINITY : code; }
OAK_FN int there(const oak_at_t *at) { return at->t > 0 && fabs(at->x[0] - 0.64) < 0.01 && fabs(at->x[1] - 0.89) < 0.01; }
INITIAL(at, q) { q[0] = 1 + 0.1 * sin(6 * at->x[0]); }
SOURCE(at, q, source)
{
  if (there(at)) source[0] += number(at->p.source);
  if (there(at) && at->p.quit >= 0) exit((int)at->p.quit);
}
TIMESTEP(at, q) { return there(at) ? number(at->p.step) : 0.01; }
UPDATE(at, u, dt) { if (there(at)) u[0] += number(at->p.update); }
REFINE(at) { return there(at) ? number(at->p.mark) : 0; }
"""
AT_REST = """INITIAL(at, q) { q[0] = 1; }
TIMESTEP(at, q) { return at->x[0] < 0.5 ? 0 : 0.01; }
REFINE(at) { return 0; }
"""
LINES = """INITIAL(at, q)
{{
  {}
}}
OUTPUT(beside, at, q)
{{
  {}
}}
"""
SECOND = """REFINE(at) {{ return 0; }} FIELD_STORED(phi) FIELD_STORED(phi_tt) {}
POISSON(at, q) {{ return q[0] - 1; }}
INITIAL(at, q) {{ q[0] = 1; }}
OUTPUT(beside, at, q) {{ return at->f.phi_tt; }}
"""
CHECKED = """PARAMETER(index, 0, "of the state")
PARAMETER(entry, 0, "of a table")
PARAMETER(x, 0, "offset")
PARAMETER(y, 0, "offset")
PARAMETER(root, 1, "of this number SOURCE takes the root")
INITIAL(at, q) { q[0] = 1; }
SOURCE(at, q, source)
{
  const double table[3] = {0, 1, 2};
  source[0] += 1e-9 * q[(int)at->p.index];
  source[0] += 1e-9 * table[(int)at->p.entry];
  source[0] += 1e-9 * sqrt(at->p.root);
}
REFINE(at) { return oak_near(at, 0, (int)at->p.x, (int)at->p.y, 0); }
"""
CELL = r"at \(0\.640625, 0\.890625\), level 2"
POINT = r"in the cell at \(0\.640625, 0\.890625, 0\), level 2"
# name: text of the file of hooks, further arguments, exit status (None: any but 0), what is said
CASES = {
    "no fault": (FAULTY, [], 0, []),
    "SOURCE gives NaN": (FAULTY, ["problem.source=7"], 1, [rf"{CELL}.*oak run --debug names a hook that gives NaN"]),
    "UPDATE gives infinity": (FAULTY, ["problem.update=8"], 1, [rf"{CELL}.*oak run --debug names a hook that gives NaN"]),
    "TIMESTEP gives 0": (FAULTY, ["problem.step=0"], 1, [r"time step 0 at step \d+.*TIMESTEP or DIFFUSIVITY is wrong \(oak run --debug"]),
    "TIMESTEP gives -1": (FAULTY, ["problem.step=-1"], 1, [r"time step 0 at step \d+.*TIMESTEP or DIFFUSIVITY is wrong"]),
    "TIMESTEP gives NaN": (FAULTY, ["problem.step=7"], 1, [r"time step 0 at step \d+.*TIMESTEP or DIFFUSIVITY is wrong"]),
    "TIMESTEP gives 0 at the start": (AT_REST, ["--check"], 1, [r"time step 0 at step 0, time 0.*TIMESTEP"]),
    "TIMESTEP gives too little": (FAULTY, ["problem.step=1e-300"], 1, [r"time step 1e-300 at step.*TIMESTEP"]),
    "SOURCE gives NaN, debug": (FAULTY, ["--debug", "problem.source=7"], 1, [rf"SOURCE gives nan .*{POINT}"]),
    "UPDATE gives infinity, debug": (FAULTY, ["--debug", "problem.update=8"], 1, [rf"UPDATE gives .*inf .*{POINT}"]),
    "TIMESTEP gives 0, debug": (FAULTY, ["--debug", "problem.step=0"], 1, [rf"TIMESTEP gives 0.*{POINT}"]),
    "REFINE gives NaN": (FAULTY, ["problem.mark=7"], 1, [r"refine\.criterion = user gives NaN or infinity in the block"]),
    "REFINE gives infinity, debug": (FAULTY, ["--debug", "problem.mark=8"], 1, [rf"REFINE gives inf.*{POINT}"]),
    "a missing return": (LINES.format("q[0] = 1;", "if (at->x[0] > 2) return 1;"), ["params"], 1,
                         [r"hooks\.c:8:1: error: control reaches end"]),
    "a value of a hook without one": (LINES.format("return 3;", "return 1;"), ["params"], 1,
                                      [r"hooks\.c:3:10: error: 'return' with a value"]),
    "an index beyond the state": (LINES.format("q[1] = 1;", "return 1;"), ["params"], 1,
                                  [r"hooks\.c:3:4: error: array subscript 1 is outside array bounds"]),
    "x[2] in 2D": (LINES.format("q[0] = at->x[2];", "return 1;"), ["params"], 1,
                   [r"hooks\.c:3:15: error: array .* (2 is above|index 2 is past)", r"In 2D, at->x and at->dx have no third component"]),
    "x[2] in 2D, -O1": (LINES.format("q[0] = 1;", "return at->dx[2];"), ["params", "device.flags=-O1"], 1,
                        [r"hooks\.c:7:1\d: error: array", r"In 2D, at->x"]),
    "all of x in 2D": (LINES.format("q[0] = 0; for (int d = 0; d < 3; d++) q[0] += at->x[d];", "return 1;"), ["params"], 1,
                       [r"hooks\.c:3:\d+: error: ", r"In 2D, at->x"]),
    "x[2] in 3D alone": (LINES.format("q[0] = OAK_DIM == 3 ? at->x[2] : 0;", "return 1;"), ["params"], 0, []),
    "x as x[3]": ("OAK_FN double sum(const double x[3]) { return x[0] + x[1]; }\n" + LINES.format("q[0] = sum(at->x);", "return 1;"),
                  ["params"], 0, []),
    "a static variable": ("static double sum;\n" + LINES.format("q[0] = 1;", "return sum;") +
                          "SOURCE(at, q, source) { sum += q[0]; }\n", ["params"], 1, [r"hooks\.c:1: the variable sum can change.*static const"]),
    "a static variable in a function": (LINES.format("q[0] = 1;", "static int n;\n  return n++;"), ["params"], 1,
                                        [r"hooks\.c:7: the variable n can change"]),
    "a variable for all files": ("double table[2] = {1, 2};\n" + LINES.format("q[0] = table[0];", "return 1;"), ["params"], 1,
                                 [r"hooks\.c:1: the variable table can change"]),
    "constants": ("static const double table[2] = {1, 2};\nstatic const char *const word[] = {\"a\", \"b\"};\nstatic double same[2] = {1, 2};\n" +
                  LINES.format("q[0] = table[0] + same[0] + (word[0] == word[1]);", "return same[(int)q[0]];"), ["params"], 0, []),
    "a field that nothing sets": ("REFINE(at) { return 0; } FIELD_STORED(phi)\nFIELD_STORED(phi_x)\n" + LINES.format("q[0] = 1;", "return at->f.phi_x;"), ["--check"], 1,
                                  [r"hooks\.c:9: the field phi_x is read here, but nothing sets it, so it is 0.*POISSON"]),
    "a second derivative without the first": (SECOND.format(""), ["--check"], 1,
                                              [r"hooks\.c:4: the field phi_tt is read here, but nothing sets it"]),
    "a second derivative": (SECOND.format("FIELD_STORED(phi_t)"), ["run.max_steps=1"], 0, []),
    "a vector on faces, debug": ("REFINE(at) { return fabs(at->x[0] - 0.5) < 0.2; }\nINITIAL(at, q) { q[RHO] = q[PRS] = 1; q[BX] = 1; }\n",
                                 ["--debug", "run.max_steps=3", "physics.name=mhd_ct", "device.transport=staged"], 0, []),
    "its neighbour": ("REFINE(at) { return 0; } FIELD_STORED(heat)\n" + LINES.format("q[0] = 1;", "return oak_near_field(at, heat, 1, 0, 0);"), ["run.max_steps=1"], 1,
                      [r"hooks\.c:8: the field heat is read here"]),
    "a field that is not read": ("FIELD_STORED(heat)\nREFINE(at) { return 0; }\n" + LINES.format("q[0] = 1;", "return 1;"), ["run.max_steps=1"], 0, []),
    "a variable without use": (LINES.format("q[0] = 1;", "int n = 1; return 1;"), ["params"], 0,
                               [r"oak: .*hooks\.c:7:7: warning: unused variable 'n'"]),
    "oak_near beyond the ghost layers": (LINES.format("q[0] = 1;", "return oak_near(at, 0, 0, 3, 0);"), ["params"], 1,
                                         [r"hooks\.c:7:10: error: .*beyond the ghost layers, see scheme\.ghost_layers"]),
    "oak_near at the last ghost layer": (LINES.format("q[0] = 1;", "return oak_near(at, 0, 0, -2, 0);"), ["params"], 0, []),
    "oak_near along z in 2D": (LINES.format("q[0] = 1;", "return oak_near(at, 0, 0, 0, 1);"), ["params"], 1,
                               [r"hooks\.c:7:10: error: .*beyond the ghost layers"]),
    "a hook with types": ("void INITIAL(const oak_at_t *at, double q[])\n{\n  q[0] = 1;\n}\n", ["params"], 1,
                          [r"hooks\.c:1: a hook is written without types: INITIAL\(at, q\) \{ \.\.\. \}"]),
    "arguments with types": ("INITIAL(const oak_at_t *at, double q[])\n{\n  q[0] = 1;\n}\n", ["params"], 1,
                             [r"hooks\.c:1: a hook is written without types: INITIAL\(at, q\)"]),
    "an argument too few": ("INITIAL(at) {}\n", ["params"], 1, [r"hooks\.c:1: INITIAL has 2 arguments, not 1"]),
    "a hook twice": (LINES.format("", "return 1;") + LINES.format("", "return 1;"), ["params"], 1,
                     [r"hooks\.c:9: INITIAL is there a second time, after line 1", r"hooks\.c:13: OUTPUT\(beside, \.\.\.\) is there"]),
    "a hook in two versions": ("#if OAK_DIM == 2\nINITIAL(at, q) { q[0] = 1; }\n#else\nINITIAL(at, q) {}\n#endif\n", ["params"], 0, []),
    "a word for a variable": (FAULTY, ["refine.variable=density"], 1, [r"refine\.variable: there is no variable density; did you mean rho\?"]),
    "no fault, debug": (CHECKED, ["--debug", "problem.x=2"], 0, []),
    "no fault, scalars, debug": (CHECKED, ["--debug", "problem.x=2", "physics.scalars=dye", "device.flags=-O1"], 0, []),
    "NaN, debug": (CHECKED, ["--debug", "problem.root=-1"], 1, [r"hooks\.c:7: SOURCE gives -?nan from \{1\} in the cell at \(0"]),
    "index of the state, debug": (CHECKED, ["--debug", "problem.index=1"], 1, [r"hooks\.c:10: SOURCE reads or writes beyond .* in the cell at"]),
    "index of the state, debug, -O0": (CHECKED, ["--debug", "device.flags=-O0", "problem.index=1"], 1,
                                       [r"hooks\.c:10: SOURCE reads or writes beyond .* in the cell at"]),
    "index of an array, debug": (CHECKED, ["--debug", "problem.entry=3"], 1, [r"hooks\.c:11: SOURCE uses the index 3"]),
    "oak_near too far, debug": (CHECKED, ["--debug", "problem.x=3"], 1, [r"hooks\.c:14: REFINE calls oak_near .*\(3, 0, 0\).*ghost layers"]),
    "oak_near beyond an edge, debug": (CHECKED, ["--debug", "problem.x=1", "problem.y=-1"], 1, [r"\(1, -1, 0\).*across an edge"]),
    "exit(0)": (FAULTY, ["problem.quit=0"], None, [r"called exit\).*must return"]),
}


def try_case(name, launch, work):
    """Faults and output of one case. All have the same folder, so that most kernels are compiled once."""
    text, arguments, status, patterns = CASES[name]
    for path, content in {"run.ini": RUN, "hooks.c": text}.items():
        oak_test.write(work, path, content)
    words, environment = ["run", "run.ini", "--quiet", "--overwrite", *arguments], dict(os.environ)
    if arguments[0:1] == ["params"]:  # the compiler looks closer with its own level of optimization
        words = ["params", "run.ini", *arguments[1:]]
        environment.update(OAK_CFLAGS="", OAK_CACHE=os.path.join(work, "cache"))  # warnings come once
    done = subprocess.run([*launch, *words], cwd=work, stdin=subprocess.DEVNULL, env=environment, capture_output=True, text=True,
                          errors="replace", timeout=200, check=False)
    said = "\n".join(line for line in done.stderr.splitlines() if not MPIEXEC.match(line))
    wrong = [f"nothing matches /{p}/" for p in patterns if not re.search(p, said)]
    if status is not None and done.returncode != status or status is None and done.returncode == 0:
        wrong.append(f"exit status {done.returncode}")
    if status is not None and CRASH.search(said):
        wrong.append("it crashes")
    if not patterns and said:
        wrong.append("it should say nothing")
    return wrong, said


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_hooks_") as work:
        cases = {name: lambda name=name: try_case(name, options.launch, work) for name in CASES}
        return oak_test.run_cases(options, cases)


if __name__ == "__main__":
    sys.exit(main())
