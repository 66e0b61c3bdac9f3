/* SPDX-License-Identifier: GPL-2.0-or-later
 * The vortex of Orszag and Tang; outputs are the values on both faces of a cell. */
#include "problems/orszag_tang.c"

OUTPUT(lower, at, q) { return oak_at_cell_face(at, 0, 0); }
OUTPUT(upper, at, q) { return oak_at_cell_face(at, 0, 1); }
