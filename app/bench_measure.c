/* SPDX-License-Identifier: GPL-2.0-or-later
 * One run, described by its keys, for the scripts of bench/: its speed, and where its time goes. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

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

/* What is asked for. */
typedef struct {
  int ranks, pieces; /* pieces: at least */
  double seconds;    /* of a piece, about */
  double from;       /* time at which the piece begins */
  long steps;        /* of the only piece; 0: as `seconds` says */
} plan_t;

typedef struct {
  plan_t plan;
  MPI_Comm comm;
  int adapt_every; /* 0: never */
  long steps;      /* of a piece */
  int pieces;
  double gcups[MOST_PIECES], stepping; /* stepping: seconds of all pieces */
  double phase[NPHASES + 1];           /* seconds in each, then in all; mean of the ranks */
  double memory;                       /* bytes, of all ranks */
  long begin_step;
  double begin_time;
} measured_t;

/* The time is the largest of all ranks, so all ranks decide alike. */
static oak_status_t take_steps(const measured_t *m, oak_t *sim, long steps, double *seconds) {
  MPI_Barrier(m->comm);
  const double begin = MPI_Wtime();
  for (long s = 0; s < steps; s++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (m->adapt_every && oak_step(sim) % m->adapt_every == 0)
      OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  *seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, m->comm);
  return OAK_OK;
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
  while (m->pieces < least || (m->pieces < most && m->stepping < enough)) {
    const int64_t updates = oak_cell_updates(sim);
    double seconds;
    OAK_TRY(take_steps(m, sim, m->steps, &seconds));
    m->gcups[m->pieces++] = 1e-9 * (double)(oak_cell_updates(sim) - updates) / seconds;
    m->stepping += seconds;
  }
  add_phases(sim, 1, m->phase);
  m->memory = (double)oak_memory(sim);
  MPI_Allreduce(MPI_IN_PLACE, m->phase, NPHASES + 1, MPI_DOUBLE, MPI_SUM, m->comm);
  MPI_Allreduce(MPI_IN_PLACE, &m->memory, 1, MPI_DOUBLE, MPI_SUM, m->comm);
  for (int p = 0; p <= NPHASES; p++) m->phase[p] /= m->plan.ranks;
  return OAK_OK;
}

static void write_answer(measured_t *m, oak_t *sim, FILE *answer) {
  const double blocks = (double)oak_nblocks_global(sim),
               middle = oak_bench_median(m->gcups, m->pieces);
  if (!answer) return;
  fprintf(answer,
          "{\"steps\":%ld,\"pieces\":%d,\"gcups\":%.9g,\"least\":%.9g,\"most\":%.9g,"
          "\"stepping\":%.9g,\"blocks\":%.0f,\"cells\":%.0f,\"memory\":%.0f,\"begin_step\":%ld,"
          "\"begin_time\":%.17g,\"time\":%.17g,\"total\":%.9g,\"phases\":{",
          m->steps, m->pieces, middle, m->gcups[0], m->gcups[m->pieces - 1], m->stepping, blocks,
          oak_bench_cells(sim), m->memory, m->begin_step, m->begin_time, oak_time(sim),
          m->phase[NPHASES]);
  for (int p = 0; p < NPHASES; p++)
    fprintf(answer, "%s\"%s\":%.9g", p ? "," : "", phases[p], m->phase[p]);
  fprintf(answer, "}}\n");
}

static oak_status_t run(measured_t *m, oak_params_t *params, FILE *answer) {
  oak_t *sim;
  OAK_TRY(oak_create(m->comm, params, &sim));
  if (oak_params_int(params, "mesh.max_level") > oak_params_int(params, "mesh.min_level"))
    m->adapt_every = oak_params_int(params, "mesh.adapt_every");
  const oak_status_t st = measure(m, sim);
  if (st == OAK_OK) write_answer(m, sim, answer);
  oak_destroy(&sim);
  return st;
}

/* Ranks that are not needed sleep during a run, so that they do not slow down the others. */
static void wait_for_others(void) {
  const struct timespec pause = {0, 2000000};
  MPI_Request request;
  int done = 0;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done) nanosleep(&pause, NULL);
}

oak_status_t oak_bench_measure(int argc, char **argv, int rank, FILE *answer) {
  measured_t m = {.pieces = 0};
  oak_params_t *params = NULL;
  OAK_CHECK(argc >= 5, OAK_ERR_INPUT, "oak bench: measure needs 5 numbers");
  m.plan = (plan_t){.ranks = atoi(argv[0]),
                    .pieces = atoi(argv[1]),
                    .seconds = atof(argv[2]),
                    .from = atof(argv[3]),
                    .steps = atol(argv[4])};
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_bench_params(argc - 5, argv + 5, &params)));
  oak_status_t st = OAK_OK;
  MPI_Comm_split(MPI_COMM_WORLD, rank < m.plan.ranks ? 0 : MPI_UNDEFINED, rank, &m.comm);
  if (m.comm != MPI_COMM_NULL) {
    st = run(&m, params, answer);
    MPI_Comm_free(&m.comm);
  }
  oak_params_destroy(&params);
  wait_for_others();
  return oak_agree(MPI_COMM_WORLD, st);
}
