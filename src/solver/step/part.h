/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parts of a time step, and its lines: parts.c lists them in the order of execution. Private to
 * src/solver.
 *
 * Functions are rank-local or collective. A rank-local one fails on its rank alone; its caller lets
 * the ranks agree before the next communication. In a collective one, a rank that has failed still
 * takes part in all meetings and messages. The ranks agree on its status only where this is said
 * below: it then fails on all ranks alike. */
#pragma once

#include <stdio.h>

#include "oak.h"
#include "oak/kernel_args.h"
#include "setup/runge_kutta.h"

/** Needs of a part; its function `read` adds them to sim->parts.needs. */
enum {
  OAK_NEEDS_EDGES = 1,       /**< ghost cells beyond the edges of blocks */
  OAK_NEEDS_WHOLE_TILES = 2, /**< one result of the flux kernel per tile, not per part of a tile */
  OAK_NEEDS_STATES = 4,      /**< the states of the Runge-Kutta scheme, which the part overwrites */
  OAK_NEEDS_GHOSTS = 8 /**< all ghost cells before any fluxes, which need what the part computes */
};

/** Columns of a part in outputs of totals. What an output keeps from row to row is `kept` bytes, at
 * first zeros. Rank-local; any function may be NULL. */
typedef struct {
  size_t kept;
  /** Names, each after a comma. */
  void (*head)(const oak_t *sim, FILE *stream);
  /** Values in the same form; \a stream is NULL where they are not printed. */
  void (*row)(const oak_t *sim, void *kept, double time, FILE *stream);
  /** Write and read a text that a restarted run needs, without line feeds. */
  void (*save)(const oak_t *sim, const void *kept, FILE *stream);
  void (*load)(oak_t *sim, void *kept, const char *text);
} oak_columns_t;

/** A part. Any function may be NULL. All but `wanted` and `read` are called only in runs that want
 * the part. */
typedef struct {
  const oak_columns_t *columns; /**< in outputs of totals; NULL: none */
  /** Whether the run has this part; NULL: every run. */
  int (*wanted)(const oak_t *sim);
  /** Read and judge the keys of the part, and add the states that it needs. Rank-local. */
  oak_status_t (*read)(oak_t *sim);
  /** Prepare, when mesh and kernels are there. Collective; the ranks agree. */
  oak_status_t (*open)(oak_t *sim);
  /** Memory for the blocks of a new mesh. Rank-local. */
  oak_status_t (*fit)(oak_t *sim);
  /** Buffers and messages for a new pattern of ghost cells. Collective. */
  oak_status_t (*connect)(oak_t *sim);
  /** Bytes of memory of this rank. */
  int64_t (*bytes)(const oak_t *sim);
  void (*clear)(oak_t *sim);
} oak_part_t;

/** When lines run. */
typedef enum {
  OAK_STEP_START,       /**< before the stages */
  OAK_STEP_BEFORE,      /**< then, in a step */
  OAK_STEP_FIRST_HALF,  /**< then, with scheme.splitting = strang */
  OAK_STEP_FLUXES,      /**< in a stage */
  OAK_STEP_RESULT,      /**< in a stage of a step */
  OAK_STEP_END,         /**< after the stages */
  OAK_STEP_SECOND_HALF, /**< then, in a step */
  OAK_STEP_NEW_MESH
} oak_moment_t;

/** The ranks for which a line waits. A rank that has failed alone leaves out lines that wait for
 * nothing, and goes on through the others until the ranks agree. */
typedef enum {
  OAK_WAIT_NOTHING,    /**< rank-local */
  OAK_WAIT_NEIGHBOURS, /**< collective */
  OAK_WAIT_ALL         /**< collective; the ranks agree: a failure ends the step */
} oak_wait_t;

/** Data that the lines of a step share. */
typedef struct {
  int state; /**< from which a line begins, and its time */
  double time;
  double dt;         /**< time of the whole step, or of a part that is split from the stages */
  oak_stage_t stage; /**< the result goes to state `out` first, and at the end to `stage.out` */
  int out;
  oak_halo_args_t halo;
  oak_flux_args_t flux;
  int inner; /**< the fluxes of inner blocks are there */
  oak_status_t status;
  int ended;       /**< no line follows; with status OAK_OK: the step is to be repeated */
  int64_t invalid; /**< cells on all ranks that the last line which counts them has found */
  int pass;        /**< number of repairs in this stage */
  int64_t marked, all_marked; /**< marked cells of this rank, on all ranks */
} oak_step_t;

/** A line of a step. */
typedef struct {
  oak_moment_t when;
  const oak_part_t *part;
  oak_status_t (*run)(oak_t *sim, oak_step_t *step);
  oak_wait_t waits;
  const char *text; /**< for `oak run --check` */
} oak_line_t;

enum { OAK_MAX_LINES = 32 };
/** The lines that a run has, in the order of execution (parts.c). */
typedef struct {
  int count, lines;
  const oak_part_t *part[OAK_MAX_LINES];
  oak_line_t line[OAK_MAX_LINES];
  unsigned needs; /**< OAK_NEEDS_ of all parts */
  int beside;     /**< something is split from the stages */
} oak_parts_t;

/* parts.c */
/** Read the keys of all parts and choose those that the run wants. Rank-local. */
oak_status_t oak_parts_read(oak_t *sim);

/* part.c */
/** The functions of all parts, one after the other; at the end in the reverse order. */
oak_status_t oak_parts_open(oak_t *sim);
void oak_parts_clear(oak_t *sim);
/** Run the lines of a moment. Collective. \return step->status, on which the ranks agree if
 * step->ended. */
oak_status_t oak_step_run(oak_t *sim, oak_moment_t when, oak_step_t *step);
/** Run the lines of functions \a from to \a to again, without \a to. Collective. */
void oak_step_repeat(oak_t *sim, oak_step_t *step, oak_status_t (*from)(oak_t *, oak_step_t *),
                     oak_status_t (*to)(oak_t *, oak_step_t *));
/** Print the lines on \a stream. */
void oak_parts_print(const oak_t *sim, FILE *stream);

/* advance.c */
/** Fluxes of all blocks for which there are none yet. */
oak_status_t oak_fluxes_outer(oak_t *sim, oak_step_t *step);

/* rates.c */
/** Largest rate of the last stage, and invalid cells of this step's stages, on this rank. The
 * device begins with the ghost cells for the step after \a ended while the host waits, if it can;
 * NULL: there are none. */
oak_status_t oak_read_results(oak_t *sim, oak_step_t *ended, double local[2]);

/* cells.c */
/** Let hooks read the globals of step->state. Collective; the ranks agree. */
oak_status_t oak_globals_set(oak_t *sim, oak_step_t *step);
