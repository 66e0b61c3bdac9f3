/* SPDX-License-Identifier: GPL-2.0-or-later
 * The force on solids: the momentum that the fluxes of the scheme carry through their walls, cell
 * by cell. Only runs that ask for the force have this kernel. */
#include "kernels/scheme/reference.h"
#if OAK_DIFFUSION
#include "kernels/diffusion/diffusive_flux.h"
#endif

enum { COMPONENTS = 2 * 3 }; /* by the Riemann solver, by DIFFUSIVE_FLUX */

/* Add the momentum that the fluxes `flux` through a face carry into the solid. */
OAK_FN void add_flux(const real flux[], double weight, double force[3]) {
  OAK_FOR(d, OAK_DIM) force[d] += weight * (double)flux[PHYSICS_NORMAL(d)];
}

/* The area of the face below or above (upper 1) cell x[], positive above. In coordinates that are
 * not Cartesian, it is the area in the balance of momentum. */
OAK_FN double signed_area(const oak_field_t *f, long block, const int x[3], int dir, int upper) {
  const oak_areas_t areas = oak_areas(f, block, x[0], x[1]);
  const double volume =
      oak_cell_volume(f, block) * oak_volume_factor(f, block, OAK_INDEX(x[0], x[1], x[2]));
  const double area = volume * oak_inv_dx(f, f->block[block].level, dir) *
                      (double)oak_face_factor(&areas, PHYSICS_NORMAL(OAK_DIM - 1), dir, upper);
  return upper ? area : -area;
}

/* Add the force through the walls of cell x[], which is not solid. p: place of the cell in the copy
 * with ghost cells. */
OAK_FN void add_walls(const oak_field_t *f, const oak_flux_user_t *user, long block, const int x[3],
                      const real *p, double force[COMPONENTS]) {
  for (int dir = 0; dir < OAK_DIM; dir++) {
    real row[NVAR][ROW], flux[2][NFLUX];
    load_row(f, &user->physics, block, x, dir, row);
    for (int n = 0; n < 2; n++) {
      if (!oak_is_solid(row[SOLID_VAR][GH + (n ? 1 : -1)])) continue;
      const double area = signed_area(f, block, x, dir, n);
      row_fluxes(f, user, block, x, dir, row, 0, flux);
      add_flux(flux[n], area, force);
#if OAK_DIFFUSION
      const real inv_dx[3] = {(real)oak_inv_dx(f, f->block[block].level, 0),
                              (real)oak_inv_dx(f, f->block[block].level, 1),
                              OAK_DIM == 3 ? (real)oak_inv_dx(f, f->block[block].level, 2) : 0};
      const oak_user_t all = oak_user(f);
      oak_at_t at = oak_place(f, &all, block, x[0], x[1], x[2]);
      SET_FACE(&at, user, face_of(x, dir, n));
      at.x[dir] = oak_moved(dir, at.x[dir], (n ? 0.5 : -0.5) * oak_dx(f, at.level, dir));
      diffusive_flux(&at, p + n * WIDE_STRIDE(dir), dir, inv_dx, flux[n]);
      add_flux(flux[n], area, force + 3);
#else
      (void)p;
#endif
    }
  }
}

/* Add up the forces of a block, in an order that depends on the block alone. */
OAK_KERNEL(oak_forces, oak_forces_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_forces_args_t);
  OAK_OUTER(n) {
    const oak_flux_user_t user = oak_flux_user(&arg.f);
    const long block = arg.first + n;
    const int *box = arg.box ? arg.box + 6 * block : NULL;
    OAK_SHARED double lane[COMPONENTS][OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) {
      for (int e = 0; e < COMPONENTS; e++) lane[e][i] = 0;
    }
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i, x[3] = {c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY)};
      const real mask = arg.f.u[block * OAK_BLOCK_REALS + SOLID_VAR * OAK_CELLS + c];
      double force[COMPONENTS] = {0};
#if OAK_DIFFUSION
      const real *p = arg.q + n * (long long)NVAR * WIDE_CELLS + WIDE_INDEX(x[0], x[1], x[2]);
#else
      const real *p = NULL;
#endif
      if (oak_is_solid(mask) || (box && !oak_in_box(box, c))) continue;
      add_walls(&arg.f, &user, block, x, p, force);
      for (int e = 0; e < COMPONENTS; e++) lane[e][i] += force[e];
    }
    for (int e = 0; e < COMPONENTS; e++) {
      double result;
      OAK_REDUCE_SUM(result, lane[e], OAK_CHUNK_LANES);
      OAK_SERIAL arg.out[n * COMPONENTS + e] = result;
    }
  }
}
