/* SPDX-License-Identifier: GPL-2.0-or-later
 * All variables are 1. */
INITIAL(at, q) {
  for (int v = 0; v < PHYSICS_NVAR; v++) q[v] = 1;
}
