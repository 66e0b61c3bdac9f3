/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stages that repair invalid cells (scheme.on_invalid = first_order) or apply floors. A rank that
 * fails takes part in all messages until the next reduction; there all ranks fail with it. */
#include <stdlib.h>
#include <string.h>

#include "solver/step/sim.h"

/* How often cells may be marked in a stage. First-order fluxes of one cell may make a neighbour
 * invalid, which is then marked too. */
enum { MAX_PASSES = 6 };

/* Sum over all ranks the number of cells that the kernels have left invalid, and a second number,
 * which the caller gives. */
static oak_status_t reduce_counts(oak_t *sim, oak_status_t st, int64_t local, int64_t *invalid,
                                  int64_t *total) {
  double results[2] = {0, 0};
  int64_t sum[3] = {0, 0, local};
  oak_timer_start(&sim->data.timers, OAK_PHASE_TIME_STEP);
  if (st == OAK_OK) st = oak_read_results(sim, NULL, results);
  sum[1] = (int64_t)results[1];
  sum[0] = st != OAK_OK;
  oak_data_failed(&sim->data, st);
  MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INT64_T, MPI_SUM, sim->setup.comm);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_TIME_STEP);
  if (sum[0]) return oak_data_agree(&sim->data, st);
  *invalid = sum[1];
  *total = sum[2];
  return OAK_OK;
}

/* Run a kernel over the blocks of this rank. */
static oak_status_t launch(oak_t *sim, oak_kernel_t *kernel, int state, double time, void *args,
                           size_t bytes) {
  return OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX,
                   oak_data_launch(&sim->data, kernel, state, time, args, bytes));
}

/* Sum of the marks that a kernel has left in the blocks of this rank. */
static oak_status_t sum_marks(oak_t *sim, int64_t *sum) {
  const int n = sim->data.mesh->nblock;
  OAK_FREED int *count = NULL;
  *sum = 0;
  OAK_TRY(OAK_NEW(count, n + 1));
  const oak_status_t st =
      oak_device_download(sim->setup.dev, count, sim->marks.marked, n * sizeof *count);
  for (int b = 0; b < n; b++) *sum += count[b];
  return st;
}

/* The result goes to a separate state. All passes need the previous states, and the stage may
 * replace one of these. */
oak_status_t oak_repair_begin(oak_t *sim, oak_step_t *step) {
  step->out = sim->setup.method.runge_kutta->nstate;
  step->flux.out = oak_data_state(&sim->data, step->out);
  step->flux.first = 1; /* each stage counts its own invalid cells, each time it is computed */
  return OAK_OK;
}

/* Mark the invalid cells of the result and the faces between them and other cells. Afterwards the
 * ghost cells are again those of the stage's input. */
static oak_status_t mark_invalid(oak_t *sim, oak_step_t *step) {
  oak_mark_args_t args = {.u = oak_data_state(&sim->data, step->out),
                          .mark = sim->marks.cells,
                          .marked = sim->marks.marked,
                          .touched = sim->marks.touched,
                          .first = step->pass++ == 0};
  oak_status_t st = launch(sim, sim->setup.kernel.mark, step->out, step->time, &args, sizeof args);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, step->out, step->time));
  if (st == OAK_OK)
    st = launch(sim, sim->setup.kernel.mark_faces, step->out, step->time, &args, sizeof args);
  if (st == OAK_OK) st = sum_marks(sim, &step->marked);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, step->state, step->time));
  return st;
}

/* First-order fluxes around marked cells, until no cell is invalid or MAX_PASSES is reached. */
oak_status_t oak_repair_cells(oak_t *sim, oak_step_t *step) {
  oak_repair_args_t args = {
      .stage = step->flux, .mark = sim->marks.cells, .touched = sim->marks.touched};
  oak_status_t st = step->status;
  for (;;) {
    if (step->pass > 0 && st == OAK_OK)
      st = launch(sim, sim->setup.kernel.repair, step->state, step->time, &args, sizeof args);
    OAK_TRY(reduce_counts(sim, st, step->marked, &step->invalid, &step->all_marked));
    if (!step->invalid || step->pass == MAX_PASSES) return OAK_OK;
    st = mark_invalid(sim, step);
  }
}

/* A cell that becomes invalid by flux fixing is marked too. The whole stage is then repeated,
 * because flux fixing has already changed other cells. */
oak_status_t oak_repair_again(oak_t *sim, oak_step_t *step) {
  for (;;) {
    OAK_TRY(reduce_counts(sim, step->status, step->marked, &step->invalid, &step->all_marked));
    if (!step->invalid || step->pass == MAX_PASSES) return OAK_OK;
    step->status = mark_invalid(sim, step);
    oak_step_repeat(sim, step, oak_fluxes_outer, oak_repair_again);
    if (step->ended) return step->status;
  }
}

oak_status_t oak_floors_apply(oak_t *sim, oak_step_t *step) {
  oak_floor_args_t args = {.u = oak_data_state(&sim->data, step->out),
                           .changed = sim->marks.marked,
                           .bad = sim->data.results.bad};
  int64_t local = 0, changed;
  oak_status_t st = step->status;
  if (st == OAK_OK)
    st = launch(sim, sim->setup.kernel.floor, step->out, sim->data.clock.time, &args, sizeof args);
  if (st == OAK_OK) st = sum_marks(sim, &local);
  OAK_TRY(reduce_counts(sim, st, local, &step->invalid, &changed));
  sim->counts.floored_cells += changed;
  return OAK_OK;
}

/* Take the result over, unless it has invalid cells. */
oak_status_t oak_stage_accept(oak_t *sim, oak_step_t *step) {
  sim->counts.first_order_cells += step->all_marked;
  step->ended = step->invalid && sim->setup.method.retry;
  if (step->ended) return OAK_OK;
  sim->invalid = (oak_failed_step_t){.found = step->invalid > 0, .state = step->out};
  if (step->invalid)
    return oak_report_invalid(
        sim, step->out, sim->setup.method.floors ? OAK_INVALID_FLOORED : OAK_INVALID_REPAIRED);
  if (step->out != step->stage.out) oak_storage_swap(&sim->data, step->stage.out, step->out);
  return OAK_OK;
}

/* ---- keys and memory */

/* A physics with the hook FLOOR has parameters that end in _floor; 0 is off. */
static oak_status_t read_floors(oak_t *sim) {
  const oak_description_t *d = &sim->setup.description;
  for (int n = 0; n < d->nparameter && oak_has_hook(&sim->setup, "physics_floor"); n++) {
    const char *key = d->parameter[n].key, *end = strrchr(key, '_');
    if (strncmp(key, "physics.", 8) || !end || strcmp(end, "_floor") ||
        sim->setup.files.declared.parameter[d->parameter[n].slot].kind != OAK_PARAMETER)
      continue;
    const double value = oak_params_real(sim->setup.params, key);
    OAK_CHECK(value >= 0, OAK_ERR_INPUT, "%s: %s = %g: must be at least 0 (0: no floor)",
              oak_params_origin(sim->setup.params, key), key, value);
    sim->setup.method.floors |= value > 0;
  }
  if (sim->setup.method.first_order || sim->setup.method.floors)
    sim->parts.needs |= OAK_NEEDS_WHOLE_TILES;
  return OAK_OK;
}

static void clear(oak_t *sim) { oak_device_free(sim->setup.dev, sim->marks.memory.at); }

/* Marks and counts of cells that get first-order fluxes or a floor. */
static oak_status_t fit_marks(oak_t *sim) {
  oak_marks_t *m = &sim->marks;
  const int64_t n = sim->data.mesh->nblock,
                cells = sim->setup.method.first_order ? sim->setup.block.cells : 0;
  OAK_TRY(oak_array_fit(sim->setup.dev, &m->memory, n * (2 * (int64_t)sizeof(int) + cells)));
  m->marked = m->memory.at;
  m->touched = (int *)m->memory.at + n;
  m->cells = (int *)m->memory.at + 2 * n;
  return OAK_OK;
}

static int has_repair(const oak_t *sim) { return sim->setup.method.first_order; }
static int has_levels(const oak_t *sim) {
  return has_repair(sim) &&
         (sim->setup.fields.nvector || sim->setup.refine.max_level > sim->setup.refine.min_level);
}
static int has_floors(const oak_t *sim) { return sim->setup.method.floors; }
static int has_either(const oak_t *sim) { return has_repair(sim) || has_floors(sim); }

static int64_t bytes(const oak_t *sim) { return sim->marks.memory.bytes; }

const oak_part_t oak_part_repair = {.wanted = has_repair};
const oak_part_t oak_part_repair_levels = {.wanted = has_levels};
const oak_part_t oak_part_floors = {.wanted = has_floors};
const oak_part_t oak_part_accept = {
    .wanted = has_either, .read = read_floors, .fit = fit_marks, .bytes = bytes, .clear = clear};
