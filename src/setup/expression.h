/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a formula such as 2e-16*exp(-c1/Tg)*(300/Tg)**2. Private to src/setup. */
#pragma once

#include "oak.h"

/** A name in a formula, and its value. */
typedef struct {
  const char *name;
  double value;
} oak_symbol_t;

/** Operators are + - * / and ** (or ^) for powers; functions are exp, log, log10, sqrt and abs.
 * \a symbol ends with a name NULL. \return NULL, or what is wrong with the formula. */
const char *oak_expression(const char *text, const oak_symbol_t *symbol, double *value);
