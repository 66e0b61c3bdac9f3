#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=3 timeout=300 --oak @oak@ --mpiexec @mpiexec@ --np @np@
# TEST name=long_output_region_np1 timeout=600 suite=long --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""Outputs of a part of the domain, for CTest: with `region`, plotfiles, XDMF and VTKHDF files and pictures of a run
are read by VTK and h5py and compared with what the same run wrote of the whole domain. Also pictures of the
difference from the start of a run, before and after a restart; and the same kinds without the cells of solids.

usage: test_output_region.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import math
import os
import re
import subprocess
import sys
import tempfile

import oak_test

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "python"))
try:
    import h5py
    import numpy
    import oak
    import test_vtkhdf_reader
    import test_xdmf_reader
    import vtk_checks
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOAMR import vtkAMReXGridReader
    from vtkmodules.vtkIOImage import vtkPNGReader
except ImportError as missing:
    oak_test.need_module(missing)

INI = """[problem]
name = implosion
side = 1.1
[physics]
gamma = 1.4
[mesh]
block_size = 8
[run]
max_steps = 4
[output]
"""
DOMAIN = numpy.array([[0.0, 0, 0], [2, 1, 1]])
# The first begins inside of blocks; the second is no whole number of cells anywhere.
RUNS = {2: (["mesh.dim=2", "mesh.trees=2 1", "mesh.xmax=2 1", "mesh.min_level=1", "mesh.max_level=4"], [[0.6, 0.25, 0], [1.3, 0.8, 1]]),
        3: (["mesh.dim=3", "problem.side=1.6", "mesh.trees=2 1 1", "mesh.xmax=2 1 1", "mesh.min_level=0", "mesh.max_level=2"], [[0.7, 0.1, 0.3], [1.2, 0.45, 0.9]])}

def touches(low, high, region):
    dim = len(low)
    return (high > region[0][:dim] + 1e-9).all() and (low < region[1][:dim] - 1e-9).all()


class Reference:
    """All blocks of a run, from its XDMF file of the whole domain."""

    def __init__(self, path, dim):
        self.dim, self.blocks = dim, {}
        for grid in test_xdmf_reader.read(path)[1]:
            low = numpy.round(numpy.array(grid.GetOrigin()[:dim]), 9)
            high = low + 8 * numpy.array(grid.GetSpacing()[:dim])
            rho = vtk_to_numpy(grid.GetCellData().GetArray("rho")).reshape((8,) * dim)
            self.blocks[tuple(low)] = (low, high, rho)
        self.finest = min((high - low)[0] for low, high, _ in self.blocks.values()) / 8
        shape = [round(DOMAIN[1][d] / self.finest) for d in reversed(range(dim))]
        self.rho = numpy.zeros(shape)  # on cells of the finest level
        for low, high, rho in self.blocks.values():
            times = round((high - low)[0] / 8 / self.finest)
            where = tuple(slice(round(low[d] / self.finest), round(high[d] / self.finest)) for d in reversed(range(dim)))
            for axis in range(dim):
                rho = rho.repeat(times, axis)
            self.rho[where] = rho

    def inside(self, region):
        """Lower corners of the blocks that touch a box."""
        return {place for place, (low, high, _) in self.blocks.items() if touches(low, high, region)}

    def averages(self, times):
        """rho on cells so many times as wide as those of the finest level."""
        shape = [n for length in self.rho.shape for n in (length // times, times)]
        return self.rho.reshape(shape).mean(tuple(range(1, 2 * self.dim, 2)))


def check_xdmf(path, reference, region, layers):
    dim, found = reference.dim, set()
    for grid in test_xdmf_reader.read(path)[1]:
        own = vtk_checks.own_cells(grid)
        low = numpy.round(numpy.array(grid.GetOrigin()[:dim]) + layers * numpy.array(grid.GetSpacing()[:dim]), 9)
        rho = vtk_to_numpy(grid.GetCellData().GetArray("rho"))[own]
        assert (rho == reference.blocks[tuple(low)][2].ravel()).all(), (path, low)
        assert own.size == (8 + 2 * layers) ** dim
        found.add(tuple(low))
    assert found == reference.inside(region), (path, found ^ reference.inside(region))
    assert 0 < len(found) < len(reference.blocks)


def check_ghosts(path, whole):
    """Blocks of a part have the ghost cells that they have in the whole."""
    def rho(grid):
        return vtk_to_numpy(grid.GetCellData().GetArray("rho"))
    all_blocks = {grid.GetOrigin(): rho(grid) for grid in test_xdmf_reader.read(whole)[1]}
    for grid in test_xdmf_reader.read(path)[1]:
        assert (all_blocks[grid.GetOrigin()] == rho(grid)).all(), (path, grid.GetOrigin())


def check_cells(path, reference, region):
    """A file of a 2D mesh: its cells are those of the blocks that touch the region, one by one."""
    found = {}
    with h5py.File(path, "r") as file:
        centre, size = test_vtkhdf_reader.read_cells(file["VTKHDF"])
        rho = file["VTKHDF/CellData/rho"][:]
    for at, h, value in zip(centre, size, rho):
        block, cell = numpy.divmod(numpy.floor(at / h).astype(int), 8)
        place = tuple(numpy.round(block * 8 * h, 9))
        assert value == reference.blocks[place][2][tuple(cell[::-1])], (path, at)
        found.setdefault(place, set()).add(tuple(cell))
    assert all(len(cells) == 64 for cells in found.values())
    assert found.keys() == reference.inside(region), (path, found.keys() ^ reference.inside(region))


def check_vtkhdf(path, reference, region):
    dim, found = reference.dim, set()
    if dim == 2:
        check_cells(path, reference, region)
        return
    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        for n in range(sum(name.startswith("Level") for name in root)):
            level, at = root[f"Level{n}"], 0
            spacing = level.attrs["Spacing"]
            assert n > 0 or len(level["AMRBox"]), "ParaView 5.11 crashes where the first level is empty"
            for box in level["AMRBox"][:]:
                low, high = box[0::2][:dim], box[1::2][:dim] + 1
                count = math.prod(high - low)
                rho = level["CellData/rho"][at:at + count].reshape((high - low)[::-1])
                at += count
                for block in numpy.ndindex(*((high - low) // 8)):
                    first = low + 8 * numpy.array(block)
                    place = tuple(numpy.round(first * spacing[:dim], 9))
                    cells = tuple(slice(8 * block[d], 8 * block[d] + 8) for d in reversed(range(dim)))
                    assert (rho[cells] == reference.blocks[place][2]).all(), (path, place)
                    assert place not in found
                    found.add(place)
    assert found == reference.inside(region), (path, found ^ reference.inside(region))


def check_plotfile(path, reference, region):
    """The reader of VTK hides what finer levels cover. What is left covers the domain once: blocks of the run where
    it touches the region, averages elsewhere."""
    dim, volume, seen = reference.dim, 0.0, set()
    reader = vtkAMReXGridReader()
    reader.SetFileName(path)
    reader.SetMaxLevel(20)
    reader.UpdateInformation()
    reader.SetCellArrayStatus("rho", 1)
    reader.Update()
    amr = reader.GetOutput()
    for n in range(amr.GetNumberOfLevels()):
        for b in range(amr.GetNumberOfDataSets(n)):
            grid = amr.GetDataSet(n, b)
            ghosts = grid.GetCellData().GetArray("vtkGhostType")
            own = numpy.ones(grid.GetNumberOfCells(), bool) if ghosts is None else vtk_to_numpy(ghosts) == 0
            rho = vtk_to_numpy(grid.GetCellData().GetArray("rho"))
            h = grid.GetSpacing()[0]
            x = vtk_checks.centres(grid)[own][:, :dim]
            volume += own.sum() * h ** dim
            cells = numpy.floor(x / h).astype(int)
            expected = reference.averages(round(h / reference.finest))[tuple(cells.T[::-1])]
            assert own.sum() == 0 or abs(rho[own] - expected).max() < 1e-13, path
            for place in {tuple(numpy.round(row * (8 * h), 9)) for row in cells // 8}:
                block = reference.blocks.get(place)
                if block and abs(block[1][0] - block[0][0] - 8 * h) < 1e-9:
                    seen.add(place)
    assert abs(volume - 2) < 1e-12, "the domain is covered once"
    assert reference.inside(region) <= seen, "blocks that touch the region are there"
    assert len(seen) < len(reference.blocks), "others are not"


def read_png(path):
    """Grey values of the data area, from below, and its range."""
    reader = vtkPNGReader()
    reader.SetFileName(path)
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    grey = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[:, :, 0]
    with open(path, "rb") as file:
        text = file.read()
    left, top, w, h = (int(word) for word in re.search(rb"oak area\0(\d+) (\d+) (\d+) (\d+)", text).groups())
    return grey[height - top - h:height - top, left:left + w].astype(int)


def check_picture(path, reference, region, width):
    """Each pixel, against the cell around its centre: cells are larger than pixels. In 3D the plane is z = 0.5."""
    grey = read_png(path)
    size = [region[1][d] - region[0][d] for d in (0, 1)]
    assert grey.shape == (round(width * size[1] / size[0]), width), grey.shape
    x = [region[0][d] + (numpy.arange(grey.shape[1 - d]) + 0.5) / grey.shape[1 - d] * size[d] for d in (0, 1)]
    at = [numpy.floor(x[d] / reference.finest).astype(int) for d in (0, 1)]
    plane = reference.rho if reference.dim == 2 else reference.rho[reference.rho.shape[0] // 2]
    expected = numpy.clip(plane[numpy.ix_(at[1], at[0])], 0, 1) * 255
    # A centre within rounding of a cell's side may fall to either cell; colours are rounded.
    assert (abs(grey - expected) <= 1).mean() > 0.999, (path, abs(grey - expected).max())
    assert grey.max() - grey.min() > 50


def png_range(path):
    """The range of the colours, which the file says."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.index(b"tEXtoak range\0")
    size = int.from_bytes(data[at - 4:at], "big")
    return tuple(float(word) for word in data[at + 4:at + 4 + size].split(b"\0")[1].split())


def check_solids(oak_command, ranks, work):
    """Histories, probes, pictures and oak plot leave out the cells of solids; plotfiles have the mask."""
    name = os.path.join(work, "ball", "plt000004")
    box = numpy.array([[0.2, 0.3], [0.6, 0.8]])
    keys = ["problem.name=" + os.path.join(oak_test.PROBLEMS, "solid.c"), "problem.kind=ball", "mesh.min_level=1", "mesh.max_level=3",
            "output.folder=ball", "output.plot_variables=p", "output.whole.kind=history", "output.whole.variables=p solid level",
            "output.part.kind=history", "output.part.variables=p", "output.part.region=0.2 0.3 0.6 0.8", "output.at.kind=probe",
            "output.at.points=0.5 0.5, 0.9 0.9", "output.at.variables=p", "output.picture_variable=p", "output.picture_steps=4"]
    oak_test.write(work, "ball.ini", "[mesh]\nblock_size = 8\n[run]\nmax_steps = 4\n")
    subprocess.run([*ranks, oak_command, "run", "--quiet", "ball.ini", *keys], cwd=work, check=True, timeout=300)
    plot = oak.open(name)
    assert plot.variables == ["p", "solid"], plot.variables
    fluid = plot["solid"] < 0.5
    volume = numpy.broadcast_to(plot.cell_volume[:, None, None], fluid.shape)
    x, y = numpy.broadcast_arrays(plot.x, plot.y)
    inside = fluid & (x >= box[0, 0]) & (x <= box[1, 0]) & (y >= box[0, 1]) & (y <= box[1, 1])
    for stem, cells in (("whole", fluid), ("part", inside)):
        row = numpy.genfromtxt(os.path.join(work, "ball", stem + ".csv"), delimiter=",", names=True)[-1]
        p, weight = plot["p"][cells], volume[cells]
        assert 0 < cells.sum() < fluid.size and (row["min_p"], row["max_p"]) == (p.min(), p.max()), (stem, row)
        assert math.isclose(row["mean_p"], (p * weight).sum() / weight.sum(), rel_tol=1e-13), (stem, row)
        if stem == "whole":
            assert math.isclose(row["mean_solid"], volume[~fluid].sum(), rel_tol=1e-13) and row["max_solid"] == 1, row
            assert 1 <= row["mean_level"] <= 3, row
    with open(os.path.join(work, "ball", "at.csv"), encoding="utf-8") as file:
        last = file.read().split()[-1].split(",")
    assert last[2] == "nan" and float(last[3]) > 0, last
    subprocess.run([oak_command, "plot", name, "--var", "p", "-o", "p.png"], cwd=work, check=True, capture_output=True)
    for path in (os.path.join(work, "p.png"), os.path.join(work, "ball", "p_0001.png")):
        low, high = png_range(path)
        assert (low, high) == (plot["p"][fluid].min(), plot["p"][fluid].max()), (path, low, high)
    line = subprocess.run([oak_command, "line", name, "--var", "p,solid"], cwd=work, check=True, capture_output=True, text=True)
    rows = [row.split(",")[-2:] for row in line.stdout.split()[1:]]
    assert all((p == "nan") == (float(solid) >= 0.5) for p, solid in rows) and ["nan", "1"] in rows, rows


def all_outputs(dim, mesh, region):
    """The keys of a run that writes every kind with regions and without."""
    box = " ".join(f"{x:g}" for corner in region for x in corner[:dim])
    aligned = "0.5 0.25 1.5 0.75" if dim == 2 else "0.5 0.25 0 1.5 0.75 1"

    def section(name, kind, *more, variables="rho"):
        keys = [f"kind={kind}", f"variables={variables}", *more]
        return [f"output.{name}.{key}" for key in keys]

    picture = ["range=0 1", "colors=gray", "mesh=no"]
    arguments = [*mesh, f"output.folder={dim}D", "output.plot_first_last=no",
                 *section("all", "xdmf"), *section("ghosts", "xdmf", "ghost_layers=2"),
                 *section("blocks", "xdmf", f"region={box}"),
                 *section("layers", "xdmf", f"region={box}", "ghost_layers=2"),
                 *section("boxes", "vtkhdf", f"region={box}"), *section("plot", "plotfile", f"region={box}"),
                 *section("whole", "picture", "width=512", *picture),
                 *section("part", "picture", "width=256", f"region={aligned}", *picture),
                 *section("odd", "picture", "width=300", f"region={box}", *picture),
                 *(f"output.plot_{key}" for key in ("steps=4", "variables=rho", f"region={box}")),
                 *(f"output.picture_{key}" for key in ("steps=4", "variable=rho", "width=256", f"region={aligned}", *picture))]
    return arguments


def check_outputs(folder, dim, step, region):
    def name(stem, ending):
        return os.path.join(folder, f"{stem}_{step}{ending}")
    reference = Reference(name("all", ".xdmf"), dim)
    check_xdmf(name("blocks", ".xdmf"), reference, region, 0)
    check_xdmf(name("layers", ".xdmf"), reference, region, 2)
    check_ghosts(name("layers", ".xdmf"), name("ghosts", ".xdmf"))
    check_vtkhdf(name("boxes", ".vtkhdf"), reference, region)
    check_plotfile(name("plot", ""), reference, region)
    whole, part = read_png(name("whole", ".png")), read_png(name("part", ".png"))
    assert part.shape == (128, 256) and (whole[64:192, 128:384] == part).all(), "a crop has the same pixels"
    check_picture(name("odd", ".png"), reference, region, 300)
    check_plotfile(os.path.join(folder, f"plt{step}"), reference, region)
    assert (read_png(os.path.join(folder, f"rho_{int(step) // 4:04d}.png")) == part).all()
    return reference


def check_refusals(command, work):
    for words, wrong in ((r"output\.b\.region = 0\.5 0 0\.5 1: the upper corner must be above the lower one along x", "0.5 0 0.5 1"),
                         (r"x = 3 is outside the domain: choose 0 to 2", "0 0 3 1"), ("must be two points", "0 1")):
        for kind in ("plotfile", "xdmf", "vtkhdf", "picture"):
            done = subprocess.run([command, "run", "--quiet", "run.ini", *RUNS[2][0], "output.folder=bad", f"output.b.kind={kind}",
                                   f"output.b.region={wrong}"], cwd=work, capture_output=True, text=True, check=False)
            assert done.returncode == 1 and re.search(words, done.stderr), done
            assert not os.path.exists(os.path.join(work, "bad")), "nothing is begun"
    done = subprocess.run([command, "run", "--quiet", "run.ini", *RUNS[2][0], "output.folder=bad", "output.plot_region=1 1 0 0"],
                          cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "output.plot_region = 1 1 0 0: the upper corner must be above" in done.stderr, done


def main():
    options = oak_test.options(__doc__, "oak", "mpiexec", "np")
    command = os.path.abspath(options.oak)
    with tempfile.TemporaryDirectory(prefix="oak_region_") as work:
        oak_test.write(work, "run.ini", INI)
        for dim, (mesh, region) in RUNS.items():
            region = numpy.array(region)
            folder = os.path.join(work, f"{dim}D")
            subprocess.run([*options.ranks, "run", "--quiet", "run.ini", *all_outputs(dim, mesh, region)],
                           cwd=work, check=True, timeout=300)
            for step in ("000000", "000004"):
                reference = check_outputs(folder, dim, step, region)
            listed = subprocess.run([command, "ls", f"{dim}D/plot_000004"], cwd=work, check=True, capture_output=True, text=True)
            assert "rho" in listed.stdout, listed
            print(f"{dim}D: {len(reference.inside(region))} of {len(reference.blocks)} blocks")
        check_solids(command, options.start, work)
        check_refusals(command, work)


if __name__ == "__main__":
    main()
