/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the benchmarks of oak bench share. Private to app. */
#pragma once

#include <oak.h>

#include "commands.h"

enum {
  BENCH_REPEATS = 5,
  BENCH_NAME = 64,     /**< bytes of the name of a case */
  BENCH_UNIFORM16 = 1, /**< the case 3D 128^3, blocks 16^3 */
  BENCH_AMR16 = 4      /**< the adaptive case, blocks 16^3 */
};

typedef struct {
  const char *equations;                     /**< in its name; NULL: those of gas */
  int dim, block_size, min_level, max_level; /**< unless keys choose others */
  int steps;                                 /**< per piece */
  const char *const *more;                   /**< keys */
} oak_bench_case_t;
enum { BENCH_CASES = 9 };
extern const oak_bench_case_t oak_bench_case[BENCH_CASES];
/** A simulation of case c with \a more settings (ends with NULL; NULL: none), then the user's keys.
 * Collective on MPI_COMM_WORLD; both are to be destroyed after a failure too. */
oak_status_t oak_bench_create(int c, const char *const *more, char **key, int nkey,
                              oak_params_t **params, oak_t **sim);
/** What case c is, with the mesh that the user's keys make of it. */
void oak_bench_case_name(const oak_t *sim, const oak_params_t *p, int c, char name[BENCH_NAME]);
/** Initial condition and the first steps, after which all memory is in use. */
oak_status_t oak_bench_start(oak_t *sim, int c);
/** Some steps, with adaptations every so many of them (0: none): the longest time of all ranks. */
oak_status_t oak_bench_steps(oak_t *sim, int adapt_every, long steps, double *seconds);
/** Some steps of case c: how long they took and million cell updates per second and core. */
oak_status_t oak_bench_piece(oak_t *sim, int c, double *seconds, double *mcups);
/** Sorts x [n]. */
double oak_bench_median(double *x, int n);
/** Cells of the mesh. */
double oak_bench_cells(const oak_t *sim);

/** Options of oak bench. */
extern const oak_command_t oak_bench_elliptic, oak_bench_measure;
