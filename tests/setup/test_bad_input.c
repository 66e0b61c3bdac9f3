/* SPDX-License-Identifier: GPL-2.0-or-later
 * More than 200 settings, parameter files and problem files that a run must refuse on all ranks:
 * with the right status and the expected words, one line for each mistake, and no simulation. The
 * same for paths and texts that are too long. All are refused before kernels are built.
 *
 * $OAK_TEST_SHOW: print every message. */
// TEST np=2 timeout=300
#define _DEFAULT_SOURCE 1
#include "bad_input.h"
#include "solver_test.h"

#include <sys/stat.h>

static char folder[64] = "/tmp/oak bad 'input' XXXXXX";

static void name_in_folder(char path[256], const char *name) {
  snprintf(path, 256, "%s/%s", folder, name);
}

/** Write a file of the folder on rank 0; all ranks may read it then. */
static void put(const char *name, const char *text, size_t length) {
  char path[256];
  name_in_folder(path, name);
  if (test_rank == 0) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) abort();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/** Assign valid settings to params, then those of lines. */
static oak_status_t assign(oak_params_t *params, const char *lines) {
  static const char good[] =
      "device.name=cpu\ndevice.threads=1\nproblem.name=shock_tube\nmesh.block_size=8\n"
      "boundary.xlow=outflow\nboundary.xhigh=outflow\n";
  const size_t size = sizeof good + strlen(lines);
  char *text = malloc(size), *next = text, *line;
  if (!text) abort();
  snprintf(text, size, "%s%s", good, lines);
  oak_status_t st = OAK_OK;
  while (st == OAK_OK && (line = strsep(&next, "\n")))
    if (*line) st = oak_params_assign(params, line, "command line");
  free(text);
  return st;
}

static int tried, wrong;

static void complain(const char *input, const char *what) {
  wrong++;
  if (test_rank == 0)
    fprintf(stderr, "%s\n--- of the input:\n%.300s\n--- which says:\n%s\n\n", what, input,
            oak_last_error());
}

/** Is the refusal what it should be? */
static void judge(oak_status_t st, oak_status_t want, const char *input, const char *words) {
  const char *said = oak_last_error();
  tried++;
  if (getenv("OAK_TEST_SHOW") && test_rank == 0) fprintf(stderr, "%s\n", said);
  if (st == OAK_OK) {
    complain(input, "not refused");
    return;
  }
  if (st != want) complain(input, oak_status_text(st));
  if (!*said) complain(input, "no message");
  for (const char *c = said; *c; c++)
    if ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t') {
      complain(input, "a control character in the message");
      break;
    }
  char *texts = strdup(words), *next = texts, *part;
  while ((part = strsep(&next, "|")))
    if (!strstr(said, part)) complain(input, part);
  free(texts);
}

/** Start a simulation with more lines, and destroy it. */
static void refuse(const char *lines, oak_status_t want, const char *input, const char *words) {
  oak_params_t *params;
  oak_t *sim = NULL;
  MUST(oak_params_new(&params));
  const oak_run_options_t options = {.size = sizeof options};
  oak_status_t st = assign(params, lines);
  if (st == OAK_OK) st = oak_create_run(MPI_COMM_WORLD, params, &options, &sim);
  judge(st, want, input, words);
  oak_destroy(&sim);
  oak_params_destroy(&params);
}

/** Read a parameter file of the folder. */
static void refuse_file(const char *name, oak_status_t want, const char *input, const char *words) {
  char path[256];
  oak_params_t *params;
  oak_t *sim = NULL;
  name_in_folder(path, name);
  MUST(oak_params_new(&params));
  oak_status_t st = oak_params_read(params, MPI_COMM_WORLD, path);
  if (st == OAK_OK) st = oak_params_set(params, "problem.name", "shock_tube");
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  judge(st, want, input, words);
  oak_destroy(&sim);
  oak_params_destroy(&params);
}

/** Devices and compilers have a status of their own. */
static oak_status_t status_of(const char *lines) {
  if (strstr(lines, "device.name") == lines) return OAK_ERR_ARGUMENT;
  return strstr(lines, "device.compiler") ? OAK_ERR_BUILD : OAK_ERR_INPUT;
}

static void test_begin(void **state) {
  (void)state;
  if (test_rank == 0 && !mkdtemp(folder)) abort();
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static void test_values(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_values / sizeof *bad_values; i++)
    refuse(bad_values[i].lines, status_of(bad_values[i].lines), bad_values[i].lines,
           bad_values[i].words);
}

static void test_files(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
    put("run.ini", bad_files[i].lines, strlen(bad_files[i].lines));
    refuse_file("run.ini", OAK_ERR_INPUT, bad_files[i].lines, bad_files[i].words);
  }
}

static void refuse_problem(const bad_t *c, oak_status_t want) {
  char lines[300];
  snprintf(lines, sizeof lines, "problem.name=%s/problem.c", folder);
  put("problem.c", c->lines, strlen(c->lines));
  refuse(lines, want, c->lines, c->words);
}

static void test_problems(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_macros / sizeof *bad_macros; i++)
    refuse_problem(&bad_macros[i], OAK_ERR_INPUT);
  for (size_t i = 0; i < sizeof bad_problems / sizeof *bad_problems; i++)
    refuse_problem(&bad_problems[i], OAK_ERR_BUILD);
}

/** Files that are no files of parameters. */
static void test_paths(void **state) {
  (void)state;
  static const char elf[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\2\0>\0";
  const size_t size = (16 << 20) + 100;
  char *large = malloc(size);
  if (!large) abort();
  memset(large, '#', size);
  put("binary", elf, sizeof elf);
  put("large", large, size);
  refuse_file("none.ini", OAK_ERR_FILE, "a file that is not there", "none.ini': No such file");
  refuse_file(".", OAK_ERR_FILE, "a folder", "it is a folder");
  refuse_file("binary/x.ini", OAK_ERR_FILE, "a path through a file", "Not a directory");
  refuse_file("binary", OAK_ERR_INPUT, "a program", "holds binary data");
  refuse_file("large", OAK_ERR_INPUT, "a large file", "more than 16 MiB");
  memset(large, 'x', size - 1);
  large[size - 1] = 0;
  refuse_file(large + size - 8000, OAK_ERR_FILE, "a long path", "cannot read parameter file");
  memcpy(large, "mesh.trees=", 11);
  refuse(large, OAK_ERR_INPUT, "a value of 16 MiB", "mesh.trees = xxx");
  memcpy(large, "problem.name=./", 15);
  refuse(large, OAK_ERR_INPUT, "a name of 16 MiB", "problem.name = ./xxx");
  memset(large, 'x', size - 1);
  refuse(large, OAK_ERR_INPUT, "no equals sign", "xxx");
  free(large);
}

/** Mistakes were printed above. Cases must not get lost either. */
static void test_end(void **state) {
  (void)state;
  if (test_rank == 0) {
    static const char *const names[] = {"run.ini", "problem.c", "binary", "large"};
    char path[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      name_in_folder(path, names[i]);
      remove(path);
    }
    rmdir(folder);
  }
  report("%d refusals, %d wrong", tried, wrong);
  assert_int_equal(wrong, 0);
  assert_true(tried > 200);
}

/** Handles that are NULL and options without their size are refused; a success forgets messages. */
static void test_handles(void **state) {
  (void)state;
  double total[TEST_MAX_NVAR];
  oak_run_options_t options = {.size = sizeof options};
  judge(oak_advance(NULL, 1), OAK_ERR_ARGUMENT, "NULL", "oak_advance: its first handle is NULL");
  judge(oak_params_set(NULL, "mesh.dim", "2"), OAK_ERR_ARGUMENT, "NULL", "oak_params_set");
  judge(oak_solve(NULL, NULL), OAK_ERR_ARGUMENT, "NULL", "oak_solve");
  oak_params_t *params;
  oak_t *sim = NULL;
  MUST(oak_params_new(&params));
  judge(oak_create(MPI_COMM_WORLD, NULL, &sim), OAK_ERR_ARGUMENT, "NULL", "oak_create");
  MUST(assign(params, "device.flags=-O1\nmesh.block_size=4\nproblem.name=shock_tube"));
  options.size = 0;
  judge(oak_create_run(MPI_COMM_WORLD, params, &options, &sim), OAK_ERR_ARGUMENT, "size 0",
        "size is 0: set it to sizeof(oak_run_options_t)");
  options.size = sizeof options + 8;
  judge(oak_create_run(MPI_COMM_WORLD, params, &options, &sim), OAK_ERR_ARGUMENT, "size",
        "at most");
  options.size = offsetof(oak_run_options_t, restart); /* of an earlier version */
  MUST(oak_create_run(MPI_COMM_WORLD, params, &options, &sim));
  MUST(oak_initialize(sim));
  judge(oak_read_cells(sim, -1, 0, 0, total), OAK_ERR_ARGUMENT, "variable -1", "variable -1");
  MUST(oak_totals(sim, total));
  assert_string_equal(oak_last_error(), "");
  oak_destroy(&sim);
  oak_params_destroy(&params);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_begin), cmocka_unit_test(test_values),
                                     cmocka_unit_test(test_files), cmocka_unit_test(test_problems),
                                     cmocka_unit_test(test_paths), cmocka_unit_test(test_handles),
                                     cmocka_unit_test(test_end)};
  return TEST_MAIN(tests);
}
