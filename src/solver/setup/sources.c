/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes from parameters what compilers get: the files of physics and problem, the constants of a
 * run, and the translation units. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solver/setup/sources.h"

enum { MAX_DEFINES = 32, DEFINE_SIZE = 128 };

typedef struct {
  char text[MAX_DEFINES][DEFINE_SIZE];
  const char *list[MAX_DEFINES];
  int count;
  const char *failed; /* a constant for which there was no room */
} defines_t;

static void define(defines_t *d, const char *name, const char *value) {
  if (d->count == MAX_DEFINES ||
      snprintf(d->text[d->count], DEFINE_SIZE, "%s=%s", name, value) >= DEFINE_SIZE) {
    d->failed = name;
    return;
  }
  d->list[d->count] = d->text[d->count];
  d->count++;
}

static void define_int(defines_t *d, const char *name, long value) {
  char text[32];
  snprintf(text, sizeof text, "%ld", value);
  define(d, name, text);
}

static void define_real(defines_t *d, const char *name, double value) {
  char text[32];
  snprintf(text, sizeof text, "%.17g", value);
  define(d, name, text);
}

/* The word of a CHOICE key becomes part of a C identifier in the kernels. */
static const char *chosen(const oak_t *sim, const char *key) {
  return oak_params_text(sim->params, key);
}

/* Largest divisor of `n` that is not above `most`. */
static int divisor(int n, int most) {
  int d = most < n ? most : n;
  while (n % d) d--;
  return d;
}

/* Cells of a tile of the flux kernel along x and y, as the device likes them. */
void oak_sim_tile(const oak_t *sim, int tile[2]) {
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  tile[0] = divisor(sim->block_size, ops->tile_width);
  const int rows = ops->tile_cells / tile[0];
  tile[1] = divisor(sim->block_size, rows > 8 ? rows : 8); /* with fewer rows most cells are halo */
}

static oak_status_t make_defines(const oak_t *sim, defines_t *d) {
  d->count = 0;
  d->failed = NULL;
  define_int(d, "OAK_DIM", sim->dim);
  define_int(d, "OAK_N", sim->block_size);
  define_int(d, "OAK_NG", sim->layers);
  define_int(d, "OAK_PEERS",
             oak_device_ops(sim->dev)->host_memory || sim->transport.peers.count > 1);
  define(d, "OAK_REAL", sim->real_size == 4 ? "float" : "double");
  if (sim->store_size != sim->real_size) define(d, "OAK_STORE", "float");
  define(d, "OAK_LIMITER", chosen(sim, "scheme.limiter"));
  define(d, "OAK_FLUX", chosen(sim, "scheme.flux"));
  define_real(d, "OAK_LIMITER_THETA", oak_params_real(sim->params, "scheme.theta"));
  define_int(d, "OAK_WAVE_SPEEDS_EINFELDT",
             oak_params_choice(sim->params, "scheme.wave_speeds") == 0);
  define_int(d, "OAK_NPREV", oak_runge_kutta_max_prev(sim->method.runge_kutta));
  int tile[2];
  oak_sim_tile(sim, tile);
  define_int(d, "OAK_TILE_X", tile[0]);
  define_int(d, "OAK_TILE_Y", tile[1]);
  define_int(d, "OAK_REFINE_USER", !strcmp(chosen(sim, "refine.criterion"), "user"));
  define_int(d, "OAK_REFINE_GRADIENT", !strcmp(chosen(sim, "refine.criterion"), "gradient"));
  define_int(d, "OAK_REFINE_NONE", !strcmp(chosen(sim, "refine.criterion"), "none"));
  define_int(d, "OAK_REFINE_BUFFER", oak_params_int(sim->params, "refine.buffer"));
  define_int(d, "OAK_REFINE_PRIMITIVES", sim->refine.primitives);
  if (sim->refine.nderived) define_int(d, "OAK_REFINE_DERIVED", sim->refine.nderived);
  if (sim->debug) define_int(d, "OAK_DEBUG", 1);
  if (sim->diffusion.kind) define_int(d, "OAK_DIFFUSION", sim->diffusion.kind);
  OAK_CHECK(!d->failed, OAK_ERR_INPUT,
            "the constant %s of the kernels does not fit in %d characters: use a shorter name",
            d->failed, DEFINE_SIZE - 1);
  return OAK_OK;
}

static int readable(const char *path) { return access(path, R_OK) == 0; }

/* Only regular files: reading a pipe or a device may never end. */
static int regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A file that is named code cannot be taken for a parameter file, which people run with less care.
 */
static int is_named_c(const char *path) {
  const size_t length = strlen(path);
  return length > 2 && !strcmp(path + length - 2, ".c");
}

/* A user's file (with a slash or ending in .c) or one of the installation. */
static oak_status_t find_source(const oak_t *sim, const char *kind, const char *folder,
                                const char *name, char *path, size_t size) {
  const char *root;
  const char *key = strcmp(kind, "physics") ? "problem.name" : "physics.name";
  const int is_file = strchr(name, '/') || is_named_c(name);
  OAK_CHECK(*name, OAK_ERR_INPUT,
            "%s.name is not set: give a %s of the installation or the path of a C file (oak info "
            "lists them)",
            kind, kind);
  OAK_TRY(oak_source_root(&root));
  if (is_file) {
    char relative[4096];
    snprintf(relative, sizeof relative, "%s/%s", oak_params_folder(sim->params), name);
    const char *found = *name != '/' && readable(relative) ? relative : name;
    const char *elsewhere = oak_params_folder(sim->params);
    if (*name == '/' || !strcmp(elsewhere, ".")) elsewhere = "";
    OAK_CHECK(readable(found), OAK_ERR_INPUT, "%s: %s.name = %s: no such file%s%s",
              oak_params_origin(sim->params, key), kind, name, *elsewhere ? " here or in " : "",
              elsewhere);
    OAK_CHECK(regular(found), OAK_ERR_INPUT,
              "%s: %s.name = %s: must be a C file, not a folder or device",
              oak_params_origin(sim->params, key), kind, name);
    char *full = realpath(found, NULL);
    OAK_CHECK(full, OAK_ERR_FILE, "cannot resolve the path %s", found);
    snprintf(path, size, "%s", full);
    free(full);
    OAK_CHECK(is_named_c(path), OAK_ERR_INPUT,
              "%s: %s.name = %s: oak compiles and runs this file, so its name must end in .c: "
              "rename it if it is C that you trust",
              oak_params_origin(sim->params, key), kind, name);
    return OAK_OK;
  }
  snprintf(path, size, "%s/%s/%s.c", root, folder, name);
  OAK_CHECK(readable(path), OAK_ERR_INPUT,
            "%s: %s.name = %s: not in %s/%s; `oak info` lists the known ones, a C file of your own "
            "needs its "
            "path, such as ./%s.c",
            oak_params_origin(sim->params, key), kind, name, root, folder, name);
  return OAK_OK;
}

/* The kernels include the file by its path in quotes. */
static oak_status_t check_path(const char *path) {
  OAK_CHECK(!strpbrk(path, "\"\n"), OAK_ERR_INPUT,
            "%s: the path has a quote or a line break, which #include cannot name; rename it",
            path);
  return OAK_OK;
}

/* The physics and problem files, and what is in them. */
oak_status_t oak_sim_find_files(oak_t *sim) {
  OAK_TRY(find_source(sim, "physics", "physics", oak_params_text(sim->params, "physics.name"),
                      sim->files.physics, sizeof sim->files.physics));
  OAK_TRY(find_source(sim, "problem", "problems", oak_params_text(sim->params, "problem.name"),
                      sim->files.problem, sizeof sim->files.problem));
  OAK_TRY(check_path(sim->files.physics));
  OAK_TRY(check_path(sim->files.problem));
  OAK_TRY(oak_find_declared(sim->files.physics, sim->files.problem, &sim->files.declared));
  return oak_sim_check_flux(sim);
}

/* The files are as they were when the run started: kernels read the parameters that were found
 * then. */
static oak_status_t check_unchanged(const oak_t *sim) {
  oak_declared_t *now = malloc(sizeof *now);
  OAK_CHECK(now, OAK_ERR_MEMORY, "no memory to read %s", sim->files.problem);
  const oak_status_t st = oak_find_declared(sim->files.physics, sim->files.problem, now);
  int same = st == OAK_OK && now->count == sim->files.declared.count;
  for (int n = 0; same && n < now->count; n++)
    same = now->parameter[n].owner == sim->files.declared.parameter[n].owner &&
           now->parameter[n].kind == sim->files.declared.parameter[n].kind &&
           !strcmp(now->parameter[n].name, sim->files.declared.parameter[n].name);
  free(now);
  OAK_TRY(st);
  OAK_CHECK(same, OAK_ERR_INPUT,
            "%s and %s declare other parameters than when the run started: start it again",
            sim->files.physics, sim->files.problem);
  return OAK_OK;
}

/* One source: the files `part` of the source root, which include what they use, and a file of the
 * caller's own, if any. `use` gets it. */
oak_status_t oak_sim_use_source(oak_t *sim, const char *name, const char *const *part,
                                const int *time, int npart, const char *extra,
                                oak_source_user_t use, void *data) {
  enum { MAX_PARTS = 32 };
  char path[MAX_PARTS][4200], *text = NULL;
  const char *files[MAX_PARTS + 1], *root;
  defines_t defines;
  int n = 0;
  OAK_ASSERT(npart <= MAX_PARTS);
  oak_status_t st = oak_source_root(&root);
  if (st == OAK_OK) st = check_unchanged(sim);
  if (st == OAK_OK) st = oak_sim_hook_text(sim, !strcmp(name, "describe"), &text);
  OAK_TRY(oak_agree(sim->comm, st));
  for (; n < npart; n++) {
    snprintf(path[n], sizeof path[n], "%s/%s", root, part[n]);
    files[n] = path[n];
  }
  if (extra) files[n++] = extra;
  st = make_defines(sim, &defines);
  const oak_source_t source = {.name = name,
                               .define = defines.list,
                               .ndefine = defines.count,
                               .file = files,
                               .nfile = n,
                               .text = text,
                               .time = sim->debug ? NULL : time,
                               .data = !strcmp(name, "describe"),
                               .debug = sim->debug};
  if (st == OAK_OK) st = use(sim->dev, &source, data);
  free(text);
  return st;
}

static oak_status_t build(oak_device_t *dev, const oak_source_t *source, void *out) {
  return oak_device_build(dev, source, out);
}

oak_status_t oak_sim_build_files(oak_t *sim, const char *name, const char *const *part,
                                 const int *time, int npart, const char *extra,
                                 oak_module_t **out) {
  return oak_sim_use_source(sim, name, part, time, npart, extra, build, out);
}

oak_status_t oak_sim_build_module(oak_t *sim, const char *name, oak_module_t **out) {
  char file[64];
  const char *part = file;
  snprintf(file, sizeof file, "kernels/%s.c", name);
  return oak_sim_build_files(sim, name, &part, NULL, 1, NULL, out);
}
