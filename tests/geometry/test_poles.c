/* SPDX-License-Identifier: GPL-2.0-or-later
 * r = 0 of polar and cylindrical meshes, and the poles of spherical ones, inside of the domain:
 * ghost cells beyond them are the cells at phi + pi with the signs of vectors; a gas at rest stays
 * at rest; totals are conserved; a cloud crosses them with second order. */
// TEST np={1,2,3} timeout=600
#include "solver_test.h"

#define ACROSS \
  TEST_PROBLEM("across") "mesh.theta=1\ndevice.flags=-O1\nmesh.block_size=8\nscheme.flux=hllc\n"

enum { N = 8, RHO = 0, MX = 1 };

typedef struct {
  const char *name, *keys;
  int dim, cross, phi; /* axis across the pole, and along phi */
} system_t;

static const system_t systems[] = {
    {"polar", "mesh.coordinates=polar\nmesh.xmin=0 0\nmesh.xmax=1 2pi\nmesh.trees=1 4\n", 2, 0, 1},
    {"cylindrical",
     "mesh.dim=3\nmesh.coordinates=cylindrical\nmesh.xmin=0 0 -0.5\nmesh.xmax=1 2pi 0.5\n"
     "mesh.trees=1 2 1\n",
     3, 0, 1},
    {"spherical",
     "mesh.dim=3\nmesh.coordinates=spherical\nmesh.xmin=0.5 0 0\nmesh.xmax=1.5 pi 2pi\n"
     "mesh.trees=1 2 4\n",
     3, 1, 2}};
enum { NSYSTEMS = sizeof systems / sizeof *systems };

static sim_t across_new(const system_t *c, const char *flow, const char *outer, int low, int high) {
  return sim_new(MPI_COMM_WORLD,
                 ACROSS
                 "%sboundary.xlow=%s\nboundary.xhigh=%s\nproblem.flow=%s\nproblem.fine=%g\n"
                 "mesh.min_level=%d\nmesh.max_level=%d\nproblem.pressure=4\n",
                 c->keys, c->cross ? outer : "reflect", outer, flow, high > low ? 0.4 : 0.0, low,
                 high);
}

/** Density and momentum of the wind at a point in coordinates of the mesh. The same formulas hold
 * beyond a pole: at a negative radius, and at theta below 0 or above pi. */
static double wind(const system_t *c, const double x[3], int variable) {
  const double cosine = cos(x[c->phi]), sine = sin(x[c->phi]), along = cosine + 0.4 * sine;
  const double st = c->cross ? sin(x[1]) : 1, ct = c->cross ? cos(x[1]) : 0;
  const double R = x[0] * st, z = c->cross ? fabs(x[0] * ct) - 1 : 0;
  const double rho = 1 + exp(-(pow(R * cosine + 0.25, 2) + pow(R * sine + 0.1, 2) + z * z) / 0.04);
  if (variable == RHO) return rho;
  if (variable == MX) return rho * along * st;
  if (variable == MX + c->phi) return rho * (0.4 * cosine - sine);
  return rho * along * ct;
}

/** The place of entry i of a block with ghost cells, and whether it lies beyond a pole. */
static int beyond_pole(const system_t *c, const sim_t *s, int block, int i, double x[3]) {
  const int g = s->layers, width = N + 2 * g;
  const int at[3] = {i % width - g, i / width % width - g, i / (width * width) - g};
  double origin[3], dx[3];
  int outside = 0;
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < s->dim; d++) {
    x[d] = origin[d] + (at[d] + 0.5) * dx[d];
    outside += at[d] < 0 || at[d] >= N; /* more than once: an edge, without a value */
  }
  return outside == 1 && (x[c->cross] < 0 || (c->cross && x[c->cross] > acos(-1)));
}

/** The largest error of ghost cells beyond poles, and how many there are. */
static double pole_error(const system_t *c, const sim_t *s, int64_t *checked) {
  const int n = oak_nblocks(s->sim), width = N + 2 * s->layers;
  const int size = width * width * (s->dim == 3 ? width : 1), variables = MX + c->dim;
  double *u = malloc(((size_t)n * s->nvar * size + 1) * sizeof *u), most = 0, x[3];
  if (!u) abort();
  MUST(oak_read_ghosts(s->sim, 0, n, u));
  for (int i = 0; i < n * variables * size; i++) {
    const int block = i / (variables * size), v = i / size % variables, cell = i % size;
    if (!beyond_pole(c, s, block, cell, x)) continue;
    most = worse(most, fabs(u[((size_t)block * s->nvar + v) * size + cell] - wind(c, x, v)));
    (*checked)++;
  }
  free(u);
  return max_ranks(s->comm, most);
}

/* The signs of vectors and the block at phi + pi, as values. */
static void test_ghosts(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    sim_t s = across_new(c, "wind", "user", 0, 1);
    int64_t checked = 0;
    MUST(oak_initialize(s.sim));
    MUST(oak_update_ghostcells(s.sim));
    const double most = pole_error(c, &s, &checked);
    checked = sum_ranks_int(s.comm, checked);
    report("%s: %d ghost cells beyond poles, largest error %.1e", c->name, (int)checked, most);
    assert_true(checked >= N * (c->dim + 1) * s.layers * 4 && most < 1e-14);
    sim_free(&s);
  }
}

/* Where all is to be refined, blocks at the pole keep their level, and the mesh is balanced. */
static void test_levels(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    ACROSS
                    "%smesh.trees=3 4\nboundary.xhigh=user\nproblem.fine=0.01\n"
                    "mesh.max_level=3\n",
                    systems[0].keys);
  int lowest, highest;
  MUST(oak_initialize(s.sim));
  for (int b = 0; b < oak_nblocks(s.sim); b++) {
    double origin[3], dx[3];
    oak_block_geometry(s.sim, b, origin, dx);
    const double blocks = 3 * origin[0]; /* of level 0 from r = 0 */
    const int level = oak_block_level(s.sim, b), most = blocks > 1.74   ? 3
                                                        : blocks > 1.49 ? 2
                                                                        : blocks > 0.99;
    assert_int_equal(level, most);
  }
  sim_levels(&s, &lowest, &highest);
  assert_true(lowest == 0 && highest == 3);
  sim_free(&s);
}

static void refused(const char *keys, const char *words) {
  char text[1024];
  char *next = text;
  oak_params_t *params;
  oak_t *sim = NULL;
  snprintf(text, sizeof text, "%s%s", ACROSS, keys);
  MUST(oak_params_new(&params));
  for (char *line = text; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    MUST(test_assign(params, line));
  }
  assert_int_equal(oak_create(MPI_COMM_WORLD, params, &sim), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), words)) report("unexpected message: %s", oak_last_error());
  assert_non_null(strstr(oak_last_error(), words));
  oak_params_destroy(&params);
}

static void test_refused(void **state) {
  (void)state;
#define POLAR "mesh.coordinates=polar\nmesh.xmin=0 0\n"
  refused(POLAR "mesh.xmax=1 2pi\nmesh.trees=1 3\n", "even number of blocks along phi");
  refused(POLAR "mesh.xmax=1 pi\n", "needs phi over 2 pi");
  refused(POLAR "mesh.xmin=1 0\nmesh.xmax=2 6.28\n",
          "1 of these ranges differ from a turn by -0.0032");
  refused(POLAR "mesh.xmin=1 0\nmesh.xmax=2 6.2832\n", "has phi over 2 pi at most");
  refused(POLAR "mesh.xmin=1 0\nmesh.xmax=2 1.57\n", "the range must be 2pi/4");
  refused("mesh.coordinates=spherical\nmesh.xmax=1 3.1415\n", "a hole of 9.3e-05 around a pole");
  refused("mesh.coordinates=spherical\nmesh.xmin=0 1e-4\nmesh.xmax=1 pi\n", "write 0, or end");
  refused("mesh.coordinates=spherical\nmesh.xmax=1 3.1416\n", "has theta from 0 to pi");
  refused(POLAR "mesh.xmax=1 2pi\nboundary.ylow=reflect\nboundary.yhigh=reflect\n",
          "needs phi over 2 pi");
}

/* ---- whole runs */

/** Volume of a cell and its distance from the axis. */
static double volume(const system_t *c, const sim_t *s, int i, double *distance) {
  double x[3], origin[3], dx[3], v = sim_volume(s, i / s->cells);
  sim_center(s, i / s->cells, i % s->cells, x);
  oak_block_geometry(s->sim, i / s->cells, origin, dx);
  *distance = c->cross ? (x[0] + dx[0] * dx[0] / (12 * x[0])) * sin(x[1]) : x[0];
  if (!c->cross) return v * x[0];
  v *= (pow(x[0] + dx[0] / 2, 3) - pow(x[0] - dx[0] / 2, 3)) / (3 * dx[0]);
  return v * (cos(x[1] - dx[1] / 2) - cos(x[1] + dx[1] / 2)) / dx[1];
}

static double spin(const system_t *c, const sim_t *s) {
  double *m = sim_read(s, MX + c->phi), sum = 0, distance;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) {
    const double v = volume(c, s, i, &distance);
    sum += v * distance * m[i];
  }
  free(m);
  return sum_ranks(s->comm, sum);
}

static double fastest(const sim_t *s) {
  double most = 0;
  for (int d = 0; d < s->dim; d++) {
    double *u = sim_read(s, s->nvar + MX + d);
    for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) most = worse(most, fabs(u[i]));
    free(u);
  }
  return max_ranks(s->comm, most);
}

static void test_rest(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    sim_t s = across_new(&systems[n], "rest", "reflect", 0, 1);
    MUST(oak_initialize(s.sim));
    for (int step = 0; step < 50; step++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    const double v = fastest(&s);
    report("%s: at rest, largest velocity %.1e", systems[n].name, v);
    assert_true(v < 1e-14);
    sim_free(&s);
  }
}

static void test_conservation(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const system_t *c = &systems[n];
    sim_t s = across_new(c, "blast", "reflect", 0, 1);
    double start[TEST_MAX_NVAR], end[TEST_MAX_NVAR];
    const int energy = MX + c->dim;
    MUST(oak_initialize(s.sim));
    MUST(oak_totals(s.sim, start));
    for (int step = 0; step < 100; step++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    MUST(oak_totals(s.sim, end));
    const double mass = end[RHO] / start[RHO] - 1, e = end[energy] / start[energy] - 1;
    const double L = spin(c, &s), v = fastest(&s);
    report("%s: velocities to %.1f, mass to %.1e, energy to %.1e, angular momentum to %.1e",
           c->name, v, mass, e, L);
    assert_true(v > 0.1 && fabs(mass) < 1e-14 && fabs(e) < 1e-14 && fabs(L) < 1e-14);
    sim_free(&s);
  }
}

/** Mean and largest errors of density and velocity. */
static void errors(const system_t *c, sim_t *s, double error[4]) {
  const int n = oak_nblocks(s->sim) * s->cells;
  double whole = 0, distance, *u[4];
  for (int v = 0; v <= c->dim; v++) u[v] = sim_read(s, s->nvar + v);
  for (int k = 0; k < 4; k++) error[k] = 0;
  MUST(oak_set_initial(s->sim));
  for (int v = 0; v <= c->dim; v++) {
    double *is = sim_read(s, s->nvar + v);
    for (int i = 0; i < n; i++) {
      const double volume_here = volume(c, s, i, &distance), away = fabs(u[v][i] - is[i]);
      if (v == 0) whole += volume_here;
      error[v > 0] += volume_here * away;
      error[2 + (v > 0)] = worse(error[2 + (v > 0)], away);
    }
    free(is);
    free(u[v]);
  }
  whole = sum_ranks(s->comm, whole);
  for (int k = 0; k < 2; k++) {
    error[k] = sum_ranks(s->comm, error[k]) / whole;
    error[2 + k] = max_ranks(s->comm, error[2 + k]);
  }
}

static void check_order(const system_t *c, const char *flow, int low, int fine, double end) {
  double error[2][4], order[4];
  for (int i = 0; i < 2; i++) {
    sim_t s = across_new(c, flow, "user", low + i, low + i + fine);
    MUST(oak_initialize(s.sim));
    sim_run(&s, end, 0);
    errors(c, &s, error[i]);
    sim_free(&s);
  }
  for (int v = 0; v < 4; v++) order[v] = log2(error[0][v] / error[1][v]);
  report(
      "%s, %s, %d levels: mean errors %.1e %.1e, orders %.2f %.2f; largest %.1e %.1e, orders %.2f "
      "%.2f",
      c->name, flow, 1 + fine, error[1][0], error[1][1], order[0], order[1], error[1][2],
      error[1][3], order[2], order[3]);
  assert_true(order[0] > 1.9 && order[1] > 1.9);
}

static void test_order(void **state) {
  (void)state;
  for (int n = 0; n < NSYSTEMS; n += test_stride(NSYSTEMS)) {
    const int flat = systems[n].dim == 2;
    for (int fine = 0; fine < (flat ? 2 : 1); fine++)
      check_order(&systems[n], "ramp", flat, fine, flat ? 0.2 : 0.05);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ghosts),       cmocka_unit_test(test_levels),
      cmocka_unit_test(test_refused),      cmocka_unit_test(test_rest),
      cmocka_unit_test(test_conservation), cmocka_unit_test(test_order)};
  return TEST_MAIN(tests);
}
