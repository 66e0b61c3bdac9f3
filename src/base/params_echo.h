/* SPDX-License-Identifier: GPL-2.0-or-later
 * The echo of a run's parameters, with additions that the set does not contain. Private. */
#pragma once

#include "oak/params.h"

typedef struct {
  const char *key, *value;
} oak_echo_value_t;

/** The same as oak_params_print, with two additions. \a comments, lines that begin with #, are
 * printed below the first line; and \a count keys get other values. */
void oak_params_echo(const oak_params_t *params, const char *comments,
                     const oak_echo_value_t *other, int count, FILE *stream);
