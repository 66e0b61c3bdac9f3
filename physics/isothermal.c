/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gas of constant temperature in 2D and 3D, for gas that radiates faster than it moves.
 *
 *   d rho/dt     + div (rho u)               = 0
 *   d (rho u)/dt + div (rho u u + a^2 rho I) = 0,   a: the speed of sound
 *
 * Conserved variables rho and the momentum density rho u; primitive variables rho and u. Waves move
 * at u - a, u and u + a. This file is a good one to copy: `oak check` tells whether the hooks of a
 * copy fit each other. */

TITLE("Isothermal gas")
#define PHYSICS_NVAR (OAK_DIM + 1)
#if OAK_DIM == 3
VARIABLES("rho mx my mz")
PRIMITIVES("rho vx vy vz")
#else
VARIABLES("rho mx my")
PRIMITIVES("rho vx vy")
#endif
/* The variable that changes sign at a reflecting wall normal to direction d. */
#define PHYSICS_NORMAL(d) (1 + (d))
#define PHYSICS_VECTORS(X) X(MX, MY, OAK_DIM == 3 ? 3 : -1)

PARAMETER(sound, 1, "{>0} speed of sound")
PARAMETER(density_floor, 0, "{>=0} least density; 0: none. Floors are not conservative")

/* Conserved and primitive variables. */
enum { RHO, MX, MY };
enum { VX = 1, VY };
#if OAK_DIM == 3
enum { MZ = 3, VZ = 3 };
#endif
/* Names of variables, for #ifdef in a problem for several physics. */
#define RHO RHO
#define VX VX
#define VY VY
#if OAK_DIM == 3
#define VZ VZ
#endif

TO_PRIMITIVE(ph, q) {
  const real inv = oak_inv(q[RHO]);
  (void)ph;
  OAK_FOR(d, OAK_DIM) q[VX + d] = q[MX + d] * inv;
}

TO_CONSERVED(ph, u) {
  (void)ph;
  OAK_FOR(d, OAK_DIM) u[MX + d] = u[VX + d] * u[RHO];
}

/** Flux along `dir` of the primitive state q. */
FLUX(ph, q, dir, f) {
  const real a2 = (real)(ph->sound * ph->sound);
  const real mass = q[RHO] * q[VX + dir];
  f[RHO] = mass;
  OAK_FOR(d, OAK_DIM) f[MX + d] = mass * q[VX + d] + (d == dir ? a2 * q[RHO] : 0);
}

/** Wave speeds from the Roe average of the velocity and from the velocity of each side, which
 * together make the fan wide enough near vacuum (B. Einfeldt, SIAM J. Numer. Anal. 25 (1988)
 * 294). */
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real a = (real)ph->sound;
  const real ratio = oak_sqrt(oak_div(qr[RHO], ql[RHO]));
  const real wl = oak_inv(1 + ratio), wr = ratio * wl;
  const real mean = wl * ql[VX + dir] + wr * qr[VX + dir];
  *smin = OAK_MIN(mean, ql[VX + dir]) - a;
  *smax = OAK_MAX(mean, qr[VX + dir]) + a;
}

/** 1 if the density is positive and all values are finite; 0 for NaN. */
VALID(ph, u) {
  int valid = (u[RHO] > 0) & (u[RHO] - u[RHO] == 0);
  (void)ph;
  OAK_FOR(d, OAK_DIM) valid &= u[MX + d] - u[MX + d] == 0;
  return valid;
}

/** Raise the density to its floor, without change of the momentum. */
FLOOR(ph, u) {
  const real least = (real)ph->density_floor;
  if (!(least > 0 && u[RHO] < least)) return 0;
  u[RHO] = least;
  return 1;
}

#include "numerics/riemann_sides.h"

/** HLL with a third wave between the outer ones. Density and normal momentum do not jump at this
 * wave, so their fluxes are the fluxes of HLL. The mass carries the tangential velocity (A.
 * Mignone, J. Comput. Phys. 225 (2007) 1427, without a magnetic field). */
RIEMANN(hllc, ph, ql, qr, dir, f) {
  riemann_sides_t s;
  riemann_sides(ph, ql, qr, dir, &s);
  const real smin = OAK_MIN(s.smin, 0), smax = OAK_MAX(s.smax, 0);
  const real inv = oak_inv(smax - smin); /* smax - smin is at least a */
  const real wl = smax * inv, wr = -smin * inv, jump = smin * smax * inv;
  f[RHO] = wl * s.fl[RHO] + wr * s.fr[RHO] + jump * (s.ur[RHO] - s.ul[RHO]);
  OAK_FOR(d, OAK_DIM) {
    const int v = MX + d;
    const real hll = wl * s.fl[v] + wr * s.fr[v] + jump * (s.ur[v] - s.ul[v]);
    const real carried = f[RHO] * (f[RHO] > 0 ? ql[VX + d] : qr[VX + d]);
    f[v] = d == dir ? hll : carried;
  }
  return OAK_MAX(smax, -smin);
}
