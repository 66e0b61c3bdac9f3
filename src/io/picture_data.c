/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pixels from blocks: each rank draws its own, rank 0 gets the sum, a band of rows at a time.
 *
 * Where pixels and cells meet is computed in integers, and pixels are sums of integers, so they
 * are the same for any number of ranks and any order of summation. A pixel is one 64-bit number:
 * the upper 24 bits are a weight (ONE * ONE for a pixel that is covered once), the lower 40 the sum
 * of weight times value, the value being mapped from the range to 0 .. 65535. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture_parts.h"

enum { ONE = 1024, VALUE_MAX = 65535, SUM_BITS = 40, BAND_BYTES = 8 << 20, BATCH_BYTES = 4 << 20 };

static const uint64_t NO_VALUE = UINT64_MAX; /* a cell without a finite value is in the pixel */
static const uint32_t NO_VALUE_COLOR = 0xFF00FF;

enum { MESH_MIN_PIXELS = 6, MESH_FULL_PIXELS = 64 };
static const double MESH_FAINT = 0.16, MESH_STRONG = 0.55;

/** How much of a pixel a cell gets along one dimension. */
typedef struct {
  int pixel, cell, weight; /* cell: within its block */
} overlap_t;

typedef struct {
  const oak_scene_t *scene;
  int row0, row1;      /* rows of the band, counted from below */
  uint64_t *pixel;     /* [row1 - row0][width] */
  uint8_t *mesh;       /* [row1 - row0][width] share of the mesh colour, of 255; NULL: no mesh */
  overlap_t *along[2]; /* for one block, the two dimensions of the picture */
  double *batch;       /* [nbatch] blocks */
  int nbatch;
  size_t ncell;
} band_t;

/* ---- geometry, all in integers ---- */

static int64_t blocks_along(const oak_scene_t *scene, int d, int level) {
  return (int64_t)scene->view->trees[d] << level;
}

/** First pixel whose centre is at or above the lower side of the \a i-th of \a n blocks. */
static int first_pixel(int64_t i, int64_t n, int pixels) {
  return (int)((2 * i * pixels + n - 1) / (2 * n));
}

/** Does the slice go through the block? */
static int in_slice(const oak_scene_t *scene, int b) {
  if (scene->normal < 0) return 1;
  const int level = scene->view->level[b];
  const int64_t n = blocks_along(scene, scene->normal, level);
  int64_t i = (int64_t)floor(scene->fraction * (double)(INT64_C(1) << level));
  if (i >= n) i = n - 1;
  return scene->view->index[b][scene->normal] == i;
}

/** Layer of cells of the block that the slice goes through. */
static int slice_layer(const oak_scene_t *scene, int b) {
  const int size = scene->view->block_size;
  const double block = scene->fraction * (double)(INT64_C(1) << scene->view->level[b]) -
                       scene->view->index[b][scene->normal];
  const int layer = (int)floor(block * size);
  return layer < 0 ? 0 : layer < size ? layer : size - 1;
}

/** List which pixels of [p0, p1) the cells of a block touch along one dimension. \return the
 * number of entries, at most pixels touched + cells + 1. */
static int find_overlaps(int64_t block, int64_t nblocks, int size, int pixels, int p0, int p1,
                         overlap_t *out) {
  const int64_t n = nblocks * size, first = block * size;
  int count = 0;
  if (n <= pixels) { /* cells of a pixel or more: the one at the centre of the pixel */
    for (int p = first_pixel(block, nblocks, pixels); p < p1; p++) {
      const int64_t cell = (2 * (int64_t)p + 1) * n / (2 * (int64_t)pixels) - first;
      if (cell >= size) break;
      if (p >= p0 && cell >= 0) out[count++] = (overlap_t){p, (int)cell, ONE};
    }
    return count;
  }
  for (int c = 0; c < size; c++) {
    const int64_t low = (2 * ONE * (first + c) * pixels + n) / (2 * n);
    const int64_t high = (2 * ONE * (first + c + 1) * pixels + n) / (2 * n);
    for (int64_t p = low / ONE; p * ONE < high; p++) {
      const int64_t from = low > p * ONE ? low : p * ONE;
      const int64_t to = high < (p + 1) * ONE ? high : (p + 1) * ONE;
      if (p >= p0 && p < p1 && to > from) out[count++] = (overlap_t){(int)p, c, (int)(to - from)};
    }
  }
  return count;
}

/* ---- one block ---- */

/** Add the cells of a block to the pixels. */
static void draw_block(band_t *band, int b, const double *cells) {
  const oak_scene_t *scene = band->scene;
  const oak_grid_view_t *view = scene->view;
  const size_t size = (size_t)view->block_size;
  const size_t stride[3] = {1, size, size * size};
  int count[2];
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    count[a] =
        find_overlaps(view->index[b][d], blocks_along(scene, d, view->level[b]), view->block_size,
                      a == 0 ? scene->width : scene->height, a == 0 ? 0 : band->row0,
                      a == 0 ? scene->width : band->row1, band->along[a]);
  }
  if (scene->normal >= 0) cells += (size_t)slice_layer(scene, b) * stride[scene->normal];
  const double scale = VALUE_MAX / (scene->high - scene->low);
  for (int j = 0; j < count[1]; j++) {
    const overlap_t *oy = &band->along[1][j];
    const double *line = cells + (size_t)oy->cell * stride[scene->axis[1]];
    uint64_t *row = band->pixel + (size_t)(oy->pixel - band->row0) * scene->width;
    for (int i = 0; i < count[0]; i++) {
      const overlap_t *ox = &band->along[0][i];
      const double value = line[(size_t)ox->cell * stride[scene->axis[0]]];
      uint64_t *pixel = &row[ox->pixel];
      if (!isfinite(value)) *pixel = NO_VALUE;
      if (*pixel == NO_VALUE) continue;
      const double t = (value - scene->low) * scale;
      const uint64_t level = t <= 0 ? 0 : t >= VALUE_MAX ? VALUE_MAX : (uint64_t)(t + 0.5);
      const uint64_t weight = (uint64_t)ox->weight * (uint64_t)oy->weight;
      *pixel += weight << SUM_BITS | weight * level;
    }
  }
}

/** Does the block reach into the band? */
static int in_band(const band_t *band, int b) {
  const oak_scene_t *scene = band->scene;
  const int d = scene->axis[1];
  const int64_t n = blocks_along(scene, d, scene->view->level[b]);
  const int64_t i = scene->view->index[b][d];
  return i * scene->height / n < band->row1 && (i + 1) * scene->height / n >= band->row0;
}

static void mark(band_t *band, int64_t x, int64_t y, uint8_t share) {
  if (x >= band->scene->width || y < band->row0 || y >= band->row1) return;
  uint8_t *at = band->mesh + (size_t)(y - band->row0) * band->scene->width + x;
  if (*at < share) *at = share;
}

/** Outline a block. Neighbours share their lines; the stronger counts. */
static void outline_block(band_t *band, int b) {
  const oak_scene_t *scene = band->scene;
  int64_t low[2], high[2];
  double smallest = 1e30;
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const int64_t pixels = a == 0 ? scene->width : scene->height;
    const int64_t n = blocks_along(scene, d, scene->view->level[b]);
    const int64_t i = scene->view->index[b][d];
    low[a] = i * pixels / n;
    high[a] = (i + 1) * pixels / n;
    smallest = fmin(smallest, (double)pixels / (double)n);
  }
  if (smallest < MESH_MIN_PIXELS) return;
  const double grown =
      log(smallest / MESH_MIN_PIXELS) / log((double)MESH_FULL_PIXELS / MESH_MIN_PIXELS);
  const double share = MESH_FAINT + (MESH_STRONG - MESH_FAINT) * fmin(grown, 1.0);
  const uint8_t level = (uint8_t)(255 * share + 0.5);
  /* The frame of the picture is the outline along the lower and left sides of the domain. */
  for (int64_t x = low[0]; x <= high[0]; x++) {
    if (low[1] > 0) mark(band, x, low[1], level);
    mark(band, x, high[1], level);
  }
  for (int64_t y = low[1]; y <= high[1]; y++) {
    if (low[0] > 0) mark(band, low[0], y, level);
    mark(band, high[0], y, level);
  }
}

/* ---- all blocks of this rank ---- */

typedef void (*block_visit_t)(void *context, int b, const double *cells);

/** Read the blocks that \a wanted says, as many at a time as the batch holds. Rank-local. */
static oak_status_t visit_blocks(band_t *band, int (*wanted)(const band_t *band, int b),
                                 block_visit_t visit, void *context) {
  const oak_grid_view_t *view = band->scene->view;
  for (int b = 0; b < view->nblock;) {
    int n = 0;
    while (b + n < view->nblock && n < band->nbatch && wanted(band, b + n)) n++;
    if (n == 0) {
      b++;
      continue;
    }
    OAK_TRY(view->read(view, band->scene->options->variable, b, n, band->batch));
    for (int i = 0; i < n; i++) visit(context, b + i, band->batch + (size_t)i * band->ncell);
    b += n;
  }
  return OAK_OK;
}

static int wanted_for_range(const band_t *band, int b) { return in_slice(band->scene, b); }

static int wanted_for_band(const band_t *band, int b) {
  return in_slice(band->scene, b) && in_band(band, b);
}

static void visit_draw(void *context, int b, const double *cells) {
  band_t *band = context;
  draw_block(band, b, cells);
  if (band->mesh) outline_block(band, b);
}

static oak_status_t allocate_batch(band_t *band) {
  const oak_grid_view_t *view = band->scene->view;
  band->ncell = 1;
  for (int d = 0; d < view->dim; d++) band->ncell *= (size_t)view->block_size;
  band->nbatch = (int)(BATCH_BYTES / (band->ncell * sizeof(double)));
  if (band->nbatch < 1) band->nbatch = 1;
  band->batch = malloc((size_t)band->nbatch * band->ncell * sizeof(double));
  OAK_CHECK(band->batch, OAK_ERR_MEMORY,
            "no memory to read %d blocks for a picture; "
            "use more ranks or hosts",
            band->nbatch);
  return OAK_OK;
}

/* ---- range ---- */

typedef struct {
  const oak_scene_t *scene;
  double range[2]; /* minus the lowest, the highest */
} range_t;

static void visit_range(void *context, int b, const double *cells) {
  range_t *found = context;
  const oak_scene_t *scene = found->scene;
  const size_t size = (size_t)scene->view->block_size;
  const size_t stride[3] = {1, size, size * size};
  if (scene->normal >= 0) cells += (size_t)slice_layer(scene, b) * stride[scene->normal];
  for (size_t j = 0; j < size; j++)
    for (size_t i = 0; i < size; i++) {
      const double value = cells[j * stride[scene->axis[1]] + i * stride[scene->axis[0]]];
      if (!isfinite(value)) continue;
      found->range[0] = fmax(found->range[0], -value);
      found->range[1] = fmax(found->range[1], value);
    }
}

oak_status_t oak_scene_find_range(oak_scene_t *scene) {
  const MPI_Comm comm = scene->view->comm;
  band_t band = {.scene = scene};
  range_t found = {scene, {-INFINITY, -INFINITY}};
  oak_status_t st = allocate_batch(&band);
  if (st == OAK_OK) st = visit_blocks(&band, wanted_for_range, visit_range, &found);
  free(band.batch);
  OAK_TRY(oak_agree(comm, st));
  MPI_Allreduce(MPI_IN_PLACE, found.range, 2, MPI_DOUBLE, MPI_MAX, comm);
  scene->low = -found.range[0];
  scene->high = found.range[1];
  if (scene->low > scene->high) { /* no finite value at all */
    scene->low = 0;
    scene->high = 1;
  }
  if (!isfinite(scene->high - scene->low)) { /* a run that blows up */
    scene->low = fmax(scene->low, -1e300);
    scene->high = fmin(scene->high, 1e300);
  }
  /* Differences that are mere rounding would fill the picture with noise. */
  const double size = fmax(fabs(scene->low), fabs(scene->high));
  if (scene->high - scene->low <= fmax(1e-12 * size, OAK_SMALLEST_RANGE)) {
    const double margin = 0.05 * size > OAK_SMALLEST_RANGE ? 0.05 * size : 1;
    scene->low -= margin;
    scene->high += margin;
  }
  return OAK_OK;
}

/* ---- bands ---- */

/** Sum of pixels, in which one without a value wins. */
static void add_pixels(void *in, void *inout, int *count, MPI_Datatype *type) {
  const uint64_t *from = in;
  uint64_t *to = inout;
  (void)type;
  for (int i = 0; i < *count; i++)
    to[i] = from[i] == NO_VALUE || to[i] == NO_VALUE ? NO_VALUE : to[i] + from[i];
}

/** Rank 0: colour the rows of a band. */
static void color_band(const band_t *band, oak_canvas_t *canvas, int x0, int y0) {
  const oak_scene_t *scene = band->scene;
  for (int row = band->row0; row < band->row1; row++) {
    const int y = y0 + scene->height - 1 - row;
    const size_t at = (size_t)(row - band->row0) * scene->width;
    for (int x = 0; x < scene->width; x++) {
      const uint64_t pixel = band->pixel[at + x], weight = pixel >> SUM_BITS;
      uint8_t *rgb = canvas->rgb + ((size_t)y * canvas->width + x0 + x) * 3;
      if (pixel == NO_VALUE || weight == 0) {
        oak_canvas_mix(canvas, x0 + x, y, NO_VALUE_COLOR, 1.0);
      } else {
        const double sum = (double)(pixel & ((UINT64_C(1) << SUM_BITS) - 1));
        oak_colormap_rgb(scene->options->colormap, sum / ((double)weight * VALUE_MAX), rgb);
      }
      if (!band->mesh || !band->mesh[at + x]) continue;
      const double light = 0.30 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2];
      oak_canvas_mix(canvas, x0 + x, y, light < 120 ? 0xFFFFFF : 0x000000,
                     band->mesh[at + x] / 255.0);
    }
  }
}

static oak_status_t draw_bands(band_t *band, int rows, MPI_Op op, oak_canvas_t *canvas, int x,
                               int y) {
  const oak_scene_t *scene = band->scene;
  const MPI_Comm comm = scene->view->comm;
  oak_status_t st = OAK_OK;
  for (band->row0 = 0; band->row0 < scene->height; band->row0 += rows) {
    band->row1 = band->row0 + rows < scene->height ? band->row0 + rows : scene->height;
    const int n = (band->row1 - band->row0) * scene->width;
    memset(band->pixel, 0, (size_t)n * sizeof *band->pixel);
    if (band->mesh) memset(band->mesh, 0, (size_t)n);
    if (st == OAK_OK) st = visit_blocks(band, wanted_for_band, visit_draw, band);
    MPI_Reduce(canvas ? MPI_IN_PLACE : band->pixel, band->pixel, n, MPI_UINT64_T, op, 0, comm);
    if (band->mesh)
      MPI_Reduce(canvas ? MPI_IN_PLACE : band->mesh, band->mesh, n, MPI_UINT8_T, MPI_MAX, 0, comm);
    if (canvas) color_band(band, canvas, x, y);
  }
  return oak_agree(comm, st);
}

oak_status_t oak_scene_draw_data(const oak_scene_t *scene, oak_canvas_t *canvas, int x, int y) {
  const MPI_Comm comm = scene->view->comm;
  band_t band = {.scene = scene};
  int rows = (int)(BAND_BYTES / ((size_t)scene->width * sizeof *band.pixel));
  rows = rows < 1 ? 1 : rows < scene->height ? rows : scene->height;
  const size_t n = (size_t)rows * (size_t)scene->width;
  band.pixel = malloc(n * sizeof *band.pixel);
  if (scene->options->draw_mesh) band.mesh = malloc(n);
  int ok = band.pixel && (band.mesh || !scene->options->draw_mesh);
  for (int a = 0; a < 2; a++) {
    const int most = (a == 0 ? scene->width : rows) + scene->view->block_size + 2;
    band.along[a] = malloc((size_t)most * sizeof *band.along[a]);
    ok = ok && band.along[a];
  }
  oak_status_t st = allocate_batch(&band);
  if (!ok)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for a picture of %d x %d pixels; make it smaller",
                  scene->width, scene->height);
  st = oak_agree(comm, st);
  if (st == OAK_OK) {
    MPI_Op op;
    MPI_Op_create(add_pixels, 1, &op);
    st = draw_bands(&band, rows, op, canvas, x, y);
    MPI_Op_free(&op);
  }
  free(band.pixel);
  free(band.mesh);
  free(band.batch);
  free(band.along[0]);
  free(band.along[1]);
  return st;
}
