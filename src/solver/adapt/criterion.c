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

struct oak_criterion {
  int count;
  int number[OAK_MAX_FIELDS]; /* of the variables in kernels/derived.c */
  oak_exchange_t exchange[OAK_MAX_FIELDS];
  oak_values_t now[OAK_MAX_FIELDS]; /* [nblock][N^d] */
  oak_kernel_t *kernel;
  void *table, *bc; /* device */
  long revision;    /* mesh revision that memory and table fit */
  int opened;
};

oak_status_t oak_criterion_add(oak_t *sim, int number) {
  oak_criterion_t *c = sim->refine.derived;
  if (!c) c = sim->refine.derived = calloc(1, sizeof *c);
  OAK_CHECK(c, OAK_ERR_MEMORY, "no memory for the variables of refine.variable");
  c->revision = -1;
  for (int n = 0; n < c->count; n++)
    if (c->number[n] == number) return OAK_OK;
  OAK_CHECK(c->count < OAK_MAX_FIELDS, OAK_ERR_INPUT,
            "refine.variable names more than %d derived variables: leave some out", OAK_MAX_FIELDS);
  c->number[c->count++] = number;
  sim->refine.nderived = c->count;
  return OAK_OK;
}

/* Rank-local. */
static oak_status_t allocate(oak_t *sim, oak_criterion_t *c) {
  oak_bc_t bc[6];
  for (int face = 0; face < 6; face++) bc[face] = (oak_bc_t){.kind = OAK_BC_MIRROR};
  for (int n = 0; n < c->count; n++)
    oak_exchange_init(&c->exchange[n], &sim->transport, &sim->pattern, 1, OAK_INTERPOLATE_LIMITED,
                      sim->store_size);
  c->opened = 1;
  OAK_TRY(oak_device_alloc(sim->dev, sizeof bc, &c->bc));
  OAK_TRY(oak_device_upload(sim->dev, c->bc, bc, sizeof bc));
  return oak_device_alloc(sim->dev, c->count * sizeof(oak_beside_t), &c->table);
}

oak_status_t oak_criterion_open(oak_t *sim) {
  oak_criterion_t *c = sim->refine.derived;
  if (!c) return OAK_OK;
  OAK_TRY(oak_derived_build(sim));
  oak_status_t st = allocate(sim, c);
  if (st == OAK_OK)
    st = oak_device_kernel(sim->dev, sim->derived.module, "oak_derived_field", &c->kernel);
  return oak_agree(sim->comm, st);
}

void oak_criterion_clear(oak_t *sim) {
  oak_criterion_t *c = sim->refine.derived;
  if (!c) return;
  for (int n = 0; n < c->count && c->opened; n++) {
    oak_values_t *now = &c->now[n];
    oak_values_clear(&c->exchange[n], &now, 1);
    oak_exchange_clear(&c->exchange[n]);
  }
  if (c->opened) oak_device_free(sim->dev, c->bc);
  if (c->opened) oak_device_free(sim->dev, c->table);
  free(c);
  sim->refine.derived = NULL;
}

/* Memory, buffers and table for the mesh. All ranks of a host take part in all of it. */
static oak_status_t fit(oak_t *sim, oak_criterion_t *c) {
  oak_beside_t table[OAK_MAX_FIELDS];
  oak_status_t st = OAK_OK;
  int changed;
  if (c->revision == sim->mesh->revision) return OAK_OK;
  sim->refine.derived_bytes = 0;
  for (int n = 0; n < c->count; n++) {
    oak_values_t *now = &c->now[n];
    c->exchange[n].kernel = sim->kernel.halo;
    oak_keep_failure(&st, oak_values_fit(&c->exchange[n], &now, 1, sim->mesh->nblock, &changed));
    oak_keep_failure(&st, oak_exchange_fit(&c->exchange[n], &changed));
    if (st == OAK_OK) st = oak_values_look(&c->exchange[n], now);
    sim->refine.derived_bytes += now->memory.bytes + c->exchange[n].buffer.bytes;
    table[n] = (oak_beside_t){now->memory.mine, c->exchange[n].buffer.mine, now->peer};
  }
  c->revision = st == OAK_OK ? sim->mesh->revision : -1;
  return st == OAK_OK ? oak_device_upload(sim->dev, c->table, table, c->count * sizeof *table) : st;
}

static oak_status_t set_values(oak_t *sim, const oak_criterion_t *c, int n) {
  oak_set_field_args_t args = {.number = c->number[n], .out = c->now[n].memory.mine};
  if (!sim->mesh->nblock) return OAK_OK;
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  return oak_device_launch(sim->dev, c->kernel, sim->mesh->nblock, &args, sizeof args);
}

oak_status_t oak_criterion_set(oak_t *sim) {
  oak_criterion_t *c = sim->refine.derived;
  if (!c) return OAK_OK;
  /* If one rank has no memory, all ranks stop here, because the others would wait for its ghost
   * cells. */
  oak_status_t st = oak_sim_agree(sim, fit(sim, c));
  if (st != OAK_OK) {
    c->revision = -1;
    return st;
  }
  for (int n = 0; n < c->count; n++) {
    oak_halo_args_t args = {.bc = c->bc, .theta = sim->interpolation_theta};
    oak_timer_start(&sim->timers, OAK_PHASE_FLAGS);
    if (st == OAK_OK) st = set_values(sim, c, n);
    oak_timer_stop(&sim->timers, OAK_PHASE_FLAGS);
    oak_sim_field(sim, 0, sim->clock.time, &args.f);
    oak_keep_failure(&st, oak_exchange_fill(&c->exchange[n], &c->now[n], &args, &sim->timers));
  }
  return st;
}

const void *oak_criterion_table(const oak_t *sim) {
  return sim->refine.derived ? sim->refine.derived->table : NULL;
}
