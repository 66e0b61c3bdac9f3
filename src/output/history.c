/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that follows a run in numbers: totals and their drift, extrema and their
 * places, integrals, means, norms, globals, and forces on solids. The same bits on any number of
 * ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "output/item.h"
#include "output/kind_keys.h"
#include "solver/step/sim.h"

static const oak_param_desc_t keys[] = {
    OAK_KEY_VARIABLES, OAK_KEY_DIELECTRICS, OAK_KEY_REGION, {.key = NULL}};

/* ---- what earlier rows leave */

typedef struct {
  int known; /**< the totals of the first row, from which the drift counts */
  double total[OAK_MAX_NVAR + 1];
} earlier_t;

/** The conserved variables, and the angular momentum where there is one. */
static int count_totals(const oak_setup_t *setup) {
  return setup->nvar + (setup->description.vectors.angular != 0);
}

static const char *name_of_total(const oak_setup_t *setup, int v) {
  return v == setup->nvar ? "angular_momentum" : setup->description.shown[v];
}

/** Whether the total does not change but by what flows through the boundary. In coordinates that
 * are not Cartesian, components of vectors are conserved along z alone. */
static int is_conserved(const oak_setup_t *setup, int v) {
  const uint32_t *c = setup->description.vectors.component;
  const uint32_t along_z = setup->domain.coordinates == OAK_SPHERICAL      ? 0
                           : setup->domain.coordinates == OAK_AXISYMMETRIC ? c[1]
                                                                           : c[2];
  return !setup->domain.coordinates || v == setup->nvar ||
         !((c[0] | c[1] | c[2]) & ~along_z & 1u << v);
}

static void save_earlier(const oak_output_item_t *item, FILE *f) {
  const earlier_t *earlier = item->data;
  if (!earlier->known) return;
  fprintf(f, " totals");
  for (int v = 0; v < count_totals(&item->sim->setup); v++) fprintf(f, " %a", earlier->total[v]);
}

static void load_earlier(oak_output_item_t *item, const char *text) {
  earlier_t *earlier = item->data;
  int length = 0, known = 0;
  if (strncmp(text, " totals", 7)) return;
  text += 7;
  while (known < count_totals(&item->sim->setup) &&
         sscanf(text, " %la%n", &earlier->total[known], &length) == 1) {
    text += length;
    known++;
  }
  earlier->known = known == count_totals(&item->sim->setup);
}

/* ---- the region */

/** Find the cells of a block whose centres lie in the region: a box from its first cell along each
 * axis to the cell after its last one. */
static void find_box(const oak_t *sim, const oak_output_item_t *item, int block, int box[6]) {
  double origin[3], dx[3];
  oak_block_geometry(sim, block, origin, dx);
  for (int d = 0; d < 3; d++) {
    box[d] = box[3 + d] = 0;
    for (int i = 0; i < sim->setup.block.size[d]; i++) {
      const double middle = origin[d] + ((double)i + 0.5) * dx[d];
      const double x = d < sim->setup.dim ? oak_from_mesh(&sim->setup, d, middle) : 0;
      if (d < sim->setup.dim && !(x >= item->region[0][d] && x <= item->region[1][d])) continue;
      if (box[3 + d] == 0) box[d] = i;
      box[3 + d] = i + 1;
    }
  }
}

static double cell_volume(const oak_t *sim, int block) {
  double origin[3], dx[3];
  oak_block_geometry(sim, block, origin, dx);
  return dx[0] * dx[1] * (sim->setup.dim == 3 ? dx[2] : 1);
}

/* ---- extrema */

/** The smallest or largest value of a variable. */
typedef struct {
  double value; /* NaN: no finite value yet */
  int64_t cell; /* global number; the lowest wins among equal values */
  double x[3];
} extremum_t;

static void take(extremum_t *best, const extremum_t *other, int largest) {
  if (isnan(other->value)) return;
  const int better = largest ? other->value > best->value : other->value < best->value;
  if (isnan(best->value) || better || (other->value == best->value && other->cell < best->cell))
    *best = *other;
}

static void set_place(const oak_t *sim, extremum_t *e) {
  double origin[3], dx[3];
  const int *n = sim->setup.block.size;
  if (isnan(e->value)) return;
  const int64_t cell = e->cell % sim->setup.block.cells;
  const int64_t at[3] = {cell % n[0], cell / n[0] % n[1], cell / ((int64_t)n[0] * n[1])};
  oak_block_geometry(sim, (int)(e->cell / sim->setup.block.cells - sim->data.mesh->first), origin,
                     dx);
  for (int d = 0; d < 3; d++)
    e->x[d] = d < sim->setup.dim
                  ? oak_from_mesh(&sim->setup, d, origin[d] + ((double)at[d] + 0.5) * dx[d])
                  : 0;
}

/** Extrema of a variable on this rank; blocks [nblock] come in the order of their numbers. */
static void find_extrema(const oak_t *sim, const oak_measured_t *block, extremum_t best[2]) {
  for (int largest = 0; largest < 2; largest++) {
    for (int b = 0; b < sim->data.mesh->nblock; b++) {
      const int place = block[b].place[largest];
      const extremum_t e = {block[b].value[largest],
                            (sim->data.mesh->first + b) * sim->setup.block.cells + place,
                            {0}};
      if (place >= 0) take(&best[largest], &e, largest);
    }
    set_place(sim, &best[largest]);
  }
}

/* ---- all that is measured */

enum { MOST_COLUMNS = OAK_MOST_SELECTED + OAK_MAX_NVAR + 1 };

/** What is measured of a region. */
typedef struct {
  extremum_t best[2 * OAK_MOST_SELECTED]; /**< [nvar][2] of the output's variables, on rank 0 */
  double integral[OAK_MOST_SELECTED], mean[OAK_MOST_SELECTED], norm[2][OAK_MOST_SELECTED];
  double total[OAK_MAX_NVAR + 1]; /**< [count_totals] */
  double force[2][3];             /**< of oak_forces_measure */
} measured_t;

/** Variables whose integrals are needed: those of the output; for a region also the conserved ones,
 * whose totals oak_totals has for the whole domain. */
typedef struct {
  int count;
  int variable[MOST_COLUMNS];
  int conserved[OAK_MAX_NVAR]; /**< place of each conserved one */
  int angular;                 /**< place of the momentum along phi; -1: there is none */
} columns_t;

static int place_of(columns_t *list, int v) {
  int c = 0;
  while (c < list->count && list->variable[c] != v) c++;
  if (c == list->count) list->variable[list->count++] = v;
  return c;
}

static void list_columns(const oak_output_item_t *item, columns_t *list) {
  list->count = item->variables.count;
  memcpy(list->variable, item->variables.variable, (size_t)list->count * sizeof(int));
  list->angular = -1;
  for (int v = 0; v < item->sim->setup.nvar; v++) {
    if (!item->whole) list->conserved[v] = place_of(list, v);
    if (item->sim->setup.description.vectors.angular >> v & 1) list->angular = place_of(list, v);
  }
}

/** What is summed over blocks: the integral of each column, of its absolute value and of its
 * square; the angular momentum; the volume without and with solids. */
static int count_sums(const columns_t *list) { return 3 * list->count + 3; }

/** Extrema on this rank, and sums over the part of each block in the region: part
 * [nblock][count_sums]. */
static oak_status_t look_at_cells(oak_t *sim, const oak_output_item_t *item, const columns_t *list,
                                  const int (*box)[6], extremum_t *best, double *part) {
  const int nblock = sim->data.mesh->nblock;
  OAK_FREED oak_measured_t *found = NULL;
  oak_status_t st = OAK_NEW(found, (size_t)list->count * (size_t)nblock);
  const int mask = oak_variables_mask(&sim->setup), width = count_sums(list);
  for (int b = 0; b < nblock && st == OAK_OK; b++)
    for (int i = 1; i <= 2; i++)
      part[(int64_t)(b + 1) * width - i] =
          oak_box_volume(&sim->data, b, box ? box[b] : NULL) * cell_volume(sim, b);
  if (st == OAK_OK)
    st = oak_variables_measure(&sim->data, list->count, list->variable, box,
                               oak_item_bool(item, "dielectrics"), found);
  for (int v = 0; v < list->count && st == OAK_OK; v++) {
    const oak_measured_t *block = found + (int64_t)v * nblock;
    if (v < item->variables.count) find_extrema(sim, block, &best[2 * v]);
    for (int b = 0; b < nblock; b++) {
      double *sum = part + (int64_t)b * width;
      const double volume = cell_volume(sim, b);
      sum[v] = block[b].sum * volume;
      for (int i = 0; i < 2; i++) sum[(i + 1) * list->count + v] = block[b].norm[i] * volume;
      if (v == list->angular) sum[width - 3] = block[b].moment * volume;
      if (mask >= 0 && list->variable[v] != mask) sum[width - 2] = block[b].count * volume;
    }
  }
  return st;
}

/** Those of all ranks, on rank 0. */
static oak_status_t gather_extrema(const oak_t *sim, int count, extremum_t *best) {
  const int bytes = count * (int)sizeof *best;
  OAK_FREED extremum_t *all = NULL;
  oak_status_t st = OAK_OK;
  if (sim->setup.rank == 0) st = OAK_NEW(all, count * sim->setup.size);
  st = oak_agree(sim->setup.comm, st);
  if (st == OAK_OK) MPI_Gather(best, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, sim->setup.comm);
  for (int r = 1; r < sim->setup.size && st == OAK_OK && all; r++)
    for (int i = 0; i < count; i++) take(&best[i], &all[r * count + i], i % 2);
  return st;
}

/** Integrals, means and norms from the sums of all ranks. \a all, \a fluid: volume with and without
 * solids. */
static void take_sums(const columns_t *list, const double *sum, int count, int mask, double all,
                      double fluid, measured_t *m) {
  for (int v = 0; v < count; v++) {
    const double volume = list->variable[v] == mask ? all : fluid;
    m->integral[v] = sum[v];
    m->mean[v] = volume > 0 ? sum[v] / volume : NAN;
    m->norm[0][v] = volume > 0 ? sum[list->count + v] / volume : NAN;
    m->norm[1][v] = volume > 0 ? sqrt(sum[2 * list->count + v] / volume) : NAN;
  }
}

/** Extrema, on rank 0, and all that is a sum over the region, whose cells are \a box (NULL: all).
 * Collective. */
static oak_status_t measure_cells(oak_t *sim, const oak_grid_view_t *view,
                                  const oak_output_item_t *item, const int (*box)[6],
                                  measured_t *m) {
  columns_t list;
  double sum[3 * MOST_COLUMNS + 3] = {0};
  const int mask = oak_variables_mask(&sim->setup);
  list_columns(item, &list);
  const int width = count_sums(&list);
  double *part;
  oak_status_t st = OAK_NEW(part, (size_t)view->nblock * (size_t)width + 1);
  if (st == OAK_OK) st = look_at_cells(sim, item, &list, box, m->best, part);
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) st = oak_sum_exact(sim->setup.comm, width, view->nblock, part, sum);
  free(part);
  OAK_TRY(st);
  double all = sum[width - 1], fluid = sum[width - 2];
  if (item->whole) { /* without the rounding of a sum */
    all = oak_domain_volume(&sim->setup);
    if (mask < 0) fluid = all;
    OAK_TRY(oak_totals(sim, m->total));
  } else {
    for (int v = 0; v < sim->setup.nvar; v++) m->total[v] = sum[list.conserved[v]];
  }
  m->total[sim->setup.nvar] = sum[width - 3];
  take_sums(&list, sum, view->nvar, mask, all, fluid, m);
  return gather_extrema(sim, 2 * view->nvar, m->best);
}

static int has_forces(const oak_setup_t *setup) { return oak_forces_has(setup, setup->dim - 1); }

/** All that a row holds but globals. Collective. */
static oak_status_t measure(oak_t *sim, const oak_grid_view_t *view, const oak_output_item_t *item,
                            measured_t *m) {
  OAK_FREED int(*box)[6] = NULL;
  oak_status_t st = item->whole ? OAK_OK : OAK_NEW(box, view->nblock + 1);
  for (int b = 0; b < view->nblock && box; b++) find_box(sim, item, b, box[b]);
  st = oak_data_agree(&sim->data, st);
  if (st == OAK_OK) st = measure_cells(sim, view, item, (const int(*)[6])box, m);
  if (st == OAK_OK && has_forces(&sim->setup))
    st = oak_forces_measure(sim, (const int(*)[6])box, m->force);
  return st;
}

/* ---- rows */

/** The columns of forces: all of it, and the part of diffusive fluxes. \a force: NULL prints the
 * names. */
static void print_forces(const oak_setup_t *setup, const double (*force)[3], FILE *f) {
  static const char *const word[] = {"force", "viscous_force"};
  for (int i = 0; i < (setup->method.diffusion ? 2 : 1); i++)
    for (int d = 0; d < 3; d++) {
      if (!oak_forces_has(setup, d)) continue;
      if (force)
        fprintf(f, ",%.17g", i ? force[1][d] : force[0][d] + force[1][d]);
      else
        fprintf(f, ",%s_%c", word[i], setup->domain.coordinates ? 'z' : "xyz"[d]);
    }
}

static void history_head(const oak_output_item_t *item, FILE *f) {
  static const char *const word[] = {"min", "max"};
  const oak_setup_t *setup = &item->sim->setup;
  const oak_t *sim = item->sim;
  fprintf(f, ",blocks,cells");
  for (int v = 0; v < count_totals(&sim->setup); v++) {
    const char *name = name_of_total(&sim->setup, v);
    fprintf(f, ",total_%s", name);
    if (is_conserved(&sim->setup, v)) fprintf(f, ",drift_%s", name);
  }
  for (int i = 0; i < 2 * item->variables.count; i++) {
    const char *name = item->variables.name[i / 2];
    fprintf(f, ",%s_%s", word[i % 2], name);
    for (int d = 0; d < sim->setup.dim; d++)
      fprintf(f, ",%s_%s_at_%s", word[i % 2], name, oak_axis_name(setup, d));
  }
  for (int v = 0; v < item->variables.count; v++) {
    const char *name = item->variables.name[v];
    if (oak_is_sparse(&sim->setup, item->variables.name[v])) continue;
    fprintf(f, ",integral_%s,mean_%s,l1_%s,l2_%s", name, name, name, name);
  }
  for (int g = 0; g < sim->setup.description.nglobal; g++)
    fprintf(f, ",%s",
            sim->setup.files.declared.parameter[sim->setup.description.global_slot[g]].name);
  print_forces(&sim->setup, NULL, f);
}

/* How many columns have a name. */
static int count_columns(const char *head, const char *name) {
  const size_t length = strlen(name);
  int count = 0;
  for (const char *at = head; *at == ','; at += strcspn(at, ","))
    count += strcspn(++at, ",") == length && !strncmp(at, name, length);
  return count;
}

/* A program that reads the table finds a column by its name, so a global needs one of its own. */
static oak_status_t open_history(oak_output_item_t *item) {
  const oak_setup_t *setup = &item->sim->setup;
  OAK_FREED char *head = NULL;
  size_t length;
  item->data = calloc(1, sizeof(earlier_t));
  FILE *f = open_memstream(&head, &length);
  if (f) fprintf(f, ",step,time");
  if (f) history_head(item, f);
  OAK_CHECK(f && fclose(f) == 0 && item->data, OAK_ERR_MEMORY, "no memory for output %s",
            item->name);
  for (int g = 0; g < setup->description.nglobal; g++) {
    const char *name = setup->files.declared.parameter[setup->description.global_slot[g]].name;
    OAK_CHECK(count_columns(head, name) == 1, OAK_ERR_INPUT,
              "output %s: two columns have the name %s: choose another name for the global",
              item->name, name);
  }
  return OAK_OK;
}

static void print_values(const oak_output_item_t *item, const oak_grid_view_t *view,
                         const measured_t *m, const double *global, FILE *f) {
  const oak_t *sim = item->sim;
  const earlier_t *earlier = item->data;
  fprintf(f, ",%lld,%lld", (long long)view->nglobal,
          (long long)(view->nglobal * sim->setup.block.cells));
  for (int v = 0; v < count_totals(&sim->setup); v++) {
    fprintf(f, ",%.17g", m->total[v]);
    if (is_conserved(&sim->setup, v)) fprintf(f, ",%.17g", m->total[v] - earlier->total[v]);
  }
  for (int i = 0; i < 2 * view->nvar; i++) {
    fprintf(f, ",%.17g", m->best[i].value);
    for (int d = 0; d < sim->setup.dim; d++) fprintf(f, ",%.17g", m->best[i].x[d]);
  }
  for (int v = 0; v < view->nvar; v++)
    if (!oak_is_sparse(&sim->setup, item->variables.name[v]))
      fprintf(f, ",%.17g,%.17g,%.17g,%.17g", m->integral[v], m->mean[v], m->norm[0][v],
              m->norm[1][v]);
  for (int g = 0; g < sim->setup.description.nglobal; g++) fprintf(f, ",%.17g", global[g]);
  print_forces(&sim->setup, (const double(*)[3])m->force, f);
}

static oak_status_t history_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  earlier_t *earlier = item->data;
  double global[OAK_MAX_PARAMETERS];
  measured_t m;
  memset(&m, 0, sizeof m);
  for (int i = 0; i < 2 * view->nvar; i++) m.best[i].value = NAN;
  OAK_TRY(measure(sim, view, item, &m));
  if (sim->setup.description.nglobal) OAK_TRY(oak_globals_measure(sim, global));
  if (!earlier->known) memcpy(earlier->total, m.total, sizeof m.total);
  earlier->known = 1;
  if (f) print_values(item, view, &m, global, f);
  return OAK_OK;
}

const oak_output_kind_t oak_output_history = {
    .word = {"history",
             "minimum and maximum of each variable with their places, totals and their drift, a "
             "row each time",
             keys},

    .empty = OAK_SELECT_MEASURED,
    .open = open_history,
    .head = history_head,
    .row = history_row,
    .save = save_earlier,
    .load = load_earlier};
