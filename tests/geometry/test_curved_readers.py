#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np=2 timeout=300 --oak @oak@ --mpiexec @mpiexec@ --np @np@
"""XDMF and VTKHDF files of meshes in curved coordinates, for CTest: cells are where they are in space. The density is a
Cartesian coordinate plus 2, so a reader's own centres and sizes of the cells must agree with it. VTK reads VTKHDF files
itself; XDMF files are read as the format says.

usage: test_curved_readers.py --oak OAK --mpiexec "mpiexec -n" --np N"""
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import oak_test

try:
    import numpy
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkPoints
    from vtkmodules.vtkCommonDataModel import vtkStructuredGrid
    from vtkmodules.vtkFiltersCore import vtkCellCenters
    from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    oak_test.need_module(missing)

try:
    import yt
    yt.set_log_level("error")
except ImportError:
    yt = None

PROBLEM = """
#define WIND {0.3, -0.2, OAK_DIM == 3 ? 0.1 : 0}
INITIAL(at, q) {
  const double w[3] = WIND, c = cos(at->x[1]), s = sin(at->x[1]);
#if OAK_COORDINATES != OAK_SPHERICAL
  q[RHO] = 2 + at->x[0] * c;
  q[VX] = w[0] * c + w[1] * s;
  q[VY] = w[1] * c - w[0] * s;
#if OAK_DIM == 3
  q[VZ] = w[2];
#endif
#elif OAK_DIM == 3
  const double cp = cos(at->x[2]), sp = sin(at->x[2]);
  q[RHO] = 2 + at->x[0] * s * cp;
  q[VX] = s * (w[0] * cp + w[1] * sp) + c * w[2];
  q[VY] = c * (w[0] * cp + w[1] * sp) - s * w[2];
  q[VZ] = w[1] * cp - w[0] * sp;
#else
  q[RHO] = 2 + at->x[0] * s;
  q[VX] = w[0] * s + w[1] * c;
  q[VY] = w[0] * c - w[1] * s;
#endif
}
REGION(at, lower, upper) { return lower[0] < 0.6 ? OAK_REGION_REFINE : OAK_REGION_NEVER; }
"""
RUN = """[run]
max_steps = 0
[mesh]
dim = {dim}
coordinates = {coordinates}
radius = {radius}
block_size = {blocks}
trees = {trees}
xmin = {low}
xmax = {high}
min_level = 0
max_level = 1
[physics]
name = isothermal
[problem]
name = ./ramp.c
[boundary]
xlow = reflect
xhigh = reflect
{ends}
[output]
folder = out
[output.cells]
kind = vtkhdf
every = 1
[output.blocks]
kind = xdmf
every = 1
"""
AXES = {"polar": "r phi", "half": "r theta", "cylindrical": "r phi z", "polar_log": "r phi", "spherical": "r theta phi"}
CASES = {
    "polar": (2, "4", "4 16", "0.5 0", "1.5 pi", numpy.pi / 2 * (1.5**2 - 0.5**2), 0.03),
    "half": (2, "8 4", "2 8", "0.5 0", "1.5 pi", numpy.pi / 2 * (1.5**2 - 0.5**2), 0.06),
    "cylindrical": (3, "4 8 6", "2 4 1", "0.5 0 0", "1.5 pi 1", numpy.pi / 2 * (1.5**2 - 0.5**2), 0.1),
    "polar_log": (2, "4", "4 16", "0.5 0", "1.5 pi", numpy.pi / 2 * (1.5**2 - 0.5**2), 0.03),
    "spherical": (3, "4", "2 4 4", "0.5 1 0", "1.5 2 2", 2 * (numpy.cos(1) - numpy.cos(2)) * (1.5**3 - 0.5**3) / 3, 0.08),
}


def read_xdmf(path):
    """A vtkStructuredGrid for each block."""
    folder, grids = os.path.dirname(path), []
    for block in xml.etree.ElementTree.parse(path).getroot().find("Domain/Grid").findall("Grid"):
        def values(item):
            shape = [int(word) for word in item.get("Dimensions").split()]
            return numpy.fromfile(os.path.join(folder, item.text), "f8", int(numpy.prod(shape)), offset=int(item.get("Seek")))
        corners = [int(word) for word in block.find("Topology").get("Dimensions").split()]
        assert block.find("Topology").get("TopologyType") == f"{len(corners)}DSMesh"
        assert block.find("Geometry").get("GeometryType") == "XYZ"
        grid, points = vtkStructuredGrid(), vtkPoints()
        grid.SetDimensions((corners[::-1] + [1])[:3])
        points.SetData(numpy_to_vtk(values(block.find("Geometry/DataItem")).reshape(-1, 3), deep=True))
        grid.SetPoints(points)
        for attribute in block.findall("Attribute"):
            vector = attribute.get("AttributeType") == "Vector"
            array = numpy_to_vtk(values(attribute.find("DataItem")).reshape((-1, 3) if vector else -1), deep=True)
            array.SetName(attribute.get("Name"))
            grid.GetCellData().AddArray(array)
        grids.append(grid)
    return grids


def read_vtkhdf(path):
    reader = vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    return [reader.GetOutput()]


def check_wind(grid, axes, density):
    """Vectors have Cartesian components, and their components along the axes have the names of the axes."""
    data = grid.GetCellData()
    names = [data.GetArrayName(n) for n in range(data.GetNumberOfArrays())]
    wanted = ["rho", *(f"{letter}_{axis}" for letter in "mv" for axis in axes), "momentum", "velocity"]
    assert sorted(names) == sorted(wanted), names
    wind = numpy.array([0.3, -0.2, 0.1 * (len(axes) == 3)])
    velocity, momentum = (vtk_to_numpy(data.GetArray(name)) for name in ("velocity", "momentum"))
    assert abs(velocity - wind).max() < 1e-14 and abs(momentum - density[:, None] * wind).max() < 1e-14
    for n, axis in enumerate(axes):
        part = vtk_to_numpy(data.GetArray(f"v_{axis}"))
        assert abs(vtk_to_numpy(data.GetArray(f"m_{axis}")) - density * part).max() < 1e-14


def check(grids, axes, volume, error):
    """Values against the places of the cells, and the volume of the domain."""
    found = cells = 0
    for grid in grids:
        check_wind(grid, axes, vtk_to_numpy(grid.GetCellData().GetArray("rho")))
        density = vtk_to_numpy(grid.GetCellData().GetArray("rho"))
        centres, sizes = vtkCellCenters(), vtkCellSizeFilter()
        centres.SetInputData(grid)
        centres.Update()
        at = vtk_to_numpy(centres.GetOutput().GetPoints().GetData())
        assert len(at) == len(density), (len(at), len(density))
        assert abs(density - 2 - at[:, 0]).max() < error, abs(density - 2 - at[:, 0]).max()
        sizes.SetInputData(grid)
        sizes.Update()
        size = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Area" if grid.GetCellType(0) in (8, 9) else "Volume"))
        assert (size > 0).all(), "corners in the right order"
        found += size.sum()
        cells += len(density)
    assert abs(found - volume) < error * volume, (found, volume)
    return cells, found


def check_yt(path, dim, count):
    """yt finds all cells, with the coordinates as x, y, z."""
    if not yt:
        return
    data = yt.load(path)
    assert data.geometry == "cartesian" and data.dimensionality == dim
    assert data.all_data()["boxlib", "rho"].size == count, (data.all_data()["boxlib", "rho"].size, count)


def case(options, name, folder):
    dim, blocks, trees, low, high, volume, error = CASES[name]
    coordinates = "spherical" if name == "half" else name.split("_")[0]
    radius = "logarithmic" if name.endswith("log") else "linear"
    ends = "" if name == "half" else "ylow = reflect\nyhigh = reflect\n" + "zlow = reflect\nzhigh = reflect\n" * (dim == 3)
    axes = AXES[name].split()
    with open(os.path.join(folder, "ramp.c"), "w", encoding="utf-8") as file:
        file.write(PROBLEM)
    with open(os.path.join(folder, "run.ini"), "w", encoding="utf-8") as file:
        file.write(RUN.format(dim=dim, coordinates=coordinates, radius=radius, blocks=blocks, trees=trees, low=low, high=high,
                              ends=ends))
    said = subprocess.run([*options.ranks, "run", "run.ini", "device.flags=-O1"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    listed = subprocess.run([options.oak, "ls", "out/plt000000"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout
    blocks, shape = re.search(r"blocks +(\d+) of (\S+) cells", listed).groups()
    n = [int(side) for side in re.split(r"[x^]", shape)]
    count = int(blocks) * (n[0] ** n[1] if "^" in shape else math.prod(n))
    from_blocks = check(read_xdmf(os.path.join(folder, "out/blocks_000000.xdmf")), axes, volume, error)
    path = os.path.join(folder, "out/cells_000000.vtkhdf")
    if not os.path.exists(path):
        raise oak_test.Skipped("oak was built without HDF5")
    from_cells = check(read_vtkhdf(path), axes, volume, error)
    beside = check(read_vtkhdf(os.path.join(folder, "out/plt000000.vtkhdf")), axes, volume, error)
    assert beside == from_cells and count == beside[0], (beside, count)
    assert f"plotfiles plt: ParaView, VisIt and yt take {'ln ' * (radius != 'linear')}{', '.join(axes)} for x" in said and "open the files plt*.vtkhdf" in said, said
    with open(os.path.join(folder, "out/plotfiles.vtkhdf.series"), encoding="utf-8") as file:
        assert [entry["name"] for entry in json.load(file)["files"]][0] == "plt000000.vtkhdf"
    check_yt(os.path.join(folder, "out/plt000000"), dim, count)
    assert from_cells[0] == from_blocks[0] and abs(from_cells[1] - from_blocks[1]) < 1e-12, (from_cells, from_blocks)


if __name__ == "__main__":
    sys.exit(oak_test.run_in_folders(oak_test.options(__doc__, "oak", "mpiexec", "np"), CASES, case))
