/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cache of kernels: whose code is loaded. */
// TEST flags=default sanitize
// WRAP dlopen oak_host_cpu: exchanges files; another processor
#define _GNU_SOURCE 1
#include "cache_test.h"

#include <sys/resource.h>

/* ---- whose code is loaded */

/** Two entries: \a good has the value 2, which the source now has, \a bad the value 1. */
static void two_entries(char good[512], char bad[512]) {
  assert_int_equal(value_with("", ""), 1);
  newest(bad);
  write_file("part.h", "#define VALUE 2\n");
  assert_int_equal(value_with("", ""), 2);
  newest(good);
  assert_string_not_equal(good, bad);
}

static void test_folder_of_others(void **state) {
  (void)state;
  enum { other = 65534 };
  static const struct {
    const char *folder; /**< that has this mode and owner */
    mode_t mode;
    uid_t owner;
    const char *words;
  } cases[] = {{"up/mid/cache", 01777, 0, "others may write to it"},
               {"up/mid/cache", 0770, 0, "others may write to it"},
               {"up/mid/cache", 0700, other, "it belongs to another user"},
               {"up/mid", 0777, 0, "others may replace it, since they may write to"},
               {"up/mid", 0775, 0, "others may replace it, since they may write to"},
               {"up/mid", 0755, other, "others may replace it, since another user owns"},
               {"up", 0775, 0, "others may replace it, since they may write to"},
               {"up", 01777, other, "others may replace it, since another user owns"}};
  char good[512], bad[512];
  two_entries(good, bad);
  if (geteuid() != 0) SKIP_PART("only root gives files to other users");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    if (cases[i].owner && geteuid() != 0) continue;
    const char *strange = in_folder(cases[i].folder);
    oak_path_remove(in_folder("up"));
    shell(text("umask 022; mkdir -p %s/up/mid/cache && cp %s %s/up/mid/cache/%s", folder, bad,
               folder, strrchr(good, '/') + 1));
    if (cases[i].owner) assert_int_equal(chown(strange, cases[i].owner, other), 0);
    assert_int_equal(chmod(strange, cases[i].mode), 0);
    setenv("OAK_CACHE", in_folder("up/mid/cache"), 1);
    silence();
    const int value = value_with("", "");
    expect_said(cases[i].words);
    assert_int_equal(value, 2);
  }
}

/** A cache that is a device: nobody is told to change who may write to it. */
static void test_no_folder(void **state) {
  (void)state;
  setenv("OAK_CACHE", "/dev/null", 1);
  silence();
  assert_int_equal(value_with("", ""), 1);
  expect_said("/dev/null is a pipe or a device");
}

/** In a sticky folder other users may create files, but not replace those of this user. */
static void test_sticky_folder(void **state) {
  (void)state;
  shell(text("mkdir -p -m 1777 %s/cache/sticky && mkdir %s/cache/sticky/own", folder, folder));
  setenv("OAK_CACHE", in_folder("cache/sticky/own"), 1);
  assert_int_equal(value_with("", ""), 1);
  shell(text("ls %s/cache/sticky/own/*.cpu > /dev/null", folder));
}

static void test_entry_of_others(void **state) {
  (void)state;
  char good[512], bad[512];
  two_entries(good, bad);
  shell(text("cp %s %s && chmod 0666 %s", bad, good, good));
  assert_int_equal(value_with("", ""), 2);
  shell(text("rm %s && ln -s %s %s", good, bad, good));
  assert_int_equal(value_with("", ""), 2);
  shell(text("rm %s && mkfifo %s", good, good));
  alarm(80);
  assert_int_equal(value_with("", ""), 2);
  alarm(0);
  if (geteuid() != 0) {
    SKIP_PART("only root gives files to other users");
    return;
  }
  shell(text("cp %s %s && chown 4321 %s", bad, good, good));
  assert_int_equal(value_with("", ""), 2);
}

/** If the entry is replaced after the check, the one that was checked is loaded. */
static char swapped[2][512];
void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags) {
  if (swapped[0][0]) {
    assert_int_equal(renameat2(AT_FDCWD, swapped[0], AT_FDCWD, swapped[1], RENAME_EXCHANGE), 0);
    swapped[0][0] = '\0';
  }
  return __real_dlopen(name, flags);
}

static void test_exchange(void **state) {
  (void)state;
  two_entries(swapped[0], swapped[1]);
  assert_int_equal(value_with("", ""), 2);
  assert_int_equal(swapped[0][0], 0);
}

/** A library that cannot be unloaded is not confused with another. */
static void test_staying_objects(void **state) {
  (void)state;
  assert_int_equal(value_with("", "-Wl,-z,nodelete"), 1);
  write_file("part.h", "#define VALUE 2\n");
  assert_int_equal(value_with("", "-Wl,-z,nodelete"), 2);
}

static void test_modes(void **state) {
  (void)state;
  char path[512];
  struct stat info;
  mode_t before = umask(0);
  int value = value_with("", "");
  umask(before);
  assert_int_equal(value, 1);
  newest(path);
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0022, 0);
}

/** An entry that cannot be read at the moment is kept. Writing replaces a link, not its target. */
static void test_files(void **state) {
  (void)state;
  char path[512];
  struct rlimit limit, none;
  assert_int_equal(value_with("", ""), 1);
  newest(path);
  getrlimit(RLIMIT_NOFILE, &limit);
  none = limit;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  int has = oak_cache_check(path);
  setrlimit(RLIMIT_NOFILE, &limit);
  assert_int_equal(has, 0);
  assert_int_equal(oak_cache_check(path), 1);

  write_file("target", "mine");
  assert_int_equal(symlink(in_folder("target"), in_folder("link")), 0);
  oak_buffer_t other = {0}, mine = {0};
  oak_buffer_print(&other, "other");
  assert_int_equal(oak_cache_write(in_folder("link"), &other), 0);
  assert_int_equal(oak_buffer_read(&mine, in_folder("target")), 0);
  assert_string_equal(oak_buffer_get(&mine), "mine");
  oak_buffer_free(&other);
  oak_buffer_free(&mine);
}

/* ---- a cache that others have filled */

/** Another processor than this one. */
static const char *other_model;
static int other_target;
void __real_oak_host_cpu(oak_host_cpu_t *cpu);
void __wrap_oak_host_cpu(oak_host_cpu_t *cpu);
void __wrap_oak_host_cpu(oak_host_cpu_t *cpu) {
  __real_oak_host_cpu(cpu);
  if (other_model) snprintf(cpu->model, sizeof cpu->model, "%s", other_model);
  if (other_target) oak_hash_text(&cpu->target, "other");
}

/** Build value.c; root, who may write everywhere, becomes the user nobody for this. */
static oak_status_t build_as_other(const char *path, int *value) {
  char before[4096];
  oak_module_t *module;
  snprintf(before, sizeof before, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
  if (path) setenv("PATH", path, 1);
  oak_device_t *dev = open_device("", "");
  if (geteuid() == 0) assert_int_equal(seteuid(65534), 0);
  const oak_status_t status = build(dev, NULL, &module);
  if (status == OAK_OK) {
    assert_int_equal(oak_device_constant(dev, module, "value", value, sizeof *value), OAK_OK);
    oak_device_unload(dev, &module);
  }
  if (getuid() == 0) assert_int_equal(seteuid(0), 0);
  oak_device_close(&dev);
  setenv("PATH", before, 1);
  return status;
}

/** Put a kernel with value 1 into the cache, that all users may read and none may write. \return
 * 0 if the user nobody cannot read the sources of oak. */
static int fill_cache(void) {
  const char *root;
  int readable = 1;
  assert_int_equal(oak_source_root(&root), OAK_OK);
  assert_int_equal(value_with("", ""), 1);
  shell(text("chmod 0755 %s && ! find %s/cache -type f ! -perm -0444 | grep .", folder, folder));
  shell(text("chmod -R a+rX,a-w %s/cache", folder));
  if (geteuid() == 0) {
    assert_int_equal(seteuid(65534), 0);
    readable = faccessat(AT_FDCWD, text("%s/kernels/flux/flux.c", root), R_OK, AT_EACCESS) == 0;
    assert_int_equal(seteuid(0), 0);
  }
  return readable;
}

/** A cache serves a user without a compiler, on a processor of another name that has the same
 * instructions. */
static void test_filled_cache(void **state) {
  (void)state;
  int value = 0;
  if (!fill_cache()) SKIP_CASE("the user nobody cannot read the sources of oak");
  other_model = "Another model";
  silence();
  oak_status_t status = build_as_other(folder, &value);
  expect_said("");
  if (status != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(value, 1);

  other_target = 1;
  status = build_as_other(folder, &value);
  other_model = NULL;
  other_target = 0;
  assert_int_equal(status, OAK_ERR_BUILD);
  expect_words(in_folder("cache"));
  expect_words("no kernel 'value' of these sources for this processor (Another model");
  expect_words("no C compiler");
}

/** With flags that name the processor, entries serve any other one. */
static void test_named_target(void **state) {
  (void)state;
  int value = 0;
  oak_status_t status[2];
  static const char *const flags[] = {"-march=x86-64", "-march=native"};
  for (int i = 0; i < 2; i++) {
    setenv("OAK_CFLAGS", flags[i], 1);
    if (!fill_cache()) SKIP_CASE("the user nobody cannot read the sources of oak");
    other_target = 1;
    status[i] = build_as_other(folder, &value);
    other_target = 0;
    shell(text("chmod -R u+w %s/cache", folder));
  }
  unsetenv("OAK_CFLAGS");
  assert_int_equal(status[0], OAK_OK);
  assert_int_equal(value, 1);
  assert_int_equal(status[1], OAK_ERR_BUILD);
}

/** A kernel that a read-only cache lacks is compiled for this run. */
static void test_read_only_cache(void **state) {
  (void)state;
  int value = 0;
  if (!fill_cache()) SKIP_CASE("the user nobody cannot read the sources of oak");
  silence();
  oak_status_t status = build_as_other(NULL, &value);
  expect_said("");
  if (status != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(value, 1);
  write_file("part.h", "#define VALUE 2\n");
  silence();
  status = build_as_other(NULL, &value);
  expect_said("cache: Permission denied; OAK_CACHE names another");
  if (status != OAK_OK) fail_msg("%s", oak_last_error());
  assert_int_equal(value, 2);
}

/* ---- main */

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_folder_of_others, setup),
      cmocka_unit_test_setup(test_sticky_folder, setup),
      cmocka_unit_test_setup(test_no_folder, setup),
      cmocka_unit_test_setup(test_entry_of_others, setup),
      cmocka_unit_test_setup(test_exchange, setup),
      cmocka_unit_test_setup(test_staying_objects, setup),
      cmocka_unit_test_setup(test_modes, setup),
      cmocka_unit_test_setup(test_files, setup),
      cmocka_unit_test_setup(test_filled_cache, setup),
      cmocka_unit_test_setup(test_named_target, setup),
      cmocka_unit_test_setup(test_read_only_cache, setup),
  };
  return CACHE_TEST_MAIN(tests);
}
