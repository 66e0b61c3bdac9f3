/* SPDX-License-Identifier: GPL-2.0-or-later
 * Passive scalars that a run adds to the variables of its physics: physics.scalars is their number
 * or their names (kernels/language/scalars.h). */
#include <stdlib.h>
#include <string.h>

#include "setup/setup.h"

static oak_status_t add_scalar(const oak_setup_t *setup, oak_scalars_t *s, const char *word) {
  const char *origin = oak_params_origin(setup->params, "physics.scalars");
  OAK_CHECK(s->count < OAK_MAX_NVAR, OAK_ERR_INPUT, "%s: physics.scalars: there can be at most %d",
            origin, OAK_MAX_NVAR - 1);
  OAK_CHECK(oak_is_name(word) && strlen(word) <= OAK_LONGEST_SCALAR, OAK_ERR_INPUT,
            "%s: physics.scalars: %s: must be a number, or names of letters, digits and _ with at "
            "most %d characters, apart by blanks",
            origin, word, OAK_LONGEST_SCALAR);
  for (int n = 0; n < s->count; n++)
    OAK_CHECK(strcmp(s->name[n], word), OAK_ERR_INPUT, "%s: physics.scalars names %s twice", origin,
              word);
  snprintf(s->name[s->count++], sizeof *s->name, "%s", word);
  return OAK_OK;
}

static oak_status_t begin(oak_setup_t *setup) {
  oak_scalars_t *s = &setup->scalars;
  const char *text = oak_params_text(setup->params, "physics.scalars");
  char words[OAK_NAMES_BYTES], name[32], *end;
  s->count = 0;
  s->values = oak_params_choice(setup->params, "physics.scalar_values");
  OAK_CHECK(snprintf(words, sizeof words, "%s", text) < (int)sizeof words, OAK_ERR_INPUT,
            "%s: physics.scalars has more than %zu characters",
            oak_params_origin(setup->params, "physics.scalars"), sizeof words - 1);
  const long count = strtol(words, &end, 10);
  if (end > words && !end[strspn(end, " \t")]) {
    OAK_CHECK(count >= 0 && count < OAK_MAX_NVAR, OAK_ERR_INPUT,
              "%s: physics.scalars = %s: must be 0 to %d",
              oak_params_origin(setup->params, "physics.scalars"), text, OAK_MAX_NVAR - 1);
    for (int n = 0; n < count; n++) {
      snprintf(name, sizeof name, "scalar%d", n);
      OAK_TRY(add_scalar(setup, s, name));
    }
    return OAK_OK;
  }
  for (char *word = strtok(words, " ,\t"); word; word = strtok(NULL, " ,\t"))
    OAK_TRY(add_scalar(setup, s, word));
  return OAK_OK;
}

static void print(const oak_setup_t *setup, int purpose, FILE *f) {
  const oak_scalars_t *s = &setup->scalars;
  (void)purpose;
  fprintf(f, "\n#define NSCALARS %d\n#define OAK_SCALAR_VALUES %d\n", s->count, s->values);
  if (!s->count) return;
  fprintf(f, "#define OAK_SCALAR_NAMES(OAK_X)");
  for (int n = 0; n < s->count; n++) fprintf(f, " OAK_X(%d, %s)", n, s->name[n]);
  fprintf(f, "\n");
}

/* Whether the physics, with `count` variables, has one of this name. */
static int is_taken(const oak_description_t *d, int count, const char *name) {
  for (int v = 0; v < count; v++)
    if (!strcmp(d->name[v], name) || !strcmp(d->name[d->nvar + v], name)) return 1;
  return !strcmp("level", name);
}

/* Put the names of scalars behind those of `count` conserved and primitive variables. */
static void insert_names(oak_description_t *d, oak_scalars_t *s, int count, int mass) {
  d->nvar = count + s->count;
  memmove(&d->name[d->nvar], &d->name[count], (size_t)count * sizeof *d->name);
  for (int n = 0; n < s->count; n++) {
    char name[sizeof *s->conserved]; /* gcc 12 takes the arguments for parts of s->conserved */
    snprintf(name, sizeof name, "%.*s_%s", OAK_LONGEST_SCALAR, d->name[mass], s->name[n]);
    memcpy(s->conserved[n], name, sizeof name);
    d->name[count + n] = s->conserved[n];
    d->name[d->nvar + count + n] = s->name[n];
  }
  d->name[2 * d->nvar] = "level";
}

/* Add the scalars to the variables of the physics, of which `mass` carries them. */
static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  oak_description_t *d = &setup->description;
  oak_scalars_t *s = &setup->scalars;
  const char *origin = oak_params_origin(setup->params, "physics.scalars");
  const int count = d->nvar;
  int mass;
  if (!s->count) return OAK_OK;
  OAK_TRY(oak_device_constant(setup->dev, module, "oak_describe_mass", &mass, sizeof mass));
  OAK_CHECK(mass >= 0 && mass < count, OAK_ERR_INPUT,
            "%s: physics.scalars = %s: %s has no mass that carries scalars (PHYSICS_MASS is %d): "
            "leave the key out",
            origin, oak_params_text(setup->params, "physics.scalars"), setup->files.physics, mass);
  OAK_CHECK(count + s->count <= OAK_MAX_NVAR, OAK_ERR_INPUT,
            "%s: physics.scalars: the physics has %d variables, which leaves room for %d scalars",
            origin, count, OAK_MAX_NVAR - count);
  insert_names(d, s, count, mass);
  for (int n = 0; n < s->count; n++)
    OAK_CHECK(!is_taken(d, count, s->name[n]) && !is_taken(d, count, s->conserved[n]),
              OAK_ERR_INPUT,
              "%s: physics.scalars: the physics has a variable %s or %s: choose another name",
              origin, s->name[n], s->conserved[n]);
  return OAK_OK;
}

const oak_topic_t oak_topic_scalars = {.begin = begin, .describe = describe, .print = print};
