/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that follows a run in numbers: totals and their drift, extrema and their
 * places, means. The same bits on any number of ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "solver/output/output.h"

/* ---- totals */

typedef struct {
  int known; /**< the totals of the first row, from which the drift counts */
  double total[OAK_MAX_NVAR];
} start_t;

static oak_status_t open_history(oak_output_item_t *item) {
  start_t *start = item->data = calloc(1, sizeof *start);
  OAK_CHECK(start, OAK_ERR_MEMORY, "no memory for output %s", item->name);
  return OAK_OK;
}

static void save_start(const oak_output_item_t *item, FILE *f) {
  const start_t *start = item->data;
  if (!start->known) return;
  fprintf(f, " totals");
  for (int v = 0; v < item->sim->nvar; v++) fprintf(f, " %a", start->total[v]);
}

static void load_start(oak_output_item_t *item, const char *text) {
  start_t *start = item->data;
  int length = 0, known = 0;
  if (strncmp(text, " totals", 7)) return;
  text += 7;
  while (known < item->sim->nvar && sscanf(text, " %la%n", &start->total[known], &length) == 1) {
    text += length;
    known++;
  }
  start->known = known == item->sim->nvar;
}

/* ---- the region */

/** Mark the cells of a block that belong to the region. \return how many. */
static int64_t find_inside(const oak_t *sim, const oak_output_item_t *item, int block,
                           char *inside) {
  double origin[3], dx[3];
  int64_t count = 0;
  const int n = sim->block_size;
  oak_block_geometry(sim, block, origin, dx);
  for (int64_t c = 0; c < sim->cells; c++) {
    const int64_t at[3] = {c % n, c / n % n, c / ((int64_t)n * n)};
    inside[c] = 1;
    for (int d = 0; d < sim->dim && !item->whole; d++) {
      const double x = origin[d] + ((double)at[d] + 0.5) * dx[d];
      inside[c] &= x >= item->region[0][d] && x <= item->region[1][d];
    }
    count += inside[c];
  }
  return count;
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

static void set_place(const oak_t *sim, int block, int64_t cell, extremum_t *e) {
  double origin[3], dx[3];
  const int n = sim->block_size;
  const int64_t at[3] = {cell % n, cell / n % n, cell / ((int64_t)n * n)};
  oak_block_geometry(sim, block, origin, dx);
  for (int d = 0; d < 3; d++)
    e->x[d] = d < sim->dim ? origin[d] + ((double)at[d] + 0.5) * dx[d] : 0;
}

/** Extrema of the finite values of a block inside the region; cells come in the order of their
 * numbers. */
static void look_at_block(const oak_t *sim, int block, const double *cells, const char *inside,
                          extremum_t best[2]) {
  int64_t at[2] = {-1, -1};
  for (int64_t c = 0; c < sim->cells; c++) {
    if (!inside[c] || !isfinite(cells[c])) continue;
    if (at[0] < 0 || cells[c] < cells[at[0]]) at[0] = c;
    if (at[1] < 0 || cells[c] > cells[at[1]]) at[1] = c;
  }
  for (int largest = 0; largest < 2 && at[0] >= 0; largest++) {
    extremum_t e = {cells[at[largest]], (sim->mesh->first + block) * sim->cells + at[largest], {0}};
    set_place(sim, block, at[largest], &e);
    take(&best[largest], &e, largest);
  }
}

static double cell_volume(const oak_t *sim, int block) {
  double origin[3], dx[3];
  oak_block_geometry(sim, block, origin, dx);
  return dx[0] * dx[1] * (sim->dim == 3 ? dx[2] : 1);
}

/** Sum over the cells of a block inside the region, times their volume. */
static double integral(const oak_t *sim, int block, const double *cells, const char *inside) {
  double sum = 0;
  for (int64_t c = 0; c < sim->cells; c++)
    if (inside[c]) sum += cells[c];
  return sum * cell_volume(sim, block);
}

/** What is measured of a region. */
typedef struct {
  extremum_t best[2 * OAK_MOST_SELECTED]; /**< [nvar][2] of the output's variables, on rank 0 */
  double mean[OAK_MOST_SELECTED], total[OAK_MAX_NVAR];
} measured_t;

/** Columns of integrals: the output's variables, conserved ones, and the volume. */
static int columns(const oak_t *sim, const oak_grid_view_t *view) {
  return view->nvar + sim->nvar + 1;
}

/** Extrema on this rank, and integrals over the region's part of each block: part
 * [nblock][columns]. */
static oak_status_t look_at_cells(oak_t *sim, const oak_grid_view_t *view,
                                  const oak_output_item_t *item, extremum_t *best, double *part) {
  enum { BATCH = 64 };
  const int all = columns(sim, view);
  double *cells = malloc(BATCH * (size_t)sim->cells * sizeof *cells);
  char *inside = malloc((size_t)sim->cells);
  oak_status_t st = OAK_OK;
  if (!cells || !inside) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to read %d blocks", BATCH);
  for (int v = 0; v < all - 1; v++)
    for (int b = 0; b < view->nblock && st == OAK_OK; b += BATCH) {
      const int n = view->nblock - b < BATCH ? view->nblock - b : BATCH;
      if (v >= view->nvar && item->whole) continue; /* oak_totals has them */
      st = v < view->nvar ? view->read(view, v, b, n, cells)
                          : oak_read_cells(sim, v - view->nvar, b, n, cells);
      for (int i = 0; i < n && st == OAK_OK; i++) {
        double *row = part + (int64_t)(b + i) * all, *block = cells + i * sim->cells;
        const int64_t count = find_inside(sim, item, b + i, inside);
        if (v < view->nvar) look_at_block(sim, b + i, block, inside, &best[2 * v]);
        row[v] = integral(sim, b + i, block, inside);
        row[all - 1] = (double)count * cell_volume(sim, b + i);
      }
    }
  free(cells);
  free(inside);
  return st;
}

/** Those of all ranks, on rank 0. */
static oak_status_t gather_extrema(const oak_t *sim, int count, extremum_t *best) {
  const int bytes = count * (int)sizeof *best;
  extremum_t *all = sim->rank == 0 ? malloc((size_t)bytes * (size_t)sim->size) : NULL;
  oak_status_t st = OAK_OK;
  if (sim->rank == 0 && !all) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for extrema");
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK) MPI_Gather(best, bytes, MPI_BYTE, all, bytes, MPI_BYTE, 0, sim->comm);
  for (int r = 1; r < sim->size && st == OAK_OK && all; r++)
    for (int i = 0; i < count; i++) take(&best[i], &all[r * count + i], i % 2);
  free(all);
  return st;
}

/** Extrema, on rank 0, means and totals of the region. Collective. */
static oak_status_t measure(oak_t *sim, const oak_grid_view_t *view, const oak_output_item_t *item,
                            measured_t *m) {
  const int all = columns(sim, view);
  double sum[OAK_MOST_SELECTED + OAK_MAX_NVAR + 1] = {0};
  double *part = calloc((size_t)view->nblock * (size_t)all + 1, sizeof *part);
  oak_status_t st = OAK_OK;
  if (!part) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the means of %d blocks", view->nblock);
  if (st == OAK_OK) st = look_at_cells(sim, view, item, m->best, part);
  st = oak_agree(sim->comm, st);
  if (st == OAK_OK) st = oak_sum_exact(sim->comm, all, view->nblock, part, sum);
  free(part);
  OAK_TRY(st);
  double volume = sum[all - 1];
  if (item->whole) { /* without the rounding of a sum */
    volume = 1;
    for (int d = 0; d < sim->dim; d++) volume *= view->xmax[d] - view->xmin[d];
    OAK_TRY(oak_totals(sim, m->total));
  } else {
    memcpy(m->total, sum + view->nvar, (size_t)sim->nvar * sizeof *sum);
  }
  for (int v = 0; v < view->nvar; v++) m->mean[v] = volume > 0 ? sum[v] / volume : NAN;
  return gather_extrema(sim, 2 * view->nvar, m->best);
}

/* ---- rows */

static void history_head(const oak_output_item_t *item, FILE *f) {
  static const char *const word[] = {"min", "max"};
  const oak_t *sim = item->sim;
  fprintf(f, ",blocks,cells");
  for (int v = 0; v < sim->nvar; v++)
    fprintf(f, ",total_%s,drift_%s", sim->description.name[v], sim->description.name[v]);
  for (int i = 0; i < 2 * item->variables.count; i++) {
    fprintf(f, ",%s_%s", word[i % 2], item->variables.name[i / 2]);
    for (int d = 0; d < sim->dim; d++)
      fprintf(f, ",%s_%s_at_%c", word[i % 2], item->variables.name[i / 2], "xyz"[d]);
  }
  for (int v = 0; v < item->variables.count; v++) fprintf(f, ",mean_%s", item->variables.name[v]);
}

static oak_status_t history_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  oak_t *sim = item->sim;
  start_t *start = item->data;
  measured_t m;
  memset(&m, 0, sizeof m);
  for (int i = 0; i < 2 * view->nvar; i++) m.best[i].value = NAN;
  OAK_TRY(measure(sim, view, item, &m));
  if (!start->known) memcpy(start->total, m.total, sizeof m.total);
  start->known = 1;
  if (!f) return OAK_OK;
  fprintf(f, ",%lld,%lld", (long long)view->nglobal, (long long)(view->nglobal * sim->cells));
  for (int v = 0; v < sim->nvar; v++)
    fprintf(f, ",%.17g,%.17g", m.total[v], m.total[v] - start->total[v]);
  for (int i = 0; i < 2 * view->nvar; i++) {
    fprintf(f, ",%.17g", m.best[i].value);
    for (int d = 0; d < sim->dim; d++) fprintf(f, ",%.17g", m.best[i].x[d]);
  }
  for (int v = 0; v < view->nvar; v++) fprintf(f, ",%.17g", m.mean[v]);
  return OAK_OK;
}

const oak_output_kind_t oak_output_history = {.name = "history",
                                              .has_region = 1,
                                              .open = open_history,
                                              .head = history_head,
                                              .row = history_row,
                                              .save = save_start,
                                              .load = load_start};
