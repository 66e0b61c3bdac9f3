/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ghost cells of elliptic equations where levels meet; for kernels/ghosts/halo.c. */
#pragma once

#include "kernels/geometry/rows.h"

/* Whether no block that the next kernel works on needs the result of a task. The parabolas of this
 * file read the ghost cells of blocks that are one level coarser. */
OAK_FN int halo_rests(const oak_halo_args_t *arg, const oak_halo_task_t *t) {
  if (arg->still && t->kind != OAK_HALO_COPY && t->kind != OAK_HALO_BOUNDARY) return 1;
  if (t->kind == OAK_HALO_UNPACK) return 0;
  const int level = arg->f.block[t->kind == OAK_HALO_PROLONG ? t->source : t->block].level;
  if (t->kind == OAK_HALO_BOUNDARY) return arg->inner || level < arg->least;
  return level + 1 < arg->least;
}

/* C2F for elliptic equations: coarse values at the places of fine ghost cells along the face, in
 * the plane of the centres of the coarse cells, by parabolas, exact for polynomials of degree 2.
 * The fine side continues these values across the face (kernels/multigrid/levels_meet.c). Beside
 * the boundary of the domain the parabola is one-sided, because the ghost cells there do not
 * contain the boundary values. */

#if OAK_ELLIPTIC_FIELDS
/* The coefficient a on a face of a coarse cell over a of the cell. Where a jumps at the face, u has
 * a kink there; the difference to the next cell times this ratio is the difference without the
 * kink, because the flux is continuous, and the second derivative nearly so. */
OAK_FN real halo_kink(const oak_halo_args_t *arg, const oak_halo_task_t *t, int axis, int high,
                      const int x[3]) {
  const long long block = t->source * (long long)OAK_CELLS;
  const int cell = OAK_INDEX(x[0], x[1], x[2]);
  if (!arg->a) return 1;
  const int a = axis == 0 ? x[1] : x[0], b = OAK_DIM == 2 ? 0 : axis == 2 ? x[1] : x[2];
  const double *low = axis == 0 ? arg->low[0] : axis == 1 ? arg->low[1] : arg->low[2];
  const real on_face = high && x[axis] == OAK_ALONG(axis) - 1
                           ? (real)arg->high[block + axis * FACE_ROOM + b * FA(axis) + a]
                           : (real)low[block + cell + (high ? OAK_STRIDE(axis) : 0)];
  return oak_div(on_face, (real)arg->a[block + cell]);
}
#endif

OAK_FN real halo_parabola(const oak_halo_args_t *arg, const oak_halo_task_t *t, int axis,
                          const int x[3], real u, real *slope) {
  const oak_field_t *f = &arg->f;
  const oak_face_t *face = f->face + (long long)t->source * OAK_FACES + 2 * axis;
  const int low = x[axis] == 0 && face[0].kind == OAK_FACE_BOUNDARY;
  const int high = x[axis] == OAK_ALONG(axis) - 1 && face[1].kind == OAK_FACE_BOUNDARY;
  const int first = low ? 1 : -1, second = low ? 2 : high ? -2 : 1;
  int p[3] = {x[0], x[1], x[2]}, q[3] = {x[0], x[1], x[2]};
  p[axis] += first;
  q[axis] += second;
  const real v = oak_row_value(f, arg->components, t->source, 0, p);
  const real w = oak_row_value(f, arg->components, t->source, 0, q);
  const real inward = (real)2 * v - (real)1.5 * u - (real)0.5 * w; /* one-sided */
  *slope = low ? inward : high ? -inward : (real)0.5 * (w - v);
#if OAK_ELLIPTIC_FIELDS
  if (!low && !high) {
    const real below = halo_kink(arg, t, axis, 0, x) * (u - v);
    const real above = halo_kink(arg, t, axis, 1, x) * (w - u);
    *slope = (real)0.5 * (above + below);
    return above - below;
  }
#endif
  return low || high ? u - 2 * v + w : v - 2 * u + w;
}

OAK_FN void halo_quadratic(const oak_halo_args_t *arg, const oak_halo_task_t *t, int dir,
                           store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int axis = dir == 0 ? 1 : 0, other = dir == 2 ? 1 : 2;
  const int a0 = (t->sub & 1) * HA(dir), b0 = (t->sub >> 1) * HB(dir);
  OAK_ROWS(row, HB(dir), HA(dir)) {
    OAK_LANES(a, HA(dir)) {
      int x[3];
      real slope[2] = {0, 0}, bend[2] = {0, 0}, twist = 0;
      face_point(dir, t->face & 1 ? 0 : OAK_ALONG(dir) - 1, a0 + a, b0 + row, x);
      const real u = oak_row_value(&arg->f, arg->components, t->source, 0, x);
      bend[0] = halo_parabola(arg, t, axis, x, u, &slope[0]);
      if (OAK_DIM == 3) {
        const int lo[2] = {OAK_MAX(x[axis] - 1, 0), OAK_MAX(x[other] - 1, 0)};
        const int hi[2] = {OAK_MIN(x[axis] + 1, OAK_ALONG(axis) - 1),
                           OAK_MIN(x[other] + 1, OAK_ALONG(other) - 1)};
        const store_t *p = arg->f.u + (long long)t->source * arg->components * OAK_CELLS;
        const int s = OAK_STRIDE(axis), z = OAK_STRIDE(other);
        p += OAK_INDEX(x[0], x[1], x[2]) - x[axis] * s - x[other] * z;
        bend[1] = halo_parabola(arg, t, other, x, u, &slope[1]);
        twist = (p[hi[0] * s + hi[1] * z] - p[hi[0] * s + lo[1] * z] - p[lo[0] * s + hi[1] * z] +
                 p[lo[0] * s + lo[1] * z]) /
                (real)((hi[0] - lo[0]) * (hi[1] - lo[1]));
      }
      OAK_FOR(e, (OAK_DIM == 3 ? 4 : 2)) {
        const real s = e & 1 ? (real)0.25 : (real)-0.25, z = e >> 1 ? (real)0.25 : (real)-0.25;
        dst[(2 * row + (e >> 1)) * FA(dir) + 2 * a + (e & 1)] =
            u + s * slope[0] + (real)(1.0 / 32) * bend[0] +
            (OAK_DIM == 3 ? z * slope[1] + (real)(1.0 / 32) * bend[1] + s * z * twist : 0);
      }
    }
  }
}
