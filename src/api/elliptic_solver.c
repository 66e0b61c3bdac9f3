/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations on the mesh of a simulation, for programs: oak_solve and what belongs to it
 * (src/elliptic does the work). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elliptic/elliptic.h"
#include "solver/data/data.h"
#include "solver/step/sim.h"
#include "base/failure.h"

_Static_assert((int)OAK_SOLVER_MOST_CYCLES == OAK_ELLIPTIC_MOST_CYCLES, "the same report");

struct oak_solver {
  oak_t *sim;
  oak_solver_options_t options;
  oak_elliptic_t *elliptic;
  int fields_changed; /**< coefficients were written since the last solution */
  int isolated;
};

static oak_status_t check_options(const oak_t *sim, const oak_solver_options_t *o) {
  const int axis = oak_axis_faces(&sim->setup);
  const char *reason = oak_not_isolated(&sim->setup);
  int isolated = 0, faces = 0;
  for (int face = 0; face < 2 * sim->setup.dim; face++) {
    if (axis >> face & 1) continue;
    faces++;
    if (!sim->data.mesh->periodic[face / 2])
      isolated += o->face[face].condition == OAK_SOLVER_ISOLATED;
  }
  OAK_CHECK(!isolated || !reason, OAK_ERR_ARGUMENT,
            "mesh.coordinates = %s: not all boundaries can be isolated, because %s",
            oak_params_text(sim->setup.params, "mesh.coordinates"), reason);
  OAK_CHECK(isolated == 0 || isolated == faces, OAK_ERR_ARGUMENT,
            "%d of %d faces are isolated: all must be, and none periodic", isolated, faces);
  OAK_CHECK(!isolated || (!o->fields && o->b == 0), OAK_ERR_ARGUMENT,
            "isolated boundaries need a constant a and b = 0");
  OAK_CHECK(o->fields || (o->a > 0 && o->b >= 0 && isfinite(o->a) && isfinite(o->b)),
            OAK_ERR_ARGUMENT, "coefficients a = %g, b = %g: a must be positive, b not negative",
            o->a, o->b);
  OAK_CHECK(o->tolerance > 0, OAK_ERR_ARGUMENT, "tolerance = %g: must be positive", o->tolerance);
  OAK_CHECK(o->max_cycles >= 1 && o->max_cycles <= OAK_SOLVER_MOST_CYCLES, OAK_ERR_ARGUMENT,
            "max_cycles = %d: must be 1 to %d", o->max_cycles, OAK_SOLVER_MOST_CYCLES);
  return OAK_OK;
}

oak_status_t oak_solver_new(oak_t *sim, const oak_solver_options_t *options, oak_solver_t **out) {
  OAK_BEGIN_FITS(sim);
  *out = NULL;
  OAK_TRY(check_options(sim, options));
  oak_solver_t *s;
  OAK_TRY(oak_agree(sim->setup.comm, OAK_NEW(s, 1)));
  *s = (oak_solver_t){.sim = sim, .options = *options, .fields_changed = options->fields};
  s->isolated = options->face[1].condition == OAK_SOLVER_ISOLATED;
  oak_elliptic_setup_t setup;
  oak_poisson_setup(sim, &setup);
  setup.a = options->a;
  setup.b = options->b;
  setup.fields = options->fields;
  for (int face = 0; face < 6; face++)
    setup.condition[face] = options->face[face].condition == OAK_SOLVER_NEUMANN
                                ? OAK_ELLIPTIC_NEUMANN
                                : OAK_ELLIPTIC_DIRICHLET;
  oak_status_t st = oak_elliptic_new(sim->setup.comm, &setup, sim->data.mesh, &s->elliptic);
  if (st == OAK_OK) st = oak_solver_follow(s);
  if (st != OAK_OK) oak_solver_destroy(&s);
  *out = s;
  return st;
}

void oak_solver_destroy(oak_solver_t **solver) {
  if (!solver || !*solver) return;
  oak_elliptic_destroy(&(*solver)->elliptic);
  free(*solver);
  *solver = NULL;
}

oak_status_t oak_solver_follow(oak_solver_t *s) {
  OAK_BEGIN_IF(s, oak_sim_fits(s->sim));
  int changed;
  OAK_TRY(oak_elliptic_fit(s->elliptic, &changed));
  if (changed) s->fields_changed = s->options.fields;
  return OAK_OK;
}

/* Device memory of what is written or read. */
static oak_status_t find(oak_solver_t *s, oak_solver_values_t what, int first, int count,
                         char **out) {
  oak_elliptic_t *e = s->elliptic;
  oak_elliptic_level_t *top = oak_elliptic_top(e);
  OAK_CHECK(e->revision == s->sim->data.mesh->revision, OAK_ERR_STATE,
            "the mesh has changed: call oak_solver_follow and write the values again");
  OAK_CHECK(first >= 0 && count >= 0 && count <= s->sim->data.mesh->nblock - first,
            OAK_ERR_ARGUMENT, "blocks %d to %lld: this rank has %d", first,
            (long long)first + count - 1, s->sim->data.mesh->nblock);
  OAK_CHECK(what == OAK_SOLVER_RHS || what == OAK_SOLVER_SOLUTION || s->options.fields,
            OAK_ERR_ARGUMENT, "the coefficients of this solver are constants");
  void *memory = what == OAK_SOLVER_RHS        ? e->f
                 : what == OAK_SOLVER_SOLUTION ? top->u.memory.mine
                 : what == OAK_SOLVER_A        ? top->a.memory.mine
                                               : top->b;
  *out = (char *)memory + (size_t)first * e->cells * sizeof(double);
  return OAK_OK;
}

oak_status_t oak_solver_write(oak_solver_t *s, oak_solver_values_t what, int first, int count,
                              const double *in) {
  OAK_BEGIN(s);
  char *to = NULL;
  OAK_TRY(find(s, what, first, count, &to));
  if (what == OAK_SOLVER_A || what == OAK_SOLVER_B) s->fields_changed = 1;
  OAK_TRY(oak_device_upload(s->sim->setup.dev, to, in,
                            (size_t)count * s->elliptic->cells * sizeof *in));
  return oak_device_sync(s->sim->setup.dev);
}

oak_status_t oak_solver_read(oak_solver_t *s, oak_solver_values_t what, int first, int count,
                             double *out) {
  OAK_BEGIN(s);
  char *from = NULL;
  OAK_TRY(find(s, what, first, count, &from));
  return oak_device_download(s->sim->setup.dev, out, from,
                             (size_t)count * s->elliptic->cells * sizeof *out);
}

oak_status_t oak_solver_gradient(oak_solver_t *s, int axis, int count, double *out) {
  OAK_BEGIN(s);
  oak_elliptic_t *e = s->elliptic;
  OAK_CHECK(axis >= 0 && axis < s->sim->setup.dim, OAK_ERR_ARGUMENT, "axis = %d: must be 0 to %d",
            axis, s->sim->setup.dim - 1);
  OAK_CHECK(e->revision == s->sim->data.mesh->revision, OAK_ERR_STATE,
            "the mesh has changed since the equation was solved");
  oak_status_t st = oak_data_agree(&s->sim->data, oak_data_check_all(&s->sim->data, count));
  if (st != OAK_OK) return st;
  void *res = oak_elliptic_top(e)->res;
  st = oak_elliptic_gradient(e, axis, res);
  if (st == OAK_OK)
    st = oak_device_download(s->sim->setup.dev, out, res, (size_t)count * e->cells * sizeof *out);
  return oak_data_agree(&s->sim->data, st);
}

static double value_outside(void *data, int face, const double x[3]) {
  const oak_solver_t *s = data;
  if (s->options.value) return s->options.value(s->options.data, face, x, s->sim->data.clock.time);
  return s->options.face[face].value;
}

/* Whether the boundary values and slopes on all faces are 0 at any time. */
static int zero_outside(const oak_solver_t *s) {
  int zero = s->options.value == NULL;
  for (int face = 0; face < 6; face++) zero = zero && s->options.face[face].value == 0;
  return zero;
}

oak_status_t oak_solve(oak_solver_t *s, oak_solver_report_t *report) {
  OAK_BEGIN(s);
  oak_elliptic_t *e = s->elliptic;
  const oak_elliptic_options_t options = {.tolerance = s->options.tolerance,
                                          .most_cycles = s->options.max_cycles,
                                          .krylov = s->options.krylov,
                                          .full = !s->options.warm};
  oak_elliptic_report_t found;
  OAK_CHECK(e->revision == s->sim->data.mesh->revision, OAK_ERR_STATE,
            "the mesh has changed: call oak_solver_follow and write the right-hand side again");
  MPI_Allreduce(MPI_IN_PLACE, &s->fields_changed, 1, MPI_INT, MPI_MAX, s->sim->setup.comm);
  if (s->fields_changed) OAK_TRY(oak_elliptic_fit_fields(e));
  s->fields_changed = 0;
  if (s->isolated)
    OAK_TRY(oak_elliptic_isolate(e));
  else if (!e->given_zero || !zero_outside(s)) /* the memory holds zeros from the start */
    OAK_TRY(oak_agree(s->sim->setup.comm, oak_elliptic_set_outer(e, value_outside, s)));
  const oak_status_t st = oak_elliptic_solve(e, &options, &found);
  if (report) {
    *report = (oak_solver_report_t){.cycles = found.cycles, .scale = found.scale};
    memcpy(report->residual, found.residual, sizeof report->residual);
  }
  return st;
}
