/* SPDX-License-Identifier: GPL-2.0-or-later
 * A fixed piece of arithmetic that `oak bench` times beside every case: square roots and divisions
 * on data in the first-level cache, the instructions that limit the flux kernel. Its speed tells
 * how busy or slow the machine is at that moment; ratios to it compare across machines better than
 * seconds. */

#include "reference.h"

OAK_KERNEL(reference, reference_args_t, 256) {
  OAK_ARGS(reference_args_t);
  OAK_OUTER(n) {
    OAK_SHARED double x[REFERENCE_LENGTH];
    OAK_INNER(i, REFERENCE_LENGTH) x[i] = 1 + 1e-3 * i;
    for (int r = 0; r < REFERENCE_REPEATS; r++)
      OAK_INNER(i, REFERENCE_LENGTH) x[i] = sqrt(x[i] + 1) + 1 / (x[i] + 2);
    OAK_SERIAL arg.result[n] = x[n % REFERENCE_LENGTH];
  }
}
