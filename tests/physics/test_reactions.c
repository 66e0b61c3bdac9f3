// SPDX-License-Identifier: GPL-2.0-or-later
// TEST timeout=120
/* Reactions from a file: a uniform plasma in a uniform field against an integration of its own,
 * the charge and the atoms, and mistakes in the file. */
#include "solver/step/sim.h"
#include "solver_test.h"

#define PLASMA                                                                            \
  "physics.name=streamer\nproblem.name=streamer\nmesh.dim=2\nmesh.block_size=8\n"         \
  "mesh.xmax=1e-3 1e-3\nmesh.max_level=0\nscheme.limiter=koren\nboundary.ylow=outflow\n"  \
  "boundary.yhigh=outflow\npoisson.ylow=zero\npoisson.yhigh=value\nproblem.voltage=4e3\n" \
  "problem.background=1e17\nproblem.seed_ions=0\nrun.cfl=1\n"                             \
  "poisson.tolerance=1e-13\nreactions.gas=N2 0.8 O2 0.2\n"

enum { E, N2P, O2P, O2M, O, COUNT }; /* in the order in which the file names them */
static const char *const name[COUNT] = {"ne", "N2_plus", "O2_plus", "O2_min", "O"};

/* The rates of tests/problems/reactions.txt at 165.7 Td, written again. */
static void rates(const double n[COUNT], double f[COUNT]) {
  const double N = 2.414e25, Td = 4e6 / N / 1e-21, Te = (0.1 + Td / 100) * 2 / 3 * 11604.518;
  const double k_n2 = 1e-18 + (Td - 100) / 200 * (1e-15 - 1e-18);
  const double k_o2 = pow(10, -8.8 - 281 / Td) * 1e-6, ion_n2 = k_n2 * n[E] * 0.8 * N;
  const double ion_o2 = k_o2 * n[E] * 0.2 * N;
  const double attach = 2e-42 * exp(-500 / Te) * n[E] * 0.04 * N * N;
  const double detach = 1.24e-17 * exp(-pow(179 / (8.8 + Td), 2)) * N * n[O2M];
  const double transfer = 1e-16 * N * n[N2P], recombine = 2e-13 * n[E] * n[O2P];
  const double molecules = 1e-32 * n[O] * n[O] * N;
  f[E] = ion_n2 + ion_o2 - attach + detach - recombine;
  f[N2P] = ion_n2 - transfer;
  f[O2P] = ion_o2 + transfer - recombine;
  f[O2M] = attach - detach;
  f[O] = 2 * recombine - 2 * molecules;
}

/* Runge and Kutta's scheme of fourth order. */
static void integrate(double n[COUNT], double t, int steps) {
  static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  const double dt = t / steps;
  for (int s = 0; s < steps; s++) {
    double k[COUNT] = {0}, sum[COUNT] = {0}, at[COUNT];
    for (int stage = 0; stage < 4; stage++) {
      for (int v = 0; v < COUNT; v++) at[v] = n[v] + part[stage] * dt * k[v];
      rates(at, k);
      for (int v = 0; v < COUNT; v++) sum[v] += weight[stage] * k[v] / 6;
    }
    for (int v = 0; v < COUNT; v++) n[v] += dt * sum[v];
  }
}

static double error_of(int steps, double t, const double exact[COUNT]) {
  double most = 0, total[8], charge = 0;
  sim_t s = sim_new(MPI_COMM_WORLD, PLASMA "reactions.file=@/problems/reactions.txt\n");
  assert_int_equal(s.sim->setup.nvar, COUNT);
  for (int v = 0; v < COUNT; v++) assert_string_equal(s.sim->setup.description.name[v], name[v]);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < steps; n++) MUST(oak_advance(s.sim, t / steps));
  MUST(oak_totals(s.sim, total));
  for (int v = 0; v < COUNT; v++) {
    const double density = total[v] / 1e-6, error = fabs(density / exact[v] - 1);
    if (steps == 100) report("%s: %.6e, expected %.6e", name[v], density, exact[v]);
    most = worse(most, error);
  }
  charge = total[N2P] + total[O2P] - total[O2M] - total[E];
  report("charge over that of electrons: %.1e", charge / total[E]);
  assert_true(fabs(charge) < 1e-13 * total[E]);
  sim_free(&s);
  return most;
}

static void test_plasma(void **state) {
  (void)state;
  const double t = 5e-10;
  double exact[COUNT] = {1e17, 1e17};
  integrate(exact, t, 20000);
  const double coarse = error_of(50, t, exact), fine = error_of(100, t, exact);
  report("errors %.1e and %.1e, order %.2f", coarse, fine, log2(coarse / fine));
  assert_true(fine < 2e-3 && coarse / fine > 3.5);
}

static oak_status_t with_lines(sim_t *s, const char *lines, const char *format, ...) {
  va_list args;
  FILE *f = fopen("reactions_test.txt", "w");
  if (!f) abort();
  fprintf(f, "reaction_list\n-----\n%s\n-----\n", lines);
  fclose(f);
  va_start(args, format);
  const oak_status_t st = try_new(s, MPI_COMM_WORLD, format, args);
  va_end(args);
  return st;
}

#define IONS "e + N2 -> e + e + N2+,c1,1e-16\n"
#define LINES PLASMA "reactions.file=./reactions_test.txt\n"

/* A file with these lines among the reactions is refused, or because of further keys. */
static void refused_with(const char *lines, const char *keys, const char *part) {
  sim_t s;
  assert_int_equal(with_lines(&s, lines, LINES "%s", keys), OAK_ERR_INPUT);
  if (!strstr(oak_last_error(), part)) fail_msg("'%s' is not in: %s", part, oak_last_error());
  sim_free(&s);
  remove("reactions_test.txt");
}

static void refused(const char *lines, const char *part) { refused_with(lines, "", part); }

static void test_mistakes(void **state) {
  (void)state;
  refused("e + N2 -> e + N2+,c1,1e-16", "reactions_test.txt:3: the charge changes from -1 to 0");
  refused("# comment\ne + N2 = N2-,c1,1", "reactions_test.txt:4: must be 'reactants -> products");
  refused("e + N2 -> N2-,field_table,none", "reactions_test.txt:3: no table has the title 'none'");
  refused("e + N2 -> e + e + N2+,c1*exp(-c2/Tg),1e-16", "a constant that is not given");
  refused("e + N2 -> e + e + N2+,c1*exp(-c2/Tg,1e-16 2", "a closing parenthesis is missing");
  refused("e + N2 -> e + e + N2+,c1,-1e-16", "must be finite and not negative");
  refused("e + N2 -> N2-,c1,1e-16,km", "'km': the unit of length must be m or cm");
  refused("e + N2 -> N2-,c1,1e-16 x", "'x': must be at most 9 finite numbers");
  refused("e + N2 -> N2-,c1,nan", "'nan': must be at most 9 finite numbers");
  refused("e + N2 -> @x-,c1,1\n@x = N2,O2\n@y = A",
          ":5: @y has 1 members, and the first group has 2");
  refused("@x = N2,O2\ne + N2 -> @x-,c1,1", ":3: a line with a group stands behind the reaction");
  refused("e + A(B) -> A(B)-,c1,1\ne + A_B -> A_B-,c1,1", "would both be the variable A_B");
  refused("", "has no reactions");
  refused("e + N2 -> N2-,c1,1", "has no positive ion");
  refused(IONS "-----\nignored_species\n-----\ne", ":7: electrons cannot be ignored");
  refused(IONS "-----\nA\n-----\n0 1\n1e-320 1", ":6: the table 'A' goes from 0 to 9.99989e-321");
  refused(IONS "-----\nA\n-----\n-1 1\n1 1", "must begin at 0 Td or later");
  refused(IONS "-----\nMobility *N\n-----\n0 2\n1 -1", "'Mobility *N' has -1 at 1 Td");
  refused(IONS "-----\nMean energy\n-----\n0 1\n9 -2", "'Mean energy' has -2 at 9 Td: it must not");
  refused(IONS "e+N2->e+N2(C),c1,1e-16", ":4: 'e+N2' is no species: write blanks around +");
  refused(IONS "e+ N2 -> N2,c1,1e-16", ":4: 'e+' is no species");
  refused(IONS "N2+ N2 -> N4+,c1,1e-16", ":4: 'N2': species and + must alternate");
  refused(IONS "e + + N2 -> N2-,c1,1e-16", ":4: '+': species and + must alternate");
  refused(IONS "e + N2 + -> N2-,c1,1e-16", ":4: there is nothing behind +");
  refused(IONS "e + N2 ->,,c1,1e-16", ":4: there is nothing between two commas");
  refused(IONS "A + @A -> A + A,c1,1e-16\n@A = N2, , O2", ":5: @A has an empty member");
  refused(IONS "A + @A -> A + A,c1,1e-16\n@A = N2,O2,", ":5: @A has an empty member");
  refused(IONS "e + time -> time + e,c1,1e-16", "a variable or species is named time, as a column");
  refused(IONS "e + N2 -> N2-,field_table,A\n-----\nA\n-----\n0 1\n1 1\n-----\nA\n-----\n0 1\n1 1",
          ":12: a second table with the title 'A'");
  refused(IONS "e + N2 -> N2-,field_table,A\vB\n-----\nA\vC\n-----\n0 1\n1 1", "no table has");
}

static void test_gas(void **state) {
  (void)state;
  refused_with(IONS, "reactions.gas=N2 0.8 02 0.2\n", "reactions.gas: '02' is no molecule");
  refused_with(IONS, "reactions.gas=N2 0.8 ;O2 0.2\n", "reactions.gas: ';O2' is no molecule");
  refused_with(IONS, "reactions.gas=\n", "reactions.gas is not set");
  refused_with(IONS, "reactions.tables=./reactions_test.txt\n", "each reaction would count twice");
  refused_with(IONS, "mesh.dim=2\nphysics.scalars=cells\n", "is named cells, as a column");
}

#define KINKED                                                                                   \
  "e + N2 -> e + e + N2+,field_table,A\n-----\nA\n-----\n0 0\n160 1e-17\n170 3e-16\n171 1e-20\n" \
  "1000 1e-20\n-----\nB\n-----\n0 1\n"

/* Another table that is long, and a kink, do not change a rate: growth of the electrons in one step
 * against that of the table of the file. */
static void test_long_table(void **state) {
  (void)state;
  const double Td = 4e6 / 2.414e25 / 1e-21, dt = 1e-13, low = 160, high = 170;
  const double k = 1e-17 + (Td - low) / (high - low) * (3e-16 - 1e-17);
  for (int longer = 0; longer < 2; longer++) {
    double total[8];
    sim_t s;
    MUST(with_lines(&s, longer ? KINKED "9e4 1" : KINKED "9 1", LINES "device.flags=-O1\n"));
    MUST(oak_initialize(s.sim));
    MUST(oak_advance(s.sim, dt));
    MUST(oak_totals(s.sim, total));
    const double growth = total[0] / 1e-6 / 1e17 - 1, x = k * 0.8 * 2.414e25 * dt;
    report("growth %.6e, expected %.6e", growth, x + x * x / 2);
    assert_true(fabs(growth / (x + x * x / 2) - 1) < 1e-6);
    sim_free(&s);
  }
  remove("reactions_test.txt");
}

/* A coefficient that is smaller than the numbers of single precision: O2- after one step. */
static void test_single(void **state) {
  (void)state;
  const double k = 1e-44, gas = 0.2 * 2.414e25, dt = 1e-13, grown = 1e-16 * 0.8 * 2.414e25 * dt;
  double total[8];
  sim_t s;
  MUST(with_lines(&s, IONS "e + O2 + O2 -> O2- + O2,c1+c2*Td,0.9e-44 6.035e-48",
                  LINES "device.flags=-O1\nscheme.precision=single\npoisson.tolerance=1e-5\n"));
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, dt));
  MUST(oak_totals(s.sim, total));
  const double made = total[2] / 1e-6, exact = k * 1e17 * gas * gas * dt * (1 + grown / 2);
  report("O2- %.6e, expected %.6e", made, exact);
  assert_true(fabs(made / exact - 1) < 1e-5);
  sim_free(&s);
  remove("reactions_test.txt");
}

/* The log names what a run has, and what has no effect. */
static void test_note(void **state) {
  (void)state;
  static const char *const part[] = {
      "  reactions: 3 of 3 species: ne N2_plus N2_C; gas N2 0.8 O2 0.2\n",
      "    coefficients: line 3 constant, line 4 formula of E/N, line 5 constant\n",
      "warning: no reaction needs the molecule O2",
      "tables that nothing uses: 'Mobilty *N'\n",
      "    mobility: a formula of the physics, unless physics.mobility is set\n",
      "    diffusion: table 'Diffusion coefficient', unless physics.diffusion is set\n"};
  sim_t s;
  MUST(with_lines(&s,
                  IONS "e + N2 -> e + N2(C),c1*Td,1e-20\nN2(C) -> N2,c1,1e7\n"
                       "-----\nMobilty *N\n-----\n0 1\n9 1\n-----\nDiffusion coefficient\n"
                       "-----\n0 1\n9 1",
                  LINES));
  for (int n = 0; n < 6; n++)
    if (!strstr(s.sim->setup.reactions.note, part[n]))
      fail_msg("'%s' is not in: %s", part[n], s.sim->setup.reactions.note);
  sim_free(&s);
  remove("reactions_test.txt");
}

/* A megabyte of comments, and many tables: the time is not that of their square. */
static void test_long_file(void **state) {
  (void)state;
  enum { COUNT = 60000 };
  static const char comment[] = "COMMENT: no more\n";
  const size_t size = COUNT * (sizeof comment + 48) + 256;
  char *lines = calloc(1, size), *end = lines;
  if (!lines) abort();
  end += sprintf(end, IONS "-----\n");
  for (int n = 0; n < COUNT; n++) end += sprintf(end, "%s", comment);
  for (int n = 0; n < COUNT; n++)
    end += sprintf(end, "%sA%d\n-----\n0 1\n9 1\n", n ? "-----\n" : "", n);
  sim_t s;
  const double start = MPI_Wtime();
  MUST(with_lines(&s, lines, LINES));
  report("%d comments and tables: %.1f s", COUNT, MPI_Wtime() - start);
  assert_true(MPI_Wtime() - start < 30);
  sim_free(&s);
  free(lines);
  remove("reactions_test.txt");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plasma),   cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_gas),      cmocka_unit_test(test_long_table),
      cmocka_unit_test(test_single),   cmocka_unit_test(test_note),
      cmocka_unit_test(test_long_file)};
  return TEST_MAIN(tests);
}
