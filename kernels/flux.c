/* SPDX-License-Identifier: GPL-2.0-or-later
 * The fused finite-volume kernel: one forward Euler step of a Runge-Kutta stage,
 *
 *   out = dt F(u) + sum_i w_i prev_i                        (paper, eq. feuler)
 *
 * for blocks without stored ghost cells. One OUTER iteration is a tile of TX x TY cells of a
 * block's xy planes, which marches through z, or through a part of it on a device that is short of
 * work: a queue per column holds the primitive planes that the z stencil needs, so each z
 * reconstruction and z flux is computed once. The current plane with its halo is in shared memory,
 * where x and y fluxes are computed, each once. Fluxes at refinement boundaries go to bflux; the
 * largest wave speed and the count of invalid cells leave per tile. In 2D there is one plane and no
 * march.
 *
 * Conversion to primitives happens where a value enters the tile. A lane is a cell of the tile's
 * plane; faces and edges beyond the last lane are extra work, for which devices with many threads
 * take different ones (the first argument of OAK_ROWS_FROM). */

#if !OAK_FLUX_CELLS
#define LANES (TY * TX)
#define SX (TX + 2 * GH)
#define SY (TY + 2 * GH)
/* A thread for each cell of a plane's halo. */
#define HALO_ROLES (OAK_MANY_THREADS && 2 * GH * (TX + TY) <= LANES)

/* Planes held by the z queue, and the place of plane k among them when plane k + 1 is
 * reconstructed. */
#define QLEN (RAD > 0 ? 2 * RAD + 1 : 2)
#define QPLANE (RAD > 0 ? RAD - 1 : 0)

#undef OAK_TEAM
#define OAK_TEAM LANES

/* What the lanes of a tile share. */
typedef struct {
  OAK_ALIGNED real s[NVAR][SY][SX];      /* primitive plane with its halo */
  OAK_ALIGNED real hx[NVAR][TY][TX + 1]; /* states below x faces: upper edges of cells -1 .. */
  OAK_ALIGNED real hy[NVAR][TY + 1][TX]; /* the same of y faces */
  OAK_ALIGNED real lx[NVAR][TY];         /* states above the last faces */
  OAK_ALIGNED real ly[NVAR][TX];
  OAK_ALIGNED real fx[NFLUX][TY][TX + 1];
  OAK_ALIGNED real fy[NFLUX][TY + 1][TX];
  OAK_ALIGNED real rate[LANES];
  OAK_ALIGNED real bad[LANES]; /* a number as wide as the others: lanes stay full */
} flux_shared_t;

/* A tile of the xy planes of a block, and its planes. */
typedef struct {
  const oak_flux_args_t *arg;
  const oak_field_t *f;
  oak_user_t user;
  long block;
  int x0, y0, begin, end;
  int refined; /* a face beside the tile is a refinement boundary */
  real inv_dx[3];
} tile_t;

/* Cell (x0, y0) of plane k of the state that is read. */
OAK_FN const real *tile_plane(const tile_t *t, int k) {
  return t->f->u + t->block * OAK_BLOCK_REALS + OAK_INDEX(t->x0, t->y0, k);
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

/* Fill the halo of plane k: rows below and above the tile, then the columns beside it. */
OAK_FN void load_plane_halo(const tile_t *t, int k, flux_shared_t *sh) {
  const real *own = t->f->u + t->block * OAK_BLOCK_REALS + (long long)k * OAK_N * OAK_N;
  OAK_UNROLL
  for (int high = 0; high < 2; high++) {
    const oak_side_t side = oak_side(t->f, t->block, 2 + high);
    OAK_ROWS_FROM(high * GH * TX, g, GH, TX) {
      const int row = high ? GH + TY + g : g; /* of s */
      const int j = t->y0 + row - GH;
      const int inside = high ? j < OAK_N : j >= 0;
      const int layer = high ? j - OAK_N : j + OAK_NG;
      const real *p = inside ? own + j * OAK_N + t->x0
                             : side.p + layer * side.sn + k * side.sb + t->x0 * side.sa;
      const long long sv = inside ? OAK_CELLS : side.sv;
      OAK_LANES(i, TX) {
        real q[NVAR];
        load_primitive(&t->user, p + i, sv, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) sh->s[v][row][i + GH] = q[v];
      }
    }
  }
  OAK_UNROLL
  for (int high = 0; high < 2; high++) {
    const oak_side_t side = oak_side(t->f, t->block, high);
    OAK_ROWS_FROM(2 * GH * TX + high * GH * TY, g, GH, TY) {
      const int column = high ? GH + TX + g : g; /* of s */
      const int i = t->x0 + column - GH;
      const int inside = TILES_X > 1 && (high ? i < OAK_N : i >= 0);
      const int layer = high ? i - OAK_N : i + OAK_NG;
      const real *p = inside ? own + t->y0 * OAK_N + i
                             : side.p + layer * side.sn + k * side.sb + t->y0 * side.sa;
      const int step = inside ? OAK_N : side.sa;
      const long long sv = inside ? OAK_CELLS : side.sv;
      OAK_LANES(j, TY) {
        real q[NVAR];
        load_primitive(&t->user, p + j * step, sv, q);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) sh->s[v][j + GH][column] = q[v];
      }
    }
  }
}

#if HALO_ROLES
/* The cell of a plane's halo that a thread loads, the same on all planes: finding it once leaves a
 * load and a step per plane. */
typedef struct {
  const real *p;
  long long sv, step; /* to the next variable and plane */
  int place;          /* in s[0]; -1: none */
} halo_cell_t;

OAK_FN halo_cell_t choose_halo_cell(const tile_t *t) {
  halo_cell_t cell = {0, 0, 0, -1};
  int h = OAK_THREAD;
  if (h >= 2 * GH * (TX + TY)) return cell;
  /* First rows below and above the tile, then columns beside it. */
  const int across = h < 2 * GH * TX, length = across ? TX : TY;
  h -= across ? 0 : 2 * GH * TX;
  const int g = h / length, a = h % length, high = g >= GH;
  const int first = across ? t->y0 : t->x0, width = across ? TY : TX;
  const int n = first + (high ? width + g - GH : g - GH); /* coordinate across the rows */
  const int row = n - first + GH, beyond = n < 0 || n >= OAK_N;
  if (beyond) {
    const oak_side_t side = oak_side(t->f, t->block, (across ? 2 : 0) + high);
    cell.p = side.p + (high ? n - OAK_N : n + OAK_NG) * side.sn +
             ((across ? t->x0 : t->y0) + a) * side.sa + (long long)t->begin * side.sb;
    cell.sv = side.sv;
    cell.step = side.sb;
  } else {
    cell.p = tile_plane(t, t->begin) + (across ? (row - GH) * OAK_N + a : a * OAK_N + row - GH);
    cell.sv = OAK_CELLS;
    cell.step = OAK_N * OAK_N;
  }
  cell.place = across ? row * SX + GH + a : (GH + a) * SX + row;
  return cell;
}

OAK_FN void load_halo_cell(const tile_t *t, halo_cell_t *cell, flux_shared_t *sh) {
  if (cell->place < 0) return;
  real q[NVAR];
  load_primitive(&t->user, cell->p, cell->sv, q);
  cell->p += cell->step;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) (&sh->s[v][0][0])[cell->place] = q[v];
}
#endif

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
/* Place of lane c in a plane of the block. */
#define LANE_AT(c) (TX == OAK_N ? (c) : (c) / TX * OAK_N + (c) % TX)

/* Where lane 0 of plane z is read, z = -NG .. N + NG - 1. */
OAK_FN const real *z_plane(const tile_t *t, int z, long long *stride) {
  const oak_side_t side = oak_side(t->f, t->block, z < 0 ? 4 : 5);
  const int inside = z >= 0 && z < OAK_N;
  *stride = inside ? OAK_CELLS : side.sv;
  return inside ? tile_plane(t, z)
                : side.p + (z < 0 ? z + OAK_NG : z - OAK_N) * side.sn + t->y0 * OAK_N + t->x0;
}

/* One step of the march: plane k + 1 + RAD enters the queue, plane k + 1 is reconstructed, the flux
 * between planes k and k + 1 is computed. */
OAK_FN void march(const tile_t *t, int k, int with_flux,
                  OAK_PRIVATE_ARG(real queue[QLEN][NVAR], LANES),
                  OAK_PRIVATE_ARG(real zhi[NVAR], LANES),
                  OAK_PRIVATE_ARG(real zf[2][NFLUX], LANES)) {
  long long stride;
  const real *p = z_plane(t, k + 1 + RAD, &stride);
  int at[QLEN];
  OAK_UNROLL
  for (int q = 0; q < QLEN; q++) at[q] = OAK_QUEUE(QLEN, k, q);
  const int upper = OAK_QUEUE(2, k, 1);
  OAK_LANE(c, LANES) {
    real q[NVAR], lo[NVAR], hi[NVAR], ql[NVAR], flux[NFLUX];
    load_primitive(&t->user, p + LANE_AT(c), stride, q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real row[QLEN];
      OAK_UNROLL
      for (int n = 0; n < QLEN - 1; n++) row[n] = OAK_MY(queue[at[n]][v], c);
      row[QLEN - 1] = q[v];
      OAK_MY(queue[at[QLEN - 1]][v], c) = q[v];
      oak_reconstruct(&row[QLEN - 1 - RAD], &lo[v], &hi[v]);
      ql[v] = OAK_MY(zhi[v], c);
      OAK_MY(zhi[v], c) = hi[v];
    }
    if (!with_flux) continue;
    flux[NVAR] = oak_riemann(&t->user.physics, ql, lo, 2, flux);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) OAK_MY(zf[upper][v], c) = flux[v];
  }
}

/* Fill the queue with the planes below the one that the first step of the march loads. */
OAK_FN void start_march(const tile_t *t, OAK_PRIVATE_ARG(real queue[QLEN][NVAR], LANES)) {
  OAK_UNROLL
  for (int n = 0; n < QLEN - 1; n++) {
    long long stride;
    const real *p = z_plane(t, t->begin + n - 1 - RAD, &stride);
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

/* Edges of the cells of row j along x. The state above a lane's lower face stays with the lane,
 * the one below the next face is for its neighbour. The columns beyond the tile, cells -1 and TX,
 * are turned where lanes must be contiguous. */
OAK_FN void x_edges(flux_shared_t *sh, int j, OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&sh->s[0][j + GH][i + GH], 1, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) OAK_MY(lo[v], i) = ql[v], sh->hx[v][j][i + 1] = qh[v];
  }
}

/* Those of the columns beyond the tile. */
OAK_FN void x_end_edges(flux_shared_t *sh) {
#if OAK_STRIPS
  OAK_ALIGNED real strip[2][NVAR][2 * RAD + 1][TY], edge[NVAR][TY];
  for (int v = 0; v < NVAR; v++)
    for (int n = 0; n < 2 * RAD + 1; n++)
      OAK_INNER(j, TY) {
        strip[0][v][n][j] = sh->s[v][j + GH][n];
        strip[1][v][n][j] = sh->s[v][j + GH][TX + 1 + n];
      }
  OAK_INNER(j, TY) {
    real ql[NVAR], qh[NVAR], qn[NVAR];
    cell_edges(&strip[0][0][RAD][j], TY, (2 * RAD + 1) * TY, ql, qh);
    cell_edges(&strip[1][0][RAD][j], TY, (2 * RAD + 1) * TY, qn, ql);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) edge[v][j] = qh[v], sh->lx[v][j] = qn[v];
  }
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) sh->hx[v][j][0] = edge[v][j];
#else
  OAK_ROWS_FROM(LANES - 2 * TY, upper, 2, TY) {
    OAK_LANES(j, TY) {
      real ql[NVAR], qh[NVAR];
      cell_edges(&sh->s[0][j + GH][upper ? TX + GH : GH - 1], 1, SY * SX, ql, qh);
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++)
        *(upper ? &sh->lx[v][j] : &sh->hx[v][j][0]) = upper ? ql[v] : qh[v];
    }
  }
#endif
}

/* Fluxes through the x faces of row j; those beyond the last lane are the end of the row. */
OAK_FN void x_fluxes(const oak_user_t *user, flux_shared_t *sh, int j,
                     OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = sh->hx[v][j][i], qr[v] = OAK_MY(lo[v], i);
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) sh->fx[v][j][i] = f[v];
  }
}

OAK_FN void x_end_fluxes(const oak_user_t *user, flux_shared_t *sh) {
#if OAK_STRIPS
  OAK_ALIGNED real below[NVAR][TY], last[NFLUX][TY];
  for (int v = 0; v < NVAR; v++)
    OAK_INNER(j, TY) below[v][j] = sh->hx[v][j][TX];
  OAK_INNER(j, TY) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = below[v][j], qr[v] = sh->lx[v][j];
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 0, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) last[v][j] = f[v];
  }
  for (int v = 0; v < NFLUX; v++)
    OAK_INNER(j, TY) sh->fx[v][j][TX] = last[v][j];
#else
  OAK_ROWS_FROM(0, row, 1, TY) {
    OAK_LANES(j, TY) {
      real ql[NVAR], qr[NVAR], f[NFLUX];
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) ql[v] = sh->hx[v][j][TX], qr[v] = sh->lx[v][j];
      f[NVAR] = oak_riemann(&user->physics, ql, qr, 0, f);
      OAK_UNROLL
      for (int v = 0; v < NFLUX; v++) sh->fx[v][j][TX] = f[v];
    }
  }
#endif
}

/* The same along y. */
OAK_FN void y_edges(flux_shared_t *sh, int j, OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qh[NVAR];
    cell_edges(&sh->s[0][j + GH][i + GH], SX, SY * SX, ql, qh);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) OAK_MY(lo[v], i) = ql[v], sh->hy[v][j + 1][i] = qh[v];
  }
}

OAK_FN void y_end_edges(flux_shared_t *sh) {
  OAK_UNROLL
  for (int upper = 0; upper < 2; upper++) OAK_ROWS_FROM(32 * upper, row, 1, TX) {
      OAK_LANES(i, TX) {
        real ql[NVAR], qh[NVAR];
        cell_edges(&sh->s[0][upper ? TY + GH : GH - 1][i + GH], SX, SY * SX, ql, qh);
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++)
          *(upper ? &sh->ly[v][i] : &sh->hy[v][0][i]) = upper ? ql[v] : qh[v];
      }
    }
}

OAK_FN void y_fluxes(const oak_user_t *user, flux_shared_t *sh, int j,
                     OAK_PRIVATE_ARG(real lo[NVAR], LANES)) {
  OAK_ROW_LANE(i, TX) {
    real ql[NVAR], qr[NVAR], f[NFLUX];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) ql[v] = sh->hy[v][j][i], qr[v] = OAK_MY(lo[v], i);
    f[NVAR] = oak_riemann(&user->physics, ql, qr, 1, f);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) sh->fy[v][j][i] = f[v];
  }
}

OAK_FN void y_end_fluxes(const oak_user_t *user, flux_shared_t *sh) {
  OAK_ROWS_FROM(LANES / 2, row, 1, TX) {
    OAK_LANES(i, TX) {
      real ql[NVAR], qr[NVAR], f[NFLUX];
      OAK_UNROLL
      for (int v = 0; v < NVAR; v++) ql[v] = sh->hy[v][TY][i], qr[v] = sh->ly[v][i];
      f[NVAR] = oak_riemann(&user->physics, ql, qr, 1, f);
      OAK_UNROLL
      for (int v = 0; v < NFLUX; v++) sh->fy[v][TY][i] = f[v];
    }
  }
}

/* Combine fluxes, sources and previous states of one plane; `zlo`, `zup`: z fluxes (3D). */
OAK_FN void update_plane(const tile_t *t, int k, flux_shared_t *sh,
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
  OAK_LANE2(j, TY, i, TX) {
    const int c = j * TX + i;
    (void)c;
    const long long cell = at + j * OAK_N + i;
    real q[NVAR], source[NVAR], u[NVAR];
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) q[v] = sh->s[v][j + GH][i + GH], source[v] = 0;
    add_sources(t->f, &t->user, t->block, t->x0 + i, t->y0 + j, k, q, source);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      real r = (sh->fx[v][j][i] - sh->fx[v][j][i + 1]) * inv_dx +
               (sh->fy[v][j][i] - sh->fy[v][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
      r += (OAK_MY(zlo[v], c) - OAK_MY(zup[v], c)) * inv_dz;
#endif
      u[v] = dt * (r + source[v]);
      OAK_UNROLL
      for (int p = 0; p < OAK_NPREV; p++) u[v] += w[p] * arg->prev[p][cell + v * OAK_CELLS];
    }
    real speed = OAK_MAX(sh->fx[NVAR][j][i], sh->fx[NVAR][j][i + 1]) * inv_dx +
                 OAK_MAX(sh->fy[NVAR][j][i], sh->fy[NVAR][j + 1][i]) * inv_dy;
#if OAK_DIM == 3
    speed += OAK_MAX(OAK_MY(zlo[NVAR], c), OAK_MY(zup[NVAR], c)) * inv_dz;
#endif
    sh->rate[c] = OAK_MAX(sh->rate[c], speed);
    sh->bad[c] += physics_valid(&t->user.physics, u) ? 0 : 1;
    oak_store(arg->out + cell, OAK_CELLS, u);
  }
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
    OAK_SHARED_STRUCT(flux_shared_t, sh);
    OAK_PRIVATE(real lo[NVAR], LANES);
    OAK_PRIVATE(real ylo[NVAR], LANES);
    OAK_LANE(c, LANES) sh.rate[c] = 0, sh.bad[c] = 0;
#if OAK_DIM == 3
    OAK_PRIVATE(real queue[QLEN][NVAR], LANES);
    OAK_PRIVATE(real zhi[NVAR], LANES);
    OAK_PRIVATE(real zf[2][NFLUX], LANES);
    start_march(&t, queue);
    march(&t, t.begin - 2, 0, queue, zhi, zf);
    OAK_QUEUE_TURN(queue, QLEN, NVAR);
    march(&t, t.begin - 1, 1, queue, zhi, zf);
    OAK_QUEUE_TURN(queue, QLEN, NVAR);
    OAK_QUEUE_TURN(zf, 2, NFLUX);
    if (t.begin == 0) keep_z_fluxes(&t, 4, zf[OAK_QUEUE(2, 0, 0)]);
#endif
#if HALO_ROLES
    halo_cell_t halo = choose_halo_cell(&t);
#endif
    OAK_NO_UNROLL
    for (int k = t.begin; k < t.end; k++) {
#if OAK_DIM == 3
      const int center = OAK_QUEUE(QLEN, k, QPLANE);
#else
      const real *own = tile_plane(&t, k);
#endif
      OAK_LANE2(j, TY, i, TX) {
        real q[NVAR];
#if OAK_DIM == 3
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) q[v] = OAK_MY(queue[center][v], j * TX + i);
#else
        load_primitive(&t.user, own + j * OAK_N + i, OAK_CELLS, q);
#endif
        OAK_UNROLL
        for (int v = 0; v < NVAR; v++) sh.s[v][j + GH][i + GH] = q[v];
      }
#if HALO_ROLES
      load_halo_cell(&t, &halo, &sh);
#else
      load_plane_halo(&t, k, &sh);
#endif
      OAK_BARRIER;
      /* One after the other, a row's fluxes need edges of its own and of rows before it alone. */
      x_end_edges(&sh);
      y_end_edges(&sh);
      OAK_LANE_ROWS(j, TY, TX) {
        x_edges(&sh, j, lo);
        y_edges(&sh, j, ylo);
        OAK_BARRIER;
        x_fluxes(&t.user, &sh, j, lo);
        y_fluxes(&t.user, &sh, j, ylo);
      }
      x_end_fluxes(&t.user, &sh);
      y_end_fluxes(&t.user, &sh);
      OAK_BARRIER;
      keep_xy_fluxes(&t, k, &sh);
#if OAK_DIM == 3
      march(&t, k, 1, queue, zhi, zf);
      update_plane(&t, k, &sh, zf[OAK_QUEUE(2, k, 0)], zf[OAK_QUEUE(2, k, 1)]);
      OAK_QUEUE_TURN(queue, QLEN, NVAR);
      OAK_QUEUE_TURN(zf, 2, NFLUX);
#else
      update_plane(&t, k, &sh, lo, lo);
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
