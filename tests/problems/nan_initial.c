/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: gas at rest, with a pressure that is not a number in one corner of the domain. */

TITLE("Not a number")

INITIAL(at, q) {
  q[RHO] = 1;
  q[PRS] = at->x[0] > 0.9 && at->x[1] > 0.9 ? NAN : 1;
}
