/* SPDX-License-Identifier: GPL-2.0-or-later
 * problems/field_loop.c with a refined strip across the stream. */
#include "problems/field_loop.c"

REGION(at, lower, upper) {
  return upper[0] > 0.01 && lower[0] < 0.24 ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
