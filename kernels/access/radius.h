/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sizes of cells in coordinates. With mesh.radius = logarithmic the first coordinate is ln r. */
#pragma once

#include "oak/kernel.h"

#ifndef OAK_LOG_RADIUS /* the first coordinate is x or r */
#define OAK_LOG_RADIUS 0
enum { OAK_RADIUS_MIN = 1, OAK_RADIUS_LOG = 0 };
#endif

/** The radius at x = ln (r / OAK_RADIUS_MIN), which is above -11 and below 32; OAK_RADIUS_MIN is
 * the lower end of the domain. It is 2^n times a series, so that loops over cells vectorise and all
 * devices have the same values. */
OAK_FN double oak_radius(double x) {
  const double n = floor(x * 1.4426950408889634 + 0.5);
  const double y = x - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10;
  const int power = (int)n + 16;
  double sum = 1, scale = OAK_RADIUS_MIN / 65536;
  OAK_UNROLL
  for (int k = 14; k > 0; k--) sum = 1 + sum * y * (1.0 / k);
  OAK_FOR(bit, 6) scale *= power >> bit & 1 ? (double)(1ULL << (1 << bit)) : 1;
  return scale * sum;
}

/** sinh and cosh of a number of about 1 or less. */
OAK_FN void oak_hyperbolic(double x, double *sinh_x, double *cosh_x) {
  double odd = 1, even = 1, s = 1, c = 1;
  OAK_UNROLL
  for (int n = 1; n <= 9; n++) {
    c *= x * x * (1.0 / ((2 * n - 1) * (2 * n)));
    s *= x * x * (1.0 / ((2 * n) * (2 * n + 1)));
    even += c;
    odd += s;
  }
  *sinh_x = x * odd;
  *cosh_x = even;
}

/** The first coordinate that hooks get, from the first coordinate of the mesh. */
OAK_FN double oak_first_coordinate(double x) {
  return OAK_LOG_RADIUS ? oak_radius(x - OAK_RADIUS_LOG) : x;
}

/** The coordinate of hooks at `step` of the mesh along `dir` from a place with coordinate x. */
OAK_FN double oak_moved(int dir, double x, double step) {
  double sinh_x, cosh_x;
  if (!OAK_LOG_RADIUS || dir != 0) return x + step;
  oak_hyperbolic(step, &sinh_x, &cosh_x);
  return x * (cosh_x + sinh_x);
}

/** Cell size along `dir` of a block at `level`. Each level halves it exactly. dx0[dir] is not used,
 * because an index that is not constant would keep all arguments of a kernel in memory. */
OAK_FN double oak_dx(const oak_field_t *f, int level, int dir) {
  const double dx0 = dir == 0 ? f->dx0[0] : dir == 1 ? f->dx0[1] : f->dx0[2];
  return dx0 / (double)(1LL << level);
}

/** 1 / oak_dx, the same bits without a division. */
OAK_FN double oak_inv_dx(const oak_field_t *f, int level, int dir) {
  return f->inv_dx0[dir] * (double)(1LL << level);
}
