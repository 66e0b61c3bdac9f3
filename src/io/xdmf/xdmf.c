/* SPDX-License-Identifier: GPL-2.0-or-later
 * XDMF files: raw data of each rank, and XML by rank 0 that says where each block is.
 *
 * A raw file holds the mask of ghost cells, if there are any, and then the arrays of
 * oak_view_arrays(), [block][k][j][i] of variables and [block][k][j][i][3] of vectors. In curved
 * coordinates the corners of the cells follow, [block][k][j][i][3] in double precision. The XML
 * names each block's place by a Seek: the XDMF 3 reader ignores hyperslabs of raw data without a
 * message. In 2D a block has the coordinates of its corners, since readers put a 2DCoRectMesh into
 * the wrong plane. */
#include "xdmf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/files/rank_text.h"

/** A rank's file in the data folder. */
#define XDMF_RANK "rank_%05d.raw"

enum { BATCH_BYTES = 4 << 20, BLOCKS_OF_TEXT = 2048, MASK_ALIGN = 8 };

typedef struct {
  oak_part_file_t file[2]; /**< the XML, and the folder of the raw files */
  oak_grid_view_t copy;
  const oak_grid_view_t *view; /**< the copy */
  oak_disk_t *disk;            /**< for values; NULL where they are written at once */
  int layers;
  int side[3];             /**< cells of a block along each dimension, ghost cells included */
  size_t ncell;            /**< their product */
  size_t ncorner;          /**< corners of these cells; 0: the coordinates give them */
  int64_t begin;           /**< where the values begin in this rank's file */
  int rank, rounds;        /**< most batches that any rank reads */
  oak_view_array_t *array; /**< [narray] */
  int narray;
  int nbatch;    /**< blocks of a batch */
  double *batch; /**< [3 or, without vectors, 1][nbatch][ncell] */
  char *packed;  /**< the same, as in the file */
  int fd;
  char path[PATH_MAX];
} writer_t;

static int is_ghost(const writer_t *w, int i, int j, int k) {
  const int at[3] = {i, j, k};
  for (int d = 0; d < w->view->dim; d++)
    if (at[d] < w->layers || at[d] >= w->side[d] - w->layers) return 1;
  return 0;
}

/** The mask that all blocks share: 1, vtkDataSetAttributes::DUPLICATECELL, where a cell is a ghost.
 */
static oak_status_t write_mask(writer_t *w) {
  if (w->layers == 0) return OAK_OK;
  char *mask;
  OAK_TRY(OAK_NEW(mask, w->begin));
  char *at = mask;
  for (int k = 0; k < w->side[2]; k++)
    for (int j = 0; j < w->side[1]; j++)
      for (int i = 0; i < w->side[0]; i++) *at++ = (char)is_ghost(w, i, j, k);
  const oak_status_t st = oak_disk_write(w->view->disk, w->fd, mask, (size_t)w->begin, 0, w->path);
  free(mask);
  return st;
}

static void shape(writer_t *w) {
  const oak_grid_view_t *view = w->view;
  w->ncell = 1;
  for (int d = 0; d < 3; d++) {
    w->side[d] = d < view->dim ? view->block_size[d] + 2 * w->layers : 1;
    w->ncell *= (size_t)w->side[d];
  }
  if (oak_view_is_bent(view)) {
    w->ncorner = 1;
    for (int d = 0; d < view->dim; d++) w->ncorner *= (size_t)w->side[d] + 1;
  }
  if (w->layers > 0) w->begin = (int64_t)((w->ncell + MASK_ALIGN - 1) / MASK_ALIGN * MASK_ALIGN);
  w->nbatch = (int)(BATCH_BYTES / (w->ncell * sizeof(double)));
  if (w->nbatch < 1) w->nbatch = 1;
  w->rounds = (view->nblock + w->nbatch - 1) / w->nbatch;
  MPI_Allreduce(MPI_IN_PLACE, &w->rounds, 1, MPI_INT, MPI_MAX, view->comm);
}

static oak_status_t open_file(writer_t *w, const char *folder) {
  if (w->view->nblock == 0) return OAK_OK;
  OAK_TRY(oak_path_print(w->path, "%s/" XDMF_RANK, folder, w->rank));
  const size_t most = (w->view->nvector ? 3 : 1) * (size_t)w->nbatch * w->ncell;
  OAK_TRY(OAK_NEW(w->batch, most));
  OAK_TRY(OAK_NEW(w->packed, most * (size_t)w->view->value_bytes));
  w->fd = open(w->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (w->fd < 0) return oak_file_failed("create", w->path, errno);
  return write_mask(w);
}

/** The first cell of a block and of its ghost cells, counted from the lower end of the domain. */
static void first_cell(const writer_t *w, int b, int64_t first[3]) {
  for (int d = 0; d < 3; d++)
    first[d] =
        d < w->view->dim ? (int64_t)w->view->index[b][d] * w->view->block_size[d] - w->layers : 0;
}

/** Where the values of a block are in this rank's file; those of array number narray would come
 * behind all others. */
static int64_t values_at(const writer_t *w, int array, int b) {
  const int64_t one = (int64_t)w->ncell * w->view->value_bytes, blocks = w->view->nblock;
  int64_t at = array < w->narray ? (int64_t)w->array[array].count * b : 0;
  for (int a = 0; a < array; a++) at += w->array[a].count * blocks;
  return w->begin + at * one;
}

static oak_status_t read_batch(const writer_t *w, int var, int b0, int n, double *to) {
  const oak_grid_view_t *view = w->view;
  if (w->layers > 0) return view->read_ghosts(view, var, b0, n, w->layers, to);
  return n > 0 ? view->read(view, var, b0, n, to) : OAK_OK;
}

/** Write blocks [b0, b0 + n) of an array. Collective if there are ghost layers. */
static oak_status_t write_batch(writer_t *w, int number, int b0, int n) {
  const oak_view_array_t *array = &w->array[number];
  const size_t stride = (size_t)w->nbatch * w->ncell, cells = (size_t)n * w->ncell;
  const size_t bytes = (size_t)(array->count * w->view->value_bytes);
  oak_status_t st = OAK_OK;
  for (int c = 0; c < array->count; c++) {
    double *to = n > 0 ? w->batch + (size_t)c * stride : NULL;
    if (array->var[c] >= 0)
      oak_keep_failure(&st, read_batch(w, array->var[c], b0, n, to));
    else if (n > 0)
      memset(to, 0, cells * sizeof *to);
  }
  if (st != OAK_OK || n == 0) return st;
  for (size_t row = 0; row < cells / (size_t)w->side[0]; row++) {
    const size_t at = row * (size_t)w->side[0], b = (size_t)b0 + at / w->ncell;
    const int line = (int)(at % w->ncell) / w->side[0];
    int64_t first[3];
    first_cell(w, (int)b, first);
    first[1] += line % w->side[1];
    first[2] += line / w->side[1];
    oak_view_pack_row(w->view, array, w->view->level[b], first, w->side[0], w->batch + at, stride,
                      w->packed + at * bytes);
  }
  return oak_disk_write(w->disk, w->fd, w->packed, cells * bytes, values_at(w, number, b0),
                        w->path);
}

/** Where the corners of a block are in this rank's file. */
static int64_t corners_at(const writer_t *w, int b) {
  return values_at(w, w->narray, 0) + (int64_t)b * (int64_t)(3 * w->ncorner * sizeof(double));
}

static oak_status_t write_corners(writer_t *w) {
  const size_t bytes = 3 * w->ncorner * sizeof(double);
  OAK_FREED double *point = NULL;
  if (w->ncorner == 0 || w->view->nblock == 0) return OAK_OK;
  oak_status_t st = OAK_NEW(point, 3 * w->ncorner);
  for (int b = 0; b < w->view->nblock && st == OAK_OK; b++) {
    int64_t first[3];
    first_cell(w, b, first);
    oak_view_corners(w->view, w->view->level[b], first, w->side, point);
    st = oak_disk_write(w->disk, w->fd, point, bytes, corners_at(w, b), w->path);
  }
  return st;
}

/** Write this rank's file. Collective; the status is this rank's. */
static oak_status_t write_values(writer_t *w) {
  const oak_grid_view_t *view = w->view;
  oak_status_t st = OAK_OK;
  for (int a = 0; a < w->narray; a++)
    for (int r = 0; r < w->rounds; r++) {
      const int b0 = r * w->nbatch < view->nblock ? r * w->nbatch : view->nblock;
      const int n = view->nblock - b0 < w->nbatch ? view->nblock - b0 : w->nbatch;
      oak_keep_failure(&st, write_batch(w, a, b0, n));
    }
  return st == OAK_OK ? write_corners(w) : st;
}

/** Close the file. If \a st is OAK_OK, all of it is on the disk afterwards. Returns \a st or the
 * first failure. */
static oak_status_t close_file(writer_t *w, oak_status_t st) {
  if (w->fd >= 0) st = oak_disk_close(w->disk, w->fd, w->path, st);
  w->fd = -1;
  free(w->batch);
  free(w->packed);
  w->batch = NULL;
  w->packed = NULL;
  return st;
}

/** The job of the thread, if the run goes on. */
static oak_status_t write_later(void *context, oak_status_t st) {
  writer_t *w = context;
  w->disk = NULL; /* this is its thread */
  if (st == OAK_OK) st = write_values(w);
  return close_file(w, st);
}

static oak_status_t write_data(writer_t *w, const char *folder) {
  MPI_Comm comm = w->view->comm;
  oak_status_t st = oak_agree(comm, open_file(w, folder));
  if (st == OAK_OK && oak_view_goes_on(w->view)) return oak_disk_do(w->disk, 0, write_later, w);
  if (st == OAK_OK) st = write_values(w);
  return oak_agree(comm, close_file(w, st));
}

/* ---- XML ------------------------------------------------------------------------------------- */

/** A DataItem of this rank's file; \a shape: the numbers of its values along the dimensions. */
static void print_data(FILE *out, const writer_t *w, const char *shape, const char *type, int bytes,
                       int64_t seek, const char *data) {
  const int one = 1;
  fprintf(out,
          "<DataItem Dimensions=\"%s\" NumberType=\"%s\" Precision=\"%d\" Format=\"Binary\" "
          "Endian=\"%s\" Seek=\"%lld\">%s/" XDMF_RANK "</DataItem>",
          shape, type, bytes, *(const char *)&one ? "Little" : "Big", (long long)seek, data,
          w->rank);
}

enum { SHAPE = 64 };

/** The cells of a block, or with \a more = 1 its corners, along (z,) y, x. */
static void print_shape(const writer_t *w, int more, char shape[SHAPE]) {
  const int *n = w->side;
  if (w->view->dim == 2)
    snprintf(shape, SHAPE, "%d %d", n[1] + more, n[0] + more);
  else
    snprintf(shape, SHAPE, "%d %d %d", n[2] + more, n[1] + more, n[0] + more);
}

/** \a unit: "" if there is none. */
static void print_item(FILE *out, const writer_t *w, const char *name, const char *unit, int vector,
                       const char *type, int bytes, int64_t seek, const char *data) {
  char cells[SHAPE], shape[SHAPE + 2];
  print_shape(w, 0, cells);
  snprintf(shape, sizeof shape, "%s%s", cells, vector ? " 3" : "");
  fprintf(out, "<Attribute Name=\"%s\" AttributeType=\"%s\" Center=\"Cell\">", name,
          vector ? "Vector" : "Scalar");
  if (*unit) fprintf(out, "<Information Name=\"Unit\" Value=\"%s\"/>", unit);
  print_data(out, w, shape, type, bytes, seek, data);
  fputs("</Attribute>\n", out);
}

/** Where the cells of a block of a curved mesh are. */
static void print_corners(FILE *out, const writer_t *w, int b, const char *data) {
  char shape[SHAPE], points[SHAPE + 2];
  print_shape(w, 1, shape);
  snprintf(points, sizeof points, "%s 3", shape);
  fprintf(out,
          "<Topology TopologyType=\"%dDSMesh\" Dimensions=\"%s\"/>\n"
          "<Geometry GeometryType=\"XYZ\">",
          w->view->dim, shape);
  print_data(out, w, points, "Float", 8, corners_at(w, b), data);
  fputs("</Geometry>\n", out);
}

/** Where the cells of a block are, if they are rectangles: the coordinates along each axis. */
static void print_rectangles(FILE *out, const writer_t *w, int b) {
  int64_t first[3];
  first_cell(w, b, first);
  fprintf(out,
          "<Topology TopologyType=\"2DRectMesh\" Dimensions=\"%d %d\"/>\n"
          "<Geometry GeometryType=\"VXVY\">",
          w->side[1] + 1, w->side[0] + 1);
  for (int d = 0; d < 2; d++) {
    fprintf(out, "<DataItem Dimensions=\"%d\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">",
            w->side[d] + 1);
    for (int64_t i = first[d]; i <= first[d] + w->side[d]; i++)
      fprintf(out, " %.17g", oak_view_coordinate(w->view, w->view->level[b], d, (double)i));
    fputs("</DataItem>", out);
  }
  fputs("</Geometry>\n", out);
}

/** The same if they are boxes. */
static void print_boxes(FILE *out, const writer_t *w, int b) {
  const oak_grid_view_t *view = w->view;
  double low[3], h[3];
  int64_t first[3];
  first_cell(w, b, first);
  for (int d = 0; d < 3; d++) {
    h[d] = oak_view_cell_size(view, view->level[b], d);
    low[d] = view->xmin[d] + (double)first[d] * h[d];
  }
  fprintf(out,
          "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%d %d %d\"/>\n"
          "<Geometry GeometryType=\"ORIGIN_DXDYDZ\"><DataItem Dimensions=\"3\" "
          "NumberType=\"Float\" Precision=\"8\" Format=\"XML\">%.17g %.17g "
          "%.17g</DataItem><DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" "
          "Format=\"XML\">%.17g %.17g %.17g</DataItem></Geometry>\n",
          w->side[2] + 1, w->side[1] + 1, w->side[0] + 1, low[2], low[1], low[0], h[2], h[1], h[0]);
}

static void print_block(FILE *out, const writer_t *w, int b, const char *data) {
  const oak_grid_view_t *view = w->view;
  fprintf(out, "<Grid Name=\"%lld\" GridType=\"Uniform\">\n", (long long)view->first + b);
  if (w->ncorner > 0)
    print_corners(out, w, b, data);
  else if (view->dim == 2)
    print_rectangles(out, w, b);
  else
    print_boxes(out, w, b);
  for (int a = 0; a < w->narray; a++)
    print_item(out, w, w->array[a].name, w->array[a].unit, w->array[a].count == 3, "Float",
               view->value_bytes, values_at(w, a, b), data);
  if (w->layers > 0) print_item(out, w, "vtkGhostType", "", 0, "UChar", 1, 0, data);
  fputs("</Grid>\n", out);
}

/** Some blocks, and the folder of the raw files. */
typedef struct {
  const writer_t *writer;
  int from, to;
  const char *data;
} blocks_t;

static void print_blocks(const void *context, FILE *out) {
  const blocks_t *blocks = context;
  for (int b = blocks->from; b < blocks->to; b++) print_block(out, blocks->writer, b, blocks->data);
}

/** Write the XML to \a path, with \a data for the folder of the raw files. Collective. */
static oak_status_t write_xml(const writer_t *w, const char *path, const char *data) {
  oak_rank_text_t text_file;
  OAK_TRY(oak_rank_text_open(&text_file, w->view->comm, w->view->disk));
  oak_rank_text_begin(&text_file, path);
  oak_rank_text_print(&text_file,
                      "<?xml version=\"1.0\"?>\n" OAK_XDMF_MARK
                      "\n<Xdmf Version=\"2.0\"><Domain>\n"
                      "<Grid Name=\"oak\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
                      "<Time Value=\"%.17g\"/>\n<Information Name=\"step\" Value=\"%ld\"/>\n",
                      w->view->time, w->view->step);
  int most = w->view->nblock;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, w->view->comm);
  for (blocks_t part = {.writer = w, .data = data}; part.from < most; part.from = part.to) {
    part.to = part.from + BLOCKS_OF_TEXT;
    blocks_t mine = part;
    if (mine.to > w->view->nblock) mine.to = w->view->nblock;
    oak_rank_text_gather(&text_file, print_blocks, &mine);
  }
  oak_rank_text_print(&text_file, "</Grid>\n</Domain></Xdmf>\n");
  oak_rank_text_finish(&text_file);
  return oak_rank_text_close(&text_file);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static oak_status_t check_layers(const oak_grid_view_t *view, int layers, const char *path) {
  for (int d = 0; d < view->dim; d++)
    OAK_CHECK(layers >= 0 && layers <= view->block_size[d] / 2, OAK_ERR_ARGUMENT,
              "%s: %d ghost layers are asked for; blocks of %d cells a side can be written with 0 "
              "to %d",
              path, layers, view->block_size[d], view->block_size[d] / 2);
  OAK_CHECK(layers == 0 || view->read_ghosts, OAK_ERR_ARGUMENT,
            "%s: ghost cells are asked for, and these variables have none", path);
  return OAK_OK;
}

static const char *const content[] = {"rank_*.raw", NULL};
const oak_folder_kind_t oak_xdmf_folder = {OAK_XDMF_DATA, content};

static oak_status_t publish(void *context) {
  static const oak_folder_kind_t *const kind[] = {NULL, &oak_xdmf_folder};
  return oak_folder_publish(2, ((writer_t *)context)->file, kind);
}

static void discard(void *context) {
  const oak_part_file_t *file = ((writer_t *)context)->file;
  (void)unlink(file[0].part);
  oak_folder_discard(&oak_xdmf_folder, file[1].part);
}

static void free_writer(void *context) {
  writer_t *w = context;
  if (!w) return;
  oak_view_release(&w->copy);
  free(w->array);
  free(w);
}

static oak_status_t name_files(oak_part_file_t file[2], const char *path) {
  char data[PATH_MAX];
  OAK_CHECK(oak_path_ends(basename(path), OAK_XDMF), OAK_ERR_ARGUMENT,
            "%s: the name of an XDMF file ends in " OAK_XDMF, path);
  OAK_TRY(oak_path_print(data, "%.*s" OAK_XDMF_DATA, (int)(strlen(path) - strlen(OAK_XDMF)), path));
  OAK_TRY(oak_part_file_name(&file[0], path));
  return oak_part_file_name(&file[1], data);
}

/** Make sure that the names are free or of an earlier output, and create the empty folder. */
static oak_status_t prepare(const oak_part_file_t file[2]) {
  OAK_TRY(oak_file_claim(file[0].path, OAK_XDMF_MARK, strlen(OAK_XDMF_MARK)));
  return oak_folder_begin(&oak_xdmf_folder, file[1].path, file[1].part);
}

/** A writer of its own for this rank, which takes over the view; rank 0 makes the folder. */
static oak_status_t begin(const oak_grid_view_t *view, int layers, const char *path,
                          writer_t **out) {
  OAK_TRY(oak_view_take(view, sizeof **out, out));
  writer_t *w = *out;
  *w = (writer_t){.copy = *view, .view = &w->copy, .disk = view->disk, .layers = layers, .fd = -1};
  MPI_Comm_rank(view->comm, &w->rank);
  OAK_TRY(oak_view_check(view, path));
  OAK_TRY(check_layers(view, layers, path));
  OAK_TRY(name_files(w->file, path));
  OAK_TRY(oak_view_arrays(view, 1, &w->array, &w->narray));
  return w->rank == 0 ? prepare(w->file) : OAK_OK;
}

oak_status_t oak_xdmf_write(const oak_grid_view_t *view, int ghost_layers, const char *path) {
  writer_t *w;
  oak_status_t st = oak_agree(view->comm, begin(view, ghost_layers, path, &w));
  if (st != OAK_OK) {
    free_writer(w);
    return st;
  }
  shape(w);
  st = oak_agree(view->comm, write_data(w, w->file[1].part));
  if (st == OAK_OK) st = write_xml(w, w->file[0].part, basename(w->file[1].path));
  const oak_disk_output_t end = {publish, discard, free_writer, w, NULL};
  return oak_disk_commit(view->disk, view->comm, st, &end);
}
