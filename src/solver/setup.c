/* SPDX-License-Identifier: GPL-2.0-or-later
 * From parameters to kernels: find the physics and problem files, read what they declare, build one
 * module with everything the run needs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solver/sim.h"

enum { MAX_DEFINES = 24, DEFINE_SIZE = 128, LONGEST_NAME = 48 /* of a key in parameter files */ };

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

/* The word chosen for a CHOICE key names a C identifier in the kernels. */
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
static void tile_size(const oak_t *sim, int tile[2]) {
  const oak_device_ops_t *ops = oak_device_ops(sim->dev);
  tile[0] = divisor(sim->block_size, ops->tile_width);
  const int rows = ops->tile_cells / tile[0];
  tile[1] = divisor(sim->block_size, rows > 8 ? rows : 8); /* fewer are mostly halo */
}

static oak_status_t make_defines(const oak_t *sim, defines_t *d) {
  d->count = 0;
  d->failed = NULL;
  define_int(d, "OAK_DIM", sim->dim);
  define_int(d, "OAK_N", sim->block_size);
  define_int(d, "OAK_NG", sim->layers);
  define(d, "OAK_REAL", sim->real_size == 4 ? "float" : "double");
  define(d, "OAK_LIMITER", chosen(sim, "scheme.limiter"));
  define(d, "OAK_FLUX", chosen(sim, "scheme.flux"));
  define_real(d, "OAK_LIMITER_THETA", oak_params_real(sim->params, "scheme.theta"));
  define_int(d, "OAK_WAVE_SPEEDS_EINFELDT",
             oak_params_choice(sim->params, "scheme.wave_speeds") == 0);
  define_int(d, "OAK_NPREV", oak_scheme_max_prev(sim->scheme));
  int tile[2];
  tile_size(sim, tile);
  define_int(d, "OAK_TILE_X", tile[0]);
  define_int(d, "OAK_TILE_Y", tile[1]);
  define_int(d, "OAK_REFINE_USER", !strcmp(chosen(sim, "refine.criterion"), "user"));
  define_int(d, "OAK_REFINE_GRADIENT", !strcmp(chosen(sim, "refine.criterion"), "gradient"));
  define_int(d, "OAK_REFINE_NONE", !strcmp(chosen(sim, "refine.criterion"), "none"));
  define_int(d, "OAK_REFINE_BUFFER", oak_params_int(sim->params, "refine.buffer"));
  define_int(d, "OAK_REFINE_PRIMITIVES", sim->refine_primitives);
  OAK_CHECK(!d->failed, OAK_ERR_INPUT,
            "the constant %s of the kernels does not fit in %d characters: use a shorter name",
            d->failed, DEFINE_SIZE - 1);
  return OAK_OK;
}

static int readable(const char *path) { return access(path, R_OK) == 0; }

/* Reading anything else may wait or go on for ever. */
static int regular(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A user's file (with a slash or ending in .c) or one of the installation. */
static oak_status_t find_source(const oak_t *sim, const char *kind, const char *folder,
                                const char *name, char *path, size_t size) {
  const char *root, *dot = strrchr(name, '.');
  const char *key = strcmp(kind, "physics") ? "problem.name" : "physics.name";
  const int is_file = strchr(name, '/') || (dot && !strcmp(dot, ".c"));
  OAK_CHECK(*name, OAK_ERR_INPUT,
            "%s.name is not set: give a %s of the installation or the path of a C file (oak info "
            "lists them)",
            kind, kind);
  OAK_TRY(oak_source_root(&root));
  if (is_file) {
    char relative[4096];
    snprintf(relative, sizeof relative, "%s/%s", oak_params_folder(sim->params), name);
    const char *found = *name != '/' && readable(relative) ? relative : name;
    OAK_CHECK(readable(found), OAK_ERR_INPUT, "%s: %s.name = %s: no such file here or in %s",
              oak_params_origin(sim->params, key), kind, name, oak_params_folder(sim->params));
    OAK_CHECK(regular(found), OAK_ERR_INPUT, "%s: %s.name = %s: must be a regular file",
              oak_params_origin(sim->params, key), kind, name);
    char *full = realpath(found, NULL);
    OAK_CHECK(full, OAK_ERR_FILE, "cannot resolve the path %s", found);
    snprintf(path, size, "%s", full);
    free(full);
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

/* "key text" to a buffer. \return 0 if it is too long for it. */
static int set_field(char *out, size_t size, const char *item, const char *key) {
  const size_t n = strlen(key);
  if (strncmp(item, key, n) || item[n] != ' ') return 1;
  return snprintf(out, size, "%s", item + n + 1) < (int)size;
}

/* Split words of `text` in place into names from position `first`. */
static int split_names(char *text, const char **name, int first, int most) {
  int n = first;
  for (char *word = strtok(text, " "); word && n < most; word = strtok(NULL, " ")) name[n++] = word;
  return n - first;
}

/* A help text "{a,b,c} ..." names the values of a parameter, "{>1} ..." or "{>=1} ..." is its lower
 * bound. */
static oak_status_t read_values(oak_description_t *d, int n) {
  const char *help = d->parameter[n].help, *end = *help == '{' ? strchr(help, '}') : NULL;
  char *choices = d->parameter[n].choices, *stop;
  if (!end) return OAK_OK;
  if (help[1] == '>') {
    const char *number = help + (help[2] == '=' ? 3 : 2);
    d->parameter[n].bounded = 1;
    d->parameter[n].above_min = help[2] != '=';
    d->parameter[n].min = strtod(number, &stop);
    OAK_CHECK(stop > number && stop == end && isfinite(d->parameter[n].min), OAK_ERR_INPUT,
              "parameter %s.%s: its help text must begin with a bound such as {>0} or {>=0}",
              d->parameter[n].section, d->parameter[n].name);
    return OAK_OK;
  }
  OAK_CHECK(end - help < (long)sizeof d->parameter[n].choices, OAK_ERR_INPUT,
            "parameter %s.%s: the names of its values in {} have more than %zu characters",
            d->parameter[n].section, d->parameter[n].name, sizeof d->parameter[n].choices - 2);
  memcpy(choices, help + 1, end - help - 1);
  for (char *c = choices; *c; c++)
    if (*c == ',') *c = ' ';
  return OAK_OK;
}

/* An item OAK_NEXT "name|help". */
static oak_status_t read_parameter(oak_description_t *d, const char *section, char *item) {
  char *bar = strchr(item, '|');
  OAK_CHECK(bar && d->nparameter < OAK_MAX_PARAMETERS, OAK_ERR_INPUT,
            "the help text of a parameter in [%s] has control characters: leave them out", section);
  *bar = 0;
  const int n = d->nparameter++;
  d->parameter[n].section = section;
  d->parameter[n].name = item + 1;
  d->parameter[n].help = bar + 1;
  OAK_CHECK(strlen(item + 1) <= LONGEST_NAME, OAK_ERR_INPUT,
            "parameter %s.%s: the name may have %d characters at most", section, item + 1,
            LONGEST_NAME);
  return read_values(d, n);
}

static void blank_control(char *text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ') *text = ' ';
}

/* The items of kernels/describe.c. */
static oak_status_t read_items(oak_description_t *d, const char *physics, char *hooks,
                               size_t hooks_size) {
  const char *section = "";
  char *next = d->text;
  int whole = 1;
  for (char *item = next; item && *item; item = next) {
    next = strchr(item, '\036');
    if (next) *next++ = 0;
    blank_control(item + 1);
    set_field(d->physics_title, sizeof d->physics_title, item, "physics");
    set_field(d->problem_title, sizeof d->problem_title, item, "problem");
    whole &= set_field(d->variables, sizeof d->variables, item, "variables");
    whole &= set_field(d->primitives, sizeof d->primitives, item, "primitives");
    set_field(hooks, hooks_size, item, "hooks");
    if (!strcmp(item, "physics_parameters")) section = "physics";
    if (!strcmp(item, "problem_parameters")) section = "problem";
    if (*item == '\037') OAK_TRY(read_parameter(d, section, item));
  }
  OAK_CHECK(whole, OAK_ERR_INPUT,
            "%s: PHYSICS_VARIABLES and PHYSICS_PRIMITIVES may have %zu characters at most", physics,
            sizeof d->variables - 1);
  return OAK_OK;
}

static oak_status_t read_description(oak_description_t *d, const char *physics, int nvar,
                                     const int count[2], const double *fallback) {
  char hooks[128] = "";
  OAK_TRY(read_items(d, physics, hooks, sizeof hooks));
  OAK_CHECK(d->nparameter == count[0] + count[1], OAK_ERR_INPUT,
            "physics and problem declare %d parameters, of which %d can be read: leave control "
            "characters out of their help texts",
            count[0] + count[1], d->nparameter);
  d->nproblem = count[1];
  for (int n = 0; n < d->nparameter; n++) d->parameter[n].fallback = fallback[n];
  d->has_initial = strstr(hooks, "initial") != NULL;
  d->has_boundary = strstr(hooks, "boundary") != NULL;
  d->has_source = strstr(hooks, "source") != NULL;
  d->has_refine = strstr(hooks, "refine") != NULL;
  d->has_region = strstr(hooks, "region") != NULL;
  d->has_floor = strstr(hooks, "floor") != NULL;
  d->nvar = split_names(d->variables, d->name, 0, OAK_MAX_NVAR);
  const int named = d->nvar;
  const int nprimitive = split_names(d->primitives, d->name, d->nvar, 2 * OAK_MAX_NVAR);
  OAK_CHECK(nvar > 0 && nvar <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d: must be 1 to %d", physics, nvar, OAK_MAX_NVAR);
  OAK_CHECK(named == nvar && nprimitive == nvar, OAK_ERR_INPUT,
            "%s: PHYSICS_NVAR = %d, but PHYSICS_VARIABLES has %d names and PHYSICS_PRIMITIVES %d: "
            "each must name "
            "every variable",
            physics, nvar, named, nprimitive);
  d->name[2 * d->nvar] = "level";
  return OAK_OK;
}

/* A name such as rho may stand for a conserved and a primitive variable: the first one counts. */
static oak_status_t declare_parameters(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  for (int n = 0; n < d->nparameter; n++) {
    char key[256], fallback[64];
    oak_param_desc_t desc = {
        .key = key, .type = OAK_PARAM_REAL, .fallback = fallback, .help = d->parameter[n].help};
    snprintf(key, sizeof key, "%s.%s", d->parameter[n].section, d->parameter[n].name);
    snprintf(fallback, sizeof fallback, "%.17g", d->parameter[n].fallback);
    for (int digits = 1; digits < 17; digits++) { /* the shortest text that reads back the same */
      char text[64];
      snprintf(text, sizeof text, "%.*g", digits, d->parameter[n].fallback);
      if (strtod(text, NULL) != d->parameter[n].fallback) continue;
      memcpy(fallback, text, sizeof text);
      break;
    }
    if (d->parameter[n].bounded) {
      desc.min = d->parameter[n].min;
      desc.max = INFINITY;
      desc.above_min = d->parameter[n].above_min;
    }
    if (*d->parameter[n].choices) {
      double word = d->parameter[n].fallback; /* may be no integer, nor fit one */
      char words[128];
      snprintf(words, sizeof words, "%s", d->parameter[n].choices);
      for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        if (word-- == 0) snprintf(fallback, sizeof fallback, "%s", w);
      desc.type = OAK_PARAM_CHOICE;
      desc.choices = d->parameter[n].choices;
    }
    OAK_TRY(oak_params_declare(sim->params, &desc, 1));
  }
  return OAK_OK;
}

/* One module: the physics, what gives access to cells, the problem, then `part` from the source
 * root and a file of the caller's own, if any. */
static oak_status_t build_module(oak_t *sim, const char *name, const char *const *part, int npart,
                                 const char *extra, oak_module_t **out) {
  static const char *const access[] = {"numerics/limiters.h", "kernels/field.h", "kernels/rows.h"};
  enum { NACCESS = sizeof access / sizeof *access, MAX_PARTS = 16 };
  char path[NACCESS + MAX_PARTS][4200];
  const char *files[NACCESS + MAX_PARTS + 3], *root;
  defines_t defines;
  int n = 0, npath = 0;
  OAK_ASSERT(npart <= MAX_PARTS);
  OAK_TRY(oak_agree(sim->comm, oak_source_root(&root)));
  files[n++] = sim->physics_path;
  for (int i = 0; i < NACCESS + npart; i++, npath++) {
    if (i == NACCESS) files[n++] = sim->problem_path;
    snprintf(path[npath], sizeof path[npath], "%s/%s", root,
             i < NACCESS ? access[i] : part[i - NACCESS]);
    files[n++] = path[npath];
  }
  if (extra) files[n++] = extra;
  OAK_TRY(make_defines(sim, &defines));
  const oak_source_t source = {
      .name = name, .define = defines.list, .ndefine = defines.count, .file = files, .nfile = n};
  return oak_device_build(sim->dev, &source, out);
}

/* The physics and problem files, and the flux in them. */
static oak_status_t find_files(oak_t *sim) {
  OAK_TRY(find_source(sim, "physics", "physics", oak_params_text(sim->params, "physics.name"),
                      sim->physics_path, sizeof sim->physics_path));
  OAK_TRY(find_source(sim, "problem", "problems", oak_params_text(sim->params, "problem.name"),
                      sim->problem_path, sizeof sim->problem_path));
  OAK_TRY(oak_sim_check_macros(sim));
  return oak_sim_check_flux(sim);
}

oak_status_t oak_sim_describe(oak_t *sim) {
  static const char *const part[] = {"kernels/describe.c"};
  oak_description_t *d = &sim->description;
  double fallback[OAK_MAX_PARAMETERS + 1];
  int nvar = 0, count[2];
  oak_module_t *module = NULL;
  /* A file may be there for one rank and not for another. */
  OAK_TRY(oak_agree(sim->comm, find_files(sim)));
  OAK_TRY(build_module(sim, "describe", part, 1, NULL, &module));
  oak_status_t st =
      oak_device_constant(sim->dev, module, "oak_describe_text", d->text, sizeof d->text);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_default", fallback, sizeof fallback);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_normal", d->normal, sizeof d->normal);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_nvar", &nvar, sizeof nvar);
  if (st == OAK_OK)
    st = oak_device_constant(sim->dev, module, "oak_describe_count", count, sizeof count);
  oak_device_unload(sim->dev, &module);
  if (st == OAK_OK) st = read_description(d, sim->physics_path, nvar, count, fallback);
  if (st == OAK_OK) st = declare_parameters(sim);
  return oak_agree(sim->comm, st);
}

/* What follows the problem: headers, which kernels of the caller's own see too, and oak's kernels.
 */
static const char *const kernel_parts[] = {
    "kernels/user.h",   "numerics/riemann.h",   "kernels/flux_common.h", "kernels/cell_flux.h",
    "kernels/flux.c",   "kernels/flux_cells.c", "kernels/halo.c",        "kernels/adapt.c",
    "kernels/refine.c", "kernels/fluxfix.c",    "kernels/initial.c",     "kernels/read.c"};
enum { NKERNEL_PARTS = sizeof kernel_parts / sizeof *kernel_parts, NKERNEL_HEADERS = 2 };

/* Kernels that not every run has. */
static int has_kernel(const oak_t *sim, const char *name) {
  if (!strcmp(name, "initial")) return sim->description.has_initial;
  if (!strcmp(name, "floor")) return sim->floors;
  if (!strcmp(name, "mark") || !strcmp(name, "mark_faces") || !strcmp(name, "repair"))
    return sim->first_order;
  return 1;
}

/* The kernels of a module read as many parameters as the host has of the description: not if a file
 * of the user has changed since. */
static oak_status_t check_user(oak_t *sim, oak_module_t *module) {
  const int n = sim->description.nparameter, given = n + (sim->description.nproblem == 0);
  int count;
  OAK_TRY(oak_device_constant(sim->dev, module, "oak_user_count", &count, sizeof count));
  OAK_CHECK(count == given, OAK_ERR_INPUT,
            "the kernels read %d parameters of physics and problem, but their files declared %d "
            "when the run started: were they changed? Start it again",
            count, given);
  return OAK_OK;
}

oak_status_t oak_sim_build(oak_t *sim) {
  const char *part[NKERNEL_PARTS + 2];
  int n = NKERNEL_PARTS;
  memcpy(part, kernel_parts, sizeof kernel_parts);
  if (sim->first_order) part[n++] = "kernels/repair.c";
  if (sim->floors) part[n++] = "kernels/floor.c";
  OAK_TRY(build_module(sim, "kernels", part, n, NULL, &sim->module));
  OAK_TRY(oak_agree(sim->comm, check_user(sim, sim->module)));
  oak_status_t st = OAK_OK;
#define OAK_GET_KERNEL(k)                  \
  if (st == OAK_OK && has_kernel(sim, #k)) \
    st = oak_device_kernel(sim->dev, sim->module, "oak_" #k, &sim->kernel.k);
  OAK_KERNEL_TABLE(OAK_GET_KERNEL)
#undef OAK_GET_KERNEL
  OAK_TRY(oak_agree(sim->comm, st));
  sim->exchange.kernel = sim->kernel.halo;
  int tile[2];
  tile_size(sim, tile);
  sim->tiles = sim->block_size / tile[0] * (sim->block_size / tile[1]);
  return OAK_OK;
}

oak_status_t oak_sim_upload_parameters(oak_t *sim) {
  const oak_description_t *d = &sim->description;
  double value[OAK_MAX_PARAMETERS + 1] = {0};
  for (int n = 0; n < d->nparameter; n++) {
    char key[256];
    snprintf(key, sizeof key, "%s.%s", d->parameter[n].section, d->parameter[n].name);
    value[n] = *d->parameter[n].choices ? oak_params_choice(sim->params, key)
                                        : oak_params_real(sim->params, key);
  }
  /* A problem without parameters reads one unused value behind those of the physics. */
  OAK_TRY(oak_device_alloc(sim->dev, (d->nparameter + 1) * sizeof *value, &sim->user));
  return oak_device_upload(sim->dev, sim->user, value, (d->nparameter + 1) * sizeof *value);
}

/* The full path of a kernel file, which the caller frees. */
static oak_status_t resolve(const char *path, char **full) {
  *full = NULL;
  OAK_CHECK(readable(path), OAK_ERR_INPUT, "kernel file %s: not found", path);
  *full = realpath(path, NULL);
  OAK_CHECK(*full, OAK_ERR_FILE, "cannot resolve the path %s", path);
  return OAK_OK;
}

oak_status_t oak_kernel_build(oak_t *sim, const char *path, const char *name, oak_kernel_t **out) {
  const int most = sizeof sim->extra / sizeof *sim->extra;
  char *full;
  OAK_CHECK(sim->nextra < most, OAK_ERR_ARGUMENT, "more than %d kernels of the caller's own", most);
  oak_status_t st = oak_agree(sim->comm, resolve(path, &full));
  if (st == OAK_OK)
    st = build_module(sim, name, kernel_parts, NKERNEL_HEADERS, full, &sim->extra[sim->nextra]);
  free(full);
  OAK_TRY(st);
  oak_module_t *module = sim->extra[sim->nextra++];
  st = check_user(sim, module);
  if (st == OAK_OK) st = oak_device_kernel(sim->dev, module, name, out);
  return oak_agree(sim->comm, st);
}

oak_status_t oak_kernel_run(oak_t *sim, oak_kernel_t *kernel, void *args, size_t bytes) {
  OAK_CHECK(bytes >= sizeof(oak_field_t), OAK_ERR_ARGUMENT,
            "arguments of %zu bytes: the structure must start with an oak_field_t, which has %zu",
            bytes, sizeof(oak_field_t));
  oak_sim_field(sim, 0, sim->time, args);
  OAK_TRY(oak_device_launch(sim->dev, kernel, sim->mesh->nblock, args, bytes));
  return oak_device_sync(sim->dev);
}
