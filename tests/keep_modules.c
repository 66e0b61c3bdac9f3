/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests under the leak checker: shared objects stay loaded to the end, since a leak of an object that
 * is gone has no name left that leaks.supp could know. */
__attribute__((visibility("default"))) int dlclose(void *object);

int dlclose(void *object) {
  (void)object;
  return 0;
}
