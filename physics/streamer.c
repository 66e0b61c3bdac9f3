/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electric discharges in a gas: electrons that drift in the field, diffuse and ionise, and ions
 * that do not move,
 *
 *   d ne/dt = div (mu E ne + D grad ne) + S,   d ni/dt = S,   S = (alpha - eta) mu |E| ne
 *   div grad phi = -e (ni - ne) / epsilon0,    E = -grad phi
 *
 * in SI units. ne is the density of electrons, ni the density of positive ions less that of
 * negative ions. mu, D, alpha and eta depend on |E|. On a face |E| is the mean of both cells, and
 * the component of E normal to the face is the difference of phi in the equation of phi.
 * Coefficients without tables are those of B. Bagheri et al., Plasma Sources Sci. Technol. 27
 * (2018) 095002, for dry air at 1 bar and 300 K.
 *
 * With reactions.file the variables are the densities of all species of this file, and S is the sum
 * of its reactions. docs/discharges.md is the manual. */

TITLE("streamer discharge")
/* Variables behind the densities, which do not move: their number, and a blank before each name. */
#ifndef STREAMER_MORE
#define STREAMER_MORE 0
#define STREAMER_MORE_NAMES ""
#define RATE_UNIT(names) "phi_tt: V/s^2; "
FIELD_STORED(phi_tt) /* with phi_t, solutions start from an extrapolation in time */
#endif

/* STREAMER_IONS: 1 if ions move and release electrons from bodies (streamer_ions.c). */
#ifndef STREAMER_IONS
#define STREAMER_IONS 0
#endif

#ifdef OAK_SPECIES
#include "physics/reactions.h"
#define PHYSICS_NVAR (OAK_SPECIES + STREAMER_MORE)
VARIABLES(OAK_SPECIES_NAMES STREAMER_MORE_NAMES)
PRIMITIVES(OAK_SPECIES_NAMES STREAMER_MORE_NAMES)
#else
#define PHYSICS_NVAR (2 + STREAMER_MORE)
VARIABLES("ne ni" STREAMER_MORE_NAMES)
PRIMITIVES("ne ni" STREAMER_MORE_NAMES)
#endif
#define PHYSICS_NORMAL(d) (-1)
#define PHYSICS_VECTORS(X)

#if OAK_COORDINATES
#define FIELD_UNITS "radial_field phi_r phi_z: V/m; " RATE_UNIT("phi_r_t phi_z_t")
#elif OAK_DIM == 3
#define FIELD_UNITS "phi_x phi_y phi_z: V/m; " RATE_UNIT("phi_x_t phi_y_t phi_z_t")
#else
#define FIELD_UNITS "phi_x phi_y: V/m; " RATE_UNIT("phi_x_t phi_y_t")
#endif
UNITS("m^-3; length: m; time: s; phi: V; phi_t: V/s; field: V/m; reduced_field: Td; " FIELD_UNITS
      "ionization_rate: m^-3 s^-1; conductivity: S/m; charge: C/m^3; power: W/m^3; "
      "field_energy: J/m^3")

PARAMETER(gas_density, 2.414e25, "{>0} density N of the gas, for the tables")
PARAMETER(safety, 0.9, "{>0} largest time step over the relaxation time of the charge")
TABLE(mobility, "", "{log} mu N in 1/(m V s) over E/N in Td")
TABLE(diffusion, "", "{log} D N in 1/(m s) over E/N in Td")
TABLE(ionization, "", "{cubic} alpha/N in m^2 over E/N in Td")
TABLE(attachment, "", "eta/N in m^2 over E/N in Td")

#ifdef OAK_SPECIES
PARAMETER(reaction_safety, 0.5, "{>0} largest time step over the shortest life of a species")
enum { NE, NI = OAK_FIRST_POSITIVE }; /* positive ions of seeds, background and light */
#else
enum { NE, NI };
#endif
#define NE NE /* for #ifdef in problems */

#define ELEMENTARY_CHARGE 1.602176634e-19
#define EPSILON0 8.8541878128e-12
#define PHYSICS_EPSILON EPSILON0 /* for the charges of bodies */
#define TOWNSEND 1e-21

/* FIELD_SIZE(f): |E| from the fields of a cell. FIELD_SIZE_NEAR(at, i, j, k): |E| of the cell at
 * this offset. */
FIELD_STORED(phi)
FIELD_STORED(phi_t)
#if OAK_COORDINATES
FIELD_STORED(phi_r)
FIELD_STORED(phi_z)
#define FIELD_SIZE(f) size_of((f).phi_r, (f).phi_z, 0)
#define FIELD_SIZE_NEAR(at, i, j, k) \
  size_of(oak_near_field(at, phi_r, i, j, k), oak_near_field(at, phi_z, i, j, k), 0)
#else
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)
#if OAK_DIM == 3
FIELD_STORED(phi_z)
#define FIELD_SIZE(f) size_of((f).phi_x, (f).phi_y, (f).phi_z)
#define FIELD_SIZE_NEAR(at, i, j, k)                                              \
  size_of(oak_near_field(at, phi_x, i, j, k), oak_near_field(at, phi_y, i, j, k), \
          oak_near_field(at, phi_z, i, j, k))
#else
#define FIELD_SIZE(f) size_of((f).phi_x, (f).phi_y, 0)
#define FIELD_SIZE_NEAR(at, i, j, k) \
  size_of(oak_near_field(at, phi_x, i, j, k), oak_near_field(at, phi_y, i, j, k), 0)
#endif
#endif

OAK_FN real size_of(real x, real y, real z) { return oak_sqrt(x * x + y * y + z * z); }

/* ---- coefficients at the field E in V/m */

OAK_FN real reduced_field(const physics_parameters_t *ph, real E) {
  return E * (real)(1 / (ph->gas_density * TOWNSEND));
}

OAK_FN real mu_of(const physics_parameters_t *ph, real E) {
#if HAS_TABLE(mobility)
  return mobility(reduced_field(ph, E)) * (real)(1 / ph->gas_density);
#elif HAS_TABLE(rate_mobility)
  const real Td = reduced_field(ph, E);
  return OAK_RATE(mobility) * (real)(1 / ph->gas_density);
#else
  (void)ph;
  return (real)(2.3987 * pow((double)OAK_MAX(E, 1), -0.26));
#endif
}

OAK_FN real D_of(const physics_parameters_t *ph, real E) {
#if HAS_TABLE(diffusion)
  return diffusion(reduced_field(ph, E)) * (real)(1 / ph->gas_density);
#elif HAS_TABLE(rate_diffusion)
  const real Td = reduced_field(ph, E);
  return OAK_RATE(diffusion) * (real)(1 / ph->gas_density);
#else
  (void)ph;
  return (real)(4.3628e-3 * pow((double)E, 0.22));
#endif
}

OAK_FN real alpha_of(const physics_parameters_t *ph, real E) {
#ifdef OAK_SPECIES
  const real speed = mu_of(ph, E) * OAK_MAX(E, 1);
  return ionization_frequency(reduced_field(ph, E), (real)ph->gas_density) / speed;
#elif HAS_TABLE(ionization)
  return ionization(reduced_field(ph, E)) * (real)ph->gas_density;
#else
  const double inverse = 1 / (double)OAK_MAX(E, 1e4);
  (void)ph;
  return (real)((1.1944e6 + 4.3666e26 * inverse * inverse * inverse) * exp(-2.73e7 * inverse));
#endif
}

OAK_FN real eta_of(const physics_parameters_t *ph, real E) {
#ifdef OAK_SPECIES
  const real speed = mu_of(ph, E) * OAK_MAX(E, 1);
  return attachment_frequency(reduced_field(ph, E), (real)ph->gas_density) / speed;
#elif HAS_TABLE(attachment)
  return attachment(reduced_field(ph, E)) * (real)ph->gas_density;
#elif HAS_TABLE(ionization)
  return 0;
#else
  (void)ph, (void)E;
  return (real)340.75;
#endif
}

/* ---- equations */

/* The net charge per volume, divided by e. */
OAK_FN double net_charge(const real q[]) {
#ifdef OAK_SPECIES
  return (double)charge_density(q);
#else
  return (double)q[NI] - (double)q[NE];
#endif
}

POISSON(at, q) { return -ELEMENTARY_CHARGE / EPSILON0 * net_charge(q); }

/* |E| on a face: the mean of both cells; at the surface of a body |E| of the gas. */
OAK_FN real size_on_face(const oak_at_face_t *at) {
  const real left = FIELD_SIZE(at->left), right = FIELD_SIZE(at->right);
  return at->wall > 0 ? left : at->wall < 0 ? right : (real)0.5 * (left + right);
}

/* Velocity of the electrons along the axis, and their diffusivity, on a face. */
FACE_FIELD(drift, at) {
  const double v = mu_of(&at->ph, size_on_face(at)) * at->slope.phi;
  const int closed = at->wall && at->surface == OAK_BODY_REFLECT;
  const int leaves = !STREAMER_IONS && at->surface == OAK_BODY_ABSORB && v * at->wall < 0;
  return closed || leaves ? 0 : v;
}

FACE_FIELD(diffusivity, at) { return D_of(&at->ph, size_on_face(at)); }

/* The charge that flows into a body stays there as charge of ions. */
COLLECT(ph, u) {
  u[NI] -= u[NE];
  u[NE] = 0;
}

TO_PRIMITIVE(ph, q) {}

TO_CONSERVED(ph, u) {}

/* Ions have no flux: Riemann solvers add none if both sides are the same. */
FACE(ph, ql, qr, dir) {
  OAK_UNROLL
  for (int v = 1; v < PHYSICS_NVAR; v++) ql[v] = qr[v] = 0;
}

FLUX(ph, q, dir, f) {
  f[NE] = ph->face.drift * q[NE];
  OAK_UNROLL
  for (int v = 1; v < PHYSICS_NVAR; v++) f[v] = 0;
}

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = ph->face.drift; }

DIFFUSIVE_FLUX(at, dir, q, grad, f) { f[NE] -= at->ph.face.diffusivity * grad[dir][NE]; }

DIFFUSIVITY(at, q) { return (double)D_of(&at->ph, FIELD_SIZE(at->f)); }

/* Number of electrons that collisions with the gas make per time. */
OAK_FN real production(const oak_at_t *at, const real q[]) {
  const real E = FIELD_SIZE(at->f);
  return (alpha_of(&at->ph, E) - eta_of(&at->ph, E)) * mu_of(&at->ph, E) * E * q[NE];
}

SOURCE(at, q, source) {
#ifdef OAK_SPECIES
  reaction_rates(reduced_field(&at->ph, FIELD_SIZE(at->f)), (real)at->ph.gas_density, q, source);
#else
  const real made = production(at, q);
  source[NE] += made;
  source[NI] += made;
#endif
}

/* Inverse of the time in which the electrons would screen the field. */
OAK_FN double relaxation_rate(const oak_at_t *at, const real q[]) {
  return ELEMENTARY_CHARGE / EPSILON0 * (double)(mu_of(&at->ph, FIELD_SIZE(at->f)) * q[NE]);
}

TIMESTEP(at, q) {
  const double rate = relaxation_rate(at, q), step = rate > 0 ? at->ph.safety / rate : INFINITY;
#ifdef OAK_SPECIES
  const double loss =
      (double)fastest_loss(reduced_field(&at->ph, FIELD_SIZE(at->f)), (real)at->ph.gas_density, q);
  return loss > 0 ? fmin(step, at->ph.reaction_safety / loss) : step;
#else
  return step;
#endif
}

VALID(ph, u) {
  real zero = 0; /* NaN if a density is not finite */
  OAK_FOR(v, PHYSICS_NVAR) zero += u[v] - u[v];
  return u[NE] >= 0 && zero == 0;
}

/* ---- outputs */

OUTPUT(field, at, q) { return (double)FIELD_SIZE(at->f); }
OUTPUT(reduced_field, at, q) { return (double)reduced_field(&at->ph, FIELD_SIZE(at->f)); }
OUTPUT(ionization_rate, at, q) { return (double)production(at, q); }
OUTPUT(conductivity, at, q) {
  return ELEMENTARY_CHARGE * (double)(mu_of(&at->ph, FIELD_SIZE(at->f)) * q[NE]);
}
OUTPUT(charge, at, q) { return ELEMENTARY_CHARGE * net_charge(q); }
#if OAK_COORDINATES
OUTPUT(radial_field, at, q) { return -(double)at->f.phi_r; }
#endif
/* Power that the electrons get, per volume. */
OUTPUT(power, at, q) {
  const double E = (double)FIELD_SIZE(at->f);
  return ELEMENTARY_CHARGE * (double)(mu_of(&at->ph, (real)E) * q[NE]) * E * E;
}
OUTPUT(field_energy, at, q) {
  const double E = (double)FIELD_SIZE(at->f);
  return 0.5 * EPSILON0 * E * E;
}
