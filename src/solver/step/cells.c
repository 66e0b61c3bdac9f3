/* SPDX-License-Identifier: GPL-2.0-or-later
 * Hooks over all cells and faces: globals, which the hooks of a step read, UPDATE, which advances
 * the state beside the stages, FIELD, which sets fields on a new mesh, and FACE_FIELD. */
#include <math.h>
#include <stdlib.h>

#include "base/reduce.h"
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"

/* ---- globals */

/* A kernel over all cells of a state. So that a few large blocks keep a whole GPU busy, their
 * sections, as many as the flux kernel has results, are work of their own. */
static oak_status_t launch(const oak_t *sim, oak_kernel_t *kernel, int state, double time,
                           void *args, size_t bytes) {
  const long n = (long)sim->data.mesh->nblock * oak_data_results(&sim->data);
  oak_data_field(&sim->data, state, time, args);
  return oak_device_launch(sim->setup.dev, kernel, n, args, bytes);
}

/* Values of a state on this rank's blocks, [nblock][results][globals]; the caller frees them. */
static oak_status_t read_globals(oak_t *sim, int state, double time, double **out) {
  oak_globals_args_t args = {.results = oak_data_results(&sim->data)};
  const size_t count =
      (size_t)sim->data.mesh->nblock * args.results * sim->setup.description.nglobal;
  OAK_TRY(OAK_NEW(*out, count + 1));
  OAK_TRY(oak_storage_scratch(&sim->data, count * sizeof **out));
  args.out = sim->data.storage.scratch.at;
  OAK_TRY(launch(sim, sim->setup.kernel.globals, state, time, &args, sizeof args));
  return oak_device_download(sim->setup.dev, *out, args.out, count * sizeof **out);
}

/* The globals of all ranks. */
static oak_status_t reduce_globals(const oak_t *sim, const double *part, double *value) {
  const int n = sim->data.mesh->nblock * oak_data_results(&sim->data);
  const int count = sim->setup.description.nglobal;
  double most[OAK_MAX_PARAMETERS], sum[OAK_MAX_PARAMETERS];
  for (int g = 0; g < count; g++) {
    most[g] = -INFINITY;
    for (int b = 0; b < n; b++)
      if (part[b * count + g] > most[g]) most[g] = part[b * count + g];
  }
  MPI_Allreduce(MPI_IN_PLACE, most, count, MPI_DOUBLE, MPI_MAX, sim->setup.comm);
  if (sim->setup.description.has_integrals)
    OAK_TRY(oak_sum_exact(sim->setup.comm, count, n, part, sum));
  for (int g = 0; g < count; g++) {
    const oak_kind_t kind =
        sim->setup.files.declared.parameter[sim->setup.description.global_slot[g]].kind;
    value[g] = kind == OAK_GLOBAL_INTEGRAL ? sum[g] : kind == OAK_GLOBAL_MIN ? -most[g] : most[g];
  }
  return OAK_OK;
}

static int has_globals(const oak_t *sim) { return sim->setup.description.nglobal > 0; }

static oak_status_t measure(oak_t *sim, int state, double time, double *value) {
  OAK_FREED double *part = NULL;
  oak_status_t st = oak_data_agree(&sim->data, read_globals(sim, state, time, &part));
  if (st == OAK_OK) st = reduce_globals(sim, part, value);
  return st;
}

oak_status_t oak_globals_measure(oak_t *sim, double *value) {
  return measure(sim, 0, sim->data.clock.time, value);
}

/* Whether the largest rate of the fluxes is known, and is that of the waves. Not while steps grow,
 * because a checkpoint then has no other rate than `least`. Not in a stage, because a step that is
 * repeated has the rates of the attempt that failed. Collective. */
static int wave_rate_known(const oak_t *sim) {
  int unknown = sim->rates.known != OAK_RATES_KNOWN || sim->rates.doubted ||
                sim->rates.most < sim->rates.least || sim->data.clock.taken_dt != 0;
  MPI_Allreduce(MPI_IN_PLACE, &unknown, 1, MPI_INT, MPI_MAX, sim->setup.comm);
  return !unknown && sim->setup.method.diffusion != OAK_DIFFUSION_EXPLICIT &&
         !OAK_HAS_HOOK(&sim->setup, timestep);
}

static oak_status_t forget_places(oak_t *sim) {
  sim->globals.fit = 0;
  return OAK_OK;
}

/* Numbers of places stay on a mesh, and the fluxes know the rate of the waves. Other globals take a
 * pass over all cells, which on GPUs took 7 % of the time of magnetohydrodynamics. */
oak_status_t oak_globals_set(oak_t *sim, oak_step_t *step) {
  const oak_description_t *d = &sim->setup.description;
  double *value = sim->globals.value;
  oak_status_t st = OAK_OK;
  if (!has_globals(sim)) return OAK_OK;
  oak_timer_start(&sim->data.timers, OAK_PHASE_TIME_STEP);
  const int known = wave_rate_known(sim);
  if (d->of_cells || !known || !sim->globals.fit) st = measure(sim, step->state, step->time, value);
  sim->globals.fit = st == OAK_OK;
  for (int g = 0; g < d->nglobal && known; g++)
    if (sim->setup.files.declared.parameter[d->global_slot[g]].kind == OAK_GLOBAL_RATE)
      value[g] = sim->rates.most;
  if (st == OAK_OK) st = oak_data_agree(&sim->data, oak_setup_upload_globals(&sim->setup, value));
  oak_timer_stop(&sim->data.timers, OAK_PHASE_TIME_STEP);
  return st;
}

oak_status_t oak_globals_clear(oak_t *sim) {
  static const double zero[OAK_MAX_PARAMETERS];
  return has_globals(sim) ? oak_setup_upload_globals(&sim->setup, zero) : OAK_OK;
}

const oak_part_t oak_part_globals = {.wanted = has_globals, .fit = forget_places};

/* On request: those of the step are of first order in time. */
static int in_stages(const oak_t *sim) {
  return has_globals(sim) && oak_params_choice(sim->setup.params, "scheme.globals") == 1;
}

const oak_part_t oak_part_stage_globals = {.wanted = in_stages};

/* ---- UPDATE */

/* Ranks that read cells of this rank in place have finished reading before this point, because the
 * step begins or ends with a reduction over all ranks. */
oak_status_t oak_update_apply(oak_t *sim, oak_step_t *step) {
  oak_update_args_t args = {.u = oak_data_state(&sim->data, 0),
                            .dt = step->dt,
                            .bad = sim->data.results.bad,
                            .results = oak_data_results(&sim->data)};
  const oak_status_t st =
      OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX,
                launch(sim, sim->setup.kernel.update, 0, step->time, &args, sizeof args));
  return oak_judge_invalid(sim, st, args.results, OAK_INVALID_UPDATE);
}

static int has_update(const oak_t *sim) { return OAK_HAS_HOOK(&sim->setup, update); }

const oak_part_t oak_part_update = {.wanted = has_update};

/* ---- FIELD */

static int has_fields(const oak_t *sim) {
  return sim->setup.fields.count > 0 || sim->setup.fields.nface > 0;
}
oak_status_t oak_fields_set(oak_t *sim, oak_step_t *step) {
  (void)step;
  return oak_fields_renew(&sim->data);
}
static int64_t fields_bytes(const oak_t *sim) { return oak_field_set_bytes(&sim->data.fields); }
static void clear_fields(oak_t *sim) { oak_field_set_clear(&sim->data, &sim->data.fields); }

const oak_part_t oak_part_fields = {
    .wanted = has_fields, .bytes = fields_bytes, .clear = clear_fields};

/* ---- FACE_FIELD: numbers on faces, which are set before each stage, after the elliptic equations
 * are solved. The hooks of fluxes read them in the parameters of the physics. */

static int has_faces(const oak_t *sim) { return sim->setup.fields.nface > 0; }

/* The part of diffusion, which sets method.diffusion, comes later. */
static oak_status_t check_faces(oak_t *sim) {
  const int rkl2 = oak_params_choice(sim->setup.params, "scheme.diffusion") == 1;
  OAK_CHECK(!has_faces(sim) || !rkl2, OAK_ERR_INPUT,
            "%s: scheme.diffusion = rkl2: the stages of diffusion have no numbers on faces, but %s "
            "has FACE_FIELD: set scheme.diffusion = explicit",
            oak_params_origin(sim->setup.params, "scheme.diffusion"), sim->setup.files.physics);
  return OAK_OK;
}

oak_status_t oak_face_fields_set(oak_t *sim, oak_step_t *step) {
  oak_face_fields_args_t args = {.bc = sim->setup.domain.bc};
  for (int face = 0; face < 6 && sim->setup.equations.count; face++)
    args.given[face] = sim->poisson[0].elliptic->setup.condition[face] != OAK_ELLIPTIC_NEUMANN &&
                       !sim->poisson[0].isolated;
  for (int n = 0; n < sim->setup.equations.count; n++) args.slope[n] = sim->poisson[n].slope.at;
  if (sim->poisson[0].bodies) args.cut = oak_elliptic_top(sim->poisson[0].elliptic)->cut;
  return oak_data_agree(&sim->data, oak_data_launch(&sim->data, sim->setup.kernel.face_fields,
                                                    step->state, step->time, &args, sizeof args));
}

const oak_part_t oak_part_face_fields = {.wanted = has_faces, .read = check_faces};
