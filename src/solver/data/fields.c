/* SPDX-License-Identifier: GPL-2.0-or-later
 * Fields beside the state: values on the mesh that time steps do not advance. A field with a
 * function (the hook FIELD) is set again on every mesh. A stored one moves with the blocks, as the
 * state does. Ghost cells follow the pattern of the state. */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "solver/step/part.h"
#include "solver/step/sim.h"

int oak_field_find(const oak_t *sim, const char *name) {
  for (int n = 0; n < sim->fields.count; n++)
    if (!strcmp(name, sim->fields.field[n].name)) return n;
  return -1;
}

int oak_field_variable(const oak_t *sim, const char *name) {
  for (int n = 0; n < sim->fields.nfixed; n++)
    if (!strcmp(name, sim->fields.fixed[n].name)) return sim->fields.fixed[n].variable;
  return -1;
}

/* ---- memory */

oak_status_t oak_fields_open(oak_t *sim) {
  oak_beside_list_t *list = &sim->fields;
  oak_bc_t bc[6];
  if (!list->count) return OAK_OK;
  for (int face = 0; face < 6; face++) bc[face] = (oak_bc_t){.kind = OAK_BC_MIRROR};
  for (int n = 0; n < list->count; n++)
    oak_exchange_init(&list->field[n].exchange, &sim->transport, &sim->pattern, 1,
                      OAK_INTERPOLATE_LIMITED, sim->store_size);
  OAK_TRY(oak_device_alloc(sim->dev, sizeof bc, &list->bc));
  OAK_TRY(oak_device_upload(sim->dev, list->bc, bc, sizeof bc));
  return oak_device_alloc(sim->dev, list->count * sizeof(oak_beside_t), &list->table);
}

static void clear(oak_t *sim) {
  oak_beside_list_t *list = &sim->fields;
  for (int n = 0; n < list->count; n++) {
    oak_values_t *values[] = {&list->field[n].now, &list->field[n].next};
    oak_values_clear(&list->field[n].exchange, values, 2);
    oak_exchange_clear(&list->field[n].exchange);
  }
  oak_device_free(sim->dev, list->bc);
  oak_device_free(sim->dev, list->table);
}

static int64_t count_bytes(const oak_t *sim) {
  int64_t bytes = 0;
  for (int n = 0; n < sim->fields.count; n++) {
    const oak_beside_field_t *field = &sim->fields.field[n];
    bytes += field->now.memory.bytes + field->next.memory.bytes + field->exchange.buffer.bytes;
  }
  return bytes;
}

int oak_carried(oak_t *sim, oak_carried_t list[OAK_MAX_FIELDS + 1]) {
  int count = 0;
  list[count++] = (oak_carried_t){&sim->exchange, &sim->storage.state[0], &sim->storage.state[1]};
  for (int n = 0; n < sim->fields.count; n++) {
    oak_beside_field_t *field = &sim->fields.field[n];
    if (field->function) continue;
    list[count++] = (oak_carried_t){&field->exchange, &field->now, &field->next};
  }
  return count;
}

int oak_carried_components(const oak_t *sim) {
  int count = sim->nvar;
  for (int n = 0; n < sim->fields.count; n++) count += !sim->fields.field[n].function;
  return count;
}

oak_status_t oak_fields_reserve(oak_t *sim, int blocks) {
  oak_status_t st = OAK_OK;
  int any = 0, changed;
  for (int n = 0; n < sim->fields.count; n++) {
    oak_beside_field_t *field = &sim->fields.field[n];
    oak_values_t *values = &field->next;
    if (field->function) continue;
    any = 1;
    oak_keep_failure(&st, oak_values_fit(&field->exchange, &values, 1, blocks, &changed));
    if (st == OAK_OK) st = oak_values_look(&field->exchange, values);
  }
  return any ? oak_sim_agree(sim, st) : OAK_OK;
}

/* Stored fields are 0 until they are set. */
static oak_status_t upload_zeros(oak_t *sim, const oak_beside_field_t *field) {
  const size_t bytes = (size_t)sim->mesh->nblock * sim->cells * sim->store_size;
  if (!bytes) return OAK_OK;
  void *zero = calloc(1, bytes);
  OAK_CHECK(zero, OAK_ERR_MEMORY, "no memory for the field %s", field->name);
  oak_status_t st = oak_device_upload(sim->dev, field->now.memory.mine, zero, bytes);
  if (st == OAK_OK) st = oak_device_sync(sim->dev);
  free(zero);
  return st;
}

/* Memory and buffers of a field for the mesh. All ranks of a host take part in all of it. */
static oak_status_t fit_field(oak_t *sim, oak_beside_field_t *field) {
  oak_values_t *now = &field->now;
  int changed;
  field->exchange.kernel = sim->kernel.halo;
  oak_status_t st = oak_values_fit(&field->exchange, &now, 1, sim->mesh->nblock, &changed);
  oak_keep_failure(&st, oak_exchange_fit(&field->exchange, &changed));
  if (st == OAK_OK) st = oak_values_look(&field->exchange, now);
  if (st == OAK_OK && !field->function && sim->storage.revision < 0) st = upload_zeros(sim, field);
  return st;
}

/* Where kernels find the fields. */
static oak_status_t upload_table(oak_t *sim) {
  oak_beside_t table[OAK_MAX_FIELDS];
  for (int n = 0; n < sim->fields.count; n++) {
    const oak_beside_field_t *field = &sim->fields.field[n];
    table[n] = (oak_beside_t){field->now.memory.mine, field->exchange.buffer.mine, field->now.peer};
  }
  return oak_device_upload(sim->dev, sim->fields.table, table, sim->fields.count * sizeof *table);
}

/* ---- values */

static oak_status_t set_field(oak_t *sim, int number) {
  oak_beside_field_t *field = &sim->fields.field[number];
  oak_set_field_args_t args = {.number = number, .out = field->now.memory.mine};
  if (!field->function || !sim->mesh->nblock) return OAK_OK;
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  return oak_device_launch(sim->dev, sim->kernel.set_field, sim->mesh->nblock, &args, sizeof args);
}

oak_status_t oak_field_fill(oak_t *sim, int number) {
  oak_beside_field_t *field = &sim->fields.field[number];
  oak_halo_args_t args = {.bc = sim->fields.bc, .theta = sim->interpolation_theta};
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  return oak_exchange_fill(&field->exchange, &field->now, &args, &sim->timers);
}

/* Memory, tables and buffers for the current mesh and pattern, the values of fields that have a
 * function, and all ghost cells. Stored fields already have their values. */
static oak_status_t renew(oak_t *sim) {
  oak_status_t st = OAK_OK;
  for (int n = 0; n < sim->fields.count; n++)
    oak_keep_failure(&st, fit_field(sim, &sim->fields.field[n]));
  if (st == OAK_OK) st = upload_table(sim);
  OAK_TRY(oak_sim_agree(sim, st));
  for (int n = 0; n < sim->fields.count; n++) {
    if (st == OAK_OK) st = set_field(sim, n);
    oak_keep_failure(&st, oak_field_fill(sim, n));
  }
  return oak_sim_agree(sim, st);
}

static int wanted(const oak_t *sim) { return sim->fields.count > 0; }

const oak_part_t oak_part_fields = {
    .wanted = wanted, .renew = renew, .bytes = count_bytes, .clear = clear};

oak_status_t oak_field_read(oak_t *sim, int number, int first, int count, double *out) {
  const int64_t cells = count * sim->cells, size = sim->store_size;
  const char *from = (const char *)sim->fields.field[number].now.memory.mine;
  if (!count) return OAK_OK;
  OAK_TRY(oak_device_download(sim->dev, out, from + first * sim->cells * size, cells * size));
  /* In place, from the end: the wider numbers overwrite only what has been read. */
  for (int64_t c = cells - 1; c >= 0 && size == 4; c--) {
    float value;
    memcpy(&value, (const char *)out + c * size, sizeof value);
    out[c] = value;
  }
  return OAK_OK;
}

/* ---- for programs */

static oak_status_t find_field(const oak_t *sim, const char *name, int *number) {
  char known[1024] = "";
  *number = oak_field_find(sim, name);
  for (int n = 0; n < sim->fields.count; n++)
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", sim->fields.field[n].name);
  OAK_CHECK(*number >= 0, OAK_ERR_ARGUMENT, "there is no field %.100s; %s and %s declare%s", name,
            sim->files.physics, sim->files.problem, *known ? known : " none");
  return OAK_OK;
}

static oak_status_t upload_values(oak_t *sim, oak_beside_field_t *field, const double *in) {
  const int64_t cells = sim->mesh->nblock * sim->cells;
  float *single = NULL;
  if (!cells) return OAK_OK;
  if (sim->store_size == 4) {
    single = malloc(cells * sizeof *single);
    OAK_CHECK(single, OAK_ERR_MEMORY, "no memory for the field %s", field->name);
    for (int64_t c = 0; c < cells; c++) single[c] = (float)in[c];
  }
  oak_status_t st = oak_device_upload(sim->dev, field->now.memory.mine,
                                      single ? (const void *)single : in, cells * sim->store_size);
  if (st == OAK_OK) st = oak_device_sync(sim->dev); /* the caller may change its values now */
  free(single);
  return st;
}

oak_status_t oak_field_set(oak_t *sim, const char *name, const double *in) {
  int number;
  const int variable = oak_field_variable(sim, name);
  if (variable >= 0) {
    oak_status_t set = oak_peers_meet(&sim->transport.peers, NULL);
    if (set == OAK_OK) set = oak_write_cells(sim, variable, 0, sim->mesh->nblock, in);
    return oak_sim_agree(sim, set);
  }
  OAK_TRY(find_field(sim, name, &number));
  oak_beside_field_t *field = &sim->fields.field[number];
  OAK_CHECK(!field->function, OAK_ERR_ARGUMENT,
            "FIELD(%s, at) of the %s sets this field: declare it with FIELD_STORED(%s) instead",
            name, field->function, name);
  /* Other ranks of the host have read the old values in place. */
  oak_status_t st = oak_peers_meet(&sim->transport.peers, NULL);
  if (st == OAK_OK) st = upload_values(sim, field, in);
  oak_keep_failure(&st, oak_field_fill(sim, number));
  sim->rates.doubted = 1; /* TIMESTEP may depend on it */
  return oak_sim_agree(sim, st);
}

oak_status_t oak_field_get(oak_t *sim, const char *name, double *out) {
  int number;
  const int variable = oak_field_variable(sim, name);
  if (variable >= 0) return oak_read_cells(sim, variable, 0, sim->mesh->nblock, out);
  OAK_TRY(find_field(sim, name, &number));
  return oak_field_read(sim, number, 0, sim->mesh->nblock, out);
}
