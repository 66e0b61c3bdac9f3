#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
# TEST np={1,3} needs=cmocka --samples $<TARGET_FILE:test_io_vtkhdf> --mpiexec @mpiexec@ --np @np@
"""What VTKHDF files of oak hold, for CTest: read through h5py as the format says (Debian's VTK cannot read boxes
of several levels; with ParaView tests/io/check_readers.py does the same). In 3D boxes, in 2D cells with corners; single and
double precision, one level and several, blocks distributed over the ranks in several ways: every value against the known field,
parents against the averages of what covers them, each place covered once, integrals against the program's own.

usage: test_vtkhdf_reader.py --samples TEST_IO_VTKHDF --mpiexec "mpiexec -n" --np N"""
import math
import subprocess
import tempfile

import oak_test

try:
    import h5py
    import numpy
except ImportError as missing:
    oak_test.need_module(missing)

NAMES = ("density", "ramp", "mx")


def values_of(data, name):
    """The ramp and mx are the components of a vector in the plane."""
    assert sorted(data) == ["density", "flow"] and data["flow"].shape == (*data["density"].shape, 3) and (data["flow"][:, 2] == 0).all()
    return data["density"][:] if name == "density" else data["flow"][:, NAMES.index(name) - 1]


def known_fields(x, y, z):
    return {"density": 1 + numpy.exp(-20 * ((x - 0.3) ** 2 + (y - 0.4) ** 2 + z ** 2)) + 0.2 * numpy.sin(9 * x + 3 * y),
            "ramp": x + 2 * y - 3 * z}


def read_cells(root):
    """A file of a 2D mesh: centres and sizes [cell][2] of its cells, which are rectangles in the plane z = 0."""
    count, corners = root["NumberOfCells"][0], root["Connectivity"][:]
    assert root.attrs["Type"] == b"UnstructuredGrid" and (root["Types"][:] == 9).all() and root["Types"].shape == (count,)
    assert (root["Offsets"][:] == 4 * numpy.arange(count + 1)).all() and root["NumberOfConnectivityIds"][0] == len(corners)
    assert root["Points"].shape == (root["NumberOfPoints"][0], 3) and (numpy.bincount(corners) > 0).all()
    at = root["Points"][:][corners].reshape(count, 4, 3)
    low, high = at[:, 0, :2], at[:, 2, :2]
    assert (at[:, :, 2] == 0).all() and (low < high).all()
    assert (at[:, 1, 0] == high[:, 0]).all() and (at[:, 1, 1] == low[:, 1]).all() and (at[:, 3, 0] == low[:, 0]).all()
    return (low + high) / 2, high - low


def check_cells(path, value_bytes, density, noise):
    epsilon = {4: 2.0 ** -23, 8: 2.0 ** -52}[value_bytes]
    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        assert root["FieldData/time"][0] == 1.5 and root["FieldData/step"][0] == 2140
        centre, size = read_cells(root)
        value = {name: values_of(root["CellData"], name) for name in NAMES}
    area = size.prod(1)
    assert abs(math.fsum(area) - 2 * 0.75) < 1e-12 and len(numpy.unique(centre, axis=0)) == len(area)
    for name, field in known_fields(*centre.T, 0).items():
        assert value[name].dtype == f"f{value_bytes}" and abs(value[name] - field).max() < 8 * epsilon, (path, name)
    for name, expected in (("density", density), ("mx", noise)):
        found = math.fsum(value[name].astype(float) * area)
        assert abs(found - expected) < 4 * epsilon + 1e-12, (path, name, found, expected)


class Level:
    """A level of the file: cells of boxes spread over the whole domain."""

    def __init__(self, group, origin, size, value_bytes):
        self.spacing = group.attrs["Spacing"]
        assert group["AMRBox"].dtype == "i4" and group["AMRBox"].shape[1] == 6
        shape = [round(size[d] / self.spacing[d]) for d in (2, 1, 0)]
        self.there = numpy.zeros(shape, int)
        self.value = {name: numpy.full(shape, numpy.nan) for name in NAMES}
        self.boxes = 0
        at, value = 0, {name: values_of(group["CellData"], name) for name in NAMES}
        for box in group["AMRBox"][:]:
            low, high = box[0::2], box[1::2] + 1
            assert (low >= 0).all() and (high <= shape[::-1]).all() and (high - low <= 64).all()
            where = tuple(slice(low[d], high[d]) for d in (2, 1, 0))
            count = math.prod(high - low)
            self.there[where] += 1
            for name in NAMES:
                values = value[name]
                assert values.dtype == f"f{value_bytes}"
                self.value[name][where] = values[at:at + count].reshape(high[2] - low[2], high[1] - low[1], -1)
            at += count
            self.boxes += 1
        assert all(value[name].shape == (at,) for name in NAMES)
        assert self.there.max() == 1, "boxes of a level do not overlap"
        z, y, x = numpy.meshgrid(*((numpy.arange(shape[2 - d]) + 0.5) * self.spacing[d] + origin[d] for d in (2, 1, 0)),
                                 indexing="ij")
        self.field = known_fields(x, y, z)
        self.hidden = numpy.zeros(shape, bool)

    def under(self, finer):
        """Hide what the next level covers. \\return the averages that it has there."""
        pairs = [n for length in self.there.shape for n in (length, 2)]
        self.hidden = finer.there.reshape(pairs).max((1, 3, 5)) == 1
        return {name: finer.value[name].reshape(pairs).mean((1, 3, 5)) for name in NAMES}


def check(path, value_bytes, density, noise):
    epsilon = {4: 2.0 ** -23, 8: 2.0 ** -52}[value_bytes]
    with h5py.File(path, "r") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"OverlappingAMR" and list(root.attrs["Version"]) == [1, 0]
        assert root["FieldData/time"][0] == 1.5 and root["FieldData/step"][0] == 2140
        origin, size = root.attrs["Origin"], (2, 0.75, 1)
        count = sum(name.startswith("Level") for name in root)
        levels = [Level(root[f"Level{n}"], origin, size, value_bytes) for n in range(count)]
    assert levels[0].there.any(), "ParaView 5.11 crashes where the first level is empty"
    assert all(levels[n].spacing[0] == 2 * levels[n + 1].spacing[0] for n in range(count - 1))
    for coarse, fine in zip(levels, levels[1:]):
        averages = coarse.under(fine)
        assert (coarse.there[coarse.hidden] == 1).all(), "levels nest"
        for name in NAMES:
            parents = (coarse.there == 1) & coarse.hidden
            assert not parents.any() or abs(averages[name] - coarse.value[name])[parents].max() < 4 * epsilon
    total = {"density": 0.0, "mx": 0.0}
    covered = 0.0
    for level in levels:
        own = (level.there == 1) & ~level.hidden
        cell = math.prod(level.spacing)
        covered += own.sum() * cell
        for name, field in level.field.items():
            assert not own.any() or abs(level.value[name] - field)[own].max() < 8 * epsilon, (path, name)
        for name in total:
            total[name] += math.fsum(level.value[name][own].astype(float)) * cell
    assert abs(covered - math.prod(size)) < 1e-12, "each place is covered once"
    for name, expected in (("density", density), ("mx", noise)):
        assert abs(total[name] - expected) < 4 * epsilon + 1e-12, (path, name, total[name], expected)
    return sum(level.boxes for level in levels)


def main():
    options = oak_test.options(__doc__, "samples", "mpiexec", "np")
    with tempfile.TemporaryDirectory(prefix="oak_vtkhdf_") as work:
        made = subprocess.run([*options.start, options.samples, work], check=False,
                              stdout=subprocess.PIPE, text=True)
        if made.returncode == 77:
            oak_test.skip_all("oak was built without HDF5; install libhdf5-dev")
        samples = made.stdout.splitlines()
        assert made.returncode == 0 and len(samples) == 16, made
        boxes = blocks = 0
        for line in samples:
            path, dim, value_bytes, nblock, density, noise = line.split()
            if dim == "2":
                check_cells(path, int(value_bytes), float(density), float(noise))
                continue
            boxes += check(path, int(value_bytes), float(density), float(noise))
            blocks += int(nblock)
        print(f"{blocks} blocks in {boxes} boxes")
        assert boxes < blocks, "blocks are merged"


if __name__ == "__main__":
    main()
