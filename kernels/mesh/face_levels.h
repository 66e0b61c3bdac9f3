/* SPDX-License-Identifier: GPL-2.0-or-later
 * A vector on faces (FACE_VECTOR) where the level of a block changes. Coarser faces get the mean of
 * the finer ones. Finer faces in a coarser one get limited slopes along the face, from values in
 * the face of the block alone, so that both blocks at the face find the same values; face_refine.c
 * fills the faces between them, when neighbours on the new mesh are known, and sets the means over
 * cells. A number behind the faces says which of these a block waits for. */
#pragma once

#include "kernels/geometry/rows.h"

#if OAK_CURL
/* Stride from a face across `dir` to the next face along `axis`. */
OAK_FN int oak_face_step(int dir, int axis) {
  const int nx = OAK_NX + (dir == 0);
  return axis == 0 ? 1 : axis == 1 ? nx : nx * (OAK_NY + (dir == 1));
}

/* Set the numbers behind the faces. The first one says what the block waits for. */
enum { WAITS_MEANS = 1, WAITS_FACES };
OAK_FN void mark_faces(store_t *faces, int waits OAK_LANE_PARAM) {
  OAK_INNER(n, OAK_ROOM * OAK_CELLS - OAK_FACE_REALS)
    faces[OAK_FACE_REALS + n] = (store_t)(n == 0 ? waits : 0);
}

/* change_t: the faces of a block that follows from a family or from a coarse block. */
typedef struct {
  const oak_field_t *f;
  real theta;
  store_t *faces;
} change_t;

/* Average the fine faces to a face of the parent of a family, which begins with block `source`. */
OAK_FN void restrict_face(const change_t *t, int child, int source, int dir, int i, int j, int k) {
  const int x[3] = {i, j, k};
  int fine[3] = {0, 0, 0};
  OAK_FOR(d, OAK_DIM) {
    const int half = OAK_ALONG(d) / 2, upper = x[d] >= half;
    child |= upper << d;
    fine[d] = 2 * (x[d] - upper * half);
  }
  const store_t *faces = oak_faces(t->f->u, source + child);
  double flux = 0, area = 0;
  OAK_FOR(e, (1 << OAK_DIM)) {
    if (e >> dir & 1) continue;
    const int y[3] = {fine[0] + (e & 1), fine[1] + (e >> 1 & 1), fine[2] + (e >> 2)};
    const double part = OAK_COORDINATES ? oak_face_area(t->f, source + child, dir, y[0], y[1]) : 1;
    flux += (double)faces[oak_face_index(dir, y[0], y[1], y[2])] * part;
    area += part;
  }
  t->faces[oak_face_index(dir, i, j, k)] = (store_t)(area > 0 ? flux / area : 0);
}

/* The slope along an axis of the face at p, number n of `count`, `step` apart. */
OAK_FN real face_slope(const store_t *p, int n, int count, int step, real theta) {
  const int first = n == 0, last = n == count - 1;
  const real below = p[first ? step : 0] - p[first ? 0 : -step];
  const real above = p[last ? 0 : step] - p[last ? -step : 0];
  return limiter_gminmod(below, above, theta);
}

/* Interpolate a face of a child of block `source`. */
OAK_FN void prolong_face(const change_t *t, int child, int source, int dir, int i, int j, int k) {
  const int x[3] = {i, j, k};
  int coarse[3] = {0, 0, 0};
  OAK_FOR(d, OAK_DIM) coarse[d] = (child >> d & 1) * (OAK_ALONG(d) / 2) + x[d] / 2;
  const store_t *p =
      oak_faces(t->f->u, source) + oak_face_index(dir, coarse[0], coarse[1], coarse[2]);
  const oak_span_t span = oak_span(t->f, source, coarse[0], coarse[1]);
  const oak_parts_t parts = oak_face_parts(span, 0, dir);
  real value = p[0];
  OAK_FOR(d, OAK_DIM) {
    if (d == dir) continue;
    const real slope = face_slope(p, coarse[d], OAK_ALONG(d), oak_face_step(dir, d), t->theta);
    if (OAK_COORDINATES && d < OAK_CURVED) /* keeps the flux through the coarse face */
      value += oak_step_along(&parts, OAK_MIN(d, OAK_CURVED - 1), x[d] & 1, 0, slope);
    else
      value += (x[d] & 1 ? (real)0.25 : (real)-0.25) * slope;
  }
  const int between = (dir == 0 ? i : dir == 1 ? j : k) & 1;
  t->faces[oak_face_index(dir, i, j, k)] = between ? 0 : (store_t)value;
}

OAK_FN void faces_restrict(const oak_adapt_args_t *arg, int source,
                           store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const change_t t = {&arg->f, 0, out};
  OAK_EACH_FACE(restrict_face, &t, 0, source)
  mark_faces(out, WAITS_MEANS OAK_LANE_ARG);
}

OAK_FN void faces_prolong(const oak_adapt_args_t *arg, int source, int child,
                          store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const change_t t = {&arg->f, (real)arg->theta, out};
  OAK_EACH_FACE(prolong_face, &t, child, source)
  mark_faces(out, WAITS_FACES OAK_LANE_ARG);
}
#endif
