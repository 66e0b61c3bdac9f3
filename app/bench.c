/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench: cell updates per second of the Rayleigh-Taylor problem (paper, "Performance results":
 * each Runge-Kutta stage counts as one update per cell). Every figure is the median of several
 * pieces of a run, beside the speed of a reference kernel at the same moment. */
#include <math.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "../bench/reference.h"
#include "bench.h"
#include "commands.h"

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
  const char *name;
  int dim, block_size, min_level, max_level;
  int steps;               /* per piece */
  const char *const *more; /* keys */
} cases[] = {
    {"3D 128^3, blocks 8^3", 3, 8, 4, 4, 4, NULL},
    {"3D 128^3, blocks 16^3", 3, 16, 3, 3, 4, NULL},
    {"3D 128^3, blocks 32^3", 3, 32, 2, 2, 4, NULL},
    {"2D 1024^2, blocks 16^2", 2, 16, 6, 6, 12, NULL},
    {"3D AMR, blocks 16^3", 3, 16, 2, 4, 4, NULL},
    {"3D MHD, blocks 16^3", 3, 16, 3, 3, 4, mhd},
    {"3D isothermal, 16^3", 3, 16, 3, 3, 4, isothermal},
    {"2D shallow water, 16^2", 2, 16, 6, 6, 12, water},
    {"2D Navier-Stokes, 16^2", 2, 16, 5, 5, 12, viscous},
};
enum { NCASES = sizeof cases / sizeof *cases };

typedef struct {
  double mcups[BENCH_REPEATS], reference[BENCH_REPEATS];
  double outside; /* share of time outside flux and update */
  double memory;  /* bytes of memory, in units of (states x variables x bytes of a number x cells)
                   */
  double cells;
} result_t;

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double oak_bench_median(double *x, int n) {
  qsort(x, n, sizeof *x, compare);
  return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

static oak_status_t set_all(oak_params_t *p, const char *const *setting, const char *origin) {
  for (; *setting; setting++) OAK_TRY(oak_params_assign(p, *setting, origin));
  return OAK_OK;
}

oak_status_t oak_bench_set_case(oak_params_t *p, int c, char **user, int nuser) {
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
  for (int i = 0; i < nuser; i++) OAK_TRY(oak_params_assign(p, user[i], "command line"));
  return OAK_OK;
}

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
  return one_piece(sim, c, 4); /* after these steps all memory is in use and buffers have their
                                  final sizes */
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

static oak_status_t measure(oak_t *sim, int c, result_t *result) {
  const char *root;
  char path[4096];
  int ranks;
  oak_kernel_t *reference;
  OAK_TRY(oak_agree(MPI_COMM_WORLD, oak_source_root(&root)));
  snprintf(path, sizeof path, "%s/bench/reference.c", root);
  OAK_TRY(oak_kernel_build(sim, path, "reference", &reference));
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  OAK_TRY(oak_bench_start(sim, c));
  const double flux0 = oak_wtime(sim, "flux and update");
  double stepping = 0;
  for (int r = 0; r < BENCH_REPEATS; r++) {
    double seconds;
    OAK_TRY(oak_agree(MPI_COMM_WORLD, time_reference(sim, reference, &result->reference[r])));
    OAK_TRY(oak_bench_piece(sim, c, &seconds, &result->mcups[r]));
    stepping += seconds;
  }
  double local = oak_wtime(sim, "flux and update") - flux0, bytes = oak_memory(sim), sums[2];
  double values[2] = {local, bytes};
  MPI_Allreduce(values, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  result->outside = 1 - sums[0] / ranks / stepping;
  result->cells = (double)oak_nblocks_global(sim) * pow(oak_block_size(sim), oak_dim(sim));
  result->memory = sums[1] / (result->cells * 2 * oak_nvar(sim) * sizeof(double));
  return OAK_OK;
}

static oak_status_t run_case(int c, char **user, int nuser, result_t *result) {
  oak_params_t *params;
  oak_t *sim = NULL;
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = oak_bench_set_case(params, c, user, nuser);
  st = oak_agree(MPI_COMM_WORLD, st);
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = measure(sim, c, result);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

static void print_help(void) {
  printf(
      "usage: oak bench [--schemes | --paper | --adaptive | --elliptic | --scaling | --compare A B "
      "|\n"
      "                  --kernels | --report] [section.key=value ...]\n"
      "\n"
      "Measures the speed of oak on this machine with the Rayleigh-Taylor problem: van Leer, HLL, "
      "Heun,\n"
      "double precision, one thread per rank. Keys change the case. The last lines are other "
      "equations:\n"
      "magnetohydrodynamics (Orszag-Tang vortex, HLLD), isothermal gas (HLLC), shallow water, and "
      "the\n"
      "Navier-Stokes equations. They are left out where keys choose other equations or a flux.\n"
      "\n"
      "Each line is one case. Its columns:\n"
      "  MCUPS, least, most  median and range of the measured pieces, in million cell updates per "
      "second\n"
      "                      and core; each Runge-Kutta stage counts as an update\n"
      "  outside             share of the time outside flux and update\n"
      "  memory              in units of 2 states x variables x 8 bytes x cells\n"
      "  reference           speed of a reference kernel at the same moment, in million square "
      "roots and\n"
      "                      divisions per second and core; on a busy machine it drops too\n"
      "\n"
      "options:\n"
      "  --schemes   the 3D case with every limiter, every flux and single precision, relative to "
      "van\n"
      "              Leer with HLL. Pieces of both runs alternate, so that a drift of the "
      "machine's speed\n"
      "              hardly changes the ratio. Medians and ranges of 5 pieces\n"
      "  --paper     the performance tables of the foap4 paper, measured on an H100, beside the "
      "same here\n"
      "  --adaptive  a part of the paper's adaptive run, and where its time goes\n"
      "  --elliptic  Poisson's equation by multigrid, in units of a stage of the hydrodynamics\n"
      "  --scaling   the same problem on 1, 2, 4, ... ranks, with efficiency\n"
      "  --compare   two sets of keys, or two builds of oak: the ratio of their speeds and its "
      "interval\n"
      "  --kernels   bytes and arithmetic of every kernel beside what this device can do\n"
      "  --report    all tables and figures of the foap4 paper's evaluation, in one HTML file\n"
      "oak bench OPTION --help tells more about all but the first.\n");
}

/* 1 if the user's keys choose equations or a flux. The cases of other equations set these keys
 * themselves. */
static int choose_equations(char **user, int nuser) {
  static const char *const begin[] = {"physics.", "problem.", "scheme.flux"};
  for (int i = 0; i < nuser; i++)
    for (int k = 0; k < 3; k++)
      if (!strncmp(user[i], begin[k], strlen(begin[k]))) return 1;
  return 0;
}

static int bench_cases(char **user, int nuser, int rank) {
  double uniform16 = 0, adaptive = 0, cells = 0;
  if (rank == 0)
    printf("%-24s %8s %8s %8s %9s %8s %10s\n", "case", "MCUPS", "least", "most", "outside",
           "memory", "reference");
  for (int c = 0; c < NCASES; c++) {
    result_t r;
    if (cases[c].more && choose_equations(user, nuser)) continue;
    if (run_case(c, user, nuser, &r) != OAK_OK) return oak_report_failure(rank);
    const double middle = oak_bench_median(r.mcups, BENCH_REPEATS),
                 reference = oak_bench_median(r.reference, BENCH_REPEATS);
    if (c == BENCH_UNIFORM16) uniform16 = middle;
    if (c == BENCH_AMR16) {
      adaptive = middle;
      cells = r.cells;
    }
    if (rank == 0)
      printf("%-24s %8.1f %8.1f %8.1f %8.1f%% %8.3f %10.0f\n", cases[c].name, middle, r.mcups[0],
             r.mcups[BENCH_REPEATS - 1], 100 * r.outside, r.memory, reference);
    fflush(stdout);
  }
  if (rank == 0)
    printf(
        "\nCost of AMR: a cell update takes %.2f times as long as on the uniform mesh with the "
        "same "
        "blocks (%.2f million cells)\n",
        uniform16 / adaptive, 1e-6 * cells);
  return 0;
}

int oak_command_bench(int argc, char **argv, int rank) {
  if (argc > 0 && !strcmp(argv[0], "--schemes")) return oak_bench_schemes(argv + 1, argc - 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--paper")) return oak_bench_paper(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--adaptive"))
    return oak_bench_adaptive(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--elliptic"))
    return oak_bench_elliptic(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--scaling")) return oak_bench_scaling(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--compare")) return oak_bench_compare(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--kernels")) return oak_bench_kernels(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--report")) return oak_bench_report(argc - 1, argv + 1, rank);
  if (argc > 0 && !strcmp(argv[0], "--on-demand"))
    return oak_bench_on_demand(argc - 1, argv + 1, rank);
  if (argc > 0 && argv[0][0] == '-') {
    const int help = !strcmp(argv[0], "--help");
    if (rank == 0)
      help ? print_help() : (void)fprintf(stderr, "oak bench: unknown option %s\n", argv[0]);
    return help ? 0 : 2;
  }
  return bench_cases(argv, argc, rank);
}
