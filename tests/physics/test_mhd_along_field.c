/* SPDX-License-Identifier: GPL-2.0-or-later
 * Heat conduction and viscosity along a magnetic field, for both kinds of magnetohydrodynamics:
 * published errors of the ring of Parrish and Stone, and no temperature below the initial one;
 * exact solutions and orders; totals; without a field what is isotropic; super time stepping; the
 * same bits on any number of ranks. */
// TEST np={1,2,3} timeout=240 flags=-O1
#include "mhd_test.h"

static const double pi = 3.14159265358979323846;

#define GAS                                                                          \
  TEST_PROBLEM("along_field")                                                        \
  "physics.name=mhd\nmesh.block_size=10\nscheme.flux=hlld\nscheme.limiter=vanleer\n" \
  "mesh.xmin=-1\nmesh.xmax=1\nrun.cfl=0.8\n"
#define RKL2 "scheme.diffusion=rkl2\n"
#define USER "boundary.xlow=user\nboundary.xhigh=user\nboundary.ylow=user\nboundary.yhigh=user\n"
#define CT "physics.name=mhd_ct\n"
enum { MX = 1, ENE = 4 };

/* Diffusivities are so large and times so short that waves of the gas go nowhere. The diffusivity
 * of heat is (gamma - 1) times the conductivity. */
static const double fast = 1e9, per_chi = 1.5;

/** The temperature of each cell. The density is 1. */
static double *temperature(const sim_t *s) {
  double *T = malloc(((size_t)oak_nblocks(s->sim) * s->cells + 1) * sizeof *T);
  if (!T) abort();
  MUST(oak_read_variable(s->sim, "p", oak_nblocks(s->sim), T));
  return T;
}

static double lowest_temperature(const sim_t *s) {
  double *T = temperature(s), most = -INFINITY;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) most = worse(most, -T[i]);
  free(T);
  return -max_ranks(s->comm, most);
}

/** Advance to `end` in so many steps, 0: in explicit ones. Energy is conserved, and temperatures
 * fall by no more than `below` under the least at the start, relative. */
static sim_t advance(MPI_Comm comm, double end, int steps, double below, const char *keys,
                     const char *more) {
  double before[TEST_MAX_NVAR], after[TEST_MAX_NVAR], least;
  sim_t s = sim_new(comm, GAS "%s%s", keys, more);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, before));
  const double first = least = lowest_temperature(&s);
  while (end - oak_time(s.sim) > 1e-12 * end) {
    const double dt = steps ? end / steps : oak_time_step(s.sim);
    MUST(oak_advance(s.sim, fmin(dt, end - oak_time(s.sim))));
    if (oak_step(s.sim) % 20 < 5) least = fmin(least, lowest_temperature(&s));
  }
  MUST(oak_totals(s.sim, after));
  const double energy = after[ENE] / before[ENE] - 1;
  if (!(fabs(energy) < 4e-15 && least > first * (1 - below)))
    report("change of energy %.1e, of the lowest temperature %.1e", energy, least / first - 1);
  assert_true(fabs(energy) < 4e-15);
  assert_true(least > first * (1 - below));
  return s;
}

/** Keys with numbers. */
__attribute__((format(printf, 1, 2))) static const char *keys(const char *format, ...) {
  static char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return text;
}

/* ---- heat */

/** Errors at the time 200 with a diffusivity of 0.01 and 50^2 cells: table 1 of P. Sharma, G. W.
 * Hammett, J. Comput. Phys. 227 (2007) 123 has, for their asymmetric differences with the
 * monotonised central limiter, 0.0358 (mean), 0.0509 (root of squares), 0.1051 (largest), and
 * temperatures from 10 to 10.0708. */
static void test_ring(void **state) {
  (void)state;
  const double chi = 0.01 * fast, end = 200 / fast;
  double mean = 0, square = 0, worst = 0, most = 0;
  sim_t s = advance(MPI_COMM_WORLD, end, 200, 1e-6, RKL2 "mesh.trees=5 5\n",
                    keys("physics.conductivity_parallel=%g\n", chi * per_chi));
  double *T = temperature(&s);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    const double r = hypot(x[0], x[1]);
    const double error = fabs(T[i] - (r > 0.5 && r < 0.7 ? 10 + 1.0 / 6 : 10));
    mean += error / 2500;
    square += error * error / 2500;
    worst = worse(worst, error);
    most = worse(most, T[i]);
  }
  free(T);
  sim_free(&s);
  mean = sum_ranks(MPI_COMM_WORLD, mean);
  square = sqrt(sum_ranks(MPI_COMM_WORLD, square));
  worst = max_ranks(MPI_COMM_WORLD, worst);
  most = max_ranks(MPI_COMM_WORLD, most);
  report("ring: errors %.4f, %.4f, %.4f, temperature up to %.4f", mean, square, worst, most);
  assert_true(fabs(mean / 0.0358 - 1) < 0.01);
  assert_true(fabs(square / 0.0509 - 1) < 0.01);
  assert_true(fabs(worst / 0.1051 - 1) < 0.01);
  assert_true(fabs((most - 10) / 0.0708 - 1) < 0.01);
}

/** Explicit steps, levels, constrained transport. */
static void test_ring_parts(void **state) {
  (void)state;
  static const char *const part[] = {
      "mesh.trees=5 5\n",
      "mesh.trees=2 2\nmesh.min_level=1\nmesh.max_level=2\nproblem.fine=2\nproblem.strength=1e-3\n",
      CT "mesh.trees=5 5\n", CT RKL2 "mesh.trees=5 5\n"};
  for (int n = 0; n < 4; n++) {
    const int steps = n < 3 ? 0 : 5; /* super time stepping is not monotone */
    sim_t s = advance(MPI_COMM_WORLD, 5 / fast, steps, steps ? 1e-6 : 1e-10, part[n],
                      keys("physics.conductivity_parallel=%g\n", 0.01 * fast * per_chi));
    sim_free(&s);
  }
}

/** A Gaussian in a uniform field oblique to the mesh: the mean error, and the diffusivity across
 * the field over that along it, from second moments. */
static double blob_error(const char *more, int level, int finer, double across, double *leak) {
  const double width2 = 0.12 * 0.12, end = 0.015 / fast;
  double sum[3] = {0}, b[3] = {2 / sqrt(5), 1 / sqrt(5)};
  sim_t s =
      advance(MPI_COMM_WORLD, end, strstr(more, "rkl2") ? 20 : 0, 1e-10, more,
              keys("problem.kind=blob\nproblem.width=0.12\nphysics.conductivity=%g\n"
                   "physics.conductivity_parallel=%g\nmesh.min_level=%d\nmesh.max_level=%d\n"
                   "problem.fine=%d\n",
                   across * fast * per_chi, fast * per_chi, level, level + finer, level + finer));
  const double wide2 = width2 + 2 * (1 + across) * end * fast;
  const double narrow2 = width2 + 2 * across * end * fast;
  double *T = temperature(&s);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    const double along = b[0] * x[0] + b[1] * x[1], beside = b[0] * x[1] - b[1] * x[0];
    const double size = 0.1 * width2 / sqrt(wide2 * narrow2), dV = sim_volume(&s, i / s.cells);
    const double exact = size * exp(-0.5 * (along * along / wide2 + beside * beside / narrow2));
    sum[0] += fabs(T[i] - 1 - exact) * dV;
    sum[1] += (T[i] - 1) * dV;
    sum[2] += (T[i] - 1) * beside * beside * dV;
  }
  free(T);
  sim_free(&s);
  for (int n = 0; n < 3; n++) sum[n] = sum_ranks(MPI_COMM_WORLD, sum[n]);
  *leak = (sum[2] / sum[1] - width2) / (2 * end * fast);
  return sum[0] / sum[1];
}

static void test_blob(void **state) {
  (void)state;
  static const char *const part[] = {"", RKL2, RKL2};
  for (int n = 0; n < 3; n++)
    for (int some = 0; some < 2; some++) {
      double error[2], leak[2];
      for (int r = 0; r < 2; r++)
        error[r] = blob_error(part[n], 2 + r, n == 2, 0.2 * some, &leak[r]);
      const double order = log2(error[0] / error[1]);
      report("blob, %s, %g across: errors %.3e, %.3e, order %.2f; diffusivity across %.4f, %.4f",
             n == 0   ? "explicit"
             : n == 1 ? "rkl2"
                      : "rkl2, two levels",
             0.2 * some, error[0], error[1], order, leak[0], leak[1]);
      assert_true(order > 1.9);
      assert_true(fabs(leak[0] - 0.2 * some) < 5e-3 && fabs(leak[1] - 0.2 * some) < 1e-3);
    }
}

/** Heat that leaves the hot half in one small step: the harmonic sum of the flux by the gradient
 * and of the saturated flux, at the mean of both temperatures. */
static void test_saturation(void **state) {
  (void)state;
  const double b = 2 / sqrt(5), dx = 0.1, T = 1.5, dt = 1e-10;
  double waves = 0;
  for (int n = 0; n < 4; n++) {
    const double kappa = n > 1 ? 1e3 : n, phi = n == 3 ? 0 : 0.3;
    sim_t s = sim_new(MPI_COMM_WORLD,
                      GAS
                      "problem.kind=step\nmesh.min_level=1\nmesh.max_level=1\n"
                      "physics.conductivity_parallel=%g\nphysics.saturation=%g\n",
                      kappa, phi);
    MUST(oak_initialize(s.sim));
    double *before = sim_read(&s, ENE);
    MUST(oak_advance(s.sim, dt));
    double *after = sim_read(&s, ENE), flux = 0;
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      double x[3];
      sim_center(&s, i / s.cells, i % s.cells, x);
      if (x[0] > 0 && x[0] < dx) flux += (after[i] - before[i]) / dt * dx / 20;
    }
    free(before);
    free(after);
    flux = sum_ranks(MPI_COMM_WORLD, flux) - waves;
    sim_free(&s);
    if (n == 0) waves = flux;
    if (n == 0) continue;
    const double classical = kappa * b * 1 / dx, most = 5 * phi * T * sqrt(T);
    const double exact = b * (phi > 0 ? 1 / (1 / classical + 1 / most) : classical);
    report("saturation %g, conductivity %g: flux %.6g, exact %.6g", phi, kappa, flux, exact);
    assert_true(fabs(flux / exact - 1) < 1e-4);
  }
}

/** With a conductivity of T^(5/2) by COEFFICIENTS, a front keeps its shape. */
static void test_front(void **state) {
  (void)state;
  double error[2];
  for (int r = 0; r < 2; r++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      GAS RKL2 TEST_PROBLEM("along_field_front")
                      "problem.kind=front\nphysics.conductivity_parallel=%g\nmesh.min_level"
                      "=%d\nmesh.max_level=%d\nboundary.xlow=user\nboundary.xhigh=user\n",
                      fast * per_chi, r, r);
    MUST(oak_initialize(s.sim));
    for (int n = 0; n < 20; n++) MUST(oak_advance(s.sim, 0.05 / fast));
    double *T = temperature(&s);
    error[r] = 0;
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      double x[3];
      sim_center(&s, i / s.cells, i % s.cells, x);
      error[r] += fabs(T[i] - pow(0.5 + 0.4 * x[0], 2.0 / 7)) * sim_volume(&s, i / s.cells) / 4;
    }
    free(T);
    sim_free(&s);
    error[r] = sum_ranks(MPI_COMM_WORLD, error[r]);
  }
  report("front: errors %.3e, %.3e, order %.2f", error[0], error[1], log2(error[0] / error[1]));
  assert_true(error[0] > 3.6 * error[1]);
}

/* ---- momentum */

/** The velocity w = b (b.k) - k / 3 in a wave cos(k.x) decays with the rate 3 nu |w|^2; what is
 * normal to w does not. Without a field the rate is nu k^2 across k, and 4/3 of that along it.
 * \return the rate over nu. */
static double wave_rate(const char *more, int dim, int level, const double u[3]) {
  const double k[3] = {1, 2, dim == 3 ? -1 : 0}, end = 0.02 / fast;
  double sum[2] = {0}, square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  sim_t s = advance(MPI_COMM_WORLD, end, strstr(more, "rkl2") ? 20 : 0, 1e-4, more,
                    keys("problem.kind=wave\nproblem.b=2 1 1\nproblem.k=%g %g %g\n"
                         "problem.u=%.17g %.17g %.17g\nmesh.min_level=%d\nmesh.max_level=%d\n",
                         k[0], k[1], k[2], 1e-3 * u[0], 1e-3 * u[1], 1e-3 * u[2], level, level));
  for (int d = 0; d < 3; d++) {
    double *m = sim_read(&s, MX + d);
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      double x[3];
      sim_center(&s, i / s.cells, i % s.cells, x);
      const double wave = cos(pi * (k[0] * x[0] + k[1] * x[1] + k[2] * x[2]));
      sum[0] += m[i] * u[d] / 1e-3 * wave * sim_volume(&s, i / s.cells);
      sum[1] += square * wave * wave / 3 * sim_volume(&s, i / s.cells);
    }
    free(m);
  }
  sim_free(&s);
  for (int n = 0; n < 2; n++) sum[n] = sum_ranks(MPI_COMM_WORLD, sum[n]);
  return -log(sum[0] / sum[1]) / (end * fast);
}

static void check_wave(const char *name, const char *more, int dim, int level) {
  const double b[3] = {2 / sqrt(6), 1 / sqrt(6), 1 / sqrt(6)};
  const double k[3] = {pi, 2 * pi, dim == 3 ? -pi : 0};
  const double across[3] = {k[1] * b[2] - k[2] * b[1], k[2] * b[0] - k[0] * b[2],
                            k[0] * b[1] - k[1] * b[0]};
  double w[3], square = 0, bk = 0, k2 = 0, rate[2];
  char along[512], none[512];
  snprintf(along, sizeof along, "%sphysics.nu_parallel=%g\n", more, fast);
  snprintf(none, sizeof none, "%sphysics.nu_parallel=%g\nproblem.strength=0\n", more, fast);
  for (int d = 0; d < 3; d++) bk += b[d] * k[d], k2 += k[d] * k[d];
  for (int d = 0; d < 3; d++) w[d] = b[d] * bk - k[d] / 3, square += w[d] * w[d];
  for (int r = 0; r < 2; r++) rate[r] = wave_rate(along, dim, level + r, w) / (3 * square) - 1;
  const double rest = wave_rate(along, dim, level + 1, across) / k2;
  const double shear = wave_rate(none, dim, level + 1, across) / k2 - 1;
  const double compression = wave_rate(none, dim, level + 1, k) / (k2 * 4 / 3) - 1;
  report("wave, %s: errors of the rate %.2e, %.2e, across %.1e, without a field %.2e, %.2e", name,
         rate[0], rate[1], rest, shear, compression);
  assert_true(rate[0] / rate[1] > 3.6 && fabs(rest) < 0.2 * fabs(rate[1]));
  assert_true(fabs(shear) < fabs(rate[1]) && fabs(compression) < fabs(rate[1]));
}

static void test_wave(void **state) {
  (void)state;
  check_wave("2D", "", 2, 1);
  check_wave("2D, rkl2", RKL2, 2, 1);
  check_wave("3D, rkl2", RKL2 "mesh.dim=3\n", 3, 0);
}

/** Where velocity and temperature are linear, stress and heat flux are uniform, so that there is no
 * force, and the stress heats evenly, in all coordinates. */
static void test_strain(void **state) {
  (void)state;
  static const struct {
    const char *name, *keys;
    int dim;
  } system[] = {
      {"cartesian", "mesh.xmin=1 -1\nmesh.xmax=2 1\n" USER, 2},
      {"polar", "mesh.coordinates=polar\nmesh.xmin=1 -0.5\nmesh.xmax=2 0.5\n" USER, 2},
      {"polar, mhd_ct", CT "mesh.coordinates=polar\nmesh.xmin=1 -0.5\nmesh.xmax=2 0.5\n" USER, 2},
      {"spherical",
       "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=1 1 -0.5\nmesh.xmax=2 2 0.5\n"
       "boundary.zlow=user\nboundary.zhigh=user\n" USER,
       3}};
  static const double g[3][3] = {{0.3, 0.2, -0.1}, {0.5, -0.4, 0.2}, {0.1, 0.3, 0.1}};
  const double b[3] = {2 / sqrt(6), 1 / sqrt(6), 1 / sqrt(6)}, dt = 1e-3 / fast;
  for (int n = test_short() ? 1 : 0; n < 4; n++) {
    double rest = 0, error[2][2] = {{0}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < system[n].dim; j++) rest += (b[i] * b[j] - (i == j) / 3.0) * g[i][j];
    for (int r = 0; r < 2; r++) {
      sim_t s = sim_new(MPI_COMM_WORLD,
                        GAS
                        "problem.kind=strain\nproblem.b=2 1 1\nphysics.nu_parallel=%g\n"
                        "physics.conductivity_parallel=%g\nmesh.min_level=%d\nmesh.max_level=%d"
                        "\nscheme.integrator=euler\n%s",
                        fast, fast, r, r, system[n].keys);
      MUST(oak_initialize(s.sim));
      double *before[ENE + 1];
      for (int v = MX; v <= ENE; v++) before[v] = sim_read(&s, v);
      MUST(oak_advance(s.sim, dt));
      for (int v = MX; v <= ENE; v++) {
        double *after = sim_read(&s, v);
        for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
          const double rate = (after[i] - before[v][i]) / (dt * fast);
          const double wrong = fabs(rate - (v == ENE ? 3 * rest * rest : 0));
          error[r][v == ENE] += wrong / (s.cells << (system[n].dim * r));
        }
        free(after);
        free(before[v]);
      }
      sim_free(&s);
    }
    for (int i = 0; i < 4; i++)
      error[i / 2][i % 2] = sum_ranks(MPI_COMM_WORLD, error[i / 2][i % 2]);
    report("strain, %s: mean errors of force %.1e, %.1e, of heat %.1e, %.1e of %.3g",
           system[n].name, error[0][0], error[1][0], error[0][1], error[1][1], 3 * rest * rest);
    for (int i = 0; i < 2; i++)
      assert_true(n == 0 ? error[1][i] < 1e-8 : error[0][i] > 3.5 * error[1][i]);
  }
}

/** A circularly polarised Alfven wave of amplitude 0.1 changes no |B|, so viscosity along the field
 * does not damp it; with isotropic viscosity its energy decays at the rate nu k^2.
 * \return its kinetic energy after a period over that at the start. */
static double alfven(double nu, double nu_parallel) {
  double energy[2] = {0};
  sim_t s = sim_new(MPI_COMM_WORLD,
                    GAS
                    "problem.name=mhd_wave\nproblem.wave=circular\nproblem.amplitude=0.1\n"
                    "mesh.trees=2 1\nmesh.xmin=0\nmesh.xmax=2.2360679774997896 "
                    "1.1180339887498948\nmesh.min_level=1\n"
                    "mesh.max_level=1\nphysics.nu=%g\nphysics.nu_parallel=%g\n",
                    nu, nu_parallel);
  MUST(oak_initialize(s.sim));
  for (int end = 0; end < 2; end++) {
    for (int d = 0; d < 3; d++) {
      double *m = sim_read(&s, MX + d);
      for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) energy[end] += m[i] * m[i];
      free(m);
    }
    if (end == 0) sim_run(&s, 1, 0);
  }
  sim_free(&s);
  return sum_ranks(MPI_COMM_WORLD, energy[1]) / sum_ranks(MPI_COMM_WORLD, energy[0]);
}

static void test_alfven(void **state) {
  (void)state;
  const double nu = 0.02, none = alfven(0, 1e-9), along = alfven(0, nu), all = alfven(nu, 0);
  const double exact = exp(-4 * pi * pi * nu);
  report(
      "Alfven wave: energy after a period %.4f, with viscosity along the field %.4f, isotropic "
      "%.4f of that, exact %.4f",
      none, along / none, all / none, exact);
  assert_true(none > 0.9 && fabs(along / none - 1) < 0.01 && fabs(all / none / exact - 1) < 0.02);
}

/** The same bits as on one rank. */
static void test_ranks(void **state) {
  (void)state;
  static const char *const part[] = {"", RKL2, CT};
  for (int n = 0; n < 3 && test_size > 1; n++) {
    uint64_t hash[2] = {0};
    for (int alone = 0; alone < 2; alone++) {
      if (alone && test_rank > 0) continue;
      sim_t s = advance(alone ? MPI_COMM_SELF : MPI_COMM_WORLD, 0.01, n == 1 ? 5 : 0, 1, part[n],
                        "mesh.trees=2 2\nmesh.min_level=1\nmesh.max_level=2\nproblem.fine=2\n"
                        "physics.conductivity_parallel=0.02\nphysics.nu_parallel=0.02\n"
                        "physics.saturation=0.3\n");
      hash[alone] = hash_of(&s);
      sim_free(&s);
    }
    if (test_rank == 0) assert_true(hash[0] == hash[1]);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ring),   cmocka_unit_test(test_ring_parts),
      cmocka_unit_test(test_blob),   cmocka_unit_test(test_saturation),
      cmocka_unit_test(test_front),  cmocka_unit_test(test_wave),
      cmocka_unit_test(test_strain), cmocka_unit_test(test_alfven),
      cmocka_unit_test(test_ranks)};
  return TEST_MAIN(tests);
}
