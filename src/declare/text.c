/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lines of preprocessed text, and where they come from. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/str.h"
#include "declare/declared.h"

/* Who has written the file of a line. The physics and problems of oak count as those of a user. */
static oak_text_from_t from_of(oak_text_line_t *l) {
  const char *behind = l->path + l->path_length;
  if (!l->root && oak_source_root(&l->root) != OAK_OK) l->root = "";
  const size_t n = strlen(l->root);
  if (*l->path == '<' || memchr(behind, '3', strcspn(behind, "\n"))) return OAK_FROM_OAK;
  if (l->path_length <= (int)n || strncmp(l->path, l->root, n) != 0) return OAK_FROM_USER;
  if (!strncmp(l->path + n, "/numerics/", 10)) return OAK_FROM_SCHEMES;
  return strncmp(l->path + n, "/kernels/", 9) && strncmp(l->path + n, "/include/", 9)
             ? OAK_FROM_USER
             : OAK_FROM_OAK;
}

int oak_text_next(oak_text_line_t *l) {
  for (l->line++; *l->next;) {
    l->at = l->next + strspn(l->next, " ");
    l->next += strcspn(l->next, "\n");
    l->next += *l->next == '\n';
    if (l->at[0] != '#' || (l->at[1] != ' ' && strncmp(l->at, "#line ", 6))) return 1;
    const char *quote = memchr(l->at, '"', (size_t)(l->next - l->at));
    if (!quote || !isdigit((unsigned char)l->at[strcspn(l->at, " ") + 1])) return 1;
    l->line = atoi(l->at + strcspn(l->at, " "));
    l->path = quote + 1;
    l->path_length = (int)strcspn(l->path, "\"\n");
    l->from = from_of(l);
  }
  return 0;
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
  oak_text_place_t place = {.line = 0};
  for (oak_text_line_t l = {.next = text}; !place.line && oak_text_next(&l);) {
    if (l.from != OAK_FROM_USER || *l.at == '#' || !find_word(&l, before, name)) continue;
    snprintf(place.path, sizeof place.path, "%.*s", l.path_length, l.path);
    place.line = l.line;
  }
  return place;
}

/* ---- macros without effect */

static const char *const known[] = {"PHYSICS_NVAR",   "PHYSICS_NORMAL",     "PHYSICS_MIRROR",
                                    "PHYSICS_MORE",   "PHYSICS_MASS",       "PHYSICS_HAS_PRESSURE",
                                    "PHYSICS_SIDES",  "PHYSICS_LEAST_MASS", "PHYSICS_VECTORS",
                                    "PHYSICS_EPSILON"};

/* Whether a file of a user names a macro but where it defines it. The preprocessor has replaced the
 * macros in `text`, so the files are read. */
static int is_used(const char *text, const char *name) {
  const char *last = NULL;
  int used = 0;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l) && !used;) {
    oak_buffer_t file = {0};
    char path[4096];
    if (l.from != OAK_FROM_USER || l.path == last) continue;
    last = l.path;
    snprintf(path, sizeof path, "%.*s", l.path_length, l.path);
    oak_buffer_read(&file, path);
    oak_text_line_t in = {.next = oak_buffer_get(&file)};
    while (!used && oak_text_next(&in)) {
      const char *at = find_word(&in, "", name), *word = in.at + strspn(in.at, " \t#");
      used = at && !(!strncmp(word, "define", 6) && at == word + 6 + strspn(word + 6, " \t"));
    }
    oak_buffer_free(&file);
  }
  return used;
}

oak_status_t oak_text_check_macros(const char *text) {
  char name[128];
  oak_buffer_t message = {0};
  oak_status_t st = OAK_OK;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l);) {
    if (l.from != OAK_FROM_USER || sscanf(l.at, "#define %127[A-Za-z0-9_]", name) != 1) continue;
    const int reserved = !strncmp(name, "PROBLEM_", 8) || !strncmp(name, "PHYSICS_", 8);
    const char *meant = NULL;
    int least = reserved ? 4 : 3; /* beyond the distance of a name that may be meant */
    for (size_t i = 0; i < sizeof known / sizeof *known && least; i++) {
      const int distance = oak_str_distance(name, known[i]);
      if (distance < least) least = distance, meant = known[i];
    }
    if (!least || !(reserved || meant) || is_used(text, name)) continue;
    oak_buffer_print(&message, "%.*s:%d: nothing uses the macro %s%s%s%s\n", l.path_length, l.path,
                     l.line, name, meant ? "; did you mean " : "", meant ? meant : "",
                     meant ? "?" : "");
  }
  if (message.length)
    st = OAK_FAIL(OAK_ERR_INPUT,
                  "%sNames that begin with PROBLEM_ or PHYSICS_ are for oak, see docs/kernels.md",
                  oak_buffer_get(&message));
  oak_buffer_free(&message);
  return st;
}

void oak_text_end_macros(const char *text, FILE *f) {
  char name[128];
  const char *first = "#include \"kernels/hooks/problem.h\"\n";
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l);) {
    if (l.from != OAK_FROM_USER || sscanf(l.at, "#define %127[A-Za-z0-9_]", name) != 1 ||
        name[strcspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] || !strncmp(name, "physics_", 8) ||
        !strncmp(name, "problem_", 8))
      continue;
    fprintf(f, "%s#undef %s\n", first, name);
    first = "";
  }
}
