/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data for a new mesh from the old one: copy, prolong or restrict (paper, "Mesh management").
 * Ghost cells of the old mesh must be up to date. */
#include "kernels/access/rounding.h"
#include "kernels/geometry/rows.h"
#include "kernels/hooks/user.h"
#include "kernels/mesh/face_levels.h"

enum { CHILDREN = 1 << OAK_DIM };

OAK_FN void adapt_copy(const oak_adapt_args_t *arg, int base, int source,
                       store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const store_t *u = oak_base(&arg->f, base) +
                     (long long)source * oak_stored(&arg->f, arg->components) * OAK_CELLS;
  /* All parts are loaded before the first is stored, so that a GPU waits for memory once. */
  enum { PARTS = OAK_CELLS % 8 ? 4 : 8 };
  const int part = oak_stored(&arg->f, arg->components) * OAK_CELLS / PARTS;
  OAK_INNER(c, part) {
    store_t kept[PARTS];
    OAK_FOR(k, PARTS) kept[k] = u[c + k * part];
    OAK_FOR(k, PARTS) out[c + k * part] = kept[k];
  }
}

/* Refine an octant of the old block to the new block, its child, one coarse row at a time. */
OAK_FN void adapt_prolong(const oak_adapt_args_t *arg, int source, int child,
                          store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const int i0 = (child & 1) * HX, j0 = (child >> 1 & 1) * HY, k0 = (child >> 2) * HZ;
  const real theta = interpolation_theta(arg->interpolation, arg->theta);
  OAK_ROWS_OF(v, arg->components, row, HY * HZ, HX) {
    const int j = row % HY, k = row / HY;
    const int x[3] = {0, j0 + j, k0 + k};
    const oak_row_t r = oak_row_of(&arg->f, arg->components, source, v, 0, x);
    store_t *p = out + (long long)v * OAK_CELLS + OAK_INDEX(0, 2 * j, 2 * k);
    const int angular = arg->interpolation == OAK_INTERPOLATE_STATE && oak_is_angular(v);
    OAK_LANES(i, HX) {
      real slope[3];
      const real u = oak_row_slopes(&r, i0 + i, theta, slope);
      const oak_parts_t parts = oak_parts(oak_span(&arg->f, source, i0 + i, j0 + j), angular);
      OAK_FOR(e, CHILDREN) {
        const int upper[3] = {e & 1, e >> 1 & 1, e >> 2};
        p[OAK_INDEX(2 * i + upper[0], upper[1], upper[2])] =
            (store_t)oak_prolong(u, slope, upper, parts);
      }
    }
  }
}

#if OAK_HAS_physics_to_smooth || defined OAK_FIXED_FUNCTIONS
/* The place of child `e` of a cell as a hook gets it, in Cartesian or polar coordinates. */
OAK_FN oak_at_t child_place(const oak_at_t *at, int e) {
  oak_at_t child = *at;
  child.level++;
  OAK_FOR(d, OAK_DIM) {
    child.x[d] =
        oak_moved(d, at->x[d], (e >> d & 1 ? 0.25 : -0.25) * oak_dx(at->state, at->level, d));
    child.dx[d] = 0.5 * at->dx[d];
    if (OAK_COORDINATES && (d == 1 || OAK_LOG_RADIUS)) child.dx[d] *= child.x[0] / at->x[0];
  }
  return child;
}

/* Refine the solution, if it has fields or smooth variables. Fields that a function sets get its
 * values in fine cells. */
OAK_FN void adapt_prolong_state(const oak_adapt_args_t *arg, int source, int child,
                                store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const oak_user_t user = oak_user(&arg->f);
  OAK_ROWS(row, HY * HZ, HX) {
    OAK_LANES(i, HX) {
      const int j = row % HY, k = row / HY;
      const int x[3] = {(child & 1) * HX + i, (child >> 1 & 1) * HY + j, (child >> 2) * HZ + k};
      real coarse[NVAR], fine[CHILDREN][NVAR];
      oak_prolong_smooth(&arg->f, &user.physics, source, x, (real)arg->theta, coarse, fine);
#ifdef OAK_FIXED_FUNCTIONS
      const oak_at_t at = oak_place(&arg->f, &user, source, x[0], x[1], x[2]);
      for (int e = 0; e < CHILDREN; e++) {
        const oak_at_t place = child_place(&at, e);
#define OAK_CHILD_FIXED(variable, name, function) \
  fine[e][variable] = (real)oak_fixed_value(&place, variable);
        OAK_FIXED_FUNCTIONS(OAK_CHILD_FIXED)
      }
#endif
#if OAK_HAS_physics_to_smooth
      oak_state_from_smooth(&user.physics, oak_span(&arg->f, source, x[0], x[1]), coarse, fine);
#endif
      for (int e = 0; e < CHILDREN; e++)
        oak_store(out + OAK_INDEX(2 * i + (e & 1), 2 * j + (e >> 1 & 1), 2 * k + (e >> 2)),
                  OAK_CELLS, fine[e]);
    }
  }
}
#endif

/* Remove invalid states from the cells of a child that was just interpolated. A search for invalid
 * states comes first: it is cheap, and almost always finds none. */
OAK_FN void adapt_keep_valid(const oak_adapt_args_t *arg, int source, int child,
                             store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const physics_parameters_t ph = oak_physics(&arg->f);
  const store_t *u = arg->f.u + source * OAK_BLOCK_REALS +
                     OAK_INDEX((child & 1) * HX, (child >> 1 & 1) * HY, (child >> 2) * HZ);
  int invalid = 0;
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    OAK_LANES(i, OAK_NX) {
      real q[NVAR];
      oak_load(out + row * OAK_NX + i, OAK_CELLS, q);
      invalid |= !oak_interpolated_valid(&ph, q);
    }
  }
  if (!OAK_ANY(invalid)) return;
  int offset[CHILDREN];
  for (int e = 0; e < CHILDREN; e++) offset[e] = OAK_INDEX(e & 1, e >> 1 & 1, e >> 2);
  OAK_ROWS(row, HY * HZ, HX) {
    OAK_LANES(i, HX) {
      const int j = row % HY, k = row / HY;
      oak_keep_valid(&ph,
                     oak_span(&arg->f, source, (child & 1) * HX + i, (child >> 1 & 1) * HY + j),
                     u + OAK_INDEX(i, j, k), out + OAK_INDEX(2 * i, 2 * j, 2 * k), OAK_CELLS,
                     offset, CHILDREN);
    }
  }
}

/* Average a family of old blocks, stored one after the other, to the new block, their parent. */
OAK_FN void adapt_restrict(const oak_adapt_args_t *arg, int source,
                           store_t *OAK_RESTRICT out OAK_LANE_PARAM) {
  const int nc = arg->components;
  OAK_ROWS(row, CHILDREN * nc * HY * HZ, HX) {
    const int j = row % HY, k = row / HY % HZ, child = row / (HY * HZ) % CHILDREN;
    const int v = row / (HY * HZ * CHILDREN);
    const store_t *p = arg->f.u +
                       ((long long)(source + child) * oak_stored(&arg->f, nc) + v) * OAK_CELLS +
                       OAK_INDEX(0, 2 * j, 2 * k);
    store_t *q = out + (long long)v * OAK_CELLS +
                 OAK_INDEX((child & 1) * HX, (child >> 1 & 1) * HY + j, (child >> 2) * HZ + k);
    const int angular = arg->interpolation == OAK_INTERPOLATE_STATE && oak_is_angular(v);
    OAK_LANES(i, HX)
      q[i] = (store_t)oak_restrict(
          p + 2 * i, oak_parts(oak_span_of_pair(&arg->f, source + child, 2 * i, 2 * j), angular));
  }
}

OAK_KERNEL(oak_adapt, oak_adapt_args_t, 128) {
  OAK_ARGS(oak_adapt_args_t);
  OAK_OUTER_LANES(n) {
    const oak_adapt_task_t t = arg.task[n];
    store_t *out = arg.out + (long long)n * oak_stored(&arg.f, arg.components) * OAK_CELLS;
    if (t.kind == OAK_ADAPT_COPY)
      adapt_copy(&arg, t.base, t.source, out OAK_LANE_ARG);
    else if (t.kind == OAK_ADAPT_PROLONG) {
#if OAK_HAS_physics_to_smooth || defined OAK_FIXED_FUNCTIONS
      if (arg.interpolation == OAK_INTERPOLATE_STATE)
        adapt_prolong_state(&arg, t.source, t.child, out OAK_LANE_ARG);
      else
#endif
        adapt_prolong(&arg, t.source, t.child, out OAK_LANE_ARG);
      OAK_BARRIER;
      if (arg.interpolation == OAK_INTERPOLATE_STATE)
        adapt_keep_valid(&arg, t.source, t.child, out OAK_LANE_ARG);
#if OAK_CURL
      if (arg.interpolation == OAK_INTERPOLATE_STATE)
        faces_prolong(&arg, t.source, t.child, out + NVAR * OAK_CELLS OAK_LANE_ARG);
#endif
    } else {
      adapt_restrict(&arg, t.source, out OAK_LANE_ARG);
#if OAK_CURL
      if (arg.interpolation == OAK_INTERPOLATE_STATE)
        faces_restrict(&arg, t.source, out + NVAR * OAK_CELLS OAK_LANE_ARG);
#endif
    }
  }
}
