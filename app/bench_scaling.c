/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --scaling: the same problem on 1, 2, 4, ... of the ranks that the command was started
 * with (paper, "Strong scaling", "Weak scaling", "Strong scaling with AMR"): cell updates per
 * second, efficiency, and where the time goes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "bench_paper.h"
#include "bench_scaling.h"
#include "commands.h"

const bench_phase_t oak_bench_phases[] = {
    {"flux and update", "flux"},       {"ghost cells R1", "R1"},
    {"ghost cells R2", "R2"},          {"MPI transfer", "transfer"},
    {"flux fixing", "fluxfix"},        {"time step reduction", "dt"},
    {"refinement flags", "flags"},     {"mesh adaptation (p4est)", "mesh"},
    {"block adaptation", "blocks"},    {"partitioning", "partition"},
    {"ghost cell pattern", "pattern"}, {"other", "other"}};
enum { PIECES = 5, AHEAD = 8 };

static void print_help(void) {
  printf(
      "usage: mpirun -n RANKS oak bench --scaling [--weak] [--adaptive] [options] "
      "[section.key=value ...]\n"
      "\n"
      "Runs 3D Rayleigh-Taylor with van Leer on 1, 2, 4, ... and all RANKS ranks, with one thread "
      "each\n"
      "unless device.threads is given. Prints million cell updates per second (median of 5 "
      "pieces), the\n"
      "efficiency, and the share of each phase in percent (mean of the ranks).\n"
      "\n"
      "  --weak         every rank gets a cube of its own\n"
      "  --adaptive     the paper's adaptive run: levels from 2 on, adapting every 4 steps; --side "
      "counts\n"
      "                 cells of the finest level\n"
      "  --side N       cells along a side of the domain; with --weak along a side of each rank's "
      "cube\n"
      "                 (GPU: 512, adaptive 1024; CPU: 128, adaptive 256)\n"
      "  --blocks LIST  cells along a side of a block, such as 8,16,32 (16)\n"
      "  --fewest N     the fewest ranks; the others are compared with them (1)\n"
      "  --seconds S    duration of a piece (0.5)\n"
      "  --out FILE     write the table as CSV too\n");
}

/* ---- one run */

static oak_status_t set_keys(const bench_scaling_t *s, int block, int ranks, oak_params_t *p) {
  const bench_row_t row = {.table = s->adaptive ? BENCH_AMR : BENCH_UNIFORM,
                           .dim = 3,
                           .side = s->side,
                           .block = block,
                           .rt = 1,
                           .limiter = "vanleer"};
  char text[64];
  OAK_TRY(oak_params_set(p, "device.threads", "1"));
  OAK_TRY(oak_bench_set_row(&row, s->key, s->nkey, p));
  if (!s->weak) return OAK_OK;
  snprintf(text, sizeof text, "%d 1 1", ranks);
  OAK_TRY(oak_params_set(p, "mesh.trees", text));
  return oak_params_set(p, "mesh.xmax", text);
}

/* Some steps; the longest time of all ranks, so that all decide alike. */
static oak_status_t run_steps(oak_t *sim, MPI_Comm comm, long steps, double *seconds) {
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  for (long n = 0; n < steps; n++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (oak_step(sim) % 4 == 0) OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  *seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return OAK_OK;
}

static void read_phases(oak_t *sim, double seconds[BENCH_PHASES + 1]) {
  for (int p = 0; p < BENCH_PHASES; p++) seconds[p] = oak_wtime(sim, oak_bench_phases[p].name);
  seconds[BENCH_PHASES] = oak_wtime(sim, NULL);
}

static oak_status_t measure(const bench_scaling_t *s, oak_t *sim, MPI_Comm comm,
                            bench_scaling_line_t *f) {
  double seconds, rate[PIECES], before[BENCH_PHASES + 1], after[BENCH_PHASES + 1];
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(run_steps(sim, comm, AHEAD, &seconds)); /* after these steps all memory is in use */
  OAK_TRY(run_steps(sim, comm, AHEAD, &seconds));
  const long steps = AHEAD * (long)ceil(s->seconds / seconds);
  read_phases(sim, before);
  for (int i = 0; i < PIECES; i++) {
    const int64_t updates = oak_cell_updates(sim);
    OAK_TRY(run_steps(sim, comm, steps, &seconds));
    rate[i] = 1e-6 * (double)(oak_cell_updates(sim) - updates) / seconds;
  }
  read_phases(sim, after);
  for (int p = 0; p <= BENCH_PHASES; p++) after[p] -= before[p];
  MPI_Allreduce(MPI_IN_PLACE, after, BENCH_PHASES + 1, MPI_DOUBLE, MPI_SUM, comm);
  for (int p = 0; p < BENCH_PHASES; p++) f->share[p] = after[p] / after[BENCH_PHASES];
  f->mcups = oak_bench_median(rate, PIECES);
  f->least = rate[0];
  f->most = rate[PIECES - 1];
  f->cells = (double)oak_nblocks_global(sim) * pow(oak_block_size(sim), 3);
  return OAK_OK;
}

static oak_status_t run_ranks(const bench_scaling_t *s, MPI_Comm comm, int block, int ranks,
                              bench_scaling_line_t *f) {
  oak_params_t *params;
  oak_t *sim = NULL;
  OAK_TRY(oak_params_new(&params));
  oak_status_t st = set_keys(s, block, ranks, params);
  if (st == OAK_OK) st = oak_create(comm, params, &sim);
  if (st == OAK_OK) st = measure(s, sim, comm, f);
  oak_destroy(&sim);
  oak_params_destroy(&params);
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

static oak_status_t run_some(const bench_scaling_t *s, int block, int ranks,
                             bench_scaling_line_t *f) {
  MPI_Comm some;
  oak_status_t st = OAK_OK;
  MPI_Comm_split(MPI_COMM_WORLD, s->rank < ranks ? 0 : MPI_UNDEFINED, s->rank, &some);
  if (some != MPI_COMM_NULL) {
    st = run_ranks(s, some, block, ranks, f);
    MPI_Comm_free(&some);
  }
  wait_for_others();
  return oak_agree(MPI_COMM_WORLD, st);
}

/* ---- the table */

static void print_head(bench_scaling_t *s, int block) {
  if (s->rank) return;
  printf("\n3D Rayleigh-Taylor, %s, blocks of %d^3, %s, MCUPS\n",
         s->adaptive ? "adaptive" : "uniform", block,
         s->weak ? "a cube for each rank (weak)" : "one domain (strong)");
  printf("%5s %8s %9s %9s %9s %6s %8s  percent of the time:", "ranks", "Mcells", "MCUPS", "least",
         "most", "eff.", "outside");
  for (int p = 1; p < BENCH_PHASES; p++) printf(" %s", oak_bench_phases[p].head);
  printf("\n");
}

static void print_line(bench_scaling_t *s, const bench_scaling_line_t *f) {
  const int block = f->block, ranks = f->ranks;
  const double efficiency = f->efficiency;
  if (s->rank) return;
  printf("%5d %8.2f %9.1f %9.1f %9.1f %5.1f%% %7.1f%%  ", ranks, 1e-6 * f->cells, f->mcups,
         f->least, f->most, 100 * efficiency, 100 * (1 - f->share[0]));
  for (int p = 1; p < BENCH_PHASES; p++)
    printf(" %*.1f", (int)strlen(oak_bench_phases[p].head), 100 * f->share[p]);
  printf("\n");
  fflush(stdout);
  if (!s->csv) return;
  fprintf(s->csv, "%s,%s,%d,%d,%.0f,%.3f,%.3f,%.3f,%.4f,%.4f", s->adaptive ? "adaptive" : "uniform",
          s->weak ? "weak" : "strong", block, ranks, f->cells, f->mcups, f->least, f->most,
          efficiency, 1 - f->share[0]);
  for (int p = 0; p < BENCH_PHASES; p++) fprintf(s->csv, ",%.4f", f->share[p]);
  fprintf(s->csv, "\n");
}

static oak_status_t run_blocks(bench_scaling_t *s, int block) {
  bench_scaling_line_t f = {.mcups = 0};
  double one = 0;
  print_head(s, block);
  const int fewest = s->fewest < s->size ? s->fewest : s->size;
  for (int ranks = fewest;; ranks = 2 * ranks < s->size ? 2 * ranks : s->size) {
    OAK_TRY(run_some(s, block, ranks, &f));
    if (ranks == fewest) one = f.mcups / ranks;
    f.block = block;
    f.ranks = ranks;
    f.efficiency = f.mcups / (ranks * one);
    print_line(s, &f);
    if (s->nline < BENCH_MOST_LINES) s->line[s->nline++] = f;
    if (ranks == s->size) return OAK_OK;
  }
}

static oak_status_t open_csv(bench_scaling_t *s) {
  oak_status_t st = OAK_OK;
  if (s->rank == 0 && s->out) {
    s->csv = fopen(s->out, "w");
    if (!s->csv) st = OAK_FAIL(OAK_ERR_FILE, "oak bench --scaling: cannot write %s", s->out);
    if (s->csv) fprintf(s->csv, "mesh,kind,block,ranks,cells,mcups,least,most,efficiency,outside");
    for (int p = 0; p < BENCH_PHASES && s->csv; p++)
      fprintf(s->csv, ",%s", oak_bench_phases[p].name);
    if (s->csv) fprintf(s->csv, "\n");
  }
  return oak_agree(MPI_COMM_WORLD, st);
}

static oak_status_t close_csv(bench_scaling_t *s) {
  int bad = 0;
  if (s->csv) bad = ferror(s->csv) | fclose(s->csv);
  return oak_agree(MPI_COMM_WORLD, bad ? OAK_FAIL(OAK_ERR_FILE,
                                                  "oak bench --scaling: %s cannot be written: is "
                                                  "the disk full?",
                                                  s->out)
                                       : OAK_OK);
}

/* ---- options */

static oak_status_t read_blocks(bench_scaling_t *s, const char *text) {
  s->nblock = 0;
  for (const char *c = text; c && *c; c += strcspn(c, ","), c += *c == ',') {
    const int block = atoi(c);
    OAK_CHECK(block >= 4 && block <= 1024 && s->nblock < BENCH_MOST_BLOCKS, OAK_ERR_INPUT,
              "oak bench --scaling: --blocks %s: must be at most %d numbers from 4 on, with commas",
              text, BENCH_MOST_BLOCKS);
    s->block[s->nblock++] = block;
  }
  OAK_CHECK(s->nblock, OAK_ERR_INPUT, "oak bench --scaling: --blocks needs a list such as 8,16");
  return OAK_OK;
}

static oak_status_t read_options(bench_scaling_t *s, int argc, char **argv) {
  for (int i = 0; i < argc; i++) {
    const char *next = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--weak"))
      s->weak = 1;
    else if (!strcmp(argv[i], "--adaptive"))
      s->adaptive = 1;
    else if (!strcmp(argv[i], "--side") && atoi(next) > 0)
      s->side = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--fewest") && atoi(next) > 0)
      s->fewest = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--seconds") && atof(next) > 0)
      s->seconds = atof(argv[++i]);
    else if (!strcmp(argv[i], "--blocks"))
      OAK_TRY(read_blocks(s, argv[++i < argc ? i : argc - 1]));
    else if (!strcmp(argv[i], "--out") && *next)
      s->out = argv[++i];
    else {
      OAK_CHECK(argv[i][0] != '-', OAK_ERR_INPUT,
                "oak bench --scaling: %s %s: unknown or without its value; known: --weak "
                "--adaptive --side N --blocks LIST --fewest N --seconds S --out FILE --help",
                argv[i], next);
      s->key[s->nkey++] = argv[i];
    }
  }
  return OAK_OK;
}

/* The default domain of a GPU would take minutes on a CPU. */
static oak_status_t choose_side(bench_scaling_t *s) {
  oak_params_t *params;
  oak_device_t *dev = NULL;
  if (s->side) return OAK_OK;
  OAK_TRY(oak_params_new(&params));
  oak_status_t st = OAK_OK;
  for (int i = 0; i < s->nkey && st == OAK_OK; i++)
    st = oak_params_assign(params, s->key[i], "command line");
  if (st == OAK_OK)
    st = oak_device_open(MPI_COMM_WORLD, oak_params_text(params, "device.name"), NULL, &dev);
  if (st == OAK_OK) {
    const int gpu = !oak_device_ops(dev)->host_memory;
    s->side = (gpu ? 512 : 128) << s->adaptive;
  }
  oak_device_close(&dev);
  oak_params_destroy(&params);
  return st;
}

oak_status_t oak_bench_scaling_run(bench_scaling_t *s) {
  OAK_TRY(choose_side(s));
  OAK_TRY(open_csv(s));
  for (int b = 0; b < s->nblock; b++) OAK_TRY(run_blocks(s, s->block[b]));
  return close_csv(s);
}

int oak_bench_scaling(int argc, char **argv, int rank) {
  bench_scaling_t s = {
      .nblock = 1, .block = {16}, .fewest = 1, .seconds = 0.5, .key = argv, .rank = rank};
  MPI_Comm_size(MPI_COMM_WORLD, &s.size);
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--help") && strcmp(argv[i], "-h")) continue;
    if (rank == 0) print_help();
    return 0;
  }
  if (read_options(&s, argc, argv) != OAK_OK) {
    oak_report_failure(rank);
    return 2;
  }
  return oak_bench_scaling_run(&s) == OAK_OK ? 0 : oak_report_failure(rank);
}
