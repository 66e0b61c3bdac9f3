/* SPDX-License-Identifier: GPL-2.0-or-later
 * When outputs are due, without and with a simulation. A schedule that was saved and read
 * continues as if nothing had happened. */
// TEST np={1,2} timeout=120
#define _GNU_SOURCE 1
#include "solver_test.h"

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <sys/stat.h>

#include "output/output.h"
#include "run/saving.h"

static int due(oak_schedule_t *s, double time, long step) {
  return oak_schedule_due(s, time, step, 0);
}

static void test_due(void **state) {
  (void)state;
  oak_schedule_t s = {.every = 0.1, .steps = 4, .first_last = 1};
  double *times = malloc(3 * sizeof *times);
  assert_non_null(times);
  times[0] = 0.55;
  times[1] = 0.25;
  times[2] = 0;
  oak_schedule_begin(&s, times, 3);
  assert_true(isinf(oak_schedule_target(&s)));
  s.exact = 1;
  assert_true(oak_schedule_target(&s) == 0);
  assert_int_equal(due(&s, 0, 0), 1); /* the time 0, and the step */
  assert_int_equal(due(&s, 0.0999, 1), 0);
  assert_true(oak_schedule_target(&s) == 0.1);
  assert_int_equal(due(&s, 0.1 * (1 - 1e-13), 2), 1);
  assert_true(oak_schedule_target(&s) == 0.2);
  assert_int_equal(due(&s, 0.19, 3), 0);
  assert_int_equal(due(&s, 0.195, 4), 1); /* by steps */
  assert_int_equal(due(&s, 0.23, 5), 1);
  assert_int_equal(due(&s, 0.26, 6), 1); /* the time 0.25 */
  assert_int_equal(due(&s, 0.27, 7), 0);
  assert_true(oak_schedule_target(&s) == 3 * 0.1);
  assert_int_equal(due(&s, 0.91, 9), 1); /* many times at once give one output */
  assert_int_equal(due(&s, 0.92, 10), 0);
  assert_int_equal(oak_schedule_due(&s, 0.93, 11, 1), 1);
  s.first_last = 0;
  assert_int_equal(oak_schedule_due(&s, 0.94, 13, 1), 0);
  oak_schedule_clear(&s);
}

/* Intervals so small that their number overflows are due at each step. */
static void test_tiny(void **state) {
  (void)state;
  oak_schedule_t s = {.every = 1e-320};
  oak_schedule_begin(&s, NULL, 0);
  assert_int_equal(due(&s, 0, 0), 0);
  for (int step = 1; step < 4; step++) assert_int_equal(due(&s, 0.1 * step, step), 1);
  oak_schedule_clear(&s);
}

/* ---- with a simulation */

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at) {
  (void)info;
  (void)type;
  (void)at;
  return remove(path);
}

/* Names of the entries of a folder, sorted, and what is in the tables among them. */
static char *contents(const char *path) {
  char *text = NULL;
  size_t length;
  struct dirent **list;
  FILE *f = open_memstream(&text, &length);
  const int n = scandir(path, &list, NULL, alphasort);
  assert_true(f && n > 0);
  for (int i = 0; i < n; i++) {
    char name[512], line[4096];
    snprintf(name, sizeof name, "%s/%s", path, list[i]->d_name);
    fprintf(f, "%s\n", list[i]->d_name);
    FILE *table = strstr(name, ".csv") ? fopen(name, "r") : NULL;
    while (table && fgets(line, sizeof line, table)) fputs(line, f);
    if (table) fclose(table);
    free(list[i]);
  }
  free(list);
  fclose(f);
  return text;
}

/* Bytes that this process has read; -1 if the system does not tell. */
static long long bytes_read(void) {
  long long bytes = -1;
  FILE *f = fopen("/proc/self/io", "r");
  if (f && fscanf(f, "rchar: %lld", &bytes) != 1) bytes = -1;
  if (f) fclose(f);
  return bytes;
}

/* Save, close and open again. Before, the table gets rows of a later step and half a row, as
 * after a crash. They are read once. */
static void reopen(oak_output_t *out, oak_t *sim, oak_progress_t *progress) {
  char *text = NULL, path[128];
  size_t length;
  FILE *f = open_memstream(&text, &length);
  assert_non_null(f);
  oak_output_save(out, f);
  fclose(f);
  MUST(oak_output_close(out, OAK_OK));
  snprintf(path, sizeof path, "%s/diagnostics.csv",
           oak_params_text(sim->setup.params, "output.folder"));
  f = test_rank == 0 ? fopen(path, "a") : NULL;
  for (int row = 0; f && row < 10000; row++) fprintf(f, "%ld,%090d\n", oak_step(sim) + 1, row);
  if (f) fprintf(f, "7,3");
  if (f) fclose(f);
  MUST(oak_output_open(out, sim, progress, 1));
  MUST(oak_output_load(out, text));
  const long long before = bytes_read();
  MUST(oak_output_continue(out));
  if (f && before >= 0) assert_in_range(bytes_read() - before, 900000, 1500000);
  free(text);
}

static void run(const char *name, int breaks) {
  sim_t s = sim_new(
      MPI_COMM_WORLD,
      "problem.name=shock_tube\nmesh.block_size=8\nmesh.min_level=1\nmesh.max_level=2\n"
      "refine.criterion=lohner\nboundary.xlow=outflow\nboundary.xhigh=outflow\n"
      "output.folder=%s/%s\noutput.diagnostics_every=2\noutput.plot_steps=5\n"
      "output.picture_every=0.004\noutput.picture_width=64\n"
      "output.a.kind=plotfile\noutput.a.times=0.011 0.003 1\noutput.a.exact=yes\n"
      "output.a.first_last=no\noutput.b.kind=picture\noutput.b.every=0.005\noutput.b.width=64\n"
      "output.b.variables=p level\n",
      folder, name);
  oak_output_t out;
  oak_progress_t progress = {.options = {.stream = NULL}};
  const double end = 0.016;
  MUST(oak_output_open(&out, s.sim, &progress, 0));
  MUST(oak_initialize(s.sim));
  MUST(oak_output_begin(&out));
  MUST(oak_output_write(&out, 0, 0));
  while (oak_time(s.sim) < end) {
    if (breaks) reopen(&out, s.sim, &progress);
    const double target = fmin(oak_output_target(&out), end), left = target - oak_time(s.sim);
    const double dt = fmin(fmin(oak_time_step(s.sim), left), 0.0017);
    assert_true(dt > 0);
    MUST(oak_advance(s.sim, dt));
    if (dt == left) s.sim->data.clock.time = target;
    MUST(oak_output_write(&out, dt, oak_time(s.sim) == end));
  }
  MUST(oak_output_close(&out, OAK_OK));
  sim_free(&s);
}

static void test_breaks(void **state) {
  (void)state;
  char path[2][128];
  snprintf(folder, sizeof folder, "/tmp/oak_schedule_XXXXXX");
  if (test_rank == 0 && !mkdtemp(folder)) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int breaks = 0; breaks < 2; breaks++) {
    snprintf(path[breaks], sizeof *path, "%s/%d", folder, breaks);
    run(breaks ? "1" : "0", breaks);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  char *once = contents(path[0]), *often = contents(path[1]);
  assert_string_equal(once, often);
  assert_non_null(strstr(once, "\na_000002\n"));
  assert_null(strstr(once, "\na_000000\n"));
  assert_non_null(strstr(once, "\nb_000000_level.png\nb_000000_p.png\n"));
  assert_non_null(strstr(once, "\nrho_0004.png\n"));
  assert_non_null(strstr(once, "\nplt000005\n"));
  free(once);
  free(often);
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank == 0) nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Every word that parameters take for a kind is one that can be written. */
static void test_kinds(void **state) {
  (void)state;
  char words[512] = "";
  oak_params_t *params = NULL;
  MUST(oak_params_new(&params));
  for (int k = 0; oak_output_kinds[k]; k++) {
    const oak_output_kind_t *kind = oak_output_kinds[k];
    const size_t at = strlen(words);
    snprintf(words + at, sizeof words - at, "%s%s", at ? ", " : "must be one of ", kind->word.name);
    assert_true(kind->write || kind->row);
  }
  MUST(oak_params_set(params, "output.a.kind", "none"));
  assert_int_equal(oak_params_check(params, 1), OAK_ERR_INPUT);
  assert_non_null(strstr(oak_last_error(), words));
  oak_params_destroy(&params);
}

static int own;
static void count(int number) { own += number == SIGUSR1; }

/* After a run a signal meets the handler of the program again, or none until the process ends. */
static void test_signals(void **state) {
  (void)state;
  const struct sigaction mine = {.sa_handler = count};
  sigaction(SIGUSR1, &mine, NULL);
  for (int ignore = 0; ignore < 2; ignore++) {
    oak_signals_catch();
    raise(SIGUSR1);
    assert_int_equal(oak_signals_asks(), OAK_ASK_USR1);
    oak_signals_release(ignore);
    raise(SIGUSR1);
    assert_int_equal(own, 1);
    if (ignore) raise(SIGTERM);
  }
  signal(SIGUSR1, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_due), cmocka_unit_test(test_tiny),
                                     cmocka_unit_test(test_breaks), cmocka_unit_test(test_kinds),
                                     cmocka_unit_test(test_signals)};
  return TEST_MAIN(tests);
}
