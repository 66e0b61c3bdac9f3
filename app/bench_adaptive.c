/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --adaptive: a piece of the paper's adaptive Rayleigh-Taylor run and where its time
 * goes. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_paper.h"
#include "commands.h"

/* The table of oak_print_wtime without initialization and output, which a piece does not have. */
static const char *const phases[] = {
    "flux and update",    "ghost cells R1", "ghost cells R2",      "MPI transfer",
    "ghost cell pattern", "flux fixing",    "refinement flags",    "mesh adaptation (p4est)",
    "block adaptation",   "partitioning",   "time step reduction", "other"};
enum { NPHASES = sizeof phases / sizeof *phases, SETTLE = 24 /* steps before the piece */ };

typedef struct {
  double from;
  long steps;
  char **key;
  int nkey;
} piece_t;

static void print_help(void) {
  printf(
      "usage: oak bench --adaptive [--from TIME] [--steps N] [section.key=value ...]\n"
      "\n"
      "Runs a part of the foap4 paper's adaptive run (Rayleigh-Taylor 3D, 16^3 blocks, levels 2 to "
      "6,\n"
      "van Leer, adapting every 4 steps). Prints GCUPS, cells, and the share of each phase. It "
      "needs\n"
      "about 7 GB at first and 40 GB late in the run, and much less with mesh.max_level=4.\n"
      "\n"
      "  --from TIME  where the measured part begins. Until this time the run leaves out the\n"
      "               finest level, which makes it 16 times faster (default: 0)\n"
      "  --steps N    steps of the measured part (default: 500)\n");
}

static oak_status_t set_keys(const piece_t *b, oak_params_t *params) {
  static const bench_row_t row = {
      .table = BENCH_AMR, .dim = 3, .side = 1024, .block = 16, .rt = 1, .limiter = "vanleer"};
  OAK_TRY(oak_bench_set_row(&row, b->key, b->nkey, params));
  if (b->from <= 0) return OAK_OK;
  const char *root;
  char text[PATH_MAX + 200];
  OAK_TRY(oak_source_root(&root));
  snprintf(text, sizeof text, "%s/bench/rayleigh_taylor_late.c", root);
  OAK_TRY(oak_params_set(params, "problem.name", text));
  const int length = snprintf(text, sizeof text, "%s -DLATE_FROM=%.17g -DLATE_FINEST=%d",
                              oak_params_text(params, "device.flags"), b->from,
                              oak_params_int(params, "mesh.max_level"));
  OAK_CHECK(length < (int)sizeof text, OAK_ERR_INPUT,
            "oak bench --adaptive: device.flags is longer than %zu characters", sizeof text - 100);
  return oak_params_set(params, "device.flags", text);
}

static oak_status_t step(oak_t *sim, int adapt_every) {
  OAK_TRY(oak_advance(sim, oak_time_step(sim)));
  return adapt_every && oak_step(sim) % adapt_every == 0 ? oak_adjust_refinement(sim, NULL)
                                                         : OAK_OK;
}

/* Seconds in each phase so far, and in all of them. */
static void read_times(oak_t *sim, double seconds[NPHASES + 1]) {
  for (int p = 0; p < NPHASES; p++) seconds[p] = oak_wtime(sim, phases[p]);
  seconds[NPHASES] = oak_wtime(sim, NULL);
}

static void print_piece(oak_t *sim, long steps, double updates, const double seconds[NPHASES + 1]) {
  const double total = seconds[NPHASES], blocks = (double)oak_nblocks_global(sim);
  printf(
      "%ld steps to t = %.5f in %.3f s: %.3g GCUPS; at the end %.0f blocks, %.4g million cells\n",
      steps, oak_time(sim), total, 1e-9 * updates / total, blocks,
      1e-6 * blocks * pow(oak_block_size(sim), oak_dim(sim)));
  for (int p = 0; p < NPHASES; p++)
    printf("  %-26s %8.3f s %6.1f %%\n", phases[p], seconds[p], 100 * seconds[p] / total);
  printf("  outside flux and update: %.1f %%; %.2f GB on rank 0\n", 100 * (1 - seconds[0] / total),
         1e-9 * (double)oak_memory(sim));
}

static oak_status_t run_piece(const piece_t *b, oak_t *sim, int adapt_every, int rank) {
  double before[NPHASES + 1], seconds[NPHASES + 1];
  OAK_TRY(oak_initialize(sim));
  while (oak_time(sim) < b->from) OAK_TRY(step(sim, adapt_every));
  for (int s = 0; s < (b->from > 0 ? SETTLE : 0); s++) OAK_TRY(step(sim, adapt_every));
  if (rank == 0) printf("from step %ld, t = %.5f\n", oak_step(sim), oak_time(sim));
  const int64_t updates = oak_cell_updates(sim);
  read_times(sim, before);
  for (long s = 0; s < b->steps; s++) OAK_TRY(step(sim, adapt_every));
  read_times(sim, seconds);
  for (int p = 0; p <= NPHASES; p++) seconds[p] -= before[p];
  if (rank == 0) print_piece(sim, b->steps, (double)(oak_cell_updates(sim) - updates), seconds);
  return OAK_OK;
}

static oak_status_t create_and_run(const piece_t *b, int rank) {
  oak_params_t *params;
  oak_t *sim = NULL;
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = set_keys(b, params);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = run_piece(b, sim, oak_params_int(params, "mesh.adapt_every"), rank);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

static oak_status_t read_number(const char *option, const char *text, double least, double *value) {
  char *end;
  *value = text ? strtod(text, &end) : 0;
  OAK_CHECK(text && *text && !*end && *value >= least && *value < 1e9, OAK_ERR_INPUT,
            "oak bench --adaptive: %s %s: must be a number from %g on", option, text ? text : "",
            least);
  return OAK_OK;
}

static oak_status_t read_options(piece_t *b, int argc, char **argv) {
  double steps = 500;
  for (int i = 0; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : NULL;
    if (!strcmp(argv[i], "--from")) {
      OAK_TRY(read_number(argv[i++], next, 0, &b->from));
    } else if (!strcmp(argv[i], "--steps")) {
      OAK_TRY(read_number(argv[i++], next, 1, &steps));
    } else {
      OAK_CHECK(argv[i][0] != '-', OAK_ERR_INPUT,
                "oak bench --adaptive: unknown option %s; known: --from --steps --help", argv[i]);
      b->key[b->nkey++] = argv[i];
    }
  }
  b->steps = (long)steps;
  return OAK_OK;
}

int oak_bench_adaptive(int argc, char **argv, int rank) {
  piece_t b = {.key = argv}; /* keys are moved to the front */
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    if (rank == 0) print_help();
    return 0;
  }
  if (read_options(&b, argc, argv) != OAK_OK) {
    oak_report_failure(rank);
    return 2;
  }
  return create_and_run(&b, rank) == OAK_OK ? 0 : oak_report_failure(rank);
}
