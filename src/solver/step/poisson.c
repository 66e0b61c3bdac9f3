/* SPDX-License-Identifier: GPL-2.0-or-later
 * Solutions of the elliptic equations of a run: div(a grad phi) - b phi = f, where the hook POISSON
 * of the problem or the physics gives f. The hook POISSON_COEFFICIENTS gives a and b; without it a
 * is 1 and b is a constant, from the hook POISSON_B or the key poisson.b. Each equation is solved
 * for the state that a stage starts from, and phi and its gradient are fields beside the state,
 * which the sources of that stage read. A solution starts from the field phi, extrapolated in time
 * by phi_t and phi_tt. They move with the blocks and are in checkpoints: a run that goes on from
 * a checkpoint finds the same bits. */
#include <math.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "solver/step/sim.h"

/* The derivatives of field i in time. A later stage gives both: the first as the change from the
 * stage before, which is on the same mesh, the second as the change of the first from the step
 * before. The first solution of a step follows the last one of the step before, if that was at the
 * same time: for the state by Euler's method, which lacks half the second derivative. */
static void set_rates(const oak_t *sim, const oak_poisson_t *p, int i, oak_poisson_args_t *args) {
  const int number[2] = {p->rate[i], i ? -1 : p->rate[4]}, later = p->shift > 0;
  const int known = sim->setup.method.runge_kutta->nstage == 2 && !oak_poisson_is_past(sim);
  const double past = known ? sim->data.clock.dt : 0;
  const double half = p->step == sim->data.clock.step ? 0 : 0.5 * past * past;
  const double start[2] = {p->shift, later ? p->shift * past : half};
  const double change[2] = {p->shift, later ? past : 0};
  for (int n = 0; n < 2; n++) {
    const double weight = args->store ? change[n] : start[n];
    if (number[n] < 0 || weight == 0) continue;
    args->rate[n] = sim->data.fields.field[number[n]].now.memory.mine;
    args->weight[n] = args->store ? 1 / weight : weight;
  }
}

/* Run one of the kernels between state and solver. Rank-local. */
static oak_status_t run_kernel(oak_t *sim, const oak_poisson_t *p, oak_kernel_t *kernel,
                               void *values, int field, int store) {
  oak_poisson_args_t args = {.values = values, .equation = p->number, .store = store};
  if (field >= 0) args.field = sim->data.fields.field[field].now.memory.mine;
  for (int i = 0; i < 4; i++)
    if (field >= 0 && field == p->field[i]) set_rates(sim, p, i, &args);
  return oak_data_launch(&sim->data, kernel, p->state, p->now, &args, sizeof args);
}

/* Whether fluxes or bodies need the derivatives across faces. */
static int has_slopes(const oak_t *sim, const oak_poisson_t *p) {
  return (sim->setup.fields.nface && !p->every) || p->bodies;
}

static oak_status_t store_slopes(oak_t *sim, oak_poisson_t *p) {
  const int64_t bytes = sim->data.mesh->nblock * oak_face_numbers(&sim->setup) * sizeof(double);
  const oak_status_t st = oak_array_fit(sim->setup.dev, &p->slope, bytes);
  OAK_TRY(oak_data_agree(&sim->data, st));
  return oak_elliptic_slopes(p->elliptic, p->slope.at);
}

/* Store the solution and its gradient. No rank still reads the old values, because a solution ends
 * with sums over all ranks, and these wait for all earlier kernels. */
static oak_status_t store(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  const int *field = p->field;
  oak_status_t st =
      run_kernel(sim, p, sim->setup.kernel.poisson_field, top->u.memory.mine, field[0], 1);
  oak_keep_failure(&st, oak_field_set_fill(&sim->data, &sim->data.fields, field[0]));
  if (has_slopes(sim, p)) OAK_TRY(store_slopes(sim, p));
  for (int d = 0; d < sim->setup.dim; d++) {
    if (field[1 + d] < 0) continue;
    /* in place, where the field is of double precision and its change is not needed */
    const int direct = p->rate[1 + d] < 0 && sim->setup.bytes.store == sizeof(double);
    void *to = direct ? sim->data.fields.field[field[1 + d]].now.memory.mine : top->res;
    oak_keep_failure(&st, has_slopes(sim, p) ? oak_elliptic_means(p->elliptic, d, p->slope.at, to)
                                             : oak_elliptic_gradient(p->elliptic, d, to));
    if (st == OAK_OK && !direct)
      st = run_kernel(sim, p, sim->setup.kernel.poisson_field, to, field[1 + d], 1);
    oak_keep_failure(&st, oak_field_set_fill(&sim->data, &sim->data.fields, field[1 + d]));
  }
  for (int i = 0; i < 5 && p->shift != 0; i++)
    if (p->rate[i] >= 0)
      oak_keep_failure(&st, oak_field_set_fill(&sim->data, &sim->data.fields, p->rate[i]));
  OAK_TRY(oak_data_agree(&sim->data, st));
  if (!p->bodies || p->absorb) return OAK_OK;
  st = run_kernel(sim, p, sim->setup.kernel.poisson_rhs, top->res, -1, 0);
  return oak_poisson_sum_bodies(sim, p, st);
}

/* The coefficients on all levels. */
static oak_status_t set_coefficients(oak_t *sim, oak_poisson_t *p) {
  const oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  oak_poisson_args_t args = {.equation = p->number, .values = top->a.memory.mine, .b = top->b};
  oak_status_t st = OAK_OK;
  if (*p->equation->coefficients)
    st = oak_data_launch(&sim->data, sim->setup.kernel.poisson_coefficients, p->state, p->now,
                         &args, sizeof args);
  if (st == OAK_OK && p->bodies) st = oak_poisson_set_permittivities(sim, p);
  OAK_TRY(oak_data_agree(&sim->data, st));
  return oak_elliptic_fit_fields(p->elliptic);
}

/* Evaluate the hook POISSON_BOUNDARY on faces of the domain. */
static oak_status_t set_boundary(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  oak_poisson_args_t args = {.equation = p->number, .values = e->given, .outer = e->outer};
  oak_status_t st = OAK_OK;
  for (args.face = 0; args.face < 2 * sim->setup.dim && st == OAK_OK; args.face++)
    if (p->given[args.face])
      st = oak_data_launch(&sim->data, sim->setup.kernel.poisson_boundary, p->state, p->now, &args,
                           sizeof args);
  return st;
}

/* The constant coefficient b. */
static oak_status_t find_b(oak_t *sim, oak_poisson_t *p, double *b) {
  const oak_equation_t *q = p->equation;
  *b = *q->coefficients ? 0 : oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "b"));
  if (!*q->b) return OAK_OK;
  oak_poisson_args_t args = {.values = p->b, .equation = p->number};
  oak_data_field(&sim->data, p->state, p->now, &args.f);
  oak_status_t st =
      oak_device_launch(sim->setup.dev, sim->setup.kernel.poisson_b, 1, &args, sizeof args);
  if (st == OAK_OK) st = oak_device_download(sim->setup.dev, b, p->b, sizeof *b);
  if (st == OAK_OK && !(*b >= 0 && isfinite(*b)))
    st = OAK_FAIL(OAK_ERR_STATE, "%sat) returns %g for %s: b must be finite and not negative",
                  OAK_EQUATION_HOOK(q, "POISSON_B"), *b, q->name);
  return oak_data_agree(&sim->data, st);
}

/* Boundary values of an isolated f. From time to time, often in the beginning, find how much f
 * there is beside the boundary: its integral over the domain if it were as large everywhere, over
 * that of |f|. The latter is at least the integral of f^2 over the largest |f|. */
enum { LOOK_EVERY = 64 }; /* solutions */
static oak_status_t isolate(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  const int64_t n = sim->data.clock.step / (p->every ? p->every : 1);
  if (!p->told && !sim->data.clock.stage && (!(n & (n - 1)) || n % LOOK_EVERY == 0)) {
    double sum[OAK_ELLIPTIC_SUMS];
    OAK_TRY(oak_elliptic_beside(e, &p->beside));
    OAK_TRY(oak_elliptic_sums(e, OAK_OK, e->f, e->f, sum));
    p->share = p->beside * oak_elliptic_volume(e) * sum[0] / sum[3];
  }
  return oak_elliptic_isolate(e);
}

#define ISOLATED_SHARE 0.01
void oak_poisson_warn(oak_t *sim, oak_progress_t *progress) {
  for (int n = 0; n < sim->setup.equations.count; n++) {
    oak_poisson_t *p = &sim->poisson[n];
    if (p->told || !(p->share > ISOLATED_SHARE)) continue;
    p->told = 1;
    oak_progress_note(
        progress,
        "warning: %s = isolated, but f is up to %.3g beside the boundary of the "
        "domain; f of this size everywhere would be %.2g of all f: %s is wrong there; "
        "choose a larger domain, or an f that is 0 beside its boundary",
        OAK_EQUATION_KEY(p->equation, "boundary"), p->beside, p->share, p->equation->name);
  }
}

/* After a solution that failed: whether a hook has returned a value that is not a number. If the
 * state is invalid, this is no mistake of the hook. In a later stage the step then goes on with the
 * gradient of the stage before, and the invalid cell is reported at the end of the step, as without
 * POISSON. In the first stage there may be no gradient on this mesh, and the state is that from
 * which the step would begin. */
static oak_status_t judge_failure(oak_t *sim, const oak_poisson_t *p, oak_status_t failure,
                                  double residual) {
  const oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  const int first = sim->data.clock.stage == 0, has_hook = *p->equation->coefficients != 0;
  double sum[OAK_ELLIPTIC_SUMS] = {0};
  if (has_hook) OAK_TRY(oak_elliptic_sums(p->elliptic, OAK_OK, top->a.memory.mine, top->b, sum));
  const int coefficients = !isfinite(sum[1]) || !isfinite(sum[2]);
  if (!coefficients && isfinite(residual)) return failure;
  const oak_status_t st =
      oak_find_invalid(sim, p->state, first ? OAK_INVALID_GIVEN : OAK_INVALID_STAGE);
  if (st != OAK_OK) return first ? st : OAK_OK;
  return OAK_FAIL(
      OAK_ERR_STATE, "%s...) at t = %g: %s; oak run --debug names line and place",
      OAK_EQUATION_HOOK(p->equation, coefficients ? "POISSON_COEFFICIENTS" : "POISSON"), p->now,
      coefficients ? "a coefficient is not allowed (a must be positive, b not negative, and both "
                     "finite)"
      : p->bodies  ? "the right-hand side, a boundary value or a potential is not a finite number"
                   : "the right-hand side or a boundary value is not a finite number");
}

static oak_status_t solve(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  const oak_equation_t *q = p->equation;
  const oak_elliptic_options_t options = {
      .tolerance = oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "tolerance")),
      .most_cycles = (int)oak_params_int(sim->setup.params, OAK_EQUATION_KEY(q, "max_cycles")),
      .krylov = oak_params_choice(sim->setup.params, OAK_EQUATION_KEY(q, "method"))};
  oak_elliptic_report_t report = {0};
  int changed, again = *q->coefficients != 0;
  double b;
  OAK_TRY(find_b(sim, p, &b));
  OAK_TRY(oak_elliptic_fit(e, &changed));
  oak_elliptic_take(e, b, *q->boundary != 0);
  void *u = oak_elliptic_top(e)->u.memory.mine;
  p->shift = sim->data.clock.stage ? p->now - p->time : 0;
  oak_status_t st = run_kernel(sim, p, sim->setup.kernel.poisson_rhs, e->f, -1, 0);
  if (st == OAK_OK) st = run_kernel(sim, p, sim->setup.kernel.poisson_field, u, p->field[0], 0);
  if (st == OAK_OK) st = set_boundary(sim, p);
  OAK_TRY(oak_data_agree(&sim->data, st));
  if (p->bodies) OAK_TRY(oak_poisson_set_bodies(sim, p, changed, &again));
  if (again) OAK_TRY(set_coefficients(sim, p));
  if (p->isolated) OAK_TRY(isolate(sim, p));
  st = oak_elliptic_solve(e, &options, &report);
  if (st != OAK_OK) return judge_failure(sim, p, st, report.residual[0]);
  p->time = p->now;
  p->step = sim->data.clock.step;
  p->cycles = report.cycles;
  p->residual = report.residual[report.cycles] / report.scale;
  return store(sim, p);
}

static oak_status_t solve_and_time(oak_t *sim, oak_poisson_t *p, int state, double time) {
  const double start = MPI_Wtime();
  p->state = state;
  p->now = time;
  const oak_status_t st = OAK_TIMED(&sim->data.timers, OAK_PHASE_POISSON, solve(sim, p));
  p->seconds += MPI_Wtime() - start;
  return st;
}

oak_status_t oak_poisson_solve(oak_t *sim, oak_step_t *step) {
  for (int n = 0; n < sim->setup.equations.count; n++) {
    const int every = sim->poisson[n].every;
    if (every && (sim->data.clock.stage || sim->data.clock.step % every)) continue;
    OAK_TRY(solve_and_time(sim, &sim->poisson[n], step->state, step->time));
  }
  return OAK_OK;
}

/* ---- between steps */

int oak_poisson_is_past(const oak_t *sim) {
  const oak_runge_kutta_t *scheme = sim->setup.method.runge_kutta;
  return sim->setup.equations.count > 0 && sim->data.clock.step > 0 &&
         scheme->stage[scheme->nstage - 1].c != 1;
}

/* Copy all stored fields beside their memory, or back. */
static oak_status_t keep_fields(oak_t *sim, int back) {
  oak_carried_t list[OAK_MAX_CARRIED];
  oak_data_t *data = &sim->data;
  if (!back) OAK_TRY(oak_carried_reserve(data));
  oak_status_t st = oak_peers_meet(&data->transport.peers, NULL);
  const int count = oak_carried(data, list);
  for (int i = 1; i < count && st == OAK_OK; i++) { /* 0: the state */
    const oak_carried_t c = {list[i].exchange, back ? list[i].next : list[i].now,
                             back ? list[i].now : list[i].next};
    st = oak_adapt_copy(data, &c, 0, 0, data->mesh->nblock, OAK_BASE_OWN);
  }
  for (int n = 0; n < sim->setup.fields.count && back; n++)
    if (!sim->setup.fields.field[n].function)
      oak_keep_failure(&st, oak_field_set_fill(data, &data->fields, n));
  return oak_data_agree(data, st);
}

oak_status_t oak_poisson_present(oak_t *sim) {
  OAK_TRY(keep_fields(sim, 0));
  for (int n = 0; n < sim->setup.equations.count; n++)
    if (!sim->poisson[n].every)
      OAK_TRY(solve_and_time(sim, &sim->poisson[n], 0, sim->data.clock.time));
  return OAK_OK;
}

oak_status_t oak_poisson_back(oak_t *sim) { return keep_fields(sim, 1); }
