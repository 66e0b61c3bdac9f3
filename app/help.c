/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak help TOPIC: what the parameters and the pages of the documentation say about a topic. Help on
 * commands comes from the list of commands in main.c. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

enum { LINE = 80 };

/* Open the page docs/NAME.md of the installation; NULL if there is none. */
static FILE *open_page(const char *name, char path[PATH_MAX]) {
  const char *root;
  if (oak_source_root(&root) != OAK_OK || strchr(name, '/')) return NULL;
  const int length = snprintf(path, PATH_MAX, "%s/docs/%s.md", root, name);
  return length < PATH_MAX ? fopen(path, "r") : NULL;
}

static void print_page(FILE *page) {
  char text[4096];
  for (size_t n; (n = fread(text, 1, sizeof text, page)) > 0;) fwrite(text, 1, n, stdout);
}

static int is_page(const struct dirent *entry) {
  const char *end = strrchr(entry->d_name, '.');
  return end && !strcmp(end, ".md");
}

void oak_print_pages(FILE *stream) {
  const char *root;
  char path[PATH_MAX];
  struct dirent **page;
  if (oak_source_root(&root) != OAK_OK) return;
  if (snprintf(path, sizeof path, "%s/docs", root) >= (int)sizeof path) return;
  const int n = scandir(path, &page, is_page, alphasort);
  for (int i = 0, column = LINE; i < n; i++) {
    const int length = (int)strlen(page[i]->d_name) - 3;
    if (column + 1 + length > LINE) column = fprintf(stream, "\n   ") - 1;
    column += fprintf(stream, " %.*s", length, page[i]->d_name);
    free(page[i]);
  }
  if (n >= 0) free(page);
}

int oak_print_topic(const char *topic, const oak_params_t *params, int command) {
  char path[PATH_MAX];
  const int keys = oak_params_help_topic(params, topic, stdout);
  FILE *page = open_page(topic, path);
  if (page && !command && !keys) print_page(page);
  if (page && (command || keys)) printf("\nmore: %s\n", path);
  if (page) fclose(page);
  return keys || page;
}
