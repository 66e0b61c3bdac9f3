/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the commands that look at plotfiles share: values of options, paths, variables. */
#include "look.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/files/file_tools.h"
#include "str.h"

/* ---- values of options ---- */

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

oak_status_t oak_look_axis(const oak_grid_view_t *view, const char *name, int *out) {
  const char *at = strlen(name) == 1 ? strchr("xyz", name[0]) : NULL;
  for (*out = 0; *out < view->dim; (*out)++)
    if (!strcmp(name, oak_view_axis(view, *out))) return OAK_OK;
  *out = at ? *at - 'x' : 0;
  OAK_CHECK(at, OAK_ERR_INPUT, "'%s' is no axis; choose %s, %s%s%s", name, oak_view_axis(view, 0),
            oak_view_axis(view, 1), view->dim == 3 ? " or " : "",
            view->dim == 3 ? oak_view_axis(view, 2) : "");
  return OAK_OK;
}

/* ---- paths ---- */

static int is_plotfile(const char *path) {
  char header[PATH_MAX];
  return snprintf(header, sizeof header, "%s/Header", path) < PATH_MAX && !access(header, F_OK);
}

/** Length of the name of the series: all before the number at the end, and before its "_". */
static size_t series_length(const char *name) {
  size_t length = strlen(name);
  while (length > 0 && isdigit((unsigned char)name[length - 1])) length--;
  return length > 0 && name[length - 1] == '_' ? length - 1 : length;
}

int oak_look_compare(const char *a, const char *b) {
  a = basename(a);
  b = basename(b);
  const size_t m = series_length(a), n = series_length(b);
  const int order = strncmp(a, b, m < n ? m : n);
  return order ? order : m < n ? -1 : m > n ? 1 : strverscmp(a, b);
}

static int compare_entries(const void *a, const void *b) {
  return oak_look_compare(*(char *const *)a, *(char *const *)b);
}

static int is_same_series(const char *a, const char *b) {
  const size_t length = series_length(basename(a));
  return length == series_length(basename(b)) && !strncmp(basename(a), basename(b), length);
}

static int is_of_series(const char *path, const char *series) {
  const char *name = basename(path);
  return strlen(series) == series_length(name) && !strncmp(name, series, strlen(series));
}

/** Names are printed on terminals, which take control characters as commands. */
static int is_printable(const char *name) {
  for (; *name; name++)
    if (oak_str_is_control(name) || *name == '\n') return 0;
  return 1;
}

static oak_status_t add_path(look_list_t *list, const char *path) {
  OAK_TRY(OAK_GROW(list->path, list->count));
  list->path[list->count] = strdup(path);
  OAK_CHECK(list->path[list->count], OAK_ERR_MEMORY, "no memory to list plotfiles");
  list->count++;
  return OAK_OK;
}

static oak_status_t list_folder(const char *path, look_list_t *list) {
  DIR *folder = opendir(path);
  oak_status_t st = OAK_OK;
  OAK_CHECK(folder, OAK_ERR_FILE,
            "cannot look into %s: %s; give a plotfile (a folder such as plt000100) or the folder "
            "of a run",
            path, strerror(errno));
  for (struct dirent *entry; st == OAK_OK && (entry = readdir(folder));) {
    const char *name = entry->d_name;
    char full[PATH_MAX];
    if (name[0] == '.' || oak_path_ends(name, OAK_PART) || !is_printable(name)) continue;
    st = oak_path_print(full, "%s/%s", path, name);
    if (st == OAK_OK && is_plotfile(full)) st = add_path(list, full);
  }
  closedir(folder);
  return st;
}

/** Cut "RUN:SERIES" in two. \a series is NULL if there is a file called \a path, or no colon. */
static oak_status_t split_path(const char *path, char folder[PATH_MAX], const char **series) {
  const char *colon = access(path, F_OK) == 0 ? NULL : strrchr(basename(path), ':');
  *series = colon ? colon + 1 : NULL;
  return oak_path_print(folder, "%.*s", colon ? (int)(colon - path) : oak_path_length(path), path);
}

/** Names of the series of a sorted list, with commas between them. */
static void name_series(char **list, int count, char *out, size_t size) {
  out[0] = '\0';
  for (int i = 0; i < count; i++) {
    const char *name = basename(list[i]);
    const size_t used = strlen(out);
    if (i && is_same_series(list[i - 1], name)) continue;
    snprintf(out + used, size - used, "%s%.*s", i ? ", " : "", (int)series_length(name), name);
  }
}

/** Keep the plotfiles of one series. \a series  NULL: that of [output], or the only one. */
static oak_status_t choose_series(const char *folder, const char *series, char **list, int *count) {
  char known[1024];
  int kept = 0;
  for (int i = 0; i < *count; i++) kept += is_of_series(list[i], series ? series : "plt");
  name_series(list, *count, known, sizeof known);
  if (kept == 0 && !series && !strchr(known, ',')) return OAK_OK;
  OAK_CHECK(kept > 0 || !series, OAK_ERR_FILE,
            "there is no series %s of plotfiles in %s; it holds: %s", series, folder, known);
  OAK_CHECK(kept > 0, OAK_ERR_FILE,
            "%s holds several series of plotfiles: %s; choose one, such as %s:%.*s", folder, known,
            folder, (int)strcspn(known, ","), known);
  kept = 0;
  for (int i = 0; i < *count; i++) {
    if (is_of_series(list[i], series ? series : "plt"))
      list[kept++] = list[i];
    else
      free(list[i]);
  }
  *count = kept;
  return OAK_OK;
}

static oak_status_t fill_list(const char *path, look_series_t which, look_list_t *out) {
  char folder[PATH_MAX];
  const char *series;
  OAK_TRY(split_path(path, folder, &series));
  if (!series && is_plotfile(folder)) return add_path(out, folder);
  out->is_run = 1;
  OAK_TRY(list_folder(folder, out));
  OAK_CHECK(out->count > 0, OAK_ERR_FILE, "there is no plotfile in %s (a folder such as plt000100)",
            path);
  qsort(out->path, (size_t)out->count, sizeof *out->path, compare_entries);
  return series || which == LOOK_ONE_SERIES ? choose_series(folder, series, out->path, &out->count)
                                            : OAK_OK;
}

oak_status_t oak_look_list(const char *path, look_series_t which, look_list_t *out) {
  *out = (look_list_t){0};
  const oak_status_t st = fill_list(path, which, out);
  if (st != OAK_OK) oak_look_free(out);
  return st;
}

void oak_look_free(look_list_t *list) {
  for (int i = 0; i < list->count; i++) free(list->path[i]);
  free(list->path);
  *list = (look_list_t){0};
}

int oak_look_next_series(const look_list_t *list, int first) {
  int end = first + 1;
  while (end < list->count && is_same_series(list->path[first], list->path[end])) end++;
  return end;
}

char *oak_look_series_path(const char *run, const char *plotfile) {
  const char *name = basename(plotfile);
  if (is_of_series(plotfile, "plt")) return oak_text_new("%s", run);
  return oak_text_new("%s:%.*s", run, (int)series_length(name), name);
}

const char *oak_look_last(const look_list_t *list) {
  const char *last = list->path[list->count - 1];
  if (list->is_run) fprintf(stderr, "reads %s\n", last);
  return last;
}

/* ---- variables ---- */

oak_status_t oak_look_variable(const oak_grid_view_t *view, const char *name, int *out) {
  char known[1024] = "";
  *out = oak_view_find(view, name);
  if (*out >= 0) return OAK_OK;
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
  OAK_TRY(OAK_NEW(*var, (list ? strlen(list) : (size_t)view->nvar) + 1));
  for (int v = 0; !list && v < view->nvar; v++) (*var)[(*nvar)++] = v;
  for (const char *word = list ? list + strspn(list, blank) : ""; *word;) {
    const size_t length = strcspn(word, blank);
    OAK_FREED char *name = strndup(word, length);
    OAK_CHECK(name, OAK_ERR_MEMORY, "no memory to list variables");
    OAK_TRY(oak_look_variable(view, name, &(*var)[(*nvar)++]));
    word += length;
    word += strspn(word, blank);
  }
  OAK_CHECK(*nvar > 0, OAK_ERR_INPUT, "--var names no variable");
  return OAK_OK;
}
