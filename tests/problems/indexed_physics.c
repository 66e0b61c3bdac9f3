/* SPDX-License-Identifier: GPL-2.0-or-later
 * Advection of two quantities; the flux and the primitive variables go through arrays that are
 * indexed by a number which the compiler does not know. */

TITLE("Two quantities")
#define PHYSICS_NVAR 2
VARIABLES("a b")
PRIMITIVES("twice_a twice_b")
#define PHYSICS_NORMAL(d) (-1)

PARAMETER(pick, 1, "index")

enum { A, B };

TO_PRIMITIVE(ph, q) {
  const real twice[2] = {2 * q[A], 2 * q[B]};
  for (int v = 0; v < 2; v++) q[v] = twice[(v + 1 + (int)ph->pick) & 1];
}

TO_CONSERVED(ph, u) {
  const real half[2] = {u[A] / 2, u[B] / 2};
  for (int v = 0; v < 2; v++) u[v] = half[(v + 1 + (int)ph->pick) & 1];
}

FLUX(ph, q, dir, f) {
  real part[2];
  for (int v = 0; v < 2; v++) part[(v + (int)ph->pick) & 1] = (real)0.25 * (1 + dir) * q[v];
  for (int v = 0; v < 2; v++) f[v] = part[(v + (int)ph->pick) & 1];
}

WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = (real)0.5 * (1 + dir); }

VALID(ph, u) { return u[A] == u[A] && u[B] == u[B]; }
