/* SPDX-License-Identifier: GPL-2.0-or-later
 * The variables that outputs may ask for. Numbers: conserved ones of the physics from 0, then
 * primitive ones, then those of the mesh, then derived ones, then the hooks OUTPUT. A name such as
 * rho may stand for a conserved and a primitive variable: the first one counts. */
#include "solver/data/variables.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "solver/data/data.h"

enum { LEVEL, RANK, BLOCK, FIRST_DERIVED, MORE_VARIABLES = FIRST_DERIVED + OAK_DERIVED_COUNT };
static const char *const more_name[MORE_VARIABLES] = {
    [LEVEL] = "level",
    [RANK] = "rank",
    [BLOCK] = "block",
    [FIRST_DERIVED + OAK_DERIVED_SPEED] = "speed",
    [FIRST_DERIVED + OAK_DERIVED_MACH] = "mach",
    [FIRST_DERIVED + OAK_DERIVED_VORTICITY] = "vorticity",
    [FIRST_DERIVED + OAK_DERIVED_DIVERGENCE] = "divergence",
    [FIRST_DERIVED + OAK_DERIVED_SCHLIEREN] = "schlieren"};

static int count_variables(const oak_setup_t *setup) {
  return 2 * setup->nvar + MORE_VARIABLES + setup->files.declared.noutput + setup->fields.count;
}

/** Number among the fields beside the state, which come last, negative for others. */
static int beside(const oak_setup_t *setup, int v) {
  return v - count_variables(setup) + setup->fields.count;
}

/** Number among the derived variables, negative for others. */
static int derived(const oak_setup_t *setup, int v) {
  return beside(setup, v) >= 0 ? -1 : v - 2 * setup->nvar - FIRST_DERIVED;
}

/** Does the variable need neighbours of a cell? The hooks may. */
static int needs_ghosts(const oak_setup_t *setup, int v) {
  return derived(setup, v) >= OAK_DERIVED_VORTICITY;
}

/** The name of a variable, "" if this physics does not have it: only schlieren needs no velocity.
 */
static const char *name_of(const oak_setup_t *setup, int v) {
  const int number = derived(setup, v);
  if (v < 2 * setup->nvar) return setup->description.shown[v];
  if (beside(setup, v) >= 0) return setup->fields.field[beside(setup, v)].name;
  if (number >= OAK_DERIVED_COUNT)
    return setup->files.declared.output[number - OAK_DERIVED_COUNT].name;
  if (number >= 0 && number != OAK_DERIVED_SCHLIEREN && setup->description.normal[0] < 0) return "";
  return more_name[v - 2 * setup->nvar];
}

/** The first variable of that name, in outputs or in the physics; -1 if there is none. */
static int find(const oak_setup_t *setup, const char *name) {
  for (int v = 0; v < count_variables(setup) && *name; v++)
    if (!strcmp(name, name_of(setup, v)) ||
        (v < 2 * setup->nvar && !strcmp(name, setup->description.name[v])))
      return v;
  return -1;
}

/* UNITS names variables, and length and time. */
static oak_status_t check_units(const oak_setup_t *setup) {
  char known[2048];
  oak_variables_print(setup, 1, known, sizeof known);
  for (int n = 0; n < setup->units.count; n++) {
    const char *name = setup->units.of[n].name;
    const int found = find(setup, name) >= 0,
              axis = !strcmp(name, "length") || !strcmp(name, "time");
    OAK_CHECK(!found || !axis, OAK_ERR_INPUT,
              "UNITS: %s stands for the axes, but is a variable here: choose another name for it",
              name);
    OAK_CHECK(
        found || axis, OAK_ERR_INPUT,
        "%s or %s: UNITS: there is no variable %s (with mesh.dim = %d); known: length time %s",
        setup->files.physics, setup->files.problem, name, setup->dim, known);
  }
  return OAK_OK;
}

/* Tables have columns of these names. */
static oak_status_t check_columns(const oak_setup_t *setup) {
  static const char *const column[] = {"step", "time", "dt",    "blocks", "cells", "x",
                                       "y",    "z",    "level", "rank",   "block"};
  for (size_t c = 0; c < sizeof column / sizeof *column; c++) {
    const int v = find(setup, column[c]);
    OAK_CHECK(v < 0 || v >= 2 * setup->nvar, OAK_ERR_INPUT,
              "%s: a variable or species is named %s, as a column of tables: choose another name",
              setup->files.physics, column[c]);
  }
  return OAK_OK;
}

oak_status_t oak_variables_check(const oak_setup_t *setup) {
  OAK_TRY(check_columns(setup));
  OAK_CHECK(find(setup, "solid") < 0 || oak_variables_mask(setup) >= 0, OAK_ERR_INPUT,
            "a variable of %s or %s is named solid, which in files is the mask of solids: choose "
            "another name",
            setup->files.physics, setup->files.problem);
  const int first = 2 * setup->nvar + MORE_VARIABLES, last = first + setup->files.declared.noutput;
  for (int n = 0; n < setup->fields.count; n++)
    OAK_CHECK(find(setup, setup->fields.field[n].name) == last + n, OAK_ERR_INPUT,
              "field %s of %s or %s: there is a variable of this name; choose another name",
              setup->fields.field[n].name, setup->files.physics, setup->files.problem);
  for (int v = first; v < last; v++) {
    const int owner = setup->files.declared.output[v - first].owner;
    OAK_CHECK(find(setup, name_of(setup, v)) == v, OAK_ERR_INPUT,
              "%s: OUTPUT(%s, at, q): there is a variable of this name; choose another name",
              owner == OAK_OF_PHYSICS ? setup->files.physics : setup->files.problem,
              name_of(setup, v));
  }
  return check_units(setup);
}

/** Whether a variable can be asked for by its name. \a of_cells: variables with one value per
 * block, such as the level, do not count. */
static int is_offered(const oak_setup_t *setup, int v, int of_cells) {
  const int of_block = v >= 2 * setup->nvar && v < 2 * setup->nvar + FIRST_DERIVED;
  return *name_of(setup, v) && find(setup, name_of(setup, v)) == v && !(of_cells && of_block);
}

/** What to say of the variable that \a word may mean: a word for it, or one of \a names. */
static const char *meant(const oak_setup_t *setup, const char *word, const char *names,
                         char out[96]) {
  static const char *const known[][2] = {{"density", "rho"}, {"pressure", "p"},  {"energy", "E"},
                                         {"velocity", "vx"}, {"momentum", "mx"}, {"height", "h"},
                                         {"depth", "h"},     {"velocity", "u"},  {"momentum", "hu"},
                                         {"magnetic", "bx"}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcasecmp(word, known[i][0]) && find(setup, known[i][1]) >= 0) {
      snprintf(out, 96, "; did you mean %s?", known[i][1]);
      return out;
    }
  return oak_str_meant(names, word, out);
}

void oak_variables_print(const oak_setup_t *setup, int of_cells, char *names, size_t size) {
  size_t used = 0;
  *names = 0;
  for (int v = 0; v < count_variables(setup) && used < size; v++)
    if (is_offered(setup, v, of_cells))
      used +=
          (size_t)snprintf(names + used, size - used, "%s%s", used ? " " : "", name_of(setup, v));
}

oak_status_t oak_variable_unknown(const oak_setup_t *setup, const char *word, const char *origin,
                                  const char *key, int of_cells) {
  char known[2048], more[96];
  oak_variables_print(setup, of_cells, known, sizeof known);
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s: there is no variable %s%s; known: %s", origin, key, word,
                  meant(setup, word, known, more), known);
}

static void add(const oak_setup_t *setup, oak_selection_t *s, int variable) {
  s->variable[s->count] = variable;
  s->unit[s->count] =
      oak_unit_of(setup, variable < 2 * setup->nvar ? setup->description.name[variable]
                                                    : name_of(setup, variable));
  s->name[s->count++] = name_of(setup, variable);
}

/** Whether an empty list means this variable, too. */
static int is_default(const oak_setup_t *setup, int v, oak_select_t empty) {
  const int field = beside(setup, v), output = derived(setup, v) - OAK_DERIVED_COUNT;
  if (v < 2 * setup->nvar) return 1;
  const char *derivative = field >= 0 ? oak_equation_result(setup, name_of(setup, v)) : NULL;
  if (field >= 0) return !setup->fields.field[field].function && !(derivative && *derivative);
  return output >= 0 && empty == OAK_SELECT_MEASURED &&
         setup->files.declared.output[output].owner == OAK_OF_PHYSICS;
}

oak_status_t oak_variables_select(const oak_setup_t *setup, const char *text, const char *origin,
                                  const char *key, oak_select_t empty, oak_selection_t *s) {
  static const char blank[] = " ,\t";
  s->count = 0;
  for (text += strspn(text, blank); *text; text += strspn(text, blank)) {
    char name[256];
    const size_t length = strcspn(text, blank);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    const int v = find(setup, name);
    if (v < 0) return oak_variable_unknown(setup, name, origin, key, 0);
    for (int i = 0; i < s->count; i++)
      OAK_CHECK(s->variable[i] != v, OAK_ERR_INPUT, "%s: %s names %s twice: leave one of them out",
                origin, key, name);
    add(setup, s, v);
    text += length;
  }
  if (s->count > 0) return OAK_OK;
  for (int v = 0; v < (empty == OAK_SELECT_FIRST ? 1 : count_variables(setup)); v++)
    if (find(setup, name_of(setup, v)) == v && is_default(setup, v, empty)) add(setup, s, v);
  return OAK_OK;
}

/* ---- vectors */

static int place_of(const oak_selection_t *s, int variable) {
  for (int i = 0; i < s->count; i++)
    if (s->variable[i] == variable) return i;
  return -1;
}

/** velocity, momentum, B, or what the names of the components begin with. */
static void name_vector(const oak_setup_t *setup, int vector, int primitive,
                        const oak_selection_t *s, oak_vector_t *out) {
  const oak_description_t *d = &setup->description;
  const int first = d->vectors.of[vector][0];
  const char *name = d->name[first + primitive * setup->nvar];
  size_t length = strlen(name) - 1;
  if (d->normal[0] == first) {
    snprintf(out->name, sizeof out->name, "%s", primitive ? "velocity" : "momentum");
    return;
  }
  if (length > 0 && name[length - 1] == '_') length--;
  snprintf(out->name, sizeof out->name, "%.*s", (int)(length ? length : 1), name);
  if (!out->name[1]) out->name[0] = (char)toupper((unsigned char)out->name[0]);
  for (int i = 0; i < s->count; i++)
    if (!strcmp(out->name, s->name[i]))
      snprintf(out->name, sizeof out->name, "%.*s_vector", (int)(length ? length : 1), name);
}

void oak_variables_find_vectors(const oak_setup_t *setup, oak_selection_t *s) {
  const oak_description_t *d = &setup->description;
  s->nvector = 0;
  for (int n = 0; n < 2 * d->vectors.count; n++) {
    const int *component = d->vectors.of[n / 2], primitive = n % 2;
    oak_vector_t *out = &s->vector[s->nvector];
    int whole = 1;
    for (int c = 0; c < 3; c++) {
      const int there = component[c] >= 0;
      out->var[c] = there ? place_of(s, component[c] + primitive * setup->nvar) : -1;
      whole &= !there || out->var[c] >= 0;
    }
    if (!whole) continue;
    name_vector(setup, n / 2, primitive, s, out);
    s->nvector++;
  }
}

int oak_variables_mask(const oak_setup_t *setup) {
  return oak_has_solids(setup) ? setup->nvar - 1 : -1;
}

void oak_variables_add_mask(const oak_setup_t *setup, oak_selection_t *s) {
  const int mask = oak_variables_mask(setup);
  for (int i = 0; i < s->count; i++)
    if (s->variable[i] == mask) return;
  if (mask >= 0) add(setup, s, mask);
}

int oak_derived_find(const oak_setup_t *setup, const char *name) {
  const int v = find(setup, name);
  return v < 0 ? -1 : derived(setup, v);
}

oak_status_t oak_derived_build(oak_data_t *data) {
  return oak_late_kernel(data->setup, &data->derived, "fields/derived", "oak_derived");
}

oak_status_t oak_variables_prepare(oak_data_t *data, const oak_selection_t *s) {
  int kernel = 0, ghosts = 0;
  for (int i = 0; i < s->count; i++) {
    kernel |= derived(data->setup, s->variable[i]) >= 0;
    ghosts |= needs_ghosts(data->setup, s->variable[i]);
  }
  if (kernel) OAK_TRY(oak_derived_build(data));
  return ghosts ? oak_data_agree(data, oak_fill_ghosts(data, 0, data->clock.time)) : OAK_OK;
}

/** Value of a variable that no kernel gives, which is the same in all cells of a block. */
static double value_of_block(const oak_data_t *data, int variable, int block) {
  switch (variable - 2 * data->setup->nvar) {
    case LEVEL:
      return data->mesh->level[block];
    case RANK:
      return data->setup->rank;
    default:
      return (double)(data->mesh->first + block);
  }
}

/** The kernel that gives a variable, and its number there. */
static oak_kernel_t *kernel_of(const oak_data_t *data, int variable, int *number) {
  const int field = beside(data->setup, variable), other = derived(data->setup, variable);
  *number = field >= 0 ? 2 * data->setup->nvar + 1 + field : other >= 0 ? other : variable;
  return other >= 0 ? data->derived.kernel : data->setup->kernel.cells;
}

oak_status_t oak_variable_read_list(oak_data_t *data, int variable, int first, const int *list,
                                    int count, double *out) {
  int number;
  oak_kernel_t *kernel = kernel_of(data, variable, &number);
  if (oak_variable_keepable(data->setup, variable))
    return oak_read_values(data, kernel, 0, number, first, list, count, out);
  for (int b = 0; b < count; b++) {
    const double value = value_of_block(data, variable, list ? list[b] : first + b);
    for (int64_t c = 0; c < data->setup->block.cells; c++)
      out[b * data->setup->block.cells + c] = value;
  }
  return OAK_OK;
}

oak_status_t oak_variable_read(oak_data_t *data, int variable, int first, int count, double *out) {
  return oak_variable_read_list(data, variable, first, NULL, count, out);
}

int oak_variable_keepable(const oak_setup_t *setup, int variable) {
  return variable < 2 * setup->nvar || derived(setup, variable) >= 0 ||
         beside(setup, variable) >= 0;
}

oak_status_t oak_variable_keep(oak_data_t *data, int variable, int first, int count, void *memory) {
  oak_read_args_t args = {.first = first, .total = memory, .cells = memory};
  int number;
  oak_kernel_t *kernel = kernel_of(data, variable, &number);
  args.variable = number;
  oak_data_field(data, 0, data->clock.time, &args.f);
  return oak_device_launch(data->setup->dev, kernel, count, &args, sizeof args);
}

/* ---- sum and extrema of each block */

/** Blocks whose values are in memory of the device at a time. A CPU keeps the values of a few
 * blocks in its cache. A GPU needs many blocks for all of its processors. */
static int blocks_at_a_time(const oak_data_t *data) {
  enum { FEW = 64, MOST_BYTES = 64 << 20 };
  const oak_device_ops_t *ops = oak_device_ops(data->setup->dev);
  size_t bytes = MOST_BYTES;
  if (ops->room && ops->room(data->setup->dev) / 4 < bytes) bytes = ops->room(data->setup->dev) / 4;
  int n =
      ops->host_memory ? FEW : (int)(bytes / ((size_t)data->setup->block.cells * sizeof(double)));
  if (n < FEW) n = FEW;
  return n < data->mesh->nblock ? n : data->mesh->nblock;
}

static int64_t cells_of(const oak_data_t *data, const int *box) {
  return box ? (int64_t)(box[3] - box[0]) * (box[4] - box[1]) * (box[5] - box[2])
             : data->setup->block.cells;
}

/** What is measured of a variable that is the same in all cells of a block. With solids,
 * \a fluid says which cells count. */
static oak_measured_t measure_block(const oak_data_t *data, int variable, int block, const int *box,
                                    const oak_measured_t *fluid) {
  const double value = value_of_block(data, variable, block);
  const int *n = data->setup->block.size;
  const int first = box ? (box[2] * n[1] + box[1]) * n[0] + box[0] : 0;
  const double count = fluid ? fluid->count : oak_box_volume(data, block, box);
  const int place = fluid ? fluid->place[0] : first;
  return (oak_measured_t){.sum = value * count,
                          .count = count,
                          .norm = {fabs(value) * count, value * value * count},
                          .value = {value, value},
                          .place = {place, place}};
}

/** Launch the kernels for one variable. A chunk of blocks whose boxes hold no cell is left out.
 * \a args: memory of the device for the values of a chunk and for all results. If no kernel
 * gives the variable, the values are those of the mask. */
static oak_status_t measure_blocks(oak_data_t *data, int variable, int chunk, const int (*box)[6],
                                   const oak_measure_args_t *args) {
  const int mask = oak_variables_mask(data->setup);
  for (int b = 0; b < data->mesh->nblock; b += chunk) {
    const int n = data->mesh->nblock - b < chunk ? data->mesh->nblock - b : chunk;
    oak_measure_args_t part = *args;
    part.box = args->box ? args->box + 6 * b : NULL;
    part.out = args->out + b;
    part.first = b;
    int any = !box;
    for (int i = b; i < b + n && !any; i++) any = cells_of(data, box[i]) > 0;
    if (!any) continue;
    if (part.mask) OAK_TRY(oak_variable_keep(data, mask, b, n, (void *)part.mask));
    OAK_TRY(oak_variable_keep(data, oak_variable_keepable(data->setup, variable) ? variable : mask,
                              b, n, (void *)part.cells));
    OAK_TRY(
        oak_device_launch(data->setup->dev, data->setup->kernel.measure, n, &part, sizeof part));
  }
  return OAK_OK;
}

oak_status_t oak_variables_measure(oak_data_t *data, int count, const int *variable,
                                   const int (*box)[6], int dielectrics, oak_measured_t *out) {
  const int nblock = data->mesh->nblock, chunk = blocks_at_a_time(data);
  const int mask = oak_variables_mask(data->setup);
  const size_t values = (size_t)chunk * (size_t)data->setup->block.cells * sizeof(double);
  const size_t masks = mask < 0 ? 0 : values;
  const size_t found = (size_t)count * (size_t)nblock * sizeof *out;
  const size_t boxes = box ? (size_t)nblock * sizeof *box : 0;
  if (!found) return OAK_OK;
  OAK_TRY(oak_storage_scratch(data, values + masks + found + boxes));
  char *memory = data->storage.scratch.at, *results = memory + values + masks;
  oak_measure_args_t args = {.cells = (double *)memory, .dielectrics = dielectrics};
  oak_data_field(data, 0, data->clock.time, &args.f);
  if (box) args.box = (int *)(results + found);
  if (box) OAK_TRY(oak_device_upload(data->setup->dev, results + found, box, boxes));
  for (int v = 0; v < count; v++) {
    args.out = (oak_measured_t *)results + (int64_t)v * nblock;
    args.mask = mask < 0 || variable[v] == mask ? NULL : (double *)(memory + values);
    if (args.mask || oak_variable_keepable(data->setup, variable[v]))
      OAK_TRY(measure_blocks(data, variable[v], chunk, box, &args));
  }
  OAK_TRY(oak_device_download(data->setup->dev, out, results, found));
  for (int v = 0; v < count; v++)
    for (int b = 0; b < nblock; b++) {
      const int *cells = box ? box[b] : NULL;
      oak_measured_t *m = &out[(int64_t)v * nblock + b];
      const oak_measured_t fluid = *m;
      if (!cells_of(data, cells))
        *m = (oak_measured_t){.place = {-1, -1}};
      else if (!oak_variable_keepable(data->setup, variable[v]))
        *m = measure_block(data, variable[v], b, cells, mask < 0 ? NULL : &fluid);
    }
  return OAK_OK;
}
