/* SPDX-License-Identifier: GPL-2.0-or-later
 * The explosion of a ball in (r, z) against a solution of the spherical equations along the radius,
 * which this test computes on its own with 2000 cells. */
// TEST timeout=300
#include "solver_test.h"

enum { CELLS = 2000, MASS = 0, MOMENTUM, ENERGY, COUNT };
static const double GAMMA = 1.4;
static double u[CELLS + 4][COUNT]; /* two ghost cells at each end */

static void primitive(const double *c, double q[COUNT]) {
  q[0] = c[MASS];
  q[1] = c[MOMENTUM] / c[MASS];
  q[2] = (GAMMA - 1) * (c[ENERGY] - 0.5 * c[MOMENTUM] * q[1]);
}

static double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }

static void physical(const double q[COUNT], double c[COUNT], double f[COUNT]) {
  c[MASS] = q[0];
  c[MOMENTUM] = q[0] * q[1];
  c[ENERGY] = q[2] / (GAMMA - 1) + 0.5 * q[0] * q[1] * q[1];
  f[MASS] = c[MOMENTUM];
  f[MOMENTUM] = c[MOMENTUM] * q[1] + q[2];
  f[ENERGY] = (c[ENERGY] + q[2]) * q[1];
}

/* HLL flux between cells i and i + 1, from limited slopes. */
static void face_flux(int i, double f[COUNT]) {
  double q[4][COUNT], side[2][COUNT], c[2][COUNT], flux[2][COUNT], slow = 0, fast = 0;
  for (int n = 0; n < 4; n++) primitive(u[i - 1 + n], q[n]);
  for (int n = 0; n < 2; n++) {
    for (int v = 0; v < COUNT; v++)
      side[n][v] =
          q[1 + n][v] + (n ? -0.5 : 0.5) * minmod(q[1 + n][v] - q[n][v], q[2 + n][v] - q[1 + n][v]);
    const double sound = sqrt(GAMMA * side[n][2] / side[n][0]);
    slow = fmin(slow, side[n][1] - sound);
    fast = fmax(fast, side[n][1] + sound);
    physical(side[n], c[n], flux[n]);
  }
  for (int v = 0; v < COUNT; v++)
    f[v] =
        (fast * flux[0][v] - slow * flux[1][v] + slow * fast * (c[1][v] - c[0][v])) / (fast - slow);
}

static void fill_ghosts(void) {
  for (int n = 0; n < 2; n++)
    for (int v = 0; v < COUNT; v++) {
      u[1 - n][v] = (v == MOMENTUM ? -1 : 1) * u[2 + n][v];
      u[CELLS + 2 + n][v] = u[CELLS + 1][v];
    }
}

/* One stage: u becomes a u0 + (1 - a) (u + dt rate). */
static void stage(double dt, double a, double u0[][COUNT]) {
  static double flux[CELLS + 1][COUNT];
  const double dr = 1.0 / CELLS;
  fill_ghosts();
  for (int i = 0; i <= CELLS; i++) face_flux(i + 1, flux[i]);
  for (int i = 0; i < CELLS; i++) {
    const double low = i * dr, high = low + dr, volume = (pow(high, 3) - pow(low, 3)) / 3;
    double q[COUNT];
    primitive(u[i + 2], q);
    for (int v = 0; v < COUNT; v++) {
      double rate = (low * low * flux[i][v] - high * high * flux[i + 1][v]) / volume;
      if (v == MOMENTUM) rate += q[2] * (high * high - low * low) / volume;
      u[i + 2][v] = a * u0[i][v] + (1 - a) * (u[i + 2][v] + dt * rate);
    }
  }
}

/* Toro's explosion at t = 0.25, with Heun's method. */
static void solve_radius(void) {
  static double u0[CELLS][COUNT];
  const int steps = 2500; /* speeds are below 2.6 */
  for (int i = 0; i < CELLS; i++) {
    const int inside = i < 0.4 * CELLS;
    u[i + 2][MASS] = inside ? 1 : 0.125;
    u[i + 2][MOMENTUM] = 0;
    u[i + 2][ENERGY] = (inside ? 1 : 0.1) / (GAMMA - 1);
  }
  for (int n = 0; n < steps; n++) {
    memcpy(u0, u + 2, sizeof u0);
    stage(0.25 / steps, 0, u0);
    stage(0.25 / steps, 0.5, u0);
  }
}

static double density_at(double r) {
  const double at = fmin(fmax(r * CELLS - 0.5, 0), CELLS - 1.001);
  const int i = (int)at;
  return u[i + 2][MASS] + (at - i) * (u[i + 3][MASS] - u[i + 2][MASS]);
}

static double error_of(int level) {
  double error = 0, volume = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "physics.name=euler\nproblem.name=ball\nmesh.coordinates=axisymmetric\n"
                    "physics.gamma=1.4\nmesh.xmin=0 0\nmesh.xmax=1 1\nmesh.block_size=16\n"
                    "mesh.min_level=%d\nmesh.max_level=%d\ndevice.flags=-O1\nscheme.flux=hllc\n"
                    "boundary.xhigh=outflow\nboundary.ylow=reflect\nboundary.yhigh=outflow\n"
                    "refine.criterion=lohner\nrefine.variable=rho\nrefine.c_refine=0.2\n"
                    "refine.c_derefine=0.05\n",
                    level - 1, level);
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.25, 4);
  double *rho = sim_read(&s, 0);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    const double r = hypot(x[0], x[1]), part = x[0] * sim_volume(&s, i / s.cells);
    if (r > 0.95) continue;
    error += part * fabs(rho[i] - density_at(r));
    volume += part;
  }
  free(rho);
  sim_free(&s);
  return error / volume;
}

static void test_ball(void **state) {
  (void)state;
  solve_radius();
  const double error[2] = {error_of(2), error_of(3)};
  report("ball in (r, z): mean error of the density %.2e with cells of 1/64, %.2e with 1/128",
         error[0], error[1]);
  assert_true(error[1] < 0.004 && error[0] / error[1] > 1.6);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball)};
  return TEST_MAIN(tests);
}
