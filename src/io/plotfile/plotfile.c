/* SPDX-License-Identifier: GPL-2.0-or-later
 * AMReX plotfiles: the data files.
 *
 * The walk gives the data variable by variable and box by box. A box holds [var][k][j][i] in the
 * file, so one variable of one box is one write. Ranks next to each other share a file, each with a
 * part of its own.
 *
 * If the view stays while the run goes on, the thread of the disk reads and writes all boxes for
 * which the blocks of this rank suffice. The run then hands over the few boxes with parents whose
 * children are on several ranks, and the text files. */
#include "plotfile.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hosts.h"
#include "io/files/file_tools.h"
#include "io/view/boxes.h"
#include "plotfile_text.h"

enum {
  FILE_BYTES = 64 << 20, /**< a level gets one file for so many bytes, at most one per host */
  /** A rank's part begins at a multiple of a page, because two hosts must not share a page of a
   * file on NFS. */
  PART_ALIGN = 4096
};

/** What each rank has on a level. */
typedef struct {
  int64_t nbox, bytes;
} share_t;

/** One level while it is written. */
typedef struct {
  oak_plot_level_t part;
  int fd; /**< -1: not open */
  char path[PATH_MAX];
} level_t;

typedef struct {
  oak_part_file_t folder;
  oak_grid_view_t view; /**< a copy */
  oak_disk_t *disk;     /**< for values; NULL where they are written at once */
  oak_box_walk_t *walk;
  int finest; /**< highest level that is stored */
  int rank, size;
  int files;      /**< most data files of a level */
  int few_files;  /**< fewer, if files would otherwise be small */
  level_t *level; /**< [max_level + 1] */
  share_t *share; /**< [size][max_level + 1] */
} writer_t;

/** Most data files of a level: as asked for, or one per host. Collective. */
static int count_files(const oak_grid_view_t *view, int files) {
  int size, first, hosts;
  MPI_Comm host;
  MPI_Comm_size(view->comm, &size);
  if (files > 0) return files < size ? files : size;
  oak_hosts_split(view->comm, &host);
  MPI_Comm_rank(host, &first);
  hosts = first == 0;
  MPI_Allreduce(MPI_IN_PLACE, &hosts, 1, MPI_INT, MPI_SUM, view->comm);
  MPI_Comm_free(&host);
  return hosts;
}

static size_t box_header(const oak_grid_view_t *view, const oak_box_t *box,
                         char text[OAK_PLOT_FAB]) {
  int64_t low[3], high[3];
  oak_box_range(view, box, low, high);
  return oak_plot_fab_header(view->dim, view->nvar, view->value_bytes, 0, low, high, text);
}

/** Find where the boxes of a level are in this rank's part of a file. \a bytes: the sum of their
 * sizes. */
static oak_status_t place_boxes(const oak_grid_view_t *view, const oak_boxes_t *boxes,
                                oak_plot_level_t *part, int64_t *bytes) {
  *bytes = 0;
  part->box = boxes->box;
  part->nbox = boxes->nbox;
  OAK_TRY(OAK_NEW(part->place, part->nbox));
  OAK_TRY(OAK_NEW(part->range, 2 * (size_t)part->nbox * (size_t)view->nvar));
  for (int b = 0; b < part->nbox; b++) {
    char header[OAK_PLOT_FAB];
    part->place[b].header = *bytes;
    part->place[b].values = *bytes + (int64_t)box_header(view, &part->box[b], header);
    *bytes = part->place[b].values +
             (int64_t)oak_box_cells(view, &part->box[b]) * view->value_bytes * view->nvar;
  }
  return OAK_OK;
}

/** Boxes and their places in this rank's part. */
static oak_status_t prepare_levels(writer_t *w) {
  const oak_grid_view_t *view = &w->view;
  const oak_boxes_t *boxes = oak_box_walk_boxes(w->walk);
  share_t *mine = w->share + (size_t)w->rank * ((size_t)view->max_level + 1);
  for (int l = 0; l <= view->max_level; l++) {
    mine[l].nbox = boxes[l].nbox;
    OAK_TRY(place_boxes(view, &boxes[l], &w->level[l].part, &mine[l].bytes));
  }
  return OAK_OK;
}

static int64_t aligned(int64_t bytes) { return (bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN; }

/** Choose the file of this rank's part of a level, and where in it the part begins. */
static void place_part(writer_t *w, int l) {
  oak_plot_level_t *part = &w->level[l].part;
  const size_t nlevel = (size_t)w->view.max_level + 1;
  int64_t total = 0, begin = 0;
  part->total = 0;
  for (int r = 0; r < w->size; r++) {
    total += w->share[r * nlevel + l].bytes;
    part->total += w->share[r * nlevel + l].nbox;
  }
  int64_t files = w->few_files ? (total + FILE_BYTES - 1) / FILE_BYTES : w->files;
  if (files > w->files) files = w->files;
  part->file = (int)(w->rank * files / w->size);
  for (int r = w->rank - 1; r >= 0 && (int)(r * files / w->size) == part->file; r--)
    begin += aligned(w->share[r * nlevel + l].bytes);
  for (int b = 0; b < part->nbox; b++) {
    part->place[b].header += begin;
    part->place[b].values += begin;
  }
}

/** Open the data file of this rank's part of a level and write the headers of its boxes. */
static oak_status_t open_level(writer_t *w, int l) {
  level_t *level = &w->level[l];
  if (level->part.nbox == 0) return OAK_OK;
  OAK_TRY(oak_path_print(level->path, "%s/Level_%d/" OAK_PLOT_DATA, w->folder.part, l,
                         level->part.file));
  level->fd = open(level->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (level->fd < 0) return oak_file_failed("create", level->path, errno);
  for (int b = 0; b < level->part.nbox; b++) {
    char header[OAK_PLOT_FAB];
    const size_t length = box_header(&w->view, &level->part.box[b], header);
    OAK_TRY(oak_disk_write(w->view.disk, level->fd, header, length, level->part.place[b].header,
                           level->path));
  }
  return OAK_OK;
}

/** The lowest and the highest finite value; AMReX reads numbers only, so without any it is 0. */
static void find_range(const oak_box_values_t *box, int value_bytes, double range[2]) {
  const size_t n = box->bytes / (size_t)value_bytes;
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double value =
        value_bytes == 4 ? ((const float *)box->values)[i] : ((const double *)box->values)[i];
    if (!isfinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  range[0] = low > high ? 0.0 : low;
  range[1] = low > high ? 0.0 : high;
}

static oak_status_t write_box(void *context, const oak_box_values_t *box) {
  writer_t *w = context;
  level_t *level = &w->level[box->level];
  find_range(box, w->view.value_bytes,
             level->part.range + ((size_t)box->number * w->view.nvar + box->array) * 2);
  const int64_t at = level->part.place[box->number].values + (int64_t)box->bytes * box->array;
  return oak_disk_write(w->disk, level->fd, box->values, box->bytes, at, level->path);
}

/** Close the data files. If \a st is OAK_OK, all of their data are on the disk afterwards. Returns
 * \a st or the first failure. */
static oak_status_t close_levels(writer_t *w, oak_status_t st) {
  for (int l = 0; l <= w->view.max_level; l++) {
    level_t *level = &w->level[l];
    if (level->fd >= 0) st = oak_disk_close(w->view.disk, level->fd, level->path, st);
    level->fd = -1;
  }
  return st;
}

static void free_levels(writer_t *w) {
  for (int l = 0; l <= w->view.max_level && w->level; l++) {
    if (w->level[l].fd >= 0) close(w->level[l].fd);
    free(w->level[l].part.place);
    free(w->level[l].part.range);
  }
  free(w->level);
  free(w->share);
  w->level = NULL;
  w->share = NULL;
}

/** Release the view and everything that was made from it. Collective. */
static void end_view(writer_t *w) {
  free_levels(w);
  oak_box_walk_destroy(&w->walk);
  oak_view_release(&w->view);
}

/** Find the places of all values and open the data files. Collective. */
static oak_status_t begin_data(writer_t *w) {
  const oak_grid_view_t *view = &w->view;
  const int bytes = (int)sizeof *w->share * (view->max_level + 1);
  OAK_TRY(oak_agree(view->comm, prepare_levels(w)));
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, w->share, bytes, MPI_BYTE, view->comm);
  oak_status_t st = OAK_OK;
  for (int l = 0; l <= view->max_level; l++) place_part(w, l);
  for (int l = 0; l <= view->max_level && st == OAK_OK; l++) st = open_level(w, l);
  st = oak_agree(view->comm, st);
  if (st != OAK_OK) (void)close_levels(w, st); /* after the headers that are on their way */
  return st;
}

/** Write the text files into the folder, for the levels that are stored. Collective. */
static oak_status_t write_text(const writer_t *w) {
  const size_t nlevel = (size_t)w->finest + 1;
  oak_grid_view_t view = w->view;
  view.max_level = w->finest;
  OAK_FREED oak_plot_level_t *level = NULL;
  oak_status_t st = OAK_NEW(level, nlevel);
  for (size_t l = 0; l < nlevel && level; l++) level[l] = w->level[l].part;
  st = oak_agree(view.comm, st);
  if (st == OAK_OK) st = oak_plot_write_text(&view, level, w->folder.part);
  return st;
}

/** The boxes for which the blocks of this rank suffice; the job of the thread if the run goes on.
 */
static oak_status_t write_mine(void *context, oak_status_t st) {
  writer_t *w = context;
  w->disk = oak_view_goes_on(&w->view) ? NULL : w->view.disk;
  return st == OAK_OK ? oak_box_walk_begin(w->walk, write_box, w) : st;
}

/** The other boxes, and the text files. Collective. */
static oak_status_t end_data(writer_t *w, oak_status_t st) {
  w->disk = w->view.disk;
  if (st == OAK_OK) st = oak_box_walk_finish(w->walk, write_box, w);
  st = oak_agree(w->view.comm, close_levels(w, st));
  if (st == OAK_OK) st = write_text(w);
  end_view(w);
  return st;
}

static oak_status_t write_rest(void *context) { return end_data(context, OAK_OK); }

/* ---- all of it */

/** Write all of the plotfile into the folder, or begin it. Collective. */
static oak_status_t write_tree(writer_t *w, int files) {
  const oak_grid_view_t *view = &w->view;
  const size_t nlevel = (size_t)view->max_level + 1;
  OAK_TRY(oak_box_walk_new(view, 0, 0, &w->walk));
  w->files = count_files(view, files);
  oak_status_t st = OAK_NEW(w->level, nlevel);
  if (st == OAK_OK) st = OAK_NEW(w->share, nlevel * (size_t)w->size);
  for (size_t l = 0; l < nlevel && w->level; l++) w->level[l].fd = -1;
  OAK_TRY(oak_agree(view->comm, st));
  OAK_TRY(begin_data(w));
  if (oak_view_goes_on(view)) return oak_disk_do(view->disk, 0, write_mine, w);
  return end_data(w, oak_agree(view->comm, write_mine(w, OAK_OK)));
}

static const char *const content[] = {"Header", "Level_*/", "Level_*/Cell_H", "Level_*/Cell_D_*",
                                      NULL};
const oak_folder_kind_t oak_plotfile_folder = {"", content};

static oak_status_t publish(void *context) {
  const oak_folder_kind_t *const kind = &oak_plotfile_folder;
  return oak_folder_publish(1, &((writer_t *)context)->folder, &kind);
}

static void discard(void *context) {
  (void)oak_folder_remove(&oak_plotfile_folder, ((writer_t *)context)->folder.part);
}

static void free_writer(void *context) {
  if (!context) return;
  writer_t *w = context;
  end_view(w);
  free(w);
}

/** Highest level of the plotfile. Collective. */
static int find_finest(const oak_grid_view_t *view) {
  int finest = 0;
  if (!view->region) return view->max_level;
  for (int b = 0; b < view->nblock; b++) {
    /* If a block is not wanted, some of its ancestors may be wanted. The level of the finest wanted
     * ancestor is stored too. */
    for (int level = view->level[b]; level > finest; level--) {
      int32_t index[3];
      for (int d = 0; d < 3; d++) index[d] = view->index[b][d] >> (view->level[b] - level);
      if (oak_view_wants_node(view, level, index)) finest = level;
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &finest, 1, MPI_INT, MPI_MAX, view->comm);
  return finest;
}

oak_status_t oak_plotfile_check_level(const oak_grid_view_t *view, int level, const char *path) {
  return oak_view_check_cells(view, level, path,
                              "lower mesh.max_level, or write kind = xdmf in place of plotfiles "
                              "(output.plot_first_last = no)");
}

static oak_status_t check(const oak_grid_view_t *view, int files, int finest, const char *path) {
  OAK_TRY(oak_view_check(view, path));
  OAK_TRY(oak_plotfile_check_level(view, finest, path));
  OAK_CHECK(files >= 0, OAK_ERR_ARGUMENT,
            "%s: %d data files are asked for; 0, one per host, or more", path, files);
  return OAK_OK;
}

static oak_status_t begin_folder(const writer_t *w) {
  OAK_TRY(oak_folder_begin(&oak_plotfile_folder, w->folder.path, w->folder.part));
  for (int l = 0; l <= w->finest; l++) {
    char folder[PATH_MAX];
    OAK_TRY(oak_path_print(folder, "%s/Level_%d", w->folder.part, l));
    if (mkdir(folder, 0777) != 0) return oak_file_failed("create folder", folder, errno);
  }
  return OAK_OK;
}

/** A writer of its own for this rank, which takes over the view; rank 0 makes the folder. */
static oak_status_t begin(const oak_grid_view_t *view, int files, int finest, const char *path,
                          writer_t **out) {
  OAK_TRY(oak_view_take(view, sizeof **out, out));
  writer_t *w = *out;
  *w = (writer_t){.view = *view, .few_files = files == 0, .finest = finest};
  MPI_Comm_rank(view->comm, &w->rank);
  MPI_Comm_size(view->comm, &w->size);
  OAK_TRY(check(view, files, finest, path));
  OAK_TRY(oak_part_file_name(&w->folder, path));
  return w->rank == 0 ? begin_folder(w) : OAK_OK;
}

oak_status_t oak_plotfile_write(const oak_grid_view_t *view, int files, const char *path) {
  writer_t *w;
  const int finest = find_finest(view);
  oak_status_t st = oak_agree(view->comm, begin(view, files, finest, path, &w));
  if (st != OAK_OK) {
    free_writer(w);
    return st;
  }
  st = write_tree(w, files);
  const oak_disk_output_t output = {publish, discard, free_writer, w,
                                    oak_view_goes_on(view) ? write_rest : NULL};
  return oak_disk_commit(view->disk, view->comm, st, &output);
}
