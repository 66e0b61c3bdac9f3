/* SPDX-License-Identifier: GPL-2.0-or-later
 * Where the kernel sources are: they are read when a run starts, not when oak is built. */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_private.h"

static int is_root(const char *folder) {
  char path[PATH_MAX + 32];
  int length = snprintf(path, sizeof path, "%s/include/oak/kernel.h", folder);
  return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/** Whether a folder is the source tree itself: /usr/include may hold the headers, but not the
 * kernels. */
static int is_tree(const char *folder) {
  char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/kernels/flux.c", folder);
  return is_root(folder) && access(path, R_OK) == 0;
}

/** Look for the sources near the file \a origin: in share/oak beside its folder bin/, lib/ or
 * lib/<architecture>/, or in the source tree above it if the file is in a build folder. The tree
 * may have moved since it was built. */
static int root_near(const char *origin, char root[PATH_MAX]) {
  char path[PATH_MAX], guess[PATH_MAX + 32];
  if (!realpath(origin, path)) return 0;
  for (int up = 0; up < 3; up++) {
    char *slash = strrchr(path, '/');
    if (!slash) return 0;
    *slash = '\0';
    if (up == 0) continue;
    snprintf(guess, sizeof guess, "%s/share/oak", path);
    if (is_root(guess) && strlen(guess) < PATH_MAX) {
      memcpy(root, guess, strlen(guess) + 1);
      return 1;
    }
    if (is_tree(path)) {
      memcpy(root, path, strlen(path) + 1);
      return 1;
    }
  }
  return 0;
}

oak_status_t oak_source_root(const char **out) {
  static char root[PATH_MAX];
  const char *home = getenv("OAK_HOME");
  *out = root;
  if (home && home[0]) {
    OAK_CHECK(
        is_root(home) && realpath(home, root), OAK_ERR_FILE,
        "OAK_HOME is '%s', which holds no include/oak/kernel.h; set it to the source tree or to "
        "PREFIX/share/oak, or unset it",
        home);
    return OAK_OK;
  }
  Dl_info info;
  if (dladdr(root, &info) && info.dli_fname && root_near(info.dli_fname, root)) {
    return OAK_OK;
  }
  if (root_near("/proc/self/exe", root)) return OAK_OK;
#ifdef OAK_SOURCE_ROOT
  if (is_root(OAK_SOURCE_ROOT) && realpath(OAK_SOURCE_ROOT, root)) return OAK_OK;
#endif
  return OAK_FAIL(OAK_ERR_FILE,
                  "the kernel sources are not found near this program; set OAK_HOME to the source "
                  "tree of oak or to PREFIX/share/oak");
}
