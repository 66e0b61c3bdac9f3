/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ideal magnetohydrodynamics (MHD) in 2D and 3D, with divergence cleaning by a generalized Lagrange
 * multiplier (GLM): A. Dedner et al., J. Comput. Phys. 175 (2002) 645, "mixed" correction.
 *
 *   d rho/dt     + div (rho u)                              = 0
 *   d (rho u)/dt + div (rho u u + (p + B^2/2) I - B B)      = 0
 *   d E/dt       + div ((e + p + B^2/2) u - (u . B) B + c_h psi B) = 0
 *   d B/dt       + div (u B - B u) + c_h grad psi           = 0
 *   d psi/dt     + c_h div B                                = -(damping c_h / h) psi
 *   e = p / (gamma - 1) + rho u^2 / 2 + B^2 / 2,   E = e + psi^2 / 2
 *
 * Velocity and field have three components in 2D, too. B is in units without 4 pi. psi is Dedner's
 * psi over c_h and has the units of B (D. Derigs et al., J. Comput. Phys. 364 (2018) 420). h is the
 * cell size: waves of psi carry an error of div B away with speed c_h and decay over 1 / damping
 * cells (A. Mignone, P. Tzeferacos, J. Comput. Phys. 229 (2010) 2117). These waves have the energy
 * psi^2 / 2 and carry it with the flux c_h psi B (Derigs et al.). Cleaning therefore moves energy
 * between B and psi and takes none from the gas; the energy of damped waves heats the gas.
 * docs/mhd.md has measurements. */

#ifndef MHD_FACES /* physics/mhd_ct.c, which has no psi, defines it */
#define MHD_FACES 0
TITLE("Ideal MHD")
#define PHYSICS_NVAR 9
VARIABLES("rho mx my mz E bx by bz psi")
PRIMITIVES("rho vx vy vz p bx by bz psi")
#endif
/* Component d of the momentum, and the variables that change sign at a wall normal to axis d: this
 * component and that component of the field, as at a perfect conductor. */
#define PHYSICS_NORMAL(d) (1 + (d))
#define PHYSICS_VECTORS(X) X(MX, MY, MZ) X(BX, BY, BZ)
#define PHYSICS_MIRROR(v, d) ((v) == MX + (d) || (v) == BX + (d))

PARAMETER(gamma, 5.0 / 3.0, "{>1} ratio of specific heats")
PARAMETER(density_floor, 0, "{>=0} least density; 0: none. Floors are not conservative")
PARAMETER(pressure_floor, 0, "{>=0} least pressure; 0: none")
#if !MHD_FACES
PARAMETER(
    cleaning, 1,
    "{>=0; >0 if refined} c_h over the largest speed that the time step allows; 0: no cleaning, "
    "then errors of div B grow without bound where the mesh is refined")
PARAMETER(damping, 0.1, "{>=0} decay of psi while its waves cross a cell")
#endif

/* Conserved and primitive variables. */
enum { RHO, MX, MY, MZ, ENE, BX, BY, BZ, PSI = MHD_FACES ? BZ : BZ + 1 };
enum { VX = 1, VY, VZ, PRS };
#define MHD_PSI(q) (MHD_FACES ? 0 : (q)[PSI])

TO_PRIMITIVE(ph, q) {
  const real inv = oak_inv(q[RHO]);
  real kinetic = 0, field2 = 0;
  OAK_FOR(d, 3) {
    const real v = q[MX + d] * inv;
    kinetic += q[MX + d] * v;
    field2 += q[BX + d] * q[BX + d];
    q[VX + d] = v;
  }
  q[PRS] =
      (real)(ph->gamma - 1) * (q[ENE] - (real)0.5 * (kinetic + field2 + MHD_PSI(q) * MHD_PSI(q)));
}

TO_CONSERVED(ph, u) {
  const real inv_gm1 = (real)(1 / (ph->gamma - 1));
  real speed2 = 0, field2 = 0;
  OAK_FOR(d, 3) {
    speed2 += u[VX + d] * u[VX + d];
    field2 += u[BX + d] * u[BX + d];
    u[MX + d] = u[VX + d] * u[RHO];
  }
  u[ENE] = u[PRS] * inv_gm1 + (real)0.5 * (u[RHO] * speed2 + field2);
  /* The energy of psi is added last, so that compilers compute the other part only once for this
   * function and FLUX, which Riemann solvers call together. */
  u[ENE] += (real)0.5 * (MHD_PSI(u) * MHD_PSI(u));
}

/* ---- waves */

/** Square of the fast magnetosonic speed along `dir`. The root is taken before the division by the
 * density, so that the processor can do both at the same time. */
OAK_FN real mhd_fast2(const physics_parameters_t *ph, const real q[], int dir) {
  const real sound = (real)ph->gamma * q[PRS], normal = q[BX + dir] * q[BX + dir];
  real across = 0;
  OAK_FOR(d, 3) across += d == dir ? 0 : q[BX + d] * q[BX + d];
  /* (a^2 + b^2)^2 - 4 a^2 b_n^2, as a sum of terms that are not negative */
  const real sum = sound + normal, difference = sound - normal;
  const real root2 = difference * difference + across * (2 * sum + across);
  return (real)0.5 * (sum + across + oak_sqrt(OAK_MAX(root2, 0))) * oak_inv(q[RHO]);
}

/** The outer waves of HLLD, eq. 67 of Miyoshi and Kusano. scheme.wave_speeds has no effect. */
WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  const real left = mhd_fast2(ph, ql, dir), right = mhd_fast2(ph, qr, dir);
  const real fast = oak_sqrt(OAK_MAX(left, right));
  *smin = OAK_MIN(ql[VX + dir], qr[VX + dir]) - fast;
  *smax = OAK_MAX(ql[VX + dir], qr[VX + dir]) + fast;
}

#if !MHD_FACES
/* The time step is about cfl / wave_rate. c_h is the largest speed that this step allows in the
 * smallest cells: the sum over axes of c_h / dx is wave_rate. */
GLOBAL_RATE(wave_rate, at, q) {
  double rate = 0;
  OAK_FOR(d, OAK_DIM)
    rate += ((double)oak_abs(q[VX + d]) + (double)oak_sqrt(mhd_fast2(&at->ph, q, d))) / at->dx[d];
  return rate;
}

OAK_FN double mhd_inverse_size(const oak_at_t *at) {
  double sum = 0;
  OAK_FOR(d, OAK_DIM) sum += 1 / at->dx[d];
  return sum;
}

GLOBAL_PLACE(inverse_size, at) { return mhd_inverse_size(at); }

/** The cleaning speed c_h. */
OAK_FN double mhd_cleaning_speed(const physics_parameters_t *ph) {
  return ph->inverse_size > 0 ? ph->cleaning * ph->wave_rate / ph->inverse_size : 0;
}
#else
OAK_FN double mhd_cleaning_speed(const physics_parameters_t *ph) { return (void)ph, 0; }
#endif

/* ---- fluxes */

#if MHD_FACES
/** The normal field of both sides is the field on the face. */
FACE(ph, ql, qr, dir) { ql[BX + dir] = qr[BX + dir] = ph->face.b; }
#else
/** Normal field and psi at a face: the exact solution of their two equations, which do not depend
 * on the others. The Riemann solver then gets the same normal field on both sides. */
FACE(ph, ql, qr, dir) {
  const real sum = ql[BX + dir] + qr[BX + dir], jump = qr[BX + dir] - ql[BX + dir];
  const real psi_sum = ql[PSI] + qr[PSI], psi_jump = qr[PSI] - ql[PSI];
  ql[BX + dir] = qr[BX + dir] = (real)0.5 * (sum - psi_jump);
  ql[PSI] = qr[PSI] = (real)0.5 * (psi_sum - jump);
}

#endif

/** Flux along `dir` of the primitive state q. */
FLUX(ph, q, dir, f) {
  const real inv_gm1 = (real)(1 / (ph->gamma - 1)), ch = (real)mhd_cleaning_speed(ph);
  const real vn = q[VX + dir], bn = q[BX + dir];
  const real mass = q[RHO] * vn;
  real speed2 = 0, field2 = 0, cross = 0;
  OAK_FOR(d, 3) {
    speed2 += q[VX + d] * q[VX + d];
    field2 += q[BX + d] * q[BX + d];
    cross += q[VX + d] * q[BX + d];
  }
  const real total = q[PRS] + (real)0.5 * field2;
  f[RHO] = mass;
  OAK_FOR(d, 3) {
    f[MX + d] = mass * q[VX + d] - bn * q[BX + d] + (d == dir ? total : 0);
    f[BX + d] = d == dir ? ch * MHD_PSI(q) : vn * q[BX + d] - bn * q[VX + d];
  }
  const real energy = q[PRS] * inv_gm1 + (real)0.5 * (q[RHO] * speed2 + field2);
  f[ENE] = vn * (energy + total) + bn * (ch * MHD_PSI(q) - cross);
  if (!MHD_FACES) f[PSI] = ch * bn;
}

#if !MHD_FACES
/** exp(-x) for x >= 0. The error is that of rounding for x up to 1, and 1e-3 beyond. Compilers
 * cannot turn exp() of the C library into SIMD instructions. */
OAK_FN double mhd_decay(double x) {
  const double y = (x < 128 ? x : 128) / 16;
  double power = 1;
  OAK_UNROLL
  for (int n = 9; n > 0; n--) power = 1 + power * y * (1.0 / n);
  OAK_FOR(n, 4) power *= power;
  return 1 / power;
}

/** Damping of psi, exact. E stays as it is: the gas gets the energy that psi loses. */
UPDATE(at, u, dt) {
  const double rate = at->ph.damping * mhd_cleaning_speed(&at->ph) * mhd_inverse_size(at) / OAK_DIM;
  u[PSI] = (real)((double)u[PSI] * mhd_decay(rate * dt));
}
#endif

/* ---- admissible states */

/** Energy of motion, field and psi together, times 2 rho. */
OAK_FN real mhd_other_energy(const real u[]) {
  real m2 = 0, field2 = MHD_PSI(u) * MHD_PSI(u);
  OAK_FOR(d, 3) {
    m2 += u[MX + d] * u[MX + d];
    field2 += u[BX + d] * u[BX + d];
  }
  return m2 + u[RHO] * field2;
}

/** 1 if the conserved state has positive density and pressure; false for NaN. */
VALID(ph, u) {
  return (u[RHO] > 0) & (2 * u[RHO] * u[ENE] - mhd_other_energy(u) > 0) &
         (MHD_PSI(u) - MHD_PSI(u) == 0);
}

/** Raise density and pressure to their floors: first the density, without change of momentum, field
 * and energy, then the energy. Returns 1 if the state has changed. */
FLOOR(ph, u) {
  const real rho = (real)ph->density_floor;
  const real internal = (real)(ph->pressure_floor / (ph->gamma - 1));
  const real rounding = OAK_DIGITS == 7 ? (real)1e-6 : (real)2e-15;
  int changed = 0;
  if (rho > 0 && u[RHO] < rho) {
    u[RHO] = rho;
    changed = 1;
  }
  const real other = oak_div((real)0.5 * mhd_other_energy(u), u[RHO]);
  const real least = other + OAK_MAX(internal, rounding * other);
  if (internal > 0 && u[RHO] > 0 && u[ENE] < least) {
    u[ENE] = least;
    changed = 1;
  }
  return changed;
}

#if MHD_FACES
/* div B of a cell, from the fluxes through its faces. */
OAK_FN double mhd_div(const oak_at_t *at, const real q[]) { return (void)q, oak_at_divergence(at); }

OUTPUT(divb_absolute, at, q) { return mhd_div(at, q); }
#else
/* div B of a cell, from central differences. */
OAK_FN double mhd_div(const oak_at_t *at, const real q[]) {
  double div = 0;
  for (int d = 0; d < OAK_DIM; d++) {
    const int i = d == 0, j = d == 1, k = d == 2;
    const double jump =
        (double)oak_near(at, BX + d, i, j, k) - (double)oak_near(at, BX + d, -i, -j, -k);
    div += 0.5 * jump / at->dx[d];
  }
#if OAK_COORDINATES == OAK_SPHERICAL
  const double angle = at->x[1];
  div += (2 * (double)q[BX] + (double)q[BY] * cos(angle) / sin(angle)) / at->x[0];
#elif OAK_COORDINATES
  div += (double)q[BX] / at->x[0];
#endif
  return (void)q, div;
}
#endif

/** Error of div B: h |div B| / |B|, with h the smallest side of the cell. 0 where there is no
 * field. */
OUTPUT(divb, at, q) {
  double div = mhd_div(at, q), field2 = 0, h = INFINITY;
  for (int d = 0; d < OAK_DIM; d++) h = at->dx[d] < h ? at->dx[d] : h;
  for (int d = 0; d < 3; d++) field2 += (double)q[BX + d] * (double)q[BX + d];
  return field2 > 0 ? h * fabs(div) / sqrt(field2) : 0;
}

#include "physics/mhd_riemann.h"
#include "physics/mhd_diffusion.h"
