/* SPDX-License-Identifier: GPL-2.0-or-later
 * The columns of elliptic equations in outputs of totals: how each was solved, and the charge and
 * the current of each body. */
#include "solver/step/sim.h"

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

static void print_head(const oak_t *sim, FILE *f) {
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

static void print_row(const oak_t *sim, void *kept, double time, FILE *f) {
  last_row_t *last = kept;
  const double *sum = sim->poisson[0].charge, passed = time - last->time;
  for (int n = 0; n < sim->setup.equations.count && f; n++)
    fprintf(f, ",%d,%.3g,%.4g", sim->poisson[n].cycles, sim->poisson[n].residual,
            sim->poisson[n].seconds);
  for (int n = 0; n < body_columns(sim); n++, sum += OAK_BODY_SUMS) {
    const double supplied = sum[0] - sum[1];
    const double current = last->known && passed > 0 ? (supplied - last->supplied[n]) / passed : 0;
    last->supplied[n] = supplied;
    if (f) fprintf(f, ",%.17g,%.17g,%.17g", sum[0], sum[1], current);
  }
  last->time = time;
  last->known = 1;
}

/* The last solutions count for the rows up to the next ones. */
static void save_row(const oak_t *sim, const void *kept, FILE *f) {
  const last_row_t *last = kept;
  const oak_poisson_t *p = sim->poisson;
  for (int n = 0; n < sim->setup.equations.count; n++)
    fprintf(f, " solved %d %a", p[n].cycles, p[n].residual);
  if (!last->known || !body_columns(sim)) return;
  fprintf(f, " bodies %a", last->time);
  for (int n = 0; n < body_columns(sim); n++) fprintf(f, " %a", last->supplied[n]);
}

static void load_row(oak_t *sim, void *kept, const char *text) {
  last_row_t *last = kept;
  oak_poisson_t *p = sim->poisson;
  int length = 0, count = 0;
  for (int n = 0; n < sim->setup.equations.count &&
                  sscanf(text, " solved %d %la%n", &p[n].cycles, &p[n].residual, &length) == 2;
       n++)
    text += length;
  if (sscanf(text, " bodies %la%n", &last->time, &length) != 1) return;
  for (text += length;
       count < body_columns(sim) && sscanf(text, " %la%n", &last->supplied[count], &length) == 1;
       text += length)
    count++;
  last->known = count == body_columns(sim);
}

const oak_columns_t oak_poisson_columns = {.kept = sizeof(last_row_t),
                                           .head = print_head,
                                           .row = print_row,
                                           .save = save_row,
                                           .load = load_row};
