/* SPDX-License-Identifier: GPL-2.0-or-later
 * The geometry of cells, from their place in the mesh. OAK_COORDINATES is a number of
 * oak/kernel_args.h. In Cartesian coordinates all factors are 1, and the compiler drops all of this
 * code. In other coordinates a volume or area is a product of one factor for each axis:
 *
 *                     axes            volume of a cell          areas of its faces
 *   axisymmetric      r, z            2 pi int r dr dz          2 pi r dz, 2 pi int r dr
 *   polar             r, phi          int r dr dphi             r dphi, dr
 *   cylindrical       r, phi, z       int r dr dphi dz          r dphi dz, dr dz, int r dr dphi
 *   spherical         r, theta, phi   int r^2 dr int sin dtheta dphi
 *                        r^2 int sin dtheta dphi, int r dr sin dphi, int r dr dtheta
 *
 * In 2D, spherical coordinates have 2 pi for dphi. For an interval of radii with the middle r, all
 * factors of the radius follow from
 *
 *   s = (dr / 2) / r:   radii of the ends: r (1 -+ s),   int r dr = r dr,
 *                       int r^2 dr = r^2 dr (1 + s^2 / 3).
 *
 * s is 1 beside r = 0, where the inner area is then exactly 0. For an interval of angles theta with
 * the middle t and half its width h: sin(t -+ h) = sin t (cos h -+ cot t sin h), and
 * int sin dtheta = 2 sin t sin h. Places are numbers of cells from the lower end of the domain, so
 * geometry has the same bits on every rank.
 *
 * With OAK_LOG_RADIUS the first coordinate is ln r, and oak_dx along it is the change 4 a of ln r
 * over a cell. The middle r is that of ln r, the radii of the ends are r (cosh 2a -+ sinh 2a), and
 * s = tanh 2a is the same in all cells of a level. */
#pragma once

#include "kernels/access/radius.h"
#include "kernels/language/scalars.h"

#ifndef OAK_COORDINATES
#define OAK_COORDINATES 0
#endif
/* Axes whose factors change from cell to cell: r, and theta. */
enum { OAK_CURVED = OAK_COORDINATES == OAK_SPHERICAL ? 2 : 1 };

/** The distance from r = 0 to the lower side of cell i along r, in cells of the block; with
 * OAK_LOG_RADIUS from the lower end of the domain. */
OAK_FN double oak_cells_to(const oak_field_t *f, long block, int i) {
  const oak_block_t *b = &f->block[block];
  return f->axis * (double)(1LL << b->level) + ((double)b->first * OAK_NX + i);
}

/** The number of cells along theta from the lower end of the domain to the lower side of cell j. */
OAK_FN double oak_cells_along(const oak_field_t *f, long block, int j) {
  const oak_block_t *b = &f->block[block];
  const double blocks = (b->origin[1] - f->low[1]) * (oak_inv_dx(f, b->level, 1) / OAK_NY);
  return floor(blocks + 0.5) * OAK_NY + j;
}

/** s of cell i along r of a block, for linear radii. */
OAK_FN real oak_ring(const oak_field_t *f, long block, int i) {
  return (real)(0.5 / (oak_cells_to(f, block, i) + 0.5));
}

/** Sine and cosine of an angle from 0 to pi, by their series around pi / 2: loops over cells
 * vectorise, and all devices have the same values. */
OAK_FN void oak_sine(double angle, double *sine, double *cosine) {
  const double x = M_PI / 2 - angle, x2 = x * x;
  double even = 1, odd = 1, c = 1, s = 1;
  OAK_UNROLL
  for (int n = 1; n <= 11; n++) {
    c *= -x2 * (1.0 / ((2 * n - 1) * (2 * n)));
    s *= -x2 * (1.0 / ((2 * n) * (2 * n + 1)));
    even += c;
    odd += s;
  }
  *sine = even;
  *cosine = x * odd;
}

/** An interval of cells along r and theta: a cell, or the coarse cell that contains the cell. */
typedef struct {
  real s;              /* half the width over the middle radius */
  real sine, cot;      /* sine and cot of the middle angle theta */
  real qsine, qcosine; /* sine, cosine of a quarter of the width */
  /* with OAK_LOG_RADIUS: 1 / r of the middle and both ends; of a quarter of the change of ln r */
  real inv_r, inv_end[2], qsinh, qcosh;
} oak_span_t;

/* The span whose middle is `r` of its widths dr away from r = 0 (oak_cells_to); `theta` and `width`
 * are the middle and the width of its angles. */
OAK_FN oak_span_t oak_span_of(double r, double dr, double theta, double width) {
  oak_span_t span;
  if (OAK_LOG_RADIUS) {
    double qsinh, qcosh;
    oak_hyperbolic(0.25 * dr, &qsinh, &qcosh);
    span.s = (real)(2 * qsinh * qcosh / (1 + 2 * qsinh * qsinh));
    span.inv_r = (real)(1 / oak_radius(r * dr));
    for (int n = 0; n < 2; n++) span.inv_end[n] = (real)(1 / oak_radius((r + n - 0.5) * dr));
    span.qsinh = (real)qsinh;
    span.qcosh = (real)qcosh;
  } else {
    span.s = (real)(0.5 / r);
  }
  span.sine = span.qcosine = 1;
  span.cot = span.qsine = 0;
  if (OAK_COORDINATES == OAK_SPHERICAL) {
    double sine, cosine;
    oak_sine(theta, &sine, &cosine);
    span.sine = (real)sine;
    span.cot = (real)(cosine / sine);
    oak_sine(0.25 * width, &sine, &cosine);
    span.qsine = (real)sine;
    span.qcosine = (real)cosine;
  }
  return span;
}

OAK_FN oak_span_t oak_span_at(const oak_field_t *f, int level, double r, double theta) {
  const double width = oak_dx(f, level, 1);
  return oak_span_of(r, oak_dx(f, level, 0), f->low[1] + theta * width, width);
}

/** The span of a cell in Cartesian coordinates. */
OAK_FN oak_span_t oak_even_span(void) {
  const oak_span_t g = {0, 1, 0, 0, 1, 0, {0, 0}, 0, 1};
  return g;
}

/** The span of cell (i, j) of a block, ghost cells included. */
OAK_FN oak_span_t oak_span(const oak_field_t *f, long block, int i, int j) {
  if (!OAK_COORDINATES) return oak_even_span();
  const double theta = OAK_COORDINATES == OAK_SPHERICAL ? oak_cells_along(f, block, j) + 0.5 : 0;
  return oak_span_at(f, f->block[block].level, oak_cells_to(f, block, i) + 0.5, theta);
}

/** The span of the coarse cell that contains cells (i, j) and (i + 1, j + 1) of a block. */
OAK_FN oak_span_t oak_span_of_pair(const oak_field_t *f, long block, int i, int j) {
  if (!OAK_COORDINATES) return oak_even_span();
  const double theta =
      OAK_COORDINATES == OAK_SPHERICAL ? 0.5 * oak_cells_along(f, block, j) + 0.5 : 0;
  return oak_span_at(f, f->block[block].level - 1, 0.5 * oak_cells_to(f, block, i) + 0.5, theta);
}

/* ---- the momentum along phi It is advanced as the angular momentum: a flux is multiplied by the
 * distance of its face from the axis and divided by R of the cell. Transfer between levels keeps
 * the sum of V R m: V is the volume of a cell, R the distance of its middle from the axis, m its
 * momentum. In spherical coordinates with linear radii R has r (1 + s^2 / 3) in place of r. This is
 * 1 / the mean of 1 / r over the cell, as in all other terms; otherwise terms would not cancel in a
 * uniform flow near r = 0. The momentum is the vector with PHYSICS_NORMAL. */
#define OAK_PHI_IS_SECOND (OAK_COORDINATES == OAK_POLAR || OAK_COORDINATES == OAK_CYLINDRICAL)
/* The axis along phi; 0: the mesh has none. */
#define OAK_PHI_AXIS \
  (OAK_PHI_IS_SECOND ? 1 : OAK_COORDINATES == OAK_SPHERICAL && OAK_DIM == 3 ? 2 : 0)
#define OAK_PHI_OF(second, third) (OAK_PHI_IS_SECOND ? (second) : (third))

OAK_FN int oak_is_angular(int v) {
  int found = 0;
#define OAK_FIND_PHI(first, second, third)                                   \
  found |= (first) == PHYSICS_NORMAL(0) && OAK_PHI_OF(second, third) >= 0 && \
           v == OAK_PHI_OF(second, third);
  PHYSICS_VECTORS(OAK_FIND_PHI)
  return OAK_COORDINATES && found;
}

/* ---- a cell and its parts on the next finer level */

/** oak_parts_t: the halves of a cell along r and theta. more: the volume of the upper half minus
 * that of the lower half, divided by their sum. step: half the distance of their centroids, in
 * cells. For the momentum along phi, change is the change of R over the cell, divided by R, and arm
 * is R of both halves, divided by R; for other variables change is 0 and arm is 1. */
typedef struct {
  real more[OAK_CURVED], step[OAK_CURVED], change[OAK_CURVED], arm[OAK_CURVED][2];
} oak_parts_t;

/** The parts of a cell; \a angular: 1 for the momentum along phi; 2 for the momentum along phi
 * whose R is the distance of the middle from the axis. */
OAK_FN oak_parts_t oak_parts(oak_span_t g, int angular) {
  oak_parts_t p;
  const real half = (real)0.5 * g.s, m2 = half * half;
  p.more[0] = OAK_LOG_RADIUS ? g.s : half;
  /* With OAK_LOG_RADIUS the centroids of all cells are at equal distances of ln r. */
  p.step[0] = OAK_LOG_RADIUS ? (real)0.25 : (real)0.25 - m2 / (12 * (1 - m2));
  p.change[0] = !angular ? 0 : OAK_LOG_RADIUS ? 4 * g.qsinh * g.qcosh : 2 * g.s;
  p.arm[0][0] = !angular ? 1 : OAK_LOG_RADIUS ? g.qcosh - g.qsinh : 1 - half;
  p.arm[0][1] = !angular ? 1 : OAK_LOG_RADIUS ? g.qcosh + g.qsinh : 1 + half;
  if (OAK_COORDINATES != OAK_SPHERICAL) return p;
  const real cot = g.cot * g.qsine, more = oak_div(cot, g.qcosine), more2 = more * more;
  if (OAK_LOG_RADIUS) {
    const real tanh_a = oak_div(g.qsinh, g.qcosh), tanh2 = tanh_a * tanh_a;
    p.more[0] = tanh_a * oak_div(3 + tanh2, 1 + 3 * tanh2); /* tanh 3a */
  } else {
    const real low = 1 - half, high = 1 + half, third = m2 * (real)(1.0 / 3);
    const real inv = oak_inv(3 + g.s * g.s);
    if (angular == 1) { /* r (1 + s^2 / 3) of the parts and of the cell */
      p.change[0] = 2 * g.s * (3 - g.s * g.s) * inv;
      p.arm[0][0] = 3 * (low + oak_div(third, low)) * inv;
      p.arm[0][1] = 3 * (high + oak_div(third, high)) * inv;
    }
    p.more[0] = 3 * g.s * inv;
    p.step[0] =
        (real)0.25 - (real)(1.0 / 24) * g.s *
                         (oak_div(low, low * low + third) - oak_div(high, high * high + third));
  }
  enum { THETA = OAK_CURVED - 1 };
  p.more[THETA] = more;
  p.step[THETA] = (real)0.25 - oak_div(more2, 12 * (1 - more2)); /* up to the square of the width */
  p.change[THETA] = angular ? 4 * cot : 0;
  p.arm[THETA][0] = angular ? g.qcosine - cot : 1;
  p.arm[THETA][1] = angular ? g.qcosine + cot : 1;
  return p;
}

/** The parts of a cell whose halves have equal volumes. */
OAK_FN oak_parts_t oak_even(void) { return oak_parts(oak_even_span(), 0); }

/** The parts of a face along r or theta: areas, not volumes. \a dir: the axis across the face. */
OAK_FN oak_parts_t oak_face_parts(oak_span_t g, int angular, int dir) {
  oak_parts_t p = oak_parts(g, angular);
  const int across_phi = OAK_PHI_IS_SECOND && dir == 1;
  if (dir > 0) /* areas are int r dr, or int dr across phi */
    p.more[0] = OAK_LOG_RADIUS ? (across_phi ? oak_div(g.qsinh, g.qcosh) : g.s)
                               : (across_phi ? 0 : (real)0.5 * g.s);
  if (OAK_CURVED > 1 && dir == 2) p.more[OAK_CURVED - 1] = 0; /* int dtheta */
  return p;
}

/* Mean of the values of the halves along one axis. */
OAK_FN real oak_mean_along(const oak_parts_t *g, int axis, real lower, real upper) {
  if (axis >= OAK_CURVED) return (real)0.5 * (lower + upper);
  return (real)0.5 * ((1 - g->more[axis]) * g->arm[axis][0] * lower +
                      (1 + g->more[axis]) * g->arm[axis][1] * upper);
}

/** The mean by area of the numbers p[] on the fine faces across `dir` that cover the coarse face
 * (a, b) of a fine block: p[0] and p[1], and in 3D p[next] and p[next + 1]. */
OAK_FN real oak_face_mean(const oak_field_t *f, long block, int dir, int v, int a, int b,
                          const real *p, int next) {
  if (!OAK_COORDINATES) {
    real sum = p[0] + p[1];
    if (OAK_DIM == 3) sum += p[next] + p[next + 1];
    return sum * (real)(OAK_DIM == 3 ? 0.25 : 0.5);
  }
  const oak_span_t span = oak_span_of_pair(f, block, dir ? 2 * a : 0, dir ? 2 * b : 2 * a);
  const oak_parts_t g = oak_face_parts(span, oak_is_angular(v), dir);
  const int first = dir == 0, second = dir == 2 ? 1 : 2;
  const real row = oak_mean_along(&g, first, p[0], p[1]);
  if (OAK_DIM == 2) return row;
  return oak_mean_along(&g, second, row, oak_mean_along(&g, first, p[next], p[next + 1]));
}

/** Mean of the arms of the parts of a cell by volume. */
OAK_FN real oak_mean_arm(oak_span_t g) {
  const oak_parts_t parts = oak_parts(g, 1);
  real mean = 1;
  OAK_FOR(axis, OAK_CURVED) mean *= oak_mean_along(&parts, axis, 1, 1);
  return mean;
}

/* The value of a half of a cell along one axis, minus the value u of the cell. */
OAK_FN real oak_step_along(const oak_parts_t *g, int axis, int upper, real u, real slope) {
  const real weight = upper ? 1 - g->more[axis] : -(1 + g->more[axis]);
  return weight * g->step[axis] * (slope + g->change[axis] * u);
}

/* ---- fluxes */

/** oak_areas_t: face: the factors of the fluxes through the lower and upper face across each axis.
 * A factor is the area times the size of the cell in coordinates, divided by the volume. arm: R at
 * both faces across r and theta, divided by R of the cell. */
typedef struct {
  real face[3][2], arm[OAK_CURVED][2];
} oak_areas_t;

/** 1 / r in the middle of a cell; inv_dr: 1 / dr. */
OAK_FN real oak_inv_middle(oak_span_t g, real inv_dr) {
  return OAK_LOG_RADIUS ? g.inv_r : 2 * g.s * inv_dr;
}

/** The areas of a cell; inv_dr: 1 / dr, half: half of dtheta. */
OAK_FN oak_areas_t oak_areas_of(oak_span_t g, real inv_dr, real half) {
  oak_areas_t a;
  real low = 1 - g.s, high = 1 + g.s, inv_r = oak_inv_middle(g, inv_dr);
  if (OAK_LOG_RADIUS) {
    const real sinh_2a = 2 * g.qsinh * g.qcosh, cosh_2a = 1 + 2 * g.qsinh * g.qsinh;
    inv_r = oak_div(g.inv_r, cosh_2a);                          /* 2 / the sum of both radii */
    const real shrink = oak_div(g.inv_r, 2 * sinh_2a * inv_dr); /* oak_dx over the true size */
    a.arm[0][0] = cosh_2a - sinh_2a;
    a.arm[0][1] = cosh_2a + sinh_2a;
    a.face[0][0] = low * shrink;
    a.face[0][1] = high * shrink;
  } else {
    a.arm[0][0] = a.face[0][0] = low;
    a.arm[0][1] = a.face[0][1] = high;
  }
  a.face[1][0] = a.face[1][1] = OAK_PHI_IS_SECOND ? inv_r : 1;
  a.face[2][0] = a.face[2][1] = 1;
  if (OAK_COORDINATES != OAK_SPHERICAL) return a;
  const real third = oak_inv(1 + g.s * g.s * (real)(1.0 / 3)), along = inv_r * third;
  const real sine = 2 * g.qsine * g.qcosine, cosine = 1 - 2 * g.qsine * g.qsine;
  const real wide = oak_div(half, sine); /* theta: half the width over its sine */
  if (!OAK_LOG_RADIUS) {
    a.arm[0][0] *= third;
    a.arm[0][1] *= third;
  }
  a.arm[OAK_CURVED - 1][0] = cosine - g.cot * sine;
  a.arm[OAK_CURVED - 1][1] = cosine + g.cot * sine;
  OAK_FOR(n, 2) {
    a.face[0][n] *= (n ? high : low) * third;
    a.face[1][n] = along * wide * a.arm[OAK_CURVED - 1][n];
    a.face[2][n] = along * oak_div(wide, g.sine);
  }
  return a;
}

OAK_FN oak_areas_t oak_areas(const oak_field_t *f, long block, int i, int j) {
  const int level = f->block[block].level;
  return oak_areas_of(oak_span(f, block, i, j), (real)oak_inv_dx(f, level, 0),
                      (real)(0.5 * oak_dx(f, level, 1)));
}

/** Whether the flux of variable v across an axis is multiplied by the arm of the face: v is the
 * momentum along phi or, across r in spherical coordinates, the momentum along theta. */
OAK_FN int oak_has_arm(int v, int dir) {
  int found = oak_is_angular(v);
#define OAK_FIND_THETA(first, second, third) \
  found |= OAK_CURVED > 1 && dir == 0 && (first) == PHYSICS_NORMAL(0) && v == (second);
  PHYSICS_VECTORS(OAK_FIND_THETA)
  return OAK_COORDINATES && dir < OAK_CURVED && found;
}

OAK_FN real oak_face_factor(const oak_areas_t *a, int v, int dir, int upper) {
  const int axis = OAK_MIN(dir, OAK_CURVED - 1);
  if (!OAK_COORDINATES) return 1;
  return oak_has_arm(v, dir) ? a->face[dir][upper] * a->arm[axis][upper] : a->face[dir][upper];
}

/* ---- sizes and volumes */

/** Whether the true size of a cell along `dir` is its size in coordinates times r (axis 0) or times
 * sin theta (axis 1). */
OAK_FN int oak_is_arc(int dir, int axis) {
  return OAK_COORDINATES == OAK_SPHERICAL ? dir > axis : OAK_PHI_IS_SECOND && dir == 1 && axis == 0;
}

/** The true size of a cell along r at r = 1, divided by its size in ln r. */
OAK_FN double oak_stretch(double dx) {
  double qsinh, qcosh;
  oak_hyperbolic(0.25 * dx, &qsinh, &qcosh);
  return 4 * qsinh * qcosh / dx;
}

/** The middle radius of cell i along r of a block. */
OAK_FN double oak_middle(const oak_field_t *f, long block, int i) {
  const double x = (oak_cells_to(f, block, i) + 0.5) * oak_dx(f, f->block[block].level, 0);
  return OAK_LOG_RADIUS ? oak_radius(x) : x;
}

/** The size of cell (i, j) of a block along an axis, through its middle. */
OAK_FN double oak_size(const oak_field_t *f, long block, int i, int j, int dir) {
  const int level = f->block[block].level;
  double size = oak_dx(f, level, dir), sine = 1, cosine;
  if (!OAK_COORDINATES) return size;
  const double r = oak_middle(f, block, i);
  if (OAK_LOG_RADIUS && dir == 0) return r * oak_stretch(size) * size;
  if (oak_is_arc(dir, 1))
    oak_sine(f->low[1] + (oak_cells_along(f, block, j) + 0.5) * oak_dx(f, level, 1), &sine,
             &cosine);
  if (oak_is_arc(dir, 0)) size *= r;
  return size * sine;
}

OAK_FN double oak_inv_size(const oak_field_t *f, long block, int i, int j, int dir) {
  if (!OAK_COORDINATES) return oak_inv_dx(f, f->block[block].level, dir);
  return 1 / oak_size(f, block, i, j, dir);
}

/** The mean of r, or of r^2 sin theta, over a cell whose middle has r and theta. With
 * OAK_LOG_RADIUS it is the volume divided by the change of ln r, and \a r is ln (r /
 * OAK_RADIUS_MIN). */
OAK_FN double oak_mean_factor(double r, double dr, double theta, double width) {
  double sine, cosine, half_sine, size = 1;
  if (OAK_LOG_RADIUS) {
    const double middle = oak_radius(r);
    double qsinh, qcosh;
    size = oak_stretch(dr) * middle;
    oak_hyperbolic(0.25 * dr, &qsinh, &qcosh);
    r = middle * (1 + 2 * qsinh * qsinh); /* half the sum of both radii */
  }
  if (OAK_COORDINATES != OAK_SPHERICAL) return size * r;
  oak_sine(theta, &sine, &cosine);
  oak_sine(0.5 * width, &half_sine, &cosine);
  return size * (r * r + size * dr * size * dr / 12) * 2 * sine * half_sine / width;
}

/** R of cell c of a block, for the momentum along phi. */
OAK_FN double oak_axis_distance(const oak_field_t *f, long block, int c) {
  if (!OAK_COORDINATES) return 0;
  const int level = f->block[block].level;
  double r = oak_middle(f, block, c % OAK_NX), sine = 1, cosine;
  if (OAK_COORDINATES != OAK_SPHERICAL) return r;
  if (!OAK_LOG_RADIUS) r += oak_dx(f, level, 0) * oak_dx(f, level, 0) / (12 * r);
  oak_sine(f->low[1] + (oak_cells_along(f, block, c / OAK_NX % OAK_NY) + 0.5) * oak_dx(f, level, 1),
           &sine, &cosine);
  return r * sine;
}

/** The volume of cell c of a block, divided by oak_cell_volume. */
OAK_FN double oak_volume_factor(const oak_field_t *f, long block, int c) {
  if (!OAK_COORDINATES) return 1;
  const int level = f->block[block].level, j = c / OAK_NX % OAK_NY;
  const double dr = oak_dx(f, level, 0), r = dr * (oak_cells_to(f, block, c % OAK_NX) + 0.5);
  const double width = oak_dx(f, level, 1);
  const double theta = OAK_COORDINATES == OAK_SPHERICAL
                           ? f->low[1] + (oak_cells_along(f, block, j) + 0.5) * width
                           : 0;
  return (OAK_PHI_AXIS ? 1 : 2 * M_PI) * oak_mean_factor(r, dr, theta, width);
}

/* ---- edges, faces and cells for a vector on faces (FACE_VECTOR), in double precision. All blocks
 * that share an edge or a face have the same bits. In 2D extents are for one radian of phi, or one
 * unit of z. */

/* Bits of the axes along which the true size of a cell is its size in coordinates times r, or times
 * sin theta. */
#define OAK_TIMES_R \
  (OAK_COORDINATES == OAK_SPHERICAL ? 6 : OAK_COORDINATES == OAK_AXISYMMETRIC ? 4 : 2)
#define OAK_TIMES_SINE (OAK_COORDINATES == OAK_SPHERICAL ? 4 : 0)

/** The true size along `dir` over that in coordinates, (i, j) cells from the corner of a block. */
OAK_FN double oak_scale(const oak_field_t *f, long block, double i, double j, int dir) {
  if (!OAK_COORDINATES) return 1;
  const int level = f->block[block].level;
  double r = (oak_cells_to(f, block, 0) + i) * oak_dx(f, level, 0), sine = 1, cosine;
  r = OAK_LOG_RADIUS ? oak_radius(r) : r;
  if (OAK_TIMES_SINE >> dir & 1)
    oak_sine(f->low[1] + (oak_cells_along(f, block, 0) + j) * oak_dx(f, level, 1), &sine, &cosine);
  return OAK_TIMES_R >> dir & 1 || (OAK_LOG_RADIUS && dir == 0) ? r * sine : 1;
}

/** The integral of the true sizes along the axes in the bits of `over`, from the lower corner of a
 * cell of a level: 4 gives its edge along z or phi, 6 its lower face across the first axis, 7 its
 * volume. `i` and `j` are the numbers of the cell (oak_cells_to, oak_cells_along). */
OAK_FN double oak_extent(const oak_field_t *f, int level, double i, double j, int over) {
  double size = 1;
  OAK_FOR(d, OAK_DIM) size *= over >> d & 1 ? oak_dx(f, level, d) : 1;
  if (!OAK_COORDINATES) return size;
  const int times = over & OAK_TIMES_R, power = (times >> 1 & 1) + (times >> 2);
  const double dr = oak_dx(f, level, 0);
  const double low = OAK_LOG_RADIUS ? oak_radius(i * dr) : i * dr;
  const double high = OAK_LOG_RADIUS ? oak_radius((i + 1) * dr) : (i + 1) * dr;
  double mean[3] = {1, low, low * low}; /* means of the powers of r */
  if (over & 1) {
    mean[1] = 0.5 * (low + high);
    mean[2] = (low * low + low * high + high * high) * (1.0 / 3);
    if (OAK_LOG_RADIUS) size *= (high - low) / dr;
  }
  size *= power == 0 ? mean[0] : power == 1 ? mean[1] : mean[2];
  if (!(over & OAK_TIMES_SINE)) return size;
  double sine, half_sine, cosine;
  const double width = oak_dx(f, level, 1);
  oak_sine(f->low[1] + (over & 2 ? j + 0.5 : j) * width, &sine, &cosine);
  oak_sine(0.5 * width, &half_sine, &cosine);
  if (over & 2) return size * sine * (2 * half_sine / width);
  return sine > 1e-12 ? size * sine : 0; /* at poles */
}

/** oak_extent of cell (i, j) of a block. */
OAK_FN double oak_block_extent(const oak_field_t *f, long block, int i, int j, int over) {
  const int level = f->block[block].level;
  if (!OAK_COORDINATES) return oak_extent(f, level, 0, 0, over);
  return oak_extent(f, level, oak_cells_to(f, block, i),
                    OAK_TIMES_SINE ? oak_cells_along(f, block, j) : 0, over);
}

/** The area of the lower face of cell (i, j) across `dir`. */
OAK_FN double oak_face_area(const oak_field_t *f, long block, int dir, int i, int j) {
  return oak_block_extent(f, block, i, j, 7 ^ 1 << dir);
}

#if OAK_CURL
/** The divergence in cell x[] of a block with these faces. *size: the sum of the magnitudes of the
 * terms of its faces. */
OAK_FN double oak_cell_divergence(const oak_field_t *f, const store_t *faces, long block,
                                  const int x[3], double *size) {
  const double inv = 1 / oak_block_extent(f, block, x[0], x[1], 7);
  double net = 0;
  *size = 0;
  OAK_FOR(d, OAK_DIM) {
    const store_t *p = faces + oak_face_index(d, x[0], x[1], x[2]);
    const double low = (double)p[0] * oak_face_area(f, block, d, x[0], x[1]);
    const double high =
        (double)p[OAK_STRIDE(d)] * oak_face_area(f, block, d, x[0] + (d == 0), x[1] + (d == 1));
    net += (high - low) * inv;
    *size += (fabs(high) + fabs(low)) * inv;
  }
  return net;
}

/** The divergence in the cell of a hook. */
OAK_FN double oak_at_divergence(const oak_at_t *at) {
  double size;
  return oak_cell_divergence(at->state, oak_faces(at->state->u, at->block), at->block, at->cell,
                             &size);
}
#endif
