/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests under the leak checker: shared objects of other people stay loaded to the end, since a
 * leak of an object that is gone has no name left that leaks.supp could know. Built kernels do go.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <string.h>

__attribute__((visibility("default"))) int dlclose(void *object);

static int is_kernel(void *object) {
  struct link_map *map;
  if (dlinfo(object, RTLD_DI_LINKMAP, &map) != 0) return 0;
  const char *dot = strrchr(map->l_name, '.');
  return dot && strcmp(dot, ".cpu") == 0;
}

int dlclose(void *object) {
  int (*next)(void *);
  if (!is_kernel(object)) return 0;
  *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
  return next(object);
}
