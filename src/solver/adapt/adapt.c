/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adapting the mesh: flags on the device, p4est on the host, data back on the device. A Runge-Kutta
 * state that is free between steps receives the new blocks, so no further copy is needed. */
#include <stdlib.h>
#include <string.h>

#include "solver/adapt/adapt.h"
#include "solver/data/data.h"
#include "solver/data/variables.h"

enum { TAG_BLOCKS = 4 };

/* ---- taking back an adaptation for which memory does not suffice: until the last allocation has
 * succeeded, the old solution stays where it is, and the old mesh is kept as a list of blocks */

/* A mesh as it was. */
typedef struct {
  int nblock;
  int8_t *level;
  int32_t (*index)[3];
  oak_rates_t rates;
} undo_t;

static void undo_forget(undo_t *undo) {
  free(undo->level);
  free(undo->index);
  *undo = (undo_t){.nblock = 0};
}

/* Keep the present mesh. Collective; fails on all ranks alike. */
static oak_status_t undo_keep(oak_t *sim, undo_t *undo) {
  const oak_mesh_t *mesh = sim->data.mesh;
  *undo = (undo_t){.nblock = mesh->nblock, .rates = sim->rates};
  oak_status_t st = OAK_NEW(undo->level, mesh->nblock + 1);
  if (st == OAK_OK) st = OAK_NEW(undo->index, mesh->nblock + 1);
  if (st == OAK_OK) {
    memcpy(undo->level, mesh->level, mesh->nblock * sizeof *undo->level);
    memcpy(undo->index, mesh->index, mesh->nblock * sizeof *undo->index);
  }
  st = oak_data_agree(&sim->data, st);
  if (st != OAK_OK) undo_forget(undo);
  return st;
}

/* The mesh of the list, whose arrays it takes. */
static oak_status_t restore_mesh(oak_t *sim, undo_t *undo) {
  const oak_status_t st =
      oak_mesh_replace(sim->data.mesh, undo->nblock, undo->level, undo->index, 1);
  sim->lost |= st != OAK_OK;
  OAK_TRY(st);
  undo->level = NULL;
  undo->index = NULL;
  return OAK_OK;
}

/* Bring the mesh back; the block data must be those of that mesh. Collective. \return st, with its
 * message, or another failure. */
static oak_status_t undo_mesh(oak_t *sim, undo_t *undo, oak_status_t st) {
  char message[4096];
  snprintf(message, sizeof message, "%s", oak_last_error());
  OAK_TRY(restore_mesh(sim, undo));
  return OAK_FAIL(st, "%s", message);
}

/* The same, and make all other data fit the mesh again. Tables and state 0 must still be the old
 * ones. */
static oak_status_t undo_all(oak_t *sim, undo_t *undo, oak_status_t st) {
  char message[4096];
  snprintf(message, sizeof message, "%s", oak_last_error());
  OAK_TRY(restore_mesh(sim, undo));
  oak_rates_set(sim, undo->rates);
  /* If this fails, the next step tries it again. */
  OAK_TRY(oak_storage_reserve(&sim->data, 1, sim->setup.method.nstate, sim->data.mesh->nblock));
  /* The tables belong to this mesh, which now has another revision number. */
  oak_storage_fitted(&sim->data);
  return OAK_FAIL(st, "%s; mesh and solution are those before the adaptation", message);
}

/* Bytes that the device needs in addition for a mesh that gives this rank `blocks`. The estimate
 * assumes that tables and halo buffers grow with the number of blocks. */
static int64_t more_bytes(const oak_t *sim, int64_t blocks, int64_t old_blocks) {
  const int64_t block =
      (int64_t)sim->data.exchange.stored * sim->setup.block.cells * sim->setup.bytes.store;
  int64_t states = 0, more = 0;
  for (int s = 0; s < sim->setup.method.nstate; s++) {
    const int64_t have = sim->data.storage.state[s].memory.bytes;
    states += have;
    if (blocks * block > have) more += blocks * block - have;
  }
  const double growth = (double)(blocks - old_blocks) / (double)(old_blocks > 0 ? old_blocks : 1);
  if (growth > 0) more += (int64_t)(growth * (double)(oak_memory(sim) - states));
  return more;
}

/* Fail if the device lacks memory for an adapted mesh, before its blocks are redistributed or
 * after. State 1 is there already. Rank-local. */
static oak_status_t undo_probe(oak_t *sim, int old_blocks) {
  const int64_t share =
      (sim->data.mesh->nglobal + sim->setup.size - 1) / sim->setup.size + (1 << sim->setup.dim);
  const int64_t most = sim->data.mesh->nblock > share ? sim->data.mesh->nblock : share;
  const int64_t bytes = most > old_blocks ? more_bytes(sim, most, old_blocks) : 0;
  void *trial = NULL;
  if (bytes == 0) return OAK_OK;
  oak_status_t st = oak_device_alloc(sim->setup.dev, (size_t)bytes, &trial);
  if (st == OAK_ERR_MEMORY)
    st = OAK_FAIL(OAK_ERR_MEMORY,
                  "no memory for %lld blocks on rank %d, %.3g MB more than it has: lower "
                  "mesh.max_level, refine less or use more ranks: %s",
                  (long long)most, sim->setup.rank, (double)bytes * 1e-6, oak_last_error());
  oak_device_free(sim->setup.dev, trial);
  return st;
}

/* ---- from the old mesh to the new one */

/* The largest rate on the new mesh. Cells half as wide have twice the rate, and four times the part
 * of it that is in `square` (NULL: none). */
static double most_rate(const oak_t *sim, const double *old, const double *square,
                        const oak_origin_t *origin) {
  double most = 0;
  for (int n = 0; n < sim->data.mesh->nblock; n++) {
    const int block = origin[n].block;
    double rate = old[block];
    if (origin[n].kind == OAK_ORIGIN_PARENT) rate = 2 * rate + (square ? 2 * square[block] : 0);
    if (origin[n].kind == OAK_ORIGIN_CHILDREN) {
      for (int c = 1; c < 1 << sim->setup.dim; c++)
        if (old[block + c] > rate) rate = old[block + c];
      rate *= 0.5;
    }
    if (rate > most) most = rate;
  }
  return most;
}

/* If the rates of the old blocks are not known, they are computed later, on the new mesh. */
static oak_status_t map_rates(oak_t *sim, int old_blocks, const double *square,
                              const oak_origin_t *origin) {
  OAK_FREED double *old = NULL;
  double most = 0;
  if (sim->rates.known != OAK_RATES_KNOWN) return OAK_OK;
  oak_status_t st = OAK_NEW(old, old_blocks + 1);
  if (st == OAK_OK) st = oak_block_rates(sim, old_blocks, old);
  if (st == OAK_OK) most = most_rate(sim, old, square, origin);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, sim->setup.comm);
  oak_rates_set(sim, (oak_rates_t){.most = most, .known = OAK_RATES_KNOWN});
  return oak_data_agree(&sim->data, st);
}

/* Everything that moves with the blocks, from the old mesh to the new one. */
static oak_status_t carry_over(oak_t *sim, const oak_origin_t *origin) {
  oak_carried_t list[OAK_MAX_CARRIED];
  const int count = oak_carried(&sim->data, list), nblock = sim->data.mesh->nblock;
  OAK_FREED oak_adapt_task_t *task = NULL;
  OAK_TRY(OAK_NEW(task, nblock + 1));
  for (int n = 0; n < nblock; n++)
    task[n] = (oak_adapt_task_t){
        .source = origin[n].block, .kind = (int)origin[n].kind, .child = origin[n].child};
  for (int i = 0; i < count; i++)
    OAK_TRY(oak_adapt_run(&sim->data, &list[i], task, nblock, list[i].next->memory.mine));
  return OAK_OK;
}

static void swap_carried(oak_t *sim) {
  oak_carried_t list[OAK_MAX_CARRIED];
  const int count = oak_carried(&sim->data, list);
  for (int i = 0; i < count; i++) {
    const oak_values_t values = *list[i].now;
    *list[i].now = *list[i].next;
    *list[i].next = values;
  }
}

/* The solution on the new mesh, in state 1; the old one stays in state 0. */
static oak_status_t map_data(oak_t *sim, int old_blocks, const double *square,
                             const oak_origin_t *origin) {
  oak_timer_start(&sim->data.timers, OAK_PHASE_BLOCKS);
  oak_status_t st = oak_carried_reserve(&sim->data);
  if (st == OAK_OK) st = oak_data_agree(&sim->data, undo_probe(sim, old_blocks));
  if (st == OAK_OK) st = map_rates(sim, old_blocks, square, origin);
  /* The device may still move data while the host looks for the neighbours on the new mesh. */
  if (st == OAK_OK) st = oak_data_agree(&sim->data, carry_over(sim, origin));
  oak_timer_stop(&sim->data.timers, OAK_PHASE_BLOCKS);
  return st;
}

/* ---- blocks that change their rank */

static oak_status_t copy_all(oak_t *sim, const oak_carried_t *c, const oak_transfer_t *t) {
  OAK_TRY(oak_adapt_copy(&sim->data, c, t->keep_to, t->keep_from, t->keep_count, OAK_BASE_OWN));
  for (int i = t->nsend; i < t->nsend + t->nrecv; i++) {
    const int p = oak_peers_number(&sim->data.transport.peers, t->rank[i]);
    if (p >= 0)
      OAK_TRY(oak_adapt_copy(&sim->data, c, t->offset[i], t->from[i], t->count[i],
                             OAK_BASE_PEERS + 2 * p));
  }
  return OAK_OK;
}

/* One message per pair of ranks that are not peers, straight from and into block storage. */
static oak_status_t list_messages(const oak_t *sim, const oak_transfer_t *t, oak_route_t *route) {
  const int n = t->nsend + t->nrecv;
  OAK_TRY(OAK_NEW(route->send, n + 1));
  OAK_TRY(OAK_NEW(route->recv, n + 1));
  for (int i = 0; i < n; i++) {
    const oak_message_t m = {t->rank[i], t->offset[i], t->count[i]};
    if (oak_peers_number(&sim->data.transport.peers, t->rank[i]) >= 0) continue;
    if (i < t->nsend)
      route->send[route->nsend++] = m;
    else
      route->recv[route->nrecv++] = m;
  }
  return OAK_OK;
}

/* All ranks take part in the meetings and messages, even if one of them has failed. */
static oak_status_t run_transfer(oak_t *sim, const oak_carried_t *c,
                                 const oak_transfer_t *transfer) {
  oak_peers_t *peers = &sim->data.transport.peers;
  oak_messages_t *m = &sim->adapt.migration;
  void *from = c->now->memory.mine, *to = c->next->memory.mine;
  oak_status_t st =
      oak_peers_meet(peers, NULL); /* all ranks have their blocks, and no rank reads the target */
  if (st == OAK_OK) st = copy_all(sim, c, transfer);
  oak_keep_failure(&st, oak_messages_begin(m, &sim->data.transport, from, to, TAG_BLOCKS));
  oak_keep_failure(&st, oak_messages_end(m, &sim->data.transport, TAG_BLOCKS));
  oak_keep_failure(&st, oak_peers_meet(peers, NULL)); /* no rank reads the old values any more */
  return st;
}

static oak_status_t move_blocks(oak_t *sim, const oak_transfer_t *transfer) {
  oak_carried_t list[OAK_MAX_CARRIED];
  const int count = oak_carried(&sim->data, list);
  oak_route_t route = {0};
  oak_status_t st = list_messages(sim, transfer, &route);
  for (int i = 0; i < count && (i == 0 || st == OAK_OK); i++) {
    const size_t bytes =
        (size_t)list[i].exchange->stored * sim->setup.block.cells * sim->setup.bytes.store;
    if (st == OAK_OK)
      st = oak_messages_prepare(&sim->adapt.migration, &sim->data.transport, &route, bytes);
    st = oak_data_agree(&sim->data, st);
    if (st == OAK_OK) st = oak_data_agree(&sim->data, run_transfer(sim, &list[i], transfer));
  }
  oak_route_clear(&route);
  return st;
}

/* Siblings are kept together where the mesh may change. */
static oak_status_t balance_load(oak_t *sim, int *moved) {
  const oak_balance_t balance = {
      .kappa_max = sim->setup.refine.kappa_max,
      .families = sim->setup.refine.max_level > sim->setup.refine.min_level};
  undo_t undo;
  oak_transfer_t transfer;
  OAK_TRY(undo_keep(sim, &undo));
  oak_timer_start(&sim->data.timers, OAK_PHASE_PARTITION);
  oak_status_t st = oak_mesh_partition(sim->data.mesh, &balance, moved, &transfer);
  if (st == OAK_OK && *moved) {
    st = oak_carried_reserve(&sim->data);
    if (st == OAK_OK) st = move_blocks(sim, &transfer);
  }
  if (st != OAK_OK)
    st = undo_mesh(sim, &undo, st);
  else if (*moved)
    swap_carried(sim);
  undo_forget(&undo);
  oak_transfer_clear(&transfer);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_PARTITION);
  return st;
}

/* Change the mesh and state 0 as the flags ask. New blocks are on the ranks of the old ones. If
 * memory does not suffice, nothing changes. */
static oak_status_t adapt_blocks(oak_t *sim, const int *flag, const int *reach, int *any) {
  const int old_blocks = sim->data.mesh->nblock;
  undo_t undo;
  OAK_FREED oak_origin_t *origin = NULL;
  OAK_FREED double *square = NULL;
  OAK_TRY(undo_keep(sim, &undo));
  oak_timer_start(&sim->data.timers, OAK_PHASE_MESH);
  oak_status_t st = oak_diffusion_block_rates(sim, &square);
  if (st == OAK_OK)
    st = oak_mesh_adapt(sim->data.mesh, flag, reach, sim->setup.refine.min_level,
                        sim->setup.refine.max_level, any, &origin);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_MESH);
  if (st == OAK_OK && *any) {
    oak_rates_agree(sim);
    st = map_data(sim, old_blocks, square, origin);
    if (st == OAK_OK) swap_carried(sim);
  }
  if (st != OAK_OK) st = undo_all(sim, &undo, st);
  undo_forget(&undo);
  return st;
}

oak_status_t oak_adapt_finish(oak_t *sim) {
  if (oak_storage_fits(&sim->data)) return OAK_OK;
  sim->adapt.mapped = 1;
  const oak_status_t st = oak_fit_mesh(sim);
  sim->adapt.mapped = 0;
  OAK_TRY(st);
  if (sim->adapt.rates_due) OAK_TRY(oak_update_time_step(sim));
  sim->adapt.rates_due = 0;
  oak_rates_forget(sim);
  return OAK_OK;
}

/* Adapt to the flags; ghost cells must be filled. */
static oak_status_t apply_flags(oak_t *sim, const int *flag, const int *reach, int *changed) {
  int any = 0, moved = 0;
  OAK_TRY(adapt_blocks(sim, flag, reach, &any));
  if (changed) *changed = any;
  if (!any) return OAK_OK;
  oak_status_t st = balance_load(sim, &moved);
  sim->adapt.rates_due = sim->rates.known == OAK_RATES_UNKNOWN;
  oak_rates_forget(sim);
  return st == OAK_OK ? oak_adapt_finish(sim) : st;
}

oak_status_t oak_adjust_refinement_flags(oak_t *sim, int count, const int *flag, int *changed) {
  OAK_BEGIN_WHOLE(sim);
  OAK_TRY(oak_adapt_finish(sim));
  oak_status_t st = oak_data_check_all(&sim->data, count);
  oak_keep_failure(&st, oak_fill_ghosts(&sim->data, 0, sim->data.clock.time));
  OAK_TRY(oak_data_agree(&sim->data, st));
  return apply_flags(sim, flag, NULL, changed);
}

/* ---- derived variables that refinement looks at, such as the vorticity. A criterion compares a
 * cell with its neighbours, those beyond the faces of a block included. A derivative there would
 * need cells two layers away in every direction. So the values of a derived variable are set first,
 * as a field of its own, and its ghost cells come from the neighbours like those of other fields.
 */

static oak_status_t criterion_open(oak_t *sim) {
  oak_criterion_t *c = &sim->adapt.criterion;
  if (!sim->setup.refine.nderived) return OAK_OK;
  OAK_TRY(oak_derived_build(&sim->data));
  c->revision = -1;
  oak_status_t st = oak_field_set_open(&sim->data, &c->values, sim->setup.refine.nderived, 0);
  if (st == OAK_OK)
    st = oak_device_kernel(sim->setup.dev, sim->data.derived.module, "oak_derived_field",
                           &c->kernel);
  return oak_agree(sim->setup.comm, st);
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

/* ---- flags */

oak_status_t oak_compute_flags(oak_t *sim, int *flag) {
  const int n = sim->data.mesh->nblock;
  oak_refine_args_t args = {.variables = sim->setup.refine.variables,
                            .fields = sim->setup.refine.fields,
                            .derived = sim->adapt.criterion.values.table,
                            .c_refine = sim->setup.refine.c_refine,
                            .c_derefine = sim->setup.refine.c_derefine,
                            .eps = sim->setup.refine.eps,
                            .eps_abs = sim->setup.refine.eps_abs};
  const int count = sim->setup.refine.buffer ? 2 * n : n;
  if (!n) return OAK_OK;
  OAK_TRY(oak_array_fit(sim->setup.dev, &sim->adapt.flag, count * sizeof *flag));
  args.flag = sim->adapt.flag.at;
  args.reach = args.flag + n;
  OAK_TRY(oak_data_launch(&sim->data, sim->setup.kernel.refine_flags, 0, sim->data.clock.time,
                          &args, sizeof args));
  return oak_device_download(sim->setup.dev, flag, sim->adapt.flag.at, count * sizeof *flag);
}

/* The criterion has failed. Collective. */
static oak_status_t blame_criterion(oak_t *sim, const int *flag) {
  const char *name = oak_params_text(sim->setup.params, "refine.criterion");
  const int user = !strcmp(name, "user");
  oak_status_t st = OAK_OK;
  for (int b = 0; b < sim->data.mesh->nblock && st == OAK_OK; b++) {
    char place[256];
    if (flag[b] != OAK_FLAG_FAILED) continue;
    oak_print_block(&sim->data, b, place, sizeof place);
    st = OAK_FAIL(OAK_ERR_STATE,
                  "refine.criterion = %s gives %s in %s (step %ld, time %.6g): look for a division "
                  "by 0, or a root or logarithm of a negative number",
                  name, user ? "NaN or infinity" : "NaN", place, sim->data.clock.step,
                  sim->data.clock.time);
  }
  return oak_data_agree(&sim->data, st);
}

/* Adapt to the criterion; without \a coarsens blocks are refined only. */
static oak_status_t adjust(oak_t *sim, int coarsens, int *changed) {
  if (changed) *changed = 0;
  OAK_TRY(oak_adapt_finish(sim));
  if (!sim->setup.refine.active) return OAK_OK;
  if (sim->data.clock.step == 0)
    OAK_TRY(oak_globals_set(
        sim, &(oak_step_t){.time = sim->data.clock.time})); /* no step has done it yet */
  oak_status_t st = oak_fill_ghosts(&sim->data, 0, sim->data.clock.time);
  oak_keep_failure(&st, oak_criterion_set(sim));
  OAK_FREED int *flag = NULL;
  oak_timer_start(&sim->data.timers, OAK_PHASE_FLAGS);
  oak_keep_failure(&st, OAK_NEW(flag, 2 * sim->data.mesh->nblock + 1));
  if (st == OAK_OK) st = oak_compute_flags(sim, flag);
  oak_timer_stop(&sim->data.timers, OAK_PHASE_FLAGS);
  for (int b = 0; b < sim->data.mesh->nblock && st == OAK_OK; b++)
    if (flag[b] == OAK_FLAG_FAILED)
      st = OAK_ERR_STATE;
    else if (flag[b] < 0 && !coarsens)
      flag[b] = 0;
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_ERR_STATE) st = blame_criterion(sim, flag);
  const int *reach = sim->setup.refine.buffer ? flag + sim->data.mesh->nblock : NULL;
  if (st == OAK_OK) st = apply_flags(sim, flag, reach, changed);
  return st;
}

oak_status_t oak_adjust_refinement(oak_t *sim, int *changed) {
  OAK_BEGIN_WHOLE(sim);
  return adjust(sim, 1, changed);
}

oak_status_t oak_adapt_first(oak_t *sim, int *changed) { return adjust(sim, 0, changed); }

static void clear(oak_t *sim) {
  if (sim->data.transport.dev) oak_messages_clear(&sim->adapt.migration, &sim->data.transport);
  oak_device_free(sim->setup.dev, sim->adapt.flag.at);
  oak_field_set_clear(&sim->data, &sim->adapt.criterion.values);
}

oak_status_t oak_adaptation_finish(oak_t *sim, oak_step_t *step) {
  (void)step;
  return oak_adapt_finish(sim);
}

static int64_t bytes(const oak_t *sim) { return oak_field_set_bytes(&sim->adapt.criterion.values); }

const oak_part_t oak_part_adaptation = {.open = criterion_open, .bytes = bytes, .clear = clear};
