/* SPDX-License-Identifier: GPL-2.0-or-later
 * problems/mhd_wave.c with a refined strip in the middle of the domain. */
#include "problems/mhd_wave.c"

REFINE(at) { return fabs(at->x[0] - 1.118) < 0.3; }
