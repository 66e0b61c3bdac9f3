// SPDX-License-Identifier: GPL-2.0-or-later
// TEST np=2 timeout=300 flags=-O1
// TEST name=long_@test@_np2 np=2 timeout=3600 suite=long OAK_TEST_LONG=1
/* Self-gravity in 3D on an adaptive mesh with isolated boundaries: free fall of a cold uniform
 * sphere against the exact solution, drift of momentum and energy. The same of a spheroid in (r,
 * z), which becomes flatter. OAK_TEST_LONG adds a finer mesh,
 * the second half of the fall, and Jeans waves against the dispersion relation. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define OUTFLOW                                                            \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n" \
  "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n"
#define COLLAPSE                                                                     \
  "problem.name=collapse\nphysics.name=euler\nphysics.gamma=5/3\nmesh.dim=3\n"       \
  "mesh.block_size=8\nmesh.xmin=-1.5\nmesh.xmax=1.5\nrun.cfl=0.4\nscheme.flux=hll\n" \
  "scheme.limiter=vanleer\nscheme.on_invalid=first_order\nproblem.profile=uniform\n" \
  "problem.energy=1e-3\nrefine.criterion=user\nrefine.c_refine=1\nrefine.c_derefine=0.1\n" OUTFLOW

/* Integrals of the sphere: mass, momentum, kinetic + internal energy, potential energy, and the
 * root of the mean square distance from the centre. */
typedef struct {
  double mass, momentum, energy, potential, radius;
} sphere_t;

static sphere_t measure(const sim_t *s, double ambient) {
  const int n = oak_nblocks(s->sim);
  double sum[7] = {0};
  double *u[5], *phi = malloc(((size_t)n * s->cells + 1) * sizeof *phi);
  for (int v = 0; v < 5; v++) u[v] = sim_read(s, v);
  MUST(oak_field_get(s->sim, "phi", oak_nblocks(s->sim), phi));
  for (int i = 0; i < n * s->cells; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    const double volume = sim_volume(s, i / s->cells), m = fmax(u[0][i] - ambient, 0) * volume;
    sum[0] += m;
    for (int d = 0; d < 3; d++) sum[1 + d] += u[1 + d][i] * volume;
    sum[4] += u[4][i] * volume;
    sum[5] += m * phi[i] / 2;
    sum[6] += m * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  }
  for (int v = 0; v < 5; v++) free(u[v]);
  free(phi);
  MPI_Allreduce(MPI_IN_PLACE, sum, 7, MPI_DOUBLE, MPI_SUM, s->comm);
  return (sphere_t){.mass = sum[0],
                    .momentum = fmax(fabs(sum[1]), fmax(fabs(sum[2]), fabs(sum[3]))),
                    .energy = sum[4] + sum[5],
                    .potential = sum[5],
                    .radius = sqrt(sum[6] / sum[0] * 5 / 3)};
}

/* Errors of the radius at t = 0.6 and at the time at which it is 1/2. */
static void fall(int min, int max, double error[2]) {
  const double b = acos(sqrt(0.5)), time[2] = {0.6, (b + sin(2 * b) / 2) / sqrt(2)};
  double exact[2] = {0, 0.5}, low = 0, high = M_PI / 2;
  int before, after;
  for (int i = 0; i < 60; i++) { /* the angle at t = 0.6 */
    const double middle = (low + high) / 2;
    *(middle + sin(2 * middle) / 2 < sqrt(2) * time[0] ? &low : &high) = middle;
  }
  exact[0] = cos(low) * cos(low);
  sim_t s = sim_new(MPI_COMM_WORLD,
                    COLLAPSE "mesh.min_level=%d\nmesh.max_level=%d\nproblem.cell_mass=%g\n", min,
                    max, 0.03 * pow(8, -max));
  MUST(oak_initialize(s.sim));
  const sphere_t first = measure(&s, 1e-4);
  before = (int)oak_nblocks_global(s.sim);
  for (int i = 0; i < (test_long() ? 2 : 1); i++) {
    sim_run(&s, time[i], 4);
    const sphere_t now = measure(&s, 1e-4);
    after = (int)oak_nblocks_global(s.sim);
    error[i] = fabs(now.radius - exact[i]);
    report(
        "free fall, levels %d to %d, %d to %d blocks, %ld steps, t = %.3f: radius %.4f, exact "
        "%.4f; mass %.4f, drift of momentum %.1e, of energy %.4f of %.3f",
        min, max, before, after, oak_step(s.sim), oak_time(s.sim), now.radius, exact[i], now.mass,
        now.momentum, now.energy - first.energy, first.energy);
    assert_true(now.momentum < 1e-10);
    assert_true(fabs(now.mass - 1) < 0.01);
  }
  sim_free(&s);
}

static void test_free_fall(void **state) {
  (void)state;
  double coarse[2], fine[2];
  fall(1, 2, coarse);
  assert_true(coarse[0] < 0.02);
  if (!test_long()) {
    SKIP_PART("a part of make test-long");
    return;
  }
  assert_true(coarse[1] < 0.05);
  fall(2, 3, fine);
  report("errors of the radius fall by %.1f and %.1f", coarse[0] / fine[0], coarse[1] / fine[1]);
  assert_true(fine[0] < 0.5 * coarse[0] && fine[1] < 0.5 * coarse[1]);
}

/* ---- a spheroid in (r, z) */

/* Accelerations of the semi-axes a and c < a of a uniform spheroid of mass 1 (C. C. Lin, L. Mestel,
 * F. H. Shu, Astrophys. J. 142 (1965) 1431). y: a, c and their velocities. */
static void pull(const double y[4], double rate[4]) {
  const double s = y[1] / y[0], e2 = 1 - s * s, e = sqrt(e2),
               rho = 3 / (4 * M_PI * y[0] * y[0] * y[1]);
  const double part = s * asin(e) / (e2 * e);
  rate[0] = y[2];
  rate[1] = y[3];
  rate[2] = -2 * M_PI * rho * (part - s * s / e2) * y[0];
  rate[3] = -4 * M_PI * rho * (1 / e2 - part) * y[1];
}

static void semi_axes(double height, double end, double y[4]) {
  const int steps = 4000;
  const double dt = end / steps;
  y[0] = 1;
  y[1] = height;
  y[2] = y[3] = 0;
  for (int n = 0; n < steps; n++) { /* midpoint rule */
    double rate[4], middle[4];
    pull(y, rate);
    for (int i = 0; i < 4; i++) middle[i] = y[i] + dt / 2 * rate[i];
    pull(middle, rate);
    for (int i = 0; i < 4; i++) y[i] += dt * rate[i];
  }
}

/* Errors of both semi-axes at t = 0.6. */
static void flatten(int max, double error[2]) {
  double exact[4], sum[4] = {0}, x[3];
  sim_t s = sim_new(MPI_COMM_WORLD,
                    COLLAPSE
                    "mesh.dim=2\nmesh.coordinates=axisymmetric\nmesh.trees=1 2\n"
                    "mesh.xmin=0 -1.5\nboundary.xlow=reflect\nproblem.height=0.7\n"
                    "mesh.min_level=1\nmesh.max_level=%d\nproblem.cell_mass=%g\n",
                    max, 0.03 * pow(8, -max));
  MUST(oak_initialize(s.sim));
  sim_run(&s, 0.6, 4);
  double *rho = sim_read(&s, 0), *mz = sim_read(&s, 2);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    sim_center(&s, i / s.cells, i % s.cells, x);
    const double volume = 2 * M_PI * x[0] * sim_volume(&s, i / s.cells);
    const double mass = fmax(rho[i] - 1e-4, 0) * volume;
    sum[0] += mass;
    sum[1] += mass * x[0] * x[0];
    sum[2] += mass * x[1] * x[1];
    sum[3] += mz[i] * volume;
  }
  free(rho);
  free(mz);
  MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, s.comm);
  semi_axes(0.7, 0.6, exact);
  for (int i = 0; i < 2; i++) {
    const double axis = sqrt(sum[1 + i] / sum[0] * (i == 0 ? 2.5 : 5));
    error[i] = fabs(axis - exact[i]);
    report("spheroid, level %d, %ld steps: semi-axis %.4f, exact %.4f; mass %.4f, momentum %.1e",
           max, oak_step(s.sim), axis, exact[i], sum[0], sum[3]);
  }
  assert_true(fabs(sum[0] - 1) < 0.005 && fabs(sum[3]) < 1e-7);
  sim_free(&s);
}

static void test_spheroid(void **state) {
  (void)state;
  double coarse[2], fine[2];
  flatten(2, coarse);
  flatten(3, fine);
  for (int i = 0; i < 2; i++) assert_true(fine[i] < 0.015 && fine[i] < 0.6 * coarse[i]);
}

/* ---- Jeans waves in 3D, oblique to the grid */

static double wave(const double x[3]) { return cos(2 * M_PI * (2 * x[0] + x[1] + x[2])); }

/* The error of the amplitude at t = 0.25, relative to the one at the start. */
static double jeans(double G, int level, int adapt) {
  const double k2 = 6 * 4 * M_PI * M_PI, omega2 = k2 - 4 * M_PI * G, end = 0.25;
  const double omega = sqrt(fabs(omega2)),
               exact = omega2 > 0 ? cos(omega * end) : cosh(omega * end);
  double sum = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "problem.name=jeans\nphysics.name=euler\nmesh.dim=3\nmesh.block_size=8\n"
                    "scheme.flux=hllc\nscheme.limiter=vanleer\nrun.cfl=0.5\nproblem.waves=2\n"
                    "problem.amplitude=1e-4\nproblem.G=%g\nmesh.min_level=%d\nmesh.max_level=%d\n"
                    "refine.criterion=%s\nrefine.variable=rho\nrefine.c_refine=3e-5\n"
                    "refine.c_derefine=1e-6\n",
                    G, level, level + adapt, adapt ? "gradient" : "none");
  MUST(oak_initialize(s.sim));
  sim_run(&s, end, adapt ? 4 : 0);
  double *rho = sim_read(&s, 0);
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    sim_center(&s, i / s.cells, i % s.cells, x);
    sum += 2 * (rho[i] - 1) * wave(x) * sim_volume(&s, i / s.cells);
  }
  free(rho);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, s.comm);
  const double error = fabs(sum / 1e-4 - exact);
  report("Jeans wave in 3D, G = %g, level %d%s, %lld blocks: amplitude %.4f, exact %.4f", G, level,
         adapt ? " to 1 more, adaptive" : "", (long long)oak_nblocks_global(s.sim), sum / 1e-4,
         exact);
  sim_free(&s);
  return error / fmax(1, fabs(exact));
}

static void test_jeans(void **state) {
  (void)state;
  if (!test_long()) SKIP_CASE("a part of make test-long");
  static const double G[] = {10, 24}; /* 6 pi is critical */
  for (int i = 0; i < 2; i++) {
    const double coarse = jeans(G[i], 2, 0), fine = jeans(G[i], 3, 0), mixed = jeans(G[i], 2, 1);
    report("errors %.1e, %.1e, adaptive %.1e", coarse, fine, mixed);
    assert_true(fine < 0.05 && fine < 0.5 * coarse);
    assert_true(mixed < 1.5 * coarse);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_fall),
                                     cmocka_unit_test(test_spheroid), cmocka_unit_test(test_jeans)};
  return TEST_MAIN(tests);
}
