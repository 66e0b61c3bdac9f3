/* SPDX-License-Identifier: GPL-2.0-or-later
 * The source of a module, for more than a build. Private to src/setup. */
#pragma once

#include "setup/setup.h"

/** What is done with a source. */
typedef oak_status_t (*oak_source_user_t)(oak_device_t *dev, const oak_source_t *source,
                                          void *data);

/** Make the source of one module as oak_setup_build_files does, and call \a use with it.
 * Collective, with a status of this rank alone. */
oak_status_t oak_setup_use_source(const oak_setup_t *setup, const char *name,
                                  const char *const *part, const int *time, int npart,
                                  const char *extra, oak_source_user_t use, void *data);
