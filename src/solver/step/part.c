/* SPDX-License-Identifier: GPL-2.0-or-later
 * The functions of all parts of a run, called one after the other. */
#include "solver/step/part.h"

#include <stdlib.h>

#include "solver/step/sim.h"

/* A loop over the parts of the run that have a function. */
#define FOR_PARTS(p, function)                                           \
  for (const oak_part_t *const *at_ = sim->parts.part, *p;               \
       at_ < sim->parts.part + sim->parts.count && (p = *at_, 1); at_++) \
    if (p->function)

unsigned oak_parts_need(const oak_t *sim) {
  unsigned needs = 0;
  for (int n = 0; n < sim->parts.count; n++) needs |= sim->parts.part[n]->needs;
  return needs;
}

int oak_parts_beside(const oak_t *sim) {
  FOR_PARTS(p, advance) return 1;
  return 0;
}

/* ---- memory */

oak_status_t oak_parts_open(oak_t *sim) {
  FOR_PARTS(p, open) OAK_TRY(p->open(sim));
  return OAK_OK;
}

oak_status_t oak_parts_fit(oak_t *sim) {
  FOR_PARTS(p, fit) OAK_TRY(p->fit(sim));
  return OAK_OK;
}

oak_status_t oak_parts_connect(oak_t *sim) {
  oak_status_t st = OAK_OK;
  FOR_PARTS(p, connect) oak_keep_failure(&st, p->connect(sim));
  return st;
}

oak_status_t oak_parts_renew(oak_t *sim) {
  FOR_PARTS(p, renew) OAK_TRY(p->renew(sim));
  return OAK_OK;
}

int64_t oak_parts_bytes(const oak_t *sim) {
  int64_t bytes = 0;
  FOR_PARTS(p, bytes) bytes += p->bytes(sim);
  return bytes;
}

int oak_parts_square(const oak_t *sim) {
  FOR_PARTS(p, square_rates) return 1;
  return 0;
}

oak_status_t oak_parts_square_rates(oak_t *sim, double **rate) {
  const int n = sim->data.mesh->nblock;
  *rate = NULL;
  FOR_PARTS(p, square_rates) {
    *rate = malloc((n + 1) * sizeof **rate);
    return oak_data_agree(&sim->data, *rate
                                          ? p->square_rates(sim, *rate)
                                          : OAK_FAIL(OAK_ERR_MEMORY, "no memory for %d rates", n));
  }
  return OAK_OK;
}

void oak_parts_clear(oak_t *sim) {
  for (int n = sim->parts.count - 1; n >= 0; n--)
    if (sim->parts.part[n]->clear) sim->parts.part[n]->clear(sim);
}

/* ---- a step */

oak_status_t oak_parts_begin_step(oak_t *sim) {
  FOR_PARTS(p, begin_step) OAK_TRY(p->begin_step(sim));
  return OAK_OK;
}

oak_status_t oak_parts_advance(oak_t *sim, double time, double dt, int reverse) {
  const int last = sim->parts.count - 1;
  for (int n = 0; n <= last; n++) {
    const oak_part_t *p = sim->parts.part[reverse ? last - n : n];
    if (p->advance) OAK_TRY(p->advance(sim, time, dt));
  }
  return OAK_OK;
}

/* ---- a stage */

oak_status_t oak_parts_before_ghosts(oak_t *sim, int state, double time) {
  FOR_PARTS(p, before_ghosts) OAK_TRY(p->before_ghosts(sim, state, time));
  return OAK_OK;
}

int oak_parts_wait(const oak_t *sim) {
  FOR_PARTS(p, with_ghosts) return 1;
  return 0;
}

oak_status_t oak_parts_with_ghosts(oak_t *sim, int state, double time) {
  oak_status_t st = OAK_OK;
  FOR_PARTS(p, with_ghosts) oak_keep_failure(&st, p->with_ghosts(sim, state, time));
  return st;
}

void oak_parts_flux_args(const oak_t *sim, oak_flux_args_t *args) {
  FOR_PARTS(p, flux_args) p->flux_args(sim, args);
}

const oak_part_t *oak_parts_stage(const oak_t *sim) {
  FOR_PARTS(p, stage) return p;
  return NULL;
}

oak_status_t oak_parts_after_fluxes(oak_t *sim, int state, double dt) {
  oak_status_t st = OAK_OK;
  FOR_PARTS(p, after_fluxes) oak_keep_failure(&st, p->after_fluxes(sim, state, dt));
  return st;
}

/* ---- for users */

static int in_stage(const oak_part_t *p) {
  return p->before_ghosts || p->with_ghosts || p->stage || p->after_fluxes;
}
static int beside(const oak_part_t *p) { return p->advance != NULL; }
static int before(const oak_part_t *p) { return p->begin_step && p->name; }

/* Print the names of parts of one kind, with `head` before and `tail` after them. */
static void print_names(const oak_t *sim, int (*kind)(const oak_part_t *), const char *head,
                        const char *tail, FILE *stream) {
  const char *next = head;
  for (int n = 0; n < sim->parts.count; n++) {
    if (!kind(sim->parts.part[n])) continue;
    fprintf(stream, "%s%s", next, sim->parts.part[n]->name);
    next = ", ";
  }
  if (next != head) fprintf(stream, "%s", tail);
}

void oak_parts_print(const oak_t *sim, FILE *stream) {
  const int strang = sim->setup.method.strang;
  fprintf(stream, "  %-9s ", "step");
  print_names(sim, before, "", "; ", stream);
  if (strang) print_names(sim, beside, "half a step of ", "; ", stream);
  fprintf(stream, "%d x (", sim->setup.method.runge_kutta->nstage);
  print_names(sim, in_stage, "", ")", stream);
  print_names(sim, beside, strang ? "; half a step of " : "; ", "", stream);
  if (sim->setup.refine.active && sim->setup.refine.every > 0)
    fprintf(stream, "; adaptation every %d steps", sim->setup.refine.every);
  fprintf(stream, "\n");
}
