/* SPDX-License-Identifier: GPL-2.0-or-later
 * After a failure: finds the hook of physics or problem that returned a value which is not allowed,
 * and the cell. A unit of kernels that calls the hooks cell by cell is built only then, so the
 * kernels of the run need no checks. */
#include "solver/step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/data/data.h"

static const struct {
  const char *owner, *name, *key;
} hooks[OAK_TRACE_COUNT] = {
#define OAK_TRACE_NAME(owner, hook, name) {#owner, name, #owner "_" #hook},
    OAK_TRACE_TABLE(OAK_TRACE_NAME)
#undef OAK_TRACE_NAME
};

/* Hooks that return a value for each variable. */
static int is_vector(int hook) { return hook < OAK_TRACE_physics_timestep; }

static int is_wrong(int hook, double value, double least) {
  if (hook == OAK_TRACE_physics_timestep || hook == OAK_TRACE_problem_timestep)
    return !(value > least);
  if (hook == OAK_TRACE_physics_diffusivity || hook == OAK_TRACE_problem_diffusivity)
    return !(value >= 0 && value < INFINITY);
  return !isfinite(value);
}

static const char *advice(int hook, double value) {
  if (isnan(value))
    return "look for a division by 0, a root or logarithm of a negative number, or a missing "
           "return";
  switch (hook) {
    case OAK_TRACE_physics_timestep:
    case OAK_TRACE_problem_timestep:
      return "return a time step above 0 that a run can take, or INFINITY for no limit";
    case OAK_TRACE_physics_diffusivity:
    case OAK_TRACE_problem_diffusivity:
      return "return a finite number of at least 0";
  }
  return "return finite numbers; look for a division by 0";
}

static oak_status_t complain(oak_t *sim, int state, int hook, int v, int block, int64_t cell,
                             double value) {
  char place[96], values[1024], component[96] = "";
  oak_print_place(&sim->data, block, cell, place, sizeof place);
  oak_print_state(&sim->data, state, block, cell, values, sizeof values);
  if (is_vector(hook))
    snprintf(component, sizeof component, " for %.64s", sim->setup.description.name[v]);
  return OAK_FAIL(
      OAK_ERR_STATE,
      "%s: %s gives %g%s at (%s), level %d (step %ld, time %.6g), where the state is valid: %s: %s",
      !strcmp(hooks[hook].owner, "problem") ? sim->setup.files.problem : sim->setup.files.physics,
      hooks[hook].name, value, component, place, sim->data.mesh->level[block], sim->data.clock.step,
      sim->data.clock.time, values, advice(hook, value));
}

/* One component of a hook in all cells of this rank. */
static oak_status_t look_at(oak_t *sim, int state, int hook, int v, double least, double *value) {
  for (int b = 0; b < sim->data.mesh->nblock; b++) {
    OAK_TRY(oak_read_values(&sim->data, sim->trace.kernel, state, hook * sim->setup.nvar + v, b,
                            NULL, 1, value));
    for (int64_t c = 0; c < sim->setup.block.cells; c++)
      if (is_wrong(hook, value[c], least)) return complain(sim, state, hook, v, b, c, value[c]);
  }
  return OAK_OK;
}

static oak_status_t look(oak_t *sim, int nstate, unsigned wanted, double least) {
  OAK_FREED double *value = NULL;
  oak_status_t st = OAK_NEW(value, sim->setup.block.cells);
  for (int h = 0; h < OAK_TRACE_COUNT && st == OAK_OK; h++)
    for (int s = 0; s < nstate && st == OAK_OK && wanted >> h & 1; s++)
      for (int v = 0; v < (is_vector(h) ? sim->setup.nvar : 1) && st == OAK_OK; v++)
        st = look_at(sim, s, h, v, least, value);
  return st;
}

oak_status_t oak_trace(oak_t *sim, int nstate, unsigned wanted, double least) {
  const double dt = sim->data.clock.taken_dt;
  unsigned there = 0;
  for (int h = 0; h < OAK_TRACE_COUNT; h++)
    there |= (unsigned)(oak_has_hook(&sim->setup, hooks[h].key) != 0) << h;
  if (!(there & wanted)) return OAK_OK;
  /* The run has failed already. If the hooks cannot be called, that message remains. */
  if (oak_late_kernel(&sim->setup, &sim->trace, "check/trace", "oak_trace") != OAK_OK)
    return OAK_OK;
  if (dt == 0) sim->data.clock.taken_dt = sim->data.clock.dt;
  oak_status_t st = look(sim, nstate, there & wanted, least);
  sim->data.clock.taken_dt = dt;
  st = oak_data_agree(&sim->data, st);
  return st == OAK_ERR_STATE ? st : OAK_OK;
}
