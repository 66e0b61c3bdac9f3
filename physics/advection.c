/* SPDX-License-Identifier: GPL-2.0-or-later
 * Advection of a scalar with uniform velocity (paper, "Scalar advection"):
 *   d rho/dt + div (rho v) = 0
 * Conserved and primitive variable are the same. */

#define PHYSICS_TITLE "scalar advection"
#define PHYSICS_NVAR 1
#define PHYSICS_VARIABLES "rho"
#define PHYSICS_PRIMITIVES "rho"
#define PHYSICS_NORMAL(d) (-1)

#define ADVECTION_PARAMETERS(P)  \
  P(vx, 1.0, "velocity along x") \
  P(vy, 1.0, "velocity along y") \
  P(vz, 1.0, "velocity along z (3D only)")
OAK_PARAMETERS(physics, ADVECTION_PARAMETERS)
#define PHYSICS_PARAMETERS ADVECTION_PARAMETERS

OAK_FN void physics_to_primitive(const physics_parameters_t *ph, real q[]) { (void)ph, (void)q; }

OAK_FN void physics_to_conservative(const physics_parameters_t *ph, real q[]) { (void)ph, (void)q; }

OAK_FN real advection_velocity(const physics_parameters_t *ph, int dir) {
  return (real)(dir == 0 ? ph->vx : dir == 1 ? ph->vy : ph->vz);
}

OAK_FN void physics_flux(const physics_parameters_t *ph, const real q[], int dir, real f[]) {
  f[0] = advection_velocity(ph, dir) * q[0];
}

OAK_FN void physics_wave_speeds(const physics_parameters_t *ph, const real ql[], const real qr[],
                                int dir, real *smin, real *smax) {
  const real v = advection_velocity(ph, dir);
  (void)ql, (void)qr;
  *smin = OAK_MIN(v, 0);
  *smax = OAK_MAX(v, 0);
}

OAK_FN int physics_valid(const physics_parameters_t *ph, const real u[]) {
  (void)ph;
  return u[0] - u[0] == 0; /* false for NaN and infinity */
}
