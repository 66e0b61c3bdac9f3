/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cpu device: memory, kernels built at run time, their cache, and refusals.
 *
 * Sources and cache are in a temporary folder. The compiler is a script that counts its calls. All
 * ranks must be on one host. */
// TEST np={1,2,4}
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "folder_test.h"
#include "device/device_private.h"
#include "oak/device.h"

static char compiler[96];

/* ---- helpers */

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

/** folder/name; valid until the call after the next three. */
static const char *in_folder(const char *name) {
  static char path[4][256];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

/** Rank 0 writes, then all go on. */
static void write_file(const char *name, const char *text) {
  if (test_rank == 0) {
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
  }
  barrier();
}

/** How often the compiler was called to build. */
static int compiled(void) {
  barrier();
  FILE *file = fopen(in_folder("count"), "r");
  int count = 0, c;
  while (file && (c = fgetc(file)) != EOF) count += c == '\n';
  if (file) fclose(file);
  barrier();
  return count;
}

static void expect_words(const char *words) {
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
  const char *defines[] = {"OAK_REAL=double", "OAK_DIM=3", "OAK_N=8",
                           "OAK_NG=2",        "VERSION=7", define};
  oak_source_t source = {
      .name = "line", .define = defines, .ndefine = define ? 6 : 5, .file = &path, .nfile = 1};
  return oak_device_build(dev, &source, module);
}

/** Build line.c, run it, expect y = factor x + shift, unload. */
static void expect_line(oak_device_t *dev, const char *define, double factor) {
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

static void only_entry(char path[512]) { only_entry_in("cache", path); }

/** Before each test: an empty cache and the plain sources. */
static int setup(void **state) {
  (void)state;
  barrier();
  if (test_rank == 0) oak_path_remove(in_folder("cache"));
  setenv("OAK_CACHE", in_folder("cache"), 1);
  write_file("factor.h", "#define FACTOR 3.0\n");
  write_file("line.c", line_c);
  return 0;
}

/* ---- tests */

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

/** Memory that ranks have allocated but not used yet counts, although Linux would give it a
 * second time. */
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

/** Which files the ledger reads, and what it finds there. */
static long long left_bytes; /* 0: what there is */
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
    left_bytes = 40 << 20; /* less than rank 0 has still to touch */
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
  write_file("factor.h", "#include \"deep/value.h\"\n#define FACTOR VALUE\n");
  if (test_rank == 0) mkdir(in_folder("deep"), 0700);
  write_file("deep/value.h", "#define VALUE 4.0\n");
  expect_line(dev, NULL, 4.0);
  write_file("deep/value.h", "#define VALUE 5.0\n");
  expect_line(dev, NULL, 5.0);
  assert_int_equal(compiled(), before + 3);

  /* A header that a constant names. */
  write_file("factor.h", "#include PART\n#define FACTOR VALUE\n");
  write_file("part.h", "#define VALUE 6.0\n");
  expect_line(dev, "PART=\"part.h\"", 6.0);
  write_file("part.h", "#define VALUE 7.0\n");
  expect_line(dev, "PART=\"part.h\"", 7.0);
  assert_int_equal(compiled(), before + 5);

  write_file("factor.h", "#define FACTOR 3.0\n");
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
  write_file("broken.c", "int fine;\n\nint broken = nowhere;\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  assert_null(module);
  expect_words(in_folder("broken.c:3:"));
  expect_words("nowhere");
  expect_words("OAK_KEEP=1");

  write_file("broken.c", "double f(double x) { return squareroot(x); }\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  expect_words(in_folder("broken.c:1:"));
  expect_words("squareroot");

  assert_int_equal(build(dev, "absent.c", NULL, &module), OAK_ERR_FILE);
  expect_words(in_folder("absent.c"));

  /* Declared but nowhere defined: the object builds and does not load. */
  write_file("broken.c", "double nowhere(double);\ndouble f(double x) { return nowhere(x); }\n");
  assert_int_equal(build(dev, "broken.c", NULL, &module), OAK_ERR_BUILD);
  assert_null(module);
  expect_words("nowhere");
  oak_device_close(&dev);
}

static void test_keep(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  oak_module_t *module = NULL;
  write_file("broken.c", "int broken = nowhere;\n");
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
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("no object", file);
    fclose(file);
    assert_int_equal(oak_cache_seal(path), OAK_OK);
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

/* ---- several hosts: each rank of np=2, each pair of np=4, with a cache folder of its own */

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

/** How many files lead to entries in the cache of a host; \a path: of the last. */
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
  if (test_size == 1) return 0;
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

/** One host compiles, and the others get the entry as if they had. */
static void test_hosts(void **state) {
  (void)state;
  char path[2][512], note[2][600];
  struct stat info[2];
  if (test_size == 1) SKIP_CASE("needs several ranks");
  assert_int_equal(compiled_on_hosts(), 1);
  oak_buffer_t entry[2] = {{0}, {0}}, noted[2] = {{0}, {0}};
  for (int h = 0; h < 2; h++) {
    only_entry_in(host_cache(h), path[h]);
    assert_int_equal(stat(path[h], &info[h]), 0);
    assert_int_equal(info[h].st_mode & (S_IWGRP | S_IWOTH), 0);
    assert_int_equal(oak_cache_read(path[h], &entry[h]), 0);
    assert_int_equal(notes_in(h, note[h]), 1);
    assert_int_equal(oak_cache_read(note[h], &noted[h]), 0);
  }
  assert_string_equal(strrchr(path[0], '/'), strrchr(path[1], '/'));
  assert_string_equal(strrchr(note[0], '/'), strrchr(note[1], '/'));
  assert_string_equal(noted[0].data, noted[1].data);
  assert_int_equal(entry[0].length, entry[1].length);
  assert_memory_equal(entry[0].data, entry[1].data, entry[0].length);
  for (int h = 0; h < 2; h++) oak_buffer_free(&entry[h]), oak_buffer_free(&noted[h]);

  assert_int_equal(compiled_on_hosts(), 0);
  for (int h = 0; h < 2; h++) { /* the other one has it */
    remove_cache(h);
    assert_int_equal(compiled_on_hosts(), 0);
    only_entry_in(host_cache(h), path[h]);
  }
  if (test_rank == 0) assert_int_equal(truncate(path[1], info[1].st_size / 2), 0);
  assert_int_equal(compiled_on_hosts(), 0);
  assert_int_equal(stat(path[1], &info[0]), 0);
  assert_int_equal(info[0].st_size, info[1].st_size);
}

/** Hosts that share a cache, and hosts that build with different flags. */
static void test_hosts_alike(void **state) {
  (void)state;
  char path[512];
  if (test_size == 1) SKIP_CASE("needs several ranks");
  setenv("OAK_CACHE", in_folder("cache"), 1);
  assert_int_equal(compiled_on_hosts(), 1);
  only_entry(path);
  setenv("OAK_CACHE", in_folder(host_cache(my_host())), 1);
  setenv("OAK_CFLAGS", my_host() ? "-O1" : "-O2", 1);
  assert_int_equal(compiled_on_hosts(), 2);
  for (int h = 0; h < 2; h++) only_entry_in(host_cache(h), path);
  assert_int_equal(compiled_on_hosts(), 0);
}

/** A failure on one host, in compiling or in storing what another host compiled, is a failure on
 * all. */
static void test_hosts_fail(void **state) {
  (void)state;
  char path[512], note[600];
  if (test_size == 1) SKIP_CASE("needs several ranks");
  write_file("factor.h", "#define FACTOR does_not_exist\n");
  const int before = compiled();
  expect_failure(OAK_ERR_BUILD, "does_not_exist");
  assert_int_equal(compiled(), before + 1);
  for (int h = 0; h < 2; h++) assert_int_equal(notes_in(h, note), 0);

  write_file("factor.h", "#define FACTOR 3.0\n");
  assert_int_equal(compiled_on_hosts(), 1);
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
  assert_int_equal(compiled_on_hosts(), 0);
}

/** If oak cannot find the files that a kernel reads, one host compiles it in every run, and no
 * cache keeps it. */
static void test_hosts_own(void **state) {
  (void)state;
  if (test_size == 1) SKIP_CASE("needs several ranks");
  write_file("factor.h", "#define FACTOR 3.0\nstatic const char files[] = \".incbin\";\n");
  const int saved = dup(2), said = open(in_folder("said"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert_true(saved >= 0 && said >= 0);
  dup2(said, 2);
  const int first = compiled_on_hosts(), second = compiled_on_hosts();
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  close(said);
  assert_int_equal(first, 1);
  assert_int_equal(second, 1);
  barrier();
  for (int h = 0; h < 2 && test_rank == 0; h++) /* nothing is left but the folders */
    assert_int_equal(rmdir(in_folder(host_cache(h))), 0);
  barrier();
}

static void test_sweep(void **state) {
  (void)state;
  oak_device_t *dev = open_on(MPI_COMM_WORLD);
  expect_line(dev, NULL, 3.0);
  static const char old[] = "cache/line-0123456789abcdef0123456789abcdef.cpu";
  static const char foreign[] = "cache/notes-2024.cpu";
  write_file(old, "x");
  write_file(foreign, "x");
  const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
  if (test_rank == 0) {
    assert_int_equal(utimensat(AT_FDCWD, in_folder(old), times, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, in_folder(foreign), times, 0), 0);
  }
  expect_line(dev, "OTHER=1", 3.0);
  assert_int_not_equal(access(in_folder(old), F_OK), 0);
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

/* ---- main */

/** The folder of the test, and in it the compiler that counts. */
static void prepare(void) {
  snprintf(compiler, sizeof compiler, "%s/counting-cc", folder);
  char script[512];
  snprintf(script, sizeof script,
           "#!/bin/sh\n"
           "case \" $* \" in *' -E '*) ;; *' -shared '*) echo build >> '%s/count' ;; esac\n"
           "exec cc \"$@\"\n",
           folder);
  write_file("counting-cc", script);
  if (test_rank == 0) chmod(compiler, 0700);
  barrier();
}

int main(int argc, char **argv) {
  /* A rank whose assertion fails must not leave the others waiting in the next test. */
  setenv("CMOCKA_TEST_ABORT", "1", 1);
  static const char *const unset[] = {"OAK_CC", "OAK_CFLAGS", "OAK_KEEP", "OMP_NUM_THREADS"};
  for (size_t i = 0; i < sizeof unset / sizeof unset[0]; i++) unsetenv(unset[i]);
  folder_begin(&argc, &argv);
  prepare();
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
      cmocka_unit_test_setup_teardown(test_hosts, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_alike, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_fail, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup_teardown(test_hosts_own, hosts_setup, hosts_teardown),
      cmocka_unit_test_setup(test_sweep, setup),
      cmocka_unit_test_setup(test_no_compiler, setup),
      cmocka_unit_test_setup(test_source_root, setup),
  };
  return folder_end(TEST_GROUP(tests));
}
