#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Read a plotfile with VTK's AMReX reader, the one ParaView uses, and compare the integral of a
variable over the leaf cells with an expected value. Which cells are covered by finer ones is the
reader's own judgement.

usage: /usr/bin/python3 check_plotfile.py PLOTFILE VARIABLE EXPECTED [RELATIVE_TOLERANCE]

Needs Debian's python3-vtk9 and python3-numpy. Exits with 0 if the integrals agree (by default to
1e-12), 1 if not, 77 (skipped) where VTK is missing."""
import math
import sys

import oak_test

try:
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes
    from vtkmodules.vtkIOAMR import vtkAMReXGridReader
except ImportError as missing:
    oak_test.need_module(missing)


def read(path, variable):
    reader = vtkAMReXGridReader()
    reader.SetFileName(path)
    reader.SetMaxLevel(100)
    reader.UpdateInformation()
    names = [reader.GetCellArrayName(i) for i in range(reader.GetNumberOfCellArrays())]
    if variable not in names:
        sys.exit(f"{path} has no variable '{variable}' for the reader; it has {names}")
    reader.SetCellArrayStatus(variable, 1)
    reader.Update()
    return reader.GetOutput()


def integrate(amr, variable):
    """Integral over the leaf cells, their volume, their number, and the number of covered ones."""
    total, volume, leaves, covered = [], [], 0, 0
    for level in range(amr.GetNumberOfLevels()):
        for box in range(amr.GetNumberOfDataSets(level)):
            grid = amr.GetDataSet(level, box)
            data = grid.GetCellData()
            values = vtk_to_numpy(data.GetArray(variable))
            leaf = numpy.ones(values.shape, bool)
            if data.GetArray("vtkGhostType"):
                flags = vtk_to_numpy(data.GetArray("vtkGhostType"))
                leaf = (flags & vtkDataSetAttributes.REFINEDCELL) == 0
            sides = zip(grid.GetSpacing(), grid.GetDimensions())
            cell = math.prod(h for h, points in sides if points > 1)
            total.append(math.fsum(values[leaf]) * cell)
            volume.append(leaf.sum() * cell)
            leaves += leaf.sum()
            covered += values.size - leaf.sum()
    return math.fsum(total), math.fsum(volume), leaves, covered


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    path, variable, expected = sys.argv[1], sys.argv[2], float(sys.argv[3])
    tolerance = float(sys.argv[4]) if len(sys.argv) == 5 else 1e-12
    amr = read(path, variable)
    total, volume, leaves, covered = integrate(amr, variable)
    error = abs(total - expected) / max(abs(expected), 1e-300)
    print(f"{path}: {amr.GetNumberOfLevels()} levels, {leaves} leaf cells, {covered} covered, "
          f"volume {volume:.17g}, integral of {variable} {total:.17g}, expected {expected:.17g}, "
          f"relative error {error:.2g}")
    return 0 if error <= tolerance else 1


if __name__ == "__main__":
    sys.exit(main())
