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

oak_status_t oak_parts_fit(oak_t *sim) {
  FOR_PARTS(p, fit) OAK_TRY(p->fit(sim));
  return OAK_OK;
}

oak_status_t oak_parts_connect(oak_t *sim) {
  oak_status_t st = OAK_OK;
  FOR_PARTS(p, connect) oak_keep_failure(&st, p->connect(sim));
  return st;
}

int64_t oak_parts_bytes(const oak_t *sim) {
  int64_t bytes = 0;
  FOR_PARTS(p, bytes) bytes += p->bytes(sim);
  return bytes;
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

void oak_parts_print(const oak_t *sim, FILE *stream) {
  static const char *const wait[] = {"", "waits for neighbours", "waits for all ranks"};
  static const char *const head[] = {[OAK_STEP_FIRST_HALF] = "half a step: ",
                                     [OAK_STEP_FLUXES] = "stage: ",
                                     [OAK_STEP_RESULT] = "stage: ",
                                     [OAK_STEP_NEW_MESH] = "new mesh: "};
  for (int n = 0; n < sim->parts.lines; n++) {
    const oak_line_t *line = &sim->parts.line[n];
    const int half = line->when == OAK_STEP_SECOND_HALF && sim->setup.method.strang;
    const char *before = head[half ? OAK_STEP_FIRST_HALF : line->when];
    char text[80];
    snprintf(text, sizeof text, "%s%s", before ? before : "", line->text);
    fprintf(stream, "  %-9s %-*s%s\n", n ? "" : "step", *wait[line->waits] ? 54 : 0, text,
            wait[line->waits]);
  }
}
