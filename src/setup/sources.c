/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes from parameters what compilers get: the files of physics and problem, the constants of a
 * run, and the translation units. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup/sources.h"

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

/* With a decimal point, because kernels would divide whole numbers as integers. */
static void define_real(defines_t *d, const char *name, double value) {
  char text[32];
  snprintf(text, sizeof text, "%#.17g", value);
  define(d, name, text);
}

/* The word of a CHOICE key becomes part of a C identifier in the kernels. */
static const char *chosen(const oak_setup_t *setup, const char *key) {
  return oak_params_text(setup->params, key);
}

/* Largest divisor of `n` that is not above `most`. */
static int divisor(int n, int most) {
  int d = most < n ? most : n;
  while (n % d) d--;
  return d;
}

/* Cells of a tile of the flux kernel along x and y, as the device likes them. */
void oak_setup_tile(const oak_setup_t *setup, int tile[2]) {
  const oak_device_ops_t *ops = oak_device_ops(setup->dev);
  tile[0] = divisor(setup->block.size[0], ops->tile_width);
  const int rows = ops->tile_cells / tile[0];
  tile[1] =
      divisor(setup->block.size[1], rows > 8 ? rows : 8); /* with fewer rows most cells are halo */
}

/* \a declare: for the preprocessor, before what files declare is known. */
static oak_status_t make_defines(const oak_setup_t *setup, int fluxes, int declare, defines_t *d) {
  d->count = 0;
  d->failed = NULL;
  define_int(d, "OAK_DIM", setup->dim);
  define_int(d, "OAK_COORDINATES", setup->domain.coordinates);
  if (setup->domain.logarithmic) {
    define_int(d, "OAK_LOG_RADIUS", 1);
    define_real(d, "OAK_RADIUS_MIN", setup->domain.xmin[0]);
    define_real(d, "OAK_RADIUS_LOG", setup->domain.low[0]);
  }
  define_int(d, "OAK_NX", setup->block.size[0]);
  define_int(d, "OAK_NY", setup->block.size[1]);
  define_int(d, "OAK_NZ", setup->block.size[2]);
  define_int(d, "OAK_NG", setup->block.layers);
  define_int(d, "OAK_PEERS", oak_device_ops(setup->dev)->host_memory || setup->kernel.peers);
  define(d, "OAK_REAL", (fluxes ? setup->bytes.flux : setup->bytes.real) == 4 ? "float" : "double");
  if (setup->bytes.store < setup->bytes.real) define(d, "OAK_STORE", "float");
  if (setup->bytes.flux < setup->bytes.real) define(d, "OAK_SUM", "double");
  if (declare) return OAK_OK;
  define(d, "OAK_LIMITER", chosen(setup, "scheme.limiter"));
  const int limiter = oak_scheme_find(setup, OAK_LIMITERS, chosen(setup, "scheme.limiter"));
  define_int(d, "OAK_RADIUS", setup->files.declared.scheme[limiter].radius);
  define(d, "OAK_FLUX", chosen(setup, "scheme.flux"));
  define_real(d, "OAK_LIMITER_THETA", oak_params_real(setup->params, "scheme.theta"));
  define_int(d, "OAK_WAVE_SPEEDS_EINFELDT",
             oak_params_choice(setup->params, "scheme.wave_speeds") == 0);
  define_int(d, "OAK_NPREV", oak_runge_kutta_max_prev(setup->method.runge_kutta));
  int tile[2];
  oak_setup_tile(setup, tile);
  define_int(d, "OAK_TILE_X", tile[0]);
  define_int(d, "OAK_TILE_Y", tile[1]);
  define_int(d, "OAK_REFINE_USER", !strcmp(chosen(setup, "refine.criterion"), "user"));
  define_int(d, "OAK_REFINE_NONE", !strcmp(chosen(setup, "refine.criterion"), "none"));
  const char *criterion = chosen(setup, "refine.criterion");
  const int named = oak_scheme_find(setup, OAK_CRITERIA, criterion) >= 0;
  define(d, "OAK_CRITERION", named ? criterion : "lohner");
  define_int(d, "OAK_REFINE_BUFFER", oak_params_int(setup->params, "refine.buffer"));
  define_int(d, "OAK_REFINE_PRIMITIVES", setup->refine.primitives);
  if (setup->refine.nderived) define_int(d, "OAK_REFINE_DERIVED", setup->refine.nderived);
  if (setup->kernel.debug) define_int(d, "OAK_DEBUG", 1);
  if (setup->method.diffusion) define_int(d, "OAK_DIFFUSION", setup->method.diffusion);
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

/* Whether the name says that a file is code: people run parameter files with less care. */
static int is_named_c(const char *path) {
  const size_t length = strlen(path);
  return length > 2 && !strcmp(path + length - 2, ".c");
}

/* A user's file (with a slash or ending in .c) or one of the installation. */
static oak_status_t find_source(const oak_setup_t *setup, const char *kind, const char *folder,
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
    snprintf(relative, sizeof relative, "%s/%s", oak_params_folder(setup->params), name);
    const char *found = *name != '/' && readable(relative) ? relative : name;
    const char *elsewhere = oak_params_folder(setup->params);
    if (*name == '/' || !strcmp(elsewhere, ".")) elsewhere = "";
    OAK_CHECK(readable(found), OAK_ERR_INPUT, "%s: %s.name = %s: no such file%s%s",
              oak_params_origin(setup->params, key), kind, name, *elsewhere ? " here or in " : "",
              elsewhere);
    OAK_CHECK(regular(found), OAK_ERR_INPUT,
              "%s: %s.name = %s: must be a C file, not a folder or device",
              oak_params_origin(setup->params, key), kind, name);
    char *full = realpath(found, NULL);
    OAK_CHECK(full, OAK_ERR_FILE, "cannot resolve the path %s", found);
    snprintf(path, size, "%s", full);
    free(full);
    OAK_CHECK(is_named_c(path), OAK_ERR_INPUT,
              "%s: %s.name = %s: oak compiles and runs this file, so its name must end in .c: "
              "rename it if it is C that you trust",
              oak_params_origin(setup->params, key), kind, name);
    return OAK_OK;
  }
  snprintf(path, size, "%s/%s/%s.c", root, folder, name);
  OAK_CHECK(readable(path), OAK_ERR_INPUT,
            "%s: %s.name = %s: not in %s/%s; `oak info` lists the known ones, a C file of your own "
            "needs its path, such as ./%s.c",
            oak_params_origin(setup->params, key), kind, name, root, folder, name);
  return OAK_OK;
}

/* The kernels include the file by its path in quotes. */
static oak_status_t check_path(const char *path) {
  OAK_CHECK(!strpbrk(path, "\"\n"), OAK_ERR_INPUT,
            "%s: the path has a quote or a line break, which #include cannot name; rename it",
            path);
  return OAK_OK;
}

static oak_status_t find_paths(oak_setup_t *setup) {
  OAK_TRY(find_source(setup, "physics", "physics", oak_params_text(setup->params, "physics.name"),
                      setup->files.physics, sizeof setup->files.physics));
  OAK_TRY(find_source(setup, "problem", "problems", oak_params_text(setup->params, "problem.name"),
                      setup->files.problem, sizeof setup->files.problem));
  OAK_TRY(check_path(setup->files.physics));
  return check_path(setup->files.problem);
}

static oak_status_t preprocess(oak_device_t *dev, const oak_source_t *source, void *out) {
  return oak_device_text(dev, source, out);
}

/* The preprocessed text of the files. Collective. */
static oak_status_t read_text(const oak_setup_t *setup, char **text) {
  static const char *const part[] = {"kernels/hooks/declare.c"};
  *text = NULL;
  return oak_setup_use_source(setup, "declare", part, NULL, 1, NULL, preprocess, text);
}

oak_status_t oak_setup_find_files(oak_setup_t *setup) {
  /* A file may be there for one rank and not for another. */
  oak_status_t st = find_paths(setup);
  if (st == OAK_OK) st = oak_topics_begin(setup);
  OAK_TRY(oak_agree(setup->comm, st));
  OAK_TRY(read_text(setup, &setup->files.text));
  return oak_declared_read(setup->files.text, setup->files.physics, &setup->files.declared);
}

/* Refuse files that declare other parameters than when the run started, because kernels read the
 * parameters that were found then. Collective, with a status of this rank alone. */
static oak_status_t check_unchanged(const oak_setup_t *setup) {
  OAK_FREED oak_declared_t *now = NULL;
  OAK_FREED char *text = NULL;
  OAK_TRY(read_text(setup, &text));
  if (!strcmp(text, setup->files.text)) return OAK_OK;
  OAK_TRY(OAK_NEW(now, 1));
  OAK_TRY(oak_declared_read(text, setup->files.physics, now));
  OAK_CHECK(now->count == setup->files.declared.count &&
                !memcmp(now->parameter, setup->files.declared.parameter, sizeof now->parameter),
            OAK_ERR_INPUT,
            "%s and %s declare other parameters than when the run started: start it again",
            setup->files.physics, setup->files.problem);
  return OAK_OK;
}

/* One source: the files `part` of the source root, which include what they use, and a file of the
 * caller's own, if any. `use` gets it. */
oak_status_t oak_setup_use_source(const oak_setup_t *setup, const char *name,
                                  const char *const *part, const int *time, int npart,
                                  const char *extra, oak_source_user_t use, void *data) {
  enum { MAX_PARTS = 32 };
  char path[MAX_PARTS][4200], *text = NULL;
  const char *files[MAX_PARTS + 1], *root;
  defines_t defines;
  const int declare = !strcmp(name, "declare");
  oak_device_t *dev = setup->dev;
  int n = 0;
  OAK_ASSERT(npart <= MAX_PARTS);
  oak_status_t st = oak_source_root(&root);
  if (st == OAK_OK && setup->kernel.module[0] && !declare) st = check_unchanged(setup);
  if (st == OAK_OK)
    st =
        oak_setup_hook_text(setup, declare ? OAK_TO_DECLARE : strcmp(name, "describe") == 0, &text);
  OAK_TRY(oak_agree(setup->comm, st));
  for (; n < npart; n++) {
    snprintf(path[n], sizeof path[n], "%s/%s", root, part[n]);
    files[n] = path[n];
  }
  if (extra) files[n++] = extra;
  st = make_defines(setup, !strcmp(name, "fluxes"), declare, &defines);
  const oak_source_t source = {.name = name,
                               .define = defines.list,
                               .ndefine = defines.count,
                               .file = files,
                               .nfile = n,
                               .text = text,
                               .time = setup->kernel.debug ? NULL : time,
                               .data = !strcmp(name, "describe"),
                               .debug = setup->kernel.debug,
                               .seen = declare};
  const int other = declare && !oak_device_ops(dev)->preprocess;
  if (other) {
    const char *flags = oak_params_text(setup->params, "device.flags");
    oak_keep_failure(&st, oak_declare_open(setup->comm, "", flags, &dev));
  }
  if (st == OAK_OK) st = use(dev, &source, data);
  if (other && dev != setup->dev) oak_device_close(&dev);
  free(text);
  return st;
}

static oak_status_t build(oak_device_t *dev, const oak_source_t *source, void *out) {
  return oak_device_build(dev, source, out);
}

oak_status_t oak_setup_build_files(const oak_setup_t *setup, const char *name,
                                   const char *const *part, const int *time, int npart,
                                   const char *extra, oak_module_t **out) {
  return oak_setup_use_source(setup, name, part, time, npart, extra, build, out);
}

oak_status_t oak_setup_build_module(const oak_setup_t *setup, const char *file,
                                    oak_module_t **out) {
  char path[64];
  const char *part = path;
  snprintf(path, sizeof path, "kernels/%s.c", file);
  return oak_setup_build_files(setup, strrchr(file, '/') + 1, &part, NULL, 1, NULL, out);
}
