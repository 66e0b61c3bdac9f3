/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the cells of other coordinates than Cartesian fall among the pixels. */
#include <math.h>

#include "picture_parts.h"

enum { POINTS = 4 /* of a pixel along each axis */ };

/* ---- between coordinates and the plane */

/** The angle from the right-hand side of the picture, and back. */
static double turn(const oak_scene_t *scene, double angle) {
  return scene->plane == OAK_PLANE_POLES ? M_PI / 2 - angle : angle;
}

static void to_plane(const oak_scene_t *scene, const double q[2], double at[2]) {
  at[0] = q[0];
  at[1] = q[1];
  if (scene->plane < OAK_PLANE_DISK) return;
  const double r = scene->shrink * q[0], angle = turn(scene, q[1]);
  at[0] = r * cos(angle);
  at[1] = r * sin(angle);
}

static void to_coordinates(const oak_scene_t *scene, const double at[2], double q[2]) {
  q[0] = at[0];
  q[1] = at[1];
  if (scene->plane < OAK_PLANE_DISK) return;
  const double first = scene->view->xmin[scene->axis[1]], around = 2 * M_PI;
  q[0] = hypot(at[0], at[1]) / scene->shrink;
  q[1] = turn(scene, atan2(at[1], at[0]));
  if (scene->plane == OAK_PLANE_DISK) q[1] += around * ceil((first - q[1]) / around);
}

/** A point of the picture, counted in pixels from its lower left corner. */
static void place(const oak_scene_t *scene, double x, double y, double at[2]) {
  const double of[2] = {x / scene->width, y / scene->height};
  for (int a = 0; a < 2; a++)
    at[a] = scene->low_corner[a] + of[a] * (scene->high_corner[a] - scene->low_corner[a]);
}

static double pixels_per_length(const oak_scene_t *scene, int a) {
  return (a == 0 ? scene->width : scene->height) / (scene->high_corner[a] - scene->low_corner[a]);
}

/** The rectangle around the points with coordinates from \a low to \a high. */
static void find_box(const oak_scene_t *scene, const double low[2], const double high[2],
                     double box[2][2]) {
  const int round = scene->plane >= OAK_PLANE_DISK;
  double angle[2] = {turn(scene, low[1]), turn(scene, high[1])};
  if (angle[0] > angle[1]) angle[0] = turn(scene, high[1]), angle[1] = turn(scene, low[1]);
  for (int a = 0; a < 2; a++) {
    box[0][a] = INFINITY;
    box[1][a] = -INFINITY;
  }
  for (int corner = 0; corner < 4; corner++) {
    const double q[2] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1]};
    double at[2];
    to_plane(scene, q, at);
    for (int a = 0; a < 2; a++) {
      box[0][a] = fmin(box[0][a], at[a]);
      box[1][a] = fmax(box[1][a], at[a]);
    }
  }
  for (int n = (int)ceil(angle[0] / (M_PI / 2)); round && n <= angle[1] / (M_PI / 2); n++) {
    const double r = scene->shrink * high[0]; /* an arc goes furthest along an axis of the plane */
    const int a = n & 1, end = !(n & 2);
    box[end][a] = end ? fmax(box[end][a], r) : fmin(box[end][a], -r);
  }
}

/* ---- the plane of a picture */

static int choose_plane(const oak_scene_t *scene) {
  const oak_grid_view_t *view = scene->view;
  switch (view->coordinates) {
    case OAK_VIEW_POLAR:
      return OAK_PLANE_DISK;
    case OAK_VIEW_CYLINDRICAL:
      if (scene->normal == 2) return OAK_PLANE_DISK;
      return view->logarithmic && scene->normal == 1 ? OAK_PLANE_RZ : OAK_PLANE_FLAT;
    case OAK_VIEW_SPHERICAL:
      if (scene->normal == 0) return OAK_PLANE_FLAT;
      return scene->normal == 1 ? OAK_PLANE_DISK : OAK_PLANE_POLES;
    default:
      return OAK_PLANE_FLAT;
  }
}

void oak_space_set(oak_scene_t *scene) {
  const oak_grid_view_t *view = scene->view;
  double low[2], high[2], box[2][2];
  scene->plane = choose_plane(scene);
  scene->shrink = 1;
  if (scene->normal == 1 && scene->plane == OAK_PLANE_DISK &&
      view->coordinates == OAK_VIEW_SPHERICAL)
    scene->shrink = fmax(sin(scene->options->slice_position), 1e-6); /* a cone, seen from above */
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    low[a] = scene->from[d];
    high[a] = scene->to[d];
    scene->name[a] = oak_view_axis(view, d);
  }
  find_box(scene, low, high, box);
  for (int a = 0; a < 2; a++) {
    scene->low_corner[a] = box[0][a];
    scene->high_corner[a] = box[1][a];
  }
  if (scene->plane >= OAK_PLANE_DISK) {
    /* In a plane through the poles R is the distance from the axis. */
    scene->name[0] = scene->plane == OAK_PLANE_DISK ? "x" : "R";
    scene->name[1] = scene->plane == OAK_PLANE_DISK ? "y" : "z";
  }
}

int oak_space_inside(const oak_scene_t *scene, int x, int y) {
  double at[2], q[2];
  place(scene, x + 0.5, y + 0.5, at);
  to_coordinates(scene, at, q);
  for (int a = 0; a < 2; a++)
    if (q[a] < scene->from[scene->axis[a]] || q[a] > scene->to[scene->axis[a]]) return 0;
  return 1;
}

/* ---- the cells of a block */

/** A block: its coordinates and its cells. */
typedef struct {
  double low[2], high[2], box[2][2];
  double first[2], count[2]; /* its first cell; cells of its level along the domain */
} place_t;

static place_t find_place(const oak_scene_t *scene, int b) {
  const oak_grid_view_t *view = scene->view;
  place_t p;
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const double blocks = (double)oak_blocks_along(scene, d, view->level[b]);
    p.low[a] = oak_view_at_part(view, d, view->index[b][d] / blocks);
    p.high[a] = oak_view_at_part(view, d, (view->index[b][d] + 1) / blocks);
    p.first[a] = (double)view->index[b][d] * view->block_size[d];
    p.count[a] = blocks * view->block_size[d];
  }
  find_box(scene, p.low, p.high, p.box);
  return p;
}

void oak_space_rows(const oak_scene_t *scene, int b, int rows[2]) {
  const place_t p = find_place(scene, b);
  const double scale = pixels_per_length(scene, 1);
  for (int end = 0; end < 2; end++) {
    const double row = floor((p.box[end][1] - scene->low_corner[1]) * scale) + (end ? 2 : -1);
    rows[end] = (int)fmin(fmax(row, 0), scene->height);
  }
}

/** The cell of the block that a point is in. \return -1: none that is shown. */
static int find_cell(const oak_scene_t *scene, const place_t *p, const double q[2]) {
  int cell[2];
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const double part = oak_view_part_to(scene->view, d, q[a]);
    const double at = floor(part * p->count[a]) - p->first[a];
    if (!(at >= 0 && at < scene->view->block_size[d])) return -1;
    if (q[a] < scene->from[d] || q[a] > scene->to[d]) return -1;
    cell[a] = (int)at;
  }
  return cell[1] * scene->view->block_size[scene->axis[0]] + cell[0];
}

/** Where the points of a pixel may lie: \a q and less than \a reach around it. */
static void find_reach(const oak_scene_t *scene, int x, int y, double q[2], double reach[2]) {
  double at[2];
  place(scene, x + 0.5, y + 0.5, at);
  to_coordinates(scene, at, q);
  const double half = 0.75 / pixels_per_length(scene, 0) / scene->shrink;
  reach[0] = half;
  reach[1] = scene->plane >= OAK_PLANE_DISK ? (q[0] > 2 * half ? 1.2 * half / q[0] : M_PI) : half;
}

static int is_near(const oak_scene_t *scene, const place_t *p, const double q[2],
                   const double reach[2]) {
  for (int a = 0; a < 2; a++) {
    double away = q[a] - 0.5 * (p->low[a] + p->high[a]);
    if (a == 1 && scene->plane == OAK_PLANE_DISK) away = remainder(away, 2 * M_PI);
    if (fabs(away) > 0.5 * (p->high[a] - p->low[a]) + reach[a]) return 0;
  }
  return 1;
}

static void draw_pixel(const oak_scene_t *scene, const place_t *p, int x, int y, oak_cover_t visit,
                       void *context) {
  const int64_t whole = (int64_t)OAK_PIXEL_ONE * OAK_PIXEL_ONE;
  double q[2], reach[2], at[2];
  find_reach(scene, x, y, q, reach);
  if (!is_near(scene, p, q, reach)) return;
  const double low[2] = {q[0] - reach[0], q[1] - reach[1]};
  const double high[2] = {q[0] + reach[0], q[1] + reach[1]};
  const int one = find_cell(scene, p, low);
  if (one >= 0 && one == find_cell(scene, p, high)) {
    visit(context, x, y, one, whole);
    return;
  }
  for (int j = 0; j < POINTS; j++)
    for (int i = 0; i < POINTS; i++) {
      place(scene, x + (i + 0.5) / POINTS, y + (j + 0.5) / POINTS, at);
      to_coordinates(scene, at, q);
      const int cell = find_cell(scene, p, q);
      if (cell >= 0) visit(context, x, y, cell, whole / (POINTS * POINTS));
    }
}

void oak_space_cover(const oak_scene_t *scene, int b, int row0, int row1, oak_cover_t visit,
                     void *context) {
  const place_t p = find_place(scene, b);
  const double scale = pixels_per_length(scene, 0);
  const double from = floor((p.box[0][0] - scene->low_corner[0]) * scale) - 1;
  const double to = floor((p.box[1][0] - scene->low_corner[0]) * scale) + 2;
  const int first = (int)fmin(fmax(from, 0), scene->width), last = (int)fmin(to, scene->width);
  int rows[2];
  oak_space_rows(scene, b, rows);
  for (int y = rows[0] > row0 ? rows[0] : row0; y < rows[1] && y < row1; y++)
    for (int x = first; x < last; x++) draw_pixel(scene, &p, x, y, visit, context);
}

/* ---- outlines */

/** Mark a point of a line, as shares of the two pixels beside it. \a steep: the line goes up rather
 * than to the side. */
static void mark_point(const oak_scene_t *scene, const double at[2], int steep,
                       oak_space_mark_t mark, void *context) {
  double pixel[2];
  for (int a = 0; a < 2; a++)
    pixel[a] = (at[a] - scene->low_corner[a]) * pixels_per_length(scene, a);
  const int across = steep ? 0 : 1;
  const double lower = floor(pixel[across] - 0.5), share = pixel[across] - 0.5 - lower;
  for (int upper = 0; upper < 2; upper++) {
    const int n = (int)lower + upper, m = (int)floor(pixel[1 - across]);
    mark(context, steep ? n : m, steep ? m : n, upper ? share : 1 - share);
  }
}

static void mark_side(const oak_scene_t *scene, const double from[2], const double to[2],
                      oak_space_mark_t mark, void *context) {
  const double scale = pixels_per_length(scene, 0);
  const double arc = scene->plane >= OAK_PLANE_DISK ? from[0] : 1;
  const int steps = (int)ceil(2 * scale * (to[0] - from[0] + arc * (to[1] - from[1]))) + 1;
  double before[2];
  to_plane(scene, from, before);
  for (int n = 1; n <= steps; n++) {
    const double t = (double)n / steps;
    const double q[2] = {from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])};
    double at[2];
    to_plane(scene, q, at);
    const int steep = fabs(at[1] - before[1]) > fabs(at[0] - before[0]);
    mark_point(scene, at, steep, mark, context);
    before[0] = at[0];
    before[1] = at[1];
  }
}

void oak_space_outline(const oak_scene_t *scene, int b, oak_space_mark_t mark, void *context) {
  const place_t p = find_place(scene, b);
  double low[2], high[2];
  for (int a = 0; a < 2; a++) {
    low[a] = fmax(p.low[a], scene->from[scene->axis[a]]);
    high[a] = fmin(p.high[a], scene->to[scene->axis[a]]);
  }
  for (int side = 0; side < 4; side++) {
    const int a = side / 2; /* across the side */
    double from[2] = {low[0], low[1]}, to[2] = {high[0], high[1]};
    from[a] = to[a] = side & 1 ? p.high[a] : p.low[a];
    if (from[a] >= low[a] && from[a] <= high[a]) mark_side(scene, from, to, mark, context);
  }
}

double oak_space_shortest(const oak_scene_t *scene, int b) {
  const place_t p = find_place(scene, b);
  const double arc = scene->plane >= OAK_PLANE_DISK ? 0.5 * (p.low[0] + p.high[0]) : 1;
  return pixels_per_length(scene, 0) * fmin(p.high[0] - p.low[0], arc * (p.high[1] - p.low[1]));
}
