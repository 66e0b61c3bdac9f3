/* SPDX-License-Identifier: GPL-2.0-or-later
 * The Rayleigh-Taylor problem without level LATE_FINEST before time LATE_FROM: a late piece
 * of a run at a sixteenth of what the way there would cost. `oak bench --adaptive --from TIME`. */
#include "problems/rayleigh_taylor.c"

OAK_FN int late_region(const problem_parameters_t *p, const physics_parameters_t *ph,
                       const double lower[3], const double upper[3], int level, double t) {
  (void)p, (void)ph, (void)lower, (void)upper;
  return t < LATE_FROM && level >= LATE_FINEST - 1 ? OAK_REGION_NEVER : OAK_REGION_FREE;
}
#define PROBLEM_REGION late_region
