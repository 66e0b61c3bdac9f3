/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kinds of output: what each of them does with the keys of its section. */
#include <string.h>

#include "io/folder/mesh_file.h"
#include "io/plotfile/plotfile.h"
#include "io/vtkhdf/vtkhdf.h"
#include "io/xdmf/xdmf.h"
#include "solver/output/output.h"

static int always(const oak_output_item_t *item) {
  (void)item;
  return 1;
}

/* ---- plotfiles */

static oak_status_t write_plotfile(oak_output_item_t *item, const oak_grid_view_t *view,
                                   const char *path) {
  return oak_plotfile_write_ext(view, oak_item_int(item, "files"), path);
}

/* ---- the mesh alone */

static oak_status_t write_mesh_files(const void *context, const char *stem) {
  const oak_t *sim = context;
  return oak_mesh_write_vtk(sim->mesh, sim->xmin, sim->xmax, stem);
}

static oak_status_t write_mesh(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  return oak_mesh_file_write(view->comm, path, write_mesh_files, item->sim);
}

/* ---- XDMF */

static oak_status_t open_xdmf(oak_output_item_t *item) {
  const int most = item->sim->block_size / 2;
  OAK_CHECK(oak_item_int(item, "ghost_layers") <= most, OAK_ERR_INPUT,
            "[output.%s]: ghost_layers = %d: at most half a block, %d", item->name,
            oak_item_int(item, "ghost_layers"), most);
  return OAK_OK;
}

/* Ghost cells come from other ranks. */
static int takes_over_xdmf(const oak_output_item_t *item) {
  return oak_item_int(item, "ghost_layers") == 0;
}

static oak_status_t write_xdmf(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  return oak_xdmf_write(view, oak_item_int(item, "ghost_layers"), path);
}

/* ---- VTKHDF */

static oak_status_t open_vtkhdf(oak_output_item_t *item) {
  return oak_vtkhdf_supported(oak_item_given(item, "kind"));
}

static oak_status_t write_vtkhdf(oak_output_item_t *item, const oak_grid_view_t *view,
                                 const char *path) {
  (void)item;
  return oak_vtkhdf_write(view, path);
}

/* ---- diagnostics.csv */

static void diagnostics_head(const oak_output_item_t *item, FILE *f) {
  const oak_t *sim = item->sim;
  fprintf(f, ",dt,blocks,cells");
  for (int v = 0; v < sim->nvar; v++) fprintf(f, ",%s", sim->description.name[v]);
  if (sim->method.first_order) fprintf(f, ",first_order_cells");
  if (sim->method.floors) fprintf(f, ",floored_cells");
  if (sim->method.retry) fprintf(f, ",retries");
  if (sim->poisson.elliptic) fprintf(f, ",poisson_cycles,poisson_residual,poisson_seconds");
}

static oak_status_t diagnostics_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  double total[OAK_MAX_NVAR];
  OAK_TRY(oak_totals(sim, total));
  if (!f) return OAK_OK;
  fprintf(f, ",%.17g,%lld,%lld", item->dt, (long long)view->nglobal,
          (long long)(view->nglobal * sim->cells));
  for (int v = 0; v < sim->nvar; v++) fprintf(f, ",%.17g", total[v]);
  if (sim->method.first_order) fprintf(f, ",%lld", (long long)sim->repairs.first_order_cells);
  if (sim->method.floors) fprintf(f, ",%lld", (long long)sim->repairs.floored_cells);
  if (sim->method.retry) fprintf(f, ",%lld", (long long)sim->clock.retries);
  if (sim->poisson.elliptic)
    fprintf(f, ",%d,%.3g,%.4g", sim->poisson.cycles, sim->poisson.residual, sim->poisson.seconds);
  return OAK_OK;
}

/* ---- the table */

const oak_output_kind_t oak_output_plotfile = {.name = "plotfile",
                                               .has_precision = 1,
                                               .has_region = 1,
                                               .takes_over = always,
                                               .write = write_plotfile,
                                               .series = &oak_series_visit};
const oak_output_kind_t oak_output_diagnostics = {.name = "diagnostics",
                                                  .ending = ".csv",
                                                  .no_variables = 1,
                                                  .head = diagnostics_head,
                                                  .row = diagnostics_row};
static const oak_output_kind_t xdmf = {.name = "xdmf",
                                       .ending = OAK_XDMF,
                                       .has_precision = 1,
                                       .has_region = 1,
                                       .cuts_blocks = 1,
                                       .open = open_xdmf,
                                       .takes_over = takes_over_xdmf,
                                       .write = write_xdmf,
                                       .series = &oak_series_xdmf};

static const oak_output_kind_t vtkhdf = {.name = "vtkhdf",
                                         .ending = OAK_VTKHDF,
                                         .has_precision = 1,
                                         .has_region = 1,
                                         .cuts_blocks = 1,
                                         .open = open_vtkhdf,
                                         .takes_over = always,
                                         .write = write_vtkhdf,
                                         .series = &oak_series_vtkhdf};

static const oak_output_kind_t mesh = {.name = "mesh",
                                       .ending = OAK_MESH_FOLDER,
                                       .no_variables = 1,
                                       .write = write_mesh,
                                       .series = &oak_series_mesh};

const oak_output_kind_t *const oak_output_kinds[] = {&oak_output_plotfile,
                                                     &oak_output_picture,
                                                     &oak_output_slice,
                                                     &oak_output_line,
                                                     &oak_output_probe,
                                                     &xdmf,
                                                     &vtkhdf,
                                                     &oak_output_history,
                                                     &mesh,
                                                     NULL};
