/* SPDX-License-Identifier: GPL-2.0-or-later
 * XDMF files: raw data of each rank, and XML by rank 0 that says where each block is.
 *
 * A raw file holds the mask of ghost cells, if there are any, and then [var][block][k][j][i] and
 * [vector][block][k][j][i][3]; components of vectors are left out in Cartesian coordinates. In
 * curved coordinates the corners of the cells follow, [block][k][j][i][3] in double precision. The
 * XML names each block's place by a Seek: the XDMF 3 reader ignores hyperslabs of raw data without
 * a message. In 2D a block has the coordinates of its corners, since readers put a 2DCoRectMesh
 * into the wrong plane. */
#include "xdmf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "io/files/rank_text.h"
#include "xdmf_files.h"

enum { BATCH_BYTES = 4 << 20, BLOCKS_OF_TEXT = 2048, MASK_ALIGN = 8 };

typedef struct {
  const oak_grid_view_t *view;
  oak_disk_t *disk; /**< for values; NULL where they are written at once */
  int layers;
  int side[3];      /**< cells of a block along each dimension, ghost cells included */
  size_t ncell;     /**< their product */
  size_t ncorner;   /**< corners of these cells; 0: the coordinates give them */
  int64_t begin;    /**< where the values begin in this rank's file */
  int rank, rounds; /**< most batches that any rank reads */
  int nalone;       /**< variables that are written by themselves */
  int nbatch;       /**< blocks of a batch */
  double *batch;    /**< [nbatch][ncell] */
  char *packed;     /**< the same, as in the file */
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
  for (int v = 0; v < view->nvar; v++) w->nalone += oak_view_alone(view, v);
  w->nbatch = (int)(BATCH_BYTES / (w->ncell * sizeof(double)));
  if (w->nbatch < 1) w->nbatch = 1;
  w->rounds = (view->nblock + w->nbatch - 1) / w->nbatch;
  MPI_Allreduce(MPI_IN_PLACE, &w->rounds, 1, MPI_INT, MPI_MAX, view->comm);
}

static oak_status_t open_file(writer_t *w, const char *folder) {
  if (w->view->nblock == 0) return OAK_OK;
  OAK_TRY(oak_path_print(w->path, "%s/" OAK_XDMF_RANK, folder, w->rank));
  const size_t most = (size_t)w->nbatch * w->ncell, vector = w->view->nvector ? 3 : 0;
  OAK_TRY(OAK_NEW(w->batch, (1 + vector) * most));
  OAK_TRY(OAK_NEW(w->packed, (vector ? vector : 1) * most * (size_t)w->view->value_bytes));
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

/** Where the values of a block are in this rank's file. \a array: a variable that is written by
 * itself, counted among these, or the number of these and a vector. */
static int64_t values_at(const writer_t *w, int array, int b) {
  const int64_t one = (int64_t)w->ncell * w->view->value_bytes, blocks = w->view->nblock;
  const int vector = array - w->nalone;
  return w->begin + (vector < 0 ? (array * blocks + b) * one
                                : (w->nalone * blocks + 3 * (vector * blocks + b)) * one);
}

static oak_status_t read_batch(const writer_t *w, int var, int b0, int n, double *to) {
  const oak_grid_view_t *view = w->view;
  if (w->layers > 0) return view->read_ghosts(view, var, b0, n, w->layers, to);
  return n > 0 ? view->read(view, var, b0, n, to) : OAK_OK;
}

static oak_status_t put_batch(const writer_t *w, int array, int b0, size_t numbers,
                              const double *from) {
  if (numbers == 0) return OAK_OK;
  oak_view_pack(w->view, from, numbers, w->packed);
  return oak_disk_write(w->disk, w->fd, w->packed, numbers * (size_t)w->view->value_bytes,
                        values_at(w, array, b0), w->path);
}

/** Write blocks [b0, b0 + n) of a variable. Collective if there are ghost layers. */
static oak_status_t write_batch(writer_t *w, int var, int array, int b0, int n) {
  OAK_TRY(read_batch(w, var, b0, n, w->batch));
  return put_batch(w, array, b0, (size_t)n * w->ncell, w->batch);
}

/** The same of a vector. */
static oak_status_t write_vector(writer_t *w, int vector, int b0, int n) {
  const size_t cells = (size_t)n * w->ncell;
  double *value = w->batch + (size_t)w->nbatch * w->ncell;
  memset(value, 0, 3 * cells * sizeof *value);
  oak_status_t st = OAK_OK;
  for (int c = 0; c < 3; c++) {
    const int var = w->view->vector[vector].var[c];
    if (var < 0) continue;
    oak_keep_failure(&st, read_batch(w, var, b0, n, w->batch)); /* collective */
    for (size_t i = 0; i < cells; i++) value[3 * i + (size_t)c] = w->batch[i];
  }
  OAK_TRY(st);
  for (int b = 0; b < n; b++) {
    int64_t first[3];
    first_cell(w, b0 + b, first);
    oak_view_turn(w->view, w->view->level[b0 + b], first, w->side,
                  value + (size_t)b * 3 * w->ncell);
  }
  return put_batch(w, w->nalone + vector, b0, 3 * cells, value);
}

/** Where the corners of a block are in this rank's file. */
static int64_t corners_at(const writer_t *w, int b) {
  const oak_grid_view_t *view = w->view;
  return values_at(w, w->nalone + view->nvector, 0) +
         (int64_t)b * (int64_t)(3 * w->ncorner * sizeof(double));
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
  for (int v = 0, array = 0; v < view->nvar + view->nvector; v++) {
    if (v < view->nvar && !oak_view_alone(view, v)) continue;
    for (int r = 0; r < w->rounds; r++) {
      const int b0 = r * w->nbatch < view->nblock ? r * w->nbatch : view->nblock;
      const int n = view->nblock - b0 < w->nbatch ? view->nblock - b0 : w->nbatch;
      oak_keep_failure(&st, v < view->nvar ? write_batch(w, v, array, b0, n)
                                           : write_vector(w, v - view->nvar, b0, n));
    }
    array++;
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
          "Endian=\"%s\" Seek=\"%lld\">%s/" OAK_XDMF_RANK "</DataItem>",
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
  char name[OAK_VIEW_NAME];
  int array = 0;
  for (int v = 0; v < view->nvar; v++)
    if (oak_view_alone(view, v))
      print_item(out, w, oak_view_array_name(view, v, name), oak_view_unit(view, v), 0, "Float",
                 view->value_bytes, values_at(w, array++, b), data);
  for (int v = 0; v < view->nvector; v++)
    print_item(out, w, view->vector[v].name, oak_view_vector_unit(view, v), 1, "Float",
               view->value_bytes, values_at(w, array++, b), data);
  if (w->layers > 0) print_item(out, w, "vtkGhostType", "", 0, "UChar", 1, 0, data);
  fputs("</Grid>\n", out);
}

/** The XML of blocks [b0, b1) in fresh memory; NULL: no memory. */
static char *blocks_text(const writer_t *w, int b0, int b1, const char *data, size_t *length) {
  char *text = NULL;
  FILE *out = open_memstream(&text, length);
  if (!out) return NULL;
  for (int b = b0; b < b1; b++) print_block(out, w, b, data);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

static void write_blocks(const writer_t *w, oak_rank_text_t *text_file, const char *data) {
  int most = w->view->nblock;
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, w->view->comm);
  for (int b = 0; b < most; b += BLOCKS_OF_TEXT) {
    const int b0 = b < w->view->nblock ? b : w->view->nblock;
    const int b1 = w->view->nblock - b0 < BLOCKS_OF_TEXT ? w->view->nblock : b0 + BLOCKS_OF_TEXT;
    size_t length = 0;
    char *text = blocks_text(w, b0, b1, data, &length);
    oak_rank_text_gather(text_file, text, length);
    free(text);
  }
}

/** Write the XML to \a path, with \a data for the folder of the raw files. Collective. */
static oak_status_t write_xml(const writer_t *w, const char *path, const char *data) {
  oak_rank_text_t text_file;
  OAK_TRY(oak_rank_text_open(&text_file, w->view->comm, w->view->disk));
  oak_rank_text_begin(&text_file, path);
  if (text_file.out)
    fprintf(text_file.out,
            "<?xml version=\"1.0\"?>\n" OAK_XDMF_MARK
            "\n<Xdmf Version=\"2.0\"><Domain>\n"
            "<Grid Name=\"oak\" GridType=\"Collection\" CollectionType=\"Spatial\">\n"
            "<Time Value=\"%.17g\"/>\n<Information Name=\"step\" Value=\"%ld\"/>\n",
            w->view->time, w->view->step);
  write_blocks(w, &text_file, data);
  if (text_file.out) fputs("</Grid>\n</Domain></Xdmf>\n", text_file.out);
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

/** An output until it has its name. */
typedef struct {
  oak_xdmf_files_t files;
  oak_grid_view_t view; /**< a copy */
  writer_t writer;
} output_t;

static oak_status_t publish(void *context) {
  return oak_xdmf_files_publish(&((output_t *)context)->files);
}

static void discard(void *context) { oak_xdmf_files_discard(&((output_t *)context)->files); }

static void free_output(void *context) {
  output_t *output = context;
  if (!output) return;
  oak_view_release(&output->view);
  free(output);
}

static oak_status_t check(const oak_grid_view_t *view, int layers, const char *path) {
  OAK_TRY(oak_view_check(view, path));
  return check_layers(view, layers, path);
}

/** An output of its own for this rank, which takes over the view; rank 0 makes the folder. */
static oak_status_t begin(const oak_grid_view_t *view, int layers, const char *path,
                          output_t **out) {
  OAK_TRY(oak_view_take(view, sizeof **out, out));
  output_t *output = *out;
  output->view = *view;
  output->writer =
      (writer_t){.view = &output->view, .disk = view->disk, .layers = layers, .fd = -1};
  MPI_Comm_rank(view->comm, &output->writer.rank);
  OAK_TRY(check(view, layers, path));
  OAK_TRY(oak_xdmf_files_name(&output->files, path));
  return output->writer.rank == 0 ? oak_xdmf_files_prepare(&output->files) : OAK_OK;
}

oak_status_t oak_xdmf_write(const oak_grid_view_t *view, int ghost_layers, const char *path) {
  output_t *output;
  oak_status_t st = oak_agree(view->comm, begin(view, ghost_layers, path, &output));
  if (st != OAK_OK) {
    free_output(output);
    return st;
  }
  writer_t *w = &output->writer;
  const oak_xdmf_files_t *files = &output->files;
  shape(w);
  st = write_data(w, files->data_part);
  st = oak_agree(view->comm, st);
  if (st == OAK_OK) st = write_xml(w, files->xml_part, files->data_name);
  const oak_disk_output_t end = {publish, discard, free_output, output, NULL, 0};
  return oak_disk_commit(view->disk, view->comm, st, &end);
}
