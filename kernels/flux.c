/* SPDX-License-Identifier: GPL-2.0-or-later
 * The fused finite-volume kernel: one forward Euler step of a Runge-Kutta stage,
 *
 *   out = dt F(u) + sum_i w_i prev_i                        (paper, eq. feuler)
 *
 * for blocks without stored ghost cells. One OUTER iteration works on a tile of TX x TY cells of a
 * block's xy planes and goes through the planes along z (the march). On a mesh with few tiles, an
 * iteration goes through only a part of the planes. A queue per column holds the primitive states
 * that the z stencil needs, so each z reconstruction and each z flux is computed once. The current
 * plane with its halo is in shared memory; there x and y fluxes are computed, each once. Tiles that
 * share a face both compute its flux. Fluxes at refinement boundaries are stored in bflux. Each
 * tile reports its largest rate and its number of invalid cells. In 2D there is one plane and no
 * march.
 *
 * A value is converted to primitive variables when it enters the tile. A lane is a cell of the
 * tile's plane. The last face of each row and column, and the halo, are additional work; devices
 * with many threads give it to different threads (the first argument of OAK_ROWS_FROM). */
#include "kernels/flux_cells.c"
#include "kernels/flux_faces.h"

#if !OAK_FLUX_CELLS
/* Keep the fluxes of a refinement boundary for flux fixing. */
OAK_FN void keep_xy_fluxes(const tile_t *t, int k, const flux_shared_t *sh) {
  if (!t->refined) return;
  OAK_UNROLL
  for (int face = 0; face < 2; face++) {
    const int slot = t->f->face[t->block * OAK_FACES + face].bflux;
    if (slot < 0 || (face == 0 ? t->x0 > 0 : t->x0 + TX < OAK_N)) continue;
    real *p = t->arg->bflux + (long long)slot * NVAR * OAK_AREA + k * OAK_N + t->y0;
    for (int v = 0; v < NVAR; v++)
      OAK_INNER(j, TY) p[v * OAK_AREA + j] = sh->fx[v][j][face * TX];
  }
  OAK_UNROLL
  for (int face = 0; face < 2; face++) {
    const int slot = t->f->face[t->block * OAK_FACES + 2 + face].bflux;
    if (slot < 0 || (face == 0 ? t->y0 > 0 : t->y0 + TY < OAK_N)) continue;
    real *p = t->arg->bflux + (long long)slot * NVAR * OAK_AREA + k * OAK_N + t->x0;
    for (int v = 0; v < NVAR; v++)
      OAK_INNER(i, TX) p[v * OAK_AREA + i] = sh->fy[v][face * TY][i];
  }
}

#if OAK_DIM == 3
/* Position of lane c in a plane of the block. */
#define LANE_AT(c) (TX == OAK_N ? (c) : (c) / TX * OAK_N + (c) % TX)

/* The address that lane 0 reads in plane z, z = -NG .. N + NG - 1. */
OAK_FN const store_t *z_plane(const tile_t *t, int z, long long *stride) {
  const oak_side_t side = oak_side(t->f, t->block, z < 0 ? 4 : 5);
  const int inside = z >= 0 && z < OAK_N;
  *stride = inside ? OAK_CELLS : side.sv;
  return inside ? tile_plane(t, z)
                : side.p + (z < 0 ? z + OAK_NG : z - OAK_N) * side.sn + t->y0 * OAK_N + t->x0;
}

/* One step of the march: plane k + 1 + RAD enters the queue, plane k + 1 is reconstructed, the flux
 * between planes k and k + 1 is computed. `loaded`: the conserved state of a lane's cell of the
 * plane that enters, or NULL. */
OAK_FN void march(const tile_t *t, int k, int with_flux, const store_t *loaded,
                  OAK_PRIVATE_ARG(const real queue[QLEN][NVAR], LANES),
                  OAK_PRIVATE_ARG(real entering[OAK_RESTRICT NVAR], LANES),
                  OAK_PRIVATE_ARG(real zhi[NVAR], LANES),
                  OAK_PRIVATE_ARG(real zf[2][NFLUX], LANES)) {
  long long stride;
  const store_t *p = z_plane(t, k + 1 + RAD, &stride);
  int at[QLEN - 1];
  OAK_UNROLL
  for (int q = 0; q < QLEN - 1; q++) at[q] = OAK_QUEUE(QLEN, k, q);
  const int upper = OAK_QUEUE(2, k, 1);
  OAK_LANE(c, LANES) {
    real q[NVAR], lo[NVAR], hi[NVAR], ql[NVAR], flux[NFLUX];
    if (loaded)
      load_primitive(&t->user, loaded, 1, q);
    else
      load_primitive(&t->user, p + LANE_AT(c), stride, q);
#if NSOLID
    real mask[QLEN];
    OAK_UNROLL
    for (int n = 0; n < QLEN - 1; n++) mask[n] = OAK_MY(queue[at[n]][SOLID_VAR], c);
    mask[QLEN - 1] = q[SOLID_VAR];
#endif
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real row[QLEN];
      OAK_UNROLL
      for (int n = 0; n < QLEN - 1; n++) row[n] = OAK_MY(queue[at[n]][v], c);
      row[QLEN - 1] = q[v];
      OAK_MY(entering[v], c) = q[v];
#if NSOLID
      oak_mirror_row(v, 2, &mask[QLEN - 1 - 2 * RAD], &row[QLEN - 1 - 2 * RAD]);
#endif
      reconstruct(v, &row[QLEN - 1 - RAD], &lo[v], &hi[v]);
      ql[v] = OAK_MY(zhi[v], c);
      OAK_MY(zhi[v], c) = hi[v];
    }
    if (!with_flux) continue;
    flux[NVAR] = face_flux(&t->user.physics, ql, lo, 2, flux);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) OAK_MY(zf[upper][v], c) = flux[v];
  }
}

#if PIPELINED
/* The conserved state of a lane's cell of plane z. */
OAK_FN void load_ahead(const tile_t *t, int z, store_t u[]) {
  long long stride;
  const store_t *p = z_plane(t, z, &stride);
  OAK_LANE(c, LANES) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) u[v] = p[LANE_AT(c) + v * stride];
  }
}
#endif

/* The first two steps of the march. WENO5 needs fewer registers if they are in the code once. */
#if RAD > 1
#define FIRST_STEPS OAK_NO_UNROLL
#else
#define FIRST_STEPS OAK_UNROLL
#endif

/* Fill the queue before the march: with the planes below the one that its first step loads. */
OAK_FN void start_march(const tile_t *t, OAK_PRIVATE_ARG(real queue[QLEN][NVAR], LANES)) {
  OAK_UNROLL
  for (int n = 0; n < QLEN - 1; n++) {
    long long stride;
    const store_t *p = z_plane(t, t->begin + n - 1 - RAD, &stride);
    const int at = OAK_QUEUE(QLEN, t->begin - 2, n);
    OAK_LANE(c, LANES) {
      real q[NVAR];
      load_primitive(&t->user, p + LANE_AT(c), stride, q);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) OAK_MY(queue[at][v], c) = q[v];
    }
  }
}

/* z fluxes through the lower (face 4) or upper (face 5) side of the block. */
OAK_FN void keep_z_fluxes(const tile_t *t, int face,
                          OAK_PRIVATE_ARG(const real flux[NFLUX], LANES)) {
  const int slot = t->f->face[t->block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  real *p = t->arg->bflux + (long long)slot * NVAR * OAK_AREA + t->y0 * OAK_N + t->x0;
  OAK_LANE(c, LANES) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) p[v * OAK_AREA + LANE_AT(c)] = OAK_MY(flux[v], c);
  }
}
#endif

/* Combine fluxes, sources and previous states of one plane; `own` as for cell_edges, `zlo`, `zup`:
 * z fluxes (3D). */
OAK_FN void update_plane(const tile_t *t, int k, flux_shared_t *sh, const real *own,
                         OAK_PRIVATE_ARG(const real zlo[NFLUX], LANES),
                         OAK_PRIVATE_ARG(const real zup[NFLUX], LANES)) {
  const oak_flux_args_t *arg = t->arg;
  const real inv_dx = t->inv_dx[0], inv_dy = t->inv_dx[1];
#if OAK_DIM == 3
  const real inv_dz = t->inv_dx[2];
#else
  (void)zlo, (void)zup;
#endif
  const real dt = (real)arg->dt;
  const real w[4] = {(real)arg->w[0], (real)arg->w[1], (real)arg->w[2], (real)arg->w[3]};
  const long long at = tile_plane(t, k) - t->f->u;
  const unsigned number = t->number + (unsigned)k * OAK_NEXT_Z;
#if OAK_STORE_LATER
  OAK_PRIVATE(real result[NVAR], LANES);
#endif
  OAK_LANE2(j, TY, i, TX) {
    const int c = j * TX + i;
    (void)c;
    const long long cell = at + j * OAK_N + i;
    real q[NVAR], source[NVAR], u[NVAR];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) q[v] = own ? own[v] : sh->s[0][v][j + GH][i + GH], source[v] = 0;
    add_sources(t->f, &t->user, t->block, t->x0 + i, t->y0 + j, k, q, source);
#ifdef PHYSICS_SIDES
    real lower[3][PHYSICS_SIDES], upper[3][PHYSICS_SIDES];
    OAK_UNROLL
    for (int s = 0; s < PHYSICS_SIDES; s++) {
      lower[0][s] = sh->fx[RIGHT_SIDE + s][j][i], upper[0][s] = sh->fx[LEFT_SIDE + s][j][i + 1];
      lower[1][s] = sh->fy[RIGHT_SIDE + s][j][i], upper[1][s] = sh->fy[LEFT_SIDE + s][j + 1][i];
#if OAK_DIM == 3
      lower[2][s] = OAK_MY(zlo[RIGHT_SIDE + s], c), upper[2][s] = OAK_MY(zup[LEFT_SIDE + s], c);
#endif
    }
    OAK_UNROLL
    for (int d = 0; d < OAK_DIM; d++)
      add_cell_terms(&t->user.physics, q, lower[d], upper[d], d, t->inv_dx[d], source);
#endif
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real r = (sh->fx[v][j][i] - sh->fx[v][j][i + 1]) * inv_dx +
               (sh->fy[v][j][i] - sh->fy[v][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
      r += (OAK_MY(zlo[v], c) - OAK_MY(zup[v], c)) * inv_dz;
#endif
#if OAK_DIFFUSION == 1
      r += arg->diffusion[cell + v * OAK_CELLS];
#endif
      u[v] = dt * (r + source[v]);
      OAK_UNROLL
      for (int p = 0; p < OAK_NPREV; p++) u[v] += w[p] * arg->prev[p][cell + v * OAK_CELLS];
    }
    keep_fields(arg->prev[0] + cell, u);
    keep_fractions(&t->user.physics, arg->prev[0] + cell, u);
    oak_round_result(u, number + (unsigned)i * OAK_NEXT_X + (unsigned)j * OAK_NEXT_Y);
    real speed = OAK_MAX(sh->fx[NVAR][j][i], sh->fx[NVAR][j][i + 1]) * inv_dx +
                 OAK_MAX(sh->fy[NVAR][j][i], sh->fy[NVAR][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
    speed += OAK_MAX(OAK_MY(zlo[NVAR], c), OAK_MY(zup[NVAR], c)) * inv_dz;
#endif
#if OAK_HAS_OWN_RATE
    speed = own_rate(arg, &t->user, t->block, t->x0 + i, t->y0 + j, k, q, speed);
#endif
    sh->rate[c] = OAK_MAX(sh->rate[c], speed);
    sh->bad[c] += oak_state_valid(&t->user.physics, u) ? 0 : 1;
#if OAK_STORE_LATER
    for (int v = 0; v < NVAR; v++) OAK_MY(result[v], c) = u[v];
  }
  OAK_LANE2(j, TY, i, TX) {
    real u[NVAR];
    for (int v = 0; v < NVAR; v++) u[v] = OAK_MY(result[v], j * TX + i);
    oak_store(arg->out + at + j * OAK_N + i, OAK_CELLS, u);
  }
#else
    oak_store(arg->out + cell, OAK_CELLS, u);
  }
#endif
}

/* The tile of an iteration of the kernel. */
OAK_FN void choose_tile(tile_t *t, const flux_place_t *p) {
  const int bits = OAK_DIM == 3 && OAK_MANY_THREADS ? t->arg->part_bits : 0;
  t->block = p->block;
  t->x0 = p->tile % TILES_X * TX;
  t->y0 = p->tile / TILES_X * TY;
  t->refined = 0;
  OAK_UNROLL
  for (int face = 0; face < 4; face++)
    t->refined |= t->f->face[t->block * OAK_FACES + face].bflux >= 0;
  t->begin = p->part * OAK_NZ >> bits;
  t->end = (p->part + 1) * OAK_NZ >> bits;
}

OAK_KERNEL_SHARED(oak_flux, oak_flux_args_t, LANES, RESIDENT, sizeof(flux_shared_t)) {
  OAK_ARGS(oak_flux_args_t);
  OAK_OUTER(m) {
    tile_t t = {&arg, &arg.f, oak_user(&arg.f)};
    const flux_place_t place = flux_place(&arg, m);
    choose_tile(&t, &place);
    const int level = arg.f.block[t.block].level;
    OAK_UNROLL
    for (int d = 0; d < OAK_DIM; d++) t.inv_dx[d] = (real)oak_inv_dx(&arg.f, level, d);
    t.number = oak_cell_number(&arg.f, t.block, t.x0, t.y0, 0);
    OAK_SHARED_STRUCT(flux_shared_t, sh);
    OAK_PRIVATE(real lo[NVAR], LANES);
    OAK_PRIVATE(real ylo[NVAR], LANES);
    OAK_LANE(c, LANES) sh.rate[c] = 0, sh.bad[c] = 0;
#if OAK_DIM == 3
    OAK_PRIVATE(real queue[QLEN][NVAR], LANES);
    OAK_PRIVATE(real zhi[NVAR], LANES);
    OAK_PRIVATE(real zf[2][NFLUX], LANES);
    start_march(&t, queue);
    FIRST_STEPS
    for (int n = 2; n > 0; n--) {
      march(&t, t.begin - n, n == 1, NULL, queue, queue[OAK_QUEUE(QLEN, t.begin - n, QLEN - 1)],
            zhi, zf);
      OAK_QUEUE_TURN(queue, QLEN, NVAR);
    }
    OAK_QUEUE_TURN(zf, 2, NFLUX);
    if (t.begin == 0) keep_z_fluxes(&t, 4, zf[OAK_QUEUE(2, 0, 0)]);
#endif
#if HALO_ROLES
    halo_cell_t halo[HALO_TURNS];
    OAK_UNROLL
    for (int n = 0; n < HALO_TURNS; n++) halo[n] = choose_halo_cell(&t, HALO_THREAD + n * LANES);
#endif
#if PIPELINED
    place_cells(queue[QPLANE], sh.s[0]);
    OAK_UNROLL
    for (int n = 0; n < HALO_TURNS; n++) load_halo_cell(&t, &halo[n], &sh);
    OAK_BARRIER;
#endif
    OAK_NO_UNROLL
    for (int k = t.begin; k < t.end; k++) {
#if PIPELINED
      const real *own = queue[QPLANE];
      real(*s)[SY][SX] = sh.s[(k - t.begin) & 1], (*next)[SY][SX] = sh.s[(k + 1 - t.begin) & 1];
      if (k + 1 < t.end) {
        OAK_UNROLL
        for (int n = 0; n < HALO_TURNS; n++) begin_halo_cell(&halo[n], next);
      }
#else
      const real *own = NULL;
      real(*s)[SY][SX] = sh.s[0];
      load_plane(&t, k, &sh, PLANE_CELLS);
#if HALO_ROLES
      OAK_UNROLL
      for (int n = 0; n < HALO_TURNS; n++) load_halo_cell(&t, &halo[n], &sh);
#else
      load_plane_halo(&t, k, &sh);
#endif
      OAK_BARRIER;
#endif
      /* Row by row, the fluxes of row j need only the edges of rows up to j. */
      end_edges(&sh, s);
      OAK_LANE_ROWS(j, TY, TX) {
        x_edges(&sh, s, j, own, lo);
        y_edges(&sh, s, j, own, ylo);
        OAK_BARRIER;
        x_fluxes(&t.user, &sh, j, lo);
        y_fluxes(&t.user, &sh, j, ylo);
      }
#if !OAK_MANY_THREADS
      x_end_fluxes(&t.user, &sh);
      y_end_fluxes(&t.user, &sh);
#endif
#if PIPELINED
      /* The data for the next step of the march arrives while threads wait at the barrier. */
      store_t loaded[NVAR];
      load_ahead(&t, k + 1 + RAD, loaded);
      oak_copy_end();
      if (k + 1 < t.end) {
        place_cells(queue[QPLANE + 1], next);
        OAK_UNROLL
        for (int n = 0; n < HALO_TURNS; n++) end_halo_cell(&t, &halo[n], next);
      }
#elif OAK_DIM == 3
      const store_t *loaded = NULL;
#endif
      OAK_BARRIER;
      keep_xy_fluxes(&t, k, &sh);
#if OAK_DIM == 3
      march(&t, k, 1, loaded, queue, queue[OAK_QUEUE(QLEN, k, QLEN - 1)], zhi, zf);
      update_plane(&t, k, &sh, own, zf[OAK_QUEUE(2, k, 0)], zf[OAK_QUEUE(2, k, 1)]);
      OAK_QUEUE_TURN(queue, QLEN, NVAR);
      OAK_QUEUE_TURN(zf, 2, NFLUX);
#else
      update_plane(&t, k, &sh, own, NULL, NULL); /* in 2D there are no z fluxes */
#endif
    }
#if OAK_DIM == 3
    if (t.end == OAK_N) keep_z_fluxes(&t, 5, zf[OAK_QUEUE(2, OAK_N, 0)]);
#endif
    real fastest, invalid;
    OAK_BARRIER;
    OAK_REDUCE_MAX(fastest, sh.rate, LANES);
    OAK_REDUCE_SUM(invalid, sh.bad, LANES);
    OAK_SERIAL {
      arg.rate[place.result] = (double)fastest;
      arg.bad[place.result] = (arg.first ? 0 : arg.bad[place.result]) + (int)invalid;
    }
  }
}

#undef OAK_TEAM
#define OAK_TEAM OAK_TEAM_ANY
#endif
