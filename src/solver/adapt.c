/* SPDX-License-Identifier: GPL-2.0-or-later
 * Adapting the mesh: flags on the device, p4est on the host, data back on the device. A Runge-Kutta
 * state that is free between steps receives the new blocks, so no further copy is needed. */
#include <math.h>
#include <stdlib.h>

#include "solver/sim.h"

static oak_status_t grow_device(oak_t *sim, void **memory, int *capacity, int count, size_t size) {
  if (count <= *capacity) return OAK_OK;
  oak_device_free(sim->dev, *memory);
  *memory = NULL;
  *capacity = 0;
  OAK_TRY(oak_device_alloc(sim->dev, (count + count / 8) * size, memory));
  *capacity = count + count / 8;
  return OAK_OK;
}

/* Run the adaptation kernel over a list of tasks: out[n] from state 0. */
static oak_status_t run_tasks(oak_t *sim, const oak_adapt_task_t *task, int count, void *out) {
  if (!count) return OAK_OK;
  oak_adapt_args_t args = {.out = out, .theta = sim->theta};
  OAK_TRY(grow_device(sim, &sim->task_dev, &sim->task_capacity, count, sizeof *task));
  OAK_TRY(oak_device_upload(sim->dev, sim->task_dev, task, count * sizeof *task));
  oak_sim_field(sim, 0, sim->time, &args.f);
  args.task = sim->task_dev;
  return oak_device_launch(sim->dev, sim->kernel.adapt, count, &args, sizeof args);
}

/* Rates per block of the old mesh, from its tiles. */
static oak_status_t old_rates(oak_t *sim, int blocks, double *rate) {
  const int results = oak_sim_results(sim);
  double *all = malloc(((size_t)blocks * results + 1) * sizeof *all);
  OAK_CHECK(all, OAK_ERR_MEMORY, "out of memory for the wave speeds of %d blocks", blocks);
  oak_status_t st =
      oak_device_download(sim->dev, all, sim->rate_dev, (size_t)blocks * results * sizeof *all);
  for (int b = 0; b < blocks && st == OAK_OK; b++) {
    rate[b] = 0;
    for (int t = 0; t < results; t++)
      if (all[b * results + t] > rate[b]) rate[b] = all[b * results + t];
  }
  free(all);
  return st;
}

/* The largest wave speed / dx on the new mesh: cells half as wide have twice the rate. */
static double most_rate(const oak_t *sim, const double *old, const oak_adapt_task_t *task) {
  double most = 0;
  for (int n = 0; n < sim->mesh->nblock; n++) {
    double rate = old[task[n].source];
    if (task[n].kind == OAK_ADAPT_PROLONG) rate *= 2;
    if (task[n].kind == OAK_ADAPT_RESTRICT) {
      for (int c = 1; c < 1 << sim->dim; c++)
        if (old[task[n].source + c] > rate) rate = old[task[n].source + c];
      rate *= 0.5;
    }
    if (rate > most) most = rate;
  }
  return most;
}

/* Where no rates are known for the old blocks, they are computed when the new mesh is complete. */
static oak_status_t map_rates(oak_t *sim, int old_blocks, const oak_adapt_task_t *task) {
  double most = 0;
  if (sim->rates_fresh != 1) return OAK_OK;
  double *old = malloc((old_blocks + 1) * sizeof *old);
  oak_status_t st = old ? old_rates(sim, old_blocks, old)
                        : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for %d wave speeds", old_blocks);
  if (st == OAK_OK) most = most_rate(sim, old, task);
  free(old);
  MPI_Allreduce(&most, &sim->max_rate, 1, MPI_DOUBLE, MPI_MAX, sim->comm);
  return oak_agree(sim->comm, st);
}

static oak_status_t move_data(oak_t *sim, int old_blocks, const oak_adapt_task_t *task) {
  oak_timer_start(&sim->timers, OAK_PHASE_BLOCKS);
  oak_status_t st = oak_storage_reserve(sim, 1, sim->mesh->nblock);
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK) st = map_rates(sim, old_blocks, task);
  /* A device may still move data when the new mesh's neighbours are looked for. */
  if (st == OAK_OK)
    st = oak_agree(sim->comm, run_tasks(sim, task, sim->mesh->nblock, sim->state[1]));
  if (st == OAK_OK) oak_storage_swap(sim, 0, 1);
  oak_timer_stop(&sim->timers, OAK_PHASE_BLOCKS);
  return st;
}

/* Blocks that stay on this rank move within its storage, to state 1. */
static oak_status_t keep_blocks(oak_t *sim, const oak_transfer_t *t) {
  const int64_t block_bytes = sim->nvar * sim->cells * sim->real_size;
  oak_adapt_task_t *task = calloc(t->keep_count + 1, sizeof *task);
  OAK_CHECK(task, OAK_ERR_MEMORY, "out of memory for a list of %d blocks", t->keep_count);
  for (int n = 0; n < t->keep_count; n++)
    task[n] = (oak_adapt_task_t){.source = t->keep_from + n, .kind = OAK_ADAPT_COPY};
  oak_status_t st =
      run_tasks(sim, task, t->keep_count, (char *)sim->state[1] + t->keep_to * block_bytes);
  free(task);
  return st;
}

/* One message per pair of ranks, straight from and into block storage. */
static oak_status_t send_blocks(oak_t *sim, const oak_transfer_t *t) {
  const int64_t block = sim->nvar * sim->cells;
  const int n = t->nsend + t->nrecv;
  oak_message_t *message = malloc((n + 1) * sizeof *message);
  oak_messages_t m = {.nsend = t->nsend, .nrecv = t->nrecv, .unit = (int)block};
  oak_status_t st = message ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for %d messages", n);
  if (st == OAK_OK) {
    for (int i = 0; i < n; i++)
      message[i] = (oak_message_t){t->rank[i], t->offset[i] * block, t->count[i] * block};
    m.send = message;
    m.recv = message + t->nsend;
    st = oak_messages_prepare(&m, sim->dev, sim->real_size);
  }
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK) {
    st = oak_messages_begin(&m, sim->comm, sim->dev, sim->state[0], sim->state[1], sim->real_size,
                            4);
    oak_status_t received = oak_messages_end(&m, sim->dev, sim->state[1], sim->real_size);
    st = oak_agree(sim->comm, st != OAK_OK ? st : received);
  }
  free(message);
  free(m.request);
  free(m.staging);
  return st;
}

static oak_status_t balance_load(oak_t *sim) {
  int moved;
  oak_transfer_t transfer;
  oak_timer_start(&sim->timers, OAK_PHASE_PARTITION);
  oak_status_t st = oak_mesh_partition(sim->mesh, sim->kappa_max, &moved, &transfer);
  if (st == OAK_OK && moved) {
    st = oak_storage_reserve(sim, 1, sim->mesh->nblock);
    if (st == OAK_OK) st = keep_blocks(sim, &transfer);
    st = oak_agree(sim->comm, st);
    if (st == OAK_OK) st = send_blocks(sim, &transfer);
    if (st == OAK_OK) oak_storage_swap(sim, 0, 1);
  }
  oak_transfer_clear(&transfer);
  oak_timer_stop(&sim->timers, OAK_PHASE_PARTITION);
  return st;
}

/* Adapt to the flags; ghost cells must be filled. */
static oak_status_t apply_flags(oak_t *sim, const int *flag, const int *reach, int *changed) {
  int any;
  const int old_blocks = sim->mesh->nblock;
  oak_adapt_task_t *task;
  oak_timer_start(&sim->timers, OAK_PHASE_MESH);
  oak_status_t st =
      oak_mesh_adapt(sim->mesh, flag, reach, sim->min_level, sim->max_level, &any, &task);
  oak_timer_stop(&sim->timers, OAK_PHASE_MESH);
  OAK_TRY(st);
  if (changed) *changed = any;
  if (!any) return OAK_OK;
  /* oak_write_cells may have been called on some ranks only. */
  MPI_Allreduce(MPI_IN_PLACE, &sim->rates_fresh, 1, MPI_INT, MPI_MIN, sim->comm);
  st = move_data(sim, old_blocks, task);
  free(task);
  OAK_TRY(st);
  OAK_TRY(balance_load(sim));
  OAK_TRY(oak_storage_fit(sim));
  if (!sim->rates_fresh) OAK_TRY(oak_update_time_step(sim));
  sim->rates_fresh = 0;
  return OAK_OK;
}

oak_status_t oak_adjust_refinement_flags(oak_t *sim, const int *flag, int *changed) {
  OAK_TRY(oak_update_ghostcells(sim));
  return apply_flags(sim, flag, NULL, changed);
}

oak_status_t oak_compute_flags(oak_t *sim, int *flag) {
  const int n = sim->mesh->nblock;
  oak_refine_args_t args = {.variables = sim->refine_variables,
                            .c_refine = sim->c_refine,
                            .c_derefine = sim->c_derefine,
                            .eps = sim->eps,
                            .eps_abs = sim->eps_abs};
  const int count = sim->buffer ? 2 * n : n;
  if (!n) return OAK_OK;
  OAK_TRY(grow_device(sim, &sim->flag_dev, &sim->flag_capacity, count, sizeof *flag));
  oak_sim_field(sim, 0, sim->time, &args.f);
  args.flag = sim->flag_dev;
  args.reach = args.flag + n;
  OAK_TRY(oak_device_launch(sim->dev, sim->kernel.refine_flags, n, &args, sizeof args));
  return oak_device_download(sim->dev, flag, sim->flag_dev, count * sizeof *flag);
}

oak_status_t oak_adjust_refinement(oak_t *sim, int *changed) {
  if (changed) *changed = 0;
  if (!sim->refine) return OAK_OK;
  oak_status_t st = oak_fill_state(sim, 0, sim->time);
  int *flag = malloc((2 * sim->mesh->nblock + 1) * sizeof *flag);
  oak_timer_start(&sim->timers, OAK_PHASE_FLAGS);
  if (!flag)
    st = OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the flags of %d blocks", sim->mesh->nblock);
  if (st == OAK_OK) st = oak_compute_flags(sim, flag);
  oak_timer_stop(&sim->timers, OAK_PHASE_FLAGS);
  st = oak_agree(sim->comm, st);
  const int *reach = sim->buffer ? flag + sim->mesh->nblock : NULL;
  if (st == OAK_OK) st = apply_flags(sim, flag, reach, changed);
  free(flag);
  return st;
}
