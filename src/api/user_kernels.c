/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kernels of the caller's own: built with the files of the run, and run over its blocks. */
#include <stdlib.h>
#include <unistd.h>

#include "solver/step/sim.h"

/* The full path of a kernel file, which the caller frees. */
static oak_status_t resolve(const char *path, char **full) {
  *full = NULL;
  OAK_CHECK(access(path, R_OK) == 0, OAK_ERR_INPUT, "kernel file %s: not found", path);
  *full = realpath(path, NULL);
  OAK_CHECK(*full, OAK_ERR_FILE, "cannot resolve the path %s", path);
  return OAK_OK;
}

oak_status_t oak_kernel_build(oak_t *sim, const char *path, const char *name, oak_kernel_t **out) {
  OAK_BEGIN(sim);
  const int most = sizeof sim->user.module / sizeof *sim->user.module;
  char *full;
  OAK_CHECK(sim->user.count < most, OAK_ERR_ARGUMENT, "more than %d kernels of the caller's own",
            most);
  oak_status_t st = oak_agree(sim->setup.comm, resolve(path, &full));
  const char *const file[] = {"kernels/hooks/user.h", "numerics/riemann.h", full};
  if (st == OAK_OK)
    st = oak_setup_build_files(&sim->setup, (oak_source_t){.name = name, .file = file, .nfile = 3},
                               &sim->user.module[sim->user.count]);
  free(full);
  OAK_TRY(st);
  oak_module_t *module = sim->user.module[sim->user.count++];
  return oak_agree(sim->setup.comm, oak_device_kernel(sim->setup.dev, module, name, out));
}

oak_status_t oak_kernel_run(oak_t *sim, oak_kernel_t *kernel, void *args, size_t bytes) {
  OAK_BEGIN_FITS(sim);
  OAK_CHECK(bytes >= sizeof(oak_field_t), OAK_ERR_ARGUMENT,
            "arguments of %zu bytes: the structure must start with an oak_field_t, which has %zu",
            bytes, sizeof(oak_field_t));
  oak_data_field(&sim->data, 0, sim->data.clock.time, args);
  oak_rates_doubt(sim);
  OAK_TRY(oak_device_launch(sim->setup.dev, kernel, sim->data.mesh->nblock, args, bytes));
  return oak_device_sync(sim->setup.dev);
}
