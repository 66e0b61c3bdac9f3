/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux kernel as loops over cells. It computes the same step as kernels/flux/flux.c and is used
 * where lanes cannot pass values to each other in fast memory (OpenACC), or where passing takes
 * longer than computing twice (few variables on GPUs). A lane goes along the last axis over
 * OAK_WALK_CELLS cells of a column; this is called a walk. The lane keeps the flux at the last
 * face, so it computes the fluxes between the cells of its walk once. All other fluxes are computed
 * by the cells on both sides of a face. */
#ifndef OAK_FLUX_CELLS_H
#define OAK_FLUX_CELLS_H

#include "kernels/flux/cell_flux.h"

#if OAK_FLUX_CELLS
/* Cells of a walk: a longer walk means less work, a shorter one more lanes. With 1 (OpenACC, CPUs)
 * there is no walk, and all fluxes are computed twice. */
#ifndef OAK_WALK_CELLS
#define OAK_WALK_CELLS (OAK_MANY_THREADS ? (OAK_DIM == 3 ? OAK_NZ : OAK_NY < 16 ? 2 : 8) : 1)
#endif
#define AXIS (OAK_DIM - 1)
/* Sizes of a tile of xy planes (3D) or of a plane (2D): number of columns, and cells along a
 * column. */
#define COLUMNS (OAK_DIM == 3 ? TX * TY : TX)
#define HEIGHT (OAK_DIM == 3 ? OAK_NZ : TY)
#define WALKS ((HEIGHT + OAK_WALK_CELLS - 1) / OAK_WALK_CELLS)
#define LANES (COLUMNS * WALKS)
#undef OAK_TEAM
#define OAK_TEAM LANES

/* Add the fluxes through both faces of cell x[] across axis `dir`, and the larger of their wave
 * speeds. The compiler's translation of the loop over the two faces determines the registers of a
 * lane, and so the number of lanes (docs/openacc.md). */
OAK_FN void cross_fluxes(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                         const int x[3], int dir, sum_t inv_dx, sum_t rate[NVAR], real *speed) {
#ifdef PHYSICS_SIDES
  real q[NVAR], lower[PHYSICS_SIDES];
#endif
  real window[NVAR][WINDOW], hi[NVAR], flux[NFLUX], fastest = 0;
  sum_t sum[NVAR];
#if OAK_COORDINATES
  real cell[NVAR];
  load_primitive(&user->physics, arg->f.u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]),
                 OAK_CELLS, cell);
  METRIC(metric, &arg->f, user, block, x[0], x[1], cell);
#endif
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) sum[v] = 0;
  start_walk(&arg->f, user, block, x, dir, x[dir] - 1, window, hi);
  OAK_TWO_TURNS
  for (int n = 0; n < 2; n++) {
    walk(&arg->f, user, block, x, dir, x[dir] + n, window, hi, flux);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) sum[v] = n ? NET_FLUX(metric, v, dir, sum[v], flux[v]) : flux[v];
    fastest = OAK_MAX(flux[NVAR], fastest);
    keep_cell_flux(arg, block, 2 * dir + n, x, flux);
#ifdef PHYSICS_SIDES
    if (n)
      add_cell_terms(&user->physics, q, lower, flux + LEFT_SIDE, dir, INV_SIZE(metric, dir, inv_dx),
                     rate);
    for (int v = 0; v < NVAR; v++) q[v] = window[v][RAD]; /* of cell x[] after the first turn */
    for (int s = 0; s < PHYSICS_SIDES; s++) lower[s] = flux[RIGHT_SIDE + s];
#endif
  }
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) rate[v] += sum[v] * inv_dx;
  *speed += WAVE_RATE(metric, dir, fastest, inv_dx);
}

/* The new state of cell x[] from its rates of change. Returns 1 if it is invalid. */
OAK_FN int update_cell(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                       const int x[3], const real q[NVAR], const sum_t rate[NVAR]) {
  sum_t u[NVAR];
  stage_result(arg, user, block, x, q, rate, u);
  store_result(arg->out + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]), OAK_CELLS, u);
  return !result_valid(&user->physics, u);
}

/* The neighbours along `dir` of a cell of a walk, the lowest first, GH on each side. */
typedef struct {
  const store_t *p[2 * GH];
  int sv[2 * GH], step[2 * GH]; /* to the next variable, and to the walk's next cell */
} beside_t;

OAK_FN beside_t cells_beside(const oak_field_t *f, long block, const int x[3], int dir) {
  const oak_side_t side[2] = {oak_side(f, block, 2 * dir), oak_side(f, block, 2 * dir + 1)};
  const store_t *own = f->u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
  const int a = x[dir == 0 ? 1 : 0], b = OAK_DIM == 3 ? x[2] : 0;
  beside_t c;
  OAK_UNROLL
  for (int n = 0; n < 2 * GH; n++) {
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

/* What cross_fluxes adds, for one cell of a walk. The pointers then move to the next cell. */
OAK_FN void beside_fluxes(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                          const int x[3], int dir, int refined, beside_t *c, const real q[NVAR],
                          sum_t inv_dx, sum_t rate[NVAR], real *speed) {
  real row[NVAR][ROW], flux[2][NFLUX];
  OAK_UNROLL
  for (int n = 0; n < 2 * GH; n++) {
    real next[NVAR];
    load_primitive(&user->physics, c->p[n], c->sv[n], next);
    c->p[n] += c->step[n];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) row[v][n < GH ? n : n + 1] = next[v];
  }
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) row[v][GH] = q[v];
  cell_fluxes(&arg->f, user, block, x, row, dir, 0, flux);
  METRIC(metric, &arg->f, user, block, x[0], x[1], q);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++)
    rate[v] += NET_FLUX(metric, v, dir, flux[0][v], flux[1][v]) * inv_dx;
#ifdef PHYSICS_SIDES
  add_cell_terms(&user->physics, q, flux[0] + RIGHT_SIDE, flux[1] + LEFT_SIDE, dir,
                 INV_SIZE(metric, dir, inv_dx), rate);
#endif
  *speed += WAVE_RATE(metric, dir, OAK_MAX(flux[0][NVAR], flux[1][NVAR]), inv_dx);
  for (int n = 0; n < 2 && refined; n++) keep_cell_flux(arg, block, 2 * dir + n, x, flux[n]);
}

/* All cells of a walk from cell x[] to before cell `end`. Returns the fastest wave speed / dx,
 * summed over axes, and adds to the count of invalid cells. */
OAK_FN real walk_column(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                        int x[3], int end, int refined, const sum_t inv_dx[3], int *invalid) {
  const oak_field_t *f = &arg->f;
  real window[NVAR][WINDOW], hi[NVAR], flux[2][NFLUX], fastest = 0;
  beside_t beside[AXIS];
  OAK_UNROLL
  for (int dir = 0; dir < AXIS; dir++) beside[dir] = cells_beside(f, block, x, dir);
  start_walk(f, user, block, x, AXIS, x[AXIS] - 1, window, hi);
  walk(f, user, block, x, AXIS, x[AXIS], window, hi, flux[0]);
  if (refined) keep_cell_flux(arg, block, 2 * AXIS, x, flux[0]);
  OAK_NO_UNROLL
  for (; x[AXIS] < end; x[AXIS]++) {
    real q[NVAR], speed = 0;
    sum_t rate[NVAR];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) rate[v] = 0, q[v] = window[v][RAD];
    OAK_UNROLL
    for (int dir = 0; dir < AXIS; dir++)
      beside_fluxes(arg, user, block, x, dir, refined, &beside[dir], q, inv_dx[dir], rate, &speed);
    walk(f, user, block, x, AXIS, x[AXIS] + 1, window, hi, flux[1]);
    METRIC(metric, f, user, block, x[0], x[1], q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++)
      rate[v] += NET_FLUX(metric, v, AXIS, flux[0][v], flux[1][v]) * inv_dx[AXIS];
#ifdef PHYSICS_SIDES
    add_cell_terms(&user->physics, q, flux[0] + RIGHT_SIDE, flux[1] + LEFT_SIDE, AXIS,
                   INV_SIZE(metric, AXIS, inv_dx[AXIS]), rate);
#endif
    speed += WAVE_RATE(metric, AXIS, OAK_MAX(flux[0][NVAR], flux[1][NVAR]), inv_dx[AXIS]);
    speed = own_rate(arg, user, block, x[0], x[1], x[2], q, speed);
    fastest = OAK_MAX(speed, fastest); /* not NaN */
    *invalid += update_cell(arg, user, block, x, q, rate);
    if (refined) keep_cell_flux(arg, block, 2 * AXIS + 1, x, flux[1]);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) flux[0][v] = flux[1][v];
  }
  return fastest;
}

/* The same for a single cell. Values of the block or of the launch are read where they are needed.
 * Registers that hold them in between would reduce the number of lanes (docs/openacc.md). */
OAK_FN real one_cell(const oak_flux_args_t *arg, const oak_flux_user_t *user, long block,
                     const int x[3], int *invalid) {
  real q[NVAR], speed = 0;
  sum_t rate[NVAR];
  const store_t *p = arg->f.u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) rate[v] = 0;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++) {
    const sum_t inv_dx = (sum_t)oak_inv_dx(&arg->f, arg->f.block[block].level, dir);
    cross_fluxes(arg, user, block, x, dir, inv_dx, rate, &speed);
  }
  load_primitive(&user->physics, p, OAK_CELLS, q);
  *invalid += update_cell(arg, user, block, x, q, rate);
  speed = own_rate(arg, user, block, x[0], x[1], x[2], q, speed);
  return OAK_MAX(speed, 0);
}

/* A gang for each tile or part of a tile, a lane for each walk. Values that the cells of a tile
 * share are computed once, in scalars, which compilers pass to the lanes unchanged. */
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
    const int level = s->f.block[block].level;
    const oak_flux_user_t user = oak_flux_user(&s->f);
    const sum_t inv_x = (sum_t)oak_inv_dx(&s->f, level, 0);
    const sum_t inv_y = (sum_t)oak_inv_dx(&s->f, level, 1);
    const sum_t inv_z = OAK_DIM == 3 ? (sum_t)oak_inv_dx(&s->f, level, 2) : 0;
    int refined = 0;
    for (int face = 0; face < OAK_FACES; face++)
      refined |= s->f.face[block * OAK_FACES + face].bflux >= 0;
    real fastest = 0;
    int invalid = 0;
    OAK_VECTOR2(w, walks, c, COLUMNS, reduction(max : fastest) reduction(+ : invalid)) {
      const sum_t inv_dx[3] = {inv_x, inv_y, inv_z};
      int x[3] = {x0 + c % TX, y0 + c / TX, 0};
      x[AXIS] = begin + w * OAK_WALK_CELLS;
      const int last = OAK_MIN(x[AXIS] + OAK_WALK_CELLS, end);
      const real speed = OAK_WALK_CELLS == 1
                             ? one_cell(s, &user, block, x, &invalid)
                             : walk_column(s, &user, block, x, last, refined, inv_dx, &invalid);
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
#endif
#endif
