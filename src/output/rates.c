/* SPDX-License-Identifier: GPL-2.0-or-later
 * Columns of a table that hold how fast other columns change. */
#include "output/rates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The place of a column, -1: there is none. */
static int find_column(const char *head, const char *name) {
  const size_t length = strlen(name);
  int place = 0;
  for (const char *at = head; *at == ','; place++) {
    const size_t n = strcspn(at + 1, ",");
    if (n == length && !strncmp(at + 1, name, n)) return place;
    at += 1 + n;
  }
  return -1;
}

/* The name of a column. */
static void name_column(const char *head, int column, char name[OAK_RATE_NAME]) {
  for (head++; column > 0; column--) head += strcspn(head, ",") + 1;
  snprintf(name, OAK_RATE_NAME, "%.*s", (int)strcspn(head, ","), head);
}

/* A program that reads the table finds a column by its name. */
static oak_status_t check_names(const oak_output_item_t *item, const char *head) {
  char name[OAK_RATE_NAME];
  int place = 0;
  for (const char *at = head; *at == ','; at += 1 + strcspn(at + 1, ","), place++) {
    name_column(head, place, name);
    OAK_CHECK(find_column(head, name) == place && find_column(",step,time", name) < 0,
              OAK_ERR_INPUT,
              "output %s: two columns have the name %s: choose another name for the global or "
              "variable that has it",
              item->name, name);
  }
  return OAK_OK;
}

oak_status_t oak_rates_choose(const oak_output_item_t *item, const char *head, const char *old,
                              oak_row_rates_t *rates) {
  const char *text = oak_item_text(item, "rates");
  OAK_TRY(check_names(item, head));
  rates->count = 0;
  for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
    const size_t length = strcspn(text, " \t");
    OAK_CHECK(rates->count < OAK_MOST_RATES, OAK_ERR_INPUT, "%s: more than %d columns",
              oak_item_given(item, "rates"), OAK_MOST_RATES);
    char *name = rates->name[rates->count];
    snprintf(name, OAK_RATE_NAME, "%.*s", (int)length, text);
    int column = find_column(head, name);
    if (column < 0 && (column = find_column(old, name)) >= 0) name_column(head, column, name);
    OAK_CHECK(column >= 0, OAK_ERR_INPUT,
              "%s: there is no column `%s` that has a rate; choose from %.900s%s",
              oak_item_given(item, "rates"), name, head + 1, strlen(head) > 900 ? " ..." : "");
    for (int i = 0; i < rates->count; i++)
      OAK_CHECK(rates->column[i] != column, OAK_ERR_INPUT, "%s: `%s` is named twice",
                oak_item_given(item, "rates"), name);
    rates->column[rates->count++] = column;
    text += length;
  }
  return OAK_OK;
}

void oak_rates_head(const oak_row_rates_t *rates, FILE *stream) {
  for (int i = 0; i < rates->count; i++) fprintf(stream, ",rate_%s", rates->name[i]);
}

static double value_of(const char *row, int column) {
  for (; row && column >= 0; column--) row = strchr(row, ',') ? strchr(row, ',') + 1 : NULL;
  return row ? strtod(row, NULL) : NAN;
}

void oak_rates_row(oak_row_rates_t *rates, const char *row, double time, FILE *stream) {
  for (int i = 0; i < rates->count; i++) {
    const double value = value_of(row, rates->column[i]);
    const int known = rates->known && time > rates->time;
    fprintf(stream, ",%.17g", known ? (value - rates->value[i]) / (time - rates->time) : NAN);
    rates->value[i] = value;
  }
  rates->time = time;
  rates->known = 1;
}

void oak_rates_save(const oak_row_rates_t *rates, FILE *stream) {
  if (!rates->known || !rates->count) return;
  fprintf(stream, " rates %d %a", rates->count, rates->time);
  for (int i = 0; i < rates->count; i++) fprintf(stream, " %s %a", rates->name[i], rates->value[i]);
}

void oak_rates_load(oak_row_rates_t *rates, const char *text) {
  int count = 0, length = 0, known = 0;
  char name[OAK_RATE_NAME];
  text = strstr(text, " rates ");
  if (!text || sscanf(text, " rates %d %la%n", &count, &rates->time, &length) != 2) return;
  while (known < rates->count && count == rates->count) {
    text += length;
    if (sscanf(text, " %159s %la%n", name, &rates->value[known], &length) != 2 ||
        strcmp(name, rates->name[known]) != 0)
      return;
    known++;
  }
  rates->known = known == rates->count;
}
