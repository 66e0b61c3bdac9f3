/* SPDX-License-Identifier: GPL-2.0-or-later
 * VTKHDF files: the boxes and the values of this rank.
 *
 * The structure of the file comes from rank 0, with the places of all arrays. A rank's part of each
 * array is one piece, since ranks follow each other along the curve. So each rank writes its boxes
 * and values itself, and one that cannot write says why. */
#define _GNU_SOURCE 1
#include "vtkhdf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/view/boxes.h"
#include "io/view/tree_walk.h"
#include "vtkhdf_file.h"

/** A level of the tree while it is written. */
typedef struct {
  int64_t first_box, first_cell; /**< of this rank */
  char *buffer;                  /**< one variable of a box, as in the file */
  int box, filled;               /**< present box and how many of its nodes have come */
  int64_t cell;                  /**< number of its first cell */
} part_t;

typedef struct {
  const oak_grid_view_t *view;
  int rank, first, nlevel; /**< levels of the tree first to first + nlevel - 1 are written */
  int leaves;              /**< parents are not stored */
  int var;
  size_t ncell; /**< of a node */
  const char *path;
  int fd;
  oak_boxes_t *boxes;        /**< [max_level + 1] */
  part_t *part;              /**< [max_level + 1] */
  oak_vtkhdf_level_t *level; /**< [nlevel] */
  int64_t *place;            /**< [nlevel][1 + nvar] */
} writer_t;

/* ---- the levels ------------------------------------------------------------------------------ */

static int64_t count_cells(const oak_grid_view_t *view, const oak_boxes_t *boxes) {
  int64_t cells = 0;
  for (int b = 0; b < boxes->nbox; b++) cells += (int64_t)oak_box_cells(view, &boxes->box[b]);
  return cells;
}

static oak_status_t list_boxes(writer_t *w, oak_tree_walk_t *walk) {
  const oak_grid_view_t *view = w->view;
  OAK_TRY(w->leaves ? oak_boxes_list_leaves(view, w->boxes) : oak_boxes_list(view, walk, w->boxes));
  for (int l = 0; l <= view->max_level; l++) {
    if (w->boxes[l].nbox == 0) continue;
    w->part[l].buffer =
        malloc((w->ncell << (w->boxes[l].most * view->dim)) * (size_t)view->value_bytes);
    OAK_CHECK(w->part[l].buffer, OAK_ERR_MEMORY, "no memory to write %d boxes; use more ranks",
              w->boxes[l].nbox);
  }
  return OAK_OK;
}

/** Where this rank's boxes and cells begin in each level, and how many all ranks have. Collective.
 */
static void count_levels(writer_t *w) {
  const oak_grid_view_t *view = w->view;
  for (int n = 0; n < w->nlevel; n++) {
    const int l = w->first + n;
    oak_vtkhdf_level_t *level = &w->level[n];
    const int64_t mine[2] = {w->boxes[l].nbox, count_cells(view, &w->boxes[l])};
    int64_t before[2] = {0, 0}, all[2];
    MPI_Exscan(mine, before, 2, MPI_INT64_T, MPI_SUM, view->comm);
    MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_SUM, view->comm);
    w->part[l].first_box = w->rank ? before[0] : 0; /* rank 0: where MPI leaves it undefined */
    w->part[l].first_cell = w->rank ? before[1] : 0;
    *level = (oak_vtkhdf_level_t){.tree_level = l, .boxes = all[0], .cells = all[1]};
    for (int d = 0; d < 3; d++)
      level->spacing[d] =
          d < view->dim ? oak_view_cell_size(view, l, d) : oak_view_cell_size(view, 0, 0);
  }
}

/* ---- boxes and values ------------------------------------------------------------------------ */

static int64_t place_of(const writer_t *w, int l, int array) {
  return w->place[(size_t)(l - w->first) * (1 + (size_t)w->view->nvar) + (size_t)array];
}

static oak_status_t write_boxes(const writer_t *w, int l) {
  const oak_grid_view_t *view = w->view;
  const int n = w->boxes[l].nbox;
  int32_t(*row)[6] = malloc(((size_t)n + 1) * sizeof *row);
  OAK_CHECK(row, OAK_ERR_MEMORY, "no memory to list %d boxes; use more ranks", n);
  for (int b = 0; b < n; b++) {
    int64_t low[3], high[3];
    oak_box_range(view, &w->boxes[l].box[b], low, high);
    for (int d = 0; d < 3; d++) {
      row[b][2 * d] = d < view->dim ? (int32_t)low[d] : 0;
      row[b][2 * d + 1] = d < view->dim ? (int32_t)high[d] : 0;
    }
  }
  const oak_status_t st =
      oak_disk_write(view->disk, w->fd, row, (size_t)n * sizeof *row,
                     place_of(w, l, 0) + w->part[l].first_box * (int64_t)sizeof *row, w->path);
  free(row);
  return st;
}

static oak_status_t write_node(void *context, int l, const int32_t index[3], const double *cells) {
  writer_t *w = context;
  part_t *part = &w->part[l];
  const oak_box_t *box = &w->boxes[l].box[part->box];
  oak_box_place(w->view, box, index, cells, part->buffer);
  if (++part->filled < 1 << (box->merge * w->view->dim)) return OAK_OK;
  const int64_t count = (int64_t)oak_box_cells(w->view, box), bytes = w->view->value_bytes;
  const int64_t at = place_of(w, l, 1 + w->var) + part->cell * bytes;
  part->cell += count;
  part->filled = 0;
  part->box++;
  return oak_disk_write(w->view->disk, w->fd, part->buffer, (size_t)(count * bytes), at, w->path);
}

/** Write all values. Collective. */
static oak_status_t write_values(writer_t *w, oak_tree_walk_t *walk) {
  oak_status_t st = OAK_OK;
  w->fd = open(w->path, O_WRONLY | O_CLOEXEC);
  if (w->fd < 0) st = oak_file_failed("open", w->path, errno);
  for (int l = w->first; l < w->first + w->nlevel && st == OAK_OK; l++) st = write_boxes(w, l);
  st = oak_agree(w->view->comm, st);
  for (w->var = 0; w->var < w->view->nvar && st == OAK_OK; w->var++) {
    for (int l = 0; l <= w->view->max_level; l++) {
      w->part[l].box = w->part[l].filled = 0;
      w->part[l].cell = w->part[l].first_cell;
    }
    st = w->leaves ? oak_leaves_run(w->view, w->var, write_node, w)
                   : oak_tree_walk_run(walk, w->var, write_node, w);
    st = oak_agree(w->view->comm, st);
  }
  if (w->fd >= 0) st = oak_disk_close(w->view->disk, w->fd, w->path, st);
  return oak_agree(w->view->comm, st);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** Rank 0: make the file. */
static oak_status_t create(const writer_t *w) {
  const oak_grid_view_t *view = w->view;
  double origin[3] = {view->xmin[0], view->xmin[1], view->xmin[2]};
  if (view->dim == 2) origin[2] = -0.5 * oak_view_cell_size(view, 0, 0);
  return oak_vtkhdf_create(view, origin, w->level, w->nlevel, w->path, w->place);
}

/** Collective; all ranks fail together. */
static oak_status_t write_tree(writer_t *w, oak_tree_walk_t *walk) {
  const oak_grid_view_t *view = w->view;
  OAK_TRY(oak_agree(view->comm, list_boxes(w, walk)));
  count_levels(w);
  OAK_TRY(oak_agree(view->comm, w->rank == 0 ? create(w) : OAK_OK));
  MPI_Bcast(w->place, w->nlevel * (1 + view->nvar), MPI_INT64_T, 0, view->comm);
  return write_values(w, walk);
}

static oak_status_t allocate(writer_t *w) {
  const size_t all = (size_t)w->view->max_level + 1, n = (size_t)w->nlevel;
  w->boxes = calloc(all, sizeof *w->boxes);
  w->part = calloc(all, sizeof *w->part);
  w->level = calloc(n, sizeof *w->level);
  w->place = calloc(n * (1 + (size_t)w->view->nvar), sizeof *w->place);
  OAK_CHECK(w->boxes && w->part && w->level && w->place, OAK_ERR_MEMORY, "no memory to write %s",
            w->path);
  return OAK_OK;
}

static void release(writer_t *w) {
  for (int l = 0; l <= w->view->max_level && w->part; l++) free(w->part[l].buffer);
  if (w->boxes) oak_boxes_free(w->view, w->boxes);
  free(w->boxes);
  free(w->part);
  free(w->level);
  free(w->place);
}

/** Rank 0: is \a path free, or an HDF5 file? Anything else is not ours to replace. */
static oak_status_t prepare(const char *path, const char *part) {
  static const char sign[8] = "\x89HDF\r\n\x1a\n";
  char text[sizeof sign] = "";
  struct stat info;
  if (lstat(path, &info) == 0) {
    FILE *in = S_ISREG(info.st_mode) ? fopen(path, "re") : NULL;
    const size_t n = in ? fread(text, 1, sizeof text, in) : 0;
    if (in) fclose(in);
    OAK_CHECK(n == sizeof text && !memcmp(text, sign, sizeof sign), OAK_ERR_FILE,
              "cannot write %s: something of that name is there that oak did not write; move it "
              "away or choose another name",
              path);
  }
  OAK_TRY(oak_make_parents(path));
  return oak_remove_all(part); /* what a run that was killed has left */
}

static oak_status_t check(const oak_grid_view_t *view, const char *path) {
  OAK_TRY(oak_vtkhdf_supported(path));
  OAK_TRY(oak_view_check(view, path));
  const int64_t n = (int64_t)view->block_size << view->max_level;
  for (int d = 0; d < view->dim; d++)
    OAK_CHECK(n * view->trees[d] <= INT32_MAX, OAK_ERR_ARGUMENT,
              "%s: VTKHDF files count cells by 32 bits, and level %d has %lld along %c; write a "
              "plotfile",
              path, view->max_level, (long long)(n * view->trees[d]), "xyz"[d]);
  return OAK_OK;
}

/** A file until it has its name. */
typedef struct {
  char *path, *part;
} names_t;

static oak_status_t publish(void *context) {
  const names_t *names = context;
  return oak_publish_file(names->part, names->path);
}

static void discard(void *context) { (void)unlink(((names_t *)context)->part); }

static void free_names(void *context) {
  names_t *names = context;
  if (names) free(names->path);
  if (names) free(names->part);
  free(names);
}

static oak_status_t begin(writer_t *w, const char *path, names_t **out) {
  names_t *names = *out = calloc(1, sizeof *names);
  if (names) names->path = strdup(path);
  if (names) names->part = oak_text_new("%s" OAK_PART, path);
  OAK_CHECK(names && names->path && names->part, OAK_ERR_MEMORY, "no memory for the name of %s",
            path);
  w->path = names->part;
  OAK_TRY(allocate(w));
  return w->rank == 0 ? prepare(path, names->part) : OAK_OK;
}

oak_status_t oak_vtkhdf_write(const oak_grid_view_t *view, const char *path) {
  OAK_TRY(check(view, path));
  oak_tree_walk_t *walk = NULL;
  names_t *names;
  writer_t w = {.view = view, .fd = -1, .ncell = 1};
  MPI_Comm_rank(view->comm, &w.rank);
  for (int d = 0; d < view->dim; d++) w.ncell *= (size_t)view->block_size;
  w.leaves = view->dim == 2 || view->partial;
  w.first = w.leaves ? view->min_level : 0;
  w.nlevel = view->max_level + 1 - w.first;
  oak_status_t st = oak_agree(view->comm, begin(&w, path, &names));
  if (st == OAK_OK) {
    if (!w.leaves) st = oak_tree_walk_new(view, &walk);
    if (st == OAK_OK) st = write_tree(&w, walk);
    const oak_disk_output_t output = {publish, discard, free_names, names, NULL};
    st = oak_disk_commit(view->disk, view->comm, st, &output);
  } else {
    free_names(names);
  }
  release(&w);
  oak_tree_walk_destroy(&walk);
  return st;
}
