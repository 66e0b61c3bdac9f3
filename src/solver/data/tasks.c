/* SPDX-License-Identifier: GPL-2.0-or-later
 * Filling blocks on the device, by one kernel and a list of tasks: copies, interpolation, averages.
 */
#include <stdlib.h>

#include "solver/data/data.h"

oak_status_t oak_adapt_run(oak_data_t *data, const oak_carried_t *c, const oak_adapt_task_t *task,
                           int count, void *out) {
  if (!count) return OAK_OK;
  oak_adapt_args_t args = {.out = out,
                           .theta = data->setup->refine.theta,
                           .components = c->exchange->components,
                           .interpolation = c->exchange->interpolation};
  const size_t bytes = count * sizeof *task;
  OAK_TRY(oak_array_fit(data->setup->dev, &data->tasks, (int64_t)bytes));
  OAK_TRY(oak_device_upload(data->setup->dev, data->tasks.at, task, bytes));
  oak_data_field(data, 0, data->clock.time, &args.f);
  oak_exchange_field(c->exchange, c->now, &args.f);
  args.task = data->tasks.at;
  return oak_device_launch(data->setup->dev, data->setup->kernel.adapt, count, &args, sizeof args);
}

oak_adapt_task_t *oak_adapt_tasks(const oak_origin_t *origin, int count) {
  static const int kind[] = {[OAK_ORIGIN_SAME] = OAK_ADAPT_COPY,
                             [OAK_ORIGIN_PARENT] = OAK_ADAPT_PROLONG,
                             [OAK_ORIGIN_CHILDREN] = OAK_ADAPT_RESTRICT};
  oak_adapt_task_t *task = malloc((count + 1) * sizeof *task);
  for (int n = 0; n < count && task; n++)
    task[n] = (oak_adapt_task_t){
        .source = origin[n].block, .kind = kind[origin[n].kind], .child = origin[n].child};
  return task;
}

oak_status_t oak_adapt_copy(oak_data_t *data, const oak_carried_t *c, int to, int from, int count,
                            int base) {
  const int64_t bytes =
      c->exchange->components * data->setup->block.cells * data->setup->bytes.store;
  OAK_FREED oak_adapt_task_t *task = NULL;
  OAK_TRY(OAK_NEW(task, count + 1));
  for (int n = 0; n < count; n++)
    task[n] = (oak_adapt_task_t){.source = from + n, .base = base, .kind = OAK_ADAPT_COPY};
  return oak_adapt_run(data, c, task, count, (char *)c->next->memory.mine + to * bytes);
}

oak_status_t oak_copy_state(oak_data_t *data, int to) {
  const oak_carried_t c = {&data->exchange, &data->storage.state[0], &data->storage.state[to]};
  return oak_adapt_copy(data, &c, 0, 0, data->mesh->nblock, OAK_BASE_OWN);
}
