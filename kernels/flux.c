/* SPDX-License-Identifier: GPL-2.0-or-later
 * The fused finite-volume kernel: one forward Euler step of a Runge-Kutta stage,
 *
 *   out = dt F(u) + sum_i w_i prev_i                        (paper, eq. feuler)
 *
 * for blocks (or tiles of TY rows of their xy planes) without stored ghost cells. A tile marches
 * through z: a queue per column holds the primitive planes that the z stencil needs, so each z
 * reconstruction and z flux is computed once. The current plane with its halo sits in `s`, where
 * x and y fluxes are computed, each once, and collected in face arrays. Fluxes at refinement
 * boundaries go to bflux; the largest wave speed and the count of invalid cells leave per tile.
 * In 2D there is one plane and no march.
 *
 * Conversion to primitives happens where a value enters the tile. */

#define RAD OAK_RADIUS
#define GH (RAD + 1)
#if GH > OAK_NG
#error "fewer ghost layers than the limiter reads"
#endif
#ifndef OAK_TILE
#define OAK_TILE OAK_N
#endif
#define TY OAK_TILE
#define TILES (OAK_N / TY)
#define LANES (TY * OAK_N)
#define SX (OAK_N + 2 * GH)
#define SY (TY + 2 * GH)
#define NFLUX (NVAR + 1) /* the last component is the wave speed */

/* Planes held by the z queue, and the place of plane k among them when plane k + 1 is
 * reconstructed. */
#define QLEN (RAD > 0 ? 2 * RAD + 1 : 2)
#define QPLANE (RAD > 0 ? RAD - 1 : 0)

typedef real plane_t[NVAR][SY][SX];
typedef real xface_t[NFLUX][TY][OAK_N + 1];
typedef real yface_t[NFLUX][TY + 1][OAK_N];

/* Load a conserved state from p and convert it. */
OAK_FN void load_primitive(const oak_user_t *user, const real *p, long long stride, real q[]) {
  oak_load(p, stride, q);
  physics_to_primitive(&user->physics, q);
}

/* Values that the cell whose first variable is at `cell` has at its lower and upper face: `step`
 * leads to the next cell across the faces, `stride` to the next variable. */
OAK_FN void cell_edges(const real *cell, int step, int stride, real lo[], real hi[]) {
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
    real row[2 * RAD + 1];
    OAK_UNROLL
    for (int n = 0; n < 2 * RAD + 1; n++) row[n] = cell[v * stride + (n - RAD) * step];
    oak_reconstruct(&row[RAD], &lo[v], &hi[v]);
  }
}

/* Fill the halo of plane k: rows below and above the tile, then the columns beyond x. */
OAK_FN void load_plane_halo(const oak_field_t *f, const oak_user_t *user, long block, int y0, int k,
                            plane_t s) {
  const real *own = f->u + block * OAK_BLOCK_REALS + (long long)k * OAK_N * OAK_N;
  const oak_side_t below = oak_side(f, block, 2), above = oak_side(f, block, 3);
  for (int g = 0; g < 2 * GH; g++) {
    const int row = g < GH ? g : g + TY; /* row of s */
    const int j = y0 + row - GH;
    const oak_side_t *side = j < 0 ? &below : &above;
    const int layer = j < 0 ? j + OAK_NG : j - OAK_N;
    const int inside = j >= 0 && j < OAK_N;
    const real *p = inside ? own + j * OAK_N : side->p + layer * side->sn + k * side->sb;
    const long long sv = inside ? OAK_CELLS : side->sv;
    OAK_INNER(i, OAK_N) {
      real q[NVAR];
      load_primitive(user, p + i, sv, q);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) s[v][row][i + GH] = q[v];
    }
  }
  OAK_UNROLL
  for (int face = 0; face < 2; face++) {
    const oak_side_t side = oak_side(f, block, face);
    const real *p = side.p + y0 * side.sa + k * side.sb;
    for (int g = 0; g < GH; g++) {
      const int layer = face == 0 ? OAK_NG - GH + g : g;
      const int column = face == 0 ? g : OAK_N + GH + g;
      OAK_INNER(j, TY) {
        real q[NVAR];
        load_primitive(user, p + layer * side.sn + j * side.sa, side.sv, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) s[v][j + GH][column] = q[v];
      }
    }
  }
}

/* Keep the fluxes of a refinement boundary for flux fixing. */
OAK_FN void keep_xy_fluxes(const oak_flux_args_t *arg, long block, int y0, int k, const xface_t fx,
                           const yface_t fy) {
  OAK_UNROLL
  for (int face = 0; face < 2; face++) {
    const int slot = arg->f.face[block * OAK_FACES + face].bflux;
    if (slot < 0) continue;
    real *p = arg->bflux + (long long)slot * NVAR * OAK_AREA + k * OAK_N + y0;
    for (int v = 0; v < NVAR; v++)
      OAK_INNER(j, TY) p[v * OAK_AREA + j] = fx[v][j][face * OAK_N];
  }
  OAK_UNROLL
  for (int face = 0; face < 2; face++) {
    const int slot = arg->f.face[block * OAK_FACES + 2 + face].bflux;
    if (slot < 0 || (face == 0 ? y0 > 0 : y0 + TY < OAK_N)) continue;
    real *p = arg->bflux + (long long)slot * NVAR * OAK_AREA + k * OAK_N;
    for (int v = 0; v < NVAR; v++)
      OAK_INNER(i, OAK_N) p[v * OAK_AREA + i] = fy[v][face * TY][i];
  }
}

#if OAK_DIM == 3
/* One step of the march: plane k + 1 + RAD enters the queue, plane k + 1 is reconstructed, the flux
 * between planes k and k + 1 is computed. */
OAK_FN void march(const oak_flux_args_t *arg, const oak_user_t *user, long block, int y0, int k,
                  int with_flux, real queue[QLEN][NVAR][LANES], real zhi[NVAR][LANES],
                  real zf[2][NFLUX][LANES]) {
  const oak_field_t *f = &arg->f;
  const int z = k + 1 + RAD;
  const oak_side_t side = oak_side(f, block, z < 0 ? 4 : 5);
  const int inside = z >= 0 && z < OAK_N;
  const real *p = inside ? f->u + block * OAK_BLOCK_REALS + (long long)z * OAK_N * OAK_N
                         : side.p + (z < 0 ? z + OAK_NG : z - OAK_N) * side.sn;
  const long long sv = inside ? OAK_CELLS : side.sv;
  int at[QLEN];
  OAK_UNROLL
  for (int q = 0; q < QLEN; q++) at[q] = OAK_QUEUE(QLEN, k, q);
  p += y0 * OAK_N;
  real(*const upper)[LANES] = zf[OAK_QUEUE(2, k, 1)];
  OAK_INNER(c, LANES) {
    real q[NVAR], lo[NVAR], hi[NVAR], ql[NVAR], flux[NFLUX];
    load_primitive(user, p + c, sv, q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real row[QLEN];
      OAK_UNROLL
      for (int n = 0; n < QLEN - 1; n++) row[n] = queue[at[n]][v][c];
      row[QLEN - 1] = q[v];
      queue[at[QLEN - 1]][v][c] = q[v];
      oak_reconstruct(&row[QLEN - 1 - RAD], &lo[v], &hi[v]);
      ql[v] = zhi[v][c];
      zhi[v][c] = hi[v];
    }
    if (!with_flux) continue;
    flux[NVAR] = oak_riemann(&user->physics, ql, lo, 2, flux);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) upper[v][c] = flux[v];
  }
}

/* Fill the queue with the planes below those that the first step of the march loads. */
OAK_FN void start_march(const oak_flux_args_t *arg, const oak_user_t *user, long block, int y0,
                        real queue[QLEN][NVAR][LANES]) {
  const oak_field_t *f = &arg->f;
  const oak_side_t side = oak_side(f, block, 4);
  for (int n = 0; n < QLEN - 1; n++) {
    const int z = n - 1 - RAD;
    const int inside = z >= 0;
    const real *p = inside ? f->u + block * OAK_BLOCK_REALS + (long long)z * OAK_N * OAK_N
                           : side.p + (z + OAK_NG) * side.sn;
    const long long sv = inside ? OAK_CELLS : side.sv;
    const int at = OAK_QUEUE(QLEN, -2, n);
    p += y0 * OAK_N;
    OAK_INNER(c, LANES) {
      real q[NVAR];
      load_primitive(user, p + c, sv, q);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) queue[at][v][c] = q[v];
    }
  }
}

/* z fluxes through the lower face of plane k. */
OAK_FN void keep_z_fluxes(const oak_flux_args_t *arg, long block, int y0, int k,
                          const real flux[NFLUX][LANES]) {
  const int slot = arg->f.face[block * OAK_FACES + (k == 0 ? 4 : 5)].bflux;
  if (slot < 0) return;
  real *p = arg->bflux + (long long)slot * NVAR * OAK_AREA + y0 * OAK_N;
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(c, LANES) p[v * OAK_AREA + c] = flux[v][c];
}
#endif

/* Source terms of physics and problem, from the primitive state. */
OAK_FN void add_sources(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                        int k, const real q[], real source[]) {
#if defined(PHYSICS_SOURCE) || defined(PROBLEM_SOURCE)
  double x[3];
  oak_center(f, block, i, j, k, x);
#ifdef PHYSICS_SOURCE
  PHYSICS_SOURCE(&user->physics, x, f->time, q, source);
#endif
#ifdef PROBLEM_SOURCE
  PROBLEM_SOURCE(&user->problem, &user->physics, x, f->time, q, source);
#endif
#else
  (void)f, (void)user, (void)block, (void)i, (void)j, (void)k, (void)q, (void)source;
#endif
}

/* Fluxes through the x faces of one plane. Cell i has its upper edge in hi[i + 1], its lower one in
 * lo[i]. The columns beyond a multiple of the SIMD width, cells -1 and N and face N, are turned so
 * that their lanes are contiguous. */
OAK_FN void x_fluxes(const oak_user_t *user, const plane_t s, xface_t fx) {
  OAK_SHARED real lo[NVAR][TY][OAK_N], hi[NVAR][TY][OAK_N + 1];
  OAK_SHARED real strip[2][NVAR][2 * RAD + 1][TY], edge[2][NVAR][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < 2 * RAD + 1; n++)
      OAK_INNER(j, TY) {
        strip[0][v][n][j] = s[v][j + GH][n];
        strip[1][v][n][j] = s[v][j + GH][OAK_N + 1 + n];
      }
  OAK_INNER2(j, TY, i, OAK_N) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&s[0][j + GH][i + GH], 1, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) lo[v][j][i] = ql[v], hi[v][j][i + 1] = qh[v];
  }
  OAK_BARRIER;
  OAK_INNER(j, TY) {
    real ql[NVAR], qh[NVAR], qn[NVAR];
    cell_edges(&strip[0][0][RAD][j], TY, (2 * RAD + 1) * TY, ql, qh);
    cell_edges(&strip[1][0][RAD][j], TY, (2 * RAD + 1) * TY, qn, ql);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) edge[0][v][j] = qh[v], edge[1][v][j] = qn[v];
  }
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) hi[v][j][0] = edge[0][v][j];
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) edge[0][v][j] = hi[v][j][OAK_N];
  OAK_BARRIER;
  OAK_INNER2(j, TY, i, OAK_N) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = hi[v][j][i], qr[v] = lo[v][j][i];
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) fx[v][j][i] = f[v];
  }
  OAK_SHARED real last[NFLUX][TY];
  OAK_INNER(j, TY) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = edge[0][v][j], qr[v] = edge[1][v][j];
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) last[v][j] = f[v];
  }
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(j, TY) fx[v][j][OAK_N] = last[v][j];
}

/* Fluxes through the y faces of one plane; rows are numbered from -1. */
OAK_FN void y_fluxes(const oak_user_t *user, const plane_t s, yface_t fy) {
  OAK_SHARED real lo[NVAR][TY + 2][OAK_N], hi[NVAR][TY + 2][OAK_N];
  OAK_INNER2(j, TY + 2, i, OAK_N) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&s[0][j + GH - 1][i + GH], SX, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) lo[v][j][i] = ql[v], hi[v][j][i] = qh[v];
  }
  OAK_BARRIER;
  OAK_INNER2(j, TY + 1, i, OAK_N) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = hi[v][j][i], qr[v] = lo[v][j + 1][i];
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 1, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) fy[v][j][i] = f[v];
  }
}

OAK_KERNEL(oak_flux, oak_flux_args_t, LANES) {
  OAK_ARGS(oak_flux_args_t);
  OAK_OUTER(m) {
    const long block = m / TILES;
    const int y0 = (int)(m % TILES) * TY;
    const oak_field_t *f = &arg.f;
    const oak_user_t user = oak_user(f);
    const int level = f->block[block].level;
    const real inv_dx = (real)(1 / oak_dx(f, level, 0)), inv_dy = (real)(1 / oak_dx(f, level, 1));
    const real dt = (real)arg.dt;
    const real w[4] = {(real)arg.w[0], (real)arg.w[1], (real)arg.w[2], (real)arg.w[3]};
    OAK_SHARED plane_t s;
    OAK_SHARED xface_t fx;
    OAK_SHARED yface_t fy;
    OAK_SHARED real rate[LANES];
    OAK_SHARED int bad[LANES];
    OAK_INNER(c, LANES) rate[c] = 0, bad[c] = 0;
#if OAK_DIM == 3
    const real inv_dz = (real)(1 / oak_dx(f, level, 2));
    OAK_PRIVATE real queue[QLEN][NVAR][LANES];
    OAK_PRIVATE real zhi[NVAR][LANES];
    OAK_PRIVATE real zf[2][NFLUX][LANES];
    start_march(&arg, &user, block, y0, queue);
    march(&arg, &user, block, y0, -2, 0, queue, zhi, zf);
    march(&arg, &user, block, y0, -1, 1, queue, zhi, zf);
    keep_z_fluxes(&arg, block, y0, 0, zf[OAK_QUEUE(2, 0, 0)]);
#endif
    for (int k = 0; k < OAK_NZ; k++) {
      const real *own = f->u + block * OAK_BLOCK_REALS + OAK_INDEX(0, y0, k);
#if OAK_DIM == 3
      march(&arg, &user, block, y0, k, 1, queue, zhi, zf);
      const real(*const center)[LANES] = (const real(*)[LANES])queue[OAK_QUEUE(QLEN, k, QPLANE)];
      const real(*const zlo)[LANES] = (const real(*)[LANES])zf[OAK_QUEUE(2, k, 0)];
      const real(*const zup)[LANES] = (const real(*)[LANES])zf[OAK_QUEUE(2, k, 1)];
      OAK_INNER2(j, TY, i, OAK_N) {
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) s[v][j + GH][i + GH] = center[v][j * OAK_N + i];
      }
#else
      OAK_INNER2(j, TY, i, OAK_N) {
        real q[NVAR];
        load_primitive(&user, own + j * OAK_N + i, OAK_CELLS, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) s[v][j + GH][i + GH] = q[v];
      }
#endif
      load_plane_halo(f, &user, block, y0, k, s);
      OAK_BARRIER;
      x_fluxes(&user, s, fx);
      y_fluxes(&user, s, fy);
      OAK_BARRIER;
      keep_xy_fluxes(&arg, block, y0, k, fx, fy);
      const long long at = own - f->u;
      OAK_INNER2(j, TY, i, OAK_N) {
        const int c = j * OAK_N + i;
        real q[NVAR], source[NVAR], u[NVAR];
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) q[v] = s[v][j + GH][i + GH], source[v] = 0;
        add_sources(f, &user, block, i, y0 + j, k, q, source);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) {
          real r =
              (fx[v][j][i] - fx[v][j][i + 1]) * inv_dx + (fy[v][j][i] - fy[v][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
          r += (zlo[v][c] - zup[v][c]) * inv_dz;
#endif
          u[v] = dt * (r + source[v]);
          OAK_UNROLL
          for (int p = 0; p < OAK_NPREV; p++) u[v] += w[p] * arg.prev[p][at + v * OAK_CELLS + c];
        }
        real speed = OAK_MAX(fx[NVAR][j][i], fx[NVAR][j][i + 1]) * inv_dx +
                     OAK_MAX(fy[NVAR][j][i], fy[NVAR][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
        speed += OAK_MAX(zlo[NVAR][c], zup[NVAR][c]) * inv_dz;
#endif
        rate[c] = OAK_MAX(rate[c], speed);
        bad[c] += !physics_valid(&user.physics, u);
        oak_store(arg.out + at + c, OAK_CELLS, u);
      }
      OAK_BARRIER;
    }
#if OAK_DIM == 3
    keep_z_fluxes(&arg, block, y0, OAK_N, zf[OAK_QUEUE(2, OAK_N, 0)]);
#endif
    OAK_SERIAL {
      real fastest = 0;
      int invalid = 0;
      OAK_REDUCE_MAX(fastest, rate, LANES);
      OAK_REDUCE_SUM(invalid, bad, LANES);
      arg.rate[block * TILES + m % TILES] = (double)fastest;
      arg.bad[block * TILES + m % TILES] += invalid;
    }
  }
}
