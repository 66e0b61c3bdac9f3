/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the kernels of one file need of a preprocessed source. Only that part is compiled for this
 * file, so an edit of a function does not concern files that do not use it.
 *
 * The text is cut into items: a function, or anything else up to a semicolon. Inline functions
 * (OAK_FN) are kept where a kept item names them. All other items are kept for every file, except
 * those that are in another kernel file. Comments and blanks have no effect on the result. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "device_private.h"

typedef struct {
  const char *text, *name; /**< name: of an inline function, else NULL */
  int length, name_length;
  int file; /**< number of the kernel file, -1: none of them */
  int kept;
} item_t;

struct oak_slices {
  item_t *item;
  int count, room;
  item_t **named; /**< [nnamed] inline functions, sorted by name */
  int nnamed;
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

/** Find the name of an inline function, or of its declaration. Any attribute other than that of
 * OAK_FN may be a reason to keep the function even if it is not named. */
static void find_name(item_t *item) {
  token_t kind;
  const char *end = item->text + item->length, *word = NULL;
  int words = 0, length = 0;
  for (const char *at = item->text; at < end; at += length) {
    length = read_token(at, &kind);
    if (kind == DIRECTIVE) break;
    if (kind == WORD && is(at, length, "__attribute__")) {
      static const char inlined[] = "__attribute__((always_inline))";
      if (item->name || strncmp(at, inlined, sizeof inlined - 1) != 0) break;
      length = sizeof inlined - 1;
    } else if (kind == WORD) {
      const int fits = words == 0   ? is(at, length, "static")
                       : words == 1 ? !strncmp(at, "inline", 6) || !strncmp(at, "__inline", 8)
                                    : !is(at, length, "asm") && !is(at, length, "__asm__");
      if (!fits) break;
      words++;
      word = at;
      if (!item->name) item->name_length = length;
    } else if (*at == '(' && !item->name && words > 2) {
      item->name = word;
    } else if (*at == '{' || *at == ';') {
      return;
    }
  }
  item->name = NULL;
}

static item_t *new_item(struct oak_slices *slices, const char *text, int file) {
  if (slices->count == slices->room) {
    const int room = 2 * slices->room + 256;
    item_t *grown = realloc(slices->item, (size_t)room * sizeof *grown);
    if (!grown) return NULL;
    slices->item = grown;
    slices->room = room;
  }
  item_t *item = &slices->item[slices->count++];
  *item = (item_t){.text = text, .file = file};
  return item;
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
      item = new_item(slices, at, now);
      OAK_CHECK(item, OAK_ERR_MEMORY, "no memory to cut the text of a kernel");
      depth = body = 0;
    }
    item->length = (int)(at + length - item->text);
    if (kind == MARK) depth += (strchr("({[", *at) != NULL) - (strchr(")}]", *at) != NULL);
    /* A brace opens the body of a function behind a parenthesis; in a wrong guess the rest becomes
     * an item of its own. */
    if (*at == '{' && depth == 1) body = before == ')';
    before = *at;
    if (depth == 0 && (*at == ';' || (*at == '}' && body))) {
      find_name(item);
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
  const item_t *a = *(item_t *const *)left, *b = *(item_t *const *)right;
  return compare(a->name, a->name_length, b->name, b->name_length);
}

static oak_status_t sort_names(struct oak_slices *slices) {
  slices->named = malloc((size_t)(slices->count + 1) * sizeof(item_t *));
  OAK_CHECK(slices->named, OAK_ERR_MEMORY, "no memory to cut the text of a kernel");
  for (int i = 0; i < slices->count; i++)
    if (slices->item[i].name) slices->named[slices->nnamed++] = &slices->item[i];
  qsort(slices->named, (size_t)slices->nnamed, sizeof(item_t *), by_name);
  return OAK_OK;
}

static void keep(const struct oak_slices *slices, item_t *item);

/** Keep the inline functions of this name. */
static void keep_named(const struct oak_slices *slices, const char *name, int length) {
  int low = 0, high = slices->nnamed;
  while (low < high) {
    const int middle = (low + high) / 2;
    const item_t *item = slices->named[middle];
    if (compare(item->name, item->name_length, name, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < slices->nnamed; low++) {
    item_t *item = slices->named[low];
    if (item->name_length != length || strncmp(item->name, name, (size_t)length) != 0) return;
    if (!item->kept) keep(slices, item);
  }
}

/** Keep an item and what it names. */
static void keep(const struct oak_slices *slices, item_t *item) {
  token_t kind;
  int length;
  item->kept = 1;
  for (const char *at = item->text; at < item->text + item->length; at += length) {
    length = read_token(at, &kind);
    if (kind == WORD) keep_named(slices, at, length);
  }
}

/* ---- variables */

/** 1 if what is declared behind the word `static` is a variable that may change. */
static int is_variable(const char *at, const char *end) {
  token_t kind;
  int length, constant = 0, depth = 0, attribute = 0;
  for (; at < end; at += length) {
    length = read_token(at, &kind);
    if (attribute && kind == MARK) {
      depth += (*at == '(') - (*at == ')');
      attribute = depth > 0;
    } else if (kind == WORD) {
      attribute |= is(at, length, "__attribute__");
      constant |= is(at, length, "const");
    } else if (*at == '*') {
      constant = 0; /* a pointer to constants may change */
    } else if (*at == '(') {
      return at[1] == '*'; /* else a function */
    } else if (strchr("=;[{", *at)) {
      return !constant;
    }
  }
  return 0;
}

int oak_slices_vary(const oak_slices_t *slices) {
  token_t kind;
  int length;
  for (int i = 0; i < slices->count; i++) {
    const item_t *item = &slices->item[i];
    const char *end = item->text + item->length;
    char before = 0; /* [static 3] is a size */
    for (const char *at = item->text; at < end && item->file < 0; at += length) {
      length = read_token(at, &kind);
      if (kind == WORD && is(at, length, "static") && before != '[' && is_variable(at, end))
        return 1;
      if (kind != BLANK) before = *at;
    }
  }
  return 0;
}

/* ---- all of it */

oak_status_t oak_slices_open(const char *text, char *const *file, int count, oak_slices_t **out) {
  *out = calloc(1, sizeof **out);
  OAK_CHECK(*out, OAK_ERR_MEMORY, "no memory to cut the text of a kernel");
  OAK_TRY(split(*out, text, file, count));
  return sort_names(*out);
}

void oak_slices_close(oak_slices_t *slices) {
  if (!slices) return;
  free(slices->item);
  free(slices->named);
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
    if (!item->name && !item->kept && (item->file < 0 || item->file == file)) keep(slices, item);
  }
  for (int i = 0; i < slices->count; i++)
    if (slices->item[i].kept) print_item(&slices->item[i], out);
  return own;
}
