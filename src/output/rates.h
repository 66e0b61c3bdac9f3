/* SPDX-License-Identifier: GPL-2.0-or-later
 * Columns of a table that hold how fast other columns change: the difference to the row before over
 * the difference in time. Private. All functions are rank-local. */
#pragma once

#include <stdio.h>

#include "output/item.h"

enum { OAK_MOST_RATES = 32, OAK_RATE_NAME = 160 };

typedef struct {
  int count;
  char name[OAK_MOST_RATES][OAK_RATE_NAME]; /**< of the other columns */
  int column[OAK_MOST_RATES];               /**< their places in a row */
  int known;                                /**< there is a row before */
  double time, value[OAK_MOST_RATES];       /**< of that row */
} oak_row_rates_t;

/** Choose the columns that the key `rates` of an output names. \a head: the names of all columns,
 * each after a comma; \a old: other names for them, which the key may use. \return OAK_ERR_INPUT if
 * there is no such column, or if two columns have one name. */
oak_status_t oak_rates_choose(const oak_output_item_t *item, const char *head, const char *old,
                              oak_row_rates_t *rates);

/** Print the names of the columns of rates, each after a comma. */
void oak_rates_head(const oak_row_rates_t *rates, FILE *stream);

/** Print the rates between the row before and \a row, the values of the other columns at \a time,
 * each after a comma; `nan` in a first row. */
void oak_rates_row(oak_row_rates_t *rates, const char *row, double time, FILE *stream);

/** Write and read the row before. Without it the next row is a first one. */
void oak_rates_save(const oak_row_rates_t *rates, FILE *stream);
void oak_rates_load(oak_row_rates_t *rates, const char *text);
