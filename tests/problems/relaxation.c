/* SPDX-License-Identifier: GPL-2.0-or-later
 * An ordinary differential equation in every cell, for the order of time integration:
 *   du/dt = -u^2 cos t,  u(0) = 1/2,  so that u = 1/(2 + sin t).
 * It is not linear and depends on time explicitly, so that all conditions on the coefficients of a
 * scheme count. Physics: advection with zero velocity. */

TITLE("Relaxation")

INITIAL(at, q) { q[RHO] = 0.5; }

SOURCE(at, q, source) { source[RHO] -= (real)cos(at->t) * q[RHO] * q[RHO]; }
