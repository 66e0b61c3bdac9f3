/* SPDX-License-Identifier: GPL-2.0-or-later
 * Conditions at the boundary of the domain. BOUNDARY_CONDITION(name, b) defines a condition for the
 * keys of [boundary]; files of physics and problem may have further ones. It gives the value of one
 * variable of the conserved state in a ghost cell (oak_beyond_t in kernels/language/hooks.h). */
#pragma once

#include "oak/kernel.h"

/* dirichlet: the mean of ghost cell and mirror cell is the value on the face. */
BOUNDARY_CONDITION(dirichlet, b) { return 2 * b->value - b->mirror; }

/* neumann: the outward normal derivative on the face is given. */
BOUNDARY_CONDITION(neumann, b) { return b->mirror + b->spacing * b->value; }

/* mirror: the value of the mirror cell. */
BOUNDARY_CONDITION(mirror, b) { return b->mirror; }

/* antimirror: minus the value of the mirror cell, so that the mean on the face is 0. */
BOUNDARY_CONDITION(antimirror, b) { return -b->mirror; }

/* outflow: the value of the last interior cell. */
BOUNDARY_CONDITION(outflow, b) { return b->nearest; }
