/* SPDX-License-Identifier: GPL-2.0-or-later
 * The public functions that read and change the solution and the fields. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "solver/data/data.h"
#include "solver/data/variables.h"
#include "solver/step/sim.h"

static oak_status_t check(const oak_t *sim, int variable, int most, int first, int count) {
  OAK_TRY(oak_data_check(&sim->data, first, count));
  OAK_CHECK(variable >= 0 && variable < most, OAK_ERR_ARGUMENT, "variable %d: must be 0 to %d",
            variable, most - 1);
  return OAK_OK;
}

static oak_status_t check_written(oak_t *sim, int variable, int first, int count) {
  const int beyond = variable - sim->setup.fields.vector;
  OAK_TRY(check(sim, variable, sim->setup.nvar, first, count));
  OAK_CHECK(!sim->setup.fields.nvector || beyond < 0 || beyond >= sim->setup.dim, OAK_ERR_ARGUMENT,
            "%s cannot be written: it is the mean of the values on faces, which advance it",
            oak_variable_name(sim, variable));
  return OAK_OK;
}

oak_status_t oak_update_ghostcells(oak_t *sim) {
  OAK_BEGIN_FITS(sim);
  return oak_data_agree(&sim->data, oak_fill_ghosts(&sim->data, 0, sim->data.clock.time));
}

oak_status_t oak_read_cells(oak_t *sim, int variable, int first, int count, double *out) {
  OAK_BEGIN_WHOLE(sim);
  OAK_TRY(check(sim, variable, 2 * sim->setup.nvar, first, count));
  return oak_read_state(&sim->data, 0, variable, first, count, out);
}

oak_status_t oak_read_variable(oak_t *sim, const char *name, int count, double *out) {
  OAK_BEGIN_FITS(sim);
  oak_selection_t one;
  OAK_CHECK(name && *name && !strpbrk(name, " ,\t"), OAK_ERR_ARGUMENT,
            "oak_read_variable: '%.100s' is not the name of one variable", name ? name : "");
  OAK_TRY(
      oak_variables_select(&sim->setup, name, "oak_read_variable", "name", OAK_SELECT_FIRST, &one));
  OAK_TRY(oak_data_agree(&sim->data, oak_data_check_all(&sim->data, count)));
  OAK_TRY(oak_variables_prepare(&sim->data, &one));
  return oak_data_agree(&sim->data, oak_variable_read(&sim->data, one.variable[0], 0, count, out));
}

void oak_list_variables(const oak_t *sim, char *names, size_t size) {
  OAK_HANDLE(sim, );
  oak_variables_print(&sim->setup, 0, names, size);
}

const char *oak_variable_unit(const oak_t *sim, const char *name) {
  OAK_HANDLE(sim, "");
  return oak_unit_of(&sim->setup, name);
}

oak_status_t oak_view_cells(oak_t *sim, int write, oak_view_t *view, oak_hold_t **hold) {
  OAK_BEGIN_WHOLE(sim);
  int where[2] = {0};
  *view = (oak_view_t){.cells = oak_data_state(&sim->data, 0),
                       .number_bytes = sim->setup.bytes.store,
                       .block_bytes = (int64_t)sim->data.exchange.stored * sim->setup.block.cells *
                                      sim->setup.bytes.store};
  if (write) oak_rates_doubt(sim);
  OAK_TRY(oak_device_hold(sim->setup.dev, view->cells, where, hold));
  view->memory = where[0];
  view->device = where[1];
  return OAK_OK;
}

/* The members of a DLManagedTensor. */
typedef struct {
  char tensor[48];
  oak_hold_t *context;
  void (*deleter)(void *tensor);
} managed_t;

void oak_view_free(void *tensor) {
  managed_t *managed = tensor;
  oak_hold_free(&managed->context);
  free(managed);
}

oak_status_t oak_read_ghosts(oak_t *sim, int first, int count, double *out) {
  OAK_BEGIN_FITS(sim);
  return oak_data_read_ghosts(&sim->data, first, count, out);
}

oak_status_t oak_write_cells(oak_t *sim, int variable, int first, int count, const double *in) {
  OAK_BEGIN_WHOLE(sim);
  OAK_TRY(check_written(sim, variable, first, count));
  const oak_status_t st = oak_data_write(&sim->data, variable, first, count, in);
  oak_rates_forget(sim);
  return st;
}

static oak_status_t write_all(oak_t *sim, int n, const int *variable, int count, const double *in) {
  const size_t numbers = (size_t)count * sim->setup.block.cells;
  oak_status_t st = OAK_OK;
  for (int v = 0; v < n && st == OAK_OK; v++)
    st = oak_write_cells(sim, variable[v], 0, count, in + v * numbers);
  return oak_data_agree(&sim->data, st);
}

oak_status_t oak_write_variables(oak_t *sim, int n, const int *variable, int count,
                                 const double *in) {
  OAK_BEGIN_FITS(sim);
  char message[4096];
  OAK_FREED double *before = NULL;
  const double most = sim->rates.most;
  const size_t numbers = (size_t)count * sim->setup.block.cells;
  oak_status_t st = oak_data_check_all(&sim->data, count);
  if (st == OAK_OK) st = OAK_NEW(before, n * numbers + 1);
  for (int v = 0; v < n && st == OAK_OK; v++) {
    st = check_written(sim, variable[v], 0, count);
    if (st == OAK_OK) st = oak_read_cells(sim, variable[v], 0, count, before + v * numbers);
  }
  OAK_TRY(oak_data_agree(&sim->data, st));
  st = write_all(sim, n, variable, count, in);
  if (st == OAK_OK) st = oak_update_time_step(sim);
  if (st == OAK_OK) return OAK_OK;
  /* The earlier values come back, and the time step of them. */
  snprintf(message, sizeof message, "%s", oak_last_error());
  const oak_status_t back = write_all(sim, n, variable, count, before);
  sim->lost |= back != OAK_OK;
  oak_rates_set(sim, (oak_rates_t){.most = most, .known = OAK_RATES_UNKNOWN});
  if (back == OAK_OK) oak_update_time_step(sim); /* potentials too; it may fail again */
  return OAK_FAIL(st, "%s", message);
}

oak_status_t oak_totals(oak_t *sim, double *total) {
  OAK_BEGIN_FITS(sim);
  return oak_data_totals(&sim->data, total);
}

/* ---- fields */

static oak_status_t find_field(const oak_setup_t *setup, const char *name, int *number) {
  char known[1024] = "";
  *number = oak_field_find(setup, name);
  for (int n = 0; n < setup->fields.count; n++)
    oak_str_append(known, sizeof known, " %s", setup->fields.field[n].name);
  OAK_CHECK(*number >= 0, OAK_ERR_ARGUMENT, "there is no field %.100s; %s and %s declare%s", name,
            setup->files.physics, setup->files.problem, *known ? known : " none");
  return OAK_OK;
}

oak_status_t oak_field_set(oak_t *sim, const char *name, int count, const double *in) {
  OAK_BEGIN_FITS(sim);
  oak_data_t *data = &sim->data;
  int number;
  const int variable = oak_field_variable(&sim->setup, name);
  if (variable >= 0) {
    oak_status_t set = oak_data_agree(data, oak_data_check_all(data, count));
    if (set == OAK_OK) set = oak_peers_meet(&data->transport.peers, NULL);
    if (set == OAK_OK) set = oak_write_cells(sim, variable, 0, count, in);
    return oak_data_agree(data, set);
  }
  OAK_TRY(find_field(&sim->setup, name, &number));
  const char *function = sim->setup.fields.field[number].function;
  OAK_CHECK(!function, OAK_ERR_ARGUMENT,
            "FIELD(%s, at) of the %s sets this field: declare it with FIELD_STORED(%s) instead",
            name, function, name);
  OAK_TRY(oak_data_agree(data, oak_data_check_all(data, count)));
  oak_rates_doubt(sim); /* TIMESTEP may depend on it */
  return oak_data_agree(data, oak_field_write(data, number, in));
}

oak_status_t oak_field_get(oak_t *sim, const char *name, int count, double *out) {
  OAK_BEGIN_FITS(sim);
  OAK_TRY(oak_data_check_all(&sim->data, count));
  int number;
  const int variable = oak_field_variable(&sim->setup, name);
  if (variable >= 0) return oak_read_cells(sim, variable, 0, count, out);
  OAK_TRY(find_field(&sim->setup, name, &number));
  return oak_field_read(&sim->data, number, 0, count, out);
}
