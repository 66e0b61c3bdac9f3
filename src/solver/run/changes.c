/* SPDX-License-Identifier: GPL-2.0-or-later
 * What has changed between two printed parameter sets. */
#include <stdlib.h>
#include <string.h>

#include "solver/run/checkpoint.h"

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
  static const char *const decisive[] = {"scheme", "physics", "problem", "boundary"};
  for (int i = 0; i < now->count; i++) {
    const entry_t *entry = &now->entry[i], *before = find(old, entry);
    if (!before || !strcmp(before->value, entry->value) || !strcmp(entry->section, "device") ||
        !strcmp(entry->name, "initial")) /* which a restart does not read */
      continue;
    for (size_t d = 0; d < sizeof decisive / sizeof *decisive; d++)
      changes->equations |= !strcmp(entry->section, decisive[d]);
    if (changes->count < OAK_MOST_CHANGES)
      snprintf(changes->line[changes->count], sizeof changes->line[0],
               "%.40s.%.40s = %.30s (was %.30s)", entry->section, entry->name, entry->value,
               before->value);
    changes->count++;
  }
}

oak_status_t oak_changes_find(const char *old, const char *now, oak_changes_t *changes) {
  list_t before = {NULL}, after = {NULL};
  oak_status_t st = read_list(old, &before);
  if (st == OAK_OK) st = read_list(now, &after);
  if (st == OAK_OK) compare(&before, &after, changes);
  free_list(&before);
  free_list(&after);
  return st;
}
