/* SPDX-License-Identifier: GPL-2.0-or-later
 * The z direction of the flux kernel (flux.c). A queue for each column of the tile holds the
 * primitive states of the planes that the limiter needs, so that each z reconstruction and each z
 * flux is computed once. In 2D there is one plane, and these functions do nothing. */
#ifndef OAK_FLUX_MARCH_H
#define OAK_FLUX_MARCH_H

#include "kernels/flux/fetch.h"

#if OAK_DIM == 3
/* What a lane keeps from plane to plane. Positions in `queue` are those of OAK_QUEUE, positions in
 * `flux` those of Z_SIDE. */
typedef struct {
  OAK_PRIVATE(real queue[QROOM][NVAR], LANES); /* primitive states, lowest plane first */
  OAK_PRIVATE(real high[NVAR], LANES);         /* state at the upper face of the last plane */
  OAK_PRIVATE(real flux[2][NFLUX], LANES);     /* through the lower and upper faces of a plane */
#if PIPELINED && !FETCHED
  store_t loaded[NVAR]; /* conserved state of the lane's cell in the plane that enters next */
#endif
} march_t;

/* Where the fluxes through the lower or upper faces of plane k are. If not all rows are computed at
 * a time, there are upper ones for the present rows only, and they are copied (next_z_fluxes). */
#define Z_SIDE(k, upper) (ROWS == TY ? OAK_QUEUE(2, k, upper) : (upper))

/* Position of lane c in a plane of the block. */
#define LANE_AT(c) (TX == OAK_NX ? (c) : (c) / TX * OAK_NX + (c) % TX)

/* Variable v of plane p of the queue, in lane n. The lowest plane may be where the plane that
 * enters goes. */
#define QUEUED(p, v) (QROOM < QLEN && (p) == 0 ? OAK_MY(entering[v], n) : OAK_MY(queued[p][v], n))

/* One step for the present rows: plane k + 1 + RAD enters the queue, plane k + 1 is reconstructed,
 * and the flux between planes k and k + 1 is computed. With `loaded`, a lane's cell of the plane
 * that enters is in `entered`, with `next` from a variable to the next one. */
OAK_FN void march(const tile_t *t, int k, int with_flux, int loaded, const store_t *entered,
                  int next, OAK_PRIVATE_ARG(const real queue[QROOM][NVAR], LANES),
                  OAK_PRIVATE_ARG(real entering[OAK_RESTRICT NVAR], LANES),
                  OAK_PRIVATE_ARG(real high[NVAR], LANES),
                  OAK_PRIVATE_ARG(real upper[NFLUX], LANES)) {
  long long stride;
  const store_t *p = z_plane(t, k + 1 + RAD, &stride);
  const int first = FIRST_ROW(t) * TX;
  OAK_PRIVATE_ARG(const real(*queued[QLEN - 1]), LANES);
  OAK_UNROLL
  for (int q = 0; q < QLEN - 1; q++)
    queued[q] = OAK_FROM_LANE(queue[OAK_QUEUE(QROOM, k, q)], first);
  entering = OAK_FROM_LANE(entering, first);
  high = OAK_FROM_LANE(high, first);
  OAK_LANE(n, ROWS * TX) {
    const int c = first + n;
    real q[NVAR], lo[NVAR], hi[NVAR], ql[NVAR], flux[NFLUX];
    if (loaded)
      load_primitive(&t->user.physics, entered, next, q);
    else
      load_primitive(&t->user.physics, p + LANE_AT(c), stride, q);
#if NSOLID
    real mask[QLEN];
    OAK_UNROLL
    for (int p = 0; p < QLEN - 1; p++) mask[p] = QUEUED(p, SOLID_VAR);
    mask[QLEN - 1] = q[SOLID_VAR];
#endif
    NEAR_CELLS(near);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real row[QLEN];
      OAK_UNROLL
      for (int p = 0; p < QLEN - 1; p++) row[p] = QUEUED(p, v);
      row[QLEN - 1] = q[v];
      OAK_MY(entering[v], n) = q[v];
#if NSOLID
      oak_mirror_row(v, 2, &mask[QLEN - 1 - 2 * RAD], &row[QLEN - 1 - 2 * RAD]);
#endif
      reconstruct(v, &row[QLEN - 1 - RAD], &lo[v], &hi[v]);
      TAKE_NEAR(near, v, &row[QLEN - 1 - RAD]);
    }
    flatten(near, lo, hi);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      ql[v] = OAK_MY(high[v], n);
      OAK_MY(high[v], n) = hi[v];
    }
    if (!with_flux) continue;
    AT_FACE(ph, t->f, &t->user, t->block, oak_face_index(2, t->x0, t->y0, k + 1) + LANE_AT(c));
    flux[NVAR] = face_flux(ph, ql, lo, 2, flux);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) OAK_MY(upper[v], n) = flux[v];
  }
}

/* Read the plane that the next step needs while threads wait for each other. */
OAK_FN void load_ahead(const tile_t *t, int k, march_t *m) {
#if PIPELINED && !FETCHED
  long long stride;
  const store_t *p = z_plane(t, k + 1 + RAD, &stride);
  OAK_LANE(c, LANES) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) m->loaded[v] = p[LANE_AT(c) + v * stride];
  }
#else
  (void)t, (void)k, (void)m;
#endif
}

/* z fluxes through the lower (face 4) or upper (face 5) side of the block. */
OAK_FN void keep_z_fluxes(const tile_t *t, int face,
                          OAK_PRIVATE_ARG(const real flux[NFLUX], LANES)) {
  const int slot = t->f->face[t->block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  sum_t *p = t->arg->bflux + (long long)slot * NVAR * FACE_ROOM + t->y0 * OAK_NX + t->x0;
  OAK_LANE(c, LANES) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) p[v * FACE_CELLS(2) + LANE_AT(c)] = OAK_MY(flux[v], c);
  }
}

/* The first two steps of the march. WENO5 needs fewer registers if they are in the code once. */
#if RAD > 1
#define FIRST_STEPS OAK_NO_UNROLL
#else
#define FIRST_STEPS OAK_UNROLL
#endif

/* The z fluxes above the present rows are those below the rows of the next plane. */
OAK_FN void next_z_fluxes(march_t *m, int first) {
  if (ROWS == TY) return;
  OAK_PRIVATE_ARG(real(*lower), LANES) = OAK_FROM_LANE(m->flux[0], first);
  OAK_LANE(n, ROWS * TX) {
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) OAK_MY(lower[v], n) = OAK_MY(m->flux[1][v], n);
  }
}

/* Fill the queue, and compute the z flux below the first plane. */
OAK_FN void start_march(tile_t *t, march_t *m) {
  OAK_UNROLL
  for (int n = 0; n < QLEN - 1; n++) {
    long long stride;
    const store_t *p = z_plane(t, t->begin + n - 1 - RAD, &stride);
    const int at = OAK_QUEUE(QROOM, t->begin - 2, n);
    OAK_LANE(c, LANES) {
      real q[NVAR];
      load_primitive(&t->user.physics, p + LANE_AT(c), stride, q);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) OAK_MY(m->queue[at][v], c) = q[v];
    }
  }
  FIRST_STEPS
  for (int n = 2; n > 0; n--) {
    FOR_ROWS(t) {
      march(t, t->begin - n, n == 1, 0, NULL, 0, m->queue,
            m->queue[OAK_QUEUE(QROOM, t->begin - n, QLEN - 1)], m->high,
            m->flux[Z_SIDE(t->begin - n, 1)]);
      if (n == 1) next_z_fluxes(m, FIRST_ROW(t) * TX);
    }
    OAK_QUEUE_TURN(m->queue, QROOM, NVAR);
  }
  OAK_QUEUE_TURN(m->flux, 2, NFLUX);
  if (t->begin == 0) keep_z_fluxes(t, 4, m->flux[Z_SIDE(0, 0)]);
}

/* Compute the z fluxes above the present rows of plane k. */
OAK_FN void march_on(const tile_t *t, int k, march_t *m, flux_shared_t *sh) {
  (void)sh;
  end_fetch(t, k, sh);
#if FETCHED
  const store_t *entered = &sh->enters[0][OAK_THREAD];
#elif PIPELINED
  const store_t *entered = m->loaded;
#else
  const store_t *entered = NULL;
#endif
  march(t, k, 1, PIPELINED, entered, FETCHED ? LANES : 1, m->queue,
        m->queue[OAK_QUEUE(QROOM, k, QLEN - 1)], m->high, m->flux[Z_SIDE(k, 1)]);
}

OAK_FN void next_plane(march_t *m) {
  (void)m;
  OAK_QUEUE_TURN(m->queue, QROOM, NVAR);
  OAK_QUEUE_TURN(m->flux, 2, NFLUX);
}

OAK_FN void end_march(const tile_t *t, march_t *m) {
  if (t->end == OAK_NZ) keep_z_fluxes(t, 5, m->flux[Z_SIDE(OAK_NZ, 0)]);
}
#else
typedef struct {
  int none;
} march_t;
#define start_march(t, m) ((void)(m))
#define load_ahead(t, k, m) ((void)0)
#define march_on(t, k, m, sh) ((void)0)
#define next_plane(m) ((void)0)
#define end_march(t, m) ((void)0)
#endif

#endif
