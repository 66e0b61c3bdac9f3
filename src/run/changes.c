/* SPDX-License-Identifier: GPL-2.0-or-later
 * What has changed between two printed parameter sets. */
#include <stdlib.h>
#include <string.h>

#include "base/params_library.h"
#include "run/checkpoint.h"

static void compare(const oak_params_t *old, const oak_params_t *now, oak_changes_t *changes) {
  static const char *const decisive[] = {"scheme", "physics", "problem", "boundary", "body."};
  const char *key, *value, *before;
  for (int i = 0; (key = oak_params_entry(now, i, &value)); i++) {
    before = oak_params_value(old, key);
    if (!before || !strcmp(before, value) || !strncmp(key, "device.", 7) ||
        !strcmp(key, "run.initial")) /* which a restart does not read */
      continue;
    for (size_t d = 0; d < sizeof decisive / sizeof *decisive; d++)
      changes->equations |= !strncmp(key, decisive[d], strlen(decisive[d]));
    if (changes->count < OAK_MOST_CHANGES)
      snprintf(changes->line[changes->count], sizeof changes->line[0], "%.80s = %.30s (was %.30s)",
               key, value, before);
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

/* The first key of the shape of a body that another set lacks or has with another value. */
static const char *other_shape(const oak_params_t *set, const oak_params_t *other) {
  static const char *const names[] = {".shape", ".from", ".to", ".radius", ".tip_radius"};
  const char *key, *value;
  for (int i = 0; (key = oak_params_entry(set, i, &value)); i++) {
    const char *there = oak_params_value(other, key);
    int shape = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      shape |= !strcmp(strrchr(key, '.'), names[k]);
    if (shape && !strncmp(key, "body.", 5) && (!there || !is_same(value, there))) return key;
  }
  return NULL;
}

/* Length of the section of such a key, body.NAME. */
static int section_of(const char *key) { return key ? (int)(strrchr(key, '.') - key) : 0; }

static oak_status_t compare_bodies(const oak_params_t *old, const oak_params_t *now,
                                   const char *path) {
  static const char *const hint =
      "; bodies cannot change at a restart, but in a new run with run.initial";
  const char *key = other_shape(now, old), *there = key ? oak_params_value(old, key) : NULL;
  OAK_CHECK(!key || there, OAK_ERR_INPUT, "[%.*s] is not in checkpoint %s%s", section_of(key), key,
            path, hint);
  OAK_CHECK(!key, OAK_ERR_INPUT, "%.80s = %.60s, but checkpoint %s has %.60s%s", key,
            oak_params_value(now, key), path, there, hint);
  key = other_shape(old, now);
  OAK_CHECK(!key, OAK_ERR_INPUT, "checkpoint %s has [%.*s], but this run has not%s", path,
            section_of(key), key, hint);
  return OAK_OK;
}

oak_status_t oak_changes_find(const char *old, const char *now, const char *path,
                              oak_changes_t *changes) {
  oak_params_t *before = NULL, *after = NULL;
  oak_status_t st = oak_params_parse(path, old, &before);
  if (st == OAK_OK) st = oak_params_parse("this run", now, &after);
  if (st == OAK_OK) st = compare_bodies(before, after, path);
  if (st == OAK_OK && changes) compare(before, after, changes);
  oak_params_destroy(&before);
  oak_params_destroy(&after);
  return st;
}
