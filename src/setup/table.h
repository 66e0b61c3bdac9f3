/* SPDX-License-Identifier: GPL-2.0-or-later
 * Functions that are given by numbers, for kernels: the tables of hooks (TABLE), of reactions and
 * of the motion of electrons. Private to src/setup. */
#pragma once

#include <stdio.h>

#include "base/failure.h"
#include "declare/declared.h"
#include "oak.h"
#include "oak/kernel_args.h"

/** The numbers of a table, or points between which a formula is smooth. */
typedef struct {
  const char *path;
  int words, dim;
  int count[2];  /**< along x and y; 1 along y if dim is 1 */
  double *x[2];  /**< increasing places */
  double *value; /**< [count[0]][count[1]]; NULL for a formula */
  double *slope; /**< for OAK_TABLE_CUBIC */
  double scale;  /**< scale of all values */
  oak_status_t (*formula)(const void *of, double x, double *y);
  const void *of;
} oak_points_t;

/** table_points.c: read a text file; path, words and dim are set. Rank-local. */
oak_status_t oak_points_read(oak_points_t *p);
/** The value at x, in one dimension, between the points n and n + 1. */
oak_status_t oak_points_value(const oak_points_t *p, int n, long double x, long double *y);
void oak_points_free(oak_points_t *p);

/** A table that is printed as C. */
typedef struct oak_printed {
  char name[64];
  oak_points_t p;
  const struct oak_printed *axis; /**< the table whose axis it shares */
  double low, high, unit;
  double small; /**< errors of values up to this do not count */
  int order, placed, cancels;
} oak_printed_t;

typedef struct {
  FILE *f;
  int real_size, count;
  oak_printed_t *table;
  double error; /**< the largest, as a part of the local value */
} oak_table_printer_t;

/** table_print.c: the points, which must stay, become the table NAME. */
oak_status_t oak_table_add(oak_table_printer_t *out, const char *name, const oak_points_t *p);
/** A table without values. */
void oak_table_none(FILE *f, const char *name);
/** Print all tables that were added, if st is OAK_OK, and forget them. */
oak_status_t oak_table_print(oak_table_printer_t *out, oak_status_t st);

/** A function whose values come from a file (TABLE). */
typedef struct {
  oak_owner_t owner;
  const char *name;
  char file[OAK_TABLE_BYTES]; /**< name in the C file */
  oak_points_t points;
  char key[OAK_LONGEST_NAME + 16];
  char path[4096]; /**< "" if no file is given */
} oak_user_table_t;
typedef struct {
  int count;
  oak_user_table_t table[OAK_MAX_TABLES];
  char *text[2]; /**< C for the kernels, of physics and problem */
  double error;  /**< the largest of formulas and logarithmic scales */
} oak_tables_t;

/** Reactions (reactions.c). */
typedef struct {
  char *text; /**< C for the kernels; NULL: there are none */
  char *note; /**< for the log: what they are and where their coefficients come from */
} oak_reactions_t;

typedef struct oak_setup oak_setup_t;

/* tables.c */
/** The path of the file that a key names, or the C file \a source if the key is not set; "" if
 * there is none. Rank-local. */
oak_status_t oak_tables_find(const oak_setup_t *setup, const char *key, const char *source,
                             char path[4096]);
/** The largest step up to \a dt from \a time in which no table over the time changes by more than
 * a small part of its range. */
double oak_tables_step(const oak_setup_t *setup, double time, double dt);
