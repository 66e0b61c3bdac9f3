/* SPDX-License-Identifier: GPL-2.0-or-later
 * Pictures of a running simulation: checks, layout and the file. The data are drawn by
 * picture_data.c, what surrounds them by picture_frame.c. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"
#include "picture_parts.h"
#include "canvas.h"

enum { MIN_WIDTH = 16, MAX_SIDE = 16384 };

oak_picture_options_t oak_picture_defaults(const oak_grid_view_t *view) {
  return (oak_picture_options_t){
      .slice_axis = 2,
      .slice_position = view->dim == 3 ? 0.5 * (view->xmin[2] + view->xmax[2]) : 0,
      .width = 1024,
      .colormap = OAK_COLORMAP_AUTO};
}

static oak_status_t check_options(const oak_grid_view_t *view, const oak_picture_options_t *o) {
  OAK_CHECK(o->variable >= 0 && o->variable < view->nvar, OAK_ERR_ARGUMENT,
            "picture of variable %d; choose one from 0 to %d", o->variable, view->nvar - 1);
  OAK_CHECK(o->width >= MIN_WIDTH && o->width <= MAX_SIDE, OAK_ERR_ARGUMENT,
            "picture width %d; choose %d to %d pixels", o->width, MIN_WIDTH, MAX_SIDE);
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
  for (int d = 0; d < view->dim && o->region; d++)
    OAK_CHECK(o->region[0][d] >= view->xmin[d] && o->region[1][d] <= view->xmax[d] &&
                  o->region[0][d] < o->region[1][d],
              OAK_ERR_ARGUMENT,
              "a region from %s = %g to %g; give a lower and a higher value in the domain, which "
              "goes from %g to %g",
              oak_view_axis(view, d), o->region[0][d], o->region[1][d], view->xmin[d],
              view->xmax[d]);
  if (view->dim == 2) return OAK_OK;
  OAK_CHECK(o->slice_axis >= 0 && o->slice_axis < 3, OAK_ERR_ARGUMENT,
            "slice across axis %d; choose 0 to 2", o->slice_axis);
  const double low = view->xmin[o->slice_axis], high = view->xmax[o->slice_axis];
  OAK_CHECK(o->slice_position >= low && o->slice_position <= high, OAK_ERR_ARGUMENT,
            "slice at %s = %g is outside the domain; choose a position from %g to %g",
            oak_view_axis(view, o->slice_axis), o->slice_position, low, high);
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
                         .variable = view->name[options->variable],
                         .unit = oak_view_unit(view, options->variable),
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
    scene->fraction = oak_view_part_to(view, n, options->slice_position) * view->trees[n];
  }
  set_corners(view, options->region, scene);
  oak_space_set(scene);
  const double height = options->width * (scene->high_corner[1] - scene->low_corner[1]) /
                        (scene->high_corner[0] - scene->low_corner[0]);
  OAK_CHECK(height < MAX_SIDE, OAK_ERR_ARGUMENT,
            "a picture %d pixels wide would be %.0f high, more than %d; choose a smaller width",
            options->width, height, MAX_SIDE);
  scene->height = height < 1 ? 1 : (int)(height + 0.5);
  scene->span[0] = scene->width;
  scene->span[1] = scene->height;
  for (int a = 0; a < 2 && !scene->plane; a++) {
    const int d = scene->axis[a];
    const int pixels = a == 0 ? scene->width : scene->height;
    const double shown = scene->to[d] - scene->from[d];
    scene->span[a] = scene->cropped ? pixels * ((view->xmax[d] - view->xmin[d]) / shown) : pixels;
    scene->skip[a] = pixels * ((scene->from[d] - view->xmin[d]) / shown);
  }
  return OAK_OK;
}

oak_status_t oak_picture_check(const oak_grid_view_t *view, const oak_picture_options_t *options) {
  oak_scene_t scene;
  OAK_TRY(check_options(view, options));
  return set_scene(view, options, &scene);
}

/* ---- the file */

/** A picture on its way, with all that the thread of the disk needs while the run goes on. */
typedef struct {
  oak_grid_view_t view; /* its blocks are those of the run as long as this reads them */
  oak_picture_options_t options;
  oak_scene_t scene;
  char *name, *unit, path[PATH_MAX]; /* copies: the names of a derived variable do not stay */
  oak_frame_t frame;
  oak_canvas_t canvas; /* rank 0 */
  int rank;
} picture_t;

static void free_picture(void *context) {
  picture_t *p = context;
  if (!p) return;
  oak_view_release(&p->view);
  free(p->canvas.rgb);
  for (int a = 0; a < 2; a++) free(p->scene.along[a]);
  free(p->name);
  free(p->unit);
  free(p);
}

/** A picture of its own for this rank, which takes over the view. */
static oak_status_t begin(const oak_grid_view_t *view, const oak_picture_options_t *options,
                          const char *path, picture_t **out) {
  OAK_TRY(oak_view_take(view, sizeof **out, out));
  picture_t *p = *out;
  p->view = *view;
  p->options = *options;
  OAK_TRY(check_options(view, options));
  OAK_CHECK(path[0], OAK_ERR_ARGUMENT, "the name of a picture is empty; give a file name");
  OAK_TRY(oak_path_print(p->path, "%s", path));
  OAK_TRY(set_scene(&p->view, &p->options, &p->scene));
  p->scene.variable = p->name = strdup(p->scene.variable);
  p->scene.unit = p->unit = strdup(p->scene.unit);
  OAK_CHECK(p->name && p->unit, OAK_ERR_MEMORY, "no memory to write %s", path);
  p->options.region = NULL; /* the scene has it */
  for (int a = 0; a < 2; a++)
    OAK_TRY(OAK_NEW(p->scene.along[a], (a == 0 ? p->scene.width : p->scene.height) +
                                           view->block_size[p->scene.axis[a]] + 2));
  MPI_Comm_rank(view->comm, &p->rank);
  return p->rank == 0 ? oak_make_parents(path) : OAK_OK;
}

/** Rank 0: what surrounds the data, and the file. No MPI from here on: a job of the thread. */
static oak_status_t finish(picture_t *p) {
  const oak_scene_t *scene = &p->scene;
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
  snprintf(area, sizeof area, "%d %d %d %d", p->frame.left, p->frame.top, scene->width,
           scene->height);
  const oak_png_note_t note[] = {{"Software", "oak"},  {"oak variable", p->name},
                                 {"oak time", time},   {"oak step", step},
                                 {"oak range", range}, {"oak area", area}};
  oak_frame_draw(scene, &p->frame, &p->canvas);
  const int nnote = (int)(sizeof note / sizeof *note);
  oak_status_t st = oak_png_write(&p->canvas, note, nnote, p->path);
  if (st == OAK_OK && p->options.written) st = p->options.written(p->path);
  free(p->canvas.rgb);
  p->canvas.rgb = NULL;
  return st;
}

static oak_status_t new_canvas(picture_t *p) {
  const oak_frame_t frame = p->frame = oak_frame_measure(&p->scene);
  return oak_canvas_new(frame.left + p->scene.width + frame.right,
                        frame.top + p->scene.height + frame.bottom, &p->canvas);
}

/* ---- colours */

/** Whether a range suits colours for values of both signs: the smaller of -low and high is above a
 * hundredth of the larger one. */
static int diverges(double low, double high) {
  return low < 0 && high > 0 && fmin(-low, high) > 0.01 * fmax(-low, high);
}

/** Find the range of the data if it is not given. Values of both signs get 0 in its middle. */
static oak_status_t choose_colors(picture_t *p) {
  const int given = p->options.low != p->options.high;
  if (!given) OAK_TRY(oak_scene_find_range(&p->scene));
  if (p->options.colormap != OAK_COLORMAP_AUTO) return OAK_OK;
  const double low = p->scene.low, high = p->scene.high;
  const int both = !p->options.log_scale && diverges(low, high) && (!given || low == -high);
  p->options.colormap = both ? OAK_COLORMAP_COOLWARM : OAK_COLORMAP_INFERNO;
  if (both) p->scene.high = fmax(-low, high);
  if (both) p->scene.low = -p->scene.high;
  return OAK_OK;
}

/* ---- all of it */

static oak_status_t finish_later(void *context, oak_status_t st) {
  return st == OAK_OK ? finish(context) : st;
}

/** Collective. The status is this rank's alone. */
static oak_status_t write_pixels(picture_t *p) {
  OAK_TRY(choose_colors(p));
  OAK_TRY(oak_agree(p->view.comm, p->rank == 0 ? new_canvas(p) : OAK_OK));
  OAK_TRY(oak_scene_draw_data(&p->scene, p->rank == 0 ? &p->canvas : NULL, p->frame.left,
                              p->frame.top));
  const size_t bytes = 3 * (size_t)p->canvas.width * (size_t)p->canvas.height;
  return p->rank == 0 ? oak_disk_do(p->view.disk, bytes, finish_later, p) : OAK_OK;
}

oak_status_t oak_picture_write(const oak_grid_view_t *view, const oak_picture_options_t *options,
                               const char *path) {
  picture_t *p;
  oak_status_t st = oak_agree(view->comm, begin(view, options, path, &p));
  if (st != OAK_OK) {
    free_picture(p);
    return st;
  }
  const oak_disk_output_t output = {.release = free_picture, .context = p};
  return oak_disk_commit(p->view.disk, view->comm, write_pixels(p), &output);
}
