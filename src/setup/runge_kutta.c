/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of Runge-Kutta schemes. To add one, add it here and its name to scheme.integrator. */
#include "setup/runge_kutta.h"

#include <math.h>
#include <stddef.h>

/* The smaller weight is 1 minus the larger one, which is exact; 1 - 1.0 / 3 is rounded. */
#define TWO_THIRDS (2.0 / 3)
#define THIRD (1.0 - TWO_THIRDS)

#define SCHEME(name, order, nstage, nstate, result, ...) \
  {                                                      \
    name, order, nstage, nstate, result, { __VA_ARGS__ } \
  }
/* Of each stage: deriv, out, beta, c, nprev, prev, w. */
static const oak_runge_kutta_t schemes[] = {
    SCHEME("heun", 2, 2, 2, 0, {0, 1, 1, 0, 1, {0}, {1}},
           {1, 0, 0.5, 1, 2, {0, 1}, {0.5, 0.5}}), /* paper, eq. heun */
    SCHEME("euler", 1, 1, 2, 1, {0, 1, 1, 0, 1, {0}, {1}}),
    SCHEME("midpoint", 2, 2, 2, 0, {0, 1, 0.5, 0, 1, {0}, {1}}, {1, 0, 1, 0.5, 1, {0}, {1}}),
    /* C.-W. Shu, S. Osher, J. Comput. Phys. 77 (1988) 439; the first is Heun's method */
    SCHEME("ssprk22", 2, 2, 2, 0, {0, 1, 1, 0, 1, {0}, {1}}, {1, 0, 0.5, 1, 2, {0, 1}, {0.5, 0.5}}),
    SCHEME("ssprk33", 3, 3, 3, 0, {0, 1, 1, 0, 1, {0}, {1}},
           {1, 2, 0.25, 1, 2, {0, 1}, {0.75, 0.25}},
           {2, 0, TWO_THIRDS, 0.5, 2, {0, 2}, {THIRD, TWO_THIRDS}}),
    /* R. J. Spiteri, S. J. Ruuth, SIAM J. Numer. Anal. 40 (2002) 469: stable up to CFL 2 */
    SCHEME("ssprk43", 3, 4, 3, 0, {0, 1, 0.5, 0, 1, {0}, {1}}, {1, 2, 0.5, 0.5, 1, {1}, {1}},
           {2, 1, 1.0 / 6, 1, 2, {0, 2}, {TWO_THIRDS, THIRD}}, {1, 0, 0.5, 0.5, 1, {1}, {1}}),
    /* paper, eq. rk4 */
    SCHEME("rk4", 4, 4, 4, 0, {0, 1, 0.5, 0, 1, {0}, {1}}, {1, 2, 0.5, 0.5, 1, {0}, {1}},
           {2, 3, 1, 0.5, 1, {0}, {1}},
           {3, 0, 1.0 / 6, 1, 4, {0, 1, 2, 3}, {-THIRD, THIRD, TWO_THIRDS, THIRD}}),
};

const oak_runge_kutta_t *oak_runge_kutta(int i) {
  return i >= 0 && (size_t)i < sizeof schemes / sizeof *schemes ? &schemes[i] : NULL;
}

void oak_stage_weights(const oak_stage_t *stage, int single, double w[OAK_MAX_PREV]) {
  int smallest = 0;
  double others = 0;
  for (int p = 0; p < OAK_MAX_PREV; p++) w[p] = p < stage->nprev ? stage->w[p] : 0;
  if (!single) return;
  for (int p = 0; p < stage->nprev; p++) {
    w[p] = (float)w[p];
    if (fabs(w[p]) < fabs(w[smallest])) smallest = p;
  }
  for (int p = 0; p < stage->nprev; p++) others += p == smallest ? 0 : w[p];
  w[smallest] = 1 - others;
}

int oak_runge_kutta_max_prev(const oak_runge_kutta_t *scheme) {
  int most = 0;
  for (int i = 0; i < scheme->nstage; i++)
    if (scheme->stage[i].nprev > most) most = scheme->stage[i].nprev;
  return most;
}
