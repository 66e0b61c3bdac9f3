/* SPDX-License-Identifier: GPL-2.0-or-later
 * The first lines of a run: what is computed, and by what. */
#include <math.h>
#include <string.h>

#include "base/shape.h"
#include "api/create.h"

/* Parameters that should be positive on a mesh with several levels, but are not. */
static void print_warnings(const oak_t *sim, FILE *stream) {
  const oak_description_t *d = &sim->setup.description;
  for (int n = 0; n < d->nparameter && sim->setup.refine.max_level > sim->setup.refine.min_level;
       n++) {
    if (!d->parameter[n].positive_if_refined) continue;
    const double value = oak_params_real(sim->setup.params, d->parameter[n].key);
    if (!(value > 0))
      fprintf(stream, "  warning: %s = %g on a mesh with several levels: %s\n", d->parameter[n].key,
              value, d->parameter[n].help);
  }
}

/* Tables that the physics can do without, of which none is given: it then computes formulas. */
static void print_formulas(const oak_t *sim, FILE *stream) {
  const oak_tables_t *tables = &sim->setup.tables;
  int count = 0, given = sim->setup.reactions.text != NULL;
  for (int t = 0; t < tables->count; t++)
    given |= tables->table[t].owner == OAK_OF_PHYSICS && *tables->table[t].path;
  for (int t = 0; t < tables->count && !given; t++)
    if (tables->table[t].owner == OAK_OF_PHYSICS)
      fprintf(stream, "%s%s",
              count++ ? ", " : "  advice: tables are faster than formulas: ", tables->table[t].key);
  if (count) fprintf(stream, "\n");
}

/* What the axis does to the time step. The cell beside it is half a cell away from it. */
static void print_poles(const oak_t *sim, FILE *stream) {
  const oak_setup_t *s = &sim->setup;
  const int phi = oak_phi_axis(s);
  if (!oak_poles(s)) return;
  const double width = ldexp(s->domain.dx0[phi], -sim->data.mesh->pole_level);
  fprintf(
      stream,
      "  time step: limited by cells beside %s, %.3g times narrower along phi than across; fewer "
      "blocks along phi (mesh.trees) or a lower mesh.min_level make it longer\n",
      phi == 1 ? "r = 0" : "the poles", 2 / width);
}

void oak_print_head(oak_t *sim, FILE *stream, int builds) {
  char device[512], shape[32];
  const oak_description_t *d = &sim->setup.description;
  if (!stream || sim->setup.rank != 0) return;
  oak_device_ops(sim->setup.dev)->describe(sim->setup.dev, device, sizeof device);
  fprintf(stream, "oak %s  %s: %s\n", OAK_VERSION,
          oak_params_text(sim->setup.params, "problem.name"), d->problem_title);
  fprintf(stream, "  %s, %dD, blocks of %s, levels %d to %d, %s, %s, %s, %s\n", d->physics_title,
          sim->setup.dim, oak_shape_text(sim->setup.dim, sim->setup.block.size, shape),
          oak_params_int(sim->setup.params, "mesh.min_level"),
          oak_params_int(sim->setup.params, "mesh.max_level"),
          oak_params_text(sim->setup.params, "scheme.limiter"),
          oak_params_text(sim->setup.params, "scheme.flux"), sim->setup.method.runge_kutta->name,
          sim->setup.bytes.flux < sim->setup.bytes.store ? "fp64 with fluxes in fp32"
          : sim->setup.bytes.store == 8                  ? "fp64"
          : sim->setup.bytes.real == 8                   ? "fp64 stored in fp32"
                                                         : "fp32");
  fprintf(stream, "  %d rank%s on %s\n", sim->setup.size, sim->setup.size > 1 ? "s" : "", device);
  if (*sim->data.transport.text) fprintf(stream, "  %s\n", sim->data.transport.text);
  fprintf(stream, "  output in %s\n", oak_params_text(sim->setup.params, "output.folder"));
  OAK_FOR_TOPICS(t, report) t->report(&sim->setup, stream);
  print_warnings(sim, stream);
  print_poles(sim, stream);
  print_formulas(sim, stream);
  oak_device_advice(sim->setup.dev, device, sizeof device);
  if (*device) fprintf(stream, "  advice: %s\n", device);
  if (builds) fprintf(stream, "  loading kernels; new ones are compiled first\n");
  fprintf(stream, "\n");
  fflush(stream);
}
