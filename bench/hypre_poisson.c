/* SPDX-License-Identifier: GPL-2.0-or-later
 * Poisson's equation on a uniform mesh, by oak and by the structured multigrid solvers of HYPRE
 * (libhypre-dev). They run one after the other, several times. Both have the same seven-point
 * matrix: the unit cube with u = 0 on its faces, cell-centred. No part of the build;
 * bench/hypre_poisson.sh compiles and runs it.
 *
 *   hypre_poisson CELLS [REPEATS]     CELLS along each axis: 32, 64, 128, ...
 *
 * Times are those of the processor, so other processes disturb them little. Both begin from zero
 * and stop at a residual of 1e-9: oak in its largest value, HYPRE in its mean square, relative to
 * those of the right-hand side. The table has the largest residual of each final solution, computed
 * afterwards. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <HYPRE_struct_ls.h>
#include <oak.h>

enum { OAK, PFMG, PFMG_CG, SMG, METHODS };
static const char *const name[METHODS] = {"oak", "HYPRE PFMG", "HYPRE CG + PFMG", "HYPRE SMG"};
static const double tolerance = 1e-9;

static int side;  /* cells along an axis */
static double *f; /* [side^3], x fastest */
static double *u; /* a solution, of the same shape */

typedef struct {
  double setup, solve, residual, difference;
  int cycles;
} result_t;

static void must(int good, const char *what) {
  if (good) return;
  fprintf(stderr, "hypre_poisson: %s: %s\n", what, oak_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long place(int i, int j, int k) { return i + (long)side * (j + (long)side * k); }

/* A blob off centre, with finer ripples, so that all wavelengths are there. */
static void fill(void) {
  for (int k = 0; k < side; k++)
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) {
        const double x = (i + 0.5) / side, y = (j + 0.5) / side, z = (k + 0.5) / side;
        const double r2 = pow(x - 0.4, 2) + pow(y - 0.55, 2) + pow(z - 0.5, 2);
        f[place(i, j, k)] = exp(-60 * r2) + 0.1 * sin(40 * x) * cos(31 * y) * sin(53 * z);
      }
}

/* Largest |f - A u| over the largest |f|. */
static double residual(void) {
  const double w = (double)side * side;
  double most = 0, scale = 0;
  for (int k = 0; k < side; k++)
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) {
        const double c = u[place(i, j, k)];
        double sum = 0;
        sum += (i > 0 ? u[place(i - 1, j, k)] : -c) + (i < side - 1 ? u[place(i + 1, j, k)] : -c);
        sum += (j > 0 ? u[place(i, j - 1, k)] : -c) + (j < side - 1 ? u[place(i, j + 1, k)] : -c);
        sum += (k > 0 ? u[place(i, j, k - 1)] : -c) + (k < side - 1 ? u[place(i, j, k + 1)] : -c);
        most = fmax(most, fabs(f[place(i, j, k)] - w * (sum - 6 * c)));
        scale = fmax(scale, fabs(f[place(i, j, k)]));
      }
  return most / scale;
}

/* ---- oak */

/* Copy values between arrays and blocks; 1: to the blocks. */
static void copy_blocks(oak_t *sim, double *cells, double *all, int to) {
  const int n = oak_block_size(sim);
  for (int b = 0; b < oak_nblocks(sim); b++) {
    double origin[3], dx[3];
    int first[3];
    oak_block_geometry(sim, b, origin, dx);
    for (int d = 0; d < 3; d++) first[d] = (int)lround(origin[d] / dx[d]);
    for (int c = 0; c < n * n * n; c++) {
      double *one = &cells[(size_t)b * n * n * n + c];
      double *other = &all[place(first[0] + c % n, first[1] + c / n % n, first[2] + c / (n * n))];
      if (to)
        *one = *other;
      else
        *other = *one;
    }
  }
}

static oak_t *new_mesh(oak_params_t **params) {
  char text[64];
  const char *const lines[] = {
      "physics.name=advection", "problem.name=advection", "mesh.dim=3",
      "mesh.block_size=16",     "device.name=cpu",        "device.threads=1",
      "refine.criterion=none",  "boundary.xlow=outflow",  "boundary.xhigh=outflow",
      "boundary.ylow=outflow",  "boundary.yhigh=outflow", "boundary.zlow=outflow",
      "boundary.zhigh=outflow"};
  oak_t *sim;
  int level = 0;
  while (16 << level < side) level++;
  must(16 << level == side, "the number of cells must be 16 times a power of 2");
  must(oak_params_new(params) == OAK_OK, "parameters");
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    must(oak_params_assign(*params, lines[i], "here") == OAK_OK, lines[i]);
  snprintf(text, sizeof text, "mesh.min_level=%d", level);
  must(oak_params_assign(*params, text, "here") == OAK_OK, text);
  snprintf(text, sizeof text, "mesh.max_level=%d", level);
  must(oak_params_assign(*params, text, "here") == OAK_OK, text);
  must(oak_create(MPI_COMM_WORLD, *params, &sim) == OAK_OK, "oak_create");
  must(oak_initialize(sim) == OAK_OK, "oak_initialize");
  return sim;
}

static void run_oak(oak_t *sim, result_t *out) {
  const oak_solver_options_t options = {.a = 1, .tolerance = tolerance, .max_cycles = 50};
  oak_solver_report_t report;
  oak_solver_t *solver;
  double *cells = malloc((size_t)side * side * side * sizeof *cells);
  copy_blocks(sim, cells, f, 1);
  const double start = now();
  must(oak_solver_new(sim, &options, &solver) == OAK_OK, "oak_solver_new");
  must(oak_solver_write(solver, OAK_SOLVER_RHS, 0, oak_nblocks(sim), cells) == OAK_OK, "write");
  out->setup = now() - start;
  must(oak_solve(solver, &report) == OAK_OK, "oak_solve");
  out->solve = now() - start - out->setup;
  out->cycles = report.cycles;
  must(oak_solver_read(solver, OAK_SOLVER_SOLUTION, 0, oak_nblocks(sim), cells) == OAK_OK, "read");
  copy_blocks(sim, cells, u, 0);
  oak_solver_destroy(&solver);
  free(cells);
}

/* ---- HYPRE: A is minus the Laplacian, so that it is positive */

static HYPRE_StructGrid grid;
static HYPRE_StructMatrix A;
static HYPRE_StructVector b, x;

static void assemble(void) {
  int low[3] = {0, 0, 0}, high[3] = {side - 1, side - 1, side - 1};
  int offset[4][3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, entry[4] = {0, 1, 2, 3};
  const double w = (double)side * side;
  const long cells = (long)side * side * side;
  HYPRE_StructStencil stencil;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, low, high);
  HYPRE_StructGridAssemble(grid);
  HYPRE_StructStencilCreate(3, 4, &stencil);
  for (int e = 0; e < 4; e++) HYPRE_StructStencilSetElement(stencil, e, offset[e]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &A);
  HYPRE_StructMatrixSetSymmetric(A, 1);
  HYPRE_StructMatrixInitialize(A);
  double *values = malloc(4 * cells * sizeof *values);
  for (long c = 0; c < cells; c++) {
    const int at[3] = {(int)(c % side), (int)(c / side % side), (int)(c / ((long)side * side))};
    values[4 * c] = 6 * w;
    for (int d = 0; d < 3; d++) {
      values[4 * c] += w * ((at[d] == 0) + (at[d] == side - 1));
      values[4 * c + 1 + d] = at[d] == 0 ? 0 : -w;
    }
  }
  HYPRE_StructMatrixSetBoxValues(A, low, high, 4, entry, values);
  HYPRE_StructMatrixAssemble(A);
  for (long c = 0; c < cells; c++) values[c] = -f[c];
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &b);
  HYPRE_StructVectorInitialize(b);
  HYPRE_StructVectorSetBoxValues(b, low, high, values);
  HYPRE_StructVectorAssemble(b);
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &x);
  HYPRE_StructVectorInitialize(x);
  HYPRE_StructVectorAssemble(x);
  HYPRE_StructStencilDestroy(stencil);
  free(values);
}

/* PFMG with red-black Gauss-Seidel and the cheaper coarse matrices, as its manual advises. */
static void new_pfmg(HYPRE_StructSolver *s, int most, double stop) {
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, s);
  HYPRE_StructPFMGSetMaxIter(*s, most);
  HYPRE_StructPFMGSetTol(*s, stop);
  HYPRE_StructPFMGSetRelaxType(*s, 2);
  HYPRE_StructPFMGSetRAPType(*s, 1);
  HYPRE_StructPFMGSetNumPreRelax(*s, 1);
  HYPRE_StructPFMGSetNumPostRelax(*s, 1);
}

static void run_hypre(int method, result_t *out) {
  int low[3] = {0, 0, 0}, high[3] = {side - 1, side - 1, side - 1};
  HYPRE_StructSolver s, pre;
  HYPRE_StructVectorSetConstantValues(x, 0);
  const double start = now();
  if (method == PFMG) {
    new_pfmg(&s, 50, tolerance);
    HYPRE_StructPFMGSetup(s, A, b, x);
  } else if (method == SMG) {
    HYPRE_StructSMGCreate(MPI_COMM_WORLD, &s);
    HYPRE_StructSMGSetTol(s, tolerance);
    HYPRE_StructSMGSetMaxIter(s, 50);
    HYPRE_StructSMGSetup(s, A, b, x);
  } else {
    HYPRE_StructPCGCreate(MPI_COMM_WORLD, &s);
    HYPRE_StructPCGSetTol(s, tolerance);
    HYPRE_StructPCGSetMaxIter(s, 50);
    HYPRE_StructPCGSetTwoNorm(s, 1);
    new_pfmg(&pre, 1, 0);
    HYPRE_StructPFMGSetZeroGuess(pre);
    HYPRE_StructPCGSetPrecond(s, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, pre);
    HYPRE_StructPCGSetup(s, A, b, x);
  }
  out->setup = now() - start;
  if (method == PFMG) {
    HYPRE_StructPFMGSolve(s, A, b, x);
    HYPRE_StructPFMGGetNumIterations(s, &out->cycles);
  } else if (method == SMG) {
    HYPRE_StructSMGSolve(s, A, b, x);
    HYPRE_StructSMGGetNumIterations(s, &out->cycles);
  } else {
    HYPRE_StructPCGSolve(s, A, b, x);
    HYPRE_StructPCGGetNumIterations(s, &out->cycles);
  }
  out->solve = now() - start - out->setup;
  HYPRE_StructVectorGetBoxValues(x, low, high, u);
  if (method == PFMG) HYPRE_StructPFMGDestroy(s);
  if (method == SMG) HYPRE_StructSMGDestroy(s);
  if (method == PFMG_CG) {
    HYPRE_StructPCGDestroy(s);
    HYPRE_StructPFMGDestroy(pre);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  side = argc > 1 ? atoi(argv[1]) : 64;
  const int repeats = argc > 2 ? atoi(argv[2]) : 3;
  const size_t cells = (size_t)side * side * side;
  result_t best[METHODS];
  oak_params_t *params;
  f = malloc(cells * sizeof *f);
  u = malloc(cells * sizeof *u);
  double *first = malloc(cells * sizeof *first);
  must(f && u && first, "out of memory");
  fill();
  oak_t *sim = new_mesh(&params);
  assemble();
  for (int n = 0; n < repeats; n++)
    for (int m = 0; m < METHODS; m++) {
      result_t r = {0};
      if (m == OAK)
        run_oak(sim, &r);
      else
        run_hypre(m, &r);
      r.residual = residual();
      if (m == OAK) memcpy(first, u, cells * sizeof *u);
      for (size_t i = 0; i < cells; i++) r.difference = fmax(r.difference, fabs(u[i] - first[i]));
      if (n == 0 || r.solve < best[m].solve) best[m] = r;
    }
  printf("%d^3 cells, the fastest of %d runs on one core, oak %s, HYPRE %s\n", side, repeats,
         OAK_VERSION, HYPRE_RELEASE_VERSION);
  printf("%-16s %9s %9s %9s %8s %7s %10s %12s\n", "", "setup s", "solve s", "ns/cell", "to oak",
         "cycles", "residual", "difference");
  for (int m = 0; m < METHODS; m++)
    printf("%-16s %9.3f %9.3f %9.1f %8.2f %7d %10.1e %12.1e\n", name[m], best[m].setup,
           best[m].solve, 1e9 * best[m].solve / (double)cells, best[m].solve / best[OAK].solve,
           best[m].cycles, best[m].residual, best[m].difference);
  HYPRE_StructVectorDestroy(x);
  HYPRE_StructVectorDestroy(b);
  HYPRE_StructMatrixDestroy(A);
  HYPRE_StructGridDestroy(grid);
  oak_destroy(&sim);
  oak_params_destroy(&params);
  free(f);
  free(u);
  free(first);
  MPI_Finalize();
  return 0;
}
