/* SPDX-License-Identifier: GPL-2.0-or-later
 * Shared by the numerical tests of the solver: simulations from lines "key=value", reductions over
 * ranks, one line of output per measured number.
 *
 * A rank that fails alone would leave the others waiting. Assertions therefore look at numbers
 * that are the same on all ranks. MUST ends the whole run. */
#ifndef OAK_SOLVER_TEST_H
#define OAK_SOLVER_TEST_H

#include <math.h>

#include "main_test.h"
#include "oak.h"

/* A problem of the tests; @ stands for test_folder(). */
#define TEST_PROBLEM(name) "problem.name=@/problems/" name ".c\n"

enum { TEST_MAX_NVAR = 12 };

static inline void test_must(oak_status_t status, const char *call, int line) {
  if (status == OAK_OK) return;
  fprintf(stderr, "%s: line %d, rank %d: %s: %s: %s\n", test_name, line, test_rank, call,
          oak_status_text(status), oak_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define MUST(call) test_must((call), #call, __LINE__)

/** The folder with the sources of the tests: $OAK_TEST_FOLDER, or where they were built. */
static inline const char *test_folder(void) {
  const char *folder = getenv("OAK_TEST_FOLDER");
  return folder && folder[0] ? folder : OAK_TEST_FOLDER;
}

/** Assign a line "key=value". A value that starts with @/ is a path in test_folder(). */
static inline oak_status_t test_assign(oak_params_t *params, const char *line) {
  char full[4096];
  const char *at = strstr(line, "=@/");
  if (!at) return oak_params_assign(params, line, "test");
  snprintf(full, sizeof full, "%.*s%s%s", (int)(at + 1 - line), line, test_folder(), at + 2);
  return oak_params_assign(params, full, "test");
}

/** $OAK_TEST_SHORT: one case of each kind, for `make test`, devices, transports and sanitizers.
 * Compiling kernels takes seconds. All cases run on the CPU in `make test-all`. */
static inline int test_short(void) {
  const char *value = getenv("OAK_TEST_SHORT");
  return value && value[0] && strcmp(value, "0") != 0;
}

/** The step of a loop over cases, of which a short test takes the first and the last one. */
static inline int test_stride(int cases) { return test_short() && cases > 1 ? cases - 1 : 1; }

/** $OAK_TEST_LONG: all combinations and more steps (`make test-long`). */
static inline int test_long(void) {
  const char *value = getenv("OAK_TEST_LONG");
  return value && value[0] && strcmp(value, "0") != 0;
}

/** Numbers of the axes that a mesh has, for its keys: test_axes(2, 4, 1, 1).text is "4 1". */
typedef struct {
  char text[96];
} test_axes_t;
static inline test_axes_t test_axes(int dim, double x, double y, double z) {
  test_axes_t axes;
  const int length = snprintf(axes.text, sizeof axes.text, "%.17g %.17g", x, y);
  if (dim == 3) snprintf(axes.text + length, sizeof axes.text - (size_t)length, " %.17g", z);
  return axes;
}

/** Whether the device of the test takes these settings: openacc refuses fluxes in single
 * precision. */
static inline int test_takes(const char *settings) {
  const char *device = getenv("OAK_TEST_DEVICE");
  return !device || strcmp(device, "openacc") != 0 || !strstr(settings, "single_fluxes");
}

/* ---- simulations */

typedef struct {
  MPI_Comm comm;
  oak_params_t *params;
  oak_t *sim;
  int dim, n, nvar, layers; /* n: cells of a block along x */
  int size[3];              /* along each axis */
  int cells;                /* of a block */
} sim_t;

static inline oak_status_t try_new(sim_t *s, MPI_Comm comm, const char *format, va_list args) {
  const char *device = getenv("OAK_TEST_DEVICE"), *transport = getenv("OAK_TEST_TRANSPORT");
  char text[4096], *next = text;
  const int head =
      snprintf(text, sizeof text,
               "device.name=%s\ndevice.transport=%s\ndevice.threads=1\nrefine.criterion=none\n",
               device && device[0] ? device : "auto", transport && *transport ? transport : "auto");
  vsnprintf(text + head, sizeof text - (size_t)head, format, args);
  *s = (sim_t){.comm = comm};
  MUST(oak_params_new(&s->params));
  for (char *line = text; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    if (*line) OAK_TRY(test_assign(s->params, line));
  }
  OAK_TRY(oak_create(comm, s->params, &s->sim));
  s->dim = oak_dim(s->sim);
  oak_block_shape(s->sim, s->size);
  s->n = s->size[0];
  s->nvar = oak_nvar(s->sim);
  s->layers = oak_ghost_layers(s->sim);
  s->cells = s->size[0] * s->size[1] * s->size[2];
  return OAK_OK;
}

/** A simulation from lines "key=value"; later lines win. Defaults: one thread, a static mesh,
 * the device $OAK_TEST_DEVICE and the transport $OAK_TEST_TRANSPORT ("auto" if unset). */
__attribute__((format(printf, 2, 3))) static inline sim_t sim_new(MPI_Comm comm, const char *format,
                                                                  ...) {
  sim_t s;
  va_list args;
  va_start(args, format);
  MUST(try_new(&s, comm, format, args));
  va_end(args);
  return s;
}

static inline void sim_free(sim_t *s) {
  oak_destroy(&s->sim);
  oak_params_destroy(&s->params);
}

/** Values of one variable in the blocks of this rank, [nblock][cells]; the caller frees them. */
static inline double *sim_read(const sim_t *s, int variable) {
  const int n = oak_nblocks(s->sim);
  double *out = malloc(((size_t)n * s->cells + 1) * sizeof *out);
  if (!out) abort();
  MUST(oak_read_cells(s->sim, variable, 0, n, out));
  return out;
}

/** Centre of cell c of a block, as hooks get it; coordinates beyond the dimension are 0. */
static inline void sim_center(const sim_t *s, int block, int c, double x[3]) {
  double origin[3], dx[3];
  const int *n = s->size, at[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < 3; d++) x[d] = d < s->dim ? origin[d] + (at[d] + 0.5) * dx[d] : 0;
  if (!strcmp(oak_params_text(s->params, "mesh.radius"), "logarithmic")) x[0] = exp(x[0]);
}

static inline double sim_volume(const sim_t *s, int block) {
  double origin[3], dx[3], volume = 1;
  oak_block_geometry(s->sim, block, origin, dx);
  for (int d = 0; d < s->dim; d++) volume *= dx[d];
  return volume;
}

/** Take time steps until `end`; the last one is shortened. Adapt the mesh after every so many
 * steps (0: never). */
static inline void sim_run(sim_t *s, double end, int adapt_every) {
  while (end - oak_time(s->sim) > 1e-14 * end) {
    const double dt = fmin(oak_time_step(s->sim), end - oak_time(s->sim));
    MUST(oak_advance(s->sim, dt));
    if (adapt_every && oak_step(s->sim) % adapt_every == 0)
      MUST(oak_adjust_refinement(s->sim, NULL));
  }
}

/** Lowest and highest level in use, on all ranks. */
static inline void sim_levels(const sim_t *s, int *lowest, int *highest) {
  int most[2] = {-100, -100};
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    const int level = oak_block_level(s->sim, b);
    if (-level > most[0]) most[0] = -level;
    if (level > most[1]) most[1] = level;
  }
  MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_INT, MPI_MAX, s->comm);
  *lowest = -most[0];
  *highest = most[1];
}

/** A path for a checkpoint in a new folder, the same on all ranks; test_remove removes both. */
static inline const char *test_new_file(void) {
  static char path[64];
  char name[] = "/tmp/oak_test_XXXXXX";
  if (test_rank == 0) {
    if (!mkdtemp(name)) abort();
    snprintf(path, sizeof path, "%s/chk.oak", name);
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

static inline void test_remove(const char *path) {
  char folder[64];
  MPI_Barrier(MPI_COMM_WORLD); /* ranks that read it by themselves have done so */
  snprintf(folder, sizeof folder, "%s", path);
  *strrchr(folder, '/') = 0;
  if (test_rank == 0 && (remove(path) != 0 || rmdir(folder) != 0)) perror(path);
}

/* ---- reductions */

static inline double sum_ranks(MPI_Comm comm, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, comm);
  return x;
}

/** A number that looks random, from another one. */
static inline uint32_t mix_bits(uint32_t x) {
  x *= 2654435761u;
  x = (x ^ x >> 15) * 2246822519u;
  return x ^ x >> 13;
}

/** The larger one; NaN if one is NaN. */
static inline double worse(double a, double b) { return !(a >= b) || isnan(b) ? b : a; }

/** The largest; infinite if one is NaN, so that no bound holds. */
static inline double max_ranks(MPI_Comm comm, double x) {
  if (isnan(x)) x = INFINITY;
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, comm);
  return x;
}

static inline int64_t sum_ranks_int(MPI_Comm comm, int64_t x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_INT64_T, MPI_SUM, comm);
  return x;
}

#endif
