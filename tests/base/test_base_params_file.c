/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameter files that are refused, with the words of the message; lines of every length. */
// TEST np={1,2,3} sanitize
#define _GNU_SOURCE 1
#include "params_test.h"

#include <time.h>

/* ---- refused files -------------------------------------------------------------------------- */

/** All mistakes of a file in one message, each with its line. */
static void test_all_mistakes(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(
      read_text(params,
                "[mesh]\nblock_size = 15\n\n# c\nblocksize = 3\n[run]\ncfl = 0.2\ncfq = 7\n"),
      OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  char line[256];
  snprintf(line, sizeof line,
           "%s:2: mesh.block_size = 15: must be one to three even integers from 4 to 128\n", path);
  assert_says(line);
  snprintf(line, sizeof line,
           "%s:5: mesh.blocksize = 3: unknown key; did you mean mesh.block_size?\n", path);
  assert_says(line);
  snprintf(line, sizeof line, "%s:8: run.cfq = 7: unknown key; did you mean run.cfl?", path);
  assert_says(line);
  assert_says_not("run.cfl =");
  oak_params_destroy(&params);
}

static void test_many_mistakes(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  for (int i = 0; i < 500; i++) {
    char key[32];
    snprintf(key, sizeof key, "mesh.unknown_key_%d", i);
    assert_int_equal(oak_params_set(params, key, "value"), OAK_OK);
  }
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  int lines = 1, more = 0;
  for (const char *c = oak_last_error(); *c; c++) lines += *c == '\n';
  const char *rest = strstr(oak_last_error(), "\n... and ");
  assert_non_null(rest);
  assert_int_equal(sscanf(rest, "\n... and %d more mistakes", &more), 1);
  assert_int_equal(lines - 1 + more, 500);
  oak_params_destroy(&params);
}

/** A file of 40,000 unknown keys is refused in no time. */
static void test_too_many_keys(void **state) {
  (void)state;
  enum { KEYS = 40000 };
  char *text = malloc(40 * KEYS), *end = text + sprintf(text, "[mesh]\n");
  for (int i = 0; i < KEYS; i++) end += sprintf(end, "a_key_that_is_unknown_%d = 1\n", i);
  oak_params_t *params = new_params();
  const clock_t start = clock();
  assert_int_equal(read_text(params, text), OAK_ERR_INPUT);
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5);
  assert_says(":4098: more than 4096 keys: this is not a parameter file");
  oak_params_destroy(&params);
  free(text);
}

/** Control characters, which give commands to a terminal, are refused in values and not shown in
 * messages. */
static void test_control_characters(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(read_text(params,
                             "[output]\nfolder = a\x1b[31mb # \x1b[0m\nplot_steps = 1 # \x1b\n"
                             "[mesh]\n\x1b]0;title\x07 = 3\n[m\x7f]\n"),
                   OAK_ERR_INPUT);
  assert_says(":2: 'folder = a?[31mb': has a control character (byte 27): delete it\n");
  assert_says(":5: '?]0;title? = 3': has a control character (byte 27)");
  assert_says(":6: '[m?]': has a control character (byte 127)");
  assert_says_not(":3:");
  assert_says_not("\x1b");
  assert_int_equal(oak_params_assign(params, "output.folder=\x1b[2J", "command line"),
                   OAK_ERR_INPUT);
  assert_says(
      "command line: output.folder = ?[2J: has a control character (byte 27): leave it out");
  assert_int_equal(oak_params_set(params, "output.folder", "\xc2\x9b"), OAK_ERR_INPUT);
  assert_int_equal(oak_params_set(params, "output.folder", "Gr\xc3\xb6\xc3\x9f e\tx"), OAK_OK);
  assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, "no\x1b[1mfile"), OAK_ERR_FILE);
  assert_says("'no?[1mfile'");
  oak_params_destroy(&params);
}

/** Text that is no setting and wrong settings are reported in one message. Keys of a problem may
 * come later. */
static void test_all_settings(void **state) {
  (void)state;
  static char *const bad[] = {"nonsense",  "mesh.dim=7",     "--fast",
                              "run.cfq=1", "problem.kick=3", "run.cfl=0.3"};
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign_all(params, 6, bad, "command line"), OAK_ERR_INPUT);
  assert_says("command line: 'nonsense' is not a setting: write section.key=value");
  assert_says("\ncommand line: '--fast' is not a setting or a known option: write");
  assert_says("\ncommand line: mesh.dim = 7: must be an integer from 2 to 3");
  assert_says("\ncommand line: run.cfq = 1: unknown key; did you mean run.cfl?");
  assert_says_not("kick");
  assert_says_not("0.3");
  oak_params_destroy(&params);
  params = new_params();
  assert_int_equal(oak_params_assign_all(params, 3, bad + 3, "command line"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_OK); /* as long as there is no other mistake */
  oak_params_destroy(&params);
}

static void test_syntax(void **state) {
  (void)state;
  static const struct {
    const char *text, *line, *words;
  } bad[] = {
      {"a = 3\n", ":1: 'a = 3'", "key outside a section"},
      {"\n[mesh\n", ":2: '[mesh'", "expected a section"},
      {"[]\n", ":1: '[]'", "expected a section"},
      {"[mesh] dim = 3\n", ":1: '[mesh] dim = 3'", "only a comment may follow"},
      {"[mesh]\nhello there # x\n", ":2: 'hello there'", "expected [section] or key = value"},
      {"[mesh]\n= 3\n", ":2: '= 3'", "expected [section] or key = value"},
      {"[mesh]\ndim = 2\ndim = 3\n", ":3: mesh.dim = 3: given before", ":2 (2): keep one"},
      {"[mesh]\ndim = 2\n[run]\ncfl = 1\n[mesh]\ndim = 2\n", ":6: mesh.dim = 2: given before",
       ":2 (2)"},
      {"[mesh]\na_name_that_is_longer_than_any_name_of_a_parameter_can_be = 2\n",
       ":2:", "too long"},
  };
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    oak_params_t *params = new_params();
    assert_int_equal(read_text(params, bad[b].text), OAK_ERR_INPUT);
    assert_says(path);
    assert_says(bad[b].line);
    assert_says(bad[b].words);
    oak_params_destroy(&params);
  }
  oak_params_t *params = new_params();
  assert_int_equal(read_text(params, "[mesh]\nfirst\nsecond\ndim = 3\nlast"), OAK_ERR_INPUT);
  assert_says(":2: 'first'");
  assert_says(":3: 'second'");
  assert_says(":5: 'last'");
  assert_int_equal(oak_params_is_set(params, "mesh.dim"), 0); /* all or nothing */
  oak_params_destroy(&params);
}

static void test_unreadable(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, "/nowhere/run.ini"), OAK_ERR_FILE);
  assert_says("'/nowhere/run.ini': No such file or directory");
  assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, folder), OAK_ERR_FILE);
  assert_says("it is a folder");
  char fifo[112];
  snprintf(fifo, sizeof fifo, "%s.fifo", path);
  if (test_rank == 0) assert_int_equal(mkfifo(fifo, 0600), 0);
  static const char *const endless[] = {NULL, "/dev/zero"};
  for (int i = 0; i < 2; i++) {
    alarm(80); /* an open without a partner waits */
    assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, i ? endless[i] : fifo), OAK_ERR_FILE);
    alarm(0);
    assert_says("it is a pipe or a device");
  }
  if (test_rank == 0) unlink(fifo);
  write_bytes("[mesh]\ndim\0 = 3\n", 16);
  assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, path), OAK_ERR_INPUT);
  assert_says("binary data");
  MPI_Barrier(MPI_COMM_WORLD);
  assert_int_equal(read_text(params, ""), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_OK);
  oak_params_destroy(&params);
}

/** Long lines do not change the next one. */
static void test_line_lengths(void **state) {
  (void)state;
  static const int lengths[] = {195, 196, 197, 198, 199, 200, 201, 216, 400, 100000};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
    char *line = malloc((size_t)lengths[n] + 1), *text = malloc((size_t)lengths[n] + 100);
    memset(line, 'v', (size_t)lengths[n]);
    line[lengths[n]] = '\0';
    memcpy(line, "folder = ", 9);
    sprintf(text, "[output]\n%s\nplot_steps = 5\n[mesh]\ndim = 3\n", line);
    oak_params_t *params = params_of(text);
    assert_string_equal(oak_params_text(params, "output.folder"), line + 9);
    assert_int_equal(oak_params_int(params, "output.plot_steps"), 5);
    assert_int_equal(oak_params_int(params, "mesh.dim"), 3);
    oak_params_destroy(&params);

    line[7] = 'v'; /* no key: refused, and what follows is still judged */
    sprintf(text, "[output]\n%s\n[mesh]\nnothing\n", line);
    params = new_params();
    assert_int_equal(read_text(params, text), OAK_ERR_INPUT);
    assert_says(":2: 'folder");
    assert_says(":4: 'nothing': expected [section] or key = value");
    oak_params_destroy(&params);
    free(line);
    free(text);
  }
}

/** Messages show how long values begin. */
static void test_long_lines(void **state) {
  (void)state;
  enum { LENGTH = 20000 };
  char *text = malloc(LENGTH + 100), *value = malloc(LENGTH + 1);
  memset(value, 'v', LENGTH);
  value[LENGTH] = '\0';
  sprintf(text, "[output]\nfolder = %s # c\nplot_steps = 5\n", value);
  oak_params_t *params = params_of(text);
  assert_string_equal(oak_params_text(params, "output.folder"), value);
  assert_int_equal(oak_params_int(params, "output.plot_steps"), 5);
  assert_int_equal(oak_params_set(params, "mesh.dim", value), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  assert_says("program: mesh.dim = vvv");
  oak_params_destroy(&params);
  free(text);
  free(value);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_mistakes),  cmocka_unit_test(test_many_mistakes),
      cmocka_unit_test(test_too_many_keys), cmocka_unit_test(test_control_characters),
      cmocka_unit_test(test_all_settings),  cmocka_unit_test(test_syntax),
      cmocka_unit_test(test_unreadable),    cmocka_unit_test(test_line_lengths),
      cmocka_unit_test(test_long_lines)};
  return PARAMS_TEST_MAIN(tests);
}
