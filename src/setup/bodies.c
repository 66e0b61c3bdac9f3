/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies in the domain, from the sections [body.NAME]. Their shapes become part of the kernels
 * (kernels/bodies/shapes.h). */
#include <math.h>
#include <string.h>

#include "base/params_entries.h"
#include "setup/setup.h"

enum { SPHERE, ROD, CONE, PLATE }; /* body.shape */

static const oak_param_desc_t body_keys[] = {
    {.help = "Bodies in the domain: electrodes and dielectrics (docs/poisson.md). Each section "
             "[body.NAME] is one body, with these keys; values that it does not give are those of "
             "[body]."},
    CHOICE("body.shape", "sphere", "sphere rod cone plate",
           "sphere: a ball, in 2D a disk; rod: with round ends; cone: with a round tip; plate: a "
           "box. Each body must have a shape."),
    REALS("body.from", "0", "length",
          "Centre of a sphere, centre of the round end of a rod, of the round tip of a cone, or a "
          "corner of a plate: a number for each axis."),
    REALS("body.to", "0", "length",
          "Centre of the other end of a rod or cone, or the opposite corner of a plate."),
    REAL("body.radius", "0", 0, INFINITY, "length",
         "Radius of a sphere or rod, or of a cone at `to`."),
    REAL("body.tip_radius", "0", 0, INFINITY, "length", "Radius of a cone at `from`."),
    CHOICE(
        "body.kind", "electrode", "electrode dielectric wall",
        "electrode: the equation of POISSON has a given potential there; dielectric: its "
        "coefficient is `permittivity` there, and charge stays on the surface; wall: only a solid "
        "for the fluxes."),
    REAL("body.potential", "0", -INFINITY, INFINITY, NULL,
         "Potential of an electrode, unless the problem has POTENTIAL(at, body)."),
    REAL("body.permittivity", "1", 0, 1e9, NULL, "Permittivity of a dielectric.", .above_min = 1),
    CHOICE(
        "body.surface", "emit", "emit absorb reflect",
        "What fluxes of a discharge do at the surface. emit: the density has no slope there, and "
        "particles drift both ways; absorb: particles drift into the body only; reflect: none "
        "pass."),
    {.key = NULL},
};

/* The key of a body. */
#define KEY(b, word) body_key(b, word, (char[OAK_LONGEST_FUNCTION]){0})
static const char *body_key(const oak_body_keys_t *b, const char *word, char *key) {
  snprintf(key, OAK_LONGEST_FUNCTION, "body.%s.%s", b->name, word);
  return key;
}

static oak_status_t declare(oak_setup_t *setup) {
  oak_bodies_t *list = &setup->bodies;
  list->count = 0;
  for (int n = 0; oak_params_subsection(setup->params, "body.", n, list->of[list->count].name,
                                        sizeof list->of->name);
       n++) {
    const char *name = list->of[list->count].name;
    OAK_CHECK(oak_is_name(name), OAK_ERR_INPUT,
              "[body.%s]: the name of a body must be a word of letters, digits and _ that begins "
              "with a letter, of at most %d",
              name, OAK_LONGEST_BODY);
    OAK_CHECK(strcmp(name, "solid"), OAK_ERR_INPUT,
              "[body.solid]: the body of the hook SOLID has this name: choose another one");
    OAK_CHECK(++list->count < OAK_MAX_BODIES, OAK_ERR_INPUT, "there are more than %d bodies",
              OAK_MAX_BODIES - 1);
    OAK_TRY(oak_params_declare_named(setup->params, body_keys, name));
  }
  return list->count ? OAK_OK
                     : oak_keys_unused(setup, body_keys, "there is no section [body.NAME]");
}

/* ---- values */

static oak_status_t read_point(const oak_setup_t *setup, const char *key, double x[3]) {
  const int count = oak_params_reals(setup->params, key, x);
  OAK_CHECK(count == setup->dim, OAK_ERR_INPUT, "%s: %s must be %d numbers%s",
            oak_params_origin(setup->params, key), key, setup->dim,
            oak_params_is_set(setup->params, key) ? "" : ", and it is not given");
  for (int d = setup->dim; d < 3; d++) x[d] = 0;
  return OAK_OK;
}

/* A length that must have at least the size of a cell on the finest level. */
static oak_status_t check_length(const oak_setup_t *setup, const char *name, const char *what,
                                 double length) {
  double cell = 0;
  for (int d = 0; d < setup->dim; d++)
    cell = fmax(cell, ldexp(setup->domain.dx0[d], -setup->refine.max_level));
  OAK_CHECK(length > 0, OAK_ERR_INPUT, "[body.%s]: %s must be above 0", name, what);
  OAK_CHECK(length >= cell, OAK_ERR_INPUT,
            "[body.%s]: %s = %g is less than a cell of the finest level, %g: raise mesh.max_level, "
            "or make the body larger",
            name, what, length, cell);
  return OAK_OK;
}

static oak_status_t check_sizes(const oak_setup_t *setup, oak_body_keys_t *b) {
  if (b->shape != PLATE) OAK_TRY(check_length(setup, b->name, "radius", b->radius));
  if (b->shape == CONE) OAK_TRY(check_length(setup, b->name, "tip_radius", b->tip));
  double length = 0;
  for (int d = 0; d < setup->dim; d++) {
    length = hypot(length, b->to[d] - b->from[d]);
    if (b->shape == PLATE)
      OAK_TRY(check_length(setup, b->name, "the thickness between from and to",
                           fabs(b->to[d] - b->from[d])));
  }
  OAK_CHECK(b->shape != CONE || length > fabs(b->radius - b->tip), OAK_ERR_INPUT,
            "[body.%s]: a ball at one end of the cone contains the one at the other end: choose "
            "points from and to with a larger distance",
            b->name);
  return OAK_OK;
}

/* The smallest box around a body, along one axis. */
static void find_extent(const oak_body_keys_t *b, int d, double *low, double *high) {
  const double tip = b->shape == CONE ? b->tip : b->radius;
  *low = fmin(b->from[d] - tip, b->to[d] - b->radius);
  *high = fmax(b->from[d] + tip, b->to[d] + b->radius);
}

/* It must overlap the domain, and kernels must be able to square its lengths. */
static oak_status_t check_place(const oak_setup_t *setup, const oak_body_keys_t *b) {
  for (int d = 0; d < setup->dim; d++) {
    double low, high;
    find_extent(b, d, &low, &high);
    OAK_CHECK(high > setup->domain.xmin[d] && low < setup->domain.xmax[d], OAK_ERR_INPUT,
              "[body.%s]: the body lies outside the domain: along axis %d it goes from %g to %g, "
              "the domain from %g to %g",
              b->name, d + 1, low, high, setup->domain.xmin[d], setup->domain.xmax[d]);
    OAK_CHECK(low > -1e100 && high < 1e100, OAK_ERR_INPUT,
              "[body.%s]: along axis %d the body goes from %g to %g: coordinates and radii of at "
              "most 1e100 are possible",
              b->name, d + 1, low, high);
  }
  return OAK_OK;
}

/* The kernels know one image of a body. A body that reaches beyond both sides may be the same at
 * both, such as a rod through the domain. */
static oak_status_t check_periodic(const oak_setup_t *setup) {
  const int *periodic = setup->domain.periodic;
  const int flat = setup->domain.coordinates <= OAK_AXISYMMETRIC; /* coordinates are lengths */
  for (int n = 0; n < setup->bodies.count && flat; n++)
    for (int d = 0; d < setup->dim; d++) {
      double low, high;
      find_extent(&setup->bodies.of[n], d, &low, &high);
      const int below = low < setup->domain.xmin[d];
      const int above = high > setup->domain.xmax[d];
      OAK_CHECK(
          !periodic[d] || below == above, OAK_ERR_INPUT,
          "[body.%s]: the body crosses the periodic %s boundary along axis %d: it goes from %g "
          "to %g, the domain from %g to %g; move the body, or the domain by xmin and xmax",
          setup->bodies.of[n].name, below ? "lower" : "upper", d + 1, low, high,
          setup->domain.xmin[d], setup->domain.xmax[d]);
    }
  return OAK_OK;
}

static oak_status_t read_body(oak_setup_t *setup, oak_body_keys_t *b) {
  const oak_params_t *p = setup->params;
  OAK_CHECK(oak_params_is_set(p, KEY(b, "shape")) || oak_params_is_set(p, "body.shape"),
            OAK_ERR_INPUT, "[body.%s] has no shape: add shape = sphere, rod, cone or plate",
            b->name);
  b->shape = oak_params_choice(p, KEY(b, "shape"));
  OAK_CHECK(b->shape == PLATE || setup->domain.coordinates <= OAK_AXISYMMETRIC, OAK_ERR_INPUT,
            "[body.%s]: mesh.coordinates = %s allows the shape plate only, whose corners are in "
            "these coordinates: write SOLID(at) in the problem's file for others",
            b->name, oak_params_text(p, "mesh.coordinates"));
  b->kind = oak_params_choice(p, KEY(b, "kind"));
  b->surface = oak_params_choice(p, KEY(b, "surface"));
  b->radius = b->shape == PLATE ? 0 : oak_params_real(p, KEY(b, "radius"));
  b->tip = b->shape == CONE ? oak_params_real(p, KEY(b, "tip_radius")) : b->radius;
  b->potential = oak_params_real(p, KEY(b, "potential"));
  b->permittivity = oak_params_real(p, KEY(b, "permittivity"));
  OAK_TRY(read_point(setup, KEY(b, "from"), b->from));
  OAK_TRY(read_point(setup, KEY(b, b->shape == SPHERE ? "from" : "to"), b->to));
  const struct {
    int unused;
    const char *word, *reason;
  } key[] = {{b->shape == SPHERE, "to", "a sphere has the centre `from`"},
             {b->shape == PLATE, "radius", "the shape is a plate"},
             {b->shape != CONE, "tip_radius", "the shape is no cone"},
             {b->kind != OAK_BODY_ELECTRODE, "potential", "the body is no electrode"},
             {b->kind != OAK_BODY_DIELECTRIC, "permittivity", "the body is no dielectric"}};
  for (size_t n = 0; n < sizeof key / sizeof *key; n++)
    if (key[n].unused) OAK_TRY(oak_key_unused(setup, KEY(b, key[n].word), key[n].reason));
  OAK_TRY(check_sizes(setup, b));
  return check_place(setup, b);
}

int oak_has_solids(const oak_setup_t *setup) {
  return setup->bodies.count > 0 || oak_has_hook(setup, "problem_solid");
}

int oak_body_count(const oak_setup_t *setup) {
  return setup->bodies.count + (setup->bodies.count > 0 ? oak_has_hook(setup, "problem_solid")
                                                        : oak_has_hook(setup, "problem_potential"));
}

const char *oak_body_name(const oak_setup_t *setup, int number) {
  return number < setup->bodies.count ? setup->bodies.of[number].name : "solid";
}

int oak_body_level(const oak_setup_t *setup, int number) {
  const oak_body_keys_t *b = &setup->bodies.of[number];
  double inner = b->shape == PLATE ? INFINITY : fmax(b->radius, b->tip), half2 = 0;
  for (int d = 0; d < setup->dim; d++) {
    if (b->shape == PLATE) inner = fmin(inner, 0.5 * fabs(b->to[d] - b->from[d]));
    half2 += 0.25 * setup->domain.dx0[d] * setup->domain.dx0[d];
  }
  int level = 0;
  while (level < setup->refine.max_level && ldexp(sqrt(half2), -level) > inner) level++;
  return level;
}

int oak_has_body(const oak_setup_t *setup, int kind) {
  int any = kind == OAK_BODY_ELECTRODE && oak_has_hook(setup, "problem_potential") &&
            oak_has_hook(setup, "problem_solid");
  for (int n = 0; n < setup->bodies.count; n++) any |= setup->bodies.of[n].kind == kind;
  return any;
}

int oak_has_charged_bodies(const oak_setup_t *setup) {
  return oak_has_body(setup, OAK_BODY_ELECTRODE) || oak_has_body(setup, OAK_BODY_DIELECTRIC);
}

static oak_status_t read(oak_setup_t *setup) {
  for (int n = 0; n < setup->bodies.count; n++) OAK_TRY(read_body(setup, &setup->bodies.of[n]));
  OAK_CHECK(!oak_has_hook(setup, "problem_potential") || oak_has_body(setup, OAK_BODY_ELECTRODE),
            OAK_ERR_INPUT,
            "%s has POTENTIAL(at, body), but there is no electrode: write SOLID(at), or a section "
            "[body.NAME]",
            setup->files.problem);
  if (!oak_body_count(setup)) return OAK_OK;
  const oak_equations_t *e = &setup->equations;
  const int poisson = e->count > 0 && !e->of[0].section;
  for (int n = 0; n < setup->bodies.count && !poisson; n++)
    OAK_CHECK(
        setup->bodies.of[n].kind == OAK_BODY_WALL, OAK_ERR_INPUT,
        "[body.%s]: electrodes and dielectrics need the hook POISSON, which neither %s nor %s "
        "has: write kind = wall",
        setup->bodies.of[n].name, setup->files.physics, setup->files.problem);
  return OAK_OK;
}

/* The mask of solids is the last variable, conserved and primitive. */
static oak_status_t add_solid(oak_setup_t *setup, oak_module_t *module) {
  oak_description_t *d = &setup->description;
  const int n = d->nvar;
  (void)module;
  if (!oak_has_solids(setup)) return OAK_OK;
  OAK_CHECK(n < OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s has SOLID(at), which needs a variable, but there are %d already",
            setup->files.problem, n);
  for (int v = 0; v < 2 * n; v++)
    OAK_CHECK(strcmp(d->name[v], "solid"), OAK_ERR_INPUT,
              "%s has SOLID(at), which adds a variable named solid, but the physics has one of "
              "this name: rename that one",
              setup->files.problem);
  memmove(&d->name[n + 1], &d->name[n], (size_t)n * sizeof *d->name);
  d->name[n] = d->name[2 * n + 1] = "solid";
  d->nvar = n + 1;
  d->name[2 * d->nvar] = "level";
  return OAK_OK;
}

/* ---- text for the kernels */

static void print(const oak_setup_t *setup, int purpose, FILE *f) {
  const int describe = purpose == OAK_TO_DESCRIBE;
  const oak_bodies_t *list = &setup->bodies;
  const int solid = oak_has_hook(setup, "problem_solid");
  if (purpose == OAK_TO_DECLARE) return;
  if (oak_has_solids(setup))
    fprintf(f, "\n#define NSOLID 1\n#define OAK_NO_SLIP %d",
            oak_params_choice(setup->params, "boundary.solid") == 1);
  if (!describe && !oak_body_count(setup)) return;
  fprintf(f, "\nenum {");
  for (int n = 0; n < list->count; n++) fprintf(f, " body_%s = %d,", list->of[n].name, n);
  fprintf(f, " body_solid = %d };\n", list->count);
  if (describe) return;
  fprintf(f, "#define OAK_SOLID_BODY %d\n#define OAK_NBODY %d\n", list->count,
          list->count + (solid != 0));
  if (list->count) fprintf(f, "#define OAK_BODIES(OAK_X)");
  for (int n = 0; n < list->count; n++) {
    const oak_body_keys_t *b = &list->of[n];
    fprintf(f, " OAK_X(%d, %s(at->x", n, b->shape == PLATE ? "bodies_box" : "bodies_round");
    for (int d = 0; d < 3; d++) fprintf(f, ", %.17g", b->from[d]);
    for (int d = 0; d < 3; d++) fprintf(f, ", %.17g", b->to[d]);
    fprintf(f, ", %.17g, %.17g), %d, %.17g, %.17g, %d)", b->radius, b->tip, b->kind, b->potential,
            b->permittivity, b->surface);
  }
  fprintf(f, "\n");
}

const oak_topic_t oak_topic_bodies = {.keys = body_keys,
                                      .begin = declare,
                                      .describe = add_solid,
                                      .read = read,
                                      .check = check_periodic,
                                      .print = print};
