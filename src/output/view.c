/* SPDX-License-Identifier: GPL-2.0-or-later
 * The view of a simulation that the formats in src/io get. */
#include "output/view.h"

#include <stdlib.h>
#include <string.h>

/* The number of a variable of the view; the mask may come after the others. */
static int number_of(const oak_view_source_t *source, int var) {
  const oak_selection_t *all = source->variables;
  return var < all->count ? all->variable[var] : oak_variables_mask(&source->sim->setup);
}

static oak_status_t read_view(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const oak_view_source_t *source = view->owner;
  return oak_variable_read_list(&source->sim->data, number_of(source, var), b0,
                                source->block ? source->block + b0 : NULL, n, dst);
}

static oak_status_t read_list(const oak_grid_view_t *view, int var, int n, const int *block,
                              double *dst) {
  const oak_view_source_t *source = view->owner;
  const int variable = number_of(source, var);
  if (!source->block) return oak_variable_read_list(&source->sim->data, variable, 0, block, n, dst);
  OAK_FREED int *list = NULL;
  OAK_TRY(OAK_NEW(list, n + 1));
  for (int b = 0; b < n; b++) list[b] = source->block[block[b]];
  return oak_variable_read_list(&source->sim->data, variable, 0, list, n, dst);
}

/* This rank's blocks that touch the region. */
static oak_status_t find_blocks(oak_view_source_t *source, oak_grid_view_t *view) {
  const size_t n = (size_t)view->nblock + 1;
  OAK_TRY(OAK_NEW(source->block, n));
  OAK_TRY(OAK_NEW(source->level, n));
  OAK_TRY(OAK_NEW(source->index, n));
  int count = 0;
  for (int b = 0; b < view->nblock; b++) {
    if (!oak_view_touches(view, source->region, view->level[b], view->index[b])) continue;
    source->block[count] = b;
    source->level[count] = view->level[b];
    memcpy(source->index[count++], view->index[b], sizeof *source->index);
  }
  view->nblock = count;
  view->level = source->level;
  view->index = (const int32_t(*)[3])source->index;
  return OAK_OK;
}

/* Leave out the blocks that do not touch the region. Collective. */
static oak_status_t cut_view(oak_view_source_t *source, oak_grid_view_t *view) {
  OAK_TRY(oak_agree(view->comm, find_blocks(source, view)));
  int64_t before = 0, count = view->nblock;
  int rank, range[2] = {-view->max_level, 0}; /* minus the lowest level, the highest */
  MPI_Comm_rank(view->comm, &rank);
  MPI_Exscan(&count, &before, 1, MPI_INT64_T, MPI_SUM, view->comm);
  for (int b = 0; b < view->nblock; b++) {
    if (-view->level[b] > range[0]) range[0] = -view->level[b];
    if (view->level[b] > range[1]) range[1] = view->level[b];
  }
  MPI_Allreduce(&count, &view->nglobal, 1, MPI_INT64_T, MPI_SUM, view->comm);
  MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, view->comm);
  view->first = rank ? before : 0;
  view->min_level = -range[0];
  view->max_level = range[1];
  view->partial = 1;
  return OAK_OK;
}

_Static_assert((int)OAK_VIEW_AXISYMMETRIC == OAK_AXISYMMETRIC &&
                   (int)OAK_VIEW_SPHERICAL == OAK_SPHERICAL,
               "views number coordinates as kernels do");

oak_grid_view_t oak_view_domain(const oak_t *sim, const oak_selection_t *variables) {
  oak_grid_view_t view = {.comm = sim->setup.comm,
                          .dim = sim->setup.dim,
                          .coordinates = sim->setup.domain.coordinates,
                          .logarithmic = sim->setup.domain.logarithmic,
                          .time = sim->data.clock.time,
                          .step = sim->data.clock.step,
                          .value_bytes = 8,
                          .nvar = variables->count,
                          .name = variables->name,
                          .unit = variables->unit,
                          .nvector = variables->nvector,
                          .vector = variables->vector,
                          .length_unit = oak_unit_of(&sim->setup, "length"),
                          .time_unit = oak_unit_of(&sim->setup, "time")};
  memcpy(view.block_size, sim->setup.block.size, sizeof view.block_size);
  memcpy(view.xmin, sim->setup.domain.xmin, sizeof view.xmin);
  memcpy(view.xmax, sim->setup.domain.xmax, sizeof view.xmax);
  memcpy(view.trees, sim->setup.domain.trees, sizeof view.trees);
  return view;
}

oak_status_t oak_view_make(oak_view_source_t *source, oak_grid_view_t *view) {
  oak_t *sim = source->sim;
  const oak_mesh_t *mesh = sim->data.mesh;
  *view = oak_view_domain(sim, source->variables);
  view->value_bytes = source->value_bytes;
  view->nglobal = mesh->nglobal;
  view->first = mesh->first;
  view->nblock = mesh->nblock;
  view->level = mesh->level;
  view->index = (const int32_t(*)[3])mesh->index;
  view->read = read_view;
  view->read_list = read_list;
  view->read_ghosts = oak_view_read_ghosts;
  view->owner = source;
  view->has_mask = oak_variables_mask(&sim->setup) >= 0;
  while (view->has_mask && view->mask < view->nvar &&
         number_of(source, view->mask) != oak_variables_mask(&sim->setup))
    view->mask++;
  oak_mesh_levels(mesh, &view->min_level, &view->max_level, NULL);
  if (source->region) OAK_TRY(cut_view(source, view));
  return oak_variables_prepare(&sim->data, source->variables);
}

/* ---- a view that stays */

/* What it owns: the simulation goes on to other blocks and values. */
typedef struct {
  oak_snapshot_t *values;
  int8_t *level;
  int32_t (*index)[3];
} detached_t;

static oak_status_t read_detached(const oak_grid_view_t *view, int var, int b0, int n,
                                  double *dst) {
  const detached_t *own = view->owner;
  return oak_snapshot_read_value(own->values, var, b0, n, dst);
}

static void release_detached(void *owner) {
  detached_t *own = owner;
  if (!own) return;
  oak_snapshot_free(own->values);
  free(own->level);
  free(own->index);
  free(own);
}

static detached_t *make_detached(const oak_view_source_t *source, const oak_grid_view_t *view) {
  enum { CHUNK_BYTES = 8 << 20 };
  const size_t n = (size_t)view->nblock;
  int variable[OAK_MOST_SELECTED + 1];
  const int count = view->nvar + (view->has_mask && view->mask == view->nvar);
  detached_t *own = calloc(1, sizeof *own);
  if (!own) return NULL;
  for (int v = 0; v < count; v++) variable[v] = number_of(source, v);
  own->level = malloc(n * sizeof *own->level + 1);
  own->index = malloc(n * sizeof *own->index + 1);
  if (own->level && own->index)
    own->values = oak_snapshot_values(&source->sim->data, count, variable, view->nblock,
                                      source->block, CHUNK_BYTES);
  if (!own->values) {
    release_detached(own);
    return NULL;
  }
  memcpy(own->level, view->level, n * sizeof *own->level);
  memcpy(own->index, view->index, n * sizeof *own->index);
  return own;
}

void oak_view_detach(const oak_view_source_t *source, oak_grid_view_t *view) {
  detached_t *own = make_detached(source, view);
  int ok = own != NULL;
  MPI_Allreduce(MPI_IN_PLACE, &ok, 1, MPI_INT, MPI_MIN, view->comm);
  if (!ok) {
    release_detached(own);
    return;
  }
  view->level = own->level;
  view->index = (const int32_t(*)[3])own->index;
  view->read = read_detached;
  view->read_list = NULL;
  view->read_ghosts = NULL;
  view->release = release_detached;
  view->owner = own;
}
