/* SPDX-License-Identifier: GPL-2.0-or-later
 * Two kernels that measure what a device can do at most: copy memory, and multiply and add in
 * registers. `oak bench --kernels` compares the other kernels with them. */

#include "rates.h"

OAK_KERNEL(rate_copy, rates_args_t, 256) {
  OAK_ARGS(rates_args_t);
  OAK_OUTER_LANES(n) {
    const double *from = arg.from + n * RATE_COPY;
    double *to = arg.to + n * RATE_COPY;
    OAK_INNER(i, RATE_COPY) to[i] = from[i];
  }
}

/* Fused on devices that have it; elsewhere two instructions, which count the same. */
#if OAK_DEVICE_CPU && !defined(__FMA__)
#define RATE_FMA(a, x, b) ((a) * (x) + (b))
#else
#define RATE_FMA(a, x, b)                                             \
  (sizeof(real) == 4 ? (real)fmaf((float)(a), (float)(x), (float)(b)) \
                     : (real)fma((double)(a), (double)(x), (double)(b)))
#endif

OAK_KERNEL(rate_fma, rates_args_t, RATE_LANES) {
  OAK_ARGS(rates_args_t);
  OAK_OUTER_LANES(n) {
    double *to = arg.to + n * RATE_LANES;
    OAK_INNER(i, RATE_LANES) {
      const real a = (real)0.999 + (real)1e-6 * i, b = (real)1e-3;
      real x[RATE_CHAINS], sum = 0;
      OAK_UNROLL
      for (int c = 0; c < RATE_CHAINS; c++) x[c] = (real)c;
      OAK_NO_UNROLL
      for (int s = 0; s < RATE_STEPS; s++) {
        OAK_UNROLL
        for (int c = 0; c < RATE_CHAINS; c++) x[c] = RATE_FMA(a, x[c], b);
      }
      OAK_UNROLL
      for (int c = 0; c < RATE_CHAINS; c++) sum += x[c];
      to[i] = (double)sum;
    }
  }
}
