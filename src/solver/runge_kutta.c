/* SPDX-License-Identifier: GPL-2.0-or-later
 * The table of Runge-Kutta schemes. To add one, add it here and its name to scheme.integrator. */
#include "solver/runge_kutta.h"

#include <stddef.h>

static const oak_scheme_t schemes[] = {
    {.name = "heun",
     .order = 2,
     .nstage = 2,
     .nstate = 2,
     .result = 0,
     .cfl = 1,
     .stage = {{.deriv = 0, .out = 1, .beta = 1, .c = 0, .nprev = 1, .prev = {0}, .w = {1}},
               {.deriv = 1, .out = 0, .beta = 0.5, .c = 1, .nprev = 2, .prev = {0, 1}, .w = {0.5, 0.5}}}},
    {.name = "euler",
     .order = 1,
     .nstage = 1,
     .nstate = 2,
     .result = 1,
     .cfl = 1,
     .stage = {{.deriv = 0, .out = 1, .beta = 1, .c = 0, .nprev = 1, .prev = {0}, .w = {1}}}},
};

const oak_scheme_t *oak_scheme(int i)
{
  return i >= 0 && (size_t)i < sizeof schemes / sizeof *schemes ? &schemes[i] : NULL;
}

int oak_scheme_max_prev(const oak_scheme_t *scheme)
{
  int most = 0;
  for (int i = 0; i < scheme->nstage; i++)
    if (scheme->stage[i].nprev > most) most = scheme->stage[i].nprev;
  return most;
}
