/* SPDX-License-Identifier: GPL-2.0-or-later
 * How the tables of parameters are written. For files with such a table alone. Private.
 *
 * The last argument of each macro is the help text. Further members of oak_param_desc_t may follow
 * it, such as .may_change = 1. */
#pragma once

#include <stddef.h>

#include "oak/params.h"

#define NUMBER(kind, name, preset, low, high, unit_, ...)                                  \
  {                                                                                        \
    .key = name, .type = kind, .fallback = preset, .min = low, .max = high, .unit = unit_, \
    .help = __VA_ARGS__                                                                    \
  }
#define INT(...) NUMBER(OAK_PARAM_INT, __VA_ARGS__)
#define INTS(...) NUMBER(OAK_PARAM_INTS, __VA_ARGS__)
#define REAL(...) NUMBER(OAK_PARAM_REAL, __VA_ARGS__)
#define REALS(name, preset, unit, ...) \
  NUMBER(OAK_PARAM_REALS, name, preset, 0, 0, unit, __VA_ARGS__)
#define BOOL(name, preset, ...) NUMBER(OAK_PARAM_BOOL, name, preset, 0, 0, NULL, __VA_ARGS__)
#define TEXT(name, preset, ...) NUMBER(OAK_PARAM_TEXT, name, preset, 0, 0, NULL, __VA_ARGS__)
#define CHOICE(name, preset, words, ...) \
  NUMBER(OAK_PARAM_CHOICE, name, preset, 0, 0, NULL, __VA_ARGS__, .choices = words)
