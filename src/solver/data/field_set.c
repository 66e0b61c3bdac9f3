/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fields of one component each, and fields on faces: their memory, their ghost cells, and where
 * kernels find them. Ghost cells follow the pattern of the state. */
#include "solver/data/data.h"

oak_status_t oak_field_set_open(oak_data_t *data, oak_field_set_t *set, int count, int nface) {
  oak_device_t *dev = data->setup->dev;
  oak_bc_t bc[6];
  set->count = count;
  set->nface = nface;
  if (!count && !nface) return OAK_OK;
  for (int face = 0; face < 6; face++) bc[face] = (oak_bc_t){.kind = OAK_BC_MIRROR};
  for (int n = 0; n < count; n++) {
    oak_exchange_init(&set->field[n].exchange, &data->transport, &data->pattern, 1,
                      OAK_INTERPOLATE_LIMITED, data->setup->bytes.store);
    set->field[n].exchange.faces = 1; /* hooks read no more */
  }
  OAK_TRY(oak_device_alloc(dev, sizeof bc, &set->bc));
  OAK_TRY(oak_device_upload(dev, set->bc, bc, sizeof bc));
  return oak_device_alloc(dev, (count + nface) * sizeof(oak_beside_t), &set->table);
}

void oak_field_set_clear(oak_data_t *data, oak_field_set_t *set) {
  for (int n = 0; n < set->count; n++) {
    oak_field_value_t *field = &set->field[n];
    oak_values_t *values[] = {&field->now, &field->next};
    oak_values_clear(&field->exchange, values, 2);
    oak_exchange_clear(&field->exchange);
  }
  oak_device_free(data->setup->dev, set->bc);
  oak_device_free(data->setup->dev, set->table);
  oak_device_free(data->setup->dev, set->face.at);
}

int64_t oak_field_set_bytes(const oak_field_set_t *set) {
  int64_t bytes = set->face.bytes;
  for (int n = 0; n < set->count; n++) {
    const oak_field_value_t *field = &set->field[n];
    bytes += field->now.memory.bytes + field->next.memory.bytes + field->exchange.buffer.bytes;
  }
  return bytes;
}

/* Memory of the fields on faces, and where kernels find all fields. */
static oak_status_t upload_table(oak_data_t *data, oak_field_set_t *set) {
  const int count = set->count, all = count + set->nface;
  const int64_t size =
      data->mesh->nblock * oak_face_numbers(data->setup) * data->setup->bytes.store;
  oak_beside_t table[OAK_MAX_FIELDS + OAK_MAX_FACE_FIELDS];
  OAK_TRY(oak_array_fit(data->setup->dev, &set->face, set->nface * size));
  for (int n = 0; n < count; n++) {
    const oak_field_value_t *field = &set->field[n];
    table[n] = (oak_beside_t){field->now.memory.mine, field->exchange.buffer.mine, field->now.peer};
  }
  for (int n = count; n < all; n++)
    table[n] = (oak_beside_t){.u = (char *)set->face.at + (n - count) * size};
  return oak_device_upload(data->setup->dev, set->table, table, all * sizeof *table);
}

oak_status_t oak_field_set_fit(oak_data_t *data, oak_field_set_t *set) {
  oak_status_t st = OAK_OK;
  int changed;
  for (int n = 0; n < set->count; n++) {
    oak_exchange_t *exchange = &set->field[n].exchange;
    oak_values_t *now = &set->field[n].now;
    exchange->kernel = data->setup->kernel.halo;
    oak_keep_failure(&st, oak_values_fit(exchange, &now, 1, data->mesh->nblock, &changed));
    oak_keep_failure(&st, oak_exchange_fit(exchange, &changed));
    if (st == OAK_OK) st = oak_values_look(exchange, now);
  }
  return st == OAK_OK ? upload_table(data, set) : st;
}

oak_status_t oak_field_set_fill(oak_data_t *data, oak_field_set_t *set, int number) {
  oak_field_value_t *field = &set->field[number];
  oak_halo_args_t args = {.bc = set->bc, .theta = data->setup->refine.theta};
  oak_data_field(data, 0, data->clock.time, &args.f);
  return oak_exchange_fill(&field->exchange, &field->now, &args, &data->timers);
}
