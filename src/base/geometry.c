/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes, lengths and points of space in the coordinates of a mesh, on the host. */
#include "geometry.h"

#include <math.h>

int oak_geometry_phi(int coordinates, int dim) {
  if (coordinates == OAK_POLAR || coordinates == OAK_CYLINDRICAL) return 1;
  return coordinates == OAK_SPHERICAL && dim == 3 ? 2 : -1;
}

double oak_geometry_to_mesh(int logarithmic, double x) { return logarithmic ? log(x) : x; }

double oak_geometry_from_mesh(int logarithmic, double x) { return logarithmic ? exp(x) : x; }

void oak_geometry_field(int logarithmic, int dim, const double low[3], const double dx0[3],
                        oak_field_t *field) {
  for (int d = 0; d < dim; d++) {
    field->low[d] = low[d];
    field->dx0[d] = dx0[d];
    field->inv_dx0[d] = 1 / dx0[d];
  }
  field->axis = logarithmic ? 0 : low[0] / dx0[0];
}

/** The same between two corners in space. */
static double space_volume(int coordinates, int dim, const double low[2], const double high[2]) {
  const double around = oak_geometry_phi(coordinates, dim) < 0 ? 2 * M_PI : 1;
  const double r = 0.5 * (low[0] + high[0]);
  if (coordinates == OAK_CARTESIAN) return 1;
  if (coordinates != OAK_SPHERICAL) return around * r;
  const double dr = high[0] - low[0], theta = 0.5 * (low[1] + high[1]);
  const double half = 0.5 * (high[1] - low[1]);
  return around * (r * r + dr * dr / 12) * sin(theta) * sin(half) / half;
}

double oak_geometry_volume(int coordinates, int logarithmic, int dim, const double low[2],
                           const double high[2]) {
  if (!logarithmic) return space_volume(coordinates, dim, low, high);
  const double half = 0.5 * (high[0] - low[0]), size = 2 * exp(low[0] + half) * sinh(half);
  const double middle = exp(low[0] + half) * cosh(half);
  const double ends[2][2] = {{middle - 0.5 * size, low[1]}, {middle + 0.5 * size, high[1]}};
  return space_volume(coordinates, dim, ends[0], ends[1]) * size / (2 * half);
}

double oak_geometry_length(int coordinates, int logarithmic, int dim, const double q[3], int d) {
  if (logarithmic && d == 0) return q[0];
  if (coordinates == OAK_SPHERICAL && d > 0) return d == 1 ? q[0] : q[0] * sin(q[1]);
  return coordinates && d == oak_geometry_phi(coordinates, dim) ? q[0] : 1;
}

void oak_geometry_point(int coordinates, int dim, const double q[3], double x[3]) {
  for (int d = 0; d < 3; d++) x[d] = d < dim ? q[d] : 0;
  if (coordinates == OAK_POLAR || coordinates == OAK_CYLINDRICAL) {
    x[0] = q[0] * cos(q[1]);
    x[1] = q[0] * sin(q[1]);
  } else if (coordinates == OAK_SPHERICAL) {
    const double away = q[0] * sin(q[1]), phi = dim == 3 ? q[2] : 0;
    x[0] = away * cos(phi);
    x[1] = dim == 3 ? away * sin(phi) : q[0] * cos(q[1]);
    if (dim == 3) x[2] = q[0] * cos(q[1]);
  }
}
