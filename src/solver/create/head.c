/* SPDX-License-Identifier: GPL-2.0-or-later
 * The first lines of a run: what is computed, and by what. */
#include <string.h>

#include "solver/step/sim.h"

/* Parameters that should be positive on a mesh with several levels, but are not. */
static void print_warnings(const oak_t *sim, FILE *stream) {
  const oak_description_t *d = &sim->description;
  for (int n = 0; n < d->nparameter && sim->max_level > sim->min_level; n++) {
    char key[256];
    snprintf(key, sizeof key, "%s.%s", d->parameter[n].section, d->parameter[n].name);
    if (!d->parameter[n].positive_if_refined || oak_params_real(sim->params, key) > 0) continue;
    const char *help = strchr(d->parameter[n].help, '}') + 1;
    fprintf(stream, "  warning: %s = %g on a mesh with several levels: %s\n", key,
            oak_params_real(sim->params, key), help + strspn(help, " "));
  }
}

void oak_print_head(oak_t *sim, FILE *stream, int builds) {
  char device[512];
  if (!stream || sim->rank != 0 || sim->run.announced) return;
  sim->run.announced = 1;
  oak_device_ops(sim->dev)->describe(sim->dev, device, sizeof device);
  fprintf(stream, "oak %s  %s: %s\n", OAK_VERSION, oak_params_text(sim->params, "problem.name"),
          *sim->description.problem_title ? sim->description.problem_title
                                          : sim->description.physics_title);
  fprintf(stream, "  %s, %dD, blocks of %d^%d, levels %d to %d, %s, %s, %s, %s\n",
          sim->description.physics_title, sim->dim, sim->block_size, sim->dim,
          oak_params_int(sim->params, "mesh.min_level"),
          oak_params_int(sim->params, "mesh.max_level"),
          oak_params_text(sim->params, "scheme.limiter"),
          oak_params_text(sim->params, "scheme.flux"), sim->method.runge_kutta->name,
          sim->store_size == 8  ? "fp64"
          : sim->real_size == 8 ? "fp64 stored in fp32"
                                : "fp32");
  fprintf(stream, "  %d rank%s on %s\n", sim->size, sim->size > 1 ? "s" : "", device);
  if (*sim->transport.text) fprintf(stream, "  %s\n", sim->transport.text);
  fprintf(stream, "  output in %s\n", oak_params_text(sim->params, "output.folder"));
  print_warnings(sim, stream);
  if (builds) fprintf(stream, "  loading kernels; new ones are compiled first\n");
  fprintf(stream, "\n");
  fflush(stream);
}
