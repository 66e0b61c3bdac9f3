# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests with VTK ask of the blocks of an output file, whichever reader made them: a list of vtkImageData
whose cell array vtkGhostType, if there is one, marks what belongs to another block."""
import itertools
import math

import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkRectilinearGrid
from vtkmodules.vtkFiltersCore import vtkCellDataToPointData, vtkContourFilter, vtkTriangleFilter


def own_cells(grid):
    """Which cells of a block are no ghosts, as an array of true and false."""
    ghosts = grid.GetCellData().GetArray("vtkGhostType")
    return numpy.ones(grid.GetNumberOfCells(), bool) if ghosts is None else vtk_to_numpy(ghosts) == 0


def integral(grids, variable):
    """Integral over all cells that are no ghosts."""
    parts = []
    for grid in grids:
        values = vtk_to_numpy(grid.GetCellData().GetArray(variable)).astype(float)
        parts.append(math.fsum(values[own_cells(grid)]) * math.prod(grid.GetSpacing()))
    return math.fsum(parts)


def centres(grid):
    """Coordinates of the cells' centres, [cell][3]."""
    cells = [n - 1 for n in grid.GetDimensions()]  # 0 along z: a surface
    axes = [grid.GetOrigin()[d] + (numpy.arange(max(n, 1)) + 0.5 * (n > 0)) * grid.GetSpacing()[d] for d, n in enumerate(cells)]
    z, y, x = numpy.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    return numpy.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def rectangles(grid):
    """The same surface as a reader of XDMF makes it. Contours through a vtkImageData forget which cells are ghosts."""
    copy = vtkRectilinearGrid()
    copy.SetDimensions(grid.GetDimensions())
    for d, put in enumerate((copy.SetXCoordinates, copy.SetYCoordinates)):
        put(numpy_to_vtk(grid.GetOrigin()[d] + numpy.arange(grid.GetDimensions()[d]) * grid.GetSpacing()[d], deep=True))
    copy.GetCellData().ShallowCopy(grid.GetCellData())
    return copy


def contour(grid, variable, value):
    """A contour through one block as a viewer makes it, from values at points: corners of its triangles
    [triangle][3][3] or through a surface of its lines [line][2][3], and which of them lie in ghost cells."""
    points, surface, triangles = vtkCellDataToPointData(), vtkContourFilter(), vtkTriangleFilter()
    corner = min(grid.GetDataDimension(), 3)
    points.SetInputData(grid if corner == 3 else rectangles(grid))
    surface.SetInputConnection(points.GetOutputPort())
    surface.SetInputArrayToProcess(0, 0, 0, 0, variable)
    surface.SetValue(0, value)
    triangles.SetInputConnection(surface.GetOutputPort())
    triangles.Update()
    found = triangles.GetOutput()
    if found.GetNumberOfCells() == 0:
        return numpy.zeros((0, corner, 3)), numpy.zeros(0, bool)
    parts = found.GetPolys() if corner == 3 else found.GetLines()
    assert parts.GetNumberOfCells() == found.GetNumberOfCells()
    corners = vtk_to_numpy(parts.GetConnectivityArray()).reshape(-1, corner)
    ghosts = found.GetCellData().GetArray("vtkGhostType")
    ghosts = numpy.zeros(len(corners), bool) if ghosts is None else vtk_to_numpy(ghosts) != 0
    return vtk_to_numpy(found.GetPoints().GetData()).astype(float)[corners], ghosts


def single_edges(triangles, low, high, wanted):
    """How many edges of wanted triangles belong to no other triangle and do not lie on the domain's boundary; of lines
    their ends."""
    users = {}
    for triangle, counts in zip(triangles, wanted):
        corners = [tuple(numpy.rint(corner / 1e-6).astype(int)) for corner in triangle]
        for edge in itertools.combinations(range(len(corners)), len(corners) - 1):
            places = frozenset(corners[a] for a in edge)
            if len(places) == len(edge):
                users.setdefault(places, []).append((triangle[list(edge)], counts))
    alone = [use[0][0] for use in users.values() if len(use) == 1 and use[0][1]]
    return sum(not ((abs(ends - low) < 1e-6).all(0).any() or (abs(ends - high) < 1e-6).all(0).any()) for ends in alone)


def contour_edges(grids, variable, value):
    """The contour of a variable through all blocks. Returns three numbers: the triangles that a viewer shows; their
    open edges, which no other triangle shares, not even a hidden one in ghost cells; and their edges that no other
    shown triangle shares."""
    triangles, hidden = (numpy.concatenate(parts) for parts in zip(*(contour(grid, variable, value) for grid in grids)))
    low, high = numpy.full(3, numpy.inf), numpy.full(3, -numpy.inf)
    for grid in grids:
        at, half = centres(grid)[own_cells(grid)], numpy.array(grid.GetSpacing()) / 2
        low, high = numpy.minimum(low, at.min(0) - half), numpy.maximum(high, at.max(0) + half)
    shown = triangles[~hidden]
    return (len(shown), single_edges(triangles, low, high, ~hidden),
            single_edges(shown, low, high, numpy.ones(len(shown), bool)))
