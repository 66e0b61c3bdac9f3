/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of a running simulation: checks, layout and the file. The data are drawn by
 * picture_data.c, what surrounds them by picture_frame.c. */
#define _GNU_SOURCE 1
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "picture_parts.h"
#include "png_file.h"

enum { MIN_WIDTH = 16, MAX_SIDE = 16384 };

oak_picture_options_t oak_picture_defaults(const oak_grid_view_t *view) {
  return (oak_picture_options_t){
      .slice_axis = 2,
      .slice_position = view->dim == 3 ? 0.5 * (view->xmin[2] + view->xmax[2]) : 0,
      .width = 800,
      .colormap = OAK_COLORMAP_VIRIDIS};
}

static oak_status_t check_options(const oak_grid_view_t *view, const oak_picture_options_t *o) {
  OAK_CHECK(o->variable >= 0 && o->variable < view->nvar, OAK_ERR_ARGUMENT,
            "picture of variable %d; choose one from 0 to %d", o->variable, view->nvar - 1);
  OAK_CHECK(o->width >= MIN_WIDTH && o->width <= MAX_SIDE, OAK_ERR_ARGUMENT,
            "picture width %d; choose %d to %d pixels", o->width, MIN_WIDTH, MAX_SIDE);
  OAK_CHECK((int)o->colormap >= 0 && o->colormap < OAK_COLORMAP_COUNT, OAK_ERR_ARGUMENT,
            "picture colour map %d; choose 0 to %d", (int)o->colormap, OAK_COLORMAP_COUNT - 1);
  OAK_CHECK(isfinite(o->low) && isfinite(o->high) && o->low <= o->high &&
                isfinite(o->high - o->low) &&
                (o->low == o->high || o->high - o->low > OAK_SMALLEST_RANGE),
            OAK_ERR_ARGUMENT,
            "picture range %g to %g; give a lower and a higher value, or equal ones for the "
            "range of the data",
            o->low, o->high);
  OAK_CHECK(!o->log_scale || o->low == o->high || o->low > 0, OAK_ERR_ARGUMENT,
            "picture range %g to %g with a logarithmic scale; give values above 0", o->low,
            o->high);
  OAK_CHECK(o->quantile >= 0 && o->quantile < 0.5, OAK_ERR_ARGUMENT,
            "picture quantile %g; choose 0 to less than 0.5", o->quantile);
  OAK_CHECK((int)o->show >= 0 && o->show < OAK_SHOW_COUNT, OAK_ERR_ARGUMENT,
            "picture of kind %d; choose 0 to %d", (int)o->show, OAK_SHOW_COUNT - 1);
  OAK_CHECK(view->dim == 3 || o->show == OAK_SHOW_SLICE, OAK_ERR_ARGUMENT,
            "a projection needs three dimensions, and there are two; leave it out");
  for (int d = 0; d < view->dim && o->region; d++)
    OAK_CHECK(o->region[0][d] >= view->xmin[d] && o->region[1][d] <= view->xmax[d] &&
                  o->region[0][d] < o->region[1][d],
              OAK_ERR_ARGUMENT,
              "a region from %c = %g to %g; give a lower and a higher value in the domain, which "
              "goes from %g to %g",
              "xyz"[d], o -> region[0][d], o -> region[1][d], view -> xmin[d], view -> xmax[d]);
  if (view->dim == 2) return OAK_OK;
  OAK_CHECK(o->slice_axis >= 0 && o->slice_axis < 3, OAK_ERR_ARGUMENT,
            "slice across axis %d; choose 0 (x), 1 (y) or 2 (z)", o->slice_axis);
  const double low = view->xmin[o->slice_axis], high = view->xmax[o->slice_axis];
  OAK_CHECK(o->slice_position >= low && o->slice_position <= high, OAK_ERR_ARGUMENT,
            "slice at %c = %g is outside the domain; choose a position from %g to %g",
            "xyz"[o->slice_axis], o -> slice_position, low, high);
  return OAK_OK;
}

/** What part of the domain is shown. The axes of the scene are set. */
static void set_corners(const oak_grid_view_t *view, const double (*region)[3],
                        oak_scene_t *scene) {
  for (int d = 0; d < view->dim; d++) {
    scene->from[d] = region ? region[0][d] : view->xmin[d];
    scene->to[d] = region ? region[1][d] : view->xmax[d];
    if (scene->from[d] > view->xmin[d] || scene->to[d] < view->xmax[d]) scene->cropped = 1;
  }
}

static oak_status_t set_scene(const oak_grid_view_t *view, const oak_picture_options_t *options,
                              oak_scene_t *scene) {
  *scene = (oak_scene_t){.view = view,
                         .options = options,
                         .normal = -1,
                         .axis = {0, 1},
                         .width = options->width,
                         .low = options->low,
                         .high = options->high};
  if (options->log_scale && options->low < options->high) {
    scene->low = log10(options->low);
    scene->high = log10(options->high);
  }
  if (view->dim == 3) {
    const int n = options->slice_axis;
    scene->normal = n;
    scene->axis[0] = n == 0 ? 1 : 0;
    scene->axis[1] = n == 2 ? 1 : 2;
    scene->fraction = (options->slice_position - view->xmin[n]) / (view->xmax[n] - view->xmin[n]) *
                      view->trees[n];
  }
  set_corners(view, options->region, scene);
  const int h = scene->axis[0], v = scene->axis[1];
  const double height =
      options->width * (scene->to[v] - scene->from[v]) / (scene->to[h] - scene->from[h]);
  OAK_CHECK(height < MAX_SIDE, OAK_ERR_ARGUMENT,
            "a picture %d pixels wide would be %.0f high, more than %d; choose a smaller width",
            options->width, height, MAX_SIDE);
  scene->height = height < 1 ? 1 : (int)(height + 0.5);
  for (int a = 0; a < 2; a++) {
    const int d = scene->axis[a];
    const int pixels = a == 0 ? scene->width : scene->height;
    const double shown = scene->to[d] - scene->from[d];
    scene->span[a] = scene->cropped ? pixels * ((view->xmax[d] - view->xmin[d]) / shown) : pixels;
    scene->skip[a] = pixels * ((scene->from[d] - view->xmin[d]) / shown);
  }
  return OAK_OK;
}

/** Rank 0: what surrounds the data, and the file. */
static oak_status_t finish(const oak_scene_t *scene, const oak_frame_t *frame, oak_canvas_t *canvas,
                           const char *path) {
  const oak_grid_view_t *view = scene->view;
  char time[40], step[24], range[80], area[64];
  snprintf(time, sizeof time, "%.17g", view->time);
  snprintf(step, sizeof step, "%ld", view->step);
  const int given = scene->options->low < scene->options->high, is_log = scene->options->log_scale;
  snprintf(range, sizeof range, "%.17g %.17g",
           given    ? scene->options->low
           : is_log ? pow(10, scene->low)
                    : scene->low,
           given    ? scene->options->high
           : is_log ? pow(10, scene->high)
                    : scene->high);
  snprintf(area, sizeof area, "%d %d %d %d", frame->left, frame->top, scene->width, scene->height);
  const oak_png_note_t note[] = {
      {"Software", "oak"},  {"oak variable", view->name[scene->options->variable]},
      {"oak time", time},   {"oak step", step},
      {"oak range", range}, {"oak area", area}};
  oak_frame_draw(scene, frame, canvas);
  return oak_png_write(canvas, note, (int)(sizeof note / sizeof *note), path, view->disk);
}

/** Draw the scene, whose range is known, and write the file. */
static oak_status_t draw(const oak_scene_t *scene, const double *field, const char *path) {
  const oak_grid_view_t *view = scene->view;
  int rank;
  MPI_Comm_rank(view->comm, &rank);
  oak_canvas_t canvas = {0, 0, NULL};
  const oak_frame_t frame = oak_frame_measure(scene);
  oak_status_t st = OAK_OK;
  if (rank == 0)
    st = oak_canvas_new(frame.left + scene->width + frame.right,
                        frame.top + scene->height + frame.bottom, &canvas);
  st = oak_agree(view->comm, st);
  if (st == OAK_OK && scene->options->show == OAK_SHOW_SLICE)
    st = oak_scene_draw_data(scene, rank == 0 ? &canvas : NULL, frame.left, frame.top);
  else if (st == OAK_OK && rank == 0)
    oak_scene_draw_field(scene, field, &canvas, frame.left, frame.top);
  if (st == OAK_OK && rank == 0) st = finish(scene, &frame, &canvas, path);
  free(canvas.rgb);
  const oak_disk_output_t output = {NULL};
  st = oak_disk_commit(view->disk, view->comm, st, &output);
  return st;
}

oak_status_t oak_picture_write(const oak_grid_view_t *view, const oak_picture_options_t *options,
                               const char *path) {
  OAK_TRY(check_options(view, options));
  oak_scene_t scene;
  double *field = NULL;
  oak_status_t st = OAK_OK;
  OAK_TRY(set_scene(view, options, &scene));
  if (options->show != OAK_SHOW_SLICE) {
    int rank;
    MPI_Comm_rank(view->comm, &rank);
    if (rank == 0) field = malloc((size_t)scene.width * (size_t)scene.height * sizeof *field);
    if (rank == 0 && !field)
      st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for a picture of %d x %d pixels; make it smaller",
                    scene.width, scene.height);
    st = oak_agree(view->comm, st);
    if (st == OAK_OK) st = oak_scene_project(&scene, field);
  }
  if (st == OAK_OK && options->low == options->high) st = oak_scene_find_range(&scene, field);
  if (st == OAK_OK) st = draw(&scene, field, path);
  free(field);
  return st;
}
