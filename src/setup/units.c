/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of physics and problem declare of variables: their units (UNITS), which are
 * labels, for oak converts nothing; and those that have a value in few cells only (SPARSE). */
#include <stdio.h>
#include <string.h>

#include "base/geometry.h"
#include "base/str.h"
#include "setup/setup.h"

/* Files name units in XML and in lines of text. */
static oak_status_t check_unit(const char *file, const char *unit) {
  int plain = 1;
  for (const char *c = unit; *c; c++) plain &= *c >= ' ' && *c <= '~' && !strchr("\"<>&", *c);
  OAK_CHECK(
      *unit && plain && strlen(unit) <= OAK_LONGEST_UNIT, OAK_ERR_INPUT,
      "%s: UNITS: the unit '%.60s': must be 1 to %d letters, digits and signs, such as kg/m^3",
      file, unit, OAK_LONGEST_UNIT);
  return OAK_OK;
}

/* "vx vy: m/s", or a unit alone. */
static oak_status_t add_part(oak_units_t *units, oak_owner_t owner, const char *file, char *part) {
  char *colon = strchr(part, ':'), *unit = oak_str_trim(colon ? colon + 1 : part), *next;
  if (!colon && !*unit) return OAK_OK; /* behind the last semicolon */
  OAK_TRY(check_unit(file, unit));
  if (!colon) {
    OAK_CHECK(!*units->other[owner], OAK_ERR_INPUT,
              "%s: UNITS: %s and %s stand without names: only one unit may, that of the other "
              "variables",
              file, units->other[owner], unit);
    units->other[owner] = unit;
    return OAK_OK;
  }
  *colon = 0;
  OAK_CHECK(*oak_str_trim(part), OAK_ERR_INPUT, "%s: UNITS: no name stands before ': %s'", file,
            unit);
  for (char *name = strtok_r(part, " ", &next); name; name = strtok_r(NULL, " ", &next)) {
    OAK_CHECK(units->count < OAK_MAX_UNITS, OAK_ERR_INPUT, "%s: UNITS: more than %d names", file,
              OAK_MAX_UNITS);
    units->of[units->count].name = name;
    units->of[units->count++].unit = unit;
  }
  return OAK_OK;
}

static oak_status_t describe(oak_setup_t *setup, oak_module_t *module) {
  const char *const file[] = {setup->files.physics, setup->files.problem};
  oak_units_t *units = &setup->units;
  units->other[OAK_OF_PHYSICS] = units->other[OAK_OF_PROBLEM] = "";
  for (int o = OAK_OF_PROBLEM; o >= OAK_OF_PHYSICS; o--) {
    char constant[32], *next;
    snprintf(constant, sizeof constant, "%s_sparse", oak_owner_name[o]);
    (void)oak_setup_constant(setup, module, constant, units->sparse[o], OAK_NAMES_BYTES);
    snprintf(constant, sizeof constant, "%s_units", oak_owner_name[o]);
    if (!oak_setup_constant(setup, module, constant, units->text[o], OAK_UNITS_BYTES)) continue;
    for (char *part = strtok_r(units->text[o], ";", &next); part; part = strtok_r(NULL, ";", &next))
      OAK_TRY(add_part(units, o, file[o], part));
  }
  return OAK_OK;
}

int oak_is_sparse(const oak_setup_t *setup, const char *name) {
  const size_t length = strlen(name);
  return oak_str_has_word(setup->units.sparse[OAK_OF_PHYSICS], name, length) ||
         oak_str_has_word(setup->units.sparse[OAK_OF_PROBLEM], name, length);
}

/* Whether a variable is one of the physics itself: no scalar, and not the mask of solids. */
static int is_of_physics(const oak_setup_t *setup, const char *name) {
  const int more = setup->scalars.count + (oak_has_solids(setup) != 0);
  const int nvar = setup->description.nvar;
  for (int v = 0; v < 2 * nvar; v++)
    if (v % nvar < nvar - more && !strcmp(setup->description.name[v], name)) return 1;
  return 0;
}

const char *oak_unit_of(const oak_setup_t *setup, const char *name) {
  const oak_units_t *units = &setup->units;
  for (int n = 0; n < units->count; n++)
    if (oak_component_same(setup->domain.coordinates, units->of[n].name, name))
      return units->of[n].unit;
  if (!is_of_physics(setup, name)) return "";
  return units->other[*units->other[OAK_OF_PROBLEM] ? OAK_OF_PROBLEM : OAK_OF_PHYSICS];
}

const oak_topic_t oak_topic_units = {.describe = describe};
