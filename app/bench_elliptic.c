/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak bench --elliptic: Poisson's equation by multigrid, beside a stage of the hydrodynamics on the
 * same mesh at the same moment. The right-hand side is a smooth blob; for warm starts it moves by
 * part of a cell, as gas does in a time step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "bench.h"
#include "commands.h"

enum { MOST_SIDES = 8, SOLUTIONS = 3 };
static const double tolerance = 1e-9;

typedef struct {
  int side[MOST_SIDES], nside;
  char **key;
  int nkey;
} choice_t;

typedef struct {
  double stage;      /* seconds of a stage of the hydrodynamics */
  double cold, warm; /* of a solution */
  int ncold, nwarm;  /* cycles of it */
  double factor;     /* by which a cycle reduces the residual */
  double cells;      /* of the mesh */
} result_t;

/* ---- the equation */

/* A blob that moves: its centre is at 0.4 + 0.002 `step` along each axis. */
static oak_status_t write_rhs(oak_t *sim, oak_solver_t *solver, double step) {
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
      for (int d = 0; d < dim; d++) {
        const double x = origin[d] + (at[d] + 0.5) * dx[d] - 0.4 - 0.002 * step;
        r2 += x * x;
      }
      f[(size_t)b * cells + c] = exp(-40 * r2);
    }
  }
  if (st == OAK_OK) st = oak_solver_write(solver, OAK_SOLVER_RHS, 0, nblock, f);
  return oak_agree(MPI_COMM_WORLD, st);
}

static oak_status_t copy_solution(oak_t *sim, oak_solver_t *from, oak_solver_t *to) {
  const int nblock = oak_nblocks(sim);
  int n[3];
  oak_block_shape(sim, n);
  const size_t cells = (size_t)n[0] * n[1] * n[2];
  OAK_FREED double *u = NULL;
  oak_status_t st = OAK_NEW(u, nblock * cells + 1);
  if (st == OAK_OK) st = oak_solver_read(from, OAK_SOLVER_SOLUTION, 0, nblock, u);
  if (st == OAK_OK) st = oak_solver_write(to, OAK_SOLVER_SOLUTION, 0, nblock, u);
  return oak_agree(MPI_COMM_WORLD, st);
}

/* The longest time of all ranks, so that all find the same number of repeats. */
static oak_status_t time_solution(oak_solver_t *solver, double *seconds, oak_solver_report_t *r) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  OAK_TRY(oak_solve(solver, r));
  *seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return OAK_OK;
}

/* ---- measurement */

static oak_status_t time_stage(oak_t *sim, int c, double *seconds) {
  double piece[BENCH_REPEATS], mcups;
  for (int r = 0; r < BENCH_REPEATS; r++) {
    const int64_t updates = oak_cell_updates(sim);
    OAK_TRY(oak_bench_piece(sim, c, &piece[r], &mcups));
    piece[r] *= oak_bench_cells(sim) / (double)(oak_cell_updates(sim) - updates);
  }
  *seconds = oak_bench_median(piece, BENCH_REPEATS);
  return OAK_OK;
}

static oak_status_t time_solutions(oak_t *sim, oak_solver_t *cold, oak_solver_t *warm,
                                   result_t *r) {
  double seconds[2][SOLUTIONS], first;
  oak_solver_report_t report;
  OAK_TRY(write_rhs(sim, cold, 0));
  OAK_TRY(time_solution(cold, &first, &report)); /* warms up */
  r->ncold = report.cycles;
  r->factor = pow(report.residual[1] / report.residual[report.cycles],
                  1.0 / (report.cycles > 1 ? report.cycles - 1 : 1));
  OAK_TRY(copy_solution(sim, cold, warm));
  for (int i = 0; i < SOLUTIONS; i++) {
    OAK_TRY(time_solution(cold, &seconds[0][i], &report));
    OAK_TRY(write_rhs(sim, warm, 1 + i));
    OAK_TRY(time_solution(warm, &seconds[1][i], &report));
    r->nwarm = report.cycles;
  }
  r->cold = oak_bench_median(seconds[0], SOLUTIONS);
  r->warm = oak_bench_median(seconds[1], SOLUTIONS);
  return OAK_OK;
}

static void print_result(const char *name, const result_t *r) {
  const double ns = 1e9 / r->cells, mega = 1e-6 * r->cells;
  printf("%-14s %8.2f  %4d %8.2f %7.1f %8.2f  %4d %8.2f %7.1f %8.2f  %6.1f\n", name, ns * r->stage,
         r->ncold, ns * r->cold / r->ncold, r->cold / r->stage, mega / r->cold, r->nwarm,
         ns * r->warm / r->nwarm, r->warm / r->stage, mega / r->warm, r->factor);
}

static oak_status_t measure(oak_t *sim, int c, const char *name, int rank) {
  oak_solver_options_t options = {.a = 1, .tolerance = tolerance, .max_cycles = 50};
  oak_solver_t *cold = NULL, *warm = NULL;
  result_t r = {0};
  OAK_TRY(oak_bench_start(sim, c));
  OAK_TRY(time_stage(sim, c, &r.stage));
  oak_status_t st = oak_solver_new(sim, &options, &cold);
  options.warm = 1;
  if (st == OAK_OK) st = oak_solver_new(sim, &options, &warm);
  r.cells = oak_bench_cells(sim);
  if (st == OAK_OK) st = time_solutions(sim, cold, warm, &r);
  if (st == OAK_OK && rank == 0) print_result(name, &r);
  oak_solver_destroy(&warm);
  oak_solver_destroy(&cold);
  fflush(stdout);
  return st;
}

/* The uniform mesh of so many cells per axis, or with 0 the adaptive one. */
static oak_status_t run_case(const choice_t *b, int side, int rank) {
  const int c = side ? BENCH_UNIFORM16 : BENCH_AMR16;
  oak_params_t *params;
  oak_t *sim;
  char key[2][40], name[40] = "levels 2 to 4";
  const char *const list[] = {key[0], key[1], NULL};
  int level = 0;
  while (16 << level < side) level++;
  snprintf(key[0], sizeof key[0], "mesh.min_level=%d", level);
  snprintf(key[1], sizeof key[1], "mesh.max_level=%d", level);
  if (side) snprintf(name, sizeof name, "%d^3", side);
  oak_status_t st = oak_bench_create(c, side ? list : NULL, b->key, b->nkey, &params, &sim);
  if (st == OAK_OK) st = measure(sim, c, name, rank);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  return st;
}

/* The meshes: numbers of cells along an axis, with commas. */
static oak_status_t read_sides(choice_t *b, const char *text) {
  const char *at = text;
  for (b->nside = 0; *at && b->nside < MOST_SIDES; at += *at == ',') {
    char *end;
    const long side = strtol(at, &end, 10);
    OAK_CHECK((!*end || *end == ',') && side >= 32 && side <= 4096 && !(side & (side - 1)),
              OAK_ERR_INPUT,
              "oak bench --elliptic: --side %s: must be a power of 2 from 32 to 4096, or several "
              "with commas",
              text);
    b->side[b->nside++] = (int)side;
    at = end;
  }
  OAK_CHECK(!*at, OAK_ERR_INPUT, "oak bench --elliptic: more than %d meshes", MOST_SIDES);
  return OAK_OK;
}

static oak_status_t bench_elliptic(oak_arguments_t *a) {
  const int rank = a->rank;
  choice_t b = {.side = {64, 128, 0}, .nside = 3, .key = a->word, .nkey = a->nword};
  a->code = 2;
  if (a->option[0]) OAK_TRY(read_sides(&b, a->option[0]));
  a->code = 0;
  if (rank == 0)
    printf("%-14s %8s  %30s  %30s  %6s\n%-14s %8s  %4s %8s %7s %8s  %4s %8s %7s %8s  %6s\n", "",
           "stage", "from zero", "warm", "", "mesh", "ns/cell", "n", "ns/cycle", "stages",
           "Mcell/s", "n", "ns/cycle", "stages", "Mcell/s", "factor");
  for (int i = 0; i < b.nside; i++) OAK_TRY(run_case(&b, b.side[i], rank));
  return OAK_OK;
}

static const oak_option_t options[] = {{"--side", "LIST",
                                        "instead of the three meshes, measure uniform meshes with "
                                        "these numbers of cells along each axis: "
                                        "powers of 2 from 32 on, such as 64,128"},
                                       {NULL, NULL, NULL}};

const oak_command_t oak_bench_elliptic = {
    .name = "bench --elliptic",
    .usage = "[--side LIST] [section.key=value ...]",
    .help =
        "Solves Poisson's equation by multigrid to a residual of 1e-9 on three meshes of blocks\n"
        "of 16^3: 64^3 and 128^3 cells, and one with levels 2 to 4. A stage of the hydrodynamics\n"
        "(Rayleigh-Taylor, van Leer, HLL) on the same mesh in the same run is the unit of time.\n"
        "\n"
        "The columns are: nanoseconds per cell of a stage; for a solution from zero and for one\n"
        "that starts from the solution of the previous step the number n of V-cycles, nanoseconds\n"
        "per cell and cycle, the time in stages, and million cells per second; the factor by\n"
        "which a V-cycle reduces the residual.\n",
    .option = options,
    .most = OAK_ANY_NUMBER,
    .run = bench_elliptic};
