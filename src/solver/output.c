/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a run writes: the view that the formats in src/io get of a simulation, and the schedule. */
#include "solver/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/file_tools.h"
#include "io/picture.h"
#include "io/plotfile.h"

/* Output variables: conserved, primitive ones of other names, and the level. */
typedef struct {
  oak_t *sim;
  int count;
  int variable[2 * OAK_MAX_NVAR + 1];
  const char *name[2 * OAK_MAX_NVAR + 1];
} selection_t;

static int find_variable(const oak_t *sim, const char *name) {
  for (int v = 0; v <= 2 * sim->nvar; v++)
    if (!strcmp(name, sim->description.name[v])) return v;
  return -1;
}

static oak_status_t unknown_variable(const oak_t *sim, const char *key, const char *word) {
  char known[1024] = "";
  for (int v = 0; v <= 2 * sim->nvar; v++)
    if (find_variable(sim, sim->description.name[v]) == v) {
      strncat(known, " ", sizeof known - strlen(known) - 1);
      strncat(known, sim->description.name[v], sizeof known - strlen(known) - 1);
    }
  return OAK_FAIL(OAK_ERR_INPUT, "%s: %s: there is no variable %s; known:%s",
                  oak_params_origin(sim->params, key), key, word, known);
}

static void select_variable(selection_t *s, int variable) {
  s->variable[s->count] = variable;
  s->name[s->count++] = s->sim->description.name[variable];
}

static oak_status_t select_variables(oak_t *sim, selection_t *s) {
  static const char key[] = "output.plot_variables", blank[] = " ,\t";
  const char *word = oak_params_text(sim->params, key);
  s->sim = sim;
  s->count = 0;
  for (word += strspn(word, blank); *word; word += strspn(word, blank)) {
    char name[256];
    const size_t length = strcspn(word, blank);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const int v = find_variable(sim, name);
    if (v < 0) return unknown_variable(sim, key, name);
    for (int i = 0; i < s->count; i++)
      OAK_CHECK(s->variable[i] != v, OAK_ERR_INPUT, "%s: %s names %s twice: leave one of them out",
                oak_params_origin(sim->params, key), key, name);
    select_variable(s, v);
    word += length;
  }
  if (s->count > 0) return OAK_OK;
  for (int v = 0; v < 2 * sim->nvar; v++)
    if (find_variable(sim, sim->description.name[v]) == v) select_variable(s, v);
  return OAK_OK;
}

static oak_status_t read_view(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const selection_t *s = view->owner;
  if (s->variable[var] < 2 * s->sim->nvar)
    return oak_read_cells(s->sim, s->variable[var], b0, n, dst);
  for (int b = 0; b < n; b++)
    for (int64_t c = 0; c < s->sim->cells; c++) dst[b * s->sim->cells + c] = view->level[b0 + b];
  return OAK_OK;
}

static void make_view(selection_t *s, oak_grid_view_t *view) {
  const oak_t *sim = s->sim;
  const oak_mesh_t *mesh = sim->mesh;
  *view = (oak_grid_view_t){.comm = sim->comm,
                            .dim = sim->dim,
                            .block_size = sim->block_size,
                            .nglobal = mesh->nglobal,
                            .first = mesh->first,
                            .nblock = mesh->nblock,
                            .level = mesh->level,
                            .index = (const int32_t(*)[3])mesh->index,
                            .time = sim->time,
                            .step = sim->step,
                            .value_bytes = 8,
                            .nvar = s->count,
                            .name = s->name,
                            .read = read_view,
                            .owner = s};
  memcpy(view->xmin, sim->xmin, sizeof view->xmin);
  memcpy(view->xmax, sim->xmax, sizeof view->xmax);
  memcpy(view->trees, mesh->trees, sizeof view->trees);
  oak_mesh_levels(mesh, &view->min_level, &view->max_level, NULL);
}

oak_status_t oak_write_grid(oak_t *sim, const char *path) {
  selection_t s;
  oak_grid_view_t view;
  OAK_TRY(select_variables(sim, &s));
  oak_timer_start(&sim->timers, OAK_PHASE_OUTPUT);
  make_view(&s, &view);
  oak_status_t st = oak_plotfile_write(&view, path);
  oak_timer_stop(&sim->timers, OAK_PHASE_OUTPUT);
  return st;
}

/* The variable of pictures: the one asked for, or the first. */
static oak_status_t picture_variable(oak_t *sim, int *variable) {
  const char *name = oak_params_text(sim->params, "output.picture_variable");
  *variable = *name ? find_variable(sim, name) : 0;
  return *variable < 0 ? unknown_variable(sim, "output.picture_variable", name) : OAK_OK;
}

oak_status_t oak_write_picture(oak_t *sim, const char *path) {
  const oak_params_t *p = sim->params;
  selection_t s = {.sim = sim, .count = 1};
  oak_grid_view_t view;
  double range[3];
  OAK_TRY(picture_variable(sim, &s.variable[0]));
  s.name[0] = sim->description.name[s.variable[0]];
  oak_timer_start(&sim->timers, OAK_PHASE_OUTPUT);
  make_view(&s, &view);
  oak_picture_options_t o = oak_picture_defaults(&view);
  oak_params_reals(p, "output.picture_range", range);
  o.low = range[0];
  o.high = range[1];
  o.width = oak_params_int(p, "output.picture_width");
  o.slice_axis = oak_params_choice(p, "output.picture_axis");
  o.slice_position =
      sim->xmin[o.slice_axis] + oak_params_real(p, "output.picture_position") *
                                    (sim->xmax[o.slice_axis] - sim->xmin[o.slice_axis]);
  o.draw_mesh = oak_params_bool(p, "output.picture_mesh");
  o.title = *sim->description.problem_title ? sim->description.problem_title
                                            : oak_params_text(p, "problem.name");
  oak_status_t st = oak_colormap_find(oak_params_text(p, "output.picture_colors"), &o.colormap);
  if (st == OAK_OK) st = oak_picture_write(&view, &o, path);
  oak_timer_stop(&sim->timers, OAK_PHASE_OUTPUT);
  return st;
}

/* Times between outputs; 0 is never. */
static double interval(const oak_t *sim, const char *key) {
  const double dt = oak_params_real(sim->params, key);
  return dt > 0 ? dt : INFINITY;
}

oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress,
                             int overwrite) {
  selection_t s;
  int variable;
  *out = (oak_output_t){.sim = sim,
                        .progress = progress,
                        .last_plot = -1,
                        .folder = oak_params_text(sim->params, "output.folder"),
                        .hold = {.lock = -1},
                        .next_plot = interval(sim, "output.plot_every"),
                        .next_picture = interval(sim, "output.picture_every")};
  OAK_TRY(select_variables(sim, &s));
  OAK_TRY(picture_variable(sim, &variable));
  oak_status_t st = OAK_OK;
  if (sim->rank == 0) st = oak_run_folder_open(&out->hold, out->folder, overwrite);
  return oak_agree(sim->comm, st);
}

/* A file of the folder with the text of a stream in memory, which is closed and freed: a new file,
 * or more of one. */
typedef struct {
  FILE *stream;
  char *text;
  size_t length;
} text_t;

static oak_status_t write_text(const oak_output_t *out, text_t *text, const char *name,
                               int append) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", out->folder, name);
  oak_status_t st = OAK_OK;
  if (!text->stream || fclose(text->stream) != 0)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write %s", path);
  else
    st = (append ? oak_append_file : oak_write_file)(path, text->text, text->length);
  free(text->text);
  return st;
}

static oak_status_t write_parameters(const oak_output_t *out) {
  text_t text = {NULL};
  text.stream = open_memstream(&text.text, &text.length);
  if (text.stream) oak_params_print(out->sim->params, text.stream);
  return write_text(out, &text, "parameters.ini", 0);
}

static oak_status_t begin_table(const oak_output_t *out) {
  const oak_t *sim = out->sim;
  text_t text = {NULL};
  FILE *f = text.stream = open_memstream(&text.text, &text.length);
  if (f) {
    fprintf(f, "step,time,dt,blocks,cells");
    for (int v = 0; v < sim->nvar; v++) fprintf(f, ",%s", sim->description.name[v]);
    if (sim->first_order) fprintf(f, ",first_order_cells");
    if (sim->floors) fprintf(f, ",floored_cells");
    fprintf(f, "\n");
  }
  return write_text(out, &text, "diagnostics.csv", 0);
}

/* On rank 0. */
static oak_status_t begin_folder(const oak_output_t *out) {
  OAK_TRY(oak_run_folder_check(&out->hold));
  OAK_TRY(oak_run_folder_clear(&out->hold));
  OAK_TRY(write_parameters(out));
  if (oak_params_int(out->sim->params, "output.diagnostics_every") == 0) return OAK_OK;
  return begin_table(out);
}

oak_status_t oak_output_begin(oak_output_t *out) {
  return oak_agree(out->sim->comm, out->sim->rank == 0 ? begin_folder(out) : OAK_OK);
}

static oak_status_t write_table(oak_output_t *out, double dt) {
  oak_t *sim = out->sim;
  double total[OAK_MAX_NVAR];
  OAK_TRY(oak_totals(sim, total));
  oak_status_t st = OAK_OK;
  if (sim->rank == 0) {
    text_t text = {NULL};
    FILE *f = text.stream = open_memstream(&text.text, &text.length);
    if (f) {
      fprintf(f, "%ld,%.17g,%.17g,%lld,%lld", sim->step, sim->time, dt,
              (long long)sim->mesh->nglobal, (long long)(sim->mesh->nglobal * sim->cells));
      for (int v = 0; v < sim->nvar; v++) fprintf(f, ",%.17g", total[v]);
      if (sim->first_order) fprintf(f, ",%lld", (long long)sim->first_order_cells);
      if (sim->floors) fprintf(f, ",%lld", (long long)sim->floored_cells);
      fprintf(f, "\n");
    }
    st = write_text(out, &text, "diagnostics.csv", 1);
  }
  return oak_agree(sim->comm, st);
}

static oak_status_t write_plotfile(oak_output_t *out) {
  char path[4096];
  if (out->last_plot == out->sim->step) return OAK_OK;
  snprintf(path, sizeof path, "%s/plt%06ld", out->folder, out->sim->step);
  OAK_TRY(oak_write_grid(out->sim, path));
  OAK_TRY(oak_plotfile_series(out->sim->comm, path));
  out->last_plot = out->sim->step;
  oak_progress_note(out->progress, "wrote %s", path);
  return OAK_OK;
}

static oak_status_t write_frame(oak_output_t *out) {
  char path[4096];
  int variable;
  OAK_TRY(picture_variable(out->sim, &variable));
  snprintf(path, sizeof path, "%s/%s_%04d.png", out->folder, out->sim->description.name[variable],
           out->pictures);
  OAK_TRY(oak_write_picture(out->sim, path));
  out->pictures++;
  oak_progress_note(out->progress, "wrote %s", path);
  return OAK_OK;
}

/* Something is due by steps, by time, or because the run begins or ends. */
static int due(const oak_t *sim, const char *steps_key, double *next, const char *every_key,
               int ends) {
  const int steps = oak_params_int(sim->params, steps_key);
  if (sim->time < *next * (1 - 1e-12)) return ends || (steps > 0 && sim->step % steps == 0);
  /* The next multiple of the interval, however many a step has passed; intervals may be so small
   * that their number overflows. */
  const double every = interval(sim, every_key);
  const double passed = floor(sim->time / every * (1 + 1e-11));
  *next = isfinite(passed) ? (passed + 1) * every : sim->time;
  return 1;
}

oak_status_t oak_output_write(oak_output_t *out, double dt, int last) {
  const oak_t *sim = out->sim;
  const oak_params_t *p = sim->params;
  const int ends = sim->step == 0 || last;
  const int pictures = oak_params_int(p, "output.picture_steps") > 0 ||
                       oak_params_real(p, "output.picture_every") > 0;
  const int table_steps = oak_params_int(p, "output.diagnostics_every");
  const int table = table_steps > 0 && (ends || sim->step % table_steps == 0);
  const int picture = due(sim, "output.picture_steps", &out->next_picture, "output.picture_every",
                          ends && pictures);
  const int plot = due(sim, "output.plot_steps", &out->next_plot, "output.plot_every",
                       ends && oak_params_bool(p, "output.plot_first_last"));
  if (!table && !picture && !plot) return OAK_OK;
  /* Missing folders are made for a plotfile or a picture: one that was removed would come back
   * without what was in it. */
  OAK_TRY(oak_agree(sim->comm, sim->rank == 0 ? oak_run_folder_check(&out->hold) : OAK_OK));
  if (table) OAK_TRY(write_table(out, dt));
  if (picture) OAK_TRY(write_frame(out));
  if (plot) OAK_TRY(write_plotfile(out));
  return OAK_OK;
}

oak_status_t oak_output_close(oak_output_t *out, oak_status_t st) {
  oak_status_t mine = OAK_OK;
  if (out->sim->rank == 0) {
    if (st == OAK_OK) mine = oak_run_folder_check(&out->hold);
    oak_run_folder_close(&out->hold);
  }
  return st == OAK_OK ? oak_agree(out->sim->comm, mine) : st;
}
