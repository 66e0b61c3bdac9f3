/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests under the leak checker: shared objects of other people stay loaded to the end, since a
 * leak of an object that is gone has no name left that leaks.supp could know. Built kernels do go.
 */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <link.h>
#include <string.h>

__attribute__((visibility("default"))) int dlclose(void *object);

/** Kernels are loaded from open files. */
static int is_kernel(void *object) {
  struct link_map *map;
  return dlinfo(object, RTLD_DI_LINKMAP, &map) == 0 && !strncmp(map->l_name, "/proc/", 6);
}

int dlclose(void *object) {
  int (*next)(void *);
  if (!is_kernel(object)) return 0;
  *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
  return next(object);
}
