/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compressible Euler equations of an ideal gas in 2D and 3D (paper, "Euler gas dynamics").
 *
 *   d/dt (rho, rho u, E) + div (rho u, rho u u + p I, (E + p) u) = S
 *   E = p / (gamma - 1) + rho |u|^2 / 2,   c = sqrt(gamma p / rho)
 *
 * Conserved variables rho, momentum density m = rho u, total energy density E; primitive variables
 * rho, u, p. Code units throughout.
 *
 * Wave speed estimates: B. Einfeldt, SIAM J. Numer. Anal. 25 (1988) 294. */

TITLE("Euler gas dynamics")
/* The number of variables behind these, for a file that includes this one. */
#ifndef PHYSICS_MORE
#define PHYSICS_MORE 0
#endif
/* The number of components of the velocity. In (r, z) the third component is along phi. */
#ifndef PHYSICS_VELOCITIES
#define PHYSICS_VELOCITIES OAK_DIM
#endif
#define PHYSICS_NVAR (PHYSICS_VELOCITIES + 2 + PHYSICS_MORE)
/* EULER_CHANGED: a file that includes this one may replace hooks (docs/kernels.md). Code that
 * depends on the replaced hooks is then left out. */
#if PHYSICS_MORE || defined physics_flux || defined physics_wave_speeds || \
    defined physics_to_primitive || defined physics_to_conserved
#define EULER_CHANGED 1
#else
#define EULER_CHANGED 0
#endif
#if PHYSICS_VELOCITIES == 3
VARIABLES("rho mx my mz E")
PRIMITIVES("rho vx vy vz p")
#else
VARIABLES("rho mx my E")
PRIMITIVES("rho vx vy p")
#endif
/* The variable that changes sign at a reflecting wall normal to direction d. */
#define PHYSICS_NORMAL(d) (1 + (d))
/* The vectors: their components along the axes; -1: no component. */
#define PHYSICS_VECTORS(X) X(MX, MY, PHYSICS_VELOCITIES == 3 ? 3 : -1)

PARAMETER(gamma, 5.0 / 3.0, "{>1} ratio of specific heats")
PARAMETER(density_floor, 0, "{>=0} least density; 0: none. Floors are not conservative")
PARAMETER(pressure_floor, 0, "{>=0} least pressure; 0: none")

/* Conserved and primitive variables. */
enum { RHO, MX, MY, ENE = PHYSICS_VELOCITIES + 1 };
enum { VX = 1, VY, PRS = PHYSICS_VELOCITIES + 1 };
#if PHYSICS_VELOCITIES == 3
enum { MZ = 3, VZ = 3 };
#endif
/* Names of variables, for #ifdef in a problem for several physics. */
#define RHO RHO
#define VX VX
#define VY VY
#if PHYSICS_VELOCITIES == 3
#define VZ VZ
#endif
#define PRS PRS

TO_PRIMITIVE(ph, q) {
  const real inv = oak_inv(q[RHO]);
  real kinetic = 0;
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    const real v = q[MX + d] * inv;
    kinetic += q[MX + d] * v;
    q[VX + d] = v;
  }
  q[PRS] = (real)(ph->gamma - 1) * (q[ENE] - (real)0.5 * kinetic);
}

TO_CONSERVED(ph, u) {
  const real inv_gm1 = (real)(1 / (ph->gamma - 1));
  real speed2 = 0;
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    speed2 += u[VX + d] * u[VX + d];
    u[MX + d] = u[VX + d] * u[RHO];
  }
  u[ENE] = u[PRS] * inv_gm1 + (real)0.5 * u[RHO] * speed2;
}

/** Flux along `dir` of the primitive state q. */
FLUX(ph, q, dir, f) {
  const real inv_gm1 = (real)(1 / (ph->gamma - 1));
  const real vn = q[VX + dir];
  const real mass = q[RHO] * vn;
  real speed2 = 0;
  f[RHO] = mass;
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    speed2 += q[VX + d] * q[VX + d];
    f[MX + d] = mass * q[VX + d] + (d == dir ? q[PRS] : 0);
  }
  f[ENE] = vn * (q[PRS] * inv_gm1 + q[PRS] + (real)0.5 * q[RHO] * speed2);
}

#if !EULER_CHANGED
/** Whether the flux of variable v has the pressure besides velocity times conserved state. */
#define PHYSICS_HAS_PRESSURE(v, dir) ((v) == MX + (dir) || (v) == ENE)
OAK_FN real physics_pressure(const real q[], int dir, int v) {
  return v == ENE ? q[PRS] * q[VX + dir] : q[PRS];
}
#endif

/** Lowest and highest signal speed at a face between ql and qr, from the Roe average of the
 * velocity and Einfeldt's eta_2 term. OAK_WAVE_SPEEDS_EINFELDT adds the one-sided speeds, which
 * keep the fan wide enough near vacuum. */
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real gamma = (real)ph->gamma;
  const real inv_l = oak_inv(ql[RHO]), inv_r = oak_inv(qr[RHO]);
  const real cl2 = gamma * ql[PRS] * inv_l, cr2 = gamma * qr[PRS] * inv_r;
  const real ratio = oak_sqrt(qr[RHO] * inv_l);
  const real wl = oak_inv(1 + ratio), wr = ratio * wl;
  const real dv = qr[VX + dir] - ql[VX + dir];
  const real mean = wl * ql[VX + dir] + wr * qr[VX + dir];
  const real d = oak_sqrt(wl * cl2 + wr * cr2 + (real)0.5 * wl * wr * dv * dv);
  *smin = mean - d;
  *smax = mean + d;
#if OAK_WAVE_SPEEDS_EINFELDT
  const real left = ql[VX + dir] - oak_sqrt(cl2), right = qr[VX + dir] + oak_sqrt(cr2);
  *smin = OAK_MIN(*smin, left);
  *smax = OAK_MAX(*smax, right);
#endif
}

/** 1 if the conserved state has positive density and pressure; false for NaN. */
VALID(ph, u) {
  real m2 = 0;
  OAK_FOR(d, PHYSICS_VELOCITIES) m2 += u[MX + d] * u[MX + d];
  /* 2 rho e_internal without a division */
  return (u[RHO] > 0) & (2 * u[RHO] * u[ENE] - m2 > 0);
}

/** Raise density and pressure to their floors: first the density, without change of momentum and
 * energy, then the energy (J. M. Stone et al., ApJS 249 (2020) 4, code Athena++). Returns 1 if the
 * conserved state has changed. The internal energy stays so large, compared to the kinetic energy,
 * that it does not vanish by rounding. */
FLOOR(ph, u) {
  const real rho = (real)ph->density_floor;
  const real internal = (real)(ph->pressure_floor / (ph->gamma - 1));
  const real rounding = OAK_DIGITS == 7 ? (real)1e-6 : (real)2e-15;
  int changed = 0;
  real m2 = 0;
  if (rho > 0 && u[RHO] < rho) {
    u[RHO] = rho;
    changed = 1;
  }
  for (int d = 0; d < PHYSICS_VELOCITIES; d++) m2 += u[MX + d] * u[MX + d];
  const real kinetic = oak_div((real)0.5 * m2, u[RHO]);
  const real least = kinetic + OAK_MAX(internal, rounding * kinetic);
  if (internal > 0 && u[RHO] > 0 && u[ENE] < least) {
    u[ENE] = least;
    changed = 1;
  }
  return changed;
}

/* Riemann solvers for exactly these variables, fluxes and wave speeds. */
#if !EULER_CHANGED
#include "physics/euler_riemann.h"
#else
#define EULER_ALONE_hllc 1
#define EULER_ALONE_roe 1
#if OAK_PASTE(EULER_ALONE_, OAK_FLUX)
#error "scheme.flux = hllc and roe know no other variables and fluxes than Euler's: choose hll"
#endif
#endif
