/* SPDX-License-Identifier: GPL-2.0-or-later
 * A field along z and phi between conductors at r = 1 and 2 in gas too heavy to move. No current
 * flows along the conductors. */

TITLE("Conductors")

/* The field along z, and r times that along phi. */
OAK_FN void conductors_field(double r, double *along_z, double *around) {
  *along_z = 0.5 + 0.2 * cos(M_PI * (r - 1));
  *around = 0.8 + 0.3 * cos(M_PI * (r - 1));
}

VECTOR_POTENTIAL(at, a) {
  const double r = at->x[0], angle = M_PI * (r - 1);
  const int phi = OAK_COORDINATES == OAK_AXISYMMETRIC ? 2 : 1, parts = 64;
  double sum = 0, along_z, around;
  a[phi] = 0.25 * r + 0.2 * (sin(angle) / M_PI + cos(angle) / (M_PI * M_PI * r));
  for (int n = 0; n <= parts; n++) { /* Simpson's rule from 1 to r */
    const double s = 1 + (r - 1) * n / parts;
    conductors_field(s, &along_z, &around);
    sum += (n == 0 || n == parts ? 1 : n % 2 ? 4 : 2) * around / s;
  }
  a[3 - phi] = -sum * (r - 1) / (3 * parts);
}

INITIAL(at, q) {
  const int phi = OAK_COORDINATES == OAK_AXISYMMETRIC ? 2 : 1;
  q[RHO] = 1e10;
  q[PRS] = 10;
  conductors_field(at->x[0], &q[BX + 3 - phi], &q[BX + phi]);
  q[BX + phi] /= at->x[0];
}
