/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations: orders for a made-up solution on uniform meshes and on static meshes of three
 * levels, two homogeneous spheres off centre in empty space, and Jeans waves. */
#include "../verify.h"

static const char open_faces[] =
    "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"
    "boundary.yhigh=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n";

/* ---- a made-up solution: u = exp(x) cos(2 y + z), a = 1 + x y / 2, b = 1 + x */

static double exact(const double x[3]) { return exp(x[0]) * cos(2 * x[1] + x[2]); }

static double slope(const double x[3], int d) {
  return d == 0 ? exact(x) : -(d == 1 ? 2 : 1) * exp(x[0]) * sin(2 * x[1] + x[2]);
}

static double given(void *data, int face, const double x[3], double time) {
  (void)data, (void)face, (void)time;
  return exact(x);
}

/* div(a grad u) - b u */
static double right_side(int dim, const double x[3]) {
  const double a = 1 + x[0] * x[1] / 2, laplace = (dim == 3 ? -4 : -3) * exact(x);
  return a * laplace + (x[1] * slope(x, 0) + x[0] * slope(x, 1)) / 2 - (1 + x[0]) * exact(x);
}

/* Refine the blocks in the lower quarter (3D: eighth) of the region that is finest now. */
static void refine_corner(sim_t *s, double edge) {
  const int n = oak_nblocks(s->sim);
  int *flag = calloc(n + 1, sizeof *flag);
  for (int b = 0; b < n; b++) {
    double origin[3], dx[3];
    int inside = 1;
    oak_block_geometry(s->sim, b, origin, dx);
    for (int d = 0; d < s->dim; d++) inside &= origin[d] + s->n / 2 * dx[d] < edge;
    flag[b] = inside;
  }
  MUST(oak_adjust_refinement_flags(s->sim, oak_nblocks(s->sim), flag, NULL));
  free(flag);
}

/* Largest error of u, mean error of its gradient. */
static void solve(verify_t *v, FILE *table, int dim, int level, int levels, double out[2]) {
  sim_t s = verify_new(v, NULL,
                       "physics.name=advection\nproblem.name=advection\nrefine.criterion=none\n"
                       "mesh.dim=%d\nmesh.block_size=8\nmesh.min_level=%d\nmesh.max_level=%d\n%s",
                       dim, level, level + levels - 1, open_faces);
  oak_solver_options_t options = {
      .fields = 1, .value = given, .tolerance = 1e-11, .max_cycles = 30};
  oak_solver_report_t report;
  oak_solver_t *solver;
  double most = 0, sum = 0, volume = 0;
  MUST(oak_initialize(s.sim));
  for (int l = 1; l < levels; l++) refine_corner(&s, ldexp(1, -l));
  const size_t count = (size_t)oak_nblocks(s.sim) * s.cells;
  double *f = malloc((count + 1) * sizeof *f), *a = malloc((count + 1) * sizeof *a);
  double *b = malloc((count + 1) * sizeof *b);
  for (size_t i = 0; i < count; i++) {
    double x[3];
    verify_cell(&s, (int)(i / s.cells), (int)(i % s.cells), x);
    f[i] = right_side(dim, x);
    a[i] = 1 + x[0] * x[1] / 2;
    b[i] = 1 + x[0];
  }
  MUST(oak_solver_new(s.sim, &options, &solver));
  MUST(oak_solver_write(solver, OAK_SOLVER_RHS, 0, oak_nblocks(s.sim), f));
  MUST(oak_solver_write(solver, OAK_SOLVER_A, 0, oak_nblocks(s.sim), a));
  MUST(oak_solver_write(solver, OAK_SOLVER_B, 0, oak_nblocks(s.sim), b));
  MUST(oak_solve(solver, &report));
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(s.sim), f));
  for (int d = -1; d < dim; d++) {
    if (d >= 0) MUST(oak_solver_gradient(solver, d, oak_nblocks(s.sim), f));
    for (size_t i = 0; i < count; i++) {
      double x[3];
      const double V = verify_cell(&s, (int)(i / s.cells), (int)(i % s.cells), x);
      if (d < 0)
        most = fmax(most, fabs(f[i] - exact(x)));
      else
        sum += V * fabs(f[i] - slope(x, d));
      volume += V;
    }
  }
  out[0] = verify_max(most);
  out[1] = verify_sum(sum) / verify_sum(volume) * (dim + 1);
  verify_row(table, "%d;%d;%d;%.3e;%.3e;%d", dim, level, levels, out[0], out[1], report.cycles);
  oak_solver_destroy(&solver);
  free(f);
  free(a);
  free(b);
  verify_free(&s);
}

static void check_orders(verify_t *v) {
  FILE *table = verify_table(v, "orders", "dim;level;levels;error of u;error of gradient;cycles");
  for (int dim = 2; dim <= 2 + v->full; dim++)
    for (int levels = 1; levels <= 3; levels += 2) {
      const int level = 2 + v->full;
      double coarse[2], fine[2];
      solve(v, table, dim, level, levels, coarse);
      solve(v, table, dim, level + 1, levels, fine);
      for (int i = 0; i < 2; i++) {
        verify_check(v, verify_order(coarse[i], fine[i], 2), 2, v->full ? 1.9 : 1.75, 2.2,
                     "made-up solution", "%dD, %s: order of %s", dim,
                     levels > 1 ? "3 levels" : "uniform",
                     i ? "the gradient (L1)" : "u (largest error)");
      }
    }
  verify_close(table);
}

/* ---- two homogeneous spheres */

static const double sphere[2][5] = {{-0.3, 0.1, 0.2, 0.4, 1}, {0.5, -0.3, -0.2, 0.25, 3}};

/* The potential of both for div grad u = density. */
static double attraction(const double x[3]) {
  double u = 0;
  for (int i = 0; i < 2; i++) {
    const double *s = sphere[i], R = s[3];
    const double r = sqrt(pow(x[0] - s[0], 2) + pow(x[1] - s[1], 2) + pow(x[2] - s[2], 2));
    u -= s[4] * (r < R ? (3 * R * R - r * r) / 6 : R * R * R / (3 * r));
  }
  return u;
}

/* The mean density of a cell, by 4^3 points. */
static double mean_density(const double x[3], double dx) {
  double sum = 0;
  for (int p = 0; p < 64; p++)
    for (int i = 0; i < 2; i++) {
      double r2 = 0;
      for (int d = 0; d < 3; d++) {
        const double at = x[d] + ((p >> 2 * d & 3) - 1.5) / 4 * dx;
        r2 += pow(at - sphere[i][d], 2);
      }
      sum += r2 < sphere[i][3] * sphere[i][3] ? sphere[i][4] / 64 : 0;
    }
  return sum;
}

static double solve_spheres(verify_t *v, int level) {
  sim_t s = verify_new(v, NULL,
                       "physics.name=advection\nproblem.name=advection\nrefine.criterion=none\n"
                       "mesh.dim=3\nmesh.block_size=8\nmesh.xmin=-1\nmesh.xmax=1\n"
                       "mesh.min_level=%d\nmesh.max_level=%d\n%s",
                       level, level, open_faces);
  oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 30};
  oak_solver_t *solver;
  double most = 0;
  for (int face = 0; face < 6; face++) options.face[face].condition = OAK_SOLVER_ISOLATED;
  MUST(oak_initialize(s.sim));
  const size_t count = (size_t)oak_nblocks(s.sim) * s.cells;
  double *f = malloc((count + 1) * sizeof *f);
  for (size_t i = 0; i < count; i++) {
    double x[3];
    const double V = verify_cell(&s, (int)(i / s.cells), (int)(i % s.cells), x);
    f[i] = mean_density(x, cbrt(V));
  }
  MUST(oak_solver_new(s.sim, &options, &solver));
  MUST(oak_solver_write(solver, OAK_SOLVER_RHS, 0, oak_nblocks(s.sim), f));
  MUST(oak_solve(solver, NULL));
  MUST(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(s.sim), f));
  for (size_t i = 0; i < count; i++) {
    double x[3];
    verify_cell(&s, (int)(i / s.cells), (int)(i % s.cells), x);
    most = fmax(most, fabs(f[i] - attraction(x)));
  }
  oak_solver_destroy(&solver);
  free(f);
  verify_free(&s);
  return verify_max(most);
}

static void check_spheres(verify_t *v) {
  const double lowest = -0.12; /* of the potential, about */
  verify_check(v, solve_spheres(v, 2) / -lowest, 0, 0, 0.004, "exact potential",
               "two spheres, 32^3 cells: largest error over the lowest potential");
  if (v->full)
    verify_check(v, solve_spheres(v, 3) / -lowest, 0, 0, 0.0025, "exact potential",
                 "two spheres, 64^3 cells: largest error over the lowest potential");
}

/* ---- Jeans waves in 2D */

static double jeans(verify_t *v, FILE *table, double G, int level) {
  const double omega2 = 4 * M_PI * (M_PI - G), omega = sqrt(fabs(omega2)), end = 0.5;
  const double expected = omega2 > 0 ? cos(omega * end) : cosh(omega * end);
  double sum = 0;
  sim_t s = verify_new(v, "problems/jeans.ini",
                       "mesh.min_level=%d\nmesh.max_level=%d\nproblem.G=%g\n"
                       "problem.amplitude=1e-6\nscheme.limiter=vanleer\n",
                       level, level, G);
  verify_run(&s, end);
  double *rho = verify_read(&s, verify_variable(&s, "rho"));
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3];
    const double V = verify_cell(&s, i / s.cells, i % s.cells, x);
    sum += 2 * (rho[i] - 1) * cos(2 * M_PI * x[0]) * V;
  }
  free(rho);
  verify_free(&s);
  const double found = verify_sum(sum) * 1e6;
  verify_row(table, "%g;%d;%.5f;%.5f", G, 8 << level, found, expected);
  return fabs(found - expected);
}

static void check_jeans(verify_t *v) {
  FILE *table = verify_table(v, "jeans", "G;cells;amplitude;exact");
  const double coarse = jeans(v, table, 4, 2 + v->full), fine = jeans(v, table, 4, 3 + v->full);
  verify_check(v, verify_order(coarse, fine, 2), 2, 1.9, 2.5, "dispersion relation",
               "Jeans wave that grows: order of the amplitude");
  verify_check(v, jeans(v, table, 1, 3), 0, 0, 0.005, "dispersion relation",
               "Jeans wave that swings, 64 cells: error of the amplitude");
  verify_close(table);
}

static void run(verify_t *v) {
  check_orders(v);
  check_spheres(v);
  check_jeans(v);
}

const verify_case_t verify_case_poisson = {
    .name = "poisson",
    .title = "Elliptic equations and self-gravity",
    .source =
        "made-up solutions; the exact potential of spheres; J. H. Jeans, Phil. Trans. R. Soc. "
        "A 199 (1902) 1",
    .run = run};
