/* SPDX-License-Identifier: GPL-2.0-or-later
 * problems/mhd_wave.c in 3D, with 8 of 16 parts of the domain refined, as in a test of Athena++. */
#include "problems/mhd_wave.c"

REFINE(at) {
  const int i = (int)(at->x[0] / 0.75), j = (int)(at->x[1] / 0.75), k = (int)(at->x[2] / 0.75);
  return i == 2 || (i == 0 && j == k) || (i == 1 && j != k);
}
