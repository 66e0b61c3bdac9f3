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
  const int most = sizeof sim->modules.extra / sizeof *sim->modules.extra;
  static const char *const header[] = {"kernels/user.h", "numerics/riemann.h"};
  char *full;
  OAK_CHECK(sim->modules.nextra < most, OAK_ERR_ARGUMENT,
            "more than %d kernels of the caller's own", most);
  oak_status_t st = oak_agree(sim->comm, resolve(path, &full));
  if (st == OAK_OK)
    st = oak_sim_build_files(sim, name, header, NULL, 2, full,
                             &sim->modules.extra[sim->modules.nextra]);
  free(full);
  OAK_TRY(st);
  oak_module_t *module = sim->modules.extra[sim->modules.nextra++];
  return oak_agree(sim->comm, oak_device_kernel(sim->dev, module, name, out));
}

oak_status_t oak_kernel_run(oak_t *sim, oak_kernel_t *kernel, void *args, size_t bytes) {
  OAK_CHECK(bytes >= sizeof(oak_field_t), OAK_ERR_ARGUMENT,
            "arguments of %zu bytes: the structure must start with an oak_field_t, which has %zu",
            bytes, sizeof(oak_field_t));
  oak_sim_field(sim, 0, sim->clock.time, args);
  sim->rates.doubted = 1;
  OAK_TRY(oak_device_launch(sim->dev, kernel, sim->mesh->nblock, args, bytes));
  return oak_device_sync(sim->dev);
}
