/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fields beside the state: values on the mesh that time steps do not advance. A field with a
 * function (the hook FIELD) is set again on every mesh. A stored one moves with the blocks, as the
 * state does. */
#include <stdlib.h>
#include <string.h>

#include "solver/data/data.h"

int oak_field_variable(const oak_setup_t *setup, const char *name) {
  for (int n = 0; n < setup->fields.nfixed; n++)
    if (!strcmp(name, setup->fields.fixed[n].name)) return setup->fields.fixed[n].variable;
  return -1;
}

/* ---- memory */

int oak_carried(oak_data_t *data, oak_carried_t list[OAK_MAX_CARRIED]) {
  int count = 0;
  list[count++] =
      (oak_carried_t){&data->exchange, &data->storage.state[0], &data->storage.state[1]};
  for (int n = 0; n < data->setup->fields.count; n++) {
    oak_field_value_t *field = &data->fields.field[n];
    if (!data->setup->fields.field[n].function)
      list[count++] = (oak_carried_t){&field->exchange, &field->now, &field->next};
  }
  return count;
}

int oak_carried_components(const oak_setup_t *setup) {
  int count = setup->nvar + oak_setup_room(setup);
  for (int n = 0; n < setup->fields.count; n++) count += !setup->fields.field[n].function;
  return count;
}

oak_status_t oak_carried_reserve(oak_data_t *data) {
  const int blocks = data->mesh->nblock;
  oak_status_t st = OAK_OK;
  int any = 0, changed;
  OAK_TRY(oak_storage_reserve(data, 1, 2, blocks));
  for (int n = 0; n < data->setup->fields.count; n++) {
    oak_field_value_t *field = &data->fields.field[n];
    oak_values_t *values = &field->next;
    if (data->setup->fields.field[n].function) continue;
    any = 1;
    oak_keep_failure(&st, oak_values_fit(&field->exchange, &values, 1, blocks, &changed));
    if (st == OAK_OK) st = oak_values_look(&field->exchange, values);
  }
  return any ? oak_data_agree(data, st) : OAK_OK;
}

/* Stored fields are 0 until they are set. */
static oak_status_t upload_zeros(oak_data_t *data, int number) {
  const int64_t cells = data->mesh->nblock * data->setup->block.cells;
  OAK_FREED double *zero = NULL;
  OAK_TRY(OAK_NEW(zero, cells + 1));
  OAK_TRY(oak_upload_cells(data, data->fields.field[number].now.memory.mine, zero, cells));
  return oak_device_sync(data->setup->dev);
}

/* ---- values */

/* By its function, if it has one. */
static oak_status_t set_field(oak_data_t *data, int number) {
  const oak_setup_t *setup = data->setup;
  oak_set_field_args_t args = {.number = number, .out = data->fields.field[number].now.memory.mine};
  if (!setup->fields.field[number].function) return OAK_OK;
  return oak_data_launch(data, setup->kernel.set_field, 0, data->clock.time, &args, sizeof args);
}

oak_status_t oak_fields_renew(oak_data_t *data) {
  const int count = data->fields.count, first = data->storage.revision < 0;
  oak_status_t st = oak_field_set_fit(data, &data->fields);
  for (int n = 0; n < count && first && st == OAK_OK; n++)
    if (!data->setup->fields.field[n].function) st = upload_zeros(data, n);
  OAK_TRY(oak_data_agree(data, st));
  for (int n = 0; n < count; n++) {
    if (st == OAK_OK) st = set_field(data, n);
    oak_keep_failure(&st, oak_field_set_fill(data, &data->fields, n));
  }
  return oak_data_agree(data, st);
}

oak_status_t oak_field_read(oak_data_t *data, int number, int first, int count, double *out) {
  return oak_read_values(data, data->setup->kernel.cells, 0, 2 * data->setup->nvar + 1 + number,
                         first, NULL, count, out);
}

oak_status_t oak_fields_check(oak_data_t *data) {
  char set[OAK_MAX_FIELDS];
  for (int n = 0; n < OAK_MAX_FIELDS; n++) set[n] = data->fields.field[n].set;
  return oak_data_agree(data, oak_setup_check_fields(data->setup, set));
}

oak_status_t oak_field_write(oak_data_t *data, int number, const double *in) {
  /* Other ranks of the host have read the old values in place. */
  oak_status_t st = oak_peers_meet(&data->transport.peers, NULL);
  if (st == OAK_OK)
    st = oak_upload_cells(data, data->fields.field[number].now.memory.mine, in,
                          data->mesh->nblock * data->setup->block.cells);
  if (st == OAK_OK) st = oak_device_sync(data->setup->dev); /* the caller may change its values */
  oak_keep_failure(&st, oak_field_set_fill(data, &data->fields, number));
  data->fields.field[number].set = 1;
  return st;
}

/* ---- filling blocks, by one kernel and a list of tasks: copies, interpolation, averages */

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

oak_status_t oak_adapt_copy(oak_data_t *data, const oak_carried_t *c, int to, int from, int count,
                            int base) {
  const int64_t bytes = c->exchange->stored * data->setup->block.cells * data->setup->bytes.store;
  OAK_FREED oak_adapt_task_t *task = NULL;
  OAK_TRY(OAK_NEW(task, count + 1));
  for (int n = 0; n < count; n++)
    task[n] = (oak_adapt_task_t){.source = from + n, .base = base, .kind = OAK_ADAPT_COPY};
  return oak_adapt_run(data, c, task, count, (char *)c->next->memory.mine + to * bytes);
}
