/* SPDX-License-Identifier: GPL-2.0-or-later
 * What has changed between two printed parameter sets. */
#include <stdlib.h>
#include <string.h>

#include "run/checkpoint.h"

/* A key of a printed set; pointers into the text. */
typedef struct {
  const char *section, *name, *value;
} entry_t;

typedef struct {
  char *text;
  entry_t *entry;
  int count;
} list_t;

static void cut_suffix(char *line, const char *suffix) {
  const size_t n = strlen(line), m = strlen(suffix);
  if (n >= m && !strcmp(line + n - m, suffix)) line[n - m] = '\0';
}

/* The lines of a text, which is changed: "[section]" and "name = value". */
static void split(list_t *list) {
  const char *section = "";
  for (char *line = strtok(list->text, "\n"); line; line = strtok(NULL, "\n")) {
    char *equal = strchr(line, '=');
    if (line[0] == '[') {
      section = line + 1;
      cut_suffix(line, "]");
    }
    if (line[0] == '[' || line[0] == '#' || !equal || equal == line) continue;
    cut_suffix(line, " # default");
    equal[-1] = '\0';
    list->entry[list->count++] = (entry_t){section, line, equal + 1 + strspn(equal + 1, " ")};
  }
}

static oak_status_t read_list(const char *text, list_t *list) {
  int lines = 1;
  for (const char *at = text; *at; at++) lines += *at == '\n';
  list->text = strdup(text);
  list->entry = malloc(lines * sizeof *list->entry);
  list->count = 0;
  OAK_CHECK(list->text && list->entry, OAK_ERR_MEMORY, "no memory to compare parameters");
  split(list);
  return OAK_OK;
}

static void free_list(list_t *list) {
  free(list->text);
  free(list->entry);
}

static const entry_t *find(const list_t *list, const entry_t *like) {
  for (int i = 0; i < list->count; i++)
    if (!strcmp(list->entry[i].section, like->section) && !strcmp(list->entry[i].name, like->name))
      return &list->entry[i];
  return NULL;
}

static void compare(const list_t *old, const list_t *now, oak_changes_t *changes) {
  static const char *const decisive[] = {"scheme", "physics", "problem", "boundary", "body."};
  for (int i = 0; i < now->count; i++) {
    const entry_t *entry = &now->entry[i], *before = find(old, entry);
    if (!before || !strcmp(before->value, entry->value) || !strcmp(entry->section, "device") ||
        !strcmp(entry->name, "initial")) /* which a restart does not read */
      continue;
    for (size_t d = 0; d < sizeof decisive / sizeof *decisive; d++)
      changes->equations |= !strncmp(entry->section, decisive[d], strlen(decisive[d]));
    if (changes->count < OAK_MOST_CHANGES)
      snprintf(changes->line[changes->count], sizeof changes->line[0],
               "%.40s.%.40s = %.30s (was %.30s)", entry->section, entry->name, entry->value,
               before->value);
    changes->count++;
  }
}

/* ---- bodies */

/* Whether two values are the same text or the same numbers, such as 1e-3 and 0.001. */
static int is_same(const char *a, const char *b) {
  for (;;) {
    char *a_end, *b_end;
    const double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (a_end == a || b_end == b) return !strcmp(a, b);
    if (x != y) return 0;
    a = a_end;
    b = b_end;
  }
}

/* The first key of the shape of a body that another list lacks or has with another value. */
static const entry_t *other_shape(const list_t *list, const list_t *other, const entry_t **there) {
  static const char *const keys[] = {"shape", "from", "to", "radius", "tip_radius"};
  for (int i = 0; i < list->count; i++) {
    const entry_t *entry = &list->entry[i];
    int shape = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) shape |= !strcmp(entry->name, keys[k]);
    if (!shape || strncmp(entry->section, "body.", 5) != 0) continue;
    *there = find(other, entry);
    if (!*there || !is_same(entry->value, (*there)->value)) return entry;
  }
  return NULL;
}

static oak_status_t compare_bodies(const list_t *old, const list_t *now, const char *path) {
  static const char *const hint =
      "; bodies cannot change at a restart, but in a new run with run.initial";
  const entry_t *there = NULL, *entry = other_shape(now, old, &there);
  OAK_CHECK(!entry || there, OAK_ERR_INPUT, "[%.40s] is not in checkpoint %s%s", entry->section,
            path, hint);
  OAK_CHECK(!entry, OAK_ERR_INPUT, "%.40s.%.40s = %.60s, but checkpoint %s has %.60s%s",
            entry->section, entry->name, entry->value, path, there->value, hint);
  entry = other_shape(old, now, &there);
  OAK_CHECK(!entry, OAK_ERR_INPUT, "checkpoint %s has [%.40s], but this run has not%s", path,
            entry->section, hint);
  return OAK_OK;
}

oak_status_t oak_changes_find(const char *old, const char *now, const char *path,
                              oak_changes_t *changes) {
  list_t before = {NULL}, after = {NULL};
  oak_status_t st = read_list(old, &before);
  if (st == OAK_OK) st = read_list(now, &after);
  if (st == OAK_OK) st = compare_bodies(&before, &after, path);
  if (st == OAK_OK && changes) compare(&before, &after, changes);
  free_list(&before);
  free_list(&after);
  return st;
}
