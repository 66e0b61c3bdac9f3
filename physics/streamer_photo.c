/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of physics/streamer.c with photoionisation: molecules of nitrogen that electrons
 * excite emit light, and this light ionises oxygen elsewhere. Light is emitted in proportion to
 *
 *   I = xi pq / (p + pq) alpha mu |E| ne,
 *
 * and the sources of electrons and ions have photo1 + photo2 + photo3 more, where
 *
 *   div grad photo_j - (lambda_j pO2)^2 photo_j = -c_j pO2^2 I.
 *
 * Each solution is I convolved with c_j pO2^2 exp(-lambda_j pO2 r) / (4 pi r). The three terms are
 * the fit of A. Bourdon et al., Plasma Sources Sci. Technol. 16 (2007) 656, to the model of M. B.
 * Zheleznyak et al., High Temp. 20 (1982) 357. docs/discharges.md is the manual. */

#define physics_title streamer_title
#define physics_source streamer_source
#include "physics/streamer.c"
#undef physics_source
#undef physics_title

/* c in 1/(m Pa)^2 and lambda in 1/(m Pa) of each term; streamer_photo_luque.c has others. */
#ifndef PHOTO_TERMS
#define PHOTO_TITLE "streamer discharge with photoionisation"
#define PHOTO_TERMS 3
#define PHOTO_EFFICIENCY 0.075
#define PHOTO_C1 1.117315e-4
#define PHOTO_C2 2.8692375e-3
#define PHOTO_C3 0.2748842
#define PHOTO_LAMBDA1 0.0414785
#define PHOTO_LAMBDA2 0.1095095
#define PHOTO_LAMBDA3 0.6675565
#endif

TITLE(PHOTO_TITLE)

PARAMETER(photo_efficiency, PHOTO_EFFICIENCY,
          "{>=0} xi: photons that ionise, per ionisation, without quenching")
PARAMETER(oxygen_fraction, 0.2, "{>=0; <=1} share of oxygen in the pressure of the gas")
PARAMETER(quenching_pressure, 4e3, "{>0} pressure pq at which half of the molecules emit, in Pa")

FIELD_STORED(photo1)
FIELD_STORED(photo2)
#if PHOTO_TERMS == 3
FIELD_STORED(photo3)
#endif

/* The pressure p in Pa of the fit: that of the density of the gas at 300 K. */
OAK_FN double photo_pressure(const oak_at_t *at) { return at->ph.gas_density * 1.380649e-23 * 300; }
OAK_FN double photo_oxygen(const oak_at_t *at) {
  return at->ph.oxygen_fraction * photo_pressure(at);
}

/* The source c pO2^2 I, with c in 1/(m Pa)^2. */
OAK_FN double light(const oak_at_t *at, const real q[], double c) {
  const double E = (double)FIELD_SIZE(at->f), oxygen = photo_oxygen(at);
  const double emitted = at->ph.photo_efficiency * at->ph.quenching_pressure /
                         (photo_pressure(at) + at->ph.quenching_pressure);
  return c * oxygen * oxygen * emitted * (double)alpha_of(&at->ph, (real)E) *
         (double)mu_of(&at->ph, (real)E) * E * (double)q[NE];
}

/* The absorption (lambda pO2)^2, with lambda in 1/(m Pa). */
OAK_FN double absorption(const oak_at_t *at, double lambda) {
  return lambda * lambda * photo_oxygen(at) * photo_oxygen(at);
}

POISSON_OF(photo1, at, q) { return -light(at, q, PHOTO_C1); }
POISSON_OF(photo2, at, q) { return -light(at, q, PHOTO_C2); }

POISSON_B_OF(photo1, at) { return absorption(at, PHOTO_LAMBDA1); }
POISSON_B_OF(photo2, at) { return absorption(at, PHOTO_LAMBDA2); }

#if PHOTO_TERMS == 3
POISSON_OF(photo3, at, q) { return -light(at, q, PHOTO_C3); }
POISSON_B_OF(photo3, at) { return absorption(at, PHOTO_LAMBDA3); }
#endif

/* Photoionisation. Far from the light, solutions may be below 0 by the tolerance of the solver. */
OAK_FN real photoionization(const oak_at_t *at) {
#if PHOTO_TERMS == 3
  return OAK_MAX(at->f.photo1 + at->f.photo2 + at->f.photo3, 0);
#else
  return OAK_MAX(at->f.photo1 + at->f.photo2, 0);
#endif
}

SOURCE(at, q, source) {
  streamer_source(at, q, source);
  source[NE] += photoionization(at);
  source[NI] += photoionization(at);
}

OUTPUT(photoionization, at, q) { return (double)photoionization(at); }
