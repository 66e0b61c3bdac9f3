/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations as parts of a run: div(a grad phi) - b phi = f, where the hook POISSON of the
 * problem or the physics gives f. The hook POISSON_COEFFICIENTS gives a and b; without it a is 1
 * and b is a constant, from the hook POISSON_B or the key poisson.b. Each equation is solved for
 * the state that a stage starts from, and phi and its gradient are fields beside the state, which
 * the sources of that stage read. A solution starts from the field phi, extrapolated in time by
 * phi_t and phi_tt. They move with the blocks and are in checkpoints: a run that goes on from
 * a checkpoint finds the same bits. */
#include <math.h>
#include <string.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"
#include "base/reduce.h"

enum { ISOLATED, ZERO, NO_SLOPE, VALUE, SLOPE }; /* poisson.boundary */

static int wanted(const oak_t *sim) { return sim->setup.equations.count > 0; }

static const oak_equation_t *equation(const oak_t *sim, const oak_poisson_t *p) {
  return &sim->setup.equations.of[p->number];
}

/* How the file writes a hook of the equation: "POISSON(", "POISSON_OF(psi, ". */
#define FORM(q, hook) form(q, hook, (char[OAK_LONGEST_FUNCTION]){0})
static const char *form(const oak_equation_t *q, const char *hook, char *text) {
  snprintf(text, OAK_LONGEST_FUNCTION, "%s%s%s%s", hook, q->section ? "_OF(" : "(",
           q->section ? q->name : "", q->section ? ", " : "");
  return text;
}

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

/* ---- electrodes and dielectrics: where they are on the levels of the solver, their potentials and
 * coefficients, and their charges */

/* Find whether the equation sees some. Rank-local. */
static oak_status_t open_bodies(oak_t *sim, oak_poisson_t *p, oak_elliptic_setup_t *setup) {
  const oak_equation_t *q = &sim->setup.equations.of[p->number];
  const int absorb = oak_equation_absorbs(&sim->setup, p->number);
  setup->electrodes = absorb || oak_has_body(&sim->setup, OAK_BODY_ELECTRODE);
  setup->bodies = setup->electrodes || oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC);
  if (q->section && !absorb) setup->electrodes = setup->bodies = 0;
  setup->fields |= setup->bodies;
  p->bodies = setup->bodies;
  p->absorb = absorb;
  OAK_CHECK(!p->bodies || !p->every || absorb, OAK_ERR_INPUT,
            "%s: poisson.every is not possible with electrodes or dielectrics: leave the key out",
            oak_params_origin(sim->setup.params, "poisson.every"));
  OAK_CHECK(!p->bodies || !p->isolated, OAK_ERR_INPUT,
            "poisson.%s%sboundary = isolated is not possible with electrodes or dielectrics: use "
            "zero, no_slope, value or slope",
            q->section ? q->name : "", q->section ? "." : "");
  return OAK_OK;
}

/* Run a kernel over the blocks of a level. */
static oak_status_t run_bodies(oak_t *sim, oak_poisson_t *p, oak_kernel_t *kernel, int l,
                               oak_body_args_t args) {
  oak_elliptic_args_t e;
  oak_elliptic_args(p->elliptic, l, &e);
  args.cut = (double *)e.cut;
  args.pin = (double *)e.pin;
  args.wall = e.wall;
  args.given = p->absorb ? OAK_ALL_BODIES : 1 << OAK_BODY_ELECTRODE;
  args.zero = p->absorb;
  oak_data_field(&sim->data, p->state, p->now, &args.f);
  args.f.block = e.f.block;
  args.f.face = e.f.face;
  return oak_device_launch(sim->setup.dev, kernel, p->elliptic->level[l].mesh->nblock, &args,
                           sizeof args);
}

/* Whether the equation has dielectrics with charge on their surface. */
static int has_charge(const oak_t *sim, const oak_poisson_t *p) {
  return !p->absorb && oak_has_body(&sim->setup, OAK_BODY_DIELECTRIC);
}

/* Where bodies are on all levels of a new mesh, potentials of electrodes, and charge on dielectrics
 * from the right-hand side. Collective. */
static oak_status_t set_bodies(oak_t *sim, oak_poisson_t *p, int changed) {
  oak_elliptic_t *e = p->elliptic;
  oak_status_t st = OAK_OK;
  for (int l = 0; l < e->nlevel && changed && st == OAK_OK; l++)
    st = run_bodies(sim, p, sim->setup.kernel.body_cuts, l, (oak_body_args_t){.u = NULL});
  if (st == OAK_OK)
    st = run_bodies(sim, p, sim->setup.kernel.body_potentials, e->nlevel - 1,
                    (oak_body_args_t){.values = e->f, .u = oak_elliptic_top(e)->u.memory.mine});
  OAK_TRY(oak_data_agree(&sim->data, st));
  return has_charge(sim, p) ? oak_elliptic_charge_surfaces(e) : OAK_OK;
}

/* Whether the coefficients are to be set again, if no hook gives them: the charge on dielectrics
 * travels in their memory. */
static int bodies_change(const oak_t *sim, const oak_poisson_t *p, int changed) {
  return changed || has_charge(sim, p) || *equation(sim, p)->b;
}

/* Coefficients without the hook: constants, and the permittivities of dielectrics. Rank-local. */
static oak_status_t set_permittivities(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  const int l = e->nlevel - 1;
  void *a = e->level[l].a.memory.mine;
  oak_status_t st = OAK_OK;
  if (!*equation(sim, p)->coefficients) {
    st = oak_elliptic_combine(e, l, NULL, a, 0, 0, e->setup.a);
    if (st == OAK_OK) st = oak_elliptic_combine(e, l, NULL, e->level[l].b, 0, 0, e->setup.b);
  }
  if (st != OAK_OK || p->absorb) return st;
  return run_bodies(sim, p, sim->setup.kernel.body_permittivity, l, (oak_body_args_t){.values = a});
}

/* The sums of all bodies for the solution, whose derivatives across faces are known. Collective. */
static oak_status_t sum_bodies(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_level_t *top = oak_elliptic_top(p->elliptic);
  const int n = sim->data.mesh->nblock, count = oak_body_count(&sim->setup) * OAK_BODY_SUMS;
  const size_t bytes = (size_t)n * count * sizeof(double);
  OAK_FREED double *host = NULL;
  oak_status_t st = OAK_NEW(host, n * count + 1);
  if (st == OAK_OK) st = oak_storage_scratch(&sim->data, bytes);
  if (st == OAK_OK) st = run_kernel(sim, p, sim->setup.kernel.poisson_rhs, top->res, -1, 0);
  if (st == OAK_OK)
    st = run_bodies(sim, p, sim->setup.kernel.body_sums, p->elliptic->nlevel - 1,
                    (oak_body_args_t){.a = top->a.memory.mine,
                                      .slope = p->slope.at,
                                      .values = top->res,
                                      .sums = sim->data.storage.scratch.at});
  if (st == OAK_OK)
    st = oak_device_download(sim->setup.dev, host, sim->data.storage.scratch.at, bytes);
  st = oak_data_agree(&sim->data, st);
  return st == OAK_OK ? oak_sum_exact(sim->setup.comm, count, n, host, p->charge) : st;
}

/* ---- set-up */

/* The fields of the solution and its gradient. */
static oak_status_t find_fields(oak_t *sim, oak_poisson_t *p) {
  const oak_equation_t *q = equation(sim, p);
  const char *along[3];
  for (int d = 0; d < 3; d++) along[d] = oak_axis_name(&sim->setup, d);
  char name[OAK_LONGEST_FUNCTION];
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s%s%s", q->name, i ? "_" : "", i ? along[i - 1] : "");
    const int n = p->field[i] = oak_field_find(&sim->setup, name);
    OAK_CHECK(n < 0 || !sim->setup.fields.field[n].function, OAK_ERR_INPUT,
              "the hook FIELD sets %s, which is a result of POISSON: write FIELD_STORED(%s)", name,
              name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "_t");
    p->rate[i] = oak_field_find(&sim->setup, name);
  }
  snprintf(name, sizeof name, "%s_tt", q->name);
  p->rate[4] = p->rate[0] < 0 ? -1 : oak_field_find(&sim->setup, name);
  for (int d = 0; d < 2 && sim->setup.domain.coordinates; d++) {
    snprintf(name, sizeof name, "%s_%c", q->name, "xy"[d]);
    OAK_CHECK(oak_field_find(&sim->setup, name) < 0, OAK_ERR_INPUT,
              "mesh.coordinates = %s: the gradient of %s has the components %s_%s and %s_%s; write "
              "these names in place of %s_x and %s_y",
              oak_params_text(sim->setup.params, "mesh.coordinates"), q->name, q->name, along[0],
              q->name, along[1], q->name, q->name);
  }
  OAK_CHECK(p->field[0] >= 0, OAK_ERR_INPUT,
            "%s needs a field for its solution: write FIELD_STORED(%s) in the same file, and "
            "FIELD_STORED(%s_%s) and so on for the gradient",
            q->section ? "POISSON_OF" : "POISSON", q->name, q->name, along[0]);
  return OAK_OK;
}

static const char *const face_word[6] = {"xlow", "xhigh", "ylow", "yhigh", "zlow", "zhigh"};

/* Refuse keys of faces that have no boundary condition. If a section [poisson.NAME] takes a key
 * from [poisson], the key is checked for that section. */
static oak_status_t check_faces(const oak_t *sim, const oak_equation_t *q) {
  int faces = 0;
  for (int face = 0; face < 6; face++) {
    const char *reason = face / 2 >= sim->setup.dim                ? "the domain is two-dimensional"
                         : oak_axis_faces(&sim->setup) >> face & 1 ? "this face is r = 0 or a pole"
                         : sim->data.mesh->periodic[face / 2]
                             ? "the domain is periodic along this axis"
                             : NULL;
    OAK_TRY(oak_key_unused(&sim->setup, OAK_EQUATION_KEY(q, face_word[face]), reason));
    faces += !reason;
  }
  return oak_key_unused(&sim->setup, OAK_EQUATION_KEY(q, "boundary"),
                        faces ? NULL : "the domain is periodic along all axes");
}

/* Check that `isolated` is possible on the faces. */
static oak_status_t check_isolated(const oak_t *sim, const oak_poisson_t *p, int isolated,
                                   double b) {
  const oak_equation_t *q = equation(sim, p);
  const char *key = OAK_EQUATION_KEY(q, "boundary");
  const char *reason = oak_not_isolated(&sim->setup);
  int all = 0;
  for (int face = 0; face < 2 * sim->setup.dim; face++)
    all += !(oak_axis_faces(&sim->setup) >> face & 1);
  if (!isolated) return OAK_OK;
  OAK_CHECK(!reason, OAK_ERR_INPUT, "%s = isolated: %s; or use zero, no_slope, value or slope", key,
            reason);
  OAK_CHECK(isolated == all, OAK_ERR_INPUT,
            "%s = isolated holds on %d of %d faces, since the others are periodic or have keys of "
            "their own: use zero, no_slope, value or slope on those %d",
            key, isolated, all, isolated);
  OAK_CHECK(!*q->coefficients && !*q->b && b == 0, OAK_ERR_INPUT,
            "%s = isolated needs an equation without %s: use zero, no_slope, value or slope", key,
            *q->coefficients ? "POISSON_COEFFICIENTS"
            : *q->b          ? "POISSON_B"
                             : OAK_EQUATION_KEY(q, "b"));
  return OAK_OK;
}

/* The boundary conditions on the faces of the domain. */
static oak_status_t find_faces(oak_t *sim, oak_poisson_t *p, oak_elliptic_setup_t *setup) {
  const oak_equation_t *q = equation(sim, p);
  const char *key = OAK_EQUATION_KEY(q, "boundary");
  const int all = oak_params_choice(sim->setup.params, key);
  int faces = 0, isolated = 0, given = 0;
  OAK_TRY(check_faces(sim, q));
  for (int face = 0; face < 2 * sim->setup.dim; face++) {
    if (oak_axis_faces(&sim->setup) >> face & 1) continue;
    const int own = oak_params_choice(sim->setup.params, OAK_EQUATION_KEY(q, face_word[face])),
              kind = own == 0 ? all : own;
    if (sim->data.mesh->periodic[face / 2]) continue;
    faces++;
    isolated += kind == ISOLATED;
    p->given[face] = kind == VALUE || kind == SLOPE;
    given += p->given[face];
    if (kind == NO_SLOPE || kind == SLOPE) setup->condition[face] = OAK_ELLIPTIC_NEUMANN;
  }
  p->isolated = isolated > 0;
  OAK_TRY(check_isolated(sim, p, isolated, setup->b));
  OAK_CHECK(given == 0 || *q->boundary, OAK_ERR_INPUT,
            "%s = value or slope: the file has no %sat, face) { ... }", key,
            FORM(q, "POISSON_BOUNDARY"));
  OAK_CHECK(given > 0 || faces == 0 || !*q->boundary, OAK_ERR_INPUT,
            "no face of the domain uses POISSON_BOUNDARY%s: set %s = value or slope",
            q->section ? "_OF" : "", key);
  return OAK_OK;
}

static oak_status_t check_hooks(oak_t *sim) {
  for (int n = 0; n < sim->setup.equations.count; n++) {
    oak_poisson_t *p = &sim->poisson[n];
    p->number = n;
    p->step = -1;
    p->every = oak_equation_every(&sim->setup, n);
    OAK_TRY(find_fields(sim, p));
  }
  return OAK_OK;
}

/* Whether two equations can share a solver, one after the other: the coefficients are both
 * constants or both fields, the conditions have the same kinds, and no face keeps values of the
 * other equation. */
static int alike(const oak_poisson_t *p, const oak_elliptic_setup_t *setup,
                 const oak_poisson_t *other) {
  const oak_elliptic_setup_t *o = &other->elliptic->setup;
  int given[2] = {p->isolated, other->isolated}, same = p->isolated == other->isolated;
  for (int face = 0; face < 6; face++) {
    given[0] |= p->given[face];
    given[1] |= other->given[face];
    same &= p->given[face] == other->given[face];
  }
  return setup->fields == o->fields && (same || !given[0] || !given[1]) &&
         !memcmp(setup->condition, o->condition, sizeof o->condition);
}

/* The solver of an earlier equation that all equations which use it can share with this one. */
static oak_elliptic_t *find_shared(const oak_t *sim, const oak_poisson_t *p,
                                   const oak_elliptic_setup_t *setup) {
  for (int n = 0; n < p->number; n++) {
    int all = !sim->poisson[n].bodies && !p->bodies;
    for (int m = 0; m < p->number; m++)
      all &=
          sim->poisson[m].elliptic != sim->poisson[n].elliptic || alike(p, setup, &sim->poisson[m]);
    if (all) return sim->poisson[n].elliptic;
  }
  return NULL;
}

void oak_poisson_setup(oak_t *sim, oak_elliptic_setup_t *out) {
  *out = (oak_elliptic_setup_t){
      .transport = &sim->data.transport,
      .timers = &sim->data.timers,
      .block_size = {sim->setup.block.size[0], sim->setup.block.size[1], sim->setup.block.size[2]},
      .coordinates = sim->setup.domain.coordinates,
      .logarithmic = sim->setup.domain.logarithmic,
      .axis_faces = oak_axis_faces(&sim->setup),
      .mean_factor = oak_volume_of(&sim->setup, sim->setup.domain.low, sim->setup.domain.high),
      .a = 1,
      .gather_cells = oak_params_int(sim->setup.params, "poisson.gather_cells")};
  memcpy(out->xmin, sim->setup.domain.low, sizeof out->xmin);
  memcpy(out->dx0, sim->setup.domain.dx0, sizeof out->dx0);
}

static oak_status_t open_solver(oak_t *sim, oak_poisson_t *p) {
  const oak_equation_t *q = equation(sim, p);
  oak_elliptic_setup_t setup;
  oak_poisson_setup(sim, &setup);
  setup.b = oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "b"));
  setup.fields = *q->coefficients != 0;
  OAK_TRY(find_faces(sim, p, &setup));
  OAK_TRY(open_bodies(sim, p, &setup));
  if (*q->b)
    OAK_TRY(oak_agree(sim->setup.comm, oak_device_alloc(sim->setup.dev, sizeof(double), &p->b)));
  p->elliptic = find_shared(sim, p, &setup);
  return p->elliptic ? OAK_OK
                     : oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &p->elliptic);
}

static oak_status_t open_solvers(oak_t *sim) {
  for (int n = 0; n < sim->setup.equations.count; n++) OAK_TRY(open_solver(sim, &sim->poisson[n]));
  return OAK_OK;
}

/* ---- a solution */

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
  return !p->bodies || p->absorb ? OAK_OK : sum_bodies(sim, p);
}

/* Called after a hook has returned a value that is not a number. If the state is invalid, this is
 * no mistake of the hook. In a later stage the step goes on with the gradient of the stage before,
 * and the invalid cell is reported at the end of the step, as without POISSON. In the first stage
 * there may be no gradient on this mesh, and the state is that from which the step would begin. */
static oak_status_t not_finite(oak_t *sim, const oak_poisson_t *p, const char *hook,
                               const char *what) {
  const int first = sim->data.clock.stage == 0;
  const oak_status_t st =
      oak_find_invalid(sim, p->state, first ? OAK_INVALID_GIVEN : OAK_INVALID_STAGE);
  if (st != OAK_OK) return first ? st : OAK_OK;
  return OAK_FAIL(OAK_ERR_STATE, "%s...) at t = %g: %s; oak run --debug names line and place",
                  FORM(equation(sim, p), hook), p->now, what);
}

/* The coefficients on all levels. */
static oak_status_t set_coefficients(oak_t *sim, oak_poisson_t *p, int *skip) {
  oak_elliptic_t *e = p->elliptic;
  oak_elliptic_level_t *top = oak_elliptic_top(e);
  double sum[OAK_ELLIPTIC_SUMS];
  oak_poisson_args_t args = {.equation = p->number, .values = top->a.memory.mine, .b = top->b};
  oak_status_t st = OAK_OK;
  if (*equation(sim, p)->coefficients)
    st = oak_data_launch(&sim->data, sim->setup.kernel.poisson_coefficients, p->state, p->now,
                         &args, sizeof args);
  if (st == OAK_OK && p->bodies) st = set_permittivities(sim, p);
  OAK_TRY(oak_elliptic_sums(e, st, top->a.memory.mine, top->b, sum));
  *skip = !isfinite(sum[1]) || !isfinite(sum[2]);
  if (*skip)
    return not_finite(sim, p, "POISSON_COEFFICIENTS",
                      "a coefficient is not allowed (a must be positive, b not negative, and both "
                      "finite)");
  return oak_elliptic_fit_fields(e);
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
  const oak_equation_t *q = equation(sim, p);
  *b = *q->coefficients ? 0 : oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "b"));
  if (!*q->b) return OAK_OK;
  oak_poisson_args_t args = {.values = p->b, .equation = p->number};
  oak_data_field(&sim->data, p->state, p->now, &args.f);
  oak_status_t st =
      oak_device_launch(sim->setup.dev, sim->setup.kernel.poisson_b, 1, &args, sizeof args);
  if (st == OAK_OK) st = oak_device_download(sim->setup.dev, b, p->b, sizeof *b);
  if (st == OAK_OK && !(*b >= 0 && isfinite(*b)))
    st = OAK_FAIL(OAK_ERR_STATE, "%sat) returns %g for %s: b must be finite and not negative",
                  FORM(q, "POISSON_B"), *b, q->name);
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
        OAK_EQUATION_KEY(equation(sim, p), "boundary"), p->beside, p->share,
        equation(sim, p)->name);
  }
}

static oak_status_t solve(oak_t *sim, oak_poisson_t *p) {
  oak_elliptic_t *e = p->elliptic;
  const oak_equation_t *q = equation(sim, p);
  const oak_elliptic_options_t options = {
      .tolerance = oak_params_real(sim->setup.params, OAK_EQUATION_KEY(q, "tolerance")),
      .most_cycles = (int)oak_params_int(sim->setup.params, OAK_EQUATION_KEY(q, "max_cycles")),
      .krylov = oak_params_choice(sim->setup.params, OAK_EQUATION_KEY(q, "method"))};
  oak_elliptic_report_t report = {0};
  int changed, skip = 0;
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
  if (p->bodies) OAK_TRY(set_bodies(sim, p, changed));
  if (*q->coefficients || (p->bodies && bodies_change(sim, p, changed)))
    OAK_TRY(set_coefficients(sim, p, &skip));
  if (skip) return OAK_OK;
  if (p->isolated) OAK_TRY(isolate(sim, p));
  st = oak_elliptic_solve(e, &options, &report);
  if (st != OAK_OK && !isfinite(report.residual[0]))
    return not_finite(sim, p, "POISSON",
                      p->bodies
                          ? "the right-hand side, a boundary value or a potential is not a finite "
                            "number"
                          : "the right-hand side or a boundary value is not a finite number");
  OAK_TRY(st);
  p->time = p->now;
  p->cycles = report.cycles;
  p->residual = report.residual[report.cycles] / report.scale;
  st = store(sim, p);
  p->step = sim->data.clock.step;
  return st;
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
  return wanted(sim) && sim->data.clock.step > 0 && scheme->stage[scheme->nstage - 1].c != 1;
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

/* Whether an earlier equation has the same solver. */
static int shares(const oak_t *sim, int n) {
  int earlier = 0;
  for (int m = 0; m < n; m++) earlier |= sim->poisson[m].elliptic == sim->poisson[n].elliptic;
  return earlier;
}

static int64_t bytes(const oak_t *sim) {
  int64_t sum = 0;
  for (int n = 0; n < sim->setup.equations.count; n++)
    sum += (shares(sim, n) ? 0 : oak_elliptic_bytes(sim->poisson[n].elliptic)) +
           sim->poisson[n].slope.bytes;
  return sum;
}

static void clear(oak_t *sim) {
  for (int n = sim->setup.equations.count - 1; n >= 0; n--) {
    if (!shares(sim, n)) oak_elliptic_destroy(&sim->poisson[n].elliptic);
    oak_device_free(sim->setup.dev, sim->poisson[n].slope.at);
    oak_device_free(sim->setup.dev, sim->poisson[n].b);
  }
}

const oak_part_t oak_part_poisson = {.columns = &oak_poisson_columns,
                                     .wanted = wanted,
                                     .read = check_hooks,
                                     .open = open_solvers,
                                     .bytes = bytes,
                                     .clear = clear};
