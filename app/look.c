/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the commands that look at plotfiles share: arguments, paths, variables. */
#define _GNU_SOURCE 1
#include "look.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "io/files/file_tools.h"

/* ---- arguments ---- */

static void print_help(const look_command_t *command) {
  printf("usage: oak %s %s\n\n%s", command->name, command->usage, command->help);
}

/** Take option argv[i], which may use argv[i + 1]. \return how many were used; 0: wrong. */
static int take_option(const look_command_t *command, int argc, char **argv, int i) {
  const char *equals = strchr(argv[i], '=');
  const size_t length = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
  for (const look_option_t *o = command->option; o->name; o++) {
    if (strlen(o->name) != length || strncmp(argv[i], o->name, length) != 0) continue;
    if (!o->value && !equals) {
      *o->flag = 1;
      return 1;
    }
    if (o->value && (equals || i + 1 < argc)) {
      *o->value = equals ? equals + 1 : argv[i + 1];
      return equals ? 1 : 2;
    }
    fprintf(stderr, "oak %s: %s takes %s value; see oak %s --help\n", command->name, o->name,
            o->value ? "a" : "no", command->name);
    return 0;
  }
  fprintf(stderr, "oak %s: unknown option %s; see oak %s --help\n", command->name, argv[i],
          command->name);
  return 0;
}

int oak_look_arguments(const look_command_t *command, int argc, char **argv, const char **path) {
  int npath = 0;
  for (int i = 0; i < argc; i++)
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
      print_help(command);
      return -1;
    }
  for (int i = 0; i < argc;) {
    if (argv[i][0] == '-' && argv[i][1] != '\0') {
      const int used = take_option(command, argc, argv, i);
      if (used == 0) return -2;
      i += used;
      continue;
    }
    if (npath == command->most) {
      fprintf(stderr, "oak %s: one argument too many: %s; see oak %s --help\n", command->name,
              argv[i], command->name);
      return -2;
    }
    path[npath++] = argv[i++];
  }
  if (npath >= command->least) return npath;
  fprintf(stderr, "oak %s: usage: oak %s %s; oak %s --help tells more\n", command->name,
          command->name, command->usage, command->name);
  return -2;
}

int oak_look_on_rank_0(int (*work)(int argc, char **argv), int argc, char **argv, int rank) {
  int code = rank == 0 ? work(argc, argv) : 0;
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return code;
}

oak_status_t oak_look_numbers(const char *what, const char *text, int n, double *out) {
  const char *at = text;
  for (int i = 0; i < n; i++) {
    char *end;
    out[i] = strtod(at, &end);
    const size_t gap = strspn(end, ", ");
    OAK_CHECK(end > at && isfinite(out[i]) && (i + 1 == n ? !*end : gap > 0), OAK_ERR_INPUT,
              "%s: '%s' is not %s%.0d%s", what, text, n == 1 ? "a number" : "", n == 1 ? 0 : n,
              n == 1 ? "" : " numbers with commas between them");
    at = end + gap;
  }
  return OAK_OK;
}

oak_status_t oak_look_integer(const char *what, const char *text, int low, int high, int *out) {
  char *end;
  errno = 0;
  const long value = strtol(text, &end, 10);
  OAK_CHECK(end > text && !*end && errno == 0 && value >= low && value <= high, OAK_ERR_INPUT,
            "%s: '%s' is not a whole number from %d to %d", what, text, low, high);
  *out = (int)value;
  return OAK_OK;
}

oak_status_t oak_look_axis(const char *name, int *out) {
  const char *at = strlen(name) == 1 ? strchr("xyz", name[0]) : NULL;
  OAK_CHECK(at, OAK_ERR_INPUT, "'%s' is no axis; choose x, y or z", name);
  *out = (int)(at - "xyz");
  return OAK_OK;
}

/* ---- paths ---- */

static int is_plotfile(const char *path) {
  char *header = oak_text_new("%s/Header", path);
  const int found = header && access(header, F_OK) == 0;
  free(header);
  return found;
}

static int compare_names(const void *a, const void *b) {
  return strverscmp(*(char *const *)a, *(char *const *)b);
}

/** Does \a name end in \a tail? */
static int ends_in(const char *name, const char *tail) {
  const size_t n = strlen(name), m = strlen(tail);
  return n >= m && !strcmp(name + n - m, tail);
}

static oak_status_t add_path(char ***list, int *count, char *path) {
  char **more = path ? realloc(*list, (size_t)(*count + 1) * sizeof *more) : NULL;
  if (!more) free(path);
  OAK_CHECK(more, OAK_ERR_MEMORY, "no memory to list plotfiles");
  *list = more;
  (*list)[(*count)++] = path;
  return OAK_OK;
}

static oak_status_t list_folder(const char *path, char ***list, int *count) {
  DIR *folder = opendir(path);
  oak_status_t st = OAK_OK;
  OAK_CHECK(folder, OAK_ERR_FILE,
            "cannot look into %s: %s; give a plotfile (a folder such as plt000100) or the folder "
            "of a run",
            path, strerror(errno));
  for (struct dirent *entry; st == OAK_OK && (entry = readdir(folder));) {
    const char *name = entry->d_name;
    if (name[0] == '.' || ends_in(name, ".oak-part") || ends_in(name, ".oak-old") ||
        ends_in(name, ".start"))
      continue;
    char *full = oak_text_new("%s/%s", path, name);
    if (full && !is_plotfile(full))
      free(full);
    else
      st = add_path(list, count, full);
  }
  closedir(folder);
  return st;
}

oak_status_t oak_look_list(const char *path, char ***list, int *count) {
  *list = NULL;
  *count = 0;
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  char *plain = strndup(path, length);
  oak_status_t st = OAK_OK;
  if (!plain)
    st = OAK_FAIL(OAK_ERR_MEMORY, "no memory to list plotfiles");
  else if (is_plotfile(plain))
    st = add_path(list, count, strdup(plain));
  else
    st = list_folder(plain, list, count);
  free(plain);
  if (st == OAK_OK && *count == 0)
    st = OAK_FAIL(OAK_ERR_FILE, "there is no plotfile in %s (a folder such as plt000100)", path);
  if (st == OAK_OK) qsort(*list, (size_t)*count, sizeof **list, compare_names);
  if (st != OAK_OK) oak_look_free(*list, *count);
  return st;
}

void oak_look_free(char **list, int count) {
  for (int i = 0; i < count; i++) free(list[i]);
  free(list);
}

oak_status_t oak_look_open(const char *path, oak_plotfile_t **out, char **name) {
  char **list;
  int count;
  *out = NULL;
  OAK_TRY(oak_look_list(path, &list, &count));
  oak_status_t st = oak_plotfile_open(list[count - 1], 0, out);
  if (st == OAK_OK && name) {
    *name = list[--count];
  }
  oak_look_free(list, count);
  return st;
}

/* ---- variables ---- */

oak_status_t oak_look_variable(const oak_grid_view_t *view, const char *name, int *out) {
  char known[1024] = "";
  for (*out = 0; *out < view->nvar; (*out)++)
    if (!strcmp(name, view->name[*out])) return OAK_OK;
  for (int v = 0; v < view->nvar; v++) {
    strncat(known, " ", sizeof known - strlen(known) - 1);
    strncat(known, view->name[v], sizeof known - strlen(known) - 1);
  }
  return OAK_FAIL(OAK_ERR_INPUT, "there is no variable %s in the plotfile; known:%s", name, known);
}

oak_status_t oak_look_variables(const oak_grid_view_t *view, const char *list, int **var,
                                int *nvar) {
  static const char blank[] = ", ";
  *nvar = 0;
  *var = malloc(((list ? strlen(list) : (size_t)view->nvar) + 1) * sizeof **var);
  OAK_CHECK(*var, OAK_ERR_MEMORY, "no memory to list variables");
  for (int v = 0; !list && v < view->nvar; v++) (*var)[(*nvar)++] = v;
  for (const char *word = list ? list + strspn(list, blank) : ""; *word;) {
    const size_t length = strcspn(word, blank);
    char *name = strndup(word, length);
    OAK_CHECK(name, OAK_ERR_MEMORY, "no memory to list variables");
    const oak_status_t st = oak_look_variable(view, name, &(*var)[(*nvar)++]);
    free(name);
    OAK_TRY(st);
    word += length;
    word += strspn(word, blank);
  }
  OAK_CHECK(*nvar > 0, OAK_ERR_INPUT, "--var names no variable");
  return OAK_OK;
}
