/* SPDX-License-Identifier: GPL-2.0-or-later
 * Compiles each file of a source by itself, several at the same time, and links the objects. They
 * are kept in the cache. Of the preprocessed text a compiler gets only what the kernels of its file
 * need, so an edit of a function does not concern files that do not use it. If a file does not
 * compile, the source is compiled in one piece, whose messages the user sees.
 *
 * The text is cut into items: a function, or anything else up to a semicolon. Inline functions
 * (OAK_FN) and types are kept where a kept item names them, static assertions where all is kept
 * that they name. All other items are kept for every file, except those that are in another kernel
 * file. Comments and blanks have no effect on the result. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cores.h"
#include "base/str.h"
#include "build/build.h"

typedef struct {
  const char *text;
  int length;
  int file; /**< number of the kernel file, -1: none of them */
  enum { ALWAYS, NAMED, ASSERTION } reason;
  int kept;
} item_t;

/** A word that an item may declare. C declares words before their use, so the first item counts,
 * and beside it those that surely \a define the word. */
typedef struct {
  const char *text;
  int length, item, define;
} name_t;

typedef struct {
  item_t *item;
  name_t *name; /**< sorted */
  int count, nname;
} slices_t;

/* ---- tokens */

static int in_word(char c) { return oak_is_word(c) || c == '$'; }

/** The length of the token at \a at. \a *kind: 'a' for words, ' ' for blanks, '"' for literals, '#'
 * for a directive, which is nowhere else in preprocessed text; else the character. */
static int read_token(const char *at, char *kind) {
  int n = 1;
  *kind = in_word(*at) ? 'a' : oak_is_blank(*at) ? ' ' : *at == '\'' ? '"' : *at;
  if (*kind == 'a') {
    while (in_word(at[n])) n++;
  } else if (*kind == ' ') {
    while (oak_is_blank(at[n])) n++;
  } else if (*kind == '"') {
    while (at[n] && at[n] != *at) n += at[n] == '\\' && at[n + 1] ? 2 : 1;
    n += at[n] != '\0';
  } else if (*kind == '#') {
    n = (int)strcspn(at, "\n");
  }
  return n;
}

static int is(const char *at, int length, const char *word) {
  return (int)strlen(word) == length && !strncmp(at, word, (size_t)length);
}

static int is_tagged(const char *word, int length) {
  return is(word, length, "struct") || is(word, length, "union") || is(word, length, "enum");
}

/** 1 if a directive only says where the text comes from (# 12 "file", #line 12 "file"). */
static int is_place(const char *directive) {
  const char *at = directive + 1 + strspn(directive + 1, " ");
  return isdigit((unsigned char)*at) || !strncmp(at, "line ", 5);
}

/* ---- what items declare */

static oak_status_t add_name(slices_t *s, const char *text, int length, int define) {
  OAK_TRY(OAK_GROW(s->name, s->nname));
  s->item[s->count - 1].reason = NAMED;
  s->name[s->nname++] = (name_t){text, length, s->count - 1, define};
  return OAK_OK;
}

/** The name of an inline function stands before the first parenthesis, or alone in it. Any
 * attribute other than that of OAK_FN may be a reason to keep a function that nothing names. */
static oak_status_t name_function(slices_t *s, const item_t *item) {
  static const char inlined[] = "__attribute__((always_inline))";
  char kind;
  const char *end = item->text + item->length, *name = NULL;
  int words = 0, length = 0, name_length = 0, found = 0;
  for (const char *at = item->text; at < end && *at != '{' && *at != ';'; at += length) {
    length = read_token(at, &kind);
    if (!found && !strncmp(at, inlined, sizeof inlined - 1)) {
      length = sizeof inlined - 1;
    } else if (kind == '#' || !strncmp(at, "__a", 3) || is(at, length, "asm") ||
               (words == 1 && kind == 'a' && strncmp(at + 2 * (*at == '_'), "inline", 6) != 0)) {
      return OAK_OK;
    } else if (kind == 'a' && !found) {
      words++, name = at, name_length = length;
    } else if (kind == '(' && !found && words > 2) {
      const int inside = read_token(at + 1, &kind);
      if (kind == 'a' && !strncmp(at + 1 + inside, ")(", 2)) name = at + 1, name_length = inside;
      found = 1;
    }
  }
  return found ? add_name(s, name, name_length, 1) : OAK_OK;
}

/** The names that a type brings: words outside braces, tags, and the constants of an enum, which
 * may be inside a struct. */
static oak_status_t name_type(slices_t *s, const item_t *item) {
  char kind;
  const char *end = item->text + item->length, *before = "";
  int depth = 0, constants = -1 /* the depth inside an enum */, length = 0, before_length = 0;
  for (const char *at = item->text; at < end; at += length) {
    length = read_token(at, &kind);
    if (kind == ' ') continue;
    if (kind == 'a' && !(*at >= '0' && *at <= '9')) {
      const int tag = is_tagged(before, before_length);
      if (depth == 0 || depth == constants || tag)
        OAK_TRY(add_name(s, at, length, tag && at[length + strspn(at + length, " \n")] == '{'));
      if (is(at, length, "enum")) constants = depth + 1;
    }
    if ((kind == '}' && depth == constants) || (kind == ';' && depth < constants)) constants = -1;
    depth += (kind == '{') - (kind == '}');
    before = at;
    before_length = length;
  }
  return OAK_OK;
}

/** Note what a complete item declares. */
static oak_status_t find_names(slices_t *s) {
  item_t *item = &s->item[s->count - 1];
  char kind;
  const int length = read_token(item->text, &kind);
  if (is(item->text, length, "static")) return name_function(s, item);
  if (is(item->text, length, "_Static_assert")) item->reason = ASSERTION;
  return is_tagged(item->text, length) || is(item->text, length, "typedef") ? name_type(s, item)
                                                                            : OAK_OK;
}

/* ---- items */

/** The number of the file that a line `# 12 "file"` names, -1 if it is none of \a file. */
static int find_file(const char *directive, char *const *file, int count) {
  const char *open = strchr(directive, '"'), *end = strchr(directive, '\n');
  const char *close = open && end && open < end ? memrchr(open, '"', (size_t)(end - open)) : NULL;
  for (int i = 0; close && i < count; i++)
    if (is(open + 1, (int)(close - open - 1), file[i])) return i;
  return -1;
}

static oak_status_t split(slices_t *s, const char *text, char *const *file, int count) {
  item_t *item = NULL;
  int depth = 0, body = 0, now = -1, length;
  char kind, before = 0;
  for (const char *at = text; *at; at += length) {
    length = read_token(at, &kind);
    if (kind == '#' && is_place(at)) now = find_file(at, file, count);
    if (kind == ' ' || (kind == '#' && is_place(at))) continue;
    if (!item) {
      OAK_TRY(OAK_GROW(s->item, s->count));
      item = &s->item[s->count++];
      *item = (item_t){.text = at, .file = now};
      depth = body = 0;
    }
    item->length = (int)(at + length - item->text);
    depth += (strchr("({[", kind) != NULL) - (strchr(")}]", kind) != NULL);
    /* A brace opens the body of a function behind a parenthesis; in a wrong guess the rest becomes
     * an item of its own. */
    if (kind == '{' && depth == 1) body = before == ')';
    before = kind;
    if (depth == 0 && (kind == ';' || (kind == '}' && body))) {
      OAK_TRY(find_names(s));
      item = NULL;
    }
  }
  return OAK_OK;
}

static int compare(const name_t *a, const name_t *b) {
  const int order =
      memcmp(a->text, b->text, (size_t)(a->length < b->length ? a->length : b->length));
  return order ? order : a->length - b->length;
}

static int by_name(const void *left, const void *right) {
  const name_t *a = left, *b = right;
  const int order = compare(a, b);
  return order ? order : a->item - b->item;
}

/** \return 1 if all is kept that an item names. \a keep: keep it now. */
static int follow(const slices_t *s, const item_t *item, int keep) {
  char kind;
  int all = 1;
  name_t word = {.text = item->text};
  for (; word.text < item->text + item->length; word.text += word.length) {
    int low = 0, high = s->nname;
    word.length = read_token(word.text, &kind);
    if (kind != 'a') continue;
    while (low < high) { /* to the first of the names that are this word */
      const int middle = (low + high) / 2;
      if (compare(&s->name[middle], &word) < 0)
        low = middle + 1;
      else
        high = middle;
    }
    for (int n = low; n < s->nname && !compare(&s->name[n], &word); n++) {
      item_t *other = &s->item[s->name[n].item];
      if (other->kept || (n > low && !s->name[n].define)) continue;
      all = 0;
      other->kept = keep;
      if (keep) follow(s, other, 1);
    }
  }
  return all;
}

/** Cut preprocessed \a text, which must stay as it is. \a file: the paths of the files as the text
 * names them. Close it also after a failure. */
static oak_status_t open_slices(const char *text, char *const *file, int count, slices_t **out) {
  OAK_TRY(OAK_NEW(*out, 1));
  OAK_TRY(split(*out, text, file, count));
  if ((*out)->nname) qsort((*out)->name, (size_t)(*out)->nname, sizeof(name_t), by_name);
  return OAK_OK;
}

static void close_slices(slices_t *slices) {
  if (!slices) return;
  free(slices->item);
  free(slices->name);
  free(slices);
}

/** Print an item so that other blanks and line breaks, and comments, do not change the text. */
static void print_item(const item_t *item, oak_buffer_t *out) {
  char kind;
  int length, blank = 1; /* a blank or the start of a line is behind what was printed */
  for (const char *at = item->text; at < item->text + item->length; at += length) {
    length = read_token(at, &kind);
    if (kind == '#' && is_place(at)) continue;
    if (!blank && (kind == ' ' || kind == '#')) oak_buffer_bytes(out, "\n", 1);
    if (kind != ' ') oak_buffer_bytes(out, at, (size_t)length);
    if (kind == '#') oak_buffer_bytes(out, "\n", 1);
    blank = kind == ' ' || kind == '#';
  }
  oak_buffer_bytes(out, "\n", 1);
}

/** Print what the kernels of file number \a file need. \return the number of functions and other
 * items of that file, 0 if the text does not name it. */
static int print_slice(slices_t *s, int file, oak_buffer_t *out) {
  int own = 0;
  for (int i = 0; i < s->count; i++) s->item[i].kept = 0;
  for (int i = 0; i < s->count; i++) {
    item_t *item = &s->item[i];
    own += item->file == file;
    if (item->reason != ALWAYS || item->kept || (item->file >= 0 && item->file != file)) continue;
    item->kept = 1;
    follow(s, item, 1);
  }
  for (int i = 0; i < s->count; i++)
    if (s->item[i].reason == ASSERTION) s->item[i].kept = follow(s, &s->item[i], 0);
  for (int i = 0; i < s->count; i++)
    if (s->item[i].kept) print_item(&s->item[i], out);
  return own;
}

/* ---- units */

enum { MOST_FILES = 64 };

/** One file of the source. */
typedef struct {
  int number;                    /**< among the files of the source */
  char object[PATH_MAX], *entry; /**< paths: of its object, and in the cache */
  oak_buffer_t slice;
} unit_t;

typedef struct {
  unit_t unit[MOST_FILES]; /**< those that take longest first */
  char *file[MOST_FILES];  /**< as the compiler names it */
  oak_job_t job[MOST_FILES];
  int compiled[MOST_FILES]; /**< the unit of a job */
  int count, njob;
} units_t;

/** The source is compiled in one piece with flags that are names of files, such as libraries to
 * link, and for a debugger, which needs the lines of the sources. */
static int is_plain(const oak_device_t *dev, const oak_source_t *source) {
  int plain = source->time && source->nfile > 1 && source->nfile <= MOST_FILES;
  for (int i = 0; i < dev->user_flags.count; i++) {
    const char *flag = dev->user_flags.word[i];
    plain &= flag[0] == '-' && flag[1] != 'g';
  }
  return plain;
}

/** Cut the source as its compiler has seen it. \a *built: 0 if its files cannot be found in it, or
 * cannot be compiled apart, as slices do not say where they come from. */
static oak_status_t cut(units_t *u, const oak_source_t *source, const char *path, int *built) {
  oak_buffer_t text = {0};
  slices_t *slices = NULL;
  OAK_TRY(oak_build_read(&text, path, ".i"));
  *built = !strstr(oak_buffer_get(&text), "__builtin_FILE");
  oak_status_t status = OAK_OK;
  for (; u->count < source->nfile && status == OAK_OK; u->count++) {
    int at = u->count;
    for (; at > 0 && source->time[u->unit[at - 1].number] < source->time[u->count]; at--)
      u->unit[at].number = u->unit[at - 1].number;
    u->unit[at].number = u->count;
    status = oak_path_absolute(source->file[u->count], &u->file[u->count]);
  }
  if (status == OAK_OK) status = open_slices(oak_buffer_get(&text), u->file, u->count, &slices);
  for (int n = 0; n < u->count && status == OAK_OK; n++) {
    *built &= print_slice(slices, u->unit[n].number, &u->unit[n].slice) > 0;
    status = oak_buffer_status(&u->unit[n].slice);
  }
  close_slices(slices);
  oak_buffer_free(&text);
  return status;
}

/** Look for the object of a unit, and put it where it would be compiled to. */
static oak_status_t find_object(const oak_device_t *dev, unit_t *unit, const char *file,
                                oak_hash_t hash, int *found) {
  const oak_source_t named = {.name = strrchr(file, '/') + 1};
  char hex[33];
  oak_buffer_t object = {0};
  *found = 0;
  if (!dev->cache || dev->unfollowed[0]) return OAK_OK;
  oak_hash_bytes(&hash, oak_buffer_get(&unit->slice), unit->slice.length);
  oak_hash_hex(&hash, hex);
  OAK_TRY(oak_entry_path(dev, dev->cache, &named, hex, "", &unit->entry));
  if (!oak_build_keep() && oak_cache_get(unit->entry, &object) == 0)
    *found = oak_buffer_write(&object, unit->object) == 0;
  oak_buffer_free(&object);
  return OAK_OK;
}

/** Jobs for the units that are not in the cache. */
static oak_status_t prepare(units_t *u, oak_device_t *dev, const char *path,
                            const oak_words_t *head) {
  oak_hash_t start;
  oak_hash_start(&start);
  oak_hash_text(&start, "oak unit 3");
  OAK_TRY(dev->ops->fingerprint(dev, 1, &start));
  for (int n = 0; n < u->count; n++) {
    unit_t *unit = &u->unit[n];
    int found;
    char base[PATH_MAX];
    OAK_TRY(oak_path_print(base, "%s-%d", path, unit->number + 1));
    OAK_TRY(oak_path_print(unit->object, "%s.o", base));
    OAK_TRY(find_object(dev, unit, u->file[unit->number], start, &found));
    if (found) continue;
    oak_words_t *command = &u->job[u->njob].command;
    OAK_TRY(oak_build_write(&unit->slice, base, ".i"));
    oak_words_copy(command, head);
    oak_words_add(command, "%s.i", base);
    oak_words_copy(command, &dev->user_flags);
    oak_words_split(command, "-c -o");
    oak_words_add(command, "%s", unit->object);
    u->compiled[u->njob++] = n;
  }
  return OAK_OK;
}

/** Link the objects. If two of them define the same name, linking fails; the source is then
 * compiled in one piece, for a message that names both places. */
static oak_status_t link_units(const units_t *u, oak_device_t *dev, const char *path,
                               const oak_words_t *head, int *built) {
  oak_job_t job = {.to = NULL};
  oak_words_copy(&job.command, head);
  for (int n = 0; n < u->count; n++) oak_words_add(&job.command, "%s-%d.o", path, n + 1);
  oak_words_split(&job.command, "-o");
  oak_words_add(&job.command, "%s", path);
  oak_words_copy(&job.command, &dev->user_flags);
  oak_words_split(&job.command, "-lm");
  const oak_status_t status = oak_process_run_jobs(&job, 1, 1);
  oak_compiler_log(&job, path);
  *built = status == OAK_OK && job.code == 0;
  oak_job_free(&job);
  return status;
}

static oak_status_t build(units_t *u, oak_device_t *dev, const oak_source_t *source,
                          const char *path, const oak_words_t *head, int *built) {
  OAK_TRY(cut(u, source, path, built));
  if (!*built) return OAK_OK;
  OAK_TRY(prepare(u, dev, path, head));
  const oak_status_t status = oak_process_run_jobs(u->job, u->njob, oak_host_cores());
  for (int n = 0; n < u->njob; n++) {
    const unit_t *unit = &u->unit[u->compiled[n]];
    oak_buffer_t object = {0};
    oak_compiler_log(&u->job[n], path);
    *built &= u->job[n].code == 0;
    if (u->job[n].code == 0 && unit->entry && !dev->unkept &&
        oak_buffer_read(&object, unit->object) == 0)
      oak_cache_put(unit->entry, &object); /* if this fails, the build goes on */
    oak_buffer_free(&object);
  }
  OAK_TRY(status);
  return *built ? link_units(u, dev, path, head, built) : OAK_OK;
}

oak_status_t oak_units_build(oak_device_t *dev, const oak_source_t *source, const char *path,
                             const oak_words_t *head, int *built) {
  OAK_FREED units_t *u = NULL;
  *built = 0;
  if (!is_plain(dev, source)) return OAK_OK;
  OAK_TRY(OAK_NEW(u, 1));
  const oak_status_t status = build(u, dev, source, path, head, built);
  for (int n = 0; n < u->count; n++) {
    oak_job_free(&u->job[n]);
    oak_buffer_free(&u->unit[n].slice);
    free(u->unit[n].entry);
    free(u->file[n]);
  }
  return status;
}
