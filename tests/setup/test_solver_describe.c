/* SPDX-License-Identifier: GPL-2.0-or-later
 * Declarations of physics and problem files reach the kernels unchanged or are refused: texts of
 * any form and length, files that change, misspelt hooks and macros, macros of older versions. */
// TEST np=2
#define _DEFAULT_SOURCE 1
#include "api/create.h"
#include "solver_test.h"

static char folder[] = "/tmp/oak_describe_XXXXXX";

/** Write a file of the folder on rank 0; all ranks may read it then. */
__attribute__((format(printf, 2, 3))) static void put(const char *name, const char *format, ...) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (test_rank == 0) {
    FILE *file = fopen(path, "w");
    va_list args;
    if (!file) abort();
    va_start(args, format);
    vfprintf(file, format, args);
    va_end(args);
    fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

#define INITIAL(value) "INITIAL(at, q)\n{ q[0] = " value "; }\n"

/** Status of a run of problem.c in the folder, with more settings, a line each. */
static oak_status_t start(sim_t *s, const char *settings) {
  const char *device = getenv("OAK_TEST_DEVICE");
  char text[1024], *next = text;
  snprintf(text, sizeof text,
           "device.name=%s\ndevice.threads=1\nproblem.name=%s/problem.c\nphysics.name=advection\n"
           "mesh.block_size=4\nmesh.trees=2\nscheme.limiter=upwind\nscheme.flux=rusanov\n%s",
           device && device[0] ? device : "auto", folder, settings);
  *s = (sim_t){.comm = MPI_COMM_WORLD, .cells = 16};
  MUST(oak_params_new(&s->params));
  for (char *line; (line = strsep(&next, "\n"));)
    if (*line) MUST(oak_params_assign(s->params, line, "test"));
  return oak_create(s->comm, s->params, &s->sim);
}

/** The run is refused with these words, on all ranks. */
static void refused(const char *settings, const char *words, int line) {
  sim_t s;
  const int wrong = start(&s, settings) == OAK_OK || !strstr(oak_last_error(), words);
  if (wrong && test_rank == 0)
    fprintf(stderr, "line %d: wanted '%s', but: %s\n", line, words,
            s.sim ? "it starts" : oak_last_error());
  sim_free(&s);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
}
#define REFUSED(settings, words) refused(settings, words, __LINE__)

/** The initial value of all cells. */
static double initial_value(const sim_t *s) {
  double worst = 0;
  MUST(oak_initialize(s->sim));
  double *q = sim_read(s, 0);
  const double value = q[0];
  for (int c = 0; c < oak_nblocks(s->sim) * s->cells; c++) worst = fmax(worst, fabs(q[c] - value));
  free(q);
  assert_true(max_ranks(s->comm, worst) == 0);
  return value;
}

/* ---- parameters */

static void put_many(int count, int length) {
  char *list = malloc((size_t)count * ((size_t)length + 64) + 64), *end = list;
  for (int n = 0; n < count; n++)
    end += sprintf(end, "PARAMETER(many_%d, %d.5, \"%0*d\")\n", n, n, length, 0);
  put("problem.c", "%s\n" INITIAL("at->p.many_%d"), list, count - 1);
  free(list);
}

/** Text longer than 8 KiB, an earlier limit: the last parameter arrives. Then the file changes. */
static void test_many(void **state) {
  (void)state;
  char path[64];
  sim_t s;
  oak_kernel_t *kernel;
  put_many(200, 100);
  MUST(start(&s, ""));
  assert_true(initial_value(&s) == 199.5);
  put("kernel.c",
      "typedef struct { oak_field_t f; } args_t;\n"
      "OAK_KERNEL(mine, args_t, 32) { OAK_ARGS(args_t); OAK_OUTER(n) { "
      "OAK_SERIAL (void)oak_user(&arg.f).problem; } }\n");
  snprintf(path, sizeof path, "%s/kernel.c", folder);
  put_many(201, 1);
  assert_int_equal(oak_kernel_build(s.sim, path, "mine", &kernel), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "other parameters than when the run started"));
  put_many(200, 1);
  assert_int_equal(oak_kernel_build(s.sim, path, "mine", &kernel), OAK_OK);
  sim_free(&s);
}

static void test_too_many(void **state) {
  (void)state;
  put_many(1, 160);
  REFUSED("", "the help text of many_0 is too long");
  put_many(254, 1); /* physics has three */
  REFUSED("", "problem.c:254: parameter many_253: physics and problem have too many parameters");
  put("problem.c", "PARAMETER(n%050d, 1, \"\")\n" INITIAL("1"), 0);
  REFUSED("", "the name may have 48 characters at most");
  put("problem.c", "PARAMETER(int, 1, \"\")\n" INITIAL("1"));
  REFUSED("", "problem.c:1: PARAMETER int: this is a word of C");
}

/** Declarations that the preprocessor removes are no keys. The other declarations keep their
 * values. A key that only a macro declares is an error with its line. */
static void test_conditions(void **state) {
  (void)state;
  sim_t s;
  put("own.h", "PARAMETER(third, 3, \"\")\n#if OAK_DIM == 2\nPARAMETER(fourth, 4, \"\")\n#endif\n");
  put("problem.c",
      "#if OAK_DIM == 3\nPARAMETER(first, 1, \"\")\n#endif\n PARAMETER ( second,2,\"\");\n"
      "#include \"own.h\"\n" INITIAL("at->p.second + 10 * at->p.third + 100 * at->p.fourth"));
  MUST(start(&s, "problem.third=5"));
  assert_true(initial_value(&s) == 452);
  sim_free(&s);
  REFUSED("problem.first=1",
          "problem.first = 1: unknown key; the keys of [problem] are name, second, third, fourth");
  REFUSED("problem.forth=1",
          "problem.forth = 1: unknown key; did you mean problem.fourth? The keys "
          "of [problem] are name, second, third, fourth");
  put("problem.c", "#define MINE(x) PARAMETER(x, 1, \"\")\nMINE(a)\n" INITIAL("1"));
  MUST(start(&s, "problem.a=2"));
  sim_free(&s);
}

/** Help texts may be any text; in braces they list values or a bound. Macros of the user and
 * comments are ignored. */
static void test_help(void **state) {
  (void)state;
  sim_t s;
  put("own.h", "#ifndef PROBLEM_OWN_H\n#define PROBLEM_OWN_H\n#define PROBLEM_TEN 10\n#endif\n");
  put("problem.c",
      "#include \"own.h\"\n/* SORCE(at, q, source) {}\n#define PROBLEM_SORCE b */\n"
      "TITLE(\"/* no comment\")\n// SORCE(at, q, source) {}\n#define F(x) OAK_FN int x(int n)\n"
      "F(SORCE) { return n; }\n"
      "PARAMETER(x, 2, \"line\\n\\tand | next\\nPARAMETER(y, 1, 2)\")\n"
      "PARAMETER(mode, 1, \"{x,y} mode\") PARAMETER(least, 4, \"{>=0} of \"\n\"two\")\n" INITIAL(
          "at->p.x + PROBLEM_TEN * at->p.mode + 100 * at->p.least"));
  MUST(start(&s, "problem.mode=x"));
  assert_true(initial_value(&s) == 402);
  assert_string_equal(oak_variable_name(s.sim, 0), "rho");
  sim_free(&s);
  REFUSED("problem.least=-1", "problem.least = -1: must be a number of at least 0");
  REFUSED("problem.mode=1", "problem.mode = 1: must be one of x, y");
  put("problem.c", "PARAMETER(mode, 1e300, \"{x,y}\")\n" INITIAL("1"));
  REFUSED("", "problem.mode: default '1e+300' must be one of x, y");
  put("problem.c", "PARAMETER(mode, 0.5, \"{x,y}\")\n" INITIAL("1"));
  REFUSED("", "problem.mode: default '0.5' must be one of x, y");
  put("problem.c", "PARAMETER(size, 1, \"{>none}\")\n" INITIAL("1"));
  REFUSED("", "problem.size: its help text must begin with a bound");
  put("problem.c", "PARAMETER(size, 1, \"{%0130d}\")\n" INITIAL("1"), 0);
  REFUSED("", "problem.size: the names of its values");
}

/* ---- macros */

/** A value of 0 is allowed, but on a mesh with several levels the first lines of a run warn. */
static void test_refined(void **state) {
  (void)state;
  put("problem.c", "PARAMETER(clean, 0, \"{>=0; >0 if refined} errors grow\")\n" INITIAL("1"));
  for (int levels = 1; levels <= 2; levels++) {
    char settings[64], said[2048] = "";
    sim_t s;
    snprintf(settings, sizeof settings, "mesh.min_level=1\nmesh.max_level=%d\n", levels);
    MUST(start(&s, settings));
    FILE *stream = tmpfile();
    assert_non_null(stream);
    oak_print_head(s.sim, stream, 0);
    rewind(stream);
    said[fread(said, 1, sizeof said - 1, stream)] = '\0';
    fclose(stream);
    const char *line =
        strstr(said, "warning: problem.clean = 0 on a mesh with several levels: errors grow");
    assert_int_equal(line != NULL, levels == 2 && test_rank == 0);
    sim_free(&s);
  }
  REFUSED("problem.clean=-1", "problem.clean = -1");
}

static void test_macros(void **state) {
  (void)state;
  put("problem.c", INITIAL("1") "/*\n*/\n#define PHYSICS_NVR 1\n"
                                "#  define PROBLEM_WIND my_initial\n#define PHYSCS_NORMAL x\n");
  REFUSED("", "problem.c:5: nothing uses the macro PHYSICS_NVR; did you mean PHYSICS_NVAR?");
  REFUSED("", "problem.c:6: nothing uses the macro PROBLEM_WIND\n");
  REFUSED("", "problem.c:7: nothing uses the macro PHYSCS_NORMAL; did you mean PHYSICS_NORMAL?");
}

/* ---- hooks */

/** A hook that is misspelt, unknown, in the wrong file or missing. */
static void test_wrong_hooks(void **state) {
  (void)state;
  put("own.h", "SORCE(at, q, source)\n{\n}\n");
  put("problem.c", "PARAMETR(a, 1, \"\")\n#include \"own.h\"\n" INITIAL(
                       "1") "WIND(at) { return 1; }\nFLUX(ph, q, dir, f) {}\n");
  REFUSED("", "problem.c:1: oak does not know PARAMETR; did you mean PARAMETER(name, default, ");
  REFUSED("", "own.h:1: oak does not know SORCE; did you mean SOURCE(at, q, source) { ... }?");
  REFUSED("", "problem.c:5: oak knows no hook WIND");
  REFUSED("", "problem.c:6: FLUX(ph, q, dir, f) { ... } belongs into the file of the physics");
  put("problem.c", INITIAL("1"));
  put("physics.c", "#include \"physics/advection.c\"\nREFINE(at) { return 1; }\n");
  char settings[128];
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c", folder);
  REFUSED(settings, "physics.c:2: REFINE(at) { ... } belongs into the file of the problem");
  put("physics.c",
      "VARIABLES(\"a\") PRIMITIVES(\"a\")\nTO_PRIMITIVE(ph, q) {}\nTO_CONSERVED(ph, u) {}\n"
      "FLUX(ph, q, dir, f) { f[0] = 0; }\n/* VALID(ph, u) */\n"
      "WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = 0; }\n");
  REFUSED(settings, "physics.c has no VALID(ph, u) { ... }, which every physics needs");
}

/** What hooks learn of their place, and a physics without parameters. */
static void test_context(void **state) {
  (void)state;
  sim_t s;
  char settings[128];
  put("physics.c",
      "#define ADVECTION 1\n#define PHYSICS_NVAR 1\n#define PHYSICS_NORMAL(d) -1\n"
      "VARIABLES(\"a\") PRIMITIVES(\"b\")\nTO_PRIMITIVE(ph, q) {}\nTO_CONSERVED(ph, u) {}\n"
      "FLUX(ph, q, dir, f) { f[0] = 0; }\nVALID(ph, u) { return u[0] == u[0]; }\n"
      "WAVE_SPEEDS(ph, ql, qr, dir, smin, smax) { *smin = *smax = 0; }\n"
      "SOURCE(at, q, source) { source[0] = at->dt * 100 + at->step; }\n");
  put("problem.c",
      "PARAMETER(a, 1, \"\")\nSOURCE(at, q, source) { source[0] += 1000 * at->p.a * at->level; "
      "}\n" INITIAL("100 * (at->dx[0] - 0.125) + 10 * at->level + 1 + at->dt + at->step"));
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c\nscheme.integrator=euler", folder);
  MUST(start(&s, settings));
  assert_true(initial_value(&s) == 1); /* level 0 */
  MUST(oak_advance(s.sim, 0.5));       /* 1 + 0.5 * (50 + 0) */
  MUST(oak_advance(s.sim, 0.5));       /* and 0.5 * (50 + 1) */
  double *q = sim_read(&s, 0);
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) assert_true(q[c] == 51.5);
  free(q);
  sim_free(&s);
}

/* ---- a physics that includes another one */

/* Euler with a dye that the gas carries, as docs/kernels.md shows it. */
#define DYE                                                                                  \
  "#define PHYSICS_MORE 1\n#define physics_title euler_title\n"                              \
  "#define physics_variables euler_variables\n#define physics_primitives euler_primitives\n" \
  "#define physics_to_primitive euler_to_primitive\n#define physics_flux euler_flux\n"       \
  "#define physics_to_conserved euler_to_conserved\n#include \"physics/euler.c\"\n"          \
  "#undef physics_title\n#undef physics_variables\n#undef physics_primitives\n"              \
  "#undef physics_to_primitive\n#undef physics_flux\n#undef physics_to_conserved\n"          \
  "enum { DYE = OAK_DIM + 2 };\n#define DYE DYE\nTITLE(\"Gas and dye\")\n"                   \
  "VARIABLES(\"rho mx my E dye\") PRIMITIVES(\"rho vx vy p c\")\n"                           \
  "TO_PRIMITIVE(ph, q) { q[DYE] /= q[RHO]; euler_to_primitive(ph, q); }\n"                   \
  "TO_CONSERVED(ph, u) { u[DYE] *= u[RHO]; euler_to_conserved(ph, u); }\n"                   \
  "FLUX(ph, q, dir, f) { euler_flux(ph, q, dir, f); f[DYE] = f[RHO] * q[DYE]; }\n"

/** One more variable, which the problem finds by name; it moves with the density. */
static void test_more_variables(void **state) {
  (void)state;
  sim_t s;
  char settings[128];
  put("physics.c", DYE);
  put("problem.c",
      "INITIAL(at, q) { q[RHO] = 1 + (at->x[0] > 0.5); q[VX] = 0.5; q[PRS] = 1 + (at->x[1] > 0.3);"
      "\n#ifdef DYE\nq[DYE] = 0.25;\n#endif\n#ifdef NOT_THERE\n#error\n#endif\n}\n");
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c", folder);
  MUST(start(&s, settings));
  MUST(oak_initialize(s.sim));
  assert_string_equal(oak_variable_name(s.sim, 4), "dye");
  for (int n = 0; n < 5; n++) MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  double *rho = sim_read(&s, 0), *dye = sim_read(&s, 4), worst = 0, change = 0;
  for (int c = 0; c < oak_nblocks(s.sim) * s.cells; c++) {
    worst = fmax(worst, fabs(dye[c] / rho[c] - 0.25));
    change = fmax(change, fmin(fabs(rho[c] - 1), fabs(rho[c] - 2)));
  }
  free(rho);
  free(dye);
  assert_true(max_ranks(s.comm, worst) < 1e-14 && max_ranks(s.comm, change) > 0.01);
  sim_free(&s);
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c\nscheme.flux=hllc", folder);
  REFUSED(settings, "hllc and roe know no other variables and fluxes");
}

/** A number of variables that changes behind headers, and names that the physics does not have. */
static void test_wrong_names(void **state) {
  (void)state;
  char settings[128];
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c", folder);
  put("physics.c", "#include \"physics/euler.c\"\n#undef PHYSICS_NVAR\n#define PHYSICS_NVAR 5\n");
  put("problem.c", "INITIAL(at, q) { q[RHO] = q[PRS] = 1; }\n");
  REFUSED(settings, "PHYSICS_NVAR changes behind an #include that uses it");
  REFUSED("", "problem.c:1:");
  REFUSED("", "PRS");
  put("problem.c", "INITIAL(at, q) { q[RHO] = q[PRESSURE] = 1; }\n");
  REFUSED("physics.name=euler", "PRESSURE");
}

/** A flux whose name is too long. */
static void test_long_name(void **state) {
  (void)state;
  char settings[512];
  put("physics.c",
      "#include \"physics/advection.c\"\nRIEMANN(f%0124d, ph, ql, qr, dir, f) { return 0; }\n", 1);
  put("problem.c", INITIAL("1"));
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c\nscheme.flux=f%0124d", folder, 1);
  REFUSED(settings, "the name may have 48 characters at most");
}

static void make_folder(void **state) {
  (void)state;
  if (test_rank == 0 && !mkdtemp(folder)) abort();
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void remove_folder(void **state) {
  (void)state;
  static const char *const name[] = {"problem.c", "physics.c", "kernel.c", "own.h"};
  char path[128];
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 4 && test_rank == 0; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  if (test_rank == 0) rmdir(folder);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(make_folder),      cmocka_unit_test(test_many),
      cmocka_unit_test(test_too_many),    cmocka_unit_test(test_conditions),
      cmocka_unit_test(test_help),        cmocka_unit_test(test_macros),
      cmocka_unit_test(test_refined),     cmocka_unit_test(test_wrong_hooks),
      cmocka_unit_test(test_context),     cmocka_unit_test(test_more_variables),
      cmocka_unit_test(test_wrong_names), cmocka_unit_test(test_long_name),
      cmocka_unit_test(remove_folder)};
  return TEST_MAIN(tests);
}
