/* SPDX-License-Identifier: GPL-2.0-or-later
 * Derived variables that refinement looks at, such as the vorticity.
 *
 * A criterion compares a cell with its neighbours, those beyond the faces of a block included. A
 * derivative there would need cells two layers away in every direction. So the values of a derived
 * variable are set first, as a field of its own, and its ghost cells come from the neighbours like
 * those of other fields. The result does not depend on how blocks are distributed. */
#include "solver/adapt/adapt.h"
#include "solver/data/variables.h"

static oak_status_t allocate(oak_t *sim) {
  oak_criterion_t *c = &sim->adapt.criterion;
  c->revision = -1;
  OAK_TRY(oak_field_set_open(&sim->data, &c->values, sim->setup.refine.nderived, 0));
  return oak_device_kernel(sim->setup.dev, sim->data.derived.module, "oak_derived_field",
                           &c->kernel);
}

oak_status_t oak_criterion_open(oak_t *sim) {
  if (!sim->setup.refine.nderived) return OAK_OK;
  OAK_TRY(oak_derived_build(&sim->data));
  return oak_agree(sim->setup.comm, allocate(sim));
}

static oak_status_t set_values(oak_t *sim, const oak_criterion_t *c, int n) {
  oak_set_field_args_t args = {.number = sim->setup.refine.derived[n],
                               .out = c->values.field[n].now.memory.mine};
  return oak_data_launch(&sim->data, c->kernel, 0, sim->data.clock.time, &args, sizeof args);
}

oak_status_t oak_criterion_set(oak_t *sim) {
  oak_criterion_t *c = &sim->adapt.criterion;
  oak_status_t st = OAK_OK;
  if (!c->values.count) return OAK_OK;
  /* If one rank has no memory, all ranks stop here, because the others would wait for its ghost
   * cells. */
  if (c->revision != sim->data.mesh->revision) st = oak_field_set_fit(&sim->data, &c->values);
  st = oak_data_agree(&sim->data, st);
  c->revision = st == OAK_OK ? sim->data.mesh->revision : -1;
  OAK_TRY(st);
  for (int n = 0; n < c->values.count; n++) {
    oak_timer_start(&sim->data.timers, OAK_PHASE_FLAGS);
    if (st == OAK_OK) st = set_values(sim, c, n);
    oak_timer_stop(&sim->data.timers, OAK_PHASE_FLAGS);
    oak_keep_failure(&st, oak_field_set_fill(&sim->data, &c->values, n));
  }
  return st;
}
