/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electrodes inside the domain: the potential around a ball or cylinder has order 2, its charge is
 * that of the capacitor, V-cycles converge fast, also around a needle that coarse levels do not
 * resolve; a charged slab; a ball that absorbs light; a
 * discharge keeps its charge; the bits are those of one rank. */
// TEST np={1,2,3} timeout=240
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"
#include "solver_test.h"

#define BODIES \
  "device.flags=-O1\n" TEST_PROBLEM("electrodes")                                              \
  "physics.name=advection\nmesh.block_size=8\npoisson.boundary=value\npoisson.tolerance=1e-11\n" \
  "boundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"                \
  "body.ball.shape=sphere\nbody.ball.radius=0.25\nbody.ball.potential=1\n"
#define PLANE "boundary.xlow=outflow\nbody.ball.from=0.5 0.5\n"
#define RINGS "mesh.coordinates=axisymmetric\nbody.ball.from=0 0.5\n"
#define SPACE                                                                          \
  "mesh.dim=3\nboundary.xlow=outflow\nboundary.zlow=outflow\nboundary.zhigh=outflow\n" \
  "body.ball.from=0.5 0.5 0.5\n"

typedef struct {
  double phi, charge, factor; /* largest error; error of the charge; that of a cycle */
} result_t;

/* A state of rest is solved for; levels from `level` on, one finer at the surface with `two`. */
static sim_t solve(MPI_Comm comm, const char *mesh, int level, int two) {
  sim_t s = sim_new(comm, BODIES "%smesh.min_level=%d\nmesh.max_level=%d\n%s", mesh, level,
                    level + two, two ? "refine.criterion=gradient\nrefine.variable=rho\n" : "");
  MUST(oak_initialize(s.sim));
  return s;
}

/* The factor of a cycle: the first residual is about V / dx^2, relative to V / (L dx). */
static double factor_of(const sim_t *s, int finest) {
  const oak_poisson_t *p = &s->sim->poisson[0];
  return pow(ldexp(8, finest) / p->residual, 1.0 / p->cycles);
}

static result_t measure(const char *mesh, int level, int two, int dim, int rings) {
  sim_t s = solve(MPI_COMM_WORLD, mesh, level, two);
  result_t r = {0};
  double *phi = malloc((size_t)(oak_nblocks(s.sim) * s.cells + 1) * sizeof *phi), worst = 0;
  if (!phi) abort();
  MUST(oak_field_get(s.sim, "phi", oak_nblocks(s.sim), phi));
  for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
    double x[3], square = 0;
    sim_center(&s, i / s.cells, i % s.cells, x);
    for (int d = 0; d < dim; d++) {
      const double away = x[d] - (rings && d == 0 ? 0 : 0.5);
      square += away * away;
    }
    const double over = sqrt(square) / 0.25;
    const double exact = over <= 1 ? 1 : rings || dim == 3 ? 1 / over : 1 - log(over);
    worst = worse(worst, fabs(phi[i] - exact));
  }
  free(phi);
  const oak_poisson_t *p = &s.sim->poisson[0];
  r.phi = max_ranks(MPI_COMM_WORLD, worst);
  r.charge = fabs(p->charge[0] / (rings || dim == 3 ? M_PI : 2 * M_PI) - 1);
  r.factor = factor_of(&s, level + two);
  sim_free(&s);
  return r;
}

static void order(const char *what, const char *mesh, int level, int two, int dim, int rings) {
  const result_t a = measure(mesh, level, two, dim, rings);
  const result_t b = measure(mesh, level + 1, two, dim, rings);
  report("%s: errors %.2e %.2e, order %.2f; of the charge %.1e %.1e; a cycle divides by %.0f", what,
         a.phi, b.phi, log2(a.phi / b.phi), a.charge, b.charge, b.factor);
  assert_true(log2(a.phi / b.phi) > (dim == 3 ? 1.5 : 1.85));
  assert_true(b.charge < 0.3 * a.charge || b.charge < 3e-5);
  assert_true(b.factor > 10);
}

static void test_order(void **state) {
  (void)state;
  order("cylinder", PLANE, 3, 0, 2, 0);
  order("cylinder, two levels", PLANE, 3, 1, 2, 0);
  order("ball in (r, z)", RINGS, 3, 0, 2, 1);
  order("ball", SPACE, 2, 0, 3, 0);
}

/* Coarse levels have cells of 1/8, the needle is 0.02 thick. It may be much longer than the domain.
 */
static void test_needle(void **state) {
  (void)state;
  sim_t s = solve(MPI_COMM_WORLD,
                  RINGS
                  "body.ball.shape=rod\nbody.ball.from=0 1e6\nbody.ball.to=0 0.6\n"
                  "body.ball.radius=0.01\n",
                  4, 3);
  const oak_poisson_t *p = &s.sim->poisson[0];
  report("needle: %d cycles to %.1e", p->cycles, p->residual);
  assert_true(factor_of(&s, 7) > 10);
  sim_free(&s);
}

/* A charged slab in a capacitor: phi is linear on both sides, and E is that of the gas or of the
 * slab up to its surface. The slab may be much larger than the domain. */
static void test_slab(void **state) {
  (void)state;
  static const char *const mesh[2] = {"boundary.xlow=outflow\n", "mesh.coordinates=axisymmetric\n"};
  const double low = (1 + 0.3 * 0.75) / (0.25 + 0.75 * 5), high = 5 * low - 0.3;
  for (int m = 0; m < 2; m++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      BODIES
                      "%sbody.ball.shape=plate\nbody.ball.from=-1e20 -1e20\nbody.ball.to=2 0.25\n"
                      "body.ball.kind=dielectric\nbody.ball.permittivity=5\n"
                      "body.ball.potential=0\nbody.ball.radius=0\nproblem.charge=0.3\n"
                      "poisson.xhigh=no_slope\n%smesh.min_level=1\nmesh.max_level=3\n"
                      "refine.criterion=gradient\nrefine.variable=rho\n",
                      mesh[m], m ? "" : "poisson.xlow=no_slope\n");
    MUST(oak_initialize(s.sim));
    const size_t bytes = (size_t)(oak_nblocks(s.sim) * s.cells + 1) * sizeof(double);
    double *phi = malloc(bytes), *slope = malloc(bytes), worst[2] = {0};
    if (!phi || !slope) abort();
    MUST(oak_field_get(s.sim, "phi", oak_nblocks(s.sim), phi));
    MUST(oak_field_get(s.sim, m ? "phi_z" : "phi_y", oak_nblocks(s.sim), slope));
    for (int i = 0; i < oak_nblocks(s.sim) * s.cells; i++) {
      double x[3];
      sim_center(&s, i / s.cells, i % s.cells, x);
      const double above = x[1] - 0.25;
      worst[0] = worse(worst[0], fabs(phi[i] - 0.25 * low - above * (above > 0 ? high : low)));
      worst[1] = worse(worst[1], fabs(slope[i] - (above > 0 ? high : low)));
    }
    for (int i = 0; i < 2; i++) worst[i] = max_ranks(MPI_COMM_WORLD, worst[i]);
    report("charged slab: phi within %.1e, its derivative within %.1e", worst[0], worst[1]);
    assert_true(worst[0] < 1e-8 && worst[1] < 1e-7);
    free(phi);
    free(slope);
    sim_free(&s);
  }
}

/* ---- charge in a discharge between an electrode and a plate of glass */

#define DISCHARGE                                                                               \
  "device.flags=-O1\nphysics.name=streamer\nproblem.name=streamer\nmesh.block_size=8\n"         \
  "mesh.xmin=-1e-3 0\nmesh.xmax=1e-3 2e-3\nmesh.min_level=2\nmesh.max_level=3\n"                \
  "refine.criterion=user\nrefine.c_refine=1\nscheme.limiter=koren\nrun.cfl=0.4\n"               \
  "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\n"                      \
  "boundary.yhigh=outflow\npoisson.xlow=no_slope\npoisson.xhigh=no_slope\n"                     \
  "poisson.ylow=zero\npoisson.yhigh=value\nproblem.voltage=0\npoisson.tolerance=1e-8\nproblem." \
  "background=0\nproblem.seed_ions=0\n"                                                         \
  "problem.seed_electrons=1e18\nproblem.seed_radius=2e-4\nproblem.seed_z=0.9e-3\n"              \
  "body.ball.shape=sphere\nbody.ball.from=0 1.4e-3\nbody.ball.radius=2e-4\n"                    \
  "body.ball.potential=3000\nbody.glass.shape=plate\nbody.glass.kind=dielectric\n"              \
  "body.glass.permittivity=5\nbody.glass.from=-1 -1\nbody.glass.to=1 0.5e-3\n"

/* The charge over e in the gas, in the ball and in the glass. */
static void count_charge(const sim_t *s, double out[3]) {
  double *ne = sim_read(s, 0), *ni = sim_read(s, 1), *solid = sim_read(s, 2), sum[3] = {0};
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++) {
    double x[3];
    sim_center(s, i / s->cells, i % s->cells, x);
    sum[solid[i] < 0.5   ? 0
        : x[1] > 0.75e-3 ? 1
                         : 2] += (ni[i] - ne[i]) * sim_volume(s, i / s->cells);
  }
  MPI_Allreduce(sum, out, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(ne);
  free(ni);
  free(solid);
}

/* The largest density of electrons in bodies. */
static double electrons_inside(const sim_t *s) {
  double *ne = sim_read(s, 0), *solid = sim_read(s, 2), most = 0;
  for (int i = 0; i < oak_nblocks(s->sim) * s->cells; i++)
    if (solid[i] > 0.5) most = fmax(most, ne[i]);
  free(ne);
  free(solid);
  return max_ranks(MPI_COMM_WORLD, most);
}

/* What the gas loses, the bodies get. There are no electrons in bodies at any time: they would emit
 * light in the field of a potential that is given at a face of the domain. */
static void check_charge(const char *precision) {
  sim_t s = sim_new(MPI_COMM_WORLD, DISCHARGE "scheme.precision=%s\n", precision);
  double start[3], end[3];
  MUST(oak_initialize(s.sim));
  assert_true(electrons_inside(&s) == 0);
  count_charge(&s, start);
  for (int step = 0; step < 24; step++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (step % 4 == 3) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  count_charge(&s, end);
  assert_true(electrons_inside(&s) == 0);
  const double all = fabs(start[0] + start[1] + start[2]);
  const double sum = end[0] + end[1] + end[2] + all, *charge = s.sim->poisson[0].charge;
  report("of the charge, %.1e went to the electrode and %.1e to the glass; %.1e is missing",
         (end[1] - start[1]) / all, (end[2] - start[2]) / all, sum / all);
  assert_true(end[1] - start[1] < -1e-3 * all && end[2] - start[2] > 1e-4 * all);
  assert_true(fabs(sum) < 1e-12 * all);
  /* the columns of the history, a stage earlier */
  report("collected: %.4e %.4e, cells %.4e %.4e", charge[1], charge[3], 1.602176634e-19 * end[1],
         1.602176634e-19 * end[2]);
  assert_true(fabs(charge[1] / (1.602176634e-19 * end[1]) - 1) < 0.2);
  assert_true(fabs(charge[3] / (1.602176634e-19 * end[2]) - 1) < 0.2);
  sim_free(&s);
}

static void test_charge(void **state) {
  (void)state;
  check_charge("double");
  if (test_takes("single_fluxes")) check_charge("single_fluxes");
}

/* Give the first cell of the last block of rank 0 a value, of variable v or else of a field.
 * \return what it was */
static double put(const sim_t *s, int v, const char *field, double value) {
  const int blocks = oak_nblocks(s->sim);
  const size_t cells = (size_t)(blocks * s->cells), at = cells - (size_t)s->cells;
  double *values = malloc((cells + 1) * sizeof *values);
  if (!values) abort();
  if (v < 0) MUST(oak_field_get(s->sim, field, blocks, values));
  if (v >= 0) MUST(oak_read_cells(s->sim, v, 0, blocks, values));
  const double before = values[at];
  if (test_rank == 0) values[at] = value;
  if (v < 0) MUST(oak_field_set(s->sim, field, blocks, values));
  if (v >= 0) MUST(oak_write_cells(s->sim, v, 0, blocks, values));
  free(values);
  return before;
}

/* Values that no run writes are refused when a checkpoint is read, as a restart and as the initial
 * state. */
static void test_read(void **state) {
  (void)state;
  static const struct {
    const char *name, *words;
    int variable; /* -1: a field */
    double value;
  } bad[] = {{"phi", "phi is nan at", -1, NAN},          {"phi", "phi is -inf at", -1, -INFINITY},
             {"phi_y", "phi_y is inf at", -1, INFINITY}, {"ne", "ne is nan at", 0, NAN},
             {"solid", "solid is nan at", 2, NAN},       {"solid", "solid is 7 at", 2, 7},
             {"solid", "solid is -3 at", 2, -3},         {"solid", "solid is 1e+30 at", 2, 1e30}};
  char initial[128];
  const char *const path = test_new_file();
  sim_t s = sim_new(MPI_COMM_WORLD, DISCHARGE);
  MUST(oak_initialize(s.sim));
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const double before = put(&s, bad[i].variable, bad[i].name, bad[i].value);
    MUST(oak_write_checkpoint(s.sim, path));
    put(&s, bad[i].variable, bad[i].name, before);
    for (int from = 0; from < 2; from++) {
      snprintf(initial, sizeof initial, "run.initial=%s\n", path);
      sim_t t = sim_new(MPI_COMM_WORLD, DISCHARGE "%s", from ? initial : "");
      const oak_status_t st = from ? oak_initialize(t.sim) : oak_read_checkpoint(t.sim, path);
      const char *words = st == OAK_OK ? "accepted" : oak_last_error();
      report("%s: %s", from ? "run.initial" : "restart", words);
      assert_non_null(strstr(words, bad[i].words));
      sim_free(&t);
    }
  }
  sim_free(&s);
  MPI_Barrier(MPI_COMM_WORLD);
  test_remove(path);
}

/* A state that is not finite when a step begins is refused by the step, also where no gradient of
 * this mesh is known: after a restart and on a new mesh. */
static void test_no_gradient(void **state) {
  (void)state;
  const char *const path = test_new_file();
  sim_t s = sim_new(MPI_COMM_WORLD, DISCHARGE);
  MUST(oak_initialize(s.sim));
  MUST(oak_write_checkpoint(s.sim, path));
  sim_free(&s);
  for (int adapted = 0; adapted < 2; adapted++) {
    s = sim_new(MPI_COMM_WORLD, DISCHARGE "mesh.max_level=%d\n", adapted ? 5 : 3);
    MUST(oak_read_checkpoint(s.sim, path));
    if (adapted) {
      MUST(oak_advance(s.sim, 1e-12));
      MUST(oak_adjust_refinement(s.sim, NULL));
    }
    put(&s, 0, "ne", NAN);
    assert_true(oak_advance(s.sim, 1e-12) != OAK_OK);
    report("%s", oak_last_error());
    assert_non_null(strstr(oak_last_error(), "invalid state in the given solution"));
    sim_free(&s);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  test_remove(path);
}

/* Two electrodes near each other, on this rank alone and on all ranks. */
static void test_bits(void **state) {
  (void)state;
  static const char two[] = PLANE
      "body.ball.shape=cone\nbody.ball.to=0.2 "
      "0.3\nbody.ball.radius=0.1\nbody.ball.tip_radius=0.05\n"
      "body.bar.shape=plate\nbody.bar.from=0.6 0.2\nbody.bar.to=0.9 0.9\nbody.bar.potential=-2\n";
  sim_t s[2] = {solve(MPI_COMM_SELF, two, 3, 2), solve(MPI_COMM_WORLD, two, 3, 2)};
  int different = memcmp(s[0].sim->poisson[0].charge, s[1].sim->poisson[0].charge,
                         2 * OAK_BODY_SUMS * sizeof(double)) != 0;
  double *phi[2];
  for (int i = 0; i < 2; i++) {
    phi[i] = malloc((size_t)(oak_nblocks(s[i].sim) * s[i].cells + 1) * sizeof(double));
    if (!phi[i]) abort();
    MUST(oak_field_get(s[i].sim, "phi", oak_nblocks(s[i].sim), phi[i]));
  }
  const int first = (int)s[1].sim->data.mesh->first * s[1].cells;
  for (int i = 0; i < oak_nblocks(s[1].sim) * s[1].cells; i++)
    different += memcmp(&phi[0][first + i], &phi[1][i], sizeof(double)) != 0;
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, different), 0);
  for (int i = 0; i < 2; i++) {
    free(phi[i]);
    sim_free(&s[i]);
  }
}

/* A plate and a rod that stand on glass, which lies at the boundary: from random errors on, each of
 * the later V-cycles divides them by 10 or more. */
static void test_glass(void **state) {
  (void)state;
  static const char *const shape[] = {
      "body.ball.shape=plate\nbody.ball.from=0.3 0.3\nbody.ball.to=0.7 0.5\nbody.ball.radius=0\n"
      "body.glass.permittivity=80\nbody.glass.to=2 0.3\n",
      "body.ball.shape=rod\nbody.ball.from=0.5 0.5\nbody.ball.to=0.5 0.3\nbody.ball.radius=0.1\n"
      "body.glass.permittivity=5\nbody.glass.to=2 0.2\n"};
  for (int n = 0; n < 2; n++) {
    char mesh[1024];
    snprintf(mesh, sizeof mesh,
             PLANE "%sbody.glass.shape=plate\nbody.glass.kind=dielectric\nbody.glass.from=-1 -1\n",
             shape[n]);
    sim_t s = solve(MPI_COMM_WORLD, mesh, 4, 0);
    oak_elliptic_t *e = s.sim->poisson[0].elliptic;
    oak_elliptic_level_t *top = oak_elliptic_top(e);
    const size_t cells = (size_t)oak_nblocks(s.sim) * s.cells;
    double *u = malloc((cells + 1) * sizeof *u), size[2];
    if (!u) abort();
    for (size_t i = 0; i < cells; i++) u[i] = mix_bits((uint32_t)i) / 4294967296.0 - 0.5;
    if (cells) MUST(oak_device_upload(s.sim->setup.dev, top->u.memory.mine, u, cells * sizeof *u));
    free(u);
    MUST(oak_elliptic_combine(e, e->nlevel - 1, NULL, top->rhs, 0, 0, 0));
    for (int cycle = 0; cycle < 12; cycle++) {
      MUST(oak_elliptic_cycle(e, e->nlevel - 1, 0));
      MUST(oak_elliptic_residual(e, e->nlevel - 1));
      if (cycle == 3) MUST(oak_elliptic_largest(e, OAK_OK, top->res, &size[0]));
    }
    MUST(oak_elliptic_largest(e, OAK_OK, top->res, &size[1]));
    const double factor = pow(size[0] / size[1], 1.0 / 8);
    report("%s on glass at the boundary: a cycle divides by %.1f", n ? "rod" : "plate", factor);
    assert_true(factor > 10);
    sim_free(&s);
  }
}

/* SOLID and POTENTIAL describe the same electrode as a section [body.NAME]. A restart whose SOLID
 * has other cells is refused; one with another parameter is not. */
static void test_hook(void **state) {
  (void)state;
  sim_t one = solve(MPI_COMM_WORLD, PLANE, 3, 0);
  const char *const hook =
      "device.flags=-O1\n" TEST_PROBLEM("hooked_solid")
      "physics.name=advection\nmesh.block_size=8\npoisson.boundary=value\npoisson.tolerance=1e-11\n"
      "boundary.xlow=outflow\nboundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"
      "mesh.min_level=3\nmesh.max_level=3\n";
  const char *const path = test_new_file();
  sim_t two = sim_new(MPI_COMM_WORLD, "%s", hook);
  MUST(oak_initialize(two.sim));
  const size_t cells = (size_t)oak_nblocks(one.sim) * one.cells;
  double *phi = malloc((2 * cells + 1) * sizeof *phi), worst = 0;
  if (!phi) abort();
  MUST(oak_field_get(one.sim, "phi", oak_nblocks(one.sim), phi));
  MUST(oak_field_get(two.sim, "phi", oak_nblocks(two.sim), phi + cells));
  for (size_t i = 0; i < cells; i++) worst = worse(worst, fabs(phi[i] - phi[cells + i]));
  worst = max_ranks(MPI_COMM_WORLD, worst);
  report("electrode by hooks: the potential differs by %.1e", worst);
  assert_true(worst < 1e-11);
  MUST(oak_write_checkpoint(two.sim, path));
  free(phi);
  sim_free(&one);
  sim_free(&two);
  for (int other = 0; other < 2; other++) {
    sim_t s = sim_new(MPI_COMM_WORLD, "%s%s", hook,
                      other ? "problem.radius=0.2\n" : "problem.charge=0.1\n");
    const oak_status_t st = oak_read_checkpoint(s.sim, path);
    assert_int_equal(st, other ? OAK_ERR_INPUT : OAK_OK);
    if (other) assert_non_null(strstr(oak_last_error(), "SOLID(at) has other solid cells"));
    sim_free(&s);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  test_remove(path);
}

/* An equation of POISSON_OF whose solution is 0 in a dielectric; it is solved in every other step.
 */
static double absorbed(int level) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    "device.flags=-O1\n" TEST_PROBLEM("absorbers") RINGS
                    "physics.name=advection\nmesh.block_size=8\nboundary.xhigh=outflow\n"
                    "boundary.ylow=outflow\nboundary.yhigh=outflow\npoisson.boundary=zero\n"
                    "poisson.psi.boundary=value\npoisson.psi.b=4\npoisson.psi.bodies=zero\n"
                    "poisson.psi.tolerance=1e-11\npoisson.psi.every=2\nbody.ball.shape=sphere\n"
                    "body.ball.radius=0.25\nbody.ball.kind=dielectric\n"
                    "body.ball.permittivity=3\nmesh.min_level=%d\nmesh.max_level=%d\n",
                    level, level);
  double worst = 0;
  MUST(oak_initialize(s.sim));
  const size_t count = (size_t)(oak_nblocks(s.sim) * s.cells);
  double *psi = malloc((count + 1) * sizeof *psi);
  if (!psi) abort();
  MUST(oak_field_get(s.sim, "psi", oak_nblocks(s.sim), psi));
  for (size_t i = 0; i < count; i++) {
    double x[3];
    sim_center(&s, (int)i / s.cells, (int)i % s.cells, x);
    const double r = hypot(x[0], x[1] - 0.5);
    worst = worse(worst, fabs(psi[i] - (r <= 0.25 ? 0 : sinh(2 * (r - 0.25)) / r)));
  }
  free(psi);
  sim_free(&s);
  return max_ranks(MPI_COMM_WORLD, worst);
}

static void test_absorb(void **state) {
  (void)state;
  const double a = absorbed(3), b = absorbed(4);
  report("light: errors %.2e %.2e, order %.2f", a, b, log2(a / b));
  assert_true(b < 2e-3 && log2(a / b) > 1.85);
}

/** Electrodes that overlap must have one potential. */
static void test_overlap(void **state) {
  (void)state;
  for (int other = 0; other < 2; other++) {
    sim_t s = sim_new(MPI_COMM_WORLD,
                      "device.flags=-O1\n" TEST_PROBLEM("electrodes")
                      "physics.name=advection\nmesh.block_size=8\nmesh.min_level=2\n"
                      "mesh.max_level=2\nboundary.xlow=outflow\nboundary.xhigh=outflow\n"
                      "boundary.ylow=outflow\nboundary.yhigh=outflow\npoisson.boundary=value\n"
                      "body.a.shape=sphere\nbody.a.from=0.4 0.5\nbody.a.radius=0.15\n"
                      "body.a.potential=1\nbody.b.shape=sphere\nbody.b.from=0.6 0.5\n"
                      "body.b.radius=0.15\nbody.b.potential=%d\n",
                      1 + other);
    assert_int_equal(oak_initialize(s.sim), other ? OAK_ERR_INPUT : OAK_OK);
    if (other) assert_non_null(strstr(oak_last_error(), "the electrodes `a` and `b`"));
    sim_free(&s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),  cmocka_unit_test(test_needle),
      cmocka_unit_test(test_slab),   cmocka_unit_test(test_charge),
      cmocka_unit_test(test_bits),   cmocka_unit_test(test_hook),
      cmocka_unit_test(test_glass),  cmocka_unit_test(test_absorb),
      cmocka_unit_test(test_read),   cmocka_unit_test(test_no_gradient),
      cmocka_unit_test(test_overlap)};
  return TEST_MAIN(tests);
}
