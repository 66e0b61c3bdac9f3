/* SPDX-License-Identifier: GPL-2.0-or-later
 * Maxwell's equations in a medium at rest: dD/dt = curl B, dB/dt = -curl E, D = eps E, with B on
 * faces. */

TITLE("Maxwell's equations")
#define PHYSICS_NVAR 7
VARIABLES("eps dx dy dz bx by bz")
PRIMITIVES("eps ex ey ez bx by bz")
#define PHYSICS_NORMAL(d) (-1)
#define PHYSICS_VECTORS(X) X(EX, EY, EZ) X(BX, BY, BZ)

enum { EPS, EX, EY, EZ, BX, BY, BZ };

FACE_VECTOR(b, BX)

TO_PRIMITIVE(ph, q) {
  OAK_FOR(d, 3) q[EX + d] = oak_div(q[EX + d], q[EPS]);
}

TO_CONSERVED(ph, u) {
  OAK_FOR(d, 3) u[EX + d] *= u[EPS];
}

FACE(ph, ql, qr, dir) { ql[BX + dir] = qr[BX + dir] = ph->face.b; }

FLUX(ph, q, dir, f) {
  const int b = (dir + 1) % 3, c = (dir + 2) % 3;
  f[EPS] = f[EX + dir] = f[BX + dir] = 0;
  f[EX + b] = q[BX + c];
  f[EX + c] = -q[BX + b];
  f[BX + b] = -q[EX + c];
  f[BX + c] = q[EX + b];
}

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) {
  *smax = oak_div(1, oak_sqrt(OAK_MIN(ql[EPS], qr[EPS])));
  *smin = -*smax;
}

VALID(ph, u) {
  real sum = 0;
  OAK_FOR(v, PHYSICS_NVAR) sum += u[v] - u[v];
  return (u[EPS] > 0) & (sum == 0);
}

OUTPUT(div_b, at, q) { return oak_at_divergence(at); }
