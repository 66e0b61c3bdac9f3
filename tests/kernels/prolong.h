/* SPDX-License-Identifier: GPL-2.0-or-later
 * What tests/kernels/prolong.c and tests/solver/test_solver_positivity.c share. */
#ifndef OAK_TEST_PROLONG_H
#define OAK_TEST_PROLONG_H

#include "oak/kernel_args.h"

enum { PROLONG_CHUNK = 1024 };

/* Item n does cells n * PROLONG_CHUNK to (n + 1) * PROLONG_CHUNK - 1. */
typedef struct {
  oak_field_t f;
  const double *cell; /**< [cells][7]: a cell, its neighbours below and above along x, y, z. NULL:
                       * the value of cell c is first + c step; its neighbours are 0 below and 8
                       * above, or the reverse */
  double first, step;
  double theta;  /**< rounded to `real` when used */
  double *least; /**< [cells] smallest of the fine values */
  double *error; /**< [cells] mean of the fine values less the coarse one, over the coarse one */
} prolong_args_t;

#endif
