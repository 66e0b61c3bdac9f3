/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel that the cpu device builds, with sources, cache and a compiler that counts its calls in
 * the folder of the test. All ranks must be on one host. */
#ifndef OAK_DEVICE_CPU_TEST_H
#define OAK_DEVICE_CPU_TEST_H

#include <dirent.h>
#include <sys/stat.h>

#include "folder_test.h"
#include "oak/device.h"

static char compiler[96];

static inline void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

/** Rank 0 writes, then all go on. */
static void write_for_all(const char *name, const char *text) {
  if (test_rank == 0) write_file(name, text);
  barrier();
}

/** How often the compiler was called to build. */
static inline int compiled(void) {
  barrier();
  FILE *file = fopen(in_folder("count"), "r");
  int count = 0, c;
  while (file && (c = fgetc(file)) != EOF) count += c == '\n';
  if (file) fclose(file);
  barrier();
  return count;
}

static inline void expect_words(const char *words) {
  if (!strstr(oak_last_error(), words)) fail_msg("'%s' is not in: %s", words, oak_last_error());
}

static oak_device_t *open_on(MPI_Comm comm) {
  oak_device_options_t options = {.threads = 2, .compiler = compiler, .flags = ""};
  oak_device_t *dev = NULL;
  oak_status_t status = oak_device_open(comm, "cpu", &options, &dev);
  if (status != OAK_OK) fail_msg("%s", oak_last_error());
  assert_non_null(dev);
  return dev;
}

typedef struct {
  const double *x;
  double *y;
  double shift;
} line_args_t;

static const char line_c[] =
    "#include \"factor.h\"\n"
    "typedef struct { const double *x; double *y; double shift; } line_args_t;\n"
    "OAK_CONST_DATA int line_version = VERSION;\n"
    "OAK_KERNEL(line, line_args_t, 32)\n"
    "{\n"
    "  OAK_ARGS(line_args_t);\n"
    "  OAK_OUTER(b) {\n"
    "    OAK_INNER(i, 100) arg.y[100 * b + i] = FACTOR * arg.x[100 * b + i] + arg.shift;\n"
    "  }\n"
    "}\n";

enum { outer = 37, cells = 100 * outer };

/** Build the source file \a name with VERSION 7 and, unless NULL, one more define. */
static oak_status_t build(oak_device_t *dev, const char *name, const char *define,
                          oak_module_t **module) {
  const char *path = in_folder(name);
  const char *defines[] = {"OAK_REAL=double", "OAK_DIM=3", "OAK_NX=8",
                           "OAK_NG=2",        "VERSION=7", define};
  oak_source_t source = {
      .name = "line", .define = defines, .ndefine = define ? 6 : 5, .file = &path, .nfile = 1};
  return oak_device_build(dev, &source, module);
}

/** Build line.c, run it, expect y = factor x + shift, unload. */
static inline void expect_line(oak_device_t *dev, const char *define, double factor) {
  oak_module_t *module = NULL;
  if (build(dev, "line.c", define, &module) != OAK_OK) fail_msg("%s", oak_last_error());
  oak_kernel_t *kernel = NULL;
  assert_int_equal(oak_device_kernel(dev, module, "line", &kernel), OAK_OK);

  static double x[cells], y[cells];
  for (int i = 0; i < cells; i++) x[i] = i + test_rank;
  void *dx, *dy;
  assert_int_equal(oak_device_alloc(dev, sizeof x, &dx), OAK_OK);
  assert_int_equal(oak_device_alloc(dev, sizeof y, &dy), OAK_OK);
  assert_int_equal(oak_device_upload(dev, dx, x, sizeof x), OAK_OK);
  line_args_t args = {dx, dy, 0.5};
  assert_int_equal(oak_device_launch(dev, kernel, outer, &args, sizeof args), OAK_OK);
  assert_int_equal(oak_device_sync(dev), OAK_OK);
  assert_int_equal(oak_device_download(dev, y, dy, sizeof y), OAK_OK);
  for (int i = 0; i < cells; i++) {
    if (y[i] != factor * x[i] + 0.5) fail_msg("y[%d] = %g for x = %g", i, y[i], x[i]);
  }
  oak_device_free(dev, dx);
  oak_device_free(dev, dy);
  oak_device_unload(dev, &module);
  assert_null(module);
}

/** Path of the only kernel in a cache. */
static void only_entry_in(const char *cache, char path[512]) {
  struct dirent **list = NULL;
  int count = scandir(in_folder(cache), &list, NULL, alphasort), entries = 0;
  for (int i = 0; i < count; i++) {
    const char *ending = strrchr(list[i]->d_name, '.');
    if (ending && !strcmp(ending, ".cpu")) {
      snprintf(path, 512, "%s/%s", in_folder(cache), list[i]->d_name);
      entries++;
    }
    free(list[i]);
  }
  free(list);
  assert_int_equal(entries, 1);
}

static inline void only_entry(char path[512]) { only_entry_in("cache", path); }

/** Before each test: an empty cache and the plain sources. */
static inline int setup(void **state) {
  (void)state;
  barrier();
  if (test_rank == 0) oak_path_remove(in_folder("cache"));
  setenv("OAK_CACHE", in_folder("cache"), 1);
  write_for_all("factor.h", "#define FACTOR 3.0\n");
  write_for_all("line.c", line_c);
  return 0;
}

/** The folder of the test, and in it the compiler that counts. */
static inline void prepare(void) {
  snprintf(compiler, sizeof compiler, "%s/counting-cc", folder);
  char script[512];
  snprintf(script, sizeof script,
           "#!/bin/sh\n"
           "case \" $* \" in *' -E '*) ;; *' -shared '*) echo build >> '%s/count' ;; esac\n"
           "exec cc \"$@\"\n",
           folder);
  write_for_all("counting-cc", script);
  if (test_rank == 0) chmod(compiler, 0700);
  barrier();
}

static inline void cpu_begin(int *argc, char ***argv) {
  /* A rank whose assertion fails must not leave the others waiting in the next test. */
  setenv("CMOCKA_TEST_ABORT", "1", 1);
  static const char *const unset[] = {"OAK_CC", "OAK_CFLAGS", "OAK_KEEP", "OMP_NUM_THREADS"};
  for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) unsetenv(unset[i]);
  folder_begin(argc, argv);
  prepare();
}

#endif
