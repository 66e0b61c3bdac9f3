/* SPDX-License-Identifier: GPL-2.0-or-later
 * What one file declares, without a run: for editors, help, and lists of schemes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/str.h"
#include "declare/declared.h"
#include "oak.h"
#include "oak/device.h"

oak_status_t oak_declare_open(MPI_Comm comm, const char *compiler, const char *flags,
                              oak_device_t **out) {
  char kept[4096] = "", words[4096];
  snprintf(words, sizeof words, "%s", flags);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    if (!strncmp(word, "-D", 2) || !strncmp(word, "-I", 2))
      snprintf(kept + strlen(kept), sizeof kept - strlen(kept), " %s", word);
  const oak_device_options_t options = {.threads = 1, .compiler = compiler, .flags = kept};
  return oak_device_open(comm, "cpu", &options, out);
}

/* The preprocessed text of a file, as if it were a problem. */
static oak_status_t preprocess(oak_device_t *dev, int dim, int coordinates, const char *path,
                               char **text) {
  const char *const define[] = {dim == 3 ? "OAK_DIM=3" : "OAK_DIM=2", "OAK_NX=16", "OAK_NY=16",
                                "OAK_NZ=16", "OAK_REAL=double"};
  const char *root;
  OAK_FREED char *full = realpath(path, NULL);
  char front[9000], file[4200];
  OAK_CHECK(full || !*path, OAK_ERR_FILE, "cannot read %s", path);
  OAK_TRY(oak_source_root(&root));
  snprintf(file, sizeof file, "%s/kernels/hooks/declare.c", root);
  snprintf(front, sizeof front,
           "#define OAK_DECLARE 1\n#define OAK_COORDINATES %d\n#define OAK_PHYSICS "
           "\"kernels/multigrid/one_variable.c\"\n"
           "#define OAK_PROBLEM \"%s\"\n",
           coordinates, full ? full : "kernels/language/no_problem.c");
  const char *const files[] = {file};
  const oak_source_t source = {.name = "declare",
                               .define = define,
                               .ndefine = sizeof define / sizeof *define,
                               .file = files,
                               .nfile = 1,
                               .text = front,
                               .seen = 1};
  return oak_device_text(dev, &source, text);
}

/* The texts of the file in 3D and Cartesian and in 2D and axisymmetric coordinates, one behind the
 * other, or of another mesh if the file refuses both by #error. */
static oak_status_t read_text(const char *path, oak_buffer_t *all) {
  static const int mesh[][2] = {{3, OAK_CARTESIAN}, {2, OAK_AXISYMMETRIC}, {2, OAK_CARTESIAN},
                                {2, OAK_POLAR},     {3, OAK_CYLINDRICAL},  {2, OAK_SPHERICAL},
                                {3, OAK_SPHERICAL}};
  oak_device_t *dev = NULL;
  oak_status_t st = OAK_OK;
  OAK_TRY(oak_declare_open(MPI_COMM_SELF, "", "", &dev));
  for (int n = 0; n < 7 && (n < 2 || !all->length); n++) {
    OAK_FREED char *text = NULL;
    st = preprocess(dev, mesh[n][0], mesh[n][1], path, &text);
    if (st == OAK_OK) oak_buffer_print(all, "%s\n", text);
  }
  oak_device_close(&dev);
  return all->length ? oak_buffer_status(all) : st;
}

/* What a file declares. It is kept until the file has changed, or as many others have been read. */
static oak_status_t read_file(const char *path, const oak_declared_t **found) {
  enum { MOST = 16 };
  static struct {
    char path[4200];
    struct timespec time;
    oak_declared_t *declared; /* NULL: no file */
  } kept[MOST];
  static int next;
  struct stat info = {.st_size = 0};
  oak_buffer_t text = {0};
  if (*path) stat(path, &info);
  for (int n = 0; n < MOST; n++) {
    *found = kept[n].declared;
    if (*found && !strcmp(kept[n].path, path) &&
        !memcmp(&kept[n].time, &info.st_mtim, sizeof info.st_mtim))
      return OAK_OK;
  }
  OAK_FREED oak_declared_t *declared = NULL;
  OAK_TRY(OAK_NEW(declared, 1));
  const oak_status_t st = read_text(path, &text);
  if (st == OAK_OK)
    oak_declared_read(oak_buffer_get(&text), "", declared); /* mistakes are not reported */
  oak_buffer_free(&text);
  OAK_TRY(st);
  free(kept[next].declared);
  snprintf(kept[next].path, sizeof kept->path, "%s", path);
  kept[next].time = info.st_mtim;
  *found = kept[next].declared = declared;
  declared = NULL;
  next = (next + 1) % MOST;
  return OAK_OK;
}

/* The names that \a name_of gives for 0, 1, ... up to NULL, except empty ones. */
static oak_status_t list_names(const char *path,
                               const char *(*name_of)(const oak_declared_t *found, int n),
                               char *names, size_t size) {
  const oak_declared_t *found = NULL;
  const char *name;
  size_t length = 0;
  oak_status_t st = read_file(path, &found);
  if (size) *names = 0;
  for (int n = 0; st == OAK_OK && length < size && (name = name_of(found, n)); n++)
    if (*name)
      length += (size_t)snprintf(names + length, size - length, "%s%s", length ? " " : "", name);
  return st;
}

/* As a member of a structure: an array has its length behind it. An editor wants globals too. */
static const char *parameter_name(const oak_declared_t *found, int n) {
  static _Thread_local char member[OAK_LONGEST_NAME + 16];
  if (n >= found->count) return NULL;
  if (found->parameter[n].kind != OAK_PARAMETER_ARRAY) return found->parameter[n].name;
  snprintf(member, sizeof member, "%s[%d]", found->parameter[n].name, found->parameter[n].length);
  return member;
}

static const char *field_name(const oak_declared_t *found, int n) {
  if (n >= found->nfield + found->nfixed) return NULL;
  if (n >= found->nfield) return found->fixed[n - found->nfield].name;
  return oak_declared_fixed(found, found->field[n].name) ? "" : found->field[n].name;
}

static const char *face_name(const oak_declared_t *found, int n) {
  return n < found->nface ? found->face[n].name : NULL;
}

static const char *equation_name(const oak_declared_t *found, int n) {
  return n < found->nequation ? found->equation[n].name : NULL;
}

oak_status_t oak_list_parameters(const char *path, char *names, size_t size) {
  return list_names(path, parameter_name, names, size);
}

oak_status_t oak_list_fields(const char *path, char *names, size_t size) {
  return list_names(path, field_name, names, size);
}

oak_status_t oak_list_faces(const char *path, char *names, size_t size) {
  return list_names(path, face_name, names, size);
}

oak_status_t oak_list_equations(const char *path, char *names, size_t size) {
  return list_names(path, equation_name, names, size);
}

static const char *const scheme_key[] = {"scheme.limiter", "scheme.flux",    "refine.criterion",
                                         "boundary.xlow",  "boundary.xhigh", "boundary.ylow",
                                         "boundary.yhigh", "boundary.zlow",  "boundary.zhigh"};
enum { NKEYS = sizeof scheme_key / sizeof *scheme_key };

oak_status_t oak_schemes_name(const oak_declared_t *d, oak_params_t *params) {
  char names[2048];
  for (int k = 0; k < NKEYS; k++) {
    oak_scheme_names(d, k < OAK_CONDITIONS ? k : OAK_CONDITIONS, names, sizeof names);
    OAK_TRY(oak_params_name(params, scheme_key[k], names));
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
  char path[4200];
  int k = 0;
  const oak_declared_t *found = NULL;
  while (k < NKEYS && strcmp(key, scheme_key[k])) k++;
  OAK_CHECK(size > 0 && k < NKEYS, OAK_ERR_ARGUMENT, "no room for the names of %s, or no such key",
            key);
  OAK_TRY(oak_source_root(&root));
  if (file)
    snprintf(path, sizeof path, "%s", physics);
  else
    snprintf(path, sizeof path, "%s/physics/%s.c", root, physics);
  OAK_TRY(read_file(path, &found));
  oak_scheme_names(found, k < OAK_CONDITIONS ? k : OAK_CONDITIONS, names, size);
  return OAK_OK;
}
