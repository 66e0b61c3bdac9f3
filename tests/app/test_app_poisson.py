#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 flags=-O0 --oak @oak@ --mpiexec @mpiexec@ --np @np@ --source @source@
"""The potential of Poisson's equation in oak's commands, for CTest: `oak check` of a physics with POISSON; phi in lines
and pictures beside the exact potential of a dielectric cylinder in a field (J. D. Jackson, Classical Electrodynamics,
section 4.4); a run that is interrupted and continued has the same phi bit for bit. All outputs have the exact potential of
a plate of glass between two electrodes, unless they are to leave out dielectrics.

usage: test_app_poisson.py --oak OAK --source TREE --mpiexec "mpiexec -n" --np N"""
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile

import oak_test

PHYSICS = """#include "physics/euler.c"
FIELD_STORED(phi)
FIELD_STORED(phi_x)
POISSON(at, q) { return 4 * M_PI * q[RHO]; }
SOURCE(at, q, source) { source[MX] -= q[RHO] * at->f.phi_x; }
"""
# A density that drifts in a field, which is switched on at t = 0.5. Until then nothing moves.
SWITCH = """TITLE("drift")
#define PHYSICS_NVAR 1
VARIABLES("n")
PRIMITIVES("n")
#define PHYSICS_NORMAL(d) (-1)
#define PHYSICS_VECTORS(X)
FIELD_STORED(phi)
FACE_FIELD(drift, at) { return at->slope.phi; }
POISSON(at, q) { return 0; }
POISSON_BOUNDARY(at, face) { return at->t > 0.5 ? at->x[0] : 0; }
TO_PRIMITIVE(ph, q) {}
TO_CONSERVED(ph, u) {}
FLUX(ph, q, dir, f) { f[0] = ph->face.drift * q[0]; }
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = ph->face.drift; }
VALID(ph, u) { return u[0] >= 0; }
"""
# Gravity of a cloud in a thin gas, which counts or not.
CLOUD = """PARAMETER(less, 0.01, "density that does not count")
PARAMETER(until, 1e9, "until then")
PARAMETER(sharp, 100, "inverse of the square of the radius")
FIELD_STORED(phi)
POISSON(at, q) { return q[RHO] - (at->t < at->p.until ? at->p.less : 0); }
INITIAL(at, q) {
  q[RHO] = 0.01 + exp(-at->p.sharp * ((at->x[0] - 0.5) * (at->x[0] - 0.5) + (at->x[1] - 0.5) * (at->x[1] - 0.5)));
  q[PRS] = 1;
}
"""
# A hook reads how phi changes in the next cells.
CHANGE = """FIELD_STORED(phi)
FIELD_STORED(phi_t)
POISSON(at, q) { return q[RHO] - 1.1; }
SOURCE(at, q, source) {
  source[MX] += (real)0.01 * (oak_near_field(at, phi_t, 1, 0, 0) - oak_near_field(at, phi_t, -1, 0, 0));
  source[MY] += (real)0.01 * (oak_near_field(at, phi_t, 0, 1, 0) - oak_near_field(at, phi_t, 0, -1, 0));
}
INITIAL(at, q) {
  q[RHO] = 1 + exp(-40 * ((at->x[0] - 0.45) * (at->x[0] - 0.45) + (at->x[1] - 0.45) * (at->x[1] - 0.45)));
  q[VX] = 0.5;
  q[PRS] = q[RHO];
}
"""
SWITCH_RUN = """[run]
end_time = 0.8
cfl = 0.4
[mesh]
block_size = 8
min_level = 1
max_level = 1
[physics]
name = ./switch.c
[problem]
name = ./blob.c
[boundary]
xlow = outflow
xhigh = outflow
[poisson]
boundary = value
[output]
folder = switch
plot_first_last = no
[output.h]
kind = history
every_steps = 1
variables = n
"""
EPSILON, RADIUS = 5, 0.25


GLASS = """FIELD_STORED(phi)
FIELD_STORED(phi_y)
POISSON(at, q) { return 0; }
POISSON_BOUNDARY(at, face) { return face == 3; }
INITIAL(at, q) { q[0] = 1; }
"""
BALL = (0.25, 0.75, 0.1)  # a wall, which the potential does not see


def in_glass(oak, folder):
    """A plate of permittivity 4 fills the lower half: phi is 0.4 y in it, and 0.2 + 1.6 (y - 0.5) above."""
    def phi(y):
        return 0.4 * y if y < 0.5 else 0.2 + 1.6 * (y - 0.5)

    def table(name):
        with open(os.path.join(folder, "glass", name), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def check(rows, without):
        """Without dielectrics there is nothing in the glass; there never is in the wall."""
        for row in rows:
            x, y, value = (float(row[name]) for name in ("x", "y", "phi"))
            hidden = (x - BALL[0])**2 + (y - BALL[1])**2 < BALL[2]**2 or (without and y < 0.5)
            assert math.isnan(value) if hidden else abs(value - phi(y)) < 1e-9, (x, y, value, without)

    oak_test.write(folder, "glass.c", GLASS)
    oak_test.write(folder, "glass.ini", "")
    keys = ["physics.name=advection", "problem.name=./glass.c", "mesh.min_level=1", "mesh.max_level=1", "run.max_steps=1",
            "boundary.ylow=outflow", "boundary.yhigh=outflow", "poisson.ylow=zero", "poisson.yhigh=value", "poisson.tolerance=1e-12",
            "body.glass.shape=plate", "body.glass.kind=dielectric", "body.glass.permittivity=4", "body.glass.from=-1 -1", "body.glass.to=2 0.5",
            "body.ball.shape=sphere", "body.ball.kind=wall", f"body.ball.from={BALL[0]} {BALL[1]}", f"body.ball.radius={BALL[2]}",
            "output.folder=glass", "device.flags=-O0"]
    for without, word in ((0, "yes"), (1, "no")):
        for kind, more in (("slice", ["format=csv"]), ("line", ["format=csv", "from=0.25 0", "to=0.25 1"]),
                           ("probe", ["points=0.5 0.234375, 0.5 0.734375"]), ("history", []), ("picture", [])):
            keys += [f"output.{kind}{without}.{key}" for key in (f"kind={kind}", "variables=phi", f"dielectrics={word}", *more)]
    oak("run", "glass.ini", *keys)
    for without in (0, 1):
        check(table(f"slice{without}_000001.csv"), without)
        check(table(f"line{without}_000001.csv"), without)
        (below, above), row = ((float(table(f"probe{without}.csv")[-1][f"phi_{n}"]) for n in (1, 2)), table(f"history{without}.csv")[-1])
        assert (math.isnan(below) if without else abs(below - 0.09375) < 1e-9) and abs(above - phi(0.734375)) < 1e-9, (below, above)
        cells = [(i + 0.5, j + 0.5) for i in range(32) for j in range(32)]
        shown = [phi(y / 32) for x, y in cells if (x / 32 - BALL[0])**2 + (y / 32 - BALL[1])**2 >= BALL[2]**2 and (y > 16 or not without)]
        solid = [y < 16 or (x / 32 - BALL[0])**2 + (y / 32 - BALL[1])**2 < BALL[2]**2 for x, y in cells]
        want = {"total_solid": sum(solid) / 1024, "min_phi": min(shown), "max_phi": max(shown), "mean_phi": sum(shown) / len(shown), "integral_phi": sum(shown) / 1024}
        assert all(abs(float(row[name]) - value) < 1e-9 for name, value in want.items()), (row, want)
        low, high = (float(word) for word in png_text(os.path.join(folder, "glass", f"picture{without}_000001.png"))["oak range"].split())
        assert abs(low - min(shown)) < 1e-6 and abs(high - max(shown)) < 1e-6, (low, high)
        option = ["--no-dielectrics"] * without
        check(csv.DictReader(io.StringIO(oak("line", "glass/plt000001", "--from", "0.25,0", "--to", "0.25,1", *option))), without)
        check(csv.DictReader(io.StringIO(oak("slice", "glass/plt000001", *option))), without)
        oak("plot", "glass/plt000001", "--var", "phi", "-o", "glass.png", *option)
        assert png_text(os.path.join(folder, "glass.png"))["oak range"] == png_text(
            os.path.join(folder, "glass", f"picture{without}_000001.png"))["oak range"]


def exact(x, y, time):
    """phi of the problem electrostatic, whose field has the period 1."""
    r2, field = x * x + y * y, math.cos(2 * math.pi * time)
    inside, outside = 2 / (EPSILON + 1), (EPSILON - 1) / (EPSILON + 1)
    return -field * x * (inside if r2 < RADIUS**2 else 1 - outside * RADIUS**2 / r2)


def png_text(path):
    """The text chunks of a PNG file."""
    with open(path, "rb") as file:
        data = file.read()
    words, at = {}, 8
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], "big")
        if data[at + 4:at + 8] == b"tEXt":
            key, value = data[at + 8:at + 8 + size].split(b"\0", 1)
            words[key.decode()] = value.decode("latin1")
        at += 12 + size
    return words


def main():
    options = oak_test.options(__doc__, "oak", "source", "mpiexec", "np")
    with tempfile.TemporaryDirectory() as folder:
        def oak(*words, launch=(options.oak,)):
            done = subprocess.run([*launch, *words], cwd=folder, check=False, capture_output=True, text=True, timeout=300)
            if done.returncode:
                sys.exit(f"oak {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout

        in_glass(oak, folder)
        oak_test.write(folder, "gravity.c", PHYSICS)
        assert "all identities hold" in oak("check", "./gravity.c")

        run = ["run", os.path.join(options.source, "problems", "electrostatic.ini"), "mesh.min_level=3", "mesh.max_level=4",
               "output.picture_variable=phi", "device.name=cpu"]
        oak(*run, "run.max_steps=4", "output.folder=whole", launch=options.ranks)
        oak(*run, "run.max_steps=2", "output.folder=part", "checkpoint.at_end=yes")
        oak(*run, "run.max_steps=4", "output.folder=part", "--restart", launch=options.ranks)
        assert "no difference: the same bits" in oak("diff", "whole/plt000004", "part/plt000004")

        # Rows without a solution have the residual of the last one, also if a restart lies between.
        rare = [*run, "mesh.max_level=3", "poisson.every=4", "output.diagnostics_every=1", "output.plot_every=0"]
        oak(*rare, "run.max_steps=4", "output.folder=rare")
        oak(*rare, "run.max_steps=2", "output.folder=rare_part", "checkpoint.at_end=yes")
        oak(*rare, "run.max_steps=4", "output.folder=rare_part", "--restart")
        tables = []
        for name in ("rare", "rare_part"):
            with open(os.path.join(folder, name, "diagnostics.csv"), encoding="utf-8") as file:
                tables.append([(row["step"], row["poisson_cycles"], row["poisson_residual"]) for row in csv.DictReader(file)])
        assert len(tables[0]) == 5 and float(tables[0][3][2]) > 0 and tables[0] == tables[1], tables

        # The needle has the voltage of the plate that it leaves: its charge is proportional to the one key.
        charge = []
        for volts in ("13e3", "26e3"):
            oak("run", os.path.join(options.source, "problems", "streamer_needle.ini"), "mesh.max_level=3", "run.end_time=0", "--overwrite",
                "output.folder=needle", "output.picture_every=0", "output.plot_first_last=no", "--trust", "device.flags=-O1",
                f"problem.voltage={volts}", "poisson.tolerance=1e-11")
            with open(os.path.join(folder, "needle", "diagnostics.csv"), encoding="utf-8") as file:
                charge.append(float(next(csv.DictReader(file))["needle_charge"]))
        assert abs(charge[1] / charge[0] - 2) < 1e-9 and charge[0] > 1e-11, charge

        # With `midpoint` the last stage starts from the middle of a step. Outputs are of their own time nevertheless, and
        # the run does not depend on them.
        middle = [*run, "scheme.integrator=midpoint", "run.max_steps=4", "run.dt_max=0.05", "output.plot_variables=phi", "output.diagnostics_every=0"]
        oak(*middle, "output.folder=often", "output.plot_every=1e-9", "checkpoint.at_end=yes", launch=options.ranks)
        oak(*middle, "output.folder=seldom")
        lines = [oak("line", f"{name}/plt000004", "--var", "phi", "--from", "-1,0.01", "--to", "1,0.01") for name in ("often", "seldom")]
        (time,) = (float(line.split()[1]) for line in oak("ls", "often/plt000004").splitlines() if line.split()[:1] == ["time"])
        errors = [abs(float(row["phi"]) - exact(float(row["x"]), float(row["y"]), time)) for row in csv.DictReader(io.StringIO(lines[0]))]
        print(f"midpoint: phi at t = {time:g}, largest error {max(errors):.2e}")
        assert lines[0] == lines[1] and max(errors) < 0.02, errors
        oak(*middle, "output.folder=whole6", "run.max_steps=6")
        oak(*middle, "output.folder=often", "run.max_steps=6", "--restart")
        lines = [oak("line", f"{name}/plt000006", "--var", "phi", "--from", "-1,0.01", "--to", "1,0.01") for name in ("often", "whole6")]
        assert lines[0] == lines[1]

        # The step is judged with the boundary values at its end: the one in which the field appears is not longer than
        # those that follow. Cells of 1/16, velocity 1.
        oak_test.write(folder, "switch.c", SWITCH)
        oak_test.write(folder, "blob.c", "INITIAL(at, q) { q[0] = exp(-64 * (at->x[0] - 0.4) * (at->x[0] - 0.4)); }\n")
        oak_test.write(folder, "switch.ini", SWITCH_RUN)
        oak("run", "switch.ini", launch=options.ranks)
        with open(os.path.join(folder, "switch", "h.csv"), encoding="utf-8") as file:
            time = [float(row["time"]) for row in csv.DictReader(file)]
        steps = list(zip(time, time[1:]))
        (across,) = (after - before for before, after in steps if before <= 0.5 < after)
        longest = max(after - before for before, after in steps)
        print(f"{len(steps)} steps, the first {steps[0][1]:g}, the longest {longest:g}, the one across the switch {across:g}")
        assert steps[0][1] < 1e-5 and longest > 0.1 and across < 1.001 * 0.4 / 16, steps

        # A restart while steps grow, from step 18 on, goes on with the same bits.
        grown = ["run", "switch.ini", "output.plot_first_last=yes", "output.plot_variables=n phi"]
        oak(*grown, "run.max_steps=22", "output.folder=grown")
        oak(*grown, "run.max_steps=18", "output.folder=grown_part", "checkpoint.at_end=yes", launch=options.ranks)
        oak(*grown, "run.max_steps=22", "output.folder=grown_part", "--restart")
        assert "no difference: the same bits" in oak("diff", "grown/plt000022", "grown_part/plt000022")

        # The last stage of ssprk33 is earlier than the one before. Its change of phi has ghost cells of messages, too.
        oak_test.write(folder, "change.c", CHANGE)
        change = ["run", "switch.ini", "physics.name=euler", "problem.name=./change.c", "poisson.boundary=zero", "boundary.ylow=outflow",
                  "boundary.yhigh=outflow", "output.h.variables=rho", "output.plot_first_last=yes", "output.plot_variables=rho phi phi_t",
                  "mesh.max_level=3", "refine.variable=rho", "scheme.integrator=ssprk33", "run.max_steps=4"]
        oak(*change, "output.folder=change")
        oak(*change, "output.folder=change_ranks", "device.transport=staged", launch=options.ranks)
        assert "no difference: the same bits" in oak("diff", "change/plt000004", "change_ranks/plt000004")

        # A warning says how large f is beside an isolated boundary.
        oak_test.write(folder, "cloud.c", CLOUD)
        cloud = ["run", "switch.ini", "--overwrite", "physics.name=euler", "problem.name=./cloud.c", "poisson.boundary=isolated",
                 "boundary.ylow=outflow", "boundary.yhigh=outflow", "run.max_steps=1", "output.h.variables=rho"]
        assert "warning: poisson" not in oak(*cloud)
        said = oak(*cloud, "problem.less=0", launch=options.ranks)
        assert re.search(r"warning: poisson\.boundary = isolated, but f is up to 0\.01\d* beside the boundary of the domain; f of this size everywhere would be 0\.\d+ of all", said), said
        # Little gas in a large domain, which weighs as much as the cloud; gas that counts after the first step only.
        small = ["problem.sharp=2000", "mesh.min_level=3", "mesh.max_level=3"]
        said = oak(*cloud, *small, "problem.less=0.0095")
        assert re.search(r"isolated, but f is up to 0\.0005 beside the boundary of the domain; f of this size everywhere would be 0\.5\d* of all f", said), said
        assert "warning: poisson" not in oak(*cloud, *small)
        assert "warning: poisson" in oak(*cloud, "problem.until=1e-12", "run.max_steps=3")

        # The fields of POISSON as variables. In files for ParaView, phi_x is phix.
        oak(*run, "run.max_steps=1", "output.folder=fields", "output.plot_variables=phi phi_x phi_y", "output.a.kind=probe",
            "output.a.points=0.1 0.2", "output.a.variables=phi_x", "output.d.kind=picture", "output.d.variables=phi_x")
        with open(os.path.join(folder, "fields", "plt000001", "Header"), encoding="utf-8") as file:
            assert file.read().split()[2:5] == ["phi", "phix", "phiy"]
        with open(os.path.join(folder, "fields", "a.csv"), encoding="utf-8") as file:
            assert file.readline() == "step,time,phi_x\n"
        # What cannot be written, or gone on from, is refused before kernels are looked for.
        for words, said in (([*run, "output.plot_variables=phi_t"], "no variable phi_t"),
                            ([*run, "output.folder=whole"], "output.folder = whole holds a run already"),
                            (["run", "streamer", "poisson.every=2"], "reads slope.phi, which only an equation"),
                            ([*run, "output.folder=part", "--restart=part/chk000002.oak", "mesh.block_size=16"], "mesh.block_size = 16, but")):
            done = subprocess.run([options.oak, *words], cwd=folder, check=False, capture_output=True, text=True, timeout=300)
            assert done.returncode == 1 and said in done.stderr and "kernels" not in done.stdout, (done.stdout, done.stderr)

        (time,) = (float(line.split()[1]) for line in oak("ls", "whole/plt000004").splitlines() if line.split()[:1] == ["time"])
        rows = list(csv.DictReader(io.StringIO(oak("line", "whole/plt000004", "--var", "phi", "--from", "-1,0.01", "--to", "1,0.01"))))
        errors = [abs(float(row["phi"]) - exact(float(row["x"]), float(row["y"]), time)) for row in rows]
        print(f"phi at t = {time:.4f}: {len(rows)} cells of a line, largest error {max(errors):.2e}")
        assert len(rows) >= 64 and max(errors) < 0.02, errors

        oak("plot", "whole/plt000004", "--var", "phi", "-o", "after.png")
        for path in ("whole/phi_0001.png", "after.png"):
            low, high = (float(word) for word in png_text(os.path.join(folder, path))["oak range"].split())
            most = abs(exact(1 - 1 / 64, 0, time))
            print(f"{path}: range {low:g} to {high:g}")
            assert abs(high - most) < 0.05 and abs(low + high) < 1e-3, path
    return 0


if __name__ == "__main__":
    sys.exit(main())
