/* SPDX-License-Identifier: GPL-2.0-or-later
 * Derived variables that refinement looks at, such as the vorticity.
 *
 * A criterion compares a cell with its neighbours, those beyond the faces of a block included. A
 * derivative there would need cells two layers away in every direction. So the values of a derived
 * variable are set first, as a field of its own, and its ghost cells come from the neighbours like
 * those of other fields. The result does not depend on how blocks are distributed. */
#include "solver/adapt/criterion.h"

#include <stdlib.h>

#include "base/failure.h"
#include "solver/data/variables.h"

/* In the order of setup.refine.derived. */
struct oak_criterion {
  oak_exchange_t exchange[OAK_MAX_FIELDS];
  oak_values_t now[OAK_MAX_FIELDS]; /* [nblock][N^d] */
  oak_kernel_t *kernel;
  void *table, *bc; /* device */
  long revision;    /* mesh revision that memory and table fit */
};

/* Rank-local. */
static oak_status_t allocate(oak_t *sim) {
  oak_device_t *dev = sim->setup.dev;
  oak_bc_t bc[6];
  oak_criterion_t *c = sim->adapt.criterion = calloc(1, sizeof *c);
  OAK_CHECK(c, OAK_ERR_MEMORY, "no memory for the variables of refine.variable");
  c->revision = -1;
  for (int face = 0; face < 6; face++) bc[face] = (oak_bc_t){.kind = OAK_BC_MIRROR};
  for (int n = 0; n < sim->setup.refine.nderived; n++)
    oak_exchange_init(&c->exchange[n], &sim->data.transport, &sim->data.pattern, 1,
                      OAK_INTERPOLATE_LIMITED, sim->setup.store_size);
  OAK_TRY(oak_device_alloc(dev, sizeof bc, &c->bc));
  OAK_TRY(oak_device_upload(dev, c->bc, bc, sizeof bc));
  OAK_TRY(oak_device_alloc(dev, sim->setup.refine.nderived * sizeof(oak_beside_t), &c->table));
  return oak_device_kernel(dev, sim->data.derived.module, "oak_derived_field", &c->kernel);
}

oak_status_t oak_criterion_open(oak_t *sim) {
  if (!sim->setup.refine.nderived) return OAK_OK;
  OAK_TRY(oak_derived_build(&sim->data));
  return oak_agree(sim->setup.comm, allocate(sim));
}

void oak_criterion_clear(oak_t *sim) {
  oak_criterion_t *c = sim->adapt.criterion;
  if (!c) return;
  for (int n = 0; n < sim->setup.refine.nderived; n++) {
    oak_values_t *now = &c->now[n];
    oak_values_clear(&c->exchange[n], &now, 1);
    oak_exchange_clear(&c->exchange[n]);
  }
  oak_device_free(sim->setup.dev, c->bc);
  oak_device_free(sim->setup.dev, c->table);
  free(c);
  sim->adapt.criterion = NULL;
}

int64_t oak_criterion_bytes(const oak_t *sim) {
  const oak_criterion_t *c = sim->adapt.criterion;
  int64_t bytes = 0;
  for (int n = 0; c && n < sim->setup.refine.nderived; n++)
    bytes += c->now[n].memory.bytes + c->exchange[n].buffer.bytes;
  return bytes;
}

/* Memory, buffers and table for the mesh. All ranks of a host take part in all of it. */
static oak_status_t fit(oak_t *sim, oak_criterion_t *c) {
  oak_beside_t table[OAK_MAX_FIELDS];
  oak_status_t st = OAK_OK;
  int changed;
  if (c->revision == sim->data.mesh->revision) return OAK_OK;
  for (int n = 0; n < sim->setup.refine.nderived; n++) {
    oak_values_t *now = &c->now[n];
    c->exchange[n].kernel = sim->setup.kernel.halo;
    oak_keep_failure(&st,
                     oak_values_fit(&c->exchange[n], &now, 1, sim->data.mesh->nblock, &changed));
    oak_keep_failure(&st, oak_exchange_fit(&c->exchange[n], &changed));
    if (st == OAK_OK) st = oak_values_look(&c->exchange[n], now);
    table[n] = (oak_beside_t){now->memory.mine, c->exchange[n].buffer.mine, now->peer};
  }
  c->revision = st == OAK_OK ? sim->data.mesh->revision : -1;
  return st == OAK_OK ? oak_device_upload(sim->setup.dev, c->table, table,
                                          sim->setup.refine.nderived * sizeof *table)
                      : st;
}

static oak_status_t set_values(oak_t *sim, const oak_criterion_t *c, int n) {
  oak_set_field_args_t args = {.number = sim->setup.refine.derived[n],
                               .out = c->now[n].memory.mine};
  if (!sim->data.mesh->nblock) return OAK_OK;
  oak_data_field(&sim->data, 0, sim->data.clock.time, &args.f);
  return oak_device_launch(sim->setup.dev, c->kernel, sim->data.mesh->nblock, &args, sizeof args);
}

oak_status_t oak_criterion_set(oak_t *sim) {
  oak_criterion_t *c = sim->adapt.criterion;
  if (!c) return OAK_OK;
  /* If one rank has no memory, all ranks stop here, because the others would wait for its ghost
   * cells. */
  oak_status_t st = oak_data_agree(&sim->data, fit(sim, c));
  if (st != OAK_OK) {
    c->revision = -1;
    return st;
  }
  for (int n = 0; n < sim->setup.refine.nderived; n++) {
    oak_halo_args_t args = {.bc = c->bc, .theta = sim->setup.interpolation_theta};
    oak_timer_start(&sim->data.timers, OAK_PHASE_FLAGS);
    if (st == OAK_OK) st = set_values(sim, c, n);
    oak_timer_stop(&sim->data.timers, OAK_PHASE_FLAGS);
    oak_data_field(&sim->data, 0, sim->data.clock.time, &args.f);
    oak_keep_failure(&st, oak_exchange_fill(&c->exchange[n], &c->now[n], &args, &sim->data.timers));
  }
  return st;
}

const void *oak_criterion_table(const oak_t *sim) {
  return sim->adapt.criterion ? sim->adapt.criterion->table : NULL;
}
