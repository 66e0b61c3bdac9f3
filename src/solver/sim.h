/* SPDX-License-Identifier: GPL-2.0-or-later
 * The simulation object. Private to src/solver. */
#ifndef OAK_SIM_H
#define OAK_SIM_H

#include "base/timer.h"
#include "halo/exchange.h"
#include "mesh/mesh.h"
#include "oak.h"
#include "solver/setup/hooks.h"
#include "solver/runge_kutta.h"

enum { OAK_RATES_UNWANTED = 2 };
enum { OAK_MAX_NVAR = 32 };

/** Hooks that a file may lack, with their owner, as kernels/hooks.h names them. */
#define OAK_OPTIONAL_HOOKS(X) \
  X(problem, initial)         \
  X(problem, boundary)        \
  X(problem, source)          \
  X(problem, refine)          \
  X(problem, region)          \
  X(physics, source)          \
  X(physics, timestep)        \
  X(problem, timestep)        \
  X(physics, update)          \
  X(problem, update)          \
  X(physics, floor)

/** What a physics and a problem file declare (kernels/hooks.h, kernels/describe.c). */
typedef struct {
  char variables[OAK_NAMES_BYTES], primitives[OAK_NAMES_BYTES]; /**< storage of variable names */
  char physics_title[OAK_TITLE_BYTES], problem_title[OAK_TITLE_BYTES];
  int nvar;
  const char *name[2 * OAK_MAX_NVAR + 1]; /**< conserved, primitive, "level" */
  int normal[3]; /**< variable that a wall normal to each axis reflects, or -1 */
  struct {
#define OAK_HOOK_MEMBER(owner, name) int owner##_##name;
    OAK_OPTIONAL_HOOKS(OAK_HOOK_MEMBER)
#undef OAK_HOOK_MEMBER
  } has;          /**< hooks that are there */
  int nparameter; /**< physics, then problem */
  int nproblem;   /**< those of the problem */
  struct {
    const char *section;
    char name[OAK_LONGEST_NAME + 1], help[OAK_HELP_BYTES];
    int slot; /**< place among sim->declared */
    double fallback;
    char choices[128]; /**< words for values 0, 1, ... or "" */
    double min;        /**< least value, if bounded; with above_min it is excluded itself */
    int bounded, above_min;
  } parameter[OAK_MAX_PARAMETERS];
} oak_description_t;

/** Kernels of a run, all in one module. Those of the last lines exist only if the run uses them. */
#define OAK_KERNEL_TABLE(X) \
  X(flux)                   \
  X(halo)                   \
  X(adapt)                  \
  X(refine_flags)           \
  X(fluxfix_average)        \
  X(fluxfix_apply)          \
  X(initial)                \
  X(results)                \
  X(totals)                 \
  X(cells)                  \
  X(ghosts)                 \
  X(mark)                   \
  X(mark_faces)             \
  X(repair)                 \
  X(floor)                  \
  X(update)                 \
  X(globals)                \
  X(set_field)

/** Memory and messages of flux fixing (fluxfix.c). */
typedef struct {
  void *bflux; /**< device: fluxes at refinement boundaries [nbflux][V][N^(d-1)] */
  int64_t bflux_bytes;
  oak_shared_t piece; /**< averages of fine fluxes [npiece][V][(N/2)^(d-1)] */
  void *peer;         /**< device: [peers] those of peers */
  oak_messages_t messages;
} oak_fluxfix_t;

/** A field beside the state, with one component (fields.c). */
typedef struct {
  const char *name;
  const char *function; /**< "physics" or "problem", whose FIELD sets it; NULL: it is stored, and
                           carried from mesh to mesh */
  oak_exchange_t exchange;
  oak_values_t now, next; /**< [nblock][N^d]; next: of stored ones, on a new mesh */
} oak_beside_field_t;

typedef struct {
  int count;
  oak_beside_field_t field[OAK_MAX_FIELDS];
  void *table; /**< device: oak_beside_t [count] */
  void *bc;    /**< device: oak_bc_t [2 dim] */
} oak_beside_list_t;

/** How fast the ranks compute (pace.c). */
typedef struct {
  double *speed;          /**< [ranks] blocks per second; NULL unless mesh.balance = measured */
  double blocks, seconds; /**< of this rank, earlier ones count less */
  int64_t recent;         /**< blocks computed since the last measurement; each stage counts */
  double until;           /**< seconds of all kernels of stages at the last measurement */
} oak_pace_t;

struct oak {
  MPI_Comm comm;
  int rank, size;
  oak_params_t *params;
  oak_device_t *dev;
  oak_timers_t timers;
  oak_declared_t declared; /**< as the files were found when the run started */
  oak_description_t description;
  double user_value[OAK_MAX_PARAMETERS + 2]; /**< parameters and globals as on the device */
  int user_first;                            /**< place of the first one there */
  int nglobal, has_integrals;                /**< globals that are there; some are integrals */
  int global_slot[OAK_MAX_PARAMETERS];       /**< their places among `declared` */
  oak_beside_list_t fields;                  /**< beside the state */
  int noutput;                               /**< output variables of physics and problem */
  int output_slot[OAK_MAX_OUTPUTS];          /**< their places among `declared` */
  char physics_path[4096], problem_path[4096];

  int dim, block_size, layers, nvar, real_size;
  int tiles; /**< of a block in the flux kernel */
  int parts; /**< number of parts into which the flux kernel cuts tiles, so that a small mesh fills
                the device */
  int64_t cells; /**< of a block */
  double xmin[3], xmax[3], dx0[3];
  int min_level, max_level, adapt_every;
  double kappa_max, theta, cfl, dt_max;
  unsigned refine_variables, refine_primitives, refine_fields; /**< bit masks of what the criterion
                                                                  looks at */
  double c_refine, c_derefine, eps, eps_abs;
  int buffer; /**< cells; 0: none */
  int refine; /**< a criterion or regions are set and levels may differ */

  int first_order; /**< scheme.on_invalid: repair invalid cells */
  int retry;       /**< scheme.on_invalid: repeat a step with half its size */
  int floors;      /**< a floor of the physics is set */
  int strang;      /**< UPDATE takes half a step before and after the stages */
  int nstate;      /**< of the scheme; one more with first_order, and with retry where needed */

  oak_module_t *module;
  struct {
#define OAK_KERNEL_MEMBER(name) oak_kernel_t *name;
    OAK_KERNEL_TABLE(OAK_KERNEL_MEMBER)
#undef OAK_KERNEL_MEMBER
  } kernel;
  oak_module_t *derived_module; /**< NULL until a derived variable is asked for */
  oak_kernel_t *derived;
  oak_module_t *extra[16]; /**< modules of the caller's kernels */
  int nextra;

  oak_mesh_t *mesh;
  oak_transport_t transport;
  oak_pattern_t pattern;
  oak_exchange_t exchange; /**< of the solution */
  oak_fluxfix_t fluxfix;
  oak_messages_t migration; /**< of blocks to other ranks */
  oak_pace_t pace;
  const oak_scheme_t *scheme;
  oak_values_t state[OAK_MAX_STATES]; /**< [nblock][V][N^d]; 0 is current between steps */
  void *user;                         /**< device: parameters */
  void *bc;                           /**< device: oak_bc_t [2 dim][V] */
  void *blocks;                       /**< device: oak_block_t [nblock] */
  void *rate_dev, *bad_dev; /**< device: results of the flux kernel, per block, tile and part */
  void *results_dev;        /**< device: their maxima and sums by chunk */
  long result_capacity;
  void *mark;             /**< device: unsigned char [block][N^d]; only with first_order */
  void *marked, *touched; /**< device: int [block]; with first_order or floors */
  int *count;             /**< host copy of one of them */
  int mark_capacity;      /**< blocks */
  int blocks_capacity;
  void *task_dev; /**< device: oak_adapt_task_t */
  int task_capacity;
  void *flag_dev; /**< device: int [nblock] */
  int flag_capacity;
  void *scratch; /**< device: results of reading kernels */
  size_t scratch_bytes;
  long data_revision; /**< mesh revision that blocks, rates and states fit */

  double time, dt; /**< dt: of the last step, 0 before the first */
  double taken_dt; /**< the step that is being taken; 0 between steps */
  long step;
  int64_t updates;
  int64_t first_order_cells, floored_cells; /**< on all ranks, each stage counts */
  int64_t retries;                          /**< steps that were repeated */
  int invalid;                              /**< the last step failed: see invalid_state */
  int invalid_state; /**< where its solution is; unless that is 0, state 0 is the start of the step
                      */
  double max_rate;   /**< of wave speed / dx, on all ranks */
  double asks;       /**< of this rank for the next step, to be agreed on: oak_ask_t */
  double asked;      /**< the largest of all ranks, after a step */
  int interrupted;   /**< a run has ended early, since it was asked to */
  double started;    /**< MPI_Wtime of oak_create */
  int rates_fresh;   /**< rate_dev belongs to the blocks of the current mesh; OAK_RATES_UNWANTED */
};

/** Fill the parts of a field that every kernel needs. `state` is an index. */
void oak_sim_field(const oak_t *sim, int state, double time, oak_field_t *field);
/** Device memory of a state. */
static inline void *oak_sim_state(const oak_t *sim, int state) {
  return sim->state[state].memory.mine;
}
/** A rank that has failed calls this before the next communication: if its device no longer works,
 * its peers must not wait for its signals. */
void oak_sim_failed(oak_t *sim, oak_status_t st);
/** oak_agree, with oak_sim_failed before it. Collective. */
oak_status_t oak_sim_agree(oak_t *sim, oak_status_t st);

/* schemes.c */
/** The chosen limiter's radius, from numerics/limiters.h. */
oak_status_t oak_sim_find_limiter(const oak_t *sim, int *radius);
/** Refuse a flux that neither numerics/riemann.h nor the physics has. */
oak_status_t oak_sim_check_flux(const oak_t *sim);

/* sources.c */
/** The physics and problem files, what they declare, and the flux in them. Rank-local. */
oak_status_t oak_sim_find_files(oak_t *sim);
/** Cells of a tile of the flux kernel along x and y, as the device likes them. */
void oak_sim_tile(const oak_t *sim, int tile[2]);
/** Build one module from the physics, the headers for access to cells, the problem, the files
 * `part` of the source root, and a file of the caller's own, if any. Collective. */
oak_status_t oak_sim_build_module(oak_t *sim, const char *name, const char *const *part, int npart,
                                  const char *extra, oak_module_t **out);

/* describe.c */
oak_status_t oak_sim_describe(oak_t *sim);
/** The text in front of the files, to be freed: parameters, and which hooks there are. \a describe:
 * for the unit that tells what the files declare. */
oak_status_t oak_sim_hook_text(const oak_t *sim, int describe, char **out);

/* names.c */
/** Name the variables of the physics if \a st is that of a build that asks for an unknown name.
 * \return st. Rank-local. */
oak_status_t oak_explain_names(const oak_t *sim, oak_status_t st);

/* kernels.c */
oak_status_t oak_sim_build(oak_t *sim);
oak_status_t oak_sim_upload_parameters(oak_t *sim);

/* boundary.c */
/** Declare keys per variable; needs the description. */
oak_status_t oak_boundary_declare(oak_t *sim);
oak_status_t oak_boundary_read(oak_t *sim, oak_bc_t *bc, int periodic[3]);

/* storage.c */
/** Allocate the memory for a mesh of `trees` at min_level before the mesh is made, so that a mesh
 * that is far too large is refused at once. Collective. */
oak_status_t oak_storage_plan(oak_t *sim, const int trees[3]);
/** Give every state memory for the blocks of the mesh, and update geometry and tables. The contents
 * of `state[0]` are kept, those of the other states are lost. */
oak_status_t oak_storage_fit(oak_t *sim);
/** Make room for `blocks` in states [first, last); their contents are lost if they must grow.
 * Collective. */
oak_status_t oak_storage_reserve(oak_t *sim, int first, int last, int blocks);
void oak_storage_swap(oak_t *sim, int a, int b);
void oak_storage_clear(oak_t *sim);
/** Device scratch memory of at least `bytes`. */
oak_status_t oak_storage_scratch(oak_t *sim, size_t bytes);

/* stage.c */
/** Results that the flux kernel leaves for a block. */
static inline int oak_sim_results(const oak_t *sim) { return sim->tiles * sim->parts; }
/** Chunks of `count` results. */
static inline long oak_sim_chunks(long count) {
  return (count + OAK_RESULTS_CHUNK - 1) / OAK_RESULTS_CHUNK;
}
oak_status_t oak_fill_state(oak_t *sim, int state, double time);
/** Arguments of the flux kernel for a stage of a step `dt` that goes to state `out`. */
void oak_stage_args(const oak_t *sim, const oak_stage_t *stage, int out, double dt,
                    oak_flux_args_t *args);
/** Over the blocks of a list, or all of them (NULL). */
oak_status_t oak_launch_flux(oak_t *sim, oak_flux_args_t *args, const oak_list_t *blocks);
/** Fill ghost cells and compute one stage for all blocks. `first` is 1 for the first of the stages
 * whose invalid cells are counted together. Collective: a rank that fails still takes part in all
 * meetings and messages. The ranks do not agree on the status. */
oak_status_t oak_run_stage(oak_t *sim, const oak_stage_t *stage, int first, double dt);
/** Largest rate of the last stage, and invalid cells of this step's stages, on this rank. */
oak_status_t oak_read_results(oak_t *sim, double local[2]);

/* advance.c */
/** State in which the last stage leaves the solution; state 0 must stay if the step may be
 * repeated.
 */
static inline int oak_sim_result(const oak_t *sim) {
  return sim->retry && sim->scheme->result == 0 ? sim->scheme->nstate : sim->scheme->result;
}

/* careful.c */
/** A stage of a step `dt` with repair of invalid cells and floors, ghost cells and flux fixing
 * included. Collective; fails on all ranks alike. \a *refused is 1 if it leaves invalid cells and
 * the step is to be repeated. */
oak_status_t oak_careful_stage(oak_t *sim, const oak_stage_t *stage, double dt, int *refused);
/** Rates of the current solution, from a stage with dt = 0: fluxes that are not finite are repaired
 * as in a stage. For scheme.on_invalid = first_order alone. */
oak_status_t oak_careful_probe(oak_t *sim, const oak_stage_t *probe);

/* adapt.c */
/** Flags of the run's criterion for the current state, \a flag [nblock], followed by
 * oak_mesh_adapt's reach [nblock] if there is a buffer; ghost cells must be filled. Not collective.
 */
oak_status_t oak_compute_flags(oak_t *sim, int *flag);
/** Largest rate of each of the first \a blocks blocks, where rates are fresh. Not collective. */
oak_status_t oak_block_rates(oak_t *sim, int blocks, double *rate);

/* pace.c */
/** Measure ranks if mesh.balance says so. Not collective. */
oak_status_t oak_pace_init(oak_t *sim);
/** Bring pace.speed up to date, if ranks are measured. The device has done its work before this, or
 * is waited for. Collective. */
void oak_pace_measure(oak_t *sim);

/* fluxfix.c */
/** Prepare memory and messages for the current pattern. Collective on the ranks of a host. The
 * ranks do not agree on the status. */
oak_status_t oak_fluxfix_fit(oak_t *sim);
void oak_fluxfix_clear(oak_t *sim);
oak_status_t oak_fix_state(oak_t *sim, int state, double dt);

/* fields.c */
/** Number of the field beside the state of that name, -1: none. */
int oak_field_find(const oak_t *sim, const char *name);
/** Prepare the exchanges and boundary conditions of the fields; before the mesh is made.
 * Rank-local. */
oak_status_t oak_fields_open(oak_t *sim);
void oak_fields_clear(oak_t *sim);
/** Room for \a blocks in the values `next` of stored fields. Collective. */
oak_status_t oak_fields_reserve(oak_t *sim, int blocks);
/** Memory, tables and buffers for the current mesh and pattern, the values of fields that have a
 * function, and all ghost cells. Stored fields already have their values. Collective. */
oak_status_t oak_fields_fit(oak_t *sim);
/** Fill ghost cells of a field. Collective; the ranks do not agree on the status. */
oak_status_t oak_field_fill(oak_t *sim, int number);
/** Values of local blocks [first, first + count): \a out [count][N^d]. Rank-local. */
oak_status_t oak_field_read(oak_t *sim, int number, int first, int count, double *out);
/** Bytes of the values that this rank holds of all fields. */
int64_t oak_fields_bytes(const oak_t *sim);
/** What moves with the blocks of the mesh: the state is number 0, then come stored fields. */
typedef struct {
  const oak_exchange_t *exchange;
  oak_values_t *now, *next;
} oak_carried_t;
int oak_carried(oak_t *sim, oak_carried_t list[OAK_MAX_FIELDS + 1]);
/** Components of all of them together. */
int oak_carried_components(const oak_t *sim);

/* cells.c */
/** Globals from the current state, for the hooks of a step. Collective. */
oak_status_t oak_update_globals(oak_t *sim);
int oak_has_update(const oak_t *sim);
/** The hooks UPDATE on the current state from \a time to \a time + \a dt. Collective. */
oak_status_t oak_apply_update(oak_t *sim, double time, double dt);

/* read.c */
/** Run a kernel that reads one value of each cell, like oak_cells, and fetch the values of blocks
 * [first, first + count): out [count][N^d]. Rank-local. */
oak_status_t oak_read_kernel(oak_t *sim, oak_kernel_t *kernel, int variable, int first, int count,
                             double *out);
/** What has left an invalid cell. */
typedef enum {
  OAK_INVALID_INITIAL,
  OAK_INVALID_GIVEN,
  OAK_INVALID_FLUXES,
  OAK_INVALID_STAGE,
  OAK_INVALID_STEP,
  OAK_INVALID_RETRIED,
  OAK_INVALID_REPAIRED,
  OAK_INVALID_FLOORED,
  OAK_INVALID_UPDATE
} oak_invalid_t;
/** Fail if `state` has an invalid cell. The message says where the first invalid cell of the lowest
 * rank that has one is. Collective. */
oak_status_t oak_find_invalid(oak_t *sim, int state, oak_invalid_t kind);
/** The same if kernels have counted invalid cells. This always fails; if the cell is no longer
 * known, the message names the first block with a count. */
oak_status_t oak_report_invalid(oak_t *sim, int state, oak_invalid_t kind);

/** The first lines of a run on \a stream, on rank 0; NULL: none. */
void oak_run_head(oak_t *sim, FILE *stream);

#endif
