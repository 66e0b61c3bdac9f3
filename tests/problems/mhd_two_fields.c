/* SPDX-License-Identifier: GPL-2.0-or-later
 * A uniform field, and a potential that is meant to add to it. */
TITLE("Two fields")

VECTOR_POTENTIAL(at, a) { a[2] = 0.1 * sin(2 * M_PI * at->x[0]); }

INITIAL(at, q) { q[RHO] = q[PRS] = q[BX] = 1; }
