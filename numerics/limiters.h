/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reconstruction of face values inside one cell (the foap4 paper, "Limiters and finite volume
 * methods").
 *
 * LIMITER(name, radius, s, lo, hi) defines a limiter for the key scheme.limiter; files of physics
 * and problem may have further ones. s[-radius .. radius] are the values of a row of cells, lo and
 * hi the values of cell s[0] at its lower and upper face. A limiter needs radius + 1 ghost layers.
 * OAK_LIMITER is the name of the limiter of the run, OAK_RADIUS its radius.
 *
 * Limiters have no branches: both sides of each ?: are computed, so a SIMD lane may divide by zero
 * and drop the result. */
#pragma once

#include "oak/kernel.h"

/** limiter_gminmod: the generalized minmod slope (paper, eq. gminmod). theta 1 is minmod, 2 the
 * monotonized central limiter. */
OAK_FN real limiter_gminmod(real a, real b, real theta) {
  const real ta = theta * oak_abs(a), tb = theta * oak_abs(b);
  const real mean = (real)0.5 * oak_abs(a + b);
  const real least = OAK_MIN(OAK_MIN(ta, tb), mean);
  return a * b > 0 ? (a > 0 ? least : -least) : 0;
}

/* upwind: first order, the cell's value on both faces. */
LIMITER(upwind, 0, s, lo, hi) {
  *lo = s[0];
  *hi = s[0];
}

/* minmod: the smaller of both slopes, 0 at extrema (P. L. Roe, Annu. Rev. Fluid Mech. 18 (1986)
 * 337). */
LIMITER(minmod, 1, s, lo, hi) {
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real smaller = oak_abs(a) < oak_abs(b) ? a : b;
  const real half = a * b > 0 ? (real)0.5 * smaller : 0;
  *lo = s[0] - half;
  *hi = s[0] + half;
}

/* mc: monotonized central. B. van Leer, J. Comput. Phys. 23 (1977) 276. */
LIMITER(mc, 1, s, lo, hi) {
  const real half = (real)0.5 * limiter_gminmod(s[0] - s[-1], s[1] - s[0], 2);
  *lo = s[0] - half;
  *hi = s[0] + half;
}

/* gminmod_theta: generalized minmod with theta of the key scheme.theta. */
#ifndef OAK_LIMITER_THETA
#define OAK_LIMITER_THETA 1.5
#endif
LIMITER(gminmod_theta, 1, s, lo, hi) {
  const real half = (real)0.5 * limiter_gminmod(s[0] - s[-1], s[1] - s[0], (real)OAK_LIMITER_THETA);
  *lo = s[0] - half;
  *hi = s[0] + half;
}

/* vanleer: B. van Leer, J. Comput. Phys. 23 (1977) 276. The slope is the harmonic mean of both. */
LIMITER(vanleer, 1, s, lo, hi) {
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real ab = a * b, half_mean = oak_div(ab, a + b);
  const real half = ab > 0 ? half_mean : 0;
  *lo = s[0] - half;
  *hi = s[0] + half;
}

/* koren: B. Koren, in Numerical Methods for Advection-Diffusion Problems (1993) 117, of third order
 * where the solution is smooth. The change from the cell to a face is the smallest of three: both
 * differences to neighbours, and (near + 2 far) / 6. */
LIMITER(koren, 1, s, lo, hi) {
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real pa = oak_abs(a), pb = oak_abs(b), least = OAK_MIN(pa, pb);
  const real up = OAK_MIN(least, (pa + 2 * pb) * (real)(1.0 / 6));
  const real down = OAK_MIN(least, (pb + 2 * pa) * (real)(1.0 / 6));
  const real sign = a * b > 0 ? (a > 0 ? 1 : -1) : 0;
  *lo = s[0] - sign * down;
  *hi = s[0] + sign * up;
}

/* weno3, weno5: weighted essentially non-oscillatory reconstructions of third and fifth order:
 * G.-S. Jiang, C.-W. Shu, J. Comput. Phys. 126 (1996) 202. Their epsilon, 1e-6 for values of order
 * one, is taken relative to the values in the stencil, so that units do not matter. Smoothness
 * indicators are divided by their sum, so weights need products in place of further divisions, and
 * cannot overflow. */
OAK_FN real weno_epsilon(void) { return (real)1e-6; }
OAK_FN real weno_tiny(void) { return (real)1e-30; }

LIMITER(weno3, 1, s, lo, hi) {
  const real a = s[0] - s[-1], b = s[1] - s[0];
  const real eps =
      weno_epsilon() * (real)(1.0 / 3) * (s[-1] * s[-1] + s[0] * s[0] + s[1] * s[1]) + weno_tiny();
  const real b0 = eps + a * a, b1 = eps + b * b;
  const real inv = oak_inv(b0 + b1);
  /* weights ~ d / beta^2, times beta0^2 beta1^2 */
  const real w0 = b1 * inv * b1 * inv, w1 = b0 * inv * b0 * inv;
  *hi = s[0] + (real)0.5 * oak_div(w0 * a + 2 * w1 * b, w0 + 2 * w1);
  *lo = s[0] - (real)0.5 * oak_div(2 * w0 * a + w1 * b, 2 * w0 + w1);
}

/* weno5 is written with differences d of neighbours. b: the smoothness indicators plus epsilon,
 * times 3/4. The weights d / b^2 of the outer stencils are relative to the weight of the central
 * one. The face value is the value of the central stencil plus terms of the other two, which are
 * multiples of third differences. The sum of the weights is thus one for any rounding. */
LIMITER(weno5, 2, s, lo, hi) {
  const real m2 = s[-2], m1 = s[-1], c = s[0], p1 = s[1], p2 = s[2];
  const real d0 = m1 - m2, d1 = c - m1, d2 = p1 - c, d3 = p2 - p1;
  const real eps = (real)0.15 * weno_epsilon() * (c * c + m1 * m1 + p1 * p1 + m2 * m2 + p2 * p2) +
                   (real)0.75 * weno_tiny();
  const real d11 = d1 * d1, d22 = d2 * d2;
  const real b0 = d0 * (d0 - (real)2.75 * d1) + ((real)2.5 * d11 + eps);
  const real b1 = (d11 + d22 + eps) - (real)1.25 * (d1 * d2);
  const real b2 = d3 * (d3 - (real)2.75 * d2) + ((real)2.5 * d22 + eps);
  real r0, r2;             /* b1 / b0, b1 / b2 */
  if (sizeof(real) == 4) { /* the product of two indicators may leave the range of fp32 */
    r0 = oak_div(b1, b0), r2 = oak_div(b1, b2);
  } else {
    const real both = oak_div(b1, b0 * b2);
    r0 = both * b2, r2 = both * b0;
  }
  const real w0 = r0 * r0, w2 = r2 * r2; /* times 1/10 and 3/10; the central weight is 6/10 */
  const real t0 = w0 * (d0 + d2 - 2 * d1), t2 = w2 * (d1 + d3 - 2 * d2);
  const real sum_hi = 3 * w0 + 18 + 9 * w2, sum_lo = 3 * w2 + 18 + 9 * w0;
  const real inv = oak_inv(sum_hi * sum_lo);
  const real sixth = (real)(1.0 / 6), third = (real)(1.0 / 3);
  *hi = c + sixth * d1 + third * d2 - (t0 + (real)1.5 * t2) * (inv * sum_lo);
  *lo = c - sixth * d2 - third * d1 + (t2 + (real)1.5 * t0) * (inv * sum_hi);
}
