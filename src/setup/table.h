/* SPDX-License-Identifier: GPL-2.0-or-later
 * Functions that are given by numbers, for kernels: the tables of hooks (TABLE), of reactions and
 * of the motion of electrons. Private to src/setup. */
#pragma once

#include <stdio.h>

#include "base/failure.h"
#include "oak.h"
#include "oak/kernel_args.h"

/** The numbers of a table, or points between which a formula is smooth. */
typedef struct {
  const char *path;
  int words, dim;
  int count[2];  /**< along x and y; 1 along y if dim is 1 */
  double *x[2];  /**< they increase */
  double *value; /**< [count[0]][count[1]]; NULL for a formula */
  double *slope; /**< for OAK_TABLE_CUBIC */
  oak_status_t (*formula)(const void *of, double x, double *y);
  const void *of;
  double small; /**< errors of values up to this do not count */
} oak_points_t;

/** table_points.c: read a text file or .npy; path, words and dim are set. Rank-local. */
oak_status_t oak_points_read(oak_points_t *p);
/** The value at x, in one dimension, between the points n and n + 1. */
oak_status_t oak_points_value(const oak_points_t *p, int n, long double x, long double *y);
void oak_points_free(oak_points_t *p);

/** Prints tables as C. */
typedef struct {
  FILE *f;
  int real_size;
  double error; /**< the largest of tables so far, as a part of the local value */
} oak_table_printer_t;

/** table_print.c: the points as the table NAME. */
oak_status_t oak_table_print(oak_table_printer_t *out, const char *name, const oak_points_t *p);
/** A table without values. */
void oak_table_print_none(FILE *f, const char *name);
