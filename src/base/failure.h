/* SPDX-License-Identifier: GPL-2.0-or-later
 * The first failure of several calls, and the begin of public functions. Private. */
#ifndef OAK_FAILURE_H
#define OAK_FAILURE_H

#include "oak/status.h"

/** Set \a *st to \a next unless \a *st is a failure already. For calls that a rank makes even after
 * a failure, because other ranks wait for them. */
static inline void oak_keep_failure(oak_status_t *st, oak_status_t next) {
  if (*st == OAK_OK) *st = next;
}

/** Begin a public function: refuse a handle that is NULL. Otherwise forget the message of an
 * earlier failure, so that oak_last_error() is empty after success. */
#define OAK_BEGIN(handle) OAK_TRY(oak_begin((handle) != NULL, __func__))
oak_status_t oak_begin(int is_there, const char *function);

/** The same where an earlier message must stay, as in functions that clean up after a failure. */
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

#endif
