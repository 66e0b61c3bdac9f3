/* SPDX-License-Identifier: GPL-2.0-or-later
 * A program of one's own on top of oak: an implosion in a box, with parameters, a time loop, output
 * and a diagnostic kernel that oak run does not have. The README beside it shows how to build and
 * run it. */
#include <math.h>
#include <oak.h>
#include <stdio.h>
#include <stdlib.h>

#include "mach.h"

#ifndef MACH_KERNEL
#define MACH_KERNEL "mach.c"
#endif

/* Keys of this program, in a section of its own. They are checked like all others. */
static const oak_param_desc_t own_keys[] = {
    {.key = "mach.every",
     .type = OAK_PARAM_INT,
     .fallback = "200",
     .min = 1,
     .max = 1e6,
     .unit = "steps",
     .help = "Steps between lines of the table."},
    {.key = "mach.kernel",
     .type = OAK_PARAM_TEXT,
     .fallback = MACH_KERNEL,
     .help = "File of the kernel."},
};

/* What this run has in place of a parameter file; the command line wins over it. */
static const char *const settings[][2] = {
    {"problem.name", "implosion"}, {"physics.gamma", "1.4"},     {"mesh.xmax", "0.3"},
    {"mesh.min_level", "1"},       {"mesh.max_level", "3"},      {"boundary.xlow", "reflect"},
    {"boundary.xhigh", "reflect"}, {"boundary.ylow", "reflect"}, {"boundary.yhigh", "reflect"},
    {"run.end_time", "0.5"},       {"run.cfl", "0.4"},           {"output.folder", "output/mach"},
};

static oak_status_t read_settings(oak_params_t *params, int argc, char **argv) {
  OAK_TRY(oak_params_declare(params, own_keys, sizeof own_keys / sizeof *own_keys));
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    OAK_TRY(oak_params_set(params, settings[i][0], settings[i][1]));
  for (int i = 1; i < argc; i++) OAK_TRY(oak_params_assign(params, argv[i], "command line"));
  return OAK_OK;
}

/* The largest Mach number of all blocks. Ranks may hold different numbers of blocks, or none. */
static oak_status_t largest_mach(oak_t *sim, oak_kernel_t *kernel, double *mach) {
  const int n = oak_nblocks(sim);
  const size_t bytes = n * sizeof(double);
  double *each = malloc(bytes + 1);
  void *memory = NULL; /* the mesh changes, so the array is made anew; oak keeps nothing of it */
  oak_status_t st = each ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "no memory for %d numbers", n);
  if (st == OAK_OK) st = oak_device_alloc(oak_device(sim), bytes, &memory);
  mach_args_t args = {.mach = memory};
  if (st == OAK_OK) st = oak_kernel_run(sim, kernel, &args, sizeof args);
  if (st == OAK_OK) st = oak_device_download(oak_device(sim), each, memory, bytes);
  *mach = 0;
  for (int b = 0; b < n && st == OAK_OK; b++) *mach = fmax(*mach, each[b]);
  oak_device_free(oak_device(sim), memory);
  free(each);
  OAK_TRY(oak_agree(MPI_COMM_WORLD, st)); /* what one rank alone can fail at, all must know of */
  MPI_Allreduce(MPI_IN_PLACE, mach, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return OAK_OK;
}

static oak_status_t print_line(oak_t *sim, oak_kernel_t *kernel, double mass_before, FILE *out) {
  double mach, total[8];
  OAK_TRY(largest_mach(sim, kernel, &mach));
  OAK_TRY(oak_totals(sim, total));
  if (out)
    fprintf(out, "%6ld  %8.5f  %6lld  %12.10f  %10.2e\n", oak_step(sim), oak_time(sim),
            (long long)oak_nblocks_global(sim), mach, total[0] / mass_before - 1);
  return OAK_OK;
}

static oak_status_t simulate(oak_t *sim, const oak_params_t *params, FILE *out) {
  const double end_time = oak_params_real(params, "run.end_time");
  const int every = oak_params_int(params, "mach.every");
  char path[1024];
  oak_kernel_t *kernel;
  double total[8];
  OAK_TRY(oak_kernel_build(sim, oak_params_text(params, "mach.kernel"), "mach", &kernel));
  OAK_TRY(oak_initialize(sim));
  OAK_TRY(oak_totals(sim, total));
  if (out) fprintf(out, "  step      time  blocks  largest Mach  mass error\n");
  OAK_TRY(print_line(sim, kernel, total[0], out));
  while (oak_time(sim) < end_time) {
    OAK_TRY(oak_advance(sim, fmin(oak_time_step(sim), end_time - oak_time(sim))));
    if (oak_step(sim) % 4 == 0) OAK_TRY(oak_adjust_refinement(sim, NULL));
    if (oak_step(sim) % every == 0) OAK_TRY(print_line(sim, kernel, total[0], out));
  }
  OAK_TRY(print_line(sim, kernel, total[0], out));
  snprintf(path, sizeof path, "%s/plt%06ld", oak_params_text(params, "output.folder"),
           oak_step(sim));
  OAK_TRY(oak_write_grid(sim, path));
  if (out) fprintf(out, "wrote %s\n", path);
  snprintf(path, sizeof path, "%s/rho.png", oak_params_text(params, "output.folder"));
  OAK_TRY(oak_write_picture(sim, path));
  if (out) fprintf(out, "wrote %s\n", path);
  return OAK_OK;
}

int main(int argc, char **argv) {
  int rank;
  oak_params_t *params = NULL;
  oak_t *sim = NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  oak_status_t st = oak_params_new(&params);
  if (st == OAK_OK) st = read_settings(params, argc, argv);
  st = oak_agree(MPI_COMM_WORLD, st); /* all ranks fail, or none */
  if (st == OAK_OK) st = oak_create(MPI_COMM_WORLD, params, &sim);
  if (st == OAK_OK) st = simulate(sim, params, rank == 0 ? stdout : NULL);
  if (st != OAK_OK && rank == 0) fprintf(stderr, "mach: error: %s\n", oak_last_error());
  oak_destroy(&sim);
  oak_params_destroy(&params);
  MPI_Finalize();
  return st == OAK_OK ? 0 : 1;
}
