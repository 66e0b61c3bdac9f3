/* SPDX-License-Identifier: GPL-2.0-or-later
 * Sums that do not depend on the order of their terms, for diagnostics and conservation checks,
 * which must not change with the number of ranks. Each term becomes a fixed-point number relative
 * to the largest term, in limbs (parts) of 32 bits. Integer sums of the limbs are exact in any
 * order. */
#include "reduce.h"

#include <math.h>

#include "await.h"

enum {
  COLUMNS = 32, /* columns summed at a time. The fixed number avoids an allocation, which could fail
                   on one rank alone */
  LIMBS = 4,    /* of a term: 128 bits below the column's largest magnitude */
  TOTAL = LIMBS + 1,    /* limbs of a sum: one more, the most significant, for carries */
  CARRY_EVERY = 1 << 30 /* rows after which carries are moved on; limbs of terms are below 2^32 */
};

/** A fixed-point sum: limb l counts units of 2^(exponent - 32 l), so limb 0 holds the carries. */
typedef struct {
  int64_t limb[TOTAL];
} fixed_t;

/** Bring all limbs but the most significant into [0, 2^32). Each value has only one such form. */
static void carry(fixed_t *sum) {
  for (int l = TOTAL - 1; l > 0; l--) {
    int64_t low = sum->limb[l] & INT64_C(0xffffffff);
    sum->limb[l - 1] += (sum->limb[l] - low) / (INT64_C(1) << 32);
    sum->limb[l] = low;
  }
}

static void negate(fixed_t *sum) {
  for (int l = 0; l < TOTAL; l++) sum->limb[l] = -sum->limb[l];
  carry(sum);
}

/** Add one term, |term| < 2^exponent. It is scaled by 2^-exponent in two steps, because that factor
 * may be out of range. Both steps are powers of two, so only the final cut is not exact. */
static void add(fixed_t *sum, double term, const double scale[2]) {
  double rest = term * scale[0] * scale[1];
  for (int l = 1; l < TOTAL; l++) {
    rest *= 4294967296.0;
    int64_t part = (int64_t)rest; /* towards zero, at most 32 bits and a sign */
    rest -= (double)part;
    sum->limb[l] += part;
  }
}

/** The nearest double; ties to even. */
static double round_fixed(fixed_t sum, int exponent) {
  int negative = sum.limb[0] < 0;
  if (negative) negate(&sum);
  int top = 0;
  while (top < TOTAL && sum.limb[top] == 0) top++;
  if (top == TOTAL) return 0;

  /* `head` holds 64 bits, beginning with the first one that is set. The conversion to double rounds
   * them to 53 bits. The last bit of `head` is set if any bit follows, so that the result is that
   * of rounding the whole number. */
  uint64_t head = (uint64_t)sum.limb[top];
  int shift = 0;
  while (!(head >> 63)) {
    head <<= 1;
    shift++;
  }
  uint64_t below = 0, rest = 0;
  for (int l = top + 1; l < TOTAL; l++) {
    int place = shift - 32 * (l - top); /* of this limb's last bit, within head */
    uint64_t limb = (uint64_t)sum.limb[l];
    if (place >= 0)
      below |= limb << place;
    else if (place > -32) {
      below |= limb >> -place;
      rest |= limb & ((UINT64_C(1) << -place) - 1);
    } else {
      rest |= limb;
    }
  }
  head |= below | (rest != 0);
  double value = ldexp((double)head, exponent - 32 * top - shift);
  return negative ? -value : value;
}

/** Largest magnitude of each column over all ranks, infinity if one is not finite. */
static void largest(MPI_Comm comm, int columns, int n, int64_t count, const double *x,
                    double *most) {
  for (int c = 0; c < columns; c++) most[c] = 0;
  for (int64_t i = 0; i < count; i++)
    for (int c = 0; c < columns; c++) {
      double size = fabs(x[i * n + c]);
      if (!(size <= most[c])) most[c] = isfinite(size) ? size : INFINITY;
    }
  oak_await(comm);
  MPI_Allreduce(MPI_IN_PLACE, most, columns, MPI_DOUBLE, MPI_MAX, comm);
}

static void sum_columns(MPI_Comm comm, int columns, int n, int64_t count, const double *x,
                        double *sum) {
  double most[COLUMNS], scale[COLUMNS][2];
  int exponent[COLUMNS];
  fixed_t total[COLUMNS] = {{{0}}};
  largest(comm, columns, n, count, x, most);
  for (int c = 0; c < columns; c++) {
    int usable = isfinite(most[c]);
    exponent[c] = 0;
    if (usable) frexp(most[c], &exponent[c]);
    scale[c][0] = usable ? ldexp(1, -exponent[c] / 2) : 0;
    scale[c][1] = usable ? ldexp(1, -exponent[c] - -exponent[c] / 2) : 0;
  }
  for (int64_t i = 0; i < count; i++) {
    for (int c = 0; c < columns; c++)
      if (isfinite(most[c])) add(&total[c], x[i * n + c], scale[c]);
    if ((i + 1) % CARRY_EVERY == 0)
      for (int c = 0; c < columns; c++) carry(&total[c]);
  }
  for (int c = 0; c < columns; c++) carry(&total[c]);
  oak_await(comm);
  MPI_Allreduce(MPI_IN_PLACE, total, columns * TOTAL, MPI_INT64_T, MPI_SUM, comm);
  for (int c = 0; c < columns; c++) {
    carry(&total[c]);
    sum[c] = isfinite(most[c]) ? round_fixed(total[c], exponent[c]) : NAN;
  }
}

oak_status_t oak_sum_exact(MPI_Comm comm, int n, int64_t count, const double *x, double *sum) {
  OAK_CHECK(n >= 0, OAK_ERR_ARGUMENT, "sum over %d columns: must be 0 or more", n);
  for (int c = 0; c < n; c += COLUMNS)
    sum_columns(comm, n - c < COLUMNS ? n - c : COLUMNS, n, count, x + c, sum + c);
  return OAK_OK;
}
