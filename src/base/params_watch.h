/* SPDX-License-Identifier: GPL-2.0-or-later
 * A simulation that uses a set of parameters and wants to know what changes. Private to the
 * library. */
#ifndef OAK_PARAMS_WATCH_H
#define OAK_PARAMS_WATCH_H

#include "oak/params.h"

/** Called before a key gets another value, which may be refused, and after it: then \a number is
 * NULL. Before, it is the new value, 0 for texts. Rank-local. */
typedef oak_status_t oak_params_watch_t(void *user, const char *key, const double *number);

/** From now on \a watch is asked. A value that the key does not allow is refused at once. */
oak_status_t oak_params_watch(oak_params_t *params, oak_params_watch_t *watch, void *user);
void oak_params_unwatch(oak_params_t *params, const void *user);

#endif
