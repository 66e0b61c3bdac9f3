/* SPDX-License-Identifier: GPL-2.0-or-later
 * The self-similar blast wave of Sedov in 2D and 3D, gas of uniform density and no pressure, by
 * integrating its ordinary differential equations inwards from the shock. With lambda = r / R and
 * U = dR/dt the solution is
 *
 *   u = U f(lambda),   rho = rho0 g(lambda),   p = rho0 U^2 h(lambda),   R ~ t^(2 / (d + 2)),
 *
 * and the Euler equations become, with w = f - lambda and a = -d/2,
 *
 *   w g' + g f' = -(d - 1) g f / lambda,   g (w f' + a f) + h' = 0,
 *   w (h' / h - gamma g' / g) + 2 a = 0.
 *
 * Published solutions are not used, so they can check this one: J. R. Kamm, F. X. Timmes, On
 * efficient generation of numerically robust Sedov solutions, LA-UR-07-2849 (2007). */
#ifndef SEDOV_EXACT_H
#define SEDOV_EXACT_H

#include <math.h>

enum { SEDOV_POINTS = 4000 };

typedef struct {
  int dim;
  double gamma;
  double alpha;                            /**< E t^2 = alpha rho0 R^(d + 2) */
  double f[SEDOV_POINTS], g[SEDOV_POINTS]; /**< at lambda = (i + 1) / SEDOV_POINTS */
  double h[SEDOV_POINTS];
} sedov_t;

/* d/dlambda of y = {f, g, h}. */
static inline void sedov_slopes(const sedov_t *s, double x, const double y[3], double dy[3]) {
  const double f = y[0], g = y[1], h = y[2], w = f - x, a = -0.5 * s->dim;
  const double spread = (s->dim - 1) * f / x;
  dy[0] = (g * w * a * f - 2 * a * h - s->gamma * h * spread) / (s->gamma * h - g * w * w);
  dy[1] = -g / w * (dy[0] + spread);
  dy[2] = -g * (w * dy[0] + a * f);
}

/* One Runge-Kutta step of fourth order from x to x + dx. */
static inline void sedov_step(const sedov_t *s, double x, double dx, double y[3]) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
  double k[3] = {0}, sum[3] = {0};
  for (int stage = 0; stage < 4; stage++) {
    double now[3];
    for (int i = 0; i < 3; i++) now[i] = y[i] + at[stage] * dx * k[i];
    sedov_slopes(s, x + at[stage] * dx, now, k);
    for (int i = 0; i < 3; i++) sum[i] += weight[stage] * k[i];
  }
  for (int i = 0; i < 3; i++) y[i] += dx * sum[i];
}

static inline void sedov_solve(sedov_t *s, int dim, double gamma) {
  const double dx = 1. / SEDOV_POINTS, rate = 2. / (dim + 2);
  const double sphere = dim == 3 ? 12.566370614359172 : 6.283185307179586;
  double y[3] = {2 / (gamma + 1), (gamma + 1) / (gamma - 1), 2 / (gamma + 1)}, integral = 0;
  s->dim = dim;
  s->gamma = gamma;
  for (int i = SEDOV_POINTS - 1; i >= 0; i--) {
    const double x = (i + 1) * dx;
    s->f[i] = y[0];
    s->g[i] = y[1];
    s->h[i] = y[2];
    integral += (i == SEDOV_POINTS - 1 ? 0.5 : 1) * dx * pow(x, dim - 1) *
                (y[2] / (gamma - 1) + 0.5 * y[1] * y[0] * y[0]);
    if (i > 0) sedov_step(s, x, -dx, y);
  }
  s->alpha = rate * rate * sphere * integral;
}

static inline double sedov_radius(const sedov_t *s, double energy, double rho0, double t) {
  return pow(energy * t * t / (s->alpha * rho0), 1. / (s->dim + 2));
}

/* q = {rho, u, p} at radius r. Ahead of the shock the gas is cold and at rest. */
static inline void sedov_at(const sedov_t *s, double energy, double rho0, double t, double r,
                            double q[3]) {
  const double R = sedov_radius(s, energy, rho0, t), U = 2 * R / ((s->dim + 2) * t);
  const double x = r / R * SEDOV_POINTS - 1; /* in points */
  q[0] = rho0;
  q[1] = q[2] = 0;
  if (r > R) return;
  const int i = x <= 0 ? 0 : x >= SEDOV_POINTS - 1 ? SEDOV_POINTS - 2 : (int)x;
  const double w = fmax(x - i, -1); /* below the first point continue linearly, to f = 0 at 0 */
  q[0] = rho0 * fmax(s->g[i] + w * (s->g[i + 1] - s->g[i]), 0);
  q[1] = U * (s->f[i] + w * (s->f[i + 1] - s->f[i]));
  q[2] = rho0 * U * U * (s->h[i] + w * (s->h[i + 1] - s->h[i]));
}

#endif
