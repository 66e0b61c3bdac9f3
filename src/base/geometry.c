/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes, lengths and points of space in the coordinates of a mesh, on the host. */
#include "geometry.h"

#include <math.h>

#include "oak/kernel_args.h"

int oak_geometry_phi(int coordinates, int dim) {
  if (coordinates == OAK_POLAR || coordinates == OAK_CYLINDRICAL) return 1;
  return coordinates == OAK_SPHERICAL && dim == 3 ? 2 : -1;
}

double oak_geometry_volume(int coordinates, int dim, const double low[2], const double high[2]) {
  const double around = oak_geometry_phi(coordinates, dim) < 0 ? 2 * M_PI : 1;
  const double r = 0.5 * (low[0] + high[0]);
  if (coordinates == OAK_CARTESIAN) return 1;
  if (coordinates != OAK_SPHERICAL) return around * r;
  const double dr = high[0] - low[0], theta = 0.5 * (low[1] + high[1]);
  const double half = 0.5 * (high[1] - low[1]);
  return around * (r * r + dr * dr / 12) * sin(theta) * sin(half) / half;
}

double oak_geometry_length(int coordinates, int dim, const double q[3], int d) {
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
