/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux kernel as loops over cells. It computes the same step as flux.c and is used where lanes
 * cannot pass values to each other in fast memory (OpenACC), or where passing takes longer than
 * computing twice (few variables on GPUs). A lane goes along the last axis over OAK_WALK_CELLS
 * cells of a column, which is called a walk. It keeps the flux at the last face, so the fluxes
 * between the cells of its walk are computed once. All other fluxes are computed by the cells on
 * both sides of a face. */
#pragma once

#include "kernels/flux/place.h"
#include "kernels/scheme/reference.h"

/* Number of cells of a walk: a longer walk means less work, a shorter one more lanes. With 1
 * (OpenACC, CPUs) all fluxes are computed twice. */
#ifndef OAK_WALK_CELLS
#define OAK_WALK_CELLS (OAK_MANY_THREADS ? (OAK_DIM == 3 ? OAK_NZ : OAK_NY < 16 ? 2 : 8) : 1)
#endif
/* AXIS: the last axis. Sizes of a tile of xy planes (3D) or of a plane (2D): number of columns, and
 * cells along a column. */
enum {
  AXIS = OAK_DIM - 1,
  COLUMNS = OAK_DIM == 3 ? TX * TY : TX,
  HEIGHT = OAK_DIM == 3 ? OAK_NZ : TY,
  LANES = COLUMNS * ((HEIGHT + OAK_WALK_CELLS - 1) / OAK_WALK_CELLS)
};
#undef OAK_TEAM
#define OAK_TEAM LANES

/* Cell n of the row along `dir` through cell x[]: its first variable and the stride to the next. */
OAK_FN const store_t *row_cell(const oak_field_t *f, long block, const int x[3], int dir, int n,
                               int *stride) {
  *stride = OAK_CELLS;
  if (n >= 0 && n < OAK_ALONG(dir))
    return f->u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]) +
           (n - x[dir]) * OAK_STRIDE(dir);
  const oak_side_t s = oak_side(f, block, 2 * dir + (n >= OAK_ALONG(dir)));
  const int layer = n < 0 ? n + OAK_NG : n - OAK_ALONG(dir);
  *stride = s.sv;
  return s.p + layer * s.sn + x[dir == 0 ? 1 : 0] * s.sa +
         (OAK_DIM == 3 ? x[dir == 2 ? 1 : 2] * s.sb : 0);
}

/* enter_window: cell n of the row along `dir` through x[] enters a window of the cells that the
 * limiter needs. The window and the state hi[] at the upper face of the cell in its middle are all
 * values in use along a row, so registers suffice for more lanes. */
OAK_FN void enter_window(const oak_field_t *f, const oak_flux_user_t *user, long block,
                         const int x[3], int dir, int n, real window[NVAR][STENCIL]) {
  int stride;
  real q[NVAR];
  const store_t *p = row_cell(f, block, x, dir, n, &stride);
  load_primitive(&user->physics, p, stride, q);
  OAK_FOR(v, NVAR) {
    OAK_FOR(m, STENCIL - 1) window[v][m] = window[v][m + 1];
    window[v][STENCIL - 1] = q[v];
  }
}

/* Start a walk with cell n in the middle of the window. */
OAK_FN void start_walk(const oak_field_t *f, const oak_flux_user_t *user, long block,
                       const int x[3], int dir, int n, real window[NVAR][STENCIL], real hi[NVAR]) {
  real lo[NVAR];
  OAK_UNROLL
  for (int m = -RAD; m <= RAD; m++) enter_window(f, user, block, x, dir, n + m, window);
  reconstruct(&window[0][RAD], NULL, dir, 1, STENCIL, lo, hi);
}

/* Move the window on to cell n. flux[]: through the lower face of the cell. */
OAK_FN void walk(const oak_field_t *f, const oak_flux_user_t *user, long block, const int x[3],
                 int dir, int n, real window[NVAR][STENCIL], real hi[NVAR], real flux[NFLUX]) {
  real lo[NVAR], next[NVAR];
  enter_window(f, user, block, x, dir, n + RAD, window);
  reconstruct(&window[0][RAD], NULL, dir, 1, STENCIL, lo, next);
  AT_FACE(ph, f, user, block, face_of(x, dir, n - x[dir]));
  face_flux(ph, hi, lo, dir, flux);
  OAK_FOR(v, NVAR) hi[v] = next[v];
}

/* Store the new state of a cell. Returns its rate, and counts invalid cells. */
OAK_FN real store_cell(const oak_flux_args_t *arg, const oak_flux_user_t *user, const cell_t *c,
                       int *invalid) {
  sum_t u[NVAR];
  keep_shares(arg, &user->physics, c, OAK_CURL ? closed_faces(&arg->f, c->block) : 0);
  *invalid += !new_state(arg, &user->physics, c, earlier_states(arg, c),
                         oak_cell_number(&arg->f, c->block, c->x[0], c->x[1], c->x[2]), u);
  oak_store(arg->out + c->block * OAK_BLOCK_REALS + OAK_INDEX(c->x[0], c->x[1], c->x[2]), OAK_CELLS,
            u);
  sum_t inv_dx[3];
  inverse_sizes(&arg->f, c->block, inv_dx);
  return cell_rate(arg, user, c, inv_dx);
}

/* beside_t: the neighbours along `dir` of a cell of a walk, the lowest first, GH on each side. */
typedef struct {
  const store_t *p[2 * GH];
  int sv[2 * GH], step[2 * GH]; /* strides to the next variable and cell */
} beside_t;

OAK_FN beside_t cells_beside(const oak_field_t *f, long block, const int x[3], int dir) {
  const oak_side_t side[2] = {oak_side(f, block, 2 * dir), oak_side(f, block, 2 * dir + 1)};
  const store_t *own = f->u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
  const int a = x[dir == 0 ? 1 : 0], b = OAK_DIM == 3 ? x[2] : 0;
  beside_t c;
  OAK_FOR(n, 2 * GH) {
    const int high = n >= GH, distance = high ? n - GH + 1 : n - GH, at = x[dir] + distance;
    const oak_side_t s = side[high];
    const int inside = high ? at < OAK_ALONG(dir) : at >= 0;
    c.p[n] = inside ? own + distance * OAK_STRIDE(dir)
                    : s.p + (high ? at - OAK_ALONG(dir) : at + OAK_NG) * s.sn + a * s.sa + b * s.sb;
    c.sv[n] = inside ? OAK_CELLS : s.sv;
    c.step[n] = inside ? OAK_STRIDE(AXIS) : AXIS == 2 ? s.sb : s.sa;
  }
  return c;
}

/* Add the fluxes across `dir` to a cell of a walk. The pointers then move to the next cell. */
OAK_FN void beside_fluxes(const oak_flux_args_t *arg, const oak_flux_user_t *user, cell_t *c,
                          int dir, int refined, beside_t *b, sum_t inv_dx) {
  real row[NVAR][ROW], flux[2][NFLUX];
  OAK_FOR(n, 2 * GH) {
    real q[NVAR];
    load_primitive(&user->physics, b->p[n], b->sv[n], q);
    b->p[n] += b->step[n];
    OAK_FOR(v, NVAR) row[v][n < GH ? n : n + 1] = q[v];
  }
  OAK_FOR(v, NVAR) row[v][GH] = c->q[v];
  row_fluxes(&arg->f, user, c->block, c->x, dir, row, 0, flux);
  add_fluxes(&user->physics, c, dir, inv_dx, flux[0], flux[1]);
  for (int n = 0; n < 2 && refined; n++)
    keep_flux(&arg->f, arg->bflux, c->block, 2 * dir + n, c->x, flux[n]);
}

/* Compute the cells of a walk, from cell x[] to before cell `end`. Returns the largest rate. */
OAK_FN real walk_column(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                        int x[3], int end, int *invalid) {
  const oak_field_t *f = &arg->f;
  const int level = f->block[block].level;
  real window[NVAR][STENCIL], hi[NVAR], flux[2][NFLUX], fastest = 0;
  int refined = 0;
  for (int face = 0; face < OAK_FACES; face++)
    refined |= f->face[block * OAK_FACES + face].bflux >= 0;
  beside_t beside[AXIS];
  OAK_FOR(dir, AXIS) beside[dir] = cells_beside(f, block, x, dir);
  start_walk(f, user, block, x, AXIS, x[AXIS] - 1, window, hi);
  walk(f, user, block, x, AXIS, x[AXIS], window, hi, flux[0]);
  if (refined) keep_flux(f, arg->bflux, block, 2 * AXIS, x, flux[0]);
  OAK_NO_UNROLL
  for (; x[AXIS] < end; x[AXIS]++) {
    cell_t c = {block, {x[0], x[1], x[2]}};
    OAK_FOR(v, NVAR) c.q[v] = window[v][RAD];
    start_cell(f, user, &c);
    OAK_FOR(dir, AXIS)
      beside_fluxes(arg, user, &c, dir, refined, &beside[dir], (sum_t)oak_inv_dx(f, level, dir));
    walk(f, user, block, x, AXIS, x[AXIS] + 1, window, hi, flux[1]);
    add_fluxes(&user->physics, &c, AXIS, (sum_t)oak_inv_dx(f, level, AXIS), flux[0], flux[1]);
    const real rate = store_cell(arg, user, &c, invalid);
    fastest = OAK_MAX(rate, fastest); /* not NaN */
    if (refined) keep_flux(f, arg->bflux, block, 2 * AXIS + 1, x, flux[1]);
    OAK_FOR(v, NFLUX) flux[0][v] = flux[1][v];
  }
  return fastest;
}

/* Compute a single cell. Values of the block or of the launch are read where they are needed,
 * because registers that hold them in between would reduce the number of lanes, and so would a loop
 * over the two faces across an axis (docs/openacc.md). */
OAK_FN real one_cell(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                     const int x[3], int *invalid) {
  cell_t c = {block, {x[0], x[1], x[2]}};
  load_primitive(&user->physics, arg->f.u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]),
                 OAK_CELLS, c.q);
  start_cell(&arg->f, user, &c);
  OAK_FOR(dir, OAK_DIM) {
    real window[NVAR][STENCIL], hi[NVAR], lower[NFLUX], upper[NFLUX] = {0};
    start_walk(&arg->f, user, block, x, dir, x[dir] - 1, window, hi);
    OAK_TWO_TURNS
    for (int n = 0; n < 2; n++) {
      OAK_FOR(v, NFLUX) lower[v] = upper[v];
      walk(&arg->f, user, block, x, dir, x[dir] + n, window, hi, upper);
      keep_flux(&arg->f, arg->bflux, block, 2 * dir + n, x, upper);
    }
    lower[NVAR] = upper[NVAR] = OAK_MAX(lower[NVAR], upper[NVAR]); /* one speed, not two */
    add_fluxes(&user->physics, &c, dir, (sum_t)oak_inv_dx(&arg->f, arg->f.block[block].level, dir),
               lower, upper);
  }
  const real rate = store_cell(arg, user, &c, invalid);
  return OAK_MAX(rate, 0);
}

/* The kernel: a gang for each tile or part of a tile, a lane for each walk. Values that the cells
 * of a tile share are computed once, in scalars, which compilers pass to the lanes unchanged. */
OAK_KERNEL_SHARED(oak_flux, oak_flux_args_t, LANES, RESIDENT, 0) {
  OAK_ARGS(oak_flux_args_t);
  OAK_GANGS(m) {
    const oak_flux_args_t *const s = OAK_ARGS_PLACE(arg);
    const flux_place_t place = flux_place(s, m);
    const int bits = s->part_bits, tile = place.tile;
    const long block = place.block;
    const int x0 = tile % TILES_X * TX, y0 = tile / TILES_X * TY;
    const int low = OAK_DIM == 3 ? 0 : y0;
    const int begin = low + (place.part * HEIGHT >> bits),
              end = low + ((place.part + 1) * HEIGHT >> bits);
    const int walks = (end - begin + OAK_WALK_CELLS - 1) / OAK_WALK_CELLS;
    const oak_flux_user_t user = oak_flux_user(&s->f);
    real fastest = 0;
    int invalid = 0;
    OAK_VECTOR2(w, walks, c, COLUMNS, reduction(max : fastest) reduction(+ : invalid)) {
      int x[3] = {x0 + c % TX, y0 + c / TX, 0};
      x[AXIS] = begin + w * OAK_WALK_CELLS;
      const int last = OAK_MIN(x[AXIS] + OAK_WALK_CELLS, end);
      const real speed = OAK_WALK_CELLS == 1 ? one_cell(s, &user, block, x, &invalid)
                                             : walk_column(s, &user, block, x, last, &invalid);
      fastest = OAK_MAX(speed, fastest);
    }
    OAK_GANG_MAX(fastest);
    OAK_GANG_SUM(invalid);
    OAK_SERIAL {
      s->rate[place.result] = (double)fastest;
      s->bad[place.result] = (s->first ? 0 : s->bad[place.result]) + invalid;
    }
  }
}

#undef OAK_TEAM
#define OAK_TEAM OAK_TEAM_ANY
