/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the kernels that measure rates and their caller share. */
#ifndef OAK_RATES_H
#define OAK_RATES_H

/* Copy: numbers per iteration. Multiply-add: lanes per iteration, chains of dependent operations
 * per lane, and steps per chain. */
#define RATE_COPY 8192
#define RATE_LANES 128
#define RATE_CHAINS 8
#define RATE_STEPS 2000

typedef struct {
  oak_field_t f;
  const double *from; /**< [n][RATE_COPY] */
  double *to;         /**< the same; of rate_fma: [n][RATE_LANES] */
} rates_args_t;

#endif
