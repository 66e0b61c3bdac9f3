/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electrodes and dielectrics whose potential is known. Physics: advection. */

TITLE("potential around bodies")

PARAMETER(radius, 0.25, "of a ball or cylinder at the centre, with the potential 1")
PARAMETER(centre, 0.5, "of all coordinates but r")
PARAMETER(charge, 0, "per area, on a slab of permittivity 5 below the height 0.25")

FIELD_STORED(phi)
#if OAK_COORDINATES
FIELD_STORED(phi_z)
#else
FIELD_STORED(phi_y)
#endif

POISSON(at, q) { return at->p.charge == 0 ? 0 : -(double)q[0]; }

OAK_FN double exact(const oak_at_t *at) {
  double square = 0;
  for (int d = 0; d < OAK_DIM; d++) {
    const double x = at->x[d] - (OAK_COORDINATES && d == 0 ? 0 : at->p.centre);
    square += x * x;
  }
  const double over = sqrt(square) / at->p.radius;
  return OAK_COORDINATES || OAK_DIM == 3 ? 1 / over : 1 - log(over);
}

POISSON_BOUNDARY(at, face) { return at->p.charge == 0 ? exact(at) : face == 3; }

/* The charge of the slab is in its highest cells. */
INITIAL(at, q) {
  const double depth = 0.25 - at->x[1];
  q[0] = depth > 0 && depth < at->dx[1] ? at->p.charge / at->dx[1] : 0;
}

OUTPUT(difference, at, q) { return (double)at->f.phi - exact(at); }
