/* SPDX-License-Identifier: GPL-2.0-or-later
 * Declarations and hooks in preprocessed text. They stand in it as the files have them, since
 * kernels/hooks/declare.c includes the table of hooks last: `#define NAME(arguments) ...` behind
 * `#define OAK_FOR_...`. A misspelt hook would be a function that is never called; compilers at
 * most warn about it. */
#include "declare/declared.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "oak/device.h"

enum { LONGEST = 4096 };

typedef struct {
  oak_declared_t *out;
  const char *path; /* where the search is */
  int path_length, line;
  oak_owner_t owner;
  int own;            /* 1: in a file of physics or problem, 0: in one of numerics/ */
  char message[4096]; /* all mistakes, a line each */
  size_t length;
  struct {
    const char *path;
    int path_length, line;
  } place[OAK_MAX_MARKS]; /* of what is declared */
} search_t;

/* ---- the table of hooks */

/* The end of a text in quotes. */
static const char *skip_quotes(const char *c) {
  const char quote = *c++;
  while (*c && *c != quote && *c != '\n') c += c[0] == '\\' && c[1] ? 2 : 1;
  return *c == quote ? c + 1 : c;
}

/* Arguments are separated by commas outside of quotes and parentheses. */
static int count_arguments(const char *c) {
  int count = 1, depth = 0;
  while (*c) {
    depth += (*c == '(') - (*c == ')');
    count += *c == ',' && depth == 0;
    c = *c == '"' || *c == '\'' ? skip_quotes(c) : c + 1;
  }
  return count;
}

/* `#define NAME(arguments) ...`. \a who: the last word behind OAK_FOR_. */
static void add_hook(oak_declared_t *d, const oak_text_line_t *l, const char *who) {
  static const char *const function[] = {"OAK_HOOK(", "OAK_GLOBAL(", "_PLACE(", "OAK_TO_",
                                         "OAK_FN"};
  static const char texts[] = "text names values help file"; /* arguments in quotes */
  oak_hook_t *h = &d->hook[d->nhook];
  char name[32], arguments[64];
  const size_t length = (size_t)(l->next - l->at);
  if (!*who || !strncmp(l->at, "#define OAK_", 12) || d->nhook == OAK_MAX_HOOKS ||
      sscanf(l->at, "#define %31[A-Z0-9_](%63[^)]", name, arguments) != 2)
    return;
  memcpy(h->name, name, sizeof name);
  h->needed = !strcmp(who, "NEEDED");
  h->owner[OAK_OF_PHYSICS] = strcmp(who, "PROBLEM") != 0;
  h->owner[OAK_OF_PROBLEM] = !strcmp(who, "PROBLEM") || !strcmp(who, "ANY");
  for (int n = 0; n < 5; n++)
    h->function |= memmem(l->at, length, function[n], strlen(function[n])) != NULL;
  if (memmem(l->at, length, " return ", 8)) h->function = 0;
  h->arguments = count_arguments(arguments);
  h->named = !strncmp(arguments, "name", 4) && arguments[4] != 's';
  size_t at = (size_t)snprintf(h->form, sizeof h->form, "%s(", name);
  for (char *word = strtok(arguments, ", "); word; word = strtok(NULL, ", ")) {
    const char *quote = oak_str_has_word(texts, word, strlen(word)) ? "\"" : "";
    at += (size_t)snprintf(h->form + at, sizeof h->form - at, "%s%s%s%s",
                           h->form[at - 1] == '(' ? "" : ", ", quote, word, quote);
  }
  snprintf(h->form + at, sizeof h->form - at, ")%s", h->function ? " { ... }" : "");
  d->nhook++;
}

/* The rows of the table. */
static void read_table(oak_declared_t *d, const char *text, const char *root) {
  char who[16] = "";
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root);)
    if (l.from == OAK_FROM_OAK && !strncmp(l.at, "#define ", 8) &&
        !sscanf(l.at, "#define OAK_FOR_%15[A-Z]", who))
      add_hook(d, &l, who);
}

static const oak_hook_t *find_hook(const oak_declared_t *d, const char *name) {
  for (int n = 0; n < d->nhook; n++)
    if (!strcmp(name, d->hook[n].name)) return &d->hook[n];
  return NULL;
}

static const oak_hook_t *nearest_hook(const oak_declared_t *d, const char *name) {
  const oak_hook_t *found = NULL;
  for (int n = 0, least = 3; n < d->nhook; n++) {
    const int distance = oak_str_distance(name, d->hook[n].name);
    if (distance >= least) continue;
    least = distance;
    found = &d->hook[n];
  }
  return found;
}

__attribute__((format(printf, 2, 3))) static void complain(search_t *s, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (s->length + 1024 > sizeof s->message) return;
  s->length += snprintf(s->message + s->length, sizeof s->message - s->length, "%s%.*s:%d: %s",
                        s->length ? "\n" : "", s->path_length < 400 ? s->path_length : 400, s->path,
                        s->line, text);
}

/* ---- names */

/* Names become members of structures. */
static int is_word_of_c(const char *name) {
  static const char words[] =
      " auto break case char const continue default do double else enum extern float for goto if "
      "inline int long register restrict return short signed sizeof static struct switch typedef "
      "union unsigned void volatile while ";
  const char *at = strstr(words, name);
  return at && at[-1] == ' ' && at[strlen(name)] == ' ';
}

/* An argument as a name, 0 where there is none: then the compiler complains. */
static int read_name(search_t *s, const char *what, const char *c,
                     char name[OAK_LONGEST_NAME + 1]) {
  size_t length = 0;
  c += strspn(c, " ");
  while (oak_is_word(c[length])) length++;
  if (!length) return 0;
  if (length > OAK_LONGEST_NAME) {
    complain(s, "%s(%.*s): the name may have %d characters at most", what,
             (int)(length < 200 ? length : 200), c, OAK_LONGEST_NAME);
    return 0;
  }
  snprintf(name, OAK_LONGEST_NAME + 1, "%.*s", (int)length, c);
  if (is_word_of_c(name))
    complain(s, "%s %s: this is a word of C: choose another name", what, name);
  return 1;
}

/* OUTPUT(name, ...) and the like: add the name to a list. With \a owned, physics and problem cannot
 * both have it. */
static void add_name(search_t *s, const char *form, const char *c, oak_declared_name_t *list,
                     int *count, int most, int owned) {
  char name[OAK_LONGEST_NAME + 1] = "";
  if (!read_name(s, form, c, name)) return;
  for (int n = 0; n < *count; n++) {
    if (strcmp(list[n].name, name)) continue;
    if (owned && list[n].owner != s->owner)
      complain(s, "%s(%s, ...): the physics has one of this name", form, name);
    return;
  }
  if (*count == most) {
    complain(s, "%s(%s, ...): physics and problem have more than %d", form, name, most);
    return;
  }
  list[*count].owner = s->owner;
  memcpy(list[(*count)++].name, name, sizeof name);
}

/* FLUX_FIELD(name, variable) */
static void add_fixed(search_t *s, const char *c) {
  char name[OAK_LONGEST_NAME + 1] = "", variable[OAK_LONGEST_NAME + 1] = "";
  oak_declared_t *d = s->out;
  if (!read_name(s, "field", c, name)) return;
  c += strcspn(c, ",)");
  if (*c != ',' || !read_name(s, "variable", c + 1, variable)) return;
  for (int n = 0; n < d->nfixed; n++)
    if (!strcmp(d->fixed[n].name, name)) return;
  if (d->nfixed == OAK_MAX_FIXED) {
    complain(s, "FLUX_FIELD(%s, ...): the physics has more than %d", name, OAK_MAX_FIXED);
    return;
  }
  memcpy(d->fixed[d->nfixed].variable, variable, sizeof variable);
  memcpy(d->fixed[d->nfixed++].name, name, sizeof name);
}

/* A field may be declared in both files, but it has one function. */
static void add_field(search_t *s, int function, const char *c) {
  char name[OAK_LONGEST_NAME + 1] = "";
  oak_declared_t *d = s->out;
  int n = 0;
  if (!read_name(s, "field", c, name)) return;
  while (n < d->nfield && strcmp(d->field[n].name, name)) n++;
  if (n == OAK_MAX_FIELDS) {
    complain(s, "field %s: physics and problem have more than %d fields", name, OAK_MAX_FIELDS);
    return;
  }
  if (n == d->nfield) memcpy(d->field[d->nfield++].name, name, sizeof name);
  if (function && s->owner == OAK_OF_PROBLEM && d->field[n].function[OAK_OF_PHYSICS])
    complain(s, "FIELD(%s, at): the physics has a function for this field", name);
  (function ? d->field[n].function : d->field[n].stored)[s->owner] = 1;
}

/* The numbers in the second argument, a text in quotes; 0: it is not one. */
static int count_numbers(const char *c) {
  int count = 0;
  c += strcspn(c, ",)");
  if (*c != ',') return 0;
  c += 1 + strspn(c + 1, " ");
  if (*c++ != '"') return 0;
  for (c += strspn(c, " ,"); *c && *c != '"'; c += strspn(c, " ,")) {
    c += strcspn(c, " ,\"");
    count++;
  }
  return count;
}

/* Declarations that are members of the structure of parameters. */
static const char *const members[] = {[OAK_PARAMETER] = "PARAMETER",
                                      [OAK_PARAMETER_ARRAY] = "PARAMETER_ARRAY",
                                      [OAK_GLOBAL_MAX] = "GLOBAL_MAX",
                                      [OAK_GLOBAL_MIN] = "GLOBAL_MIN",
                                      [OAK_GLOBAL_INTEGRAL] = "GLOBAL_INTEGRAL"};
enum { NMEMBERS = sizeof members / sizeof *members };

static void add_member(search_t *s, oak_kind_t kind, const char *c) {
  char name[OAK_LONGEST_NAME + 1] = "";
  oak_declared_t *d = s->out;
  if (!read_name(s, "parameter", c, name)) return;
  const int length = kind == OAK_PARAMETER_ARRAY ? count_numbers(c) : 1;
  if (!length) {
    complain(s,
             "PARAMETER_ARRAY(%s, ...): the second argument must be numbers in quotes, "
             "such as \"1 2 3\"",
             name);
    return;
  }
  for (int n = 0; n < d->count; n++)
    if (d->parameter[n].owner == s->owner && !strcmp(d->parameter[n].name, name)) return;
  const int place =
      d->count ? d->parameter[d->count - 1].place + d->parameter[d->count - 1].length : 0;
  if (place + length > OAK_MAX_PARAMETERS) {
    complain(s,
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
static void add_scheme(search_t *s, oak_scheme_t kind, const char *c) {
  const char *macro = schemes[kind].macro;
  char name[OAK_LONGEST_NAME + 1] = "", *end = NULL;
  oak_declared_t *d = s->out;
  if (!read_name(s, macro, c, name)) return;
  const char *second = c + strcspn(c, ",)");
  const long radius = *second == ',' ? strtol(second + 1, &end, 10) : 0;
  if (kind == OAK_LIMITERS && (!end || end == second + 1 || radius < 0 || radius > 3)) {
    complain(s, "LIMITER(%s, ...): the second argument must be its radius, 0 to 3 cells", name);
    return;
  }
  if (oak_str_has_word(schemes[kind].words, name, strlen(name)))
    complain(s, "%s(%s, ...): oak has one of this name", macro, name);
  for (int n = 0; n < d->nscheme; n++) {
    if (d->scheme[n].kind != kind || strcmp(d->scheme[n].name, name)) continue;
    if (!d->scheme[n].own)
      complain(s, "%s(%s, ...): numerics/%s.h has one of this name", macro, name,
               schemes[kind].file);
    else if (d->scheme[n].owner != s->owner)
      complain(s, "%s(%s, ...): the physics has one of this name", macro, name);
    return;
  }
  if (d->nscheme == OAK_MAX_SCHEMES) {
    complain(s, "%s(%s, ...): there are more than %d schemes by name", macro, name,
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

/* ---- declarations in the text */

/* Put a declaration into the lists. */
static void add_declaration(search_t *s, const char *name, const char *arguments) {
  oak_declared_t *d = s->out;
  for (int m = 0; m < NMEMBERS; m++)
    if (!strcmp(name, members[m])) add_member(s, m, arguments);
  for (int k = 0; k < OAK_NSCHEMES; k++)
    if (!strcmp(name, schemes[k].macro)) add_scheme(s, k, arguments);
  if (!strcmp(name, "OUTPUT"))
    add_name(s, name, arguments, d->output, &d->noutput, OAK_MAX_OUTPUTS, 1);
  if (!strcmp(name, "TABLE") || !strcmp(name, "TABLE_2D"))
    add_name(s, name, arguments, d->table, &d->ntable, OAK_MAX_TABLES, 1);
  if (!strcmp(name, "FIELD") || !strcmp(name, "FIELD_STORED")) add_field(s, !name[5], arguments);
  if (!strcmp(name, "FLUX_FIELD")) add_fixed(s, arguments);
  if (!strcmp(name, "FACE_FIELD"))
    add_name(s, name, arguments, d->face, &d->nface, OAK_MAX_FACE_FIELDS, 0);
  if (!strncmp(name, "POISSON", 7) && !strcmp(name + strlen(name) - 3, "_OF"))
    add_name(s, name, arguments, d->equation, &d->nequation, OAK_MAX_EQUATIONS, 0);
}

/* A file may have a hook once, or once for each name. If it includes another file with the same
 * hook, it may have its own: a physics can change another physics in this way. */
static void check_twice(search_t *s, int mark) {
  const oak_declared_t *d = s->out;
  const oak_hook_t *h = &d->hook[d->mark[mark].hook];
  for (int m = 0; m < mark; m++) {
    if (d->mark[m].hook != d->mark[mark].hook || strcmp(d->mark[m].name, d->mark[mark].name) ||
        s->place[m].path_length != s->path_length || s->place[m].line == s->line ||
        strncmp(s->place[m].path, s->path, (size_t)s->path_length))
      continue;
    complain(s, "%s%s%s%s is there a second time, after line %d: leave one of them out", h->name,
             h->named ? "(" : "", d->mark[mark].name, h->named ? ", ...)" : "", s->place[m].line);
    return;
  }
}

/* Copy what stands in parentheses, perhaps on several lines. \return what follows. */
static char read_arguments(const char *open, char *out, size_t size) {
  size_t length = 0;
  int depth = 0;
  const char *c = open;
  do {
    if (*c == '\n' && c[1] == '#') c += strcspn(c + 1, "\n") + 1; /* says where the text is from */
    const char *end = *c == '"' || *c == '\'' ? skip_quotes(c) : c + 1;
    depth += (*c == '(') - (*c == ')');
    for (; *c && c < end; c++)
      if (c > open && length + 1 < size) out[length++] = *c == '\n' ? ' ' : *c;
  } while (*c && depth > 0);
  out[length - (length && depth == 0)] = 0;
  return c[strspn(c, " \n")];
}

/* A hook or declaration. `typed`: a type stands before it. */
static void add_known(search_t *s, const oak_hook_t *h, const char *arguments, int typed) {
  oak_declared_t *d = s->out;
  const int given = count_arguments(arguments), count = h->arguments;
  if (d->nmark == OAK_MAX_MARKS) return;
  if (h->function && (typed || strpbrk(arguments, "*[")))
    complain(s, "a hook is written without types: %s", h->form);
  else if (!h->owner[s->owner])
    complain(s, "%s belongs into the file of the %s", h->form,
             s->owner == OAK_OF_PHYSICS ? "problem" : "physics");
  else if (given != count)
    complain(s, "%s has %d argument%s, not %d: %s", h->name, count, count == 1 ? "" : "s", given,
             h->form);
  d->mark[d->nmark].owner = s->owner;
  d->mark[d->nmark].hook = (int)(h - d->hook);
  snprintf(d->mark[d->nmark].name, sizeof d->mark->name, "%.*s",
           h->named ? (int)strcspn(arguments, ", ") : 0, arguments);
  s->place[d->nmark].path = s->path;
  s->place[d->nmark].path_length = s->path_length;
  s->place[d->nmark].line = s->line;
  check_twice(s, d->nmark++);
  add_declaration(s, h->name, arguments);
}

/* "name(...)" outside of all braces, whose parentheses begin at `open`. `begins`: a statement. */
static void check_call(search_t *s, const char *word, int length, const char *open, int begins) {
  char name[64], arguments[LONGEST];
  if (!isupper((unsigned char)*word) || !strncmp(word, "OAK_", 4) || length >= (int)sizeof name)
    return;
  snprintf(name, sizeof name, "%.*s", length, word);
  const oak_hook_t *known = find_hook(s->out, name), *meant = nearest_hook(s->out, name);
  const char next = read_arguments(open, arguments, sizeof arguments);
  if (known)
    add_known(s, known, arguments, !begins);
  else if (begins && meant)
    complain(s, "oak does not know %s; did you mean %s?", name, meant->form);
  else if (begins && next == '{')
    complain(s, "oak knows no hook %s", name);
}

/* The words of a line. `depth` of braces, and the last character that is not blank, `before`, stay
 * from line to line. */
static void search_line(search_t *s, const oak_text_line_t *l, int *depth, char *before) {
  for (const char *c = l->at; c < l->next;) {
    int length = 0;
    while (oak_is_word(c[length])) length++;
    const char *open = c + length + strspn(c + length, " ");
    s->line = l->line;
    if (*c == '"' || *c == '\'') {
      c = skip_quotes(c);
      *before = '"';
    } else if (length) {
      if (*depth <= 0 && *open == '(') check_call(s, c, length, open, !!strchr(";})", *before));
      c += length;
      *before = c[-1];
    } else {
      *depth += (*c == '{' || *c == '(') - (*c == '}' || *c == ')');
      if (!isspace((unsigned char)*c)) *before = *c;
      c++;
    }
  }
}

/* Lines of one kind: the schemes of oak first, whose names those of users must not have. */
static void search_text(search_t *s, const char *text, const char *root, oak_text_from_t from) {
  static const char becomes[] = "#define OAK_OWNER problem";
  int depth = 0;
  char before = ';';
  s->own = from == OAK_FROM_USER;
  s->owner = OAK_OF_PHYSICS;
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l, root);) {
    s->path = l.path;
    s->path_length = l.path_length;
    if (!strncmp(l.at, becomes, sizeof becomes - 1)) s->owner = OAK_OF_PROBLEM;
    if (l.from == from && *l.at != '#') search_line(s, &l, &depth, &before);
  }
}

int oak_declares(const oak_declared_t *d, oak_owner_t owner, const char *hook, const char *name) {
  for (int m = 0; m < d->nmark; m++)
    if (d->mark[m].owner == owner && !strcasecmp(d->hook[d->mark[m].hook].name, hook) &&
        !strcmp(d->mark[m].name, name))
      return 1;
  return 0;
}

int oak_declared_fixed(const oak_declared_t *d, const char *name) {
  for (int n = 0; n < d->nfixed; n++)
    if (!strcmp(d->fixed[n].name, name)) return 1;
  return 0;
}

oak_status_t oak_declared_read(const char *text, const char *physics, oak_declared_t *out) {
  const char *root;
  OAK_FREED search_t *s = NULL;
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(OAK_NEW(s, 1));
  memset(out, 0, sizeof *out);
  s->out = out;
  read_table(out, text, root);
  search_text(s, text, root, OAK_FROM_SCHEMES);
  search_text(s, text, root, OAK_FROM_USER);
  OAK_CHECK(!s->length, OAK_ERR_INPUT, "%s\ndocs/kernels.md has a table of all hooks", s->message);
  for (int n = 0; n < out->nhook && *physics; n++)
    OAK_CHECK(!out->hook[n].needed || oak_declares(out, OAK_OF_PHYSICS, out->hook[n].name, ""),
              OAK_ERR_INPUT, "%s has no %s, which every physics needs: see docs/kernels.md",
              physics, out->hook[n].form);
  return *physics ? oak_text_check_macros(text) : OAK_OK;
}
