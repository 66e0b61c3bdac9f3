/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compressible Navier-Stokes equations of an ideal gas in 2D and 3D: the equations of
 * physics/euler.c with the fluxes of viscosity and heat conduction,
 *
 *   d/dt (rho, rho u, E) + div (Euler) = div (0, tau, tau . u + kappa grad T)
 *   tau = eta (grad u + (grad u)^T - 2/3 (div u) I),   eta = mu + rho nu,   T = p / rho.
 *
 * In 2D nothing moves or changes along z. In (r, z) and (r, theta) the gas may turn around the
 * axis: vz is its velocity along phi. */

#if OAK_COORDINATES == OAK_AXISYMMETRIC || (OAK_COORDINATES == OAK_SPHERICAL && OAK_DIM == 2)
#define PHYSICS_VELOCITIES 3
#endif

#define physics_title euler_title
#include "physics/euler.c"
#undef physics_title

TITLE("Navier-Stokes gas dynamics")

PARAMETER(nu, 0, "{>=0} kinematic viscosity, where it is the same everywhere")
PARAMETER(mu, 0, "{>=0} dynamic viscosity, where it is the same everywhere; mu and rho nu add up")
PARAMETER(conductivity, 0, "{>=0} heat conductivity kappa, for the temperature p / rho")
PARAMETER(prandtl, 0, "{>=0} Prandtl number: adds gamma/(gamma-1) viscosity / prandtl; 0: nothing")

PARAMETER(wall_temperature, 0, "{>=0} temperature p / rho of solids; 0: no heat goes through walls")

OAK_FN real navier_stokes_viscosity(const physics_parameters_t *ph, const real q[]) {
  return (real)ph->mu + (real)ph->nu * q[RHO];
}

OAK_FN real navier_stokes_conductivity(const physics_parameters_t *ph, real viscosity) {
  const double ratio = ph->gamma / (ph->gamma - 1);
  return (real)ph->conductivity + (real)(ph->prandtl > 0 ? ratio / ph->prandtl : 0) * viscosity;
}

DIFFUSIVE_FLUX(at, dir, q, grad, f) {
  const real viscosity = navier_stokes_viscosity(&at->ph, q);
  const real kappa = navier_stokes_conductivity(&at->ph, viscosity);
  const real inv = oak_inv(q[RHO]);
  real divergence = 0;
  OAK_FOR(d, PHYSICS_VELOCITIES) divergence += grad[d][VX + d];
  OAK_FOR(d, PHYSICS_VELOCITIES) {
    const real shear = grad[d][VX + dir] + grad[dir][VX + d];
    const real tau = viscosity * (d == dir ? shear - (real)(2.0 / 3) * divergence : shear);
    f[MX + d] -= tau;
    f[ENE] -= tau * q[VX + d];
  }
  f[ENE] -= kappa * inv * (grad[dir][PRS] - q[PRS] * inv * grad[dir][RHO]);
}

/* Diffusivity: compression has 4/3 of the viscosity of shear. */
DIFFUSIVITY(at, q) {
  const real viscosity = navier_stokes_viscosity(&at->ph, q);
  const real kappa = navier_stokes_conductivity(&at->ph, viscosity);
  const real momentum = (real)(4.0 / 3) * viscosity, heat = (real)(at->ph.gamma - 1) * kappa;
  return (double)(OAK_MAX(momentum, heat) / q[RHO]);
}

/* The mirror image: its temperature is as far below that of the wall as the temperature of the gas
 * is above it. The pressure is the same on both sides. */
WALL(ph, q) {
  const real wall = (real)ph->wall_temperature, least = (real)0.01 * wall;
  const real beyond = 2 * wall - oak_div(q[PRS], q[RHO]);
  q[RHO] = wall > 0 ? oak_div(q[PRS], wall > 0 ? OAK_MAX(beyond, least) : 1) : q[RHO];
}
