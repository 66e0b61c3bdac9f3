/* SPDX-License-Identifier: GPL-2.0-or-later
 * The cases of oak bench: their keys. */
#include <oak.h>

#include "base/shape.h"
#include "bench.h"

static const char *const common[] = {
    "problem.name=rayleigh_taylor", "run.end_time=1e30", "output.plot_first_last=no",
    "mesh.adapt_every=4",           "device.threads=1",  NULL};

#define MESH(size, low, high) \
  { "mesh.block_size=" size, "mesh.min_level=" low, "mesh.max_level=" high, NULL }

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
  int dim;
  const char *mesh[4]; /* unless the user's keys choose another one */
  const char *const *more;
} cases[BENCH_CASES] = {
    {NULL, 3, MESH("8", "4", "4"), NULL},
    {NULL, 3, MESH("16", "3", "3"), NULL},
    {NULL, 3, MESH("32", "2", "2"), NULL},
    {NULL, 2, MESH("16", "6", "6"), NULL},
    {NULL, 3, MESH("16", "2", "4"), NULL},
    {"MHD", 3, MESH("16", "3", "3"), mhd},
    {"isothermal", 3, MESH("16", "3", "3"), isothermal},
    {"shallow water", 2, MESH("16", "6", "6"), water},
    {"Navier-Stokes", 2, MESH("16", "5", "5"), viscous},
};

const char *oak_bench_equations(int c) { return cases[c].equations; }
int oak_bench_dim(int c) { return cases[c].dim; }

void oak_bench_case_name(const oak_t *sim, const oak_params_t *p, int c, char name[BENCH_NAME]) {
  const int dim = oak_dim(sim), level = oak_params_int(p, "mesh.max_level");
  char shape[2][32];
  int n[3], trees[3];
  oak_block_shape(sim, n);
  oak_params_ints(p, "mesh.trees", trees);
  const int cells[3] = {trees[0] * n[0] << level, trees[1] * n[1] << level,
                        trees[2] * n[2] << level};
  snprintf(name, BENCH_NAME, "%dD %s, blocks %s", dim,
           cases[c].equations                            ? cases[c].equations
           : oak_params_int(p, "mesh.min_level") < level ? "AMR"
                                                         : oak_shape_text(dim, cells, shape[0]),
           oak_shape_text(dim, n, shape[1]));
}

static oak_status_t set_all(oak_params_t *p, const char *const *setting) {
  for (; setting && *setting; setting++) OAK_TRY(oak_params_assign(p, *setting, "oak bench"));
  return OAK_OK;
}

static oak_status_t set_case(oak_params_t *p, int c, char **user, int nuser) {
  OAK_TRY(set_all(p, common));
  OAK_TRY(set_all(p, cases[c].dim == 3 ? walls3 : walls2));
  OAK_TRY(set_all(p, cases[c].mesh));
  OAK_TRY(set_all(p, cases[c].more));
  for (int i = 0; i < nuser; i++) OAK_TRY(oak_params_assign(p, user[i], "command line"));
  return OAK_OK;
}

oak_status_t oak_bench_create(int c, char **key, int nkey, oak_params_t **params, oak_t **sim) {
  *sim = NULL;
  oak_status_t st = oak_params_new(params);
  if (st == OAK_OK) st = set_case(*params, c, key, nkey);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st));
  return oak_create(MPI_COMM_WORLD, *params, sim);
}
