/* SPDX-License-Identifier: GPL-2.0-or-later
 * Riemann solvers for the contact wave of the Euler equations. numerics/riemann.h explains the
 * form. */
#ifndef OAK_EULER_RIEMANN_H
#define OAK_EULER_RIEMANN_H

#include "numerics/riemann_sides.h"

/* HLLC: E. F. Toro, M. Spruce, W. Speares, Shock Waves 4 (1994) 25; Toro, Riemann Solvers (3rd ed.)
 * eq. 10.37-10.39. Between the outer waves, of speeds smin and smax, a contact moves with speed s*.
 *
 * The flux depends on one side alone: the side of the contact on which the face is, or the side
 * from which all waves come. This side is chosen first. With its outer wave S the state beside the
 * contact has the density rho (S - u) / (S - s*), the velocity s* and the pressure p* = p + rho (S
 * - u) (s* - u). With s* = u the same formulas give the state of the side itself. The flux is the
 * velocity times the conserved state, plus p* for the normal momentum and p* s* for the energy.
 *
 * With Einfeldt's wave speeds s* is between smin and smax. With Roe's speeds it may be outside. The
 * outer waves are then compared first, because otherwise a mirror image would get another flux. */
RIEMANN(hllc, ph, ql, qr, dir, f) {
  real smin, smax, q[PHYSICS_NVAR], u[PHYSICS_NVAR];
  physics_wave_speeds(ph, ql, qr, dir, &smin, &smax);
  const real ml = ql[RHO] * (smin - ql[VX + dir]), mr = qr[RHO] * (smax - qr[VX + dir]);
  const real contact = oak_div(qr[PRS] - ql[PRS] + ml * ql[VX + dir] - mr * qr[VX + dir], ml - mr);
#if OAK_WAVE_SPEEDS_EINFELDT
  const real side = contact; /* positive: left side */
#else
  const real side = smin > 0 ? smin : smax < 0 ? smax : contact;
#endif
  OAK_FOR(v, PHYSICS_NVAR) q[v] = u[v] = side > 0 ? ql[v] : qr[v];
  physics_to_conserved(ph, u);
  /* `out` is negative if all waves come from this side. */
  const real s = side > 0 ? smin : smax, out = side > 0 ? -smin : smax;
  const real vn = q[VX + dir], inv = oak_inv(s - contact), mass = side > 0 ? ml : mr;
  const real speed = out < 0 ? vn : contact;
  const real ratio = out < 0 ? 1 : (s - vn) * inv;
  const real pressure = q[PRS] + mass * (speed - vn);
  /* energy added by the wave between the side and the contact */
  const real work = out < 0 ? 0 : (pressure * contact - q[PRS] * vn) * inv;
  const real carried = ratio * speed;
  OAK_FOR(v, PHYSICS_NVAR) f[v] = carried * u[v];
  f[MX + dir] = carried * q[RHO] * speed + pressure;
  f[ENE] = (ratio * u[ENE] + work + pressure) * speed;
  return OAK_MAX(oak_abs(smin), oak_abs(smax));
}

/* Roe's solver: P. L. Roe, J. Comput. Phys. 43 (1981) 357, with the entropy fix of A. Harten and J.
 * M. Hyman, J. Comput. Phys. 50 (1983) 235, on the acoustic waves. Not positive near vacuum. */
OAK_FN real roe_speed(real lambda, real left, real right) {
  const real a = lambda - left, b = right - lambda;
  const real size = oak_abs(lambda);
  /* The larger of |lambda| and the delta of the entropy fix. If |lambda| is larger, the mean of
   * both is |lambda| too. */
  const real most = OAK_MAX(size, OAK_MAX(a, b));
  return (real)0.5 * (oak_div(lambda * lambda, OAK_MAX(most, (real)1e-30)) + most);
}

RIEMANN(roe, ph, ql, qr, dir, f) {
  const real gm1 = (real)(ph->gamma - 1);
  real fl[PHYSICS_NVAR], fr[PHYSICS_NVAR], v[PHYSICS_VELOCITIES], dv[PHYSICS_VELOCITIES];
  physics_flux(ph, ql, dir, fl);
  physics_flux(ph, qr, dir, fr);
  const real ratio = oak_sqrt(oak_div(qr[RHO], ql[RHO]));
  const real wl = oak_inv(1 + ratio), wr = ratio * wl;
  const real rho = ratio * ql[RHO];
  real v2 = 0, el = 0, er = 0, shear = 0;
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    v[d] = wl * ql[VX + d] + wr * qr[VX + d];
    dv[d] = qr[VX + d] - ql[VX + d];
    v2 += v[d] * v[d];
    el += ql[VX + d] * ql[VX + d];
    er += qr[VX + d] * qr[VX + d];
    if (d != dir) shear += v[d] * dv[d];
  }
  const real gamma_gm1 = (real)(ph->gamma / (ph->gamma - 1));
  const real hl = oak_div(gamma_gm1 * ql[PRS], ql[RHO]) + (real)0.5 * el;
  const real hr = oak_div(gamma_gm1 * qr[PRS], qr[RHO]) + (real)0.5 * er;
  const real h = wl * hl + wr * hr;
  const real c2 = gm1 * (h - (real)0.5 * v2), c = oak_sqrt(c2);
  const real cl = oak_sqrt(oak_div((real)ph->gamma * ql[PRS], ql[RHO]));
  const real cr = oak_sqrt(oak_div((real)ph->gamma * qr[PRS], qr[RHO]));
  const real vn = v[dir], dvn = dv[dir], dp = qr[PRS] - ql[PRS], drho = qr[RHO] - ql[RHO];
  const real minus = roe_speed(vn - c, ql[VX + dir] - cl, qr[VX + dir] - cr);
  const real plus = roe_speed(vn + c, ql[VX + dir] + cl, qr[VX + dir] + cr);
  const real middle = oak_abs(vn);
  /* wave strengths times speeds */
  const real a1 = oak_div(minus * (dp - rho * c * dvn), 2 * c2);
  const real a5 = oak_div(plus * (dp + rho * c * dvn), 2 * c2);
  const real a2 = middle * (drho - oak_div(dp, c2));
  const real as = middle * rho;
  f[RHO] = (real)0.5 * (fl[RHO] + fr[RHO] - (a1 + a2 + a5));
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    const real jump =
        d == dir ? a1 * (vn - c) + a5 * (vn + c) + a2 * vn : (a1 + a2 + a5) * v[d] + as * dv[d];
    f[MX + d] = (real)0.5 * (fl[MX + d] + fr[MX + d] - jump);
  }
  f[ENE] = (real)0.5 * (fl[ENE] + fr[ENE] -
                        (a1 * (h - vn * c) + a5 * (h + vn * c) + a2 * (real)0.5 * v2 + as * shear));
  return oak_abs(vn) + OAK_MAX(c, OAK_MAX(cl, cr));
}

#endif
