/* SPDX-License-Identifier: GPL-2.0-or-later
 * A torus in the gravity of a point: gas with the same angular momentum 1 everywhere, which its
 * pressure and a field around the axis hold (J. C. B. Papaloizou, J. E. Pringle, Mon. Not. R.
 * Astron. Soc. 208 (1984) 721; the field of S. S. Komissarov, ibid. 368 (2006) 993, in Newton's
 * gravity). Its shear winds up a weak loop of field that crosses the middle, so that the field
 * around the axis grows linearly. Physics: mhd_ct with gamma = 5/3, in (r, z) and (r, theta). */

TITLE("Torus")

PARAMETER(toroidal, 0, "pressure of the field over that of the gas, at the middle of the torus")
PARAMETER(loop, 1e-4, "strength of the loop")

enum { AROUND = BX + 2 };

/* The distances R from the axis and z from the plane of symmetry. */
OAK_FN void torus_place(const oak_at_t *at, double *R, double *z) {
  const int spherical = OAK_COORDINATES == OAK_SPHERICAL;
  *R = at->x[0] * (spherical ? sin(at->x[1]) : 1);
  *z = spherical ? at->x[0] * cos(at->x[1]) : at->x[1];
}

OAK_FN double torus_loop(double R, double z) {
  return OAK_MAX(1 - ((R - 1) * (R - 1) + z * z) / 0.09, 0);
}

OAK_FN void torus_state(const oak_at_t *at, double q[]) {
  double R, z;
  torus_place(at, &R, &z);
  const double field = 0.4 * at->p.toroidal * pow(R, 4.0 / 3), near = torus_loop(R, z);
  const double enthalpy = 0.3 + 1 / sqrt(R * R + z * z) - 0.5 / (R * R);
  q[RHO] = pow(enthalpy / (1 + 2.5 * field), 1.5);
  q[PRS] = 0.4 * pow(q[RHO], 5.0 / 3);
  q[VX + 2] = 1 / R;
  q[AROUND] = sqrt(2 * field * pow(q[RHO], 5.0 / 3)) -
              12 * at->p.loop * near * near * z / (0.09 * R * R * R) * at->t;
}

VECTOR_POTENTIAL(at, a) {
  double R, z;
  torus_place(at, &R, &z);
  a[2] = at->p.loop * pow(torus_loop(R, z), 3) / R;
}

INITIAL(at, q) { torus_state(at, q); }
BOUNDARY(at, face, q) { torus_state(at, q); }

SOURCE(at, q, source) {
  double R, z;
  torus_place(at, &R, &z);
  const double r = sqrt(R * R + z * z), pull = 1 / (r * r * r);
  const int spherical = OAK_COORDINATES == OAK_SPHERICAL;
  const real along[2] = {(real)((spherical ? r : R) * pull), (real)(spherical ? 0 : z * pull)};
  OAK_FOR(d, 2) {
    source[MX + d] -= q[RHO] * along[d];
    source[ENE] -= q[RHO] * q[VX + d] * along[d];
  }
}

REGION(at, lower, upper) { return lower[0] + 1e-9 < 1 ? OAK_REGION_REFINE : OAK_REGION_NEVER; }
