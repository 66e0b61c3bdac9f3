/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lines of preprocessed text, and where they come from. */
#include "declare/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/str.h"
#include "oak/device.h"

int oak_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Who has written a file. The physics and problems of oak count as those of a user. */
static oak_text_from_t from_of(const char *path, int length, const char *flags, const char *root) {
  const size_t n = strlen(root);
  if (*path == '<' || strchr(flags, '3')) return OAK_FROM_OAK; /* of the system */
  if (length <= (int)n || strncmp(path, root, n) || path[n] != '/') return OAK_FROM_USER;
  if (!strncmp(path + n, "/numerics/", 10)) return OAK_FROM_SCHEMES;
  return strncmp(path + n, "/kernels/", 9) && strncmp(path + n, "/include/", 9) ? OAK_FROM_USER
                                                                                : OAK_FROM_OAK;
}

int oak_text_next(oak_text_line_t *l, const char *root) {
  for (l->line++; *l->next;) {
    l->at = l->next + strspn(l->next, " ");
    l->next += strcspn(l->next, "\n");
    l->next += *l->next == '\n';
    if (l->at[0] != '#' || (l->at[1] != ' ' && strncmp(l->at, "#line ", 6))) return 1;
    const char *quote = memchr(l->at, '"', (size_t)(l->next - l->at));
    if (!quote || !isdigit((unsigned char)l->at[strcspn(l->at, " ") + 1])) return 1;
    char flags[16];
    l->line = atoi(l->at + strcspn(l->at, " "));
    l->path = quote + 1;
    l->path_length = (int)strcspn(l->path, "\"\n");
    snprintf(flags, sizeof flags, "%.*s", (int)strcspn(l->path + l->path_length, "\n"),
             l->path + l->path_length);
    l->from = from_of(l->path, l->path_length, flags, root);
  }
  return 0;
}

static const char *source_root(void) {
  const char *root;
  return oak_source_root(&root) == OAK_OK ? root : "";
}

/* The place of a word in a line, NULL if it is not there. */
static const char *find_word(const oak_text_line_t *l, const char *before, const char *name) {
  const size_t length = strlen(name), more = strlen(before);
  for (const char *at = l->at; at + more + length < l->next; at++)
    if (!strncmp(at, before, more) && !strncmp(at + more, name, length) &&
        !oak_is_word(at[more + length]) && (more || at == l->at || !oak_is_word(at[-1])))
      return at;
  return NULL;
}

oak_text_place_t oak_text_find(const char *text, const char *before, const char *name) {
  const char *root = source_root();
  oak_text_place_t place = {.line = 0};
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root);) {
    if (l.from != OAK_FROM_USER || *l.at == '#' || !find_word(&l, before, name)) continue;
    snprintf(place.path, sizeof place.path, "%.*s", l.path_length, l.path);
    place.line = l.line;
    return place;
  }
  return place;
}

/* ---- names of variables */

static void add_name(const char *c, int length, char *names, size_t size) {
  const size_t used = strlen(names);
  if (isupper((unsigned char)*c) && strncmp(c, "OAK_", 4) && used + (size_t)length + 2 < size &&
      !oak_str_has_word(names, c, (size_t)length))
    snprintf(names + used, size - used, "%s%.*s", used ? " " : "", length, c);
}

void oak_text_enumerators(const char *text, char *names, size_t size) {
  const char *root = source_root();
  int inside = 0; /* 1: in the braces of an enum, 2: behind a comma of it */
  *names = 0;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root);) {
    const char *word = find_word(&l, "", "enum"), *c = inside ? l.at : word;
    if (l.from != OAK_FROM_USER || *l.at == '#') continue;
    for (int length; c && c < l.next; c += length) {
      for (length = 0; oak_is_word(c[length]);) length++;
      if (length && inside == 2) add_name(c, length, names, size);
      if (length && inside) inside = 1;
      if (*c == '}') inside = 0;
      if (*c == '{' || (*c == ',' && inside)) inside = 2;
      length += !length;
    }
  }
}

/* ---- macros without effect */

static const char known[][24] = {"PHYSICS_NVAR",   "PHYSICS_NORMAL",     "PHYSICS_MIRROR",
                                 "PHYSICS_MORE",   "PHYSICS_MASS",       "PHYSICS_HAS_PRESSURE",
                                 "PHYSICS_SIDES",  "PHYSICS_LEAST_MASS", "PHYSICS_VECTORS",
                                 "PHYSICS_EPSILON"};
enum { NKNOWN = sizeof known / sizeof *known };

/* The known macro that is meant, NULL if none is near. \a *same: it is this one. */
static const char *nearest(const char *name, int most, int *same) {
  const char *found = NULL;
  *same = 0;
  for (int i = 0; i < NKNOWN; i++) {
    const int distance = oak_str_distance(name, known[i]);
    *same |= distance == 0;
    if (distance < most || (distance == most && !found)) {
      most = distance;
      found = known[i];
    }
  }
  return found;
}

/* Whether a file of a user names a macro but where it defines it. The preprocessor has replaced the
 * macros in `text`, so the files are read. */
static int is_used(const char *text, const char *root, const char *name) {
  const char *last = NULL;
  int used = 0;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root) && !used;) {
    oak_buffer_t file = {0};
    char path[4096];
    if (l.from != OAK_FROM_USER || l.path == last) continue;
    last = l.path;
    snprintf(path, sizeof path, "%.*s", l.path_length, l.path);
    if (oak_buffer_read(&file, path)) continue;
    oak_text_line_t in = {.next = oak_buffer_get(&file)};
    while (!used && oak_text_next(&in, root)) {
      const char *at = find_word(&in, "", name), *word = in.at + strspn(in.at, " \t#");
      used = at && !(!strncmp(word, "define", 6) && at == word + 6 + strspn(word + 6, " \t"));
    }
    oak_buffer_free(&file);
  }
  return used;
}

oak_status_t oak_text_check_macros(const char *text) {
  const char *root = source_root();
  char name[128], message[4096] = "";
  size_t at = 0;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root) && at + 600 < sizeof message;) {
    int same;
    if (l.from != OAK_FROM_USER || strncmp(l.at, "#define ", 8) ||
        sscanf(l.at + 8, "%127[A-Za-z0-9_]", name) != 1)
      continue;
    const int reserved = !strncmp(name, "PROBLEM_", 8) || !strncmp(name, "PHYSICS_", 8);
    const char *meant = nearest(name, reserved ? 3 : 2, &same);
    if (same || !(reserved || meant) || is_used(text, root, name)) continue;
    at += snprintf(message + at, sizeof message - at, "%s%.*s:%d: nothing uses the macro %s",
                   at ? "\n" : "", l.path_length < 300 ? l.path_length : 300, l.path, l.line, name);
    if (meant) at += snprintf(message + at, sizeof message - at, "; did you mean %s?", meant);
  }
  OAK_CHECK(!at, OAK_ERR_INPUT,
            "%s\nNames that begin with PROBLEM_ or PHYSICS_ are for oak, see docs/kernels.md",
            message);
  return OAK_OK;
}
