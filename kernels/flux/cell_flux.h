/* SPDX-License-Identifier: GPL-2.0-or-later
 * The step of kernels/flux/flux.c for one cell at a time, in place of whole tiles. It uses the row
 * of cells through a cell along each axis. The cells on both sides of a face compute the same flux,
 * bit for bit. */
#ifndef OAK_CELL_FLUX_H
#define OAK_CELL_FLUX_H

#include "kernels/flux/common.h"

#define ROW (2 * GH + 1) /* cells of a row, the cell itself in the middle */

/* Cell n of the row along `dir` through cell x[]: its first variable and the stride to the next. */
OAK_FN const store_t *row_cell(const oak_field_t *f, long block, const int x[3], int dir, int n,
                               int *stride) {
  *stride = OAK_CELLS;
  if (n >= 0 && n < OAK_ALONG(dir))
    return f->u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]) +
           (n - x[dir]) * OAK_STRIDE(dir);
  const oak_side_t s = oak_side(f, block, 2 * dir + (n >= OAK_ALONG(dir)));
  const int layer = n < 0 ? n + OAK_NG : n - OAK_ALONG(dir);
  *stride = s.sv;
  return s.p + layer * s.sn + x[dir == 0 ? 1 : 0] * s.sa +
         (OAK_DIM == 3 ? x[dir == 2 ? 1 : 2] * s.sb : 0);
}

/* Primitive states of the row along `dir` through cell x[]. */
OAK_FN void load_cell_row(const oak_field_t *f, const oak_flux_user_t *user, long block,
                          const int x[3], int dir, real row[NVAR][ROW]) {
  for (int n = 0; n < ROW; n++) {
    int stride;
    real q[NVAR];
    const store_t *p = row_cell(f, block, x, dir, x[dir] + n - GH, &stride);
    load_primitive(&user->physics, p, stride, q);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) row[v][n] = q[v];
  }
}

/* The place of the lower face of cell n of that row (oak_face_index). */
OAK_FN int face_of(const int x[3], int dir, int n) {
  return oak_face_index(dir, x[0], x[1], x[2]) + (n - x[dir]) * OAK_STRIDE(dir);
}

/* The first-order flux is that of Rusanov between cell averages, with the scalars. */
OAK_FN real first_order_flux(const physics_parameters_t *ph, const real ql[], const real qr[],
                             int dir, real f[]) {
#if OAK_HAS_physics_face
  const oak_face_states_t q = oak_face_states(ph, ql, qr, dir);
  const real speed = riemann_rusanov(ph, q.l, q.r, dir, f);
#else
  const real speed = riemann_rusanov(ph, ql, qr, dir, f);
#endif
  oak_scalar_fluxes(ql, qr, f);
  return speed;
}

/* Fluxes through the lower and the upper face of cell x[], which is in the middle of a row. If bit
 * 0 or 1 of `first_order` is set, the flux through the lower or upper face is that between cell
 * averages. The last component is the wave speed. */
OAK_FN void cell_fluxes(const oak_field_t *f, const oak_flux_user_t *user, long block,
                        const int x[3], real row[NVAR][ROW], int dir, int first_order,
                        real flux[2][NFLUX]) {
  real lo[3][NVAR], hi[3][NVAR], mean[3][NVAR];
  OAK_UNROLL
  for (int c = 0; c < 3; c++) {
    NEAR_CELLS(near);
    OAK_UNROLL
    for (int v = 0; v < NVAR; v++) {
#if NSOLID
      real images[2 * RAD + 1];
      for (int n = 0; n < 2 * RAD + 1; n++) images[n] = row[v][GH - 1 + c - RAD + n];
      oak_mirror_row(v, dir, &row[SOLID_VAR][GH - 1 + c - RAD], images);
      const real *s = &images[RAD];
#else
      const real *s = &row[v][GH - 1 + c];
#endif
      reconstruct(v, s, &lo[c][v], &hi[c][v]);
      TAKE_NEAR(near, v, s);
      mean[c][v] = s[0];
    }
    flatten(near, lo[c], hi[c]);
  }
  OAK_UNROLL
  for (int n = 0; n < 2; n++) {
    AT_FACE(ph, f, user, block, face_of(x, dir, x[dir] + n));
    if (first_order >> n & 1)
#if OAK_FACES_DIFFER
      flux[n][NVAR] = face_flux(ph, mean[n], mean[n + 1], dir, flux[n]);
#else
      flux[n][NVAR] = first_order_flux(ph, mean[n], mean[n + 1], dir, flux[n]);
#endif
    else
      flux[n][NVAR] = face_flux(ph, hi[n], lo[n + 1], dir, flux[n]);
  }
}

/* Keep the flux through one face of cell x[] if it is at a refinement boundary. */
OAK_FN void keep_cell_flux(const oak_flux_args_t *s, long block, int face, const int x[3],
                           const real flux[]) {
  const int dir = face / 2;
  if (x[dir] != (face & 1 ? OAK_ALONG(dir) - 1 : 0)) return;
  const int slot = s->f.face[block * OAK_FACES + face].bflux;
  if (slot < 0) return;
  const int a = x[dir == 0 ? 1 : 0], b = dir == 2 ? x[1] : x[2];
  sum_t *p = s->bflux + (long long)slot * NVAR * FACE_ROOM + b * FA(dir) + a;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) p[v * FACE_CELLS(dir)] = flux[v];
}

/* The state u[] of cell x[] after a stage. q[] is its primitive state, rate[] its rate of change by
 * fluxes. */
OAK_FN void stage_result(const oak_flux_args_t *s, const oak_flux_user_t *user, long block,
                         const int x[3], const real q[NVAR], const sum_t rate[NVAR],
                         sum_t u[NVAR]) {
  const long long at = block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
  real source[NVAR];
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) source[v] = 0;
  add_sources(&s->f, user, block, x[0], x[1], x[2], q, source);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
    u[v] = (sum_t)s->dt * (add_diffusion(s, at + v * OAK_CELLS, rate[v]) + source[v]);
    OAK_UNROLL
    for (int p = 0; p < OAK_NPREV; p++) u[v] += (sum_t)s->w[p] * s->prev[p][at + v * OAK_CELLS];
  }
  keep_fields(&user->physics, s->prev[0] + at, u);
  keep_scalars(&user->physics, s->prev[0] + at, u);
  oak_round_result(u, oak_cell_number(&s->f, block, x[0], x[1], x[2]));
}

/* ---- the same by a walk along a row. Few values are in use at a time, so registers suffice for
 * more lanes. */

/* The window of a walk: the cells of a row that the limiter needs, around the one in the middle. */
#define WINDOW (2 * RAD + 1)

/* Cell n of the row along `dir` through x[] enters the window. */
OAK_FN void enter_window(const oak_field_t *f, const oak_flux_user_t *user, long block,
                         const int x[3], int dir, int n, real window[NVAR][WINDOW]) {
  int stride;
  real q[NVAR];
  const store_t *p = row_cell(f, block, x, dir, n, &stride);
  load_primitive(&user->physics, p, stride, q);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
    OAK_UNROLL
    for (int m = 0; m < WINDOW - 1; m++) window[v][m] = window[v][m + 1];
    window[v][WINDOW - 1] = q[v];
  }
}

/* States at the faces of the cell in the middle. */
OAK_FN void reconstruct_window(real window[NVAR][WINDOW], int dir, real lo[NVAR], real hi[NVAR]) {
  NEAR_CELLS(near);
  (void)dir;
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) {
#if NSOLID
    real row[WINDOW];
    OAK_UNROLL
    for (int n = 0; n < WINDOW; n++) row[n] = window[v][n];
    oak_mirror_row(v, dir, window[SOLID_VAR], row);
    const real *s = &row[RAD];
#else
    const real *s = &window[v][RAD];
#endif
    reconstruct(v, s, &lo[v], &hi[v]);
    TAKE_NEAR(near, v, s);
  }
  flatten(near, lo, hi);
}

/* Begin with cell n in the middle of the window; hi[]: its state at the upper face. */
OAK_FN void start_walk(const oak_field_t *f, const oak_flux_user_t *user, long block,
                       const int x[3], int dir, int n, real window[NVAR][WINDOW], real hi[NVAR]) {
  real lo[NVAR];
  OAK_UNROLL
  for (int m = -RAD; m <= RAD; m++) enter_window(f, user, block, x, dir, n + m, window);
  reconstruct_window(window, dir, lo, hi);
}

/* Move on to cell n: flux[], through its lower face, with the wave speed as the last component. */
OAK_FN void walk(const oak_field_t *f, const oak_flux_user_t *user, long block, const int x[3],
                 int dir, int n, real window[NVAR][WINDOW], real hi[NVAR], real flux[NFLUX]) {
  real lo[NVAR], next[NVAR];
  enter_window(f, user, block, x, dir, n + RAD, window);
  reconstruct_window(window, dir, lo, next);
  AT_FACE(ph, f, user, block, face_of(x, dir, n));
  flux[NVAR] = face_flux(ph, hi, lo, dir, flux);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++) hi[v] = next[v];
}

#endif
