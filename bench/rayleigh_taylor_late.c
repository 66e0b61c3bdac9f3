/* SPDX-License-Identifier: GPL-2.0-or-later
 * The Rayleigh-Taylor problem without level LATE_FINEST before time LATE_FROM: this makes it 16
 * times cheaper to reach a late part of a run. `adaptive.py --from TIME`. */
#include "problems/rayleigh_taylor.c"

REGION(at, lower, upper) {
  return at->t < LATE_FROM && at->level >= LATE_FINEST - 1 ? OAK_REGION_NEVER : OAK_REGION_FREE;
}
