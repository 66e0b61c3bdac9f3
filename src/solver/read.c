/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the solution: integrals, output variables, ghost cells, the place of an invalid cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "solver/sim.h"

/* Run a reading kernel on `count` blocks and fetch its result through the scratch memory. */
static oak_status_t read_through(oak_t *sim, oak_kernel_t *kernel, int state, int variable,
                                 int first, int count, size_t bytes, double *out) {
  oak_read_args_t args = {.first = first, .variable = variable};
  if (!count) return OAK_OK;
  OAK_TRY(oak_storage_scratch(sim, bytes));
  oak_sim_field(sim, state, sim->time, &args.f);
  args.total = args.cells = sim->scratch;
  OAK_TRY(oak_device_launch(sim->dev, kernel, count, &args, sizeof args));
  return oak_device_download(sim->dev, out, sim->scratch, bytes);
}

static oak_status_t check_range(const oak_t *sim, int first, int count) {
  OAK_CHECK(first >= 0 && count >= 0 && first + count <= sim->mesh->nblock, OAK_ERR_ARGUMENT,
            "blocks %d to %d: this rank has %d", first, first + count - 1, sim->mesh->nblock);
  return OAK_OK;
}

static oak_status_t read_cells(oak_t *sim, int state, int variable, int first, int count,
                               double *out) {
  /* Few blocks at a time: scratch memory stays small. */
  enum { CHUNK = 64 };
  for (int done = 0; done < count; done += CHUNK) {
    const int n = count - done < CHUNK ? count - done : CHUNK;
    OAK_TRY(read_through(sim, sim->kernel.cells, state, variable, first + done, n,
                         n * sim->cells * sizeof(double), out + done * sim->cells));
  }
  return OAK_OK;
}

oak_status_t oak_read_cells(oak_t *sim, int variable, int first, int count, double *out) {
  OAK_TRY(check_range(sim, first, count));
  OAK_CHECK(variable >= 0 && variable < 2 * sim->nvar, OAK_ERR_ARGUMENT,
            "variable %d: must be 0 to %d", variable, 2 * sim->nvar - 1);
  return read_cells(sim, 0, variable, first, count, out);
}

oak_status_t oak_read_ghosts(oak_t *sim, int first, int count, double *out) {
  size_t size = sizeof(double) * sim->nvar;
  OAK_TRY(check_range(sim, first, count));
  for (int d = 0; d < sim->dim; d++) size *= sim->block_size + 2 * sim->layers;
  return read_through(sim, sim->kernel.ghosts, 0, 0, first, count, size * count, out);
}

oak_status_t oak_write_cells(oak_t *sim, int variable, int first, int count, const double *in) {
  OAK_TRY(check_range(sim, first, count));
  OAK_CHECK(variable >= 0 && variable < sim->nvar, OAK_ERR_ARGUMENT, "variable %d: must be 0 to %d",
            variable, sim->nvar - 1);
  const int64_t size = sim->cells * sim->real_size;
  char *buffer = malloc(size);
  OAK_CHECK(buffer, OAK_ERR_MEMORY, "out of memory for a block of %lld cells",
            (long long)sim->cells);
  oak_status_t st = OAK_OK;
  for (int b = 0; b < count && st == OAK_OK; b++) {
    for (int64_t c = 0; c < sim->cells; c++) {
      const double value = in[b * sim->cells + c];
      if (sim->real_size == 4)
        ((float *)buffer)[c] = (float)value;
      else
        ((double *)buffer)[c] = value;
    }
    char *to = (char *)sim->state[0] + ((first + b) * (int64_t)sim->nvar + variable) * size;
    st = oak_device_upload(sim->dev, to, buffer, size);
  }
  free(buffer);
  sim->rates_fresh = 0;
  return st;
}

oak_status_t oak_totals(oak_t *sim, double *total) {
  const int n = sim->mesh->nblock;
  oak_timer_start(&sim->timers, OAK_PHASE_DIAGNOSTICS);
  const size_t bytes = (size_t)n * sim->nvar * sizeof(double);
  double *part = malloc(bytes + sizeof(double));
  oak_status_t st =
      part ? OAK_OK : OAK_FAIL(OAK_ERR_MEMORY, "out of memory for the totals of %d blocks", n);
  if (st == OAK_OK) st = read_through(sim, sim->kernel.totals, 0, 0, 0, n, bytes, part);
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK) st = oak_sum_exact(sim->comm, sim->nvar, n, part, total);
  free(part);
  oak_timer_stop(&sim->timers, OAK_PHASE_DIAGNOSTICS);
  return st;
}

/* The first invalid cell of this rank, if there is one: a line about it. */
static oak_status_t describe_invalid(oak_t *sim, int state, const char *when, int *found) {
  double *valid = malloc(sim->cells * sizeof *valid);
  OAK_CHECK(valid, OAK_ERR_MEMORY, "out of memory for a block of %lld cells",
            (long long)sim->cells);
  *found = 0;
  for (int b = 0; b < sim->mesh->nblock && !*found; b++) {
    oak_status_t st = read_cells(sim, state, 2 * sim->nvar, b, 1, valid);
    for (int64_t c = 0; c < sim->cells && st == OAK_OK; c++) {
      if (valid[c] != 0) continue;
      double origin[3], dx[3];
      char values[512] = "", place[96];
      const int n = sim->block_size, x[3] = {c % n, c / n % n, (int)(c / n / n)};
      oak_block_geometry(sim, b, origin, dx);
      int at = snprintf(place, sizeof place, "%.6g, %.6g", origin[0] + (x[0] + 0.5) * dx[0],
                        origin[1] + (x[1] + 0.5) * dx[1]);
      if (sim->dim == 3)
        snprintf(place + at, sizeof place - at, ", %.6g", origin[2] + (x[2] + 0.5) * dx[2]);
      at = 0;
      for (int v = 0; v < sim->nvar && at < 480; v++) {
        st = read_cells(sim, state, v, b, 1, valid);
        at += snprintf(values + at, sizeof values - at, "%s%s = %.6g", v ? ", " : "",
                       sim->description.name[v], st == OAK_OK ? valid[c] : NAN);
      }
      *found = 1;
      free(valid);
      return OAK_FAIL(
          OAK_ERR_STATE,
          "invalid state %s (step %ld, time %.6g) at (%s), level %d: %s; density and pressure must "
          "be positive, values finite: check the problem, lower run.cfl, or use a more diffusive "
          "scheme.limiter",
          when, sim->step, sim->time, place, sim->mesh->level[b], values);
    }
    if (st != OAK_OK) {
      free(valid);
      return st;
    }
  }
  free(valid);
  return OAK_OK;
}

oak_status_t oak_report_invalid(oak_t *sim, int state, const char *when) {
  int found;
  OAK_TRY(oak_agree(sim->comm, describe_invalid(sim, state, when, &found)));
  return OAK_FAIL(
      OAK_ERR_STATE,
      "invalid state in a stage of step %ld (time %.6g), gone at its end: lower run.cfl or use a "
      "more diffusive scheme.limiter",
      sim->step, sim->time);
}
