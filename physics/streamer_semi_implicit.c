/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of physics/streamer.c with a potential that includes the current of the electrons
 * during the step (P. L. G. Ventzek et al., J. Vac. Sci. Technol. B 12 (1994) 3118). The step may
 * then be longer than the relaxation time of the charge. The equation of both stages of Heun's
 * scheme is
 *
 *   div ((1 + g dt e mu ne / epsilon0) grad phi) = -((1 - 2 g) c + 2 g start) / epsilon0,
 *
 * where g = 1 - 1 / sqrt(2), c is the net charge before the stage, and `start` the net charge
 * before the step. For the current along the field this is the scheme IMEX-SSP2(2,2,2) of L.
 * Pareschi, G. Russo, J. Sci. Comput. 25 (2005) 129, of second order; fields that relax fast vanish
 * within a step. */

#define STREAMER_MORE 1
#define STREAMER_MORE_NAMES " start_charge"
#define RATE_UNIT(names) names ": V/(m s); "
#define physics_title streamer_title
#define physics_poisson streamer_poisson
#define physics_timestep streamer_timestep
#include "physics/streamer.c"
#undef physics_poisson
#undef physics_timestep
#undef physics_title

TITLE("streamer discharge, semi-implicit potential")

#define SEMI_IMPLICIT 0.29289321881345247 /* g */

/* The fields phi_r_t and so on are the differences of both stages over the step. The implicit
 * stages have the field at the times g dt and (1 - g) dt of the step. */
PARAMETER(field_change, 0, "{>=0} largest change of the field in a step, in V/m; 0: no limit")
#if OAK_COORDINATES
FIELD_STORED(phi_r_t)
FIELD_STORED(phi_z_t)
#define FIELD_RATE(f) size_of((f).phi_r_t, (f).phi_z_t, 0)
#else
FIELD_STORED(phi_x_t)
FIELD_STORED(phi_y_t)
#if OAK_DIM == 3
FIELD_STORED(phi_z_t)
#define FIELD_RATE(f) size_of((f).phi_x_t, (f).phi_y_t, (f).phi_z_t)
#else
#define FIELD_RATE(f) size_of((f).phi_x_t, (f).phi_y_t, 0)
#endif
#endif

TIMESTEP(at, q) {
  const double step = streamer_timestep(at, q);
  const double rate = (double)FIELD_RATE(at->f) / (1 - 2 * SEMI_IMPLICIT);
  return at->ph.field_change > 0 && rate > 0 ? fmin(step, at->ph.field_change / rate) : step;
}

enum { START = PHYSICS_NVAR - 1 };

/* The right-hand side. In the first step the charge at its start is not stored yet. */
POISSON(at, q) {
  const double share = at->step == 0 ? 0 : 2 * SEMI_IMPLICIT;
  return -ELEMENTARY_CHARGE / EPSILON0 * ((1 - share) * net_charge(q) + share * (double)q[START]);
}

POISSON_COEFFICIENTS(at, q, a, b) { *a = 1 + SEMI_IMPLICIT * at->dt * relaxation_rate(at, q); }

UPDATE(at, u, dt) { u[START] = (real)net_charge(u); }
