/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shared by the tests of the cache of kernels. The source value.c has one constant, which says
 * which build is loaded. A test defines _GNU_SOURCE and includes this header first. */
#ifndef OAK_CACHE_TEST_H
#define OAK_CACHE_TEST_H

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "device/device_private.h"
#include "folder_test.h"
#include "oak/device.h"

/* ---- helpers */

/** printf into one of a few buffers. */
static inline const char *text(const char *format, ...) {
  static char out[8][20000];
  static int turn;
  va_list args;
  turn = (turn + 1) % 8;
  va_start(args, format);
  vsnprintf(out[turn], sizeof *out, format, args);
  va_end(args);
  return out[turn];
}

static inline void write_script(const char *name, const char *content) {
  write_file(name, text("#!/bin/sh\n%s\n", content));
  assert_int_equal(chmod(in_folder(name), 0700), 0);
}

static inline void shell(const char *command) { assert_int_equal(system(command), 0); }

static inline void expect_words(const char *words) {
  if (!strstr(oak_last_error(), words)) fail_msg("'%s' is not in: %s", words, oak_last_error());
}

static inline oak_device_t *open_device(const char *compiler, const char *flags) {
  const oak_device_options_t options = {.threads = 1, .compiler = compiler, .flags = flags};
  oak_device_t *dev = NULL;
  if (oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev) != OAK_OK)
    fail_msg("%s", oak_last_error());
  return dev;
}

static const char *const defines[] = {"OAK_REAL=double", "OAK_DIM=3", "OAK_NX=8", "OAK_NG=2"};

/** The source value.c, with one more file unless NULL. */
static inline oak_status_t build(oak_device_t *dev, const char *more, oak_module_t **module) {
  const char *path[2] = {in_folder("value.c"), more};
  const oak_source_t source = {
      .name = "value", .define = defines, .ndefine = 4, .file = path, .nfile = more ? 2 : 1};
  return oak_device_build(dev, &source, module);
}

/** Build value.c and return its constant. */
static inline int value_on(oak_device_t *dev) {
  oak_module_t *module;
  int value = 0;
  if (build(dev, NULL, &module) != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(oak_device_constant(dev, module, "value", &value, sizeof value), OAK_OK);
  oak_device_unload(dev, &module);
  return value;
}

static inline int value_with(const char *compiler, const char *flags) {
  oak_device_t *dev = open_device(compiler, flags);
  int value = value_on(dev);
  oak_device_close(&dev);
  return value;
}

/** Standard error into the file `said`, and back. */
static int saved_stderr;
static inline void silence(void) {
  int said = open(in_folder("said"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  saved_stderr = dup(2);
  assert_true(said >= 0 && saved_stderr >= 0);
  dup2(said, 2);
  close(said);
}
static inline void expect_said(const char *words) {
  oak_buffer_t said = {0};
  dup2(saved_stderr, 2);
  close(saved_stderr);
  assert_int_equal(oak_buffer_read(&said, in_folder("said")), 0);
  if (!strstr(oak_buffer_get(&said), words)) fail_msg("'%s' is not in: %s", words, said.data);
  oak_buffer_free(&said);
}

/** Path of the newest kernel in the cache. */
static inline void newest(char path[512]) {
  struct stat info, best = {0};
  DIR *dir = opendir(in_folder("cache"));
  assert_non_null(dir);
  path[0] = 0;
  for (struct dirent *e; (e = readdir(dir));) {
    const char *ending = strrchr(e->d_name, '.'), *full = text("%s/cache/%s", folder, e->d_name);
    if (!ending || strcmp(ending, ".cpu") != 0 || stat(full, &info) != 0) continue;
    if (info.st_mtim.tv_sec < best.st_mtim.tv_sec ||
        (info.st_mtim.tv_sec == best.st_mtim.tv_sec && info.st_mtim.tv_nsec < best.st_mtim.tv_nsec))
      continue;
    best = info;
    snprintf(path, 512, "%s", full);
  }
  closedir(dir);
  assert_true(path[0]);
}

static inline int setup(void **state) {
  (void)state;
  oak_path_remove(folder);
  if (mkdir(folder, 0700) != 0 || mkdir(in_folder("cache"), 0700) != 0) return 1;
  setenv("OAK_CACHE", in_folder("cache"), 1);
  write_file("part.h", "#define VALUE 1\n");
  write_file("value.c", "#include \"part.h\"\nOAK_CONST_DATA int value = VALUE;\n");
  return 0;
}

/** Run tests in a temporary folder, without the settings of the user. */
static inline int cache_test_main(int argc, char **argv, const struct CMUnitTest *tests,
                                  size_t count) {
  static const char *const unset[] = {"OAK_CC", "OAK_CFLAGS", "OAK_KEEP", "OAK_BUILD_LIMIT",
                                      "CPATH"};
  for (size_t i = 0; i < sizeof unset / sizeof *unset; i++) unsetenv(unset[i]);
  folder_begin(&argc, &argv);
  return folder_end(test_group(tests, count));
}
#define CACHE_TEST_MAIN(tests) cache_test_main(argc, argv, (tests), sizeof(tests) / sizeof *(tests))

#endif
