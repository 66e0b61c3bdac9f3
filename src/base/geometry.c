/* SPDX-License-Identifier: GPL-2.0-or-later
 * Volumes, lengths and points of space in the coordinates of a mesh, on the host. */
#include "geometry.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* ---- names */

const char *oak_geometry_axis(int coordinates, int n) {
  static const char *const name[][3] = {[OAK_CARTESIAN] = {"x", "y", "z"},
                                        [OAK_AXISYMMETRIC] = {"r", "z", "phi"},
                                        [OAK_POLAR] = {"r", "phi", "z"},
                                        [OAK_CYLINDRICAL] = {"r", "phi", "z"},
                                        [OAK_SPHERICAL] = {"r", "theta", "phi"}};
  return name[coordinates][n];
}

void oak_component_name(int coordinates, const char *name, int n, char *out, size_t size) {
  size_t length = strlen(name);
  const char last = length ? name[length - 1] : 0;
  const int velocity = last == "uvw"[n]; /* shallow water: u and v are velocities */
  snprintf(out, size, "%s", name);
  if (!coordinates || !(velocity || (length > 1 && last == "xyz"[n]))) return;
  length--;
  if (length > 0 && name[length - 1] == '_') length--;
  snprintf(out, size, "%.*s%s_%s", (int)length, name, velocity ? "v" : "",
           oak_geometry_axis(coordinates, n));
}

static int is_written(int coordinates, const char *old, const char *name) {
  for (int n = 0; n < 3; n++) {
    char text[256];
    oak_component_name(coordinates, old, n, text, sizeof text);
    if (!strcmp(text, name)) return 1;
  }
  return 0;
}

int oak_component_same(int coordinates, const char *a, const char *b) {
  return is_written(coordinates, a, b) || is_written(coordinates, b, a);
}

void oak_geometry_vector(int coordinates, int dim, const double q[3], double v[3]) {
  const double first = v[0], second = v[1], third = v[2];
  if (coordinates == OAK_CARTESIAN) return;
  if (coordinates == OAK_AXISYMMETRIC) {
    v[2] = -third;
  } else if (coordinates == OAK_SPHERICAL) {
    const double s = sin(q[1]), c = cos(q[1]), away = first * s + second * c;
    const double phi = dim == 3 ? q[2] : 0, along = first * c - second * s;
    v[0] = dim == 3 ? away * cos(phi) - third * sin(phi) : away;
    v[1] = dim == 3 ? away * sin(phi) + third * cos(phi) : along;
    v[2] = dim == 3 ? along : -third;
  } else {
    v[0] = first * cos(q[1]) - second * sin(q[1]);
    v[1] = first * sin(q[1]) + second * cos(q[1]);
  }
}
