/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --paper: how a row is measured. A row starts with steps that are not counted, which
 * also show how many steps a piece needs to last long enough. The figure of the row is the median
 * of several pieces. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "bench_paper.h"

enum { MIN_PIECES = 3, MAX_PIECES = 5 };
/* Times in seconds: the last steps before the pieces; one piece; the total after which MIN_PIECES
 * pieces are enough. The adaptive case gets longer pieces, because its mesh must change during a
 * piece. */
static const double warm_up = 0.05, piece = 0.1, amr_piece = 1, enough = 0.5;

static oak_status_t set_int(oak_params_t *params, const char *key, int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  return oak_params_set(params, key, text);
}

static oak_status_t set_mesh(const bench_row_t *r, oak_params_t *params) {
  /* Paper, "Strong scaling with AMR". */
  static const char *const refine[] = {"refine.criterion=lohner",   "refine.variable=rho",
                                       "refine.c_refine=0.05",      "refine.eps=0.01",
                                       "refine.c_derefine=0.00625", "refine.eps_abs=1e-10",
                                       "mesh.adapt_every=4"};
  const int amr = r->table == BENCH_AMR;
  int level = 0;
  while (r->block << level < (r->run_side ? r->run_side : r->side)) level++;
  OAK_TRY(set_int(params, "mesh.dim", r->dim));
  OAK_TRY(set_int(params, "mesh.block_size", r->block));
  OAK_TRY(set_int(params, "mesh.min_level", amr ? 2 : level));
  OAK_TRY(set_int(params, "mesh.max_level", level));
  for (size_t i = 0; amr && i < sizeof refine / sizeof *refine; i++)
    OAK_TRY(oak_params_assign(params, refine[i], "oak bench --paper"));
  return OAK_OK;
}

/* Problem, mesh and scheme of a row (paper, "Scalar advection", "Rayleigh-Taylor test", "Uniform
 * grid, single GPU"), then the user's keys. */
oak_status_t oak_bench_set_row(const bench_row_t *r, char **user, int nuser, oak_params_t *params) {
  static const char *const walls[2][2] = {{"boundary.ylow", "boundary.yhigh"},
                                          {"boundary.zlow", "boundary.zhigh"}};
  OAK_TRY(oak_params_set(params, "scheme.integrator", "heun"));
  OAK_TRY(oak_params_set(params, "run.cfl", "0.5"));
  OAK_TRY(oak_params_set(params, "scheme.limiter", r->limiter));
  OAK_TRY(oak_params_set(params, "scheme.precision", r->single ? "single" : "double"));
  OAK_TRY(oak_params_set(params, "physics.name", r->rt ? "euler" : "advection"));
  OAK_TRY(oak_params_set(params, "problem.name", r->rt ? "rayleigh_taylor" : "advection"));
  for (int side = 0; r->rt && side < 2; side++)
    OAK_TRY(oak_params_set(params, walls[r->dim - 2][side], "reflect"));
  OAK_TRY(set_mesh(r, params));
  for (int i = 0; i < nuser; i++) OAK_TRY(oak_params_assign(params, user[i], "command line"));
  return OAK_OK;
}

/* Take some steps, with adaptation after every few of them (0: never). The time returned is the
 * largest of all ranks, so all ranks decide alike. */
static oak_status_t time_steps(oak_t *sim, int adapt_every, long steps, double *seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long s = 0; s < steps; s++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (adapt_every && oak_step(sim) % adapt_every == 0) OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  *seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return OAK_OK;
}

/* Take steps until all memory is in use and the clock frequency is stable. Then find how many steps
 * take `aim` seconds; this is a multiple of the steps between adaptations. */
static oak_status_t prepare(oak_t *sim, int adapt_every, double aim, long *steps) {
  const long unit = adapt_every ? adapt_every : 1;
  double seconds = 0;
  long n = unit;
  OAK_TRY(time_steps(sim, adapt_every, n, &seconds));
  do {
    n *= 2;
    OAK_TRY(time_steps(sim, adapt_every, n, &seconds));
  } while (seconds < warm_up);
  *steps = unit * (long)ceil(aim * (double)n / seconds / (double)unit);
  return OAK_OK;
}

static oak_status_t measure(oak_t *sim, int adapt_every, int ranks, bench_row_t *r) {
  double gcups[MAX_PIECES], sums[2];
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(prepare(sim, adapt_every, r->table == BENCH_AMR ? amr_piece : piece, &r->steps));
  const double flux = oak_wtime(sim, "flux and update");
  while (r->pieces < MIN_PIECES || (r->pieces < MAX_PIECES && r->stepping < enough)) {
    const int64_t updates = oak_cell_updates(sim);
    double seconds;
    OAK_TRY(time_steps(sim, adapt_every, r->steps, &seconds));
    gcups[r->pieces++] = 1e-9 * (double)(oak_cell_updates(sim) - updates) / seconds;
    r->stepping += seconds;
  }
  const double mine[2] = {oak_wtime(sim, "flux and update") - flux, (double)oak_memory(sim)};
  MPI_Allreduce(mine, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  r->gcups = oak_bench_median(gcups, r->pieces);
  r->least = gcups[0];
  r->most = gcups[r->pieces - 1];
  r->outside = 100 * (1 - sums[0] / ranks / r->stepping);
  r->memory = sums[1];
  r->blocks = oak_nblocks_global(sim);
  r->cells = (double)r->blocks * pow(oak_block_size(sim), oak_dim(sim));
  return OAK_OK;
}

static oak_status_t create_and_measure(const bench_paper_t *p, bench_row_t *r,
                                       oak_params_t *params) {
  oak_t *sim;
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_bench_set_row(r, p->user, p->nuser, params)));
  OAK_TRY(oak_create(MPI_COMM_WORLD, params, &sim));
  const int adaptive =
      oak_params_int(params, "mesh.max_level") > oak_params_int(params, "mesh.min_level");
  const int adapt_every = adaptive ? oak_params_int(params, "mesh.adapt_every") : 0;
  oak_status_t st = measure(sim, adapt_every, p->ranks, r);
  oak_destroy(&sim);
  return st;
}

oak_status_t oak_bench_run_row(bench_paper_t *p, bench_row_t *r) {
  const double begin = MPI_Wtime();
  oak_params_t *params;
  if (!r->wanted) return OAK_OK;
  oak_status_t st = oak_agree(MPI_COMM_WORLD, oak_params_new(&params));
  if (st == OAK_OK) st = create_and_measure(p, r, params);
  oak_params_destroy(&params);
  r->seconds = MPI_Wtime() - begin;
  r->state = st == OAK_OK ? BENCH_MEASURED : st == OAK_ERR_MEMORY ? BENCH_SKIPPED : BENCH_FAILED;
  if (st != OAK_OK) {
    snprintf(r->reason, sizeof r->reason, "%s", oak_last_error());
    r->reason[strcspn(r->reason, "\n")] = 0;
  }
  oak_bench_csv_row(p, r);
  /* A failure of one row is reported with the row. A mistake in the user's keys would fail in every
   * row, so it ends the command. */
  return st == OAK_ERR_INPUT || st == OAK_ERR_ARGUMENT ? st : OAK_OK;
}

oak_status_t oak_bench_open_device(const bench_paper_t *p, oak_device_t **device) {
  oak_params_t *params;
  oak_device_options_t options = {.threads = 0};
  oak_status_t st = oak_params_new(&params);
  for (int i = 0; i < p->nuser && st == OAK_OK; i++)
    st = oak_params_assign(params, p->user[i], "command line");
  if (st == OAK_OK) st = oak_params_check(params, 0);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) {
    options.threads = oak_params_int(params, "device.threads");
    options.compiler = oak_params_text(params, "device.compiler");
    options.flags = oak_params_text(params, "device.flags");
    st = oak_device_open(MPI_COMM_WORLD, oak_params_text(params, "device.name"), &options, device);
  }
  oak_params_destroy(&params);
  return st;
}
