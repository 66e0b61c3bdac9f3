/* SPDX-License-Identifier: GPL-2.0-or-later
 * States, fluxes and wave speeds on both sides of a face, for Riemann solvers. This file is
 * included after the functions of the physics. */
#ifndef OAK_RIEMANN_SIDES_H
#define OAK_RIEMANN_SIDES_H

/* A physics may include another one and rename its hooks by macros. This file must not be included
 * while these macros exist, because the functions below would then call the old hooks. */
#if defined physics_flux || defined physics_wave_speeds || defined physics_to_conserved
#error "numerics/riemann_sides.h is included while a hook has another name: include it later"
#endif

/* Number of variables, which kernels/hooks/user.h compares with the final number. */
enum { OAK_NVAR_OF_SIDES = PHYSICS_NVAR };

/* riemann_sides_t: conserved states, fluxes and wave speeds of both sides. */
typedef struct {
  real ul[PHYSICS_NVAR], ur[PHYSICS_NVAR], fl[PHYSICS_NVAR], fr[PHYSICS_NVAR];
  real smin, smax;
} riemann_sides_t;

/* riemann_sides: set both sides from their primitive states, by the hooks of the physics. */
OAK_FN void riemann_sides(const physics_parameters_t *ph, const real ql[], const real qr[], int dir,
                          riemann_sides_t *s) {
  physics_wave_speeds(ph, ql, qr, dir, &s->smin, &s->smax);
  physics_flux(ph, ql, dir, s->fl);
  physics_flux(ph, qr, dir, s->fr);
  OAK_FOR(v, PHYSICS_NVAR) s->ul[v] = ql[v], s->ur[v] = qr[v];
  physics_to_conserved(ph, s->ul);
  physics_to_conserved(ph, s->ur);
}

/** riemann_speed: the largest wave speed of one state, |u| + c. */
OAK_FN real riemann_speed(const physics_parameters_t *ph, const real q[], int dir) {
  real smin, smax;
  physics_wave_speeds(ph, q, q, dir, &smin, &smax);
  return OAK_MAX(oak_abs(smin), oak_abs(smax));
}

#endif
