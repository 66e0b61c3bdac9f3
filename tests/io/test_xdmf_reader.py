#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np={1,3} needs=cmocka --samples $<TARGET_FILE:test_io_xdmf> --mpiexec @mpiexec@ --np @np@
"""What XDMF files of oak hold, for CTest: read as the format says (Debian's VTK has no XDMF reader; with ParaView
tests/io/check_readers.py does the same), then looked at with VTK. In 2D and 3D, single and double precision, one
level and several, with 0 to 2 ghost layers: every value against the known field, integrals against the program's
own, and the open edges of a contour, of which there are none with ghost layers.

usage: test_xdmf_reader.py --samples TEST_IO_XDMF --mpiexec "mpiexec -n" --np N"""
import math
import os
import subprocess
import tempfile
import xml.etree.ElementTree

import oak_test

try:
    import numpy
    import vtk_checks
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonDataModel import vtkImageData
except ImportError as missing:
    oak_test.need_module(missing)


# Variables that are not there by themselves in Cartesian coordinates.
COMPONENTS = {"flow": ("ramp", "mx", "zero"), "momentum": ("mx", "my", "mz"), "velocity": ("vx", "vy", "vz")}


def numbers(item):
    return [float(word) for word in item.text.split()]


def read_block(grid, folder):
    """vtkImageData of a <Grid> of XDMF: in 2D a surface. Lists of sizes and, in 3D, of coordinates begin with z."""
    topology, geometry = grid.find("Topology"), [numbers(item) for item in grid.findall("Geometry/DataItem")]
    points = [int(word) for word in topology.get("Dimensions").split()]
    if len(points) == 2:
        assert topology.get("TopologyType") == "2DRectMesh" and [len(axis) for axis in geometry] == points[::-1]
        spacing = [(axis[-1] - axis[0]) / (len(axis) - 1) for axis in geometry]
        assert all(abs(numpy.diff(axis) - step).max() < 1e-14 for axis, step in zip(geometry, spacing))
        shape = [points[1], points[0], 1], [axis[0] for axis in geometry] + [0], spacing + [1]
    else:
        assert topology.get("TopologyType") == "3DCoRectMesh"
        shape = points[::-1], geometry[0][::-1], geometry[1][::-1]
    image = vtkImageData()
    image.SetDimensions(shape[0])
    image.SetOrigin(shape[1])
    image.SetSpacing(shape[2])
    for attribute in grid.findall("Attribute"):
        item = attribute.find("DataItem")
        assert attribute.get("Center") == "Cell" and item.get("Format") == "Binary"
        shape = [int(word) for word in item.get("Dimensions").split()]
        vector = attribute.get("AttributeType") == "Vector"
        assert shape == [n - 1 for n in points] + [3] * vector
        order = {"Little": "<", "Big": ">"}[item.get("Endian")]
        kind = {("Float", "4"): "f4", ("Float", "8"): "f8", ("UChar", "1"): "u1"}
        values = numpy.fromfile(os.path.join(folder, item.text), order + kind[item.get("NumberType"), item.get("Precision")],
                                math.prod(shape), offset=int(item.get("Seek")))
        assert values.size == math.prod(shape), (item.text, values.size)
        names = COMPONENTS[attribute.get("Name")][:len(points)] if vector else (attribute.get("Name"),)
        assert not vector or (values.reshape(-1, 3)[:, len(points):] == 0).all()
        for n, name in enumerate(names):
            part = values.reshape(-1, 3)[:, n] if vector else values
            array = numpy_to_vtk(part.astype(values.dtype.newbyteorder("=")), deep=True)
            array.SetName(name)
            image.GetCellData().AddArray(array)
    return image


def read(path):
    """Time, and one vtkImageData for each block."""
    collection = xml.etree.ElementTree.parse(path).getroot().find("Domain/Grid")
    assert collection.get("CollectionType") == "Spatial"
    blocks = collection.findall("Grid")
    numbered = [int(block.get("Name")) for block in blocks]
    assert sorted(numbered) == list(range(len(blocks)))
    return float(collection.find("Time").get("Value")), [read_block(block, os.path.dirname(path)) for block in blocks]


def field(at):
    """The known field of io_test_view.h."""
    x, y, z = at.T
    return 1 + numpy.exp(-20 * ((x - 0.3) ** 2 + (y - 0.4) ** 2 + z ** 2)) + 0.2 * numpy.sin(9 * x + 3 * y)


def check_values(grid, dim, layers, epsilon):
    at, own = vtk_checks.centres(grid), vtk_checks.own_cells(grid)
    side = round(math.sqrt(own.sum())) if dim == 2 else round(own.sum() ** (1 / 3))
    assert own.sum() == side ** dim and own.size == (side + 2 * layers) ** dim
    if dim == 2:
        assert (at[:, 2] == 0).all()
    density, ramp = (vtk_checks.vtk_to_numpy(grid.GetCellData().GetArray(name)) for name in ("density", "ramp"))
    assert abs(density - field(at))[own].max() < 4 * epsilon
    assert abs(ramp - at @ (1, 2, -3)).max() < 8 * epsilon, "linear fields are exact in ghost cells too"


def check(path, dim, value_bytes, layers, nblock, density, noise):
    time, grids = read(path)
    epsilon = {4: 2.0 ** -23, 8: 2.0 ** -52}[value_bytes]
    assert time == 1.5 and len(grids) == nblock
    for grid in grids:
        check_values(grid, dim, layers, epsilon)
    for name, expected in (("density", density), ("mx", noise)):
        found = vtk_checks.integral(grids, name)
        assert abs(found - expected) < 4 * epsilon + 1e-12, (path, name, found, expected)
    shown, open_edges, unshared = vtk_checks.contour_edges(grids, "density", 1.5)
    print(f"{os.path.basename(path)}: {shown} triangles or lines, {open_edges} open edges, {unshared} not shared")
    assert shown > 50 if dim == 3 else shown > 10
    if layers == 0:
        assert open_edges > 0
    else:
        # Across levels the pieces continue in ghost cells; within a level they meet exactly.
        one_level = len({grid.GetSpacing() for grid in grids}) == 1
        assert open_edges == 0 and (unshared == 0 or not one_level)


def main():
    options = oak_test.options(__doc__, "samples", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_xdmf_") as work:
        made = subprocess.run([*options.start, options.samples, work], check=True,
                              stdout=subprocess.PIPE, text=True)
        samples = made.stdout.splitlines()
        assert len(samples) == 24, samples
        for line in samples:
            path, dim, value_bytes, layers, nblock, density, noise = line.split()
            check(path, int(dim), int(value_bytes), int(layers), int(nblock), float(density), float(noise))


if __name__ == "__main__":
    main()
