/* SPDX-License-Identifier: GPL-2.0-or-later
 * Diffusive fluxes (the hooks DIFFUSIVE_FLUX). Their rate of change is one array like a state, with
 * fluxes matched at refinement boundaries. With scheme.diffusion = explicit each stage of the
 * Runge-Kutta scheme adds it to the other rates. With rkl2 the diffusion is a part of the step by
 * itself, like the hooks UPDATE: a Runge-Kutta-Legendre scheme of second order whose number of
 * stages grows with the root of the time step (C. D. Meyer, D. S. Balsara, T. D. Aslam, J. Comput.
 * Phys. 257 (2014) 594). */
#include <math.h>
#include <stdlib.h>

#include "solver/step/part.h"
#include "solver/step/sim.h"

/* States of super time stepping beside the solution, which are free between the stages of the
 * Runge-Kutta scheme: two of its stages, the rate of change at the beginning and the present one.
 */
enum { STAGES = 1, RATE0 = 3, RATE = 4, RKL2_STATES = 5 };

/* Bytes of the blocks with ghost cells that oak_diffusion reads at a time. On a CPU they fit in the
 * cache of each thread. On a GPU there are enough of them for all lanes. */
static int64_t batch_bytes(const oak_t *sim) {
  const int threads = oak_device_threads(sim->setup.dev);
  return oak_device_ops(sim->setup.dev)->host_memory ? (int64_t)threads << 18 : 256 << 20;
}

static oak_status_t check_hooks(const oak_t *sim) {
  const char *const path[] = {sim->setup.files.physics, sim->setup.files.problem};
  for (int o = 0; o < 2; o++) {
    const int flux = oak_declares(&sim->setup.files.declared, o, "diffusive_flux", "");
    const int diffusivity = oak_declares(&sim->setup.files.declared, o, "diffusivity", "");
    OAK_CHECK(flux == diffusivity, OAK_ERR_INPUT,
              "%s has %s but no %s: the hooks DIFFUSIVE_FLUX and DIFFUSIVITY belong together, see "
              "docs/kernels.md",
              path[o], flux ? "DIFFUSIVE_FLUX" : "DIFFUSIVITY",
              flux ? "DIFFUSIVITY" : "DIFFUSIVE_FLUX");
  }
  return OAK_OK;
}

/* A physics with keys for its fluxes has them where one of these keys is above 0, or where the
 * problem may change them. */
static oak_status_t choose_hooks(oak_t *sim) {
  const oak_description_t *d = &sim->setup.description;
  const int local = oak_has_hook(&sim->setup, "problem_coefficients");
  int keys = 0, used[3] = {0, local, local};
  for (int n = 0; n < d->nparameter; n++) {
    const int kind = d->parameter[n].diffusive;
    keys |= kind;
    if (kind && oak_params_real(sim->setup.params, d->parameter[n].key) > 0)
      used[1] = used[kind] = 1;
  }
  if (keys && !used[1]) oak_declared_drop(&sim->setup.files.declared, "DIFFUSIVE_FLUX");
  if (keys && !used[1]) oak_declared_drop(&sim->setup.files.declared, "DIFFUSIVITY");
  if (keys && !used[2]) oak_declared_drop(&sim->setup.files.declared, "ELECTRIC_FIELD");
  OAK_CHECK(!local || oak_has_hook(&sim->setup, "physics_diffusive_flux"), OAK_ERR_INPUT,
            "%s has COEFFICIENTS, which has no effect, because %s has no DIFFUSIVE_FLUX: leave "
            "the hook out or choose another physics.name",
            sim->setup.files.problem, sim->setup.files.physics);
  return OAK_OK;
}

static oak_status_t read_keys(oak_t *sim) {
  const int rkl2 = oak_params_choice(sim->setup.params, "scheme.diffusion") == 1;
  OAK_TRY(choose_hooks(sim));
  OAK_TRY(check_hooks(sim));
  OAK_CHECK(!rkl2 || OAK_HAS_HOOK(&sim->setup, diffusive_flux), OAK_ERR_INPUT,
            "%s: scheme.diffusion = rkl2: neither physics.name = %s nor problem.name = %s has "
            "DIFFUSIVE_FLUX, or the keys of its coefficients are 0; leave the key out",
            oak_params_origin(sim->setup.params, "scheme.diffusion"),
            oak_params_text(sim->setup.params, "physics.name"),
            oak_params_text(sim->setup.params, "problem.name"));
  if (!OAK_HAS_HOOK(&sim->setup, diffusive_flux)) return OAK_OK;
  sim->setup.method.diffusion = rkl2 ? OAK_DIFFUSION_RKL2 : OAK_DIFFUSION_EXPLICIT;
  sim->diffusion.rate = rkl2 ? RATE : sim->setup.method.nstate++;
  sim->parts.needs |= OAK_NEEDS_EDGES | (rkl2 ? OAK_NEEDS_STATES : OAK_NEEDS_GHOSTS);
  if (rkl2 && sim->setup.method.nstate < RKL2_STATES) sim->setup.method.nstate = RKL2_STATES;
  return OAK_OK;
}

/* ---- the rate of change */

static int64_t wide_bytes(const oak_t *sim) {
  int64_t cells = 1;
  for (int d = 0; d < sim->setup.dim; d++) cells *= sim->setup.block.size[d] + 2;
  return cells * sim->setup.nvar * sim->setup.bytes.real;
}

/* Blocks that are copied at a time. */
static int64_t batch(const oak_t *sim) { return sim->diffusion.wide.bytes / wide_bytes(sim); }

static oak_status_t fit(oak_t *sim) {
  const int64_t most = batch_bytes(sim) / wide_bytes(sim) + 1, n = sim->data.mesh->nblock;
  return oak_array_fit(sim->setup.dev, &sim->diffusion.wide,
                       (n < most ? n : most) * wide_bytes(sim));
}

static void clear(oak_t *sim) { oak_device_free(sim->setup.dev, sim->diffusion.wide.at); }

static int64_t count_bytes(const oak_t *sim) { return sim->diffusion.wide.bytes; }

/* Copy blocks from args->first on with their ghost cells, at most \a most; *n: how many. */
static oak_status_t copy_blocks(oak_t *sim, const oak_diffusion_args_t *args, int most, int *n) {
  *n = most < batch(sim) ? most : (int)batch(sim);
  return oak_device_launch(sim->setup.dev, sim->setup.kernel.primitive, *n, args, sizeof *args);
}

static oak_diffusion_args_t diffusion_args(const oak_t *sim, int state, double time) {
  oak_diffusion_args_t args = {.edge = sim->data.pattern.edge.device,
                               .bc = sim->setup.domain.bc,
                               .q = sim->diffusion.wide.at};
  for (int d = 0; d < 3; d++) args.trees[d] = sim->setup.domain.trees[d];
  oak_data_field(&sim->data, state, time, &args.f);
  return args;
}

static oak_status_t launch_rate(oak_t *sim, int state, double time, int out) {
  oak_diffusion_args_t args = diffusion_args(sim, state, time);
  args.out = oak_data_state(&sim->data, out);
  args.bflux = sim->fluxfix.bflux.at;
  for (int first = 0, n; first < sim->data.mesh->nblock; first += n) {
    args.first = first;
    OAK_TRY(copy_blocks(sim, &args, sim->data.mesh->nblock - first, &n));
    OAK_TRY(oak_device_launch(sim->setup.dev, sim->setup.kernel.diffusion, n, &args, sizeof args));
  }
  return OAK_OK;
}

oak_status_t oak_diffusion_copy(oak_t *sim, int first, int *n, const void **wide) {
  oak_diffusion_args_t args = diffusion_args(sim, 0, sim->data.clock.time);
  args.first = first;
  *wide = sim->diffusion.wide.at;
  return copy_blocks(sim, &args, sim->data.mesh->nblock - first, n);
}

/* The rate of change of a state whose ghost cells are filled. Collective: a rank that has failed
 * takes part in the messages of flux fixing. */
static oak_status_t find_rate(oak_t *sim, int state, double time, int out) {
  oak_status_t st = oak_face_vector_rate(sim, state, time, out);
  if (st == OAK_OK)
    st = OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX, launch_rate(sim, state, time, out));
  oak_keep_failure(&st, oak_fix_rate(sim, out, sim->diffusion.wide.at));
  return st;
}

/* The largest diffusivity / dx^2 of each block of this rank. */
static oak_status_t read_rates(oak_t *sim, double time, double *rate) {
  const int n = sim->data.mesh->nblock;
  oak_diffusivity_args_t args = {.rate = NULL};
  OAK_TRY(oak_storage_scratch(&sim->data, n * sizeof *rate));
  args.rate = sim->data.storage.scratch.at;
  OAK_TRY(oak_data_launch(&sim->data, sim->setup.kernel.diffusivity, 0, time, &args, sizeof args));
  return oak_device_download(sim->setup.dev, rate, args.rate, n * sizeof *rate);
}

/* ---- explicit: added to the other rates of a stage */

static int is_explicit(const oak_t *sim) {
  return sim->setup.method.diffusion == OAK_DIFFUSION_EXPLICIT;
}

oak_status_t oak_diffusion_rate(oak_t *sim, oak_step_t *step) {
  return find_rate(sim, step->state, step->time, sim->diffusion.rate);
}

oak_status_t oak_diffusion_block_rates(oak_t *sim, double **rate) {
  const int n = sim->data.mesh->nblock;
  *rate = NULL;
  if (!is_explicit(sim)) return OAK_OK;
  oak_status_t st = OAK_NEW(*rate, n + 1);
  if (st == OAK_OK) st = read_rates(sim, sim->data.clock.time, *rate);
  return oak_data_agree(&sim->data, st);
}

const oak_part_t oak_part_diffusion = {
    .wanted = is_explicit, .read = read_keys, .fit = fit, .bytes = count_bytes, .clear = clear};

/* ---- super time stepping */

/* The largest rate of this rank's blocks: forward Euler steps are stable up to its inverse. */
static oak_status_t local_rate(oak_t *sim, double time, double *most) {
  OAK_FREED double *rate = NULL;
  *most = 0;
  OAK_TRY(OAK_NEW(rate, sim->data.mesh->nblock + 1));
  OAK_TRY(read_rates(sim, time, rate));
  for (int b = 0; b < sim->data.mesh->nblock; b++) *most = fmax(*most, rate[b]);
  return OAK_OK;
}

/* Stages for a time dt. A scheme with s stages is stable up to (s^2 + s - 2) / 4 explicit steps
 * (Meyer et al., eq. 20); odd numbers damp the shortest waves better. */
static oak_status_t count_stages(oak_t *sim, double time, double dt, int *stages) {
  enum { MOST = 9999 };
  double most;
  OAK_TRY(oak_data_agree(&sim->data, local_rate(sim, time, &most)));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, sim->setup.comm);
  const double ratio = dt * most / sim->setup.method.cfl;
  const double s = ceil(0.5 * (sqrt(9 + 16 * ratio) - 1));
  OAK_CHECK(
      s <= MOST, OAK_ERR_STATE,
      "scheme.diffusion = rkl2: the step %g is %g times the explicit step of diffusion, which "
      "takes more than %d stages: check DIFFUSIVITY, or set run.dt_max",
      dt, ratio, MOST);
  *stages = most > 0 ? (s < 3 ? 3 : (int)s | 1) : 0;
  return OAK_OK;
}

/* The coefficients of stage j (Meyer et al., eqs. 16 to 19). */
static double rkl_b(int j) { return j < 2 ? 1.0 / 3 : (j * j + j - 2.0) / (2.0 * j * (j + 1)); }

/* Time of stage j in units of the step. Stage 1 is an Euler step of the length b_1 w_1. */
static double rkl_c(int j, int s) {
  const double all = (double)s * s + s - 2;
  return j < 1 ? 0 : j < 2 ? rkl_b(1) * 4 / all : (j * j + j - 2.0) / all;
}

static void set_weights(oak_rkl_args_t *args, int j, int s, double dt) {
  const double w1 = 4 / ((double)s * s + s - 2);
  args->mu = args->nu = args->b = 0;
  args->a = rkl_b(1) * w1 * dt;
  if (j < 2) return;
  args->mu = (2.0 * j - 1) / j * rkl_b(j) / rkl_b(j - 1);
  args->nu = -(j - 1.0) / j * rkl_b(j) / rkl_b(j - 2);
  args->a = args->mu * w1 * dt;
  args->b = -(1 - rkl_b(j - 1)) * args->a;
}

/* Stage j, from states `last` and `before` to `before`; in the first stage both are the solution
 * and the result goes to `out`. A rank that has failed takes part in all messages. */
static oak_status_t run_stage(oak_t *sim, int j, int s, double time, double dt, int last,
                              int before, int out) {
  const int rate = j == 1 ? RATE0 : RATE;
  const double now = time + rkl_c(j - 1, s) * dt;
  oak_status_t st = oak_fill_ghosts(&sim->data, last, now);
  oak_keep_failure(&st, find_rate(sim, last, now, rate));
  OAK_TRY(st);
  oak_rkl_args_t args = {.y1 = oak_data_state(&sim->data, last),
                         .y2 = oak_data_state(&sim->data, before),
                         .m0 = oak_data_state(&sim->data, RATE0),
                         .m1 = oak_data_state(&sim->data, rate),
                         .out = oak_data_state(&sim->data, out),
                         .bad = sim->data.results.bad};
  set_weights(&args, j, s, dt);
  OAK_TRY(
      OAK_TIMED(&sim->data.timers, OAK_PHASE_FLUX,
                oak_data_launch(&sim->data, sim->setup.kernel.rkl, 0, time, &args, sizeof args)));
  return oak_face_vector_means(sim, out);
}

oak_status_t oak_rkl2_advance(oak_t *sim, oak_step_t *step) {
  int stages = 0, last = 0, before = 0;
  oak_status_t st = OAK_OK;
  OAK_TRY(count_stages(sim, step->time, step->dt, &stages));
  if (!stages) return OAK_OK;
  for (int j = 1; j <= stages; j++) {
    const int out = j < 3 ? STAGES + j - 1 : before;
    oak_keep_failure(&st, run_stage(sim, j, stages, step->time, step->dt, last, before, out));
    before = last;
    last = out;
  }
  oak_storage_swap(&sim->data, 0, last);
  return oak_judge_invalid(sim, st, 1, OAK_INVALID_DIFFUSION);
}

static int is_rkl2(const oak_t *sim) { return sim->setup.method.diffusion == OAK_DIFFUSION_RKL2; }

const oak_part_t oak_part_rkl2 = {
    .wanted = is_rkl2, .fit = fit, .bytes = count_bytes, .clear = clear};
