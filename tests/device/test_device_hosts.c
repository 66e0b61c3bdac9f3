/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels of the cpu device on two hosts: each rank of np=2, each pair of np=4 is one, with a cache
 * folder of its own. */
// TEST np={2,4} flags=default sanitize
#define _GNU_SOURCE 1
#include <fcntl.h>

#include "device/device_private.h"
#include "device_cpu_test.h"

static const char *host_cache(int host) { return host ? "cache1" : "cache0"; }

static int my_host(void) { return test_rank / (test_size / 2); }

/** Build line.c on all hosts. \return how often it was compiled. */
static int compiled_on_hosts(void) {
  const int before = compiled();
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  expect_line(dev, NULL, 3.0);
  oak_device_close(&dev);
  return compiled() - before;
}

/** Build what does not work on some rank: all ranks say the same. */
static void expect_failure(oak_status_t expected, const char *words) {
  oak_module_t *module;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  assert_int_equal(build(dev, "line.c", NULL, &module), expected);
  expect_words(words);
  oak_device_close(&dev);
}

/** The number of files in the cache of a host that name an entry. \a path: that of the last one. */
static int notes_in(int host, char path[600]) {
  struct dirent **list = NULL;
  const int count = scandir(in_folder(host_cache(host)), &list, NULL, alphasort);
  int notes = 0;
  for (int i = 0; i < count; i++) {
    if (strstr(list[i]->d_name, ".cpu.ref")) {
      snprintf(path, 600, "%s/%s", in_folder(host_cache(host)), list[i]->d_name);
      notes++;
    }
    free(list[i]);
  }
  free(list);
  return notes;
}

static void remove_cache(int host) {
  barrier();
  if (test_rank == 0) oak_path_remove(in_folder(host_cache(host)));
  barrier();
}

static int hosts_setup(void **state) {
  char text[16];
  setup(state);
  for (int h = 0; h < 2; h++) remove_cache(h);
  snprintf(text, sizeof text, "%d", test_size / 2);
  setenv("OAK_TEST_RANKS_PER_HOST", text, 1);
  setenv("OAK_CACHE", in_folder(host_cache(my_host())), 1);
  return 0;
}

static int hosts_teardown(void **state) {
  (void)state;
  unsetenv("OAK_TEST_RANKS_PER_HOST");
  unsetenv("OAK_CFLAGS");
  for (int h = 0; h < 2; h++) remove_cache(h);
  return 0;
}

/** Each host has its own cache, and compiles what this one lacks. */
static void test_hosts(void **state) {
  (void)state;
  char path[2][512], note[2][600];
  struct stat info[2];
  assert_int_equal(compiled_on_hosts(), 2);
  oak_buffer_t noted[2] = {{0}, {0}};
  for (int h = 0; h < 2; h++) {
    only_entry_in(host_cache(h), path[h]);
    assert_int_equal(stat(path[h], &info[h]), 0);
    assert_int_equal(info[h].st_mode & (S_IWGRP | S_IWOTH), 0);
    assert_int_equal(notes_in(h, note[h]), 1);
    assert_int_equal(oak_cache_read(note[h], &noted[h]), 0);
  }
  assert_string_equal(strrchr(path[0], '/'), strrchr(path[1], '/'));
  assert_string_equal(strrchr(note[0], '/'), strrchr(note[1], '/'));
  assert_string_equal(noted[0].data, noted[1].data);
  for (int h = 0; h < 2; h++) oak_buffer_free(&noted[h]);

  assert_int_equal(compiled_on_hosts(), 0);
  for (int h = 0; h < 2; h++) {
    remove_cache(h);
    assert_int_equal(compiled_on_hosts(), 1);
    only_entry_in(host_cache(h), path[h]);
  }
  if (test_rank == 0) assert_int_equal(truncate(path[1], info[1].st_size / 2), 0);
  assert_int_equal(compiled_on_hosts(), 1);
  assert_int_equal(stat(path[1], &info[0]), 0);
  assert_int_equal(info[0].st_size, info[1].st_size);
}

/** Hosts that share a cache, and hosts that build with different flags. */
static void test_hosts_alike(void **state) {
  (void)state;
  char path[512];
  setenv("OAK_CACHE", in_folder("cache"), 1);
  assert_int_equal(compiled_on_hosts(), 1);
  only_entry(path);
  setenv("OAK_CACHE", in_folder(host_cache(my_host())), 1);
  setenv("OAK_CFLAGS", my_host() ? "-O1" : "-O2", 1);
  assert_int_equal(compiled_on_hosts(), 2);
  for (int h = 0; h < 2; h++) only_entry_in(host_cache(h), path);
  assert_int_equal(compiled_on_hosts(), 0);
}

/** A failure on one host, in compiling or in storing, is a failure on all. */
static void test_hosts_fail(void **state) {
  (void)state;
  char path[512], note[600];
  write_for_all("factor.h", "#define FACTOR does_not_exist\n");
  const int before = compiled();
  expect_failure(OAK_ERR_BUILD, "does_not_exist");
  assert_int_equal(compiled(), before + 1);
  for (int h = 0; h < 2; h++) assert_int_equal(notes_in(h, note), 0);

  write_for_all("factor.h", "#define FACTOR 3.0\n");
  assert_int_equal(compiled_on_hosts(), 2);
  only_entry_in(host_cache(1), path);
  barrier();
  if (test_rank == 0) { /* rename() does not replace a folder by a file */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  barrier();
  expect_failure(OAK_ERR_FILE, strrchr(path, '/'));
  expect_words("cannot be written");
  barrier();
  if (test_rank == 0) assert_int_equal(rmdir(path), 0);
  barrier();
  assert_int_equal(compiled_on_hosts(), 1);
}

/** If oak cannot find out which files a kernel reads, each host compiles it in every run, and no
 * cache keeps it. */
static void test_hosts_own(void **state) {
  (void)state;
  char text[1024];
  snprintf(text, sizeof text,
           "#define FACTOR 3.0\n__asm__(\".pushsection .rodata\\n.incbin \\\"%s\\\"\\n"
           ".popsection\");\n",
           in_folder("data"));
  write_for_all("data", "7");
  write_for_all("factor.h", text);
  const int saved = dup(2), said = open(in_folder("said"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert_true(saved >= 0 && said >= 0);
  dup2(said, 2);
  const int first = compiled_on_hosts(), second = compiled_on_hosts();
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  close(said);
  assert_int_equal(first, 2);
  assert_int_equal(second, 2);
  barrier();
  for (int h = 0; h < 2 && test_rank == 0; h++) /* nothing is left but the folders */
    assert_int_equal(rmdir(in_folder(host_cache(h))), 0);
  barrier();
}

int main(int argc, char **argv) {
  cpu_begin(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_hosts, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_alike, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_fail, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_own, hosts_setup, hosts_teardown),
  };
  return folder_end(TEST_GROUP(tests));
}
