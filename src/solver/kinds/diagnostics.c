/* SPDX-License-Identifier: GPL-2.0-or-later
 * The totals in diagnostics.csv, with the key output.diagnostics_every. */
#include "solver/kinds/kinds.h"

/* Bodies that the equation sees; walls count too if there are others. */
static int body_columns(const oak_t *sim) {
  return sim->poisson[0].bodies ? oak_body_count(&sim->setup) : 0;
}

static void print_head(const oak_output_item_t *item, FILE *f) {
  const oak_t *sim = item->sim;
  fprintf(f, ",dt,blocks,cells");
  for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%s", sim->setup.description.name[v]);
  if (sim->setup.method.first_order) fprintf(f, ",first_order_cells");
  if (sim->setup.method.floors) fprintf(f, ",floored_cells");
  if (sim->setup.method.retry) fprintf(f, ",retries");
  for (int n = 0; n < sim->setup.equations.count; n++) {
    const oak_equation_t *q = &sim->setup.equations.of[n];
    const char *const name = q->section ? q->name : "poisson";
    fprintf(f, ",%s_cycles,%s_residual,%s_seconds", name, name, name);
  }
  for (int n = 0; n < body_columns(sim); n++)
    fprintf(f, ",%s_charge,%s_collected", oak_body_name(&sim->setup, n),
            oak_body_name(&sim->setup, n));
}

static oak_status_t print_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  double total[OAK_MAX_NVAR];
  OAK_TRY(oak_totals(sim, total));
  if (!f) return OAK_OK;
  fprintf(f, ",%.17g,%lld,%lld", item->dt, (long long)view->nglobal,
          (long long)(view->nglobal * sim->setup.cells));
  for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%.17g", total[v]);
  if (sim->setup.method.first_order) fprintf(f, ",%lld", (long long)sim->counts.first_order_cells);
  if (sim->setup.method.floors) fprintf(f, ",%lld", (long long)sim->counts.floored_cells);
  if (sim->setup.method.retry) fprintf(f, ",%lld", (long long)sim->counts.retries);
  for (int n = 0; n < sim->setup.equations.count; n++)
    fprintf(f, ",%d,%.3g,%.4g", sim->poisson[n].cycles, sim->poisson[n].residual,
            sim->poisson[n].seconds);
  for (int n = 0; n < body_columns(sim) * OAK_BODY_SUMS; n++)
    fprintf(f, ",%.17g", sim->poisson[0].charge[n]);
  return OAK_OK;
}

const oak_output_kind_t oak_output_diagnostics = {.word = {"diagnostics", "totals", NULL},
                                                  .ending = ".csv",
                                                  .head = print_head,
                                                  .row = print_row};
