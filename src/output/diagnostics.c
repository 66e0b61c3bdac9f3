/* SPDX-License-Identifier: GPL-2.0-or-later
 * The totals in diagnostics.csv, with the key output.diagnostics_every. Columns of parts follow
 * those of all runs (solver/step/part.h). */
#include <stdlib.h>

#include "output/item.h"

/* The columns of the n-th part of a run; without any: those of no part. *kept is advanced. */
static const oak_columns_t *columns(const oak_t *sim, int n, char **kept) {
  static const oak_columns_t none = {0};
  const oak_columns_t *c = n > 0 ? sim->parts.part[n - 1]->columns : NULL;
  if (c) *kept += c->kept;
  c = sim->parts.part[n]->columns;
  return c ? c : &none;
}

static oak_status_t open_diagnostics(oak_output_item_t *item) {
  const oak_t *sim = item->sim;
  size_t bytes = 1;
  for (int n = 0; n < sim->parts.count; n++)
    if (sim->parts.part[n]->columns) bytes += sim->parts.part[n]->columns->kept;
  item->data = calloc(1, bytes);
  OAK_CHECK(item->data, OAK_ERR_MEMORY, "no memory for output %s", item->name);
  return OAK_OK;
}

static void print_head(const oak_output_item_t *item, FILE *f) {
  const oak_t *sim = item->sim;
  char *kept = item->data;
  fprintf(f, ",dt,blocks,cells");
  for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%s", sim->setup.description.shown[v]);
  if (sim->setup.method.first_order) fprintf(f, ",first_order_cells");
  if (sim->setup.method.floors) fprintf(f, ",floored_cells");
  if (sim->setup.method.retry) fprintf(f, ",retries");
  for (int n = 0; n < sim->parts.count; n++) {
    const oak_columns_t *c = columns(sim, n, &kept);
    if (c->head) c->head(sim, f);
  }
}

static oak_status_t print_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  char *kept = item->data;
  double total[OAK_MAX_NVAR];
  OAK_TRY(oak_totals(sim, total));
  if (f) {
    fprintf(f, ",%.17g,%lld,%lld", item->dt, (long long)view->nglobal,
            (long long)(view->nglobal * sim->setup.block.cells));
    for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%.17g", total[v]);
    if (sim->setup.method.first_order)
      fprintf(f, ",%lld", (long long)sim->counts.first_order_cells);
    if (sim->setup.method.floors) fprintf(f, ",%lld", (long long)sim->counts.floored_cells);
    if (sim->setup.method.retry) fprintf(f, ",%lld", (long long)sim->counts.retries);
  }
  for (int n = 0; n < sim->parts.count; n++) {
    const oak_columns_t *c = columns(sim, n, &kept);
    if (c->row) c->row(sim, kept, view->time, f);
  }
  return OAK_OK;
}

static void save_row(const oak_output_item_t *item, FILE *f) {
  char *kept = item->data;
  for (int n = 0; n < item->sim->parts.count; n++) {
    const oak_columns_t *c = columns(item->sim, n, &kept);
    if (c->save) c->save(item->sim, kept, f);
  }
}

static void load_row(oak_output_item_t *item, const char *text) {
  char *kept = item->data;
  for (int n = 0; n < item->sim->parts.count; n++) {
    const oak_columns_t *c = columns(item->sim, n, &kept);
    if (c->load) c->load(item->sim, kept, text);
  }
}

const oak_output_kind_t oak_output_diagnostics = {.word = {"diagnostics", "totals", NULL},
                                                  .ending = ".csv",
                                                  .open = open_diagnostics,
                                                  .head = print_head,
                                                  .row = print_row,
                                                  .save = save_row,
                                                  .load = load_row};
