/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes, lengths and points of space in the coordinates of oak/kernel_args.h (OAK_POLAR, ...), on
 * the host. Kernels have kernels/geometry.h. Private. */
#ifndef OAK_BASE_GEOMETRY_H
#define OAK_BASE_GEOMETRY_H

#include "oak/kernel_args.h"

/** The axis along phi; -1: there is none. */
int oak_geometry_phi(int coordinates, int dim);

/** The first coordinate of a mesh, from the radius or another first coordinate \a x: ln r where the
 * radius is logarithmic. */
double oak_geometry_to_mesh(int logarithmic, double x);
/** The way back. */
double oak_geometry_from_mesh(int logarithmic, double x);

/** What a field says of the domain, which begins at \a low, and of cells of level 0. */
void oak_geometry_field(int logarithmic, int dim, const double low[3], const double dx0[3],
                        oak_field_t *field);

/** The volume of a cell between the corners \a low and \a high in coordinates of the mesh, divided
 * by the product of its sizes in these coordinates. Only the first two coordinates count. Where no
 * axis is along phi, the volume goes around the axis. */
double oak_geometry_volume(int coordinates, int logarithmic, int dim, const double low[2],
                           const double high[2]);

/** The length of a step at the point \a q along axis \a d, divided by the change of the coordinate
 * of the mesh. */
double oak_geometry_length(int coordinates, int logarithmic, int dim, const double q[3], int d);

/** The Cartesian point with the coordinates \a q. A mesh in 2D lies in a plane: (r, z) as it is,
 * (r, phi) around the origin, (r, theta) with theta = 0 along the second axis. */
void oak_geometry_point(int coordinates, int dim, const double q[3], double x[3]);

#endif
