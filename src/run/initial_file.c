/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial state from a file (run.initial): a plotfile or a checkpoint with any mesh, block size
 * and precision. Conserved variables keep their integrals (src/io/view/remap.h). */
#include "run/initial_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "io/checkpoint/checkpoint.h"
#include "io/plotfile/plotfile.h"
#include "io/view/remap.h"
#include "solver/data/variables.h"

static const char key[] = "run.initial";

enum { LARGEST_BLOCK = 32 /**< of a plotfile: larger ones are read in parts */ };

struct oak_initial_file {
  char path[PATH_MAX];
  oak_plotfile_t *plotfile;
  oak_checkpoint_grid_t *checkpoint;
  const oak_grid_view_t *view;
  oak_remap_t *remap;
  int variable[OAK_MAX_NVAR]; /**< of the file, for each conserved one; -1: it keeps INITIAL's */
  int field[OAK_MAX_FIELDS];  /**< likewise, for each field beside the state */
};

/* ---- the file */

/** A plotfile may consist of large boxes. */
static oak_status_t open_plotfile(oak_initial_file_t *file) {
  OAK_TRY(oak_plotfile_open(file->path, NULL, &file->plotfile));
  int n[3], smaller = 0;
  for (int d = 0; d < 3; d++) {
    const int whole = oak_plotfile_view(file->plotfile)->block_size[d];
    for (n[d] = whole; n[d] > LARGEST_BLOCK && n[d] % 4 == 0;) n[d] /= 2;
    smaller |= n[d] < whole;
  }
  if (smaller) {
    oak_plotfile_close(&file->plotfile);
    OAK_TRY(oak_plotfile_open(file->path, n, &file->plotfile));
  }
  file->view = oak_plotfile_view(file->plotfile);
  return OAK_OK;
}

static oak_status_t open_any(oak_initial_file_t *file) {
  struct stat info;
  OAK_CHECK(stat(file->path, &info) == 0, OAK_ERR_FILE, "cannot read %s: %s", file->path,
            strerror(errno));
  OAK_CHECK(S_ISDIR(info.st_mode) || oak_checkpoint_is_one(file->path), OAK_ERR_FILE,
            "%s is neither a plotfile nor a checkpoint; Python makes a checkpoint of arrays (.npy, "
            ".npz, .h5, .csv): sim = oak.Simulation(\"my.ini\", {\"run.initial\": \"\"}); "
            "sim.set(\"%s\", refine=True); sim.write_checkpoint(\"start.oak\")",
            file->path, file->path);
  if (S_ISDIR(info.st_mode)) return open_plotfile(file);
  OAK_TRY(oak_checkpoint_grid_open(file->path, &file->checkpoint));
  file->view = oak_checkpoint_grid_view(file->checkpoint);
  return OAK_OK;
}

/* ---- does it fit? */

static oak_status_t check_domain(const oak_t *sim, const oak_initial_file_t *file) {
  const oak_grid_view_t *view = file->view;
  const char *origin = oak_params_origin(sim->setup.params, key);
  OAK_CHECK(view->dim == sim->setup.dim, OAK_ERR_INPUT, "%s: %s: %s is %dD and this run %dD",
            origin, key, file->path, view->dim, sim->setup.dim);
  OAK_CHECK(view->logarithmic == sim->setup.domain.logarithmic, OAK_ERR_INPUT,
            "%s: %s: %s has another mesh.radius than this run", origin, key, file->path);
  OAK_CHECK(view->coordinates == sim->setup.domain.coordinates, OAK_ERR_INPUT,
            "%s: %s: %s has other coordinates than mesh.coordinates = %s", origin, key, file->path,
            oak_params_text(sim->setup.params, "mesh.coordinates"));
  for (int d = 0; d < view->dim; d++) {
    const double slack = 1e-9 * (view->xmax[d] - view->xmin[d]);
    OAK_CHECK(sim->setup.domain.xmin[d] >= view->xmin[d] - slack &&
                  sim->setup.domain.xmax[d] <= view->xmax[d] + slack,
              OAK_ERR_INPUT,
              "%s: %s: %s has %s = %g to %g, which does not cover the domain, %g to %g", origin,
              key, file->path, oak_view_axis(view, d), view->xmin[d], view->xmax[d],
              sim->setup.domain.xmin[d], sim->setup.domain.xmax[d]);
  }
  return OAK_OK;
}

/** A variable of the state that a hook FIELD sets. */
static int is_set(const oak_setup_t *setup, const char *name) {
  for (int n = 0; n < setup->fields.nfixed; n++)
    if (!strcmp(setup->fields.fixed[n].name, name)) return setup->fields.fixed[n].function != NULL;
  return 0;
}

/** The variables of the file by their names. All of the physics must be there; passive scalars and
 * fields may be missing. */
static oak_status_t match_variables(const oak_t *sim, oak_initial_file_t *file) {
  const oak_setup_t *setup = &sim->setup;
  const int mask = oak_variables_mask(setup), physics = setup->nvar - (mask >= 0);
  char missing[512] = "";
  for (int v = 0; v < setup->nvar; v++) {
    const char *name = setup->description.name[v];
    const int set = v == mask || is_set(setup, name);
    file->variable[v] = set ? -1 : oak_view_find(file->view, name);
    if (!set && file->variable[v] < 0 && v < physics - setup->scalars.count)
      oak_str_append(missing, sizeof missing, " %s", name);
  }
  for (int n = 0; n < setup->fields.count; n++)
    file->field[n] = setup->fields.field[n].function
                         ? -1
                         : oak_view_find(file->view, setup->fields.field[n].name);
  OAK_CHECK(!*missing, OAK_ERR_INPUT,
            "%s: %s: %s lacks%s, variables of the physics: write all conserved variables to it",
            oak_params_origin(setup->params, key), key, file->path, missing);
  return OAK_OK;
}

static oak_status_t open_file(const oak_t *sim, oak_initial_file_t *file) {
  const oak_params_t *params = sim->setup.params;
  const char *name = oak_params_text(params, key);
  OAK_CHECK(oak_path_find(oak_params_folder(params), name, file->path), OAK_ERR_FILE,
            "%s: %s = %s: %s", oak_params_origin(params, key), key, name, strerror(errno));
  OAK_TRY(open_any(file));
  OAK_TRY(check_domain(sim, file));
  OAK_TRY(match_variables(sim, file));
  return oak_remap_new(file->view, file->path, &file->remap);
}

oak_status_t oak_initial_file_kept(const oak_t *sim) {
  const oak_params_t *params = sim->setup.params;
  const char *name = oak_params_text(params, key);
  const char *folder = oak_params_text(params, "output.folder");
  char found[PATH_MAX], file[PATH_MAX], full[PATH_MAX];
  const int both = *name && oak_path_find(oak_params_folder(params), name, found) &&
                   realpath(found, file) && realpath(folder, full);
  const size_t length = both ? strlen(full) : 0;
  const int inside = both && !strncmp(file, full, length) && (file[length] == '/' || !file[length]);
  return oak_agree(sim->setup.comm,
                   inside ? OAK_FAIL(OAK_ERR_INPUT,
                                     "%s: %s = %s lies in output.folder = %s, which --overwrite "
                                     "empties: choose another output.folder",
                                     oak_params_origin(params, key), key, name, folder)
                          : OAK_OK);
}

oak_status_t oak_initial_file_open(const oak_t *sim, oak_initial_file_t **out) {
  *out = NULL;
  if (!*oak_params_text(sim->setup.params, key)) return OAK_OK;
  oak_status_t st = OAK_NEW(*out, 1);
  if (st == OAK_OK) st = open_file(sim, *out);
  st = oak_agree(sim->setup.comm, st);
  if (st != OAK_OK) oak_initial_file_close(out);
  return st;
}

void oak_initial_file_close(oak_initial_file_t **out) {
  oak_initial_file_t *file = *out;
  if (!file) return;
  oak_remap_destroy(&file->remap);
  oak_plotfile_close(&file->plotfile);
  oak_checkpoint_grid_close(&file->checkpoint);
  free(file);
  *out = NULL;
}

/* ---- mesh and values */

static oak_remap_block_t block_of(const oak_t *sim, int b) {
  oak_remap_block_t block = {0};
  oak_block_shape(sim, block.n);
  oak_block_geometry(sim, b, block.origin, block.dx);
  return block;
}

oak_status_t oak_initial_file_refine(oak_t *sim, oak_initial_file_t *file, int *changed) {
  const int n = sim->data.mesh->nblock;
  OAK_FREED int *flag = NULL;
  oak_status_t st = OAK_NEW(flag, n + 1);
  for (int b = 0; b < n && flag; b++) {
    const oak_remap_block_t block = block_of(sim, b);
    flag[b] = oak_remap_is_finer(file->remap, &block);
  }
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) st = oak_adjust_refinement_flags(sim, n, flag, changed);
  return st;
}

/** One variable in all blocks of this rank: \a value [nblock][N^d]. */
static oak_status_t read_variable(const oak_t *sim, oak_initial_file_t *file, int var,
                                  oak_remap_kind_t kind, double *value) {
  for (int b = 0; b < sim->data.mesh->nblock; b++) {
    const oak_remap_block_t block = block_of(sim, b);
    OAK_TRY(oak_remap_read(file->remap, var, &block, kind, value + b * sim->setup.block.cells));
  }
  return OAK_OK;
}

/** Cells that are solid in the file and here keep what they have collected. \a value: three arrays,
 * [nblock][N^d] each; the first is the variable. */
static oak_status_t keep_collected(oak_t *sim, oak_initial_file_t *file, int var, double *value) {
  const int n = sim->data.mesh->nblock, mask = oak_variables_mask(&sim->setup);
  const size_t cells = (size_t)n * (size_t)sim->setup.block.cells;
  double *solid = value + cells, *collected = solid + cells;
  if (mask < 0 || !oak_has_hook(&sim->setup, "physics_collect")) return OAK_OK;
  OAK_TRY(oak_read_cells(sim, mask, 0, n, solid));
  memcpy(collected, value, cells * sizeof *value);
  OAK_TRY(read_variable(sim, file, var, OAK_REMAP_SOLIDS, collected));
  for (size_t c = 0; c < cells; c++)
    if (solid[c] >= 0.5) value[c] = collected[c];
  return OAK_OK;
}

static oak_status_t set_state(oak_t *sim, oak_initial_file_t *file, oak_remap_kind_t kind,
                              double *value) {
  const int n = sim->data.mesh->nblock;
  for (int v = 0; v < sim->setup.nvar; v++) {
    if (file->variable[v] < 0) continue;
    OAK_TRY(oak_read_cells(sim, v, 0, n, value)); /* cells that are solid in the file keep it */
    OAK_TRY(read_variable(sim, file, file->variable[v], kind, value));
    OAK_TRY(keep_collected(sim, file, file->variable[v], value));
    OAK_TRY(oak_write_cells(sim, v, 0, n, value));
  }
  return OAK_OK;
}

static oak_status_t set_fields(oak_t *sim, oak_initial_file_t *file, double *value) {
  oak_status_t st = OAK_OK;
  for (int n = 0; n < sim->setup.fields.count; n++) {
    if (file->field[n] < 0) continue;
    oak_status_t one = oak_field_read(&sim->data, n, 0, sim->data.mesh->nblock, value);
    if (one == OAK_OK) one = read_variable(sim, file, file->field[n], OAK_REMAP_SLOPES, value);
    oak_keep_failure(&one, oak_field_write(&sim->data, n, value)); /* collective */
    oak_keep_failure(&st, one);
  }
  return st;
}

oak_status_t oak_initial_file_set(oak_t *sim, oak_initial_file_t *file) {
  const size_t cells = (size_t)sim->data.mesh->nblock * (size_t)sim->setup.block.cells;
  OAK_FREED double *value = NULL;
  oak_status_t st = oak_data_agree(&sim->data, OAK_NEW(value, 3 * cells + 1));
  if (st == OAK_OK) st = oak_data_agree(&sim->data, set_state(sim, file, OAK_REMAP_SLOPES, value));
  /* A slope may lead to a negative pressure. Means of cells never do. */
  if (st == OAK_OK && oak_find_invalid(sim, 0, OAK_INVALID_INITIAL) != OAK_OK) {
    st = oak_data_agree(&sim->data, set_state(sim, file, OAK_REMAP_MEANS, value));
    if (st == OAK_OK) st = oak_find_invalid(sim, 0, OAK_INVALID_INITIAL);
  }
  if (st == OAK_OK) st = oak_data_agree(&sim->data, set_fields(sim, file, value));
  return st;
}
