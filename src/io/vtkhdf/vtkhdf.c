/* SPDX-License-Identifier: GPL-2.0-or-later
 * VTKHDF files: the boxes and the values of this rank.
 *
 * The structure of the file comes from rank 0, with the places of all arrays. A rank's part of each
 * array is one piece, since ranks follow each other along the curve. So each rank writes its boxes
 * and values itself, and a rank that cannot write reports the reason.
 *
 * In curved coordinates and in 2D the file has the corners of the cells of the leaves, box after
 * box: ParaView takes boxes for bodies with a thickness, and in 2D it shows parents too.
 *
 * If the view stays while the run goes on, the thread of the disk reads and writes the values. In
 * 3D the run then adds the few boxes with parents whose children are on several ranks. */
#include "vtkhdf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/view/boxes.h"
#include "vtkhdf_file.h"

/** A level of the tree while it is written. */
typedef struct {
  int64_t first_box; /**< of this rank */
  /** [nbox + 1] number of the first cell of each box; the last: behind them. With corners, all
   * levels are counted together, else each by itself. */
  int64_t *cell;
  int64_t *point; /**< the same of corners */
} part_t;

typedef struct {
  oak_part_file_t file;
  oak_grid_view_t view;    /**< a copy */
  oak_disk_t *disk;        /**< for values; NULL where they are written at once */
  int rank, first, nlevel; /**< levels of the tree first to first + nlevel - 1 are written */
  int leaves;              /**< parents are not stored */
  int corners;             /**< corners of the cells are written in place of boxes */
  int64_t points, cells;   /**< of all levels and ranks */
  oak_box_walk_t *walk;
  const oak_view_array_t *array; /**< [narray] */
  int narray;
  part_t *level_part;        /**< [max_level + 1] */
  oak_vtkhdf_level_t *level; /**< [nlevel] */
  int64_t *place;            /**< of oak_vtkhdf_create() */
} writer_t;

/* ---- the levels ------------------------------------------------------------------------------ */

static const oak_boxes_t *boxes_of(const writer_t *w, int l) {
  return &oak_box_walk_boxes(w->walk)[l];
}

/** First cell of a box and cells along its sides, 1 along z in 2D. \return the number of corners.
 */
static int64_t box_shape(const writer_t *w, const oak_box_t *box, int64_t first[3], int side[3]) {
  int64_t high[3], corners = 1;
  oak_box_range(&w->view, box, first, high);
  for (int d = 0; d < 3; d++) {
    side[d] = d < w->view.dim ? (int)(high[d] - first[d] + 1) : 1;
    if (d < w->view.dim) corners *= side[d] + 1;
  }
  return corners;
}

/** Number the cells and corners of this rank's boxes, from 0 on each level. */
static oak_status_t number_cells(writer_t *w) {
  for (int l = w->first; l < w->first + w->nlevel; l++) {
    const oak_boxes_t *boxes = boxes_of(w, l);
    OAK_TRY(OAK_NEW(w->level_part[l].cell, boxes->nbox + 1));
    OAK_TRY(OAK_NEW(w->level_part[l].point, boxes->nbox + 1));
    int64_t *cell = w->level_part[l].cell, *point = w->level_part[l].point;
    for (int b = 0; b < boxes->nbox; b++) {
      int64_t first[3];
      int side[3];
      cell[b + 1] = cell[b] + (int64_t)oak_box_cells(&w->view, &boxes->box[b]);
      point[b + 1] = point[b] + box_shape(w, &boxes->box[b], first, side);
    }
  }
  return OAK_OK;
}

/** Where this rank's boxes and cells begin in each level, and how many all ranks have. Collective.
 */
static void count_levels(writer_t *w) {
  const oak_grid_view_t *view = &w->view;
  w->points = w->cells = 0;
  for (int n = 0; n < w->nlevel; n++) {
    const int l = w->first + n, nbox = boxes_of(w, l)->nbox;
    oak_vtkhdf_level_t *level = &w->level[n];
    part_t *part = &w->level_part[l];
    const int64_t mine[3] = {nbox, part->cell[nbox], part->point[nbox]};
    int64_t before[3] = {0, 0, 0}, all[3];
    MPI_Exscan(mine, before, 3, MPI_INT64_T, MPI_SUM, view->comm);
    MPI_Allreduce(mine, all, 3, MPI_INT64_T, MPI_SUM, view->comm);
    if (w->rank == 0) before[0] = before[1] = before[2] = 0; /* where MPI leaves it undefined */
    part->first_box = before[0];
    for (int b = 0; b <= nbox; b++) {
      part->cell[b] += before[1] + (w->corners ? w->cells : 0);
      part->point[b] += w->points + before[2];
    }
    w->cells += all[1];
    w->points += all[2];
    *level = (oak_vtkhdf_level_t){.tree_level = l, .boxes = all[0], .cells = all[1]};
    for (int d = 0; d < view->dim; d++) level->spacing[d] = oak_view_cell_size(view, l, d);
  }
}

/* ---- boxes and values ------------------------------------------------------------------------ */

static oak_status_t put(const writer_t *w, int64_t place, int64_t first, int64_t count, size_t size,
                        const void *data) {
  return oak_disk_write(w->disk, w->file.fd, data, (size_t)count * size,
                        place + first * (int64_t)size, w->file.part);
}

static oak_status_t write_boxes(const writer_t *w, int l) {
  const oak_grid_view_t *view = &w->view;
  const oak_boxes_t *boxes = boxes_of(w, l);
  const int n = boxes->nbox;
  OAK_FREED int32_t(*row)[6] = NULL;
  OAK_TRY(OAK_NEW(row, n));
  for (int b = 0; b < n; b++) {
    int64_t low[3], high[3];
    oak_box_range(view, &boxes->box[b], low, high);
    for (int d = 0; d < 3; d++) {
      row[b][2 * d] = (int32_t)low[d];
      row[b][2 * d + 1] = (int32_t)high[d];
    }
  }
  return put(w, w->place[(l - w->first) * (1 + w->narray)], w->level_part[l].first_box, n,
             sizeof *row, row);
}

/** Number of corner \a n of cell (i, j, k) of a box, in the order of VTK. */
static int64_t corner_of(const int side[3], int i, int j, int k, int n) {
  const int x = i + ((n + 1) >> 1 & 1), y = j + (n >> 1 & 1), z = k + (n >> 2);
  return ((int64_t)z * (side[1] + 1) + y) * (side[0] + 1) + x;
}

/** The arrays that say where the corners of the cells of box \a b are. */
static oak_status_t write_cells(const writer_t *w, int l, int b) {
  enum { QUAD = 9, HEXAHEDRON = 12 };
  const oak_grid_view_t *view = &w->view;
  const part_t *part = &w->level_part[l];
  const int64_t cell = part->cell[b], count = part->cell[b + 1] - cell;
  const int64_t *place = w->place;
  const int corners = 1 << view->dim;
  int64_t first[3];
  int side[3];
  const int64_t points = box_shape(w, &boxes_of(w, l)->box[b], first, side);
  OAK_FREED double *point = NULL;
  OAK_FREED int64_t *number = NULL;
  OAK_TRY(OAK_NEW(point, 3 * points));
  OAK_TRY(OAK_NEW(number, corners * (count + 1)));
  oak_view_corners(view, l, first, side, point);
  OAK_TRY(put(w, place[OAK_VTKHDF_POINTS], part->point[b], points, 3 * sizeof *point, point));
  for (int64_t c = 0; c < count; c++) {
    const int i = (int)(c % side[0]), j = (int)(c / side[0] % side[1]);
    const int k = (int)(c / side[0] / side[1]);
    for (int n = 0; n < corners; n++)
      number[c * corners + n] = part->point[b] + corner_of(side, i, j, k, n);
  }
  OAK_TRY(put(w, place[OAK_VTKHDF_CORNERS], cell, count, (size_t)corners * sizeof *number, number));
  for (int64_t c = 0; c <= count; c++) number[c] = (cell + c) * corners;
  OAK_TRY(put(w, place[OAK_VTKHDF_OFFSETS], cell, count + 1, sizeof *number, number));
  memset(number, view->dim == 2 ? QUAD : HEXAHEDRON, (size_t)count);
  return put(w, place[OAK_VTKHDF_TYPES], cell, count, 1, number);
}

static oak_status_t write_box(void *context, const oak_box_values_t *box) {
  const writer_t *w = context;
  const int64_t place =
      w->place[w->corners ? OAK_VTKHDF_ARRAYS + box->array
                          : (box->level - w->first) * (1 + w->narray) + 1 + box->array];
  const size_t size = (size_t)(w->array[box->array].count * w->view.value_bytes);
  return put(w, place, w->level_part[box->level].cell[box->number], (int64_t)(box->bytes / size),
             size, box->values);
}

static oak_status_t open_file(writer_t *w) {
  w->file.fd = open(w->file.part, O_WRONLY | O_CLOEXEC);
  if (w->file.fd < 0) return oak_file_failed("open", w->file.part, errno);
  for (int l = w->first; l < w->first + w->nlevel; l++) {
    if (!w->corners) OAK_TRY(write_boxes(w, l));
    for (int b = 0; b < boxes_of(w, l)->nbox && w->corners; b++) OAK_TRY(write_cells(w, l, b));
  }
  return OAK_OK;
}

/** If \a st is OAK_OK, all of the file is on the disk afterwards. \return \a st or the first
 * failure. */
static oak_status_t close_file(writer_t *w, oak_status_t st) {
  if (w->file.fd >= 0) st = oak_disk_close(w->disk, w->file.fd, w->file.part, st);
  w->file.fd = -1;
  return st;
}

/** Let go of the view and of all that was made from it. Collective. */
static void end_view(writer_t *w) {
  for (int l = 0; l <= w->view.max_level && w->level_part; l++) {
    free(w->level_part[l].cell);
    free(w->level_part[l].point);
  }
  free(w->level_part);
  w->level_part = NULL;
  oak_box_walk_destroy(&w->walk);
  oak_view_release(&w->view);
}

/** The boxes for which the blocks of this rank suffice; the job of the thread if the run goes on.
 */
static oak_status_t write_mine(void *context, oak_status_t st) {
  writer_t *w = context;
  w->disk = oak_view_goes_on(&w->view) ? NULL : w->view.disk;
  return st == OAK_OK ? oak_box_walk_begin(w->walk, write_box, w) : st;
}

/** The other boxes. Collective. */
static oak_status_t end_values(writer_t *w, oak_status_t st) {
  w->disk = w->view.disk;
  if (st == OAK_OK) st = oak_box_walk_finish(w->walk, write_box, w);
  st = oak_agree(w->view.comm, close_file(w, st));
  end_view(w);
  return st;
}

static oak_status_t write_rest(void *context) { return end_values(context, OAK_OK); }

/** Write all values, or hand them over to the thread. Collective. */
static oak_status_t write_values(writer_t *w) {
  const oak_grid_view_t *view = &w->view;
  oak_status_t st = oak_agree(view->comm, open_file(w));
  if (st == OAK_OK && oak_view_goes_on(view)) return oak_disk_do(view->disk, 0, write_mine, w);
  if (st == OAK_OK) st = oak_agree(view->comm, write_mine(w, OAK_OK));
  return end_values(w, st);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** Rank 0: make the file. */
static oak_status_t create(const writer_t *w) {
  const oak_vtkhdf_content_t content = {.array = w->array,
                                        .narray = w->narray,
                                        .level = w->corners ? NULL : w->level,
                                        .nlevel = w->nlevel,
                                        .points = w->points,
                                        .cells = w->cells};
  return oak_vtkhdf_create(&w->view, &content, w->file.part, w->place);
}

/** Collective; all ranks fail together. */
static oak_status_t write_tree(writer_t *w) {
  const oak_grid_view_t *view = &w->view;
  OAK_TRY(oak_box_walk_new(view, w->leaves, 1, &w->walk));
  w->array = oak_box_walk_arrays(w->walk, &w->narray);
  const int places = w->corners ? OAK_VTKHDF_ARRAYS + w->narray : w->nlevel * (1 + w->narray);
  oak_status_t st = OAK_NEW(w->place, places);
  oak_keep_failure(&st, number_cells(w));
  OAK_TRY(oak_agree(view->comm, st));
  count_levels(w);
  OAK_TRY(oak_agree(view->comm, w->rank == 0 ? create(w) : OAK_OK));
  MPI_Bcast(w->place, places, MPI_INT64_T, 0, view->comm);
  return write_values(w);
}

/** Rank 0: is the name free, or that of an HDF5 file? */
static oak_status_t prepare(const oak_part_file_t *file) {
  static const char sign[8] = "\x89HDF\r\n\x1a\n";
  OAK_TRY(oak_file_claim(file->path, sign, sizeof sign));
  OAK_TRY(oak_make_parents(file->path));
  return oak_remove_all(file->part); /* what a run that was killed has left */
}

/** Corners of cells are written in place of boxes. */
static int has_corners(const oak_grid_view_t *view) {
  return view->dim == 2 || oak_view_is_bent(view);
}

oak_status_t oak_vtkhdf_check_level(const oak_grid_view_t *view, int level, const char *path) {
  if (has_corners(view)) return OAK_OK;
  return oak_view_check_cells(view, level, path, "lower mesh.max_level, or write kind = xdmf");
}

static oak_status_t check(const oak_grid_view_t *view, const char *path) {
  OAK_TRY(oak_vtkhdf_supported(path));
  OAK_TRY(oak_view_check(view, path));
  return oak_vtkhdf_check_level(view, view->max_level, path);
}

/** Collective. */
static void free_writer(void *context) {
  writer_t *w = context;
  if (!w) return;
  if (w->file.fd >= 0) close(w->file.fd);
  end_view(w);
  free(w->level);
  free(w->place);
  free(w);
}

/** A writer of its own for this rank, which takes over the view; rank 0 prepares the file. */
static oak_status_t begin(const oak_grid_view_t *view, const char *path, writer_t **out) {
  OAK_TRY(oak_view_take(view, sizeof **out, out));
  writer_t *w = *out;
  *w = (writer_t){.view = *view, .disk = view->disk, .file.fd = -1, .corners = has_corners(view)};
  w->leaves = view->partial || w->corners;
  MPI_Comm_rank(view->comm, &w->rank);
  w->first = w->leaves ? view->min_level : 0;
  w->nlevel = view->max_level + 1 - w->first;
  OAK_TRY(check(view, path));
  OAK_TRY(oak_part_file_name(&w->file, path));
  OAK_TRY(OAK_NEW(w->level_part, view->max_level + 1));
  OAK_TRY(OAK_NEW(w->level, w->nlevel));
  return w->rank == 0 ? prepare(&w->file) : OAK_OK;
}

oak_status_t oak_vtkhdf_write(const oak_grid_view_t *view, const char *path) {
  writer_t *w;
  oak_status_t st = oak_agree(view->comm, begin(view, path, &w));
  if (st != OAK_OK) {
    free_writer(w);
    return st;
  }
  st = write_tree(w);
  const oak_disk_output_t output = {oak_part_file_publish, oak_part_file_discard, free_writer, w,
                                    oak_view_goes_on(view) ? write_rest : NULL};
  return oak_disk_commit(view->disk, view->comm, st, &output);
}
