/* SPDX-License-Identifier: GPL-2.0-or-later
 * Making a simulation from parameters, and destroying it. */
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "base/params_library.h"
#include "api/create.h"
#include "solver/data/variables.h"

/* The parts of a time step. */
static oak_status_t choose_parts(oak_t *sim) {
  oak_method_t *method = &sim->setup.method;
  method->strang = oak_params_choice(sim->setup.params, "scheme.splitting") == 1;
  method->may_begin = sim->setup.equations.count || OAK_HAS_HOOK(&sim->setup, source) ||
                      OAK_HAS_HOOK(&sim->setup, update) ||
                      oak_has_hook(&sim->setup, "problem_boundary");
  OAK_TRY(oak_parts_read(sim));
  OAK_CHECK(!method->strang || !method->retry || !sim->parts.beside, OAK_ERR_INPUT,
            "scheme.splitting = strang changes the solution before the stages, which "
            "scheme.on_invalid = retry cannot take back: choose lie, or stop or first_order");
  return OAK_OK;
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
  const oak_params_t *p = sim->setup.params;
  const oak_device_options_t options = {.threads = oak_params_int(p, "device.threads"),
                                        .compiler = oak_params_text(p, "device.compiler"),
                                        .flags = oak_params_text(p, "device.flags")};
  const char *name = oak_params_text(p, "device.name");
  sim->setup.kernel.debug = oak_params_bool(p, "run.debug");
  if (sim->setup.kernel.debug && !strcmp(name, "auto")) name = "cpu";
  OAK_CHECK(!sim->setup.kernel.debug || !strcmp(name, "cpu"), OAK_ERR_INPUT,
            "%s: device.name = %s: run.debug (oak run --debug) works on cpu only",
            oak_params_origin(p, "device.name"), name);
  OAK_TRY(oak_device_open(sim->setup.comm, name, &options, &sim->setup.dev));
  use_device_clock(sim);
  return OAK_OK;
}

/* Boundary conditions and parameters to the device. Not collective. */
static oak_status_t upload_settings(oak_setup_t *setup) {
  oak_bc_t bc[6 * OAK_MAX_NVAR];
  const size_t bytes = 2 * setup->dim * setup->nvar * sizeof *bc;
  OAK_TRY(oak_boundary_read(setup, bc));
  OAK_FOR_TOPICS(t, check) OAK_TRY(t->check(setup));
  OAK_TRY(oak_params_check(setup->params, 1));
  OAK_TRY(oak_device_alloc(setup->dev, bytes, &setup->domain.bc));
  OAK_TRY(oak_device_upload(setup->dev, setup->domain.bc, bc, bytes));
  return oak_setup_upload_parameters(setup);
}

/* Make the mesh; the boundary conditions decide along which axes it is periodic. */
static oak_status_t make_mesh(oak_t *sim) {
  const unsigned needs = sim->parts.needs;
  OAK_TRY(oak_agree(sim->setup.comm, upload_settings(&sim->setup)));
  OAK_TRY(oak_data_open(&sim->data, needs & OAK_NEEDS_EDGES, needs & OAK_NEEDS_WHOLE_TILES));
  sim->setup.kernel.peers = sim->data.transport.peers.count > 1;
  OAK_TRY(oak_storage_begin(&sim->data));
  OAK_TRY(oak_mesh_new(sim->setup.comm, sim->setup.dim, sim->setup.domain.trees,
                       sim->setup.domain.periodic, sim->setup.refine.min_level, &sim->data.mesh));
  sim->data.mesh->poles = oak_poles(&sim->setup);
  return OAK_OK;
}

/* All keys are declared by now. */
static oak_status_t check_all(const oak_setup_t *setup) {
  char mistakes[4096];
  oak_status_t st = oak_params_check(setup->params, 1);
  if (st == OAK_OK || setup->description.nproblem || !strstr(oak_last_error(), "problem."))
    return st;
  snprintf(mistakes, sizeof mistakes, "%s", oak_last_error());
  return OAK_FAIL(
      st, "%s\n%s declares no parameters; PARAMETER(name, default, \"help\") there makes one",
      mistakes, setup->files.problem);
}

/* The keys that depend on the description of physics and problem. */
static oak_status_t read_described(oak_t *sim) {
  OAK_TRY(check_all(&sim->setup));
  OAK_TRY(oak_read_domain(&sim->setup));
  OAK_FOR_TOPICS(t, read) OAK_TRY(t->read(&sim->setup));
  oak_read_changing(&sim->setup);
  OAK_TRY(choose_parts(sim));
  OAK_TRY(oak_coordinates_check(&sim->setup));
  return oak_read_refinement(&sim->setup);
}

/* The device, and what physics and problem declare. Collective. */
static oak_status_t describe(oak_t *sim) {
  oak_status_t st = oak_params_check(sim->setup.params, 0);
  if (st == OAK_OK) st = oak_read_structure(&sim->setup);
  OAK_TRY(oak_agree(sim->setup.comm, st));
  OAK_TRY(open_device(sim));
  /* A file may be there for one rank and not for another. */
  st = oak_setup_find_files(&sim->setup);
  if (st == OAK_OK) st = oak_read_layers(&sim->setup);
  OAK_TRY(oak_agree(sim->setup.comm, st));
  return oak_setup_describe(&sim->setup);
}

static oak_status_t prepare(oak_t *sim) {
  OAK_TRY(describe(sim));
  OAK_TRY(oak_agree(sim->setup.comm, read_described(sim)));
  return oak_agree(sim->setup.comm, oak_variables_check(&sim->setup));
}

static oak_status_t finish(oak_t *sim, FILE *stream) {
  OAK_TRY(make_mesh(sim));
  sim->run.announced = stream != NULL;
  oak_print_head(sim, stream, 1); /* kernels may take half a minute to compile */
  OAK_TRY(oak_setup_build(&sim->setup));
  sim->data.exchange.kernel = sim->setup.kernel.halo;
  OAK_TRY(oak_fit_mesh(sim));
  OAK_TRY(oak_parts_open(sim));
  return oak_agree(sim->setup.comm, oak_follow_changes(sim));
}

/* Make a simulation by \a steps. Collective. */
static oak_status_t make(MPI_Comm comm, oak_params_t *params, oak_status_t (*steps)(oak_t *),
                         oak_t **out) {
  oak_t *sim;
  oak_status_t st = oak_agree(comm, OAK_NEW(sim, 1));
  if (st != OAK_OK) {
    free(sim);
    return st;
  }
  sim->setup.params = params;
  oak_data_init(&sim->data, &sim->setup);
  sim->run.started = MPI_Wtime();
  MPI_Comm_dup(comm, &sim->setup.comm);
  oak_await_open(sim->setup.comm);
  MPI_Comm_rank(sim->setup.comm, &sim->setup.rank);
  MPI_Comm_size(sim->setup.comm, &sim->setup.size);
  st = OAK_TIMED(&sim->data.timers, OAK_PHASE_INIT, steps(sim));
  if (st != OAK_OK)
    oak_destroy(&sim);
  else
    *out = sim;
  return st;
}

oak_status_t oak_sim_prepare(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  return make(comm, params, prepare, out);
}

oak_status_t oak_sim_finish(oak_t **sim, FILE *stream) {
  const oak_status_t st = OAK_TIMED(&(*sim)->data.timers, OAK_PHASE_INIT, finish(*sim, stream));
  if (st != OAK_OK) oak_destroy(sim);
  return st;
}

oak_status_t oak_create_ext(MPI_Comm comm, oak_params_t *params, FILE *stream, oak_t **out) {
  OAK_BEGIN(params);
  OAK_TRY(oak_sim_prepare(comm, params, out));
  return oak_sim_finish(out, stream);
}

oak_status_t oak_create(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  OAK_NEED(params);
  return oak_create_ext(comm, params, NULL, out);
}

oak_status_t oak_sim_declare(MPI_Comm comm, oak_params_t *params, oak_t **out) {
  return make(comm, params, describe, out);
}

oak_status_t oak_declare(MPI_Comm comm, oak_params_t *params) {
  oak_t *sim;
  OAK_BEGIN(params);
  OAK_TRY(oak_sim_declare(comm, params, &sim));
  oak_destroy(&sim);
  return OAK_OK;
}

void oak_destroy(oak_t **out) {
  oak_t *sim = out ? *out : NULL;
  int over;
  MPI_Finalized(&over);
  if (!sim || over) return; /* without MPI, only the end of the process frees it */
  if (sim->own.release) sim->own.release(sim->own.state);
  oak_params_unwatch(sim->setup.params, sim);
  if (sim->setup.dev) {
    oak_parts_clear(sim);
    oak_data_clear(&sim->data);
    for (int i = 0; i < sim->user.count; i++)
      oak_device_unload(sim->setup.dev, &sim->user.module[i]);
    if (sim->forces.module) oak_device_unload(sim->setup.dev, &sim->forces.module);
    oak_setup_unload(&sim->setup);
    oak_device_close(&sim->setup.dev);
  }
  oak_mesh_destroy(&sim->data.mesh);
  oak_await_close(sim->setup.comm);
  MPI_Comm_free(&sim->setup.comm);
  free(sim);
  *out = NULL;
}
