/* SPDX-License-Identifier: GPL-2.0-or-later
 * Advection of a scalar with uniform velocity (paper, "Scalar advection"):
 *   d rho/dt + div (rho v) = 0
 * Conserved and primitive variable are the same. */

TITLE("scalar advection")
#define PHYSICS_NVAR 1
VARIABLES("rho")
PRIMITIVES("rho")
#define PHYSICS_NORMAL(d) (-1)
#define PHYSICS_VECTORS(X)

PARAMETER(vx, 1.0, "velocity along x")
PARAMETER(vy, 1.0, "velocity along y")
PARAMETER(vz, 1.0, "velocity along z (3D only)")

enum { RHO };
#define RHO RHO /* for #ifdef in problems */

TO_PRIMITIVE(ph, q) {}

TO_CONSERVED(ph, u) {}

OAK_FN real advection_velocity(const physics_parameters_t *ph, int dir) {
  return (real)(dir == 0 ? ph->vx : dir == 1 ? ph->vy : ph->vz);
}

FLUX(ph, q, dir, f) { f[RHO] = advection_velocity(ph, dir) * q[RHO]; }

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real v = advection_velocity(ph, dir);
  *smin = OAK_MIN(v, 0);
  *smax = OAK_MAX(v, 0);
}

VALID(ph, u) { return u[RHO] - u[RHO] == 0; /* false for NaN and infinity */ }
