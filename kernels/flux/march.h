/* SPDX-License-Identifier: GPL-2.0-or-later
 * The z direction of the flux kernel (flux.c). A queue for each column of the tile holds the
 * primitive states of the planes that the limiter needs, so that each z reconstruction and each z
 * flux is computed once. In 2D there is one plane, and these functions do nothing. The second half
 * of the file uses the fluxes of the present rows: fluxes at refinement boundaries are kept for
 * flux fixing, and cells get their new states. */
#pragma once

#include "kernels/flux/tile.h"

/* The number of planes in the z queue, and the position of plane k in it when plane k + 1 is
 * reconstructed. */
enum { QLEN = RAD > 0 ? 2 * RAD + 1 : 2, QPLANE = RAD > 0 ? RAD - 1 : 0 };
/* The length of the queue in memory. On CPUs the plane that enters takes the place of the lowest
 * plane, which is in the first-level cache because each lane has just read it. */
enum { QROOM = QLEN - !OAK_MANY_THREADS };

/* march_t: values of a lane from plane to plane. Positions in `queue` are those of OAK_QUEUE,
 * positions in `flux` those of Z_SIDE. */
typedef struct {
  OAK_PRIVATE(real queue[QROOM][NVAR], LANES); /* primitive states, lowest plane first */
  OAK_PRIVATE(real high[NVAR], LANES);         /* state at the upper face of the last plane */
  OAK_PRIVATE(real flux[2][NFLUX], LANES);     /* through the lower and upper faces of a plane */
  store_t loaded[NVAR]; /* conserved state of the lane's cell in the plane that enters next */
} march_t;

/* The position of the fluxes through the lower or upper faces of plane k. If rows are computed one
 * at a time, upper fluxes are stored for the present rows only and then copied (next_z_fluxes). */
#define Z_SIDE(k, upper) (ROWS == TY ? OAK_QUEUE(2, k, upper) : (upper))

/* Position of lane c in a plane of the block. */
OAK_FN int lane_at(int c) { return TX == OAK_NX ? c : c / TX * OAK_NX + c % TX; }

/* Variable v of plane p of the queue, in lane n. The plane that enters may take the place of the
 * lowest plane (QROOM). */
#define QUEUED(p, v) \
  (!OAK_MANY_THREADS && (p) == 0 ? OAK_MY(entering[v], n) : OAK_MY(queued[p][v], n))

/* One step of the march for the present rows: plane k + 1 + RAD enters the queue, plane k + 1 is
 * reconstructed, and the flux between planes k and k + 1 is computed. If `loaded`, the plane that
 * enters has been loaded before (load_ahead, fetch). */
OAK_FN void march(const tile_t *t, int k, int with_flux, int loaded, march_t *m,
                  flux_shared_t *sh) {
  long long stride;
  const store_t *p = z_plane(t, k + 1 + RAD, &stride);
  const int first = t->row * TX;
  OAK_PRIVATE_ARG(const real(*queued[QLEN - 1]), LANES);
  OAK_PRIVATE_ARG(real(*OAK_RESTRICT entering), LANES);
  OAK_PRIVATE_ARG(real(*high), LANES);
  OAK_PRIVATE_ARG(real(*upper), LANES);
  OAK_FOR(q, QLEN - 1) queued[q] = OAK_FROM_LANE(m->queue[OAK_QUEUE(QROOM, k, q)], first);
  entering = OAK_FROM_LANE(m->queue[OAK_QUEUE(QROOM, k, QLEN - 1)], first);
  high = OAK_FROM_LANE(m->high, first);
  upper = m->flux[Z_SIDE(k, 1)];
  OAK_LANE(n, ROWS * TX) {
    const int c = first + n;
    real q[NVAR], mask[STENCIL], row[NVAR][STENCIL], lo[NVAR], hi[NVAR], ql[NVAR], flux[NFLUX];
    if (loaded)
      load_primitive(&t->user.physics, entered(m->loaded, sh), FETCHED ? LANES : 1, q);
    else
      load_primitive(&t->user.physics, p + lane_at(c), stride, q);
    OAK_FOR(p, STENCIL) mask[p] = p < STENCIL - 1 ? QUEUED(p, SOLID_VAR) : q[SOLID_VAR];
    OAK_FOR(v, NVAR) {
      OAK_FOR(p, STENCIL - 1) row[v][p] = QUEUED(p, v);
      row[v][STENCIL - 1] = OAK_MY(entering[v], n) = q[v];
      reconstruct_variable(v, 2, mask, row[v], &lo[v], &hi[v]);
    }
    flatten(row, lo, hi);
    OAK_FOR(v, NVAR) {
      ql[v] = OAK_MY(high[v], n);
      OAK_MY(high[v], n) = hi[v];
    }
    if (!with_flux) continue;
    AT_FACE(ph, t->f, &t->user, t->block, oak_face_index(2, t->x0, t->y0, k + 1) + lane_at(c));
    face_flux(ph, ql, lo, 2, flux);
    OAK_FOR(v, NFLUX) OAK_MY(upper[v], n) = flux[v];
  }
}

/* Keep the z fluxes through the lower (face 4) or upper (face 5) side of the block. */
OAK_FN void keep_z_fluxes(const tile_t *t, int face,
                          OAK_PRIVATE_ARG(const real flux[NFLUX], LANES)) {
  const int slot = t->f->face[t->block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  sum_t *p = t->arg->bflux + (long long)slot * NVAR * FACE_ROOM + t->y0 * OAK_NX + t->x0;
  OAK_LANE(c, LANES) {
    OAK_FOR(v, NVAR) p[v * FACE_CELLS(2) + lane_at(c)] = OAK_MY(flux[v], c);
  }
}

/* Copy the z fluxes above the present rows: the rows of the next plane have them below. */
OAK_FN void next_z_fluxes(march_t *m, int first) {
  if (ROWS == TY) return;
  OAK_PRIVATE_ARG(real(*lower), LANES) = OAK_FROM_LANE(m->flux[0], first);
  OAK_LANE(n, ROWS * TX) {
    OAK_FOR(v, NFLUX) OAK_MY(lower[v], n) = OAK_MY(m->flux[1][v], n);
  }
}

OAK_FN void next_plane(march_t *m) {
  (void)m;
  if (OAK_DIM == 2) return;
  OAK_QUEUE_TURN(m->queue, QROOM, NVAR);
  OAK_QUEUE_TURN(m->flux, 2, NFLUX);
}

/* The first two steps of the march, in one copy, because WENO5 then needs fewer registers. */
#if OAK_RADIUS > 1
#define FIRST_STEPS OAK_NO_UNROLL
#else
#define FIRST_STEPS OAK_UNROLL
#endif

/* Fill the queue, and compute the z flux below the first plane. */
OAK_FN void start_march(tile_t *t, march_t *m, flux_shared_t *sh) {
  if (OAK_DIM == 2) return;
  OAK_FOR(n, QLEN - 1) {
    long long stride;
    const store_t *p = z_plane(t, t->begin + n - 1 - RAD, &stride);
    const int at = OAK_QUEUE(QROOM, t->begin - 2, n);
    OAK_LANE(c, LANES) {
      real q[NVAR];
      load_primitive(&t->user.physics, p + lane_at(c), stride, q);
      OAK_FOR(v, NVAR) OAK_MY(m->queue[at][v], c) = q[v];
    }
  }
  FIRST_STEPS
  for (int n = 2; n > 0; n--) {
    t->row = 0;
    do {
      march(t, t->begin - n, n == 1, 0, m, sh);
      if (n == 1) next_z_fluxes(m, t->row * TX);
      t->row += ROWS;
    } while (ROWS < TY && t->row < TY);
    t->row = 0;
    OAK_QUEUE_TURN(m->queue, QROOM, NVAR);
  }
  OAK_QUEUE_TURN(m->flux, 2, NFLUX);
  if (t->begin == 0) keep_z_fluxes(t, 4, m->flux[Z_SIDE(0, 0)]);
}

/* Compute the z fluxes above the present rows of plane k. */
OAK_FN void march_on(const tile_t *t, int k, march_t *m, flux_shared_t *sh) {
  if (OAK_DIM == 2) return;
  end_fetch(t, k, sh);
  march(t, k, 1, PIPELINED, m, sh);
}

OAK_FN void end_march(const tile_t *t, march_t *m) {
  if (OAK_DIM == 3 && t->end == OAK_NZ) keep_z_fluxes(t, 5, m->flux[Z_SIDE(OAK_NZ, 0)]);
}

/* ---- new states */

/* Keep the fluxes through one side of the tile for flux fixing, if it is a side of the block at a
 * refinement boundary. `flux` has n values, `step` apart; `next` leads to the next variable. */
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

/* Results that the new states of the present rows need, as arrays over these rows: the states of
 * the plane, and the fluxes through lower and upper y and z faces. */
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

/* The fluxes through the lower and the upper face across `dir` of cell (i, n) of the present rows.
 */
OAK_FN void cell_fluxes(const flux_shared_t *sh, const rows_t *r, int dir, int i, int n,
                        real lower[NFLUX], real upper[NFLUX]) {
  OAK_FOR(v, NFLUX) {
    if (dir == 0) lower[v] = sh->fx[v][n][i], upper[v] = sh->fx[v][n][i + 1];
    if (dir == 1) lower[v] = r->ylo[v][n][i], upper[v] = r->yup[v][n + 1][i];
    if (dir == 2)
      lower[v] = OAK_MY(r->zlo[v], n * TX + i), upper[v] = OAK_MY(r->zup[v], n * TX + i);
  }
}

/* Keep the shares of the cells of the present rows. This is a loop of its own, because one loop for
 * shares and new states would take more registers than a CPU has. */
OAK_FN void keep_row_shares(const tile_t *t, int k, const flux_shared_t *sh, const real *own,
                            const rows_t *r) {
#if OAK_CURL
  OAK_ALIGNED store_t rows[OAK_MANY_THREADS ? 1 : OAK_SHARES * ROWS * TX];
  store_t *to =
      t->arg->shares + t->block * OAK_SHARES * OAK_CELLS + OAK_INDEX(t->x0, t->y0 + t->row, k);
  OAK_LANE2(n, ROWS, i, TX) {
    cell_t c = {t->block, {t->x0 + i, t->y0 + t->row + n, k}};
    OAK_FOR(v, NVAR) c.q[v] = own ? own[v] : r->s[v][n + GH][i + GH];
    OAK_FOR(dir, OAK_DIM) {
      real lower[NFLUX], upper[NFLUX];
      cell_fluxes(sh, r, dir, i, n, lower, upper);
      add_fluxes(&t->user.physics, &c, dir, t->inv_dx[dir], lower, upper);
    }
    edge_shares(&t->user.physics, &c.turns, c.x, c.q, t->closed,
                OAK_MANY_THREADS ? to + n * OAK_NX + i : rows + n * TX + i,
                OAK_MANY_THREADS ? OAK_CELLS : ROWS * TX);
  }
  for (int n = 0; n < OAK_SHARES * ROWS && !OAK_MANY_THREADS; n++)
    oak_stream(to + n / ROWS * OAK_CELLS + n % ROWS * OAK_NX, rows + n * TX, TX * sizeof(store_t));
#else
  (void)t, (void)k, (void)sh, (void)own, (void)r;
#endif
}

/* The new state u[] of cell (i, n) of the present rows of plane k. `own` is as for reconstruct. The
 * function also updates the number of invalid cells and, with `rates`, the largest rate of the
 * lane. */
OAK_FN void update_cell(const tile_t *t, int i, int n, int k, int rates, flux_shared_t *sh,
                        const real *own, const rows_t *r, sum_t u[NVAR]) {
  const int j = t->row + n, lane = n * TX + i;
  cell_t c = {t->block, {t->x0 + i, t->y0 + j, k}};
  OAK_FOR(v, NVAR) c.q[v] = own ? own[v] : r->s[v][n + GH][i + GH];
  start_cell(t->f, &t->user, &c);
  OAK_FOR(dir, OAK_DIM) {
    real lower[NFLUX], upper[NFLUX];
    cell_fluxes(sh, r, dir, i, n, lower, upper);
    add_fluxes(&t->user.physics, &c, dir, t->inv_dx[dir], lower, upper);
  }
  const unsigned number =
      t->number + (unsigned)k * OAK_NEXT_Z + (unsigned)i * OAK_NEXT_X + (unsigned)j * OAK_NEXT_Y;
  const int valid = new_state(
      t->arg, &t->user.physics, &c,
      fetched_states(earlier_states(t->arg, &c), &r->s[0][n + GH][i + GH], sh), number, u);
  const real rate = rates ? cell_rate(t->arg, &t->user, &c, t->inv_dx) : 0;
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
OAK_FN void new_rows(const tile_t *t, int k, int rates, const real s[NVAR][SY][SX], const real *own,
                     march_t *z, flux_shared_t *sh) {
  store_t *out = t->arg->out + (tile_plane(t, k) - t->f->u) + t->row * OAK_NX;
  const rows_t r = present_rows(t, k, z, s, sh);
  keep_row_shares(t, k, sh, own, &r);
#if OAK_STORE_LATER
  OAK_PRIVATE(sum_t result[NVAR], ROWS * TX);
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
    update_cell(t, i, n, k, rates, sh, own, &r, u);
    for (int v = 0; v < NVAR; v++) OAK_MY(result[v], n * TX + i) = u[v];
  }
#endif
  OAK_LANE2(n, ROWS, i, TX) {
    sum_t u[NVAR];
#if OAK_STORE_LATER
    for (int v = 0; v < NVAR; v++) u[v] = OAK_MY(result[v], n * TX + i);
#else
    update_cell(t, i, n, k, rates, sh, own, &r, u);
#endif
    store_state(out + n * OAK_NX + i, u);
  }
}

/* The same. Stages whose rates nobody reads have a loop of their own where hooks give rates. */
OAK_FN void update_rows(const tile_t *t, int k, const real s[NVAR][SY][SX], const real *own,
                        march_t *z, flux_shared_t *sh) {
#if OAK_HAS_OWN_RATE
  if (!OAK_MANY_THREADS && !t->arg->rates)
    new_rows(t, k, 0, s, own, z, sh);
  else
#endif
    new_rows(t, k, 1, s, own, z, sh);
}
