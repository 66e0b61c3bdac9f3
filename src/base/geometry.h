/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes, lengths and points of space in the coordinates of oak/kernel_args.h (OAK_POLAR, ...), on
 * the host. Kernels have kernels/geometry/geometry.h. Private. */
#pragma once

#include <stddef.h>

#include "oak/kernel_args.h"

/** The axis along phi; -1: there is none. */
int oak_geometry_phi(int coordinates, int dim);

/** The first coordinate of a mesh, from the radius or another first coordinate \a x: ln r where the
 * radius is logarithmic. */
double oak_geometry_to_mesh(int logarithmic, double x);
/** The way back. */
double oak_geometry_from_mesh(int logarithmic, double x);

/** Set the domain of a field, which begins at \a low, and the size of its cells of level 0. */
void oak_geometry_field(int logarithmic, int dim, const double low[3], const double dx0[3],
                        oak_field_t *field);

/** The volume of a cell between the corners \a low and \a high in coordinates of the mesh, divided
 * by the product of its sizes in these coordinates. Only the first two coordinates count. Where no
 * axis is along phi, the volume goes around the axis. */
double oak_geometry_volume(int coordinates, int logarithmic, int dim, const double low[2],
                           const double high[2]);

/** The Cartesian point with the coordinates \a q. A mesh in 2D lies in a plane: (r, z) as it is,
 * (r, phi) around the origin, (r, theta) with theta = 0 along the second axis. */
void oak_geometry_point(int coordinates, int dim, const double q[3], double x[3]);

/** Variables that are components of a vector, along the axes of the coordinates. */
typedef struct {
  char name[40];
  int var[3]; /**< -1: this component is 0 */
} oak_vector_t;

/** The Cartesian components of a vector at \a q, in place of those along the axes. In 2D the third
 * component is that across the plane of oak_geometry_point(): of (r, z) and (r, theta), minus that
 * along phi. */
void oak_geometry_vector(int coordinates, int dim, const double q[3], double v[3]);

/** The name of the axis of component \a n of vectors: x, r, theta and so on. In 2D there is a third
 * one. */
const char *oak_geometry_axis(int coordinates, int n);
/** The name that outputs give component \a n of a vector which a physics calls \a name: v_r for vx
 * (or u) in polar coordinates. Names without a letter for the axis stay as they are. */
void oak_component_name(int coordinates, const char *name, int n, char *out, size_t size);
/** Whether both are names of one component: equal, or one of them as the physics has it. */
int oak_component_same(int coordinates, const char *a, const char *b);
