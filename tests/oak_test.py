# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of the oak command share: options, runs that end in time, what a refusal must look like, cases,
and what to do where a case cannot run."""
import argparse
import concurrent.futures
import importlib.util
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import traceback

PROBLEMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "problems")
LIMIT = float(os.environ.get("OAK_ERROR_LIMIT", "200"))  # a run that takes longer hangs; most take a second or two

# A parameter file without mistakes.
GOOD = """[run]
end_time = 0.01
[mesh]
block_size = 8
min_level = 1
max_level = 2
[problem]
name = shock_tube
[boundary]
xlow = outflow
xhigh = outflow
[output]
folder = {work}/out
"""

CRASH = re.compile(r"signal|Segmentation|core dumped|MPI_ABORT|Sanitizer|runtime error|Aborted", re.I)
# What mpiexec itself says when a program reports failure.
MPIEXEC = re.compile(r"^(-{20,}$|Primary job +terminated|a non-zero exit code\. Per user|(mpiexec|mpirun|prterun) detected that|"
                     r"(thus causing )?the job to be terminated\. The first| +Process name: | +Exit code: |"
                     r"\[\S+:\d+\] (PMIX ERROR: |\[\[\S+\] ORTE_ERROR_LOG: )|\[warn\] Epoll |\s*$)")

# ---- options and cases

HELP = {"mpiexec": "command and option that the number of ranks follows", "fake": "folder with the stand-ins of driver and NVRTC"}


def expect_error(kind, words, call, *arguments, **named):
    """The call raises an exception of this kind with these words."""
    try:
        call(*arguments, **named)
    except kind as error:
        assert words in str(error), (words, str(error))
        return
    raise AssertionError(f"no error: {words}")


def options(doc, *names, flags=(), positional=()):
    """The command line of a test: each name is an option with a value. `start` is mpiexec for all ranks, `ranks` the oak
    command on them; `launch` is the same, but without mpiexec if there is one rank, as most users start it."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    for name in names:
        parser.add_argument("--" + name, required=True, type=int if name == "np" else str, help=HELP.get(name))
    for name in flags:
        parser.add_argument("--" + name, action="store_true")
    for name in positional:
        parser.add_argument(name)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--show", action="store_true", help="print what cases say")
    parsed = parser.parse_args()
    if "oak" in names:
        parsed.oak = os.path.abspath(parsed.oak)
    if "np" in names:
        parsed.start = [*shlex.split(parsed.mpiexec), str(parsed.np)]
    if "np" in names and "oak" in names:
        parsed.ranks = [*parsed.start, parsed.oak]
        parsed.launch = parsed.ranks if parsed.np > 1 else [parsed.oak]
    return parsed


class Skipped(Exception):
    """A case cannot run here; the text says why."""


def need_mpi4py(library):
    """Skip a case unless mpi4py is here and uses the MPI of this library of oak."""
    if importlib.util.find_spec("mpi4py") is None:
        raise Skipped("python3-mpi4py is missing")
    files = (library, importlib.util.find_spec("mpi4py.MPI").origin)
    used = [set(re.findall(r"libmpi\w*\.so\.\d+", subprocess.run(["ldd", file], capture_output=True, text=True, check=True).stdout))
            for file in files]
    if not used[0] & used[1]:
        raise Skipped(f"mpi4py uses another MPI than oak: {used}")


def skip_part(what, reason):
    """A part of a test cannot run here. tools/run_tests.sh lists these lines."""
    print(f"skipped: {os.path.splitext(os.path.basename(sys.argv[0]))[0]}: {what}: {reason}", flush=True)


def skip_all(reason):
    skip_part("all", reason)
    sys.exit(77)


def need_module(error):
    """A module of Python is missing."""
    packages = {"numpy": "python3-numpy", "h5py": "python3-h5py", "vtkmodules": "python3-vtk9 or python3-paraview"}
    skip_all(f"{error}; install {packages.get((error.name or '').split('.')[0], 'it')}")


def outcome(case):
    """Mistakes (None: skipped), what was said, seconds."""
    start = time.monotonic()
    try:
        wrong, text = case() or ([], "")
    except Skipped as reason:
        wrong, text = None, str(reason)
    except AssertionError as error:
        wrong, text = [str(error) or traceback.format_exc()], ""
    return wrong, text, time.monotonic() - start


def run_cases(chosen, cases, threads=1):
    """Run {name: function}. A function fails by an assertion, or returns its mistakes and what oak said. Prints nothing
    for a case that passes. Returns the exit status: 0, 1 if a case fails, 77 if none can run."""
    names = [name for name in cases if chosen.only in name]
    failed, skipped, slowest = 0, 0, (0, "none")
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        for name, (wrong, text, seconds) in zip(names, pool.map(lambda name: outcome(cases[name]), names)):
            slowest = max(slowest, (seconds, name))
            if wrong is None:
                skipped += 1
                skip_part(name, text)
            elif chosen.show:
                print(f"== {name} ({seconds:.1f} s)\n{text.rstrip()}", flush=True)
            if wrong:
                failed += 1
                print(f"FAILED {name}: {'; '.join(wrong)}; after {seconds:.1f} s it said:\n{text.rstrip()}\n", flush=True)
    print(f"{len(names) - failed - skipped} of {len(names)} cases pass, {skipped} are skipped; "
          f"the slowest took {slowest[0]:.1f} s ({slowest[1]})")
    return 1 if failed or not names else 77 if skipped == len(names) else 0


# ---- runs


def run_in_folders(chosen, names, case):
    """run_cases of case(chosen, name, folder), each in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="oak_cases_") as work:
        def in_folder(name):
            folder = os.path.join(work, name)
            os.mkdir(folder)
            case(chosen, name, folder)
        return run_cases(chosen, {name: lambda name=name: in_folder(name) for name in names})


def write(folder, name, text):
    """A text file."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def run(command, work, limit):
    """Standard error, exit status (None: killed after the limit), seconds. Of standard output, lines that tell of a
    crash are added."""
    start = time.monotonic()
    with subprocess.Popen(command, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as child:
        try:
            out, text = child.communicate(timeout=limit)
            text += "".join(f"standard output: {line}\n" for line in out.splitlines() if CRASH.search(line))
            return text, child.returncode, time.monotonic() - start
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                _, text = child.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                _, text = child.communicate()
            return text, None, time.monotonic() - start


def judge(text, code, patterns, many_lines=False):
    """What is wrong with the outcome of a run that must fail, in words."""
    wrong = []
    if code is None:
        return ["it hangs"]
    if code == 0:
        wrong.append("exit status 0")
    said = [line for line in text.splitlines() if not MPIEXEC.match(line)]
    if code < 0 or code >= 128 or CRASH.search("\n".join(said)):
        wrong.append(f"it crashes (exit status {code})")
    heads = [line for line in said if re.match(r"oak[ :]", line) and not re.match(r"oak \d", line)]
    if len(heads) != 1:
        wrong.append(f"{len(heads)} messages instead of one")
    start = said.index(heads[0]) if heads else 0
    message = "\n".join(said[start:])
    if not many_lines and len(said) - start > 1:
        wrong.append(f"{len(said) - start} lines instead of one")
    repeated = [line for line in said if len(line) > 20 and said.count(line) > 1]
    if repeated:
        wrong.append(f"a line comes more than once: {repeated[0]}")
    if re.search(r"[\0-\b\v-\x1f\x7f]", message):
        wrong.append("control characters")
    wrong += [f"nothing matches /{p}/" for p in patterns if not re.search(p, message)]
    return wrong
