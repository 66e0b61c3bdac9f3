/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tasks of the exchange that make ghost cells beyond edges (2D: corners), for halo.c in runs that
 * have such cells. */
#pragma once

#include "kernels/geometry/rows.h"
#include "kernels/ghosts/edges.h"
#include "kernels/ghosts/boundary.h"

/* The cell beyond an edge, `distance` cells (1 or 2) away. If the block there is finer, it is the
 * lowest of several cells. */
OAK_FN void edge_source(const edge_t *e, int distance, int along, int x[3]) {
  x[0] = x[1] = x[2] = 0;
  for (int n = 0; n < 2; n++) x[e->axis[n]] = e->upper[n] ? 0 : OAK_ALONG(e->axis[n]) - distance;
  if (OAK_DIM == 3) x[e->along] = along;
}

OAK_FN void edge_copy(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                      store_t *dst OAK_LANE_PARAM) {
  const edge_t e = edge_of(t->face);
  const store_t *u = source_block(arg, t);
  OAK_ROWS(v, arg->components, edge_cells(e.along)) {
    OAK_LANES(a, edge_cells(e.along)) {
      int x[3];
      edge_source(&e, 1, a, x);
      dst[v * edge_cells(e.along) + a] = u[(long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2])];
    }
  }
}

#if OAK_PHI_AXIS
/* The same cell beyond a pole. The source touches the block at phi + pi, on the same side of the
 * pole. */
OAK_FN void edge_opposite(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                          store_t *dst OAK_LANE_PARAM) {
  const edge_t e = edge_of(t->face);
  const int pole = OAK_PHI_AXIS - 1, upper = e.upper[e.axis[1] == pole];
  const store_t *u = source_block(arg, t);
  OAK_ROWS(v, arg->components, edge_cells(e.along)) {
    const oak_bc_t bc = arg->bc[(2 * pole + upper) * arg->components + v];
    OAK_LANES(a, edge_cells(e.along)) {
      int x[3];
      edge_source(&e, 1, a, x);
      x[pole] = upper ? OAK_ALONG(pole) - 1 : 0;
      const real q = u[(long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2])];
      dst[v * edge_cells(e.along) + a] = (store_t)boundary_value(bc.kind, 0, q, q, 0);
    }
  }
}
#endif

/* The coarse cell whose parts edge_restrict averages, found from the block that is on this rank:
 * the fine block if the average is packed, otherwise the coarse one. x[]: its first fine cell. */
OAK_FN oak_span_t edge_span(const oak_halo_args_t *arg, const oak_halo_task_t *t, int pack,
                            const edge_t *e, int a, const int x[3]) {
  int coarse[3] = {0, 0, 0};
  if (pack) return oak_span_of_pair(&arg->f, t->block, x[0], x[1]);
  if (OAK_DIM == 3) coarse[e->along] = t->sub * edge_half(e->along) + a;
  for (int n = 0; n < 2; n++) coarse[e->axis[n]] = e->upper[n] ? OAK_ALONG(e->axis[n]) : -1;
  return oak_span(&arg->f, t->block, coarse[0], coarse[1]);
}

OAK_FN int edge_is_angular(const oak_halo_args_t *arg, int v) {
  (void)v;
  return arg->interpolation == OAK_INTERPOLATE_STATE && oak_is_angular(v);
}

#if OAK_CURL
/* The sum of the shares of 2^d fine cells, the first one at p, in the edge of number v of the
 * coarse cell (kernels/scheme/edges.h). */
OAK_FN real share_of_fine(const store_t *p, int v) {
  const int along = OAK_DIM == 3 ? v / 4 % 3 : 2, a = (along + 1) % 3, b = (along + 2) % 3;
  const store_t *q = p + (v & 1) * OAK_STRIDE(a) + (v >> 1 & 1) * OAK_STRIDE(b);
  return OAK_DIM == 3 ? (real)0.5 * (q[0] + q[OAK_STRIDE(along)]) : q[0];
}
#endif

OAK_FN void edge_restrict(const oak_halo_args_t *arg, const oak_halo_task_t *t, store_t *dst,
                          int pack OAK_LANE_PARAM) {
  const edge_t e = edge_of(t->face);
  const store_t *u = source_block(arg, t);
  OAK_ROWS(v, arg->components, edge_half(e.along)) {
    OAK_LANES(a, edge_half(e.along)) {
      int x[3];
      edge_source(&e, 2, 2 * a, x);
#if OAK_CURL
      if (arg->interpolation == OAK_INTERPOLATE_EDGES) {
        dst[pack ? v * edge_half(e.along) + a
                 : v * edge_cells(e.along) + t->sub * edge_half(e.along) + a] =
            (store_t)share_of_fine(u + (long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]), v);
        continue;
      }
#endif
      const real mean =
          oak_restrict(u + (long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]),
                       oak_parts(edge_span(arg, t, pack, &e, a, x), edge_is_angular(arg, v)));
      dst[pack ? v * edge_half(e.along) + a
               : v * edge_cells(e.along) + t->sub * edge_half(e.along) + a] = (store_t)mean;
    }
  }
}

OAK_FN void edge_unpack(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                        store_t *dst OAK_LANE_PARAM) {
  const edge_t e = edge_of(t->face);
  const store_t *src = arg->halo + (long long)t->source * arg->components * OAK_PIECE;
  OAK_ROWS(v, arg->components, edge_half(e.along)) {
    OAK_LANES(a, edge_half(e.along))
      dst[v * edge_cells(e.along) + t->sub * edge_half(e.along) + a] =
          src[v * edge_half(e.along) + a];
  }
}

/* The coarse cell that holds fine cells `2 a` and, in 3D, `2 a + 1` of an edge; upper[]: the half
 * of the coarse cell that they are in. */
OAK_FN void edge_coarse_cell(const edge_t *e, int sub, int a, int x[3], int upper[3]) {
  x[0] = x[1] = x[2] = upper[0] = upper[1] = upper[2] = 0;
  for (int n = 0; n < 2; n++) {
    const int d = e->axis[n], last = OAK_ALONG(d) - 1;
    const int fine = (sub >> d & 1) * OAK_ALONG(d) + (e->upper[n] ? 0 : last);
    x[d] = fine / 2;
    upper[d] = fine & 1;
  }
  if (OAK_DIM == 3) x[e->along] = (sub >> e->along & 1) * edge_half(e->along) + a;
}

OAK_FN real edge_slopes(const oak_halo_args_t *arg, const oak_halo_task_t *t, int v, const int x[3],
                        real slope[3]) {
  const real theta = interpolation_theta(arg->interpolation, arg->theta);
  const oak_row_t row = oak_row_of(&arg->f, arg->components, t->source, v, 0, x);
  return oak_row_slopes(&row, x[0], theta, slope);
}

OAK_FN void edge_prolong(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                         store_t *dst OAK_LANE_PARAM) {
  const edge_t e = edge_of(t->face);
  OAK_ROWS(v, arg->components, edge_half(e.along)) {
    OAK_LANES(a, edge_half(e.along)) {
      int x[3], upper[3];
      real slope[3];
      edge_coarse_cell(&e, t->sub, a, x, upper);
      const real u = edge_slopes(arg, t, v, x, slope);
      const oak_parts_t parts =
          oak_parts(oak_span(&arg->f, t->source, x[0], x[1]), edge_is_angular(arg, v));
      for (int h = 0; h < (OAK_DIM == 3 ? 2 : 1); h++) {
        if (OAK_DIM == 3) upper[e.along] = h;
        dst[v * edge_cells(e.along) + (OAK_DIM == 3 ? 2 * a + h : 0)] =
            (store_t)oak_prolong(u, slope, upper, parts);
      }
    }
  }
}

/* Interpolation of the solution. As for faces, if one fine cell of a coarse cell is invalid, all of
 * them get the coarse state. */
OAK_FN void edge_prolong_state(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                               store_t *dst OAK_LANE_PARAM) {
  enum { CHILDREN = 1 << OAK_DIM };
  const edge_t e = edge_of(t->face);
  const physics_parameters_t ph = oak_physics(&arg->f);
  const store_t *u = source_block(arg, t);
  OAK_ROWS(a, edge_half(e.along), 1) {
    OAK_LANES(one, 1) {
      int x[3], upper[3], offset[CHILDREN];
      store_t child[NVAR * CHILDREN];
      for (int n = 0; n < CHILDREN; n++) offset[n] = n;
      edge_coarse_cell(&e, t->sub, a + one, x, upper);
      const oak_span_t span = oak_span(&arg->f, t->source, x[0], x[1]);
      const int here = upper[0] + 2 * upper[1] + 4 * upper[2];
      for (int v = 0; v < NVAR; v++) {
        real slope[3];
        const real mean = edge_slopes(arg, t, v, x, slope);
        const oak_parts_t parts = oak_parts(span, edge_is_angular(arg, v));
        for (int n = 0; n < CHILDREN; n++) {
          for (int d = 0; d < 3; d++) upper[d] = n >> d & 1;
          child[v * CHILDREN + n] = (store_t)oak_prolong(mean, slope, upper, parts);
        }
      }
      oak_keep_valid(&ph, span, u + OAK_INDEX(x[0], x[1], x[2]), child, CHILDREN, offset, CHILDREN);
      for (int h = 0; h < (OAK_DIM == 3 ? 2 : 1); h++) {
        real q[NVAR];
        oak_load(child + here + (OAK_DIM == 3 ? h << e.along : 0), CHILDREN, q);
        oak_store(dst + (OAK_DIM == 3 ? 2 * a + h : 0), edge_cells(e.along), q);
      }
    }
  }
}

/* A ghost cell beyond the physical boundary, from the ghost cell beyond the edge's other face. */
OAK_FN void edge_boundary(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                          store_t *dst OAK_LANE_PARAM) {
  const oak_field_t *f = &arg->f;
  const edge_t e = edge_of(t->face);
  const int n = t->sub, dir = e.axis[n], high = e.upper[n], face = 2 * dir + high;
  const real dx = (real)oak_dx_at_face(f, t->source, dir, high);
  OAK_ROWS(v, arg->components, edge_cells(e.along)) {
    OAK_LANES(a, edge_cells(e.along)) {
      const oak_bc_t bc = arg->bc[face * arg->components + v];
      int x[3] = {0, 0, 0}, stride;
      if (OAK_DIM == 3) x[e.along] = a;
      x[e.axis[1 - n]] = e.upper[1 - n] ? OAK_ALONG(e.axis[1 - n]) : -1;
      x[dir] = high ? OAK_ALONG(dir) - 1 : 0;
      const store_t *mirror = oak_cell_of(f, arg->components, t->source, x[0], x[1], x[2], &stride);
      const real inside = mirror[(long long)v * stride];
      x[dir] = high ? OAK_ALONG(dir) : -1;
      real value = ghost_value(f, bc, t->source, face, v, x, mirror, stride, inside, inside, dx);
#if OAK_COORDINATES == OAK_SPHERICAL
      if (bc.kind == OAK_BC_ORIGIN) {
        const store_t *cell[3] = {mirror, mirror, mirror};
        for (int i = 1; i < 3; i++)
          cell[i] = oak_cell_of(f, arg->components, t->source, i, x[1], x[2], &stride);
        value = origin_value(f, v, 0, mirror, cell, stride);
      }
#endif
      dst[v * edge_cells(e.along) + a] = (store_t)value;
    }
  }
}

OAK_FN void edge_task(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                      store_t *dst OAK_LANE_PARAM) {
  switch (t->kind) {
    case OAK_HALO_EDGE_COPY:
      edge_copy(arg, t, dst OAK_LANE_ARG);
      break;
    case OAK_HALO_EDGE_RESTRICT:
    case OAK_HALO_EDGE_PACK:
      edge_restrict(arg, t, dst, t->kind == OAK_HALO_EDGE_PACK OAK_LANE_ARG);
      break;
    case OAK_HALO_EDGE_UNPACK:
      edge_unpack(arg, t, dst OAK_LANE_ARG);
      break;
    case OAK_HALO_EDGE_PROLONG:
      if (arg->interpolation == OAK_INTERPOLATE_STATE)
        edge_prolong_state(arg, t, dst OAK_LANE_ARG);
      else
        edge_prolong(arg, t, dst OAK_LANE_ARG);
      break;
#if OAK_PHI_AXIS
    case OAK_HALO_EDGE_OPPOSITE:
      edge_opposite(arg, t, dst OAK_LANE_ARG);
      break;
#endif
    default:
      edge_boundary(arg, t, dst OAK_LANE_ARG);
      break;
  }
}
