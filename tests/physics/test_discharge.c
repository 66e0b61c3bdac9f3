/* SPDX-License-Identifier: GPL-2.0-or-later
 * Electric discharges (physics/streamer.c): charge is conserved, a planar front has its speed and
 * obeys Gauss's law, light ionises where it should, and a streamer has the length and the field of
 * the six-code comparison. */
// TEST np=2 timeout=300 flags=-O1
#include "solver_test.h"

#define FAST "device.flags=-O2\n"
#define OPEN "boundary.xhigh=outflow\nboundary.ylow=outflow\nboundary.yhigh=outflow\n"
#define STREAMER                                                                             \
  FAST OPEN                                                                                  \
      "physics.name=streamer\nproblem.name=streamer\nmesh.coordinates=axisymmetric\n"        \
      "mesh.block_size=8\nmesh.xmin=0 0\nmesh.xmax=1.25e-2 1.25e-2\nrefine.criterion=user\n" \
      "refine.c_refine=1\nrefine.c_derefine=0.125\nrefine.buffer=4\nscheme.limiter=koren\n"  \
      "poisson.xhigh=no_slope\npoisson.ylow=zero\npoisson.yhigh=value\n"                     \
      "poisson.tolerance=1e-5\nrun.cfl=0.45\n"

#define FRONT \
  FAST TEST_PROBLEM("front")                                                               \
  "mesh.block_size=8\nmesh.trees=1 8\nmesh.xmin=0 0\nmesh.xmax=9.6e-5 7.68e-4\n" \
  "mesh.min_level=2\nmesh.max_level=2\nboundary.ylow=outflow\nboundary.yhigh=outflow\n" \
  "scheme.limiter=koren\npoisson.ylow=zero\npoisson.yhigh=slope\npoisson.method=bicgstab\n" \
  "run.cfl=0.45\n"

static const double charge = 1.602176634e-19 / 8.8541878128e-12; /* e / epsilon0 */

/* Electrons and ions appear together, and nothing leaves: no electron is near an electrode. The
 * mesh changes in between, and blocks with their fields travel in messages. */
static void test_charge(void **state) {
  double start[8], end[8];
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, STREAMER
                    "device.transport=mpi\nproblem.background=0\n"
                    "problem.seed_electrons=2e18\nproblem.seed_z=6e-3\n"
                    "mesh.min_level=3\nmesh.max_level=6\n");
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  const long blocks = (long)oak_nblocks_global(s.sim);
  for (int step = 0; step < 24; step++) {
    MUST(oak_advance(s.sim, oak_time_step(s.sim)));
    if (step % 2) MUST(oak_adjust_refinement(s.sim, NULL));
  }
  MUST(oak_totals(s.sim, end));
  const double drift = (end[1] - end[0]) - (start[1] - start[0]);
  report("charge, %ld to %ld blocks: electrons %.3e to %.3e, drift of the charge %.1e", blocks,
         (long)oak_nblocks_global(s.sim), start[0], end[0], drift / end[1]);
  assert_true(end[0] > 1.2 * start[0]);
  assert_true(fabs(drift) < 1e-14 * end[1]);
  sim_free(&s);
}

/* The first mesh has the cells that REFINE asks for in the seed, of at most a twentieth of its
 * radius, whether mesh.max_level is odd or even. */
static void test_first_mesh(void **state) {
  (void)state;
  int64_t blocks[10] = {0};
  for (int level = 7; level < 10; level++) {
    double widest = 0;
    sim_t s = sim_new(MPI_COMM_WORLD, STREAMER "mesh.min_level=3\nmesh.max_level=%d\n", level);
    MUST(oak_initialize(s.sim));
    for (int b = 0; b < oak_nblocks(s.sim); b++)
      for (int c = 0; c < s.cells; c++) {
        double x[3], origin[3], dx[3];
        sim_center(&s, b, c, x);
        oak_block_geometry(s.sim, b, origin, dx);
        const double square = x[0] * x[0] + (x[1] - 1e-2) * (x[1] - 1e-2);
        if (exp(-square / (0.4e-3 * 0.4e-3)) > 0.01) widest = fmax(widest, dx[1]);
      }
    widest = max_ranks(s.comm, widest);
    blocks[level] = oak_nblocks_global(s.sim);
    report("first mesh to level %d: %lld blocks, cells of %.1f um in the seed", level,
           (long long)blocks[level], 1e6 * widest);
    assert_true(widest > 10e-6 && widest < 20e-6 && blocks[level] == blocks[7]);
    sim_free(&s);
  }
}

typedef struct {
  double place, charge, jump; /* of the front; integral of ni - ne times e / epsilon0; of E */
} front_t;

static front_t look_at_front(const sim_t *s, double low, double high) {
  front_t f = {0};
  double *ne = sim_read(s, 0), *ni = sim_read(s, 1), edge[2] = {0};
  double *slope = malloc((size_t)(oak_nblocks(s->sim) * s->cells + 1) * sizeof *slope);
  if (!slope) abort();
  MUST(oak_field_get(s->sim, "phi_y", oak_nblocks(s->sim), slope));
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double x[3], origin[3], dx[3];
    sim_center(s, c / s->cells, c % s->cells, x);
    oak_block_geometry(s->sim, c / s->cells, origin, dx);
    if (x[0] > dx[0]) continue; /* one row of cells along y */
    /* Ahead of the front the density falls as exp(-y lambda). */
    if (ne[c] > 1e14 && c % s->cells + s->n < s->cells && ne[c + s->n] <= 1e14)
      f.place = x[1] + dx[1] * log(ne[c] / 1e14) / log(ne[c] / ne[c + s->n]);
    if (ne[c] > 1e14 && c % s->cells + s->n >= s->cells) f.place = fmax(f.place, x[1]);
    f.charge += charge * (ni[c] - ne[c]) * dx[1];
    if (x[1] - dx[1] < low) edge[0] = slope[c];
    if (x[1] + dx[1] > high) edge[1] = slope[c];
  }
  free(ne);
  free(ni);
  free(slope);
  f.place = max_ranks(s->comm, f.place);
  f.charge = sum_ranks(s->comm, f.charge);
  f.jump = sum_ranks(s->comm, edge[0]) - sum_ranks(s->comm, edge[1]);
  return f;
}

/* The front is pulled by the electrons far ahead: v = mu E + 2 sqrt(D mu E alpha) - 3 / (2 lambda
 * t), with lambda = sqrt(mu E alpha / D) (U. Ebert, W. van Saarloos, Physica D 146 (2000) 1). */
static void test_front(void **state) {
  const double E = 5e6, mu = 2.3987 * pow(E, -0.26), D = 4.3628e-3 * pow(E, 0.22);
  const double alpha = (1.1944e6 + 4.3666e26 / (E * E * E)) * exp(-2.73e7 / E) - 340.75;
  const double v = mu * E, growth = v * alpha, lambda = sqrt(growth / D);
  const double first = 1e-9, last = 2.5e-9, high = 7.68e-4;
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, FRONT "physics.name=streamer\n");
  MUST(oak_initialize(s.sim));
  sim_run(&s, first, 0);
  const front_t begin = look_at_front(&s, 0, high);
  sim_run(&s, last, 0);
  const front_t end = look_at_front(&s, 0, high);
  const double speed = (end.place - begin.place) / (last - first);
  const double expected =
      v + 2 * sqrt(D * growth) - 1.5 / lambda * log(last / first) / (last - first);
  report("front: speed %.4e m/s, expected %.4e, mu E %.4e; charge %.6e V/m, jump of the field %.6e",
         speed, expected, v, end.charge, end.jump);
  assert_true(fabs(speed / expected - 1) < 0.02);
  /* The field is that of the last stage, which began before the end of the step. */
  assert_true(fabs(end.charge / end.jump - 1) < 5e-4);
  sim_free(&s);
}

/* The largest field in the seed, at y < 3e-5. */
static double field_in_seed(const sim_t *s) {
  double *slope = malloc((size_t)(oak_nblocks(s->sim) * s->cells + 1) * sizeof *slope), most = 0;
  if (!slope) abort();
  MUST(oak_field_get(s->sim, "phi_y", oak_nblocks(s->sim), slope));
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double x[3];
    sim_center(s, c / s->cells, c % s->cells, x);
    if (x[1] < 3e-5) most = worse(most, fabs(slope[c]));
  }
  free(slope);
  return max_ranks(s->comm, most);
}

/* With steps far above the relaxation time, the field in a plasma falls and does not swing. */
static void test_semi_implicit(void **state) {
  (void)state;
  sim_t s = sim_new(MPI_COMM_WORLD, FRONT
                    "physics.name=streamer_semi_implicit\nproblem.density=1e22\n"
                    "problem.width=4e-5\nproblem.E0=1e6\n");
  double field[5] = {0};
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < 5; step++) {
    MUST(oak_advance(s.sim, 4e-12));
    field[step] = field_in_seed(&s);
  }
  report("semi-implicit: field in the seed %.1e, %.1e, %.1e ... %.1e V/m", field[0], field[1],
         field[2], field[4]);
  for (int step = 0; step < 5; step++) assert_true(field[step] < 1e6);
  assert_true(field[4] < 1e4);
  assert_string_equal(oak_variable_unit(s.sim, "phi_t"), "V/s");
  assert_string_equal(oak_variable_unit(s.sim, "phi_y_t"), "V/(m s)");
  sim_free(&s);
}

static double *field_of(const sim_t *s, const char *name) {
  double *values = malloc((size_t)(oak_nblocks(s->sim) * s->cells + 1) * sizeof *values);
  if (!values) abort();
  MUST(oak_field_get(s->sim, name, oak_nblocks(s->sim), values));
  return values;
}

/* physics.field_change limits the change of the field in a step. phi_y_t is the part of its
 * derivative that lies between both stages, at g dt and (1 - g) dt of a step. */
static void test_field_change(void **state) {
  (void)state;
  const double limit = 2e4, part = sqrt(2) - 1;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    FRONT
                    "physics.name=streamer_semi_implicit\nphysics.safety=1000\n"
                    "problem.density=1e20\nproblem.width=4e-5\nproblem.E0=1e6\n"
                    "physics.field_change=%g\n",
                    limit);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, 1e-14));
  double *before = field_of(&s, "phi_y"), most = 0, wrong = 0;
  for (int step = 0; step < 12; step++) {
    const double dt = oak_time_step(s.sim);
    double change = 0, error = 0;
    MUST(oak_advance(s.sim, dt));
    double *after = field_of(&s, "phi_y"), *rate = field_of(&s, "phi_y_t");
    for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
      change = worse(change, fabs(after[c] - before[c]));
      error = worse(error, fabs(after[c] - before[c] - dt * rate[c] / part));
    }
    free(before);
    free(rate);
    before = after;
    most = worse(most, max_ranks(s.comm, change));
    wrong = worse(wrong, max_ranks(s.comm, error) / limit);
  }
  free(before);
  report("change of the field: at most %.2e V/m in a step, limit %.0e; derivative wrong by %.1f %%",
         most, limit, 100 * wrong);
  assert_true(most < 1.1 * limit && most > 0.7 * limit && wrong < 0.25);
  sim_free(&s);
}

/* The electrons that have left the edge of a plasma, after about two relaxation times. */
static double moved(const char *physics, double dt, int steps) {
  sim_t s = sim_new(MPI_COMM_WORLD,
                    FRONT
                    "physics.name=%s\nphysics.safety=100\nproblem.density=1e20\n"
                    "problem.width=4e-5\nproblem.E0=1e6\npoisson.tolerance=1e-9\n",
                    physics);
  MUST(oak_initialize(s.sim));
  for (int step = 0; step < steps; step++) MUST(oak_advance(s.sim, dt));
  const double field = look_at_front(&s, 0, 7.68e-4).charge;
  sim_free(&s);
  return field;
}

/* With steps below the relaxation time, the scheme is of second order. */
static void test_semi_implicit_order(void **state) {
  (void)state;
  const double t = 1.6e-11, exact = moved("streamer", t / 256, 256);
  double error[2];
  for (int finer = 0; finer < 2; finer++)
    error[finer] =
        fabs(moved("streamer_semi_implicit", t / (16 << finer), 16 << finer) / exact - 1);
  report("semi-implicit: errors of the charge %.1e and %.1e, order %.2f", error[0], error[1],
         log2(error[0] / error[1]));
  assert_true(error[1] < 0.01 && error[0] / error[1] > 2.8);
}

/* Electrons and ions in the gas above a plate, all charges, and the mean height of the ions. */
typedef struct {
  double electrons, ions, charge, height;
} gap_t;

static gap_t look_at_gap(const sim_t *s) {
  double *ne = sim_read(s, 0), *ni = sim_read(s, 1);
  gap_t g = {0};
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) {
    double x[3], origin[3], dx[3];
    sim_center(s, c / s->cells, c % s->cells, x);
    oak_block_geometry(s->sim, c / s->cells, origin, dx);
    const double volume = dx[0] * dx[1];
    g.charge += (ni[c] - ne[c]) * volume;
    if (x[1] < 2e-4) continue;
    g.electrons += ne[c] * volume;
    g.ions += ni[c] * volume;
    g.height += x[1] * ni[c] * volume;
  }
  free(ne);
  free(ni);
  g.electrons = sum_ranks(s->comm, g.electrons);
  g.ions = sum_ranks(s->comm, g.ions);
  g.charge = sum_ranks(s->comm, g.charge);
  g.height = sum_ranks(s->comm, g.height) / g.ions;
  return g;
}

/* Ions drift to a plate in a field of 1 MV/m, and free electrons there. */
static void test_ions(void **state) {
  (void)state;
  sim_t s = sim_new(
      MPI_COMM_WORLD, FAST
      "boundary.xlow=outflow\n" OPEN
      "physics.name=streamer_ions\nproblem.name=streamer\nmesh.block_size=8\nmesh.xmax=1e-3 1e-3\n"
      "mesh.min_level=3\nmesh.max_level=3\nscheme.limiter=koren\npoisson.xlow=no_slope\n"
      "poisson.xhigh=no_slope\npoisson.ylow=zero\npoisson.yhigh=value\nproblem.voltage=800\n"
      "problem.background=0\nproblem.seed_ions=1e10\nproblem.seed_z=3.5e-4\nrun.cfl=0.45\n"
      "problem.seed_radius=5e-5\nreactions.file=@/problems/ions.txt\nreactions.gas=N2 1\n"
      "physics.ion_mobility=0.02\nphysics.secondary_emission=0.1\nbody.plate.shape=plate\n"
      "body.plate.from=-1 -1\nbody.plate.to=1 2e-4\nbody.plate.surface=absorb\n");
  MUST(oak_initialize(s.sim));
  const gap_t start = look_at_gap(&s);
  sim_run(&s, 1e-9, 0);
  const gap_t moving = look_at_gap(&s);
  sim_run(&s, 8e-9, 0);
  const gap_t end = look_at_gap(&s);
  const double lost = start.ions - end.ions, freed = end.electrons / lost;
  report(
      "ions: velocity %.4e m/s, expected -2e4; %.1f %% have arrived, electrons for each %.6f; "
      "charge missing %.1e",
      (moving.height - start.height) / 1e-9, 100 * lost / start.ions, freed,
      end.charge / start.charge - 1);
  assert_true(fabs((moving.height - start.height) / -2e-5 - 1) < 0.01);
  assert_true(lost > 0.4 * start.ions && fabs(freed / 0.1 - 1) < 1e-9);
  assert_true(fabs(end.charge / start.charge - 1) < 1e-12);
  sim_free(&s);
}

#define GAP                                                                                      \
  FAST "boundary.xlow=outflow\n" OPEN                                                            \
       "physics.name=streamer_ions\nproblem.name=streamer\nmesh.block_size=8\n"                  \
       "mesh.xmin=0 2e-4\nmesh.xmax=1e-3 "                                                       \
       "1e-3\nproblem.voltage=800\nmesh.min_level=2\nmesh.max_level=2\nscheme.limiter=koren\n"   \
       "poisson.xlow=no_slope\npoisson.xhigh=no_slope\npoisson.ylow=zero\npoisson.yhigh=value\n" \
       "problem.background=0\nproblem.seed_ions=1e10\nrun.cfl=0.45\n"                            \
       "problem.seed_radius=1e3\nproblem.seed_z=0\nphysics.ion_mobility=0.02\n"                  \
       "reactions.file=@/problems/ions.txt\nreactions.gas=N2 1\n"

/* The share of ions that is left after 10 ns in a gap of 0.8 mm between faces of the domain, in a
 * field of 1 MV/m, and the electrons for each ion that is gone. */
static double ions_left(const char *keys, double *freed) {
  char text[2048];
  snprintf(text, sizeof text, GAP "%s", keys);
  sim_t s = sim_new(MPI_COMM_WORLD, text);
  MUST(oak_initialize(s.sim));
  gap_t start = look_at_gap(&s);
  sim_run(&s, 1e-8, 0);
  const gap_t end = look_at_gap(&s);
  sim_free(&s);
  *freed = end.electrons / (start.ions - end.ions);
  return end.ions / start.ions;
}

/* Ions leave through faces and do not come in, unless a key says so; cathodes free electrons. Ions
 * drift by 0.2 of 0.8 mm. */
static void test_open_gap(void **state) {
  (void)state;
  double freed, given;
  const double left = ions_left("physics.secondary_emission=0.1\n", &freed);
  const double fed = ions_left("boundary.yhigh.N2_plus=dirichlet 1e10\n", &given);
  report(
      "gap: %.4f of the ions are left, expected 0.75; electrons for each %.6f; with ions given at "
      "the anode %.4f",
      left, freed, fed);
  assert_true(fabs(left - 0.75) < 0.01 && fabs(freed / 0.1 - 1) < 1e-4);
  assert_true(fabs(fed - 1) < 0.01);
}

/* The photoionisation for I = exp(-(r/w)^2) without boundaries: I convolved with the fit of Bourdon
 * et al. for 0.2 bar of oxygen, times \a density. */
static double light_of_ball(double r, double w, double density) {
  static const double lambda[] = {829.57, 2190.19, 13351.13}, c[] = {44692.6, 1147695, 109953691};
  double sum = 0;
  for (int j = 0; j < 3; j++) {
    const double along = density * lambda[j], h = 0.5 * along * w;
    sum += density * density * c[j] * exp(h * h) *
           (exp(-along * r) * erfc(h - r / w) - exp(along * r) * erfc(h + r / w));
  }
  return sum * pow(M_PI, 1.5) * w * w * w / (8 * M_PI * r);
}

/* The model that was fitted, for I = exp(-(r/w)^2) from so far away that its width does not matter:
 * absorption lengths between those of 0.035 and 2 per cm and Torr. */
static double light_from_afar(double r, double w) {
  const double torr = 101325. / 760, least = 3.5 * 2e4 / torr, most = 200 * 2e4 / torr;
  return pow(M_PI, 1.5) * w * w * w * (exp(-least * r) - exp(-most * r)) /
         (4 * M_PI * r * r * r * log(most / least));
}

/* A ball of electrons and ions in the uniform field of two electrodes. After a short step, all
 * electrons outside of the ball come from photoionisation. */
static void light(double density) {
  const double E = 8e6, w = 3e-4, z = 6.25e-3, top = 1e12, dt = 1e-15;
  const double alpha = (1.1944e6 + 4.3666e26 / (E * E * E)) * exp(-2.73e7 / E);
  const double mu = 2.3987 * pow(E, -0.26);
  const double I = 0.075 * 0.04 / (0.04 + density) * alpha * mu * E * top;
  double start[8], end[8], most = 0, afar = 0;
  sim_t s = sim_new(MPI_COMM_WORLD,
                    STREAMER
                    "physics.name=streamer_photo\nproblem.voltage=1e5\nphysics.gas_density=%g\n"
                    "problem.background=0\nproblem.seed_radius=%g\nproblem.seed_z=%g\n"
                    "problem.seed_ions=%g\nproblem.seed_electrons=%g\n"
                    "poisson.photo1.yhigh=zero\npoisson.photo2.yhigh=zero\n"
                    "poisson.photo3.yhigh=zero\nmesh.min_level=4\nmesh.max_level=6\n",
                    density * 1e5 / (1.380649e-23 * 300), w, z, top, top);
  MUST(oak_initialize(s.sim));
  MUST(oak_totals(s.sim, start));
  MUST(oak_advance(s.sim, dt));
  MUST(oak_totals(s.sim, end));
  const char *const name[] = {"photo1", "photo2", "photo3"};
  double *ne = sim_read(&s, 0), *ni = sim_read(&s, 1), *light[3];
  for (int j = 0; j < 3; j++) {
    light[j] = malloc((size_t)(oak_nblocks(s.sim) * s.cells + 1) * sizeof *light[j]);
    if (!light[j]) abort();
    MUST(oak_field_get(s.sim, name[j], oak_nblocks(s.sim), light[j]));
  }
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    double x[3];
    sim_center(&s, c / s.cells, c % s.cells, x);
    const double r = hypot(x[0], x[1] - z), expected = I * light_of_ball(r, w, density);
    if (r > 4e-3 / density) continue;
    most = worse(most, fabs((light[0][c] + light[1][c] + light[2][c]) / expected - 1));
    if (r < 8 * w) continue;
    most = worse(most, fabs(ne[c] / (dt * expected) - 1));
    most = worse(most, fabs(ni[c] / (dt * expected) - 1));
    afar = worse(afar, fabs(ne[c] / (I * dt * light_from_afar(r, w)) - 1));
  }
  free(ne);
  free(ni);
  for (int j = 0; j < 3; j++) free(light[j]);
  most = max_ranks(s.comm, most);
  afar = max_ranks(s.comm, afar);
  const double made = end[0] - start[0], drift = (end[1] - start[1]) / made - 1;
  report(
      "light, density %g: error %.1e, %.2f of the model that was fitted; charge / electrons made "
      "%.1e",
      density, most, afar, drift);
  assert_true(most < 0.02 && afar < 0.15);
  assert_true(fabs(drift) < 1e-5);
  sim_free(&s);
}

/* Oxygen and its pressure follow the density of the gas. */
static void test_photoionization(void **state) {
  (void)state;
  light(1);
  light(2);
}

/* The ions of a wide seed bend the potential: |lap phi| dx^2 is known. \return whether it is above
 * a bound in V in a cell of a block of level 3, or in one that is at most refine.buffer = 4 cells
 * away.
 */
static int is_bent(const double origin[3], double dx, double bound) {
  int found = 0;
  for (int c = 0; c < 16 * 16; c++) {
    const double r = origin[0] + (c % 16 - 3.5) * dx, z = origin[1] + (c / 16 - 3.5) * dx - 6e-3;
    found |= 1e14 * charge * exp(-(r * r + z * z) / (4e-3 * 4e-3)) * dx * dx > bound;
  }
  return found;
}

/* problem.curvature refines these blocks and no others. Without it nothing is refined, because the
 * field ionises nothing. */
static void test_curvature(void **state) {
  (void)state;
  for (int n = 0; n < 2; n++) {
    const double bound = n ? 0.02 : 0;
    int count[3] = {0}; /* fine blocks; coarse ones; wrong ones */
    sim_t s =
        sim_new(MPI_COMM_WORLD,
                STREAMER
                "mesh.min_level=3\nmesh.max_level=4\nproblem.voltage=0\nproblem.background=0\n"
                "problem.seed_ions=1e14\nproblem.seed_radius=4e-3\nproblem.seed_z=6e-3\n"
                "problem.curvature=%g\n",
                bound);
    MUST(oak_initialize(s.sim));
    assert_int_equal(oak_nblocks_global(s.sim), 64);
    MUST(oak_advance(s.sim, 1e-15));
    MUST(oak_adjust_refinement(s.sim, NULL));
    for (int b = 0; b < oak_nblocks(s.sim); b++) {
      double x[3], dx[3];
      const int fine = oak_block_level(s.sim, b) - 3;
      oak_block_geometry(s.sim, b, x, dx);
      for (int d = 0; d < 2 && fine; d++) {
        dx[d] *= 2; /* the block that was refined */
        x[d] = floor(x[d] / (8 * dx[d]) + 0.1) * 8 * dx[d];
      }
      count[!fine]++;
      count[2] += fine != (n && is_bent(x, dx[0], bound));
    }
    MPI_Allreduce(MPI_IN_PLACE, count, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    report("curvature %g V: %d fine blocks, %d coarse, %d wrong", bound, count[0], count[1],
           count[2]);
    assert_true(n ? count[0] > 4 * 8 && count[1] > 8 : count[0] == 0);
    assert_int_equal(count[2], 0);
    sim_free(&s);
  }
}

/* Case 1 of B. Bagheri et al., Plasma Sources Sci. Technol. 27 (2018) 095002, at 1 ns. */
static void test_case1(void **state) {
  (void)state;
  if (test_short()) SKIP_CASE("OAK_TEST_SHORT");
  sim_t s = sim_new(MPI_COMM_WORLD, STREAMER "mesh.min_level=3\nmesh.max_level=8\n");
  double most = 0, place = 0;
  MUST(oak_initialize(s.sim));
  sim_run(&s, 1e-9, 2);
  double *x = malloc((size_t)(oak_nblocks(s.sim) * s.cells + 1) * sizeof *x);
  double *y = malloc((size_t)(oak_nblocks(s.sim) * s.cells + 1) * sizeof *y);
  if (!x || !y) abort();
  MUST(oak_field_get(s.sim, "phi_r", oak_nblocks(s.sim), x));
  MUST(oak_field_get(s.sim, "phi_z", oak_nblocks(s.sim), y));
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    double at[3];
    sim_center(&s, c / s.cells, c % s.cells, at);
    if (hypot(x[c], y[c]) <= most) continue;
    most = hypot(x[c], y[c]);
    place = at[1];
  }
  free(x);
  free(y);
  const double all = max_ranks(s.comm, most);
  const double length = 1.25e-2 - max_ranks(s.comm, most == all ? place : 0);
  report("case 1 at 1 ns: length %.4f mm (3.0726), largest field %.3f MV/m (10.452)", 1e3 * length,
         1e-6 * all);
  assert_true(fabs(length - 3.0726e-3) < 6.2e-6 && fabs(all / 10.452e6 - 1) < 0.005);
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_mesh),
                                     cmocka_unit_test(test_charge),
                                     cmocka_unit_test(test_front),
                                     cmocka_unit_test(test_semi_implicit),
                                     cmocka_unit_test(test_semi_implicit_order),
                                     cmocka_unit_test(test_field_change),
                                     cmocka_unit_test(test_photoionization),
                                     cmocka_unit_test(test_ions),
                                     cmocka_unit_test(test_open_gap),
                                     cmocka_unit_test(test_curvature),
                                     cmocka_unit_test(test_case1)};
  return TEST_MAIN(tests);
}
