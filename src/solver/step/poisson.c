/* SPDX-License-Identifier: GPL-2.0-or-later
 * Poisson's equation as part of a run: div(a grad phi) - b phi = f, where the hook POISSON of the
 * problem or the physics gives f, and POISSON_COEFFICIENTS a and b (otherwise 1 and 0). It is
 * solved for the state that a stage starts from, and phi and its gradient are fields beside the
 * state, which the sources of that stage read. Every solution starts from the field phi, which
 * moves with the blocks and is in checkpoints: a run that goes on from one finds the same bits. */
#include <math.h>
#include <string.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

enum { ISOLATED, ZERO, NO_SLOPE, VALUE, SLOPE }; /* poisson.boundary */

/* In Cartesian coordinates, and in (r, z). */
static const char *const field_name[2][4] = {{"phi", "phi_x", "phi_y", "phi_z"},
                                             {"phi", "phi_r", "phi_z", ""}};

static int wanted(const oak_t *sim) { return OAK_HAS_HOOK(&sim->setup, poisson); }
static int has_coefficients(const oak_t *sim) {
  return OAK_HAS_HOOK(&sim->setup, poisson_coefficients);
}
static int has_boundary(const oak_t *sim) { return OAK_HAS_HOOK(&sim->setup, poisson_boundary); }

static oak_status_t find_fields(oak_t *sim) {
  const char *const *name = field_name[sim->setup.coordinates != 0];
  for (int i = 0; i < 4; i++) {
    const int n = oak_field_find(&sim->setup, name[i]);
    sim->poisson.field[i] = n;
    OAK_CHECK(n < 0 || !sim->setup.fields.field[n].function, OAK_ERR_INPUT,
              "the hook FIELD sets %s, which is a result of POISSON: write FIELD_STORED(%s)",
              name[i], name[i]);
  }
  OAK_CHECK(!sim->setup.coordinates || (oak_field_find(&sim->setup, "phi_x") < 0 &&
                                        oak_field_find(&sim->setup, "phi_y") < 0),
            OAK_ERR_INPUT,
            "mesh.coordinates = %s: the gradient of phi has the components phi_r and phi_z; write "
            "these names in place of phi_x and phi_y",
            oak_params_text(sim->setup.params, "mesh.coordinates"));
  OAK_CHECK(sim->poisson.field[0] >= 0, OAK_ERR_INPUT,
            "POISSON needs a field for its solution: write FIELD_STORED(phi) in the same file, and "
            "FIELD_STORED(phi_x) and so on for the gradient");
  return OAK_OK;
}

static const char *const face_key[6] = {"poisson.xlow",  "poisson.xhigh", "poisson.ylow",
                                        "poisson.yhigh", "poisson.zlow",  "poisson.zhigh"};

/* Keys of faces that no condition is for. */
static oak_status_t check_faces(const oak_t *sim) {
  const oak_params_t *p = sim->setup.params;
  int faces = 0;
  for (int face = 0; face < 6; face++) {
    const char *text = oak_params_changed(p, face_key[face]);
    const int flat = face / 2 >= sim->setup.dim;
    const int periodic = !flat && sim->data.mesh->periodic[face / 2];
    const int axis = face == 0 && oak_has_axis(&sim->setup);
    OAK_CHECK(!text || (!flat && !periodic && !axis), OAK_ERR_INPUT,
              "%s: %s = %s has no effect, because %s: leave the key out",
              oak_params_origin(p, face_key[face]), face_key[face], text,
              flat   ? "the domain is two-dimensional"
              : axis ? "this face is the axis r = 0"
                     : "the domain is periodic along this axis");
    faces += !flat && !periodic && !axis;
  }
  const char *text = oak_params_changed(p, "poisson.boundary");
  OAK_CHECK(!text || faces > 0, OAK_ERR_INPUT,
            "%s: poisson.boundary = %s has no effect, because the domain is periodic along all "
            "axes: leave the key out",
            oak_params_origin(p, "poisson.boundary"), text);
  return OAK_OK;
}

/* The boundary conditions on the faces of the domain. */
static oak_status_t find_faces(oak_t *sim, oak_elliptic_setup_t *setup) {
  const int all = oak_params_choice(sim->setup.params, "poisson.boundary");
  const int axis = oak_has_axis(&sim->setup), all_faces = 2 * sim->setup.dim - axis;
  int faces = 0, isolated = 0, given = 0;
  OAK_TRY(check_faces(sim));
  for (int face = axis; face < 2 * sim->setup.dim; face++) {
    const int own = oak_params_choice(sim->setup.params, face_key[face]),
              kind = own == 0 ? all : own;
    if (sim->data.mesh->periodic[face / 2]) continue;
    faces++;
    isolated += kind == ISOLATED;
    sim->poisson.given[face] = kind == VALUE || kind == SLOPE;
    given += sim->poisson.given[face];
    if (kind == NO_SLOPE || kind == SLOPE) setup->condition[face] = OAK_ELLIPTIC_NEUMANN;
  }
  sim->poisson.isolated = isolated > 0;
  OAK_CHECK(isolated == 0 || isolated == all_faces, OAK_ERR_INPUT,
            "poisson.boundary = isolated holds on %d of %d faces, since the others are periodic or "
            "have keys of their own: use zero, no_slope, value or slope on those %d",
            isolated, all_faces, isolated);
  OAK_CHECK(isolated == 0 || !sim->setup.coordinates || axis, OAK_ERR_INPUT,
            "poisson.boundary = isolated in (r, z) needs the axis in the domain: set mesh.xmin = 0 "
            "..., or use zero, no_slope, value or slope");
  OAK_CHECK(isolated == 0 || !sim->poisson.coefficients, OAK_ERR_INPUT,
            "poisson.boundary = isolated needs an equation without POISSON_COEFFICIENTS: use zero, "
            "no_slope, value or slope");
  OAK_CHECK(
      given == 0 || has_boundary(sim), OAK_ERR_INPUT,
      "poisson.boundary = value or slope: the file has no POISSON_BOUNDARY(at, face) { ... }");
  OAK_CHECK(given > 0 || faces == 0 || !has_boundary(sim), OAK_ERR_INPUT,
            "no face of the domain uses POISSON_BOUNDARY: set poisson.boundary = value or slope");
  return OAK_OK;
}

/* Keys without the hook. poisson.gather_cells is also for solvers of a program's own (oak_solve).
 */
static oak_status_t check_keys(const oak_t *sim) {
  static const char *const key[] = {"poisson.boundary",  "poisson.xlow",   "poisson.xhigh",
                                    "poisson.ylow",      "poisson.yhigh",  "poisson.zlow",
                                    "poisson.zhigh",     "poisson.method", "poisson.tolerance",
                                    "poisson.max_cycles"};
  for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
    const char *text = oak_params_changed(sim->setup.params, key[i]);
    OAK_CHECK(
        !text, OAK_ERR_INPUT,
        "%s: %s = %s has no effect, because neither %s nor %s has the hook POISSON(at, q) { ... "
        "}: write the hook (docs/poisson.md), or leave the keys of [poisson] out",
        oak_params_origin(sim->setup.params, key[i]), key[i], text, sim->setup.files.physics,
        sim->setup.files.problem);
  }
  return OAK_OK;
}

static oak_status_t check_hooks(oak_t *sim) {
  OAK_CHECK(wanted(sim) || (!has_coefficients(sim) && !has_boundary(sim)), OAK_ERR_INPUT,
            "POISSON_COEFFICIENTS and POISSON_BOUNDARY need POISSON(at, q) { ... }");
  return wanted(sim) ? find_fields(sim) : check_keys(sim);
}

static oak_status_t open_solver(oak_t *sim) {
  sim->poisson.coefficients = has_coefficients(sim);
  oak_elliptic_setup_t setup = {
      .transport = &sim->data.transport,
      .timers = &sim->data.timers,
      .block_size = sim->setup.block_size,
      .coordinates = sim->setup.coordinates,
      .a = 1,
      .fields = sim->poisson.coefficients,
      .gather_cells = oak_params_int(sim->setup.params, "poisson.gather_cells")};
  memcpy(setup.xmin, sim->setup.xmin, sizeof setup.xmin);
  memcpy(setup.dx0, sim->setup.dx0, sizeof setup.dx0);
  OAK_TRY(find_faces(sim, &setup));
  return oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &sim->poisson.elliptic);
}

/* Run one of the kernels between state and solver. */
static oak_status_t run(oak_t *sim, oak_kernel_t *kernel, int state, double time, void *values,
                        int number, int store) {
  oak_poisson_args_t args = {.values = values, .store = store};
  if (number >= 0) args.field = sim->data.fields.field[number].now.memory.mine;
  oak_data_field(&sim->data, state, time, &args.f);
  return sim->data.mesh->nblock
             ? oak_device_launch(sim->setup.dev, kernel, sim->data.mesh->nblock, &args, sizeof args)
             : OAK_OK;
}

/* The derivatives across faces, where fluxes read them. */
static oak_status_t store_slopes(oak_t *sim) {
  const int64_t bytes = oak_face_numbers(&sim->setup) * sizeof(double);
  if (!sim->setup.fields.nface) return OAK_OK;
  oak_status_t st = oak_adapt_grow(sim->setup.dev, &sim->poisson.slope, &sim->poisson.slope_blocks,
                                   sim->data.mesh->nblock, bytes);
  OAK_TRY(oak_data_agree(&sim->data, st));
  return oak_elliptic_slopes(sim->poisson.elliptic, sim->poisson.slope);
}

/* Store the solution and its gradient. No rank still reads the old values, because a solution ends
 * with sums over all ranks, and these wait for all earlier kernels. */
static oak_status_t store(oak_t *sim, int state, double time) {
  oak_elliptic_level_t *top = oak_elliptic_top(sim->poisson.elliptic);
  const int *field = sim->poisson.field;
  oak_status_t st =
      run(sim, sim->setup.kernel.poisson_field, state, time, top->u.memory.mine, field[0], 1);
  oak_keep_failure(&st, oak_field_fill(&sim->data, field[0]));
  for (int d = 0; d < sim->setup.dim; d++) {
    if (field[1 + d] < 0) continue;
    oak_keep_failure(&st, oak_elliptic_gradient(sim->poisson.elliptic, d, top->res));
    if (st == OAK_OK)
      st = run(sim, sim->setup.kernel.poisson_field, state, time, top->res, field[1 + d], 1);
    oak_keep_failure(&st, oak_field_fill(&sim->data, field[1 + d]));
  }
  OAK_TRY(oak_data_agree(&sim->data, st));
  return store_slopes(sim);
}

/* Called after a hook has returned a value that is not a number. If the state is invalid, this is
 * no mistake of the hook: the step goes on with the old gradient, and the invalid cell is reported
 * at the end of the step, as without POISSON. */
static oak_status_t not_finite(oak_t *sim, int state, double time, const char *what) {
  if (oak_find_invalid(sim, state, OAK_INVALID_STAGE) != OAK_OK) return OAK_OK;
  return OAK_FAIL(OAK_ERR_STATE, "%s at t = %g", what, time);
}

/* The coefficients on all levels. */
static oak_status_t set_coefficients(oak_t *sim, int state, double time, int *skip) {
  oak_elliptic_t *e = sim->poisson.elliptic;
  oak_elliptic_level_t *top = oak_elliptic_top(e);
  double sum[OAK_ELLIPTIC_SUMS];
  oak_poisson_args_t args = {.values = top->a.memory.mine, .b = top->b};
  oak_data_field(&sim->data, state, time, &args.f);
  oak_status_t st = OAK_OK;
  if (sim->data.mesh->nblock)
    st = oak_device_launch(sim->setup.dev, sim->setup.kernel.poisson_coefficients,
                           sim->data.mesh->nblock, &args, sizeof args);
  OAK_TRY(oak_elliptic_sums(e, st, top->a.memory.mine, top->b, sum));
  *skip = !isfinite(sum[1]) || !isfinite(sum[2]);
  if (*skip)
    return not_finite(sim, state, time,
                      "POISSON_COEFFICIENTS sets a coefficient that is not allowed (a must be "
                      "positive, b not negative, and both finite)");
  return oak_elliptic_fit_fields(e);
}

/* Evaluate the hook POISSON_BOUNDARY on faces of the domain. */
static oak_status_t set_boundary(oak_t *sim, int state, double time) {
  oak_elliptic_t *e = sim->poisson.elliptic;
  oak_poisson_args_t args = {.values = e->given, .outer = e->outer};
  oak_data_field(&sim->data, state, time, &args.f);
  oak_status_t st = OAK_OK;
  if (has_boundary(sim)) e->given_zero = 0;
  for (args.face = 0; args.face < 2 * sim->setup.dim && st == OAK_OK; args.face++)
    if (sim->poisson.given[args.face] && sim->data.mesh->nblock)
      st = oak_device_launch(sim->setup.dev, sim->setup.kernel.poisson_boundary,
                             sim->data.mesh->nblock, &args, sizeof args);
  return st;
}

static oak_status_t solve(oak_t *sim, int state, double time) {
  oak_elliptic_t *e = sim->poisson.elliptic;
  const oak_elliptic_options_t options = {
      .tolerance = oak_params_real(sim->setup.params, "poisson.tolerance"),
      .most_cycles = (int)oak_params_int(sim->setup.params, "poisson.max_cycles"),
      .krylov = oak_params_choice(sim->setup.params, "poisson.method")};
  oak_elliptic_report_t report = {0};
  int changed, skip = 0;
  OAK_TRY(oak_elliptic_fit(e, &changed));
  void *u = oak_elliptic_top(e)->u.memory.mine;
  oak_status_t st = run(sim, sim->setup.kernel.poisson_rhs, state, time, e->f, -1, 0);
  if (st == OAK_OK)
    st = run(sim, sim->setup.kernel.poisson_field, state, time, u, sim->poisson.field[0], 0);
  if (st == OAK_OK) st = set_boundary(sim, state, time);
  OAK_TRY(oak_data_agree(&sim->data, st));
  if (sim->poisson.coefficients) OAK_TRY(set_coefficients(sim, state, time, &skip));
  if (skip) return OAK_OK;
  if (sim->poisson.isolated) OAK_TRY(oak_elliptic_isolate(e));
  st = oak_elliptic_solve(e, &options, &report);
  if (st != OAK_OK && !isfinite(report.residual[0]))
    return not_finite(sim, state, time,
                      "the right-hand side or a boundary value of POISSON is not a finite number");
  OAK_TRY(st);
  sim->poisson.cycles = report.cycles;
  sim->poisson.residual = report.residual[report.cycles] / report.scale;
  return store(sim, state, time);
}

static oak_status_t solve_and_time(oak_t *sim, int state, double time) {
  const double start = MPI_Wtime();
  oak_timer_start(&sim->data.timers, OAK_PHASE_POISSON);
  const oak_status_t st = solve(sim, state, time);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_POISSON);
  sim->poisson.seconds += MPI_Wtime() - start;
  return st;
}

static int64_t bytes(const oak_t *sim) {
  return oak_elliptic_bytes(sim->poisson.elliptic) +
         sim->poisson.slope_blocks * oak_face_numbers(&sim->setup) * (int64_t)sizeof(double);
}

static void clear(oak_t *sim) {
  oak_elliptic_destroy(&sim->poisson.elliptic);
  oak_device_free(sim->setup.dev, sim->poisson.slope);
}

const oak_part_t oak_part_poisson = {.name = "Poisson's equation",
                                     .wanted = wanted,
                                     .read = check_hooks,
                                     .open = open_solver,
                                     .bytes = bytes,
                                     .clear = clear,
                                     .before_ghosts = solve_and_time};
