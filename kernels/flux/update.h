/* SPDX-License-Identifier: GPL-2.0-or-later
 * What becomes of the fluxes of the present rows of a tile (flux.c): those at refinement boundaries
 * are kept for flux fixing, and cells get their new states. */
#pragma once

#include "kernels/flux/march.h"

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
  const int j = t->y0 + t->row, x = k * OAK_NY + j, y = k * OAK_NX + t->x0;
  if (t->x0 == 0) keep_side(t, 0, x, ROWS, &sh->fx[0][0][0], TX + 1, X_FACES);
  if (t->x0 + TX == OAK_NX) keep_side(t, 1, x, ROWS, &sh->fx[0][0][TX], TX + 1, X_FACES);
  if (j == 0) keep_side(t, 2, y, TX, sh->fy[0][0], 1, Y_FACES);
  if (j + ROWS == OAK_NY) keep_side(t, 3, y, TX, sh->fy[0][y_row(t->row + ROWS)], 1, Y_FACES);
}

/* Where the new states of the present rows find what was computed before, as arrays over these
 * rows: the states of the plane, and the fluxes through lower and upper y and z faces. */
typedef struct {
  const real (*s)[SY][SX], (*ylo)[ROWS + 1][TX], (*yup)[ROWS + 1][TX];
  OAK_PRIVATE_ARG(real(*zlo), LANES);
  OAK_PRIVATE_ARG(const real(*zup), LANES);
} rows_t;

OAK_FN rows_t present_rows(const tile_t *t, int k, march_t *z, const real s[NVAR][SY][SX],
                           const flux_shared_t *sh) {
  const int j = t->row;
  rows_t r;
  r.s = OAK_FROM_LANE(s, j * SX);
  r.ylo = OAK_FROM_LANE(sh->fy, y_row(j) * TX);
  r.yup = OAK_FROM_LANE(sh->fy, (y_row(j + 1) - 1) * TX);
  r.zlo = OAK_FROM_LANE(z->flux[Z_SIDE(k, 0)], j * TX);
  r.zup = z->flux[Z_SIDE(k, 1)];
  (void)k;
  return r;
}

/* The new state u[] of cell (i, n) of the present rows of plane k. `own` is as for reconstruct. The
 * largest rate of the lane and the number of invalid cells follow. */
OAK_FN void update_cell(const tile_t *t, int i, int n, int k, flux_shared_t *sh, const real *own,
                        const rows_t *r, sum_t u[NVAR]) {
  const int j = t->row + n, lane = n * TX + i;
  cell_t c = {t->block, {t->x0 + i, t->y0 + j, k}};
  OAK_FOR(v, NVAR) c.q[v] = own ? own[v] : r->s[v][n + GH][i + GH];
  start_cell(t->f, &t->user, &c);
  OAK_FOR(dir, OAK_DIM) {
    real lower[NFLUX], upper[NFLUX];
    OAK_FOR(v, NFLUX) {
      if (dir == 0) lower[v] = sh->fx[v][n][i], upper[v] = sh->fx[v][n][i + 1];
      if (dir == 1) lower[v] = r->ylo[v][n][i], upper[v] = r->yup[v][n + 1][i];
      if (dir == 2) lower[v] = OAK_MY(r->zlo[v], lane), upper[v] = OAK_MY(r->zup[v], lane);
    }
    add_fluxes(&t->user.physics, &c, dir, t->inv_dx[dir], lower, upper);
  }
  const unsigned number =
      t->number + (unsigned)k * OAK_NEXT_Z + (unsigned)i * OAK_NEXT_X + (unsigned)j * OAK_NEXT_Y;
  const int valid = new_state(t->arg, &t->user.physics, &c,
                              fetched_states(earlier_states(t->arg, &c), sh), number, u);
  const real rate = cell_rate(t->arg, &t->user, &c, t->inv_dx);
  sh->rate[lane] = OAK_MAX(sh->rate[lane], rate);
  if (!ONE_COUNT)
    sh->bad[lane] += valid ? 0 : 1;
  else if (!valid)
    OAK_TALLY_ADD(sh->bad[0], 1);
  /* the z flux above the cell is the one below the cell of the next plane */
  OAK_UNROLL
  for (int v = 0; OAK_DIM == 3 && ROWS < TY && v < NFLUX; v++)
    OAK_MY(r->zlo[v], lane) = OAK_MY(r->zup[v], lane);
}

/* The new states of the present rows of plane k, whose primitive states are in s[]. Results are
 * stored after the loop, because clang vectorises it only then. */
OAK_FN void update_rows(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                        march_t *z, flux_shared_t *sh) {
  store_t *out = t->arg->out + (tile_plane(t, k) - t->f->u) + t->row * OAK_NX;
  const rows_t r = present_rows(t, k, z, s, sh);
#if OAK_STORE_LATER
  OAK_PRIVATE(sum_t result[NVAR], ROWS * TX);
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
    update_cell(t, i, n, k, sh, own, &r, u);
    for (int v = 0; v < NVAR; v++) OAK_MY(result[v], n * TX + i) = u[v];
  }
#endif
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
#if OAK_STORE_LATER
    for (int v = 0; v < NVAR; v++) u[v] = OAK_MY(result[v], n * TX + i);
#else
    update_cell(t, i, n, k, sh, own, &r, u);
#endif
    oak_store(out + n * OAK_NX + i, OAK_CELLS, u);
  }
}
