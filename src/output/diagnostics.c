/* SPDX-License-Identifier: GPL-2.0-or-later
 * The totals in diagnostics.csv, with the key output.diagnostics_every. */
#include <stdlib.h>

#include "output/kinds.h"

/* Bodies that the equation sees; walls count too if there are others. */
static int body_columns(const oak_t *sim) {
  return sim->poisson[0].bodies ? oak_body_count(&sim->setup) : 0;
}

/* What voltage sources had supplied to the bodies at the last row: their charge less what they have
 * collected. */
typedef struct {
  int known;
  double time, supplied[OAK_MAX_BODIES];
} last_row_t;

static oak_status_t open_diagnostics(oak_output_item_t *item) {
  last_row_t *last;
  const oak_status_t st = OAK_NEW(last, 1);
  item->data = last;
  return st;
}

/* The last solutions count for the rows up to the next ones. */
static void save_row(const oak_output_item_t *item, FILE *f) {
  const last_row_t *last = item->data;
  const oak_poisson_t *p = item->sim->poisson;
  for (int n = 0; n < item->sim->setup.equations.count; n++)
    fprintf(f, " solved %d %a", p[n].cycles, p[n].residual);
  if (!last->known || !body_columns(item->sim)) return;
  fprintf(f, " bodies %a", last->time);
  for (int n = 0; n < body_columns(item->sim); n++) fprintf(f, " %a", last->supplied[n]);
}

static void load_row(oak_output_item_t *item, const char *text) {
  last_row_t *last = item->data;
  oak_poisson_t *p = item->sim->poisson;
  int length = 0, count = 0;
  for (int n = 0; n < item->sim->setup.equations.count &&
                  sscanf(text, " solved %d %la%n", &p[n].cycles, &p[n].residual, &length) == 2;
       n++)
    text += length;
  if (sscanf(text, " bodies %la%n", &last->time, &length) != 1) return;
  for (text += length; count < body_columns(item->sim) &&
                       sscanf(text, " %la%n", &last->supplied[count], &length) == 1;
       text += length)
    count++;
  last->known = count == body_columns(item->sim);
}

/* The charge and the current of each body. */
static void print_bodies(oak_output_item_t *item, double time, FILE *f) {
  last_row_t *last = item->data;
  const double *sum = item->sim->poisson[0].charge, passed = time - last->time;
  for (int n = 0; n < body_columns(item->sim); n++, sum += OAK_BODY_SUMS) {
    const double supplied = sum[0] - sum[1];
    const double current = last->known && passed > 0 ? (supplied - last->supplied[n]) / passed : 0;
    last->supplied[n] = supplied;
    if (f) fprintf(f, ",%.17g,%.17g,%.17g", sum[0], sum[1], current);
  }
  last->time = time;
  last->known = 1;
}

static void print_head(const oak_output_item_t *item, FILE *f) {
  const oak_t *sim = item->sim;
  fprintf(f, ",dt,blocks,cells");
  for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%s", sim->setup.description.shown[v]);
  if (sim->setup.method.first_order) fprintf(f, ",first_order_cells");
  if (sim->setup.method.floors) fprintf(f, ",floored_cells");
  if (sim->setup.method.retry) fprintf(f, ",retries");
  for (int n = 0; n < sim->setup.equations.count; n++) {
    const oak_equation_t *q = &sim->setup.equations.of[n];
    const char *const name = q->section ? q->name : "poisson";
    fprintf(f, ",%s_cycles,%s_residual,%s_seconds", name, name, name);
  }
  for (int n = 0; n < body_columns(sim); n++) {
    const char *name = oak_body_name(&sim->setup, n);
    fprintf(f, ",%s_charge,%s_collected,%s_current", name, name, name);
  }
}

static oak_status_t print_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  double total[OAK_MAX_NVAR];
  OAK_TRY(oak_totals(sim, total));
  if (!f) {
    print_bodies(item, view->time, NULL);
    return OAK_OK;
  }
  fprintf(f, ",%.17g,%lld,%lld", item->dt, (long long)view->nglobal,
          (long long)(view->nglobal * sim->setup.cells));
  for (int v = 0; v < sim->setup.nvar; v++) fprintf(f, ",%.17g", total[v]);
  if (sim->setup.method.first_order) fprintf(f, ",%lld", (long long)sim->counts.first_order_cells);
  if (sim->setup.method.floors) fprintf(f, ",%lld", (long long)sim->counts.floored_cells);
  if (sim->setup.method.retry) fprintf(f, ",%lld", (long long)sim->counts.retries);
  for (int n = 0; n < sim->setup.equations.count; n++)
    fprintf(f, ",%d,%.3g,%.4g", sim->poisson[n].cycles, sim->poisson[n].residual,
            sim->poisson[n].seconds);
  print_bodies(item, view->time, f);
  return OAK_OK;
}

const oak_output_kind_t oak_output_diagnostics = {.word = {"diagnostics", "totals", NULL},
                                                  .ending = ".csv",
                                                  .open = open_diagnostics,
                                                  .head = print_head,
                                                  .row = print_row,
                                                  .save = save_row,
                                                  .load = load_row};
