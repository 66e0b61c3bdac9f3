/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak help TOPIC: what is known of a topic. Keys come from the table of parameters, commands from
 * the list in main.c. All else comes from the pages of the documentation: a section whose heading
 * names the topic, and the rows of tables (hooks, kinds of output, the glossary, ...) that begin
 * with it. Problems and physics have their own files. */
#include <ctype.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "str.h"

enum { LINE = 80 };

/* ---- pages ---- */

/* Open FOLDER/NAME of the installation; NULL if there is none. */
static FILE *open_file(const char *folder, const char *name, const char *ending,
                       char path[PATH_MAX]) {
  const char *root;
  if (oak_source_root(&root) != OAK_OK || strchr(name, '/')) return NULL;
  const int length = snprintf(path, PATH_MAX, "%s/%s/%s%s", root, folder, name, ending);
  return length < PATH_MAX ? fopen(path, "r") : NULL;
}

static void print_page(FILE *page) {
  char text[4096];
  for (size_t n; (n = fread(text, 1, sizeof text, page)) > 0;) fwrite(text, 1, n, stdout);
}

void oak_print_pages(FILE *stream) {
  oak_words_t page = oak_list_names("docs", ".md");
  for (int i = 0, column = LINE; i < page.count; i++) {
    const int length = (int)strlen(page.word[i]);
    if (column + 1 + length > LINE) column = fprintf(stream, "\n   ") - 1;
    column += fprintf(stream, " %s", page.word[i]);
  }
  oak_words_free(&page);
}

/* ---- Markdown ---- */

/* Is the word of \a length at \a text the topic? Capitals and a plural do not count. */
static int is_topic(const char *text, size_t length, const char *topic) {
  size_t n = strlen(topic);
  if (n > 2 && tolower((unsigned char)topic[n - 1]) == 's') n--;
  if (length > 2 && tolower((unsigned char)text[length - 1]) == 's') length--;
  return n == length && !strncasecmp(text, topic, length);
}

/* Does a heading, or the first cell of a row, name the topic? If it has code, the first word of
 * each piece of code is a name. Otherwise its parts between commas are names, and the whole text
 * too. */
static int names_topic(const char *text, const char *topic) {
  if (!strchr(text, '`')) {
    for (const char *at = text; *at; at += strspn(at, ", ")) {
      size_t length = strcspn(at, ",");
      const char *next = at + length;
      while (length > 0 && at[length - 1] == ' ') length--;
      if (length && is_topic(at, length, topic)) return 1;
      at = next;
    }
    return is_topic(text, strlen(text), topic);
  }
  for (const char *at = strchr(text, '`'); at; at = strchr(at + 1, '`')) {
    if (!strncmp(++at, "#define ", 8)) at += 8;
    const size_t length =
        strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
    if (length && is_topic(at, length, topic)) return 1;
    if (!(at = strchr(at, '`'))) return 0;
  }
  return 0;
}

/* Print a cell of a table as text that is indented by \a indent, without links and stress. */
static void print_cell(char *cell, int indent) {
  char *plain = cell, *end;
  for (char *c = cell; *c; c++) {
    const int code = c > cell && c[-1] == '`' && *c == '['; /* such as `[output]` */
    if (c[0] == ']' && c[1] == '(' && (end = strchr(c, ')')))
      c = end;
    else if (code || !strchr("[*\\", *c))
      *plain++ = *c;
  }
  *plain = '\0';
  oak_str_wrap(stdout, cell, indent, 0);
}

/* Cut the first two cells out of a row of a table. Returns whether the second one is prose: rows of
 * numbers explain nothing. */
static int cut_row(char *line, char *cell[2]) {
  char *at = line + 1;
  for (int i = 0; i < 2; i++) {
    char *end = at;
    while (*end && (*end != '|' || end[-1] == '\\')) end++;
    if (!*end) return 0;
    cell[i] = at + strspn(at, " ");
    at = end + 1;
    while (end > cell[i] && end[-1] == ' ') end--;
    *end = '\0';
  }
  return strchr(cell[1], ' ') && strpbrk(cell[1], "abcdefghijklmnopqrstuvwxyz");
}

typedef struct {
  const char *topic, *name; /* name: of the page, such as docs/kernels.md */
  int found, sections;      /* what was printed */
  int mentioned;            /* take rows that only mention the topic */
  char also[2048];          /* headings in which the topic occurs */
} search_t;

static int mentions(char *const cell[2], const char *topic) {
  return strcasestr(cell[0], topic) || strcasestr(cell[1], topic);
}

static void note_heading(search_t *s, const char *text) {
  if (strcasestr(text, s->topic) && strlen(s->also) < sizeof s->also - 256)
    oak_str_append(s->also, sizeof s->also, "  %s: %.150s\n", s->name, text);
}

/* Print what a page says of the topic. */
static void search_page(search_t *s, FILE *page) {
  char *line = NULL, heading[256] = "", *cell[2];
  size_t size = 0;
  int fenced = 0, printing = 0; /* level of the heading whose section is printed */
  while (getline(&line, &size, page) > 0) {
    line[strcspn(line, "\n")] = '\0';
    if (!strncmp(line, "```", 3)) fenced = !fenced;
    const int level = fenced ? 0 : (int)strspn(line, "#");
    if (level > 0) {
      snprintf(heading, sizeof heading, "%s", line + level + strspn(line + level, " "));
      if (printing && level <= printing) printing = 0;
      if (!printing && level > 1 && names_topic(heading, s->topic)) {
        printf("%s%s:\n\n", s->found ? "\n" : "", s->name);
        printing = level;
        s->found = s->sections = 1;
      } else if (!printing && level > 1) {
        note_heading(s, heading);
      }
    }
    if (printing) {
      printf("%s\n", line);
    } else if (!fenced && *line == '|' && cut_row(line, cell) &&
               (names_topic(cell[0], s->topic) || (s->mentioned && mentions(cell, s->topic)))) {
      if (s->found) printf("\n");
      print_cell(cell[0], 0);
      print_cell(cell[1], 4);
      printf("    (%s, %s)\n", s->name, heading);
      s->found = 1;
    }
  }
  free(line);
}

static void search_folder(search_t *s, const char *folder, const char *file) {
  char path[PATH_MAX], name[300];
  FILE *page = open_file(folder, file, ".md", path);
  if (!page) return;
  snprintf(name, sizeof name, "%s/%s.md", folder, file);
  s->name = name;
  search_page(s, page);
  fclose(page);
}

/* ---- problems and physics ---- */

/* Print the comment at the head of a file, without its licence. Returns whether there is a file. */
static int print_comment(const char *folder, const char *name, const char *ending, int more) {
  char path[PATH_MAX], *line = NULL;
  size_t size = 0;
  FILE *file = open_file(folder, name, ending, path);
  if (!file) return 0;
  printf("%s%s:\n\n", more ? "\n" : "", path);
  while (getline(&line, &size, file) > 0 && strchr("#/ ", line[0])) {
    char *end = strstr(line, "*/"), *text = line + strspn(line, " #/*");
    if (end) *end = '\0';
    if (text > line + 3) text = line + 3; /* formulas are indented */
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
    if (!strstr(line, "SPDX-License")) printf("%s%s\n", *text ? "  " : "", text);
    if (end) break;
  }
  free(line);
  fclose(file);
  return 1;
}

/* ---- topics ---- */

/* Words of code in capitals or with an underscore, which headings and tables name. */
static void try_words(oak_nearest_t *nearest, FILE *page) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, page) > 0)
    for (char *at = *line == '#' || *line == '|' ? strchr(line, '`') : NULL; at;
         at = strchr(at, '`')) {
      const size_t length =
          strspn(++at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      oak_nearest_try(nearest, at, length);
      at += length;
    }
  free(line);
}

void oak_try_topics(oak_nearest_t *nearest) {
  char path[PATH_MAX];
  oak_words_t list = oak_list_names("docs", ".md");
  for (int i = 0; i < list.count; i++) {
    FILE *page = open_file("docs", list.word[i], ".md", path);
    const int before = nearest->least;
    if (page) try_words(nearest, page);
    if (page) fclose(page);
    if (nearest->least < before)
      snprintf(nearest->page, sizeof nearest->page, "%.60s", list.word[i]);
  }
  oak_words_free(&list);
  oak_try_files(nearest, "docs", ".md");
  oak_try_files(nearest, "physics", ".c");
  oak_try_files(nearest, "problems", ".ini");
}

int oak_print_topic(const char *topic, const oak_params_t *params, int command) {
  char path[PATH_MAX];
  search_t s = {.topic = topic};
  const int keys = oak_params_help_topic(params, topic, stdout);
  FILE *page = open_file("docs", topic, ".md", path);
  if (page && !command && !keys) print_page(page);
  if (page && (command || keys)) printf("\nmore: %s\n", path);
  if (page) fclose(page);
  if (page || (keys && strchr(topic, '.'))) return 1;
  s.found = keys || command;
  oak_words_t list = oak_list_names("docs", ".md");
  for (int i = 0; i < list.count; i++) /* the page of parameters says the same as the keys */
    if (strcmp(list.word[i], "parameters") != 0) search_folder(&s, "docs", list.word[i]);
  oak_words_free(&list);
  search_folder(&s, "problems", "README");
  s.found |= print_comment("physics", topic, ".c", s.found);
  s.found |= print_comment("problems", topic, ".ini", s.found);
  s.found |= print_comment("problems", topic, ".c", s.found);
  if (!s.found) {
    s.mentioned = 1;
    search_folder(&s, "docs", "glossary");
  }
  if (*s.also && !s.sections) printf("%ssections about it:\n%s", s.found ? "\n" : "", s.also);
  return s.found || *s.also;
}
