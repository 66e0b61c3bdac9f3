/* SPDX-License-Identifier: GPL-2.0-or-later
 * div(a grad phi) - b phi = f with a made-up solution on the unit square or cube,
 *
 *   phi = cos(t) X(x) Y(y),  X = sin(x + 0.3),  Y = cos(pi y / 2)
 *
 * Known are phi at the lower x face, its slope at the upper one, slope 0 at y = 0 and phi = 0 at
 * y = 1; z is periodic. Physics: advection at rest. */
TITLE("made-up potential")
PARAMETER(jump, 0.5, "a = 1 + jump x y")
PARAMETER(decay, 1, "b = decay (1 + x)")
PARAMETER(mistake, 0, "a = 0 in a corner from this time on; 0: never")

FIELD_STORED(phi)
FIELD_STORED(phi_x)
FIELD_STORED(phi_y)

OAK_FN double exact(const oak_at_t *at) {
  return cos(at->t) * sin(at->x[0] + 0.3) * cos(M_PI / 2 * at->x[1]);
}

OAK_FN double slope(const oak_at_t *at, int d) {
  const double x = at->x[0] + 0.3, y = M_PI / 2 * at->x[1];
  return cos(at->t) * (d ? -M_PI / 2 * sin(x) * sin(y) : cos(x) * cos(y));
}

INITIAL(at, q) { q[RHO] = 1; }

POISSON(at, q) {
  const double x = at->x[0], y = at->x[1], a = 1 + at->p.jump * x * y;
  return -(a * (1 + M_PI * M_PI / 4) + at->p.decay * (1 + x)) * exact(at) +
         at->p.jump * (y * slope(at, 0) + x * slope(at, 1));
}

POISSON_COEFFICIENTS(at, q, a, b) {
  *a = 1 + at->p.jump * at->x[0] * at->x[1];
  *b = at->p.decay * (1 + at->x[0]);
  if (at->p.mistake > 0 && at->t >= at->p.mistake && at->x[0] + at->x[1] > 1.8) *a = 0;
}

POISSON_BOUNDARY(at, face) { return face == 1 ? slope(at, 0) : exact(at); }

TIMESTEP(at, q) { return 0.125; }
