/* SPDX-License-Identifier: GPL-2.0-or-later
 * One stage of the scheme for one cell, in the words of docs/numerics.md:
 *
 *   1. cell averages are converted to the primitive variables of the physics (load_row)
 *   2. sources and metric terms are computed from the cell average (start_cell)
 *   3. the limiter reconstructs primitive variables, one at a time, at the faces of the cell and of
 *      its neighbours; behind a wall it reads mirror images in place of the cells; scalars stay in
 *      their bounds; where FLAT says so the average stands at both faces (reconstruct)
 *   4. the Riemann solver computes the flux through a face from the states on both sides; at a wall
 *      one of them is a mirror image (face_flux); at faces beside cells that the stage has left
 *      invalid, the flux is between cell averages (first_order_flux)
 *   5. L(U): net fluxes with metric terms, plus diffusive rates, sources and CELL_TERMS
 *      (start_cell, add_fluxes, new_state)
 *   6. wave speeds at the faces, diffusion and hooks give the rate of the state before the stage,
 *      which bounds the time step (cell_rate)
 *   7. the new state is dt L(U) plus a weighted sum of earlier states; solid cells keep their
 *      state, scalars are kept in bounds, the result is rounded to stored numbers; the physics says
 *      whether it is valid (new_state)
 *
 * s->dt is the step of the stage, beta times the time step. s->prev[0] is the state at the start of
 * the time step, or, if the stage needs no other, the result of the stage before. All OAK_NPREV
 * pointers are valid; states that a stage does not need have the weight 0.
 *
 * Other forms move data in another way (kernels/flux). Their results have the same bits
 * (tests/solver/test_scheme.c). */
#pragma once

#include "kernels/scheme/cell.h"

/* The place (oak_face_index) of the lower (n = 0) or upper face of cell x[] across `dir`. */
OAK_FN int face_of(const int x[3], int dir, int n) {
  return oak_face_index(dir, x[0], x[1], x[2]) + n * OAK_STRIDE(dir);
}

/* Primitive states of a row along `dir`: cell x[] and GH cells on each side. */
OAK_FN void load_row(const oak_field_t *f, const physics_parameters_t *ph, long block,
                     const int x[3], int dir, real row[NVAR][ROW]) {
  for (int n = 0; n < ROW; n++) {
    int y[3] = {x[0], x[1], x[2]}, stride;
    real q[NVAR];
    y[dir] += n - GH;
    const store_t *p = oak_cell(f, block, y[0], y[1], y[2], &stride);
    load_primitive(ph, p, stride, q);
    OAK_FOR(v, NVAR) row[v][n] = q[v];
  }
}

/* Fluxes through the lower and upper face of the cell in the middle of a row of load_row. Bit 0 of
 * `first_order`: the lower face uses cell averages; bit 1: the upper. */
OAK_FN void row_fluxes(const oak_field_t *f, const oak_flux_user_t *user, long block,
                       const int x[3], int dir, real row[NVAR][ROW], int first_order,
                       real flux[2][NFLUX]) {
  real lo[3][NVAR], hi[3][NVAR], mean[2][NVAR]; /* lo, hi: cells below, here, above */
  OAK_FOR(c, 3) reconstruct(&row[0][GH - 1 + c], NULL, dir, 1, ROW, lo[c], hi[c]);
  OAK_FOR(n, 2) {
    AT_FACE(ph, f, user, block, face_of(x, dir, n));
    OAK_FOR(v, NVAR) mean[0][v] = row[v][GH - 1 + n], mean[1][v] = row[v][GH + n];
    if (first_order >> n & 1)
      first_order_flux(ph, mean[0], mean[1], dir, flux[n]);
    else
      face_flux(ph, hi[n], lo[n + 1], dir, flux[n]);
  }
}

/* One stage for cell x[]: its new state u[], the fluxes flux[] through its faces, and the rate that
 * bounds the time step; returns 1 if the state is valid. `first_order` has two bits for each axis,
 * as in row_fluxes. */
OAK_FN int reference_cell(const oak_flux_args_t *s, const oak_flux_user_t *user, long block,
                          const int x[3], int first_order, real flux[OAK_DIM][2][NFLUX],
                          sum_t u[NVAR], real *rate) {
  const oak_field_t *f = &s->f;
  cell_t c = {block, {x[0], x[1], x[2]}};
  sum_t inv_dx[3];
  load_primitive(&user->physics, f->u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]),
                 OAK_CELLS, c.q);
  inverse_sizes(f, block, inv_dx);
  start_cell(f, user, &c);
  OAK_FOR(dir, OAK_DIM) {
    real row[NVAR][ROW];
    load_row(f, &user->physics, block, x, dir, row);
    row_fluxes(f, user, block, x, dir, row, first_order >> 2 * dir & 3, flux[dir]);
    add_fluxes(&user->physics, &c, dir, inv_dx[dir], flux[dir][0], flux[dir][1]);
  }
  keep_shares(s, &user->physics, &c, OAK_CURL ? closed_faces(f, block) : 0);
  *rate = cell_rate(s, user, &c, inv_dx);
  return new_state(s, &user->physics, &c, earlier_states(s, &c),
                   oak_cell_number(f, block, x[0], x[1], x[2]), u);
}
