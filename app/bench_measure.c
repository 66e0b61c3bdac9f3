/* SPDX-License-Identifier: GPL-2.0-or-later
 * How oak bench measures a run. `oak bench --measure` prints the speed of one run, described by its
 * keys, and where its time goes, as a line of JSON for the scripts of bench/. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

/* The table of oak_print_wtime without initialization and output, which a piece does not have. */
const char *const oak_bench_phase[BENCH_PHASES] = {
    "flux and update",  "ghost cells R1",      "ghost cells R2",     "MPI transfer",
    "flux fixing",      "time step reduction", "refinement flags",   "mesh adaptation (p4est)",
    "block adaptation", "partitioning",        "ghost cell pattern", "other"};
enum { SETTLE = 24 };
/* Both in seconds. The last steps before the first piece take `warm_up`. The measurement ends when
 * the pieces have taken `enough` together and there are as many as asked for. */
static const double warm_up = 0.05, enough = 0.5;
/* GPUs renew the number of joules some ten times a second. */
static const double energy_known = 0.4;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double oak_bench_median(double *x, int n) {
  qsort(x, n, sizeof *x, compare);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* Some steps with adaptations: the longest time of all ranks, so that all decide alike. */
static oak_status_t take_steps(const oak_bench_run_t *m, oak_t *sim, long steps, double *seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long s = 0; s < steps; s++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (m->adapt_every && oak_step(sim) % m->adapt_every == 0)
      OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  *seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return OAK_OK;
}

/* Take steps until all memory is in use and the clock frequency is stable. Then find how many steps
 * a piece has; this is a multiple of the steps between adaptations. */
static oak_status_t prepare(oak_bench_run_t *m, oak_t *sim) {
  const long unit = m->adapt_every ? m->adapt_every : 1;
  double seconds = 0;
  long n = unit;
  OAK_TRY(take_steps(m, sim, n, &seconds));
  do {
    n *= 2;
    OAK_TRY(take_steps(m, sim, n, &seconds));
  } while (seconds < warm_up);
  m->steps = unit * (long)ceil(m->seconds * (double)n / seconds / (double)unit);
  return OAK_OK;
}

static oak_status_t go_to(oak_bench_run_t *m, oak_t *sim) {
  double seconds;
  m->steps = m->only_steps;
  if (m->from <= 0) return OAK_OK;
  while (oak_time(sim) < m->from) OAK_TRY(take_steps(m, sim, 1, &seconds));
  return take_steps(m, sim, SETTLE, &seconds);
}

static void add_phases(oak_t *sim, double sign, double seconds[BENCH_PHASES + 1]) {
  for (int p = 0; p < BENCH_PHASES; p++) seconds[p] += sign * oak_wtime(sim, oak_bench_phase[p]);
  seconds[BENCH_PHASES] += sign * oak_wtime(sim, NULL);
}

oak_status_t oak_bench_run(oak_bench_run_t *m, const oak_params_t *params, oak_t *sim) {
  const int least = m->only_steps ? 1 : m->least, most = m->only_steps ? 1 : BENCH_PIECES;
  int n[3];
  MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m->ranks);
  if (oak_params_int(params, "mesh.max_level") > oak_params_int(params, "mesh.min_level"))
    m->adapt_every = oak_params_int(params, "mesh.adapt_every");
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(m->only_steps ? go_to(m, sim) : prepare(m, sim));
  m->begin_step = oak_step(sim);
  m->begin_time = oak_time(sim);
  m->joules = -oak_device_energy(oak_device(sim));
  const double first = (double)oak_cell_updates(sim);
  while (m->pieces < least || (m->pieces < most && m->stepping < enough)) {
    double seconds;
    if (m->before) OAK_TRY(m->before(sim, m->pieces, m->context));
    const int64_t updates = oak_cell_updates(sim);
    add_phases(sim, -1, m->phase);
    OAK_TRY(take_steps(m, sim, m->steps, &seconds));
    add_phases(sim, 1, m->phase);
    m->gcups[m->pieces++] = 1e-9 * (double)(oak_cell_updates(sim) - updates) / seconds;
    m->stepping += seconds;
  }
  m->joules += oak_device_energy(oak_device(sim));
  m->memory = (double)oak_memory(sim);
  MPI_Allreduce(MPI_IN_PLACE, &m->joules, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  m->joules *= 1e9 / ((double)oak_cell_updates(sim) - first);
  MPI_Allreduce(MPI_IN_PLACE, m->phase, BENCH_PHASES + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &m->memory, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int p = 0; p <= BENCH_PHASES; p++) m->phase[p] /= m->ranks;
  oak_block_shape(sim, n);
  m->cells = (double)oak_nblocks_global(sim) * n[0] * n[1] * n[2];
  oak_bench_median(m->gcups, m->pieces);
  return OAK_OK;
}

/* ---- the line of JSON */

static void write_text(const char *name, const char *text) {
  printf("\"%s\":\"", name);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    printf(*c < 0x20 ? "\\u%04x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  printf("\",");
}

static void write_answer(oak_bench_run_t *m, oak_t *sim) {
  char device[512], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  const double blocks = (double)oak_nblocks_global(sim),
               middle = oak_bench_median(m->gcups, m->pieces);
  const oak_device_ops_t *ops = oak_device_ops(oak_device(sim));
  if (m->rank != 0) return;
  ops->describe(oak_device(sim), device, sizeof device);
  MPI_Get_library_version(mpi, &length);
  printf("{\"gpu\":%s,\"ranks\":%d,", ops->host_memory ? "false" : "true", m->ranks);
  write_text("device", device);
  write_text("mpi", mpi);
  write_text("version", OAK_VERSION);
  write_text("commit", oak_commit());
  printf(
      "\"steps\":%ld,\"pieces\":%d,\"gcups\":%.9g,\"least\":%.9g,\"most\":%.9g,"
      "\"stepping\":%.9g,\"blocks\":%.0f,\"cells\":%.0f,\"memory\":%.0f,\"begin_step\":%ld,"
      "\"begin_time\":%.17g,\"time\":%.17g,\"total\":%.9g,\"phases\":{",
      m->steps, m->pieces, middle, m->gcups[0], m->gcups[m->pieces - 1], m->stepping, blocks,
      m->cells, m->memory, m->begin_step, m->begin_time, oak_time(sim), m->phase[BENCH_PHASES]);
  for (int p = 0; p < BENCH_PHASES; p++)
    printf("%s\"%s\":%.9g", p ? "," : "", oak_bench_phase[p], m->phase[p]);
  printf("}");
  if (m->joules > 0 && m->stepping > energy_known) printf(",\"joules\":%.6g", m->joules);
  printf("}\n");
}

/* What a script must know of a failure: whether other runs would fail too, or this one alone. */
static void answer_failure(oak_status_t st) {
  putchar('{');
  write_text("error", oak_last_error());
  printf("\"wrong_input\":%s,\"no_memory\":%s}\n",
         st == OAK_ERR_INPUT || st == OAK_ERR_ARGUMENT ? "true" : "false",
         st == OAK_ERR_MEMORY ? "true" : "false");
}

static const oak_option_t options[] = {
    {"--pieces", "N", "measure at least N pieces (3)"},
    {"--seconds", "S", "duration of a piece (0.1)"},
    {"--from", "TIME", "time at which the only piece begins; with --steps"},
    {"--steps", "N", "measure one piece of N steps"},
    {NULL, NULL, NULL}};

static oak_status_t bench_measure(oak_arguments_t *a) {
  const char *const *text = a->option;
  oak_bench_run_t m = {.least = text[0] ? atoi(text[0]) : 3,
                       .seconds = text[1] ? atof(text[1]) : 0.1,
                       .from = text[2] ? atof(text[2]) : 0,
                       .only_steps = text[3] ? atol(text[3]) : 0};
  oak_params_t *params = NULL;
  oak_t *sim = NULL;
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = oak_params_assign_all(params, a->nword, a->word, "command line");
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = oak_bench_run(&m, params, sim);
  if (st == OAK_OK) write_answer(&m, sim);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  if (st != OAK_OK && a->rank == 0) answer_failure(st);
  return st;
}

const oak_command_t oak_bench_measure = {
    .name = "bench --measure",
    .usage = "[OPTION] [section.key=value ...]",
    .help =
        "Measures the run that the keys describe, for the scripts in the folder bench. Prints one\n"
        "line of JSON: GCUPS (median, least, most of the pieces), the seconds of each phase (mean\n"
        "of the ranks), cells, blocks, bytes of memory, the device, and on GPUs that report it "
        "the\n"
        "joules for 1e9 cell updates.\n",
    .option = options,
    .most = OAK_ANY_NUMBER,
    .run = bench_measure};
