/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parts and lines of a run, one after the other. */
#include "solver/step/part.h"

#include "solver/step/sim.h"

/* A loop over the parts of the run that have a function. */
#define FOR_PARTS(p, function)                                           \
  for (const oak_part_t *const *at_ = sim->parts.part, *p;               \
       at_ < sim->parts.part + sim->parts.count && (p = *at_, 1); at_++) \
    if (p->function)

oak_status_t oak_parts_open(oak_t *sim) {
  FOR_PARTS(p, open) OAK_TRY(p->open(sim));
  return OAK_OK;
}

void oak_parts_clear(oak_t *sim) {
  for (int n = sim->parts.count - 1; n >= 0; n--)
    if (sim->parts.part[n]->clear) sim->parts.part[n]->clear(sim);
}

/* ---- lines */

static void run_line(oak_t *sim, const oak_line_t *line, oak_step_t *step) {
  if (step->ended || (line->waits == OAK_WAIT_NOTHING && step->status != OAK_OK)) return;
  const oak_status_t st = line->run(sim, step);
  if (st == OAK_OK) return;
  step->ended = line->waits == OAK_WAIT_ALL;
  if (step->ended || step->status == OAK_OK) step->status = st;
}

oak_status_t oak_step_run(oak_t *sim, oak_moment_t when, oak_step_t *step) {
  for (int n = 0; n < sim->parts.lines; n++)
    if (sim->parts.line[n].when == when) run_line(sim, &sim->parts.line[n], step);
  return step->status;
}

void oak_step_repeat(oak_t *sim, oak_step_t *step, oak_status_t (*from)(oak_t *, oak_step_t *),
                     oak_status_t (*to)(oak_t *, oak_step_t *)) {
  const oak_line_t *line = sim->parts.line;
  while (line->run != from) line++;
  for (; line->run != to; line++) run_line(sim, line, step);
}

/* One line of the list: the word in front, how far it is moved in, and what it waits for. */
static void print_line(FILE *stream, int first, int inward, const char *text, oak_wait_t waits) {
  static const char *const wait[] = {"", " waits for neighbours", " waits for all ranks"};
  fprintf(stream, "  %-9s %*s%-*s%s\n", first ? "step" : "", inward, "",
          *wait[waits] ? 51 - inward : 0, text, wait[waits]);
}

static int in_stage(oak_moment_t when) {
  return when == OAK_STEP_FLUXES || when == OAK_STEP_RESULT;
}

void oak_parts_print(const oak_t *sim, FILE *stream) {
  const oak_line_t *line = sim->parts.line;
  for (int n = 0; n < sim->parts.lines; n++) {
    const int half = sim->setup.method.strang &&
                     (line[n].when == OAK_STEP_FIRST_HALF || line[n].when == OAK_STEP_SECOND_HALF);
    const int inward = in_stage(line[n].when) ? 2 : 0;
    char text[96];
    if (inward && !in_stage(line[n - 1].when)) {
      snprintf(text, sizeof text, "%d stages:", sim->setup.method.runge_kutta->nstage);
      print_line(stream, 0, 0, text, OAK_WAIT_NOTHING);
    }
    snprintf(text, sizeof text, "%s%s%s", half ? "half a step of " : "",
             line[n].when == OAK_STEP_NEW_MESH ? "on a new mesh: " : "", line[n].text);
    print_line(stream, n == 0, inward, text, line[n].waits);
  }
  if (sim->setup.refine.active && sim->setup.refine.every > 0)
    fprintf(stream, "  %-9s adaptation of the mesh every %d steps\n", "", sim->setup.refine.every);
}

/* ---- data and parts fit the mesh, after it has changed */

/* What depends on the blocks of the mesh. Collective; the ranks agree. */
static oak_status_t fit_blocks(oak_t *sim) {
  const int first = sim->data.storage.revision < 0 ? 0 : 1; /* state 0 keeps its contents */
  OAK_TRY(oak_storage_reserve(&sim->data, first, sim->setup.method.nstate, sim->data.mesh->nblock));
  oak_status_t st = oak_storage_blocks(&sim->data);
  FOR_PARTS(p, fit) if (st == OAK_OK) st = p->fit(sim);
  return oak_data_agree(&sim->data, st);
}

/* Prepare buffers for a new pattern. Every rank takes part in all steps. */
static oak_status_t fit_exchanges(oak_t *sim) {
  oak_status_t st = oak_storage_connect(&sim->data);
  FOR_PARTS(p, connect) oak_keep_failure(&st, p->connect(sim));
  return oak_data_agree(&sim->data, st);
}

oak_status_t oak_fit_mesh(oak_t *sim) {
  oak_data_t *data = &sim->data;
  const int fits = oak_storage_fits(data);
  int changed;
  oak_timer_start(&data->timers, OAK_PHASE_PATTERN);
  oak_status_t st = fits ? OAK_OK : fit_blocks(sim);
  if (st == OAK_OK) st = oak_pattern_update(&data->pattern, &data->transport, data->mesh, &changed);
  /* An earlier attempt may have made the pattern and failed after that. */
  if (st == OAK_OK && (changed || !fits)) st = fit_exchanges(sim);
  if (st == OAK_OK && !fits) st = oak_step_run(sim, OAK_STEP_NEW_MESH, &(oak_step_t){.state = 0});
  if (st == OAK_OK) oak_storage_fitted(data);
  oak_timer_stop(&data->timers, OAK_PHASE_PATTERN);
  return st;
}

oak_status_t oak_sim_whole(const oak_t *sim) {
  OAK_CHECK(!sim->lost, OAK_ERR_STATE,
            "reading a checkpoint, or an adaptation, has failed halfway, so there is no solution: "
            "read another checkpoint, or destroy the simulation");
  return OAK_OK;
}

oak_status_t oak_sim_fits(const oak_t *sim) {
  OAK_TRY(oak_sim_whole(sim));
  OAK_CHECK(oak_storage_fits(&sim->data), OAK_ERR_STATE,
            "the last adaptation lacked memory for what belongs to the new mesh: oak_advance and "
            "oak_adjust_refinement try to get it again, and oak_write_checkpoint works without");
  return OAK_OK;
}

int64_t oak_memory(const oak_t *sim) {
  OAK_HANDLE(sim, 0);
  int64_t bytes = oak_storage_bytes(&sim->data);
  FOR_PARTS(p, bytes) bytes += p->bytes(sim);
  return bytes;
}
