/* SPDX-License-Identifier: GPL-2.0-or-later
 * The elliptic equations of a run: POISSON is the one whose solution is phi, POISSON_OF has a name
 * and a section of keys, [poisson.NAME]. */
#include <math.h>
#include <string.h>

#include "base/params_entries.h"
#include "setup/setup.h"

#define POISSON_FACE(name, words)                                   \
  CHOICE("poisson." name, "same", "same zero no_slope value slope", \
         "Condition for phi on the " words "; same: that of poisson.boundary.")

static const oak_param_desc_t poisson_keys[] = {
    {.help = "Poisson's equation, whose right-hand side is the hook POISSON of a file "
             "(docs/poisson.md). A section [poisson.NAME] has the same keys for the equation "
             "POISSON_OF(NAME, at, q); values that it does not give are those of [poisson]."},
    CHOICE("poisson.boundary", "isolated", "isolated zero no_slope value slope",
           "Condition for phi on faces of the domain that are not periodic. isolated: phi falls "
           "off as in empty space, from multipoles of the right-hand side; zero: phi is 0; "
           "no_slope: its outward derivative is 0; value: the hook POISSON_BOUNDARY returns phi; "
           "slope: it returns the outward derivative."),
    POISSON_FACE("xlow", "lower x face"),
    POISSON_FACE("xhigh", "upper x face"),
    POISSON_FACE("ylow", "lower y face"),
    POISSON_FACE("yhigh", "upper y face"),
    POISSON_FACE("zlow", "lower z face (3D only)"),
    POISSON_FACE("zhigh", "upper z face (3D only)"),
    CHOICE("poisson.method", "multigrid", "multigrid bicgstab",
           "multigrid: V-cycles; if a coefficient jumps so much that they converge slowly, "
           "BiCGSTAB goes on. bicgstab: BiCGSTAB from the start."),
    REAL(
        "poisson.tolerance", "1e-8", 0, 1, NULL,
        "Largest residual relative to the largest right-hand side. A value phi at a boundary or an "
        "electrode counts as phi / (L dx), where L is the size of the domain.",
        .above_min = 1),
    INT("poisson.max_cycles", "30", 1, 200, NULL,
        "Largest number of multigrid cycles. If they do not reach the tolerance, the run stops."),
    REAL("poisson.b", "0", 0, INFINITY, NULL,
         "Constant b of div(a grad phi) - b phi = f, unless a hook gives it."),
    INT("poisson.every", "0", 0, 1 << 28, "steps",
        "The equation is solved in the first stage of a step, after so many steps; 0: in each "
        "stage of each step."),
    CHOICE("poisson.bodies", "ignore", "ignore zero",
           "Bodies in an equation of POISSON_OF, for sections [poisson.NAME]. ignore: it does not "
           "see them; zero: its solution is 0 in all of them."),
    {.help = ""}, /* the next key is of [poisson] alone */
    INT("poisson.gather_cells", "0", 0, 1 << 28, NULL,
        "If a coarse level has at most this number of cells, every rank computes all of it, which "
        "needs no exchange of ghost cells. 0: 4096 on CPUs, 2097152 on GPUs that read each "
        "other's memory, 262144 on other GPUs; 1: no level is computed in this way."),
    {.key = NULL},
};

/* The function of a hook such as POISSON_BOUNDARY, empty if no file has it. The problem's wins. */
static void find_function(const oak_setup_t *setup, const char *what, const char *name,
                          char function[OAK_LONGEST_FUNCTION]) {
  char hook[64];
  snprintf(hook, sizeof hook, "poisson%s%s", what, *name ? "_of" : "");
  *function = 0;
  for (int o = 0; o < 2; o++)
    if (oak_declares(&setup->files.declared, o, hook, name))
      snprintf(function, OAK_LONGEST_FUNCTION, "%s_%s%s%s", oak_owner_name[o], hook,
               *name ? "_" : "", name);
}

/* `name` is empty for POISSON. */
static oak_status_t read_equation(oak_setup_t *setup, const char *name) {
  oak_equations_t *list = &setup->equations;
  oak_equation_t *e = &list->of[list->count];
  const char *const of = *name ? "_OF" : "";
  find_function(setup, "", name, e->rhs);
  find_function(setup, "_coefficients", name, e->coefficients);
  find_function(setup, "_b", name, e->b);
  find_function(setup, "_boundary", name, e->boundary);
  OAK_CHECK(*e->rhs || (!*e->coefficients && !*e->b && !*e->boundary), OAK_ERR_INPUT,
            "POISSON_COEFFICIENTS%s, POISSON_B%s and POISSON_BOUNDARY%s need POISSON%s(%s%sat, q) "
            "{ ... }",
            of, of, of, of, name, *name ? ", " : "");
  OAK_CHECK(!*e->coefficients || !*e->b, OAK_ERR_INPUT,
            "POISSON_COEFFICIENTS%s and POISSON_B%s both give b: leave one of them out", of, of);
  if (!*e->rhs) return OAK_OK;
  e->name = *name ? name : "phi";
  e->section = *name != 0;
  for (int n = 0; n < list->count; n++)
    OAK_CHECK(strcmp(list->of[n].name, e->name) != 0, OAK_ERR_INPUT,
              "POISSON and POISSON_OF(%s, ...) are two equations for %s: rename one of them",
              e->name, e->name);
  OAK_CHECK(++list->count < OAK_MAX_EQUATIONS, OAK_ERR_INPUT,
            "physics and problem have more than %d equations POISSON_OF", OAK_MAX_EQUATIONS - 1);
  return OAK_OK;
}

const char *oak_equation_key(const oak_equation_t *e, const char *word,
                             char key[OAK_LONGEST_FUNCTION]) {
  snprintf(key, OAK_LONGEST_FUNCTION, "poisson.%s%s%s", e->section ? e->name : "",
           e->section ? "." : "", word);
  return key;
}

const char *oak_equation_hook(const oak_equation_t *e, const char *hook,
                              char text[OAK_LONGEST_FUNCTION]) {
  snprintf(text, OAK_LONGEST_FUNCTION, "%s%s%s%s", hook, e->section ? "_OF(" : "(",
           e->section ? e->name : "", e->section ? ", " : "");
  return text;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  const oak_declared_t *d = &setup->files.declared;
  (void)module;
  OAK_TRY(read_equation(setup, ""));
  for (int n = 0; n < d->nequation; n++) OAK_TRY(read_equation(setup, d->equation[n].name));
  for (int n = 0; n < setup->equations.count; n++)
    if (setup->equations.of[n].section)
      OAK_TRY(oak_params_declare_named(setup->params, poisson_keys, setup->equations.of[n].name));
  return OAK_OK;
}

int oak_field_find(const oak_setup_t *setup, const char *name) {
  for (int n = 0; n < setup->fields.count; n++)
    if (!strcmp(name, setup->fields.field[n].name)) return n;
  return -1;
}

/* Whether `name` is f_tt of the solution f. An equation sets it together with f_t. */
static int is_second(const oak_setup_t *setup, const char *f, const char *name) {
  char first[OAK_LONGEST_FUNCTION], second[OAK_LONGEST_FUNCTION];
  snprintf(first, sizeof first, "%s_t", f);
  snprintf(second, sizeof second, "%s_tt", f);
  return !strcmp(name, second) && oak_field_find(setup, first) >= 0;
}

const char *oak_equation_result(const oak_setup_t *setup, const char *name) {
  for (int n = 0; n < setup->equations.count; n++)
    for (int i = 0; i <= 3; i++) { /* in 2D, that along z is 0 */
      const char *of = setup->equations.of[n].name;
      char part[OAK_LONGEST_FUNCTION];
      const int length = snprintf(part, sizeof part, "%s%s%s", of, i ? "_" : "",
                                  i ? oak_axis_name(setup, i - 1) : "");
      if ((!strncmp(name, part, length) && (!name[length] || !strcmp(name + length, "_t"))) ||
          (i == 0 && is_second(setup, of, name)))
        return name + strlen(of);
    }
  return NULL;
}

int oak_equation_every(const oak_setup_t *setup, int number) {
  return (int)oak_params_int(setup->params,
                             OAK_EQUATION_KEY(&setup->equations.of[number], "every"));
}

int oak_equation_absorbs(const oak_setup_t *setup, int number) {
  const oak_equation_t *e = &setup->equations.of[number];
  return e->section && oak_params_choice(setup->params, OAK_EQUATION_KEY(e, "bodies")) == 1;
}

/* poisson.gather_cells, which solvers of a user's program use (oak_solve), is allowed without an
 * equation. */
static oak_status_t check_keys(oak_setup_t *setup) {
  int named = 0;
  char reason[9000];
  snprintf(reason, sizeof reason, "neither %s nor %s has the hook POISSON(at, q) { ... }",
           setup->files.physics, setup->files.problem);
  for (int n = 0; n < setup->equations.count; n++) {
    const oak_equation_t *e = &setup->equations.of[n];
    const oak_text_place_t slope = oak_text_find(setup->files.text, "slope.", e->name);
    named |= e->section;
    OAK_CHECK(!oak_equation_every(setup, n) || !*slope.path, OAK_ERR_INPUT,
              "%s: %s is not possible: %s:%d reads slope.%s, which only an equation that is solved "
              "in each stage has; leave the key out",
              oak_params_origin(setup->params, OAK_EQUATION_KEY(e, "every")),
              OAK_EQUATION_KEY(e, "every"), slope.path, slope.line, e->name);
    if (oak_equation_absorbs(setup, n) && !oak_has_charged_bodies(setup))
      OAK_TRY(oak_key_unused(setup, OAK_EQUATION_KEY(e, "bodies"),
                             "there is no electrode or dielectric"));
    OAK_TRY(oak_key_unused(setup, OAK_EQUATION_KEY(e, "b"),
                           *e->b              ? "POISSON_B gives b"
                           : *e->coefficients ? "POISSON_COEFFICIENTS gives b"
                                              : NULL));
  }
  OAK_TRY(oak_key_unused(setup, "poisson.bodies",
                         named ? NULL : "no equation is declared by POISSON_OF"));
  return setup->equations.count ? OAK_OK : oak_keys_unused(setup, poisson_keys, reason);
}

static const char *function_of(const oak_equation_t *e, size_t member) {
  return (const char *)e + member;
}

int oak_equation_has(const oak_setup_t *setup, size_t member) {
  int any = 0;
  for (int n = 0; n < setup->equations.count; n++)
    any |= *function_of(&setup->equations.of[n], member) != 0;
  return any;
}

/* X(number, function) for each equation that has it; `member`: its place in oak_equation_t. */
static void print_functions(const oak_setup_t *setup, FILE *f, const char *macro, size_t member) {
  const oak_equations_t *list = &setup->equations;
  if (!oak_equation_has(setup, member)) return;
  fprintf(f, "\n#define %s(OAK_X)", macro);
  for (int n = 0; n < list->count; n++)
    if (*function_of(&list->of[n], member))
      fprintf(f, " OAK_X(%d, %s)", n, function_of(&list->of[n], member));
}

static void print(const oak_setup_t *setup, int purpose, FILE *f) {
  const oak_equations_t *list = &setup->equations;
  const oak_declared_t *d = &setup->files.declared;
  int any = 0;
  if (purpose == OAK_TO_DECLARE) return;
  if (purpose == OAK_TO_DESCRIBE) {
    fprintf(f, "\n#define OAK_EQUATIONS(OAK_X) OAK_X(0, phi)");
    for (int n = 0; n < d->nequation; n++)
      if (strcmp(d->equation[n].name, "phi") != 0) fprintf(f, " OAK_X(0, %s)", d->equation[n].name);
    return;
  }
  for (int n = 0; n < list->count; n++)
    if (!oak_equation_every(setup, n))
      fprintf(f, "%s OAK_X(%d, %s)", any++ ? "" : "\n#define OAK_EQUATIONS(OAK_X)", n,
              list->of[n].name);
  print_functions(setup, f, "OAK_EQUATION_RHS", offsetof(oak_equation_t, rhs));
  print_functions(setup, f, "OAK_EQUATION_COEFFICIENTS", offsetof(oak_equation_t, coefficients));
  print_functions(setup, f, "OAK_EQUATION_B", offsetof(oak_equation_t, b));
  print_functions(setup, f, "OAK_EQUATION_BOUNDARY", offsetof(oak_equation_t, boundary));
}

const oak_topic_t oak_topic_equations = {
    .keys = poisson_keys, .describe = describe, .read = check_keys, .print = print};
