/* SPDX-License-Identifier: GPL-2.0-or-later
 * The simulation object: what is fixed, the data, and the run, with the file that changes each part
 * of the run. Private to src/solver. */
#pragma once

#include "halo/averages.h"
#include "solver/data/data.h"
#include "solver/step/part.h"
#include "solver/step/poisson.h"

/** Marks of cells that are repaired or raised to a floor (repair.c). */
typedef struct {
  oak_array_t memory;
  void *marked, *touched; /**< int [block] */
  void *cells;            /**< unsigned char [block][N^d]; only with first_order */
} oak_marks_t;

/** On all ranks (repair.c, advance.c). */
typedef struct {
  int64_t updates;                          /**< updates of cells; each stage counts */
  int64_t first_order_cells, floored_cells; /**< cells whose result was changed, likewise */
  int64_t retries;                          /**< steps that were repeated */
} oak_counts_t;

/** Derived variables that the criterion of refinement looks at (adapt.c). */
typedef struct {
  oak_field_set_t values; /**< in the order of setup.refine.derived */
  oak_kernel_t *kernel;
  long revision; /**< revision of the mesh that they fit */
} oak_criterion_t;

/** Device memory and messages of an adaptation (adapt.c). */
typedef struct {
  oak_array_t flag;         /**< int [nblock] */
  oak_messages_t migration; /**< migration of blocks to other ranks */
  int mapped;               /**< 1: blocks have values of the mesh before, refined or not */
  int rates_due; /**< the rates of the old mesh were not known: find those of the new one */
  oak_criterion_t criterion;
} oak_adapt_t;

/** Memory and messages of flux fixing (fluxfix.c). */
typedef struct {
  oak_array_t bflux;      /**< fluxes at refinement boundaries [nbflux][V][N^(d-1)] */
  oak_averages_t average; /**< average of fine fluxes */
} oak_fluxfix_t;

/** Diffusive fluxes (diffusion.c). */
typedef struct {
  int rate;         /**< the state that holds the rate of change */
  oak_array_t wide; /**< [batch][V][(N+2)^d] blocks with ghost cells */
} oak_diffusion_t;

/** A vector on faces (face_vector.c). */
typedef struct {
  oak_exchange_t exchange;
  oak_values_t shares; /**< what cells give to their edges */
  oak_array_t e;       /**< fields on edges, double [nblock][axes][(N+1)^d] */
  double divergence;   /**< the largest that was taken off INITIAL */
} oak_curl_t;

enum {
  OAK_RATES_UNKNOWN,
  OAK_RATES_KNOWN,   /**< results.rate belongs to the blocks of the current mesh */
  OAK_RATES_UNWANTED /**< rates are not needed, because no step is taken on this mesh */
};
/** The largest rate (wave speed / dx) of the solution; only rates.c changes it, but for `least`. */
typedef struct {
  double most;  /**< on all ranks */
  double least; /**< half of that of the last step: a step is at most twice the one before */
  int known;    /**< one of the words above */
  int doubted;  /**< something has changed that rates may depend on: find them again */
} oak_rates_t;

/** The state that a failed step has left (advance.c, repair.c). */
typedef struct {
  int found; /**< the last step failed */
  int state; /**< where its solution is; unless that is 0, state 0 is the start of the step */
} oak_failed_step_t;

/** Data between the main loop and the time step (run/run.c; `asked`: advance.c). */
typedef struct {
  double started; /**< MPI_Wtime of oak_create */
  double asks;  /**< request of this rank for the next step (oak_ask_t), which enters a maximum over
                 * all ranks */
  double asked; /**< the largest of all ranks, after a step */
  int interrupted;    /**< a run has ended early, because it was asked to */
  int announced;      /**< its first lines have been printed */
  double most_blocks; /**< the initial mesh is not refined further once it has so many; 0: it is */
  int cut;            /**< this has happened */
  int bodies;         /**< bit n: a cell of the initial condition is in body n */
  int oblique;        /**< above 1: solids have walls that are not along axes */
  double disk; /**< the progress of this rank's output (oak_disk_state), which enters such a maximum
                * too */
  double disk_most; /**< the largest of all ranks, after a step */
} oak_requests_t;

/** Kernels of the user's program (program/user_kernels.c). */
typedef struct {
  oak_module_t *module[16];
  int count;
} oak_user_modules_t;

/** Data of a program's own calls of oak_write_output (output/output.c). */
typedef struct {
  void *state;
  void (*release)(void *state);
} oak_own_outputs_t;

struct oak {
  oak_setup_t setup;
  oak_data_t data;
  /* the run */
  oak_parts_t parts;
  oak_rates_t rates;
  long revision; /**< revision of the solution: counts its changes (rates.c) */
  int lost;      /**< mesh and solution do not belong together */
  oak_counts_t counts;
  oak_failed_step_t invalid;
  struct {
    double value[OAK_MAX_PARAMETERS]; /**< [description.nglobal], that hooks read in this step */
    int fit;                          /**< those of places belong to the mesh */
  } globals;
  oak_marks_t marks;
  oak_fluxfix_t fluxfix;
  oak_diffusion_t diffusion;
  oak_curl_t curl;
  oak_poisson_t poisson[OAK_MAX_EQUATIONS]; /**< those of setup.equations */
  oak_adapt_t adapt;
  oak_requests_t run;
  oak_own_outputs_t own;
  oak_late_kernel_t forces; /**< of forces.c */
  oak_user_modules_t user;
};

/* rates.c: code that changes the solution, its mesh or what rates depend on says so here */
/** The rates are no longer those of the solution. */
void oak_rates_forget(oak_t *sim);
/** They may have changed, because a program has changed something. */
void oak_rates_doubt(oak_t *sim);
/** They are known, or not wanted. `least` stays as it is. */
void oak_rates_set(oak_t *sim, oak_rates_t rates);
/** The largest rate that a step of the size oak_time_step() has, and the time step without what a
 * run knows beforehand. */
double oak_rates_of_step(const oak_t *sim);
double oak_rates_step(const oak_t *sim);
/** Whether the first step is to come, the rates allow one step to the end of the run, and sources,
 * boundary values or an equation may set something in motion. */
int oak_rates_unmoved(const oak_t *sim);
/** Make all ranks forget their rates if one has: oak_write_cells may have been called on some of
 * them only. Collective. */
void oak_rates_agree(oak_t *sim);
/** Largest rate of each of the first \a blocks blocks, where the rates are known. Rank-local. */
oak_status_t oak_block_rates(const oak_t *sim, int blocks, double *rate);
/** Make \a rate [nblock] the rates of the blocks, as if the flux kernel had left them.
 * Rank-local. */
oak_status_t oak_block_rates_set(const oak_t *sim, const double *rate);

/* advance.c */
/** While steps grow twofold, find the rates with the boundary values at the end of a step \a dt.
 * Collective. */
oak_status_t oak_look_ahead(oak_t *sim, double dt);

/* run/initial.c */
/** Write the initial condition to a state. Rank-local. */
oak_status_t oak_initial_state(oak_t *sim, int state);
/** Refuse bodies that contain no cell of the initial mesh. */
oak_status_t oak_check_bodies(oak_t *sim);

/* part.c */
/** Refuse a simulation whose mesh and solution do not belong together. Rank-local, the same on all
 * ranks, like oak_sim_fits. */
oak_status_t oak_sim_whole(const oak_t *sim);
/** oak_sim_whole that also refuses the mesh of an adaptation for which the device had too little
 * memory. For functions that need more than the values of state 0. */
oak_status_t oak_sim_fits(const oak_t *sim);
/** Begin a public function that needs this. */
#define OAK_BEGIN_WHOLE(sim) OAK_BEGIN_IF(sim, oak_sim_whole(sim))
#define OAK_BEGIN_FITS(sim) OAK_BEGIN_IF(sim, oak_sim_fits(sim))
/** Give every state memory for the blocks of the mesh, and update geometry and tables. The contents
 * of `state[0]` are kept, those of the other states are lost. */
oak_status_t oak_fit_mesh(oak_t *sim);

/* cells.c */
/** The globals of the present state, \a value [description.nglobal]. Collective. */
oak_status_t oak_globals_measure(oak_t *sim, double *value);
/** Let hooks read 0, as INITIAL does. Rank-local. */
oak_status_t oak_globals_clear(oak_t *sim);

/* face_vector.c */
/** Set the faces of a vector to their initial values, after INITIAL has set the cells. Bits in the
 * results of blocks: 1: invalid cell, 2: the divergence is not 0, 4 and 8: INITIAL gives the field
 * of VECTOR_POTENTIAL, or another one. Rank-local. */
oak_status_t oak_face_vector_initial(oak_t *sim, int state);
/** Make these values free of divergence, in the present state. The ranks agree on failures before
 * the last launch. Collective. */
oak_status_t oak_face_vector_project(oak_t *sim);
/** The rate of change of the faces of a state by the hooks ELECTRIC_FIELD, into state \a out. The
 * ghost cells of the state are filled. Collective. */
oak_status_t oak_face_vector_rate(oak_t *sim, int state, double time, int out);
/** Set the means over cells of a state, and note blocks with invalid cells. Rank-local. */
oak_status_t oak_face_vector_means(oak_t *sim, int state);

/* fluxfix.c */
/** Match fluxes where levels meet, in a state that holds rates of change. Counts of invalid
 * cells have no meaning for rates; they go to \a unused, some memory of the device. */
oak_status_t oak_fix_rate(oak_t *sim, int state, void *unused);

/* diffusion.c */
/** The part of the largest rate of each block that is proportional to 1/dx^2: \a rate [nblock], to
 * be freed; NULL where there is none. The rest is proportional to 1/dx. Collective; the ranks
 * agree. */
oak_status_t oak_diffusion_block_rates(oak_t *sim, double **rate);
/** Copy the primitive state of blocks from \a first on with a layer of ghost cells, which are
 * filled, to memory of the device; *n: how many blocks fit. Rank-local. */
oak_status_t oak_diffusion_copy(oak_t *sim, int first, int *n, const void **wide);

/* invalid.c */
/** The part of a run that has left an invalid cell. */
typedef enum {
  OAK_INVALID_INITIAL,
  OAK_INVALID_GIVEN,
  OAK_INVALID_READ,
  OAK_INVALID_FLUXES,
  OAK_INVALID_STAGE,
  OAK_INVALID_STEP,
  OAK_INVALID_RETRIED,
  OAK_INVALID_REPAIRED,
  OAK_INVALID_FLOORED,
  OAK_INVALID_UPDATE,
  OAK_INVALID_DIFFUSION
} oak_invalid_t;
/** Fail if `state` has an invalid cell. The message says where the first invalid cell of the lowest
 * rank that has one is. Collective. */
oak_status_t oak_find_invalid(oak_t *sim, int state, oak_invalid_t kind);
/** Fail because kernels have counted invalid cells. If the cell is no longer known, the message
 * names the first block with a count. */
oak_status_t oak_report_invalid(oak_t *sim, int state, oak_invalid_t kind);
/** Let the ranks agree on \a st; then report invalid cells that a kernel has counted in state 0.
 * Collective. */
oak_status_t oak_judge_invalid(oak_t *sim, oak_status_t st, int results, oak_invalid_t kind);

/* forces.c */
/** Whether a run has component \a d of the force: there are solids and velocities, and the axis has
 * the same direction everywhere. */
int oak_forces_has(const oak_setup_t *setup, int d);

/** The force on the walls of cells in \a box [nblock][6] (as in oak_measure_args_t; NULL: all), of
 * the present state: \a force[0] by the Riemann solver, mainly the pressure, \a force[1] by the
 * hooks DIFFUSIVE_FLUX. These are the fluxes of a stage, so the momentum that the gas loses in a
 * step of forward Euler is this force times the step. In 2D it is per depth.
 * Collective. */
oak_status_t oak_forces_measure(oak_t *sim, const int (*box)[6], double force[2][3]);
