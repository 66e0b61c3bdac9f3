/* SPDX-License-Identifier: GPL-2.0-or-later
 * Rounding of results to the numbers of a state, with scheme.precision = mixed. Other precisions
 * need no rounding.
 *
 * With `mixed`, results in double precision are stored in single precision. Rounding to the nearest
 * number would lose all changes per stage that are smaller than half of its last digit, 6e-8 of the
 * value, and in a smooth flow round many cells to the same side. Therefore the rounding is
 * stochastic (M. P. Connolly, N. J. Higham, T. Mary, SIAM J. Sci. Comput. 43 (2021) A566). A result
 * is between two numbers of single precision. Its distance from the lower one, divided by the
 * distance of both, is compared with a threshold: above the threshold, the result becomes the upper
 * number. Thresholds take all values from 0 to 1 equally often, so the mean of the rounded number
 * is the result.
 *
 * Thresholds are hashes of the place of a cell, the variable and the count of stages alone, so
 * results are the same for any number of ranks and after a restart. Thresholds that depend on
 * thresholds of the stage before would not work, because the rounding of one stage decides what the
 * next stage has to round. */
#pragma once

#include "kernels/access/field.h"

enum { OAK_ROUNDS = sizeof(store_t) < sizeof(real) };
/* Odd numbers that are added from cell to cell along x, y and z, and from variable to variable. */
static const unsigned OAK_NEXT_X = OAK_ROUNDS ? 0xe19b01abu : 0;
static const unsigned OAK_NEXT_Y = OAK_ROUNDS ? 0xc6d1d6c9u : 0;
static const unsigned OAK_NEXT_Z = OAK_ROUNDS ? 0xaf36d01fu : 0;
static const unsigned OAK_NEXT_VARIABLE = 0x9a69443eu;

/** The number of cell (i, j, k) of a block in the present stage. */
OAK_FN unsigned oak_cell_number(const oak_field_t *f, long block, int i, int j, int k) {
  const oak_block_t *b = &f->block[block];
  if (!OAK_ROUNDS) return 0;
  unsigned n = f->rounding + (unsigned)b->level * OAK_NEXT_VARIABLE;
  n +=
      ((unsigned)(long long)(b->origin[0] * oak_inv_dx(f, b->level, 0)) + (unsigned)i) * OAK_NEXT_X;
  n +=
      ((unsigned)(long long)(b->origin[1] * oak_inv_dx(f, b->level, 1)) + (unsigned)j) * OAK_NEXT_Y;
  if (OAK_DIM == 3)
    n += ((unsigned)(long long)(b->origin[2] * oak_inv_dx(f, b->level, 2)) + (unsigned)k) *
         OAK_NEXT_Z;
  return n;
}

/** x rounded to single precision with threshold t, in units of 2^-32: t is added to the 29 digits
 * that single precision does not have, and then they are dropped. */
OAK_FN real oak_rounded(real x, unsigned t) {
  union {
    double value;
    unsigned long long bits;
  } n;
  n.value = x;
  n.bits = (n.bits + (t >> 3)) & ~0x1fffffffULL;
  return n.value;
}

/** Round a result u[] of the cell with this number to numbers that a state can store, before the
 * checks of the result, so that they see the same numbers as later stages. */
OAK_FN void oak_round_result(sum_t u[], unsigned number) {
  if (!OAK_ROUNDS) return;
  unsigned t = number; /* mixed by three steps of a hash: neighbours get independent thresholds */
  t = (t ^ t >> 16) * 0x7feb352du;
  t = (t ^ t >> 15) * 0x846ca68bu;
  t ^= t >> 16;
  OAK_FOR(v, NVAR) u[v] = oak_rounded(u[v], t * (1u + (unsigned)v * OAK_NEXT_VARIABLE));
}

/** Round u[] to the nearest numbers, where there are no stages. */
OAK_FN void oak_round_nearest(real u[]) {
  OAK_FOR(v, NVAR) u[v] = (real)(store_t)u[v];
}
