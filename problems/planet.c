/* SPDX-License-Identifier: GPL-2.0-or-later
 * A planet in a disk of gas around a star, in polar coordinates: the planet raises two spiral waves
 * and opens a gap (M. de Val-Borro et al., Mon. Not. R. Astron. Soc. 370 (2006) 529). The mass of
 * the star, the radius of the planet's orbit and G are 1, so one orbit takes 2 pi. The star is the
 * origin: the pull of the planet on it acts on the gas too.
 *
 * The disk begins with the density r^(-1/2). Its rotation balances gravity and pressure, so without
 * a planet nothing changes. The mass of the planet grows during the first part of its first orbit.
 *
 * Physics: isothermal, whose speed of sound is the thickness of the disk over its radius at r = 1;
 * boundaries along r: user. */

TITLE("Planet in a disk of gas")

PARAMETER(mass, 1e-3, "{>=0} mass of the planet, in masses of the star")
PARAMETER(softening, 0.03, "{>0} radius within which its gravity is weaker")
PARAMETER(growth, 3, "{>0} time in which its mass grows")

INITIAL(at, q) {
  const double r = at->x[0], sound = at->ph.sound;
  q[RHO] = 1 / sqrt(r);
  q[VY] = sqrt(1 / r - 0.5 * sound * sound);
}

/* The disk outside of the domain is as at the start. */
BOUNDARY(at, face, q) {
  const double r = at->x[0], sound = at->ph.sound;
  q[RHO] = 1 / sqrt(r);
  q[VX] = 0;
  q[VY] = sqrt(1 / r - 0.5 * sound * sound);
}

SOURCE(at, q, source) {
  const double grown = OAK_MIN(at->t / at->p.growth, 1), phase = sin(0.5 * M_PI * grown);
  const double mass = at->p.mass * phase * phase, soft = at->p.softening;
  const double r = at->x[0], cosine = cos(at->x[1] - at->t), sine = sin(at->x[1] - at->t);
  const double square = r * r + 1 - 2 * r * cosine + soft * soft;
  const double pull = mass / (square * sqrt(square));
  source[MX] -= q[RHO] * (real)(1 / (r * r) + pull * (r - cosine) + mass * cosine);
  source[MY] -= q[RHO] * (real)((pull - mass) * sine);
}
