/* SPDX-License-Identifier: GPL-2.0-or-later
 * du/dt = -u times the mean of u, from 1: u = 1 / (1 + t). For physics/advection.c. */
GLOBAL_INTEGRAL(mean, at, q) { return (double)q[RHO]; }

INITIAL(at, q) { q[RHO] = 1; }

SOURCE(at, q, source) { source[RHO] -= (real)at->p.mean * q[RHO]; }
