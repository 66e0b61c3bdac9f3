/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak plot: pictures of plotfiles, with the code that draws them during a run. */
#include <stdlib.h>
#include <string.h>

#include "io/files/file_tools.h"
#include "io/folder/run_folder.h"
#include "look.h"
#include "io/picture/picture.h"

/* Options, in the order of the table at the end of this file. */
enum { VAR, SLICE, REGION, LOG, RANGE, COLORS, MESH, WIDTH, TITLE, OUT, GAS };

/* ---- options ---- */

static oak_status_t read_slice(const oak_grid_view_t *view, const char *const *s,
                               oak_picture_options_t *o) {
  char name[8];
  if (!s[SLICE]) return OAK_OK;
  OAK_CHECK(view->dim == 3, OAK_ERR_INPUT,
            "--slice is for 3D, and this plotfile has two dimensions: leave it out");
  const size_t length = strcspn(s[SLICE], "=");
  OAK_CHECK(length > 0 && length < sizeof name && s[SLICE][length], OAK_ERR_INPUT,
            "--slice: '%s' is not an axis and a coordinate, such as z=0.5", s[SLICE]);
  snprintf(name, sizeof name, "%.*s", (int)length, s[SLICE]);
  OAK_TRY(oak_look_axis(view, name, &o->slice_axis));
  return oak_look_numbers("--slice", s[SLICE] + length + 1, 1, &o->slice_position);
}

static oak_status_t read_range(const char *const *s, oak_picture_options_t *o) {
  if (!s[RANGE]) return OAK_OK;
  const char *colon = strchr(s[RANGE], ':');
  OAK_CHECK(colon, OAK_ERR_INPUT, "--range: '%s' is not LOW:HIGH, such as 0:1.5", s[RANGE]);
  OAK_FREED char *low = strndup(s[RANGE], (size_t)(colon - s[RANGE]));
  OAK_CHECK(low, OAK_ERR_MEMORY, "no memory for a range");
  OAK_TRY(oak_look_numbers("--range", low, 1, &o->low));
  OAK_TRY(oak_look_numbers("--range", colon + 1, 1, &o->high));
  OAK_CHECK(o->low < o->high, OAK_ERR_INPUT, "--range: %g is not below %g", o->low, o->high);
  return OAK_OK;
}

/** \a region holds the corners of the part shown, if the user gave any. */
static oak_status_t read_region(const oak_grid_view_t *view, const char *const *s,
                                double region[2][3], oak_picture_options_t *o) {
  double number[6];
  if (!s[REGION]) return OAK_OK;
  OAK_TRY(oak_look_numbers("--region", s[REGION], 2 * view->dim, number));
  for (int c = 0; c < 2; c++)
    for (int d = 0; d < view->dim; d++) region[c][d] = number[c * view->dim + d];
  o->region = (const double(*)[3])region;
  return OAK_OK;
}

static oak_status_t read_options(const oak_grid_view_t *view, const char *const *s,
                                 double region[2][3], oak_picture_options_t *o) {
  *o = oak_picture_defaults(view);
  OAK_TRY(read_slice(view, s, o));
  OAK_TRY(read_region(view, s, region, o));
  OAK_TRY(read_range(s, o));
  o->log_scale = s[LOG] != NULL;
  o->draw_mesh = s[MESH] != NULL;
  o->title = s[TITLE];
  if (s[COLORS]) OAK_TRY(oak_colormap_find(s[COLORS], &o->colormap));
  return s[WIDTH] ? oak_look_integer("--width", s[WIDTH], 16, 16384, &o->width) : OAK_OK;
}

/* ---- one picture ---- */

/** A picture of one plotfile. */
static oak_status_t draw(const char *plotfile, const char *const *s) {
  const char *out = s[OUT];
  oak_plotfile_t *p = NULL;
  oak_picture_options_t o = {0};
  double region[2][3];
  char name[PATH_MAX], run[PATH_MAX], *title = NULL;
  oak_status_t st = oak_plotfile_open(plotfile, NULL, &p);
  oak_grid_view_t view = p ? *oak_plotfile_view(p) : (oak_grid_view_t){0};
  view.no_dielectrics = s[GAS] != NULL;
  if (st == OAK_OK) st = read_options(&view, s, region, &o);
  if (oak_path_print(run, "%s/..", plotfile) == OAK_OK) title = oak_run_folder_note(run, "title");
  if (!o.title) o.title = title;
  if (st == OAK_OK && s[VAR]) st = oak_look_variable(&view, s[VAR], &o.variable);
  if (st == OAK_OK && !out) /* names of variables hold no "/": it is replaced when they are read */
    st = oak_path_print(name, "%s_%s.png", basename(plotfile), view.name[o.variable]);
  if (st == OAK_OK) st = oak_picture_write(&view, &o, out ? out : name);
  if (st == OAK_OK) printf("wrote %s\n", out ? out : name);
  free(title);
  oak_plotfile_close(&p);
  return st;
}

static oak_status_t plot(oak_arguments_t *a) {
  look_list_t list;
  OAK_TRY(oak_look_list(a->word[0], LOOK_ONE_SERIES, &list));
  const oak_status_t st = draw(oak_look_last(&list), a->option);
  oak_look_free(&list);
  return st;
}

static const oak_option_t options[] = {
    {"--var", "NAME", "the variable (default: the first)"},
    {"--slice", "AXIS=X",
     "3D: the plane at this coordinate, such as z=0.5 (default: z, the middle)"},
    {"--region", "CORNERS", "only this part: its lower and upper corner, such as 0,0,0.25,0.5"},
    {"--log", NULL,
     "use a logarithmic scale of colours. The range of the data then begins at most 8 "
     "powers of ten below the highest value"},
    {"--range", "LOW:HIGH", "range of the colours (default: that of the data shown)"},
    {"--colors", "NAME",
     "one of: " OAK_COLORMAP_NAMES
     " (default: auto, which takes coolwarm for values of both signs)"},
    {"--mesh", NULL, "draw the outlines of the blocks"},
    {"--width", "N", "width of the data in pixels (default: 1024)"},
    {"--title", "TEXT", "the heading (default: the title of the run; '' for none)"},
    {"-o", "FILE", "the picture (default: PLOTFILE_VARIABLE.png in this folder)"},
    {"--no-dielectrics", NULL, "draw dielectrics grey, as other solids"},
    {NULL, NULL, NULL}};

const oak_command_t oak_command_plot = {
    .name = "plot",
    .summary = "draw a plotfile as a PNG picture",
    .usage = "PATH [--var NAME] [--slice z=0.5] [--log] [--range LOW:HIGH] [--mesh] [-o p.png]",
    .help = "Draws a variable of a plotfile as a PNG picture.\n" LOOK_PATH_HELP,
    .option = options,
    .after =
        "examples:\n"
        "  oak plot output/sedov --var rho --mesh\n"
        "  oak plot output/rt3d/plt000400 --slice y=0.5 --var rho -o plane.png\n",
    .least = 1,
    .most = 1,
    .looks = 1,
    .run = plot};
