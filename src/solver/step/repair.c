/* SPDX-License-Identifier: GPL-2.0-or-later
 * Stages that repair invalid cells (scheme.on_invalid = first_order) or apply floors. A rank that
 * fails takes part in all messages until the next reduction; there all ranks fail with it. */
#include <stdlib.h>
#include <string.h>

#include "solver/step/sim.h"
#include "solver/step/stage.h"

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
  if (st == OAK_OK) st = oak_read_results(sim, results);
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
static oak_status_t launch(oak_t *sim, oak_kernel_t *kernel, const void *args, size_t bytes) {
  oak_status_t st = OAK_OK;
  oak_timer_start(&sim->data.timers, OAK_PHASE_FLUX);
  if (sim->data.mesh->nblock)
    st = oak_device_launch(sim->setup.dev, kernel, sim->data.mesh->nblock, args, bytes);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_FLUX);
  return st;
}

/* Sum of the counts that a kernel has left per block of this rank. */
static oak_status_t sum_counts(oak_t *sim, const void *counts, int64_t *sum) {
  const int n = sim->data.mesh->nblock;
  *sum = 0;
  if (!n) return OAK_OK;
  OAK_TRY(
      oak_device_download(sim->setup.dev, sim->marks.count, counts, n * sizeof *sim->marks.count));
  for (int b = 0; b < n; b++) *sum += sim->marks.count[b];
  return OAK_OK;
}

/* Mark the invalid cells of state `out` and the faces between them and other cells. Afterwards the
 * ghost cells are again those of the stage's input. `marked` counts the marked cells of this rank.
 */
static oak_status_t mark_invalid(oak_t *sim, const oak_stage_t *stage, int out, double time,
                                 int first, int64_t *marked) {
  oak_mark_args_t args = {.u = oak_data_state(&sim->data, out),
                          .mark = sim->marks.cells,
                          .marked = sim->marks.marked,
                          .touched = sim->marks.touched,
                          .first = first};
  oak_data_field(&sim->data, out, time, &args.f);
  oak_status_t st = launch(sim, sim->setup.kernel.mark, &args, sizeof args);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, out, time));
  if (st == OAK_OK) st = launch(sim, sim->setup.kernel.mark_faces, &args, sizeof args);
  if (st == OAK_OK) st = sum_counts(sim, sim->marks.marked, marked);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, stage->deriv, time));
  return st;
}

/* Compute the stage into state `out`. Repeat it with first-order fluxes around cells that are
 * invalid in the result, until no cell is invalid or MAX_PASSES is reached. A cell that becomes
 * invalid by flux fixing is marked too. The whole stage is then repeated, because flux fixing has
 * already changed other cells. */
static oak_status_t run_passes(oak_t *sim, const oak_stage_t *stage, int out, double dt,
                               int64_t *invalid) {
  const double time = sim->data.clock.time + stage->c * dt;
  const int refined = sim->setup.max_level > sim->setup.min_level;
  oak_repair_args_t args = {.mark = sim->marks.cells, .touched = sim->marks.touched};
  int64_t local = 0, marked = 0;
  int whole = 1;
  OAK_TRY(oak_parts_before_ghosts(sim, stage->deriv, time));
  oak_status_t st = oak_fill_ghosts(&sim->data, stage->deriv, time);
  oak_keep_failure(&st, oak_parts_with_ghosts(sim, stage->deriv, time));
  oak_stage_args(sim, stage, out, dt, &args.stage);
  for (int pass = 0;; pass++) {
    const int last = pass == (sim->setup.method.first_order ? MAX_PASSES : 0);
    if (whole && st == OAK_OK) st = oak_launch_flux(sim, &args.stage, NULL);
    if (pass > 0 && st == OAK_OK) st = launch(sim, sim->setup.kernel.repair, &args, sizeof args);
    OAK_TRY(reduce_counts(sim, st, local, invalid, &marked));
    whole = refined && (last || !*invalid);
    if (whole) {
      st = oak_parts_after_fluxes(sim, out, stage->beta * dt);
      OAK_TRY(reduce_counts(sim, st, local, invalid, &marked));
    }
    if (last || !*invalid) break;
    st = mark_invalid(sim, stage, out, time, pass == 0, &local);
  }
  sim->counts.first_order_cells += marked;
  return OAK_OK;
}

static oak_status_t apply_floors(oak_t *sim, int state, int64_t *invalid) {
  oak_floor_args_t args = {.u = oak_data_state(&sim->data, state),
                           .changed = sim->marks.marked,
                           .bad = sim->data.results.bad};
  int64_t local = 0, changed;
  oak_data_field(&sim->data, state, sim->data.clock.time, &args.f);
  oak_status_t st = launch(sim, sim->setup.kernel.floor, &args, sizeof args);
  if (st == OAK_OK) st = sum_counts(sim, sim->marks.marked, &local);
  OAK_TRY(reduce_counts(sim, st, local, invalid, &changed));
  sim->counts.floored_cells += changed;
  return OAK_OK;
}

/* The result goes to a separate state. All passes need the previous states, and the stage may
 * replace one of these. */
static oak_status_t run_stage(oak_t *sim, const oak_stage_t *stage, double dt, int *refused) {
  const int out =
      sim->setup.method.first_order ? sim->setup.method.runge_kutta->nstate : stage->out;
  int64_t invalid;
  OAK_TRY(run_passes(sim, stage, out, dt, &invalid));
  if (sim->setup.method.floors) OAK_TRY(apply_floors(sim, out, &invalid));
  *refused = invalid && sim->setup.method.retry;
  if (*refused) return OAK_OK;
  sim->invalid.found = invalid > 0;
  sim->invalid.state = out;
  if (invalid)
    return oak_report_invalid(
        sim, out, sim->setup.method.floors ? OAK_INVALID_FLOORED : OAK_INVALID_REPAIRED);
  if (out != stage->out) oak_storage_swap(&sim->data, stage->out, out);
  return OAK_OK;
}

/* Every rank ends the step if one has failed. */
static oak_status_t compute_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt,
                                  int *ended) {
  int refused = 0;
  (void)first;
  const oak_status_t st = run_stage(sim, stage, dt, &refused);
  *ended = refused || st != OAK_OK;
  return st;
}

/* Fluxes that are not finite are repaired as in a stage. */
static oak_status_t probe_stage(oak_t *sim, const oak_stage_t *probe) {
  if (!sim->setup.method.first_order) return oak_probe_stage(sim, probe);
  const int64_t count = sim->counts.first_order_cells;
  int64_t invalid;
  oak_status_t st = run_passes(sim, probe, probe->out, 0, &invalid);
  sim->counts.first_order_cells = count;
  return st;
}

/* ---- keys and memory */

/* A physics with the hook FLOOR has parameters that end in _floor; 0 is off. */
static oak_status_t read_floors(oak_t *sim) {
  const oak_description_t *d = &sim->setup.description;
  for (int n = 0; n < d->nparameter && oak_has_hook(&sim->setup, "physics_floor"); n++) {
    char key[256];
    const size_t length = strlen(d->parameter[n].name);
    if (strcmp(d->parameter[n].section, "physics") || length < 6 ||
        strcmp(d->parameter[n].name + length - 6, "_floor") ||
        sim->setup.files.declared.parameter[d->parameter[n].slot].kind != OAK_PARAMETER)
      continue;
    snprintf(key, sizeof key, "physics.%s", d->parameter[n].name);
    const double value = oak_params_real(sim->setup.params, key);
    OAK_CHECK(value >= 0, OAK_ERR_INPUT, "%s: %s = %g: must be at least 0 (0: no floor)",
              oak_params_origin(sim->setup.params, key), key, value);
    sim->setup.method.floors |= value > 0;
  }
  return OAK_OK;
}

/* Marks and counts of cells that get first-order fluxes or a floor. */
static oak_status_t fit_marks(oak_t *sim) {
  const int n = sim->data.mesh->nblock;
  if (n <= sim->marks.capacity) return OAK_OK;
  const int wanted = n + n / 8;
  oak_device_free(sim->setup.dev, sim->marks.cells);
  oak_device_free(sim->setup.dev, sim->marks.marked);
  oak_device_free(sim->setup.dev, sim->marks.touched);
  free(sim->marks.count);
  sim->marks.cells = sim->marks.marked = sim->marks.touched = NULL;
  sim->marks.capacity = 0;
  OAK_TRY(OAK_NEW(sim->marks.count, wanted));
  if (sim->setup.method.first_order)
    OAK_TRY(oak_device_alloc(sim->setup.dev, wanted * sim->setup.cells, &sim->marks.cells));
  OAK_TRY(oak_device_alloc(sim->setup.dev, wanted * sizeof(int), &sim->marks.marked));
  OAK_TRY(oak_device_alloc(sim->setup.dev, wanted * sizeof(int), &sim->marks.touched));
  sim->marks.capacity = wanted;
  return OAK_OK;
}

static int wanted(const oak_t *sim) {
  return sim->setup.method.first_order || sim->setup.method.floors;
}

static int64_t bytes(const oak_t *sim) {
  return sim->setup.method.first_order ? sim->marks.capacity * sim->setup.cells : 0;
}

static void clear(oak_t *sim) {
  oak_device_free(sim->setup.dev, sim->marks.cells);
  oak_device_free(sim->setup.dev, sim->marks.marked);
  oak_device_free(sim->setup.dev, sim->marks.touched);
  free(sim->marks.count);
}

const oak_part_t oak_part_repair = {.name = "ghost cells, fluxes, repair of invalid cells",
                                    .needs = OAK_PART_WHOLE_TILES,
                                    .wanted = wanted,
                                    .read = read_floors,
                                    .fit = fit_marks,
                                    .bytes = bytes,
                                    .clear = clear,
                                    .stage = compute_stage,
                                    .probe = probe_stage};
