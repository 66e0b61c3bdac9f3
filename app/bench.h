/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the benchmarks of oak bench share. Private to app. */
#pragma once

#include <oak.h>

#include "commands.h"

enum {
  BENCH_NAME = 64, /**< bytes of the name of a case */
  BENCH_CASES = 9,
  BENCH_UNIFORM16 = 1, /**< the case 3D 128^3, blocks 16^3 */
  BENCH_AMR16 = 4,     /**< the adaptive case, blocks 16^3 */
  BENCH_PHASES = 12,
  BENCH_PIECES = 5 /**< most pieces of a run */
};

/** A simulation of case c, with the user's keys. Collective on MPI_COMM_WORLD; both are to be
 * destroyed after a failure too. */
oak_status_t oak_bench_create(int c, char **key, int nkey, oak_params_t **params, oak_t **sim);
/** What case c is, with the mesh that the user's keys make of it. */
void oak_bench_case_name(const oak_t *sim, const oak_params_t *p, int c, char name[BENCH_NAME]);
/** The equations of case c; NULL: those of gas. */
const char *oak_bench_equations(int c);
int oak_bench_dim(int c);
/** Sorts x [n]. */
double oak_bench_median(double *x, int n);

/** A run that is measured in pieces. */
typedef struct {
  int least;            /**< pieces */
  double seconds, from; /**< of a piece, about; time at which the only piece begins */
  long only_steps;      /**< of the only piece; 0: as `seconds` says */
  /** Called before each piece, unless NULL; \a context is the caller's. */
  oak_status_t (*before)(oak_t *sim, int piece, void *context);
  void *context;
  /* what is found */
  int adapt_every; /**< 0: never */
  long steps;      /**< of a piece */
  int pieces, rank, ranks;
  double gcups[BENCH_PIECES], stepping; /**< sorted, of all ranks; seconds of all pieces */
  double phase[BENCH_PHASES + 1];       /**< seconds in each, then in all; mean of the ranks */
  double cells, memory;                 /**< of the mesh; bytes, of all ranks */
  double joules;                        /**< per 1e9 cell updates; NaN: unknown */
  long begin_step;
  double begin_time;
} oak_bench_run_t;
/** The phases of a step; the first is "flux and update". */
extern const char *const oak_bench_phase[BENCH_PHASES];
/** Set the initial condition, and measure. Collective. */
oak_status_t oak_bench_run(oak_bench_run_t *m, const oak_params_t *params, oak_t *sim);

/** Options of oak bench. */
extern const oak_command_t oak_bench_elliptic, oak_bench_measure;
