/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of physics/streamer.c with a potential that foresees the current of the electrons
 * during the step, div ((1 + dt e mu ne / epsilon0) grad phi) = -e (ni - ne) / epsilon0 (P. L. G.
 * Ventzek et al., J. Vac. Sci. Technol. B 12 (1994) 3118). The step may then be longer than the
 * relaxation time of the charge. First order in time. */

#define physics_title streamer_title
#include "physics/streamer.c"
#undef physics_title

TITLE("streamer discharge, semi-implicit potential")

POISSON_COEFFICIENTS(at, q, a, b) { *a = 1 + at->dt * relaxation_rate(at, q); }
