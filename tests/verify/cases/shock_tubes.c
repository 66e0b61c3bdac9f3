/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shock tubes of Sod, Lax and Toro against the exact solution of the Riemann problem. Meshes are
 * narrow, and their cells wide across the tube, so that the time step is that of one dimension. */
#include "../exact_riemann.h"
#include "../verify.h"

/* A problem of problems/ and its bounds: L1 errors of the density divided by its largest value,
 * some 5 % above the measured ones. */
typedef struct {
  const char *ini, *name;
  double vanleer, weno5; /* with hllc and einfeldt, 100 cells */
  double worst;          /* of every other limiter of second order or more with every flux */
  double roe;            /* vanleer and hll with scheme.wave_speeds=roe; 0: such runs stop, like
                          * those with the flux roe: a state between the waves is invalid */
  double order[2], full_order[2]; /* of vanleer from 100 to 400 cells, in the full run to 1600 */
} tube_t;

static const tube_t tubes[] = {
    {"sod", "Sod", 0.00558, 0.00496, 0.0101, 0.00548, {0.83, 0.93}, {0.82, 0.92}},
    {"lax", "Lax", 0.01661, 0.01418, 0.02688, 0.01761, {0.75, 0.85}, {0.76, 0.86}},
    {"toro1", "Toro 1", 0.00646, 0.00553, 0.0129, 0.00623, {0.76, 0.86}, {0.75, 0.85}},
    {"toro2", "Toro 2", 0.0071, 0.00668, 0.01423, 0, {0.84, 0.94}, {0.69, 0.79}},
    {"toro3", "Toro 3", 0.02475, 0.01956, 0.03244, 0.02479, {0.80, 0.90}, {0.78, 0.88}},
    {"toro4", "Toro 4", 0.0149, 0.01377, 0.02455, 0.01497, {0.75, 0.85}, {0.68, 0.78}},
    {"toro5", "Toro 5", 0.00434, 0.00476, 0.02473, 0.01488, {0.81, 0.91}, {0.68, 0.78}},
};
enum { NTUBES = sizeof tubes / sizeof *tubes, CELLS = 100 };

static const char *const book = "E. F. Toro, Riemann Solvers, chapter 4: exact solution";

/* The membrane and the states beside it, as the parameter file has them. */
typedef struct {
  riemann_t riemann;
  double position, end;
} exact_t;

static exact_t exact_of(const sim_t *s) {
  const gas_t left = {oak_params_real(s->params, "problem.rho_left"),
                      oak_params_real(s->params, "problem.u_left"),
                      oak_params_real(s->params, "problem.p_left")};
  const gas_t right = {oak_params_real(s->params, "problem.rho_right"),
                       oak_params_real(s->params, "problem.u_right"),
                       oak_params_real(s->params, "problem.p_right")};
  return (exact_t){riemann_solve(oak_params_real(s->params, "physics.gamma"), left, right),
                   oak_params_real(s->params, "problem.position"),
                   oak_params_real(s->params, "run.end_time")};
}

static double exact_density(const double x[3], double t, const void *data) {
  const exact_t *e = data;
  return riemann_sample(&e->riemann, (x[0] - e->position) / t).rho;
}

static double largest_density(const exact_t *e) {
  double most = 0;
  for (int i = 0; i < 10000; i++) {
    const double x[3] = {(i + 0.5) / 10000};
    most = fmax(most, exact_density(x, e->end, e));
  }
  return most;
}

/* `cells` cells of one level, or AMR from 64 cells up to 64 << levels. */
static sim_t tube_new(verify_t *v, const tube_t *t, int cells, int levels, const char *limiter,
                      const char *flux, const char *speeds) {
  char ini[64];
  const int size = levels ? 8 : 4;
  snprintf(ini, sizeof ini, "problems/%s.ini", t->ini);
  return verify_new(v, ini,
                    "mesh.block_size=%d\nmesh.trees=%d 1\nmesh.xmax=1 1\nmesh.max_level=%d\n"
                    "scheme.limiter=%s\nscheme.flux=%s\nscheme.wave_speeds=%s\n"
                    "scheme.integrator=ssprk33\nrun.cfl=0.4\ndevice.flags=-O1\n",
                    size, cells / size, levels, limiter, flux, speeds);
}

/* Error of the density over its largest value; if the run fails, infinite, and the message is the
 * library's. */
static double error_at_end(sim_t *s) {
  const exact_t e = exact_of(s);
  MUST(oak_initialize(s->sim));
  while (e.end - oak_time(s->sim) > 1e-14 * e.end) {
    const double dt = fmin(oak_time_step(s->sim), e.end - oak_time(s->sim));
    if (oak_advance(s->sim, dt) != OAK_OK) return INFINITY;
    if (oak_step(s->sim) % 4 == 0) MUST(oak_adjust_refinement(s->sim, NULL));
  }
  return verify_error(s, s->nvar, exact_density, &e).l1 / largest_density(&e);
}

static double error_of(verify_t *v, FILE *table, const tube_t *t, int cells, const char *limiter,
                       const char *flux, const char *speeds) {
  sim_t s = tube_new(v, t, cells, 0, limiter, flux, speeds);
  const double error = error_at_end(&s);
  verify_row(table, "%s;%s;%s;%s;%d;%.6f;%.6g", t->name, limiter, flux, speeds, cells, error,
             oak_time(s.sim));
  verify_free(&s);
  return error;
}

static void profile(verify_t *v, const tube_t *t, const char *limiter) {
  char name[64];
  int size[3];
  sim_t s = tube_new(v, t, CELLS, 0, limiter, "hllc", "einfeldt");
  const exact_t e = exact_of(&s);
  error_at_end(&s);
  snprintf(name, sizeof name, "profile_%s_%s", t->ini, limiter);
  FILE *table = verify_table(v, name, "x;rho;u;p;exact rho;exact u;exact p");
  double *rho = verify_uniform(&s, s.nvar, 0, size), *u = verify_uniform(&s, s.nvar + 1, 0, size);
  double *p = verify_uniform(&s, s.nvar + 3, 0, size);
  for (int i = 0; i < size[0]; i++) {
    const double x = (i + 0.5) / size[0];
    const gas_t w = riemann_sample(&e.riemann, (x - e.position) / e.end);
    verify_row(table, "%.6g;%.6g;%.6g;%.6g;%.6g;%.6g;%.6g", x, rho[i], u[i], p[i], w.rho, w.u, w.p);
  }
  free(rho);
  free(u);
  free(p);
  verify_close(table);
  verify_free(&s);
}

static void check_error(verify_t *v, const tube_t *t, const char *scheme, double error,
                        double bound) {
  verify_check(v, error, 0, 0, bound, book, "%s, %d cells, %s: L1 of density", t->name, CELLS,
               scheme);
}

/* Every limiter with every flux; the test takes those that the checks need. */
static void errors(verify_t *v) {
  static const char *const limiters[] = {"upwind",  "minmod", "mc",    "gminmod_theta",
                                         "vanleer", "koren",  "weno3", "weno5"};
  static const char *const fluxes[] = {"rusanov", "hll", "hllc", "roe"};
  FILE *table =
      verify_table(v, "errors", "problem;limiter;flux;wave speeds;cells;L1 of rho / largest rho;t");
  for (int n = 0; n < NTUBES; n++) {
    const tube_t *t = &tubes[n];
    double worst = 0;
    for (int l = 0; l < 8; l++)
      for (int f = 0; f < 4; f++) {
        const int checked = f == 2 && (l == 4 || l == 7);
        if (!v->full && !checked) continue;
        const double e = error_of(v, table, t, CELLS, limiters[l], fluxes[f], "einfeldt");
        if (l > 0 && (t->roe > 0 || f < 3)) worst = fmax(worst, e);
        if (checked)
          check_error(v, t, l == 4 ? "vanleer, hllc" : "weno5, hllc", e,
                      l == 4 ? t->vanleer : t->weno5);
      }
    if (v->full) check_error(v, t, "worst limiter and flux, not upwind", worst, t->worst);
    const double roe = error_of(v, table, t, CELLS, "vanleer", "hll", "roe");
    if (t->roe > 0) check_error(v, t, "vanleer, hll, Roe's wave speeds", roe, t->roe);
    if (v->full) error_of(v, table, t, CELLS, "weno5", "hll", "roe");
  }
  verify_close(table);
}

static void orders(verify_t *v) {
  static const char *const source =
      "L1 order 1 at shocks, 2/3 at contacts: Banks, Aslam, Rider, J. Comput. Phys. 227 (2008) "
      "6985";
  FILE *table = verify_table(v, "orders", "problem;cells;L1 of rho / largest rho;order");
  const int last = v->full ? 16 * CELLS : 4 * CELLS;
  for (int n = 0; n < NTUBES; n++) {
    const tube_t *t = &tubes[n];
    const double *bound = v->full ? t->full_order : t->order;
    double first = 0, before = 0, order = NAN;
    for (int cells = CELLS; cells <= last; cells *= 2) {
      const double e = error_of(v, NULL, t, cells, "vanleer", "hllc", "einfeldt");
      if (cells == CELLS) first = e;
      if (cells > CELLS) order = verify_order(before, e, 2);
      verify_row(table, "%s;%d;%.6f;%.3f", t->name, cells, e, order);
      before = e;
    }
    verify_check(v, verify_order(first, before, last / CELLS), NAN, bound[0], bound[1], source,
                 "%s, %d to %d cells: order of L1", t->name, CELLS, last);
  }
  verify_close(table);
}

/* A tube with AMR has the error of the finest mesh at a part of its cost. */
static void adaptive(verify_t *v) {
  const int levels = v->full ? 3 : 2;
  FILE *table = verify_table(
      v, "amr",
      "problem;finest cells;L1 uniform;L1 AMR;ratio;part of the updates;cells at the end");
  double worst = 0, updates = 0;
  for (int n = 0; n < NTUBES; n++) {
    double error[2];
    int64_t work[2];
    double fraction = 1;
    for (int amr = 0; amr < 2; amr++) {
      sim_t s = tube_new(v, &tubes[n], amr ? 64 : 64 << levels, amr ? levels : 0, "vanleer", "hllc",
                         "einfeldt");
      error[amr] = error_at_end(&s);
      work[amr] = oak_cell_updates(s.sim);
      if (amr) fraction = verify_cell_fraction(&s);
      verify_free(&s);
    }
    /* Blocks are refined across the tube too, so the uniform mesh would have this many rows, not 4.
     */
    const double part = (double)work[1] / (work[0] / 4 * (8 << levels));
    const double ratio = error[1] / error[0];
    verify_row(table, "%s;%d;%.6f;%.6f;%.4f;%.4f;%.4f", tubes[n].name, 64 << levels, error[0],
               error[1], ratio, part, fraction);
    worst = fmax(worst, ratio);
    updates = fmax(updates, part);
  }
  verify_close(table);
  verify_check(v, worst, 1, 0.98, 1.02, "the same tubes on the uniform mesh of the finest level",
               "AMR: largest error over that of the uniform mesh");
  verify_check(v, updates, NAN, 0, v->full ? 0.475 : 0.61,
               "the same tubes on the uniform mesh of the finest level",
               "AMR: largest part of the cell updates");
}

static void run(verify_t *v) {
  errors(v);
  orders(v);
  adaptive(v);
  for (int n = 0; n < NTUBES; n++) {
    profile(v, &tubes[n], "vanleer");
    profile(v, &tubes[n], "weno5");
  }
}

const verify_case_t verify_case_shock_tubes = {
    .name = "shock_tubes",
    .title = "Shock tubes of Sod, Lax and Toro",
    .source =
        "Sod 1978; Lax 1954; E. F. Toro, Riemann Solvers and Numerical Methods for Fluid "
        "Dynamics, table 4.1 and section 6.4; problems/sod.ini, lax.ini, toro1.ini to "
        "toro5.ini",
    .run = run};
