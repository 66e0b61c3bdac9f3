/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parts: what takes place in a time step. The table in parts.c lists them in the order of
 * execution. Private to src/solver.
 *
 * Functions of a part are rank-local or collective. A rank-local one fails on its rank alone; its
 * caller lets the ranks agree before the next communication. In a collective one, a rank that has
 * failed still takes part in all meetings and messages. The ranks agree on its status only where
 * this is said below: it then fails on all ranks alike. */
#ifndef OAK_PART_H
#define OAK_PART_H

#include <stdio.h>

#include "oak.h"
#include "oak/kernel_args.h"
#include "setup/runge_kutta.h"

/** What a part needs of others. */
enum {
  OAK_PART_EDGES = 1,       /**< ghost cells beyond the edges of blocks */
  OAK_PART_WHOLE_TILES = 2, /**< one result of the flux kernel per tile, not per part of a tile */
  OAK_PART_STATES = 4       /**< the states of the Runge-Kutta scheme, which it overwrites */
};

/** A part. Any function may be NULL. All but `wanted` and `read` are called only in runs that want
 * the part. */
typedef struct {
  const char *name; /**< for `oak run --check` */
  unsigned needs;   /**< bits */
  /** Whether the run has this part; NULL: every run. */
  int (*wanted)(const oak_t *sim);

  /* ---- set-up and memory */
  /** Read and judge the keys of the part, and add the states that it needs. Rank-local. */
  oak_status_t (*read)(oak_t *sim);
  /** Prepare, when mesh and kernels are there. Collective; the ranks agree. */
  oak_status_t (*open)(oak_t *sim);
  /** Memory for the blocks of a new mesh. Rank-local. */
  oak_status_t (*fit)(oak_t *sim);
  /** Buffers and messages for a new pattern of ghost cells. Collective. */
  oak_status_t (*connect)(oak_t *sim);
  /** Values on a new mesh. Collective; the ranks agree. */
  oak_status_t (*renew)(oak_t *sim);
  /** Bytes of memory of this rank. */
  int64_t (*bytes)(const oak_t *sim);
  void (*clear)(oak_t *sim);

  /** The part of the largest rate of each block that is proportional to 1/dx^2: \a rate [nblock].
   * The rest is proportional to 1/dx. One part of a run has this at most. Rank-local. */
  oak_status_t (*square_rates)(oak_t *sim, double *rate);

  /* ---- a step */
  /** Before a step. Collective; the ranks agree. */
  oak_status_t (*begin_step)(oak_t *sim);
  /** Advance state 0 from \a time to \a time + \a dt, beside the stages. An invalid cell stays in
   * the solution. Collective; the ranks agree. */
  oak_status_t (*advance)(oak_t *sim, double time, double dt);

  /* ---- a stage; `state` is the one whose fluxes are computed, `time` its time */
  /** Before its ghost cells are filled. Collective; the ranks agree. */
  oak_status_t (*before_ghosts)(oak_t *sim, int state, double time);
  /** After that. Collective. A run with such a part computes no fluxes before all ghost cells are
   * there. */
  oak_status_t (*with_ghosts)(oak_t *sim, int state, double time);
  /** Add to the arguments of the flux kernel. */
  void (*flux_args)(const oak_t *sim, oak_flux_args_t *args);
  /** Compute a stage of a step \a dt: the first part with this function does it. \a first: 1 for
   * the first of the stages whose invalid cells are counted together. Collective. *\a ended is 1 if
   * the step ends with this stage; the ranks then agree on the status. OAK_OK then means that
   * invalid cells are left, and that the step is to be repeated. */
  oak_status_t (*stage)(oak_t *sim, const oak_stage_t *stage, int first, double dt, int *ended);
  /** Find the rates of the solution, by a stage with dt = 0. Collective. */
  oak_status_t (*probe)(oak_t *sim, const oak_stage_t *stage);
  /** Correct \a state, the result of fluxes over \a dt. Collective. */
  oak_status_t (*after_fluxes)(oak_t *sim, int state, double dt);
} oak_part_t;

enum { OAK_MAX_PARTS = 16 };
/** Those that a run has, in the order of execution (parts.c). */
typedef struct {
  int count;
  const oak_part_t *part[OAK_MAX_PARTS];
} oak_parts_t;

/* parts.c */
/** Read the keys of all parts and choose those that the run wants. Rank-local. */
oak_status_t oak_parts_read(oak_t *sim);

/* part.c: the functions of all parts, one after the other */
/** All that the parts need together. */
unsigned oak_parts_need(const oak_t *sim);
/** Whether something is advanced beside the stages. */
int oak_parts_beside(const oak_t *sim);
oak_status_t oak_parts_open(oak_t *sim);
oak_status_t oak_parts_fit(oak_t *sim);
oak_status_t oak_parts_connect(oak_t *sim);
oak_status_t oak_parts_renew(oak_t *sim);
int64_t oak_parts_bytes(const oak_t *sim);
/** Whether a part has rates that are proportional to 1/dx^2. */
int oak_parts_square(const oak_t *sim);
/** Rates as in square_rates, to be freed; NULL if no part has any. Collective; the ranks agree. */
oak_status_t oak_parts_square_rates(oak_t *sim, double **rate);
/** In the reverse order. */
void oak_parts_clear(oak_t *sim);
oak_status_t oak_parts_begin_step(oak_t *sim);
/** \a reverse: in the reverse order. Stops at the first failure. */
oak_status_t oak_parts_advance(oak_t *sim, double time, double dt, int reverse);
oak_status_t oak_parts_before_ghosts(oak_t *sim, int state, double time);
/** Whether a part has a function with_ghosts. */
int oak_parts_wait(const oak_t *sim);
oak_status_t oak_parts_with_ghosts(oak_t *sim, int state, double time);
void oak_parts_flux_args(const oak_t *sim, oak_flux_args_t *args);
/** The part that computes stages. */
const oak_part_t *oak_parts_stage(const oak_t *sim);
oak_status_t oak_parts_after_fluxes(oak_t *sim, int state, double dt);
/** List them on \a stream, in the order of execution. */
void oak_parts_print(const oak_t *sim, FILE *stream);

#endif
