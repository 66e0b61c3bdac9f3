/* SPDX-License-Identifier: GPL-2.0-or-later
 * Halo slots and send buffers are filled (paper, "Ghost cell exchange"). One kernel does every kind
 * of task: local slots and data for other ranks come from the same code, so the solution cannot
 * depend on the distribution of blocks. Layers are stored by increasing coordinate. */
#include "kernels/ghosts/edge_tasks.h"
#include "kernels/ghosts/boundary.h"
#include "kernels/ghosts/quadratic.h"

/* Threads of a task. On a small mesh a task gets more, because the launch takes as long as one
 * task. The compiler knows both numbers, so it needs no division to share the cells. */
enum { HALO_THREADS = 128, HALO_MOST = 512 };
#undef OAK_TEAM
#define OAK_TEAM (OAK_TEAM_ANY == HALO_MOST ? HALO_MOST : HALO_THREADS)

/* SRL: copy the cells of the neighbour that are the ghost cells beyond `face`. */
OAK_FN void halo_copy(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                      store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int dir = t->face / 2;
  const store_t *u = source_block(arg, t);
  OAK_ROWS(row, arg->components * OAK_NG * FB(dir), FA(dir)) {
    const int b = row % FB(dir), layer = row / FB(dir) % OAK_NG, v = row / (FB(dir) * OAK_NG);
    int x[3];
    face_point(dir, t->face & 1 ? layer : OAK_ALONG(dir) - OAK_NG + layer, 0, b, x);
    const store_t *p = u + (long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]);
    const int step = dir == 0 ? OAK_NX : 1;
    OAK_LANES(a, FA(dir)) dst[row * FA(dir) + a] = p[a * step];
  }
}

/* The coarse cell whose parts halo_restrict averages, found from the block that is on this rank:
 * the fine block if the average is packed, otherwise the coarse one. x[]: the fine cells for a =
 * 0. */
OAK_FN oak_span_t coarse_span(const oak_halo_args_t *arg, const oak_halo_task_t *t, int pack,
                              int layer, int b, int a, const int x[3]) {
  const int dir = t->face / 2, ghost = t->face & 1 ? OAK_ALONG(dir) + layer : layer - OAK_NG;
  const int along = (t->sub & 1) * HA(dir) + a; /* the first axis along the face */
  const int other = (t->sub >> 1) * HB(dir) + b;
  const int fine[2] = {dir == 0 ? x[0] : 2 * a, dir == 0 ? 2 * a : x[1]};
  const int coarse[2] = {dir == 0 ? ghost : along, dir == 0 ? along : dir == 1 ? ghost : other};
  return pack ? oak_span_of_pair(&arg->f, t->block, fine[0], fine[1])
              : oak_span(&arg->f, t->block, coarse[0], coarse[1]);
}

/* The mean of the fine cells at p; of shares (kernels/scheme/edges.h), the mean along the edge of
 * the shares of the fine cells at this edge. */
OAK_FN real mean_of_fine(const oak_halo_args_t *arg, const store_t *p, int v, oak_parts_t parts) {
#if OAK_CURL
  if (arg->interpolation == OAK_INTERPOLATE_EDGES) return share_of_fine(p, v);
#endif
  (void)arg, (void)v;
  return oak_restrict(p, parts);
}

/* F2C: average a fine block, of this rank or of a peer, for its quarter of the coarse block's ghost
 * cells. The averages go to the slot of the coarse block or, packed, to a piece for another rank.
 */
OAK_FN void halo_restrict(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                          store_t *OAK_RESTRICT dst, int pack OAK_LANE_PARAM) {
  const int dir = t->face / 2;
  const store_t *u = source_block(arg, t);
  const int a0 = (t->sub & 1) * HA(dir), b0 = (t->sub >> 1) * HB(dir);
  OAK_ROWS(row, arg->components * OAK_NG * HB(dir), HA(dir)) {
    const int b = row % HB(dir), layer = row / HB(dir) % OAK_NG, v = row / (HB(dir) * OAK_NG);
    int x[3];
    face_point(dir, t->face & 1 ? 2 * layer : OAK_ALONG(dir) - 2 * (OAK_NG - layer), 0, 2 * b, x);
    const store_t *p = u + (long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]);
    const int step = dir == 0 ? 2 * OAK_NX : 2;
    store_t *q = dst + (pack ? row * HA(dir)
                             : (v * OAK_NG + layer) * FACE_CELLS(dir) + (b0 + b) * FA(dir) + a0);
    const int angular = arg->interpolation == OAK_INTERPOLATE_STATE && oak_is_angular(v);
    OAK_LANES(a, HA(dir))
      q[a] = (store_t)mean_of_fine(arg, p + a * step, v,
                                   oak_parts(coarse_span(arg, t, pack, layer, b, a, x), angular));
  }
}

#if OAK_HAS_physics_to_coarse
/* F2C of the solution, where the physics has its own mean for ghost cells. */
OAK_FN void halo_restrict_state(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                                store_t *OAK_RESTRICT dst, int pack OAK_LANE_PARAM) {
  const int dir = t->face / 2;
  const int a0 = (t->sub & 1) * HA(dir), b0 = (t->sub >> 1) * HB(dir);
  const physics_parameters_t ph = oak_physics(&arg->f);
  OAK_ROWS(row, OAK_NG * HB(dir), HA(dir)) {
    const int b = row % HB(dir), layer = row / HB(dir);
    int x[3];
    face_point(dir, t->face & 1 ? 2 * layer : OAK_ALONG(dir) - 2 * (OAK_NG - layer), 0, 2 * b, x);
    const store_t *p = source_block(arg, t) + OAK_INDEX(x[0], x[1], x[2]);
    const int step = dir == 0 ? 2 * OAK_NX : 2;
    store_t *q = dst + (pack ? row * HA(dir) : layer * FACE_CELLS(dir) + (b0 + b) * FA(dir) + a0);
    OAK_LANES(a, HA(dir)) {
      real coarse[NVAR];
      oak_restrict_state(&ph, p + a * step, coarse_span(arg, t, pack, layer, b, a, x), coarse);
      oak_store(q + a, OAK_NG * (pack ? HB(dir) * HA(dir) : FACE_CELLS(dir)), coarse);
    }
  }
}
#endif

#if OAK_DIFFUSION || OAK_CURL
/* Whether the result of a task is not needed: shares have no values beyond the boundary and none of
 * coarser cells, fields beside the state have none beyond edges, nor has anything without
 * diffusion. */
OAK_FN int edges_rest(const oak_halo_args_t *arg, const oak_halo_task_t *t) {
  if (arg->interpolation == OAK_INTERPOLATE_EDGES)
    return t->kind == OAK_HALO_PROLONG || t->kind == OAK_HALO_BOUNDARY ||
           t->kind == OAK_HALO_EDGE_PROLONG || t->kind == OAK_HALO_EDGE_BOUNDARY;
#if OAK_DIFFUSION
  if (!arg->faces) return 0;
#endif
  return t->kind >= OAK_HALO_EDGE_COPY;
}
#endif

/* F2C: unpack a received piece into its quarter of the slot. */
OAK_FN void halo_unpack(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                        store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int dir = t->face / 2;
  const store_t *src = arg->halo + (long long)t->source * arg->components * OAK_PIECE;
  const int a0 = (t->sub & 1) * HA(dir), b0 = (t->sub >> 1) * HB(dir);
  OAK_ROWS(row, arg->components * OAK_NG * HB(dir), HA(dir)) {
    const int b = row % HB(dir), layer = row / HB(dir);
    store_t *q = dst + layer * FACE_CELLS(dir) + (b0 + b) * FA(dir) + a0;
    OAK_LANES(a, HA(dir)) q[a] = src[row * HA(dir) + a];
  }
}

/* C2F: limited linear interpolation of the coarse block's cells into the fine block's ghost cells.
 * Each coarse cell gives 2^(d-1) values in up to two layers; with an odd number of layers the
 * outermost coarse cells give only their nearer half. Callers give a constant `dir`, because lanes
 * vectorise if the axes are known. */
OAK_FN void halo_prolong(const oak_halo_args_t *arg, const oak_halo_task_t *t, int dir,
                         store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int high = t->face & 1;
  const int a0 = (t->sub & 1) * HA(dir), b0 = (t->sub >> 1) * HB(dir);
  const int depth = (OAK_NG + 1) / 2; /* layers of coarse cells */
  const int axis = dir == 0 ? 1 : 0, other = dir == 2 ? 1 : 2;
  const real theta = interpolation_theta(arg->interpolation, arg->theta);
  OAK_ROWS_OF(v, arg->components, row, depth * HB(dir), HA(dir)) {
    const int b = row % HB(dir), m = row / HB(dir);
    int x[3];
    face_point(dir, high ? m : OAK_ALONG(dir) - 1 - m, 0, b0 + b, x);
    const oak_row_t r = oak_row_of(&arg->f, arg->components, t->source, v, axis, x);
    const int angular = arg->interpolation == OAK_INTERPOLATE_STATE && oak_is_angular(v);
    OAK_LANES(a, HA(dir)) {
      real slope[3];
      const real u = oak_row_slopes(&r, a0 + a, theta, slope);
      const oak_parts_t parts = oak_parts(
          oak_span(&arg->f, t->source, dir ? a0 + a : x[0], dir == 0 ? a0 + a : x[1]), angular);
      OAK_FOR(n, 2) {
        const int distance = 2 * m + n; /* layers from the face */
        if (distance >= OAK_NG) continue;
        const int layer = high ? distance : OAK_NG - 1 - distance;
        store_t *q = dst + (v * OAK_NG + layer) * FACE_CELLS(dir) + 2 * b * FA(dir) + 2 * a;
        int upper[3];
        upper[dir] = high ? n : 1 - n;
        OAK_FOR(e, (OAK_DIM == 3 ? 4 : 2)) {
          upper[axis] = e & 1;
          if (OAK_DIM == 3) upper[other] = e >> 1;
          q[(e >> 1) * FA(dir) + (e & 1)] = (store_t)oak_prolong(u, slope, upper, parts);
        }
      }
    }
  }
}

#if OAK_HAS_physics_to_smooth
/* C2F of the solution, in smooth variables of the physics. */
OAK_FN void halo_prolong_smooth(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                                store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int dir = t->face / 2, high = t->face & 1, depth = (OAK_NG + 1) / 2;
  const int axis = dir == 0 ? 1 : 0, other = dir == 2 ? 1 : 2;
  const physics_parameters_t ph = oak_physics(&arg->f);
  OAK_ROWS(row, depth * HB(dir), HA(dir)) {
    const int b = row % HB(dir), m = row / HB(dir);
    OAK_LANES(a, HA(dir)) {
      int x[3];
      real coarse[NVAR], fine[1 << OAK_DIM][NVAR];
      face_point(dir, high ? m : OAK_ALONG(dir) - 1 - m, (t->sub & 1) * HA(dir) + a,
                 (t->sub >> 1) * HB(dir) + b, x);
      oak_prolong_smooth(&arg->f, &ph, t->source, x, (real)arg->theta, coarse, fine);
      oak_state_from_smooth(&ph, oak_span(&arg->f, t->source, x[0], x[1]), coarse, fine);
      for (int e = 0; e < 1 << OAK_DIM; e++) {
        const int n = e >> dir & 1,
                  distance = 2 * m + (high ? n : 1 - n); /* layers from the face */
        const int layer = high ? distance : OAK_NG - 1 - distance;
        if (distance >= OAK_NG) continue;
        oak_store(dst + layer * FACE_CELLS(dir) +
                      (2 * b + (OAK_DIM == 3 ? e >> other & 1 : 0)) * FA(dir) + 2 * a +
                      (e >> axis & 1),
                  OAK_NG * FACE_CELLS(dir), fine[e]);
      }
    }
  }
}
#endif

/* C2F: remove invalid states from the ghost cells just interpolated. A search for invalid states
 * comes first: it is cheap, and almost always finds none. */
OAK_FN void halo_keep_valid(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                            store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const int dir = t->face / 2, high = t->face & 1, depth = (OAK_NG + 1) / 2;
  const physics_parameters_t ph = oak_physics(&arg->f);
  const store_t *u = source_block(arg, t);
  int invalid = 0;
  OAK_ROWS(row, OAK_NG * FB(dir), FA(dir)) {
    OAK_LANES(a, FA(dir)) {
      real q[NVAR];
      oak_load(dst + row * FA(dir) + a, OAK_NG * FACE_CELLS(dir), q);
      invalid |= !oak_interpolated_valid(&ph, q);
    }
  }
  if (!OAK_ANY(invalid)) return;
  OAK_ROWS(row, depth * HB(dir), HA(dir)) {
    OAK_LANES(a, HA(dir)) {
      const int b = row % HB(dir), m = row / HB(dir);
      int x[3], offset[8], count = 0;
      face_point(dir, high ? m : OAK_ALONG(dir) - 1 - m, (t->sub & 1) * HA(dir) + a,
                 (t->sub >> 1) * HB(dir) + b, x);
      for (int n = 0; n < 2 && 2 * m + n < OAK_NG; n++)
        for (int e = 0; e < (OAK_DIM == 3 ? 4 : 2); e++)
          offset[count++] = (high ? 2 * m + n : OAK_NG - 1 - 2 * m - n) * FACE_CELLS(dir) +
                            (2 * b + (e >> 1)) * FA(dir) + 2 * a + (e & 1);
      oak_keep_valid(&ph, oak_span(&arg->f, t->source, x[0], x[1]), u + OAK_INDEX(x[0], x[1], x[2]),
                     dst, OAK_NG * FACE_CELLS(dir), offset, count);
    }
  }
}

/* BC. dx: distance of cells at the face. */
OAK_FN void halo_boundary(const oak_halo_args_t *arg, const oak_halo_task_t *t, real dx,
                          store_t *OAK_RESTRICT dst OAK_LANE_PARAM) {
  const oak_field_t *f = &arg->f;
  const int face = t->face, dir = face / 2, high = face & 1;
  const store_t *u = source_block(arg, t);
  OAK_ROWS(row, arg->components * FB(dir), FA(dir)) {
    const int b = row % FB(dir), v = row / FB(dir), step = dir == 0 ? OAK_NX : 1;
    const int inward = high ? -OAK_STRIDE(dir) : OAK_STRIDE(dir);
    const oak_bc_t bc = arg->bc[face * arg->components + v];
    store_t *q = dst + v * OAK_NG * FACE_CELLS(dir) + b * FA(dir);
    int x[3];
    face_point(dir, high ? OAK_ALONG(dir) - 1 : 0, 0, b, x);
    const store_t *p = u + OAK_INDEX(x[0], x[1], x[2]); /* variable 0 of the cells at the face */
    OAK_LANES(a, FA(dir)) {
      /* Cells are read for all layers at once, before the condition is known. */
      store_t inside[OAK_NG];
      OAK_FOR(m, OAK_NG) inside[m] = p[(long long)v * OAK_CELLS + a * step + m * inward];
      OAK_FOR(m, OAK_NG) {
        int ghost[3];
        face_point(dir, high ? OAK_ALONG(dir) + m : -1 - m, a, b, ghost);
        real value = ghost_value(f, bc, t->source, face, v, ghost, p + a * step + m * inward,
                                 OAK_CELLS, inside[m], inside[0], (2 * m + 1) * dx);
#if OAK_COORDINATES == OAK_SPHERICAL
        const store_t *const cell[3] = {p + a * step, p + a * step + 1, p + a * step + 2};
        if (bc.kind == OAK_BC_ORIGIN) value = origin_value(f, v, m, cell[0] + m, cell, OAK_CELLS);
#endif
        q[(high ? m : OAK_NG - 1 - m) * FACE_CELLS(dir) + a] = (store_t)value;
      }
    }
  }
}

/* F2C: average into a slot or a packed piece. */
OAK_FN void restrict_task(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                          store_t *dst OAK_LANE_PARAM) {
#if OAK_HAS_physics_to_coarse
  if (arg->interpolation == OAK_INTERPOLATE_STATE) {
    halo_restrict_state(arg, t, dst, t->kind == OAK_HALO_PACK OAK_LANE_ARG);
    return;
  }
#endif
  halo_restrict(arg, t, dst, t->kind == OAK_HALO_PACK OAK_LANE_ARG);
}

/* C2F: limited linear interpolation of each component. */
OAK_FN void prolong_components(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                               store_t *dst OAK_LANE_PARAM) {
  if (t->face < 2)
    halo_prolong(arg, t, 0, dst OAK_LANE_ARG);
  else if (t->face < 4)
    halo_prolong(arg, t, 1, dst OAK_LANE_ARG);
  else if (OAK_DIM == 3)
    halo_prolong(arg, t, 2, dst OAK_LANE_ARG);
}

/* C2F: interpolate by the kind of the field. */
OAK_FN void prolong_task(const oak_halo_args_t *arg, const oak_halo_task_t *t,
                         store_t *dst OAK_LANE_PARAM) {
#if OAK_ELLIPTIC
  if (arg->interpolation == OAK_INTERPOLATE_QUADRATIC) {
    halo_quadratic(arg, t, t->face / 2, dst OAK_LANE_ARG);
    return;
  }
#endif
#if OAK_HAS_physics_to_smooth
  if (arg->interpolation == OAK_INTERPOLATE_STATE)
    halo_prolong_smooth(arg, t, dst OAK_LANE_ARG);
  else
    prolong_components(arg, t, dst OAK_LANE_ARG);
#else
  prolong_components(arg, t, dst OAK_LANE_ARG);
#endif
  if (arg->interpolation != OAK_INTERPOLATE_STATE) return;
  OAK_BARRIER;
  halo_keep_valid(arg, t, dst OAK_LANE_ARG);
}

OAK_KERNEL_FEW(oak_halo, oak_halo_args_t, HALO_THREADS, HALO_MOST) {
  OAK_ARGS_EARLY(oak_halo_args_t);
  OAK_OUTER_LANES(n) {
    const oak_halo_task_t t = arg.task[n];
    /* Not of t.source: at a pole it is the block at phi + pi, maybe of another rank. */
    const real dx = (real)oak_dx_at_face(&arg.f, t.block, t.face / 2, t.face & 1);
    OAK_WAIT;
#if OAK_DIFFUSION || OAK_CURL
    if (edges_rest(&arg, &t)) continue;
#endif
#if OAK_ELLIPTIC
    if (halo_rests(&arg, &t)) continue;
#endif
    store_t *dst = arg.halo + (long long)t.dst * arg.components * OAK_PIECE;
    switch (t.kind) {
      case OAK_HALO_COPY:
        halo_copy(&arg, &t, dst OAK_LANE_ARG);
        break;
      case OAK_HALO_RESTRICT:
      case OAK_HALO_PACK:
        restrict_task(&arg, &t, dst OAK_LANE_ARG);
        break;
      case OAK_HALO_UNPACK:
        halo_unpack(&arg, &t, dst OAK_LANE_ARG);
        break;
      case OAK_HALO_PROLONG:
        prolong_task(&arg, &t, dst OAK_LANE_ARG);
        break;
      case OAK_HALO_BOUNDARY:
        halo_boundary(&arg, &t, dx, dst OAK_LANE_ARG);
        break;
      default:
#if OAK_DIFFUSION || OAK_CURL
        edge_task(&arg, &t, dst OAK_LANE_ARG);
#endif
        break;
    }
  }
}

#undef OAK_TEAM
#define OAK_TEAM OAK_TEAM_ANY
