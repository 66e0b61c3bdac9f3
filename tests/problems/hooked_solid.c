/* SPDX-License-Identifier: GPL-2.0-or-later
 * The electrode of electrodes.c by the hooks SOLID and POTENTIAL. Physics: advection. */
#include "electrodes.c"

SOLID(at) { return hypot(at->x[0] - at->p.centre, at->x[1] - at->p.centre) - at->p.radius; }

POTENTIAL(at, body) { return body == body_solid ? 1 : NAN; }
