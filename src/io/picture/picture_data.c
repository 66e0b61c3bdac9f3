/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pixels from blocks: each rank draws its own blocks, and rank 0 gets the sum. This is done for one
 * band of rows at a time.
 *
 * Pixels are sums of integers, so they are the same for any number of ranks and any order of
 * summation. A pixel is one 64-bit number:
 * the upper 24 bits are a weight (OAK_PIXEL_ONE^2 for a pixel covered once), the lower 40 the sum
 * of weight times value, the value being mapped from the range to 0 .. 65535. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture_parts.h"

enum { VALUE_MAX = 65535, SUM_BITS = 40, BAND_BYTES = 8 << 20 };

static const uint64_t NO_VALUE = UINT64_MAX; /* a cell without a finite value is in the pixel */
static const uint32_t NO_LEVEL = UINT32_MAX, SOLID_LEVEL = UINT32_MAX - 1;
static const uint32_t NO_VALUE_COLOR = 0xFF00FF, SOLID_COLOR = 0x808080;

enum { MESH_MIN_PIXELS = 6, MESH_FULL_PIXELS = 64 };
static const double MESH_FAINT = 0.16, MESH_STRONG = 0.55;

typedef struct {
  const oak_scene_t *scene;
  int row0, row1;  /* rows of the band, counted from below */
  uint64_t *pixel; /* [row1 - row0][width] */
  uint8_t *mesh;   /* [row1 - row0][width] the share of the mesh colour, of 255; NULL: no mesh */
  uint32_t *level; /* cells of one block: values as 0 .. VALUE_MAX, NO_LEVEL, SOLID_LEVEL */
} band_t;

/* ---- one block ---- */

/** Map the values of a layer of cells to 0 .. VALUE_MAX. */
static void find_levels(const band_t *band, const double *cells, const size_t stride[2]) {
  const oak_scene_t *scene = band->scene;
  const int *size = scene->view->block_size;
  const size_t ni = (size_t)size[scene->axis[0]], nj = (size_t)size[scene->axis[1]];
  const double scale = VALUE_MAX / (scene->high - scene->low);
  uint32_t *level = band->level;
  for (size_t j = 0; j < nj; j++)
    for (size_t i = 0; i < ni; i++) {
      const double value = cells[j * stride[1] + i * stride[0]];
      const double t = (oak_scene_scaled(scene, value) - scene->low) * scale;
      *level++ = oak_scene_is_solid(scene, value) ? SOLID_LEVEL
                 : !isfinite(value)               ? NO_LEVEL
                 : t <= 0                         ? 0
                 : t >= VALUE_MAX                 ? (uint32_t)VALUE_MAX
                                                  : (uint32_t)(t + 0.5);
    }
}

static void add_cell(void *context, int x, int y, int cell, int64_t weight) {
  const band_t *band = context;
  uint64_t *pixel = &band->pixel[(size_t)(y - band->row0) * band->scene->width + x];
  const uint32_t level = band->level[cell];
  if (level == NO_LEVEL) *pixel = NO_VALUE;
  if (*pixel == NO_VALUE || level == SOLID_LEVEL) return;
  *pixel += (uint64_t)weight << SUM_BITS | (uint64_t)weight * level;
}

/** Does the block reach into the band? */
static int in_band(const band_t *band, int b) {
  const oak_scene_t *scene = band->scene;
  const int d = scene->axis[1];
  const int64_t n = oak_blocks_along(scene, d, scene->view->level[b]);
  const int64_t i = scene->view->index[b][d];
  if (scene->plane) {
    int rows[2];
    oak_space_rows(scene, b, rows);
    return rows[0] < band->row1 && rows[1] > band->row0;
  }
  return oak_scene_place(scene, 1, i, n) < band->row1 &&
         oak_scene_place(scene, 1, i + 1, n) >= band->row0;
}

static void mark(band_t *band, int64_t x, int64_t y, uint8_t share) {
  if (x < 0 || x >= band->scene->width || y < band->row0 || y >= band->row1) return;
  uint8_t *at = band->mesh + (size_t)(y - band->row0) * band->scene->width + x;
  if (*at < share) *at = share;
}

/** Strength of the outline of a block whose shortest side has \a smallest pixels; 0: it
 * has none. */
static uint8_t outline_share(double smallest) {
  if (smallest < MESH_MIN_PIXELS) return 0;
  const double grown =
      log(smallest / MESH_MIN_PIXELS) / log((double)MESH_FULL_PIXELS / MESH_MIN_PIXELS);
  return (uint8_t)(255 * (MESH_FAINT + (MESH_STRONG - MESH_FAINT) * fmin(grown, 1.0)) + 0.5);
}

/** A line in space, and its band. */
typedef struct {
  band_t *band;
  uint8_t share;
} line_t;

static void mark_space(void *context, int x, int y, double share) {
  const line_t *line = context;
  mark(line->band, x, y, (uint8_t)(line->share * share + 0.5));
}

/** Outline a block. Neighbours draw the same line; the stronger line stays, or the line of the
 * finer block. */
static void outline_block(band_t *band, int b) {
  const oak_scene_t *scene = band->scene;
  int64_t low[2], high[2];
  if (scene->plane) {
    line_t line = {band, outline_share(oak_space_shortest(scene, b))};
    if (line.share) oak_space_outline(scene, b, mark_space, &line);
    return;
  }
  double smallest = 1e30;
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const int64_t pixels = a == 0 ? scene->width : scene->height;
    const int64_t n = oak_blocks_along(scene, d, scene->view->level[b]);
    const int64_t i = scene->view->index[b][d];
    /* Lines beyond the sides of the picture are drawn nowhere. */
    low[a] = (int64_t)floor(fmax(oak_scene_place(scene, a, i, n), -1));
    high[a] = (int64_t)floor(fmin(oak_scene_place(scene, a, i + 1, n), (double)pixels));
    smallest = fmin(smallest, scene->span[a] / (double)n);
  }
  const uint8_t share = outline_share(smallest);
  if (!share) return;
  /* The frame of the picture is the outline along the lower and left sides of the domain. */
  for (int64_t x = low[0]; x <= high[0]; x++) {
    if (low[1] > 0) mark(band, x, low[1], share);
    mark(band, x, high[1], share);
  }
  for (int64_t y = low[1]; y <= high[1]; y++) {
    if (low[0] > 0) mark(band, low[0], y, share);
    mark(band, high[0], y, share);
  }
}

/* ---- all blocks of this rank ---- */

static int wanted(const void *context, int b) {
  const band_t *band = context;
  return oak_in_slice(band->scene, b) && in_band(band, b);
}

static void visit_draw(void *context, int b, const double *cells) {
  band_t *band = context;
  size_t stride[2];
  cells = oak_slice_cells(band->scene, b, cells, stride);
  find_levels(band, cells, stride);
  oak_scene_cover(band->scene, b, band->row0, band->row1, add_cell, band);
  if (band->mesh) outline_block(band, b);
}

/* ---- bands ---- */

/** Add pixels. The sum has no value if one of them has none. */
static void add_pixels(void *in, void *inout, int *count, MPI_Datatype *type) {
  const uint64_t *from = in;
  uint64_t *to = inout;
  (void)type;
  for (int i = 0; i < *count; i++)
    to[i] = from[i] == NO_VALUE || to[i] == NO_VALUE ? NO_VALUE : to[i] + from[i];
}

/** The colour of a pixel: of \a t, from 0 to 1, or of solids or cells without a finite value. */
static void color_pixel(const oak_scene_t *scene, int known, int solid, double t, uint8_t rgb[3]) {
  const uint32_t color = solid ? SOLID_COLOR : NO_VALUE_COLOR;
  if (known)
    oak_colormap_rgb(scene->options->colormap, t, rgb);
  else
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(color >> (16 - 8 * c));
}

/** Mix the white around the domain into a pixel at its side. */
static void whiten(const oak_scene_t *scene, int x, int row, uint64_t pixel, uint8_t rgb[3]) {
  const double covered = (double)(pixel >> SUM_BITS) / ((double)OAK_PIXEL_ONE * OAK_PIXEL_ONE);
  const int inside = oak_space_inside(scene, x, row);
  if (covered >= 1 || (inside && (covered == 0 || scene->view->has_mask))) return;
  for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)(255 + (rgb[c] - 255) * covered + 0.5);
}

/** Draw the outline of a block over a pixel. */
static void color_mesh(oak_canvas_t *canvas, int x, int y, uint8_t mesh, const uint8_t rgb[3]) {
  const double light = 0.30 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2];
  if (mesh) oak_canvas_mix(canvas, x, y, light < 120 ? 0xFFFFFF : 0x000000, mesh / 255.0);
}

/** Rank 0: colour the rows of a band that is complete. */
static void color_band(const band_t *band, oak_canvas_t *canvas, int x0, int y0) {
  const oak_scene_t *scene = band->scene;
  for (int row = band->row0; row < band->row1; row++)
    for (int x = 0; x < scene->width; x++) {
      const int y = y0 + scene->height - 1 - row;
      const size_t at = (size_t)(row - band->row0) * scene->width + x;
      const uint64_t pixel = band->pixel[at], weight = pixel >> SUM_BITS;
      const double sum = (double)(pixel & ((UINT64_C(1) << SUM_BITS) - 1));
      uint8_t *rgb = canvas->rgb + ((size_t)y * canvas->width + x0 + x) * 3;
      color_pixel(scene, pixel != NO_VALUE && weight > 0, weight == 0 && scene->view->has_mask,
                  sum / ((double)weight * VALUE_MAX), rgb);
      if (scene->plane) whiten(scene, x, row, pixel, rgb);
      if (band->mesh) color_mesh(canvas, x0 + x, y, band->mesh[at], rgb);
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
    if (band->mesh) memset(band->mesh, 0, (size_t)n * sizeof *band->mesh);
    if (st == OAK_OK) st = oak_scene_visit(scene, wanted, visit_draw, band);
    MPI_Reduce(canvas ? MPI_IN_PLACE : band->pixel, band->pixel, n, MPI_UINT64_T, op, 0, comm);
    if (band->mesh)
      MPI_Reduce(canvas ? MPI_IN_PLACE : band->mesh, band->mesh, n, MPI_UINT8_T, MPI_MAX, 0, comm);
    if (canvas && st == OAK_OK) color_band(band, canvas, x, y);
  }
  return oak_agree(comm, st);
}

oak_status_t oak_scene_draw_data(const oak_scene_t *scene, oak_canvas_t *canvas, int x, int y) {
  const MPI_Comm comm = scene->view->comm;
  band_t band = {.scene = scene};
  int rows = (int)(BAND_BYTES / ((size_t)scene->width * sizeof *band.pixel));
  rows = rows < 1 ? 1 : rows < scene->height ? rows : scene->height;
  const size_t n = (size_t)rows * (size_t)scene->width;
  const int *size = scene->view->block_size;
  oak_status_t st = OAK_NEW(band.pixel, n);
  if (scene->options->draw_mesh) oak_keep_failure(&st, OAK_NEW(band.mesh, n));
  oak_keep_failure(&st, OAK_NEW(band.level, (size_t)size[scene->axis[0]] * size[scene->axis[1]]));
  st = oak_agree(comm, st);
  if (st == OAK_OK) {
    MPI_Op op;
    MPI_Op_create(add_pixels, 1, &op);
    st = draw_bands(&band, rows, op, canvas, x, y);
    MPI_Op_free(&op);
  }
  free(band.pixel);
  free(band.mesh);
  free(band.level);
  return st;
}
