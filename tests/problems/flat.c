/* SPDX-License-Identifier: GPL-2.0-or-later
 * Advection of a scalar, of first order with any limiter. A physics. */
#include "physics/advection.c"

FLAT(below, q, above) { return below[RHO] + q[RHO] + above[RHO] > 0; }
