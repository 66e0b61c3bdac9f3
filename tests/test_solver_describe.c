/* SPDX-License-Identifier: GPL-2.0-or-later
 * What physics and problem files declare: it reaches kernels as a whole or is refused, with texts
 * of any form and length, wrong lists, files that change, and misspelt macros. */
// TEST np={2}
#define _DEFAULT_SOURCE 1
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

#define INITIAL(value)                                                                     \
  "OAK_FN void my_initial(const problem_parameters_t *p, const physics_parameters_t *ph, " \
  "const double x[3], real q[])\n{ q[0] = (real)(" value                                   \
  "); }\n#define PROBLEM_INITIAL my_initial\n"
#define LIST(name) "OAK_PARAMETERS(problem, " name ")\n#define PROBLEM_PARAMETERS " name "\n"

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
  return oak_create(s->comm, s->params, &s->oak);
}

/** The run is refused with these words, on all ranks. */
static void refused(const char *settings, const char *words, int line) {
  sim_t s;
  const int wrong = start(&s, settings) == OAK_OK || !strstr(oak_last_error(), words);
  if (wrong && test_rank == 0)
    fprintf(stderr, "line %d: wanted '%s', but: %s\n", line, words,
            s.oak ? "it starts" : oak_last_error());
  sim_free(&s);
  assert_int_equal(sum_ranks_int(MPI_COMM_WORLD, wrong), 0);
}
#define REFUSED(settings, words) refused(settings, words, __LINE__)

/** The initial value of all cells. */
static double initial_value(const sim_t *s) {
  double worst = 0;
  MUST(oak_initialize(s->oak));
  double *q = sim_read(s, 0);
  const double value = q[0];
  for (int c = 0; c < oak_nblocks(s->oak) * s->cells; c++) worst = fmax(worst, fabs(q[c] - value));
  free(q);
  assert_true(max_ranks(s->comm, worst) == 0);
  return value;
}

/* ---- parameters */

static void put_many(int count, int length) {
  char *list = malloc((size_t)count * ((size_t)length + 64) + 64), *end = list;
  end += sprintf(end, "#define MANY(P)");
  for (int n = 0; n < count; n++)
    end += sprintf(end, " \\\n  P(many_%d, %d.5, \"%0*d\")", n, n, length, 0);
  put("problem.c", "%s\n" LIST("MANY") INITIAL("p->many_%d"), list, count - 1);
  free(list);
}

/** More text than the 8 KiB that fit once: the last parameter arrives. The file then changes. */
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
  assert_int_equal(oak_kernel_build(s.oak, path, "mine", &kernel), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), "read 204 parameters"));
  put_many(200, 1);
  assert_int_equal(oak_kernel_build(s.oak, path, "mine", &kernel), OAK_OK);
  sim_free(&s);
}

static void test_too_many(void **state) {
  (void)state;
  put_many(1, 40000);
  REFUSED("", "the titles, names and help texts of physics and problem are too long");
  put_many(254, 1); /* physics has three */
  REFUSED("", "physics and problem have too many parameters");
}

static void test_wrong_lists(void **state) {
  (void)state;
  put("problem.c",
      "#define ONE(P) P(a, 1, \"\")\n#define TWO(P) P(a, 1, \"\") P(b, 1, \"\")\n"
      "OAK_PARAMETERS(problem, TWO)\n#define PROBLEM_PARAMETERS ONE\n" INITIAL("p->b"));
  REFUSED("", "OAK_PARAMETERS(problem, LIST) and PROBLEM_PARAMETERS must name the same list");
}

/** Help texts are any text; those in braces name values or a bound. Macros of the user's own are
 * his, and comments are none. */
static void test_help(void **state) {
  (void)state;
  sim_t s;
  put("own.h", "#ifndef PROBLEM_OWN_H\n#define PROBLEM_OWN_H\n#define PROBLEM_TEN 10\n#endif\n");
  put("problem.c",
      "#include \"own.h\"\n/* #define PROBLEM_SORCE a\n#define PROBLEM_SORCE b */\n"
      "#define PROBLEM_TITLE \"/* no comment\"\n// #define PROBLEM_SORCE c\n"
      "#define A(P) P(x, 2, \"line\\n\\tand | next\\nhooks source\\nvariables a b\") "
      "P(mode, 1, \"{x,y} mode\") P(least, 4, \"{>=0} of two\")\n" LIST("A")
          INITIAL("p->x + PROBLEM_TEN * p->mode + 100 * p->least"));
  MUST(start(&s, "problem.mode=x"));
  assert_true(initial_value(&s) == 402);
  assert_string_equal(oak_variable_name(s.oak, 0), "rho");
  sim_free(&s);
  REFUSED("problem.least=-1", "problem.least = -1: must be a number of at least 0");
  REFUSED("problem.mode=1", "problem.mode = 1: must be one of x, y");
  put("problem.c", "#define A(P) P(mode, 1e300, \"{x,y}\")\n" LIST("A") INITIAL("1"));
  REFUSED("", "problem.mode: default '1e+300' must be one of x, y");
  put("problem.c", "#define A(P) P(mode, 0.5, \"{x,y}\")\n" LIST("A") INITIAL("1"));
  REFUSED("", "problem.mode: default '0.5' must be one of x, y");
  put("problem.c", "#define A(P) P(size, 1, \"{>none}\")\n" LIST("A") INITIAL("1"));
  REFUSED("", "problem.size: its help text must begin with a bound");
  put("problem.c", "#define A(P) P(size, 1, \"a\\036\\037b\")\n" LIST("A") INITIAL("1"));
  REFUSED("", "control characters");
  put("problem.c", "#define A(P) P(size, 1, \"{%0130d}\")\n" LIST("A") INITIAL("1"), 0);
  REFUSED("", "problem.size: the names of its values");
}

/* ---- macros */

static void test_macros(void **state) {
  (void)state;
  put("problem.c", INITIAL("1") "/*\n*/ #define PROBLEM_SORCE my_initial\n"
                                "#  define PROBLEM_WIND my_initial\n#define PROBELM_REFINE x\n");
  REFUSED("", "problem.c:5: nothing uses the macro PROBLEM_SORCE; did you mean PROBLEM_SOURCE?");
  REFUSED("", "problem.c:6: nothing uses the macro PROBLEM_WIND\n");
  REFUSED("", "problem.c:7: nothing uses the macro PROBELM_REFINE; did you mean PROBLEM_REFINE?");
  put("own.h", "#define PROBLEM_BOUNDRY my_boundary\n");
  put("problem.c", "#include \"own.h\"\n" INITIAL("1"));
  REFUSED("", "own.h:1: nothing uses the macro PROBLEM_BOUNDRY; did you mean PROBLEM_BOUNDARY?");
}

/** A flux whose name does not fit into a constant of the kernels. */
static void test_long_name(void **state) {
  (void)state;
  char settings[512];
  put("physics.c", "#define FLUX_%0125d\n#include \"physics/advection.c\"\n", 1);
  put("problem.c", INITIAL("1"));
  snprintf(settings, sizeof settings, "physics.name=%s/physics.c\nscheme.flux=%0125d", folder, 1);
  REFUSED(settings, "the constant OAK_FLUX of the kernels does not fit");
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
      cmocka_unit_test(make_folder),    cmocka_unit_test(test_many),
      cmocka_unit_test(test_too_many),  cmocka_unit_test(test_wrong_lists),
      cmocka_unit_test(test_help),      cmocka_unit_test(test_macros),
      cmocka_unit_test(test_long_name), cmocka_unit_test(remove_folder)};
  return TEST_MAIN(tests);
}
