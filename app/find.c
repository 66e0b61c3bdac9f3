/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds the parameter files that come with oak by their names. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <oak.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "str.h"

/* Folders are ignored, so `oak run sedov` works in a folder that holds the output folder sedov. */
static int is_missing(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? S_ISDIR(info.st_mode) : errno == ENOENT;
}

/* The file of problems/ that NAME, NAME.ini or problems/NAME.ini means; path is "" if there is
 * none. */
static void look_up(const char *name, char path[PATH_MAX]) {
  static const char *const ending[] = {"", ".ini"};
  const char *root;
  path[0] = '\0';
  if (oak_source_root(&root) != OAK_OK) return;
  if (!strncmp(name, "problems/", 9)) name += 9;
  for (int i = 0; i < 2; i++) {
    const int length = snprintf(path, PATH_MAX, "%s/problems/%s%s", root, name, ending[i]);
    if (length < PATH_MAX && !is_missing(path)) return;
  }
  path[0] = '\0';
}

oak_words_t oak_list_names(const char *folder, const char *ending) {
  oak_words_t names = {0};
  const char *root;
  char path[PATH_MAX];
  if (oak_source_root(&root) != OAK_OK ||
      snprintf(path, sizeof path, "%s/%s", root, folder) >= (int)sizeof path)
    return names;
  struct dirent **list;
  const int n = scandir(path, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    const char *name = list[i]->d_name, *end = strrchr(name, '.');
    if (end && end > name && !strcmp(end, ending))
      oak_words_add(&names, "%.*s", (int)(end - name), name);
    free(list[i]);
  }
  if (n >= 0) free(list);
  return names;
}

oak_status_t oak_find_parameters(const char *name, char path[PATH_MAX], int rank) {
  OAK_CHECK(strlen(name) < PATH_MAX, OAK_ERR_INPUT,
            "the name of the parameter file has %zu characters; at most %d are possible",
            strlen(name), PATH_MAX - 1);
  /* Rank 0 reads the file, so rank 0 looks for it. */
  if (rank == 0) {
    snprintf(path, PATH_MAX, "%s", name);
    if (name[0] != '/' && name[0] != '.' && is_missing(name)) look_up(name, path);
  }
  MPI_Bcast(path, PATH_MAX, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (path[0]) return OAK_OK;
  oak_nearest_t near = oak_nearest_to(name);
  oak_words_t list = oak_list_names("problems", ".ini");
  for (int i = 0; i < list.count; i++) oak_nearest_try(&near, list.word[i], strlen(list.word[i]));
  oak_words_free(&list);
  return OAK_FAIL(OAK_ERR_FILE,
                  "there is no parameter file '%s', neither here nor among those that come with "
                  "oak; %s%s%s; oak info lists them, and oak help explains keys",
                  name, *near.meant ? "did you mean " : "check the name", near.meant,
                  *near.meant ? "?" : "");
}
