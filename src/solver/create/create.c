/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making a simulation from parameters, and destroying it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/params_watch.h"
#include "solver/adapt/adapt.h"
#include "solver/create/create.h"
#include "solver/data/variables.h"

/* Keys that decide how kernels are built. */
static oak_status_t read_structure(oak_t *sim) {
  const oak_params_t *p = sim->setup.params;
  sim->setup.dim = oak_params_int(p, "mesh.dim");
  sim->setup.coordinates = oak_params_choice(p, "mesh.coordinates");
  sim->setup.block_size = oak_params_int(p, "mesh.block_size");
  sim->setup.cells = sim->setup.block_size * sim->setup.block_size *
                     (sim->setup.dim == 3 ? sim->setup.block_size : 1);
  sim->setup.min_level = oak_params_int(p, "mesh.min_level");
  sim->setup.max_level = oak_params_int(p, "mesh.max_level");
  sim->setup.real_size = oak_params_choice(p, "scheme.precision") == 1 ? 4 : 8;
  sim->setup.store_size = oak_params_choice(p, "scheme.precision") == 0 ? 8 : 4;
  sim->setup.method.runge_kutta = oak_runge_kutta(oak_params_choice(p, "scheme.integrator"));
  sim->setup.method.first_order = oak_params_choice(p, "scheme.on_invalid") == 1;
  sim->setup.method.retry = oak_params_choice(p, "scheme.on_invalid") == 2;
  /* A step can be repeated only if its result does not replace the state at its start. The result
   * may therefore need one more state. */
  const int further = sim->setup.method.retry && sim->setup.method.runge_kutta->result == 0;
  sim->setup.method.nstate =
      sim->setup.method.runge_kutta->nstate + (sim->setup.method.first_order || further);
  sim->setup.method.result =
      further ? sim->setup.method.runge_kutta->nstate : sim->setup.method.runge_kutta->result;
  OAK_CHECK(sim->setup.min_level <= sim->setup.max_level, OAK_ERR_INPUT,
            "mesh.min_level = %d is above mesh.max_level = %d: they must be in order",
            sim->setup.min_level, sim->setup.max_level);
  int radius;
  OAK_TRY(oak_setup_find_limiter(&sim->setup, &radius));
  const int needed =
      radius + 1; /* the flux through the outermost face needs the first ghost cell */
  const int given = oak_params_int(p, "scheme.ghost_layers");
  OAK_CHECK(given == 0 || given >= needed, OAK_ERR_INPUT,
            "%s: scheme.ghost_layers = %d: scheme.limiter = %s needs %d (0 chooses by itself)",
            oak_params_origin(p, "scheme.ghost_layers"), given,
            oak_params_text(p, "scheme.limiter"), needed);
  sim->setup.layers = given ? given : needed;
  OAK_TRY(oak_scalars_read(&sim->setup));
  return oak_pattern_check(sim->setup.block_size, sim->setup.layers,
                           sim->setup.max_level > sim->setup.min_level);
}

static oak_status_t add_derived(oak_refine_t *r, int number) {
  for (int n = 0; n < r->nderived; n++)
    if (r->derived[n] == number) return OAK_OK;
  OAK_CHECK(r->nderived < OAK_MAX_FIELDS, OAK_ERR_INPUT,
            "refine.variable names more than %d derived variables: leave some out", OAK_MAX_FIELDS);
  r->derived[r->nderived++] = number;
  return OAK_OK;
}

/* A variable that the criterion looks at. \a looks: the criterion is one that looks at derived
 * ones. A name such as rho may stand for a conserved and a primitive variable: the first one
 * counts. */
static oak_status_t add_refine_variable(oak_setup_t *setup, const char *word, int looks) {
  oak_refine_t *r = &setup->refine;
  int v = 0;
  while (v < 2 * setup->nvar && strcmp(word, setup->description.name[v])) v++;
  if (v < setup->nvar) {
    r->variables |= 1u << v;
    return OAK_OK;
  }
  if (v < 2 * setup->nvar) {
    r->primitives |= 1u << (v - setup->nvar);
    return OAK_OK;
  }
  const int field = oak_field_find(setup, word), derived = oak_derived_find(setup, word);
  if (field >= 0) {
    r->fields |= 1u << field;
    return OAK_OK;
  }
  if (derived >= 0) return looks ? add_derived(r, derived) : OAK_OK;
  return oak_variable_unknown(setup, word, oak_params_origin(setup->params, "refine.variable"),
                              "refine.variable", 1);
}

static oak_status_t read_refine_variables(oak_setup_t *setup) {
  char words[256];
  const char *text = oak_params_text(setup->params, "refine.variable");
  const char *criterion = oak_params_text(setup->params, "refine.criterion");
  const int looks = setup->refine.active && strcmp(criterion, "user") && strcmp(criterion, "none");
  snprintf(words, sizeof words, "%s", *text ? text : setup->description.name[0]);
  for (char *word = strtok(words, " ,"); word; word = strtok(NULL, " ,"))
    OAK_TRY(add_refine_variable(setup, word, looks));
  return OAK_OK;
}

/* The largest number of the run's precision that is not above x. */
static double round_down(const oak_t *sim, double x) {
  const float f = (float)x;
  if (sim->setup.real_size != sizeof f) return x;
  return f > x ? nextafterf(f, -INFINITY) : f;
}

/* Positions of cells must differ by more than their rounding errors. */
static oak_status_t check_resolution(const oak_t *sim, int d) {
  const double finest = ldexp(sim->setup.dx0[d], -sim->setup.max_level);
  const double least = 64 * DBL_EPSILON * fmax(fabs(sim->setup.xmin[d]), fabs(sim->setup.xmax[d]));
  OAK_CHECK(isfinite(finest) && finest >= least && finest >= DBL_MIN, OAK_ERR_INPUT,
            "mesh.xmin = %g and mesh.xmax = %g along %c: cells of mesh.max_level = %d would have "
            "the size %g, but numbers of double precision tell them apart only from %g on: put the "
            "origin near the domain, lower the level or change the unit",
            sim->setup.xmin[d], sim->setup.xmax[d], "xyz"[d], sim -> setup.max_level, finest,
            fmax(least, DBL_MIN));
  return OAK_OK;
}

/* checkpoint.last_good needs one more state, unless the stages do not overwrite the start of a
 * step. If parts of a step come before the stages or use their states, each step begins with a
 * copy. */
static void keep_start(oak_t *sim) {
  if (!oak_params_bool(sim->setup.params, "checkpoint.last_good")) return;
  const int early = sim->setup.method.strang || sim->setup.method.first_order;
  if (oak_parts_beside(sim) && (early || oak_parts_need(sim) & OAK_PART_STATES))
    sim->setup.method.kept = sim->setup.method.nstate++;
  else if (sim->setup.method.result == 0 && !sim->setup.method.first_order)
    sim->setup.method.result = sim->setup.method.nstate++;
}

static oak_status_t read_rest(oak_t *sim) {
  const oak_params_t *p = sim->setup.params;
  oak_params_ints(p, "mesh.trees", sim->setup.trees);
  OAK_TRY(oak_mesh_check_trees(sim->setup.dim, sim->setup.trees));
  oak_params_reals(p, "mesh.xmin", sim->setup.xmin);
  oak_params_reals(p, "mesh.xmax", sim->setup.xmax);
  for (int d = 0; d < sim->setup.dim; d++) {
    OAK_CHECK(sim->setup.xmax[d] > sim->setup.xmin[d], OAK_ERR_INPUT,
              "mesh.xmax = %g is not above mesh.xmin = %g along %c", sim->setup.xmax[d],
              sim->setup.xmin[d], "xyz"[d]);
    sim->setup.dx0[d] =
        (sim->setup.xmax[d] - sim->setup.xmin[d]) / sim->setup.trees[d] / sim->setup.block_size;
    OAK_TRY(check_resolution(sim, d));
  }
  if (sim->setup.dim == 2) {
    sim->setup.xmin[2] = sim->setup.xmax[2] = sim->setup.dx0[2] = 0;
    sim->setup.trees[2] = 1;
  }
  /* Kernels round theta to their precision: 4/3 must not end above 4/3 (kernels/rows.h). */
  sim->setup.interpolation_theta = round_down(sim, oak_params_real(p, "mesh.theta"));
  oak_read_changing(&sim->setup);
  sim->setup.method.strang = oak_params_choice(p, "scheme.splitting") == 1;
  OAK_TRY(oak_parts_read(sim));
  keep_start(sim);
  OAK_CHECK(!sim->setup.method.strang || !sim->setup.method.retry || !oak_parts_beside(sim),
            OAK_ERR_INPUT,
            "scheme.splitting = strang changes the solution before the stages, which "
            "scheme.on_invalid = retry cannot take back: choose lie, or stop or first_order");
  sim->setup.refine.buffer = oak_params_int(p, "refine.buffer");
  OAK_CHECK(sim->setup.refine.buffer <= sim->setup.block_size, OAK_ERR_INPUT,
            "%s: refine.buffer = %d: at most the cells of a block, mesh.block_size = %d",
            oak_params_origin(p, "refine.buffer"), sim->setup.refine.buffer, sim->setup.block_size);
  const char *criterion = oak_params_text(p, "refine.criterion");
  sim->setup.refine.active =
      (strcmp(criterion, "none") || oak_has_hook(&sim->setup, "problem_region")) &&
      sim->setup.max_level > sim->setup.min_level;
  OAK_CHECK(strcmp(criterion, "user") || oak_has_hook(&sim->setup, "problem_refine"), OAK_ERR_INPUT,
            "refine.criterion = user: %s has no REFINE(at)", sim->setup.files.problem);
  OAK_CHECK(sim->setup.refine.c_derefine <= sim->setup.refine.c_refine, OAK_ERR_INPUT,
            "refine.c_derefine = %g is above refine.c_refine = %g: they must be in order",
            sim->setup.refine.c_derefine, sim->setup.refine.c_refine);
  OAK_TRY(oak_coordinates_check(&sim->setup));
  return read_refine_variables(&sim->setup);
}

_Static_assert((int)OAK_TIMER_MARKS <= (int)OAK_DEVICE_MARKS, "timers number the device's marks");

static void mark(void *dev, int number) { oak_device_ops(dev)->mark(dev, number); }
static double between(void *dev, int from, int to) {
  return oak_device_ops(dev)->between(dev, from, to);
}

/* If launches return at once, times are measured in the device's queue. */
static void use_device_clock(oak_t *sim) {
  if (!oak_device_ops(sim->setup.dev)->mark) return;
  oak_timers_use(&sim->data.timers, &(oak_clock_t){sim->setup.dev, mark, between});
}

static oak_status_t open_device(oak_t *sim) {
  const oak_device_options_t options = {
      .threads = oak_params_int(sim->setup.params, "device.threads"),
      .compiler = oak_params_text(sim->setup.params, "device.compiler"),
      .flags = oak_params_text(sim->setup.params, "device.flags")};
  const char *name = oak_params_text(sim->setup.params, "device.name");
  sim->setup.debug = oak_params_bool(sim->setup.params, "run.debug");
  if (sim->setup.debug && !strcmp(name, "auto")) name = "cpu";
  OAK_CHECK(!sim->setup.debug || !strcmp(name, "cpu"), OAK_ERR_INPUT,
            "%s: device.name = %s: run.debug (oak run --debug) works on cpu only",
            oak_params_origin(sim->setup.params, "device.name"), name);
  OAK_TRY(oak_device_open(sim->setup.comm, name, &options, &sim->setup.dev));
  use_device_clock(sim);
  return OAK_OK;
}

/* Boundary conditions and parameters to the device. Not collective. */
static oak_status_t upload_settings(oak_t *sim, int periodic[3]) {
  oak_bc_t bc[6 * OAK_MAX_NVAR];
  const size_t bytes = 2 * sim->setup.dim * sim->setup.nvar * sizeof *bc;
  OAK_TRY(oak_boundary_read(&sim->setup, bc, periodic));
  OAK_TRY(oak_params_check(sim->setup.params, 1));
  OAK_TRY(oak_device_alloc(sim->setup.dev, bytes, &sim->setup.bc));
  OAK_TRY(oak_device_upload(sim->setup.dev, sim->setup.bc, bc, bytes));
  return oak_setup_upload_parameters(&sim->setup);
}

/* Make the mesh; the boundary conditions decide along which axes it is periodic. */
static oak_status_t make_mesh(oak_t *sim) {
  const unsigned needs = oak_parts_need(sim);
  int periodic[3];
  OAK_TRY(oak_agree(sim->setup.comm, upload_settings(sim, periodic)));
  OAK_TRY(oak_data_open(&sim->data, needs & OAK_PART_EDGES, needs & OAK_PART_WHOLE_TILES));
  sim->setup.peers = sim->data.transport.peers.count > 1;
  OAK_TRY(oak_agree(sim->setup.comm, oak_pace_init(sim)));
  OAK_TRY(oak_storage_begin(&sim->data));
  return oak_mesh_new(sim->setup.comm, sim->setup.dim, sim->setup.trees, periodic,
                      sim->setup.min_level, &sim->data.mesh);
}

/* All keys are declared by now. */
static oak_status_t check_all(const oak_t *sim) {
  const oak_description_t *d = &sim->setup.description;
  char mistakes[4096];
  oak_status_t st = oak_params_check(sim->setup.params, 1);
  const int has_own =
      d->nparameter > 0 && !strcmp(d->parameter[d->nparameter - 1].section, "problem");
  if (st == OAK_OK || has_own || !strstr(oak_last_error(), "problem.")) return st;
  snprintf(mistakes, sizeof mistakes, "%s", oak_last_error());
  return OAK_FAIL(
      st, "%s\n%s declares no parameters; PARAMETER(name, default, \"help\") there makes one",
      mistakes, sim->setup.files.problem);
}

/* The keys that depend on the description of physics and problem. */
static oak_status_t read_described(oak_t *sim) {
  sim->setup.nvar = sim->setup.description.nvar;
  OAK_TRY(oak_boundary_declare(&sim->setup));
  OAK_TRY(check_all(sim));
  return read_rest(sim);
}

/* The device, and what physics and problem declare. Collective. */
static oak_status_t describe(oak_t *sim) {
  oak_status_t st = oak_params_check(sim->setup.params, 0);
  if (st == OAK_OK) st = read_structure(sim);
  OAK_TRY(oak_agree(sim->setup.comm, st));
  OAK_TRY(open_device(sim));
  return oak_setup_describe(&sim->setup);
}

static oak_status_t prepare(oak_t *sim) {
  OAK_TRY(describe(sim));
  OAK_TRY(oak_agree(sim->setup.comm, read_described(sim)));
  return oak_agree(sim->setup.comm, oak_variables_check(&sim->setup));
}

static oak_status_t finish(oak_t *sim, FILE *stream) {
  OAK_TRY(make_mesh(sim));
  oak_print_head(sim, stream, 1); /* kernels may take half a minute to compile */
  OAK_TRY(oak_setup_build(&sim->setup));
  sim->data.exchange.kernel = sim->setup.kernel.halo;
  OAK_TRY(oak_fit_mesh(sim));
  OAK_TRY(oak_parts_open(sim));
  return oak_agree(sim->setup.comm, oak_follow_changes(sim));
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
  sim->setup.params = params;
  sim->data.setup = &sim->setup;
  sim->data.storage.revision = -1;
  sim->setup.started = MPI_Wtime();
  MPI_Comm_dup(comm, &sim->setup.comm);
  MPI_Comm_rank(sim->setup.comm, &sim->setup.rank);
  MPI_Comm_size(sim->setup.comm, &sim->setup.size);
  oak_timers_reset(&sim->data.timers);
  *out = sim;
  return OAK_OK;
}

oak_status_t oak_sim_prepare(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  oak_t *sim;
  OAK_TRY(begin(comm, params, &sim));
  oak_timer_start(&sim->data.timers, OAK_PHASE_INIT);
  const oak_status_t st = prepare(sim);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_INIT);
  if (st != OAK_OK)
    oak_destroy(&sim);
  else
    *out = sim;
  return st;
}

oak_status_t oak_sim_finish(oak_t **sim, FILE *stream) {
  oak_timer_start(&(*sim)->data.timers, OAK_PHASE_INIT);
  const oak_status_t st = finish(*sim, stream);
  oak_timer_stop(&(*sim)->data.timers, OAK_PHASE_INIT);
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
  sim->setup.nvar = sim->setup.description.nvar;
  return oak_agree(sim->setup.comm, oak_boundary_declare(&sim->setup));
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
  oak_params_unwatch(sim->setup.params, sim);
  if (sim->setup.dev) {
    oak_parts_clear(sim);
    oak_data_clear(&sim->data);
    for (int i = 0; i < sim->user.count; i++)
      oak_device_unload(sim->setup.dev, &sim->user.module[i]);
    if (sim->trace.module) oak_device_unload(sim->setup.dev, &sim->trace.module);
    oak_setup_unload(&sim->setup);
    oak_device_close(&sim->setup.dev);
  }
  oak_mesh_destroy(&sim->data.mesh);
  free(sim->pace.speed);
  MPI_Comm_free(&sim->setup.comm);
  free(sim);
  *out = NULL;
}
