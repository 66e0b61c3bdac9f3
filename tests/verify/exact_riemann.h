/* SPDX-License-Identifier: GPL-2.0-or-later
 * Exact solution of the Riemann problem of the one-dimensional Euler equations, for tests and
 * verification: E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd ed.,
 * chapter 4, with its names. The states must not leave a vacuum between them. */
#ifndef OAK_EXACT_RIEMANN_H
#define OAK_EXACT_RIEMANN_H

#include <math.h>

typedef struct {
  double rho, u, p;
} gas_t;

/** A membrane at x = 0 that bursts at t = 0; p and u are those between the outer waves. */
typedef struct {
  gas_t left, right;
  double gamma, p, u;
} riemann_t;

static inline double riemann_sound(double gamma, gas_t w) { return sqrt(gamma * w.p / w.rho); }

/** The wave function f_K(p) and its derivative. */
static inline double riemann_wave(double gamma, double p, gas_t w, double *slope) {
  const double a = riemann_sound(gamma, w);
  const double A = 2 / ((gamma + 1) * w.rho), B = (gamma - 1) / (gamma + 1) * w.p;
  if (p > w.p) { /* shock */
    const double root = sqrt(A / (p + B));
    *slope = root * (1 - (p - w.p) / (2 * (p + B)));
    return (p - w.p) * root;
  }
  *slope = pow(p / w.p, -(gamma + 1) / (2 * gamma)) / (w.rho * a);
  return 2 * a / (gamma - 1) * (pow(p / w.p, (gamma - 1) / (2 * gamma)) - 1);
}

static inline riemann_t riemann_solve(double gamma, gas_t left, gas_t right) {
  riemann_t r = {.left = left, .right = right, .gamma = gamma, .p = 0.5 * (left.p + right.p)};
  double unused;
  /* The function is concave. Newton's method therefore approaches the root from below. A step that
   * would lead to a negative pressure is shortened. */
  for (int i = 0; i < 60; i++) {
    double dl, dr;
    const double f = riemann_wave(gamma, r.p, left, &dl) + riemann_wave(gamma, r.p, right, &dr) +
                     right.u - left.u;
    r.p = fmax(0.1 * r.p, r.p - f / (dl + dr));
  }
  r.u = 0.5 * (left.u + right.u + riemann_wave(gamma, r.p, right, &unused) -
               riemann_wave(gamma, r.p, left, &unused));
  return r;
}

/** The left half of the fan at speed s = x/t; the right half is its mirror image. */
static inline gas_t riemann_side(double gamma, gas_t w, double p, double u, double s) {
  const double a = riemann_sound(gamma, w), ratio = p / w.p, mu = (gamma - 1) / (gamma + 1);
  if (p > w.p) {
    const double S = w.u - a * sqrt((gamma + 1) / (2 * gamma) * ratio + (gamma - 1) / (2 * gamma));
    return s < S ? w : (gas_t){w.rho * (ratio + mu) / (mu * ratio + 1), u, p};
  }
  const double star_a = a * pow(ratio, (gamma - 1) / (2 * gamma));
  if (s < w.u - a) return w;
  if (s > u - star_a) return (gas_t){w.rho * pow(ratio, 1 / gamma), u, p};
  const double c = 2 / (gamma + 1) + mu / a * (w.u - s);
  return (gas_t){w.rho * pow(c, 2 / (gamma - 1)), 2 / (gamma + 1) * (a + (gamma - 1) / 2 * w.u + s),
                 w.p * pow(c, 2 * gamma / (gamma - 1))};
}

/** The state at speed s = x/t. */
static inline gas_t riemann_sample(const riemann_t *r, double s) {
  if (s < r->u) return riemann_side(r->gamma, r->left, r->p, r->u, s);
  const gas_t mirror = {r->right.rho, -r->right.u, r->right.p};
  gas_t w = riemann_side(r->gamma, mirror, r->p, -r->u, -s);
  w.u = -w.u;
  return w;
}

#endif
