/* SPDX-License-Identifier: GPL-2.0-or-later
 * Declarations and hooks in preprocessed text. They stand in it as the files have them, since
 * kernels/hooks/declare.c includes the table of hooks last: `#define NAME(arguments) ...` behind
 * `#define OAK_FOR_...`. A misspelt hook would be a function that is never called; compilers at
 * most warn about it. */
#include "declare/declared.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/str.h"
#include "oak/device.h"

enum { LONGEST = 4096 };

typedef struct {
  oak_declared_t *out;
  oak_text_line_t l; /* where the search is */
  oak_owner_t owner;
  int own;              /* 1: in a file of physics or problem, 0: in one of numerics/ */
  oak_buffer_t message; /* all mistakes, a line each */
  oak_text_line_t place[OAK_MAX_MARKS]; /* of what is declared */
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
  char arguments[64], *next = arguments;
  const size_t length = (size_t)(l->next - l->at);
  if (!*who || !strncmp(l->at, "#define OAK_", 12) || d->nhook == OAK_MAX_HOOKS ||
      sscanf(l->at, "#define %31[A-Z0-9_](%63[^)]", h->name, arguments) != 2)
    return;
  d->nhook++;
  h->needed = !strcmp(who, "NEEDED");
  h->owner[OAK_OF_PHYSICS] = strcmp(who, "PROBLEM") != 0;
  h->owner[OAK_OF_PROBLEM] = !strcmp(who, "PROBLEM") || !strcmp(who, "ANY");
  for (int n = 0; n < 5 && !memmem(l->at, length, " return ", 8); n++)
    h->function |= memmem(l->at, length, function[n], strlen(function[n])) != NULL;
  h->arguments = count_arguments(arguments);
  h->named = !strncmp(arguments, "name", 4) && arguments[4] != 's';
  size_t at = strlen(h->name);
  memcpy(h->form, h->name, at);
  for (char *word, before = '('; (word = strsep(&next, ", "));) {
    const char *quote = oak_str_has_word(texts, word, strlen(word)) ? "\"" : "";
    if (!*word) continue;
    at += (size_t)snprintf(h->form + at, sizeof h->form - at, "%c%s%s%s%s", before,
                           before == ',' ? " " : "", quote, word, quote);
    before = ',';
  }
  snprintf(h->form + at, sizeof h->form - at, ")%s", h->function ? " { ... }" : "");
}

/* The rows of the table. */
static void read_table(oak_declared_t *d, const char *text) {
  char who[16] = "";
  for (oak_text_line_t l = {.next = text}; oak_text_next(&l);)
    if (l.from == OAK_FROM_OAK && !strncmp(l.at, "#define ", 8) &&
        !sscanf(l.at, "#define OAK_FOR_%15[A-Z]", who))
      add_hook(d, &l, who);
}

/* The nearest hook, which differs in at most \a far - 1 places, with 0 in none; NULL: there is
 * none.
 */
static const oak_hook_t *find_hook(const oak_declared_t *d, const char *name, int far) {
  const oak_hook_t *found = NULL;
  for (int n = 0; n < d->nhook; n++) {
    const char *other = d->hook[n].name;
    const int same = !strcmp(name, other);
    const int distance = same || far < 1 ? !same : 1 + oak_str_distance(name, other);
    if (distance <= far) far = distance - 1, found = &d->hook[n];
  }
  return found;
}

#define COMPLAIN(s, format, ...)                                                                  \
  oak_buffer_print(&(s)->message, "%.*s:%d: " format "\n",                                        \
                   (s)->l.path_length < 400 ? (s)->l.path_length : 400, (s)->l.path, (s)->l.line, \
                   __VA_ARGS__)

/* ---- declarations with a name */

/* How declarations of the same name go together. */
typedef enum {
  SHARED,   /* both files may have it */
  SINGLE,   /* one file has it */
  EACH,     /* each file has its own */
  FUNCTIONS /* both files may have it, one of them a function */
} rule_t;

static const struct {
  const char *macro;
  size_t count, list; /* places in oak_declared_t */
  int most;
  unsigned kind;
  rule_t rule;
} rows[] = {
#define ROW(macro, count, list, kind, rule)                                                \
  {                                                                                        \
    macro, offsetof(oak_declared_t, count), offsetof(oak_declared_t, list),                \
        (int)(sizeof(((oak_declared_t *)0)->list) / sizeof(oak_declaration_t)), kind, rule \
  }
    ROW("PARAMETER", count, parameter, OAK_PARAMETER, EACH),
    ROW("PARAMETER_ARRAY", count, parameter, OAK_PARAMETER_ARRAY, EACH),
    ROW("GLOBAL_MAX", count, parameter, OAK_GLOBAL_MAX, EACH),
    ROW("GLOBAL_MIN", count, parameter, OAK_GLOBAL_MIN, EACH),
    ROW("GLOBAL_INTEGRAL", count, parameter, OAK_GLOBAL_INTEGRAL, EACH),
    ROW("GLOBAL_RATE", count, parameter, OAK_GLOBAL_RATE, EACH),
    ROW("GLOBAL_PLACE", count, parameter, OAK_GLOBAL_PLACE, EACH),
    ROW("OUTPUT", noutput, output, 0, SINGLE),
    ROW("TABLE", ntable, table, 0, SINGLE),
    ROW("TABLE_2D", ntable, table, 0, SINGLE),
    ROW("FIELD", nfield, field, 0, FUNCTIONS),
    ROW("FIELD_STORED", nfield, field, 0, SHARED),
    ROW("FLUX_FIELD", nfixed, fixed, 0, SHARED),
    ROW("FACE_FIELD", nface, face, 0, SHARED),
    ROW("FACE_VECTOR", nvector, vector, 0, SHARED),
    ROW("POISSON_OF", nequation, equation, 0, SHARED),
    ROW("POISSON_COEFFICIENTS_OF", nequation, equation, 0, SHARED),
    ROW("POISSON_B_OF", nequation, equation, 0, SHARED),
    ROW("POISSON_BOUNDARY_OF", nequation, equation, 0, SHARED),
    ROW("LIMITER", nscheme, scheme, OAK_LIMITERS, SINGLE),
    ROW("RIEMANN", nscheme, scheme, OAK_FLUXES, SINGLE),
    ROW("CRITERION", nscheme, scheme, OAK_CRITERIA, SINGLE),
    ROW("BOUNDARY_CONDITION", nscheme, scheme, OAK_CONDITIONS, SINGLE),
#undef ROW
};
enum { NROWS = sizeof rows / sizeof *rows };

/* Files of the schemes of oak, and words that mean something else. */
static const char *const scheme_file[] = {"limiters", "riemann", "criteria", "boundary"};
static const char *const scheme_words[] = {"", "", "user none", "periodic reflect user"};

/* An argument as a name, 0 where there is none: then the compiler complains. Names become members
 * of structures. */
static int read_name(search_t *s, const char *what, const char *c,
                     char name[OAK_LONGEST_NAME + 1]) {
  static const char words[] =
      "auto break case char const continue default do double else enum extern float for goto if "
      "inline int long register restrict return short signed sizeof static struct switch typedef "
      "union unsigned void volatile while";
  size_t length = 0;
  c += strspn(c, " ");
  while (oak_is_word(c[length])) length++;
  if (length > OAK_LONGEST_NAME)
    COMPLAIN(s, "%s(%.*s): the name may have %d characters at most", what,
             (int)(length < 200 ? length : 200), c, OAK_LONGEST_NAME);
  if (oak_str_has_word(words, c, length))
    COMPLAIN(s, "%s %.*s: this is a word of C: choose another name", what, (int)length, c);
  snprintf(name, OAK_LONGEST_NAME + 1, "%.*s", (int)length, c);
  return length > 0 && length <= OAK_LONGEST_NAME;
}

/* The numbers in a text in quotes; 0: it is not one. */
static int count_numbers(const char *c) {
  int count = 0;
  c += strspn(c, " ");
  if (*c++ != '"') return 0;
  for (c += strspn(c, " ,"); *c && *c != '"'; c += strspn(c, " ,"), count++)
    c += strcspn(c, " ,\"");
  return count;
}

/* The second argument. \return 0 if it is wrong. */
static int read_second(search_t *s, oak_declaration_t *new, const char *macro, const char *c) {
  char *end = NULL;
  new->length = 1;
  if (!strcmp(macro, "PARAMETER_ARRAY") && !(new->length = count_numbers(c)))
    COMPLAIN(s,
             "PARAMETER_ARRAY(%s, ...): the second argument must be numbers in quotes, such as "
             "\"1 2 3\"",
             new->name);
  if (!strcmp(macro, "LIMITER")) {
    new->radius = (int)strtol(c, &end, 10);
    new->length = end > c &&new->radius >= 0 && new->radius <= 3;
    if (!new->length)
      COMPLAIN(s, "LIMITER(%s, ...): the second argument must be its radius, 0 to 3 cells",
               new->name);
  }
  const int named = !strcmp(macro, "FLUX_FIELD") || !strcmp(macro, "FACE_VECTOR");
  return new->length && (!named || read_name(s, macro, c, new->variable));
}

/* Put a declaration into its list. */
static void add_declaration(search_t *s, const char *macro, const char *c) {
  int r = 0, n = 0;
  while (r < NROWS && strcmp(macro, rows[r].macro)) r++;
  if (r == NROWS) return;
  const rule_t rule = rows[r].rule;
  const int scheme = rows[r].count == offsetof(oak_declared_t, nscheme);
  const unsigned kind = rows[r].kind;
  int *count = (int *)((char *)s->out + rows[r].count);
  oak_declaration_t *list = (oak_declaration_t *)((char *)s->out + rows[r].list);
  oak_declaration_t new = {.owner = s->owner, .own = s->own, .kind = kind};
  const char *second = c + strcspn(c, ",)");
  if (!read_name(s, macro, c, new.name)) return;
  if (!read_second(s, &new, macro, second + (*second == ','))) return;
  if (scheme && oak_str_has_word(scheme_words[kind], new.name, strlen(new.name)))
    COMPLAIN(s, "%s(%s, ...): oak has one of this name", macro, new.name);
  while (n < *count && (strcmp(list[n].name, new.name) || (scheme && list[n].kind != kind) ||
                        (rule == EACH && list[n].owner != s->owner)))
    n++;
  if (n == *count) {
    if (rule == EACH && n > 0) new.place = list[n - 1].place + list[n - 1].length;
    if (rule == EACH && new.place + new.length > rows[r].most) {
      COMPLAIN(s,
               "parameter %s: physics and problem have too many parameters; at most %d numbers fit",
               new.name, OAK_MAX_PARAMETERS);
      return;
    }
    if (n == rows[r].most) {
      COMPLAIN(s, "%s(%s, ...): physics and problem have more than %d", macro, new.name, n);
      return;
    }
    list[(*count)++] = new;
  } else if (scheme && !list[n].own) {
    COMPLAIN(s, "%s(%s, ...): numerics/%s.h has one of this name", macro, new.name,
             scheme_file[kind]);
  } else if (s->owner == OAK_OF_PROBLEM && ((rule == SINGLE && list[n].owner != s->owner) ||
                                            (rule == FUNCTIONS && *list[n].function))) {
    COMPLAIN(s, "%s(%s, ...): the physics has one of this name", macro, new.name);
  }
  if (rule == FUNCTIONS) list[n].function[s->owner] = 1;
}

void oak_scheme_names(const oak_declared_t *d, oak_scheme_t kind, char *names, size_t size) {
  size_t length = (size_t)snprintf(names, size, "%s", scheme_words[kind]);
  for (int n = 0; n < d->nscheme && length < size; n++)
    if (d->scheme[n].kind == kind)
      length += (size_t)snprintf(names + length, size - length, "%s%s", length ? " " : "",
                                 d->scheme[n].name);
}

/* ---- declarations in the text */

/* A file may have a hook once, or once for each name. If it includes another file with the same
 * hook, it may have its own: a physics can change another physics in this way. */
static void check_twice(search_t *s, int mark) {
  const oak_declared_t *d = s->out;
  const oak_hook_t *h = &d->hook[d->mark[mark].hook];
  for (int m = 0; m < mark; m++) {
    const oak_text_line_t *other = &s->place[m];
    if (d->mark[m].hook != d->mark[mark].hook || strcmp(d->mark[m].name, d->mark[mark].name) ||
        other->path_length != s->l.path_length || other->line == s->l.line ||
        strncmp(other->path, s->l.path, (size_t)s->l.path_length) != 0)
      continue;
    COMPLAIN(s, "%s%s%s%s is there a second time, after line %d: leave one of them out", h->name,
             h->named ? "(" : "", d->mark[mark].name, h->named ? ", ...)" : "", other->line);
    return;
  }
}

/* Copy what stands in parentheses, perhaps on several lines. \return what follows. */
static char read_arguments(const char *c, char *out) {
  int length = 0, depth = 0;
  do {
    if (*c == '\n' && c[1] == '#') c += strcspn(c + 1, "\n") + 1; /* says where the text is from */
    const char *end = *c == '"' || *c == '\'' ? skip_quotes(c) : c + 1;
    depth += (*c == '(') - (*c == ')');
    for (; *c && c < end; c++)
      if (length + 1 < LONGEST) out[length++] = *c == '\n' ? ' ' : *c;
  } while (*c && depth > 0);
  out[length - (depth == 0)] = 0;
  return c[strspn(c, " \n")];
}

/* Argument number n. */
static const char *find_argument(const char *c, int n) {
  for (; n > 0; n--) c += strcspn(c, ",") + 1;
  return c + strspn(c, " ");
}

/* Whether an argument has the name that the form gives to another one. */
static int is_out_of_order(const oak_hook_t *h, const char *given) {
  for (int n = h->named; n < h->arguments; n++)
    for (int m = h->named; m < h->arguments; m++) {
      const char *a = find_argument(given, n), *b = find_argument(strchr(h->form, '(') + 1, m);
      const size_t length = strcspn(b, ",)");
      if (n != m && !strncmp(a, b, length) && !oak_is_word(a[length])) return 1;
    }
  return 0;
}

/* A hook or declaration. `typed`: a type stands before it. */
static void add_known(search_t *s, const oak_hook_t *h, const char *arguments, int typed) {
  oak_declared_t *d = s->out;
  const int given = count_arguments(arguments), count = h->arguments, mark = d->nmark;
  if (mark == OAK_MAX_MARKS) return;
  if (h->function && (typed || strpbrk(arguments, "*[")))
    COMPLAIN(s, "a hook is written without types: %s", h->form);
  else if (!h->owner[s->owner])
    COMPLAIN(s, "%s belongs into the file of the %s", h->form,
             s->owner == OAK_OF_PHYSICS ? "problem" : "physics");
  else if (given != count)
    COMPLAIN(s, "%s has %d argument%s, not %d: %s", h->name, count, count == 1 ? "" : "s", given,
             h->form);
  else if (h->function && is_out_of_order(h, arguments))
    COMPLAIN(s, "%s(%s): these arguments are in another order: %s", h->name, arguments, h->form);
  d->mark[mark].owner = s->owner;
  d->mark[mark].hook = (int)(h - d->hook);
  snprintf(d->mark[mark].name, sizeof d->mark->name, "%.*s",
           h->named ? (int)strcspn(arguments, ", ") : 0, arguments);
  s->place[d->nmark++] = s->l;
  check_twice(s, mark);
  add_declaration(s, h->name, arguments);
}

/* "name(...)" outside of all braces, whose parentheses begin at `open`. `begins`: a statement. */
static void check_call(search_t *s, const char *word, int length, const char *open, int begins) {
  char name[64], arguments[LONGEST];
  if (!isupper((unsigned char)*word) || !strncmp(word, "OAK_", 4) || length >= (int)sizeof name)
    return;
  snprintf(name, sizeof name, "%.*s", length, word);
  const oak_hook_t *known = find_hook(s->out, name, 0);
  const oak_hook_t *meant = known ? NULL : find_hook(s->out, name, 3);
  const char next = read_arguments(open, arguments);
  if (known)
    add_known(s, known, arguments + 1, !begins);
  else if (begins && meant)
    COMPLAIN(s, "oak does not know %s; did you mean %s?", name, meant->form);
  else if (begins && next == '{')
    COMPLAIN(s, "oak knows no hook %s", name);
}

/* The words of a line. `depth` of braces, and the last character that is not blank, `before`, stay
 * from line to line. */
static void search_line(search_t *s, int *depth, char *before) {
  for (const char *c = s->l.at; c < s->l.next;) {
    int length = 0;
    while (oak_is_word(c[length])) length++;
    const char *open = c + length + strspn(c + length, " ");
    if (length && *depth <= 0 && *open == '(')
      check_call(s, c, length, open, !!strchr(";})", *before));
    if (!length) *depth += (*c == '{' || *c == '(') - (*c == '}' || *c == ')');
    if (!oak_is_blank(*c)) *before = *c;
    c = length ? c + length : *c == '"' || *c == '\'' ? skip_quotes(c) : c + 1;
  }
}

/* Lines of one kind: the schemes of oak first, whose names those of users must not have. */
static void search_text(search_t *s, const char *text, oak_text_from_t from) {
  static const char becomes[] = "#define OAK_OWNER problem";
  int depth = 0;
  char before = ';';
  s->own = from == OAK_FROM_USER;
  s->owner = OAK_OF_PHYSICS;
  for (s->l = (oak_text_line_t){.next = text}; oak_text_next(&s->l);) {
    if (!strncmp(s->l.at, becomes, sizeof becomes - 1)) s->owner = OAK_OF_PROBLEM;
    if (s->l.from == from && *s->l.at != '#') search_line(s, &depth, &before);
  }
}

int oak_declares(const oak_declared_t *d, oak_owner_t owner, const char *hook, const char *name) {
  for (int m = 0; m < d->nmark; m++)
    if (d->mark[m].owner == owner && !strcasecmp(d->hook[d->mark[m].hook].name, hook) &&
        !strcmp(d->mark[m].name, name))
      return 1;
  return 0;
}

void oak_declared_drop(oak_declared_t *d, const char *hook) {
  for (int m = 0; m < d->nmark; m++)
    if (d->mark[m].owner == OAK_OF_PHYSICS && !strcmp(d->hook[d->mark[m].hook].name, hook))
      d->mark[m--] = d->mark[--d->nmark];
}

int oak_declared_fixed(const oak_declared_t *d, const char *name) {
  for (int n = 0; n < d->nfixed; n++)
    if (!strcmp(d->fixed[n].name, name)) return 1;
  return 0;
}

oak_status_t oak_declared_read(const char *text, const char *physics, oak_declared_t *out) {
  OAK_FREED search_t *s = NULL;
  oak_status_t st = OAK_NEW(s, 1);
  if (st != OAK_OK) return st;
  memset(out, 0, sizeof *out);
  s->out = out;
  read_table(out, text);
  search_text(s, text, OAK_FROM_SCHEMES);
  search_text(s, text, OAK_FROM_USER);
  if (s->message.length)
    st = OAK_FAIL(OAK_ERR_INPUT, "%sdocs/kernels.md has a table of all hooks",
                  oak_buffer_get(&s->message));
  oak_buffer_free(&s->message);
  OAK_TRY(st);
  for (int n = 0; n < out->nhook && *physics; n++)
    OAK_CHECK(!out->hook[n].needed || oak_declares(out, OAK_OF_PHYSICS, out->hook[n].name, ""),
              OAK_ERR_INPUT, "%s has no %s, which every physics needs: see docs/kernels.md",
              physics, out->hook[n].form);
  return *physics ? oak_text_check_macros(text) : OAK_OK;
}
