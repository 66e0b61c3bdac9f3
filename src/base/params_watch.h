/* SPDX-License-Identifier: GPL-2.0-or-later
 * A simulation that uses a set of parameters and wants to know what changes. Private to the
 * library. */
#pragma once

#include "oak/params.h"

/** Called twice for each change of a key. The first call may refuse the change; \a number points to
 * the new value (0 for texts). The second call, after the change, has \a number NULL. Rank-local.
 */
typedef oak_status_t oak_params_watch_t(void *user, const char *key, const double *number);

/** Call \a watch for each change from now on. A value that the key does not allow is refused before
 * that. */
oak_status_t oak_params_watch(oak_params_t *params, oak_params_watch_t *watch, void *user);
void oak_params_unwatch(oak_params_t *params, const void *user);
