/* SPDX-License-Identifier: GPL-2.0-or-later
 * What a run writes, and when: its outputs and its folder. */
#include "output/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/folder/file_list.h"
#include "io/vtkhdf/vtkhdf.h"
#include "output/output_table.h"
#include "output/provenance.h"

/* ---- outputs now, asked for by a program */

static oak_status_t write_now(oak_t *sim, const char *prefix, const oak_output_kind_t *kind,
                              const char *path) {
  oak_output_item_t item;
  oak_status_t st = oak_item_init(&item, sim, "", prefix, kind);
  if (st == OAK_OK) st = oak_item_write(&item, path);
  oak_item_clear(&item);
  return st;
}

oak_status_t oak_write_grid(oak_t *sim, const char *path) {
  OAK_BEGIN_FITS(sim);
  return write_now(sim, "output.plot_", &oak_output_plotfile, path);
}

oak_status_t oak_write_picture(oak_t *sim, const char *path) {
  OAK_BEGIN_FITS(sim);
  return write_now(sim, "output.picture_", &oak_output_picture, path);
}

/* ---- the outputs of a run */

/* The kind of the files beside plotfiles; NULL: there are none. */
static const oak_output_kind_t *second_kind(const oak_setup_t *setup) {
  static const oak_output_kind_t *const kind[] = {NULL, NULL, &oak_output_vtkhdf, &oak_output_xdmf};
  const int choice = oak_params_choice(setup->params, "output.plot_space");
  if (choice > 0) return kind[choice];
  if (setup->domain.coordinates <= OAK_AXISYMMETRIC) return NULL;
  return oak_vtkhdf_supported("") == OAK_OK ? &oak_output_vtkhdf : &oak_output_xdmf;
}

/* The outputs of the keys in [output]: totals, pictures, plotfiles and files beside these, in the
 * order of writing. */
static oak_status_t add_plain(oak_output_t *out) {
  oak_t *sim = out->sim;
  const int steps = oak_params_int(sim->setup.params, "output.diagnostics_every");
  oak_output_item_t *item = &out->item[out->nitem++];
  OAK_TRY(oak_item_init(item, sim, "diagnostics", "output.diagnostics_", &oak_output_diagnostics));
  item->schedule.steps = steps;
  item->schedule.first_last = steps > 0;
  for (int plot = 0; plot < 2; plot++) {
    item = &out->item[out->nitem++];
    OAK_TRY(oak_item_init(item, sim, plot ? "plt" : "picture",
                          plot ? "output.plot_" : "output.picture_",
                          plot ? &oak_output_plotfile : &oak_output_picture));
    item->schedule.steps = oak_item_int(item, "every_steps");
    item->schedule.every = oak_item_real(item, "every");
    item->schedule.first_last = plot ? oak_item_bool(item, "first_last")
                                     : item->schedule.steps > 0 || item->schedule.every > 0;
    oak_schedule_begin(&item->schedule, NULL, 0);
  }
  const oak_output_kind_t *second = second_kind(&sim->setup);
  if (!second) return OAK_OK;
  const oak_schedule_t schedule = item->schedule;
  item = &out->item[out->nitem++];
  OAK_TRY(oak_item_init(item, sim, "plt", "output.plot_", second));
  item->schedule = schedule;
  return OAK_OK;
}

/* The name, without its ending, of the list of all files of an output. */
static const char *series_name(const oak_output_item_t *item) {
  return item->section ? item->name : "plotfiles";
}

/* The output of a section; `key` is the section's key that names the kind. */
static oak_status_t add_section(oak_output_t *out, const char *key) {
  const char *word = oak_params_text(out->sim->setup.params, key), *name = key + strlen("output.");
  const oak_output_kind_t *const *kind = oak_output_kinds;
  char prefix[64], text[64];
  while (*kind && strcmp((*kind)->word.name, word)) kind++;
  OAK_ASSERT(*kind && "all kinds of the parameters are in the table");
  snprintf(prefix, sizeof prefix, "%.*s", (int)(strrchr(key, '.') + 1 - key), key);
  snprintf(text, sizeof text, "%.*s", (int)strcspn(name, "."), name);
  return oak_item_init(&out->item[out->nitem++], out->sim, text, prefix, *kind);
}

static int is_wanted(const oak_schedule_t *s) {
  return s->first_last || s->steps > 0 || s->every > 0 || s->ntimes > 0;
}

static oak_status_t check_item(const oak_output_item_t *item) {
  if (!item->kind->check || !is_wanted(&item->schedule)) return OAK_OK;
  const oak_status_t st = item->kind->check(item);
  return st == OAK_OK ? st : OAK_FAIL(OAK_ERR_INPUT, "output %s", oak_last_error());
}

static oak_status_t make_items(oak_output_t *out) {
  const char *key;
  int count = 0;
  while (oak_params_output(out->sim->setup.params, count)) count++;
  OAK_TRY(OAK_NEW(out->item, (size_t)count + 4));
  OAK_TRY(add_plain(out));
  for (int n = 0; (key = oak_params_output(out->sim->setup.params, n)); n++)
    OAK_TRY(add_section(out, key));
  for (int i = 0; i < out->nitem; i++) OAK_TRY(check_item(&out->item[i]));
  return OAK_OK;
}

static void clear_items(oak_output_t *out) {
  for (int i = 0; i < out->nitem; i++) oak_item_clear(&out->item[i]);
  free(out->item);
  out->item = NULL;
  out->nitem = 0;
}

/* "every 0.1, every 50 steps, at 3 times, first and last state". */
static void print_schedule(const oak_schedule_t *s, FILE *stream) {
  const char *comma = "";
  if (s->every > 0) fprintf(stream, "every %g", s->every), comma = ", ";
  if (s->steps > 0) fprintf(stream, "%severy %ld steps", comma, s->steps), comma = ", ";
  if (s->ntimes > 0) fprintf(stream, "%sat %d times", comma, s->ntimes), comma = ", ";
  if (s->first_last) fprintf(stream, "%sfirst and last state", comma);
}

oak_status_t oak_output_print(oak_t *sim, FILE *stream) {
  oak_output_t out = {.sim = sim};
  const char *title = "outputs";
  oak_status_t st = oak_agree(sim->setup.comm, make_items(&out));
  for (int i = 0; i < out.nitem && st == OAK_OK && stream; i++) {
    const oak_output_item_t *item = &out.item[i];
    if (!is_wanted(&item->schedule)) continue;
    const int second = !item->section && *item->ending == '.' && item->kind->cuts_blocks;
    fprintf(stream, "  %-9s %-11s ", title, second ? item->ending + 1 : item->name);
    print_schedule(&item->schedule, stream);
    fprintf(stream, "\n");
    title = "";
  }
  if (st == OAK_OK && stream && *title) fprintf(stream, "  %-9s none\n", title);
  clear_items(&out);
  return st;
}

#define DIGITS "[0-9][0-9][0-9][0-9]"

/* Rank 0: check that no file of the user has a name that the output needs for its files
 * (make_path()), its table or its list. Outputs that are folders check their own names. */
static oak_status_t claim(const oak_output_t *out, const oak_output_item_t *item) {
  const oak_output_kind_t *kind = item->kind;
  const int files = kind->write && *item->ending;
  char name[512];
  if (kind->row || kind->series) {
    snprintf(name, sizeof name, "%s%s", kind->row ? item->name : series_name(item),
             kind->row ? ".csv" : kind->series->ending);
    OAK_TRY(oak_run_folder_claim(&out->run_folder, name));
  }
  for (int v = 0; files && kind->each_variable && !item->section && v < item->variables.count;
       v++) {
    snprintf(name, sizeof name, "%s_" DIGITS "*%s", item->variables.name[v], item->ending);
    OAK_TRY(oak_run_folder_claim_all(&out->run_folder, name));
  }
  snprintf(name, sizeof name, "%s%s" DIGITS "[0-9][0-9]*%s", item->name, item->section ? "_" : "",
           item->ending);
  return files && (item->section || !kind->each_variable)
             ? oak_run_folder_claim_all(&out->run_folder, name)
             : OAK_OK;
}

/* Rank 0: the kind of a folder that a run has written, by its name. */
static const oak_folder_kind_t *folder_kind(const char *name) {
  const oak_folder_kind_t *best = NULL;
  for (int k = 0; oak_output_kinds[k]; k++) {
    const oak_folder_kind_t *folder = oak_output_kinds[k]->folder;
    if (folder && strstr(name, folder->ending) && (!best || !*best->ending)) best = folder;
  }
  return best;
}

oak_status_t oak_output_open(oak_output_t *out, oak_t *sim, oak_progress_t *progress,
                             oak_folder_use_t how) {
  *out = (oak_output_t){.sim = sim,
                        .progress = progress,
                        .folder = oak_params_text(sim->setup.params, "output.folder"),
                        .run_folder = {.lock = -1}};
  oak_status_t st = make_items(out);
  if (st == OAK_OK && sim->setup.rank == 0)
    st = oak_run_folder_open(&out->run_folder, out->folder, folder_kind, how);
  for (int i = 0; i < out->nitem && st == OAK_OK && sim->setup.rank == 0; i++)
    if (is_wanted(&out->item[i].schedule)) st = claim(out, &out->item[i]);
  const oak_status_t all = oak_agree(sim->setup.comm, st);
  if (all != OAK_OK) clear_items(out);
  if (all != OAK_OK && sim->setup.rank == 0) oak_run_folder_close(&out->run_folder);
  return all;
}

oak_status_t oak_output_check_folder(oak_t *sim, oak_folder_use_t how) {
  oak_output_t out;
  int exists = access(oak_params_text(sim->setup.params, "output.folder"), F_OK) == 0;
  MPI_Bcast(&exists, 1, MPI_INT, 0, sim->setup.comm);
  if (!exists) return OAK_OK;
  OAK_TRY(oak_output_open(&out, sim, NULL, how));
  clear_items(&out);
  if (sim->setup.rank == 0) oak_run_folder_close(&out.run_folder);
  return OAK_OK;
}

/* ---- the folder, on rank 0 */

static void name_file(const oak_output_t *out, const char *name, char path[4096]) {
  snprintf(path, 4096, "%s/%s", out->folder, name);
}

enum { BEGIN, CHECK, CUT };

/* Begin a table, or cut off the rows after step \a last, or only look whether that can be done. */
static oak_status_t start_table(const oak_output_t *out, const oak_output_item_t *item, int how,
                                long last) {
  oak_text_t head;
  char path[4096], name[64];
  snprintf(name, sizeof name, "%s.csv", item->name);
  name_file(out, name, path);
  oak_text_begin(&head);
  if (head.stream) {
    fprintf(head.stream, "step,time");
    item->kind->head(item, head.stream);
    fprintf(head.stream, "\n");
  }
  if (how != CHECK && head.stream && fflush(head.stream) == 0)
    OAK_TRY(oak_file_list_add_text(path, head.text, head.length));
  return how == BEGIN ? oak_text_write(&head, path, 0)
                      : oak_table_cut(path, &head, how == CHECK ? OAK_TABLE_HEAD : last);
}

static oak_status_t start_tables(const oak_output_t *out, int how) {
  for (int i = 0; i < out->nitem; i++)
    if (out->item[i].kind->row && is_wanted(&out->item[i].schedule))
      OAK_TRY(start_table(out, &out->item[i], how, out->sim->data.clock.step));
  return OAK_OK;
}

static oak_status_t start_folder(const oak_output_t *out, int restart) {
  OAK_TRY(oak_run_folder_check(&out->run_folder));
  if (restart) OAK_TRY(start_tables(out, CHECK)); /* before anything in the folder changes */
  if (!restart) OAK_TRY(oak_run_folder_clear(&out->run_folder));
  if (restart)
    OAK_TRY(oak_file_list_add_end(out->folder, 0, out->sim->data.clock.step,
                                  out->sim->data.clock.time));
  OAK_TRY(oak_provenance_write(out->sim, out->folder, out->command, out->begun_from));
  return start_tables(out, restart ? CUT : BEGIN);
}

static oak_status_t start(const oak_output_t *out, int restart) {
  return oak_agree(out->sim->setup.comm,
                   out->sim->setup.rank == 0 ? start_folder(out, restart) : OAK_OK);
}

oak_status_t oak_output_begin(oak_output_t *out) { return start(out, 0); }

oak_status_t oak_output_continue(oak_output_t *out) { return start(out, 1); }

void oak_output_advise(const oak_output_t *out) {
  const oak_setup_t *setup = &out->sim->setup;
  const oak_output_item_t *second = NULL;
  if (setup->domain.coordinates <= OAK_AXISYMMETRIC) return;
  for (int i = 0; i < out->nitem; i++)
    if (!out->item[i].section && out->item[i].kind->cuts_blocks) second = &out->item[i];
  for (int i = 0; i < out->nitem; i++) {
    const oak_output_item_t *item = &out->item[i];
    if (item->kind != &oak_output_plotfile || !is_wanted(&item->schedule)) continue;
    const oak_output_item_t *beside = item->section ? NULL : second;
    oak_progress_note(out->progress,
                      "plotfiles %s: ParaView, VisIt and yt take %s%s, %s%s%s for x, y%s; %s%s%s%s",
                      item->name, setup->domain.logarithmic ? "ln " : "", oak_axis_name(setup, 0),
                      oak_axis_name(setup, 1), setup->dim == 3 ? ", " : "", oak_axis_name(setup, 2),
                      setup->dim == 3 ? ", z" : "",
                      beside ? "open the files " : "kind = vtkhdf or xdmf has the cells in space",
                      beside ? item->name : "", beside ? "*" : "", beside ? beside->ending : "");
  }
}

/* ---- writing */

/* A row on its way to the table. */
typedef struct {
  oak_text_t text; /* its stream has the address of this member */
  char path[4096];
} row_t;

static oak_status_t append_row(void *context, oak_status_t st) {
  row_t *row = context;
  if (st == OAK_OK)
    st = oak_text_write(&row->text, row->path, 1);
  else
    oak_text_drop(&row->text);
  free(row);
  return st;
}

/* Rank 0: begin a row. Without memory its stream is NULL, or there is none. */
static row_t *begin_row(const oak_output_t *out, const oak_output_item_t *item) {
  char name[64];
  row_t *row = malloc(sizeof *row);
  if (!row) return NULL;
  snprintf(name, sizeof name, "%s.csv", item->name);
  name_file(out, name, row->path);
  oak_text_begin(&row->text);
  if (row->text.stream)
    fprintf(row->text.stream, "%ld,%.17g", out->sim->data.clock.step, out->sim->data.clock.time);
  return row;
}

/* A row of a table. If the row names a file, it is written after this file is on the disk. */
static oak_status_t write_row(const oak_output_t *out, oak_output_item_t *item) {
  oak_t *sim = out->sim;
  oak_disk_t *disk = item->kind->write ? out->disk : NULL;
  const oak_disk_output_t output = {NULL};
  oak_view_source_t source = {
      .sim = sim, .variables = &item->variables, .value_bytes = item->value_bytes};
  oak_grid_view_t view;
  OAK_TRY(oak_view_make(&source, &view));
  view.no_dielectrics = oak_item_no_dielectrics(item);
  row_t *row = sim->setup.rank == 0 ? begin_row(out, item) : NULL;
  FILE *stream = row ? row->text.stream : NULL;
  oak_status_t st = item->kind->row(item, &view, stream);
  if (stream) fprintf(stream, "\n");
  if (st != OAK_OK) {
    if (row) append_row(row, st);
    return st;
  }
  if (row)
    st = oak_disk_do(disk, 0, append_row, row);
  else if (sim->setup.rank == 0)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to write a row of %s", item->name);
  return oak_disk_commit(disk, sim->setup.comm, st, &output);
}

/* Where an output goes. Pictures of the keys in [output] are numbered one by one, all other
 * files by the step. */
static void make_path(const oak_output_t *out, const oak_output_item_t *item, const char *variable,
                      char path[4096]) {
  if (item->kind == &oak_output_picture && !item->section)
    snprintf(path, 4096, "%s/%s_%04d%s", out->folder, variable, item->count, item->ending);
  else if (!item->section)
    snprintf(path, 4096, "%s/%s%06ld%s", out->folder, item->name, out->sim->data.clock.step,
             item->ending);
  else
    snprintf(path, 4096, "%s/%s_%06ld%s%s%s", out->folder, item->name, out->sim->data.clock.step,
             variable ? "_" : "", variable ? variable : "", item->ending);
}

static oak_status_t put_item(void *context, const char *path, oak_disk_t *disk) {
  oak_output_item_t *item = context;
  item->disk = disk;
  return oak_item_write(item, path);
}

/* One file, of one variable if \a variable is not negative. */
static oak_status_t write_file(oak_output_t *out, oak_output_item_t *item, int variable) {
  char path[4096], stem[4096];
  const oak_selection_t all = item->variables;
  const char *name = variable < 0 || (item->section && all.count == 1) ? NULL : all.name[variable];
  make_path(out, item, name, path);
  if (variable >= 0) {
    item->variables.count = 1;
    item->variables.variable[0] = all.variable[variable];
    item->variables.name[0] = all.name[variable];
    item->variables.unit[0] = all.unit[variable];
  }
  name_file(out, series_name(item), stem);
  const oak_status_t st = oak_output_put(out, &(oak_put_t){.path = path,
                                                           .write = put_item,
                                                           .context = item,
                                                           .kind = item->kind,
                                                           .stem = stem,
                                                           .pending = &item->pending});
  item->variables = all;
  return st;
}

/* Each file has a name of its own, and the thread gives the names in the order of the outputs.
 * So a later file need not wait for an earlier one. But until a file is complete, it uses memory
 * that output.buffer does not count: open files, a communicator, a copy on a GPU. Therefore only
 * a few files may be incomplete at a time. */
enum { MOST_PENDING = 4 };

/* A row of a section counts as output; the totals of diagnostics.csv have a phase of their own. */
static oak_status_t time_row(oak_output_t *out, oak_output_item_t *item) {
  oak_timers_t *timers = &out->sim->data.timers;
  if (!item->section) return write_row(out, item);
  return OAK_TIMED(timers, OAK_PHASE_OUTPUT, write_row(out, item));
}

static oak_status_t write_item(oak_output_t *out, oak_output_item_t *item, double dt) {
  if (item->last_step == out->sim->data.clock.step) return OAK_OK;
  item->dt = dt;
  const int files = !item->kind->write ? 0 : item->kind->each_variable ? item->variables.count : 1;
  if (item->pending > (MOST_PENDING - 1) * files) OAK_TRY(oak_output_wait(out));
  for (int v = 0; v < files; v++)
    OAK_TRY(write_file(out, item, item->kind->each_variable ? v : -1));
  if (item->kind->row) OAK_TRY(time_row(out, item));
  item->last_step = out->sim->data.clock.step;
  item->count++;
  return OAK_OK;
}

oak_status_t oak_output_write(oak_output_t *out, double dt, int last) {
  oak_t *sim = out->sim;
  const int ends = sim->data.clock.step == 0 || last, past = oak_poisson_is_past(sim);
  int checked = 0;
  for (int i = 0; i < out->nitem; i++) {
    oak_output_item_t *item = &out->item[i];
    if (!oak_schedule_due(&item->schedule, sim->data.clock.time, sim->data.clock.step, ends))
      continue;
    /* Writing a plotfile or a picture makes missing folders. If somebody has removed the output
     * folder, it would come back empty. Therefore check first that it is still there. */
    if (!checked)
      OAK_TRY(oak_agree(sim->setup.comm,
                        sim->setup.rank == 0 ? oak_run_folder_check(&out->run_folder) : OAK_OK));
    if (!checked && past) OAK_TRY(oak_poisson_present(sim));
    checked = 1;
    OAK_TRY(write_item(out, item, dt));
  }
  return checked && past ? oak_poisson_back(sim) : OAK_OK;
}

double oak_output_target(const oak_output_t *out) {
  double target = INFINITY;
  for (int i = 0; i < out->nitem; i++)
    target = fmin(target, oak_schedule_target(&out->item[i].schedule));
  return target;
}

oak_status_t oak_output_close(oak_output_t *out, oak_status_t st) {
  oak_status_t mine = OAK_OK;
  const oak_solution_time_t *clock = &out->sim->data.clock;
  clear_items(out);
  if (out->sim->setup.rank == 0) {
    if (st == OAK_OK) mine = oak_run_folder_check(&out->run_folder);
    if (st == OAK_OK && mine == OAK_OK && !out->sim->run.interrupted)
      mine = oak_file_list_add_end(out->folder, 1, clock->step, clock->time);
    oak_run_folder_close(&out->run_folder);
  }
  return st == OAK_OK ? oak_agree(out->sim->setup.comm, mine) : st;
}

/* ---- outputs of a program's own loop */

typedef struct {
  oak_output_t out;
  oak_progress_t progress; /* silent */
} own_t;

static void release_own(void *state) {
  own_t *own = state;
  const int rank = own->out.sim->setup.rank;
  clear_items(&own->out);
  if (rank == 0) oak_run_folder_close(&own->out.run_folder);
  free(own);
}

void oak_output_release(oak_t *sim) {
  if (sim->own.release) sim->own.release(sim->own.state);
  sim->own = (oak_own_outputs_t){NULL};
}

/* Rank 0: files of the user keep their names, and tables lose the rows of this step and later ones.
 */
static oak_status_t start_own_folder(const oak_output_t *out) {
  OAK_TRY(oak_provenance_write(out->sim, out->folder, out->command, out->begun_from));
  for (int i = 0; i < out->nitem; i++) {
    if (!out->item[i].section) continue;
    OAK_TRY(claim(out, &out->item[i]));
    if (out->item[i].kind->row)
      OAK_TRY(start_table(out, &out->item[i], CUT, out->sim->data.clock.step - 1));
  }
  return OAK_OK;
}

/* Collective. */
static oak_status_t open_own(oak_t *sim, own_t *own) {
  oak_output_t *out = &own->out;
  OAK_TRY(oak_output_open(out, sim, &own->progress, OAK_FOLDER_CONTINUE));
  sim->own = (oak_own_outputs_t){own, release_own};
  return oak_agree(sim->setup.comm, sim->setup.rank == 0 ? start_own_folder(out) : OAK_OK);
}

static oak_status_t find_section(const oak_output_t *out, const char *name,
                                 oak_output_item_t **item) {
  char known[512] = "";
  for (int i = 0; i < out->nitem; i++) {
    if (!out->item[i].section) continue;
    *item = &out->item[i];
    if (!strcmp((*item)->name, name)) return OAK_OK;
    snprintf(known + strlen(known), sizeof known - strlen(known), " %s", (*item)->name);
  }
  return OAK_FAIL(OAK_ERR_INPUT, "the parameters have no section [output.%.100s]; known:%s", name,
                  *known ? known : " none");
}

oak_status_t oak_write_output(oak_t *sim, const char *name) {
  OAK_BEGIN_FITS(sim);
  oak_output_item_t *item = NULL;
  own_t *own = sim->own.state;
  if (!own) {
    oak_status_t st = oak_agree(sim->setup.comm, OAK_NEW(own, 1));
    if (st == OAK_OK) st = open_own(sim, own);
    if (st != OAK_OK && sim->own.state)
      oak_output_release(sim);
    else if (st != OAK_OK)
      free(own);
    OAK_TRY(st);
  }
  OAK_TRY(find_section(&own->out, name, &item));
  OAK_TRY(oak_agree(sim->setup.comm,
                    sim->setup.rank == 0 ? oak_run_folder_check(&own->out.run_folder) : OAK_OK));
  if (!oak_poisson_is_past(sim)) return write_item(&own->out, item, sim->data.clock.dt);
  OAK_TRY(oak_poisson_present(sim));
  OAK_TRY(write_item(&own->out, item, sim->data.clock.dt));
  return oak_poisson_back(sim);
}

/* ---- restart */

void oak_output_save(const oak_output_t *out, FILE *stream) {
  for (int i = 0; i < out->nitem; i++) {
    const oak_output_item_t *item = &out->item[i];
    const oak_schedule_t *s = &item->schedule;
    fprintf(stream, "output %s every %a next %a times %d passed %d count %d last %ld", item->name,
            s->every, s->next, s->ntimes, s->passed, item->count, item->last_step);
    if (item->kind->save) item->kind->save(item, stream);
    fprintf(stream, "\n");
  }
}

/* The rest of the line of an item behind its name, NULL if the text has none. */
static const char *line_of(const char *text, const char *name) {
  const size_t length = strlen(name);
  while (text) {
    if (!strncmp(text, "output ", 7) && !strncmp(text + 7, name, length) && text[7 + length] == ' ')
      return text + 7 + length;
    text = strchr(text, '\n');
    if (text) text++;
  }
  return NULL;
}

/* The state of an item from its line. If the interval or the times have changed, the next output
 * follows from the time. */
static oak_status_t load_item(oak_output_item_t *item, const char *line) {
  oak_schedule_t *s = &item->schedule;
  double every, next;
  int times, passed, count, length = 0;
  long last;
  OAK_CHECK(sscanf(line, " every %la next %la times %d passed %d count %d last %ld%n", &every,
                   &next, &times, &passed, &count, &last, &length) == 6 &&
                passed >= 0 && passed <= times && count >= 0,
            OAK_ERR_INPUT, "the schedule of output %s cannot be read: %.60s", item->name, line);
  item->count = count;
  item->last_step = last;
  if (every == s->every) s->next = next;
  if (times == s->ntimes) s->passed = passed;
  if (item->kind->load) item->kind->load(item, line + length);
  return OAK_OK;
}

oak_status_t oak_output_load(oak_output_t *out, const char *text) {
  for (int i = 0; i < out->nitem; i++) {
    const char *line = line_of(text, out->item[i].name);
    oak_schedule_skip(&out->item[i].schedule, out->sim->data.clock.time);
    if (line) OAK_TRY(load_item(&out->item[i], line));
  }
  return OAK_OK;
}
