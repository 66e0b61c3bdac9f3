/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernel files that are compiled apart give the same kernels as in one piece. After an edit only
 * those files are compiled again that use what has changed. If files cannot be compiled apart, the
 * source is compiled in one piece. The compiler is a script that records its calls. */
// TEST flags=default
#define _GNU_SOURCE 1
#include <signal.h>
#include <sys/stat.h>

#include "base/cores.h"
#include "folder_test.h"
#include "device/device_private.h"
#include "oak/device.h"

static char compiler[96];

/** Write the compiler. \a before: what it does before it compiles a part. */
static void write_compiler(const char *before) {
  char script[1024];
  snprintf(script, sizeof script,
           "#!/bin/sh\n"
           "case \" $* \" in\n"
           "*' -E '*|*' /dev/null '*) ;;\n"
           "*' -c '*) echo part >> '%s/calls'; %s ;;\n"
           "*-1.o*) echo link >> '%s/calls' ;;\n"
           "*' -shared '*) echo whole >> '%s/calls' ;;\n"
           "esac\n"
           "exec cc \"$@\"\n",
           folder, before, folder, folder);
  write_file("logging-cc", script);
  assert_int_equal(chmod(compiler, 0700), 0);
}

/** Expect these calls of the compiler since the last check. */
static void expect_calls(const char *words) {
  char calls[256] = "";
  FILE *file = fopen(in_folder("calls"), "r");
  size_t length = file ? fread(calls, 1, sizeof calls - 1, file) : 0;
  if (file) fclose(file);
  unlink(in_folder("calls"));
  while (length > 0) {
    length--;
    if (calls[length] == '\n') calls[length] = calls[length + 1] ? ' ' : '\0';
  }
  assert_string_equal(calls, words);
}

/* ---- a source of a common file and three kernels */

static const char common[] =
    "#pragma once\n"
    "typedef struct { double *y; double x; } value_args_t;\n"
    "OAK_FN double twice(double x) { return 2 * x; }\n";

#define VALUE_KERNEL(name, value)           \
  "#include \"common.h\"\nOAK_KERNEL(" name \
  ", value_args_t, 32) {\n  OAK_ARGS(value_args_t);\n  OAK_OUTER(b) arg.y[b] = " value ";\n}\n"

static oak_status_t build(oak_device_t *dev, oak_module_t **module) {
  static const char *const defines[] = {"OAK_REAL=double", "OAK_DIM=3", "OAK_NX=8", "OAK_NG=2"};
  static const int time[] = {1, 2, 3};
  const char *const path[] = {in_folder("one.c"), in_folder("two.c"), in_folder("three.c")};
  const oak_source_t source = {
      .name = "value", .define = defines, .ndefine = 4, .file = path, .nfile = 3, .time = time};
  return oak_device_build(dev, &source, module);
}

static oak_device_t *open_device(const char *flags) {
  const oak_device_options_t options = {.threads = 1, .compiler = compiler, .flags = flags};
  oak_device_t *dev = NULL;
  if (oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev) != OAK_OK)
    fail_msg("%s", oak_last_error());
  return dev;
}

static double run(oak_device_t *dev, oak_module_t *module, const char *name) {
  oak_kernel_t *kernel = NULL;
  double y = 0;
  struct {
    double *y, x;
  } args = {&y, 5};
  if (oak_device_kernel(dev, module, name, &kernel) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(oak_device_launch(dev, kernel, 1, &args, sizeof args), OAK_OK);
  assert_int_equal(oak_device_sync(dev), OAK_OK);
  return y;
}

/** Build and expect the values of the three kernels, called in this order. */
static void expect_values(const char *flags, double one, double two, double three) {
  oak_device_t *dev = open_device(flags);
  oak_module_t *module = NULL;
  if (build(dev, &module) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_true(run(dev, module, "one") == one);
  assert_true(run(dev, module, "two") == two);
  assert_true(run(dev, module, "three") == three);
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
}

/** Before each test: an empty cache, a compiler that works, the plain sources. */
static int setup(void **state) {
  (void)state;
  oak_path_remove(in_folder("cache"));
  setenv("OAK_CACHE", in_folder("cache"), 1);
  unlink(in_folder("calls"));
  write_compiler(":");
  write_file("common.h", common);
  write_file("one.c", VALUE_KERNEL("one", "twice(arg.x)"));
  write_file("two.c", VALUE_KERNEL("two", "3 * arg.x"));
  write_file("three.c", VALUE_KERNEL("three", "twice(arg.x) + 10"));
  return 0;
}

/* ---- tests */

/** One entry in the cache that is loaded. */
static void test_parts(void **state) {
  (void)state;
  expect_values("", 10, 15, 20);
  expect_calls("part part part link");
  oak_device_t *dev = open_device("");
  oak_module_t *module = NULL;
  int built, compiled;
  assert_int_equal(build(dev, &module), OAK_OK);
  oak_device_builds(dev, &built, &compiled);
  assert_int_equal(built, 1);
  assert_int_equal(compiled, 0);
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
}

/** Two parts wait for each other. If they were compiled in turn, they would fail. */
static void test_side_by_side(void **state) {
  (void)state;
  if (oak_host_cores() < 2) SKIP_CASE("needs two cores");
  char wait[256];
  snprintf(wait, sizeof wait,
           "n=0; while [ $(grep -c part '%s/calls') -lt 2 ]; do n=$((n + 1)); [ $n -lt 500 ] || "
           "exit 1; sleep 0.02; done",
           folder);
  write_compiler(wait);
  expect_values("", 10, 15, 20);
  expect_calls("part part part link");
}

/** A file is compiled again if what it uses has changed, and only then. */
static void test_edits(void **state) {
  (void)state;
  char text[1024];
  expect_values("", 10, 15, 20);
  expect_calls("part part part link");
  /* Functions that use each other; a declaration of the file `two`. */
  snprintf(text, sizeof text,
           "%s\n\n/* { */ OAK_FN double again(double x) { return '}' ? twice(x) : 0; }\n", common);
  write_file("common.h", text);
  write_file("two.c", VALUE_KERNEL("two", "arg.x + again(arg.x)"));
  expect_values("", 10, 15, 20);
  expect_calls("part link");
  /* A comment and other lines. */
  write_file("three.c", "\n\n" VALUE_KERNEL("three", "twice(arg.x) +\n/* ten */ 10"));
  expect_values("", 10, 15, 20);
  expect_calls("link");
  /* Through `again`, the file `two` uses `twice`. */
  const char *const thrice =
      "#pragma once\n"
      "typedef struct { double *y; double x; } value_args_t;\n"
      "OAK_FN double twice(double x) { return 3 * x; }\n"
      "OAK_FN double again(double x) { return twice(x); }\n";
  write_file("common.h", thrice);
  write_file("one.c", VALUE_KERNEL("one", "arg.x"));
  expect_values("", 5, 20, 25);
  expect_calls("part part part link");
  /* Types and constants that no file uses. */
  static const char types[] =
      "%stypedef struct other { double %s; } other_t;\nenum { SIX = 6, TEN = 10 };\n"
      "typedef double pair_t[2];\ntypedef double (*call_t)(double);\n"
      "typedef double wide_t __attribute((aligned(32)));\n"
      "struct box { enum { DEEP = 3, DEEPER } kind; int b; };\ntypedef double line_t, *lines_t;\n"
      "_Static_assert(sizeof(other_t) %% sizeof(double) == 0, \"a size\");\n"
      "OAK_FN double(square)(double x) { return x * x; }\n";
  snprintf(text, sizeof text, types, thrice, "x");
  write_file("common.h", text);
  expect_values("", 5, 20, 25);
  expect_calls("link");
  /* One file uses them. */
  write_file("three.c", VALUE_KERNEL("three",
                                     "twice(arg.x) + TEN + square(sizeof(struct other)) + "
                                     "sizeof(pair_t) + sizeof(call_t) + sizeof(wide_t) + "
                                     "DEEPER + sizeof(line_t)"));
  expect_values("", 5, 20, 25 + 64 + 32 + 12);
  expect_calls("part link");
  snprintf(text, sizeof text, types, thrice, "x, y");
  write_file("common.h", text);
  expect_values("", 5, 20, 25 + 256 + 32 + 12);
  expect_calls("part link");
  write_file("three.c", VALUE_KERNEL("three", "twice(arg.x) + 10"));
  /* A function that runs by itself is kept, though no kernel names it. */
  snprintf(text, sizeof text,
           "%s#include <stdlib.h>\nstatic inline __attribute__((constructor)) void first(void)"
           "{ setenv(\"OAK_TEST_UNITS\", \"1\", 1); }\n",
           thrice);
  write_file("common.h", text);
  unsetenv("OAK_TEST_UNITS");
  expect_values("", 5, 20, 25);
  expect_calls("part part part link");
  assert_non_null(getenv("OAK_TEST_UNITS"));
}

/** An object of the cache that is damaged is compiled again. */
static void test_damage(void **state) {
  (void)state;
  char command[512];
  expect_values("", 10, 15, 20);
  expect_calls("part part part link");
  snprintf(command, sizeof command,
           "cd '%s'/cache && rm value-* && for f in one_c-*; do echo >> $f; done", in_folder("."));
  assert_int_equal(system(command), 0);
  expect_values("", 10, 15, 20);
  expect_calls("part link");
}

/** Constants that files share. */
static void test_constants(void **state) {
  (void)state;
  char text[512];
  snprintf(text, sizeof text, "%sstatic const double kept[3] = {7, 8, 9};\n", common);
  write_file("common.h", text);
  write_file("one.c", VALUE_KERNEL("one", "kept[(int)arg.x - 5]"));
  write_file("two.c", VALUE_KERNEL("two", "kept[(int)arg.x - 4]"));
  write_file("three.c", VALUE_KERNEL("three", "kept[(int)arg.x - 3]"));
  expect_values("", 7, 8, 9);
  expect_calls("part part part link");
}

/** A function that each part would define. */
static void test_function(void **state) {
  (void)state;
  char text[512];
  snprintf(text, sizeof text, "%sdouble thrice(double x) { return 3 * x; }\n", common);
  write_file("common.h", text);
  write_file("two.c", VALUE_KERNEL("two", "thrice(arg.x)"));
  expect_values("", 10, 15, 20);
  expect_calls("part part part link whole");
}

/** Flags that name a file, or ask for lines of the sources, go to one compiler. */
static void test_flags(void **state) {
  (void)state;
  write_file("more.h", "#define MORE 1\n");
  char flags[256];
  snprintf(flags, sizeof flags, "-include %s", in_folder("more.h"));
  write_file("two.c", VALUE_KERNEL("two", "MORE + 1"));
  expect_values(flags, 10, 2, 20);
  expect_calls("whole");
  write_file("two.c", VALUE_KERNEL("two", "3 * arg.x"));
  expect_values("-g", 10, 15, 20);
  expect_calls("whole");
}

/** The message is that of the whole, with the user's file and line. */
static void test_error(void **state) {
  (void)state;
  oak_device_t *dev = open_device("");
  oak_module_t *module = NULL;
  write_file("three.c", "int fine;\nint bad = nothing;\n");
  assert_int_equal(build(dev, &module), OAK_ERR_BUILD);
  assert_null(module);
  if (!strstr(oak_last_error(), "kernel 'value' does not compile") ||
      !strstr(oak_last_error(), "three.c:2:11: error:"))
    fail_msg("%s", oak_last_error());
  /* A compiler that is killed, as for lack of memory, may succeed alone. */
  write_file("three.c", VALUE_KERNEL("three", "twice(arg.x) + 10"));
  unlink(in_folder("calls"));
  write_compiler("kill -9 $$");
  if (build(dev, &module) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_true(run(dev, module, "three") == 20);
  char calls[64] = "";
  FILE *file = fopen(in_folder("calls"), "r");
  assert_non_null(file);
  while (fgets(calls, sizeof calls, file)) continue;
  fclose(file);
  assert_string_equal(calls, "whole\n");
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
}

/** Of a part that waits for ever, and the other. */
static void test_limit(void **state) {
  (void)state;
  oak_module_t *module = NULL;
  char sleep[256];
  if (oak_host_cores() < 2) SKIP_CASE("needs two cores");
  snprintf(sleep, sizeof sleep, "echo $$ >> '%s/pids'; exec sleep 1000", folder);
  write_compiler(sleep);
  setenv("OAK_BUILD_LIMIT", "0.5", 1);
  oak_device_t *dev = open_device("");
  assert_int_equal(build(dev, &module), OAK_ERR_BUILD);
  unsetenv("OAK_BUILD_LIMIT");
  if (!strstr(oak_last_error(), "had not ended after 0.5 s")) fail_msg("%s", oak_last_error());
  oak_device_close(&dev);
  const int parts = oak_host_cores() < 3 ? 2 : 3;
  expect_calls(parts == 2 ? "part part" : "part part part");
  FILE *file = fopen(in_folder("pids"), "r");
  int pid, count = 0;
  assert_non_null(file);
  for (; fscanf(file, "%d", &pid) == 1; count++) assert_int_not_equal(kill(pid, 0), 0);
  fclose(file);
  assert_int_equal(count, parts);
}

int main(int argc, char **argv) {
  static const char *const unset[] = {"OAK_CC", "OAK_CFLAGS", "OAK_KEEP", "OAK_BUILD_LIMIT"};
  for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) unsetenv(unset[i]);
  folder_begin(&argc, &argv);
  snprintf(compiler, sizeof compiler, "%s/logging-cc", folder);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_parts, setup),
      cmocka_unit_test_setup(test_side_by_side, setup),
      cmocka_unit_test_setup(test_edits, setup),
      cmocka_unit_test_setup(test_damage, setup),
      cmocka_unit_test_setup(test_constants, setup),
      cmocka_unit_test_setup(test_function, setup),
      cmocka_unit_test_setup(test_flags, setup),
      cmocka_unit_test_setup(test_error, setup),
      cmocka_unit_test_setup(test_limit, setup),
  };
  return folder_end(TEST_GROUP(tests));
}
