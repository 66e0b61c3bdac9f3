/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --measure: one run, described by its keys, for the scripts of bench/: its speed, and
 * where its time goes, as one line of JSON. */
#include <math.h>
#include <stdlib.h>

#include "bench.h"

/* The table of oak_print_wtime without initialization and output, which a piece does not have. */
static const char *const phases[] = {
    "flux and update",  "ghost cells R1",      "ghost cells R2",     "MPI transfer",
    "flux fixing",      "time step reduction", "refinement flags",   "mesh adaptation (p4est)",
    "block adaptation", "partitioning",        "ghost cell pattern", "other"};
enum { NPHASES = sizeof phases / sizeof *phases, MOST_PIECES = 5, SETTLE = 24 };
/* Both in seconds. The last steps before the first piece take `warm_up`. The measurement ends when
 * the pieces have taken `enough` together and there are as many as asked for. */
static const double warm_up = 0.05, enough = 0.5;
/* GPUs renew the number of joules some ten times a second. */
static const double energy_known = 0.4;

/* What is asked for. */
typedef struct {
  int pieces;     /* at least */
  double seconds; /* of a piece, about */
  double from;    /* time at which the piece begins */
  long steps;     /* of the only piece; 0: as `seconds` says */
} plan_t;

typedef struct {
  plan_t plan;
  int adapt_every; /* 0: never */
  long steps;      /* of a piece */
  int pieces, rank, ranks;
  double gcups[MOST_PIECES], stepping; /* stepping: seconds of all pieces */
  double phase[NPHASES + 1];           /* seconds in each, then in all; mean of the ranks */
  double memory;                       /* bytes, of all ranks */
  double joules;                       /* per 1e9 cell updates; NaN: unknown */
  long begin_step;
  double begin_time;
} measured_t;

/* All ranks decide alike. */
static oak_status_t take_steps(const measured_t *m, oak_t *sim, long steps, double *seconds) {
  return oak_bench_steps(sim, m->adapt_every, steps, seconds);
}

/* Take steps until all memory is in use and the clock frequency is stable. Then find how many steps
 * a piece has; this is a multiple of the steps between adaptations. */
static oak_status_t prepare(measured_t *m, oak_t *sim) {
  const long unit = m->adapt_every ? m->adapt_every : 1;
  double seconds = 0;
  long n = unit;
  OAK_TRY(take_steps(m, sim, n, &seconds));
  do {
    n *= 2;
    OAK_TRY(take_steps(m, sim, n, &seconds));
  } while (seconds < warm_up);
  m->steps = unit * (long)ceil(m->plan.seconds * (double)n / seconds / (double)unit);
  return OAK_OK;
}

static oak_status_t go_to(measured_t *m, oak_t *sim) {
  double seconds;
  m->steps = m->plan.steps;
  if (m->plan.from <= 0) return OAK_OK;
  while (oak_time(sim) < m->plan.from) OAK_TRY(take_steps(m, sim, 1, &seconds));
  return take_steps(m, sim, SETTLE, &seconds);
}

static void add_phases(oak_t *sim, double sign, double seconds[NPHASES + 1]) {
  for (int p = 0; p < NPHASES; p++) seconds[p] += sign * oak_wtime(sim, phases[p]);
  seconds[NPHASES] += sign * oak_wtime(sim, NULL);
}

static oak_status_t measure(measured_t *m, oak_t *sim) {
  const int least = m->plan.steps ? 1 : m->plan.pieces, most = m->plan.steps ? 1 : MOST_PIECES;
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(m->plan.steps ? go_to(m, sim) : prepare(m, sim));
  m->begin_step = oak_step(sim);
  m->begin_time = oak_time(sim);
  add_phases(sim, -1, m->phase);
  m->joules = -oak_device_energy(oak_device(sim));
  const double first = (double)oak_cell_updates(sim);
  while (m->pieces < least || (m->pieces < most && m->stepping < enough)) {
    const int64_t updates = oak_cell_updates(sim);
    double seconds;
    OAK_TRY(take_steps(m, sim, m->steps, &seconds));
    m->gcups[m->pieces++] = 1e-9 * (double)(oak_cell_updates(sim) - updates) / seconds;
    m->stepping += seconds;
  }
  add_phases(sim, 1, m->phase);
  m->joules += oak_device_energy(oak_device(sim));
  m->memory = (double)oak_memory(sim);
  MPI_Allreduce(MPI_IN_PLACE, &m->joules, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  m->joules *= 1e9 / ((double)oak_cell_updates(sim) - first);
  MPI_Allreduce(MPI_IN_PLACE, m->phase, NPHASES + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &m->memory, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int p = 0; p <= NPHASES; p++) m->phase[p] /= m->ranks;
  return OAK_OK;
}

static void write_text(const char *name, const char *text) {
  printf("\"%s\":\"", name);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    printf(*c < 0x20 ? "\\u%04x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
  printf("\",");
}

static void write_answer(measured_t *m, oak_t *sim) {
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
      oak_bench_cells(sim), m->memory, m->begin_step, m->begin_time, oak_time(sim),
      m->phase[NPHASES]);
  for (int p = 0; p < NPHASES; p++) printf("%s\"%s\":%.9g", p ? "," : "", phases[p], m->phase[p]);
  printf("}");
  if (m->joules > 0 && m->stepping > energy_known) printf(",\"joules\":%.6g", m->joules);
  printf("}\n");
}

static oak_status_t run(measured_t *m, oak_params_t *params) {
  oak_t *sim = NULL;
  oak_status_t st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (oak_params_int(params, "mesh.max_level") > oak_params_int(params, "mesh.min_level"))
    m->adapt_every = oak_params_int(params, "mesh.adapt_every");
  if (st == OAK_OK) st = measure(m, sim);
  if (st == OAK_OK) write_answer(m, sim);
  oak_destroy(&sim);
  return st;
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
  measured_t m = {.rank = a->rank,
                  .plan = {.pieces = text[0] ? atoi(text[0]) : 3,
                           .seconds = text[1] ? atof(text[1]) : 0.1,
                           .from = text[2] ? atof(text[2]) : 0,
                           .steps = text[3] ? atol(text[3]) : 0}};
  oak_params_t *params = NULL;
  MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
  oak_status_t st = oak_params_new(&params);
  for (int i = 0; i < a->nword && st == OAK_OK; i++)
    st = oak_params_assign(params, a->word[i], "command line");
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = run(&m, params);
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
