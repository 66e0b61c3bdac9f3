/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of Runge-Kutta schemes. To add one, add it here and its name to scheme.integrator. */
#include "solver/setup/runge_kutta.h"

#include <math.h>
#include <stddef.h>

/* The smaller weight is 1 minus the larger one, which is exact; 1 - 1.0 / 3 is rounded. */
#define TWO_THIRDS (2.0 / 3)
#define THIRD (1.0 - TWO_THIRDS)

#define HEUN_STAGES                                                                               \
  {                                                                                               \
    {.deriv = 0, .out = 1, .beta = 1, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},                 \
        {.deriv = 1, .out = 0, .beta = 0.5, .c = 1, .nprev = 2, .prev = {0, 1}, .w = {0.5, 0.5}}, \
  }

static const oak_runge_kutta_t schemes[] = {
    /* paper, eq. heun */
    {.name = "heun", .order = 2, .nstage = 2, .nstate = 2, .result = 0, .stage = HEUN_STAGES},
    {.name = "euler",
     .order = 1,
     .nstage = 1,
     .nstate = 2,
     .result = 1,
     .stage = {{.deriv = 0, .out = 1, .beta = 1, .c = 0, .nprev = 1, .prev = {0}, .w = {1}}}},
    {.name = "midpoint",
     .order = 2,
     .nstage = 2,
     .nstate = 2,
     .result = 0,
     .stage = {{.deriv = 0, .out = 1, .beta = 0.5, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 1, .out = 0, .beta = 1, .c = 0.5, .nprev = 1, .prev = {0}, .w = {1}}}},
    /* C.-W. Shu, S. Osher, J. Comput. Phys. 77 (1988) 439; the first is Heun's method */
    {.name = "ssprk22", .order = 2, .nstage = 2, .nstate = 2, .result = 0, .stage = HEUN_STAGES},
    {.name = "ssprk33",
     .order = 3,
     .nstage = 3,
     .nstate = 3,
     .result = 0,
     .stage = {{.deriv = 0, .out = 1, .beta = 1, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 1,
                .out = 2,
                .beta = 0.25,
                .c = 1,
                .nprev = 2,
                .prev = {0, 1},
                .w = {0.75, 0.25}},
               {.deriv = 2,
                .out = 0,
                .beta = TWO_THIRDS,
                .c = 0.5,
                .nprev = 2,
                .prev = {0, 2},
                .w = {THIRD, TWO_THIRDS}}}},
    /* R. J. Spiteri, S. J. Ruuth, SIAM J. Numer. Anal. 40 (2002) 469: stable up to CFL 2 */
    {.name = "ssprk43",
     .order = 3,
     .nstage = 4,
     .nstate = 3,
     .result = 0,
     .stage = {{.deriv = 0, .out = 1, .beta = 0.5, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 1, .out = 2, .beta = 0.5, .c = 0.5, .nprev = 1, .prev = {1}, .w = {1}},
               {.deriv = 2,
                .out = 1,
                .beta = 1.0 / 6,
                .c = 1,
                .nprev = 2,
                .prev = {0, 2},
                .w = {TWO_THIRDS, THIRD}},
               {.deriv = 1, .out = 0, .beta = 0.5, .c = 0.5, .nprev = 1, .prev = {1}, .w = {1}}}},
    /* paper, eq. rk4 */
    {.name = "rk4",
     .order = 4,
     .nstage = 4,
     .nstate = 4,
     .result = 0,
     .stage = {{.deriv = 0, .out = 1, .beta = 0.5, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 1, .out = 2, .beta = 0.5, .c = 0.5, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 2, .out = 3, .beta = 1, .c = 0.5, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 3,
                .out = 0,
                .beta = 1.0 / 6,
                .c = 1,
                .nprev = 4,
                .prev = {0, 1, 2, 3},
                .w = {-THIRD, THIRD, TWO_THIRDS, THIRD}}}},
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
