/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads files of reactions: the format of afivo-streamer, and the tables that BOLSIG+ writes. A
 * section is a line with its title, a line of dashes, the lines, and a line of dashes. Lines
 * "COMMENT: text" and "FACTOR: number" may stand behind the title. BOLSIG+ writes no dashes, but
 * the line "E/N (Td)", with the title behind it, or, for "Rate coefficient", in the line before it.
 * Lines elsewhere are comments. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "setup/reactions.h"

/** The lines of a file, with one blank for several. */
typedef struct {
  oak_reaction_file_t *out;
  const char *path;
  int tables; /**< it has no reactions */
  char **line;
  int count, at; /**< at: the present line, from 0 */
  int now;       /**< the line that a message names, from 1 */
} file_t;

enum { LONGEST_LINE = 1024 };

/* A failure of the line f->now. */
#define NEED(holds, ...) OAK_CHECK(holds, OAK_ERR_INPUT, __VA_ARGS__)

/* ---- texts */

static int is_dashes(const char *line) {
  return strspn(line, "-") >= 5 && !line[strspn(line, "- ")];
}

static int is_empty(const char *line) { return !*line || *line == '#'; }

static int begins(const char *text, const char *start) {
  return !strncasecmp(text, start, strlen(start));
}

/* ---- species */

/* A sign between two names would be a part of one: "N2+O2". The electron has no other name. */
static int is_name(const char *text) {
  if (!isalpha((unsigned char)*text) || strpbrk(text, ";@")) return 0;
  for (const char *c = text; *c; c++)
    if (strchr("+-", *c) && (isalnum((unsigned char)c[1]) || (c == text + 1 && *text == 'e')))
      return 0;
  return 1;
}

/* A name that C and the formats of output allow. */
static void set_variable(oak_species_t *s) {
  static const char *const text[128] = {
      ['+'] = "_plus", ['-'] = "_min", ['*'] = "_star", [')'] = ""};
  size_t at = 0;
  for (const char *c = s->name; *c && at < sizeof s->variable; c++) {
    const unsigned char code = (unsigned char)*c;
    const char letter[2] = {isalnum(code) ? *c : '_', 0};
    at += (size_t)snprintf(s->variable + at, sizeof s->variable - at, "%s",
                           code < 128 && text[code] ? text[code] : letter);
  }
}

int oak_reactions_species(oak_reaction_file_t *r, const char *name) {
  for (int n = 0; n < r->nspecies; n++)
    if (!strcmp(r->species[n].name, name)) return n;
  oak_species_t *s = &r->species[r->nspecies];
  if (r->nspecies == OAK_MOST_SPECIES || strlen(name) >= OAK_SPECIES_BYTES || !is_name(name))
    return -1;
  *s = (oak_species_t){.number = -1, .charge = -!strcmp(name, "e"), .variable = "ne"};
  snprintf(s->name, sizeof s->name, "%s", name);
  /* +1 for each + of a name, -1 for each -, as in O2-, N2+ and N2+_B. */
  for (const char *c = name; *c; c++) s->charge += (*c == '+') - (*c == '-');
  if (strcmp(name, "e") != 0) set_variable(s);
  return r->nspecies++;
}

static oak_status_t find_species(const file_t *f, const char *name, int *n) {
  *n = oak_reactions_species(f->out, name);
  NEED(*n >= 0,
       "'%s' is no species: write blanks around + and ->, at most %d names, which begin with a "
       "letter, end with their charge and have less than %d letters, and e for the electron",
       name, OAK_MOST_SPECIES, OAK_SPECIES_BYTES);
  return OAK_OK;
}

/* ---- reactions */

/* What a reaction makes may be nothing that counts. A word is a species such as O2-, or 2N2 for two
 * molecules. */
static oak_status_t read_side(const file_t *f, oak_reaction_t *r, int side, char *text) {
  char *next = NULL;
  int sign = 1, n = 0; /* sign: + was the last word; at the beginning there is none */
  for (char *word = strtok_r(text, " ", &next); word; word = strtok_r(NULL, " ", &next)) {
    const int is_sign = !strcmp(word, "+"), many = *word >= '2' && *word <= '9';
    NEED(is_sign != sign, "'%s': species and + must alternate", word);
    if (!is_sign) OAK_TRY(find_species(f, word + many, &n));
    for (int times = is_sign ? 0 : many ? *word - '0' : 1; times > 0; times--) {
      NEED(r->count[side] < OAK_MOST_IN_REACTION, "a reaction has at most %d species on a side",
           OAK_MOST_IN_REACTION);
      r->of[side][r->count[side]++] = n;
      r->charge[side] += f->out->species[n].charge;
    }
    sign = is_sign;
  }
  NEED(!sign || !r->count[side], "there is nothing behind +");
  NEED(r->count[0], "there is nothing on the left of ->");
  return OAK_OK;
}

/* The numbers c1, c2 ... */
static oak_status_t read_numbers(oak_reaction_t *r, char *text) {
  int count = 0;
  for (char *end = text; *(text += strspn(text, " ")); text = end) {
    const double x = strtod(text, &end);
    NEED(end > text && ++count <= 9 && isfinite(x), "'%s': must be at most 9 finite numbers", text);
    r->c[count] = x;
  }
  for (count++; count < 10; count++) r->c[count] = NAN;
  return OAK_OK;
}

/* "reactants -> products", "field_table" or a formula, its data, and perhaps the unit of length. */
static oak_status_t read_reaction(file_t *f, char *text) {
  char *part[5];
  int parts = 0;
  do {
    part[parts] = oak_str_trim(strsep(&text, ","));
    NEED(*part[parts++] || !text, "there is nothing between two commas");
  } while (text && parts < 5);
  if (!*part[parts - 1]) parts--; /* a comma at the end */
  char *arrow = parts ? strstr(part[0], "->") : NULL;
  NEED(arrow && (parts == 3 || parts == 4),
       "must be 'reactants -> products, rate, data', and perhaps ', cm'");
  NEED(f->out->nreaction < OAK_MOST_REACTIONS, "there are more than %d reactions",
       OAK_MOST_REACTIONS);
  oak_reaction_t *r = &f->out->reaction[f->out->nreaction++];
  *r = (oak_reaction_t){.path = f->path, .line = f->now, .factor = 1};
  *arrow = 0;
  OAK_TRY(read_side(f, r, 0, part[0]));
  OAK_TRY(read_side(f, r, 1, arrow + 2));
  NEED(r->charge[0] == r->charge[1], "the charge changes from %d to %d", r->charge[0],
       r->charge[1]);
  const int cm = parts == 4 && !strcmp(part[3], "cm");
  NEED(parts == 3 || cm || !strcmp(part[3], "m"), "'%s': the unit of length must be m or cm",
       part[3]);
  if (cm) r->factor = pow(1e-6, r->count[0] - 1);
  /* Tables may follow the reactions: their titles are looked up at the end. */
  r->is_table = !strcmp(part[1], "field_table");
  const char *rate = r->is_table ? part[2] : !strcmp(part[1], "constant") ? "c1" : part[1];
  NEED(strlen(rate) < sizeof r->formula, "'%.60s...' is too long", rate);
  snprintf(r->formula, sizeof r->formula, "%s", rate);
  return r->is_table ? OAK_OK : read_numbers(r, part[2]);
}

/* In a line, replace the name of a group "@NAME = A, B" by its member m. */
static oak_status_t replace(char *line, const char *group, int m, int *members) {
  char copy[LONGEST_LINE], *list, *by = NULL;
  int count = 0;
  snprintf(copy, sizeof copy, "%s", group);
  NEED((list = strchr(copy, '=')), "must be '@NAME = A, B'");
  *list++ = 0;
  const char *name = oak_str_trim(copy);
  for (; list; count++) {
    char *member = oak_str_trim(strsep(&list, ","));
    NEED(*member, "%s has an empty member", name);
    if (count == m) by = member;
  }
  if (!*members) *members = count;
  NEED(count == *members, "%s has %d members, and the first group has %d", name, count, *members);
  for (char *at = line; (at = strstr(at, name)); at += strlen(by)) {
    char *rest = at + strlen(name);
    NEED(strlen(line) + strlen(by) < LONGEST_LINE, "the line is too long");
    memmove(at + strlen(by), rest, strlen(rest) + 1);
    for (size_t i = 0; by[i]; i++) at[i] = by[i];
  }
  return OAK_OK;
}

/* A line of the list, and the groups in the lines behind it. The n-th reaction that it stands for
 * has the n-th member of each group. */
static oak_status_t read_reactions(file_t *f) {
  const int first = f->at;
  int members = 0;
  NEED(*f->line[first] != '@', "a line with a group stands behind the reaction that it is for");
  while (f->at + 1 < f->count && strchr("@#", *f->line[f->at + 1])) f->at++;
  for (int m = 0; !m || m < members; m++) {
    char text[LONGEST_LINE];
    for (int n = first; n <= f->at; n++) {
      f->now = n + 1;
      NEED(strlen(f->line[n]) < LONGEST_LINE, "the line is too long");
      if (n == first) snprintf(text, sizeof text, "%s", f->line[n]);
      if (*f->line[n] == '@') OAK_TRY(replace(text, f->line[n], m, &members));
    }
    f->now = first + 1;
    OAK_TRY(read_reaction(f, text));
  }
  return OAK_OK;
}

/* ---- tables */

/* Rows from the present line on; with dashes, the table ends with a line of dashes. */
static oak_status_t read_table(file_t *f, const char *title, int dashes, double factor) {
  double x, y;
  OAK_TRY(OAK_GROW(f->out->table, f->out->ntable));
  oak_columns_t *t = &f->out->table[f->out->ntable++];
  *t = (oak_columns_t){.title = oak_str_copy(title), .line = f->at};
  oak_points_t *p = &t->points;
  *p = (oak_points_t){.path = f->path, .dim = 1, .count = {0, 1}, .scale = 1};
  OAK_CHECK(t->title, OAK_ERR_MEMORY, "no memory to read %s", f->path);
  for (; f->at < f->count && !(dashes && is_dashes(f->line[f->at])); f->at++) {
    const char *text = f->line[f->at];
    int end = 0;
    f->now = f->at + 1;
    if (dashes && is_empty(text)) continue;
    const int found = sscanf(text, "%lf%*[ ,]%lf %n", &x, &y, &end);
    if (!dashes && (found != 2 || !end || text[end])) break;
    NEED(found == 2 && end && !text[end], "'%.60s': must be two numbers", text);
    NEED(isfinite(x) && isfinite(y) && (!p->count[0] || x > p->x[0][p->count[0] - 1]),
         "%g %g: the numbers must be finite, and those of the first column must increase", x, y);
    OAK_TRY(OAK_GROW(p->x[0], p->count[0]));
    OAK_TRY(OAK_GROW(p->value, p->count[0]));
    p->x[0][p->count[0]] = x;
    p->value[p->count[0]++] = factor * y;
  }
  f->now = t->line;
  NEED(p->count[0] >= 2, "the table '%s' needs at least 2 lines", title);
  x = p->x[0][p->count[0] - 1];
  NEED(p->x[0][0] >= 0 && x >= 1,
       "the table '%s' goes from %g to %g Td: it must begin at 0 Td or later, and end at 1 Td or "
       "later",
       title, p->x[0][0], x);
  return OAK_OK;
}

/* The table with a title, or whose title begins with it. Tables of momentum transfer and the like,
 * which BOLSIG+ writes too, may have titles twice; one that is used may not. */
static oak_status_t find_table(const oak_reaction_file_t *r, const char *title, int whole,
                               oak_columns_t **found) {
  oak_columns_t *first = *found = NULL;
  for (oak_columns_t *t = r->table; t < r->table + r->ntable; t++) {
    if (!begins(t->title, title) || (whole && strcasecmp(t->title, title) != 0)) continue;
    NEED(!first || strcasecmp(first->title, t->title) != 0,
         "%s:%d: a second table with the title '%s'", t->points.path, t->line, t->title);
    if (!first) first = t;
  }
  for (int i = 0; first && i < first->points.count[0]; i++)
    NEED(first->points.value[i] >= 0,
         "%s:%d: the table '%s' has %g at %g Td: it must not be negative", first->points.path,
         first->line, first->title, first->points.value[i], first->points.x[0][i]);
  if (first) first->used = 1;
  *found = first;
  return OAK_OK;
}

/* ---- files */

static oak_status_t read_section(file_t *f, const char *title, double factor) {
  const int ignored = begins(title, "ignored_species"), list = begins(title, "reaction_list");
  NEED(!f->tables || (!ignored && !list),
       "the file of reactions.tables has the section '%.60s', which belongs into reactions.file: "
       "each reaction would count twice",
       title);
  if (!ignored && !list) return read_table(f, title, 1, factor);
  for (int n = 0; f->at < f->count && !is_dashes(f->line[f->at]); f->at++) {
    f->now = f->at + 1;
    if (is_empty(f->line[f->at])) continue;
    OAK_TRY(list ? read_reactions(f) : find_species(f, f->line[f->at], &n));
    NEED(list || n > 0, "electrons cannot be ignored");
    if (ignored) f->out->species[n].fixed = 1;
  }
  return OAK_OK;
}

/* The line of dashes that belongs to a title in the line `at`; 0: this is no title. */
static oak_status_t find_dashes(file_t *f, int *dashes, double *factor) {
  int n = f->at;
  *dashes = 0;
  *factor = 1;
  while (++n < f->count && (begins(f->line[n], "FACTOR:") || begins(f->line[n], "COMMENT:"))) {
    char *end = f->line[n] + 7;
    if (begins(f->line[n], "COMMENT:")) continue;
    f->now = n + 1;
    *factor = strtod(f->line[n] + 7, &end);
    NEED(end > f->line[n] + 7 && !*end && isfinite(*factor),
         "'%.60s': must be a number behind FACTOR:", f->line[n]);
  }
  if (n < f->count && is_dashes(f->line[n]) && !is_dashes(f->line[f->at])) *dashes = n;
  return OAK_OK;
}

static oak_status_t read_lines(file_t *f) {
  const char *before = "";
  double factor;
  int dashes;
  for (f->at = 0; f->at < f->count; f->at++) {
    const char *line = f->line[f->at];
    const int start = f->now = f->at + 1;
    if (is_empty(line) || begins(line, "COMMENT:") || begins(line, "FACTOR:")) continue;
    OAK_TRY(find_dashes(f, &dashes, &factor));
    if (begins(line, "E/N (Td)")) {
      const char *title = line + 8 + strspn(line + 8, " ");
      f->at++;
      OAK_TRY(read_table(f, begins(title, "Rate coeff") ? before : title, 0, 1));
      f->at--;
    } else if (dashes) {
      f->at = dashes + 1;
      f->now = f->at;
      OAK_TRY(read_section(f, line, factor));
      f->now = start;
      NEED(f->at < f->count, "the section '%.60s' has no line of dashes at its end", line);
    }
    before = line;
  }
  return OAK_OK;
}

/* One blank in place of several, and none at the ends. */
static void squeeze(char *text) {
  char *out = text;
  for (const char *c = text; *c; c++)
    if (!isspace((unsigned char)*c))
      *out++ = *c;
    else if (out > text && out[-1] != ' ')
      *out++ = ' ';
  while (out > text && out[-1] == ' ') out--;
  *out = 0;
}

static oak_status_t load(file_t *f) {
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(f->path, "rb");
  OAK_CHECK(file, OAK_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
  oak_status_t st = OAK_OK;
  while (st == OAK_OK && getline(&line, &room, file) >= 0) {
    st = OAK_GROW(f->line, f->count);
    if (st != OAK_OK) break;
    squeeze(line);
    f->line[f->count++] = line;
    line = NULL;
    room = 0;
  }
  if (st == OAK_OK && ferror(file))
    st = OAK_FAIL(OAK_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
  free(line);
  fclose(file);
  return st;
}

oak_status_t oak_reactions_parse(oak_reaction_file_t *r, const char *path, int tables) {
  file_t f = {.out = r, .path = path, .tables = tables};
  char message[1024];
  oak_status_t st = load(&f);
  if (st == OAK_OK) st = read_lines(&f);
  for (int n = 0; n < f.count; n++) free(f.line[n]);
  free(f.line);
  if (st != OAK_ERR_INPUT) return st;
  snprintf(message, sizeof message, "%s", oak_last_error());
  return OAK_FAIL(OAK_ERR_INPUT, "%s:%d: %s", path, f.now, message);
}

/* Leave out reactions that need an ignored species: nothing makes it. Then note which species are
 * on a side of a reaction. */
static void find_uses(oak_reaction_file_t *r) {
  int kept = 0;
  for (int n = 0; n < r->nreaction; n++) {
    oak_reaction_t a = r->reaction[n];
    int ignored = 0;
    for (int i = 0; i < a.count[0]; i++) {
      const oak_species_t *s = &r->species[a.of[0][i]];
      ignored |= s->fixed && s->fraction == 0;
      if (s->fixed) a.factor *= OAK_GAS_UNIT;
    }
    for (int side = 0; side < 2 && !ignored; side++)
      for (int i = 0; i < a.count[side]; i++) r->species[a.of[side][i]].on[side] = 1;
    if (!ignored) r->reaction[kept++] = a;
  }
  r->nreaction = kept;
}

static oak_status_t number_species(oak_reaction_file_t *r, const char *path) {
  int positive = 0;
  for (oak_species_t *s = r->species; s < r->species + r->nspecies; s++) {
    if (s->fixed) continue;
    for (const oak_species_t *other = r->species; other < s; other++)
      NEED(other->fixed || strcmp(other->variable, s->variable) != 0,
           "%s: the species %s and %s would both be the variable %s", path, other->name, s->name,
           s->variable);
    s->number = r->nvariable++;
    positive |= s->charge > 0;
  }
  NEED(positive,
       "%s has no positive ion, such as N2+, for the background and the seed: add a reaction with "
       "one",
       path);
  return OAK_OK;
}

oak_status_t oak_reactions_finish(oak_reaction_file_t *r, const char *path) {
  static const char *const title[] = {"Mobility", "Diffusion coef", "Mean energy"};
  oak_columns_t *table;
  NEED(r->nreaction,
       "%s has no reactions: it needs the line reaction_list, a line of dashes, the reactions, and "
       "a line of dashes",
       path);
  for (oak_reaction_t *a = r->reaction; a < r->reaction + r->nreaction; a++) {
    if (a->is_table) OAK_TRY(find_table(r, a->formula, 1, &a->table));
    NEED(!a->is_table || a->table, "%s:%d: no table has the title '%s'", path, a->line, a->formula);
  }
  for (int n = 0; n < 3; n++) {
    OAK_TRY(find_table(r, title[n], 0, &table));
    r->transport[n] = table;
  }
  find_uses(r);
  return number_species(r, path);
}

void oak_reactions_clear(oak_reaction_file_t *r) {
  for (int n = 0; n < r->ntable; n++) {
    free(r->table[n].title);
    oak_points_free(&r->table[n].points);
  }
  free(r->table);
}
