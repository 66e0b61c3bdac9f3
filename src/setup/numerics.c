/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finds which limiters and fluxes exist, by a line in their source files: "#define
 * LIMITER_RADIUS_name radius" or "RIEMANN(name, ...". */
#include <string.h>

#include "setup/setup.h"

/* Look for lines "#define PREFIXname [number]" in a source file. Appends all names to `known`.
 * \return 1 if `name` is there. */
static int find_defined(const char *path, const char *prefix, const char *name, int *number,
                        char *known, size_t size) {
  char line[512], word[128], pattern[64];
  int found = 0, value;
  FILE *f = fopen(path, "r");
  snprintf(pattern, sizeof pattern, "#define %s%%127s %%d", prefix);
  while (f && fgets(line, sizeof line, f)) {
    const int n = sscanf(line, pattern, word, &value);
    if (n < 1) continue;
    if (!strcmp(word, name)) {
      found = 1;
      if (number && n == 2) *number = value;
    }
    snprintf(known + strlen(known), size - strlen(known), "%s%s", *known ? " " : "", word);
  }
  if (f) fclose(f);
  return found;
}

static oak_status_t find_limiter(const char *name, int *radius, int *found, char *known,
                                 size_t size) {
  const char *root;
  char path[4200];
  OAK_TRY(oak_source_root(&root));
  snprintf(path, sizeof path, "%s/numerics/limiters.h", root);
  *known = 0;
  *found = find_defined(path, "LIMITER_RADIUS_", name, radius, known, size);
  return OAK_OK;
}

/* Look for lines "RIEMANN(name, ..." as find_defined does. */
static int find_riemann(const oak_user_files_t *files, const char *name, char *known, size_t size) {
  char word[128];
  int found = 0;
  for (int i = 0; i < files->nfile; i++)
    for (const char *line = files->file[i].text; *line; line = oak_next_line(line)) {
      /* A blank in the format would skip empty lines as well. */
      if (sscanf(line + strspn(line, " \t"), "RIEMANN ( %127[A-Za-z0-9_]", word) != 1) continue;
      found |= !strcmp(word, name);
      snprintf(known + strlen(known), size - strlen(known), "%s%s", *known ? " " : "", word);
    }
  return found;
}

/* A flux of numerics/riemann.h or of the physics' own files. */
static oak_status_t find_flux(const char *physics_path, const char *name, int *found, char *known,
                              size_t size) {
  const char *root;
  char path[4200];
  oak_user_files_t files = {.file = NULL};
  OAK_TRY(oak_source_root(&root));
  snprintf(path, sizeof path, "%s/numerics/riemann.h", root);
  *known = 0;
  oak_status_t st = oak_user_files_read(&files, path);
  if (st == OAK_OK) st = oak_user_files_read(&files, physics_path);
  *found = find_riemann(&files, name, known, size);
  oak_user_files_free(&files);
  return st;
}

oak_status_t oak_setup_find_limiter(const oak_setup_t *setup, int *radius) {
  const char *name = oak_params_text(setup->params, "scheme.limiter");
  char known[1024];
  int found;
  OAK_TRY(find_limiter(name, radius, &found, known, sizeof known));
  OAK_CHECK(found, OAK_ERR_INPUT, "%s: scheme.limiter = %s: must be one of %s",
            oak_params_origin(setup->params, "scheme.limiter"), name, known);
  return OAK_OK;
}

oak_status_t oak_setup_check_flux(const oak_setup_t *setup) {
  const char *name = oak_params_text(setup->params, "scheme.flux");
  char known[1024];
  int found;
  OAK_TRY(find_flux(setup->files.physics, name, &found, known, sizeof known));
  OAK_CHECK(found, OAK_ERR_INPUT,
            "%s: scheme.flux = %s: with physics.name = %s it must be one of %s",
            oak_params_origin(setup->params, "scheme.flux"), name,
            oak_params_text(setup->params, "physics.name"), known);
  return OAK_OK;
}

oak_status_t oak_setup_find_riemann(oak_setup_t *setup, oak_module_t *module) {
  char all[1024], *names = setup->files.riemann;
  const size_t size = sizeof setup->files.riemann;
  int found;
  OAK_TRY(find_flux("", "", &found, names, size)); /* those for any physics */
  const size_t general = strlen(names);
  OAK_TRY(find_flux(setup->files.physics, "", &found, all, sizeof all));
  for (char *word = strtok(all + general, " "); word; word = strtok(NULL, " ")) {
    char constant[160];
    snprintf(constant, sizeof constant, "riemann_%s", word);
    if (oak_setup_has(setup, module, constant)) {
      const size_t used = strlen(names);
      snprintf(names + used, size - used, " %s", word);
    }
  }
  return OAK_OK;
}

oak_status_t oak_list_limiters(char *names, size_t size) {
  int found;
  OAK_CHECK(size > 0, OAK_ERR_ARGUMENT, "no room for the names of limiters");
  return find_limiter("", NULL, &found, names, size);
}

oak_status_t oak_list_fluxes(const char *physics, char *names, size_t size) {
  const char *root, *dot = strrchr(physics, '.');
  char path[4200];
  int found;
  OAK_CHECK(size > 0, OAK_ERR_ARGUMENT, "no room for the names of fluxes");
  OAK_TRY(oak_source_root(&root));
  if (strchr(physics, '/') || (dot && !strcmp(dot, ".c")))
    snprintf(path, sizeof path, "%s", physics);
  else
    snprintf(path, sizeof path, "%s/physics/%s.c", root, physics);
  return find_flux(path, "", &found, names, size);
}
