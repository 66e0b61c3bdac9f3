/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of physics/streamer.c with ions that move, all with the same mobility per
 * charge, and electrons that positive ions free where they reach an electrode (secondary
 * emission). Without reactions.file, ni moves as positive ions do, because it is one density for
 * ions of both signs. */

#define STREAMER_IONS 1
#define physics_title streamer_title
#define physics_face streamer_face
#define physics_flux streamer_flux
#include "physics/streamer.c"
#undef physics_flux
#undef physics_face
#undef physics_title

#ifdef OAK_SPECIES
#define MOVING OAK_SPECIES
#define MOVING_LIST(X) OAK_SPECIES_LIST(X)
#else
#define MOVING 2
#define MOVING_LIST(X) X(0, ne, -1) X(1, ni, 1)
#endif

TITLE("streamer discharge with moving ions")

PARAMETER(ion_mobility, 2e-4, "{>=0} of ions with one charge, in m^2/(V s)")
PARAMETER(
    secondary_emission, 0,
    "{>=0} electrons for each positive ion that reaches a body with surface = absorb, or a face "
    "of the domain whose potential is given")

/* Velocity of ions with the charge 1. */
FACE_FIELD(ion_drift, at) {
  const int closed = at->wall && at->surface == OAK_BODY_REFLECT;
  return closed ? 0 : -at->ph.ion_mobility * at->slope.phi;
}

/* The side of the face on which a body or the end of the domain is: 1 or -1 if it absorbs
 * electrons, 2 or -2 if a key also gives their density outside. Where a key gives the density of
 * ions, boundary conditions alone say what enters. */
FACE_FIELD(body, at) {
  const int emits = at->given && at->ph.secondary_emission > 0;
  int open = 0;
  for (int v = 1; v < MOVING; v++) open |= oak_is_given(at, v);
  if (at->wall) return at->surface == OAK_BODY_ABSORB ? at->wall : 0.5 * at->wall;
  return open ? 0 : at->end * (!emits ? 0.5 : oak_is_given(at, NE) ? 2 : 1);
}

/* Ions enter bodies and leave the domain, and do not come back. Both sides of the face get the
 * density upstream, because Riemann solvers take the upstream side of the electrons. */
FACE(ph, ql, qr, dir) {
  const real body = ph->face.body;
  real arriving = 0;
#define ION_STATES(number, name, charge)                    \
  if ((number) > 0) {                                       \
    const real v = (charge)*ph->face.ion_drift;             \
    const real up = v > 0 ? ql[number] : qr[number];        \
    ql[number] = qr[number] = v * body >= 0 ? up : 0;       \
    arriving += (charge) > 0 ? oak_abs(v) * ql[number] : 0; \
  }
  MOVING_LIST(ION_STATES)
  const real speed = oak_abs(ph->face.drift);
  const real freed = oak_div(ph->secondary_emission * arriving, speed > 0 ? speed : 1);
  ql[NE] = body <= -1 ? freed + (body <= -2 ? ql[NE] : 0) : ql[NE];
  qr[NE] = body >= 1 ? freed + (body >= 2 ? qr[NE] : 0) : qr[NE];
  OAK_UNROLL
  for (int v = MOVING; v < PHYSICS_NVAR; v++) ql[v] = qr[v] = 0;
}

FLUX(ph, q, dir, f) {
  OAK_UNROLL
  for (int v = MOVING; v < PHYSICS_NVAR; v++) f[v] = 0;
#define ION_FLUX(number, name, charge) f[number] = (charge)*ph->face.ion_drift * q[number];
  MOVING_LIST(ION_FLUX)
  f[NE] = ph->face.drift * q[NE];
}
