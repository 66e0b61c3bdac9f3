# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=manual timeout=600 flags=-O1 --oak @oak@ --source @source@ --steps 5 --cc '@mpicc@ -I@source@/include -L@build@ -loak -Wl,-rpath,@build@' @source@/docs/kernels.md @source@/docs/tutorial.md @source@/docs/output.md @source@/docs/poisson.md @source@/docs/cookbook.md @source@/README.md
"""Does what the manual tells its readers to do: every block that follows a line
"<!-- file: NAME -->" in a page of the manual becomes that file, every ini file is run and
every program compiled and run. A block that follows "<!-- prints: COMMAND -->" is what this
command prints, but for numbers of the machine.

  check_manual.py --oak PATH --source TREE [--steps N] [--cc "mpicc -I... -L... -loak"] MANUAL.md ...

The commands in the sh blocks of README.md and docs/tutorial.md are run as they are written. In
those of all other pages each line must begin with a command: no line was joined with another one.

Without --steps the runs are complete. Prints nothing when all is well."""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"<!-- file: ([\w.]+) -->\n```\w*\n(.*?)^```$", re.M | re.S)

PRINTS = re.compile(r"<!-- prints: (.+?) -->\n```\n(.*?)^```$", re.M | re.S)
FENCED = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.M | re.S)
# What begins a line of an sh block. Those of OTHERS are not run here: they build, install or need another machine.
OURS = {"oak", "build/oak"}
OTHERS = set("""./configure apt-get awk bench/adaptive.py bench/compare.py bench/paper.py bench/scaling.py
build/tests/verify/oak_verify cat cc cd clang cmake conda cp ctest done export ffmpeg find for git if ls make mkdir
module mpicc mpiexec.mpich mpirun nvcc pip python3 /usr/bin/python3 sbatch scontrol spack srun sudo tar taskset
valgrind ./shear_main""".split())
PLAYED = ("/README.md", "/tutorial.md")  # pages whose commands are run
# Lines about the machine or the end of the run; numbers that are not the same each time.
VARYING = re.compile(r"  \d+ ranks? on |  ranks of a host |oak run |\d+ steps to t = |\.\.\.$")
NUMBERS = re.compile(r"[\d.]+ (MCUPS|s)\b|(?<=MCUPS) .* s  ")


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


def commands(page):
    """Commands of the sh blocks of a page, in their order, and their first words."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    for language, block in FENCED.findall(text):
        if language == "c" and re.search(r"\*/ +\w+\(.*\{", block):
            fail("%s: a hook follows a comment on its line:\n%s" % (page, block))
        for line in re.sub(r"\\\n", " ", block).splitlines() if language == "sh" else ():
            words = [word for word in line.split() if not re.match(r"\w+=", word)]
            first = words[0] if words else "#"
            if first not in OURS | OTHERS and not first.startswith(("#", "~/", "tools/", "build/examples/")):
                fail("%s: no command that is known to check_manual.py: %s" % (page, line))
            yield first, line


def play(page, options, steps):
    """Run the commands of a page's sh blocks, and those of which it says what they print."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("build", "bin"):
            program = os.path.join(folder, name, "oak")
            os.mkdir(os.path.dirname(program))
            with open(program, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\n[ "$1" = run ] || exec %s "$@"\ncase "$*" in *run.max_steps=*) exec %s "$@"; esac\n'
                        'exec %s "$@" %s\n' % (options.oak, options.oak, options.oak, " ".join(steps)))
            os.chmod(program, 0o755)
        os.symlink(os.path.join(options.source, "problems"), os.path.join(folder, "problems"))
        for name, block in BLOCK.findall(text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(block)
        path = "PATH=%s:$PATH; " % os.path.join(folder, "bin")
        if page.endswith(PLAYED):
            for first, line in commands(page):
                if first in OURS or line.startswith("mpirun -n 4 oak"):
                    call(["sh", "-c", path + line], folder)
        for command, block in PRINTS.findall(text):
            done = subprocess.run(["sh", "-c", path + command + " --overwrite"], cwd=folder, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            printed = {plain(line) for line in done.stdout.splitlines()}
            for line in block.splitlines():
                if line and not VARYING.match(line) and plain(line) not in printed:
                    fail("%s: %s prints no such line: %s\n%s" % (page, command, line, done.stdout))


def plain(line):
    return " ".join(NUMBERS.sub(" ", line).split())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--oak", required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--cc", default="")
    parser.add_argument("--source", required=True)
    parser.add_argument("manual", nargs="+")
    options = parser.parse_args()
    for page in ("*.md", "*/*.md", "examples/*/*.md"):
        for path in glob.glob(os.path.join(options.source, page)):
            list(commands(path))
    for manual in options.manual:
        check(manual, options)
        play(manual, options, ["run.max_steps=%d" % options.steps] if options.steps else [])


main()
