/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of a build need to know of a source: its name and the text of its translation
 * unit. */
#include <stdlib.h>
#include <string.h>

#include "build/build.h"

int oak_build_keep(void) {
  const char *keep = getenv("OAK_KEEP");
  return keep && keep[0] && strcmp(keep, "0") != 0;
}

const char *oak_source_name(const oak_source_t *source) {
  return source->name && source->name[0] ? source->name : "kernel";
}

oak_status_t oak_source_text(const oak_source_t *source, oak_buffer_t *text) {
  oak_buffer_print(text, "/* Translation unit of kernel '%s', written by oak. */\n",
                   oak_source_name(source));
  oak_buffer_print(text, "#include \"oak/kernel.h\"\n");
  if (source->text) oak_buffer_print(text, "%s", source->text);
  for (int i = 0; i < source->nfile; i++) {
    char *path;
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    int plain = !strpbrk(path, "\"\n");
    if (plain) oak_buffer_print(text, "#include \"%s\"\n", path);
    free(path);
    OAK_CHECK(plain, OAK_ERR_ARGUMENT,
              "kernel source '%s' has a quote or a line break in its path, which #include cannot "
              "name; rename it",
              source->file[i]);
  }
  return oak_buffer_status(text);
}

void oak_file_hash(oak_hash_t *hash, const char *path) {
  oak_buffer_t text = {0};
  oak_buffer_read(&text, path);
  oak_hash_bytes(hash, &text.length, sizeof text.length);
  oak_hash_bytes(hash, oak_buffer_get(&text), text.length);
  oak_buffer_free(&text);
}
