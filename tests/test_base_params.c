/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters: files, settings, values of every type, refusals with their words, echo and help. */
// TEST np={1,2,3}
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "oak/params.h"

static int rank;
static char folder[64] = "/tmp/oak_params_XXXXXX";
static char path[96];

/* ---- helpers -------------------------------------------------------------------------------- */

/** Write a file on rank 0; all ranks may read it then. */
static void write_file(const char *text, size_t bytes) {
  if (rank == 0) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file) != 0)
      fail_msg("cannot write %s", path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static oak_status_t read_text(oak_params_t *params, const char *text) {
  write_file(text, strlen(text));
  oak_status_t status = oak_params_read(params, MPI_COMM_WORLD, path);
  MPI_Barrier(MPI_COMM_WORLD);
  return status;
}

static oak_params_t *new_params(void) {
  oak_params_t *params = NULL;
  assert_int_equal(oak_params_new(&params), OAK_OK);
  return params;
}

/** A checked set from the text of a file. */
static oak_params_t *params_of(const char *text) {
  oak_params_t *params = new_params();
  oak_params_trust(params); /* an echo may have flags */
  if (read_text(params, text) != OAK_OK) fail_msg("not read: %s", oak_last_error());
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("not accepted: %s", oak_last_error());
  return params;
}

static void assert_says(const char *words) {
  if (!strstr(oak_last_error(), words)) fail_msg("'%s' does not say '%s'", oak_last_error(), words);
}

static void assert_says_not(const char *words) {
  if (strstr(oak_last_error(), words)) fail_msg("'%s' says '%s'", oak_last_error(), words);
}

/** The set refuses this setting with these words. */
static void assert_refused(const char *assignment, const char *words) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, assignment, "command line"), OAK_OK);
  if (oak_params_check(params, 1) != OAK_ERR_INPUT) fail_msg("accepted: %s", assignment);
  assert_says(words);
  oak_params_destroy(&params);
}

static oak_params_t *params_with(const char *assignment) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, assignment, "command line"), OAK_OK);
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("refused: %s", oak_last_error());
  return params;
}

static double real_of(const char *value) {
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_set(params, "run.end_time", value), OAK_OK);
  if (oak_params_check(params, 1) != OAK_OK) fail_msg("refused: %s", oak_last_error());
  double x = oak_params_real(params, "run.end_time");
  oak_params_destroy(&params);
  return x;
}

/** What \a print writes, to be freed. */
static char *printed(const oak_params_t *params, int markdown) {
  char *text = NULL;
  size_t size;
  FILE *stream = open_memstream(&text, &size);
  assert_non_null(stream);
  if (markdown < 0)
    oak_params_print(params, stream);
  else
    oak_params_help(params, stream, markdown);
  fclose(stream);
  return text;
}

/* ---- libinih -------------------------------------------------------------------------------- */

typedef struct {
  ini_reader read;
  void *stream;
  int broken; /**< full lines without a newline: libinih from 58 on skips what follows */
} watched_t;

static int broken_lines;

/* Linkers leave out a library of which nothing else is used. */
static int (*volatile library)(FILE *, ini_handler, void *) = ini_parse_file;

static char *watch(char *out, int size, void *user) {
  watched_t *watched = user;
  char *line = watched->read(out, size, watched->stream);
  const size_t length = line ? strlen(line) : 0;
  watched->broken += length + 1 >= (size_t)size && line[length - 1] != '\n';
  return line;
}

/** In front of the library's own: any version of it is given lines that each can be told from the
 * next, as fgets() would. */
int ini_parse_stream(ini_reader reader, void *stream, ini_handler handler, void *user) {
  typedef int parse_t(ini_reader, void *, ini_handler, void *);
  watched_t watched = {.read = reader, .stream = stream};
  void *symbol = dlsym(RTLD_NEXT, "ini_parse_stream");
  parse_t *parse;
  assert_true(library && symbol);
  memcpy(&parse, &symbol, sizeof symbol);
  const int code = parse(watch, &watched, handler, user);
  broken_lines += watched.broken;
  return code;
}

/* ---- values --------------------------------------------------------------------------------- */

static void test_defaults(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  int trees[3];
  double range[3];
  for (int checked = 0; checked < 2; checked++) {
    assert_int_equal(oak_params_int(params, "mesh.block_size"), 16);
    assert_true(oak_params_real(params, "run.cfl") == 0.5);
    assert_true(oak_params_real(params, "output.picture_position") == 0.5);
    assert_int_equal(oak_params_bool(params, "output.picture_mesh"), 1);
    assert_string_equal(oak_params_text(params, "physics.name"), "euler");
    assert_string_equal(oak_params_text(params, "refine.variable"), "");
    assert_int_equal(oak_params_choice(params, "output.picture_colors"), 1);
    assert_int_equal(oak_params_ints(params, "mesh.trees", trees), 1);
    assert_true(trees[0] == 1 && trees[1] == 1 && trees[2] == 1);
    assert_int_equal(oak_params_reals(params, "output.picture_range", range), 2);
    assert_int_equal(oak_params_is_set(params, "mesh.trees"), 0);
    assert_string_equal(oak_params_origin(params, "mesh.trees"), "default");
    assert_string_equal(oak_params_folder(params), ".");
    assert_int_equal(oak_params_check(params, 1), OAK_OK);
  }
  oak_params_destroy(&params);
  assert_null(params);
  oak_params_destroy(&params);
}

static void test_file(void **state) {
  (void)state;
  oak_params_t *params = params_of(
      "\xEF\xBB\xBF# a comment\r\n; another\r\n[run]\r\nend_time=5/3   ; inline\r\n  max_steps = "
      "12\t# too\r\n\n"
      "[ mesh ] # section\ntrees = 4, 2\nxmin = -1 -2 -3\nblock_size: 8\n"
      "[output]\nfolder = a#b;c d\npicture_variable =\npicture_mesh = Off\nplot_variables = \"x # "
      "y\" # z\n"
      "[refine]\nvariable = \"rho p\"\n[run]\ncfl = 1");
  int trees[3];
  double xmin[3];
  char origin[128];
  assert_true(oak_params_real(params, "run.end_time") == 5.0 / 3.0);
  assert_int_equal(oak_params_int(params, "run.max_steps"), 12);
  assert_int_equal(oak_params_ints(params, "mesh.trees", trees), 2);
  assert_true(trees[0] == 4 && trees[1] == 2 && trees[2] == 2);
  assert_int_equal(oak_params_reals(params, "mesh.xmin", xmin), 3);
  assert_true(xmin[0] == -1 && xmin[1] == -2 && xmin[2] == -3);
  assert_int_equal(oak_params_int(params, "mesh.block_size"), 8);
  assert_string_equal(oak_params_text(params, "output.folder"), "a#b;c d");
  assert_string_equal(oak_params_text(params, "output.picture_variable"), "");
  assert_string_equal(oak_params_text(params, "output.plot_variables"), "x # y");
  assert_string_equal(oak_params_text(params, "refine.variable"), "rho p");
  assert_int_equal(oak_params_bool(params, "output.picture_mesh"), 0);
  assert_true(oak_params_real(params, "run.cfl") == 1);
  assert_int_equal(oak_params_is_set(params, "mesh.trees"), 1);
  snprintf(origin, sizeof origin, "%s:8", path);
  assert_string_equal(oak_params_origin(params, "mesh.trees"), origin);
  assert_string_equal(oak_params_folder(params), folder);
  oak_params_destroy(&params);
}

/** Later settings win, whatever they come from. */
static void test_order(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, "mesh.dim=2", "command line"), OAK_OK);
  assert_int_equal(read_text(params, "[mesh]\ndim = 3\nblock_size = 8\n"), OAK_OK);
  assert_int_equal(read_text(params, "[mesh]\nblock_size = 32\n"), OAK_OK);
  assert_int_equal(oak_params_assign(params, " run.cfl = 0.4 ", "command line"), OAK_OK);
  assert_int_equal(oak_params_set(params, "run.dt_max", "3"), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_OK);
  assert_int_equal(oak_params_int(params, "mesh.dim"), 3);
  assert_int_equal(oak_params_int(params, "mesh.block_size"), 32);
  assert_true(oak_params_real(params, "run.cfl") == 0.4);
  assert_string_equal(oak_params_origin(params, "run.cfl"), "command line");
  assert_string_equal(oak_params_origin(params, "run.dt_max"), "program");
  oak_params_destroy(&params);
}

static void test_numbers(void **state) {
  (void)state;
  assert_true(real_of("1e-3") == 1e-3);
  assert_true(real_of("1/1024") == 1.0 / 1024);
  assert_true(real_of("1.5e1/2") == 7.5);
  assert_true(real_of("+4") == 4);
  assert_true(real_of("1e-400") == 0);
  static const char *const bad[] = {"nan",  "inf", "1e999", "1/0", "1/", "/2", "1/2/3", "1 /2",
                                    "1/ 2", "2x",  "",      "one", "-1", "0x", "1,5",   "1/inf"};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    char assignment[64];
    snprintf(assignment, sizeof assignment, "run.end_time=%s", bad[b]);
    assert_refused(assignment, "must be a number of at least 0");
  }
}

static void test_refused_values(void **state) {
  (void)state;
  assert_refused("mesh.block_size=15",
                 "command line: mesh.block_size = 15: must be an even integer from 4 to 128");
  assert_refused("mesh.block_size=2", "must be an even integer from 4 to 128");
  assert_refused("mesh.block_size=130", "must be an even integer from 4 to 128");
  assert_refused("mesh.block_size=16.0", "must be an even integer");
  assert_refused("mesh.block_size=", "mesh.block_size = : must be an even integer");
  assert_refused("run.max_steps=3000000000", "must be an integer of at least 0");
  assert_refused("run.max_steps=99999999999999999999", "must be an integer of at least 0");
  assert_refused("run.cfl=0", "must be a number above 0 and up to 2");
  assert_refused("run.cfl=2.01", "must be a number above 0 and up to 2");
  assert_refused("mesh.trees=1 2 3 4", "must be one to three integers from 1 to 4096");
  assert_refused("mesh.trees=1,,2", "must be one to three integers");
  assert_refused("mesh.trees=1,", "must be one to three integers");
  assert_refused("mesh.trees=,1", "must be one to three integers");
  assert_refused("mesh.trees=2 0", "must be one to three integers");
  assert_refused("mesh.xmin=1 nan", "must be one to three numbers");
  assert_refused("output.picture_range=1", "must be two numbers");
  assert_refused("output.picture_range=1 2 3", "must be two numbers");
  assert_refused("output.picture_mesh=maybe", "must be yes or no");
  assert_refused("scheme.precision=doub", "must be one of double, single");
  assert_refused("scheme.precision=double single", "must be one of double, single");
  assert_refused("scheme.precision=", "must be one of");
  oak_params_t *params = params_with("mesh.xmax=2, 3/2,1e2");
  double xmax[3];
  assert_int_equal(oak_params_reals(params, "mesh.xmax", xmax), 3);
  assert_true(xmax[0] == 2 && xmax[1] == 1.5 && xmax[2] == 100);
  oak_params_destroy(&params);
  params = params_with("scheme.precision=single");
  assert_int_equal(oak_params_choice(params, "scheme.precision"), 1);
  oak_params_destroy(&params);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void test_unknown_keys(void **state) {
  (void)state;
  assert_refused("mesh.blocksize=16",
                 "command line: mesh.blocksize = 16: unknown key; did you mean mesh.block_size?");
  assert_refused("mesh.max_lvel=1", "did you mean mesh.max_level?");
  assert_refused("mesh.mxa_level=1", "did you mean mesh.max_level?");
  assert_refused("Mesh.Dim=2", "did you mean mesh.dim?");
  assert_refused("run.block_size=16", "did you mean mesh.block_size?");
  assert_refused("block_size=16", "key without a section; did you mean mesh.block_size?");
  assert_refused("mesh.completely_different=1", "unknown key; see the list of keys");
  assert_refused("hydro.nothing=1",
                 "unknown section [hydro]; the sections are run, mesh, refine, scheme, physics, "
                 "problem, boundary, device, output");
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_set(params, "mesh.other", "1"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  oak_params_destroy(&params);
}

static void test_bad_settings(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_assign(params, "nonsense", "command line"), OAK_ERR_INPUT);
  assert_says("command line: 'nonsense' is not a setting: write section.key=value");
  assert_int_equal(oak_params_assign(params, "=3", "command line"), OAK_ERR_INPUT);
  assert_int_equal(oak_params_set(params, "output.folder", "a\nb"), OAK_ERR_INPUT);
  assert_says("several lines");
  assert_int_equal(oak_params_set(params, "output.folder", "a \" #b"), OAK_ERR_INPUT);
  assert_says("comment sign");
  oak_params_destroy(&params);
}

static void test_declare(void **state) {
  (void)state;
  char key[] = "problem.speeds";
  const oak_param_desc_t desc[] = {{.key = key,
                                    .type = OAK_PARAM_REALS,
                                    .fallback = "1 2",
                                    .min = -INFINITY,
                                    .max = 5,
                                    .help = "Speeds."},
                                   {.key = "problem.modes.x",
                                    .type = OAK_PARAM_INT,
                                    .fallback = "9",
                                    .multiple_of = 3,
                                    .help = "Modes."}};
  oak_params_t *params = new_params();
  assert_int_equal(read_text(params, "[problem]\nspeeds = 3\nmodes.x = 6\n"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_OK);
  assert_int_equal(oak_params_declare(params, desc, 2), OAK_OK);
  key[0] = 'x'; /* descriptions are copied */
  double speeds[3];
  assert_int_equal(oak_params_reals(params, "problem.speeds", speeds), 2);
  assert_int_equal(oak_params_check(params, 1), OAK_OK);
  assert_int_equal(oak_params_reals(params, "problem.speeds", speeds), 1);
  assert_true(speeds[0] == 3 && speeds[2] == 3);
  assert_int_equal(oak_params_int(params, "problem.modes.x"), 6);

  key[0] = 'p';
  assert_int_equal(oak_params_declare(params, desc, 2), OAK_OK); /* the same again */
  oak_param_desc_t other[] = {desc[1], desc[0]};
  other[0].key = "problem.fresh";
  other[1].max = 6;
  assert_int_equal(oak_params_declare(params, other, 2), OAK_ERR_ARGUMENT);
  assert_says("problem.speeds: declared twice");
  assert_int_equal(oak_params_set(params, "problem.fresh", "3"), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT); /* all or none were declared */
  other[0].fallback = "4";
  assert_int_equal(oak_params_declare(params, other, 1), OAK_ERR_ARGUMENT);
  assert_says("default '4' must be an integer, a multiple of 3");
  other[0].key = "fresh";
  assert_int_equal(oak_params_declare(params, other, 1), OAK_ERR_ARGUMENT);
  assert_says("section.name");
  assert_int_equal(oak_params_set(params, "problem.speeds", "7"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_ERR_INPUT);
  assert_says("must be one to three numbers of at most 5");
  oak_params_destroy(&params);
}

/** A pointer to a text stays good over later checks. */
static void test_text_stays(void **state) {
  (void)state;
  oak_params_t *params = params_with("problem.name=blast.c");
  const char *name = oak_params_text(params, "problem.name");
  assert_int_equal(oak_params_set(params, "run.cfl", "0.3"), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_OK);
  assert_ptr_equal(oak_params_text(params, "problem.name"), name);
  assert_string_equal(name, "blast.c");
  oak_params_destroy(&params);
}

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
  snprintf(line, sizeof line, "%s:2: mesh.block_size = 15: must be an even integer from 4 to 128\n",
           path);
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
  const double start = MPI_Wtime();
  assert_int_equal(read_text(params, text), OAK_ERR_INPUT);
  assert_true(MPI_Wtime() - start < 5);
  assert_says(":4098: more than 4096 keys: this is not a parameter file");
  oak_params_destroy(&params);
  free(text);
}

/** What gives commands to a terminal is refused in values, and is not shown in messages. */
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

/** Settings that are none and wrong ones, in one message; keys of a problem may come later. */
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
  if (rank == 0) assert_int_equal(mkfifo(fifo, 0600), 0);
  static const char *const endless[] = {NULL, "/dev/zero"};
  for (int i = 0; i < 2; i++) {
    alarm(20); /* an open without a partner waits */
    assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, i ? endless[i] : fifo), OAK_ERR_FILE);
    alarm(0);
    assert_says("it is a pipe or a device");
  }
  if (rank == 0) unlink(fifo);
  write_file("[mesh]\ndim\0 = 3\n", 16);
  assert_int_equal(oak_params_read(params, MPI_COMM_WORLD, path), OAK_ERR_INPUT);
  assert_says("binary data");
  MPI_Barrier(MPI_COMM_WORLD);
  assert_int_equal(read_text(params, ""), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_OK);
  oak_params_destroy(&params);
}

/** Lines around the length of libinih's own, and far longer, leave the next ones as they are. */
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
  assert_int_equal(broken_lines, 0);
}

/** Values may be longer than the lines of the ini library; messages show how they begin. */
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

/* ---- echo and help -------------------------------------------------------------------------- */

/** Keys with which a file could run programs. */
static void test_trust(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  const char *bad = "[device]\nname = cpu\ncompiler = x\nflags = \"-wrapper y\"\n";
  assert_int_equal(read_text(params, bad), OAK_ERR_INPUT);
  assert_says(":3: device.compiler = x");
  assert_says(":4: device.flags = -wrapper y");
  assert_says("--trust");
  assert_false(oak_params_is_set(params, "device.name"));
  assert_int_equal(read_text(params, "[device]\ncompiler =\nflags = \"\"\n"), OAK_OK);
  assert_int_equal(oak_params_read_settings(params, MPI_COMM_WORLD, path), OAK_OK);
  write_file(bad, strlen(bad));
  assert_int_equal(oak_params_read_settings(params, MPI_COMM_WORLD, path), OAK_OK);
  assert_string_equal(oak_params_origin(params, "device.flags") + strlen(path), ":4");
  MPI_Barrier(MPI_COMM_WORLD);
  write_file("[run]\ncfl = 1\n", 14);
  assert_int_equal(oak_params_read_settings(params, MPI_COMM_WORLD, path), OAK_ERR_INPUT);
  assert_says(":2: run.cfl");
  MPI_Barrier(MPI_COMM_WORLD);
  oak_params_trust(params);
  assert_int_equal(read_text(params, bad), OAK_OK);
  oak_params_destroy(&params);
}

static void test_echo(void **state) {
  (void)state;
  oak_params_t *params = params_of(
      "[run]\nend_time = 5/3\n[mesh]\ntrees = 2 3\n[boundary]\nxlow = dirichlet 1\n"
      "[device]\nflags = \"-DA='x # y'\"\n[output]\nplot_variables = \"#1\"\n");
  char *first = printed(params, -1);
  assert_non_null(strstr(first, "\n[mesh]\n"));
  assert_non_null(strstr(first, "\nend_time = 5/3\n"));
  assert_non_null(strstr(first, "\nblock_size = 16 # default\n"));
  assert_non_null(strstr(first, "\nflags = \"-DA='x # y'\"\n"));
  oak_params_destroy(&params);

  params = params_of(first);
  double range[3];
  int trees[3];
  assert_true(oak_params_real(params, "run.end_time") == 5.0 / 3.0);
  assert_int_equal(oak_params_ints(params, "mesh.trees", trees), 2);
  assert_string_equal(oak_params_text(params, "boundary.xlow"), "dirichlet 1");
  assert_string_equal(oak_params_text(params, "device.flags"), "-DA='x # y'");
  assert_string_equal(oak_params_text(params, "output.plot_variables"), "#1");
  assert_string_equal(oak_params_text(params, "problem.name"), "");
  assert_int_equal(oak_params_reals(params, "output.picture_range", range), 2);
  char *second = printed(params, -1);
  assert_null(strstr(second, "# default")); /* the echo has given them all */
  oak_params_destroy(&params);
  params = params_of(second);
  char *third = printed(params, -1);
  assert_string_equal(second, third);
  oak_params_destroy(&params);
  free(first);
  free(second);
  free(third);
}

/** Keys of a problem that is not loaded are kept in the echo. */
static void test_echo_unknown(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  assert_int_equal(read_text(params, "[problem]\nradius = 3\n[other]\nx = 1\n"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_OK);
  char *text = printed(params, -1);
  oak_params_destroy(&params);
  params = new_params();
  assert_int_equal(read_text(params, text), OAK_OK);
  assert_int_equal(oak_params_is_set(params, "problem.radius"), 1);
  assert_int_equal(oak_params_is_set(params, "other.x"), 1);
  oak_params_destroy(&params);
  free(text);
}

static void assert_lines_fit(const char *text, size_t columns) {
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    if (length > columns) fail_msg("%zu columns: %.*s", length, (int)length, line);
    line += length + (line[length] == '\n');
  }
}

static void test_help(void **state) {
  (void)state;
  const oak_param_desc_t desc[] = {{.key = "blast.a_rather_long_name_of_a_parameter",
                                    .type = OAK_PARAM_REAL,
                                    .fallback = "0.12345678901234567890",
                                    .min = 0,
                                    .max = 1,
                                    .unit = "bar|baz",
                                    .help = "A help text that goes on for more than one line of "
                                            "the terminal because some people like to "
                                            "explain all that they know | and more."},
                                   {.key = "mesh.added",
                                    .type = OAK_PARAM_CHOICE,
                                    .fallback = "a",
                                    .choices = " a  b ",
                                    .help = "Late."}};
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_declare(params, desc, 2), OAK_OK);
  char *text = printed(params, 0), *manual = printed(params, 1);
  assert_lines_fit(text, 100);
  assert_non_null(strstr(text, "[mesh]  Domain, blocks"));
  assert_non_null(
      strstr(text, "  block_size = 16                 even integer from 4 to 128 [cells]\n"));
  assert_non_null(strstr(text, "[blast]\n"));
  assert_non_null(strstr(text, "  added = a                       a, b\n"));
  assert_true(strstr(text, "added") < strstr(text, "[refine]")); /* grouped by section */
  assert_non_null(strstr(manual, "## [mesh]\n"));
  assert_non_null(strstr(manual, "| `block_size` | `16` | even integer from 4 to 128 | cells |"));
  assert_non_null(strstr(manual, "bar\\|baz"));
  free(text);
  free(manual);
  oak_params_destroy(&params);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults),
                                     cmocka_unit_test(test_file),
                                     cmocka_unit_test(test_trust),
                                     cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_numbers),
                                     cmocka_unit_test(test_refused_values),
                                     cmocka_unit_test(test_unknown_keys),
                                     cmocka_unit_test(test_bad_settings),
                                     cmocka_unit_test(test_declare),
                                     cmocka_unit_test(test_text_stays),
                                     cmocka_unit_test(test_all_mistakes),
                                     cmocka_unit_test(test_many_mistakes),
                                     cmocka_unit_test(test_too_many_keys),
                                     cmocka_unit_test(test_control_characters),
                                     cmocka_unit_test(test_all_settings),
                                     cmocka_unit_test(test_syntax),
                                     cmocka_unit_test(test_unreadable),
                                     cmocka_unit_test(test_line_lengths),
                                     cmocka_unit_test(test_long_lines),
                                     cmocka_unit_test(test_echo),
                                     cmocka_unit_test(test_echo_unknown),
                                     cmocka_unit_test(test_help)};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && !mkdtemp(folder)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/run.ini", folder);
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    remove(path);
    rmdir(folder);
  }
  MPI_Finalize();
  return failed != 0;
}
