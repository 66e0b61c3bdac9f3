/* SPDX-License-Identifier: GPL-2.0-or-later
 * Any physics: hooks with arrays of their own that are indexed by a number which the compiler does
 * not know. */

TITLE("Arrays indexed at run time")

PARAMETER(pick, 1, "index")

INITIAL(at, q) {
  real wave[4];
  for (int s = 0; s < 4; s++) wave[s] = (real)sin(2 * M_PI * (at->x[0] + (s + 1) * at->x[1]) + s);
  for (int v = 0; v < PHYSICS_NVAR; v++) q[v] = 1 + (real)0.2 * wave[(v + (int)at->p.pick) & 3];
}

SOURCE(at, q, s) {
  real rate[4] = {(real)0.1 * q[0], (real)0.2 * q[0], (real)0.3 * q[0], (real)0.4 * q[0]};
  rate[(int)at->p.pick] += q[0];
  for (int v = 0; v < 4; v++) s[0] += (real)0.01 * rate[v];
}

OUTPUT(picked, at, q) { return q[(int)at->p.pick % PHYSICS_NVAR]; }
