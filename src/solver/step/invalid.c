/* SPDX-License-Identifier: GPL-2.0-or-later
 * The message on an invalid cell: where it is, what its state is, and what to do. */
#include <stdlib.h>
#include <string.h>

#include "solver/data/data.h"
#include "setup/table.h"
#include "solver/step/sim.h"

#define OAK_CALMER "lower run.cfl, use a more diffusive scheme.limiter, or "
static const struct {
  const char *when, *advice;
} invalid_text[] = {
    [OAK_INVALID_INITIAL] = {"in the initial condition",
                             "check INITIAL and VECTOR_POTENTIAL, or the file of run.initial"},
    [OAK_INVALID_GIVEN] = {"in the given solution", "check what was written to it"},
    [OAK_INVALID_READ] = {"in the checkpoint", "go on from an earlier one"},
    [OAK_INVALID_FLUXES] = {"from the fluxes of the given solution",
                            "use a more diffusive scheme.limiter or another scheme.flux, or "
                            "set scheme.on_invalid = first_order"},
    [OAK_INVALID_STAGE] = {"in a stage of a time step",
                           OAK_CALMER "set scheme.on_invalid = first_order or retry"},
    [OAK_INVALID_STEP] = {"after a time step",
                          OAK_CALMER "set scheme.on_invalid = first_order or retry"},
    [OAK_INVALID_RETRIED] = {"after a time step that was halved ten times",
                             "lower run.dt_max, use a more diffusive scheme.limiter, or set "
                             "scheme.on_invalid = first_order"},
    [OAK_INVALID_REPAIRED] = {"in spite of first-order fluxes",
                              OAK_CALMER "set floors of the physics, if it has any"},
    [OAK_INVALID_DIFFUSION] = {"after the stages of diffusion",
                               "check DIFFUSIVE_FLUX and DIFFUSIVITY or lower run.cfl"},
    [OAK_INVALID_UPDATE] = {"after the hook UPDATE", "check UPDATE or lower run.cfl"},
    [OAK_INVALID_FLOORED] = {"in spite of floors",
                             OAK_CALMER "set all floors and scheme.on_invalid = first_order"},
};

/* Tables that have no values beyond their ends. */
static void name_tables(const oak_setup_t *setup, char *text, size_t size) {
  *text = 0;
  for (int t = 0; t < setup->tables.count; t++) {
    const size_t length = strlen(text);
    if (setup->tables.table[t].points.words & OAK_TABLE_ERROR && *setup->tables.table[t].path)
      snprintf(text + length, size - length, "; %s gives no number beyond the ends of its table",
               setup->tables.table[t].key);
  }
}

/* What of a user's may be wrong: schemes by name, and hooks that change the state. */
static const char *look_first(const oak_setup_t *setup, oak_invalid_t kind, char *text,
                              size_t size) {
  static const char *const hook[][2] = {
      {"LIMITER", "scheme.limiter"}, {"RIEMANN", "scheme.flux"}, {"BOUNDARY_CONDITION", NULL}};
  const oak_declared_t *d = &setup->files.declared;
  const char *root = "";
  size_t at = 0;
  *text = 0;
  if (kind < OAK_INVALID_FLUXES || oak_source_root(&root) != OAK_OK) return text;
  for (int m = 0; m < d->nmark; m++)
    for (int h = 0; h < 3 && at < size; h++) {
      const char *name = d->mark[m].name, *key = hook[h][1];
      char begins[64];
      if (strcmp(d->hook[d->mark[m].hook].name, hook[h][0]) ||
          (key && strcmp(oak_params_text(setup->params, key), name)))
        continue;
      snprintf(begins, sizeof begins, "%s(", hook[h][0]);
      const oak_text_place_t place = oak_text_find(setup->files.text, begins, name);
      if (*place.path && strncmp(place.path, root, strlen(root)))
        at += (size_t)snprintf(text + at, size - at, "%s%s(%s) at %s:%d", at ? ", " : "look at ",
                               hook[h][0], name, place.path, place.line);
    }
  if (at && at < size)
    snprintf(text + at, size - at, ", which may give NaN or read beyond its radius; else ");
  if (at < size && (OAK_HAS_HOOK(setup, source) || OAK_HAS_HOOK(setup, update)))
    snprintf(text + strlen(text), size - strlen(text),
             "oak run --debug names a hook that gives NaN; else ");
  return text;
}

/* The first invalid cell of this rank, if there is one: a line about it. */
static oak_status_t describe_invalid(oak_t *sim, int state, oak_invalid_t kind) {
  OAK_FREED double *valid = NULL;
  OAK_TRY(OAK_NEW(valid, sim->setup.block.cells));
  oak_status_t st = OAK_OK;
  for (int b = 0; b < sim->data.mesh->nblock && st == OAK_OK; b++) {
    int64_t c = 0;
    st = oak_read_state(&sim->data, state, 2 * sim->setup.nvar, b, 1, valid);
    while (st == OAK_OK && c < sim->setup.block.cells && valid[c] != 0) c++;
    if (st != OAK_OK || c == sim->setup.block.cells) continue;
    char values[1024], place[96], tables[512], first[512];
    name_tables(&sim->setup, tables, sizeof tables);
    oak_print_place(&sim->data, b, c, place, sizeof place);
    oak_print_state(&sim->data, state, b, c, values, sizeof values);
    st = OAK_FAIL(OAK_ERR_STATE,
                  "invalid state %s (step %ld, time %.6g) at (%s), level %d: %s; density and "
                  "pressure must be positive, values finite%s: %s%s%s",
                  invalid_text[kind].when, sim->data.clock.step, sim->data.clock.time, place,
                  sim->data.mesh->level[b], values,
                  sim->setup.scalars.values ? ", scalars as physics.scalar_values says" : "",
                  look_first(&sim->setup, kind, first, sizeof first), invalid_text[kind].advice,
                  tables);
  }
  return st;
}

oak_status_t oak_find_invalid(oak_t *sim, int state, oak_invalid_t kind) {
  return oak_data_agree(&sim->data, describe_invalid(sim, state, kind));
}

/* A line about a block that had an invalid cell. */
static oak_status_t describe_block(const oak_t *sim, int b, oak_invalid_t kind) {
  char place[256], first[512];
  oak_print_block(&sim->data, b, place, sizeof place);
  return OAK_FAIL(
      OAK_ERR_STATE, "invalid state %s (step %ld, time %.6g) in %s, replaced by later stages: %s%s",
      invalid_text[OAK_INVALID_STAGE].when, sim->data.clock.step, sim->data.clock.time, place,
      look_first(&sim->setup, OAK_INVALID_STAGE, first, sizeof first), invalid_text[kind].advice);
}

/* The first block of this rank whose count of invalid cells is not 0: a line about it. */
static oak_status_t describe_counts(oak_t *sim, oak_invalid_t kind) {
  const int results = oak_data_results(&sim->data);
  const size_t count = (size_t)sim->data.mesh->nblock * results;
  OAK_FREED int *bad = NULL;
  OAK_TRY(OAK_NEW(bad, count + 1));
  oak_status_t st =
      oak_device_download(sim->setup.dev, bad, sim->data.results.bad, count * sizeof *bad);
  for (size_t i = 0; i < count && st == OAK_OK; i++)
    if (bad[i]) st = describe_block(sim, (int)(i / results), kind);
  return st;
}

oak_status_t oak_judge_invalid(oak_t *sim, oak_status_t st, int results, oak_invalid_t kind) {
  int invalid = 0;
  if (st == OAK_OK) st = oak_count_invalid(&sim->data, results, &invalid);
  OAK_TRY(oak_data_agree(&sim->data, st));
  MPI_Allreduce(MPI_IN_PLACE, &invalid, 1, MPI_INT, MPI_MAX, sim->setup.comm);
  return invalid ? oak_report_invalid(sim, 0, kind) : OAK_OK;
}

oak_status_t oak_report_invalid(oak_t *sim, int state, oak_invalid_t kind) {
  OAK_TRY(oak_find_invalid(sim, state, kind));
  OAK_TRY(oak_data_agree(&sim->data, describe_counts(sim, kind)));
  char first[512];
  return OAK_FAIL(OAK_ERR_STATE, "invalid state %s (step %ld, time %.6g): %s%s",
                  invalid_text[kind].when, sim->data.clock.step, sim->data.clock.time,
                  look_first(&sim->setup, kind, first, sizeof first), invalid_text[kind].advice);
}
