/* SPDX-License-Identifier: GPL-2.0-or-later
 * One rank fails alone, and no other waits for it. Runs on two ranks have set-up, adaptation, time
 * steps and output, by the command `oak run` and by a program that uses the library. In each run
 * another call fails on one of the ranks: an allocation, a look-up of a file, module, kernel or
 * constant, a transfer to or from the device, a launch. Then both ranks must return 1 within LIMIT
 * seconds, with the same message, printed once. Where a run can go on without (a fallback, another
 * attempt), both must return 0 and write the same totals as without a failure.
 *
 * The linker puts the functions below in place of those that fail (--wrap, tests/CMakeLists.txt),
 * in calls from oak's own objects: MPI, p4est and the C library are left alone.
 *
 *   OAK_TEST_FAILURES          unset: one call of each place in the program, which is a function
 *                              and the one that calls it; in `oak run` of every third place
 *   OAK_TEST_FAILURES=places   one call of each place
 *   OAK_TEST_FAILURES=all      each call fails once (minutes)
 *   OAK_TEST_FAILURES=0:1:23   all from the 23rd call on rank 1 in run 0 on, with a line for each
 *   OAK_TEST_DEVICE            device of the runs; unset: cpu */
// TEST np=2 timeout=300
// TEST name=@test@_fake_np2 np=2 needs=fake OAK_TEST_DEVICE=cuda
// TEST name=long_@test@_np2 np=2 suite=long OAK_TEST_FAILURES=places
// WRAP malloc calloc realloc aligned_alloc strdup strndup vasprintf __vasprintf_chk __realpath_chk
// WRAP open_memstream fopen open stat access realpath mkdir rename unlink fsync pwrite close dlopen
// WRAP oak_device_alloc oak_device_upload oak_device_download oak_device_kernel oak_device_constant
// WRAP oak_device_launch oak_device_sync oak_device_share oak_device_attach
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>

#include "../../app/commands.h"
#include "../../examples/1_library/mach.h"
#include "solver_test.h"

/* What oak promises (docs/testing.md). A run takes less than a second on an idle machine; but on a
 * busy one, compiling kernels again took more than ten. */
enum { LIMIT = 60, FIRST_LIMIT = 200 /* s; of runs that compile */ };

/* ---- calls that fail */

enum { MOST_CALLS = 1 << 14, FRAMES = 8 };

static struct {
  int counting;
  int files;          /* writing, closing and removing files counts too */
  long count, chosen; /* number of the call that fails, 0: none */
  const char *what;   /* the call that failed, NULL: none */
  void *from;
  uintptr_t place[MOST_CALLS]; /* of each call, in a run in which none fails */
} calls;

/* The place of a call: the function that makes it, and the caller of that function. */
static uintptr_t place_of(void *from) {
  void *frame[FRAMES];
  const int n = backtrace(frame, FRAMES);
  int at = 0;
  while (at < n && frame[at] != from) at++;
  return (uintptr_t)from * 31 + (at + 1 < n ? (uintptr_t)frame[at + 1] : 0);
}

/* A device that is full stays full, so that a second attempt fails too. */
static int fails(const char *what, void *from) {
  const int still =
      calls.what && (!strcmp(what, "oak_device_alloc") || !strcmp(what, "aligned_alloc"));
  if (!calls.counting) return 0;
  if (calls.chosen == 0 && calls.count < MOST_CALLS) calls.place[calls.count] = place_of(from);
  if (++calls.count != calls.chosen && !(still && !strcmp(what, calls.what))) return 0;
  calls.what = what;
  calls.from = from;
  return 1;
}

/* A function of the C library, what it returns when it fails, and its errno. */
#define WRAP(type, name, failure, reason, parameters, arguments)                    \
  type __real_##name parameters;                                                    \
  type __wrap_##name parameters;                                                    \
  type __wrap_##name parameters {                                                   \
    if (!fails(#name, __builtin_return_address(0))) return __real_##name arguments; \
    errno = reason;                                                                 \
    return failure;                                                                 \
  }
WRAP(void *, malloc, NULL, ENOMEM, (size_t n), (n))
WRAP(void *, calloc, NULL, ENOMEM, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, NULL, ENOMEM, (void *p, size_t n), (p, n))
WRAP(void *, aligned_alloc, NULL, ENOMEM, (size_t unit, size_t n), (unit, n))
WRAP(char *, strdup, NULL, ENOMEM, (const char *s), (s))
WRAP(char *, strndup, NULL, ENOMEM, (const char *s, size_t n), (s, n))
WRAP(int, vasprintf, -1, ENOMEM, (char **s, const char *format, va_list args), (s, format, args))
/* What FORTIFY makes of vasprintf and realpath. */
WRAP(int, __vasprintf_chk, -1, ENOMEM, (char **s, int flag, const char *format, va_list args),
     (s, flag, format, args))
WRAP(char *, __realpath_chk, NULL, ENOENT, (const char *path, char *out, size_t size),
     (path, out, size))
WRAP(FILE *, open_memstream, NULL, ENOMEM, (char **s, size_t *n), (s, n))
WRAP(FILE *, fopen, NULL, EMFILE, (const char *path, const char *mode), (path, mode))
WRAP(int, open, -1, EMFILE, (const char *path, int flags, mode_t mode), (path, flags, mode))
WRAP(int, stat, -1, ENOENT, (const char *path, struct stat *info), (path, info))
WRAP(int, access, -1, ENOENT, (const char *path, int mode), (path, mode))
WRAP(char *, realpath, NULL, ENOENT, (const char *path, char *out), (path, out))
WRAP(int, mkdir, -1, EACCES, (const char *path, mode_t mode), (path, mode))
WRAP(int, rename, -1, EACCES, (const char *from, const char *to), (from, to))
WRAP(void *, dlopen, NULL, ENOENT, (const char *path, int flags), (path, flags))

static int file_fails(const char *what, void *from) { return calls.files && fails(what, from); }

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
  if (!file_fails("unlink", __builtin_return_address(0))) return __real_unlink(path);
  errno = EACCES;
  return -1;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
  if (!file_fails("fsync", __builtin_return_address(0))) return __real_fsync(fd);
  errno = EIO;
  return -1;
}

/* A disk that fills up: a part is written, and then nothing. */
ssize_t __real_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *data, size_t n, off_t at) {
  const int again = calls.counting && calls.what && !strcmp(calls.what, "pwrite");
  if (!file_fails("pwrite", __builtin_return_address(0)) && !again)
    return __real_pwrite(fd, data, n, at);
  errno = ENOSPC;
  return again || n < 2 ? -1 : __real_pwrite(fd, data, n / 2, at);
}

/* The file is closed, and what was written is lost. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
  const int failed = file_fails("close", __builtin_return_address(0)), closed = __real_close(fd);
  if (!failed) return closed;
  errno = EIO;
  return -1;
}

#define WRAP_DEVICE(name, parameters, arguments)                                         \
  oak_status_t __real_oak_device_##name parameters;                                      \
  oak_status_t __wrap_oak_device_##name parameters;                                      \
  oak_status_t __wrap_oak_device_##name parameters {                                     \
    if (!fails("oak_device_" #name, __builtin_return_address(0)))                        \
      return __real_oak_device_##name arguments;                                         \
    return OAK_FAIL(OAK_ERR_DEVICE, "test: %s fails on rank %d", calls.what, test_rank); \
  }
WRAP_DEVICE(alloc, (oak_device_t * dev, size_t n, void **out), (dev, n, out))
WRAP_DEVICE(upload, (oak_device_t * dev, void *to, const void *from, size_t n), (dev, to, from, n))
WRAP_DEVICE(download, (oak_device_t * dev, void *to, const void *from, size_t n),
            (dev, to, from, n))
WRAP_DEVICE(kernel, (oak_device_t * dev, oak_module_t *m, const char *name, oak_kernel_t **out),
            (dev, m, name, out))
WRAP_DEVICE(constant, (oak_device_t * dev, oak_module_t *m, const char *name, void *to, size_t n),
            (dev, m, name, to, n))
WRAP_DEVICE(launch, (oak_device_t * dev, oak_kernel_t *k, long n, const void *args, size_t bytes),
            (dev, k, n, args, bytes))
WRAP_DEVICE(sync, (oak_device_t * dev), (dev))
WRAP_DEVICE(share, (oak_device_t * dev, size_t n, void **out, oak_handle_t *handle),
            (dev, n, out, handle))
WRAP_DEVICE(attach, (oak_device_t * dev, const oak_handle_t *handle, void **out),
            (dev, handle, out))

/* ---- runs */

enum { MOST_KEYS = 32, MOST_OWN = 8, KEY_SIZE = 4300 };

static char folder[] = "/tmp/oak_failures_XXXXXX"; /* of both ranks */

/* What all runs have in common: blocks of two levels, adapted after each step, and all output. */
static const char *const common[] = {
    "run.max_steps=3",        "run.end_time=1",         "run.report_every=1",
    "mesh.block_size=8",      "mesh.min_level=1",       "mesh.max_level=2",
    "mesh.adapt_every=1",     "mesh.kappa_max=1",       "refine.c_refine=0.2",
    "device.threads=1",       "refine.c_derefine=0.1",  "output.diagnostics_every=1",
    "output.picture_steps=3", "output.picture_width=64"};

/* A program of one's own, with a kernel of its own. */
static oak_status_t use_library(oak_params_t *params, oak_t **sim, char **key, int nkey) {
  char path[4200];
  int flag[64] = {1};
  oak_kernel_t *kernel;
  mach_args_t args = {.mach = NULL};
  oak_status_t st = OAK_OK;
  for (int i = 0; i < nkey && st == OAK_OK; i++) st = oak_params_assign(params, key[i], "test");
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  OAK_TRY(oak_create(MPI_COMM_WORLD, params, sim));
  snprintf(path, sizeof path, "%s/../examples/1_library/mach.c", test_folder());
  OAK_TRY(oak_kernel_build(*sim, path, "mach", &kernel));
  OAK_TRY(oak_initialize(*sim));
  OAK_TRY(oak_adjust_refinement_flags(*sim, oak_nblocks(*sim), flag, NULL));
  OAK_TRY(oak_advance(*sim, oak_time_step(*sim)));
  st = oak_device_alloc(oak_device(*sim), 64 * sizeof(double), (void **)&args.mach);
  if (st == OAK_OK) st = oak_kernel_run(*sim, kernel, &args, sizeof args);
  oak_device_free(oak_device(*sim), args.mach);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  snprintf(path, sizeof path, "%s/out/plotfile", folder);
  OAK_TRY(oak_write_grid(*sim, path));
  snprintf(path, sizeof path, "%s/out/checkpoint", folder);
  OAK_TRY(oak_write_checkpoint(*sim, path));
  OAK_TRY(oak_read_checkpoint(*sim, path));
  return oak_advance(*sim, oak_time_step(*sim));
}

static int run_library(int nkey, char **key, int rank) {
  oak_params_t *params;
  oak_t *sim = NULL;
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(&params));
  if (st == OAK_OK) st = use_library(params, &sim, key + 1, nkey - 1);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  if (st != OAK_OK && rank == 0) fprintf(stderr, "oak: error: %s\n", oak_last_error());
  return st != OAK_OK;
}

static int run_command(int argc, char **argv, int rank) {
  return oak_command_start(&oak_command_run, argc, argv, rank);
}

/* Commands that take none of the keys. */
static int run_info(int argc, char **argv, int rank) {
  (void)argc, (void)argv;
  return oak_command_start(&oak_command_info, 0, NULL, rank);
}

static int run_check(int argc, char **argv, int rank) {
  static char *word[] = {"euler", "device.name=cpu", "device.threads=1"};
  (void)argc, (void)argv;
  return oak_command_start(&oak_command_check, 3, word, rank);
}

static int run_params(int argc, char **argv, int rank) {
  (void)argc, (void)argv;
  return oak_command_start(&oak_command_params, 0, NULL, rank);
}

typedef struct {
  const char *name;
  int (*run)(int argc, char **argv, int rank);
  const char *key[MOST_OWN]; /* beside the common ones */
} case_t;

static const case_t cases[] = {
    {"oak run",
     run_command,
     {"problem.name=@/problems/waves.c", "refine.buffer=2", "checkpoint.steps=2",
      "checkpoint.keep=1", "checkpoint.at_end=yes"}},
    {"first order and floors",
     run_command,
     {"problem.name=shock_tube", "boundary.xlow=reflect", "boundary.xhigh=outflow",
      "scheme.on_invalid=first_order", "physics.pressure_floor=1e-9"}},
    {"library", run_library, {"problem.name=@/problems/waves.c", "refine.buffer=2"}},
    {"oak check", run_check, {NULL}},
    {"oak info", run_info, {NULL}},
    {"oak params", run_params, {NULL}},
};
enum { CASES = sizeof cases / sizeof *cases, CASES_OF_DEVICE = 3 };

static struct {
  int all, places;  /* every call; one call of each place, in `oak run` too */
  int number, rank; /* where to begin */
  long call;
} choice = {.rank = 1};

static int case_number, failing_rank, stderr_kept;
static double slowest; /* s, of the runs of a case with a failing call */

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info, (void)type, (void)at;
  return remove(path);
}

static void clear(const char *path) {
  if (test_rank == 0) nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  MPI_Barrier(MPI_COMM_WORLD);
}

/** The call that fails, its number and its place in the program, for OAK_TEST_FAILURES and
 * addr2line. */
static const char *failing_call(void) {
  static char text[256];
  Dl_info info = {.dli_fbase = NULL};
  const int at = snprintf(text, sizeof text, "call %d:%d:%ld", case_number, failing_rank,
                          calls.what ? calls.chosen : 0);
  if (calls.what && dladdr(calls.from, &info))
    snprintf(text + at, sizeof text - at, " (%s at 0x%zx)", calls.what,
             (size_t)((char *)calls.from - (char *)info.dli_fbase - 1));
  return text;
}

/** Handler of SIGALRM: a rank waits. The failing one says for what, and that ends both. */
static void no_answer(int signal) {
  (void)signal;
  if (test_rank == failing_rank)
    dprintf(stderr_kept, "%s: %s: no end within %d s\n", test_name, failing_call(),
            calls.chosen ? LIMIT : FIRST_LIMIT);
  else
    sleep(2);
  _exit(1);
}

/** Keys of a run behind the parameter file. \return how many arguments */
static int make_arguments(const case_t *c, char text[MOST_KEYS][KEY_SIZE]) {
  const char *device = getenv("OAK_TEST_DEVICE");
  int n = 0;
  snprintf(text[n++], KEY_SIZE, "%s/run.ini", folder);
  for (size_t i = 0; i < sizeof common / sizeof *common; i++)
    snprintf(text[n++], KEY_SIZE, "%s", common[i]);
  snprintf(text[n++], KEY_SIZE, "device.name=%s", device && device[0] ? device : "cpu");
  snprintf(text[n++], KEY_SIZE, "output.folder=%s/out", folder);
  for (int i = 0; i < MOST_OWN && c->key[i]; i++) {
    const char *at = strstr(c->key[i], "=@/");
    if (at)
      snprintf(text[n++], KEY_SIZE, "%.*s=%s%s", (int)(at - c->key[i]), c->key[i], test_folder(),
               at + 2);
    else
      snprintf(text[n++], KEY_SIZE, "%s", c->key[i]);
  }
  return n;
}

/** A run in which call `chosen` of the failing rank fails (0: none). \return its exit code */
static int run(const case_t *c, long chosen) {
  static char text[MOST_KEYS][KEY_SIZE];
  char *argv[MOST_KEYS], out[256];
  const int argc = make_arguments(c, text);
  for (int i = 0; i < argc; i++) argv[i] = text[i];
  snprintf(out, sizeof out, "%s/out", folder);
  clear(out);
  OAK_FAIL(OAK_OK, "no message");
  calls.count = 0;
  calls.what = NULL;
  calls.chosen = chosen == 0 || test_rank == failing_rank ? chosen : -1;
  alarm(chosen ? LIMIT : FIRST_LIMIT);
  calls.files = choice.all || choice.places || c == cases;
  const double begin = MPI_Wtime();
  calls.counting = 1;
  const int code = c->run(argc, argv, test_rank);
  calls.counting = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  alarm(0);
  if (chosen && MPI_Wtime() - begin > slowest) slowest = MPI_Wtime() - begin;
  return code;
}

/* ---- what must come out */

enum { TEXT_SIZE = 16384 };

/** The text of a file in the folder, "" if there is none. */
static void read_file(const char *name, char text[TEXT_SIZE]) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "r");
  const size_t n = f ? fread(text, 1, TEXT_SIZE - 1, f) : 0;
  text[n] = 0;
  if (f) fclose(f);
}

/** What is wrong with the outcome of a run on this rank, NULL: nothing. `said`: standard error. */
static const char *judge(int code, const char *said, const char *totals) {
  static char first[TEXT_SIZE], now[TEXT_SIZE];
  const char *message = oak_last_error();
  int one = code;
  snprintf(first, sizeof first, "%s", message);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (code != one) return "the exit codes differ";
  if (code == 0) {
    read_file("out/diagnostics.csv", now);
    return strcmp(now, totals) ? "exit code 0, but other totals" : NULL;
  }
  if (code != 1) return "the exit code is neither 0 nor 1";
  if (strncmp(first, message, sizeof first - 1)) return "the messages differ";
  if (!strcmp(message, "no message")) return "no message";
  if (test_rank != 0) return *said ? "this rank prints too" : NULL;
  const char *head = strstr(said, "oak: error: ");
  return !head                              ? "nothing is printed"
         : strstr(head + 1, "oak: error: ") ? "more than one message"
                                            : NULL;
}

/** A run in which a call fails. \return 1 if something is wrong */
static int try_call(const case_t *c, long chosen, const char *totals, int verbose) {
  static char said[TEXT_SIZE];
  char name[32], path[256];
  snprintf(name, sizeof name, "stderr.%d", test_rank);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (!freopen(path, "w", stderr)) abort();
  const int code = run(c, chosen);
  fflush(stderr);
  read_file(name, said);
  const char *wrong = judge(code, said, totals);
  int bad = wrong != NULL;
  if (wrong || (verbose && test_rank == failing_rank))
    dprintf(stderr_kept, "%s: %s: %s on rank %d: exit code %d, %s\n%s", test_name, failing_call(),
            wrong ? wrong : "fine", test_rank, code, oak_last_error(), wrong ? said : "");
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return bad;
}

/* ---- which calls */

static void read_choice(void) {
  const char *text = getenv("OAK_TEST_FAILURES");
  choice.places = text && !strcmp(text, "places");
  choice.all = text && text[0] && !choice.places;
  if (choice.all && strcmp(text, "all"))
    assert_int_equal(sscanf(text, "%d:%d:%ld", &choice.number, &choice.rank, &choice.call), 3);
}

/** Whether this call comes from a place that is tried, and is the first one from there. Earlier
 * runs of this rank count too. */
static int is_new(long call) {
  static uintptr_t seen[MOST_CALLS];
  static int nseen;
  const uintptr_t place = calls.place[call - 1];
  for (int i = 0; i < nseen; i++)
    if (seen[i] == place) return 0;
  if (nseen < MOST_CALLS) seen[nseen++] = place;
  return choice.places || case_number > 0 || nseen % 3 == 1;
}

static int is_wanted(long call) {
  if (!choice.all) return is_new(call);
  if (case_number != choice.number) return case_number > choice.number;
  return failing_rank < choice.rank || (failing_rank == choice.rank && call >= choice.call);
}

static int try_case(const case_t *c) {
  static char totals[TEXT_SIZE];
  int failed = 0, runs = 0;
  failing_rank = 0;
  for (int warm = 0; warm < 2; warm++) { /* the first one compiles */
    const int code = run(c, 0);
    if (code) dprintf(stderr_kept, "%s: %s: %s\n", test_name, c->name, oak_last_error());
    assert_int_equal(code, 0);
  }
  read_file("out/diagnostics.csv", totals);
  slowest = 0;
  const long mine = calls.count < MOST_CALLS ? calls.count : MOST_CALLS;
  for (failing_rank = 1; failing_rank >= 0; failing_rank--) {
    long count = mine;
    MPI_Bcast(&count, 1, MPI_LONG, failing_rank, MPI_COMM_WORLD);
    for (long n = 1; n <= count; n++) {
      int wanted = test_rank == failing_rank && is_wanted(n);
      MPI_Bcast(&wanted, 1, MPI_INT, failing_rank, MPI_COMM_WORLD);
      if (!wanted) continue;
      failed += try_call(c, n, totals, choice.call > 0);
      runs++;
    }
  }
  report("%s: %d runs with a failing call, %d not as they should be; the slowest took %.1f s",
         c->name, runs, failed, slowest);
  return failed;
}

static void test_every_call(void **state) {
  (void)state;
  char path[256];
  int failed = 0;
  assert_int_equal(test_size, 2);
  if (test_rank == 0 && !mkdtemp(folder)) abort();
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  snprintf(path, sizeof path, "%s/run.ini", folder);
  FILE *f = test_rank == 0 ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "[physics]\nname = euler\n");
  if (f) fclose(f);
  read_choice();
  /* Some failures change a kernel's key in the cache: it is compiled again, within the limit. */
  snprintf(path, sizeof path, "%s -O0", getenv("OAK_CFLAGS") ? getenv("OAK_CFLAGS") : "");
  setenv("OAK_CFLAGS", path, 1);
  stderr_kept = dup(STDERR_FILENO);
  signal(SIGALRM, no_answer);
  const int many = getenv("OAK_TEST_DEVICE") ? CASES_OF_DEVICE : CASES;
  for (case_number = choice.number; case_number < many; case_number++)
    failed += try_case(&cases[case_number]);
  fflush(stderr);
  dup2(stderr_kept, STDERR_FILENO);
  clear(folder);
  assert_int_equal(failed, 0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_call)};
  return TEST_MAIN(tests);
}
