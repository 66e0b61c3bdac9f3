/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of a build need to know of a source: its name and the text of its translation
 * unit; and the files of a build. */
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
  oak_buffer_print(text,
                   "/* Translation unit of kernel '%s', written by oak. */\n"
                   "#include \"oak/kernel.h\"\n%s",
                   oak_source_name(source), source->text ? source->text : "");
  for (int i = 0; i < source->nfile; i++) {
    OAK_FREED char *path = NULL;
    OAK_TRY(oak_path_absolute(source->file[i], &path));
    OAK_CHECK(!strpbrk(path, "\"\n"), OAK_ERR_ARGUMENT,
              "kernel source '%s' has a quote or a line break in its path, which #include cannot "
              "name; rename it",
              source->file[i]);
    oak_buffer_print(text, "#include \"%s\"\n", path);
  }
  return oak_buffer_status(text);
}

oak_status_t oak_build_write(const oak_buffer_t *text, const char *path, const char *ending) {
  char file[PATH_MAX];
  OAK_TRY(oak_buffer_status(text));
  OAK_TRY(oak_path_print(file, "%s%s", path, ending));
  const int error = oak_buffer_write(text, file);
  OAK_CHECK(!error, OAK_ERR_FILE,
            "%s, a file of a kernel, cannot be written: %s; set OAK_CACHE to a folder with space",
            file, strerror(error));
  return OAK_OK;
}

oak_status_t oak_build_read(oak_buffer_t *text, const char *path, const char *ending) {
  char file[PATH_MAX];
  OAK_TRY(oak_path_print(file, "%s%s", path, ending));
  const int error = oak_buffer_read(text, file);
  OAK_CHECK(!error, OAK_ERR_FILE, "%s, a file of a kernel, cannot be read: %s", file,
            strerror(error));
  return oak_buffer_status(text);
}

void oak_file_hash(oak_hash_t *hash, const char *path) {
  oak_buffer_t text = {0};
  oak_buffer_read(&text, path);
  oak_hash_bytes(hash, &text.length, sizeof text.length);
  oak_hash_bytes(hash, oak_buffer_get(&text), text.length);
  oak_buffer_free(&text);
}
