/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of a build need to know of a source: its name and the text of its translation
 * unit; the files of a build; and where the kernel sources are, which are read when a run starts,
 * not when oak is built. */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "base/trust.h"
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

static int has_file(const char *folder, const char *file) {
  char path[PATH_MAX];
  return oak_path_print(path, "%s/%s", folder, file) == OAK_OK && access(path, R_OK) == 0;
}

static int is_root(const char *folder) { return has_file(folder, "include/oak/kernel.h"); }

/** Whether a folder is the source tree itself: /usr/include may hold the headers, but not the
 * kernels. */
static int is_tree(const char *folder) {
  return is_root(folder) && has_file(folder, "kernels/flux/flux.c");
}

/** What a search has found. */
typedef struct {
  char program[PATH_MAX]; /**< near which sources are looked for */
  char root[PATH_MAX];    /**< the sources, in full */
  char refused[PATH_MAX]; /**< sources that others may change, "" if there are none */
  char why[OAK_WHY];      /**< why these are refused */
} search_t;

/** Whether a folder, and those of the sources in it, \a deep, are changed only by who is trusted.
 */
static int is_trusted(const search_t *search, const char *folder, int deep, char why[OAK_WHY]) {
  static const char part[] = "physics kernels numerics problems include";
  char full[PATH_MAX], path[PATH_MAX];
  struct stat info;
  if (!realpath(folder, full) || stat(full, &info) != 0 || !S_ISDIR(info.st_mode)) return 1;
  int trusted = oak_path_trusted_by(search->program, full, why);
  DIR *list = deep ? opendir(full) : NULL;
  for (const struct dirent *e; trusted && list && (e = readdir(list));)
    if (e->d_name[0] != '.' && (deep < 3 || oak_str_has_word(part, e->d_name, strlen(e->d_name))) &&
        oak_path_print(path, "%s/%s", full, e->d_name) == OAK_OK)
      trusted = is_trusted(search, path, deep - 1, why);
  if (list) closedir(list);
  return trusted;
}

/** Take a folder, unless others may put code into it. */
static int take(search_t *search, const char *folder) {
  char why[OAK_WHY];
  if (!realpath(folder, search->root)) return 0;
  if (is_trusted(search, search->root, 3, why)) return 1;
  memcpy(search->refused, search->root, sizeof search->refused);
  memcpy(search->why, why, sizeof search->why);
  return 0;
}

/** Take share/oak in \a folder. Others who may write to share/ could put a link there. */
static int take_share(search_t *search, const char *folder) {
  char share[PATH_MAX + 32], guess[PATH_MAX + 32];
  snprintf(share, sizeof share, "%s/share", folder);
  snprintf(guess, sizeof guess, "%s/share/oak", folder);
  return is_root(guess) && take(search, share) && take(search, guess);
}

/** Look for the sources near the file \a origin: in share/oak beside its folder bin/, lib/ or
 * lib/<architecture>/, or in the source tree above it if the file is in a build folder. The tree
 * may have moved since it was built. */
static int root_near(search_t *search, const char *origin) {
  char path[PATH_MAX];
  if (!realpath(origin, search->program)) return 0;
  memcpy(path, search->program, sizeof path);
  for (int up = 0; up < 3; up++) {
    char *slash = strrchr(path, '/');
    if (!slash) return 0;
    *slash = '\0';
    if (up == 0) continue;
    if (take_share(search, path)) return 1;
    if (is_tree(path) && take(search, path)) return 1;
  }
  return 0;
}

static oak_status_t find_root(search_t *search, const char *home) {
  search->refused[0] = '\0';
  if (home[0]) {
    OAK_CHECK(
        is_root(home) && realpath(home, search->root), OAK_ERR_FILE,
        "OAK_HOME is '%s', which holds no include/oak/kernel.h; set it to the source tree or to "
        "PREFIX/share/oak, or unset it",
        home);
    return OAK_OK;
  }
  Dl_info info;
  if (dladdr(search, &info) && info.dli_fname && root_near(search, info.dli_fname)) return OAK_OK;
  if (root_near(search, "/proc/self/exe")) return OAK_OK;
#ifdef OAK_SOURCE_ROOT
  if (is_root(OAK_SOURCE_ROOT) && take(search, OAK_SOURCE_ROOT)) return OAK_OK;
#endif
  OAK_CHECK(
      !search->refused[0], OAK_ERR_FILE,
      "%s, with kernel sources, is not used: %s; set OAK_HOME to a source tree of oak or to a "
      "PREFIX/share/oak that you trust",
      search->refused, search->why);
  return OAK_FAIL(OAK_ERR_FILE,
                  "the kernel sources are not found near this program; set OAK_HOME to the source "
                  "tree of oak or to PREFIX/share/oak");
}

oak_status_t oak_source_root(const char **out) {
  static search_t search;
  static char asked[PATH_MAX], known;
  const char *home = getenv("OAK_HOME");
  if (!home) home = "";
  *out = search.root;
  if (known && !strcmp(home, asked)) return OAK_OK;
  known = 0;
  OAK_TRY(find_root(&search, home));
  known = strlen(home) < sizeof asked;
  snprintf(asked, sizeof asked, "%s", home);
  return OAK_OK;
}

int oak_source_is_own(const char *path) {
  static const char *const folder[] = {"/kernels/", "/include/", "/numerics/"};
  const char *root;
  if (oak_source_root(&root) != OAK_OK || strncmp(path, root, strlen(root)) != 0) return 0;
  for (int i = 0; i < 3; i++)
    if (!strncmp(path + strlen(root), folder[i], strlen(folder[i]))) return 1;
  return 0;
}
