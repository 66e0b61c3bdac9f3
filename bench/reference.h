/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the reference kernel and its caller share. */
#pragma once

#define REFERENCE_LENGTH 1024
#define REFERENCE_REPEATS 200

typedef struct {
  oak_field_t f;
  double *result; /**< [n] */
} reference_args_t;
