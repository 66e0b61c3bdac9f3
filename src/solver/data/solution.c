/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading and changing the solution: integrals, output variables, cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "solver/step/sim.h"

/* Run a reading kernel on `count` blocks and fetch its result through the scratch memory. The
 * blocks are those of `list`; NULL: from `first` on. */
static oak_status_t read_through(oak_t *sim, oak_kernel_t *kernel, int state, int variable,
                                 int first, const int *list, int count, size_t bytes, double *out) {
  oak_read_args_t args = {.first = list ? 0 : first, .variable = variable};
  const size_t list_bytes = list ? (size_t)count * sizeof *list : 0;
  if (!count) return OAK_OK;
  OAK_TRY(oak_storage_scratch(sim, bytes + list_bytes));
  oak_sim_field(sim, state, sim->clock.time, &args.f);
  args.total = args.cells = sim->storage.scratch;
  if (list) {
    void *place = (char *)sim->storage.scratch + bytes; /* `bytes` is a multiple of 8 */
    OAK_TRY(oak_device_upload(sim->dev, place, list, list_bytes));
    args.f.list = place;
  }
  OAK_TRY(oak_device_launch(sim->dev, kernel, count, &args, sizeof args));
  return oak_device_download(sim->dev, out, sim->storage.scratch, bytes);
}

static oak_status_t check_range(const oak_t *sim, int first, int count) {
  OAK_CHECK(first >= 0 && count >= 0 && first + count <= sim->mesh->nblock, OAK_ERR_ARGUMENT,
            "blocks %d to %d: this rank has %d", first, first + count - 1, sim->mesh->nblock);
  return OAK_OK;
}

static oak_status_t read_values(oak_t *sim, oak_kernel_t *kernel, int state, int variable,
                                int first, const int *list, int count, double *out) {
  /* A few blocks at a time, so that scratch memory stays small. */
  enum { CHUNK = 64 };
  for (int done = 0; done < count; done += CHUNK) {
    const int n = count - done < CHUNK ? count - done : CHUNK;
    OAK_TRY(read_through(sim, kernel, state, variable, first + done, list ? list + done : NULL, n,
                         n * sim->cells * sizeof(double), out + done * sim->cells));
  }
  return OAK_OK;
}

oak_status_t oak_read_state(oak_t *sim, int state, int variable, int first, int count,
                            double *out) {
  return read_values(sim, sim->kernel.cells, state, variable, first, NULL, count, out);
}

oak_status_t oak_read_kernel(oak_t *sim, oak_kernel_t *kernel, int variable, int first, int count,
                             double *out) {
  OAK_TRY(check_range(sim, first, count));
  return read_values(sim, kernel, 0, variable, first, NULL, count, out);
}

oak_status_t oak_read_list(oak_t *sim, oak_kernel_t *kernel, int variable, const int *list,
                           int count, double *out) {
  return read_values(sim, kernel, 0, variable, 0, list, count, out);
}

oak_status_t oak_keep_kernel(oak_t *sim, oak_kernel_t *kernel, int variable, int first, int count,
                             void *memory) {
  oak_read_args_t args = {.first = first, .variable = variable};
  oak_sim_field(sim, 0, sim->clock.time, &args.f);
  args.total = args.cells = memory;
  return oak_device_launch(sim->dev, kernel, count, &args, sizeof args);
}

oak_status_t oak_read_cells(oak_t *sim, int variable, int first, int count, double *out) {
  OAK_TRY(check_range(sim, first, count));
  OAK_CHECK(variable >= 0 && variable < 2 * sim->nvar, OAK_ERR_ARGUMENT,
            "variable %d: must be 0 to %d", variable, 2 * sim->nvar - 1);
  return oak_read_state(sim, 0, variable, first, count, out);
}

oak_status_t oak_read_ghosts(oak_t *sim, int first, int count, double *out) {
  size_t size = sizeof(double) * sim->nvar;
  OAK_TRY(check_range(sim, first, count));
  for (int d = 0; d < sim->dim; d++) size *= sim->block_size + 2 * sim->layers;
  return read_through(sim, sim->kernel.ghosts, 0, 0, first, NULL, count, size * count, out);
}

oak_status_t oak_write_cells(oak_t *sim, int variable, int first, int count, const double *in) {
  OAK_TRY(check_range(sim, first, count));
  OAK_CHECK(variable >= 0 && variable < sim->nvar, OAK_ERR_ARGUMENT, "variable %d: must be 0 to %d",
            variable, sim->nvar - 1);
  const int64_t size = sim->cells * sim->store_size;
  char *buffer = malloc(size);
  OAK_CHECK(buffer, OAK_ERR_MEMORY, "out of memory for a block of %lld cells",
            (long long)sim->cells);
  oak_status_t st = OAK_OK;
  for (int b = 0; b < count && st == OAK_OK; b++) {
    for (int64_t c = 0; c < sim->cells; c++) {
      const double value = in[b * sim->cells + c];
      if (sim->store_size == 4)
        ((float *)buffer)[c] = (float)value;
      else
        ((double *)buffer)[c] = value;
    }
    char *to = (char *)oak_sim_state(sim, 0) + ((first + b) * (int64_t)sim->nvar + variable) * size;
    st = oak_device_upload(sim->dev, to, buffer, size);
  }
  free(buffer);
  oak_rates_forget(sim);
  return st;
}

oak_status_t oak_totals(oak_t *sim, double *total) {
  const int n = sim->mesh->nblock;
  oak_timer_start(&sim->timers, OAK_PHASE_DIAGNOSTICS);
  const size_t bytes = (size_t)n * sim->nvar * sizeof(double);
  double *part = malloc(bytes + sizeof(double));
  oak_status_t st =
      part ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the totals of %d blocks", n);
  if (st == OAK_OK) st = read_through(sim, sim->kernel.totals, 0, 0, 0, NULL, n, bytes, part);
  st = oak_sim_agree(sim, st);
  if (st == OAK_OK) st = oak_sum_exact(sim->comm, sim->nvar, n, part, total);
  free(part);
  oak_timer_stop(&sim->timers, OAK_PHASE_DIAGNOSTICS);
  return st;
}

/* ---- for messages */

void oak_print_place(const oak_t *sim, int block, int64_t cell, char *text, size_t size) {
  const int n = sim->block_size, x[3] = {cell % n, cell / n % n, (int)(cell / n / n)};
  double origin[3], dx[3];
  oak_block_geometry(sim, block, origin, dx);
  int at = snprintf(text, size, "%.6g, %.6g", origin[0] + (x[0] + 0.5) * dx[0],
                    origin[1] + (x[1] + 0.5) * dx[1]);
  if (sim->dim == 3) snprintf(text + at, size - at, ", %.6g", origin[2] + (x[2] + 0.5) * dx[2]);
}

void oak_print_state(oak_t *sim, int state, int block, int64_t cell, char *text, size_t size) {
  double *buffer = malloc(sim->cells * sizeof *buffer);
  size_t at = 0;
  *text = 0;
  for (int v = 0; buffer && v < 2 * sim->nvar && at + 64 < size; v++) {
    const char *name = sim->description.name[v];
    if (v >= sim->nvar && !strcmp(name, sim->description.name[v - sim->nvar])) continue;
    const oak_status_t st = oak_read_state(sim, state, v, block, 1, buffer);
    at += snprintf(text + at, size - at, "%s%.32s = %.6g", v ? ", " : "", name,
                   st == OAK_OK && !isnan(buffer[cell]) ? buffer[cell] : NAN);
  }
  free(buffer);
}
