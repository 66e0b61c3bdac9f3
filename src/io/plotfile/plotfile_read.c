/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles read back: their values, as a grid view. The text files are plotfile_scan.c's, the tree
 * of blocks is plotfile_tree.c's. */
#include "plotfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "plotfile_text.h"

/** What was read last on a level: one variable of one box. Leaves come in Morton order. So those of
 * a box follow each other, with only leaves of finer levels between them. */
typedef struct {
  int fd, file;  /**< open file; -1: none */
  int box, var;  /**< -1: none */
  double *value; /**< of the box */
  int64_t room;  /**< for so many */
} level_t;

struct oak_plotfile {
  oak_grid_view_t view;
  oak_scan_t scan;
  oak_leaves_t leaves;
  char path[PATH_MAX];
  level_t *level; /**< [finest + 1] */
  int value_bytes;
  int64_t bytes;
};

static int64_t box_cells(const oak_scan_box_t *box) {
  return box->size[0] * box->size[1] * box->size[2];
}

static oak_status_t data_path(const oak_plotfile_t *p, int l, int file, char path[PATH_MAX]) {
  return oak_path_print(path, "%s/Level_%d/%s", p->path, l, p->scan.level[l].file[file]);
}

static oak_status_t damaged(const oak_plotfile_t *p, int l, const oak_scan_box_t *box,
                            const char *what) {
  return OAK_FAIL(OAK_ERR_FILE,
                  "%s/Level_%d/%s, byte %lld: %s; the plotfile is damaged, or was not written by "
                  "oak",
                  p->path, l, p->scan.level[l].file[box->file], (long long)box->offset, what);
}

/* ---- data files ---- */

static oak_status_t open_data(oak_plotfile_t *p, int l, int file) {
  level_t *level = &p->level[l];
  if (level->fd >= 0 && level->file == file) return OAK_OK;
  if (level->fd >= 0) close(level->fd);
  level->fd = -1;
  char path[PATH_MAX];
  OAK_TRY(data_path(p, l, file, path));
  level->file = file;
  level->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  OAK_CHECK(level->fd >= 0, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
  return OAK_OK;
}

/** Read the header of a box. \param [out] data  where its values begin. */
static oak_status_t read_fab_header(oak_plotfile_t *p, int l, const oak_scan_box_t *box, int *bytes,
                                    int *swap, int64_t *data) {
  char text[OAK_PLOT_FAB], expected[OAK_PLOT_FAB];
  OAK_TRY(open_data(p, l, box->file));
  const size_t n = oak_read_at(p->level[l].fd, text, sizeof text, box->offset);
  for (*bytes = 4; *bytes <= 8; *bytes += 4)
    for (*swap = 0; *swap < 2; ++*swap) {
      const size_t length = oak_scan_fab_header(&p->scan, box, *bytes, *swap, expected);
      *data = box->offset + (int64_t)length;
      if (n >= length && !memcmp(text, expected, length)) return OAK_OK;
    }
  return damaged(p, l, box, "no header of the box that Cell_H puts there");
}

/** Check the text files against the sizes of the data files. */
static oak_status_t check_level(oak_plotfile_t *p, int l) {
  const oak_scan_level_t *level = &p->scan.level[l];
  OAK_FREED int64_t *size = NULL;
  OAK_TRY(OAK_NEW(size, level->nfile));
  double promised = 0, present = 0;
  for (int f = 0; f < level->nfile; f++) {
    struct stat info;
    char path[PATH_MAX];
    OAK_TRY(data_path(p, l, f, path));
    OAK_CHECK(stat(path, &info) == 0, OAK_ERR_FILE, "cannot read %s: %s", path, strerror(errno));
    OAK_CHECK(S_ISREG(info.st_mode), OAK_ERR_FILE, "%s is no regular file", path);
    present += (double)(size[f] = info.st_size);
  }
  for (int b = 0; b < level->nbox; b++) {
    char header[OAK_PLOT_FAB];
    const oak_scan_box_t *box = &level->box[b];
    const double bytes = (double)box->size[0] * (double)box->size[1] * (double)box->size[2] *
                             p->scan.nvar * p->value_bytes +
                         (double)oak_scan_fab_header(&p->scan, box, p->value_bytes, 0, header);
    promised += bytes;
    if (bytes > (double)(size[box->file] - box->offset))
      return damaged(p, l, box, "the file ends before the values that Cell_H promises");
  }
  OAK_CHECK(
      promised <= present, OAK_ERR_FILE,
      "the data files of %s/Level_%d have %.17g bytes, fewer than the %.17g of its boxes; the "
      "plotfile is damaged",
      p->path, l, present, promised);
  p->bytes += (int64_t)present;
  return OAK_OK;
}

/* ---- values ---- */

static void swap_bytes(char *raw, size_t n, size_t bytes) {
  for (size_t i = 0; i < n; i++, raw += bytes)
    for (size_t b = 0; b < bytes / 2; b++) {
      const char other = raw[b];
      raw[b] = raw[bytes - 1 - b];
      raw[bytes - 1 - b] = other;
    }
}

/** Make variable \a var of box \a b what the level holds in memory. */
static oak_status_t load_box(oak_plotfile_t *p, int l, int b, int var) {
  level_t *level = &p->level[l];
  const oak_scan_box_t *box = &p->scan.level[l].box[b];
  int bytes, swap;
  int64_t data;
  if (level->box == b && level->var == var) return OAK_OK;
  level->box = -1;
  OAK_TRY(read_fab_header(p, l, box, &bytes, &swap, &data));
  if (bytes != p->value_bytes) return damaged(p, l, box, "values of another precision");
  const int64_t cells = box_cells(box);
  const size_t n = (size_t)cells, size = n * (size_t)bytes;
  if (cells > level->room) {
    free(level->value);
    level->room = 0;
    OAK_TRY(OAK_NEW(level->value, cells));
    level->room = cells;
  }
  char *raw = (char *)(level->value + n) - size; /* numbers grow towards the end of the memory */
  if (oak_read_at(level->fd, raw, size, data + (int64_t)size * var) != size)
    return damaged(p, l, box, "the file ends within the values, or cannot be read");
  if (swap) swap_bytes(raw, n, (size_t)bytes);
  for (size_t i = 0; bytes == 4 && i < n; i++) {
    float value;
    memcpy(&value, raw + i * sizeof value, sizeof value);
    level->value[i] = (double)value;
  }
  level->box = b;
  level->var = var;
  return OAK_OK;
}

/** Copy the cells of a leaf out of its box, which is in memory. */
static void copy_leaf(const oak_plotfile_t *p, int leaf, double *dst) {
  const int l = p->leaves.level[leaf];
  size_t n[3];
  const oak_scan_box_t *box = &p->scan.level[l].box[p->leaves.box[leaf]];
  size_t at[3];
  for (int d = 0; d < 3; d++) {
    n[d] = (size_t)p->leaves.block_size[d];
    at[d] = (size_t)((int64_t)p->leaves.index[leaf][d] * p->leaves.block_size[d] - box->low[d]);
  }
  for (size_t k = 0; k < n[2]; k++)
    for (size_t j = 0; j < n[1]; j++) {
      const size_t row = ((at[2] + k) * (size_t)box->size[1] + at[1] + j) * (size_t)box->size[0];
      memcpy(dst + (k * n[1] + j) * n[0], p->level[l].value + row + at[0], n[0] * sizeof *dst);
    }
}

static oak_status_t read_leaves(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  oak_plotfile_t *p = view->owner;
  const size_t cells = oak_view_block_cells(view);
  for (int b = b0; b < b0 + n; b++, dst += cells) {
    OAK_TRY(load_box(p, p->leaves.level[b], p->leaves.box[b], var));
    copy_leaf(p, b, dst);
  }
  return OAK_OK;
}

/* ---- open and close ---- */

static void make_view(oak_plotfile_t *p) {
  const oak_scan_t *scan = &p->scan;
  const oak_leaves_t *leaves = &p->leaves;
  p->view = (oak_grid_view_t){.comm = MPI_COMM_SELF,
                              .dim = scan->dim,
                              .coordinates = scan->coordinates,
                              .logarithmic = scan->logarithmic,
                              .min_level = scan->finest,
                              .nglobal = leaves->nleaf,
                              .nblock = leaves->nleaf,
                              .level = leaves->level,
                              .index = (const int32_t(*)[3])leaves->index,
                              .time = scan->time,
                              .step = (long)scan->step,
                              .value_bytes = p->value_bytes,
                              .nvar = scan->nvar,
                              .name = (const char *const *)scan->name,
                              .unit = (const char *const *)scan->unit,
                              .length_unit = scan->unit[scan->nvar],
                              .time_unit = scan->unit[scan->nvar + 1],
                              .read = read_leaves,
                              .owner = p};
  memcpy(p->view.block_size, leaves->block_size, sizeof leaves->block_size);
  memcpy(p->view.xmin, scan->xmin, sizeof scan->xmin);
  memcpy(p->view.xmax, scan->xmax, sizeof scan->xmax);
  memcpy(p->view.trees, leaves->trees, sizeof leaves->trees);
  for (int v = 0; v < scan->nvar; v++) {
    if (strcmp(scan->name[v], OAK_MASK_NAME)) continue;
    p->view.has_mask = 1;
    p->view.mask = v;
  }
  for (int b = 0; b < leaves->nleaf; b++) {
    if (leaves->level[b] < p->view.min_level) p->view.min_level = leaves->level[b];
    if (leaves->level[b] > p->view.max_level) p->view.max_level = leaves->level[b];
  }
}

static oak_status_t fill(oak_plotfile_t *p, const char *path, const int block_size[3]) {
  int swap;
  int64_t data;
  OAK_TRY(oak_path_print(p->path, "%.*s", oak_path_length(path), path));
  OAK_TRY(oak_scan_read(p->path, &p->scan));
  OAK_TRY(OAK_NEW(p->level, p->scan.finest + 1));
  for (int l = 0; l <= p->scan.finest; l++)
    p->level[l] = (level_t){.fd = -1, .file = -1, .box = -1, .var = -1};
  OAK_TRY(read_fab_header(p, 0, &p->scan.level[0].box[0], &p->value_bytes, &swap, &data));
  for (int l = 0; l <= p->scan.finest; l++) OAK_TRY(check_level(p, l));
  OAK_TRY(oak_leaves_find(&p->scan, p->path, block_size, &p->leaves));
  make_view(p);
  return OAK_OK;
}

oak_status_t oak_plotfile_open(const char *path, const int block_size[3], oak_plotfile_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  const oak_status_t st = fill(*out, path, block_size);
  if (st != OAK_OK) oak_plotfile_close(out);
  return st;
}

void oak_plotfile_close(oak_plotfile_t **plotfile) {
  oak_plotfile_t *p = *plotfile;
  *plotfile = NULL;
  if (!p) return;
  for (int l = 0; p->level && l <= p->scan.finest; l++) {
    if (p->level[l].fd >= 0) close(p->level[l].fd);
    free(p->level[l].value);
  }
  free(p->level);
  oak_leaves_free(&p->leaves);
  oak_scan_free(&p->scan);
  free(p);
}

const oak_grid_view_t *oak_plotfile_view(const oak_plotfile_t *plotfile) { return &plotfile->view; }

void oak_plotfile_range(const oak_plotfile_t *plotfile, int var, double range[2]) {
  memcpy(range, plotfile->scan.range[var], 2 * sizeof *range);
}

int64_t oak_plotfile_bytes(const oak_plotfile_t *plotfile) { return plotfile->bytes; }
