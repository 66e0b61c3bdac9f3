/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making a simulation from parameters, and destroying it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/params_watch.h"
#include "solver/adapt/criterion.h"
#include "solver/data/variables.h"

/* Keys that decide how kernels are built. */
static oak_status_t read_structure(oak_t *sim) {
  const oak_params_t *p = sim->params;
  sim->dim = oak_params_int(p, "mesh.dim");
  sim->block_size = oak_params_int(p, "mesh.block_size");
  sim->cells = sim->block_size * sim->block_size * (sim->dim == 3 ? sim->block_size : 1);
  sim->min_level = oak_params_int(p, "mesh.min_level");
  sim->max_level = oak_params_int(p, "mesh.max_level");
  sim->real_size = oak_params_choice(p, "scheme.precision") == 1 ? 4 : 8;
  sim->store_size = oak_params_choice(p, "scheme.precision") == 0 ? 8 : 4;
  sim->method.runge_kutta = oak_runge_kutta(oak_params_choice(p, "scheme.integrator"));
  sim->method.first_order = oak_params_choice(p, "scheme.on_invalid") == 1;
  sim->method.retry = oak_params_choice(p, "scheme.on_invalid") == 2;
  /* A step can be repeated only if its result does not replace the state at its start. The result
   * may therefore need one more state. */
  const int further = sim->method.retry && sim->method.runge_kutta->result == 0;
  sim->method.nstate = sim->method.runge_kutta->nstate + (sim->method.first_order || further);
  sim->method.result = further ? sim->method.runge_kutta->nstate : sim->method.runge_kutta->result;
  OAK_CHECK(sim->min_level <= sim->max_level, OAK_ERR_INPUT,
            "mesh.min_level = %d is above mesh.max_level = %d: they must be in order",
            sim->min_level, sim->max_level);
  int radius;
  OAK_TRY(oak_sim_find_limiter(sim, &radius));
  const int needed =
      radius + 1; /* the flux through the outermost face needs the first ghost cell */
  const int given = oak_params_int(p, "scheme.ghost_layers");
  OAK_CHECK(given == 0 || given >= needed, OAK_ERR_INPUT,
            "%s: scheme.ghost_layers = %d: scheme.limiter = %s needs %d (0 chooses by itself)",
            oak_params_origin(p, "scheme.ghost_layers"), given,
            oak_params_text(p, "scheme.limiter"), needed);
  sim->layers = given ? given : needed;
  OAK_TRY(oak_scalars_read(sim));
  return oak_pattern_check(sim->block_size, sim->layers, sim->max_level > sim->min_level);
}

/* The variables a criterion looks at, by name. A name such as rho may stand for a conserved and a
 * primitive variable: the first one counts. */
static oak_status_t read_refine_variables(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  char words[256];
  const char *text = oak_params_text(sim->params, "refine.variable");
  const char *criterion = oak_params_text(sim->params, "refine.criterion");
  const int looks = sim->refine.active && strcmp(criterion, "user") && strcmp(criterion, "none");
  snprintf(words, sizeof words, "%s", *text ? text : d->name[0]);
  for (char *w = strtok(words, " ,"); w; w = strtok(NULL, " ,")) {
    int v = 0;
    while (v < 2 * sim->nvar && strcmp(w, d->name[v])) v++;
    const int field = v < 2 * sim->nvar ? -1 : oak_field_find(sim, w);
    if (field >= 0) {
      sim->refine.fields |= 1u << field;
      continue;
    }
    const int derived = v < 2 * sim->nvar ? -1 : oak_derived_find(sim, w);
    if (derived >= 0) {
      if (looks) OAK_TRY(oak_criterion_add(sim, derived));
      continue;
    }
    if (v == 2 * sim->nvar)
      return oak_variable_unknown(sim, w, oak_params_origin(sim->params, "refine.variable"),
                                  "refine.variable", 1);
    if (v < sim->nvar)
      sim->refine.variables |= 1u << v;
    else
      sim->refine.primitives |= 1u << (v - sim->nvar);
  }
  return OAK_OK;
}

/* The largest number of the run's precision that is not above x. */
static double round_down(const oak_t *sim, double x) {
  const float f = (float)x;
  if (sim->real_size != sizeof f) return x;
  return f > x ? nextafterf(f, -INFINITY) : f;
}

/* Positions of cells must differ by more than their rounding errors. */
static oak_status_t check_resolution(const oak_t *sim, int d) {
  const double finest = ldexp(sim->dx0[d], -sim->max_level);
  const double least = 64 * DBL_EPSILON * fmax(fabs(sim->xmin[d]), fabs(sim->xmax[d]));
  OAK_CHECK(isfinite(finest) && finest >= least && finest >= DBL_MIN, OAK_ERR_INPUT,
            "mesh.xmin = %g and mesh.xmax = %g along %c: cells of mesh.max_level = %d would have "
            "the size %g, but numbers of double precision tell them apart only from %g on: put the "
            "origin near the domain, lower the level or change the unit",
            sim->xmin[d], sim->xmax[d], "xyz"[d], sim -> max_level, finest, fmax(least, DBL_MIN));
  return OAK_OK;
}

/* checkpoint.last_good needs one more state, unless the stages do not overwrite the start of a
 * step. If parts of a step come before the stages or use their states, each step begins with a
 * copy. */
static void keep_start(oak_t *sim) {
  if (!oak_params_bool(sim->params, "checkpoint.last_good")) return;
  const int early = sim->method.strang || sim->method.first_order;
  if (oak_parts_beside(sim) && (early || oak_parts_need(sim) & OAK_PART_STATES))
    sim->method.kept = sim->method.nstate++;
  else if (sim->method.result == 0 && !sim->method.first_order)
    sim->method.result = sim->method.nstate++;
}

static oak_status_t read_rest(oak_t *sim) {
  const oak_params_t *p = sim->params;
  oak_params_ints(p, "mesh.trees", sim->trees);
  OAK_TRY(oak_mesh_check_trees(sim->dim, sim->trees));
  oak_params_reals(p, "mesh.xmin", sim->xmin);
  oak_params_reals(p, "mesh.xmax", sim->xmax);
  for (int d = 0; d < sim->dim; d++) {
    OAK_CHECK(sim->xmax[d] > sim->xmin[d], OAK_ERR_INPUT,
              "mesh.xmax = %g is not above mesh.xmin = %g along %c", sim->xmax[d], sim->xmin[d],
              "xyz"[d]);
    sim->dx0[d] = (sim->xmax[d] - sim->xmin[d]) / sim->trees[d] / sim->block_size;
    OAK_TRY(check_resolution(sim, d));
  }
  if (sim->dim == 2) {
    sim->xmin[2] = sim->xmax[2] = sim->dx0[2] = 0;
    sim->trees[2] = 1;
  }
  /* Kernels round theta to their precision: 4/3 must not end above 4/3 (kernels/rows.h). */
  sim->interpolation_theta = round_down(sim, oak_params_real(p, "mesh.theta"));
  oak_read_changing(sim);
  sim->method.strang = oak_params_choice(p, "scheme.splitting") == 1;
  OAK_TRY(oak_parts_read(sim));
  keep_start(sim);
  OAK_CHECK(!sim->method.strang || !sim->method.retry || !oak_parts_beside(sim), OAK_ERR_INPUT,
            "scheme.splitting = strang changes the solution before the stages, which "
            "scheme.on_invalid = retry cannot take back: choose lie, or stop or first_order");
  sim->refine.buffer = oak_params_int(p, "refine.buffer");
  OAK_CHECK(sim->refine.buffer <= sim->block_size, OAK_ERR_INPUT,
            "%s: refine.buffer = %d: at most the cells of a block, mesh.block_size = %d",
            oak_params_origin(p, "refine.buffer"), sim->refine.buffer, sim->block_size);
  const char *criterion = oak_params_text(p, "refine.criterion");
  sim->refine.active = (strcmp(criterion, "none") || oak_has_hook(sim, "problem_region")) &&
                       sim->max_level > sim->min_level;
  OAK_CHECK(strcmp(criterion, "user") || oak_has_hook(sim, "problem_refine"), OAK_ERR_INPUT,
            "refine.criterion = user: %s has no REFINE(at)", sim->files.problem);
  OAK_CHECK(sim->refine.c_derefine <= sim->refine.c_refine, OAK_ERR_INPUT,
            "refine.c_derefine = %g is above refine.c_refine = %g: they must be in order",
            sim->refine.c_derefine, sim->refine.c_refine);
  return read_refine_variables(sim);
}

_Static_assert((int)OAK_TIMER_MARKS <= (int)OAK_DEVICE_MARKS, "timers number the device's marks");

static void mark(void *dev, int number) { oak_device_ops(dev)->mark(dev, number); }
static double between(void *dev, int from, int to) {
  return oak_device_ops(dev)->between(dev, from, to);
}

/* If launches return at once, times are measured in the device's queue. */
static void use_device_clock(oak_t *sim) {
  if (!oak_device_ops(sim->dev)->mark) return;
  oak_timers_use(&sim->timers, &(oak_clock_t){sim->dev, mark, between});
}

static oak_status_t open_device(oak_t *sim) {
  const oak_device_options_t options = {.threads = oak_params_int(sim->params, "device.threads"),
                                        .compiler = oak_params_text(sim->params, "device.compiler"),
                                        .flags = oak_params_text(sim->params, "device.flags")};
  const char *name = oak_params_text(sim->params, "device.name");
  sim->debug = oak_params_bool(sim->params, "run.debug");
  if (sim->debug && !strcmp(name, "auto")) name = "cpu";
  OAK_CHECK(!sim->debug || !strcmp(name, "cpu"), OAK_ERR_INPUT,
            "%s: device.name = %s: run.debug (oak run --debug) works on cpu only",
            oak_params_origin(sim->params, "device.name"), name);
  OAK_TRY(oak_device_open(sim->comm, name, &options, &sim->dev));
  use_device_clock(sim);
  return OAK_OK;
}

/* How ranks reach each other's data. */
static oak_status_t open_exchange(oak_t *sim) {
  OAK_TRY(oak_transport_open(&sim->transport, sim->comm, sim->dev,
                             oak_params_choice(sim->params, "device.transport")));
  oak_status_t st =
      oak_pattern_init(&sim->pattern, &sim->transport, sim->dim, sim->block_size, sim->layers);
  if (oak_parts_need(sim) & OAK_PART_EDGES) oak_pattern_add_edges(&sim->pattern);
  oak_exchange_init(&sim->exchange, &sim->transport, &sim->pattern, sim->nvar,
                    OAK_INTERPOLATE_STATE, sim->store_size);
  if (st == OAK_OK) st = oak_fields_open(sim);
  return oak_agree(sim->comm, st);
}

/* Boundary conditions and parameters to the device. Not collective. */
static oak_status_t upload_settings(oak_t *sim, int periodic[3]) {
  oak_bc_t bc[6 * OAK_MAX_NVAR];
  const size_t bytes = 2 * sim->dim * sim->nvar * sizeof *bc;
  OAK_TRY(oak_boundary_read(sim, bc, periodic));
  OAK_TRY(oak_params_check(sim->params, 1));
  OAK_TRY(oak_device_alloc(sim->dev, bytes, &sim->bc));
  OAK_TRY(oak_device_upload(sim->dev, sim->bc, bc, bytes));
  return oak_sim_upload_parameters(sim);
}

/* Make the mesh; the boundary conditions decide along which axes it is periodic. */
static oak_status_t make_mesh(oak_t *sim) {
  int periodic[3];
  OAK_TRY(oak_agree(sim->comm, upload_settings(sim, periodic)));
  OAK_TRY(open_exchange(sim));
  OAK_TRY(oak_agree(sim->comm, oak_pace_init(sim)));
  OAK_TRY(oak_storage_begin(sim));
  return oak_mesh_new(sim->comm, sim->dim, sim->trees, periodic, sim->min_level, &sim->mesh);
}

/* All keys are declared by now. */
static oak_status_t check_all(const oak_t *sim) {
  const oak_description_t *d = &sim->description;
  char mistakes[4096];
  oak_status_t st = oak_params_check(sim->params, 1);
  const int has_own =
      d->nparameter > 0 && !strcmp(d->parameter[d->nparameter - 1].section, "problem");
  if (st == OAK_OK || has_own || !strstr(oak_last_error(), "problem.")) return st;
  snprintf(mistakes, sizeof mistakes, "%s", oak_last_error());
  return OAK_FAIL(
      st, "%s\n%s declares no parameters; PARAMETER(name, default, \"help\") there makes one",
      mistakes, sim->files.problem);
}

/* The keys that depend on the description of physics and problem. */
static oak_status_t read_described(oak_t *sim) {
  sim->nvar = sim->description.nvar;
  OAK_TRY(oak_boundary_declare(sim));
  OAK_TRY(check_all(sim));
  return read_rest(sim);
}

/* The device, and what physics and problem declare. Collective. */
static oak_status_t describe(oak_t *sim) {
  oak_status_t st = oak_params_check(sim->params, 0);
  if (st == OAK_OK) st = read_structure(sim);
  OAK_TRY(oak_agree(sim->comm, st));
  OAK_TRY(open_device(sim));
  return oak_sim_describe(sim);
}

static oak_status_t prepare(oak_t *sim) {
  OAK_TRY(describe(sim));
  OAK_TRY(oak_agree(sim->comm, read_described(sim)));
  return oak_agree(sim->comm, oak_variables_check(sim));
}

static oak_status_t finish(oak_t *sim, FILE *stream) {
  OAK_TRY(make_mesh(sim));
  oak_print_head(sim, stream, 1); /* kernels may take half a minute to compile */
  OAK_TRY(oak_sim_build(sim));
  OAK_TRY(oak_storage_fit(sim));
  OAK_TRY(oak_parts_open(sim));
  return oak_agree(sim->comm, oak_follow_changes(sim));
}

/* An object with nothing in it, on all ranks or none. */
static oak_status_t begin(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  oak_t *sim = calloc(1, sizeof *sim);
  oak_status_t st = sim ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for a simulation");
  st = oak_agree(comm, st);
  if (st != OAK_OK) {
    free(sim);
    return st;
  }
  sim->params = params;
  sim->storage.revision = -1;
  sim->started = MPI_Wtime();
  MPI_Comm_dup(comm, &sim->comm);
  MPI_Comm_rank(sim->comm, &sim->rank);
  MPI_Comm_size(sim->comm, &sim->size);
  oak_timers_reset(&sim->timers);
  *out = sim;
  return OAK_OK;
}

oak_status_t oak_sim_prepare(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  oak_t *sim;
  OAK_TRY(begin(comm, params, &sim));
  oak_timer_start(&sim->timers, OAK_PHASE_INIT);
  const oak_status_t st = prepare(sim);
  oak_timer_stop(&sim->timers, OAK_PHASE_INIT);
  if (st != OAK_OK)
    oak_destroy(&sim);
  else
    *out = sim;
  return st;
}

oak_status_t oak_sim_finish(oak_t **sim, FILE *stream) {
  oak_timer_start(&(*sim)->timers, OAK_PHASE_INIT);
  const oak_status_t st = finish(*sim, stream);
  oak_timer_stop(&(*sim)->timers, OAK_PHASE_INIT);
  if (st != OAK_OK) oak_destroy(sim);
  return st;
}

oak_status_t oak_create_ext(MPI_Comm comm, oak_params_t *params, FILE *stream, oak_t **out) {
  OAK_TRY(oak_sim_prepare(comm, params, out));
  return oak_sim_finish(out, stream);
}

oak_status_t oak_create(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  return oak_create_ext(comm, params, NULL, out);
}

static oak_status_t declare(oak_t *sim) {
  OAK_TRY(describe(sim));
  sim->nvar = sim->description.nvar;
  return oak_agree(sim->comm, oak_boundary_declare(sim));
}

oak_status_t oak_sim_declare(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  oak_t *sim;
  OAK_TRY(begin(comm, params, &sim));
  const oak_status_t st = declare(sim);
  if (st != OAK_OK)
    oak_destroy(&sim);
  else
    *out = sim;
  return st;
}

oak_status_t oak_declare(MPI_Comm comm, oak_params_t *params) {
  oak_t *sim;
  OAK_TRY(oak_sim_declare(comm, params, &sim));
  oak_destroy(&sim);
  return OAK_OK;
}

void oak_destroy(oak_t **out) {
  oak_t *sim = *out;
  if (!sim) return;
  oak_params_unwatch(sim->params, sim);
  if (sim->dev) {
    oak_snapshot_clear(sim);
    oak_parts_clear(sim);
    oak_storage_clear(sim);
    oak_exchange_clear(&sim->exchange);
    oak_pattern_clear(&sim->pattern, sim->dev);
    oak_transport_close(&sim->transport);
    oak_sim_unload(sim);
    oak_device_free(sim->dev, sim->bc);
    oak_device_close(&sim->dev);
  }
  oak_mesh_destroy(&sim->mesh);
  free(sim->pace.speed);
  MPI_Comm_free(&sim->comm);
  free(sim);
  *out = NULL;
}
