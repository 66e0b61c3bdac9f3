#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=instructions timeout=300 --oak @oak@
"""Instructions per cell of the flux kernel, of the other large kernels and of a whole adaptation, counted by valgrind
and compared with a table. Unlike times, these numbers do not depend on the load of the machine. They do not depend on
the processor either, because kernels are compiled for a fixed instruction set. The compiler and the libraries change
them: the table has a row for each compiler.

usage: count_instructions.py --oak OAK [--march x86-64-v3] [--renew]

--renew writes what was counted to the table, tests/sources/instructions.csv. Without it, a number that differs from the table by
more than 2 % is a failure. Exit status 77: there is no valgrind, or no row for this compiler."""
import argparse
import csv
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "instructions.csv")
RUN = os.path.join(HERE, "..", "problems", "instructions.ini")
BLOCKS = 9
CELLS = BLOCKS * 16**3
# What is counted: a function with all that it calls, per call and cell.
COUNTED = {"flux kernel": "oak_flux", "halo kernel": "oak_halo", "refinement flags": "oak_refine_flags",
           "block adaptation": "oak_adapt", "adaptation with its host part": "oak_adjust_refinement"}
TOLERANCE = 0.02
def read_profile(path):
    """{function: [instructions with all that it calls, calls]} of a file by callgrind."""
    names, profile = {}, {}

    def name_of(text):
        number, _, name = text.partition(" ")
        return names.setdefault(number, name) if name else names[number]

    current, called = None, False
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            line = line.rstrip("\n")
            if line.startswith("fn="):
                current = profile.setdefault(name_of(line[3:]), [0, 0])
            elif line.startswith("cfn="):
                target = name_of(line[4:])
            elif line.startswith("calls="):
                profile.setdefault(target, [0, 0])[1] += int(line[6:].split()[0])
            elif current is not None and re.match(r"[-+*0-9]", line):
                current[0] += int(line.split()[1])
    return profile


def check_parts(work):
    """No kernel file may need another one: oak compiles them in parallel, or all as one file if they depend on each
    other."""
    (log,) = glob.glob(f"{work}/cache/kernels-*/*.log")
    with open(log, encoding="utf-8") as f:
        calls = [line.split() for line in f if " -E " not in line and " -shared " in line]
    whole = [c for c in calls if "-c" not in c and not any(word.endswith(".o") for word in c)]
    if len(os.sched_getaffinity(0)) > 1:
        assert len(calls) > 2 and not whole, "the kernels were not compiled in parts:\n" + "\n".join(map(" ".join, calls))


def count(oak, march):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "callgrind")
        run = [oak, "run", os.path.abspath(RUN), f"output.folder={work}/run"]
        env = dict(os.environ, OAK_CFLAGS=f"-march={march} -mprefer-vector-width=256", OMP_NUM_THREADS="1",
                   OAK_CACHE=f"{work}/cache")
        # A separate process builds the kernels first, because valgrind reports another processor than the real one.
        subprocess.run([*run, "--check"], env=dict(env, OAK_KEEP="1"), check=True, capture_output=True)
        check_parts(work)
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *run], env=env, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(f"{work}/run/diagnostics.csv", newline="", encoding="utf-8") as f:
            assert {row["blocks"] for row in csv.DictReader(f)} == {str(BLOCKS)}
        profile = read_profile(out)
    return {what: profile[name][0] / profile[name][1] / CELLS for what, name in COUNTED.items()}


def compiler_version():
    command = os.environ.get("OAK_CC", "cc").split()
    return subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--oak", required=True)
    parser.add_argument("--march", default="x86-64-v3")
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is missing (Debian, Ubuntu: apt-get install valgrind)")
        return 77
    with open(TABLE, newline="", encoding="utf-8") as f:
        table = list(csv.DictReader(f))
    compiler = compiler_version()
    mine = {r["counted"]: r for r in table if (r["march"], r["compiler"]) == (options.march, compiler)}
    if not mine and not options.renew:
        print(f"tests/sources/instructions.csv has no row for -march={options.march} and {compiler}; --renew adds them")
        return 77
    counts, failed = count(options.oak, options.march), 0
    print(f"instructions per cell, {compiler}, -march={options.march}")
    for what, number in counts.items():
        known = float(mine[what]["per_cell"]) if what in mine else float("nan")
        differs = not abs(number / known - 1) <= TOLERANCE
        failed |= differs
        print(f"  {what:30} {number:9.2f}   table {known:9.2f}   {100 * (number / known - 1):+6.2f} %"
              f"{'  differs by more than 2 %' if differs else ''}")
    if options.renew:
        rest = [r for r in table if (r["march"], r["compiler"]) != (options.march, compiler)]
        rest += [{"march": options.march, "compiler": compiler, "counted": what, "per_cell": f"{number:.2f}"}
                 for what, number in counts.items()]
        with open(TABLE, "w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, ["march", "compiler", "counted", "per_cell"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rest)
        return 0
    if failed:
        print("If the change is wanted: tests/sources/count_instructions.py --oak build/oak --renew")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
