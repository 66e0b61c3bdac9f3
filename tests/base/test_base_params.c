/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters: settings, values of every type, keys and their refusals, echo and help. */
// TEST np={1,2,3} sanitize
#define _GNU_SOURCE 1
#include "params_test.h"

/* ---- values --------------------------------------------------------------------------------- */

static int block_edge(const oak_params_t *params) {
  int n[3];
  oak_params_ints(params, "mesh.block_size", n);
  return n[0];
}

static void test_defaults(void **state) {
  (void)state;
  oak_params_t *params = new_params();
  int trees[3];
  double range[3];
  for (int checked = 0; checked < 2; checked++) {
    assert_int_equal(block_edge(params), 16);
    assert_true(oak_params_real(params, "run.cfl") == 0.5);
    assert_true(oak_params_real(params, "output.picture_position") == 0.5);
    assert_int_equal(oak_params_bool(params, "output.picture_mesh"), 1);
    assert_string_equal(oak_params_text(params, "physics.name"), "euler");
    assert_string_equal(oak_params_text(params, "refine.variable"), "");
    assert_int_equal(oak_params_choice(params, "output.picture_colors"), 0);
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
  assert_int_equal(block_edge(params), 8);
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
  assert_int_equal(block_edge(params), 32);
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
  assert_true(real_of("1e-320") > 0);
  assert_true(real_of("0/5") == 0);
  static const char *const bad[] = {"nan",   "inf",    "1e999",    "1/0",          "1/",
                                    "/2",    "1/2/3",  "1 /2",     "1/ 2",         "2x",
                                    "",      "one",    "-1",       "0x",           "1,5",
                                    "1/inf", "1e-400", "1e-400pi", "1e-200/1e200", "1e-400/1e-10"};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; b++) {
    char assignment[64];
    snprintf(assignment, sizeof assignment, "run.end_time=%s", bad[b]);
    assert_refused(assignment, "must be a number of at least 0");
  }
}

static void test_refused_values(void **state) {
  (void)state;
  assert_refused(
      "mesh.block_size=15",
      "command line: mesh.block_size = 15: must be one to three even integers from 4 to 128");
  assert_refused("mesh.block_size=2", "must be one to three even integers from 4 to 128");
  assert_refused("mesh.block_size=130", "must be one to three even integers from 4 to 128");
  assert_refused("mesh.block_size=16.0", "must be one to three even integers");
  assert_refused("mesh.block_size=", "mesh.block_size = : must be one to three even integers");
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
  assert_refused("scheme.precision=doub", "must be one of double, single, mixed, single_fluxes");
  assert_refused("scheme.precision=double single",
                 "must be one of double, single, mixed, single_fluxes");
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
  assert_refused("mesh.completely_different=1",
                 "unknown key; the keys of [mesh] are dim, coordinates, radius, block_size, trees, "
                 "xmin, xmax, ");
  assert_refused("hydro.nothing=1",
                 "unknown section [hydro]; the sections are run, mesh, refine, scheme, physics, "
                 "problem, boundary, body, poisson, reactions, device, checkpoint, output");
  oak_params_t *params = new_params();
  assert_int_equal(oak_params_set(params, "mesh.other", "1"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  oak_params_destroy(&params);
}

static void test_outputs(void **state) {
  (void)state;
  oak_params_t *params = params_of(
      "[output]\nfolder = a\n[output.b_1]\nkind = picture\nwidth = 99\n[output.C]\nkind = "
      "plotfile\n");
  assert_string_equal(oak_params_output(params, 0), "output.b_1.kind");
  assert_string_equal(oak_params_output(params, 1), "output.C.kind");
  assert_null(oak_params_output(params, 2));
  assert_int_equal(oak_params_int(params, "output.b_1.width"), 99);
  assert_int_equal(oak_params_int(params, "output.b_1.every_steps"), 0);
  assert_int_equal(oak_params_bool(params, "output.C.first_last"), 1);
  char *text = printed(params, oak_params_print);
  assert_non_null(strstr(text, "\n[output.b_1]\nkind = picture\nevery = 0 # default\n"));
  oak_params_t *again = params_of(text);
  char *same = printed(again, oak_params_print);
  assert_non_null(strstr(same, "\nwidth = 99\n"));
  assert_null(strstr(strstr(same, "[output.C]"), "width"));
  free(text);
  free(same);
  oak_params_destroy(&again);
  assert_int_equal(oak_params_set(params, "output.C.width", "3"), OAK_OK);
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  assert_says("output.C.width = 3: unknown key; the keys of [output.C] are kind, every, ");
  oak_params_destroy(&params);
  assert_refused("output.a.every=1",
                 "command line: [output.a] has no kind: add kind = WORD, one of");
  assert_refused("output.a.kind=movie", "output.a.kind = movie: must be one of plotfile, picture");
  assert_refused("output.9.kind=picture", "[output.9]: the name of an output must be a word");
  assert_refused("output.plt.kind=picture", "[output.plt]: oak uses this name itself");
  assert_null(strstr(oak_last_error(), "unknown section"));
  /* Whether there is an equation light is known when the physics has been read. */
  params = new_params();
  assert_int_equal(
      read_text(params, "[poisson]\nyhigh = isolated\n[poisson.light]\nyhigh = zero\n"), OAK_OK);
  assert_int_equal(oak_params_check(params, 0), OAK_ERR_INPUT);
  assert_says("poisson.yhigh = isolated: must be one of");
  assert_null(strstr(oak_last_error(), "light"));
  oak_params_destroy(&params);
}

static void test_lists(void **state) {
  (void)state;
  double x[2] = {7, 7};
  assert_int_equal(oak_params_numbers(" 1/4, -2e3\t5 ", 2, x), 3);
  assert_true(x[0] == 0.25 && x[1] == -2000);
  assert_int_equal(oak_params_numbers("", 2, x), 0);
  assert_int_equal(oak_params_numbers("1 b", 2, x), -1);
  assert_int_equal(oak_params_numbers("1 inf", 2, x), -1);
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
  oak_params_trust(params);
  assert_int_equal(read_text(params, bad), OAK_OK);
  oak_params_destroy(&params);
}

static void test_echo(void **state) {
  (void)state;
  oak_params_t *params = params_of(
      "[run]\nend_time = 5/3\n[mesh]\ntrees = 2 3\n[boundary]\nxlow = dirichlet 1\n"
      "[device]\nflags = \"-DA='x # y'\"\n[output]\nplot_variables = \"#1\"\n");
  char *first = printed(params, oak_params_print);
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
  char *second = printed(params, oak_params_print);
  assert_null(strstr(second, "# default")); /* the echo has given them all */
  oak_params_destroy(&params);
  params = params_of(second);
  char *third = printed(params, oak_params_print);
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
  char *text = printed(params, oak_params_print);
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
  char *text = printed(params, oak_params_help);
  assert_lines_fit(text, 100);
  assert_non_null(strstr(text, "[mesh]  Domain, blocks"));
  assert_non_null(strstr(
      text,
      "  block_size = 16                 one to three even integers from 4 to 128 [cells]\n"));
  assert_non_null(strstr(text, "[blast]\n"));
  assert_non_null(strstr(text, "  added = a                       a, b\n"));
  assert_true(strstr(text, "added") < strstr(text, "[refine]")); /* grouped by section */
  free(text);
  oak_params_destroy(&params);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),     cmocka_unit_test(test_file),
      cmocka_unit_test(test_trust),        cmocka_unit_test(test_order),
      cmocka_unit_test(test_numbers),      cmocka_unit_test(test_refused_values),
      cmocka_unit_test(test_unknown_keys), cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_lists),        cmocka_unit_test(test_bad_settings),
      cmocka_unit_test(test_declare),      cmocka_unit_test(test_text_stays),
      cmocka_unit_test(test_echo),         cmocka_unit_test(test_echo_unknown),
      cmocka_unit_test(test_help)};
  return PARAMS_TEST_MAIN(tests);
}
