/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench: cell updates per second of the Rayleigh-Taylor problem (paper, "Performance results":
 * each Runge-Kutta stage counts as one update per cell). Every figure is the median of several
 * pieces of a run, beside the speed of a reference kernel at the same moment. */
#include <oak.h>
#include <string.h>

#include "../bench/reference.h"
#include "bench.h"
#include "commands.h"

/* Million square roots and divisions per second and core. */
static oak_status_t time_reference(oak_t *sim, oak_kernel_t *kernel, double *speed) {
  reference_args_t args = {.result = NULL};
  oak_device_t *dev = oak_device(sim);
  const int items = 64 * oak_device_threads(dev);
  void *memory;
  OAK_TRY(oak_device_alloc(dev, items * sizeof(double), &memory));
  args.result = memory;
  const double begin = MPI_Wtime();
  oak_status_t st = oak_device_launch(dev, kernel, items, &args, sizeof args);
  if (st == OAK_OK) st = oak_device_sync(dev);
  *speed = 1e-6 * 2.0 * REFERENCE_LENGTH * REFERENCE_REPEATS * items / (MPI_Wtime() - begin) /
           oak_device_threads(dev);
  oak_device_free(dev, memory);
  return st;
}

/* Before each piece of a run: the speed of the machine at this moment. */
typedef struct {
  oak_kernel_t *kernel;
  double speed[BENCH_PIECES];
} reference_t;

static oak_status_t before_piece(oak_t *sim, int piece, void *context) {
  reference_t *r = context;
  return oak_agree(MPI_COMM_WORLD, time_reference(sim, r->kernel, &r->speed[piece]));
}

static oak_status_t measure(oak_t *sim, const oak_params_t *params, oak_bench_run_t *m) {
  const char *root;
  char path[4096];
  reference_t *r = m->context;
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_source_root(&root)));
  snprintf(path, sizeof path, "%s/bench/reference.c", root);
  OAK_TRY(oak_kernel_build(sim, path, "reference", &r->kernel));
  return oak_bench_run(m, params, sim);
}

static void print_case(const oak_t *sim, const oak_params_t *params, int c, oak_bench_run_t *m,
                       double per_core) {
  char name[BENCH_NAME];
  reference_t *r = m->context;
  oak_bench_case_name(sim, params, c, name);
  printf("%-28s %8.1f %8.1f %8.1f %8.1f%% %8.3f %10.0f\n", name, per_core * m->gcups[m->pieces / 2],
         per_core * m->gcups[0], per_core * m->gcups[m->pieces - 1],
         100 * (1 - m->phase[0] / m->stepping),
         m->memory / (m->cells * 2 * oak_nvar(sim) * sizeof(double)),
         oak_bench_median(r->speed, m->pieces));
  fflush(stdout);
}

static oak_status_t run_case(int c, char **user, int nuser, oak_bench_run_t *m) {
  oak_params_t *params;
  oak_t *sim;
  reference_t reference;
  *m = (oak_bench_run_t){
      .least = BENCH_PIECES, .seconds = 0.1, .before = before_piece, .context = &reference};
  oak_status_t st = oak_bench_create(c, user, nuser, &params, &sim);
  if (st == OAK_OK) st = measure(sim, params, m);
  if (st == OAK_OK && m->rank == 0)
    print_case(sim, params, c, m, 1e3 / (m->ranks * oak_device_threads(oak_device(sim))));
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

/* 1 if the user's keys do not fit a case of other equations. Such a case chooses equations and flux
 * itself, and some are for 2D. */
static int is_left_out(int c, char **user, int nuser) {
  static const char *const begin[] = {"physics.", "problem.", "scheme.flux", "mesh.coordinates",
                                      "mesh.dim=3"};
  const int chosen = oak_bench_dim(c) == 2 ? 5 : 4;
  for (int i = 0; i < nuser && oak_bench_equations(c); i++)
    for (int k = 0; k < chosen; k++)
      if (!strncmp(user[i], begin[k], strlen(begin[k]))) return 1;
  return 0;
}

static oak_status_t bench(oak_arguments_t *a) {
  char **user = a->word;
  const int nuser = a->nword, rank = a->rank;
  oak_bench_run_t m[BENCH_CASES];
  if (rank == 0 && nuser) {
    printf("In every case:");
    for (int i = 0; i < nuser; i++) printf(" %s", user[i]);
    printf("\n\n");
  }
  if (rank == 0)
    printf("%-28s %8s %8s %8s %9s %8s %10s\n", "case", "MCUPS", "least", "most", "outside",
           "memory", "reference");
  for (int c = 0; c < BENCH_CASES; c++)
    if (!is_left_out(c, user, nuser)) OAK_TRY(run_case(c, user, nuser, &m[c]));
  if (rank == 0)
    printf(
        "\nCost of AMR: a cell update takes %.2f times as long as on the uniform mesh with the "
        "same blocks (%.2f million cells)\n",
        m[BENCH_UNIFORM16].gcups[BENCH_PIECES / 2] / m[BENCH_AMR16].gcups[BENCH_PIECES / 2],
        1e-6 * m[BENCH_AMR16].cells);
  return OAK_OK;
}

static const oak_command_t *const parts[] = {&oak_bench_elliptic, &oak_bench_measure, NULL};

static const oak_option_t options[] = {
    {"--elliptic", "...",
     "multigrid for Poisson's equation, in units of a stage of the hydrodynamics"},
    {"--measure", "...", "one run, for the scripts in the folder bench"},
    {NULL, NULL, NULL}};

const oak_command_t oak_command_bench = {
    .name = "bench",
    .summary = "measure cell updates per second on this machine",
    .usage = "[OPTION] [section.key=value ...]",
    .help =
        "Measures the speed of oak on this machine. The problem is a Rayleigh-Taylor instability\n"
        "with van Leer's limiter, HLL, Heun's scheme, double precision and one thread per rank.\n"
        "Keys change the case. The last lines measure other equations: magnetohydrodynamics\n"
        "(Orszag-Tang vortex, HLLD), isothermal gas (HLLC), and in 2D shallow water and the\n"
        "Navier-Stokes equations. If your keys choose equations, a flux, coordinates or another\n"
        "dimension, these lines are left out.\n"
        "\n"
        "Each line is one case. Its columns:\n"
        "  MCUPS, least, most  median and range of several measurements, in million cell\n"
        "                      updates per second and core; each stage of a Runge-Kutta step\n"
        "                      counts as an update\n"
        "  outside             share of the time outside flux and update\n"
        "  memory              in units of 2 states x variables x 8 bytes x cells\n"
        "  reference           speed of a reference kernel at the same moment, in million square\n"
        "                      roots and divisions per second and core. On a busy machine this\n"
        "                      number drops too\n",
    .option = options,
    .after =
        "Options are the first argument. `oak bench OPTION --help` explains them.\n"
        "Scripts in the folder bench compare schemes, keys, builds, ranks and the paper's cases.\n",
    .most = OAK_ANY_NUMBER,
    .part = parts,
    .run = bench};
