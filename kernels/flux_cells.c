/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux kernel as loops over cells: the same step as kernels/flux.c, for programming models in
 * which the lanes of a block cannot hand values to each other in fast memory (OpenACC). A lane
 * walks along the last axis, over MARCH cells of a column: fluxes across that axis are computed
 * once per cell, since the walk remembers the state above the last face; those across the other
 * axes are computed by the cells on both sides of a face. */
#if OAK_CELL_LOOPS

/* Cells of a walk: more is less work, less is more lanes. 1: no walk, all fluxes twice. */
#ifndef OAK_CELL_MARCH
#define OAK_CELL_MARCH 1
#endif
#define AXIS (OAK_DIM - 1)
/* A tile of xy planes (3D), or of a plane (2D): columns, and cells along each. */
#define COLUMNS (OAK_DIM == 3 ? TX * TY : TX)
#define HEIGHT (OAK_DIM == 3 ? OAK_N : TY)
#define MARCH (HEIGHT % OAK_CELL_MARCH ? HEIGHT : OAK_CELL_MARCH)
#define WALKS (HEIGHT / MARCH)

/* Add what the fluxes through both faces of cell x[] across axis `dir` give, and the larger of
 * their wave speeds. A loop of two turns: unrolled it takes half as many registers more, that is
 * lanes. */
OAK_FN void cross_fluxes(const oak_flux_args_t *arg, const oak_user_t *user, long block,
                         const int x[3], int dir, real inv_dx, real rate[NVAR], real *speed) {
  real window[NVAR][WINDOW], hi[NVAR], flux[NFLUX], sum[NVAR], fastest = 0;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) sum[v] = 0;
  start_walk(&arg->f, user, block, x, dir, x[dir] - 1, window, hi);
  OAK_NO_UNROLL
  for (int n = 0; n < 2; n++) {
    walk(&arg->f, user, block, x, dir, x[dir] + n, window, hi, flux);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) sum[v] = n ? sum[v] - flux[v] : flux[v];
    fastest = OAK_MAX(flux[NVAR], fastest);
    keep_cell_flux(arg, block, 2 * dir + n, x, flux);
  }
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) rate[v] += sum[v] * inv_dx;
  *speed += fastest * inv_dx;
}

/* The new state of cell x[] from its rates of change. Returns 1 if it is invalid. */
OAK_FN int update_cell(const oak_flux_args_t *arg, const oak_user_t *user, long block,
                       const int x[3], const real q[NVAR], real rate[NVAR]) {
  real u[NVAR];
  stage_result(arg, user, block, x, q, rate, u);
  oak_store(arg->out + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]), OAK_CELLS, u);
  return !physics_valid(&user->physics, u);
}

/* All cells of a walk that starts at cell x[]. Returns the fastest wave speed / dx, summed over
 * axes, and adds to the count of invalid cells. */
OAK_FN real walk_column(const oak_flux_args_t *arg, const oak_user_t *user, long block, int x[3],
                        const real inv_dx[3], int *invalid) {
  const oak_field_t *f = &arg->f;
  const int first = x[AXIS];
  real window[NVAR][WINDOW], hi[NVAR], flux[2][NFLUX], fastest = 0;
  start_walk(f, user, block, x, AXIS, first - 1, window, hi);
  walk(f, user, block, x, AXIS, first, window, hi, flux[0]);
  keep_cell_flux(arg, block, 2 * AXIS, x, flux[0]);
  OAK_NO_UNROLL
  for (int m = 0; m < MARCH; m++) {
    real rate[NVAR], q[NVAR], speed = 0;
    x[AXIS] = first + m;
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) rate[v] = 0, q[v] = window[v][RAD];
    OAK_UNROLL
    for (int dir = 0; dir < AXIS; dir++)
      cross_fluxes(arg, user, block, x, dir, inv_dx[dir], rate, &speed);
    walk(f, user, block, x, AXIS, first + m + 1, window, hi, flux[1]);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) rate[v] += (flux[0][v] - flux[1][v]) * inv_dx[AXIS];
    speed += OAK_MAX(flux[0][NVAR], flux[1][NVAR]) * inv_dx[AXIS];
    fastest = OAK_MAX(speed, fastest); /* not NaN */
    *invalid += update_cell(arg, user, block, x, q, rate);
    if (m == MARCH - 1) keep_cell_flux(arg, block, 2 * AXIS + 1, x, flux[1]);
    OAK_UNROLL
    for (int v = 0; v < NFLUX; v++) flux[0][v] = flux[1][v];
  }
  return fastest;
}

/* The same for a cell by itself. */
OAK_FN real one_cell(const oak_flux_args_t *arg, const oak_user_t *user, long block, const int x[3],
                     const real inv_dx[3], int *invalid) {
  real rate[NVAR], q[NVAR], speed = 0;
  const real *p = arg->f.u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) rate[v] = 0;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++)
    cross_fluxes(arg, user, block, x, dir, inv_dx[dir], rate, &speed);
  load_primitive(user, p, OAK_CELLS, q);
  *invalid += update_cell(arg, user, block, x, q, rate);
  return OAK_MAX(speed, 0);
}

/* A gang per tile or part of one, a lane per walk. What the tile's cells share is worked out once,
 * in scalars, which compilers hand to the lanes as they are. */
OAK_KERNEL(oak_flux, oak_flux_args_t, 1) {
  OAK_ARGS(oak_flux_args_t);
  OAK_GANGS(m) {
    const int part = (int)(m % arg.parts), tile = (int)(m / arg.parts % TILES);
    const long block = m / arg.parts / TILES;
    const int x0 = tile % TILES_X * TX, y0 = tile / TILES_X * TY;
    const int begin = part * WALKS / arg.parts, end = (part + 1) * WALKS / arg.parts;
    const int level = arg.f.block[block].level;
    const oak_user_t user = oak_user(&arg.f);
    const real inv_x = (real)oak_inv_dx(&arg.f, level, 0);
    const real inv_y = (real)oak_inv_dx(&arg.f, level, 1);
    const real inv_z = OAK_DIM == 3 ? (real)oak_inv_dx(&arg.f, level, 2) : 0;
    real fastest = 0;
    int invalid = 0;
    OAK_VECTOR(collapse(2) reduction(max : fastest) reduction(+ : invalid))
    for (int s = begin; s < end; s++)
      for (int c = 0; c < COLUMNS; c++) {
        const real inv_dx[3] = {inv_x, inv_y, inv_z};
        int x[3] = {x0 + c % TX, y0 + c / TX, 0};
        x[AXIS] = (OAK_DIM == 3 ? 0 : y0) + s * MARCH;
        const real speed = MARCH == 1 ? one_cell(&arg, &user, block, x, inv_dx, &invalid)
                                      : walk_column(&arg, &user, block, x, inv_dx, &invalid);
        fastest = OAK_MAX(speed, fastest);
      }
    arg.rate[m] = (double)fastest;
    arg.bad[m] = (arg.first ? 0 : arg.bad[m]) + invalid;
  }
}
#endif
