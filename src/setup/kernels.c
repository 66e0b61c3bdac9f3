/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernels of a run, their parameters on the device. */
#include <stdlib.h>
#include <string.h>

#include "setup/setup.h"

static int has_functions(const oak_setup_t *setup) {
  int any = 0;
  for (int n = 0; n < setup->fields.count; n++) any |= setup->fields.field[n].function != NULL;
  return any;
}

static int has_initial_faces(const oak_setup_t *setup) {
  return setup->fields.nvector && oak_has_hook(setup, "problem_initial");
}

static int has_face_levels(const oak_setup_t *setup) {
  return setup->fields.nvector && setup->refine.max_level > setup->refine.min_level;
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

/* Which module of setup->kernel.module has the kernels of a file: 1 if they compute fluxes, and if
 * these have another precision. */
static int module_of(const oak_setup_t *setup, const char *file) {
  return setup->bytes.flux != setup->bytes.real && !strcmp(file, "flux/flux.c");
}

oak_status_t oak_setup_build(oak_setup_t *setup) {
  static const char *const name[] = {"kernels", "fluxes"};
  file_list_t list[2] = {{.count = 0}};
#define OAK_ADD_KERNEL(name, file, time, condition) \
  if (condition) add_kernel(&list[module_of(setup, file)], "kernels/" file, time);
  OAK_KERNEL_TABLE(OAK_ADD_KERNEL)
#undef OAK_ADD_KERNEL
  for (int m = 0; m < 2; m++)
    if (list[m].count)
      OAK_TRY(oak_setup_build_files(
          setup,
          (oak_source_t){
              .name = name[m], .file = list[m].part, .nfile = list[m].count, .time = list[m].time},
          &setup->kernel.module[m]));
  oak_status_t st = OAK_OK;
#define OAK_GET_KERNEL(name, file, time, condition)                                                \
  if (st == OAK_OK && (condition))                                                                 \
    st = oak_device_kernel(setup->dev, setup->kernel.module[module_of(setup, file)], "oak_" #name, \
                           &setup->kernel.name);
  OAK_KERNEL_TABLE(OAK_GET_KERNEL)
#undef OAK_GET_KERNEL
  OAK_TRY(oak_agree(setup->comm, st));
  return OAK_OK;
}

/* The structures of parameters of the physics and then of the problem. A structure without
 * parameters has one value, which is not used (oak_setup_hook_text). */
static void read_parameters(oak_setup_t *setup) {
  const oak_description_t *d = &setup->description;
  double *value = setup->user.value;
  for (int n = 0; n < d->nparameter; n++) {
    const char *key = d->parameter[n].key;
    const int slot = d->parameter[n].slot;
    double *out = value + setup->files.declared.parameter[slot].place + setup->user.first;
    if (setup->files.declared.parameter[slot].kind == OAK_PARAMETER_ARRAY)
      oak_params_array(setup->params, key, setup->files.declared.parameter[slot].length, out);
    else
      *out = d->parameter[n].choice ? oak_params_choice(setup->params, key)
                                    : oak_params_real(setup->params, key);
  }
}

static oak_status_t upload_values(const oak_setup_t *setup) {
  return oak_device_upload(setup->dev, setup->user.device, setup->user.value,
                           sizeof setup->user.value);
}

oak_status_t oak_setup_upload_parameters(oak_setup_t *setup) {
  setup->user.first =
      !setup->files.declared.count || setup->files.declared.parameter[0].owner == OAK_OF_PROBLEM;
  OAK_TRY(oak_device_alloc(setup->dev, sizeof setup->user.value, &setup->user.device));
  return oak_setup_change_parameters(setup);
}

oak_status_t oak_setup_change_parameters(oak_setup_t *setup) {
  read_parameters(setup);
  return upload_values(setup);
}

oak_status_t oak_setup_upload_globals(oak_setup_t *setup, const double *value) {
  for (int g = 0; g < setup->description.nglobal; g++)
    setup->user.value[setup->files.declared.parameter[setup->description.global_slot[g]].place +
                      setup->user.first] = value[g];
  return upload_values(setup);
}

void oak_setup_unload(oak_setup_t *setup) {
  for (int m = 0; m < 2; m++)
    if (setup->kernel.module[m]) oak_device_unload(setup->dev, &setup->kernel.module[m]);
  oak_device_free(setup->dev, setup->user.device);
  OAK_FOR_TOPICS(t, clear) t->clear(setup);
  oak_device_free(setup->dev, setup->domain.bc);
  free(setup->files.text);
}
