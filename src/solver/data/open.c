/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the data need before the mesh is made, and their end. */
#include "solver/data/data.h"

void oak_data_init(oak_data_t *data, const oak_setup_t *setup) {
  *data = (oak_data_t){.setup = setup, .storage.revision = -1};
  oak_timers_reset(&data->timers);
}

oak_status_t oak_data_open(oak_data_t *data, int edges, int whole_tiles) {
  const oak_setup_t *setup = data->setup;
  OAK_TRY(oak_transport_open(&data->transport, setup->comm, setup->dev,
                             oak_params_choice(setup->params, "device.transport")));
  oak_status_t st = oak_pattern_init(&data->pattern, &data->transport, setup->dim,
                                     setup->block.size, setup->block.layers);
  if (edges) oak_pattern_add_edges(&data->pattern);
  oak_exchange_init(&data->exchange, &data->transport, &data->pattern, setup->nvar,
                    OAK_INTERPOLATE_STATE, setup->bytes.store);
  data->exchange.stored += oak_setup_room(setup);
  data->results.whole_tiles = whole_tiles != 0;
  if (st == OAK_OK)
    st = oak_field_set_open(data, &data->fields, setup->fields.count, setup->fields.nface);
  return oak_agree(setup->comm, st);
}

void oak_data_clear(oak_data_t *data) {
  oak_snapshot_clear(data);
  oak_storage_clear(data);
  oak_exchange_clear(&data->exchange);
  oak_pattern_clear(&data->pattern, data->setup->dev);
  oak_transport_close(&data->transport);
  if (data->derived.module) oak_device_unload(data->setup->dev, &data->derived.module);
}
