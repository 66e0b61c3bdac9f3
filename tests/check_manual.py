# SPDX-License-Identifier: GPL-2.0-or-later
"""Does what the manual tells its readers to do: every block that follows a line
"<!-- file: NAME -->" in a page of the manual becomes that file, every ini file is run and
every program compiled and run.

  check_manual.py --oak PATH [--steps N] [--cc "mpicc -I... -L... -loak"] MANUAL.md ...

Without --steps the runs are complete. Prints nothing when all is well."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"<!-- file: ([\w.]+) -->\n```\w*\n(.*?)^```$", re.M | re.S)


def fail(text):
    sys.exit("check_manual.py: " + text)


def call(command, folder):
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        fail("%s: exit status %d\n%s" % (" ".join(command), done.returncode, done.stdout))
    return done.stdout


def check(manual, options):
    with open(manual, encoding="utf-8") as f:
        files = BLOCK.findall(f.read())
    if not files:
        fail(manual + ": no files in it")
    steps = ["run.max_steps=%d" % options.steps] if options.steps else []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(text)
        for name, text in files:
            if name.endswith(".ini"):
                call([options.oak, "run", "--quiet", name] + steps, folder)
                out = os.path.join(folder, re.search(r"^folder = (\S+)", text, re.M).group(1))
                if not any(n.endswith(".png") for n in os.listdir(out)):
                    fail("%s: %s left no picture" % (manual, name))
            elif "\nTO_PRIMITIVE(" in text:
                call([options.oak, "check", "./" + name], folder)
            elif options.cc and "int main(" in text:
                program = "./" + name[:-2]
                compiler = options.cc.split()
                call(compiler[:1] + ["-Wall", "-Wextra", "-Werror", "-std=gnu11", name, "-o", program] + compiler[1:],
                     folder)
                if not steps and not call([program], folder):
                    fail("%s: %s printed nothing" % (manual, program))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--oak", required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--cc", default="")
    parser.add_argument("manual", nargs="+")
    options = parser.parse_args()
    for manual in options.manual:
        check(manual, options)


main()
