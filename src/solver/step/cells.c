/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks that go over all cells once per step: globals, which the hooks of the step read, and
 * UPDATE, which advances the state beside the stages. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

/* ---- globals */

/* Values of this rank's blocks, [nblock][globals]; the caller frees them. */
static oak_status_t read_globals(oak_t *sim, double **out) {
  const int n = sim->mesh->nblock;
  const size_t bytes = ((size_t)n * sim->description.nglobal + 1) * sizeof **out;
  oak_globals_args_t args = {.out = NULL};
  *out = malloc(bytes);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory for the globals of %d blocks", n);
  if (!n) return OAK_OK;
  OAK_TRY(oak_storage_scratch(sim, bytes));
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  args.out = sim->storage.scratch;
  OAK_TRY(oak_device_launch(sim->dev, sim->kernel.globals, n, &args, sizeof args));
  return oak_device_download(sim->dev, *out, sim->storage.scratch, bytes - sizeof **out);
}

/* The globals of all ranks. */
static oak_status_t reduce_globals(const oak_t *sim, const double *part, double *value) {
  const int n = sim->mesh->nblock, count = sim->description.nglobal;
  double most[OAK_MAX_PARAMETERS], sum[OAK_MAX_PARAMETERS];
  for (int g = 0; g < count; g++) {
    most[g] = -INFINITY;
    for (int b = 0; b < n; b++)
      if (part[b * count + g] > most[g]) most[g] = part[b * count + g];
  }
  MPI_Allreduce(MPI_IN_PLACE, most, count, MPI_DOUBLE, MPI_MAX, sim->comm);
  if (sim->description.has_integrals) OAK_TRY(oak_sum_exact(sim->comm, count, n, part, sum));
  for (int g = 0; g < count; g++) {
    const oak_kind_t kind = sim->files.declared.parameter[sim->description.global_slot[g]].kind;
    value[g] = kind == OAK_GLOBAL_INTEGRAL ? sum[g] : kind == OAK_GLOBAL_MIN ? -most[g] : most[g];
  }
  return OAK_OK;
}

static int has_globals(const oak_t *sim) { return sim->description.nglobal > 0; }

static oak_status_t update_globals(oak_t *sim) {
  double *part = NULL, value[OAK_MAX_PARAMETERS];
  oak_timer_start(&sim->timers, OAK_PHASE_TIME_STEP);
  oak_status_t st = oak_sim_agree(sim, read_globals(sim, &part));
  if (st == OAK_OK) st = reduce_globals(sim, part, value);
  free(part);
  if (st == OAK_OK) st = oak_sim_agree(sim, oak_sim_upload_globals(sim, value));
  oak_timer_stop(&sim->timers, OAK_PHASE_TIME_STEP);
  return st;
}

const oak_part_t oak_part_globals = {
    .name = "globals", .wanted = has_globals, .begin_step = update_globals};

/* ---- UPDATE */

oak_status_t oak_count_invalid(oak_t *sim, int *invalid) {
  const int n = sim->mesh->nblock;
  *invalid = 0;
  if (!n) return OAK_OK;
  int *bad = malloc(n * sizeof *bad);
  OAK_CHECK(bad, OAK_ERR_MEMORY, "no memory for the counts of %d blocks", n);
  const oak_status_t st = oak_device_download(sim->dev, bad, sim->results.bad, n * sizeof *bad);
  for (int b = 0; b < n && st == OAK_OK; b++) *invalid |= bad[b] > 0;
  free(bad);
  return st;
}

static oak_status_t launch_update(oak_t *sim, double time, double dt, int *invalid) {
  const int n = sim->mesh->nblock;
  oak_update_args_t args = {.u = oak_sim_state(sim, 0), .dt = dt, .bad = sim->results.bad};
  *invalid = 0;
  if (!n) return OAK_OK;
  oak_sim_field(sim, 0, time, &args.f);
  OAK_TRY(oak_device_launch(sim->dev, sim->kernel.update, n, &args, sizeof args));
  return oak_count_invalid(sim, invalid);
}

/* Ranks that read cells of this rank in place have finished reading before this point, because the
 * step begins or ends with a reduction over all ranks. */
static oak_status_t apply_update(oak_t *sim, double time, double dt) {
  int invalid;
  oak_timer_start(&sim->timers, OAK_PHASE_FLUX);
  const oak_status_t st = launch_update(sim, time, dt, &invalid);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLUX);
  OAK_TRY(oak_sim_agree(sim, st));
  MPI_Allreduce(MPI_IN_PLACE, &invalid, 1, MPI_INT, MPI_MAX, sim->comm);
  return invalid ? oak_report_invalid(sim, 0, OAK_INVALID_UPDATE) : OAK_OK;
}

const oak_part_t oak_part_update = {
    .name = "UPDATE", .wanted = oak_has_update, .advance = apply_update};
