/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fluxes through a face from the states on both sides, for any physics. OAK_FLUX names the one
 * chosen for the run; riemann_NAME(ph, ql, qr, dir, f) fills f[0..NVAR) and returns the largest
 * wave speed, which sets the time step. */
#ifndef OAK_RIEMANN_H
#define OAK_RIEMANN_H

/* A. Harten, P. Lax, B. van Leer, SIAM Rev. 25 (1983) 35. Written without branches: clamping the
 * speeds at zero turns the formula into the one-sided fluxes for supersonic faces. */
OAK_FN real riemann_hll(const physics_parameters_t *ph, const real ql[], const real qr[], int dir,
                        real f[])
{
  real smin, smax, fl[PHYSICS_NVAR], fr[PHYSICS_NVAR], ul[PHYSICS_NVAR], ur[PHYSICS_NVAR];
  physics_wave_speeds(ph, ql, qr, dir, &smin, &smax);
  physics_flux(ph, ql, dir, fl);
  physics_flux(ph, qr, dir, fr);
  OAK_UNROLL
  for (int v = 0; v < PHYSICS_NVAR; v++) ul[v] = ql[v], ur[v] = qr[v];
  physics_to_conservative(ph, ul);
  physics_to_conservative(ph, ur);
  smin = OAK_MIN(smin, 0);
  smax = OAK_MAX(smax, 0);
  const real width = smax - smin;
  /* Nothing moves: both speeds are zero, so are the fluxes' differences. */
  const real inv = 1 / (width > 0 ? width : 1);
  const real wl = width > 0 ? smax * inv : (real)0.5, wr = width > 0 ? -smin * inv : (real)0.5;
  const real jump = smin * smax * inv;
  OAK_UNROLL
  for (int v = 0; v < PHYSICS_NVAR; v++) f[v] = wl * fl[v] + wr * fr[v] + jump * (ur[v] - ul[v]);
  return OAK_MAX(smax, -smin);
}

OAK_FN real oak_riemann(const physics_parameters_t *ph, const real ql[], const real qr[], int dir,
                        real f[])
{
  return OAK_CAT(riemann_, OAK_FLUX)(ph, ql, qr, dir, f);
}

#endif
