/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kind of output that makes pictures. */

#include "io/files/file_tools.h"
#include "io/picture/picture.h"
#include "io/folder/file_list.h"
#include "output/item.h"
#include "output/kind_keys.h"

static const oak_param_desc_t keys[] = {
    OAK_KEY_VARIABLES,
    OAK_KEY_DIELECTRICS,
    REALS("output.NAME.range", "0 0", "variable",
          "Values at the two ends of the colour scale; equal: lowest and highest of each picture.",
          .count = 2),
    INT("output.NAME.width", "1024", 64, 16384, "pixels",
        "Width of pictures; the height follows from what is shown."),
    OAK_KEY_AXIS,
    OAK_KEY_POSITION,
    CHOICE("output.NAME.scale", "linear", "linear log",
           "Scale of the colours; log needs a range above 0. The range of the data is then cut 8 "
           "powers of ten below the highest value."),
    BOOL("output.NAME.mesh", "yes", "Draw the outlines of the blocks."),
    CHOICE(
        "output.NAME.colors", "auto", OAK_COLORMAP_NAMES,
        "Colour scale of pictures; auto: coolwarm for values of both signs, with 0 in the middle "
        "of the range of the data, otherwise inferno."),
    OAK_KEY_REGION,
    {.key = NULL}};

/* The keys that pictures of [output] do not have. */
static void set_section_options(const oak_output_item_t *item, oak_picture_options_t *o) {
  if (!item->section) return;
  o->log_scale = oak_item_choice(item, "scale");
}

static oak_status_t set_options(const oak_output_item_t *item, const oak_grid_view_t *view,
                                oak_picture_options_t *o) {
  const oak_t *sim = item->sim;
  double range[3];
  *o = oak_picture_defaults(view);
  oak_item_reals(item, "range", range);
  o->low = range[0];
  o->high = range[1];
  o->width = oak_item_int(item, "width");
  o->slice_axis = oak_item_axis(item);
  o->slice_position = sim->setup.domain.xmin[o->slice_axis] +
                      oak_item_real(item, "position") * (sim->setup.domain.xmax[o->slice_axis] -
                                                         sim->setup.domain.xmin[o->slice_axis]);
  o->draw_mesh = oak_item_bool(item, "mesh");
  set_section_options(item, o);
  o->region = view->region;
  o->title = sim->setup.description.problem_title;
  /* The run lists the file when all ranks are done. If it is killed before, the file is known. */
  if (item->disk) o->written = oak_file_list_add;
  return oak_colormap_find(oak_item_text(item, "colors"), &o->colormap);
}

/* The pictures of [output] are an output of every run, but most runs do not ask for them. */
static int is_asked_for(const oak_output_item_t *item) {
  const oak_params_t *p = item->sim->setup.params;
  return item->section || oak_item_int(item, "every_steps") > 0 ||
         oak_item_real(item, "every") > 0 || oak_params_changed(p, "output.picture_range") ||
         oak_params_changed(p, "output.picture_width");
}

static oak_status_t open_picture(oak_output_item_t *item) {
  oak_grid_view_t view = oak_view_domain(item->sim, &item->variables);
  oak_picture_options_t o;
  OAK_TRY(oak_item_only_3d(item, "axis"));
  OAK_TRY(oak_item_only_3d(item, "position"));
  if (!item->whole) view.region = (const double(*)[3])item->region;
  OAK_TRY(set_options(item, &view, &o));
  const oak_status_t st = is_asked_for(item) ? oak_picture_check(&view, &o) : OAK_OK;
  return st == OAK_OK ? st : OAK_FAIL(OAK_ERR_INPUT, "output %s: %s", item->name, oak_last_error());
}

static oak_status_t write_picture(oak_output_item_t *item, const oak_grid_view_t *view,
                                  const char *path) {
  oak_picture_options_t o;
  OAK_TRY(set_options(item, view, &o));
  return oak_picture_write(view, &o, path);
}

const oak_output_kind_t oak_output_picture = {.word = {"picture", "a PNG file", keys},
                                              .ending = ".png",
                                              .each_variable = 1,
                                              .empty = OAK_SELECT_FIRST,
                                              .open = open_picture,
                                              .write = write_picture};
