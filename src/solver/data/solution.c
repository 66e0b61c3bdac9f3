/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading and changing the solution: integrals, output variables, cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "solver/data/data.h"

/* Run a reading kernel on `count` blocks and fetch its result through the scratch memory. The
 * blocks are those of `list`; NULL: from `first` on. */
static oak_status_t read_through(oak_data_t *data, oak_kernel_t *kernel, int state, int variable,
                                 int first, const int *list, int count, size_t bytes, double *out) {
  oak_read_args_t args = {.first = list ? 0 : first, .variable = variable};
  const size_t list_bytes = list ? (size_t)count * sizeof *list : 0;
  if (!count) return OAK_OK;
  OAK_TRY(oak_storage_scratch(data, bytes + list_bytes));
  oak_data_field(data, state, data->clock.time, &args.f);
  args.total = args.cells = data->storage.scratch.at;
  if (list) {
    void *place = (char *)data->storage.scratch.at + bytes; /* `bytes` is a multiple of 8 */
    OAK_TRY(oak_device_upload(data->setup->dev, place, list, list_bytes));
    args.f.list = place;
  }
  OAK_TRY(oak_device_launch(data->setup->dev, kernel, count, &args, sizeof args));
  return oak_device_download(data->setup->dev, out, data->storage.scratch.at, bytes);
}

oak_status_t oak_data_check(const oak_data_t *data, int first, int count) {
  OAK_CHECK(first >= 0 && count >= 0 && count <= data->mesh->nblock - first, OAK_ERR_ARGUMENT,
            "blocks %d to %lld: this rank has %d", first, (long long)first + count - 1,
            data->mesh->nblock);
  return OAK_OK;
}

oak_status_t oak_data_check_all(const oak_data_t *data, int count) {
  OAK_CHECK(count == data->mesh->nblock, OAK_ERR_ARGUMENT,
            "an array of %d blocks, but this rank has %d: the mesh has changed, or the array is "
            "another one",
            count, data->mesh->nblock);
  return OAK_OK;
}

oak_status_t oak_read_values(oak_data_t *data, oak_kernel_t *kernel, int state, int variable,
                             int first, const int *list, int count, double *out) {
  /* A few blocks at a time, so that scratch memory stays small. */
  enum { CHUNK = 64 };
  for (int done = 0; done < count; done += CHUNK) {
    const int n = count - done < CHUNK ? count - done : CHUNK;
    OAK_TRY(read_through(data, kernel, state, variable, first + done, list ? list + done : NULL, n,
                         n * data->setup->block.cells * sizeof(double),
                         out + done * data->setup->block.cells));
  }
  return OAK_OK;
}

oak_status_t oak_read_state(oak_data_t *data, int state, int variable, int first, int count,
                            double *out) {
  return oak_read_values(data, data->setup->kernel.cells, state, variable, first, NULL, count, out);
}

oak_status_t oak_data_read_ghosts(oak_data_t *data, int first, int count, double *out) {
  const oak_setup_t *setup = data->setup;
  size_t size = sizeof(double) * setup->nvar;
  OAK_TRY(oak_data_check(data, first, count));
  for (int d = 0; d < setup->dim; d++) size *= setup->block.size[d] + 2 * setup->block.layers;
  return read_through(data, setup->kernel.ghosts, 0, 0, first, NULL, count, size * count, out);
}

oak_status_t oak_upload_cells(const oak_data_t *data, void *to, const double *in, int64_t cells) {
  OAK_FREED float *single = NULL;
  if (!cells) return OAK_OK;
  if (data->setup->bytes.store == 8)
    return oak_device_upload(data->setup->dev, to, in, (size_t)cells * sizeof *in);
  OAK_TRY(OAK_NEW(single, cells));
  for (int64_t c = 0; c < cells; c++) single[c] = (float)in[c];
  return oak_device_upload(data->setup->dev, to, single, (size_t)cells * sizeof *single);
}

oak_status_t oak_data_write(oak_data_t *data, int variable, int first, int count,
                            const double *in) {
  const oak_setup_t *setup = data->setup;
  char *state = oak_data_state(data, 0);
  for (int b = 0; b < count; b++) {
    const int64_t place =
        ((int64_t)(first + b) * data->exchange.stored + variable) * setup->block.cells;
    OAK_TRY(oak_upload_cells(data, state + place * setup->bytes.store, in + b * setup->block.cells,
                             setup->block.cells));
  }
  return OAK_OK;
}

oak_status_t oak_data_totals(oak_data_t *data, double *total) {
  const int n = data->mesh->nblock;
  const size_t count = (size_t)n * data->setup->nvar;
  OAK_FREED double *part = NULL;
  oak_timer_start(&data->timers, OAK_PHASE_DIAGNOSTICS);
  oak_status_t st = OAK_NEW(part, count + 1);
  if (st == OAK_OK)
    st = read_through(data, data->setup->kernel.totals, 0, 0, 0, NULL, n, count * sizeof *part,
                      part);
  st = oak_data_agree(data, st);
  if (st == OAK_OK) st = oak_sum_exact(data->setup->comm, data->setup->nvar, n, part, total);
  oak_timer_stop(&data->timers, OAK_PHASE_DIAGNOSTICS);
  return st;
}

/* ---- for messages */

void oak_print_place(const oak_data_t *data, int block, int64_t cell, char *text, size_t size) {
  const int *n = data->setup->block.size;
  const int x[3] = {cell % n[0], cell / n[0] % n[1], (int)(cell / n[0] / n[1])};
  double origin[3], dx[3];
  oak_data_geometry(data, block, origin, dx);
  int at = snprintf(text, size, "%.6g, %.6g",
                    oak_from_mesh(data->setup, 0, origin[0] + (x[0] + 0.5) * dx[0]),
                    origin[1] + (x[1] + 0.5) * dx[1]);
  if (data->setup->dim == 3)
    snprintf(text + at, size - at, ", %.6g", origin[2] + (x[2] + 0.5) * dx[2]);
}

void oak_print_block(const oak_data_t *data, int block, char *text, size_t size) {
  const oak_setup_t *setup = data->setup;
  const int *n = setup->block.size;
  double lower[3], dx[3];
  oak_data_geometry(data, block, lower, dx);
  snprintf(text, size, "the block of level %d from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g)",
           data->mesh->level[block], oak_from_mesh(setup, 0, lower[0]), lower[1], lower[2],
           oak_from_mesh(setup, 0, lower[0] + n[0] * dx[0]), lower[1] + n[1] * dx[1],
           setup->dim == 3 ? lower[2] + n[2] * dx[2] : lower[2]);
}

void oak_print_state(oak_data_t *data, int state, int block, int64_t cell, char *text,
                     size_t size) {
  OAK_FREED double *buffer = malloc(data->setup->block.cells * sizeof *buffer);
  size_t at = 0;
  *text = 0;
  for (int v = 0; buffer && v < 2 * data->setup->nvar && at + 64 < size; v++) {
    const char *name = data->setup->description.shown[v];
    if (v >= data->setup->nvar &&
        !strcmp(name, data->setup->description.shown[v - data->setup->nvar]))
      continue;
    const oak_status_t st = oak_read_state(data, state, v, block, 1, buffer);
    at += snprintf(text + at, size - at, "%s%.32s = %.6g", v ? ", " : "", name,
                   st == OAK_OK && !isnan(buffer[cell]) ? buffer[cell] : NAN);
  }
}
