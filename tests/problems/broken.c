/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: a problem that does not compile. */

TITLE("Mistake")

INITIAL(at, q) { q[RHO] = no_such_name; }
