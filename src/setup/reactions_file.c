/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads files of reactions: the format of afivo-streamer, and the tables that BOLSIG+ writes. A
 * section is a line with its title, a line of dashes, the lines, and a line of dashes. Lines
 * "COMMENT: text" and "FACTOR: number" may stand behind the title. BOLSIG+ writes no dashes, but
 * the line "E/N (Td)", with the title behind it, or, for "Rate coefficient", in the line before it.
 * Lines elsewhere are comments. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "setup/reactions.h"

/** The lines of a file. */
typedef struct {
  oak_reaction_file_t *out;
  const char *path;
  int tables; /**< it has no reactions */
  char **line;
  int count, at;
} file_t;

/* The message and then the path, the line and what the message needs. */
#define WRONG(...) OAK_FAIL(OAK_ERR_INPUT, "%s:%d: " __VA_ARGS__)

enum { MOST_GROUPS = 8, MOST_MEMBERS = 64 };

/** A line "@NAME = A, B" behind a reaction. */
typedef struct {
  char *name, *member[MOST_MEMBERS];
  int count;
} group_t;

/* ---- texts */

static int is_dashes(const char *line) {
  line += strspn(line, " \t");
  return strspn(line, "-") >= 5 && !line[strspn(line, "- \t")];
}

/* Whether `text` begins with `start`, if the number of blanks and the case of letters do not
 * matter. */
static int begins(const char *text, const char *start) {
  static const char blank[] = " \t\n\v\f\r"; /* those of isspace() */
  text += strspn(text, blank);
  start += strspn(start, blank);
  while (*start) {
    if (isspace((unsigned char)*start)) {
      start += strspn(start, blank);
      if (*start && !isspace((unsigned char)*text)) return 0;
      text += strspn(text, blank);
    } else if (tolower((unsigned char)*text++) != tolower((unsigned char)*start++)) {
      return 0;
    }
  }
  return 1;
}

static int same(const char *a, const char *b) { return begins(a, b) && begins(b, a); }

/* ---- species */

/* +1 for each + of a name, -1 for each -, as in O2-, N2+ and N2+_B. */
static int charge_of(const char *name) {
  int charge = 0;
  if (!strcmp(name, "e")) return -1;
  for (const char *c = name; *c; c++) charge += (*c == '+') - (*c == '-');
  return charge;
}

/* A sign between two names would be a part of one: "N2+O2". The electron has no other name. */
int oak_reactions_is_name(const char *text) {
  if (!isalpha((unsigned char)*text) || strpbrk(text, ";@")) return 0;
  for (const char *c = text; *c; c++)
    if (strchr("+-", *c) && (isalnum((unsigned char)c[1]) || (c == text + 1 && *text == 'e')))
      return 0;
  return 1;
}

/* A name that C and the formats of output allow. */
static void set_variable(oak_species_t *s) {
  char *out = s->variable;
  if (!strcmp(s->name, "e")) {
    snprintf(out, sizeof s->variable, "ne");
    return;
  }
  size_t at = 0;
  for (const char *c = s->name; *c; c++) {
    const char letter[2] = {*c, 0};
    const char *text = *c == '+'                    ? "_plus"
                       : *c == '-'                  ? "_min"
                       : *c == '*'                  ? "_star"
                       : *c == ')'                  ? ""
                       : isalnum((unsigned char)*c) ? letter
                                                    : "_";
    at += (size_t)snprintf(out + at, sizeof s->variable - at, "%s", text);
    if (at >= sizeof s->variable) return;
  }
}

int oak_reactions_species(oak_reaction_file_t *r, const char *name) {
  for (int n = 0; n < r->nspecies; n++)
    if (!strcmp(r->species[n].name, name)) return n;
  if (r->nspecies == OAK_MOST_SPECIES || strlen(name) >= OAK_SPECIES_BYTES) return -1;
  oak_species_t *s = &r->species[r->nspecies];
  *s = (oak_species_t){.charge = charge_of(name), .number = -1};
  snprintf(s->name, sizeof s->name, "%s", name);
  set_variable(s);
  return r->nspecies++;
}

/* ---- reactions */

/* A word such as O2-, or 2N2 for two molecules. */
static oak_status_t read_word(file_t *f, oak_reaction_t *r, int side, const char *word) {
  const int times = *word >= '2' && *word <= '9' ? *word - '0' : 1;
  const char *name = word + (times > 1);
  if (!oak_reactions_is_name(name))
    return WRONG(
        "'%s' is no species: write blanks around + and ->, names that begin with a letter "
        "and end with their charge, and e for the electron",
        f->path, r->line, word);
  if (r->count[side] + times > OAK_MOST_IN_REACTION)
    return WRONG("a reaction has at most %d species on a side", f->path, r->line,
                 OAK_MOST_IN_REACTION);
  const int species = oak_reactions_species(f->out, name);
  if (species < 0)
    return WRONG("%s: there are more than %d species, or the name is too long", f->path, r->line,
                 word, OAK_MOST_SPECIES);
  for (int n = 0; n < times; n++) r->of[side][r->count[side]++] = species;
  return OAK_OK;
}

/* What a reaction makes may be nothing that counts. */
static oak_status_t read_side(file_t *f, oak_reaction_t *r, int side, char *text) {
  char *next = NULL;
  int sign = 1; /* + was the last word; at the beginning there is none */
  for (char *word = strtok_r(text, " \t", &next); word; word = strtok_r(NULL, " \t", &next)) {
    const int is_sign = !strcmp(word, "+");
    if (is_sign == sign) return WRONG("'%s': species and + must alternate", f->path, r->line, word);
    if (!is_sign) OAK_TRY(read_word(f, r, side, word));
    sign = is_sign;
  }
  if (sign && r->count[side]) return WRONG("there is nothing behind +", f->path, r->line);
  return r->count[0] ? OAK_OK : WRONG("there is nothing on the left of ->", f->path, r->line);
}

static oak_status_t check_charge(const file_t *f, const oak_reaction_t *r) {
  int charge[2] = {0, 0};
  for (int side = 0; side < 2; side++)
    for (int n = 0; n < r->count[side]; n++) charge[side] += f->out->species[r->of[side][n]].charge;
  return charge[0] == charge[1]
             ? OAK_OK
             : WRONG("the charge changes from %d to %d", f->path, r->line, charge[0], charge[1]);
}

/* The numbers c1, c2 ... */
static oak_status_t read_numbers(const file_t *f, oak_reaction_t *r, char *text) {
  int count = 0;
  for (char *end = text; *(text += strspn(text, " \t")); text = end) {
    const double x = strtod(text, &end);
    if (end == text || ++count > 9 || !isfinite(x))
      return WRONG("'%s': must be at most 9 finite numbers", f->path, r->line, text);
    r->c[count] = x;
  }
  for (count++; count < 10; count++) r->c[count] = NAN;
  return OAK_OK;
}

/* "reactants -> products", "field_table" or a formula, its data, and perhaps the unit of length. */
static oak_status_t read_reaction(file_t *f, int line, char *text) {
  char *part[5];
  int parts = 0;
  for (char *p; (p = strsep(&text, ",")) && parts < 5;) {
    part[parts++] = oak_str_trim(p);
    if (!*part[parts - 1] && text)
      return WRONG("there is nothing between two commas", f->path, line);
  }
  if (parts && !*part[parts - 1]) parts--; /* a comma at the end */
  char *arrow = parts ? strstr(part[0], "->") : NULL;
  if (!arrow || parts < 3 || parts > 4)
    return WRONG("must be 'reactants -> products, rate, data', and perhaps ', cm'", f->path, line);
  if (f->out->nreaction == OAK_MOST_REACTIONS)
    return WRONG("there are more than %d reactions", f->path, line, OAK_MOST_REACTIONS);
  oak_reaction_t *r = &f->out->reaction[f->out->nreaction++];
  *r = (oak_reaction_t){.path = f->path, .line = line, .factor = 1};
  *arrow = 0;
  OAK_TRY(read_side(f, r, 0, part[0]));
  OAK_TRY(read_side(f, r, 1, arrow + 2));
  OAK_TRY(check_charge(f, r));
  if (parts == 4 && strcmp(part[3], "m") != 0) {
    if (strcmp(part[3], "cm") != 0)
      return WRONG("'%s': the unit of length must be m or cm", f->path, line, part[3]);
    r->factor = pow(1e-6, r->count[0] - 1);
  }
  /* Tables may follow the reactions: their titles are looked up at the end. */
  const int is_table = !strcmp(part[1], "field_table");
  const char *rate = is_table ? part[2] : !strcmp(part[1], "constant") ? "c1" : part[1];
  if (strlen(rate) >= sizeof r->formula)
    return WRONG("'%.60s...' is too long", f->path, line, rate);
  snprintf(r->formula, sizeof r->formula, "%s", rate);
  r->c[0] = is_table;
  return is_table ? OAK_OK : read_numbers(f, r, part[2]);
}

/* "@NAME = A, B" */
static oak_status_t read_group(const file_t *f, int line, char *text, group_t *g) {
  char *equals = strchr(text, '=');
  if (!equals) return WRONG("must be '@NAME = A, B'", f->path, line);
  *equals = 0;
  *g = (group_t){.name = oak_str_trim(text)};
  for (char *p, *rest = equals + 1; (p = strsep(&rest, ","));) {
    if (g->count == MOST_MEMBERS)
      return WRONG("%s has more than %d members", f->path, line, g->name, MOST_MEMBERS);
    g->member[g->count++] = oak_str_trim(p);
    if (!*g->member[g->count - 1]) return WRONG("%s has an empty member", f->path, line, g->name);
  }
  return OAK_OK;
}

/* `text` with the name of a group replaced. Returns 0 if there is no room for it. */
static int replace(const char *text, const char *name, const char *by, char *out, size_t size) {
  const size_t length = strlen(name);
  size_t at = 0;
  while (*text && at + 1 < size) {
    const int here = !strncmp(text, name, length);
    at += (size_t)snprintf(out + at, size - at, "%.*s", here ? INT_MAX : 1, here ? by : text);
    text += here ? length : 1;
  }
  if (at < size) out[at] = 0;
  return at < size && !*text;
}

/* The reaction of this line with member m of each group. */
static oak_status_t read_member(file_t *f, int line, const group_t *group, int groups, int m) {
  char text[2][1024];
  int fits = snprintf(text[0], sizeof *text, "%s", f->line[line - 1]) < (int)sizeof *text;
  for (int g = 0; g < groups; g++)
    fits &=
        replace(text[g % 2], group[g].name, group[g].member[m], text[(g + 1) % 2], sizeof *text);
  return fits ? read_reaction(f, line, text[groups % 2])
              : WRONG("the line is too long", f->path, line);
}

/* A line of the list, and the groups in the lines behind it. The n-th reaction that it stands for
 * has the n-th member of each group. */
static oak_status_t read_reactions(file_t *f) {
  const int line = f->at + 1;
  group_t group[MOST_GROUPS] = {{NULL}};
  int groups = 0;
  if (*f->line[f->at] == '@')
    return WRONG("a line with a group stands behind the reaction that it is for", f->path, line);
  for (; f->at + 1 < f->count && strchr("@#", *f->line[f->at + 1]); f->at++) {
    char *text = f->line[f->at + 1];
    if (*text != '@') continue;
    if (groups == MOST_GROUPS)
      return WRONG("a reaction has at most %d groups", f->path, f->at + 2, MOST_GROUPS);
    OAK_TRY(read_group(f, f->at + 2, text, &group[groups++]));
    if (group[groups - 1].count != group[0].count)
      return WRONG("%s has %d members, and %s has %d", f->path, f->at + 2, group[groups - 1].name,
                   group[groups - 1].count, group[0].name, group[0].count);
  }
  for (int m = 0; m < (groups ? group[0].count : 1); m++)
    OAK_TRY(read_member(f, line, group, groups, m));
  return OAK_OK;
}

/* ---- tables */

static oak_status_t add_row(const file_t *f, oak_columns_t *t, int line, double x, double y) {
  if (!isfinite(x) || !isfinite(y) || (t->count && x <= t->x[t->count - 1]))
    return WRONG("%g %g: the numbers must be finite, and those of the first column must increase",
                 f->path, line, x, y);
  OAK_TRY(OAK_GROW(t->x, t->count));
  OAK_TRY(OAK_GROW(t->y, t->count));
  t->x[t->count] = x;
  t->y[t->count++] = y;
  return OAK_OK;
}

static int two_numbers(const char *line, double *x, double *y) {
  int end = 0;
  return sscanf(line, " %lf%*[ \t,]%lf %n", x, y, &end) == 2 && end && !line[end];
}

/* Rows from line `at` on; with dashes, the table ends with a line of dashes. The second column is
 * multiplied by `factor`. */
static oak_status_t read_table(file_t *f, const char *title, int dashes, double factor) {
  oak_reaction_file_t *r = f->out;
  const int line = f->at;
  double x, y;
  OAK_TRY(OAK_GROW(r->table, r->ntable));
  char *copy = oak_str_copy(title);
  OAK_CHECK(copy, OAK_ERR_MEMORY, "no memory to read %s", f->path);
  oak_columns_t *t = &r->table[r->ntable++];
  *t = (oak_columns_t){.title = copy, .path = f->path, .line = line};
  for (; f->at < f->count && !(dashes && is_dashes(f->line[f->at])); f->at++) {
    const char *text = f->line[f->at];
    if (two_numbers(text, &x, &y))
      OAK_TRY(add_row(f, t, f->at + 1, x, factor * y));
    else if (!dashes)
      break;
    else if (*text && *text != '#')
      return WRONG("'%.60s': must be two numbers", f->path, f->at + 1, text);
  }
  if (t->count < 2) return WRONG("the table '%s' needs at least 2 lines", f->path, line, title);
  const double last = t->x[t->count - 1];
  return t->x[0] >= 0 && last >= 1
             ? OAK_OK
             : WRONG(
                   "the table '%s' goes from %g to %g Td: it must begin at 0 Td or later, and end "
                   "at 1 Td or later",
                   f->path, line, title, t->x[0], last);
}

/* The table with a title, or whose title begins with it. Tables of momentum transfer and the like,
 * which BOLSIG+ writes too, may have titles twice; one that is used may not. */
static oak_status_t find_table(oak_reaction_file_t *r, const char *title, int whole,
                               oak_columns_t **found) {
  oak_columns_t *first = *found = NULL;
  for (int n = 0; n < r->ntable; n++) {
    oak_columns_t *t = &r->table[n];
    if (!begins(t->title, title) || (whole && !same(t->title, title))) continue;
    if (first && same(first->title, t->title))
      return WRONG("a second table with the title '%s'", t->path, t->line, t->title);
    if (!first) first = t;
  }
  if (first) first->used = 1;
  *found = first;
  return OAK_OK;
}

/* ---- files */

static oak_status_t read_ignored(file_t *f) {
  for (; f->at < f->count && !is_dashes(f->line[f->at]); f->at++) {
    const char *name = f->line[f->at];
    if (*name && *name != '#' && !oak_reactions_is_name(name))
      return WRONG("'%s' is no species", f->path, f->at + 1, name);
    const int n = *name && *name != '#' ? oak_reactions_species(f->out, name) : 0;
    if (n < 0)
      return WRONG("%s: there are more than %d species, or the name is too long", f->path,
                   f->at + 1, name, OAK_MOST_SPECIES);
    if (!strcmp(name, "e")) return WRONG("electrons cannot be ignored", f->path, f->at + 1);
    if (n > 0) f->out->species[n].fixed = 1;
  }
  return OAK_OK;
}

static oak_status_t read_section(file_t *f, const char *title, double factor) {
  if (f->tables && (begins(title, "ignored_species") || begins(title, "reaction_list")))
    return WRONG(
        "the file of reactions.tables has the section '%.60s', which belongs into "
        "reactions.file: each reaction would count twice",
        f->path, f->at, title);
  if (begins(title, "ignored_species")) return read_ignored(f);
  if (!begins(title, "reaction_list")) return read_table(f, title, 1, factor);
  for (; f->at < f->count && !is_dashes(f->line[f->at]); f->at++)
    if (*f->line[f->at] && *f->line[f->at] != '#') OAK_TRY(read_reactions(f));
  return OAK_OK;
}

/* The line of dashes that belongs to a title in the line `at`; 0: this is no title. */
static oak_status_t find_dashes(const file_t *f, int *dashes, double *factor) {
  char *end;
  int n = f->at + 1;
  *dashes = 0;
  *factor = 1;
  for (; n < f->count; n++) {
    const char *text = f->line[n];
    if (begins(text, "FACTOR:")) {
      *factor = strtod(text + 7, &end);
      if (end == text + 7 || *end || !isfinite(*factor))
        return WRONG("'%.60s': must be a number behind FACTOR:", f->path, n + 1, text);
    } else if (!begins(text, "COMMENT:")) {
      break;
    }
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
    if (!*line || *line == '#' || begins(line, "COMMENT:") || begins(line, "FACTOR:")) continue;
    OAK_TRY(find_dashes(f, &dashes, &factor));
    if (begins(line, "E/N (Td)")) {
      const char *title = strchr(line, ')') + 1;
      title += strspn(title, " \t");
      f->at++;
      OAK_TRY(read_table(f, begins(title, "Rate coeff") ? before : title, 0, 1));
      f->at--;
    } else if (dashes) {
      const int start = f->at;
      f->at = dashes + 1;
      OAK_TRY(read_section(f, line, factor));
      if (f->at == f->count)
        return WRONG("the section '%.60s' has no line of dashes at its end", f->path, start + 1,
                     line);
    }
    before = line;
  }
  return OAK_OK;
}

static oak_status_t load(file_t *f) {
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(f->path, "rb");
  OAK_CHECK(file, OAK_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
  oak_status_t st = OAK_OK;
  while (st == OAK_OK && getline(&line, &room, file) >= 0) {
    st = OAK_GROW(f->line, f->count);
    char *copy = st == OAK_OK ? oak_str_copy(oak_str_trim(line)) : NULL;
    if (copy)
      f->line[f->count++] = copy;
    else
      st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to read %s", f->path);
  }
  if (st == OAK_OK && ferror(file))
    st = OAK_FAIL(OAK_ERR_FILE, "cannot read %s: %s", f->path, strerror(errno));
  free(line);
  fclose(file);
  return st;
}

oak_status_t oak_reactions_parse(oak_reaction_file_t *r, const char *path, int tables) {
  file_t f = {.out = r, .path = path, .tables = tables};
  oak_status_t st = load(&f);
  if (st == OAK_OK) st = read_lines(&f);
  for (int n = 0; n < f.count; n++) free(f.line[n]);
  free(f.line);
  return st;
}

/* Nothing makes an ignored species, so what it would do does not happen. */
static void drop_ignored(oak_reaction_file_t *r) {
  int kept = 0;
  for (int n = 0; n < r->nreaction; n++) {
    const oak_reaction_t *a = &r->reaction[n];
    int ignored = 0;
    for (int i = 0; i < a->count[0]; i++) {
      const oak_species_t *s = &r->species[a->of[0][i]];
      ignored |= s->fixed && s->fraction == 0;
    }
    if (!ignored) r->reaction[kept++] = *a;
  }
  r->nreaction = kept;
}

/* Which species are on a side of a reaction. */
static void find_uses(oak_reaction_file_t *r) {
  for (int n = 0; n < r->nreaction; n++)
    for (int side = 0; side < 2; side++)
      for (int i = 0; i < r->reaction[n].count[side]; i++) {
        oak_species_t *s = &r->species[r->reaction[n].of[side][i]];
        s->on[side] = 1;
        if (!side && s->fixed) r->reaction[n].factor *= OAK_GAS_UNIT;
      }
}

static oak_status_t number_species(oak_reaction_file_t *r, const char *path) {
  int positive = 0;
  for (int n = 0; n < r->nspecies; n++) {
    oak_species_t *s = &r->species[n];
    if (s->fixed) continue;
    for (int m = 0; m < n; m++)
      OAK_CHECK(r->species[m].fixed || strcmp(r->species[m].variable, s->variable) != 0,
                OAK_ERR_INPUT, "%s: the species %s and %s would both be the variable %s", path,
                r->species[m].name, s->name, s->variable);
    s->number = r->nvariable++;
    positive |= s->charge > 0;
  }
  OAK_CHECK(positive, OAK_ERR_INPUT,
            "%s has no positive ion, such as N2+, for the background and the seed: add a reaction "
            "with one",
            path);
  return OAK_OK;
}

/* Mobility, diffusion and mean energy are not negative. */
static oak_status_t find_transport(oak_reaction_file_t *r) {
  static const char *const title[] = {"Mobility", "Diffusion coef", "Mean energy"};
  for (int n = 0; n < 3; n++) {
    oak_columns_t *t;
    OAK_TRY(find_table(r, title[n], 0, &t));
    for (int i = 0; t && i < t->count; i++)
      OAK_CHECK(t->y[i] >= 0, OAK_ERR_INPUT,
                "%s: the table '%s' has %g at %g Td: it must not be negative", t->path, t->title,
                t->y[i], t->x[i]);
    r->transport[n] = t;
  }
  return OAK_OK;
}

oak_status_t oak_reactions_finish(oak_reaction_file_t *r, const char *path) {
  OAK_CHECK(
      r->nreaction, OAK_ERR_INPUT,
      "%s has no reactions: it needs the line reaction_list, a line of dashes, the reactions, "
      "and a line of dashes",
      path);
  for (int n = 0; n < r->nreaction; n++) {
    oak_reaction_t *a = &r->reaction[n];
    if (a->c[0] > 0) OAK_TRY(find_table(r, a->formula, 1, &a->table));
    if (a->c[0] > 0 && !a->table)
      return WRONG("no table has the title '%s'", path, a->line, a->formula);
  }
  OAK_TRY(find_transport(r));
  drop_ignored(r);
  find_uses(r);
  return number_species(r, path);
}

void oak_reactions_clear(oak_reaction_file_t *r) {
  for (int n = 0; n < r->ntable; n++) {
    free(r->table[n].title);
    free(r->table[n].x);
    free(r->table[n].y);
  }
  free(r->table);
}
