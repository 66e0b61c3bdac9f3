/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernels of a run, their parameters on the device. */
#include <stdlib.h>
#include <string.h>

#include "solver/step/sim.h"

static int has_functions(const oak_t *sim) {
  int any = 0;
  for (int n = 0; n < sim->fields.count; n++) any |= sim->fields.field[n].function != NULL;
  return any;
}

typedef struct {
  const char *part[32];
  int time[32], count;
} file_list_t;

/* Kernels of the same file follow each other in the table. */
static void add_kernel(file_list_t *list, const char *file, int time) {
  if (!list->count || strcmp(list->part[list->count - 1], file) != 0) {
    list->part[list->count] = file;
    list->time[list->count++] = 0;
  }
  list->time[list->count - 1] += time;
}

oak_status_t oak_sim_build(oak_t *sim) {
  file_list_t list = {.count = 0};
#define OAK_ADD_KERNEL(name, file, time, condition) \
  if (condition) add_kernel(&list, "kernels/" file, time);
  OAK_KERNEL_TABLE(OAK_ADD_KERNEL)
#undef OAK_ADD_KERNEL
  OAK_TRY(oak_sim_build_files(sim, "kernels", list.part, list.time, list.count, NULL,
                              &sim->modules.own));
  oak_status_t st = OAK_OK;
#define OAK_GET_KERNEL(name, file, time, condition) \
  if (st == OAK_OK && (condition))                  \
    st = oak_device_kernel(sim->dev, sim->modules.own, "oak_" #name, &sim->kernel.name);
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
