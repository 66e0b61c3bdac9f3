/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the files of physics and problem declare of variables: their units (UNITS), and those that
 * have a value in few cells only (SPARSE). Private to the library. */
#pragma once

#include "oak/kernel_args.h"

enum { OAK_MAX_UNITS = 128, OAK_LONGEST_UNIT = 31 };

typedef struct {
  char text[2][OAK_UNITS_BYTES];   /**< storage, of physics and problem */
  char sparse[2][OAK_NAMES_BYTES]; /**< names of SPARSE, of physics and problem */
  const char *other[2];            /**< unit of the variables of the physics that have none; "" */
  int count;
  struct {
    const char *name, *unit;
  } of[OAK_MAX_UNITS]; /**< units of the problem first */
} oak_units_t;

typedef struct oak_setup oak_setup_t;

/** The unit of a variable, of "length" or of "time"; "" if none is declared. */
const char *oak_unit_of(const oak_setup_t *setup, const char *name);
/** Whether a variable has a value in few cells only (SPARSE). */
int oak_is_sparse(const oak_setup_t *setup, const char *name);
