/* SPDX-License-Identifier: GPL-2.0-or-later
 * The first failure of several calls, memory that may be missing, and the begin of public
 * functions. Private. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oak/status.h"

/** Set \a *st to \a next unless \a *st is a failure already. For calls that a rank makes even after
 * a failure, because other ranks wait for them. */
static inline void oak_keep_failure(oak_status_t *st, oak_status_t next) {
  if (*st == OAK_OK) *st = next;
}

/** A status: let \a pointer point to \a count new items, all bytes 0. It is NULL after a failure.
 */
#define OAK_NEW(pointer, count)                             \
  (((pointer) = calloc((size_t)(count), sizeof *(pointer))) \
       ? OAK_OK                                             \
       : oak_no_memory((size_t)(count), sizeof *(pointer), __FILE__, __LINE__))

/** A status: make room for one more item in an array of \a count items. The array is NULL at first,
 * and only this macro lets it grow. After a failure it is as it was. */
#define OAK_GROW(array, count) \
  oak_grow(&(array), (size_t)(count), sizeof *(array), __FILE__, __LINE__)

/** In front of a local pointer that begins with a value or NULL: what it points to is freed at the
 * end of its block, also after an early return. */
#define OAK_FREED __attribute__((cleanup(oak_freed)))
static inline void oak_freed(void *pointer) {
  void *memory;
  memcpy(&memory, pointer, sizeof memory);
  free(memory);
}

/** \return OAK_ERR_MEMORY; OAK_OK for 0 items, which need none. */
oak_status_t oak_no_memory(size_t count, size_t size, const char *file, int line);
oak_status_t oak_grow(void *array, size_t count, size_t size, const char *file, int line);

/** Close a stream to memory. \return a failure for want of memory, or \a st if that is one. */
oak_status_t oak_close_text(FILE *stream, oak_status_t st);

/** Begin a public function: refuse a handle that is NULL. Otherwise forget the message of an
 * earlier failure, so that oak_last_error() is empty after success. */
#define OAK_BEGIN(handle) OAK_TRY(oak_begin((handle) != NULL, __func__))
oak_status_t oak_begin(int is_there, const char *function);
/** OAK_BEGIN for an object, which is refused if its status says so. */
#define OAK_BEGIN_IF(handle, status) \
  do {                               \
    OAK_BEGIN(handle);               \
    OAK_TRY(status);                 \
  } while (0)

/** Refuse a handle that is NULL and keep an earlier message, for functions that clean up. */
#define OAK_NEED(handle)                          \
  do {                                            \
    if (!(handle)) return oak_begin(0, __func__); \
  } while (0)
/** For public functions without a status: without a handle they return \a otherwise and say
 * nothing. */
#define OAK_HANDLE(handle, otherwise) \
  do {                                \
    if (!(handle)) return otherwise;  \
  } while (0)
