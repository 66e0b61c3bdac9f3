/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reconstruction of face values inside one cell (paper, "Limiters and finite volume methods").
 *
 * One limiter is chosen when the kernels are built: OAK_LIMITER is its name. A limiter NAME is
 *   LIMITER_RADIUS_NAME                   cells needed on each side; ghost layers = radius + 1
 *   limiter_NAME(const real *s, real *lo, real *hi)
 * where s[-radius .. radius] are the values of a row of cells and lo, hi the values that cell s[0]
 * has at its lower and upper face. To add one, write both here, add its name to the key
 * scheme.limiter in src/base/params_table.c and its radius to the table in src/solver/sim.c.
 *
 * Everything is branch-free: both sides of each ?: are computed, so a SIMD lane may divide by zero
 * and throw the result away. */
#ifndef OAK_LIMITERS_H
#define OAK_LIMITERS_H

#define OAK_CAT_(a, b) a##b
#define OAK_CAT(a, b) OAK_CAT_(a, b)
#define OAK_RADIUS OAK_CAT(LIMITER_RADIUS_, OAK_LIMITER)

/** Generalized minmod (paper, eq. gminmod): theta 1 is minmod, 2 the monotonized central limiter. */
OAK_FN real limiter_gminmod(real a, real b, real theta)
{
  const real ta = theta * oak_abs(a), tb = theta * oak_abs(b);
  const real mean = (real)0.5 * oak_abs(a + b);
  const real least = OAK_MIN(OAK_MIN(ta, tb), mean);
  return a * b > 0 ? (a > 0 ? least : -least) : 0;
}

/* First order: the cell's value on both faces. */
#define LIMITER_RADIUS_upwind 0
OAK_FN void limiter_upwind(const real *s, real *lo, real *hi)
{
  *lo = s[0];
  *hi = s[0];
}

#define LIMITER_RADIUS_minmod 1
OAK_FN void limiter_minmod(const real *s, real *lo, real *hi)
{
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real smaller = oak_abs(a) < oak_abs(b) ? a : b;
  const real half = a * b > 0 ? (real)0.5 * smaller : 0;
  *lo = s[0] - half;
  *hi = s[0] + half;
}

/* B. van Leer, J. Comput. Phys. 23 (1977) 276: the harmonic mean of both slopes. */
#define LIMITER_RADIUS_vanleer 1
OAK_FN void limiter_vanleer(const real *s, real *lo, real *hi)
{
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real ab = a * b;
  const real half = ab > 0 ? ab / (a + b) : 0;
  *lo = s[0] - half;
  *hi = s[0] + half;
}

OAK_FN void oak_reconstruct(const real *s, real *lo, real *hi)
{
  OAK_CAT(limiter_, OAK_LIMITER)(s, lo, hi);
}

#endif
