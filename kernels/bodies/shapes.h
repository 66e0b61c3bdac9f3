/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies in the domain: electrodes and dielectrics. The sections [body.NAME] give their shapes;
 * OAK_BODIES(X) is X(number, shape(...), kind, potential, permittivity, surface) for each body
 * (src/setup/bodies.c). If the problem has SOLID and POTENTIAL, its solid is the last body, an
 * electrode. All bodies are solids too (kernels/geometry/solids.h). */
#pragma once

#include "kernels/hooks/user.h"

#ifndef OAK_HAS_problem_potential
#define OAK_HAS_problem_potential 0
#endif

#if OAK_NBODY
typedef struct {
  double distance; /* distance of the point from the surface, negative inside */
  int number, kind, surface;
  double potential, permittivity;
} oak_body_t;

/* ---- distances from shapes; arguments: the point, two points p and q of the shape, its radii at q
 * and p */
#define OAK_SHAPE_ARGS                                                                 \
  const double x[3], double p0, double p1, double p2, double q0, double q1, double q2, \
      double radius, double tip

/* The hull of two balls: a rod with round ends, a cone with a round tip; p = q: a ball. */
OAK_FN double bodies_round(OAK_SHAPE_ARGS) {
  const double p[3] = {p0, p1, p2}, q[3] = {q0, q1, q2};
  double length2 = 0, along = 0, away2 = 0;
  for (int d = 0; d < OAK_DIM; d++) {
    length2 += (q[d] - p[d]) * (q[d] - p[d]);
    along += (q[d] - p[d]) * (x[d] - p[d]);
    away2 += (x[d] - p[d]) * (x[d] - p[d]);
  }
  if (length2 == 0) return sqrt(away2) - radius;
  const double length = sqrt(length2), sine = (tip - radius) / length;
  double across2 = 0; /* away2 - along^2 would lose all digits near a rod that is very long */
  const double cosine = sqrt(fmax(1 - sine * sine, 0));
  along /= length;
  for (int d = 0; d < OAK_DIM; d++) {
    const double part = x[d] - p[d] - along * ((q[d] - p[d]) / length);
    across2 += part * part;
  }
  const double across = sqrt(across2);
  const double place = along * cosine - across * sine; /* along the side of the cone */
  if (place < 0) return sqrt(away2) - tip;
  if (place > cosine * length)
    return sqrt(across * across + (along - length) * (along - length)) - radius;
  return across * cosine + along * sine - tip;
}

/* A box with corners p and q. */
OAK_FN double bodies_box(OAK_SHAPE_ARGS) {
  const double p[3] = {p0, p1, p2}, q[3] = {q0, q1, q2};
  double outside2 = 0, most = -(double)INFINITY;
  (void)radius, (void)tip;
  for (int d = 0; d < OAK_DIM; d++) {
    const double beyond = fmax(fmin(p[d], q[d]) - x[d], x[d] - fmax(p[d], q[d]));
    most = fmax(most, beyond);
    outside2 += beyond > 0 ? beyond * beyond : 0;
  }
  return most > 0 ? sqrt(outside2) : most;
}

/* ---- all bodies */

/* The nearest body among the kinds in the bits `kinds`. Distances are negative inside of a body. */
OAK_FN oak_body_t oak_body_near(const oak_at_t *at, int kinds) {
  oak_body_t b = {(double)INFINITY, -1, 0, 0, 0, 1};
#define OAK_NEAREST(n, shape, its_kind, its_potential, its_permittivity, its_surface) \
  if (kinds >> (its_kind)&1) {                                                        \
    const double distance = shape;                                                    \
    if (distance < b.distance) {                                                      \
      b.distance = distance;                                                          \
      b.number = (n);                                                                 \
      b.kind = (its_kind);                                                            \
      b.potential = (its_potential);                                                  \
      b.permittivity = (its_permittivity);                                            \
      b.surface = (its_surface);                                                      \
    }                                                                                 \
  }
#ifdef OAK_BODIES
  OAK_BODIES(OAK_NEAREST)
#endif
#if OAK_HAS_problem_solid
  OAK_NEAREST(OAK_SOLID_BODY, problem_solid(at),
              OAK_HAS_problem_potential ? OAK_BODY_ELECTRODE : OAK_BODY_WALL, 0, 1, 0)
#endif
  return b;
}

/* Whether a point is inside a body. A point on the surface is inside, also if rounding makes its
 * distance different from 0: both blocks beside a face then find the same. */
OAK_FN int oak_is_inside(const oak_at_t *at, const oak_body_t *b) {
  return b->distance < 1e-10 * at->dx[0];
}

/* The potential of a body: that of the hook POTENTIAL if there is one, else the given one. */
OAK_FN double oak_potential(const oak_at_t *at, int number, double given) {
#if OAK_HAS_problem_potential
  (void)given;
  return problem_potential(at, number);
#else
  (void)at, (void)number;
  return given;
#endif
}
#endif

#if NSOLID
/* The bodies around a point. Bit n: the point is inside body n. */
OAK_FN int oak_bodies_around(const oak_at_t *at) {
#if OAK_NBODY
  int found = 0;
#define OAK_AROUND(n, shape, kind, potential, permittivity, surface) \
  found |= (shape < 1e-10 * at->dx[0]) << (n);
#ifdef OAK_BODIES
  OAK_BODIES(OAK_AROUND)
#endif
#if OAK_HAS_problem_solid
  OAK_AROUND(OAK_SOLID_BODY, problem_solid(at), , , , )
#endif
  return found;
#else
  return problem_solid(at) < 0;
#endif
}

#if OAK_NBODY
/* The electrodes around a point (oak_bodies_around), if they have different potentials; else 0. */
OAK_FN int oak_conflicting_bodies(const oak_at_t *at) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  int found = 0;
#define OAK_CONFLICT(n, shape, its_kind, its_potential, permittivity, surface) \
  if ((its_kind) == OAK_BODY_ELECTRODE && shape < 1e-10 * at->dx[0]) {         \
    found |= 1 << (n);                                                         \
    low = fmin(low, oak_potential(at, n, its_potential));                      \
    high = fmax(high, oak_potential(at, n, its_potential));                    \
  }
#ifdef OAK_BODIES
  OAK_BODIES(OAK_CONFLICT)
#endif
#if OAK_HAS_problem_solid && OAK_HAS_problem_potential
  OAK_CONFLICT(OAK_SOLID_BODY, problem_solid(at), OAK_BODY_ELECTRODE, 0, 1, 0)
#endif
  return low < high ? found : 0;
}
#endif

/* Half the diagonal of a cell, the largest distance of a point from the centre of its cell. size[]:
 * the true size along each axis. */
OAK_FN double oak_half_diagonal(const double size[]) {
  double sum = 0;
  for (int d = 0; d < OAK_DIM; d++) sum += size[d] * size[d];
  return 0.5 * sqrt(sum);
}

/* FUNCTION(at, size, away): the distance of a point from a solid, VALUE(at), and the direction away
 * from the solid, as a change of coordinates that increases the distance by 1. The value of a hook
 * need not be a distance: any function that is negative inside will do. */
#define OAK_DISTANCE_FUNCTION(FUNCTION, VALUE)                                                \
  OAK_FN double FUNCTION(const oak_at_t *at, const double size[], double away[3]) {           \
    const double value = VALUE(at);                                                           \
    double norm2 = 0;                                                                         \
    for (int d = 0; d < OAK_DIM; d++) {                                                       \
      oak_at_t beside = *at;                                                                  \
      beside.x[d] += 1e-4 * at->dx[d];                                                        \
      away[d] = (VALUE(&beside) - value) / (1e-4 * size[d]);                                  \
      norm2 += away[d] * away[d];                                                             \
    }                                                                                         \
    const double norm = sqrt(norm2);                                                          \
    for (int d = 0; d < OAK_DIM; d++) away[d] *= norm > 0 ? at->dx[d] / (size[d] * norm) : 0; \
    return norm > 0 ? value / norm : value;                                                   \
  }
#if OAK_HAS_problem_solid
OAK_DISTANCE_FUNCTION(oak_solid_distance, problem_solid)
#endif
OAK_FN double oak_nearest_solid(const oak_at_t *at) {
#if OAK_NBODY
  return oak_body_near(at, OAK_ALL_BODIES).distance;
#else
  return problem_solid(at);
#endif
}
OAK_DISTANCE_FUNCTION(oak_wall_distance, oak_nearest_solid)

/* Whether a solid cell is beside a wall that is not along axes. Two places are tried, because in
 * the corner of a box two walls are equally near. A function that is constant on each side of its
 * wall gives no direction. */
OAK_FN int oak_beside_oblique_wall(const oak_at_t *at, const double size[]) {
  int oblique = 1;
  for (int n = 0; n < 2; n++) {
    oak_at_t place = *at;
    double away[3], most = 0, sum = 0;
    for (int d = 0; d < OAK_DIM; d++) place.x[d] += n * (0.05 + 0.017 * d) * at->dx[d];
    const double distance = oak_wall_distance(&place, size, away);
    for (int d = 0; d < OAK_DIM; d++) {
      const double part = fabs(away[d]) * size[d] / at->dx[d];
      most = fmax(most, part);
      sum += part;
    }
    const int near = distance > -2 * oak_half_diagonal(size) && sum - most > 0.01;
    oblique &= distance < 0 && (near || sum == 0);
  }
  return oblique;
}

/* Whether a body that contains no centre of a cell may begin in a cell. */
OAK_FN int oak_body_begins(const oak_at_t *at, const double size[]) {
  const double reach = fmax(at->dx[0], oak_half_diagonal(size));
  double away[3];
  return fabs(oak_nearest_solid(at)) < reach && fabs(oak_wall_distance(at, size, away)) < reach;
}

/* The mask of a cell when the run starts: 1 in solids; 2 in dielectrics, which outputs show. */
OAK_FN int oak_solid(const oak_at_t *at) {
#if OAK_NBODY
  const int glass = 1 << OAK_BODY_DIELECTRIC;
  const oak_body_t others = oak_body_near(at, OAK_ALL_BODIES & ~glass);
  const oak_body_t dielectric = oak_body_near(at, glass);
  return oak_is_inside(at, &others) ? 1 : 2 * oak_is_inside(at, &dielectric);
#else
  return problem_solid(at) < 0;
#endif
}
#endif
