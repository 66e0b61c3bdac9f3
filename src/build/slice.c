/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the kernels of one file need of a preprocessed source. Only that part is compiled for this
 * file, so an edit of a function does not concern files that do not use it.
 *
 * The text is cut into items: a function, or anything else up to a semicolon. Inline functions
 * (OAK_FN) and types are kept where a kept item names them, static assertions where all is kept
 * that they name. All other items are kept for every file, except those that are in another kernel
 * file. Comments and blanks have no effect on the result. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "build/build.h"

typedef enum { ALWAYS, NAMED, ASSERTION } reason_t;

typedef struct {
  const char *text;
  int length;
  int file;        /**< number of the kernel file, -1: none of them */
  reason_t reason; /**< to keep it */
  int kept;
} item_t;

/** What an item declares: an inline function, a type, a tag or a constant of an enum. */
typedef struct {
  const char *text;
  int length, item;
} name_t;

struct oak_slices {
  item_t *item;
  name_t *name; /**< sorted */
  int count, nname;
};

/* ---- tokens */

typedef enum { BLANK, DIRECTIVE, WORD, LITERAL, MARK } token_t;

static int in_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/** The length of the token at \a at. */
static int read_token(const char *at, token_t *kind) {
  int n = 1;
  if (isspace((unsigned char)*at)) {
    *kind = BLANK;
    while (isspace((unsigned char)at[n])) n++;
  } else if (in_word(*at)) {
    *kind = WORD;
    while (in_word(at[n])) n++;
  } else if (*at == '"' || *at == '\'') {
    *kind = LITERAL;
    while (at[n] && at[n] != *at) n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    n += at[n] != '\0';
  } else if (*at == '#') { /* # is nowhere else in preprocessed text */
    *kind = DIRECTIVE;
    n = (int)strcspn(at, "\n");
  } else {
    *kind = MARK;
  }
  return n;
}

static int is(const char *at, int length, const char *word) {
  return (int)strlen(word) == length && !strncmp(at, word, (size_t)length);
}

/** 1 if a directive only says where the text comes from (# 12 "file", #line 12 "file"). */
static int is_place(const char *directive) {
  const char *at = directive + 1 + strspn(directive + 1, " ");
  return isdigit((unsigned char)*at) || !strncmp(at, "line ", 5);
}

/* ---- items */

static oak_status_t add_name(struct oak_slices *slices, const char *text, int length) {
  OAK_TRY(OAK_GROW(slices->name, slices->nname));
  slices->item[slices->count - 1].reason = NAMED;
  slices->name[slices->nname++] = (name_t){text, length, slices->count - 1};
  return OAK_OK;
}

/** Find the name of an inline function, or of its declaration. Any attribute other than that of
 * OAK_FN may be a reason to keep the function even if it is not named. */
static oak_status_t name_function(struct oak_slices *slices, const item_t *item) {
  token_t kind;
  const char *end = item->text + item->length, *word = NULL, *name = NULL;
  int words = 0, length = 0, name_length = 0;
  for (const char *at = item->text; at < end; at += length) {
    length = read_token(at, &kind);
    if (kind == DIRECTIVE) break;
    if (kind == WORD && is(at, length, "__attribute__")) {
      static const char inlined[] = "__attribute__((always_inline))";
      if (name || strncmp(at, inlined, sizeof inlined - 1) != 0) break;
      length = sizeof inlined - 1;
    } else if (kind == WORD) {
      const int fits = words == 0   ? is(at, length, "static")
                       : words == 1 ? !strncmp(at, "inline", 6) || !strncmp(at, "__inline", 8)
                                    : !is(at, length, "asm") && !is(at, length, "__asm__");
      if (!fits) break;
      words++;
      word = at;
      if (!name) name_length = length;
    } else if (*at == '(' && !name && words > 2) {
      name = word;
      const int inside = read_token(at + 1, &kind); /* real(name)(...), if there is such a macro */
      if (kind == WORD && !strncmp(at + 1 + inside, ")(", 2)) name = at + 1, name_length = inside;
    } else if (*at == '{' || *at == ';') {
      return name ? add_name(slices, name, name_length) : OAK_OK;
    }
  }
  return OAK_OK;
}

static int is_tagged(const char *word, int length) {
  return is(word, length, "struct") || is(word, length, "union") || is(word, length, "enum");
}

/** Find the names that an item with a type brings: tags, constants of an enum, which may be inside
 * a struct, pointers to functions, and what a typedef declares: the last words outside brackets
 * before a comma and before the end. */
static oak_status_t name_type(struct oak_slices *slices, const item_t *item) {
  token_t kind;
  const char *end = item->text + item->length, *last = item->text, *before = "", *opened = "";
  int depth = 0, length = 0, before_length = 0, last_length = 0, is_pointer = 0;
  int constants = -1; /* the depth inside the braces of an enum */
  for (const char *at = item->text; at < end; at += length) {
    length = read_token(at, &kind);
    if (kind == BLANK) continue;
    if (kind == WORD) {
      const int constant = depth == constants && (*before == '{' || *before == ',');
      const int pointer = *before == '*' && depth == 1 && *opened == '(';
      is_pointer |= pointer;
      if (is_tagged(before, before_length) || constant || pointer)
        OAK_TRY(add_name(slices, at, length));
      if (is(at, length, "enum")) constants = depth + 1;
      if (depth == 0 && strncmp(at, "__attribute", 11) != 0) last = at, last_length = length;
    } else if (kind == MARK && strchr("({[", *at)) {
      if (depth++ == 0) opened = at;
    } else if (kind == MARK && strchr(")}]", *at)) {
      if (depth-- == constants) constants = -1;
    } else if (*at == ';' && depth < constants) {
      constants = -1;
    } else if (*at == ',' && depth == 0) {
      if (last != item->text && !is_pointer) OAK_TRY(add_name(slices, last, last_length));
      last = item->text;
      is_pointer = 0;
    }
    before = at;
    before_length = length;
  }
  return last == item->text || is_pointer ? OAK_OK : add_name(slices, last, last_length);
}

/** Note what a complete item declares. */
static oak_status_t find_names(struct oak_slices *slices) {
  item_t *item = &slices->item[slices->count - 1];
  token_t kind;
  const int length = read_token(item->text, &kind);
  if (kind != WORD) return OAK_OK;
  if (is(item->text, length, "_Static_assert")) item->reason = ASSERTION;
  return is_tagged(item->text, length) || is(item->text, length, "typedef")
             ? name_type(slices, item)
             : name_function(slices, item);
}

/** The number of the file that a line `# 12 "file"` names, -1 if it is none of \a file. */
static int find_file(const char *directive, char *const *file, int count) {
  const char *open = strchr(directive, '"'), *end = strchr(directive, '\n');
  const char *close = open && end && open < end ? memrchr(open, '"', (size_t)(end - open)) : NULL;
  for (int i = 0; close && i < count; i++)
    if (is(open + 1, (int)(close - open - 1), file[i])) return i;
  return -1;
}

static oak_status_t split(struct oak_slices *slices, const char *text, char *const *file,
                          int count) {
  item_t *item = NULL;
  token_t kind;
  int depth = 0, body = 0, now = -1, length;
  char before = 0; /* the first character of the token before, blanks apart */
  for (const char *at = text; *at; at += length) {
    length = read_token(at, &kind);
    if (kind == DIRECTIVE && is_place(at)) {
      now = find_file(at, file, count);
      continue;
    }
    if (kind == BLANK) continue;
    if (!item) {
      OAK_TRY(OAK_GROW(slices->item, slices->count));
      item = &slices->item[slices->count++];
      *item = (item_t){.text = at, .file = now};
      depth = body = 0;
    }
    item->length = (int)(at + length - item->text);
    if (kind == MARK) depth += (strchr("({[", *at) != NULL) - (strchr(")}]", *at) != NULL);
    /* A brace opens the body of a function behind a parenthesis; in a wrong guess the rest becomes
     * an item of its own. */
    if (*at == '{' && depth == 1) body = before == ')';
    before = *at;
    if (depth == 0 && (*at == ';' || (*at == '}' && body))) {
      OAK_TRY(find_names(slices));
      item = NULL;
    }
  }
  return OAK_OK;
}

/* ---- names */

static int compare(const char *a, int na, const char *b, int nb) {
  const int order = memcmp(a, b, (size_t)(na < nb ? na : nb));
  return order ? order : na - nb;
}

static int by_name(const void *left, const void *right) {
  const name_t *a = left, *b = right;
  return compare(a->text, a->length, b->text, b->length);
}

/** The first of the names that are this word, NULL if there is none. */
static const name_t *find(const struct oak_slices *slices, const char *word, int length) {
  int low = 0, high = slices->nname;
  while (low < high) {
    const int middle = (low + high) / 2;
    const name_t *name = &slices->name[middle];
    if (compare(name->text, name->length, word, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  const name_t *name = slices->name + low;
  return low < slices->nname && !compare(name->text, name->length, word, length) ? name : NULL;
}

/** The name behind \a name if it is the same word. */
static const name_t *next(const struct oak_slices *slices, const name_t *name) {
  return name + 1 < slices->name + slices->nname && !by_name(name, name + 1) ? name + 1 : NULL;
}

/** Keep an item and what it names. */
static void keep(const struct oak_slices *slices, item_t *item) {
  token_t kind;
  int length;
  item->kept = 1;
  for (const char *at = item->text; at < item->text + item->length; at += length) {
    length = read_token(at, &kind);
    const name_t *name = kind == WORD ? find(slices, at, length) : NULL;
    for (; name; name = next(slices, name))
      if (!slices->item[name->item].kept) keep(slices, &slices->item[name->item]);
  }
}

/** 1 if all is kept that an assertion names. */
static int holds(const struct oak_slices *slices, const item_t *item) {
  token_t kind;
  int length;
  for (const char *at = item->text; at < item->text + item->length; at += length) {
    length = read_token(at, &kind);
    const name_t *name = kind == WORD ? find(slices, at, length) : NULL;
    for (; name; name = next(slices, name))
      if (!slices->item[name->item].kept) return 0;
  }
  return 1;
}

/* ---- all of it */

oak_status_t oak_slices_open(const char *text, char *const *file, int count, oak_slices_t **out) {
  *out = calloc(1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory to cut the text of a kernel");
  OAK_TRY(split(*out, text, file, count));
  if ((*out)->nname) qsort((*out)->name, (size_t)(*out)->nname, sizeof(name_t), by_name);
  return OAK_OK;
}

void oak_slices_close(oak_slices_t *slices) {
  if (!slices) return;
  free(slices->item);
  free(slices->name);
  free(slices);
}

/** Print an item so that other blanks and line breaks, and comments, do not change the text. */
static void print_item(const item_t *item, oak_buffer_t *out) {
  token_t kind;
  int length, blank = 1; /* a blank or the start of a line is behind what was printed */
  for (const char *at = item->text; at < item->text + item->length; at += length) {
    length = read_token(at, &kind);
    if (kind == DIRECTIVE && is_place(at)) continue;
    if (kind == DIRECTIVE) oak_buffer_bytes(out, "\n", 1);
    if (kind != BLANK)
      oak_buffer_bytes(out, at, (size_t)length);
    else if (!blank)
      oak_buffer_bytes(out, " ", 1);
    if (kind == DIRECTIVE || (*at == ';' && kind == MARK)) oak_buffer_bytes(out, "\n", 1);
    blank = kind == BLANK || kind == DIRECTIVE || (*at == ';' && kind == MARK);
  }
  oak_buffer_bytes(out, "\n", 1);
}

int oak_slice(oak_slices_t *slices, int file, oak_buffer_t *out) {
  int own = 0;
  for (int i = 0; i < slices->count; i++) slices->item[i].kept = 0;
  for (int i = 0; i < slices->count; i++) {
    item_t *item = &slices->item[i];
    own += item->file == file;
    if (item->reason == ALWAYS && !item->kept && (item->file < 0 || item->file == file))
      keep(slices, item);
  }
  for (int i = 0; i < slices->count; i++)
    if (slices->item[i].reason == ASSERTION) slices->item[i].kept = holds(slices, &slices->item[i]);
  for (int i = 0; i < slices->count; i++)
    if (slices->item[i].kept) print_item(&slices->item[i], out);
  return own;
}
