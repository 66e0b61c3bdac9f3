/* SPDX-License-Identifier: GPL-2.0-or-later
 * Makes from parameters what compilers get: the files of physics and problem, the constants of a
 * run, and the translation units. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "setup/setup.h"

enum { MAX_DEFINES = 32, DEFINE_SIZE = 128 };

typedef struct {
  char text[MAX_DEFINES][DEFINE_SIZE];
  const char *list[MAX_DEFINES];
  int count;
  const char *failed; /* a constant for which there was no room */
} defines_t;

__attribute__((format(printf, 2, 3))) static void define(defines_t *d, const char *form, ...) {
  va_list arguments;
  va_start(arguments, form);
  if (d->count == MAX_DEFINES ||
      vsnprintf(d->text[d->count], DEFINE_SIZE, form, arguments) >= DEFINE_SIZE) {
    d->failed = form;
  } else {
    d->list[d->count] = d->text[d->count];
    d->count++;
  }
  va_end(arguments);
}

/* Largest divisor of `n` that is not above `most`. */
static int divisor(int n, int most) {
  int d = most < n ? most : n;
  while (n % d) d--;
  return d;
}

static int limiter_radius(const oak_setup_t *setup) {
  const char *limiter = oak_params_text(setup->params, "scheme.limiter");
  return setup->files.declared.scheme[oak_scheme_find(setup, OAK_LIMITERS, limiter)].radius;
}

/* Whether tiles have whole rows of twice the width, which is faster (docs/performance.md). With
 * more numbers, GPUs have no room for such a tile. */
static int has_wide_tiles(const oak_setup_t *setup) {
  enum { MOST_VARIABLES = 7 };
  const oak_device_ops_t *ops = oak_device_ops(setup->dev);
  return ops->wide_tiles && ops->wide_tiles(setup->dev) && setup->dim == 3 &&
         setup->block.size[0] == 2 * ops->tile_width && setup->nvar <= MOST_VARIABLES &&
         !setup->description.vectors.sides && !setup->fields.nvector &&
         limiter_radius(setup) == 1 && setup->bytes.store == sizeof(double) &&
         setup->bytes.flux == sizeof(double);
}

/* Cells of a tile of the flux kernel along x and y, as the device likes them. */
void oak_setup_tile(const oak_setup_t *setup, int tile[2]) {
  const oak_device_ops_t *ops = oak_device_ops(setup->dev);
  tile[0] =
      divisor(setup->block.size[0], has_wide_tiles(setup) ? 2 * ops->tile_width : ops->tile_width);
  const int rows = ops->tile_cells / tile[0];
  tile[1] =
      divisor(setup->block.size[1], rows > 8 ? rows : 8); /* with fewer rows most cells are halo */
}

/* \a declare: for the preprocessor, before what files declare is known. Real numbers have a decimal
 * point, because kernels would divide whole numbers as integers. The word of a CHOICE key becomes
 * part of a C identifier. */
static oak_status_t make_defines(const oak_setup_t *setup, int fluxes, int declare, defines_t *d) {
  const oak_params_t *p = setup->params;
  const int *n = setup->block.size;
  d->count = 0;
  d->failed = NULL;
  define(d, "OAK_DIM=%d", setup->dim);
  define(d, "OAK_COORDINATES=%d", setup->domain.coordinates);
  if (setup->domain.logarithmic) {
    define(d, "OAK_LOG_RADIUS=1");
    define(d, "OAK_RADIUS_MIN=%#.17g", setup->domain.xmin[0]);
    define(d, "OAK_RADIUS_LOG=%#.17g", setup->domain.low[0]);
  }
  define(d, "OAK_NX=%d", n[0]);
  define(d, "OAK_NY=%d", n[1]);
  define(d, "OAK_NZ=%d", n[2]);
  define(d, "OAK_NG=%d", setup->block.layers);
  define(d, "OAK_PEERS=%d", oak_device_ops(setup->dev)->host_memory || setup->kernel.peers);
  define(d, "OAK_REAL=%s",
         (fluxes ? setup->bytes.flux : setup->bytes.real) == 4 ? "float" : "double");
  if (setup->bytes.store < setup->bytes.real) define(d, "OAK_STORE=float");
  if (setup->bytes.flux < setup->bytes.real) define(d, "OAK_SUM=double");
  if (declare) return OAK_OK;
  const char *criterion = oak_params_text(p, "refine.criterion");
  const int named = oak_scheme_find(setup, OAK_CRITERIA, criterion);
  int tile[2];
  oak_setup_tile(setup, tile);
  define(d, "OAK_LIMITER=%s", oak_params_text(p, "scheme.limiter"));
  define(d, "OAK_RADIUS=%d", limiter_radius(setup));
  define(d, "OAK_FLUX=%s", oak_params_text(p, "scheme.flux"));
  define(d, "OAK_LIMITER_THETA=%#.17g", oak_params_real(p, "scheme.theta"));
  define(d, "OAK_WAVE_SPEEDS_EINFELDT=%d", oak_params_choice(p, "scheme.wave_speeds") == 0);
  define(d, "OAK_NPREV=%d", oak_runge_kutta_max_prev(setup->method.runge_kutta));
  define(d, "OAK_TILE_X=%d", tile[0]);
  define(d, "OAK_TILE_Y=%d", tile[1]);
  define(d, "OAK_REFINE_USER=%d", !strcmp(criterion, "user"));
  define(d, "OAK_REFINE_NONE=%d", !strcmp(criterion, "none"));
  define(d, "OAK_CRITERION=%s", named >= 0 ? criterion : "lohner");
  define(d, "OAK_CRITERION_OWN=%d", named >= 0 && setup->files.declared.scheme[named].own);
  define(d, "OAK_REFINE_BUFFER=%d", (int)oak_params_int(p, "refine.buffer"));
  define(d, "OAK_REFINE_PRIMITIVES=%u", setup->refine.primitives);
  if (setup->refine.nderived) define(d, "OAK_REFINE_DERIVED=%d", setup->refine.nderived);
  if (setup->fields.nvector) define(d, "OAK_FACE_VECTOR=%d", setup->fields.vector);
  if (setup->fields.nvector) define(d, "OAK_KEEP_PRESSURE=%d", setup->method.first_order);
  if (setup->kernel.debug) define(d, "OAK_DEBUG=1");
  if (setup->method.diffusion) define(d, "OAK_DIFFUSION=%d", setup->method.diffusion);
  OAK_CHECK(!d->failed, OAK_ERR_INPUT,
            "the constant %.*s of the kernels does not fit in %d characters: use a shorter name",
            (int)strcspn(d->failed, "="), d->failed, DEFINE_SIZE - 1);
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

/* The file of a user, whose name has a slash or ends in .c. It lies in the folder of the parameter
 * file, or where the run was started. */
static oak_status_t find_own(const oak_setup_t *setup, const char *key, char path[4096]) {
  const char *name = oak_params_text(setup->params, key);
  const char *folder = oak_params_folder(setup->params);
  const char *origin = oak_params_origin(setup->params, key);
  const int elsewhere = *name != '/' && strcmp(folder, ".");
  char relative[4096];
  snprintf(relative, sizeof relative, "%s/%s", folder, name);
  const char *found = *name != '/' && readable(relative) ? relative : name;
  OAK_CHECK(readable(found), OAK_ERR_INPUT, "%s: %s = %s: no such file%s%s", origin, key, name,
            elsewhere ? " here or in " : "", elsewhere ? folder : "");
  OAK_CHECK(regular(found), OAK_ERR_INPUT, "%s: %s = %s: must be a C file, not a folder or device",
            origin, key, name);
  OAK_FREED char *full = realpath(found, NULL);
  OAK_CHECK(full, OAK_ERR_FILE, "cannot resolve the path %s", found);
  snprintf(path, 4096, "%s", full);
  OAK_CHECK(is_named_c(path), OAK_ERR_INPUT,
            "%s: %s = %s: oak compiles and runs this file, so its name must end in .c: rename it "
            "if it is C that you trust",
            origin, key, name);
  return OAK_OK;
}

/* The file of a user, or one of a folder of the installation. */
static oak_status_t find_source(const oak_setup_t *setup, oak_owner_t owner, const char *folder,
                                char path[4096]) {
  const char *root, *kind = oak_owner_name[owner];
  char key[32];
  snprintf(key, sizeof key, "%s.name", kind);
  const char *name = oak_params_text(setup->params, key);
  OAK_CHECK(*name, OAK_ERR_INPUT,
            "%s is not set: give a %s of the installation or the path of a C file (oak info lists "
            "them)",
            key, kind);
  OAK_TRY(oak_source_root(&root));
  if (strchr(name, '/') || is_named_c(name)) {
    OAK_TRY(find_own(setup, key, path));
  } else {
    snprintf(path, 4096, "%s/%s/%s.c", root, folder, name);
    OAK_CHECK(readable(path), OAK_ERR_INPUT,
              "%s: %s = %s: not in %s/%s; `oak info` lists the known ones, a C file of your own "
              "needs its path, such as ./%s.c",
              oak_params_origin(setup->params, key), key, name, root, folder, name);
  }
  OAK_CHECK(!strpbrk(path, "\"\n"), OAK_ERR_INPUT, /* kernels include the file in quotes */
            "%s: the path has a quote or a line break, which #include cannot name; rename it",
            path);
  return OAK_OK;
}

static oak_status_t find_paths(oak_setup_t *setup) {
  OAK_TRY(find_source(setup, OAK_OF_PHYSICS, "physics", setup->files.physics));
  return find_source(setup, OAK_OF_PROBLEM, "problems", setup->files.problem);
}

static oak_status_t make(const oak_setup_t *setup, oak_source_t source, void *out);

/* The preprocessed text of the files. Collective. */
static oak_status_t read_text(const oak_setup_t *setup, char **text) {
  static const char *const part = "kernels/hooks/declare.c";
  *text = NULL;
  return make(setup, (oak_source_t){.name = "declare", .file = &part, .nfile = 1}, text);
}

oak_status_t oak_setup_find_files(oak_setup_t *setup) {
  /* A file may be there for one rank and not for another. */
  oak_status_t st = find_paths(setup);
  OAK_FOR_TOPICS(t, begin) if (st == OAK_OK) st = t->begin(setup);
  OAK_TRY(oak_agree(setup->comm, st));
  OAK_TRY(read_text(setup, &setup->files.text));
  return oak_declared_read(setup->files.text, setup->files.physics, &setup->files.declared);
}

static int same_parameters(const oak_declared_t *a, const oak_declared_t *b) {
  int same = a->count == b->count;
  for (int n = 0; n < a->count && same; n++) {
    const oak_declaration_t *p = &a->parameter[n], *q = &b->parameter[n];
    same = p->owner == q->owner && p->kind == q->kind && p->length == q->length &&
           !strcmp(p->name, q->name);
  }
  return same;
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
  OAK_CHECK(same_parameters(now, &setup->files.declared), OAK_ERR_INPUT,
            "%s and %s declare other parameters than when the run started: start it again",
            setup->files.physics, setup->files.problem);
  return OAK_OK;
}

/* Complete a source, and make of it what \a out points to: the text of `declare`, which is only
 * preprocessed, or a module. Collective, with a status of this rank alone. */
static oak_status_t make(const oak_setup_t *setup, oak_source_t source, void *out) {
  enum { MAX_PARTS = 32 };
  OAK_FREED char *text = NULL;
  char path[MAX_PARTS][4200];
  const char *files[MAX_PARTS], *root;
  defines_t defines;
  const int declare = !strcmp(source.name, "declare");
  const int describe = !strcmp(source.name, "describe");
  oak_device_t *dev = setup->dev;
  OAK_ASSERT(source.nfile <= MAX_PARTS);
  oak_status_t st = oak_source_root(&root);
  if (st == OAK_OK && setup->kernel.module[0] && !declare) st = check_unchanged(setup);
  if (st == OAK_OK)
    st = oak_setup_hook_text(setup,
                             declare    ? OAK_TO_DECLARE
                             : describe ? OAK_TO_DESCRIBE
                                        : OAK_FOR_KERNELS,
                             &text);
  OAK_TRY(oak_agree(setup->comm, st));
  for (int n = 0; n < source.nfile; n++) {
    const char *part = source.file[n];
    snprintf(path[n], sizeof path[n], "%s%s%s", *part == '/' ? "" : root, *part == '/' ? "" : "/",
             part);
    files[n] = path[n];
  }
  st = make_defines(setup, !strcmp(source.name, "fluxes"), declare, &defines);
  source.define = defines.list;
  source.ndefine = defines.count;
  source.file = files;
  source.text = text;
  source.data = describe;
  source.seen = declare;
  source.debug = setup->kernel.debug;
  if (source.debug) source.time = NULL;
  const int other = declare && !oak_device_ops(dev)->preprocess;
  if (other) {
    const char *flags = oak_params_text(setup->params, "device.flags");
    oak_keep_failure(&st, oak_declare_open(setup->comm, "", flags, &dev));
  }
  if (st == OAK_OK)
    st = declare ? oak_device_text(dev, &source, out) : oak_device_build(dev, &source, out);
  if (other && dev != setup->dev) oak_device_close(&dev);
  return st;
}

oak_status_t oak_setup_build_files(const oak_setup_t *setup, oak_source_t source,
                                   oak_module_t **out) {
  return make(setup, source, out);
}

oak_status_t oak_setup_build_module(const oak_setup_t *setup, const char *name,
                                    oak_module_t **out) {
  char path[64];
  const char *part = path;
  snprintf(path, sizeof path, "kernels/%s.c", name);
  return oak_setup_build_files(
      setup, (oak_source_t){.name = strrchr(name, '/') + 1, .file = &part, .nfile = 1}, out);
}
