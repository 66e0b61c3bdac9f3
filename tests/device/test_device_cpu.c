/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cpu device: memory, kernels built at run time, their cache, and refusals. */
// TEST np={1,2,4} flags=default sanitize
// WRAP fopen: counts files and says how much memory is left
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <sys/stat.h>

#include "device_cpu_test.h"
#include "device/device_private.h"

static void test_names(void **state) {
  (void)state;
  oak_device_t *dev = NULL;
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpux", NULL, &dev), OAK_ERR_ARGUMENT);
  assert_null(dev);
  expect_words("cpux");
  expect_words("known are auto");
  expect_words("cpu");

  oak_device_options_t options = {.threads = 3, .compiler = compiler, .flags = NULL};
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev), OAK_OK);
  assert_string_equal(oak_device_ops(dev)->name, "cpu");
  assert_int_equal(oak_device_threads(dev), 3);
  char text[256];
  oak_device_ops(dev)->describe(dev, text, sizeof text);
  assert_non_null(strstr(text, ", 3 threads, "));
  oak_device_close(&dev);
  assert_null(dev);

  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "auto", NULL, &dev), OAK_OK);
  assert_true(oak_device_threads(dev) >= 1);
  oak_device_close(&dev);

  int n = 0, known = 0;
  for (; oak_device_known(n); n++) known += !strcmp(oak_device_known(n)->name, "cpu");
  assert_int_equal(known, 1);
  assert_null(oak_device_known(-1));
  assert_null(oak_device_known(n + 1000));
}

static void test_threads(void **state) {
  (void)state;
  oak_device_t *dev = NULL;
  setenv("OMP_NUM_THREADS", "5,2", 1);
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", NULL, &dev), OAK_OK);
  assert_int_equal(oak_device_threads(dev), 5);
  oak_device_close(&dev);

  /* One rank alone has a bad environment: all are told. */
  if (test_rank == test_size - 1) setenv("OMP_NUM_THREADS", "many", 1);
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", NULL, &dev), OAK_ERR_INPUT);
  assert_null(dev);
  expect_words("many");
  unsetenv("OMP_NUM_THREADS");

  oak_device_options_t options = {.threads = -1};
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev), OAK_ERR_ARGUMENT);
  expect_words("-1");
}

static void test_memory(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  void *ptr = dev;
  assert_int_equal(oak_device_alloc(dev, 0, &ptr), OAK_OK);
  assert_null(ptr);
  oak_device_free(dev, NULL);

  static const size_t bytes[] = {1, 1000, (4u << 20) - 8, 4u << 20, (6u << 20) + 24};
  for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
    char *in = malloc(bytes[i]), *out = calloc(1, bytes[i]);
    assert_non_null(in);
    assert_non_null(out);
    for (size_t b = 0; b < bytes[i]; b++) in[b] = (char)(b * 31 + i);
    assert_int_equal(oak_device_alloc(dev, bytes[i], &ptr), OAK_OK);
    assert_int_equal((uintptr_t)ptr % (bytes[i] >= 4u << 20 ? 2u << 20 : 64u), 0);
    assert_int_equal(oak_device_upload(dev, ptr, in, bytes[i]), OAK_OK);
    assert_int_equal(oak_device_download(dev, out, ptr, bytes[i]), OAK_OK);
    assert_memory_equal(in, out, bytes[i]);
    oak_device_free(dev, ptr);
    free(in);
    free(out);
  }

  assert_int_equal(oak_device_alloc(dev, (size_t)1 << 50, &ptr), OAK_ERR_MEMORY);
  assert_null(strstr(oak_last_error(), " 0 MiB")); /* what ranks have is named if they have any */
  assert_null(ptr);
  expect_words("1048576.0 GiB");
  assert_int_equal(oak_device_alloc(dev, SIZE_MAX - 10, &ptr), OAK_ERR_MEMORY);
  assert_null(ptr);
  oak_device_close(&dev);
}

/** Memory that ranks have allocated but not used yet counts as used, although Linux would allow
 * another process to allocate it. */
static void test_promises(void **state) {
  (void)state;
  enum { most = 16 };
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  void *held[most], *ptr;
  int count = 0;
  unsigned long long bytes = 0;
  if (test_rank == 0) {
    bytes = 3ull * (unsigned long long)sysconf(_SC_PHYS_PAGES) *
            (unsigned long long)sysconf(_SC_PAGESIZE) / 4;
    while (oak_device_alloc(dev, bytes, &held[0]) != OAK_OK) bytes /= 2;
    count = 1;
    while (count < most && oak_device_alloc(dev, bytes, &held[count]) == OAK_OK) count++;
    assert_true(count < most);
  }
  MPI_Bcast(&bytes, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  if (test_rank == test_size - 1) {
    assert_int_equal(oak_device_alloc(dev, bytes, &ptr), OAK_ERR_MEMORY);
    expect_words("left");
    expect_words("GiB");
  }
  barrier();
  for (int i = 0; i < count; i++) oak_device_free(dev, held[i]);
  barrier();
  if (test_rank == test_size - 1) {
    if (oak_device_alloc(dev, bytes / 2, &ptr) != OAK_OK) fail_msg("%s", oak_last_error());
    oak_device_free(dev, ptr);
  }
  barrier();
  oak_device_close(&dev);
}

/** Watches which files oak reads to find how much memory is left, and replaces what it reads. */
static long long left_bytes; /* 0: the real value */
static int looks;            /* at the memory of other processes */

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
  static char text[64];
  int pid, end = 0;
  if (sscanf(path, "/proc/%d/statm%n", &pid, &end) == 1 && end && pid != (int)getpid()) looks++;
  if (left_bytes && strcmp(path, "/proc/self/cgroup") == 0) return NULL;
  if (left_bytes && strcmp(path, "/proc/meminfo") == 0) {
    snprintf(text, sizeof text, "MemAvailable: %lld kB\n", left_bytes / 1024);
    return fmemopen(text, strlen(text), "r");
  }
  return __real_fopen(path, mode);
}

/** A rank asks for the memory of other ranks only if it would refuse the allocation otherwise. */
static void test_looks(void **state) {
  (void)state;
  const size_t large = 64u << 20, some = 16u << 20;
  void *held = NULL, *ptr;
  if (test_size == 1) SKIP_CASE("needs several ranks");
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  if (test_rank == 0) assert_int_equal(oak_device_alloc(dev, large, &held), OAK_OK);
  barrier();
  if (test_rank == test_size - 1) {
    looks = 0;
    assert_int_equal(oak_device_alloc(dev, some, &ptr), OAK_OK);
    oak_device_free(dev, ptr);
    assert_int_equal(looks, 0);
    left_bytes = 40 << 20; /* less than rank 0 has allocated but not used */
    assert_int_equal(oak_device_alloc(dev, some, &ptr), OAK_ERR_MEMORY);
    assert_true(looks > 0);
  }
  barrier();
  if (test_rank == 0) memset(held, 1, large);
  barrier();
  if (test_rank == test_size - 1) {
    if (oak_device_alloc(dev, some, &ptr) != OAK_OK) fail_msg("%s", oak_last_error());
    oak_device_free(dev, ptr);
    looks = 0; /* the use of rank 0 is entered now */
    if (oak_device_alloc(dev, some, &ptr) != OAK_OK) fail_msg("%s", oak_last_error());
    oak_device_free(dev, ptr);
    assert_int_equal(looks, 0);
    left_bytes = 0;
  }
  barrier();
  oak_device_free(dev, held);
  oak_device_close(&dev);
}

static void test_build(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  int before = compiled();
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 1);

  oak_module_t *module = NULL;
  assert_int_equal(build(dev, "line.c", NULL, &module), OAK_OK);
  int version = 0;
  char small;
  assert_int_equal(oak_device_constant(dev, module, "line_version", &version, sizeof version),
                   OAK_OK);
  assert_int_equal(version, 7);
  assert_int_equal(oak_device_constant(dev, module, "line_version", &small, 1), OAK_ERR_ARGUMENT);
  expect_words("4 bytes");
  assert_int_equal(oak_device_constant(dev, module, "line_height", &version, sizeof version),
                   OAK_ERR_ARGUMENT);
  expect_words("line_height");
  oak_kernel_t *kernel = NULL;
  assert_int_equal(oak_device_kernel(dev, module, "circle", &kernel), OAK_ERR_ARGUMENT);
  assert_null(kernel);
  expect_words("circle");
  assert_int_equal(oak_device_kernel(dev, module, "line", &kernel), OAK_OK);
  line_args_t args = {0};
  assert_int_equal(oak_device_launch(dev, kernel, 0, &args, sizeof args), OAK_OK);
  assert_int_equal(oak_device_launch(dev, kernel, -1, &args, sizeof args), OAK_ERR_ARGUMENT);
  oak_device_unload(dev, &module);
  oak_device_close(&dev);
}

static void test_cache(void **state) {
  (void)state;
  int before = compiled();
  for (int i = 0; i < 2; i++) {
    oak_device_t *dev = open_on(MPI_COMM_WORLD);
    expect_line(dev, NULL, 3.0);
    expect_line(dev, NULL, 3.0);
    oak_device_close(&dev);
  }
  assert_int_equal(compiled(), before + 1);

  struct stat info;
  assert_int_equal(stat(in_folder("cache"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
}

/** Each change of a header, define or flag makes another binary. */
static void test_change(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  int before = compiled();
  expect_line(dev, NULL, 3.0);
  write_for_all("factor.h", "#include \"deep/value.h\"\n#define FACTOR VALUE\n");
  if (test_rank == 0) mkdir(in_folder("deep"), 0700);
  write_for_all("deep/value.h", "#define VALUE 4.0\n");
  expect_line(dev, NULL, 4.0);
  write_for_all("deep/value.h", "#define VALUE 5.0\n");
  expect_line(dev, NULL, 5.0);
  assert_int_equal(compiled(), before + 3);

  /* A header that a constant names. */
  write_for_all("factor.h", "#include PART\n#define FACTOR VALUE\n");
  write_for_all("part.h", "#define VALUE 6.0\n");
  expect_line(dev, "PART=\"part.h\"", 6.0);
  write_for_all("part.h", "#define VALUE 7.0\n");
  expect_line(dev, "PART=\"part.h\"", 7.0);
  assert_int_equal(compiled(), before + 5);

  write_for_all("factor.h", "#define FACTOR 3.0\n");
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 5);
  oak_device_close(&dev);

  setenv("OAK_CFLAGS", "-O1", 1);
  dev = open_on(MPI_COMM_WORLD);
  unsetenv("OAK_CFLAGS");
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 6);
  oak_device_close(&dev);
}

static void test_compile_error(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  oak_module_t *module = NULL;
  write_for_all("broken.c", "int fine;\n\nint broken = nowhere;\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  assert_null(module);
  expect_words(in_folder("broken.c:3:"));
  expect_words("nowhere");
  expect_words("OAK_KEEP=1");

  write_for_all("broken.c", "double f(double x) { return squareroot(x); }\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  expect_words(in_folder("broken.c:1:"));
  expect_words("squareroot");

  assert_int_equal(build(dev, "absent.c", NULL, &module), OAK_ERR_FILE);
  expect_words(in_folder("absent.c"));

  /* Declared but nowhere defined: the object builds and does not load. */
  write_for_all("broken.c", "double nowhere(double);\ndouble f(double x) { return nowhere(x); }\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  assert_null(module);
  expect_words("nowhere");
  oak_device_close(&dev);
}

static void test_keep(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  oak_module_t *module = NULL;
  write_for_all("broken.c", "int broken = nowhere;\n");
  int saved = dup(2), silent = open(in_folder("stderr"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert_true(saved >= 0 && silent >= 0);
  dup2(silent, 2);
  setenv("OAK_KEEP", "1", 1);
  oak_status_t status = build(dev, "broken.c", NULL, &module);
  unsetenv("OAK_KEEP");
  dup2(saved, 2);
  close(saved);
  close(silent);
  assert_int_equal(status, OAK_ERR_BUILD);
  const char *told = strstr(oak_last_error(), "The whole output and the command: ");
  assert_non_null(told);
  char path[512];
  snprintf(path, sizeof path, "%s", strchr(told, ':') + 2);
  assert_int_equal(access(path, R_OK), 0);
  memcpy(strrchr(path, '.'), ".c", 3);
  assert_int_equal(access(path, R_OK), 0);
  oak_device_close(&dev);
}

static void test_corrupt(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  expect_line(dev, NULL, 3.0);
  char path[512];
  only_entry(path);
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  int before = compiled();

  if (test_rank == 0) assert_int_equal(truncate(path, info.st_size / 2), 0);
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 1);

  if (test_rank == 0) assert_int_equal(truncate(path, 0), 0);
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 2);

  /* Whole, but nothing that loads. */
  if (test_rank == 0) {
    oak_buffer_t object = {0};
    oak_buffer_print(&object, "no object");
    assert_int_equal(oak_cache_put(path, &object), 0);
    oak_buffer_free(&object);
    assert_int_equal(oak_cache_check(path), 1);
  }
  barrier();
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 3);
  expect_line(dev, NULL, 3.0);
  assert_int_equal(compiled(), before + 3);
  oak_device_close(&dev);
}

static void test_no_cache_folder(void **state) {
  (void)state;
  setenv("OAK_CACHE", "/dev/null/x", 1);
  if (test_rank == 0) mkdir(in_folder("tmp"), 0700);
  barrier();
  setenv("TMPDIR", in_folder("tmp"), 1);
  int saved = dup(2), said = open(in_folder("said"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert_true(saved >= 0 && said >= 0);
  dup2(said, 2);
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  int before = compiled();
  expect_line(dev, NULL, 3.0);
  expect_line(dev, NULL, 3.0);
  int after = compiled();
  oak_device_close(&dev);
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  close(said);
  unsetenv("TMPDIR");
  assert_int_equal(after, before + 1);
  barrier();
  if (test_rank == 0) assert_int_equal(rmdir(in_folder("tmp")), 0); /* it is empty again */

  oak_buffer_t words = {0};
  assert_int_equal(oak_buffer_read(&words, in_folder("said")), 0);
  assert_non_null(strstr(oak_buffer_get(&words), "/dev/null/x: Not a directory"));
  assert_ptr_equal(strchr(words.data, '\n') + 1, words.data + words.length); /* said once */
  oak_buffer_free(&words);
}

/** Independent runs that start together with an empty cache. */
static void test_concurrent(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_SELF);
  barrier();
  expect_line(dev, NULL, 3.0);
  oak_device_close(&dev);
  barrier();
  char path[512];
  only_entry(path);
}

static void test_sweep(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  expect_line(dev, NULL, 3.0);
  static const char old[] = "cache/line-0123456789abcdef0123456789abcdef.cpu";
  static const char stopped[] = "cache/line-0123456789abcdef0123456789abcdef.cpu.aB3dE6";
  static const char foreign[] = "cache/notes-2024.cpu";
  write_for_all(old, "x");
  write_for_all(foreign, "x");
  const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  if (test_rank == 0) {
    assert_int_equal(mkdir(in_folder(stopped), 0700), 0); /* a build that a signal has ended */
    assert_int_equal(utimensat(AT_FDCWD, in_folder(stopped), times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, in_folder(old), times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, in_folder(foreign), times, 0), 0);
  }
  expect_line(dev, "OTHER=1", 3.0);
  assert_int_not_equal(access(in_folder(old), F_OK), 0);
  assert_int_not_equal(access(in_folder(stopped), F_OK), 0);
  assert_int_equal(access(in_folder(foreign), F_OK), 0);
  oak_device_close(&dev);
}

static void test_no_compiler(void **state) {
  (void)state;
  oak_device_t *dev = NULL;
  oak_device_options_t options = {.compiler = "no-such-cc", .flags = ""};
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev), OAK_ERR_BUILD);
  assert_null(dev);
  expect_words("no-such-cc");

  options.compiler = "";
  setenv("OAK_CC", "no-other-cc -x", 1);
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev), OAK_ERR_BUILD);
  expect_words("no-other-cc");
  expect_words("OAK_CC");
  unsetenv("OAK_CC");

  options.compiler = "-";
  assert_int_equal(oak_device_open(MPI_COMM_WORLD, "cpu", &options, &dev), OAK_ERR_BUILD);
  expect_words("device.compiler");
}

static void test_source_root(void **state) {
  (void)state;
  const char *root = NULL;
  assert_int_equal(oak_source_root(&root), OAK_OK);
  char path[4200];
  snprintf(path, sizeof path, "%s/include/oak/kernel.h", root);
  assert_int_equal(access(path, R_OK), 0);

  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  oak_module_t *module = NULL;
  setenv("OAK_HOME", folder, 1);
  assert_int_equal(oak_source_root(&root), OAK_ERR_FILE);
  expect_words("OAK_HOME");
  expect_words(folder);
  assert_int_equal(build(dev, "line.c", NULL, &module), OAK_ERR_FILE);
  expect_words("OAK_HOME");
  unsetenv("OAK_HOME");
  oak_device_close(&dev);
}

int main(int argc, char **argv) {
  cpu_begin(&argc, &argv);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_names, setup),
      cmocka_unit_test_setup(test_threads, setup),
      cmocka_unit_test_setup(test_memory, setup),
      cmocka_unit_test_setup(test_promises, setup),
      cmocka_unit_test_setup(test_looks, setup),
      cmocka_unit_test_setup(test_build, setup),
      cmocka_unit_test_setup(test_cache, setup),
      cmocka_unit_test_setup(test_change, setup),
      cmocka_unit_test_setup(test_compile_error, setup),
      cmocka_unit_test_setup(test_keep, setup),
      cmocka_unit_test_setup(test_corrupt, setup),
      cmocka_unit_test_setup(test_no_cache_folder, setup),
      cmocka_unit_test_setup(test_concurrent, setup),
      cmocka_unit_test_setup(test_sweep, setup),
      cmocka_unit_test_setup(test_no_compiler, setup),
      cmocka_unit_test_setup(test_source_root, setup),
  };
  return folder_end(TEST_GROUP(tests));
}
