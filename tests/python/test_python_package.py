#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST --oak @oak@ --library @library@
"""The Python package in daily use, for CTest: installation in a virtual environment without network, what objects print
and hold, tables and data sets of other packages, variables of a live simulation, and scans. Reading and stepping:
test_python.py.

usage: test_python_package.py --oak OAK --library LIBRARY"""
import functools
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

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

# As 2D in implosion.py, whose kernels are compiled already.
SETTINGS = {"mesh": {"dim": 2, "block_size": 8, "min_level": 1, "max_level": 3}, "run.max_steps": 4}


def have(*modules):
    """Whether all modules are here; the first one that is not is named."""
    for name in modules:
        if importlib.util.find_spec(name) is None:
            oak_test.skip_part(name, f"python3-{name} is missing")
            return False
    return True


def check_installation(work):
    """The commands of python/README.md, in a copy of the folder: pip writes into it."""
    if not have("pip", "venv"):
        return
    copy, place, alone = (os.path.join(work, name) for name in ("python", "venv", "alone"))
    shutil.copytree(os.path.join(HERE, "..", "..", "python"), copy,
                    ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    loaded = ("import oak, os\nassert oak.__file__.startswith({!r}), oak.__file__\n"
              "assert os.path.exists(os.path.join(os.path.dirname(oak.__file__), 'py.typed'))")
    for command in ([sys.executable, "-m", "venv", "--system-site-packages", place],
                    [f"{place}/bin/pip", "install", "--quiet", "--no-index", copy],
                    [f"{place}/bin/python", "-c", loaded.format(place)],
                    [f"{place}/bin/pip", "install", "--quiet", "--no-index", "--editable", copy],
                    [f"{place}/bin/python", "-c", loaded.format(copy)],
                    # Without numpy, from the archive of sources.
                    [sys.executable, "-m", "venv", alone],
                    [sys.executable, "-c", f"import os; os.chdir({copy!r}); import backend; backend.build_sdist('..')"],
                    [f"{alone}/bin/pip", "install", "--quiet", "--no-index", "--no-deps",
                     os.path.join(work, f"oak_amr-{oak.__version__}.tar.gz")]):
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


USER = """import numpy as np
import oak
def hot(sim: oak.Simulation) -> bool:
    return sim.time > 1
sim = oak.Simulation("sedov", {"mesh.max_level": 4})
sim.step(until=1, each=hot)
view = sim.view("rho", write=True)
view *= 2
sim.write({"rho": sim["rho"] + view[...], "E": sim["E"]})
sim.set("values.npy", conservative=True)
for p in oak.run("sedov", ranks=2):
    print(p.time + p.profile("x")["rho"].max(), p.uniform("rho").values.shape, p.integral("rho") + 0.5, p.line((0, 0), (1, 1), "rho"))
for values, one in oak.scan("sedov", {"mesh.max_level": [4, 5]}, folder="output/scan", at_once=2):
    print(values, one, oak.history("diagnostics.csv"))
print(sim.step_number + 1.5 + sim.dt, len(sim.view()), np.asarray(view))
"""


def check_types(work):
    """A script with the types of the package, and one with wrong types, as mypy --strict sees them."""
    if not shutil.which("mypy"):
        oak_test.skip_part("types", "mypy is missing")
        return
    oak_test.write(work, "mypy.ini", f"[mypy]\nstrict = True\nmypy_path = {HERE}/../../python\n[mypy-oak.*]\nignore_errors = True\n")
    for text, words in ((USER, "Success"), (USER + "sim.step(until='1')\nsim.time.upper()\n", "Found 2 errors")):
        oak_test.write(work, "user.py", text)
        done = subprocess.run(["mypy", "user.py"], cwd=work, capture_output=True, text=True, check=False)
        assert words in done.stdout, done.stdout


def check_objects(run):
    p = run[-1]
    assert list(p) == p.keys() == p.variables and "rho" in p and "q" not in p
    assert "plt" in repr(p) and f"time {p.time:g}, step 4" in repr(p) and "levels 2 to 3" in repr(p), repr(p)
    assert repr(p.uniform("rho", 1)).startswith("<oak.Uniform rho [y][x], shape (16, 16)"), repr(p.uniform("rho", 1))
    assert repr(run.history()) == f"<oak.History: 5 rows of {', '.join(run.history())}>"
    assert run.parameters["mesh.max_level"] == 3 and run.parameters["problem.name"] == "implosion"
    assert run.parameters["mesh.xmax"] == 0.3 and run.parameters["run.debug"] is False
    expect("there is no 'max_level'; near or known: mesh.max_level", lambda: run.parameters["max_level"])
    expect("there is no 'tim'; near or known: time", lambda: run.history()["tim"])
    for shown in (p, run, p.uniform("rho")):
        html = shown._repr_html_()  # pylint: disable=protected-access
        assert "&lt;oak." in html and ("data:image/png;base64,iVBOR" in html) == have("matplotlib")
    tiny = p.uniform("rho", 20, (0.1, 0.1), (0.1, 0.1))
    assert tiny.values.shape == (1, 1) and "png" not in tiny._repr_html_()  # pylint: disable=protected-access
    for level in (2.5, -1, "2", 31):
        expect("the blocks have levels 2 to 3", p.uniform, "rho", level)
    for wrong in ((0, 0, 0), 0, (0, np.nan), "here"):
        expect("start is", p.line, wrong, (0.1, 0.1))
    expect("the line leaves the domain", p.line, (0, 0), (1, 0.1))
    ray = p.line((0, 0), (0.3, 0.3), ["level", "rho", "rho"])  # once each
    assert ray.dtype.names == ("s", "x", "y", "level", "rho") and (ray["level"] == p.line((0, 0), (0.3, 0.3))["level"]).all()
    # A few cells far below the finest level: no memory but theirs.
    tiny = p.uniform("rho", 20, (0.1, 0.1), (0.1 + 1e-7, 0.1 + 1e-7))
    assert tiny.values.shape == (4, 4) and (tiny.values == p.value("rho", (0.1, 0.1))).all(), tiny.values
    expect("holds no none.csv; the key output.diagnostics_every lets a run", run.history, "none.csv")
    expect("list of points of 2 coordinates", p.value, "rho", [0.1, 0.1, 0.1])
    expect("there is no region", p.uniform, "rho", lower=(0.2, 0.2), upper=(0.1, 0.1))
    try:
        run[7]  # pylint: disable=pointless-statement
    except IndexError as error:
        assert "there is no plotfile 7 in" in str(error) and "it holds 2, from 0 to 1" in str(error), error


def check_conversions(run):
    p = run[-1]
    if have("xarray"):
        data = p.to_xarray(["rho", "p"], level=2)
        assert list(data) == ["rho", "p"] and data.attrs["step"] == 4
        assert data["rho"].dims == ("y", "x") and (data["rho"].values == p.uniform("rho", 2).values).all()
        assert float(data["rho"].sel(x=0.05, y=0.11, method="nearest")) == p.uniform("rho", 2).values[11, 5]
    if have("pandas"):
        table = p.to_pandas("rho")
        assert list(table) == ["x", "y", "level", "volume", "rho"] and len(table) == p.cells
        assert abs((table["rho"] * table["volume"]).sum() - p.integral("rho")) < 1e-15
        assert (run.history().to_pandas()["E"] == run.history()["E"]).all()
    if have("yt"):
        check_yt(p)
        check_yt_edges()
    for along in "x", "p", p["rho"] * p.y, (0.1, 0.2):
        means = p.profile(along, "rho", 20)
        assert abs(means["volume"].sum() - 0.09) < 1e-14 and abs(np.nansum(means["volume"] * means["rho"]) - p.integral("rho")) < 1e-14
    assert means["at"][0] < 0.02 and abs(means["volume"][3] / (np.pi * 7 * (means["at"][1] - means["at"][0])**2) - 1) < 0.2
    expect("along is (0.1, nan), which is no point", p.profile, (0.1, np.nan))
    if have("matplotlib"):
        import matplotlib  # pylint: disable=import-outside-toplevel
        matplotlib.use("Agg")
        drawn = p.show("rho", level=2, cmap="magma")
        assert (drawn.get_array().ravel() == p.uniform("rho", 2).values.ravel()).all() and drawn.axes.get_xlabel() == "x"
        path = run.movie("rho", os.path.join(run.folder, "movie.gif"))
        with open(path, "rb") as file:
            assert file.read().count(b"\x21\xf9\x04") == len(run) == 2  # its frames


def check_yt(p):
    import yt  # pylint: disable=import-outside-toplevel,import-error
    yt.set_log_level(50)
    data = p.to_yt(length_unit=(2, "cm"))
    cells = data.all_data()
    assert cells["gas", "density"].size == p.cells
    # The cell mass is one of yt's derived fields; the domain is one code_length deep.
    assert abs(float(cells["gas", "cell_mass"].sum().to("code_mass")) - p.integral("rho")) < 1e-13
    assert abs(float(cells["gas", "cell_volume"].sum().to("cm**3")) - 8 * 0.09) < 1e-13
    speed = np.sqrt(p["vx"]**2 + p["vy"]**2)
    for units in {}, {"length_unit": (3, "pc"), "time_unit": "yr"}:
        data = p.to_yt(periodicity=(True, True, True), **units).all_data()
        assert abs(float(data["gas", "velocity_magnitude"].max().to("code_velocity")) / speed.max() - 1) < 1e-14
        # The unit of velocity is that of length over that of time, so dimensionless fields are those of code units.
        mach = (speed / np.sqrt(5 / 3 * p["p"] / p["rho"])).max()
        assert abs(float(data["gas", "mach_number"].max()) / mach - 1) < 1e-12
        assert float(abs(data["gas", "vorticity_z"]).max()) > 0
    fields = oak.convert._yt_fields(["rho", "by", "vz", "psi"], ("r", "theta", "z"))  # pylint: disable=protected-access
    assert fields == {"rho": (("gas", "density"), "code_mass/code_length**3"), "vz": (("gas", "velocity_z"), "code_velocity"),
                      "by": (("stream", "magnetic_field_theta"), "code_magnetic")}, fields
    fields = oak.convert._yt_fields(["v_r", "v_phi", "vz"], ("r", "theta", "z"), "polar")  # pylint: disable=protected-access
    assert [fields[name][0][1] for name in ("v_r", "v_phi", "vz")] == ["velocity_r", "velocity_theta", "velocity_z"], fields


class Made(oak.Blocks):
    """Blocks of 4 x 4 cells of level 3, but a few of level 4, in any domain."""

    def __init__(self, xmin, xmax, trees):
        self.dim, self.block_shape, self.variables, self.time = 2, np.array([4, 4]), ["rho"], 0.0
        self.xmin, self.xmax, self.trees = np.array(xmin), np.array(xmax), np.array(trees)
        coarse = np.stack(np.meshgrid(*(np.arange(8 * n) for n in trees), indexing="ij"), -1).reshape(-1, 2)
        fine = coarse[::7]
        children = np.concatenate([2 * fine + step for step in ([0, 0], [1, 0], [0, 1], [1, 1])])
        coarse = np.delete(coarse, np.arange(0, len(coarse), 7), axis=0)
        self._set_blocks([3] * len(coarse) + [4] * len(children), np.concatenate([coarse, children]))

    def read(self, variable):
        return np.ones(self._shape)


def check_yt_edges():
    """Each cell counts once, also where edges of blocks are rounded: all cells together have the area of the domain."""
    for xmin, xmax, trees in (((2.7, -2.1), (4.6, -1.4), (2, 2)), ((2.0, -0.5), (3.1, -0.3), (3, 2)),
                              ((1 / 3, 0), (2, 1e-3), (5, 1))):
        p = Made(xmin, xmax, trees)
        cells = p.to_yt().all_data()
        assert cells["stream", "rho"].size == p.cells, (xmin, xmax, trees, cells["stream", "rho"].size, p.cells)
        area = float(cells["gas", "cell_volume"].sum().to("code_length**3")) / np.prod(p.xmax - p.xmin)
        assert abs(area - 1) < 1e-12, (xmin, xmax, trees, area)


def check_axes():
    """Columns and grids have the names of the coordinates that oak line prints."""
    p = Made((1, 0), (2, 0.5), (2, 1))
    assert p.axes == ["x", "y"] and list(p.uniform("rho", 1).axes) == ["x", "y"]
    p.coordinates, p.step = "polar", 0
    assert p.axes == ["r", "phi"] and p.line((1, 0), (2, 0.5)).dtype.names == ("s", "r", "phi", "level", "rho")
    u = p.uniform("rho", 1)
    assert list(u.axes) == ["r", "phi"] and u.coordinates == "polar" and (np.diff(u.r) > 0).all() and u.phi[-1] < 0.5
    assert (p.centres("r") == p.x).all() and (p.centres("phi") == p.y).all()
    expect("'z' is no axis; choose one of r, phi", p.centres, "z")
    # The area of the sector, (2^2 - 1) / 2 times its angle; volume fits the values, cell_volume is one number of a block.
    area = (p.volume * p["rho"]).sum()
    assert abs(area - 0.75) < 1e-13 and abs(p.integral("rho") - 0.75) < 1e-13 and p.cell_volume.shape == (p.nblocks,)
    p.units = {"rho": "kg/m^3", "length": "m"}
    rings = p.profile("r", "rho", 8)
    assert abs(rings["volume"].sum() - 0.75) < 1e-14 and abs(rings["rho"] - 1).max() < 1e-14 and (np.diff(rings["at"]) > 0).all()
    if have("matplotlib"):
        drawn = p.show(level=1)
        assert abs(np.hypot(*np.moveaxis(drawn.get_coordinates(), -1, 0)) - np.linspace(1, 2, 17)).max() < 1e-14
        assert drawn.axes.get_ylabel() == "y [m]" and drawn.axes.figure.axes[1].get_ylabel() == "rho [kg/m^3]"
    if have("xarray"):
        data = p.to_xarray(level=1)
        assert [data[name].attrs["units"] for name in ("rho", "r", "phi")] == ["kg/m^3", "m", "rad"]
        assert data["rho"].dims == ("phi", "r") and data.attrs["mesh_coordinates"] == data["rho"].attrs["mesh_coordinates"] == "polar"
    if have("pandas"):
        assert list(p.to_pandas()) == ["r", "phi", "level", "volume", "rho"]
    p.variables = ["rho", "phi"]  # such as the solution of an elliptic equation
    assert p.axes == ["r", "y"] and p.line((1, 0), (2, 0.5)).dtype.names == ("s", "r", "y", "level", "rho", "phi")


def check_missing_module():
    expect("needs the Python package none_such, which is not installed here: pip install none_such",
           oak.convert.module, "none_such")


def check_simulation(ini):
    """Derived variables against differences taken here, on a periodic mesh of one level, and views against copies."""
    with oak.Simulation("kelvin_helmholtz", {"mesh": {"block_size": 8, "min_level": 2, "max_level": 2},
                                             "device.flags": "-O1", "refine.criterion": "none"}) as sim:
        sim.step(2)
        vx, vy = (sim.uniform(v).values for v in ("vx", "vy"))
        h = 2 * sim.cell_size(2)
        curl = (np.roll(vy, -1, 1) - np.roll(vy, 1, 1)) / h[0] - (np.roll(vx, -1, 0) - np.roll(vx, 1, 0)) / h[1]
        assert abs(curl).max() > 1 and np.allclose(sim.uniform("vorticity").values, curl, rtol=1e-12, atol=1e-12)
        assert "vorticity" in sim and "vorticity" not in sim.variables and (sim["level"] == 2).all()
        expect("there is no variable 'vortcity'; known: rho", lambda: sim["vortcity"])
    # The blocks of a state with a vector on faces hold more than its variables.
    with oak.Simulation("orszag_tang", {"physics.name": "mhd_ct", "mesh": {"block_size": 8, "min_level": 2, "max_level": 2},
                                        "device.flags": "-O1"}) as sim:
        before = sim.totals()
        sim.write("rho", 2 * sim["rho"])
        change = {name: total - before[name] for name, total in sim.totals().items()}
        assert abs(change.pop("rho") / before["rho"] - 1) < 1e-14 and not any(change.values()), change
        assert all((sim.view(name) == sim[name]).all() for name in sim.variables[:sim.nvar])
        rho = sim["rho"]
        expect("by cannot be written: it is the mean of the values on faces", sim.write, {"rho": 2 * rho, "by": sim["by"]})
        assert (sim["rho"] == rho).all()
        sim.step(1)
    for precision, kind in (("double", np.float64), ("single", np.float32)):
        with oak.Simulation(ini, {**SETTINGS, "scheme.precision": precision, "run.debug": kind == np.float32}) as sim:
            sim.step(3)
            assert len(np.unique(sim.level)) > 1
            for variable in ("rho", "E"):
                view = sim.view(variable)
                assert view.dtype == kind and (view == sim[variable]).all() and view.sum() == np.sum(view)
            try:
                view[0] = 1
                raise AssertionError("a view can be written to")
            except ValueError:
                pass
            expect("no conserved variable", sim.view, "p")
            check_views(sim, debug=kind == np.float32)


def check_views(sim, debug):
    """Arrays are the cells themselves, without a copy, until the solution moves. With run.debug they are NaN once it has left them."""
    whole, rho = sim.view(), sim.view("rho", write=True)
    twice = np.from_dlpack(rho)
    assert twice.ctypes.data == np.asarray(rho).ctypes.data and twice.strides == np.asarray(rho).strides
    assert (np.from_dlpack(whole)[:, 0] == rho).all() and whole.shape == (sim.nblocks, 4, 8, 8)
    mass, before, dt = sim.totals()["rho"], sim["rho"].copy(), sim.dt
    rho *= 4
    assert isinstance(rho, oak.View) and (twice == 4 * before).all() and (sim["rho"] == 4 * before).all()
    assert abs(sim.totals()["rho"] / mass - 4) < 1e-6
    assert 1.5 < sim.dt / dt < 2.5  # sound is half as fast
    rho[0, 0, 0] = -1
    expect("density and pressure must be positive", sim.step)
    rho[...] = before
    assert abs(sim.dt / dt - 1) < 1e-6
    for change in (sim.step, sim.adapt, sim.close):
        view = sim.view("E")
        array, tensor = np.asarray(view), view.__dlpack__()
        change()
        for call in (lambda: view[0], lambda: np.asarray(view), lambda: view + 1, view.__dlpack__, lambda: view.__array_interface__):
            expect("is closed" if change == sim.close else "the solution has moved since", call)
        assert np.isfinite(array).all() and tensor
        while debug and change == sim.adapt and np.isfinite(array).all():  # the next mesh has memory of its own
            assert sim.step_number < 100
            sim.step(10)
    expect("is closed", sim.view)


def check_misuse(ini, work):
    recursive = {}
    recursive["mesh"] = recursive
    for settings, words in (([("mesh.dim", 2)], "settings are [('mesh.dim', 2)]; give keys and values"),
                            (b"mesh.dim=2", "give keys and values"), (recursive, "settings of mesh.mesh.mesh are"),
                            ({"mesh": {"dim": b"2"}}, "mesh.dim = b'2': give texts"), ({b"mesh.dim": 2}, "give texts")):
        expect(words, oak.Simulation, ini, settings)
        expect(words, oak.run, ini, settings)
    with oak.Simulation(ini, SETTINGS) as sim:
        for steps in (2.5, np.nan, "2", -1):
            expect("must be a whole number", sim.step, steps)
        sim.step(np.int64(1))
        assert sim.step_number == 1
        for call in (sim.write_checkpoint, sim.read_checkpoint, sim.write_plotfile, sim.write_picture):
            expect("is empty; give a", call, "")
        before = sim["rho"].copy()
        expect("some values are masked", sim.write, "rho", np.ma.masked_greater(2 * before, 0.5))
        assert (sim["rho"] == before).all()
        sim.write("rho", np.ma.masked_array(2 * before))  # without a masked cell
        assert (sim["rho"] == 2 * before).all()
        other = os.path.join(work, "other")
        os.mkdir(other)
        oak_test.write(other, "notes.txt", "mine")
        try:
            sim.write_plotfile(other)
            raise AssertionError("a folder of the user is replaced")
        except oak.OakError as error:
            assert str(error).count(other) == 1 and "notes.txt was not written by oak" in str(error), error


def check_outputs(ini, work):
    """A loop of one's own writes the bytes that oak run writes."""
    outputs = {"output.h": {"kind": "history", "variables": "rho p", "every_steps": 2},
               "output.zoom": {"kind": "plotfile", "variables": "p vorticity", "region": "0 0 0.1 0.1", "every_steps": 2},
               "output.jump": {"kind": "picture", "variables": "mx", "width": 64, "every_steps": 2}}
    theirs, mine = os.path.join(work, "theirs"), os.path.join(work, "mine")
    oak.run(ini, {**SETTINGS, **outputs, "output.folder": theirs})
    for _ in range(2):  # the second time in the folder of the first
        with oak.Simulation(ini, {**SETTINGS, **outputs, "output.folder": mine}) as sim:
            for _ in range(3):
                for name in ("h", "zoom", "jump"):
                    sim.write_output(name)
                sim.step(2)
            expect("no section [output.q]; known: h zoom jump", sim.write_output, "q")
            with oak.Simulation(ini, {**SETTINGS, **outputs, "output.folder": mine}) as other:
                expect("another run", other.write_output, "h")
    names = ["h.csv", *(f"jump_{step:06d}.png" for step in (0, 2, 4)),
             *(f"zoom_{step:06d}/Level_{level}/Cell_D_00000" for step in (0, 2, 4) for level in (2, 3))]
    for name in names:
        with open(os.path.join(theirs, name), "rb") as a, open(os.path.join(mine, name), "rb") as b:
            assert a.read() == b.read(), name
    assert not os.path.exists(os.path.join(mine, ".oak-lock"))


GLOBALS = """
INITIAL(at, q) { q[RHO] = 1 + at->x[0] * at->x[1]; q[PRS] = 1 + at->x[0]; }
GLOBAL_INTEGRAL(squares, at, q) { return q[RHO] * q[RHO]; }
GLOBAL_MIN(least, at, q) { return q[PRS]; }
GLOBAL_MAX(most, at, q) { return q[RHO]; }
"""


def check_globals(work):
    """Rows of a history have the globals of the state that is written, not those of the step before."""
    problem = os.path.join(work, "globals.c")
    with open(problem, "w", encoding="utf-8") as f:
        f.write(GLOBALS)
    ini = os.path.join(work, "globals.ini")
    with open(ini, "w", encoding="utf-8") as f:
        f.write("[problem]\nname = ./globals.c\n[physics]\nname = euler\n[mesh]\nblock_size = 8\nmin_level = 1\n"
                "max_level = 2\n[output.h]\nkind = history\nvariables = rho p\nevery_steps = 3\n")
    run = oak.run(ini, {"run.max_steps": 6, "output.plot_steps": 3, "output.folder": os.path.join(work, "globals")})
    table = run.history("h.csv")
    assert list(table)[-3:] == ["squares", "least", "most"] and len(run) == len(table["step"]) == 3
    for row, p in enumerate(run):
        assert abs(table["squares"][row] - p.integral(p["rho"]**2)) < 1e-14 * table["squares"][row]
        assert (table["least"][row], table["most"][row]) == (p["p"].min(), p["rho"].max())
    assert len(set(table["squares"])) == 3


def check_set(ini, work):
    """Linear functions stay what they are, integrals too, on meshes with several levels; a refusal changes nothing."""
    axes = [(np.arange(n) + 0.5) * 0.3 / n for n in (13, 17)]
    grid = {"rho": 1 + 3 * axes[0] - axes[1][:, None], "E": np.full((17, 13), 7.0)}
    with oak.Simulation(ini, SETTINGS) as sim:
        sim.step(4)
        assert len(np.unique(sim.level)) > 1
        sim.set(grid)
        inner = (abs(sim.x - 0.15) < 0.13) & (abs(sim.y - 0.15) < 0.13)  # within the outermost centres of the grid
        assert abs(sim["rho"] - (1 + 3 * sim.x - sim.y))[inner].max() < 1e-13 and (sim["E"] == 7).all()
        grid["rho"][5, 6] = 40
        sim.set(grid, conservative=True)
        assert abs(sim.totals()["rho"] / (grid["rho"].mean() * 0.09) - 1) < 1e-13 and abs(sim["rho"].max() - 40) < 1e-12
        faster = {"mx": 10 * sim["rho"], "E": sim["E"] + 50 * sim["rho"] - 0.5 * sim["mx"]**2 / sim["rho"]}
        pressure = sim["p"].copy()
        expect("must be positive", sim.write, "mx", faster["mx"])
        sim.write(faster)
        assert (sim["mx"] == faster["mx"]).all() and abs(sim["p"] / pressure - 1).max() < 1e-12
        sim.set({"mx": np.zeros((2, 2)), "my": np.zeros((2, 2))})
        sim.set({"rho": np.full((3, 2), 1.0), "E": np.full((3, 2), 2.0)}, (-1, -1), (2, 0.3))
        before, dt, blocks = sim["rho"].copy(), sim.dt, sim.nblocks
        expect("must be positive", sim.set, {"rho": np.ones((2, 2)), "E": -np.ones((2, 2))})
        assert (sim["rho"] == before).all() and (sim["E"] == 2).all() and abs(sim.dt / dt - 1) < 1e-12
        for values, words in (({"p": grid["rho"]}, "'p' is no conserved variable"), ({"rho": grid["rho"][0]}, "has the shape (13,)"),
                              ({"rho": grid["rho"], "E": np.ones((2, 2))}, "E: give 2D arrays of one shape"),
                              ({"rho": np.nan * grid["rho"]}, "finite values"), ({"x": axes[0], "y": axes[0], "rho": grid["rho"]}, "are no grid"),
                              (ini, "is no table of numbers"), (work, "is no regular file"), ("none", "cannot read none")):
            expect(words, sim.set, values)
        expect("y = 0 to 0.2, which does not cover the domain, 0 to 0.3", sim.set, grid, (0, 0), (0.3, 0.2))
        hill = 1 + np.exp(-((axes[0] - 0.08)**2 + (axes[1][:, None] - 0.2)**2) / 2e-4)
        sim.set({"rho": hill, "E": 0 * hill + 7}, conservative=True, refine=True)
        assert sim.nblocks != blocks and (sim.level[sim.find([(0.08, 0.2)])] == 3).all()
        assert abs(sim.totals()["rho"] / (hill.mean() * 0.09) - 1) < 1e-13
        check_set_files(ini, sim, dict(zip("xy", axes)), grid["rho"], work)
        check_flags(sim)
    polar = {"mesh.coordinates": "polar", "mesh.xmin": "1 0", "mesh.xmax": "2 1", "mesh.radius": "logarithmic"}
    with oak.Simulation("gresho", {"mesh": {"block_size": 8, "min_level": 1, "max_level": 1}, "device.flags": "-O1", **polar,
                                   **{f"boundary.{face}": "outflow" for face in ("xlow", "xhigh", "ylow", "yhigh")}}) as sim:
        edges = np.linspace(1, 2, 12)
        rho = 1 + np.arange(11.0)
        sim.set({"rho": np.tile(rho, (5, 1)), "E": np.full((5, 11), 100.0)}, conservative=True)
        assert abs(sim.totals()["rho"] / (rho * np.diff(edges**2) / 2).sum() - 1) < 1e-13


def check_flags(sim):
    """A mesh by flags of the user: totals stay, levels are those that were asked for."""
    before, nothing = sim.totals(), np.zeros(sim.nblocks)
    assert not sim.adapt(nothing * np.nan)
    while sim.adapt(np.full(sim.nblocks, -0.5)):
        pass
    assert (sim.level == 1).all()
    assert sim.adapt(sim.find([(0.01, 0.01)])[0] == np.arange(sim.nblocks)) and sim.level[sim.find([(0.01, 0.01)])] == 2
    assert sim.nblocks == 7 and all(abs(total / before[name] - 1) < 1e-12 for name, total in sim.totals().items() if before[name] > 1e-3)
    for wrong in (nothing[:3], 1, np.zeros((7, 1)), ["up"] * 7):
        expect("do not fit 7 blocks", sim.adapt, wrong)


def check_set_files(ini, sim, axes, rho, work):
    """The same grid as arrays in files of all kinds, whatever their names; points in any order."""
    sim.set({"rho": rho}, conservative=True)
    wanted = sim["rho"].copy()
    points = np.stack([np.broadcast_to(axes["x"], rho.shape), np.broadcast_to(axes["y"][:, None], rho.shape), rho], -1).reshape(-1, 3)
    np.random.default_rng(1).shuffle(points)
    path = os.path.join(work, "values")
    for kind in ("npy", "npz", "csv", "h5"):
        with open(path, "wb") as file:
            if kind == "npy":
                np.save(file, np.rec.fromarrays(points.T, names="x,y,rho"))
            elif kind == "npz":
                np.savez(file, rho=rho, **axes)
            elif kind == "csv":
                np.savetxt(file, points, delimiter=",", header="x,y,rho", comments="", fmt="%.17g")
        if kind == "h5":
            if not have("h5py"):
                continue
            import h5py  # pylint: disable=import-outside-toplevel
            with h5py.File(path, "w") as file:
                file["rho"] = rho
        sim.set({"rho": 0 * rho + 1})
        sim.set(path, conservative=True)
        assert abs(sim["rho"] - wanted).max() < 1e-12, kind
    sim.write_checkpoint(path + ".oak")
    keys = {"run.initial": path + ".oak", "run.end_time": 0, "refine.criterion": "none", "output.folder": path + ".run"}
    start = oak.run(ini, {**SETTINGS, **keys}, ranks=2)[0]
    assert (start.uniform("rho").values == sim.uniform("rho").values).all()


def check_scan(ini, work):
    folder = os.path.join(work, "scan")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        scan = oak.scan(ini, {"mesh.max_level": [2, 3], "run.cfl": [0.4, 7]}, SETTINGS, folder=folder, at_once=2)
    assert len(scan) == 4 and repr(scan) == "<oak.Scan of mesh.max_level, run.cfl: 4 runs, 2 failed>"
    assert [run is None for run in scan.runs] == [False, True, False, True]
    assert len(said) == 2 and "run.cfl = 7 failed: oak: error: " in str(said[0].message)
    table = scan.history()
    assert list(table)[:3] == ["mesh.max_level", "run.cfl", "step"]
    assert table["mesh.max_level"].tolist() == [2] * 5 + [3] * 5 and table["step"].tolist() == 2 * [0, 1, 2, 3, 4]
    assert (table["blocks"][5:] == scan[2].history()["blocks"]).all() and scan[2].parameters["mesh.max_level"] == 3
    expect("give a list, such as ['vanleer']", oak.scan, ini, {"scheme.limiter": "vanleer"})
    expect("keys with at least one value", oak.scan, ini, {"scheme.limiter": []})
    expect("give a list, such as [0.4]", oak.scan, ini, {"run.cfl": 0.4})
    none = os.path.join(work, "none")
    expect("mesh.max_levl = 2: unknown key; did you mean mesh.max_level?", oak.scan, ini, {"mesh.max_levl": range(2, 90)}, SETTINGS,
           folder=none)
    assert not os.path.exists(none)
    pairs = oak.scan(ini, {"mesh.block_size": ([8, 8] for _ in range(2))}, {**SETTINGS, "run.max_steps": 1},
                     folder=os.path.join(work, "pairs")).history()
    assert list(pairs["mesh.block_size"]) == ["[8, 8]"] * 4, pairs["mesh.block_size"]


def main():
    options = oak_test.options(__doc__, "oak", "library")
    os.environ["OAK"], os.environ["OAK_LIBRARY"] = options.oak, options.library
    with tempfile.TemporaryDirectory(prefix="oak_package_") as work:
        check_installation(work)
        check_types(work)
        check_types(work)
        ini = os.path.join(work, "run.ini")
        with open(ini, "w", encoding="utf-8") as f:
            f.write(INI)
        run = oak.run(ini, {**SETTINGS, "output.folder": os.path.join(work, "out")})
        check_objects(run)
        check_conversions(run)
        check_axes()
        check_missing_module()
        check_simulation(ini)
        check_misuse(ini, work)
        check_outputs(ini, work)
        check_globals(work)
        check_set(ini, work)
        check_scan(ini, work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
