/* SPDX-License-Identifier: GPL-2.0-or-later
 * Declarations and hooks in physics and problem files, found in their text. A hook is recognised by
 * its name at the beginning of a statement outside of all braces: `INITIAL(at, q) {`. A misspelt
 * hook would be a function that is never called; compilers at most warn about it.
 */
#include "declare/hooks.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "oak.h"

enum { MOST_PLACES = 64 };

typedef struct {
  const oak_user_files_t *files;
  const oak_user_file_t *file;
  oak_owner_t owner;
  int own; /* 1: a file of physics or problem, 0: of numerics/ */
  oak_declared_t *out;
  char message[4096]; /* all mistakes, a line each */
  size_t length;
  uint64_t seen[2]; /* bits of hooks, of physics and problem */
  struct {
    char what[OAK_LONGEST_NAME + 32]; /* a hook, with its name if it has one */
    int line;
  } place[MOST_PLACES]; /* hooks of the file, but those that the preprocessor may leave out */
  int nplace;
} search_t;

static const oak_hook_t *nearest_hook(const oak_hook_table_t *table, const char *name) {
  const oak_hook_t *found = NULL;
  for (int n = 0, least = 3; n < table->count; n++) {
    const int distance = oak_str_distance(name, table->hook[n].name);
    if (distance >= least) continue;
    least = distance;
    found = &table->hook[n];
  }
  return found;
}

__attribute__((format(printf, 3, 4))) static void complain(search_t *s, int line,
                                                           const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (s->length + 1024 > sizeof s->message) return;
  s->length += snprintf(s->message + s->length, sizeof s->message - s->length, "%s%.400s:%d: %s",
                        s->length ? "\n" : "", s->file->path, line, text);
}

/* ---- statements */

/* Blank out lines of the preprocessor with their continuations. */
static void blank_directives(char *text) {
  for (char *line = text; *line;) {
    const int directive = line[strspn(line, " \t")] == '#';
    for (; *line && *line != '\n'; line++) {
      if (!directive) continue;
      if (line[0] == '\\' && line[1] == '\n')
        *line++ = ' '; /* the line feed stays */
      else
        *line = ' ';
    }
    if (*line) line++;
  }
}

/* The end of a text in quotes. */
static const char *skip_quotes(const char *c) {
  const char quote = *c++;
  while (*c && *c != quote && *c != '\n') c += c[0] == '\\' && c[1] ? 2 : 1;
  return *c == quote ? c + 1 : c;
}

/* What follows the parentheses that begin at `c`. */
static const char *skip_parentheses(const char *c) {
  int depth = 0;
  while (*c) {
    if (*c == '"' || *c == '\'') {
      c = skip_quotes(c);
      continue;
    }
    depth += (*c == '(') - (*c == ')');
    c++;
    if (depth == 0) break;
  }
  return c;
}

static const char *skip_blanks(const char *c) { return c + strspn(c, " \t\r\n"); }

/* Declarations that are members of the structure of parameters. */
static const char *const members[] = {[OAK_PARAMETER] = "PARAMETER",
                                      [OAK_PARAMETER_ARRAY] = "PARAMETER_ARRAY",
                                      [OAK_GLOBAL_MAX] = "GLOBAL_MAX",
                                      [OAK_GLOBAL_MIN] = "GLOBAL_MIN",
                                      [OAK_GLOBAL_INTEGRAL] = "GLOBAL_INTEGRAL"};
enum { NMEMBERS = sizeof members / sizeof *members };

/* Names become members of structures. */
static int is_word_of_c(const char *name) {
  static const char words[] =
      " auto break case char const continue default do double else enum extern float for goto if "
      "inline int long register restrict return short signed sizeof static struct switch typedef "
      "union unsigned void volatile while ";
  const char *at = strstr(words, name);
  return at && at[-1] == ' ' && at[strlen(name)] == ' ';
}

/* The first argument of a declaration, NULL where there is none: then the compiler complains. */
static const char *read_name(search_t *s, const char *what, const char *c, int line,
                             char name[OAK_LONGEST_NAME + 1]) {
  size_t length = 0;
  c += strspn(c, " \t\n");
  while (oak_is_word(c[length])) length++;
  if (!length) return NULL;
  if (length > OAK_LONGEST_NAME) {
    complain(s, line, "%s(%.*s): the name may have %d characters at most", what, (int)length, c,
             OAK_LONGEST_NAME);
    return NULL;
  }
  snprintf(name, OAK_LONGEST_NAME + 1, "%.*s", (int)length, c);
  if (is_word_of_c(name)) {
    complain(s, line, "%s %s: this is a word of C: choose another name", what, name);
    return NULL;
  }
  return name;
}

/* OUTPUT(name, ...) and the like: add the name to a list. With \a owned, physics and problem cannot
 * both have it. */
static void add_name(search_t *s, const char *form, const char *c, int line,
                     oak_declared_name_t *list, int *count, int most, int owned) {
  char name[OAK_LONGEST_NAME + 1];
  if (!read_name(s, form, c, line, name)) return;
  for (int n = 0; n < *count; n++) {
    if (strcmp(list[n].name, name)) continue;
    if (owned && list[n].owner != s->owner)
      complain(s, line, "%s(%s, ...): the physics has one of this name", form, name);
    return;
  }
  if (*count == most) {
    complain(s, line, "%s(%s, ...): physics and problem have more than %d", form, name, most);
    return;
  }
  list[*count].owner = s->owner;
  memcpy(list[(*count)++].name, name, sizeof name);
}

/* FLUX_FIELD(name, variable) */
static void add_fixed(search_t *s, const char *c, int line) {
  char name[OAK_LONGEST_NAME + 1], variable[OAK_LONGEST_NAME + 1];
  oak_declared_t *d = s->out;
  if (!read_name(s, "field", c, line, name)) return;
  c += strcspn(c, ",)");
  if (*c != ',' || !read_name(s, "variable", c + 1, line, variable)) return;
  for (int n = 0; n < d->nfixed; n++)
    if (!strcmp(d->fixed[n].name, name)) return;
  if (d->nfixed == OAK_MAX_FIXED) {
    complain(s, line, "FLUX_FIELD(%s, ...): the physics has more than %d", name, OAK_MAX_FIXED);
    return;
  }
  memcpy(d->fixed[d->nfixed].variable, variable, sizeof variable);
  memcpy(d->fixed[d->nfixed++].name, name, sizeof name);
}

/* A field may be declared in both files, but it has one function. */
static void add_field(search_t *s, int function, const char *c, int line) {
  char name[OAK_LONGEST_NAME + 1];
  oak_declared_t *d = s->out;
  int n = 0;
  if (!read_name(s, "field", c, line, name)) return;
  while (n < d->nfield && strcmp(d->field[n].name, name)) n++;
  if (n == OAK_MAX_FIELDS) {
    complain(s, line, "field %s: physics and problem have more than %d fields", name,
             OAK_MAX_FIELDS);
    return;
  }
  if (n == d->nfield) memcpy(d->field[d->nfield++].name, name, sizeof name);
  if (function && s->owner == OAK_OF_PROBLEM && d->field[n].function[OAK_OF_PHYSICS])
    complain(s, line, "FIELD(%s, at): the physics has a function for this field", name);
  (function ? d->field[n].function : d->field[n].stored)[s->owner] = 1;
}

/* The numbers in the second argument, a text in quotes; 0: it is not one. */
static int count_numbers(const char *c) {
  int count = 0;
  c += strcspn(c, ",)");
  if (*c != ',') return 0;
  c = skip_blanks(c + 1);
  if (*c++ != '"') return 0;
  for (c += strspn(c, " ,"); *c && *c != '"'; c += strspn(c, " ,")) {
    c += strcspn(c, " ,\"");
    count++;
  }
  return count;
}

/* ---- schemes by name */

/* Their macros, the files of those of oak, and words that mean something else. */
static const struct {
  const char *macro, *file, *words;
} schemes[OAK_NSCHEMES] = {
    [OAK_LIMITERS] = {"LIMITER", "limiters", ""},
    [OAK_FLUXES] = {"RIEMANN", "riemann", ""},
    [OAK_CRITERIA] = {"CRITERION", "criteria", "user none"},
    [OAK_CONDITIONS] = {"BOUNDARY_CONDITION", "boundary", "periodic reflect user"},
};

/* LIMITER(name, radius, ...) and the like. */
static void add_scheme(search_t *s, oak_scheme_t kind, const char *c, int line) {
  const char *macro = schemes[kind].macro;
  char name[OAK_LONGEST_NAME + 1], *end = NULL;
  oak_declared_t *d = s->out;
  if (!read_name(s, macro, c, line, name)) return;
  const char *second = c + strcspn(c, ",)");
  const long radius = *second == ',' ? strtol(second + 1, &end, 10) : 0;
  if (kind == OAK_LIMITERS && (!end || end == second + 1 || radius < 0 || radius > 3)) {
    complain(s, line, "LIMITER(%s, ...): the second argument must be its radius, 0 to 3 cells",
             name);
    return;
  }
  if (oak_str_has_word(schemes[kind].words, name, strlen(name)))
    complain(s, line, "%s(%s, ...): oak has one of this name", macro, name);
  for (int n = 0; n < d->nscheme; n++) {
    if (d->scheme[n].kind != kind || strcmp(d->scheme[n].name, name)) continue;
    if (!d->scheme[n].own)
      complain(s, line, "%s(%s, ...): numerics/%s.h has one of this name", macro, name,
               schemes[kind].file);
    else if (d->scheme[n].owner != s->owner)
      complain(s, line, "%s(%s, ...): the physics has one of this name", macro, name);
    return;
  }
  if (d->nscheme == OAK_MAX_SCHEMES) {
    complain(s, line, "%s(%s, ...): there are more than %d schemes by name", macro, name,
             OAK_MAX_SCHEMES);
    return;
  }
  d->scheme[d->nscheme].kind = kind;
  d->scheme[d->nscheme].own = s->own;
  d->scheme[d->nscheme].owner = s->owner;
  d->scheme[d->nscheme].radius = (int)radius;
  memcpy(d->scheme[d->nscheme++].name, name, sizeof name);
}

void oak_scheme_names(const oak_declared_t *d, oak_scheme_t kind, char *names, size_t size) {
  size_t length = (size_t)snprintf(names, size, "%s", schemes[kind].words);
  for (int n = 0; n < d->nscheme && length < size; n++)
    if (d->scheme[n].kind == kind)
      length += (size_t)snprintf(names + length, size - length, "%s%s", length ? " " : "",
                                 d->scheme[n].name);
}

static void add_member(search_t *s, oak_kind_t kind, const char *c, int line) {
  char name[OAK_LONGEST_NAME + 1];
  oak_declared_t *d = s->out;
  if (!read_name(s, "parameter", c, line, name)) return;
  const int length = kind == OAK_PARAMETER_ARRAY ? count_numbers(c) : 1;
  if (!length) {
    complain(s, line,
             "PARAMETER_ARRAY(%s, ...): the second argument must be numbers in quotes, "
             "such as \"1 2 3\"",
             name);
    return;
  }
  for (int n = 0; n < d->count; n++) {
    if (d->parameter[n].owner != s->owner || strcmp(d->parameter[n].name, name)) continue;
    if (d->parameter[n].length != length)
      complain(s, line, "parameter %s is there a second time, with another number of values", name);
    return;
  }
  const int place =
      d->count ? d->parameter[d->count - 1].place + d->parameter[d->count - 1].length : 0;
  if (place + length > OAK_MAX_PARAMETERS) {
    complain(s, line,
             "parameter %s: physics and problem have too many parameters; at most %d numbers fit",
             name, OAK_MAX_PARAMETERS);
    return;
  }
  d->parameter[d->count].owner = s->owner;
  d->parameter[d->count].kind = kind;
  d->parameter[d->count].length = length;
  d->parameter[d->count].place = place;
  memcpy(d->parameter[d->count++].name, name, sizeof name);
}

/* ---- hooks */

/* The arguments in the parentheses that begin at `open`, -1 if they have types. */
static int count_arguments(const char *open) {
  int count = 1;
  for (const char *c = open + 1; *c && *c != ')'; c++) {
    c = skip_blanks(c);
    while (oak_is_word(*c)) c++;
    c = skip_blanks(c);
    if (*c == ')') break;
    if (*c != ',') return -1;
    count++;
  }
  return count;
}

/* A hook is written without types, with all its arguments. `typed`: a type stands before it. */
static void check_form(search_t *s, const oak_hook_t *h, const char *open, int typed, int line) {
  const char *form = h->form;
  if (!h->function) return;
  const int given = count_arguments(open), wanted = count_arguments(strchr(form, '('));
  if (typed || given < 0)
    complain(s, line, "a hook is written without types: %s", form);
  else if (given != wanted)
    complain(s, line, "%s has %d argument%s, not %d: %s", h->name, wanted, wanted == 1 ? "" : "s",
             given, form);
}

/* Whether a line stands between #if and #endif: it may be left out. */
static int is_conditional(const char *text, int line) {
  int depth = 0;
  for (int number = 1; number < line && *text; number++, text = oak_next_line(text)) {
    depth += oak_after_directive(text, "if") || oak_after_directive(text, "ifdef") ||
             oak_after_directive(text, "ifndef");
    depth -= oak_after_directive(text, "endif") != NULL;
  }
  return depth > 0;
}

/* A file may have a hook once, or once for each name. If it includes another file with the same
 * hook, it may have its own: a physics can change another physics in this way. */
static void check_twice(search_t *s, const oak_hook_t *h, const char *open, int line) {
  char what[sizeof s->place->what];
  const char *first = skip_blanks(open + 1);
  const int named = strstr(h->form, "(name") != NULL;
  int length = 0;
  while (named && oak_is_word(first[length])) length++;
  snprintf(what, sizeof what, "%s%s%.*s%s", h->name, named ? "(" : "", length, first,
           named ? ", ...)" : "");
  if (is_conditional(s->file->text, line)) return;
  for (int i = 0; i < s->nplace; i++)
    if (!strcmp(s->place[i].what, what)) {
      complain(s, line, "%s is there a second time, after line %d: leave one of them out", what,
               s->place[i].line);
      return;
    }
  if (s->nplace == MOST_PLACES) return;
  s->place[s->nplace].line = line;
  memcpy(s->place[s->nplace++].what, what, sizeof what);
}

/* A statement "name(...)" outside of all braces, whose parentheses begin at `open`. */
static void check_statement(search_t *s, const char *name, const char *open, int line) {
  const oak_hook_t *h = oak_hook_find(&s->out->hooks, name);
  const char *rest = skip_blanks(skip_parentheses(open));
  if (h) {
    check_form(s, h, open, 0, line);
    check_twice(s, h, open, line);
    if (!h->owner[s->owner])
      complain(s, line, "%s belongs into the file of the %s", h->form,
               s->owner == OAK_OF_PHYSICS ? "problem" : "physics");
    s->seen[s->owner] |= (uint64_t)1 << (h - s->out->hooks.hook);
    return;
  }
  if (!isupper((unsigned char)*name) || !strncmp(name, "OAK_", 4) ||
      oak_user_files_define(s->files, name))
    return;
  const oak_hook_t *meant = nearest_hook(&s->out->hooks, name);
  if (meant)
    complain(s, line, "oak does not know %s; did you mean %s?", name, meant->form);
  else if (*rest == '{')
    complain(s, line, "oak knows no hook %s", name);
}

static int count_lines(const char *begin, const char *end) {
  int n = 0;
  for (; begin < end; begin++) n += *begin == '\n';
  return n;
}

static void search_text(search_t *s, const char *text) {
  oak_declared_t *d = s->out;
  int depth = 0, line = 1;
  char before = ';', name[128]; /* the last character that is not blank */
  for (const char *c = text; *c;) {
    const char *begin = c;
    if (*c == '"' || *c == '\'') {
      c = skip_quotes(c);
      before = '"';
    } else if (oak_is_word(*c)) {
      while (oak_is_word(*c)) c++;
      const int length = (int)(c - begin);
      const char *open = c + strspn(c, " \t\r\n");
      const int starts = depth <= 0 && strchr(";})", before) && length < (int)sizeof name;
      const char last = before;
      before = c[-1];
      if (*open == '(' && length < (int)sizeof name) {
        snprintf(name, sizeof name, "%.*s", length, begin);
        for (int m = 0; m < NMEMBERS; m++)
          if (!strcmp(name, members[m])) add_member(s, m, open + 1, line);
        for (int k = 0; k < OAK_NSCHEMES && depth <= 0; k++)
          if (!strcmp(name, schemes[k].macro)) add_scheme(s, k, open + 1, line);
        if (!strcmp(name, "OUTPUT"))
          add_name(s, name, open + 1, line, d->output, &d->noutput, OAK_MAX_OUTPUTS, 1);
        if (!strcmp(name, "TABLE") || !strcmp(name, "TABLE_2D"))
          add_name(s, name, open + 1, line, d->table, &d->ntable, OAK_MAX_TABLES, 1);
        if (!strcmp(name, "FIELD") || !strcmp(name, "FIELD_STORED"))
          add_field(s, !name[5], open + 1, line);
        if (!strcmp(name, "FLUX_FIELD")) add_fixed(s, open + 1, line);
        if (!strcmp(name, "FACE_FIELD"))
          add_name(s, name, open + 1, line, d->face, &d->nface, OAK_MAX_FACE_FIELDS, 0);
        if (!strncmp(name, "POISSON", 7) && !strcmp(name + length - 3, "_OF"))
          add_name(s, name, open + 1, line, d->equation, &d->nequation, OAK_MAX_EQUATIONS, 0);
        if (starts) check_statement(s, name, open, line);
        const oak_hook_t *h =
            !starts && depth <= 0 && oak_is_word(last) ? oak_hook_find(&s->out->hooks, name) : NULL;
        if (h && *skip_blanks(skip_parentheses(open)) == '{') check_form(s, h, open, 1, line);
      }
    } else {
      depth += (*c == '{' || *c == '(') - (*c == '}' || *c == ')');
      if (!isspace((unsigned char)*c)) before = *c;
      c++;
    }
    line += count_lines(begin, c);
  }
}

int oak_declared_fixed(const oak_declared_t *d, const char *name) {
  for (int n = 0; n < d->nfixed; n++)
    if (!strcmp(d->fixed[n].name, name)) return 1;
  return 0;
}

/* ---- files */

static oak_status_t search_files(search_t *s, const oak_user_files_t *files) {
  s->files = files;
  for (int i = 0; i < files->nfile; i++) {
    s->file = &files->file[i];
    s->nplace = 0;
    OAK_FREED char *text = oak_str_copy(s->file->text);
    OAK_CHECK(text, OAK_ERR_MEMORY, "no memory to read %s", s->file->path);
    blank_directives(text);
    search_text(s, text);
  }
  return OAK_OK;
}

static oak_status_t search_file(search_t *s, oak_owner_t owner, const char *path,
                                oak_user_files_t *all) {
  oak_user_files_t files = {.file = NULL};
  s->owner = owner;
  oak_status_t st = oak_user_files_read(&files, path);
  if (st == OAK_OK) st = search_files(s, &files);
  oak_user_files_free(&files);
  return st == OAK_OK ? oak_user_files_read(all, path) : st;
}

/* The schemes of oak. */
static oak_status_t search_numerics(search_t *s) {
  const char *root;
  oak_status_t st = oak_source_root(&root);
  s->own = 0;
  for (int k = 0; k < OAK_NSCHEMES && st == OAK_OK; k++) {
    oak_user_files_t all = {.file = NULL};
    char path[4200];
    snprintf(path, sizeof path, "%s/numerics/%s.h", root, schemes[k].file);
    st = search_file(s, OAK_OF_PHYSICS, path, &all);
    oak_user_files_free(&all);
  }
  s->own = 1;
  return st;
}

/* What a file declares, by itself: *found is to be freed. */
static oak_status_t list_declared(const char *path, oak_declared_t **found) {
  oak_user_files_t all = {.file = NULL};
  OAK_FREED search_t *s = calloc(1, sizeof *s);
  *found = calloc(1, sizeof **found);
  oak_status_t st = OAK_OK;
  if (!*found || !s) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to read %s", path);
  if (st == OAK_OK) {
    s->out = *found;
    st = search_numerics(s);
    if (st == OAK_OK && *path) st = search_file(s, OAK_OF_PROBLEM, path, &all);
  }
  oak_user_files_free(&all);
  return st;
}

/* The names that \a name_of gives for 0, 1, ... up to NULL, except empty ones. */
static oak_status_t list_names(const char *path,
                               const char *(*name_of)(const oak_declared_t *found, int n),
                               char *names, size_t size) {
  OAK_FREED oak_declared_t *found = NULL;
  const char *name;
  size_t length = 0;
  oak_status_t st = list_declared(path, &found);
  if (size) *names = 0;
  for (int n = 0; st == OAK_OK && length < size && (name = name_of(found, n)); n++)
    if (*name)
      length += (size_t)snprintf(names + length, size - length, "%s%s", length ? " " : "", name);
  return st;
}

/* As a member of a structure: an array has its length behind it. An editor wants globals too. */
static const char *parameter_name(const oak_declared_t *found, int n) {
  static _Thread_local char member[OAK_LONGEST_NAME + 16];
  if (n >= found->count) return NULL;
  if (found->parameter[n].kind != OAK_PARAMETER_ARRAY) return found->parameter[n].name;
  snprintf(member, sizeof member, "%s[%d]", found->parameter[n].name, found->parameter[n].length);
  return member;
}

static const char *field_name(const oak_declared_t *found, int n) {
  if (n >= found->nfield + found->nfixed) return NULL;
  if (n >= found->nfield) return found->fixed[n - found->nfield].name;
  return oak_declared_fixed(found, found->field[n].name) ? "" : found->field[n].name;
}

static const char *face_name(const oak_declared_t *found, int n) {
  return n < found->nface ? found->face[n].name : NULL;
}

static const char *equation_name(const oak_declared_t *found, int n) {
  return n < found->nequation ? found->equation[n].name : NULL;
}

oak_status_t oak_list_parameters(const char *path, char *names, size_t size) {
  return list_names(path, parameter_name, names, size);
}

oak_status_t oak_list_fields(const char *path, char *names, size_t size) {
  return list_names(path, field_name, names, size);
}

oak_status_t oak_list_faces(const char *path, char *names, size_t size) {
  return list_names(path, face_name, names, size);
}

oak_status_t oak_list_equations(const char *path, char *names, size_t size) {
  return list_names(path, equation_name, names, size);
}

static const char *const scheme_key[] = {"scheme.limiter", "scheme.flux",    "refine.criterion",
                                         "boundary.xlow",  "boundary.xhigh", "boundary.ylow",
                                         "boundary.yhigh", "boundary.zlow",  "boundary.zhigh"};
enum { NKEYS = sizeof scheme_key / sizeof *scheme_key };

oak_status_t oak_schemes_name(const oak_declared_t *d, oak_params_t *params) {
  char names[2048];
  for (int k = 0; k < NKEYS; k++) {
    oak_scheme_names(d, k < OAK_CONDITIONS ? k : OAK_CONDITIONS, names, sizeof names);
    OAK_TRY(oak_params_name(params, scheme_key[k], names));
  }
  return OAK_OK;
}

oak_status_t oak_name_schemes(oak_params_t *params) {
  OAK_NEED(params);
  OAK_FREED oak_declared_t *found = NULL;
  OAK_TRY(list_declared("", &found));
  return oak_schemes_name(found, params);
}

oak_status_t oak_list_schemes(const char *key, const char *physics, char *names, size_t size) {
  const char *root, *dot = strrchr(physics, '.');
  const int file = !*physics || strchr(physics, '/') || (dot && !strcmp(dot, ".c"));
  char path[4200];
  int k = 0;
  OAK_FREED oak_declared_t *found = NULL;
  while (k < NKEYS && strcmp(key, scheme_key[k])) k++;
  OAK_CHECK(size > 0 && k < NKEYS, OAK_ERR_ARGUMENT, "no room for the names of %s, or no such key",
            key);
  OAK_TRY(oak_source_root(&root));
  if (file)
    snprintf(path, sizeof path, "%s", physics);
  else
    snprintf(path, sizeof path, "%s/physics/%s.c", root, physics);
  OAK_TRY(list_declared(path, &found));
  oak_scheme_names(found, k < OAK_CONDITIONS ? k : OAK_CONDITIONS, names, size);
  return OAK_OK;
}

oak_status_t oak_find_declared(const char *physics, const char *problem, oak_declared_t *out) {
  oak_user_files_t all = {.file = NULL};
  OAK_FREED search_t *s = NULL;
  OAK_TRY(OAK_NEW(s, 1));
  s->out = out;
  out->count = out->noutput = out->nfield = out->nfixed = out->nface = out->ntable =
      out->nequation = out->nscheme = 0;
  memset(out->field, 0, sizeof out->field);
  oak_status_t st = oak_hook_table_read(&out->hooks);
  if (st == OAK_OK) st = search_numerics(s);
  if (st == OAK_OK) st = search_file(s, OAK_OF_PHYSICS, physics, &all);
  if (st == OAK_OK) st = search_file(s, OAK_OF_PROBLEM, problem, &all);
  if (st == OAK_OK && s->length)
    st = OAK_FAIL(OAK_ERR_INPUT, "%s\ndocs/kernels.md has a table of all hooks", s->message);
  for (int n = 0; n < out->hooks.count && st == OAK_OK; n++)
    if (out->hooks.hook[n].needed && !(s->seen[OAK_OF_PHYSICS] >> n & 1))
      st = OAK_FAIL(OAK_ERR_INPUT, "%s has no %s, which every physics needs: see docs/kernels.md",
                    physics, out->hooks.hook[n].form);
  if (st == OAK_OK) st = oak_check_macros(&all);
  oak_user_files_free(&all);
  return st;
}
