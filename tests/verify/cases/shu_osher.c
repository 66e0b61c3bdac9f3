/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shu and Osher's shock and density waves, compared with a run on a much finer mesh. Theory checks
 * that run: behind the shock a gas element keeps the entropy that the shock gave it, which follows
 * from the Riemann problem between the gas behind the shock and the element; and the waves are
 * compressed as much as the mean gas. Meshes are narrow and their cells wide across the tube, so
 * that the time step is that of one dimension. */
#include "../exact_riemann.h"
#include "../verify.h"

static const double gamma_gas = 1.4, end = 1.8, shock_speed = 3.549648;
static const gas_t behind = {3.857143, 2.629369, 10.33333};
enum { DENSITY, VELOCITY, PRESSURE = 3 };

/* The compressed waves at the end: between the gas that was behind the shock at t = 0 (x = 0.73)
 * and the shock (2.39). */
static const double waves_low = 0.9, waves_high = 2.3;

/* Averages over rows of one variable at the end, and how far they are from the reference. */
typedef struct {
  int cells;
  double *rho, *p;
  double updates;
} line_t;

static void line_free(line_t *l) {
  free(l->rho);
  free(l->p);
}

/* AMR if levels > 0: from `cells` >> levels up to `cells`. */
static line_t line_run(verify_t *v, int cells, int levels, const char *limiter) {
  const int block = levels ? 8 : 4, trees = (cells >> levels) / block;
  line_t l;
  int size[3];
  sim_t s = verify_new(v, "problems/shu_osher.ini",
                       "mesh.block_size=%d\nmesh.trees=%d 1\nmesh.xmax=5 10\nmesh.max_level=%d\n"
                       "scheme.limiter=%s\n",
                       block, trees, levels, limiter);
  verify_run(&s, end);
  l.rho = verify_uniform(&s, s.nvar + DENSITY, levels, size);
  l.p = verify_uniform(&s, s.nvar + PRESSURE, levels, size);
  l.cells = size[0];
  l.updates = (double)oak_cell_updates(s.sim) / size[1] / size[0];
  verify_free(&s);
  return l;
}

static double position(const line_t *l, int i) { return -5 + 10 * (i + 0.5) / l->cells; }

/* L1 mean of the difference in density from the averages of a finer line. */
static double difference(const line_t *l, const line_t *fine) {
  const int ratio = fine->cells / l->cells;
  double sum = 0;
  for (int i = 0; i < l->cells; i++) {
    double mean = 0;
    for (int k = 0; k < ratio; k++) mean += fine->rho[i * ratio + k] / ratio;
    sum += fabs(l->rho[i] - mean);
  }
  return sum / l->cells;
}

/* Highest less lowest density in the compressed waves. */
static double amplitude(const line_t *l) {
  double low = INFINITY, high = 0;
  for (int i = 0; i < l->cells; i++) {
    if (position(l, i) < waves_low || position(l, i) > waves_high) continue;
    low = fmin(low, l->rho[i]);
    high = fmax(high, l->rho[i]);
  }
  return high - low;
}

static double entropy(double rho, double p) { return log(p / pow(rho, gamma_gas)); }

/* log(p / rho^gamma) behind the shock after it met gas of this density. */
static double entropy_after(double rho) {
  const gas_t ahead = {rho, 0, 1};
  const riemann_t r = riemann_solve(gamma_gas, behind, ahead);
  return entropy(riemann_sample(&r, r.u + 1e-9).rho, r.p);
}

/* The waves of the reference against theory. */
static void check_waves(verify_t *v, const line_t *l) {
  static const char *const source =
      "Riemann problem of the shock with the densest and the thinnest gas: gas keeps its entropy";
  double low = INFINITY, high = -INFINITY, first = NAN, last = NAN, shock = NAN;
  int crossings = 0;
  for (int i = 1; i < l->cells; i++) {
    const double x = position(l, i);
    if (l->p[i - 1] > 5 && l->p[i] < 5) shock = x - 5.0 / l->cells;
    if (x < waves_low || x > waves_high) continue;
    const double before = entropy(l->rho[i - 1], l->p[i - 1]), here = entropy(l->rho[i], l->p[i]);
    const double middle = entropy_after(1);
    low = fmin(low, here);
    high = fmax(high, here);
    if (!(before < middle && here >= middle)) continue;
    last = x - 10.0 / l->cells * (here - middle) / (here - before);
    if (crossings++ == 0) first = last;
  }
  const double most = entropy_after(0.8), least = entropy_after(1.2);
  verify_check(v, high, most, most - 0.01, most + 0.01, source,
               "reference: largest log(p/rho^gamma) in the waves");
  verify_check(v, low, least, least - 0.01, least + 0.01, source,
               "reference: smallest log(p/rho^gamma) in the waves");
  const double length = 2 * 3.14159265358979 / 5 / behind.rho;
  verify_check(v, (last - first) / (crossings - 1), length, 0.99 * length, 1.01 * length,
               "wave length ahead over the compression 3.857",
               "reference: length of the compressed waves");
  verify_check(v, shock, -4 + shock_speed * end, -4 + shock_speed * end - 0.02,
               -4 + shock_speed * end + 0.02,
               "speed of the shock in the mean gas, Rankine-Hugoniot",
               "reference: position of the shock");
}

/* What is accepted with 512 cells, in the test and in the full run: the error, and the part of the
 * wave's amplitude that is left. */
typedef struct {
  const char *limiter;
  double error[2], kept[2];
} scheme_t;
static const scheme_t schemes[] = {
    {"minmod", {0.0632, 0.0630}, {0.41, 0.41}}, {"vanleer", {0.0479, 0.0480}, {0.54, 0.55}},
    {"weno5", {0.0125, 0.0137}, {0.93, 0.94}},  {"mc", {1, 0.0397}, {0, 0.62}},
    {"gminmod_theta", {1, 0.0463}, {0, 0.55}},  {"koren", {1, 0.0368}, {0, 0.64}},
    {"weno3", {1, 0.0595}, {0, 0.43}},
};

static void profile(verify_t *v, const char *name, const line_t *l) {
  FILE *table = verify_table(v, name, "x;rho;p");
  for (int i = 0; i < l->cells; i++)
    verify_row(table, "%.6g;%.6g;%.6g", position(l, i), l->rho[i], l->p[i]);
  verify_close(table);
}

static void errors(verify_t *v, const line_t *reference) {
  FILE *table = verify_table(v, "errors", "limiter;cells;L1 of rho;part of the waves' amplitude");
  const int limiters = v->full ? 7 : 3;
  for (int n = 0; n < limiters; n++)
    for (int cells = 256; cells <= (v->full ? 1024 : 512); cells *= 2) {
      const scheme_t *t = &schemes[n];
      char text[96];
      line_t l = line_run(v, cells, 0, t->limiter);
      const double e = difference(&l, reference), kept = amplitude(&l) / amplitude(reference);
      verify_row(table, "%s;%d;%.6f;%.4f", t->limiter, cells, e, kept);
      snprintf(text, sizeof text, "profile_%s", t->limiter);
      if (cells == 512) profile(v, text, &l);
      line_free(&l);
      if (cells != 512) continue;
      verify_check(v, e, 0, 0, t->error[v->full], "run on the finest mesh",
                   "%s, 512 cells: L1 of density", t->limiter);
      verify_check(v, kept, 1, t->kept[v->full], 1.05, "run on the finest mesh",
                   "%s, 512 cells: part of the amplitude kept", t->limiter);
    }
  verify_close(table);
}

static void adaptive(verify_t *v, const line_t *reference) {
  const int cells = v->full ? 1024 : 512, levels = 2;
  line_t one = line_run(v, cells, 0, "weno5"), amr = line_run(v, cells, levels, "weno5");
  const double error[2] = {difference(&one, reference), difference(&amr, reference)};
  const double part = amr.updates / one.updates;
  FILE *table = verify_table(v, "amr", "finest cells;L1 uniform;L1 AMR;part of the updates");
  verify_row(table, "%d;%.6f;%.6f;%.4f", cells, error[0], error[1], part);
  verify_close(table);
  verify_check(v, error[1] / error[0], 1, 0.92, v->full ? 1.26 : 1.03,
               "the uniform mesh of the finest level", "AMR: error over that of the uniform mesh");
  verify_check(v, part, NAN, 0, v->full ? 0.36 : 0.89, "the uniform mesh of the finest level",
               "AMR: part of the cell updates");
  line_free(&one);
  line_free(&amr);
}

static void run(verify_t *v) {
  line_t reference = line_run(v, v->full ? 4096 : 1024, 0, "weno5");
  check_waves(v, &reference);
  profile(v, "profile_reference", &reference);
  errors(v, &reference);
  adaptive(v, &reference);
  line_free(&reference);
}

const verify_case_t verify_case_shu_osher = {
    .name = "shu_osher",
    .title = "Shock and density waves of Shu and Osher",
    .source =
        "C.-W. Shu, S. Osher, J. Comput. Phys. 83 (1989) 32, example 8; "
        "problems/shu_osher.ini, HLLC, SSPRK(3,3)",
    .run = run};
