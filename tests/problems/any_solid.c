/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: the waves of any.c around a body. */
#include "any.c"

SOLID(at) { return (at->x[0] - 1) * (at->x[0] - 1) + (at->x[1] - 0.9) * (at->x[1] - 0.9) - 0.05; }
