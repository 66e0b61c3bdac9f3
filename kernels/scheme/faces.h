/* SPDX-License-Identifier: GPL-2.0-or-later
 * The flux through a face from the states of cells: the limiter reconstructs the primitive
 * variables, one at a time, with mirror images in place of cells behind the wall of a solid; the
 * Riemann solver computes the flux from the states on both sides. */
#pragma once

#include "kernels/geometry/solids.h"
#include "kernels/hooks/user.h"
#include "numerics/riemann.h"

/* RAD: number of cells that the limiter reads on each side. The values at the faces of a cell need
 * STENCIL cells, and the fluxes through its faces need ROW cells, GH of them on each side. */
enum { RAD = OAK_RADIUS, GH = RAD + 1, STENCIL = 2 * RAD + 1, ROW = 2 * GH + 1 };
OAK_REQUIRE(GH <= OAK_NG, "fewer ghost layers than the limiter reads");

/* PHYSICS_SIDES: number of values that the hook FACE_SIDES computes for each side of a face. The
 * hook may also change the flux. From these values, CELL_TERMS adds up rates of change of the cell
 * times its size along the axis; add_fluxes divides by the size. */
/* NFLUX: the length of a flux: the fluxes of all variables, the wave speed, the values on the left
 * and on the right side of the face; with FACE_VECTOR the part of the lower cell in the fields on
 * edges. */
enum {
  LEFT_SIDE = NVAR + 1,
  RIGHT_SIDE = LEFT_SIDE + PHYSICS_SIDES,
  LOWER_PART = RIGHT_SIDE + PHYSICS_SIDES,
  NFLUX = LOWER_PART + OAK_CURL
};

/* The values of variable v at the lower and upper face of the cell in the middle of a row along
 * axis `dir`. mask[]: the mask of the cells. Mirror images replace the cells of row[] behind a
 * wall. */
OAK_FN void reconstruct_variable(int v, int dir, const real mask[STENCIL], real row[STENCIL],
                                 real *lo, real *hi) {
  const real *s = row + RAD;
#if OAK_CURL /* the value is the one stored on the face */
  if (v == OAK_FACE_VECTOR + dir) {
    *lo = *hi = s[0];
    return;
  }
#endif
  if (NSOLID) oak_mirror_row(v, dir, mask, row);
  oak_reconstruct(s, lo, hi);
  if (NSOLID && v == SOLID_VAR) *lo = *hi = s[0];
  if (OAK_SCALAR_VALUES && v >= PHYSICS_NVAR && v < PHYSICS_NVAR + NSCALARS) {
    *lo = oak_bounded_scalar(s[0], *lo);
    *hi = oak_bounded_scalar(s[0], *hi);
  }
}

/* Flatten the states lo[] and hi[] of a cell at its faces where the hook FLAT says so: both become
 * its average, which is first order. */
OAK_FN void flatten(real row[NVAR][STENCIL], real lo[], real hi[]) {
#if OAK_HAS_physics_flat && OAK_RADIUS > 0
  real near[3][NVAR];
  OAK_FOR(n, 3) {
    OAK_FOR(v, NVAR) near[n][v] = row[v][RAD - 1 + n];
  }
  const int flat = physics_flat(near[0], near[1], near[2]);
  OAK_FOR(v, NVAR) lo[v] = flat ? near[1][v] : lo[v], hi[v] = flat ? near[1][v] : hi[v];
#else
  (void)row, (void)lo, (void)hi;
#endif
}

/* The states lo[] and hi[] of a cell at its lower and upper face across axis `dir`. `cell` points
 * to its first variable, `step` leads to the next cell along the axis, `stride` to the next
 * variable. `own`: the variables of the cell in registers, or NULL. */
OAK_FN void reconstruct(const real *cell, const real *own, int dir, int step, int stride, real lo[],
                        real hi[]) {
  real mask[STENCIL], row[NVAR][STENCIL];
  OAK_FOR(n, STENCIL) mask[n] = cell[SOLID_VAR * stride + (n - RAD) * step];
  OAK_FOR(v, NVAR) {
    OAK_FOR(n, STENCIL) row[v][n] = own && n == RAD ? own[v] : cell[v * stride + (n - RAD) * step];
    reconstruct_variable(v, dir, mask, row[v], &lo[v], &hi[v]);
  }
  flatten(row, lo, hi);
}

/* Variable v of the states that reconstruct() sets, without FLAT. */
OAK_FN void reconstruct_one(const real *cell, int v, int dir, int step, int stride, real *lo,
                            real *hi) {
  real mask[STENCIL], row[STENCIL];
  OAK_FOR(n, STENCIL) {
    mask[n] = cell[SOLID_VAR * stride + (n - RAD) * step];
    row[n] = cell[v * stride + (n - RAD) * step];
  }
  reconstruct_variable(v, dir, mask, row, lo, hi);
}

/* The part of the lower cell: 1 if mass flows upwards, 0 if it flows downwards. Below a 512th of
 * the speed of waves it varies linearly with the mean velocity, so rounding errors of the flux do
 * not turn it. */
OAK_FN void find_lower_part(const real left[], const real right[], real f[]) {
#if OAK_CURL
  const real mass = f[NVAR] * (left[PHYSICS_MASS] + right[PHYSICS_MASS]);
  const real flow = (real)512 * f[PHYSICS_MASS] * oak_inv(mass > 0 ? mass : 1);
  f[LOWER_PART] = (real)0.5 + OAK_MIN(OAK_MAX(flow, (real)-0.5), (real)0.5);
#else
  (void)left, (void)right, (void)f;
#endif
}

/* The flux f[] through a face normal to axis `dir` between two states. At a wall one of them is the
 * gas state and the other its mirror image; between two solid cells the wave speed is 0. Fixed
 * variables have no flux. */
OAK_FN void face_flux(const physics_parameters_t *ph, const real left[], const real right[],
                      int dir, real f[]) {
  real ql[NVAR], qr[NVAR];
  OAK_FOR(v, NVAR) ql[v] = left[v], qr[v] = right[v];
  const int open = oak_wall_states(dir, ql, qr);
  const real fastest = oak_riemann(ph, ql, qr, dir, f);
  f[NVAR] = open ? fastest : 0;
#if OAK_HAS_physics_collect
  for (int v = 0; v < NVAR; v++) f[v] = open ? f[v] : 0;
#endif
  if (NSOLID) f[SOLID_VAR] = 0;
  if (PHYSICS_SIDES) {
    const oak_face_states_t n = oak_face_states(ph, ql, qr, dir);
    physics_face_sides(ph, ql, qr, n.l, n.r, dir, f, f + LEFT_SIDE, f + RIGHT_SIDE);
    (void)n;
  }
#define OAK_NO_FLUX(variable, name) f[variable] = 0;
  OAK_FIXED(OAK_NO_FLUX)
  find_lower_part(left, right, f);
}

/* The flux of Rusanov, with the scalars; returns the wave speed. */
OAK_FN real rusanov_flux(const physics_parameters_t *ph, const real ql[], const real qr[], int dir,
                         real f[]) {
  const oak_face_states_t q = oak_face_states(ph, ql, qr, dir);
  const real speed = riemann_rusanov(ph, q.l, q.r, dir, f);
  oak_scalar_fluxes(ql, qr, f);
  return speed;
}

/* The first-order flux, between cell averages, around cells that a stage leaves invalid: the flux
 * of Rusanov keeps density and pressure positive (numerics/riemann.h). In runs with solids,
 * FACE_SIDES or fixed variables the solver of the run is used, because face_flux makes mirror
 * images, values of sides and fluxes of 0. */
OAK_FN void first_order_flux(const physics_parameters_t *ph, const real left[], const real right[],
                             int dir, real f[]) {
  if (PHYSICS_SIDES || NSOLID || 0 OAK_FIXED(OAK_COUNT_ONE))
    face_flux(ph, left, right, dir, f);
  else
    f[NVAR] = rusanov_flux(ph, left, right, dir, f);
  find_lower_part(left, right, f);
}
