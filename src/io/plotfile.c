/* SPDX-License-Identifier: GPL-2.0-or-later
 * AMReX plotfiles: boxes, data files and the safe replacement of an earlier plotfile.
 *
 * Data go variable by variable and node by node from the tree walk into their place in the
 * file: a box holds [var][k][j][i], so one variable of one box is one write. Siblings are merged
 * into larger boxes, because readers' time goes with the number of boxes. */
#define _GNU_SOURCE 1
#include "plotfile.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file_tools.h"
#include "plotfile_text.h"
#include "tree_walk.h"

/** Longest side of a merged box, in cells: 2 MB in 3D and 512 KB in 2D for one variable. */
enum { BOX_SIDE_3D = 64, BOX_SIDE_2D = 256 };

/** One level while it is written. */
typedef struct {
  oak_plot_level_t part;
  int32_t (*node)[3]; /**< [nnode] own nodes in Morton order; freed when the boxes are made */
  int nnode, capacity;
  int fd; /**< -1: not open */
  char *path;
  char *buffer;    /**< one variable of a box, as in the file */
  int box, filled; /**< present box and how many of its nodes have come */
} level_t;

typedef struct {
  const oak_grid_view_t *view;
  int var;
  size_t ncell;   /**< of a node */
  level_t *level; /**< [max_level + 1] */
} writer_t;

static oak_status_t add_node(void *context, int l, const int32_t index[3], const double *cells) {
  level_t *level = &((writer_t *)context)->level[l];
  (void)cells;
  if (level->nnode == level->capacity) {
    const int capacity = level->capacity ? 2 * level->capacity : 64;
    void *more = realloc(level->node, (size_t)capacity * sizeof *level->node);
    OAK_CHECK(more, OAK_ERR_MEMORY, "no memory to list %d blocks; use more ranks", capacity);
    level->node = more;
    level->capacity = capacity;
  }
  memcpy(level->node[level->nnode++], index, sizeof *level->node);
  return OAK_OK;
}

/** Do the nodes from \a i on fill a cube of 2^merge nodes a side? They do if the first is at its
 * corner and the last of that many still inside: nodes are in Morton order without repetition. */
static int fills_cube(const writer_t *w, const level_t *level, int i, int merge) {
  const int64_t last = i + (INT64_C(1) << (merge * w->view->dim)) - 1;
  if (last >= level->nnode) return 0;
  for (int d = 0; d < w->view->dim; d++) {
    if (level->node[i][d] & ((1 << merge) - 1)) return 0;
    if (level->node[i][d] >> merge != level->node[last][d] >> merge) return 0;
  }
  return 1;
}

/** Make the boxes of a level from its nodes. */
static oak_status_t make_boxes(writer_t *w, int l) {
  level_t *level = &w->level[l];
  const oak_grid_view_t *view = w->view;
  const int longest = view->dim == 3 ? BOX_SIDE_3D : BOX_SIDE_2D;
  int64_t offset = 0;
  int most = 0;
  if (level->nnode == 0) return OAK_OK;
  level->part.box = malloc((size_t)level->nnode * sizeof *level->part.box);
  OAK_CHECK(level->part.box, OAK_ERR_MEMORY, "no memory to list %d boxes; use more ranks",
            level->nnode);
  for (int i = 0; i < level->nnode;) {
    oak_plot_box_t *box = &level->part.box[level->part.nbox++];
    int merge = 0;
    while (merge < l && view->block_size << (merge + 1) <= longest &&
           fills_cube(w, level, i, merge + 1))
      merge++;
    memcpy(box->node, level->node[i], sizeof box->node);
    box->merge = merge;
    box->offset = offset;
    char *header = oak_plot_fab_header(view, box);
    OAK_CHECK(header, OAK_ERR_MEMORY, "no memory for the header of a box; use more ranks");
    box->data = offset + (int64_t)strlen(header);
    free(header);
    offset = box->data +
             (int64_t)view->value_bytes * view->nvar * ((int64_t)w->ncell << (merge * view->dim));
    i += 1 << (merge * view->dim);
    if (merge > most) most = merge;
  }
  free(level->node);
  level->node = NULL;
  level->part.range = calloc((size_t)level->part.nbox * view->nvar, 2 * sizeof(double));
  level->buffer = malloc((w->ncell << (most * view->dim)) * (size_t)view->value_bytes);
  OAK_CHECK(level->part.range && level->buffer, OAK_ERR_MEMORY,
            "no memory to write %d boxes; use more ranks", level->part.nbox);
  return OAK_OK;
}

/** Open this rank's data file of a level and write the headers of its boxes. */
static oak_status_t open_level(writer_t *w, int l, const char *part) {
  level_t *level = &w->level[l];
  int rank;
  MPI_Comm_rank(w->view->comm, &rank);
  if (level->part.nbox == 0) return OAK_OK;
  level->path = oak_text_new("%s/Level_%d/Cell_D_%05d", part, l, rank);
  OAK_CHECK(level->path, OAK_ERR_MEMORY, "no memory for the name of a data file in %s", part);
  level->fd = open(level->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (level->fd < 0) return oak_file_failed("create", level->path, errno);
  for (int b = 0; b < level->part.nbox; b++) {
    const oak_plot_box_t *box = &level->part.box[b];
    char *header = oak_plot_fab_header(w->view, box);
    OAK_CHECK(header, OAK_ERR_MEMORY, "no memory for the header of a box; use more ranks");
    const oak_status_t st =
        oak_write_at(level->fd, header, strlen(header), box->offset, level->path);
    free(header);
    OAK_TRY(st);
  }
  return OAK_OK;
}

/** Put a node's cells into the buffer of the box that it is part of. */
static void place_node(const writer_t *w, level_t *level, const int32_t index[3],
                       const double *cells) {
  const oak_plot_box_t *box = &level->part.box[level->box];
  const size_t n = (size_t)w->view->block_size, side = n << box->merge;
  const size_t nk = w->view->dim == 3 ? n : 1;
  size_t at[3];
  for (int d = 0; d < 3; d++) at[d] = (size_t)(index[d] - box->node[d]) * n;
  for (size_t k = 0; k < nk; k++)
    for (size_t j = 0; j < n; j++)
      oak_view_pack(w->view, cells + (k * n + j) * n, n,
                    level->buffer + (((at[2] + k) * side + at[1] + j) * side + at[0]) *
                                        (size_t)w->view->value_bytes);
}

static void widen_range(double range[2], int first, const double *cells, size_t n, int bytes) {
  /* AMReX reads numbers only: a box without any finite value says 0. */
  double low = first ? INFINITY : range[0], high = first ? -INFINITY : range[1];
  for (size_t i = 0; i < n; i++) {
    const double value = bytes == 4 ? (double)(float)cells[i] : cells[i];
    if (!isfinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  range[0] = low;
  range[1] = high;
}

static oak_status_t write_node(void *context, int l, const int32_t index[3], const double *cells) {
  writer_t *w = context;
  level_t *level = &w->level[l];
  const oak_plot_box_t *box = &level->part.box[level->box];
  const int nvar = w->view->nvar, nnode = 1 << (box->merge * w->view->dim);
  double *range = level->part.range + ((size_t)level->box * nvar + w->var) * 2;
  widen_range(range, level->filled == 0, cells, w->ncell, w->view->value_bytes);
  place_node(w, level, index, cells);
  if (++level->filled < nnode) return OAK_OK;
  if (range[0] > range[1]) range[0] = range[1] = 0.0;
  level->filled = 0;
  level->box++;
  const size_t bytes = w->ncell * (size_t)nnode * (size_t)w->view->value_bytes;
  return oak_write_at(level->fd, level->buffer, bytes, box->data + (int64_t)bytes * w->var,
                      level->path);
}

/** Close the data files, with all of their data on the disk if \a st is OAK_OK; \a st or the first
 * failure. */
static oak_status_t close_levels(writer_t *w, oak_status_t st) {
  for (int l = 0; l <= w->view->max_level; l++) {
    level_t *level = &w->level[l];
    if (level->fd >= 0 && st == OAK_OK) st = oak_sync(level->fd, level->path);
    if (level->fd >= 0 && close(level->fd) != 0 && st == OAK_OK)
      st = oak_file_failed("write", level->path, errno);
    level->fd = -1;
  }
  return st;
}

static void free_levels(writer_t *w) {
  for (int l = 0; l <= w->view->max_level; l++) {
    level_t *level = &w->level[l];
    free(level->part.box);
    free(level->part.range);
    free(level->node);
    free(level->path);
    free(level->buffer);
  }
  free(w->level);
}

/** Write all of the plotfile into the folder \a part. Collective. */
static oak_status_t write_parts(writer_t *w, oak_tree_walk_t *walk, const char *part) {
  const oak_grid_view_t *view = w->view;
  oak_status_t st = oak_tree_walk_list(walk, add_node, w);
  for (int l = 0; l <= view->max_level && st == OAK_OK; l++) {
    st = make_boxes(w, l);
    if (st == OAK_OK) st = open_level(w, l, part);
  }
  st = oak_agree(view->comm, st);
  for (w->var = 0; w->var < view->nvar && st == OAK_OK; w->var++) {
    for (int l = 0; l <= view->max_level; l++) w->level[l].box = w->level[l].filled = 0;
    st = oak_agree(view->comm, oak_tree_walk_run(walk, w->var, write_node, w));
  }
  OAK_TRY(oak_agree(view->comm, close_levels(w, st)));

  oak_plot_level_t *level = malloc((size_t)(view->max_level + 1) * sizeof *level);
  if (!level) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write the headers of %s", part);
  for (int l = 0; l <= view->max_level && level; l++) level[l] = w->level[l].part;
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) st = oak_plot_write_text(view, level, part);
  free(level);
  return st;
}

static oak_status_t write_tree(const oak_grid_view_t *view, const char *part) {
  writer_t w = {view, 0, 1, NULL};
  oak_tree_walk_t *walk = NULL;
  for (int d = 0; d < view->dim; d++) w.ncell *= (size_t)view->block_size;
  OAK_TRY(oak_tree_walk_new(view, &walk));
  oak_status_t st = OAK_OK;
  w.level = calloc((size_t)view->max_level + 1, sizeof *w.level);
  if (!w.level) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s", part);
  for (int l = 0; l <= view->max_level && w.level; l++) w.level[l].fd = -1;
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) st = write_parts(&w, walk, part);
  if (w.level) free_levels(&w);
  oak_tree_walk_destroy(&walk);
  return st;
}

/* What oak_plotfile_check found first; nftw hands its callback no pointer of ours. */
static char stranger[PATH_MAX];

/** Stop at anything that a plotfile does not hold. \a at->level: 0 is the plotfile itself. */
static int find_stranger(const char *path, const struct stat *info, int type, struct FTW *at) {
  const char *name = path + at->base;
  const int file = S_ISREG(info->st_mode), is_folder = S_ISDIR(info->st_mode);
  (void)type;
  if (at->level == 0 && is_folder) return 0;
  if (at->level == 1 && file && !strcmp(name, "Header")) return 0;
  if (at->level == 1 && is_folder && !strncmp(name, "Level_", 6)) return 0;
  if (at->level == 2 && file && (!strcmp(name, "Cell_H") || !strncmp(name, "Cell_D_", 7))) return 0;
  /* NFS keeps removed files under such names while a viewer has them open. */
  if (at->level > 0 && file && !strncmp(name, ".nfs", 4)) return 0;
  snprintf(stranger, sizeof stranger, "%s", path);
  return 1;
}

oak_status_t oak_plotfile_check(const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  const int found = nftw(path, find_stranger, 16, FTW_PHYS);
  if (found < 0) return oak_file_failed("read", path, errno);
  OAK_CHECK(found == 0, OAK_ERR_FILE,
            "cannot replace %s: %s was not written by oak; move it away or choose another name",
            path, stranger);
  return OAK_OK;
}

oak_status_t oak_plotfile_remove(const char *path) {
  OAK_TRY(oak_plotfile_check(path));
  return oak_remove_all(path);
}

/** Is \a path free, or an earlier plotfile? Anything else is not ours to replace. */
static oak_status_t check_replaceable(const char *path) {
  struct stat info;
  if (lstat(path, &info) != 0) return OAK_OK;
  char *header = oak_text_new("%s/Header", path);
  const int is_plotfile = S_ISDIR(info.st_mode) && header && access(header, F_OK) == 0;
  free(header);
  OAK_CHECK(is_plotfile, OAK_ERR_FILE,
            "cannot write plotfile %s: something else of that name is there; move it away or "
            "choose another name",
            path);
  return oak_plotfile_check(path);
}

/** Rank 0: create the empty folders of the plotfile. */
static oak_status_t create_folders(const oak_grid_view_t *view, const char *path,
                                   const char *part) {
  OAK_TRY(check_replaceable(path));
  OAK_TRY(oak_make_parents(path));
  OAK_TRY(oak_plotfile_remove(part));
  if (mkdir(part, 0777) != 0) return oak_file_failed("create folder", part, errno);
  for (int l = 0; l <= view->max_level; l++) {
    char *folder = oak_text_new("%s/Level_%d", part, l);
    OAK_CHECK(folder, OAK_ERR_MEMORY, "no memory for the name of a folder in %s", part);
    const int failed = mkdir(folder, 0777) != 0;
    const oak_status_t st = failed ? oak_file_failed("create folder", folder, errno) : OAK_OK;
    free(folder);
    OAK_TRY(st);
  }
  return OAK_OK;
}

/** Rank 0: wait until the folders of the plotfile are on the disk, as its files are. */
static oak_status_t sync_folders(const oak_grid_view_t *view, const char *part) {
  for (int l = 0; l <= view->max_level; l++) {
    char *folder = oak_text_new("%s/Level_%d", part, l);
    OAK_CHECK(folder, OAK_ERR_MEMORY, "no memory for the name of a folder in %s", part);
    const oak_status_t st = oak_sync_folder(folder);
    free(folder);
    OAK_TRY(st);
  }
  return oak_sync_folder(part);
}

/** Rank 0: give the finished folder its name. An earlier plotfile keeps existing, under another
 * name, until the new one is in place. */
static oak_status_t publish(const oak_grid_view_t *view, const char *path, const char *part) {
  OAK_TRY(sync_folders(view, part));
  char *old = oak_text_new("%s" OAK_OLD, path);
  OAK_CHECK(old, OAK_ERR_MEMORY, "no memory for the name of %s", path);
  oak_status_t st = oak_plotfile_remove(old);
  int replaces = 0;
  if (st == OAK_OK) {
    replaces = rename(path, old) == 0;
    if (!replaces && errno != ENOENT) st = oak_file_failed("replace", path, errno);
  }
  if (st == OAK_OK && rename(part, path) != 0) {
    st = oak_file_failed("rename the finished plotfile to", path, errno);
    if (replaces && rename(old, path) != 0)
      st = OAK_FAIL(OAK_ERR_FILE, "%s; the earlier plotfile is now %s", oak_last_error(), old);
  } else if (st == OAK_OK && replaces) {
    /* The plotfile is good even if the old one stays, as when a viewer has it open over NFS. */
    (void)oak_plotfile_remove(old);
  }
  free(old);
  return st;
}

/** Fresh copy of \a path without slashes at its end. */
static char *plain_path(const char *path) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  return strndup(path, length);
}

oak_status_t oak_plotfile_write(const oak_grid_view_t *view, const char *path_given) {
  OAK_TRY(oak_view_check(view, path_given));
  int rank;
  MPI_Comm_rank(view->comm, &rank);
  char *path = plain_path(path_given);
  char *part = oak_text_new("%s" OAK_PART, path ? path : "");
  oak_status_t st = OAK_OK;
  if (!path || !part)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for the name of %s", path_given);
  else if (rank == 0)
    st = create_folders(view, path, part);
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) {
    st = write_tree(view, part);
    if (st == OAK_OK) st = oak_agree(view->comm, rank == 0 ? publish(view, path, part) : OAK_OK);
    if (st != OAK_OK) {
      /* The message to keep is that of the failure, not of a clean-up that may fail for the same
       * reason. All files are closed by now: writers closed them before they agreed. */
      char *message = strdup(oak_last_error());
      MPI_Barrier(view->comm);
      if (rank == 0) oak_plotfile_remove(part);
      if (message) OAK_FAIL(st, "%s", message);
      free(message);
    }
  }
  free(path);
  free(part);
  return st;
}

/** Where the file name begins in \a path. */
static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/** Rank 0: copy the lines of the list to \a out, with \a entry at its place. */
static oak_status_t merge_entry(const char *folder, const char *list, const char *entry,
                                FILE *out) {
  char *line = NULL;
  size_t size = 0;
  int placed = 0;
  oak_status_t st = OAK_OK;
  FILE *in = fopen(list, "r");
  while (in && st == OAK_OK && getline(&line, &size, in) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    char *header = oak_text_new("%s/%s", folder, line);
    if (!header) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to update %s", list);
    const int order = strverscmp(line, entry);
    if (order > 0 && !placed) fprintf(out, "%s\n", entry);
    if (order > 0) placed = 1;
    if (header && line[0] && order != 0 && access(header, F_OK) == 0) fprintf(out, "%s\n", line);
    free(header);
  }
  if (!placed) fprintf(out, "%s\n", entry);
  if (in) fclose(in);
  free(line);
  return st;
}

static oak_status_t update_series(const char *path) {
  const char *base = base_name(path);
  const int inside = base == path;
  char *folder = inside ? strdup(".") : strndup(path, (size_t)(base - path));
  char *list = oak_text_new("%s/plotfiles.visit", folder ? folder : "");
  char *entry = oak_text_new("%s/Header", base), *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  oak_status_t st = OAK_OK;
  if (!folder || !list || !entry || !out)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list %s", path);
  else
    st = merge_entry(folder, list, entry, out);
  if (out && fclose(out) != 0 && st == OAK_OK)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list %s", path);
  if (st == OAK_OK) st = oak_write_file(list, text, length);
  free(folder);
  free(list);
  free(entry);
  free(text);
  return st;
}

oak_status_t oak_plotfile_series(MPI_Comm comm, const char *path_given) {
  int rank;
  oak_status_t st = OAK_OK;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    char *path = plain_path(path_given);
    if (path)
      st = update_series(path);
    else
      st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list %s", path_given);
    free(path);
  }
  return oak_agree(comm, st);
}
