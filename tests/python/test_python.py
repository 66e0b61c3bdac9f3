#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST name=python np=2 --oak @oak@ --mpiexec @MPIEXEC_EXECUTABLE@ --library @library@
"""The Python package, for CTest: plotfiles in 2D and 3D, double and single precision, against the totals that oak
computed itself and against oak line and oak slice; damaged plotfiles; a simulation stepped from Python, which has
the bits of oak run; and checkpoints.

usage: test_python.py --oak OAK --mpiexec "mpiexec -n" --library LIBRARY"""
import ctypes
import functools
import locale
import os
import re
import shutil
import subprocess
import sys
import tempfile

import oak_test
from implosion import INI

try:
    import numpy as np
except ImportError as missing:
    oak_test.need_module(missing)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
import oak  # noqa: E402 pylint: disable=wrong-import-position

expect = functools.partial(oak_test.expect_error, oak.OakError)

# In 3D as RUNS in implosion.py, whose kernels are compiled already. In 2D blocks have unequal edges.
RUNS = {
    "2D": {"mesh": {"dim": 2, "block_size": "4 8", "trees": "2 1", "min_level": 1, "max_level": 4}, "run.max_steps": 40},
    "3D": {"mesh": {"dim": 3, "block_size": 8, "min_level": 1, "max_level": 3}, "run.max_steps": 8,
           "boundary": {"zlow": "reflect", "zhigh": "reflect"}},
}


def check_plotfile(p, history, dim):
    row = list(history["step"]).index(p.step)
    assert p.time == history["time"][row] and p.nblocks == history["blocks"][row]
    assert p.cells == history["cells"][row] and p.block_shape.tolist() == ([8] * 3 if dim == 3 else [4, 8])
    assert p.block_size == (8 if dim == 3 else 0)
    for variable in ("rho", "E"):
        assert abs(p.integral(variable) - history[variable][row]) < 1e-13 * history[variable][row]
    everywhere = np.broadcast_to(p.x + p.y + (p.z if dim == 3 else 0), p["rho"].shape)
    assert abs(p.integral(everywhere) - dim * 0.15 * 0.3**dim) < 1e-13
    points = np.stack([np.broadcast_to(p.centres(a), p["rho"].shape).ravel() for a in "xyz"[:dim]], axis=1)
    assert (p.value("rho", points) == p["rho"].ravel()).all()
    assert np.isnan(p.value("rho", [[9.0] * dim])).all()


def check_uniform(p):
    fine = p.uniform("rho")
    assert abs(fine.values.mean() * 0.3**p.dim - p.integral("rho")) < 1e-13
    coarse = p.uniform("rho", level=0)
    n = fine.values.shape[0] // 8
    blocks = fine.values.reshape(sum(((8, n) for _ in range(p.dim)), ()))
    assert np.allclose(coarse.values, blocks.mean(axis=tuple(range(1, 2 * p.dim, 2))), rtol=1e-13)
    part = p.uniform("rho", lower=[0.1] * p.dim, upper=[0.2] * p.dim)
    i = np.searchsorted(fine.x, part.x[0])
    m = len(part.x)
    assert (part.values == fine.values[(slice(i, i + m),) * p.dim]).all()
    assert fine.extent[:2] == (0.0, 0.3) or np.allclose(fine.extent[:2], (0, 0.3))


def check_commands(p, command, work):
    """oak line and oak slice give the same numbers."""
    array = os.path.join(work, "array.npy")
    quiet = {"stdout": subprocess.DEVNULL, "check": True}
    begin, end = [0.0, 0.0, 0.2][:p.dim], [0.1, 0.3, 0.2][:p.dim]
    text = [",".join(map(str, point)) for point in (begin, end)]
    subprocess.run([command, "line", p.path, "--from", text[0], "--to", text[1], "-o", array], **quiet)
    theirs, mine = np.load(array), p.line(begin, end)
    assert mine.dtype.names == theirs.dtype.names and len(mine) == len(theirs), (mine.dtype, theirs.dtype)
    for name in mine.dtype.names:
        assert np.allclose(mine[name], theirs[name], rtol=1e-13, atol=1e-13), name
    at = [] if p.dim == 2 else ["--axis", "y", "--at", "0.11"]
    for level in (2, p.max_level):
        subprocess.run([command, "slice", p.path, *at, "--level", str(level), "--var", "rho", "-o", array], **quiet)
        theirs, mine = np.load(array), p.slice("rho", "y", 0.11, level)
        assert np.allclose(mine.values, theirs["rho"], rtol=1e-13)
        assert np.allclose(list(mine.axes.values())[0], theirs[theirs.dtype.names[0]][0], rtol=1e-14)


def check_damaged(path, work):
    """Whatever is cut off or changed, the end is an OakError or numbers, never another exception."""
    copy = os.path.join(work, "damaged")
    for part in ("Header", "Level_1/Cell_H", "Level_1/Cell_D_00000"):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
        name = os.path.join(copy, part)
        with open(name, "rb") as f:
            whole = f.read()
        for n in range(0, len(whole) - 8, max(1, len(whole) // 40)):
            for text in (whole[:n], whole[:n] + b"9-(x, 0"[n % 7:n % 7 + 1] + whole[n + 1:]):
                with open(name, "wb") as f:
                    f.write(text)
                try:
                    oak.open(copy)["rho"]  # pylint: disable=expression-not-assigned
                except oak.OakError as error:
                    assert copy in str(error) or "known" in str(error), error
    check_hostile(path, copy)
    expect("cannot look into", oak.open, "/nowhere")
    expect("no plotfile in", lambda: oak.open(HERE)[0])


def check_hostile(path, copy):
    """Files that were made to hang, to fill the memory, to lead elsewhere or to command the terminal."""
    def change(part, old, new, words):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
        name = os.path.join(copy, part)
        with open(name, "rb") as f:
            text = f.read()
        assert old in text, (part, old)
        with open(name, "wb") as f:
            f.write(text.replace(old, new))
        if words:
            expect(words, oak.open, copy)
        return name

    for part in ("Header", "Level_0/Cell_H", "Level_0/Cell_D_00000"):
        name = change(part, b"", b"", "")
        os.remove(name)
        os.mkfifo(name)
        expect("is no regular file", oak.open, copy)
        os.remove(name)
        os.symlink("/dev/zero", name)
        expect("is no regular file", oak.open, copy)
    expect("is no regular file: check the path", oak.open, "/dev/zero")
    expect("is no regular file", oak.history, "/dev/zero")
    change("Level_0/Cell_H", b"(7,7)", b"(1073741823,1073741823)", "a box within the domain before this expected")
    change("Level_0/Cell_H", b"Cell_D_00000", b"/etc/passwd", "a file of the same folder before this expected")
    change("Level_0/Cell_H", b"Cell_D_00000 0", b"Cell_D_00000 " + 40 * b"9", "a place in the file from 0 to")
    change("Header", b"\nrho\n", b"\n\x1b]0;owned\x07\n", "the name of a variable expected, not '?]0;owned?'")
    change("Header", b"\nrho\n", b"\n/../../victim\n", "")
    p = oak.open(copy)
    assert p.variables[0] == "_.._.._victim", p.variables
    for call in (p.read, p.uniform, lambda v: p.line((0, 0), (0.1, 0.1), v)):
        expect("there is no variable 'q'; known: _", call, "q")
    expect("level 99 is not a whole number from 0 to 30", p.uniform, "p", 99)
    expect("points; choose a lower level", p.uniform, "p", 30)
    expect("'q' is no axis; choose one of x, y", p.slice, "p", "q")


def check_series(ini, work):
    """Plotfiles of [output] and of sections [output.NAME] are not mixed."""
    names = ("plt000000", "plt000001", "zoom_000000", "zoom2_000000", "zoom2_000001")
    for name in names:
        os.makedirs(os.path.join(work, "series", name))
        shutil.copy(ini, os.path.join(work, "series", name, "Header"))
    shutil.copytree(os.path.join(work, "series", "zoom_000000"), os.path.join(work, "series", "plt\033000009"))
    run = oak.open(os.path.join(work, "series"))
    assert run.names == ["plt", "zoom", "zoom2"] and [os.path.basename(p) for p in run.paths] == list(names[:2])
    assert [os.path.basename(p) for p in run.series("zoom2").paths] == list(names[3:])
    assert run.series("zoom").series("plt").paths == run.paths
    expect("no series zom of plotfiles", run.series, "zom")
    for name in names[:2]:
        shutil.rmtree(os.path.join(work, "series", name))
    run = oak.open(os.path.join(work, "series"))
    expect("several series of plotfiles: zoom, zoom2; choose one, such as run.series('zoom')", lambda: run[-1])


def check_checkpoint(sim, ini, work):
    """What a simulation writes is read, by Python and by another simulation; no byte may be another one."""
    path = os.path.join(work, "checkpoint")
    sim.write_checkpoint(path)
    c = oak.open(path)
    assert (c.time, c.step, c.nblocks) == (sim.time, sim.step_number, sim.nblocks)
    assert c.variables == ["rho", "mx", "my", "E"] and c.parameters["problem.name"] == "implosion"
    for variable in c.variables:
        assert (c.uniform(variable).values == sim.uniform(variable).values).all(), variable
    with oak.Simulation(ini, RUNS["2D"]) as other:
        other.read_checkpoint(path)
        other.step(4)
        sim.step(4)
        assert (other.uniform("p").values == sim.uniform("p").values).all()
    with open(path, "rb") as f:
        whole = f.read()
    record = len(whole) - c.nblocks * 4 * c.block_shape.prod() * 8 - 20
    for n in (3, 20, 100, 195, record, len(whole) - 5):
        with open(path, "wb") as f:
            f.write(whole[:n] + bytes([whole[n] ^ 4]) + whole[n + 1:])
        expect(path, lambda: oak.open(path)["E"])
    with open(path, "wb") as f:
        f.write(whole[:-1])
    expect("should have", oak.open, path)


def written(ini, folder):
    """Bytes of all files that a simulation writes, by name."""
    outputs = {"output.h": {"kind": "history", "variables": "rho p"}, "output.x": {"kind": "xdmf"},
               "output.jump": {"kind": "picture", "variables": "mx", "width": 64}}
    with oak.Simulation(ini, {**RUNS["2D"], **outputs, "output.folder": folder, "run.cfl": "0.35"}) as sim:
        sim.step(2)
        for name in ("h", "x", "jump"):
            sim.write_output(name)
        sim.write_plotfile(os.path.join(folder, "plt"))
        assert oak.open(os.path.join(folder, "plt")).time == sim.time
        sim.write_checkpoint(os.path.join(folder, "checkpoint"))
        sim.read_checkpoint(os.path.join(folder, "checkpoint"))
        expect("run.cfl = 0,35: must be a number", oak.Simulation, ini, {"run.cfl": "0,35"})
    files = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as f:
                files[os.path.relpath(os.path.join(place, name), folder)] = re.sub(rb"(?m)^# begun: .*$", b"", f.read())
    shutil.rmtree(folder)
    return files


def check_locale(ini, work):
    """Where the program's numbers have decimal commas, files are the same, and the program keeps its locale."""
    place = os.path.join(work, "locales")
    os.mkdir(place)
    if not shutil.which("localedef") or subprocess.run(
            ["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(place, "de_DE.UTF-8")], check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        oak_test.skip_part("locale", "there is no localedef, or no de_DE: install locales")
        return
    plain = written(ini, os.path.join(work, "locale"))
    assert len(plain) > 8, list(plain)
    os.environ["LOCPATH"] = place
    earlier, text = locale.setlocale(locale.LC_ALL), ctypes.create_string_buffer(8)
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        german = written(ini, os.path.join(work, "locale"))
        ctypes.CDLL(None).snprintf(text, ctypes.c_size_t(8), b"%.1f", ctypes.c_double(0.5))
        assert text.value == b"0,5" and locale.setlocale(locale.LC_ALL) == "de_DE.UTF-8", text.value
    finally:
        locale.setlocale(locale.LC_ALL, earlier)
    assert german.keys() == plain.keys() and all(german[name] == plain[name] for name in plain), [
        name for name in plain if german.get(name) != plain[name]]


def check_simulation(ini, last, work):
    sim = oak.Simulation(ini, {**RUNS["2D"], "output.folder": "unused"})
    begin = sim.totals()["rho"]
    sim.step(40)
    assert sim.step_number == 40 and sim.time == last.time and sim.nblocks == last.nblocks
    assert sim.variables == last.variables
    for variable in sim.variables:
        assert (sim.uniform(variable).values == last.uniform(variable).values).all(), variable
    assert abs(sim.integral("rho") - begin) < 1e-15
    sim.write("rho", 2 * sim["rho"])
    assert abs(sim.totals()["rho"] - 2 * begin) < 1e-15
    sim.step(until=sim.time + 1.5 * sim.dt)
    assert sim.step_number == 42
    whole, dt = {v: sim[v].copy() for v in sim.variables}, sim.dt  # a refusal computes it again
    for value, words in ((-1, "density and pressure must be positive"), (np.nan, "values finite"), (np.inf, "values finite")):
        wrong = whole["rho"].copy()
        wrong[0, 0, 3] = value
        expect(words, sim.write, "rho", wrong)
        assert abs(sim.dt - dt) < 0.01 * dt and all((sim[v] == whole[v]).all() for v in sim.variables), value
    expect("no conserved variable", sim.write, "p", sim["p"])
    expect("do not fit", sim.write, "rho", np.zeros(3))
    expect("no variable 'q'", lambda: sim["q"])
    expect("mesh.max_levl", oak.Simulation, ini, {"mesh.max_levl": 3})
    check_checkpoint(sim, ini, work)
    expect("until is not a number", lambda: sim.step(until=float("nan")))
    expect("zero byte", oak.Simulation, ini + "\0")
    expect("zero byte", oak.Simulation, ini, {"mesh.max_level": "3\0"})
    with oak.Simulation(ini, RUNS["2D"]) as other:
        assert other.step_number == 0 and sim.step_number == 46
    assert repr(other) == "<oak.Simulation: closed>"
    expect("simulation is closed", lambda: other["rho"])
    expect("simulation is closed", other.step)


def check_places(work):
    """A build folder beside a copy of the package is used only if nobody else may have made it."""
    shutil.copytree(os.path.join(HERE, "..", "..", "python", "oak"), os.path.join(work, "me", "oak"))
    folder = os.path.join(os.path.realpath(work), "build")
    os.mkdir(folder)
    for name in ("oak", "liboak.so"):
        oak_test.write(folder, name, "")
        os.chmod(os.path.join(folder, name), 0o755)
    ask = """
import oak.library
oak.library.ctypes.util.find_library = lambda name: None
for find in oak.find_oak, oak.library._find_library:
    try:
        print(find())
    except oak.OakError:
        print("none")
"""
    env = {k: v for k, v in os.environ.items() if not k.startswith("OAK") and k != "PATH"}
    both = [os.path.join(folder, "oak"), os.path.join(folder, "liboak.so")]
    cases = [(0o755, -1, both), (0o777, -1, ["none"] * 2)] + [(0o755, 65534, ["none"] * 2)] * (os.geteuid() == 0)
    for mode, owner, found in cases:
        os.chmod(folder, mode)
        os.chown(folder, owner, -1)
        done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True,
                              env={**env, "PATH": "/nowhere", "PYTHONPATH": os.path.join(work, "me")})
        assert done.stdout.split() == found, (mode, owner, done.stdout)


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "library")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    with tempfile.TemporaryDirectory(prefix="oak_python_") as work:
        ini = os.path.join(work, "run.ini")
        with open(ini, "w", encoding="utf-8") as f:
            f.write(INI)
        check_places(os.path.join(work, "places"))
        runs = {}
        for name, settings in RUNS.items():
            for precision in ("double", "single"):
                folder = os.path.join(work, f"{name}_{precision}")
                settings = {**settings, "output.folder": folder, "output.plot_first_last": False,
                            "output.grid": {"kind": "plotfile", "precision": precision}}
                runs[name, precision] = run = oak.run(ini, settings, ranks=2, mpirun=options.mpiexec.split()[0])
                assert run.folder == folder and len(run) == 2, run
        for (name, precision), run in runs.items():
            dim = int(name[0])
            if precision == "single":
                for mine, other in zip(run, runs[name, "double"]):
                    assert mine["rho"].dtype == np.float32
                    assert (mine["rho"] == other["rho"].astype(np.float32)).all()
                continue
            for p in run:
                check_plotfile(p, run.history(), dim)
            check_uniform(run[-1])
            check_commands(run[-1], options.oak, work)
        check_series(ini, work)
        check_damaged(runs["2D", "double"].paths[0], work)
        expect("no parameter file", oak.run, "nothing")
        expect("--overwrite", oak.run, ini, {**RUNS["2D"], "output.folder": os.path.join(work, "2D_double")})
        check_simulation(ini, runs["2D", "double"][-1], work)
        check_locale(ini, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
