/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernels of a run, their parameters on the device. */
#include <stdlib.h>
#include <string.h>

#include "solver/step/sim.h"

/* What follows the problem: headers and kernels. */
static const char *const kernel_parts[] = {
    "kernels/user.h",      "numerics/riemann.h",   "kernels/flux_common.h", "kernels/cell_flux.h",
    "kernels/flux_tile.h", "kernels/flux_faces.h", "kernels/flux.c",        "kernels/flux_cells.c",
    "kernels/halo.c",      "kernels/adapt.c",      "kernels/refine.c",      "kernels/fluxfix.c",
    "kernels/initial.c",   "kernels/read.c"};
enum { NKERNEL_PARTS = sizeof kernel_parts / sizeof *kernel_parts };

static int has_functions(const oak_t *sim) {
  int any = 0;
  for (int n = 0; n < sim->fields.count; n++) any |= sim->fields.field[n].function != NULL;
  return any;
}

/* Kernels that not every run has. */
static int has_kernel(const oak_t *sim, const char *name) {
  if (!strcmp(name, "initial")) return sim->description.has.problem_initial;
  if (!strcmp(name, "floor")) return sim->method.floors;
  if (!strcmp(name, "update")) return oak_has_update(sim);
  if (!strcmp(name, "globals")) return sim->description.nglobal > 0;
  if (!strcmp(name, "poisson_coefficients")) return oak_poisson_has_coefficients(sim);
  if (!strcmp(name, "poisson_boundary")) return oak_poisson_has_boundary(sim);
  if (!strncmp(name, "poisson", 7)) return oak_poisson_wanted(sim);
  if (!strcmp(name, "set_field")) return has_functions(sim);
  if (!strcmp(name, "primitive") || !strncmp(name, "diffusi", 7)) return sim->diffusion.kind != 0;
  if (!strcmp(name, "rkl")) return sim->diffusion.kind == OAK_DIFFUSION_RKL2;
  if (!strcmp(name, "mark") || !strcmp(name, "mark_faces") || !strcmp(name, "repair"))
    return sim->method.first_order;
  return 1;
}

oak_status_t oak_sim_build(oak_t *sim) {
  const char *part[NKERNEL_PARTS + 6];
  int n = NKERNEL_PARTS;
  memcpy(part, kernel_parts, sizeof kernel_parts);
  if (sim->method.first_order) part[n++] = "kernels/repair.c";
  if (sim->method.floors) part[n++] = "kernels/floor.c";
  if (oak_has_update(sim) || sim->description.nglobal) part[n++] = "kernels/cells.c";
  if (has_functions(sim)) part[n++] = "kernels/fields.c";
  if (oak_poisson_wanted(sim)) part[n++] = "kernels/poisson.c";
  if (sim->diffusion.kind) part[n++] = "kernels/diffusion.c";
  OAK_TRY(oak_sim_build_module(sim, "kernels", part, n, NULL, &sim->modules.own));
  oak_status_t st = OAK_OK;
#define OAK_GET_KERNEL(k)                  \
  if (st == OAK_OK && has_kernel(sim, #k)) \
    st = oak_device_kernel(sim->dev, sim->modules.own, "oak_" #k, &sim->kernel.k);
  OAK_KERNEL_TABLE(OAK_GET_KERNEL)
#undef OAK_GET_KERNEL
  OAK_TRY(oak_agree(sim->comm, st));
  sim->exchange.kernel = sim->kernel.halo;
  return OAK_OK;
}

/* The structures of parameters of the physics and then of the problem. A structure without
 * parameters has one value, which is not used (oak_sim_hook_text). */
static void read_parameters(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  double *value = sim->user.value;
  for (int n = 0; n < d->nparameter; n++) {
    char key[256];
    snprintf(key, sizeof key, "%s.%s", d->parameter[n].section, d->parameter[n].name);
    value[d->parameter[n].slot + sim->user.first] = *d->parameter[n].choices
                                                        ? oak_params_choice(sim->params, key)
                                                        : oak_params_real(sim->params, key);
  }
}

static oak_status_t upload_values(oak_t *sim) {
  return oak_device_upload(sim->dev, sim->user.device, sim->user.value, sizeof sim->user.value);
}

oak_status_t oak_sim_upload_parameters(oak_t *sim) {
  sim->user.first =
      !sim->files.declared.count || sim->files.declared.parameter[0].owner == OAK_OF_PROBLEM;
  read_parameters(sim);
  OAK_TRY(oak_device_alloc(sim->dev, sizeof sim->user.value, &sim->user.device));
  return upload_values(sim);
}

oak_status_t oak_sim_change_parameters(oak_t *sim) {
  read_parameters(sim);
  return upload_values(sim);
}

oak_status_t oak_sim_upload_globals(oak_t *sim, const double *value) {
  for (int g = 0; g < sim->description.nglobal; g++)
    sim->user.value[sim->description.global_slot[g] + sim->user.first] = value[g];
  return oak_device_upload(sim->dev, sim->user.device, sim->user.value, sizeof sim->user.value);
}

void oak_sim_unload(oak_t *sim) {
  for (int i = 0; i < sim->modules.nextra; i++) oak_device_unload(sim->dev, &sim->modules.extra[i]);
  if (sim->modules.own) oak_device_unload(sim->dev, &sim->modules.own);
  if (sim->derived.module) oak_device_unload(sim->dev, &sim->derived.module);
  if (sim->trace.module) oak_device_unload(sim->dev, &sim->trace.module);
  oak_device_free(sim->dev, sim->user.device);
}
