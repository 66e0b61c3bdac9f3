/* SPDX-License-Identifier: GPL-2.0-or-later
 * Boundary conditions from the [boundary] section. A face has one condition for all variables;
 * a key such as boundary.zlow.rho overrides it for one conserved variable. */
#include <stdlib.h>
#include <string.h>

#include "base/params_entries.h"
#include "base/str.h"
#include "setup/setup.h"

#define FACE_HELP                                                                    \
  "one of these words; behind dirichlet and neumann a value, or user. The files of " \
  "physics and problem may define others (BOUNDARY_CONDITION), which `oak params FILE` lists."
const oak_param_desc_t oak_boundary_keys[] = {
    {.help = "Conditions on the faces of the domain"},
    TEXT("boundary.xlow", "periodic", "Lower x face: " FACE_HELP),
    TEXT("boundary.xhigh", "periodic", "Upper x face: " FACE_HELP),
    TEXT("boundary.ylow", "periodic", "Lower y face: " FACE_HELP),
    TEXT("boundary.yhigh", "periodic", "Upper y face: " FACE_HELP),
    TEXT("boundary.zlow", "periodic", "Lower z face (without effect in 2D): " FACE_HELP),
    TEXT("boundary.zhigh", "periodic", "Upper z face (without effect in 2D): " FACE_HELP),

    CHOICE("boundary.solid", "reflect", "reflect no_slip",
           "Walls of the solids that the problem defines by SOLID(at). In the mirror image across "
           "a wall, reflect changes the sign of the velocity normal to the wall, no_slip that of "
           "all components."),
    {.key = NULL},
};

static const char *const face_name[6] = {"xlow", "xhigh", "ylow", "yhigh", "zlow", "zhigh"};

enum { PERIODIC = -1, REFLECT = -2 };

/* Conditions that the host knows. The others have the number OAK_BC_NAMED and those behind it. */
static const struct {
  const char *word;
  int kind;
  int takes_value, user_kind;
} conditions[] = {
    {"periodic", PERIODIC, 0, 0},
    {"reflect", REFLECT, 0, 0},
    {"outflow", OAK_BC_COPY, 0, 0},
    {"dirichlet", OAK_BC_DIRICHLET, 1, OAK_BC_USER_DIRICHLET},
    {"neumann", OAK_BC_NEUMANN, 1, OAK_BC_USER_NEUMANN},
    {"mirror", OAK_BC_MIRROR, 0, 0},
    {"antimirror", OAK_BC_ANTIMIRROR, 0, 0},
    {"user", OAK_BC_USER_STATE, 0, 0},
};
enum { NCONDITIONS = sizeof conditions / sizeof *conditions };

static int find_known(const char *word) {
  int c = 0;
  while (c < NCONDITIONS && strcmp(word, conditions[c].word)) c++;
  return c;
}

/* Whether an entry of files.declared.scheme is another condition. */
static int is_named(const oak_setup_t *setup, int n) {
  const oak_declared_t *d = &setup->files.declared;
  return d->scheme[n].kind == OAK_CONDITIONS && find_known(d->scheme[n].name) == NCONDITIONS;
}

void oak_boundary_print(const oak_setup_t *setup, FILE *f) {
  const oak_declared_t *d = &setup->files.declared;
  int number = 0;
  for (int n = 0; n < d->nscheme; n++) {
    if (!is_named(setup, n)) continue;
    fprintf(f, "%s X(%d, %s)", number ? "" : "#define OAK_CONDITIONS(X)", number,
            d->scheme[n].name);
    number++;
  }
  if (number) fprintf(f, "\n");
}

/* The key of a variable on a face, with its name in outputs or (\a old) in the physics. \return 0:
 * both are the same. */
static int print_key(const oak_setup_t *setup, int f, int v, int old, char key[128]) {
  const oak_description_t *d = &setup->description;
  snprintf(key, 128, "boundary.%s.%s", face_name[f], old ? d->name[v] : d->shown[v]);
  return strcmp(d->name[v], d->shown[v]) != 0;
}

oak_status_t oak_boundary_declare(oak_setup_t *setup) {
  for (int f = 0; f < 2 * setup->dim; f++)
    for (int v = 0; v < setup->nvar; v++)
      for (int old = 0; old < 2; old++) {
        char key[128], help[256];
        if (!print_key(setup, f, v, old, key) && old) continue;
        snprintf(help, sizeof help, "Condition for %s alone; empty: as boundary.%s.",
                 setup->description.shown[v], face_name[f]);
        const oak_param_desc_t desc = {
            .key = key, .type = OAK_PARAM_TEXT, .fallback = "", .help = help};
        OAK_TRY(oak_params_declare(setup->params, &desc, 1));
      }
  return OAK_OK;
}

/* The condition of a variable, by either name. */
static oak_status_t text_of(const oak_setup_t *setup, int f, int v, char key[128],
                            const char **text) {
  char other[128];
  const int two = print_key(setup, f, v, 1, other);
  print_key(setup, f, v, 0, key);
  *text = oak_params_text(setup->params, key);
  if (!two || !*oak_params_text(setup->params, other)) return OAK_OK;
  OAK_CHECK(!**text, OAK_ERR_INPUT, "%s and %s are the same key: leave one of them out", key,
            other);
  memcpy(key, other, sizeof other);
  *text = oak_params_text(setup->params, key);
  return OAK_OK;
}

static oak_status_t bad_condition(const oak_setup_t *setup, const char *key, const char *text,
                                  const char *why) {
  char known[2048], word[64] = "", meant[96];
  sscanf(text, "%63s", word);
  oak_scheme_names(&setup->files.declared, OAK_CONDITIONS, known, sizeof known);
  return OAK_FAIL(OAK_ERR_INPUT,
                  "%s: %s = %s: %s; use one of %s; dirichlet and neumann have a number or the word "
                  "user behind them%s",
                  oak_params_origin(setup->params, key), key, text, why, known,
                  oak_str_meant(known, word, meant));
}

/* One condition, as text "word [value]". */
static oak_status_t parse(const oak_setup_t *setup, const char *key, const char *text,
                          oak_bc_t *bc) {
  char word[64] = "", value[64] = "", rest[8] = "";
  const int n = sscanf(text, "%63s %63s %7s", word, value, rest);
  const int c = find_known(word), known = c < NCONDITIONS;
  const int named = known ? 0 : oak_scheme_find(setup, OAK_CONDITIONS, word);
  if (named < 0) return bad_condition(setup, key, text, "unknown condition");
  if (n > 1 + (!known || conditions[c].takes_value))
    return bad_condition(setup, key, text, "too many words");
  if (known && conditions[c].takes_value && n < 2)
    return bad_condition(setup, key, text, "a value is missing");
  *bc = (oak_bc_t){.value = 0, .kind = known ? conditions[c].kind : OAK_BC_NAMED};
  for (int i = 0; i < named; i++) bc->kind += is_named(setup, i);
  if (known && !strcmp(value, "user"))
    bc->kind = conditions[c].user_kind;
  else if (n > 1 && oak_params_numbers(value, 1, &bc->value) != 1)
    return bad_condition(setup, key, text, "the value is not a finite number");
  if (known && bc->kind >= OAK_BC_USER_DIRICHLET && !oak_has_hook(setup, "problem_boundary"))
    return bad_condition(setup, key, text, "the problem file has no BOUNDARY(at, face, q)");
  return OAK_OK;
}

/* Whether conditions for all variables leave this variable out: a field, or the mask of solids. */
static int is_given(const oak_setup_t *setup, int v) {
  int given = oak_has_solids(setup) && v == setup->nvar - 1;
  for (int n = 0; n < setup->fields.nfixed; n++) given |= setup->fields.fixed[n].variable == v;
  return given;
}

oak_status_t oak_boundary_read(oak_setup_t *setup, oak_bc_t *bc) {
  int *periodic = setup->domain.periodic;
  int kind[6];
  for (int f = 0; f < 6; f++) { /* in 2D those of z are judged, though without effect */
    char key[128];
    oak_bc_t all;
    uint32_t odd = 0;
    const char *axis = oak_coordinates_mirror(setup, f, &odd);
    if (!axis) odd = setup->description.mirror[f / 2];
    snprintf(key, sizeof key, "boundary.%s", face_name[f]);
    OAK_TRY(parse(setup, key, axis ? "reflect" : oak_params_text(setup->params, key), &all));
    kind[f] = all.kind;
    for (int v = 0; v < setup->nvar && f < 2 * setup->dim; v++) {
      oak_bc_t *b = &bc[f * setup->nvar + v];
      *b = all;
      const char *text;
      OAK_TRY(text_of(setup, f, v, key, &text));
      OAK_CHECK(!*text || !axis, OAK_ERR_INPUT,
                "%s: %s: %s, where oak mirrors the solution; leave the key out",
                oak_params_origin(setup->params, key), key, axis);
      if (*text) OAK_TRY(parse(setup, key, text, b));
      if (*text && (b->kind == PERIODIC) != (all.kind == PERIODIC))
        return bad_condition(setup, key, text, "a face is periodic for all variables or for none");
      if (b->kind == REFLECT && oak_is_origin(setup, f)) b->kind = OAK_BC_ORIGIN;
      if (b->kind == REFLECT) b->kind = odd >> v & 1 ? OAK_BC_ANTIMIRROR : OAK_BC_MIRROR;
      if (b->kind == PERIODIC || is_given(setup, v))
        b->kind = OAK_BC_MIRROR; /* never used if periodic: such faces have neighbours */
      setup->domain.hooks |= b->kind >= OAK_BC_USER_DIRICHLET;
    }
  }
  for (int d = 0; d < 3; d++) {
    periodic[d] = kind[2 * d] == PERIODIC;
    char key[128]; /* of the face that is not periodic */
    snprintf(key, sizeof key, "boundary.%s", face_name[2 * d + periodic[d]]);
    OAK_CHECK(periodic[d] == (kind[2 * d + 1] == PERIODIC), OAK_ERR_INPUT,
              "%s: %s = %s, but boundary.%s is periodic: both or neither must be periodic",
              oak_params_origin(setup->params, key), key, oak_params_text(setup->params, key),
              face_name[2 * d + !periodic[d]]);
    if (d >= setup->dim) periodic[d] = 0;
  }
  return OAK_OK;
}
