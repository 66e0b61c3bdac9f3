/* SPDX-License-Identifier: GPL-2.0-or-later
 * Kinds of output that take samples: slices and lines as tables, probes at points. */
#include <stdlib.h>
#include <string.h>

#include "io/folder/file_list.h"
#include "io/view/sample.h"
#include "output/item.h"
#include "output/kind_keys.h"

#define KEY_FORMAT                               \
  CHOICE("output.NAME.format", "npy", "npy csv", \
         "npy: an array with named fields, for numpy.load; csv: text.")

static const oak_param_desc_t slice_keys[] = {
    OAK_KEY_VARIABLES,
    OAK_KEY_DIELECTRICS,
    OAK_KEY_AXIS,
    OAK_KEY_POSITION,
    INT("output.NAME.level", "-1", -1, 16, NULL,
        "Level whose cells are the points of the slice: finer cells are averaged; -1: the highest "
        "level that there is."),
    OAK_KEY_REGION,
    KEY_FORMAT,
    {.key = NULL}};
static const oak_param_desc_t line_keys[] = {
    OAK_KEY_VARIABLES,
    OAK_KEY_DIELECTRICS,
    TEXT("output.NAME.from", "",
         "First point, coordinates blank-separated; empty: the centre of the lower x face of the "
         "domain."),
    TEXT("output.NAME.to", "",
         "Last point; empty: the centre of the upper x face of the domain. There is a row for each "
         "cell that the line crosses."),
    KEY_FORMAT,
    {.key = NULL}};
static const oak_param_desc_t probe_keys[] = {
    OAK_KEY_VARIABLES,
    OAK_KEY_DIELECTRICS,
    TEXT("output.NAME.points", "",
         "Points, all coordinates in one line, with commas between points; to be given always. The "
         "value is that of the cell that a point lies in."),
    {.key = NULL}};

/* The variables of a view, in turn; a line has a column "level" by itself. \return how many. */
static int number_variables(const oak_grid_view_t *view, int is_line, int var[OAK_MOST_SELECTED]) {
  int count = 0;
  for (int v = 0; v < view->nvar; v++)
    if (!is_line || strcmp(view->name[v], "level")) var[count++] = v;
  return count;
}

/* A table on its way, and its file. */
typedef struct {
  oak_table_t table;
  int listed; /* as soon as the file is there: the run may be killed before it lists it */
  char path[PATH_MAX];
} job_t;

static oak_status_t finish_table(void *context, oak_status_t st) {
  job_t *job = context;
  if (st == OAK_OK) st = oak_table_write(&job->table, job->path);
  if (st == OAK_OK && job->listed) st = oak_file_list_add(job->path);
  oak_table_free(&job->table);
  free(job);
  return st;
}

/* Hand over the table; after a failure it is the caller's. */
static oak_status_t hand_over(oak_disk_t *disk, oak_table_t *table, const char *path) {
  enum { NUMBER_BYTES = 32 /* of a value, as a number and as text */ };
  job_t *job;
  oak_status_t st = OAK_NEW(job, 1);
  if (st == OAK_OK) st = oak_path_print(job->path, "%s", path);
  if (st != OAK_OK) {
    free(job);
    return st;
  }
  job->table = *table;
  job->listed = disk != NULL;
  const size_t bytes = NUMBER_BYTES * (size_t)table->ncol * (size_t)table->nrow;
  *table = (oak_table_t){0};
  return oak_disk_do(disk, bytes, finish_table, job);
}

/* Rank 0 writes the table, or its thread does so later. Collective. */
static oak_status_t write_table(const oak_grid_view_t *view, oak_table_t *table, const char *path) {
  const oak_disk_output_t output = {NULL};
  int rank;
  MPI_Comm_rank(view->comm, &rank);
  const oak_status_t st = rank == 0 ? hand_over(view->disk, table, path) : OAK_OK;
  oak_table_free(table);
  return oak_disk_commit(view->disk, view->comm, st, &output);
}

/* The table beside the files of an output: which file is of which step. */
static void files_head(const oak_output_item_t *item, FILE *f) {
  (void)item;
  fprintf(f, ",file");
}

static oak_status_t files_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  if (f) fprintf(f, ",%s_%06ld%s", item->name, view->step, item->ending);
  return OAK_OK;
}

static oak_status_t open_table(oak_output_item_t *item) {
  snprintf(item->ending, sizeof item->ending, ".%s", oak_item_text(item, "format"));
  return OAK_OK;
}

/* ---- lines */

typedef struct {
  double from[3], to[3];
} line_t;

static oak_status_t open_line(oak_output_item_t *item) {
  static const char *const word[] = {"from", "to"};
  const oak_t *sim = item->sim;
  line_t *line;
  OAK_TRY(OAK_NEW(line, 1));
  item->data = line;
  for (int end = 0; end < 2; end++) {
    double *x = end ? line->to : line->from;
    int count;
    for (int d = 0; d < sim->setup.dim; d++)
      x[d] = 0.5 * (sim->setup.domain.xmin[d] + sim->setup.domain.xmax[d]);
    x[0] = end ? sim->setup.domain.xmax[0] : sim->setup.domain.xmin[0];
    if (*oak_item_text(item, word[end]))
      OAK_TRY(oak_item_points(item, word[end], 1, (double(*)[3])x, &count));
  }
  return open_table(item);
}

static oak_status_t write_line(oak_output_item_t *item, const oak_grid_view_t *view,
                               const char *path) {
  const line_t *line = item->data;
  int var[OAK_MOST_SELECTED];
  oak_table_t table;
  const int nvar = number_variables(view, 1, var);
  OAK_TRY(oak_agree(view->comm, oak_sample_line(view, line->from, line->to, var, nvar, &table)));
  const oak_status_t st = oak_table_gather(view->comm, &table);
  if (st == OAK_OK) return write_table(view, &table, path);
  oak_table_free(&table);
  return st;
}

/* ---- slices */

/* Along its axis. */
static double slice_position(const oak_output_item_t *item, const oak_grid_view_t *view) {
  const int d = oak_item_axis(item);
  return view->xmin[d] + oak_item_real(item, "position") * (view->xmax[d] - view->xmin[d]);
}

static oak_status_t open_slice(oak_output_item_t *item) {
  const oak_t *sim = item->sim;
  const int level = oak_item_int(item, "level"), below = sim->setup.refine.max_level - level;
  int whole = below < 8; /* a point is an average within one block */
  for (int d = 0; d < sim->setup.dim && below > 0 && whole; d++)
    whole = sim->setup.block.size[d] % (1 << below) == 0;
  OAK_CHECK(level < 0 || below <= 0 || whole, OAK_ERR_INPUT,
            "%s.level = %d: points would be averages over several blocks of mesh.max_level = %d; "
            "choose a higher level",
            item->name, level, sim->setup.refine.max_level);
  OAK_TRY(oak_item_only_3d(item, "axis"));
  OAK_TRY(oak_item_only_3d(item, "position"));
  const oak_grid_view_t view = oak_view_domain(sim, &item->variables);
  const int axis = oak_item_axis(item);
  const oak_status_t st = oak_sample_plane_check(&view, axis, slice_position(item, &view),
                                                 level < 0 ? sim->setup.refine.min_level : level);
  if (st != OAK_OK) return OAK_FAIL(OAK_ERR_INPUT, "output %s: %s", item->name, oak_last_error());
  return open_table(item);
}

/* Keep the rows of a region. */
static void cut_region(const oak_output_item_t *item, const int axis[2], oak_table_t *table) {
  int64_t kept = 0, rows = 0, columns = 0;
  for (int64_t j = 0; j < table->shape[0]; j++) {
    columns = 0;
    for (int64_t i = 0; i < table->shape[1]; i++) {
      const double *row = table->value + (j * table->shape[1] + i) * table->ncol;
      int inside = 1;
      for (int a = 0; a < 2; a++)
        inside &= row[a] >= item->region[0][axis[a]] && row[a] <= item->region[1][axis[a]];
      if (!inside) continue;
      memmove(table->value + kept++ * table->ncol, row, (size_t)table->ncol * sizeof *row);
      columns++;
    }
    rows += columns > 0;
  }
  table->nrow = kept;
  table->shape[0] = rows;
  table->shape[1] = rows ? kept / rows : 0;
}

static oak_status_t write_slice(oak_output_item_t *item, const oak_grid_view_t *view,
                                const char *path) {
  const int normal = oak_item_axis(item), flat = view->dim == 2;
  const int axis[2] = {!flat && normal == 0, !flat && normal != 2 ? 2 : 1};
  const int level = oak_item_int(item, "level");
  const double at = slice_position(item, view);
  int var[OAK_MOST_SELECTED];
  oak_table_t table;
  const int nvar = number_variables(view, 0, var);
  OAK_TRY(oak_agree(
      view->comm,
      oak_sample_plane(view, normal, at, level < 0 ? view->max_level : level, var, nvar, &table)));
  oak_table_merge(view->comm, &table);
  if (!item->whole) cut_region(item, axis, &table);
  return write_table(view, &table, path);
}

/* ---- probes */

enum { MOST_POINTS = 1000 };
typedef struct {
  int count;
  double x[MOST_POINTS][3];
} probe_t;

static oak_status_t open_probe(oak_output_item_t *item) {
  probe_t *probe;
  OAK_TRY(OAK_NEW(probe, 1));
  item->data = probe;
  return oak_item_points(item, "points", MOST_POINTS, probe->x, &probe->count);
}

static void probe_head(const oak_output_item_t *item, FILE *f) {
  const probe_t *probe = item->data;
  for (int p = 0; p < probe->count; p++)
    for (int v = 0; v < item->variables.count; v++) {
      fprintf(f, ",%s", item->variables.name[v]);
      if (probe->count > 1) fprintf(f, "_%d", p + 1);
    }
}

static oak_status_t probe_row(oak_output_item_t *item, const oak_grid_view_t *view, FILE *f) {
  const probe_t *probe = item->data;
  const int n = probe->count * view->nvar;
  OAK_FREED double *value = NULL;
  oak_status_t st = oak_agree(view->comm, OAK_NEW(value, n + 1));
  if (st == OAK_OK) st = oak_sample_points(view, probe->count, (const double(*)[3])probe->x, value);
  for (int i = 0; i < n && f && st == OAK_OK; i++) fprintf(f, ",%.17g", value[i]);
  return st;
}

const oak_output_kind_t oak_output_slice = {
    .word = {"slice", "values on a regular grid, in 3D on a plane", slice_keys},
    .open = open_slice,
    .write = write_slice,
    .head = files_head,
    .row = files_row};
const oak_output_kind_t oak_output_line = {.word = {"line", "values along a line", line_keys},
                                           .open = open_line,
                                           .write = write_line,
                                           .head = files_head,
                                           .row = files_row};
const oak_output_kind_t oak_output_probe = {
    .word = {"probe", "values at points, a row each time", probe_keys},
    .open = open_probe,
    .head = probe_head,
    .row = probe_row};
