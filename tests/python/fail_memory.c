/* SPDX-License-Identifier: GPL-2.0-or-later
 * A library to be loaded with LD_PRELOAD: allocations fail when they are asked for by liboak.so.
 * MPI, p4est and Python get their memory. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t unit, size_t size);

/* Allocations until one fails, and those after it that fail too; a device that is full stays so. */
static long left, more;

/** Let the allocation \a first fail, counted from 1, and those behind it, \a count in all; 0: none.
 * \return how many allocations the last \a first still was away: above 0 if none has failed. */
__attribute__((visibility("default"))) long fail_memory(long first, long count);
long fail_memory(long first, long count) {
  const long was = left;
  left = first;
  more = count;
  return was;
}

static int fails(void *from) {
  Dl_info info;
  if (!more || !dladdr(from, &info) || !strstr(info.dli_fname, "liboak.so")) return 0;
  if (left > 0 && --left > 0) return 0;
  more--;
  errno = ENOMEM;
  return 1;
}

#define FAILS fails(__builtin_return_address(0))
void *malloc(size_t size) { return FAILS ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t unit, size_t size) { return FAILS ? NULL : __libc_memalign(unit, size); }
