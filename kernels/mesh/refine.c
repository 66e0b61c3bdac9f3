/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement flags per block. Ghost cells must be up to date.
 *
 * An indicator of each cell is compared with c_refine and c_derefine. OAK_CRITERION is a criterion
 * of numerics/criteria.h, of the physics or of the problem; with OAK_REFINE_USER the problem gives
 * the indicator itself.
 *
 * REGION of the problem takes precedence over the indicator, block by block. */
#include "kernels/bodies/shapes.h"
#include "kernels/geometry/rows.h"
#include "kernels/geometry/solids.h"
#include "numerics/criteria.h"
#include "oak/reach.h"

/* An indicator that set_flag takes. The square of a finite value may overflow. */
OAK_FN real refine_finite(real e2) {
  const real most = sizeof(real) == 4 ? (real)3e38 : (real)1e308;
  return OAK_MIN(e2, most);
}

/* The squared indicator of a cell by the criterion of the run. NaN of a user's criterion becomes
 * infinity, which maxima keep; criteria of oak give NaN where all values are 0. */
OAK_FN real indicator2(real u, const real below[], const real above[], real eps, real eps_abs) {
  const real e2 = OAK_PASTE(criterion_, OAK_CRITERION)(u, below, above, eps, eps_abs);
  return !OAK_CRITERION_OWN ? e2 : e2 == e2 ? refine_finite(e2) : (real)INFINITY;
}

/* The squared indicator of cell a of a row. */
OAK_FN real row_indicator2(const oak_row_t *row, int a, real eps, real eps_abs) {
  real below[OAK_DIM], above[OAK_DIM];
  OAK_FOR(dir, OAK_DIM) oak_row_neighbours(row, dir, a, &below[dir], &above[dir]);
  return indicator2(row->c[a * row->sc], below, above, eps, eps_abs);
}

#if OAK_REFINE_PRIMITIVES && !OAK_LANES_APART
/* Primitive variables of a row along x and of the rows beside it: [row][v][i + 1]. The first row is
 * the row itself, with its two ghost cells; rows 2 dir - 1 and 2 dir are below and above it along
 * dir. Only variables of the mask OAK_REFINE_PRIMITIVES are kept. */
typedef store_t refine_rows_t[2 * OAK_DIM - 1][NVAR][OAK_NX + 2];

OAK_FN void keep_primitives(const physics_parameters_t *ph, real q[], store_t out[NVAR][OAK_NX + 2],
                            int at) {
  oak_state_to_primitive(ph, q);
  OAK_FOR(v, NVAR)
    if (OAK_REFINE_PRIMITIVES >> v & 1) out[v][at] = (store_t)q[v];
}

/* Convert one row through x[], which may be a ghost row. */
OAK_FN void primitive_row(const oak_field_t *f, const physics_parameters_t *ph, long block,
                          const int x[3], store_t out[NVAR][OAK_NX + 2]) {
  int stride;
  const store_t *p = oak_row_start(f, NVAR, block, 0, 0, x, &stride);
  const long long sv = oak_row_start(f, NVAR, block, 1, 0, x, &stride) - p;
  OAK_INNER(i, OAK_NX) {
    real q[NVAR];
    oak_load(p + i * stride, sv, q);
    keep_primitives(ph, q, out, i + 1);
  }
}

OAK_FN void primitive_rows(const oak_field_t *f, const physics_parameters_t *ph, long block, int j,
                           int k, refine_rows_t rows) {
  int x[3] = {0, j, k};
  primitive_row(f, ph, block, x, rows[0]);
  OAK_UNROLL
  for (int dir = 1; dir < OAK_DIM; dir++) {
    x[dir]--;
    primitive_row(f, ph, block, x, rows[2 * dir - 1]);
    x[dir] += 2;
    primitive_row(f, ph, block, x, rows[2 * dir]);
    x[dir]--;
  }
  OAK_INNER(end, 2) {
    real q[NVAR];
    for (int v = 0; v < NVAR; v++) q[v] = oak_get(f, block, v, end ? OAK_NX : -1, j, k);
    keep_primitives(ph, q, rows[0], end ? OAK_NX + 1 : 0);
  }
}

OAK_FN oak_row_t primitive_view(refine_rows_t rows, int v) {
  oak_row_t row;
  row.axis = 0;
  row.c = &rows[0][v][1];
  row.sc = 1;
  row.below = rows[0][v][0];
  row.above = rows[0][v][OAK_NX + 1];
  OAK_UNROLL
  for (int dir = 1; dir < OAK_DIM; dir++)
    for (int side = 0; side < 2; side++) {
      row.side[dir][side] = &rows[2 * dir - 1 + side][v][1];
      row.ss[dir][side] = 1;
    }
  return row;
}
#endif

/* The largest squared indicator by lane and class of rows. With a buffer, the class of a row along
 * x says how close the row is to the ends of the block in y and z, so the maxima of the classes
 * show which neighbours are near a cell to refine. This takes no further work per cell. */
enum {
  REFINE_ENDS = OAK_REFINE_BUFFER ? 4 : 1,
  REFINE_MOST = (OAK_DIM == 3 ? REFINE_ENDS * REFINE_ENDS : REFINE_ENDS) * OAK_NX
};

/* Bit 0: place i is within the buffer of the lower end of axis `dir`; bit 1: of the upper end. */
OAK_FN int refine_ends(int dir, int i) {
  return (i < OAK_REFINE_BUFFER) | (i >= OAK_ALONG(dir) - OAK_REFINE_BUFFER) << 1;
}
/* The class of the rows at (j, k). */
OAK_FN int refine_class(int j, int k) {
  return OAK_REFINE_BUFFER ? refine_ends(1, j) + (OAK_DIM == 3 ? 4 * refine_ends(2, k) : 0) : 0;
}
/* OAK_REACH bits of the neighbours that are near cell i of a row of this class. */
OAK_FN int refine_near(int i, int rows) {
  const int ends[3] = {refine_ends(0, i), rows & 3, rows >> 2};
  int reach = 0;
  for (int n = 0; n < 27; n++) {
    const int dir[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    int near = 1;
    for (int d = 0; d < 3; d++) near &= dir[d] == 0 || (dir[d] < 0 ? ends[d] & 1 : ends[d] >> 1);
    reach |= near ? OAK_REACH(dir[0], dir[1], dir[2]) : 0;
  }
  return reach;
}

#if OAK_LANES_APART
/* refine_most_t: the largest squared indicator of a lane, and the neighbours near its cells to
 * refine. It has no array, so that gcc keeps it in registers of the lane. */
typedef struct {
  real largest, limit2;
  int reach;
} refine_most_t;
#define REFINE_TALLY(most, i, j, k, e2)                    \
  do {                                                     \
    (most)->largest = OAK_MAX((most)->largest, e2);        \
    if (OAK_REFINE_BUFFER && (e2) > (most)->limit2)        \
      (most)->reach |= refine_near(i, refine_class(j, k)); \
  } while (0)
#else
typedef real refine_most_t; /* [class of rows][i] */
#define REFINE_TALLY(most, i, j, k, e2) OAK_TALLY_MAX((most)[refine_class(j, k) * OAK_NX + (i)], e2)

/* OAK_REACH bits of all neighbours that are near a cell to refine. */
OAK_FN int refine_reach(const real *most, real limit2) {
  int reach = 0;
  for (int c = 0; OAK_REFINE_BUFFER && c < REFINE_MOST; c++)
    if (most[c] > limit2) reach |= refine_near(c % OAK_NX, c / OAK_NX);
  return reach;
}
#endif

/* Look at component v of block n. */
OAK_FN void look_at_component(const oak_refine_args_t *arg, const oak_field_t *f, int components,
                              long n, int v, refine_most_t *OAK_RESTRICT most OAK_LANE_PARAM) {
  const real eps = (real)arg->eps, eps_abs = (real)arg->eps_abs;
#if OAK_MANY_THREADS
  /* A thread goes along the last axis: it finds the neighbours of its column once, and loads of
   * several cells are under way at a time. */
  OAK_INNER2(j, OAK_DIM == 3 ? OAK_NY : 1, i, OAK_NX) {
    const int x[3] = {i, j, 0};
    const oak_row_t row = oak_row_of(f, components, n, v, OAK_DIM - 1, x);
    real largest = 0;
    OAK_PRAGMA(unroll 4)
    for (int a = 0; a < OAK_ALONG(OAK_DIM - 1); a++) {
      const real e2 = row_indicator2(&row, a, eps, eps_abs);
#if OAK_REFINE_BUFFER
      REFINE_TALLY(most, i, OAK_DIM == 3 ? j : a, a, e2);
#endif
      largest = OAK_MAX(largest, e2);
    }
    if (!OAK_REFINE_BUFFER) OAK_TALLY_MAX(most[i], largest);
  }
#else
  OAK_ROWS(line, OAK_NY * OAK_NZ, OAK_NX) {
    const int x[3] = {0, line % OAK_NY, line / OAK_NY};
    const oak_row_t row = oak_row_of(f, components, n, v, 0, x);
    OAK_LANES(i, OAK_NX) {
      const real e2 = row_indicator2(&row, i, eps, eps_abs);
      REFINE_TALLY(most, i, x[1], x[2], e2);
    }
  }
#endif
}

#if defined(OAK_FIELDS) || defined(OAK_REFINE_DERIVED)
OAK_FN void look_at_field(const oak_refine_args_t *arg, long n, const oak_beside_t *beside,
                          refine_most_t *most OAK_LANE_PARAM) {
  oak_field_t field = arg->f;
  field.beside = beside;
  field = oak_beside(&field, 0);
  look_at_component(arg, &field, 1, n, 0, most OAK_LANE_ARG);
}
#endif

#if OAK_REFINE_PRIMITIVES
#if OAK_LANES_APART
/* Look at primitive variables. Lanes share no rows: each converts its cell and its neighbours. */
OAK_FN void look_at_primitives(const oak_refine_args_t *arg, long n,
                               refine_most_t *most OAK_LANE_PARAM) {
  const physics_parameters_t ph = oak_physics(&arg->f);
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    const int j = row % OAK_NY, k = row / OAK_NY;
    OAK_LANES(i, OAK_NX) {
      real q[1 + 2 * OAK_DIM][NVAR];
      OAK_FOR(c, 1 + 2 * OAK_DIM) {
        const int dir = (c - 1) / 2, step = c == 0 ? 0 : c & 1 ? -1 : 1;
        OAK_FOR(v, NVAR)
          q[c][v] = oak_get(&arg->f, n, v, i + (dir == 0) * step, j + (dir == 1) * step,
                            k + (dir == 2) * step);
        oak_state_to_primitive(&ph, q[c]);
      }
      OAK_FOR(v, NVAR) {
        if (!(OAK_REFINE_PRIMITIVES >> v & 1)) continue;
        real below[OAK_DIM], above[OAK_DIM];
        OAK_FOR(dir, OAK_DIM)
          below[dir] = (store_t)q[1 + 2 * dir][v], above[dir] = (store_t)q[2 + 2 * dir][v];
        const real e2 =
            indicator2((store_t)q[0][v], below, above, (real)arg->eps, (real)arg->eps_abs);
        REFINE_TALLY(most, i, j, k, e2);
      }
    }
  }
}
#else
OAK_FN void look_at_primitives(const oak_refine_args_t *arg, long n, refine_most_t *most) {
  const physics_parameters_t ph = oak_physics(&arg->f);
  OAK_SHARED refine_rows_t rows;
  for (int k = 0; k < OAK_NZ; k++)
    for (int j = 0; j < OAK_NY; j++) {
      primitive_rows(&arg->f, &ph, n, j, k, rows);
      OAK_BARRIER;
      for (int v = 0; v < NVAR; v++) {
        if (!(OAK_REFINE_PRIMITIVES >> v & 1)) continue;
        const oak_row_t row = primitive_view(rows, v);
        OAK_INNER(i, OAK_NX) {
          const real e2 = row_indicator2(&row, i, (real)arg->eps, (real)arg->eps_abs);
          REFINE_TALLY(most, i, j, k, e2);
        }
      }
      OAK_BARRIER;
    }
}
#endif
#endif

OAK_FN void look_at_variables(const oak_refine_args_t *arg, long n,
                              refine_most_t *most OAK_LANE_PARAM) {
  for (int v = 0; v < NVAR; v++) {
    if (!(arg->variables >> v & 1)) continue;
    look_at_component(arg, &arg->f, NVAR, n, v, most OAK_LANE_ARG);
  }
#ifdef OAK_FIELDS
#define OAK_LOOK_AT_FIELD(number, name) \
  if (arg->fields >> (number)&1) look_at_field(arg, n, arg->f.beside + (number), most OAK_LANE_ARG);
  OAK_FIELDS(OAK_LOOK_AT_FIELD)
#endif
#ifdef OAK_REFINE_DERIVED
  for (int number = 0; number < OAK_REFINE_DERIVED; number++)
    look_at_field(arg, n, arg->derived + number, most OAK_LANE_ARG);
#endif
#if OAK_REFINE_PRIMITIVES
  look_at_primitives(arg, n, most OAK_LANE_ARG);
#endif
}

/* The problem's answer for the box of a block. */
OAK_FN int refine_region(const oak_field_t *f, long n) {
#if OAK_HAS_problem_region
  const oak_user_t user = oak_user(f);
  const oak_block_t *b = &f->block[n];
  oak_at_t at = oak_place(f, &user, n, 0, 0, 0);
  double lower[3], upper[3];
  for (int d = 0; d < 3; d++) {
    lower[d] = b->origin[d];
    upper[d] = d < OAK_DIM ? b->origin[d] + OAK_ALONG(d) * oak_dx(f, b->level, d) : b->origin[d];
  }
  lower[0] = oak_first_coordinate(lower[0]);
  upper[0] = oak_first_coordinate(upper[0]);
  for (int d = 0; d < 3; d++) at.x[d] = 0.5 * (lower[d] + upper[d]);
  return problem_region(&at, lower, upper);
#else
  return OAK_REGION_FREE;
#endif
}

#if NSOLID
/* Look at solids: their surface is on the finest level. A block is refined if it and its ghost
 * cells contain both solid cells and others, or if a body near it may be smaller than a cell. */
OAK_FN void look_at_solids(const oak_refine_args_t *arg, long n,
                           refine_most_t *OAK_RESTRICT most OAK_LANE_PARAM) {
  const oak_user_t user = oak_user(&arg->f);
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    const int j = row % OAK_NY, k = row / OAK_NY;
    OAK_LANES(i, OAK_NX) {
      double size[3];
      const real own = oak_get(&arg->f, n, SOLID_VAR, i, j, k);
      int differs = 0;
      for (int face = 0; face < OAK_FACES; face++) {
        const int step = face & 1 ? 1 : -1, dir = face / 2;
        const real other = oak_get(&arg->f, n, SOLID_VAR, i + (dir == 0) * step,
                                   j + (dir == 1) * step, k + (dir == 2) * step);
        differs |= oak_is_solid(other) != oak_is_solid(own);
      }
      const oak_at_t at = oak_place(&arg->f, &user, n, i, j, k);
      for (int d = 0; d < OAK_DIM; d++) size[d] = oak_size(&arg->f, n, i, j, d);
      differs |= oak_body_begins(&at, size);
      const real e2 = differs ? (real)1e30 : 0;
      REFINE_TALLY(most, i, j, k, e2);
    }
  }
}
#endif

/* Fill most[] from all cells of a block. */
OAK_FN void look_at_block(const oak_refine_args_t *arg, long n,
                          refine_most_t *most OAK_LANE_PARAM) {
#if OAK_REFINE_NONE
  /* regions alone decide */
#elif OAK_REFINE_USER && OAK_HAS_problem_refine
  const oak_user_t user = oak_user(&arg->f);
  OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
    const int j = row % OAK_NY, k = row / OAK_NY;
    OAK_LANES(i, OAK_NX) {
      const oak_at_t at = oak_place(&arg->f, &user, n, i, j, k);
      const real e = oak_abs(problem_refine(&at));
      const real e2 = e < (real)INFINITY ? refine_finite(e * e) : (real)INFINITY;
      REFINE_TALLY(most, i, j, k, e2);
    }
  }
#else
  look_at_variables(arg, n, most OAK_LANE_ARG);
#endif
#if NSOLID && !OAK_REFINE_NONE
  look_at_solids(arg, n, most OAK_LANE_ARG);
#endif
}

/* Set the results of block n from its largest squared indicator and from the neighbours near a cell
 * to refine. */
OAK_FN void set_flag(const oak_refine_args_t *arg, long n, real e2, int reach) {
  const real limit2 = (real)(arg->c_refine * arg->c_refine);
  const int region = refine_region(&arg->f, n);
  int flag = e2 > limit2 ? 1 : e2 < (real)(arg->c_derefine * arg->c_derefine) ? -1 : 0;
  if (OAK_REFINE_NONE) flag = 0;
  const int failed = (OAK_REFINE_USER || OAK_CRITERION_OWN) && !(e2 < (real)INFINITY);
  if (region == OAK_REGION_REFINE) flag = 1;
  if (region == OAK_REGION_DEREFINE) flag = -1;
  if (region == OAK_REGION_NEVER && flag > 0) flag = 0;
  arg->flag[n] = failed ? OAK_FLAG_FAILED : flag;
#if OAK_REFINE_BUFFER
  arg->reach[n] = region == OAK_REGION_DEREFINE ? OAK_REACH_NOT_KEPT
                  : region == OAK_REGION_NEVER  ? OAK_REACH_NOT_REFINED | reach
                                                : reach;
#else
  (void)reach;
#endif
}

OAK_KERNEL(oak_refine_flags, oak_refine_args_t, 128) {
  OAK_ARGS(oak_refine_args_t);
#if OAK_LANES_APART
  OAK_GANGS(m) {
    const long n = oak_listed(&arg.f, m);
    real e2 = 0;
    int reach = 0;
    OAK_VECTOR(reduction(max : e2) reduction(| : reach))
    OAK_TEAM_LANES {
      refine_most_t most = {0, (real)(arg.c_refine * arg.c_refine), 0};
      look_at_block(&arg, n, &most OAK_LANE_ARG);
      reach |= most.reach;
      e2 = OAK_MAX(e2, most.largest);
    }
    set_flag(&arg, n, e2, reach);
  }
#else
  OAK_OUTER(m) {
    const long n = oak_listed(&arg.f, m);
    OAK_SHARED real most[REFINE_MOST];
    OAK_INNER(i, REFINE_MOST) most[i] = 0;
    OAK_BARRIER;
    look_at_block(&arg, n, most OAK_LANE_ARG);
    OAK_BARRIER;
    int reach = 0;
    OAK_SERIAL reach = refine_reach(most, (real)(arg.c_refine * arg.c_refine));
    OAK_BARRIER;
    real e2;
    OAK_REDUCE_MAX(e2, most, REFINE_MOST);
    OAK_SERIAL set_flag(&arg, n, e2, reach);
  }
#endif
}
