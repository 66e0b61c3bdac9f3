/* SPDX-License-Identifier: GPL-2.0-or-later
 * One output of a run: its keys, its variables, one writing of it. */
#include <stdlib.h>
#include <string.h>

#include "output/item.h"

/* ---- keys */

/* The keys in [output] are older than the sections, and some have other names. */
static const char *key_of(const oak_output_item_t *item, const char *word, char key[128]) {
  if (!item->section && !strcmp(word, "every_steps")) word = "steps";
  if (!item->section && item->kind->empty == OAK_SELECT_FIRST && !strcmp(word, "variables"))
    word = "variable";
  snprintf(key, 128, "%s%s", item->prefix, word);
  return key;
}

int oak_item_int(const oak_output_item_t *item, const char *word) {
  return oak_params_int(item->sim->setup.params, key_of(item, word, (char[128]){0}));
}

double oak_item_real(const oak_output_item_t *item, const char *word) {
  return oak_params_real(item->sim->setup.params, key_of(item, word, (char[128]){0}));
}

int oak_item_bool(const oak_output_item_t *item, const char *word) {
  return oak_params_bool(item->sim->setup.params, key_of(item, word, (char[128]){0}));
}

int oak_item_choice(const oak_output_item_t *item, const char *word) {
  return oak_params_choice(item->sim->setup.params, key_of(item, word, (char[128]){0}));
}

const char *oak_item_text(const oak_output_item_t *item, const char *word) {
  return oak_params_text(item->sim->setup.params, key_of(item, word, (char[128]){0}));
}

int oak_item_reals(const oak_output_item_t *item, const char *word, double out[3]) {
  return oak_params_reals(item->sim->setup.params, key_of(item, word, (char[128]){0}), out);
}

const char *oak_item_given(const oak_output_item_t *item, const char *word) {
  static char text[1024];
  char key[128];
  key_of(item, word, key);
  snprintf(text, sizeof text, "%s: %s = %.400s", oak_params_origin(item->sim->setup.params, key),
           key, oak_params_text(item->sim->setup.params, key));
  return text;
}

oak_status_t oak_item_only_3d(const oak_output_item_t *item, const char *word) {
  char key[128];
  key_of(item, word, key);
  OAK_CHECK(item->sim->setup.dim == 3 || !oak_params_changed(item->sim->setup.params, key),
            OAK_ERR_INPUT, "%s: has no effect in 2D, where the whole domain is shown: leave it out",
            oak_item_given(item, word));
  OAK_CHECK(strcmp(word, "axis") || oak_item_axis(item) >= 0, OAK_ERR_INPUT,
            "%s: the axes are %s, %s and %s", oak_item_given(item, word),
            oak_axis_name(&item->sim->setup, 0), oak_axis_name(&item->sim->setup, 1),
            oak_axis_name(&item->sim->setup, 2));
  return OAK_OK;
}

int oak_item_axis(const oak_output_item_t *item) {
  const int choice = oak_item_choice(item, "axis");
  for (int d = 0; choice > 2 && d < item->sim->setup.dim; d++)
    if (!strcmp(oak_item_text(item, "axis"), oak_axis_name(&item->sim->setup, d))) return d;
  return choice > 2 ? -1 : choice;
}

int oak_item_always(const oak_output_item_t *item) {
  (void)item;
  return 1;
}

/* ---- an item */

static int has_key(const oak_output_kind_t *kind, const char *word) {
  return oak_output_word_key(&kind->word, word) != NULL;
}

int oak_item_no_dielectrics(const oak_output_item_t *item) {
  return has_key(item->kind, "dielectrics") && !oak_item_bool(item, "dielectrics");
}

static oak_status_t select_variables(oak_output_item_t *item) {
  char key[128];
  key_of(item, "variables", key);
  return oak_variables_select(&item->sim->setup, oak_params_text(item->sim->setup.params, key),
                              oak_params_origin(item->sim->setup.params, key), key,
                              item->kind->empty, &item->variables);
}

/* The names of variables in files of blocks. */
static oak_status_t check_names(const oak_output_item_t *item) {
  const oak_grid_view_t view = oak_view_domain(item->sim, &item->variables);
  const oak_status_t st = oak_view_check(&view, item->kind->word.name);
  return st == OAK_OK ? st
                      : OAK_FAIL(OAK_ERR_INPUT, "%s: %s", oak_item_given(item, "variables"),
                                 oak_last_error());
}

/* The interval of a section. */
static oak_status_t read_schedule(oak_output_item_t *item) {
  const char *text = oak_item_text(item, "times");
  const int count = oak_params_numbers(text, 0, NULL);
  OAK_CHECK(count >= 0, OAK_ERR_INPUT, "%s: must be numbers, apart by blanks",
            oak_item_given(item, "times"));
  double *times;
  OAK_TRY(OAK_NEW(times, count + 1));
  oak_params_numbers(text, count, times);
  item->schedule = (oak_schedule_t){.steps = oak_item_int(item, "every_steps"),
                                    .every = oak_item_real(item, "every"),
                                    .exact = oak_item_bool(item, "exact"),
                                    .first_last = oak_item_bool(item, "first_last")};
  oak_schedule_begin(&item->schedule, times, count);
  for (int i = 0; i < count; i++)
    OAK_CHECK(times[i] >= 0, OAK_ERR_INPUT, "%s: times must be at least 0",
              oak_item_given(item, "times"));
  return OAK_OK;
}

oak_status_t oak_item_points(const oak_output_item_t *item, const char *word, int most,
                             double (*x)[3], int *count) {
  const oak_t *sim = item->sim;
  const char *text = oak_item_text(item, word);
  const int n = oak_params_numbers(text, 0, NULL);
  OAK_CHECK(n > 0 && n % sim->setup.dim == 0 && n <= most * sim->setup.dim, OAK_ERR_INPUT,
            "%s: must be %s of %d coordinates%s", oak_item_given(item, word),
            most > 2   ? "points"
            : most > 1 ? "two points"
                       : "one point",
            sim->setup.dim, most > 2 ? ", at most 1000, all in one line" : ", apart by blanks");
  double *number;
  OAK_TRY(OAK_NEW(number, n));
  oak_params_numbers(text, n, number);
  *count = n / sim->setup.dim;
  for (int i = 0; i < *count; i++)
    for (int d = 0; d < 3; d++) x[i][d] = d < sim->setup.dim ? number[i * sim->setup.dim + d] : 0;
  free(number);
  for (int i = 0; i < n; i++) {
    const int d = i % sim->setup.dim;
    const double at = x[i / sim->setup.dim][d];
    OAK_CHECK(at >= sim->setup.domain.xmin[d] && at <= sim->setup.domain.xmax[d], OAK_ERR_INPUT,
              "%s: %s = %g is outside the domain: choose %g to %g", oak_item_given(item, word),
              oak_axis_name(&sim->setup, d), at, sim->setup.domain.xmin[d],
              sim->setup.domain.xmax[d]);
  }
  return OAK_OK;
}

/* The part of the domain that is written: between two corners, or all of it. */
static oak_status_t read_region(oak_output_item_t *item) {
  const oak_t *sim = item->sim;
  double(*region)[3] = item->region;
  int count;
  item->whole = !*oak_item_text(item, "region");
  if (item->whole) return OAK_OK;
  OAK_TRY(oak_item_points(item, "region", 2, region, &count));
  OAK_CHECK(count == 2, OAK_ERR_INPUT, "%s: must be two points, the lower and the upper corner",
            oak_item_given(item, "region"));
  for (int d = 0; d < sim->setup.dim; d++)
    OAK_CHECK(region[0][d] < region[1][d], OAK_ERR_INPUT,
              "%s: the upper corner must be above the lower one along %s",
              oak_item_given(item, "region"), oak_axis_name(&sim->setup, d));
  return OAK_OK;
}

oak_status_t oak_item_init(oak_output_item_t *item, oak_t *sim, const char *name,
                           const char *prefix, const oak_output_kind_t *kind) {
  *item =
      (oak_output_item_t){.sim = sim, .kind = kind, .value_bytes = 8, .whole = 1, .last_step = -1};
  snprintf(item->name, sizeof item->name, "%s", name);
  snprintf(item->prefix, sizeof item->prefix, "%s", prefix);
  snprintf(item->ending, sizeof item->ending, "%s", kind->ending ? kind->ending : "");
  item->section = prefix[strlen(prefix) - 1] == '.';
  oak_schedule_begin(&item->schedule, NULL, 0);
  if (item->section) OAK_TRY(read_schedule(item));
  if (item->section && has_key(kind, "precision") && oak_item_choice(item, "precision") == 1)
    item->value_bytes = 4;
  if (has_key(kind, "region")) OAK_TRY(read_region(item));
  if (has_key(kind, "variables")) OAK_TRY(select_variables(item));
  if (has_key(kind, "precision")) oak_variables_add_mask(&sim->setup, &item->variables);
  oak_variables_find_vectors(&sim->setup, &item->variables);
  if (has_key(kind, "precision")) OAK_TRY(check_names(item));
  return kind->open ? kind->open(item) : OAK_OK;
}

void oak_item_clear(oak_output_item_t *item) {
  oak_schedule_clear(&item->schedule);
  free(item->data);
  item->data = NULL;
}

oak_status_t oak_item_write(oak_output_item_t *item, const char *path) {
  const double(*region)[3] = item->whole ? NULL : (const double(*)[3])item->region;
  oak_view_source_t source = {.sim = item->sim,
                              .variables = &item->variables,
                              .value_bytes = item->value_bytes,
                              .region = item->kind->cuts_blocks ? region : NULL};
  oak_grid_view_t view;
  oak_timer_start(&item->sim->data.timers, OAK_PHASE_OUTPUT);
  oak_status_t st = oak_view_make(&source, &view);
  view.disk = item->disk;
  view.region = region;
  view.no_dielectrics = oak_item_no_dielectrics(item);
  if (st == OAK_OK && item->disk && item->kind->takes_over && item->kind->takes_over(item))
    oak_view_detach(&source, &view);
  if (st == OAK_OK) st = item->kind->write(item, &view, path);
  oak_view_clear(&source);
  oak_timer_stop(&item->sim->data.timers, OAK_PHASE_OUTPUT);
  return st;
}
