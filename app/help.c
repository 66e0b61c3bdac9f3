/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak help TOPIC: what is known of a topic. Keys come from the table of parameters, commands from
 * the list in main.c. All else comes from the pages of the documentation, in the order of
 * docs/README.md, pages for users first: a section whose heading names the topic, and the rows of
 * tables (hooks, kinds of output, the glossary, ...) that begin with it, or else the names of
 * sections that mention the topic. Problems and physics have their own files. */
#include <ctype.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "params_library.h"
#include "str.h"

enum { LINE = 80, MOST_MENTIONS = 12 };

/* ---- pages ---- */

/* Open FOLDER/NAME of the installation; NULL if there is none. */
static FILE *open_file(const char *folder, const char *name, const char *ending,
                       char path[PATH_MAX]) {
  const char *root;
  if (oak_source_root(&root) != OAK_OK || strchr(name, '/')) return NULL;
  const int length = snprintf(path, PATH_MAX, "%s/%s/%s%s", root, folder, name, ending);
  return length < PATH_MAX ? fopen(path, "r") : NULL;
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

/* Take the marks of links and stress out of a text, but not out of its code. */
static char *strip(char *text) {
  char *plain = text, *end;
  int code = 0;
  for (char *c = text; *c; c++) {
    code ^= *c == '`';
    if (!code && c[0] == ']' && c[1] == '(' && (end = strchr(c, ')')))
      c = end;
    else if (c[0] == '\\' ? !ispunct((unsigned char)c[1]) || (code && c[1] != '|')
                          : code || (*c != '[' && *c != '*' && strncmp(c, "![", 2) != 0))
      *plain++ = *c;
  }
  *plain = '\0';
  return text;
}

static void print_text(char *text, int indent) { oak_str_wrap(stdout, strip(text), indent, 0); }

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
  return strchr(cell[1], ' ') && strpbrk(cell[1], "abcdfghijklmnopqrstuvwxyz"); /* 1e-5 is none */
}

typedef struct {
  const char *topic, *name; /* name: of the page, such as docs/kernels.md */
  int found;                /* something was printed */
  int mentions;             /* number of sections that mention the topic */
} search_t;

/* Print a text, or a row of a table: its first cell, and the others below it. */
static void print_line(char *line, int indent) {
  char *end = line + 1;
  if (*line != '|') {
    print_text(line, indent);
  } else if (line[strspn(line, "|-: ")]) {
    while (*end && (*end != '|' || end[-1] == '\\')) end++;
    if (*end) *end++ = '\0';
    end[strlen(end) - (*end && end[strlen(end) - 1] == '|')] = '\0';
    print_text(line + 1 + strspn(line + 1, " "), indent);
    if (end[strspn(end, " ")]) print_text(end + strspn(end, " "), indent + 4);
  }
}

/* Print a line of a page as it is, but for links, stress and tables. */
static void print_page_line(char *line, int fenced) {
  if (fenced || *line != '|')
    printf("%s\n", fenced ? line : strip(line));
  else
    print_line(line, 0);
}

static void print_page(FILE *page) {
  char *line = NULL;
  size_t size = 0;
  for (int fenced = 0; getline(&line, &size, page) > 0;) {
    line[strcspn(line, "\n")] = '\0';
    const int fence = !strncmp(line, "```", 3);
    print_page_line(line, fenced || fence);
    fenced ^= fence;
  }
  free(line);
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
        s->found = 1;
      }
    }
    if (printing) {
      print_page_line(line, fenced || !strncmp(line, "```", 3));
    } else if (!fenced && *line == '|' && cut_row(line, cell) && names_topic(cell[0], s->topic)) {
      if (s->found) printf("\n");
      print_text(cell[0], 0);
      print_text(cell[1], 4);
      printf("    (%s, %s)\n", s->name, heading);
      s->found = 1;
    }
  }
  free(line);
}

/* Does a word of the text begin with the topic, or with it without its plural? */
static int mentions(const char *text, const char *topic) {
  char word[64];
  snprintf(word, sizeof word, "%s", topic);
  const size_t n = strlen(word);
  if (n > 3 && word[n - 1] == 's') word[n - 1] = '\0';
  const char *at = text;
  while ((at = strcasestr(at, word)) && at > text && isalnum((unsigned char)at[-1])) at++;
  return at != NULL;
}

/* Print which sections mention the topic. */
static void search_text(search_t *s, FILE *page) {
  char *line = NULL, heading[256] = "";
  size_t size = 0;
  int fenced = 0, done = 0;
  while (getline(&line, &size, page) > 0) {
    line[strcspn(line, "\n")] = '\0';
    fenced ^= !strncmp(line, "```", 3);
    if (!fenced && *line == '#') {
      const size_t level = strspn(line, "#");
      snprintf(heading, sizeof heading, "%s", line + level + strspn(line + level, " "));
      done = 0;
    }
    if (done || fenced || !mentions(strip(line), s->topic)) continue;
    if (s->mentions++ < MOST_MENTIONS) printf("mentioned in %s, %s\n", s->name, heading);
    done = 1;
  }
  free(line);
}

/* Search the pages that docs/README.md links to, in its order. The page of parameters says the same
 * as the table of keys. */
static void search_pages(search_t *s, void (*search)(search_t *s, FILE *page)) {
  char path[PATH_MAX], folder[PATH_MAX], name[PATH_MAX + 8], *line = NULL, *end;
  size_t size = 0;
  FILE *index = open_file("docs", "README", ".md", path);
  while (index && getline(&line, &size, index) > 0) {
    for (char *at = line; (at = strstr(at, "](")) && (end = strstr(at, ".md)"));) {
      *end = '\0';
      at += strlen("](");
      const int up = !strncmp(at, "../", 3);
      snprintf(folder, sizeof folder, "%s%s", up ? "" : "docs/", at + (up ? 3 : 0));
      snprintf(name, sizeof name, "%s.md", folder);
      char *slash = strrchr(folder, '/');
      *slash = '\0';
      FILE *page = strcmp(at, "parameters") ? open_file(folder, slash + 1, ".md", path) : NULL;
      s->name = name;
      if (page) search(s, page);
      if (page) fclose(page);
      at = end + 1;
    }
  }
  s->name = NULL; /* `name` ends here */
  free(line);
  if (index) fclose(index);
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

/* Words of code that headings and tables name. */
static void add_words(oak_words_t *topics, FILE *page) {
  char *line = NULL;
  size_t size = 0;
  while (getline(&line, &size, page) > 0)
    for (char *at = *line == '#' || *line == '|' ? strchr(line, '`') : NULL; at;
         at = strchr(at, '`')) {
      const size_t length =
          strspn(++at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
      if (length) oak_words_add(topics, "%.*s", (int)length, at);
      at += length;
    }
  free(line);
}

oak_words_t oak_list_topics(const oak_params_t *params) {
  static const char *const place[][2] = {{"docs", ".md"}, {"physics", ".c"}, {"problems", ".ini"}};
  char path[PATH_MAX];
  const oak_param_desc_t *desc;
  oak_words_t topics = {0};
  for (int i = 0; (desc = oak_params_key(params, i)); i++) oak_words_add(&topics, "%s", desc->key);
  for (int p = 0; p < 3; p++) {
    oak_words_t list = oak_list_names(place[p][0], place[p][1]);
    for (int i = 0; i < list.count; i++) {
      FILE *page = p == 0 ? open_file("docs", list.word[i], ".md", path) : NULL;
      oak_words_add(&topics, "%s", list.word[i]);
      if (page) add_words(&topics, page);
      if (page) fclose(page);
    }
    oak_words_free(&list);
  }
  return topics;
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
  search_pages(&s, search_page);
  s.found |= print_comment("physics", topic, ".c", s.found);
  s.found |= print_comment("problems", topic, ".ini", s.found);
  s.found |= print_comment("problems", topic, ".c", s.found);
  if (!s.found) search_pages(&s, search_text);
  return s.found || s.mentions;
}
