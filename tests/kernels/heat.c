/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: a kernel of a user's program that changes cells. Multiplies the energy by a factor. */
#include "oak/kernel_args.h"

typedef struct {
  oak_field_t f;
  double factor;
} heat_args_t;

OAK_KERNEL(heat, heat_args_t, 64) {
  OAK_ARGS(heat_args_t);
  OAK_OUTER(n) {
    OAK_INNER(c, OAK_CELLS) {
      const int i = c % OAK_N, j = c / OAK_N % OAK_N, k = c / (OAK_N * OAK_N);
      oak_set(&arg.f, n, ENE, i, j, k, (real)arg.factor * oak_get(&arg.f, n, ENE, i, j, k));
    }
  }
}
