/* SPDX-License-Identifier: GPL-2.0-or-later
 * Viscosity and heat conduction of both kinds of MHD, isotropic and along the field, resistivity
 * and ambipolar diffusion: with the unit vector b of the field, T = p / rho and the current J =
 * curl B
 *
 *   tau = nu rho (grad u + (grad u)^T - 2/3 (div u) I)
 *         + 3 nu_parallel rho (b b - I/3) (b b - I/3) : grad u      (S. I. Braginskii, 1965)
 *   heat flux = -conductivity grad T - b conductivity_parallel b . grad T
 *   E = resistivity J + ambipolar / rho B x (J x B)
 *
 * The last term of the heat flux is at most 5 saturation rho T^(3/2), the saturated flux of L. L.
 * Cowie, C. F. McKee, Astrophys. J. 211 (1977) 135. Without a field there is no b, and the terms
 * along it are isotropic. */
#pragma once

PARAMETER(nu, 0, "{>=0; diffusive} kinematic viscosity")
PARAMETER(nu_parallel, 0, "{>=0; diffusive} kinematic viscosity along the field (Braginskii)")
PARAMETER(conductivity, 0, "{>=0; diffusive} heat conductivity, for the temperature p / rho")
PARAMETER(conductivity_parallel, 0, "{>=0; diffusive} heat conductivity along the field")
PARAMETER(
    saturation, 0,
    "{>=0} bounds the heat flux along the field by 5 saturation p (p / rho)^(1/2); 0: no bound")

PARAMETER(resistivity, 0, "{>=0; resistive} electric field over current")
PARAMETER(ambipolar, 0, "{>=0; resistive} ambipolar diffusion: resistivity across B over B^2 / rho")

TEMPERATURE(ph, q) { return oak_div(q[PRS], q[RHO]); }

/** Conduction of heat along axis `dir`; b[]: unit vector of the field, 0 without a field. */
OAK_FN real mhd_parallel_heat(const physics_parameters_t *ph, int dir, const real q[],
                              const real b[3], const real slope[3]) {
  const real kappa = (real)ph->conductivity_parallel, saturation = (real)ph->saturation;
  real along = 0, slope2 = 0, field2 = 0;
  OAK_FOR(d, 3) {
    along += b[d] * slope[d];
    slope2 += slope[d] * slope[d];
    field2 += b[d] * b[d];
  }
  const int free = !(field2 > 0);
  const real size = kappa * (free ? oak_sqrt(slope2) : oak_abs(along));
  const real most = 5 * saturation * q[PRS] * oak_sqrt(oak_div(q[PRS], q[RHO]));
  const real part = saturation > 0 ? oak_div(most, most + size) : 1;
  return -part * kappa * (free ? slope[dir] : b[dir] * along);
}

/** Ohm's law; Hall's term would be one more term here. */
ELECTRIC_FIELD(at, q, j, e) {
  const real drift = (real)at->ph.ambipolar * oak_inv(q[RHO]);
  real field2 = 0, along = 0;
  OAK_FOR(d, 3) {
    field2 += q[BX + d] * q[BX + d];
    along += q[BX + d] * j[d];
  }
  OAK_FOR(d, 3)
    e[d] += ((real)at->ph.resistivity + drift * field2) * j[d] - drift * along * q[BX + d];
}

/** The fluxes of the electric field: of B the field itself, of the energy E x B. Components of B on
 * faces have no flux here. */
OAK_FN void mhd_electric_flux(const oak_at_t *at, int dir, const real q[],
                              real grad[][OAK_GRADIENTS], real f[]) {
  const int b = (dir + 1) % 3, c = (dir + 2) % 3;
  real j[3], e[3] = {0, 0, 0};
  OAK_FOR(d, 3) j[d] = grad[(d + 1) % 3][BX + (d + 2) % 3] - grad[(d + 2) % 3][BX + (d + 1) % 3];
  physics_electric_field(at, q, j, e);
  f[BX + b] -= e[c];
  f[BX + c] += e[b];
  f[ENE] += e[b] * q[BX + c] - e[c] * q[BX + b];
}

DIFFUSIVE_FLUX(at, dir, q, grad, f) {
  const real nu = (real)at->ph.nu * q[RHO], nu_parallel = (real)at->ph.nu_parallel * q[RHO];
  real field2 = 0, divergence = 0, stretching = 0, b[3], slope[3];
  OAK_FOR(d, 3) field2 += q[BX + d] * q[BX + d];
  const int free = !(field2 > 0);
  const real inverse = oak_div(1, oak_sqrt(free ? 1 : field2));
  OAK_FOR(d, 3) {
    b[d] = q[BX + d] * inverse;
    slope[d] = grad[d][OAK_TEMPERATURE];
    divergence += grad[d][VX + d];
  }
  OAK_FOR(d, 3) {
    OAK_FOR(e, 3) stretching += b[d] * b[e] * grad[d][VX + e];
  }
  const real third = (real)(1.0 / 3), rest = 3 * stretching - divergence;
  OAK_FOR(d, 3) {
    const real shear =
        grad[d][VX + dir] + grad[dir][VX + d] - (d == dir ? 2 * third * divergence : 0);
    const real along = (b[dir] * b[d] - (d == dir ? third : 0)) * rest;
    const real tau = nu * shear + nu_parallel * (free ? shear : along);
    f[MX + d] -= tau;
    f[ENE] -= tau * q[VX + d];
  }
  f[ENE] += mhd_parallel_heat(&at->ph, dir, q, b, slope) - (real)at->ph.conductivity * slope[dir];
#if OAK_HAS_physics_electric_field
  mhd_electric_flux(at, dir, q, grad, f);
#endif
}

/* Diffusivity: compression has 4/3 of the viscosity of shear, also along the field. */
DIFFUSIVITY(at, q) {
  const double momentum = 4.0 / 3 * (at->ph.nu + at->ph.nu_parallel);
  const double kappa = at->ph.conductivity + at->ph.conductivity_parallel;
  const double heat = (at->ph.gamma - 1) * kappa / (double)q[RHO];
  double field2 = 0;
  OAK_FOR(d, 3) field2 += (double)(q[BX + d] * q[BX + d]);
  const double field = at->ph.resistivity + at->ph.ambipolar * field2 / (double)q[RHO];
  return OAK_MAX(OAK_MAX(momentum, heat), field);
}
