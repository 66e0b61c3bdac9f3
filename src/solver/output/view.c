/* SPDX-License-Identifier: GPL-2.0-or-later
 * The view of a simulation that the formats in src/io get. */
#include "solver/output/view.h"

#include <string.h>

static oak_status_t read_view(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const oak_view_source_t *source = view->owner;
  return oak_variable_read(source->sim, source->variables->variable[var], b0, n, dst);
}

oak_status_t oak_view_make(oak_view_source_t *source, oak_grid_view_t *view) {
  oak_t *sim = source->sim;
  const oak_mesh_t *mesh = sim->mesh;
  *view = (oak_grid_view_t){.comm = sim->comm,
                            .dim = sim->dim,
                            .block_size = sim->block_size,
                            .nglobal = mesh->nglobal,
                            .first = mesh->first,
                            .nblock = mesh->nblock,
                            .level = mesh->level,
                            .index = (const int32_t(*)[3])mesh->index,
                            .time = sim->clock.time,
                            .step = sim->clock.step,
                            .value_bytes = source->value_bytes,
                            .nvar = source->variables->count,
                            .name = source->variables->name,
                            .read = read_view,
                            .read_ghosts = oak_view_read_ghosts,
                            .owner = source};
  memcpy(view->xmin, sim->xmin, sizeof view->xmin);
  memcpy(view->xmax, sim->xmax, sizeof view->xmax);
  memcpy(view->trees, mesh->trees, sizeof view->trees);
  oak_mesh_levels(mesh, &view->min_level, &view->max_level, NULL);
  return oak_variables_prepare(sim, source->variables);
}
