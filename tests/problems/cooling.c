/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: gas at rest that loses energy at a constant rate in one corner of the domain, so that
 * its pressure turns negative after a while. */

TITLE("Cooling below zero")

PARAMETER(rate, 10.0, "energy lost per volume and time")

INITIAL(at, q) {
  q[RHO] = 1;
  q[PRS] = 1;
}

SOURCE(at, q, source) {
  if (at->x[0] > 0.75 && at->x[1] > 0.75) source[ENE] -= (real)at->p.rate;
}
