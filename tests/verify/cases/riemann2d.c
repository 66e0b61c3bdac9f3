/* SPDX-License-Identifier: GPL-2.0-or-later
 * Riemann problems in two dimensions: along the edges of the square, which waves from the centre do
 * not reach, the exact solution of the one-dimensional problem between two of the four states;
 * symmetry about the diagonal; AMR against the uniform mesh. */
#include "../exact_riemann.h"
#include "../verify.h"

enum { DENSITY, VELOCITY, PRESSURE = 3 };

/* What is accepted: for the test, at full resolution. */
typedef struct {
  const char *name;
  double end;
  int symmetric;
  int cells[2];
  double edges[2];      /* largest L1 error of the density along an edge, over its largest value */
  double difference[2]; /* L1 of the density, AMR from uniform */
  double updates[2];    /* AMR over uniform */
  double low, high;     /* of the picture */
} configuration_t;

static const configuration_t configurations[] = {
    {"three", 0.3, 1, {128, 512}, {0.0050, 0.0009}, {7.3e-05, 1.7e-4}, {0.85, 0.44}, 0, 1.8},
    {"four", 0.25, 1, {128, 256}, {0.0042, 0.00202}, {1.8e-04, 2.4e-04}, {0.83, 0.58}, 0.5, 2},
    {"six", 0.25, 0, {128, 256}, {0.0103, 0.00636}, {2.9e-04, 5.7e-04}, {0.85, 0.61}, 0, 3.1},
    {"twelve", 0.25, 1, {128, 256}, {0.0033, 0.00197}, {3.6e-05, 1.2e-04}, {0.82, 0.56}, 0.5, 1.75},
};
enum { NCONFIGURATIONS = sizeof configurations / sizeof *configurations };

/* A run: the states in the corners at t = 0, and all primitive variables at the end on the uniform
 * grid of the finest level. */
typedef struct {
  sim_t s;
  int n;
  double corner[2][2][4]; /* [upper][right] */
  double *q[4];
} run_t;

static run_t run_case(verify_t *v, const configuration_t *c, int amr) {
  int size[3];
  const int trees = c->cells[v->full] / 64;
  run_t r = {.s = verify_new(v, "problems/riemann2d.ini",
                             "problem.configuration=%s\nmesh.trees=%d %d\nmesh.min_level=%d\n"
                             "mesh.max_level=2\ndevice.flags=-ffp-contract=off\n",
                             c->name, trees, trees, amr ? 0 : 2)};
  MUST(oak_initialize(r.s.sim));
  for (int turn = 0; turn < 2; turn++) {
    if (turn == 1) verify_continue(&r.s, c->end);
    for (int q = 0; q < 4; q++) {
      r.q[q] = verify_uniform(&r.s, r.s.nvar + q, 2, size);
      r.n = size[0];
      for (int up = 0; up < 2 && turn == 0; up++)
        for (int right = 0; right < 2; right++)
          r.corner[up][right][q] = r.q[q][(size_t)up * (r.n - 1) * r.n + right * (r.n - 1)];
      if (turn == 0) free(r.q[q]);
    }
  }
  return r;
}

static void run_free(run_t *r) {
  for (int q = 0; q < 4; q++) free(r->q[q]);
  verify_free(&r->s);
}

/* L1 error of the density along one edge (0 to 3: left, right, lower, upper), over the largest
 * exact value. */
static double edge_error(FILE *table, const configuration_t *c, const run_t *r, int edge) {
  static const char *const names[] = {"left", "right", "lower", "upper"};
  const int along = edge < 2, far = edge % 2; /* along y; at the higher coordinate */
  gas_t side[2];
  for (int s = 0; s < 2; s++) {
    const double *w = along ? r->corner[s][far] : r->corner[far][s];
    side[s] = (gas_t){w[DENSITY], w[VELOCITY + along], w[PRESSURE]};
  }
  const riemann_t exact = riemann_solve(1.4, side[0], side[1]);
  double error = 0, most = 0;
  for (int i = 0; i < r->n; i++) {
    const size_t row = far * (r->n - 1);
    const double rho = r->q[DENSITY][along ? (size_t)i * r->n + row : row * r->n + i];
    const double x = (i + 0.5) / r->n;
    const double want = riemann_sample(&exact, (x - 0.5) / c->end).rho;
    verify_row(table, "%s;%s;%.6g;%.6g;%.6g", c->name, names[edge], x, rho, want);
    error += fabs(rho - want) / r->n;
    most = fmax(most, want);
  }
  return error / most;
}

static void check_edges(verify_t *v, FILE *table, const configuration_t *c, const run_t *r) {
  double worst = 0;
  for (int edge = 0; edge < 4; edge++) worst = fmax(worst, edge_error(table, c, r, edge));
  verify_check(v, worst, 0, 0, c->edges[v->full],
               "exact solution of the Riemann problem between two of the states",
               "%s, %d cells: largest L1 of density along an edge", c->name, r->n);
}

/* Bit for bit on a uniform mesh, where every sum is the same when x and y change places. */
static void check_symmetry(verify_t *v, const configuration_t *c, const run_t *r, int amr) {
  double most = 0;
  for (int j = 0; j < r->n; j++)
    for (int i = 0; i < j; i++)
      most = fmax(most,
                  fabs(r->q[DENSITY][(size_t)j * r->n + i] - r->q[DENSITY][(size_t)i * r->n + j]));
  verify_check(v, most, 0, 0, amr || v->fuses ? 1e-11 : 0, "symmetry of the states",
               "%s, %s: difference from the mirror image", c->name, amr ? "AMR" : "uniform");
}

static void run(verify_t *v) {
  FILE *edges = verify_table(v, "edges", "configuration;edge;x;rho;exact rho");
  FILE *table = verify_table(v, "amr",
                             "configuration;finest cells;L1 difference of density;part of the "
                             "updates;cells at the end");
  for (int n = 0; n < NCONFIGURATIONS; n++) {
    const configuration_t *c = &configurations[n];
    run_t one = run_case(v, c, 0), amr = run_case(v, c, 1);
    const verify_amr_t is = verify_amr(v, c->name, &one.s, &amr.s, DENSITY, 2,
                                       (verify_amr_t){c->difference[v->full], c->updates[v->full]});
    check_edges(v, edges, c, &one);
    if (c->symmetric) check_symmetry(v, c, &one, 0);
    if (c->symmetric) check_symmetry(v, c, &amr, 1);
    verify_row(table, "%s;%d;%.6f;%.4f;%.4f", c->name, one.n, is.difference, is.updates,
               verify_cell_fraction(&amr.s));
    verify_picture(&amr.s, c->name, "rho", c->low, c->high);
    run_free(&one);
    run_free(&amr);
  }
  verify_close(edges);
  verify_close(table);
}

const verify_case_t verify_case_riemann2d = {
    .name = "riemann2d",
    .title = "Riemann problems in two dimensions",
    .source =
        "P. D. Lax, X.-D. Liu, SIAM J. Sci. Comput. 19 (1998) 319, configurations 3, 4, 6 and "
        "12; problems/riemann2d.ini",
    .run = run};
