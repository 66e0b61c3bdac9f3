/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak help TOPIC: a command, parameters or a page of the documentation. */
#define _GNU_SOURCE 1
#include <dirent.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"

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

static void print_pages(FILE *stream) {
  const char *root;
  char path[PATH_MAX];
  struct dirent **page;
  if (oak_source_root(&root) != OAK_OK) return;
  if (snprintf(path, sizeof path, "%s/docs", root) >= (int)sizeof path) return;
  const int n = scandir(path, &page, is_page, alphasort);
  for (int i = 0; i < n; i++) {
    fprintf(stream, " %.*s", (int)strlen(page[i]->d_name) - 3, page[i]->d_name);
    free(page[i]);
  }
  if (n >= 0) free(page);
}

static void print_topics(FILE *stream) {
  fprintf(stream, "usage: oak help TOPIC\n\nA topic is\n\n  a command:   ");
  oak_print_commands(stream);
  fprintf(stream, "\n  a section of the parameter file or one key: mesh, mesh.max_level\n");
  fprintf(stream, "  a page of the documentation:");
  print_pages(stream);
  fprintf(stream, "\n");
}

/* Print what is known of a topic. \return 0 if nothing is. */
static int print_topic(const char *topic, const oak_params_t *params) {
  char path[PATH_MAX];
  char *help[] = {"--help"};
  const int command = oak_run_command(topic, 1, help, 0) >= 0;
  if (command) printf("\n");
  const int keys = oak_params_help_topic(params, topic, stdout);
  FILE *page = open_page(topic, path);
  if (page && !command && !keys) print_page(page);
  if (page && (command || keys)) printf("\nmore: %s\n", path);
  if (page) fclose(page);
  return command || keys || page;
}

int oak_command_help(int argc, char **argv, int rank) {
  oak_params_t *params;
  int found = 1;
  if (argc == 0 || !strcmp(argv[0], "--help")) {
    if (rank == 0) print_topics(stdout);
    return 0;
  }
  if (oak_agree(MPI_COMM_WORLD, oak_params_new(&params)) != OAK_OK) return oak_report_failure(rank);
  if (rank == 0) {
    found = print_topic(argv[0], params);
    if (!found) {
      fflush(stdout);
      fprintf(stderr, "oak help: nothing is known of '%s'\n\n", argv[0]);
      print_topics(stderr);
    }
  }
  oak_params_destroy(&params);
  MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return found ? 0 : 2;
}
