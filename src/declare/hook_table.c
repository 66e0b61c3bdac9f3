/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reads the table of hooks: each macro of kernels/language/hooks.h that follows a comment which
 * begins with "Physics:", "Physics, needed:", "Problem:" or "Any:". The first word says which file
 * may have the hook. */
#include "declare/hook_table.h"

#include <stdio.h>
#include <string.h>

#include "oak/device.h"

/** An argument of a macro as a file writes it: texts are in quotes. */
static const char *as_written(const char *argument) {
  static const char *const shown[][2] = {{"text", "\"text\""},     {"names", "\"names\""},
                                         {"help", "\"help\""},     {"file", "\"file\""},
                                         {"values", "\"values\""}, {"fallback", "default"}};
  for (int n = 0; n < 6; n++)
    if (!strcmp(argument, shown[n][0])) return shown[n][1];
  return argument;
}

static void append(char form[96], const char *text) {
  const size_t length = strlen(form), more = strlen(text);
  if (length + more < 96) memcpy(form + length, text, more + 1);
}

/** A hook from its macro, "NAME(arguments) ...", which is cut into words. */
static void add_hook(oak_hook_table_t *table, const char *who, char *macro) {
  oak_hook_t *h = &table->hook[table->count++];
  const int any = !strcmp(who, "Any:");
  char *end = strchr(macro, ')');
  if (end) *end = 0;
  *h = (oak_hook_t){.owner = {any || !strncmp(who, "Phy", 3), any || !strcmp(who, "Problem:")},
                    .needed = !strcmp(who, "Physics, needed:")};
  snprintf(h->name, sizeof h->name, "%s", strtok(macro, "("));
  append(h->form, h->name);
  append(h->form, "(");
  for (const char *word = strtok(NULL, ", "); word;) {
    /* Only functions have such an argument. */
    h->function |= !strcmp(word, "at") || !strcmp(word, "ph") || !strcmp(word, "q");
    append(h->form, as_written(word));
    word = strtok(NULL, ", ");
    append(h->form, word ? ", " : ")");
  }
  if (h->function) append(h->form, " { ... }");
}

oak_status_t oak_hook_table_read(oak_hook_table_t *out) {
  static const char *const owners[] = {"Physics:", "Physics, needed:", "Problem:", "Any:"};
  char path[4200], line[512], who[32] = "";
  const char *root;
  OAK_TRY(oak_source_root(&root));
  snprintf(path, sizeof path, "%s/kernels/language/hooks.h", root);
  FILE *f = fopen(path, "r");
  OAK_CHECK(f, OAK_ERR_FILE, "cannot read %s", path);
  out->count = 0;
  while (fgets(line, sizeof line, f)) {
    for (int n = 0; n < 4; n++)
      if (!strncmp(line, "/* ", 3) && !strncmp(line + 3, owners[n], strlen(owners[n])))
        snprintf(who, sizeof who, "%s", owners[n]);
    if (strncmp(line, "#define ", 8) || !*who || out->count == OAK_MAX_HOOKS) continue;
    add_hook(out, who, line + 8);
    *who = 0;
  }
  fclose(f);
  return OAK_OK;
}

const oak_hook_t *oak_hook_find(const oak_hook_table_t *table, const char *name) {
  for (int n = 0; n < table->count; n++)
    if (!strcmp(name, table->hook[n].name)) return &table->hook[n];
  return NULL;
}
