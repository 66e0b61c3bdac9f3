/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: the step of the scheme `euler` by kernels/scheme/reference.h, which is compared with
 * the flux kernel. */
#include "kernels/scheme/reference.h"
#include "reference.h"

OAK_KERNEL(reference, reference_args_t, 64) {
  OAK_ARGS(reference_args_t);
  OAK_OUTER(n) {
    OAK_SERIAL {
      oak_flux_args_t s = {arg.f};
      s.prev[0] = arg.f.u;
      s.w[0] = s.nprev = 1;
      s.dt = s.f.dt = arg.dt;
      s.cfl = arg.cfl;
      arg.rate[n] = arg.bad[n] = 0;
      const oak_flux_user_t user = oak_flux_user(&s.f);
      for (int c = 0; c < OAK_CELLS; c++) {
        const int x[3] = {c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY)};
        real flux[OAK_DIM][2][NFLUX], rate;
        sum_t u[NVAR];
        arg.bad[n] += !reference_cell(&s, &user, n, x, 0, flux, u, &rate);
        arg.rate[n] = OAK_MAX(arg.rate[n], (double)rate);
        for (int v = 0; v < NVAR; v++)
          arg.out[(n * NVAR + v) * OAK_CELLS + c] = (double)(store_t)u[v];
      }
    }
  }
}
