/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --elliptic: Poisson's equation by multigrid, beside a stage of the hydrodynamics on the
 * same mesh at the same moment. */
#include <math.h>
#include <stdlib.h>

#include "base/failure.h"
#include "bench.h"

enum { SOLUTIONS = 3 };

/* The right-hand side: a smooth blob off centre. */
static oak_status_t write_rhs(oak_t *sim, oak_solver_t *solver) {
  const int nblock = oak_nblocks(sim), dim = oak_dim(sim);
  int n[3];
  oak_block_shape(sim, n);
  const int cells = n[0] * n[1] * n[2];
  OAK_FREED double *f = NULL;
  oak_status_t st = OAK_NEW(f, (size_t)nblock * cells + 1);
  for (int b = 0; b < nblock && f; b++) {
    double origin[3], dx[3];
    oak_block_geometry(sim, b, origin, dx);
    for (int c = 0; c < cells; c++) {
      const int at[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
      double r2 = 0;
      for (int d = 0; d < dim; d++) r2 += pow(origin[d] + (at[d] + 0.5) * dx[d] - 0.4, 2);
      f[(size_t)b * cells + c] = exp(-40 * r2);
    }
  }
  if (st == OAK_OK) st = oak_solver_write(solver, OAK_SOLVER_RHS, 0, nblock, f);
  return oak_agree(MPI_COMM_WORLD, st);
}

/* Solutions from zero. The first one, which warms up, is not timed. */
static oak_status_t time_solutions(oak_solver_t *solver, double *seconds, oak_solver_report_t *r) {
  double all[SOLUTIONS];
  for (int i = -1; i < SOLUTIONS; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    OAK_TRY(oak_solve(solver, r));
    double time = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= 0) all[i] = time;
  }
  *seconds = oak_bench_median(all, SOLUTIONS);
  return OAK_OK;
}

static oak_status_t measure(oak_t *sim, const oak_params_t *params) {
  const oak_solver_options_t options = {.a = 1, .tolerance = 1e-9, .max_cycles = 50};
  oak_bench_run_t m = {.least = BENCH_PIECES, .seconds = 0.1};
  oak_solver_t *solver = NULL;
  oak_solver_report_t r;
  char name[BENCH_NAME];
  double seconds;
  OAK_TRY(oak_bench_run(&m, params, sim));
  oak_status_t st = oak_solver_new(sim, &options, &solver);
  if (st == OAK_OK) st = write_rhs(sim, solver);
  if (st == OAK_OK) st = time_solutions(solver, &seconds, &r);
  oak_solver_destroy(&solver);
  if (st != OAK_OK || m.rank != 0) return st;
  const double stage = m.cells * 1e-9 / m.gcups[m.pieces / 2];
  const int more = r.cycles > 1 ? r.cycles - 1 : 1;
  oak_bench_case_name(sim, params, BENCH_UNIFORM16, name);
  printf("%-28s %8s %6s %8s %8s %8s %6s\n", "", "stage", "cycles", "ms", "stages", "Mcell/s",
         "factor");
  printf("%-28s %8.2f %6d %8.2f %8.1f %8.2f %6.1f\n", name, 1e9 * stage / m.cells, r.cycles,
         1e3 * seconds, seconds / stage, 1e-6 * m.cells / seconds,
         pow(r.residual[1] / r.residual[r.cycles], 1.0 / more));
  return OAK_OK;
}

static oak_status_t bench_elliptic(oak_arguments_t *a) {
  oak_params_t *params;
  oak_t *sim;
  oak_status_t st = oak_bench_create(BENCH_UNIFORM16, a->word, a->nword, &params, &sim);
  if (st == OAK_OK) st = measure(sim, params);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

const oak_command_t oak_bench_elliptic = {
    .name = "bench --elliptic",
    .usage = "[section.key=value ...]",
    .help =
        "Solves Poisson's equation by multigrid, from zero to a residual of 1e-9, on the mesh of\n"
        "128^3 cells in blocks of 16^3 or the one that your keys choose. The columns are:\n"
        "\n"
        "  stage    nanoseconds per cell of a stage of the hydrodynamics (Rayleigh-Taylor, van\n"
        "           Leer, HLL) on the same mesh in the same run\n"
        "  cycles   V-cycles of a solution\n"
        "  ms       of a solution; then this time in stages, and million cells per second\n"
        "  factor   by which a V-cycle reduces the residual\n",
    .most = OAK_ANY_NUMBER,
    .run = bench_elliptic};
