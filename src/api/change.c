/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameters that a program changes while the simulation is there. */
#include <string.h>

#include "base/params_library.h"
#include "api/create.h"

/* A parameter of the physics or the problem, and its place in the description; -1: none. */
static int find_parameter(const oak_t *sim, const char *key) {
  const oak_description_t *d = &sim->setup.description;
  for (int n = 0; n < d->nparameter; n++)
    if (!strcmp(key, d->parameter[n].key)) return n;
  return -1;
}

/* Kernels of floors and of diffusive fluxes are built only if a key is set. */
static int has_no_kernel(const oak_t *sim, int n) {
  const char *end = n < 0 ? NULL : strrchr(sim->setup.description.parameter[n].key, '_');
  if (end && !strcmp(end, "_floor") && oak_has_hook(&sim->setup, "physics_floor"))
    return !sim->setup.method.floors;
  const int kind = n >= 0 ? sim->setup.description.parameter[n].diffusive : 0;
  return kind &&
         !oak_has_hook(&sim->setup, kind > 1 ? "physics_electric_field" : "physics_diffusive_flux");
}

static oak_status_t change(void *user, const char *key, const double *number) {
  oak_t *sim = user;
  const int n = find_parameter(sim, key);
  if (!number) {
    oak_read_changing(&sim->setup);
    oak_rates_forget(sim); /* wave speeds and TIMESTEP may depend on it */
    sim->rates.least = 0;
    return n < 0 ? OAK_OK : oak_setup_change_parameters(&sim->setup);
  }
  OAK_CHECK(!has_no_kernel(sim, n), OAK_ERR_INPUT,
            "%s cannot change after oak_create, since no such key was above 0 then: set one before",
            key);
  const double most = !strcmp(key, "refine.c_derefine") ? *number : sim->setup.refine.c_derefine;
  const double least = !strcmp(key, "refine.c_refine") ? *number : sim->setup.refine.c_refine;
  OAK_CHECK(most <= least, OAK_ERR_INPUT,
            "%s = %g: refine.c_derefine would be above refine.c_refine: change the other one first",
            key, *number);
  return OAK_OK;
}

oak_status_t oak_follow_changes(oak_t *sim) {
  return oak_params_watch(sim->setup.params, change, sim);
}
