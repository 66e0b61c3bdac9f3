/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: arguments of kernels/reference.c. */
#include "oak/kernel_args.h"

typedef struct {
  oak_field_t f;
  double dt, cfl;
  double *out;  /* [block][variable][cell] new states */
  double *rate; /* [block] largest rate */
  double *bad;  /* [block] invalid cells */
} reference_args_t;
