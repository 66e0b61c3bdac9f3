/* SPDX-License-Identifier: GPL-2.0-or-later
 * One cell at a time: what kernels/flux.c does for whole tiles, from the row of cells through a
 * cell along each axis. A flux computed from either side of a face is the same. */
#ifndef OAK_CELL_FLUX_H
#define OAK_CELL_FLUX_H

#define ROW (2 * GH + 1) /* cells of a row, the cell itself in the middle */

/* Primitive states of the row along `dir` through cell x[]. */
OAK_FN void load_cell_row(const oak_field_t *f, const oak_user_t *user, long block, const int x[3],
                          int dir, real row[NVAR][ROW]) {
  for (int n = 0; n < ROW; n++) {
    int y[3] = {x[0], x[1], x[2]}, stride;
    real q[NVAR];
    y[dir] += n - GH;
    const real *p = oak_cell(f, block, y[0], y[1], y[2], &stride);
    load_primitive(user, p, stride, q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) row[v][n] = q[v];
  }
}

/* Rusanov's flux with the fastest wave that either state has by itself or both have together.
 * Between cell averages it keeps density and pressure positive where dt * (sum of speed / dx) <= 1:
 * the new state is an average of states that are positive (B. Perthame, C.-W. Shu, Numer. Math. 73
 * (1996) 119). Returns the speed. */
OAK_FN real first_order_flux(const physics_parameters_t *ph, const real ql[], const real qr[],
                             int dir, real f[]) {
  real fr[NVAR], ul[NVAR], ur[NVAR], speed = 0;
  for (int n = 0; n < 3; n++) {
    real smin, smax;
    physics_wave_speeds(ph, n == 1 ? qr : ql, n == 0 ? ql : qr, dir, &smin, &smax);
    speed = OAK_MAX(speed, OAK_MAX(oak_abs(smin), oak_abs(smax)));
  }
  physics_flux(ph, ql, dir, f);
  physics_flux(ph, qr, dir, fr);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) ul[v] = ql[v], ur[v] = qr[v];
  physics_to_conservative(ph, ul);
  physics_to_conservative(ph, ur);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) f[v] = (real)0.5 * (f[v] + fr[v] - speed * (ur[v] - ul[v]));
  return speed;
}

/* Fluxes through the lower and the upper face of the cell in the middle of a row; where bit 0 or 1
 * of `first_order` is set, from cell averages. The last component is the wave speed. */
OAK_FN void cell_fluxes(const oak_user_t *user, real row[NVAR][ROW], int dir, int first_order,
                        real flux[2][NFLUX]) {
  real lo[3][NVAR], hi[3][NVAR], mean[3][NVAR];
  for (int c = 0; c < 3; c++) {
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
      const real *s = &row[v][GH - 1 + c];
      oak_reconstruct(s, &lo[c][v], &hi[c][v]);
      mean[c][v] = s[0];
    }
  }
  for (int n = 0; n < 2; n++) {
    if (first_order >> n & 1)
      flux[n][NVAR] = first_order_flux(&user->physics, mean[n], mean[n + 1], dir, flux[n]);
    else
      flux[n][NVAR] = oak_riemann(&user->physics, hi[n], lo[n + 1], dir, flux[n]);
  }
}

#endif
