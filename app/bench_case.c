/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cases of oak bench: their keys, and how a piece of a run is timed. Other benchmarks use some
 * of these cases too. */
#include <oak.h>
#include <stdlib.h>

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

static const struct {
  const char *equations; /* in its name; NULL: those of gas */
  int dim, block_size, min_level, max_level;
  int steps;               /* per piece */
  const char *const *more; /* keys */
} cases[] = {
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
enum { NCASES = sizeof cases / sizeof *cases };

int oak_bench_ncases(void) { return NCASES; }

int oak_bench_case_has_equations(int c) { return cases[c].equations != NULL; }
int oak_bench_case_dim(int c) { return cases[c].dim; }

/* Numbers of cells: 16^3, or 32 x 16. Returns the number of characters. */
static int print_shape(char *text, size_t size, int dim, const int n[3]) {
  if (n[0] == n[1] && (dim == 2 || n[1] == n[2])) return snprintf(text, size, "%d^%d", n[0], dim);
  if (dim == 2) return snprintf(text, size, "%d x %d", n[0], n[1]);
  return snprintf(text, size, "%d x %d x %d", n[0], n[1], n[2]);
}

void oak_bench_case_name(const oak_t *sim, const oak_params_t *p, int c, char name[BENCH_NAME]) {
  const int dim = oak_dim(sim), level = oak_params_int(p, "mesh.max_level");
  int n[3], trees[3], length = snprintf(name, BENCH_NAME, "%dD ", dim);
  oak_block_shape(sim, n);
  oak_params_ints(p, "mesh.trees", trees);
  const int cells[3] = {trees[0] * n[0] << level, trees[1] * n[1] << level,
                        trees[2] * n[2] << level};
  if (cases[c].equations)
    length += snprintf(name + length, BENCH_NAME - (size_t)length, "%s", cases[c].equations);
  else if (oak_params_int(p, "mesh.min_level") < level)
    length += snprintf(name + length, BENCH_NAME - (size_t)length, "AMR");
  else
    length += print_shape(name + length, BENCH_NAME - (size_t)length, dim, cells);
  length += snprintf(name + length, BENCH_NAME - (size_t)length, ", blocks ");
  print_shape(name + length, BENCH_NAME - (size_t)length, dim, n);
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

oak_status_t oak_bench_params(int nkey, char **key, oak_params_t **params) {
  OAK_TRY(oak_params_new(params));
  for (int i = 0; i < nkey; i++) OAK_TRY(oak_params_assign(*params, key[i], "command line"));
  return OAK_OK;
}

/* Parameters of case c, then more of them, then the user's keys. */
static oak_status_t set_case(oak_params_t *p, int c, const char *const *more, char **user,
                             int nuser) {
  char text[4][64];
  const char *const list[] = {text[0], text[1], text[2], text[3], NULL};
  snprintf(text[0], 64, "mesh.block_size=%d", cases[c].block_size);
  snprintf(text[1], 64, "mesh.min_level=%d", cases[c].min_level);
  snprintf(text[2], 64, "mesh.max_level=%d", cases[c].max_level);
  snprintf(text[3], 64, "device.threads=1");
  OAK_TRY(set_all(p, common, "oak bench"));
  OAK_TRY(set_all(p, cases[c].dim == 3 ? walls3 : walls2, "oak bench"));
  OAK_TRY(set_all(p, list, "oak bench"));
  if (cases[c].more) OAK_TRY(set_all(p, cases[c].more, "oak bench"));
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

/* Some steps of case c, with adaptation where levels differ. */
static oak_status_t one_piece(oak_t *sim, int c, int steps) {
  const int adapt = cases[c].max_level > cases[c].min_level;
  for (int s = 0; s < steps; s++) {
    OAK_TRY(oak_advance(sim, oak_time_step(sim)));
    if (adapt && oak_step(sim) % 4 == 0) OAK_TRY(oak_adjust_refinement(sim, NULL));
  }
  return OAK_OK;
}

oak_status_t oak_bench_start(oak_t *sim, int c) {
  OAK_TRY(oak_initialize(sim));
  /* After these steps all memory is in use, and buffers have their final sizes. */
  return one_piece(sim, c, 4);
}

oak_status_t oak_bench_piece(oak_t *sim, int c, double *seconds, double *mcups) {
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t updates = oak_cell_updates(sim);
  const double begin = MPI_Wtime();
  OAK_TRY(one_piece(sim, c, cases[c].steps));
  MPI_Barrier(MPI_COMM_WORLD);
  *seconds = MPI_Wtime() - begin;
  *mcups = 1e-6 * (oak_cell_updates(sim) - updates) / *seconds /
           (ranks * oak_device_threads(oak_device(sim)));
  return OAK_OK;
}
