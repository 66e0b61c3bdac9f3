/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one file declares, without a run: for help and completion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/path.h"
#include "base/str.h"
#include "declare/declared.h"
#include "oak.h"

oak_status_t oak_declare_open(MPI_Comm comm, const char *compiler, const char *flags,
                              oak_device_t **out) {
  oak_buffer_t kept = {0};
  size_t length;
  for (const char *word; (word = oak_str_word(&flags, &length));)
    if (!strncmp(word, "-D", 2) || !strncmp(word, "-I", 2))
      oak_buffer_print(&kept, "%.*s ", (int)length, word);
  const oak_device_options_t options = {
      .threads = 1, .compiler = compiler, .flags = oak_buffer_get(&kept)};
  const oak_status_t st = oak_device_open(comm, "cpu", &options, out);
  oak_buffer_free(&kept);
  return st;
}

/* The preprocessed text of a file, as if it were a problem, \a mesh: dimensions and coordinates. */
static oak_status_t preprocess(oak_device_t *dev, const int mesh[2], const char *path,
                               char **text) {
  const char *const define[] = {mesh[0] == 3 ? "OAK_DIM=3" : "OAK_DIM=2", "OAK_NX=16", "OAK_NY=16",
                                "OAK_NZ=16", "OAK_REAL=double"};
  char front[2 * PATH_MAX], file[PATH_MAX];
  const char *root, *const files[] = {file};
  OAK_FREED char *full = realpath(path, NULL);
  OAK_CHECK(full || !*path, OAK_ERR_FILE, "cannot read %s", path);
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(oak_path_print(file, "%s/kernels/hooks/declare.c", root));
  snprintf(front, sizeof front,
           "#define OAK_DECLARE 1\n#define OAK_COORDINATES %d\n"
           "#define OAK_PHYSICS \"kernels/multigrid/one_variable.c\"\n#define OAK_PROBLEM \"%s\"\n",
           mesh[1], full ? full : "kernels/language/no_problem.c");
  const oak_source_t source = {.name = "declare",
                               .define = define,
                               .ndefine = sizeof define / sizeof *define,
                               .file = files,
                               .nfile = 1,
                               .text = front,
                               .seen = 1};
  return oak_device_text(dev, &source, text);
}

/* The text of the file on the first of these meshes that it does not refuse by #error. */
static oak_status_t read_text(const char *path, oak_buffer_t *all) {
  static const int mesh[][2] = {{3, OAK_CARTESIAN}, {2, OAK_CARTESIAN},   {2, OAK_AXISYMMETRIC},
                                {2, OAK_POLAR},     {3, OAK_CYLINDRICAL}, {2, OAK_SPHERICAL},
                                {3, OAK_SPHERICAL}};
  oak_device_t *dev = NULL;
  oak_status_t st = OAK_OK;
  OAK_TRY(oak_declare_open(MPI_COMM_SELF, "", "", &dev));
  for (int n = 0; n < 7 && !all->length; n++) {
    OAK_FREED char *text = NULL;
    st = preprocess(dev, mesh[n], path, &text);
    if (st == OAK_OK) oak_buffer_print(all, "%s\n", text);
  }
  oak_device_close(&dev);
  return all->length ? oak_buffer_status(all) : st;
}

/* What a file declares. It is kept until the file has changed, or as many others have been read. */
static oak_status_t read_file(const char *path, const oak_declared_t **found) {
  enum { MOST = 16 };
  static struct {
    char path[PATH_MAX];
    struct timespec time;
    oak_declared_t *declared; /* NULL: no file */
  } kept[MOST];
  static int next;
  struct stat info = {.st_size = 0};
  oak_buffer_t text = {0};
  oak_declared_t *declared;
  if (*path) stat(path, &info);
  for (int n = 0; n < MOST; n++) {
    *found = kept[n].declared;
    if (*found && !strcmp(kept[n].path, path) &&
        !memcmp(&kept[n].time, &info.st_mtim, sizeof info.st_mtim))
      return OAK_OK;
  }
  OAK_TRY(read_text(path, &text));
  const oak_status_t st = OAK_NEW(declared, 1);
  if (st == OAK_OK)
    oak_declared_read(oak_buffer_get(&text), "", declared); /* mistakes are not reported */
  oak_buffer_free(&text);
  OAK_TRY(st);
  free(kept[next].declared);
  snprintf(kept[next].path, sizeof kept->path, "%s", path);
  kept[next].time = info.st_mtim;
  *found = kept[next].declared = declared;
  next = (next + 1) % MOST;
  return OAK_OK;
}

static const char scheme_keys[] =
    "scheme.limiter scheme.flux refine.criterion boundary.xlow boundary.xhigh boundary.ylow "
    "boundary.yhigh boundary.zlow boundary.zhigh";

oak_status_t oak_schemes_name(const oak_declared_t *d, oak_params_t *params) {
  char names[2048], key[32];
  const char *keys = scheme_keys, *word;
  size_t length;
  for (int k = 0; (word = oak_str_word(&keys, &length)); k++) {
    snprintf(key, sizeof key, "%.*s", (int)length, word);
    oak_scheme_names(d, k < OAK_CONDITIONS ? k : OAK_CONDITIONS, names, sizeof names);
    OAK_TRY(oak_params_name(params, key, names));
  }
  return OAK_OK;
}

oak_status_t oak_name_schemes(oak_params_t *params) {
  OAK_NEED(params);
  const oak_declared_t *found = NULL;
  OAK_TRY(read_file("", &found));
  return oak_schemes_name(found, params);
}

oak_status_t oak_list_schemes(const char *key, const char *physics, char *names, size_t size) {
  const char *root, *dot = strrchr(physics, '.');
  const int file = !*physics || strchr(physics, '/') || (dot && !strcmp(dot, ".c"));
  char path[PATH_MAX];
  const oak_declared_t *found = NULL;
  const int k = !strcmp(key, "scheme.limiter")     ? OAK_LIMITERS
                : !strcmp(key, "scheme.flux")      ? OAK_FLUXES
                : !strcmp(key, "refine.criterion") ? OAK_CRITERIA
                                                   : OAK_CONDITIONS;
  OAK_CHECK(size > 0 && oak_str_has_word(scheme_keys, key, strlen(key)), OAK_ERR_ARGUMENT,
            "no room for the names of %s, or no such key", key);
  OAK_TRY(oak_source_root(&root));
  OAK_TRY(oak_path_print(path, "%s%s%s%s", file ? "" : root, file ? "" : "/physics/", physics,
                         file ? "" : ".c"));
  OAK_TRY(read_file(path, &found));
  oak_scheme_names(found, k, names, size);
  return OAK_OK;
}
