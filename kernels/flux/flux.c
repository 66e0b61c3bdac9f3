/* SPDX-License-Identifier: GPL-2.0-or-later
 * The finite-volume kernel: one forward Euler step of a Runge-Kutta stage,
 *
 *   out = dt F(u) + sum_i w_i prev_i                        (paper, eq. feuler)
 *
 * for blocks without stored ghost cells. This is the form for tiles: an iteration of OUTER works on
 * a tile of TX x TY cells of a block's xy planes and goes through the planes along z (the march). A
 * lane is a cell of the tile's plane. On a mesh with few tiles, an iteration goes through only a
 * part of the planes. In 2D there is one plane. Where tiles are slower, flux_cells.h has another
 * form.
 *
 * A value is converted to primitive variables when it enters the tile. Each x and y flux of a tile
 * is computed once, in shared memory (flux_faces.h), and so is each z flux, in a queue for each
 * column (flux_march.h). Tiles that share a face both compute its flux. */
#include "kernels/flux/cells.h"

#if !OAK_FLUX_CELLS
#include "kernels/flux/block.h"

/* Keep the fluxes through one side of the tile for flux fixing, if it is a side of the block at a
 * refinement boundary: n values at `flux`, `step` apart. `next` leads to the next variable. */
OAK_FN void keep_side(const tile_t *t, int face, int at, int n, const real *flux, int step,
                      int next) {
  const int slot = t->f->face[t->block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  sum_t *p = t->arg->bflux + (long long)slot * NVAR * FACE_ROOM + at;
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(i, n) p[v * FACE_CELLS(face / 2) + i] = flux[v * next + i * step];
}

OAK_FN void keep_xy_fluxes(const tile_t *t, int k, const flux_shared_t *sh) {
  if (!t->refined) return;
  const int j = t->y0 + FIRST_ROW(t), x = k * OAK_NY + j, y = k * OAK_NX + t->x0;
  if (t->x0 == 0) keep_side(t, 0, x, ROWS, &sh->fx[0][0][0], TX + 1, X_FACES);
  if (t->x0 + TX == OAK_NX) keep_side(t, 1, x, ROWS, &sh->fx[0][0][TX], TX + 1, X_FACES);
  if (j == 0) keep_side(t, 2, y, TX, sh->fy[0][0], 1, Y_FACES);
  if (j + ROWS == OAK_NY) keep_side(t, 3, y, TX, sh->fy[0][Y_ROW(FIRST_ROW(t) + ROWS)], 1, Y_FACES);
}

/* Compute z fluxes, and wait until all lanes have computed their x and y fluxes. In the two cases,
 * these orders are the fastest (docs/performance.md). */
OAK_FN void complete_fluxes(const tile_t *t, int k, march_t *z, flux_shared_t *sh) {
#if FETCHED
  oak_gate_arrive(&sh->fluxes_done);
  march_on(t, k, z, sh);
  oak_gate_wait(&sh->fluxes_done, (k - t->begin) & 1);
  keep_xy_fluxes(t, k, sh);
#else
  OAK_BARRIER;
  keep_xy_fluxes(t, k, sh);
  march_on(t, k, z, sh);
#endif
}

/* Where the new states of the present rows find what was computed before, as arrays over these
 * rows: the states of the plane, and the fluxes through lower and upper y and z faces (3D). */
typedef struct {
  const real (*s)[SY][SX], (*ylo)[ROWS + 1][TX], (*yup)[ROWS + 1][TX];
#if OAK_DIM == 3
  OAK_PRIVATE_ARG(real(*zlo), LANES);
  OAK_PRIVATE_ARG(const real(*zup), LANES);
#endif
} rows_t;

OAK_FN rows_t present_rows(const tile_t *t, int k, march_t *z, const flux_shared_t *sh) {
  const int j = FIRST_ROW(t);
  rows_t r;
  r.s = OAK_FROM_LANE(sh->s[0], j * SX);
  r.ylo = OAK_FROM_LANE(sh->fy, Y_ROW(j) * TX);
  r.yup = OAK_FROM_LANE(sh->fy, (Y_ROW(j + 1) - 1) * TX);
#if OAK_DIM == 3
  r.zlo = OAK_FROM_LANE(z->flux[Z_SIDE(k, 0)], j * TX);
  r.zup = z->flux[Z_SIDE(k, 1)];
#endif
  (void)k, (void)z;
  return r;
}

#ifdef PHYSICS_SIDES
/* Add the hook CELL_TERMS of cell (i, n) of the present rows to its rates of change. */
OAK_FN void add_terms(const tile_t *t, const flux_shared_t *sh, int i, int n, const rows_t *r,
                      const real inv_size[], const real q[], sum_t rate[]) {
  real lower[3][PHYSICS_SIDES], upper[3][PHYSICS_SIDES];
  OAK_UNROLL
  for (int s = 0; s < PHYSICS_SIDES; s++) {
    lower[0][s] = sh->fx[RIGHT_SIDE + s][n][i], upper[0][s] = sh->fx[LEFT_SIDE + s][n][i + 1];
    lower[1][s] = r->ylo[RIGHT_SIDE + s][n][i];
    upper[1][s] = r->yup[LEFT_SIDE + s][n + 1][i];
#if OAK_DIM == 3
    lower[2][s] = OAK_MY(r->zlo[RIGHT_SIDE + s], n * TX + i);
    upper[2][s] = OAK_MY(r->zup[LEFT_SIDE + s], n * TX + i);
#endif
  }
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++)
    add_cell_terms(&t->user.physics, q, lower[d], upper[d], d, inv_size[d], rate);
}
#else
#define add_terms(t, sh, i, n, r, inv_size, q, rate) ((void)0)
#endif

/* What the fluxes of variable v add to a cell per time, and the largest wave speed / dx of its
 * faces, summed over axes. */
#if OAK_DIM == 3
#define Z_RATE(v) \
  +NET_FLUX(metric, v, 2, OAK_MY(r->zlo[v], lane), OAK_MY(r->zup[v], lane)) * t->inv_dx[2]
#define Z_SPEED                                                                          \
  +WAVE_RATE(metric, 2, OAK_MAX(OAK_MY(r->zlo[NVAR], lane), OAK_MY(r->zup[NVAR], lane)), \
             t->inv_dx[2])
/* The z flux above cell `lane` of the present rows is the one below the cell of the next plane. */
#define NEXT_Z_FLUX(lane) \
  OAK_UNROLL              \
  for (int v = 0; ROWS < TY && v < NFLUX; v++) OAK_MY(r.zlo[v], lane) = OAK_MY(r.zup[v], lane)
#else
#define Z_RATE(v)
#define Z_SPEED
#define NEXT_Z_FLUX(lane) ((void)0)
#endif

/* The number of invalid cells (ONE_COUNT). */
#if ONE_COUNT
#define COUNT_INVALID(sh, lane, valid) \
  if (!(valid)) OAK_TALLY_ADD((sh)->bad, 1)
#define START_COUNT(sh) OAK_SERIAL(sh)->bad = 0
#define TAKE_COUNT(sum, sh) ((sum) = (sh)->bad)
#else
#define COUNT_INVALID(sh, lane, valid) (sh)->bad[lane] += (valid) ? 0 : 1
#define START_COUNT(sh) OAK_LANE(c, ROWS *TX)(sh)->bad[c] = 0
#define TAKE_COUNT(sum, sh) OAK_REDUCE_SUM(sum, (sh)->bad, ROWS *TX)
#endif

/* The new state u[] of cell (i, n) of the present rows of plane k from fluxes, sources and previous
 * states. `own` is as for reconstruct_cell. */
OAK_FN void update_cell(const tile_t *t, int i, int n, int k, flux_shared_t *sh, const real *own,
                        const rows_t *r, sum_t u[NVAR]) {
  const oak_flux_args_t *arg = t->arg;
  const int j = FIRST_ROW(t) + n, lane = n * TX + i;
  const long long cell = tile_plane(t, k) - t->f->u + j * OAK_NX + i;
  real q[NVAR], source[NVAR];
  sum_t terms[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) q[v] = own ? own[v] : r->s[v][n + GH][i + GH], source[v] = 0;
  add_sources(t->f, &t->user, t->block, t->x0 + i, t->y0 + j, k, q, source);
  METRIC(metric, t->f, &t->user, t->block, t->x0 + i, t->y0 + j, q);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) terms[v] = source[v];
#ifdef PHYSICS_SIDES
  real inv_size[3];
  OAK_UNROLL
  for (int d = 0; d < OAK_DIM; d++) inv_size[d] = INV_SIZE(metric, d, t->inv_dx[d]);
#endif
  add_terms(t, sh, i, n, r, inv_size, q, terms);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
    sum_t rate =
        NET_FLUX(metric, v, 0, sh->fx[v][n][i], sh->fx[v][n][i + 1]) * t->inv_dx[0] +
        NET_FLUX(metric, v, 1, r->ylo[v][n][i], r->yup[v][n + 1][i]) * t->inv_dx[1] Z_RATE(v);
    rate = add_diffusion(arg, cell + v * OAK_CELLS, rate);
    u[v] = (sum_t)arg->dt * (rate + terms[v]) +
           (sum_t)arg->w[0] * PREVIOUS(arg, sh, 0, v, j * TX + i, cell + v * OAK_CELLS);
  }
  OAK_UNROLL
  for (int p = 1; p < OAK_NPREV; p++) {
    if (OAK_MANY_THREADS && p >= arg->nprev) break; /* a load is not worth a weight of 0 */
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++)
      u[v] += (sum_t)arg->w[p] * PREVIOUS(arg, sh, p, v, j * TX + i, cell + v * OAK_CELLS);
  }
  keep_fields(&t->user.physics, arg->prev[0] + cell, u);
  keep_scalars(&t->user.physics, arg->prev[0] + cell, u);
  oak_round_result(u, t->number + (unsigned)k * OAK_NEXT_Z + (unsigned)i * OAK_NEXT_X +
                          (unsigned)j * OAK_NEXT_Y);
  const real speed =
      WAVE_RATE(metric, 0, OAK_MAX(sh->fx[NVAR][n][i], sh->fx[NVAR][n][i + 1]), t->inv_dx[0]) +
      WAVE_RATE(metric, 1, OAK_MAX(r->ylo[NVAR][n][i], r->yup[NVAR][n + 1][i]), t->inv_dx[1])
          Z_SPEED;
  const real rate = own_rate(arg, &t->user, t->block, t->x0 + i, t->y0 + j, k, q, speed);
  sh->rate[lane] = OAK_MAX(sh->rate[lane], rate);
  COUNT_INVALID(sh, lane, result_valid(&t->user.physics, u));
}

/* The new states of the present rows of plane k. Results are stored after the loop, because clang
 * vectorises it only then. */
OAK_FN void update_rows(const tile_t *t, int k, flux_shared_t *sh, const real *own, march_t *z) {
  store_t *out = t->arg->out + (tile_plane(t, k) - t->f->u) + FIRST_ROW(t) * OAK_NX;
  const rows_t r = present_rows(t, k, z, sh);
#if OAK_STORE_LATER
  OAK_PRIVATE(sum_t result[NVAR], ROWS * TX);
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
    update_cell(t, i, n, k, sh, own, &r, u);
    NEXT_Z_FLUX(n * TX + i);
    for (int v = 0; v < NVAR; v++) OAK_MY(result[v], n * TX + i) = u[v];
  }
#endif
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
#if OAK_STORE_LATER
    for (int v = 0; v < NVAR; v++) u[v] = OAK_MY(result[v], n * TX + i);
#else
    update_cell(t, i, n, k, sh, own, &r, u);
    NEXT_Z_FLUX(n * TX + i);
#endif
    store_result(out + n * OAK_NX + i, OAK_CELLS, u);
  }
}

/* The largest rate and the number of invalid cells of the tile. */
OAK_FN void put_results(const oak_flux_args_t *arg, long result, flux_shared_t *sh) {
  real fastest, invalid;
  OAK_BARRIER;
  OAK_REDUCE_MAX(fastest, sh->rate, ROWS * TX);
  TAKE_COUNT(invalid, sh);
  OAK_SERIAL {
    arg->rate[result] = (double)fastest;
    arg->bad[result] = (arg->first ? 0 : arg->bad[result]) + (int)invalid;
  }
}

OAK_KERNEL_SHARED(oak_flux, oak_flux_args_t, LANES, RESIDENT, sizeof(flux_shared_t)) {
  OAK_ARGS(oak_flux_args_t);
  OAK_OUTER(m) {
    tile_t t = {&arg, &arg.f, oak_flux_user(&arg.f)};
    const flux_place_t place = flux_place(&arg, m);
    march_t z;
    halo_t halo;
    OAK_SHARED_STRUCT(flux_shared_t, sh);
    choose_tile(&t, &place);
    OAK_LANE(c, ROWS * TX) sh.rate[c] = 0;
    START_COUNT(&sh);
    start_march(&t, &z);
    start_planes(&t, &z, &halo, &sh);
    OAK_NO_UNROLL
    for (int k = t.begin; k < t.end; k++) {
      plane_t *s = begin_plane(&t, k, &z, &halo, &sh);
      const real *own = own_cell(&z);
      begin_fluxes(&t, k, s, &sh);
      FOR_ROWS(&t) {
        compute_fluxes(&t, k, s, own, &sh);
        end_loads(&t, k, &z, &halo, &sh);
        complete_fluxes(&t, k, &z, &sh);
        update_rows(&t, k, &sh, own, &z);
      }
      next_plane(&z);
    }
    end_march(&t, &z);
    put_results(&arg, place.result, &sh);
  }
}

#undef OAK_TEAM
#define OAK_TEAM OAK_TEAM_ANY
#endif
