/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels of each physics by gcc and by clang: primitive variables in all cells against formulas
 * of this file, and both compilers against each other, to rounding. This finds compilers that
 * confuse the lanes of a vectorised loop. */
// TEST timeout=240 flags=default
// TEST name=long_@test@ suite=long OAK_TEST_LONG=1
#include "solver_test.h"

#include "solver/data/variables.h"
#include "solver/step/sim.h"

typedef struct {
  const char *name, *keys;
  int dim;
} physics_t;

static const physics_t physics[] = {
    {"advection", "physics.name=advection\n", 2},
    {"euler", "physics.name=euler\n", 2},
    {"euler", "physics.name=euler\n", 3},
    {"isothermal", "physics.name=isothermal\n", 2},
    {"mhd", "physics.name=mhd\n", 2},
    {"navier_stokes", "physics.name=navier_stokes\nphysics.mu=0.01\n", 2},
    {"shallow_water", "physics.name=shallow_water\n", 2},
    {"indexed", "physics.name=@/problems/indexed_physics.c\n", 2},
};
enum { PHYSICS = sizeof physics / sizeof *physics, VARIABLES = 2 * TEST_MAX_NVAR + 4, PICK = 1 };

/** The primitive state q of the conserved state u, as the files of physics/ define it. */
static void primitive_of(const physics_t *p, int nvar, const double *u, double *q) {
  const double gamma = 5.0 / 3;
  const int velocities = !strcmp(p->name, "mhd") ? 3 : p->dim;
  double energy = 0;
  memcpy(q, u, sizeof *q * (size_t)nvar);
  if (!strcmp(p->name, "indexed")) {
    q[0] = 2 * u[0], q[1] = 2 * u[1];
    return;
  }
  if (!strcmp(p->name, "advection")) return;
  for (int d = 1; d <= velocities; d++) {
    q[d] = u[d] / u[0];
    energy += u[d] * q[d] / 2;
  }
  if (!strcmp(p->name, "mhd"))
    for (int d = 5; d < 9; d++) energy += u[d] * u[d] / 2; /* of the field, and of psi */
  if (!strcmp(p->name, "shallow_water"))
    q[3] = u[0] + u[3];
  else if (strcmp(p->name, "isothermal") != 0)
    q[velocities + 1] = (gamma - 1) * (u[velocities + 1] - energy);
}

/** Conserved and primitive variables after some steps, [variable][cell]. The primitive ones and an
 * OUTPUT of the problem are compared with the formula. */
static double *values(const physics_t *p, const char *compiler, const char *flags, int *count) {
  setenv("OAK_CC", compiler, 1);
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("indexed") "problem.pick=%d\nmesh.dim=%d\nmesh.block_size=8\n" "mesh.trees=2\ndevice.flags=%s\n%s",
                    PICK, p->dim, flags, p->keys);
  MUST(oak_initialize(s.sim));
  for (int n = 0; n < 3; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  const int cells = oak_nblocks(s.sim) * s.cells, nvar = s.nvar;
  double *all = calloc((size_t)VARIABLES * (size_t)cells, sizeof *all), most = 0, spread = 0;
  assert_true(all && nvar <= TEST_MAX_NVAR + 1);
  oak_selection_t picked;
  MUST(oak_variables_select(&s.sim->setup, "picked", "test", "", OAK_SELECT_ALL, &picked));
  MUST(oak_variables_prepare(&s.sim->data, &picked));
  double *p_of = malloc(sizeof *p_of * (size_t)cells);
  assert_non_null(p_of);
  MUST(oak_variable_read(&s.sim->data, picked.variable[0], 0, oak_nblocks(s.sim), p_of));
  for (int v = 0; v < 2 * nvar; v++) {
    double *x = sim_read(&s, v);
    memcpy(all + (size_t)v * (size_t)cells, x, sizeof *x * (size_t)cells);
    free(x);
  }
  for (int c = 0; c < cells; c++) {
    double u[VARIABLES], q[VARIABLES];
    for (int v = 0; v < nvar; v++) u[v] = all[v * cells + c];
    primitive_of(p, nvar, u, q);
    for (int v = 0; v < nvar; v++) most = worse(most, fabs(all[(nvar + v) * cells + c] - q[v]));
    most = worse(most, fabs(p_of[c] - q[PICK % nvar]));
    spread = fmax(spread, fabs(u[0] - all[0]));
  }
  report("%s %dD, %s: largest difference of a variable from its formula %.1e", p->name, p->dim,
         compiler, most);
  assert_true(spread > 0.1);
  assert_true(most < 1e-12);
  free(p_of);
  sim_free(&s);
  *count = 2 * nvar * cells;
  return all;
}

static int exists(const char *compiler) {
  char command[100];
  snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", compiler);
  return system(command) == 0;
}

static void test_compilers(void **state) {
  (void)state;
  const char *choice = getenv("OAK_TEST_CLANG"), *clang = choice && *choice ? choice : "clang";
  if (!exists("gcc") || !exists(clang)) {
    char reason[128];
    snprintf(reason, sizeof reason, "needs gcc and %s", clang);
    SKIP_CASE(reason);
  }
  for (int n = 0; n < PHYSICS; n++) {
    int count, other;
    double *a = values(&physics[n], "gcc", test_long() ? "" : "-O1", &count),
           *b = values(&physics[n], clang, "", &other), most = 0;
    assert_int_equal(count, other);
    for (int i = 0; i < count; i++) most = worse(most, fabs(a[i] - b[i]));
    report("%s %dD: gcc and %s differ by at most %.1e", physics[n].name, physics[n].dim, clang,
           most);
    assert_true(most < 1e-11);
    free(a);
    free(b);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_compilers)};
  return TEST_MAIN(tests);
}
