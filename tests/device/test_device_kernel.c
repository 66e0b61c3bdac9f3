/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel of a user on each device: that of examples/1_library finds the largest Mach number of
 * each block, as the cells do. A kernel in which one thread of a GPU would wait for the others for
 * ever does not compile there. */
// TEST np={1,2}
// TEST name=@test@_fake_lanes_np1 needs=lanes OAK_TEST_DEVICE=cuda OAK_FAKE_CUDA=lanes=1
// TEST name=@test@_fake_hip_lanes_np1 suite=all needs=lanes OAK_TEST_DEVICE=hip "OAK_FAKE_CUDA=lanes=1 wave=64"
// TEST name=openacc_@test@_np1 suite=all needs=openacc OAK_TEST_DEVICE=openacc "flags=-O1 -foffload=disable"
#include "../../examples/1_library/mach.h"
#include "folder_test.h"
#include "solver_test.h"

/** The largest Mach number of a block, from its cells. \a u: all variables of all blocks */
static double largest_mach(const sim_t *s, double *const u[], int block) {
  double most = 0;
  for (int c = block * s->cells; c < (block + 1) * s->cells; c++) {
    double momentum2 = 0;
    for (int d = 0; d < s->dim; d++) momentum2 += u[1 + d][c] * u[1 + d][c];
    const double pressure = 0.4 * (u[s->dim + 1][c] - 0.5 * momentum2 / u[0][c]);
    most = fmax(most, sqrt(momentum2 / (1.4 * pressure * u[0][c])));
  }
  return most;
}

static void compare(int dim, int size, const char *precision, double tolerance) {
  char path[4096];
  oak_kernel_t *kernel;
  mach_args_t args = {.mach = NULL};
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("waves") "mesh.dim=%d\nmesh.block_size=%d\nscheme.precision=%s\n"
                    "physics.name=euler\nmesh.min_level=1\nmesh.max_level=1\nphysics.gamma=1.4\n",
                    dim, size, precision);
  MUST(oak_initialize(s.sim));
  MUST(oak_advance(s.sim, oak_time_step(s.sim)));
  snprintf(path, sizeof path, "%s/../examples/1_library/mach.c", test_folder());
  MUST(oak_kernel_build(s.sim, path, "mach", &kernel));
  const int n = oak_nblocks(s.sim);
  double *mach = malloc(((size_t)n + 1) * sizeof *mach), *u[5], error = 0, most = 0;
  if (!mach) abort();
  MUST(oak_device_alloc(oak_device(s.sim), ((size_t)n + 1) * sizeof *mach, (void **)&args.mach));
  MUST(oak_kernel_run(s.sim, kernel, &args, sizeof args));
  MUST(oak_device_download(oak_device(s.sim), mach, args.mach, (size_t)n * sizeof *mach));
  for (int v = 0; v < s.nvar; v++) u[v] = sim_read(&s, v);
  for (int b = 0; b < n; b++) {
    const double right = largest_mach(&s, u, b);
    error = fmax(error, fabs(mach[b] - right));
    most = fmax(most, right);
  }
  for (int v = 0; v < s.nvar; v++) free(u[v]);
  free(mach);
  oak_device_free(oak_device(s.sim), args.mach);
  error = max_ranks(s.comm, error);
  most = max_ranks(s.comm, most);
  report("%dD, blocks of %d, %s: largest Mach number %.3f, error %.1e", dim, size, precision, most,
         error);
  assert_true(most > 0.1 && error < tolerance * most);
  sim_free(&s);
}

static void test_mach(void **state) {
  (void)state;
  compare(2, 8, "double", 1e-12);
  compare(3, 4, "double", 1e-12);
  compare(2, 16, "single", 1e-5);
}

static void test_one_thread(void **state) {
  (void)state;
  const char *const body[] = {"OAK_SERIAL { OAK_REDUCE_MAX(r, a, 8); }",
                              "OAK_SERIAL OAK_REDUCE_SUM(r, a, 8);", "OAK_SERIAL { OAK_BARRIER; }",
                              "OAK_SERIAL for (int i = 0; i < 2; i++) { OAK_BARRIER; }",
                              "OAK_REDUCE_MAX(r, a, 8); OAK_SERIAL a[0] = r; OAK_BARRIER;"};
  char text[512];
  oak_kernel_t *kernel;
  const char *device = getenv("OAK_TEST_DEVICE");
  const int gpu = device && (!strcmp(device, "cuda") || !strcmp(device, "hip"));
  sim_t s = sim_new(MPI_COMM_WORLD, "problem.name=implosion\nmesh.block_size=8\n");
  const size_t count = sizeof body / sizeof *body; /* the last one is right */
  for (size_t i = 0; i < count; i++) {
    snprintf(text, sizeof text,
             "typedef struct { oak_field_t f; } args_t;\n"
             "OAK_KERNEL(mine, args_t, 32) { OAK_ARGS(args_t); OAK_OUTER(n) {\n"
             "OAK_SHARED real a[8]; real r = 0; OAK_INNER(c, 8) a[c] = c; %s (void)r; } }\n",
             body[i]);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody reads the file any longer */
    if (test_rank == 0) write_file("kernel.c", text);
    MPI_Barrier(MPI_COMM_WORLD);
    const oak_status_t status = oak_kernel_build(s.sim, in_folder("kernel.c"), "mine", &kernel);
    if (!gpu || i == count - 1) {
      MUST(status);
      continue;
    }
    assert_int_equal(status, OAK_ERR_BUILD);
    if (i == 0) report("%s", oak_last_error());
    assert_non_null(strstr(oak_last_error(), "must stand outside OAK_SERIAL"));
  }
  sim_free(&s);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mach),
                                     cmocka_unit_test(test_one_thread)};
  return FOLDER_TEST_MAIN(tests);
}
