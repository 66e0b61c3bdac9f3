/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cases of oak bench: their keys, and how a piece of a run is timed. Other benchmarks use some
 * of these cases too. */
#include <oak.h>
#include <stdlib.h>

#include "base/shape.h"
#include "bench.h"

static const char *const common[] = {"problem.name=rayleigh_taylor", "run.end_time=1e30",
                                     "output.plot_first_last=no", NULL};

static const char *const walls2[] = {"mesh.dim=2", "boundary.ylow=reflect",
                                     "boundary.yhigh=reflect", NULL};
static const char *const walls3[] = {"mesh.dim=3", "boundary.zlow=reflect",
                                     "boundary.zhigh=reflect", NULL};

static const char *const mhd[] = {"physics.name=mhd", "problem.name=orszag_tang",
                                  "scheme.flux=hlld", NULL};

static const char *const isothermal[] = {"physics.name=isothermal", "problem.name=shock_tube",
                                         "scheme.flux=hllc", NULL};

static const char *const water[] = {"physics.name=shallow_water", "problem.name=island",
                                    "scheme.limiter=minmod", NULL};

static const char *const viscous[] = {
    "physics.name=navier_stokes", "problem.name=viscous",    "physics.nu=1e-3",
    "boundary.ylow=periodic",     "boundary.yhigh=periodic", NULL};

const oak_bench_case_t oak_bench_case[BENCH_CASES] = {
    {NULL, 3, 8, 4, 4, 4, NULL},
    {NULL, 3, 16, 3, 3, 4, NULL},
    {NULL, 3, 32, 2, 2, 4, NULL},
    {NULL, 2, 16, 6, 6, 12, NULL},
    {NULL, 3, 16, 2, 4, 4, NULL},
    {"MHD", 3, 16, 3, 3, 4, mhd},
    {"isothermal", 3, 16, 3, 3, 4, isothermal},
    {"shallow water", 2, 16, 6, 6, 12, water},
    {"Navier-Stokes", 2, 16, 5, 5, 12, viscous},
};

void oak_bench_case_name(const oak_t *sim, const oak_params_t *p, int c, char name[BENCH_NAME]) {
  const int dim = oak_dim(sim), level = oak_params_int(p, "mesh.max_level");
  char shape[2][32];
  int n[3], trees[3];
  oak_block_shape(sim, n);
  oak_params_ints(p, "mesh.trees", trees);
  const int cells[3] = {trees[0] * n[0] << level, trees[1] * n[1] << level,
                        trees[2] * n[2] << level};
  snprintf(name, BENCH_NAME, "%dD %s, blocks %s", dim,
           oak_bench_case[c].equations                   ? oak_bench_case[c].equations
           : oak_params_int(p, "mesh.min_level") < level ? "AMR"
                                                         : oak_shape_text(dim, cells, shape[0]),
           oak_shape_text(dim, n, shape[1]));
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double oak_bench_median(double *x, int n) {
  qsort(x, n, sizeof *x, compare);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

double oak_bench_cells(const oak_t *sim) {
  int n[3];
  oak_block_shape(sim, n);
  return (double)oak_nblocks_global(sim) * n[0] * n[1] * n[2];
}

static oak_status_t set_all(oak_params_t *p, const char *const *setting, const char *origin) {
  for (; *setting; setting++) OAK_TRY(oak_params_assign(p, *setting, origin));
  return OAK_OK;
}

/* Parameters of case c, then more of them, then the user's keys. */
static oak_status_t set_case(oak_params_t *p, int c, const char *const *more, char **user,
                             int nuser) {
  char text[4][64];
  const char *const list[] = {text[0], text[1], text[2], text[3], NULL};
  snprintf(text[0], 64, "mesh.block_size=%d", oak_bench_case[c].block_size);
  snprintf(text[1], 64, "mesh.min_level=%d", oak_bench_case[c].min_level);
  snprintf(text[2], 64, "mesh.max_level=%d", oak_bench_case[c].max_level);
  snprintf(text[3], 64, "device.threads=1");
  OAK_TRY(set_all(p, common, "oak bench"));
  OAK_TRY(set_all(p, oak_bench_case[c].dim == 3 ? walls3 : walls2, "oak bench"));
  OAK_TRY(set_all(p, list, "oak bench"));
  if (oak_bench_case[c].more) OAK_TRY(set_all(p, oak_bench_case[c].more, "oak bench"));
  if (more) OAK_TRY(set_all(p, more, "oak bench"));
  for (int i = 0; i < nuser; i++) OAK_TRY(oak_params_assign(p, user[i], "command line"));
  return OAK_OK;
}

oak_status_t oak_bench_create(int c, const char *const *more, char **key, int nkey,
                              oak_params_t **params, oak_t **sim) {
  *sim = NULL;
  oak_status_t st = oak_params_new(params);
  if (st == OAK_OK) st = set_case(*params, c, more, key, nkey);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  return oak_create(MPI_COMM_WORLD, *params, sim);
}

oak_status_t oak_bench_steps(oak_t *sim, int adapt_every, long steps, double *seconds) {
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

static int adapt_every(int c) {
  return oak_bench_case[c].max_level > oak_bench_case[c].min_level ? 4 : 0;
}

oak_status_t oak_bench_start(oak_t *sim, int c) {
  double seconds;
  OAK_TRY(oak_initialize(sim));
  /* After these steps all memory is in use, and buffers have their final sizes. */
  return oak_bench_steps(sim, adapt_every(c), 4, &seconds);
}

oak_status_t oak_bench_piece(oak_t *sim, int c, double *seconds, double *mcups) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t updates = oak_cell_updates(sim);
  OAK_TRY(oak_bench_steps(sim, adapt_every(c), oak_bench_case[c].steps, seconds));
  *mcups = 1e-6 * (oak_cell_updates(sim) - updates) / *seconds /
           (ranks * oak_device_threads(oak_device(sim)));
  return OAK_OK;
}
