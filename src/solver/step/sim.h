/* SPDX-License-Identifier: GPL-2.0-or-later
 * The simulation object: its parts, each with the file that changes it, and the functions that most
 * files of the solver use. Those of a stage, of the solution and of the folder setup are in headers
 * of their own. Private to src/solver. */
#ifndef OAK_SIM_H
#define OAK_SIM_H

#include "base/timer.h"
#include "halo/averages.h"
#include "halo/exchange.h"
#include "mesh/mesh.h"
#include "oak.h"
#include "solver/step/part.h"
#include "solver/step/poisson.h"
#include "solver/setup/hooks.h"
#include "solver/setup/kernel_table.h"
#include "solver/setup/setup.h"
#include "solver/data/solution.h"
#include "solver/step/stage.h"
#include "solver/setup/runge_kutta.h"

enum { OAK_MAX_NVAR = 32, OAK_LONGEST_SCALAR = 31 };

/** What a physics and a problem file declare (kernels/hooks.h, kernels/describe.c). */
typedef struct {
  char variables[OAK_NAMES_BYTES], primitives[OAK_NAMES_BYTES]; /**< storage of variable names */
  char physics_title[OAK_TITLE_BYTES], problem_title[OAK_TITLE_BYTES];
  int nvar;
  const char *name[2 * OAK_MAX_NVAR + 1]; /**< conserved, primitive, "level" */
  int normal[3];                          /**< component of the velocity along each axis, or -1 */
  uint32_t mirror[3];         /**< bits of the variables that a wall normal to each axis negates */
  char has[2][OAK_MAX_HOOKS]; /**< [owner] whether its file has a hook of files.declared */
  int nglobal, has_integrals; /**< globals that are there; some are integrals */
  int global_slot[OAK_MAX_PARAMETERS]; /**< their places among files.declared */
  int noutput;                         /**< output variables that are there */
  int output_slot[OAK_MAX_OUTPUTS];    /**< their places among files.declared */
  int nparameter, nproblem;            /**< of both files, physics first; those of the problem */
  char unread[256];                    /**< why a constant could not be read; "" if all were read */
  struct {
    const char *section;
    char name[OAK_LONGEST_NAME + 1], help[OAK_HELP_BYTES];
    int slot; /**< place among files.declared */
    double fallback;
    char choices[128]; /**< words for values 0, 1, ... or "" */
    double min;        /**< least value, if bounded; with above_min it is excluded itself */
    int bounded, above_min;
    int positive_if_refined; /**< warn if it is not above 0 on a mesh with several levels */
  } parameter[OAK_MAX_PARAMETERS];
} oak_description_t;

/** Passive scalars beside the variables of the physics (setup/scalars.c). */
typedef struct {
  int count, values; /**< values: choice of physics.scalar_values */
  char name[OAK_MAX_NVAR][OAK_LONGEST_SCALAR + 1];
  char conserved[OAK_MAX_NVAR][2 * OAK_LONGEST_SCALAR + 2];
} oak_scalars_t;

/* ---- parts of the simulation object; each says which file changes it */

/** The files of physics and problem (setup/sources.c). */
typedef struct {
  char physics[4096], problem[4096]; /**< paths */
  oak_declared_t declared; /**< declarations in the files as they were when the run started */
  char riemann[1024];      /**< names of the Riemann solvers that there are */
} oak_files_t;

/** Parameters and globals of physics and problem (setup/kernels.c). */
typedef struct {
  double value[OAK_MAX_PARAMETERS + 2]; /**< as on the device */
  int first;                            /**< place of the first declared one there */
  void *device;
} oak_user_values_t;

/** Modules that are loaded (setup/kernels.c). */
typedef struct {
  oak_module_t *own;       /**< oak's kernels */
  oak_module_t *extra[16]; /**< the caller's kernels (user_kernels.c) */
  int nextra;
} oak_modules_t;

/** The kernel of derived variables; NULL until one is asked for (variables.c). */
typedef struct {
  oak_module_t *module;
  oak_kernel_t *kernel;
} oak_derived_kernel_t;

/** Time stepping: keys of [scheme] and [run], which create.c reads. */
typedef struct {
  const oak_runge_kutta_t *runge_kutta;
  int nstate; /**< of the scheme; one more with first_order, with retry and checkpoint.last_good
               * where needed, and with diffusion; 5 at least with rkl2 */
  int result; /**< where the last stage leaves the solution: not state 0 if state 0 must be kept */
  int kept;   /**< state that gets a copy of the solution when a step begins; 0: none */
  double cfl, dt_max;
  int first_order; /**< scheme.on_invalid: repair invalid cells */
  int retry;       /**< scheme.on_invalid: repeat a step with half its size */
  int floors;      /**< a floor of the physics is set */
  int strang;      /**< UPDATE takes half a step before and after the stages */
} oak_method_t;

/** Adaptation: keys of [mesh] and [refine], which create.c reads. */
typedef struct {
  int active; /**< a criterion or regions are set and levels may differ */
  int every;  /**< steps between adaptations */
  double kappa_max;
  unsigned variables, primitives, fields; /**< bit masks of what the criterion looks at */
  double c_refine, c_derefine, eps, eps_abs;
  int buffer;                    /**< cells; 0: none */
  int nderived;                  /**< derived variables it looks at */
  int64_t derived_bytes;         /**< of their values on this rank */
  struct oak_criterion *derived; /**< these (criterion.c); NULL: none */
} oak_refine_t;

/** Device memory of the blocks (storage.c, state.c, undo.c). */
typedef struct {
  oak_values_t state[OAK_MAX_STATES]; /**< [nblock][V][N^d]; 0 is current between steps */
  void *blocks;                       /**< oak_block_t [nblock] */
  int blocks_capacity;
  void *scratch; /**< results of reading kernels */
  size_t scratch_bytes;
  long revision; /**< mesh revision that blocks, rates and states fit */
} oak_storage_t;

/** Device memory of the results of the flux kernel (storage.c). */
typedef struct {
  int tiles; /**< of a block */
  int parts; /**< number of parts into which the kernel cuts a tile, so that a small mesh fills the
              * device */
  void *rate, *bad; /**< per block, tile and part: largest wave speed / dx; invalid cells */
  void *sums;       /**< maxima and sums of them by chunk */
  long capacity;
} oak_results_t;

/** Memory of the host for copies of the solution that are written to files (snapshot.c). */
typedef struct {
  void *buffer;
  size_t bytes;
  int taken; /**< number of copies, which use the buffer one after the other */
} oak_snapshot_memory_t;

/** Marks of cells that are repaired or raised to a floor (storage.c). */
typedef struct {
  void *cells;            /**< device: unsigned char [block][N^d]; only with first_order */
  void *marked, *touched; /**< device: int [block] */
  int *count;             /**< host copy of one of them */
  int capacity;           /**< blocks */
} oak_marks_t;

/** Cells whose result was changed, on all ranks; each stage counts (repair.c, advance.c). */
typedef struct {
  int64_t first_order_cells, floored_cells;
} oak_repairs_t;

/** Device memory and messages of an adaptation (adapt.c). */
typedef struct {
  void *task; /**< oak_adapt_task_t */
  int task_capacity;
  void *flag; /**< int [nblock] */
  int flag_capacity;
  oak_messages_t migration; /**< of blocks to other ranks */
  int rates_due; /**< the rates of the old mesh were not known: find those of the new one */
} oak_adapt_t;

/** Memory and messages of flux fixing (fluxfix.c). */
typedef struct {
  void *bflux; /**< device: fluxes at refinement boundaries [nbflux][V][N^(d-1)] */
  int64_t bflux_bytes;
  oak_averages_t average; /**< of fine fluxes */
} oak_fluxfix_t;

/** A field beside the state, with one component (fields.c). */
typedef struct {
  const char *name;
  const char *function; /**< "physics" or "problem", whose FIELD sets it; NULL: it is stored, and
                         * carried from mesh to mesh */
  oak_exchange_t exchange;
  oak_values_t now, next; /**< [nblock][N^d]; next: the values of a stored field on a new mesh */
} oak_beside_field_t;

typedef struct {
  int count;
  oak_beside_field_t field[OAK_MAX_FIELDS];
  int nfixed;
  struct {
    const char *name, *function; /**< as above; NULL: nothing sets it */
    const char *text;            /**< of `variable`, in the physics */
    int variable;
  } fixed[OAK_MAX_FIXED]; /**< fields that are variables of the state, because fluxes need them */
  void *table;            /**< device: oak_beside_t [count] */
  void *bc;               /**< device: oak_bc_t [2 dim] */
} oak_beside_list_t;

/** Diffusive fluxes (diffusion.c). */
typedef struct {
  int kind;   /**< OAK_DIFFUSION_..., 0: no file has the hook */
  int rate;   /**< the state that holds the rate of change */
  void *wide; /**< device: [batch][V][(N+2)^d] blocks with ghost cells */
  int batch;
} oak_diffusion_t;

/** How fast the ranks compute (pace.c). */
typedef struct {
  double *speed;          /**< [ranks] blocks per second; NULL unless mesh.balance = measured */
  double blocks, seconds; /**< of this rank, earlier ones count less */
  int64_t recent;         /**< blocks computed since the last measurement; each stage counts */
  double until;           /**< seconds of all kernels of stages at the last measurement */
} oak_pace_t;

/** Where the simulation is in time (advance.c, and checkpoints that are read). */
typedef struct {
  double time, dt; /**< dt: of the last step, 0 before the first */
  double taken_dt; /**< the step that is being taken; 0 between steps */
  int stage;       /**< of the Runge-Kutta scheme; 0 between steps */
  long step;
  int64_t updates; /**< of cells; each stage counts */
  int64_t retries; /**< steps that were repeated */
} oak_sim_clock_t;

enum {
  OAK_RATES_UNKNOWN,
  OAK_RATES_KNOWN,   /**< results.rate belongs to the blocks of the current mesh */
  OAK_RATES_UNWANTED /**< rates are not needed, because no step is taken on this mesh */
};
/** The largest rate (wave speed / dx) of the solution. A step finds it. Code that changes the
 * solution calls oak_rates_forget(). undo.c and checkpoints store it. */
typedef struct {
  double most; /**< on all ranks */
  int known;   /**< one of the words above */
  int doubted; /**< a kernel of the user's program ran since, which may have changed cells */
} oak_rates_t;

/** What a failed step has left (advance.c, repair.c). */
typedef struct {
  int found; /**< the last step failed */
  int state; /**< where its solution is; unless that is 0, state 0 is the start of the step */
} oak_failed_step_t;

/** What the main loop and the time step tell each other (run/run.c; `asked`: advance.c). */
typedef struct {
  double asks;  /**< request of this rank for the next step (oak_ask_t), which enters a maximum over
                 * all ranks */
  double asked; /**< the largest of all ranks, after a step */
  int interrupted;    /**< a run has ended early, because it was asked to */
  int announced;      /**< its first lines have been printed */
  double most_blocks; /**< the initial mesh is not refined further once it has so many; 0: it is */
  int cut;            /**< this has happened */
  double disk; /**< the progress of this rank's output (oak_disk_state), which enters such a maximum
                * too */
  double disk_most; /**< the largest of all ranks, after a step */
} oak_requests_t;

struct oak {
  /* Set by create.c and the same from then on. */
  MPI_Comm comm;
  int debug; /**< kernels check what hooks do (run.debug) */
  int rank, size;
  oak_params_t *params;
  oak_device_t *dev;
  double started; /**< MPI_Wtime of oak_create */
  int dim, block_size, layers, nvar;
  int real_size;  /**< bytes of a number that kernels compute with */
  int store_size; /**< bytes of a number of states, fields and their ghost cells */
  int64_t cells;  /**< of a block */
  double xmin[3], xmax[3], dx0[3];
  int trees[3]; /**< blocks of level 0; 1 in z for 2D */
  int min_level, max_level;
  double interpolation_theta; /**< mesh.theta: limiter of interpolation at jumps of level */
  oak_method_t method;
  oak_parts_t parts;
  oak_refine_t refine;
  void *bc; /**< device: oak_bc_t [2 dim][V] */
  /* Set by src/solver/setup. */
  oak_files_t files;
  oak_description_t description;
  oak_scalars_t scalars;
  oak_user_values_t user;
  oak_modules_t modules;
  struct {
#define OAK_KERNEL_MEMBER(name, ...) oak_kernel_t *name;
    OAK_KERNEL_TABLE(OAK_KERNEL_MEMBER)
#undef OAK_KERNEL_MEMBER
  } kernel;
  oak_derived_kernel_t derived, trace; /**< trace: of trace.c */
  oak_beside_list_t fields;            /**< beside the state */
  oak_poisson_t poisson;

  oak_timers_t timers;
  oak_mesh_t *mesh;
  oak_transport_t transport;
  oak_pattern_t pattern;
  oak_exchange_t exchange; /**< of the solution */
  oak_storage_t storage;
  oak_snapshot_memory_t snapshot;
  oak_results_t results;
  oak_marks_t marks;
  oak_repairs_t repairs;
  oak_adapt_t adapt;
  oak_fluxfix_t fluxfix;
  oak_diffusion_t diffusion;
  oak_pace_t pace;
  oak_sim_clock_t clock;
  oak_rates_t rates;
  oak_failed_step_t invalid;
  oak_requests_t run;
};

/* state.c */
/** To be called by code that changes the solution or the mesh. */
static inline void oak_rates_forget(oak_t *sim) { sim->rates.known = OAK_RATES_UNKNOWN; }
/** Fill the parts of a field that every kernel needs. `state` is an index. */
void oak_sim_field(const oak_t *sim, int state, double time, oak_field_t *field);
/** Device memory of a state. */
static inline void *oak_sim_state(const oak_t *sim, int state) {
  return sim->storage.state[state].memory.mine;
}
/** A rank that has failed calls this before the next communication: if its device no longer works,
 * its peers must not wait for its signals. */
void oak_sim_failed(oak_t *sim, oak_status_t st);
/** oak_agree, with oak_sim_failed before it. Collective. */
oak_status_t oak_sim_agree(oak_t *sim, oak_status_t st);
/** Make all ranks forget their rates if one has: oak_write_cells may have been called on some of
 * them only. Collective. */
void oak_rates_agree(oak_t *sim);
/** Fill the ghost cells of a state. All ranks take part. */
oak_status_t oak_fill_ghosts(oak_t *sim, int state, double time);
void oak_storage_swap(oak_t *sim, int a, int b);
/** Device scratch memory of at least `bytes`. */
oak_status_t oak_storage_scratch(oak_t *sim, size_t bytes);

/* create.c */
/** A simulation without mesh and solution: the device is open, and what physics and problem declare
 * is read. Collective. */
oak_status_t oak_sim_declare(MPI_Comm comm, oak_params_t *params, oak_t **out);
/** The same with all keys read and checked, but those of output. Collective. */
oak_status_t oak_sim_prepare(MPI_Comm comm, oak_params_t *params, oak_t **out);
/** Add mesh and kernels, as oak_create_ext does. After a failure \a *sim is NULL. Collective. */
oak_status_t oak_sim_finish(oak_t **sim, FILE *stream);

/* change.c */
/** Follow changes of the parameters from now on. Rank-local. */
oak_status_t oak_follow_changes(oak_t *sim);
/** Read the keys that may change while the simulation is there. */
void oak_read_changing(oak_t *sim);

/* setup/sources.c */
/** Cells of a tile of the flux kernel along x and y that suit the device. */
void oak_sim_tile(const oak_t *sim, int tile[2]);

/* storage.c */
/** Allocate the memory for a mesh of `trees` at min_level before the mesh is made, so that a mesh
 * that is far too large is refused at once. Collective. */
oak_status_t oak_storage_begin(oak_t *sim);
/** Blocks of the mesh at min_level; OAK_ERR_INPUT if that is more than the ranks can have. */
oak_status_t oak_storage_check(const oak_t *sim, double *blocks);
/** Give every state memory for the blocks of the mesh, and update geometry and tables. The contents
 * of `state[0]` are kept, those of the other states are lost. */
oak_status_t oak_storage_fit(oak_t *sim);
/** Make room for `blocks` in states [first, last); their contents are lost if they must grow.
 * Collective. */
oak_status_t oak_storage_reserve(oak_t *sim, int first, int last, int blocks);
void oak_storage_clear(oak_t *sim);

/* snapshot.c */
typedef struct oak_snapshot oak_snapshot_t;
/** Copy the solution and stored fields, on the device. NULL where that is not possible: the device
 * has no queue for it, or too little memory. \a chunk: bytes that are read at a time, at most.
 * Rank-local. */
oak_snapshot_t *oak_snapshot_take(oak_t *sim, size_t chunk);
/** Allocate in advance the memory that the first copy needs, so that the run need not wait for it
 * later. If there is no memory, nothing happens. Rank-local. */
void oak_snapshot_prepare(oak_t *sim, size_t chunk);
/** Memory of the host for a chunk; NULL without a snapshot. */
void *oak_snapshot_buffer(const oak_snapshot_t *snapshot);
/** Fetch blocks [b0, b0 + n): real [n][V][N^dim] and the fields of each block, to the buffer. One
 * other thread may call it. */
oak_status_t oak_snapshot_read(void *snapshot, int b0, int n, void *dst);
/** The same for the values of output variables, after oak_variables_prepare, in \a nblock blocks:
 * their numbers are block[nblock], in increasing order, or with NULL from 0 on. NULL where that is
 * not possible. \a chunk: bytes of the host through which they are read. Rank-local. */
oak_snapshot_t *oak_snapshot_values(oak_t *sim, int count, const int *variable, int nblock,
                                    const int *block, size_t chunk);
/** Fetch the values of the variable of number \a var among them, as oak_variable_read. \a b0
 * counts the blocks of the copy. */
oak_status_t oak_snapshot_read_value(oak_snapshot_t *snapshot, int var, int b0, int n, double *dst);
void oak_snapshot_free(void *snapshot);
void oak_snapshot_clear(oak_t *sim);

/* stage.c */
/** Results that the flux kernel leaves for a block. */
static inline int oak_sim_results(const oak_t *sim) {
  return sim->results.tiles * sim->results.parts;
}
/** Chunks of `count` results. */
static inline long oak_sim_chunks(long count) {
  return (count + OAK_RESULTS_CHUNK - 1) / OAK_RESULTS_CHUNK;
}

/* adapt.c */
/** Flags of the run's criterion for the current state, \a flag [nblock], followed by
 * oak_mesh_adapt's reach [nblock] if there is a buffer; ghost cells must be filled. Not collective.
 */
oak_status_t oak_compute_flags(oak_t *sim, int *flag);
/** Largest rate of each of the first \a blocks blocks, where the rates are known. Not collective.
 */
oak_status_t oak_block_rates(oak_t *sim, int blocks, double *rate);
/** Make storage and tables for an adapted mesh whose blocks are complete, unless they are there. An
 * adaptation that lacked memory for them is finished here. Collective; fails on all ranks alike,
 * and may be tried again. */
oak_status_t oak_adapt_finish(oak_t *sim);

/* tasks.c; none is collective */
typedef struct oak_carried oak_carried_t;
/** Tasks of the kernel that fills the blocks of a new mesh, to be freed; NULL: no memory. */
oak_adapt_task_t *oak_adapt_tasks(const oak_origin_t *origin, int count);
/** Device memory for \a count items of a size; its contents are lost if it grows. */
oak_status_t oak_adapt_grow(oak_t *sim, void **memory, int *capacity, int count, size_t size);
/** Fill blocks out[n] from the present values, by task n. */
oak_status_t oak_adapt_run(oak_t *sim, const oak_carried_t *c, const oak_adapt_task_t *task,
                           int count, void *out);
/** Copy blocks that were on this rank, or on a peer, whose memory the kernel reads in place. */
oak_status_t oak_adapt_copy(oak_t *sim, const oak_carried_t *c, int to, int from, int count,
                            int base);
/** Copy the solution to another state. */
oak_status_t oak_copy_state(oak_t *sim, int to);

/* pace.c */
/** Measure ranks if mesh.balance says so. Not collective. */
oak_status_t oak_pace_init(oak_t *sim);
/** Bring pace.speed up to date, if ranks are measured. Waits until the device has completed its
 * work. Collective. */
void oak_pace_measure(oak_t *sim);

/* fluxfix.c */
/** Match fluxes where levels meet, in a state that holds rates of change, which need not be valid;
 * \a unused is some memory of the device. */
oak_status_t oak_fix_rate(oak_t *sim, int state, void *unused);

/* diffusion.c */
/** The largest diffusivity / dx^2 of each block, which is the part of diffusion in its rate.
 * Rank-local. */
oak_status_t oak_diffusion_block_rates(oak_t *sim, double time, double *rate);

/* fields.c */
/** Number of the field beside the state of that name, -1: none. */
int oak_field_find(const oak_t *sim, const char *name);
/** Prepare the exchanges and boundary conditions of the fields; before the mesh is made.
 * Rank-local. */
oak_status_t oak_fields_open(oak_t *sim);
/** Room for \a blocks in the values `next` of stored fields. Collective. */
oak_status_t oak_fields_reserve(oak_t *sim, int blocks);
/** Fill ghost cells of a field. Collective; the ranks do not agree on the status. */
oak_status_t oak_field_fill(oak_t *sim, int number);
/** Variable of the state that is the field of that name, -1: none. */
int oak_field_variable(const oak_t *sim, const char *name);
/** Values of local blocks [first, first + count): \a out [count][N^d]. Rank-local. */
oak_status_t oak_field_read(oak_t *sim, int number, int first, int count, double *out);
/** The values that move with the blocks of the mesh: number 0 is the state, then come the stored
 * fields. */
struct oak_carried {
  const oak_exchange_t *exchange;
  oak_values_t *now, *next;
};
int oak_carried(oak_t *sim, oak_carried_t list[OAK_MAX_FIELDS + 1]);
/** The number of components of all these values together. */
int oak_carried_components(const oak_t *sim);

/* cells.c */
static inline int oak_has_update(const oak_t *sim) {
  return oak_has_hook(sim, "physics_update") || oak_has_hook(sim, "problem_update");
}
/** Whether a kernel that counts invalid cells per block has found some. Not collective. */
oak_status_t oak_count_invalid(oak_t *sim, int *invalid);

/* head.c */
/** Print the first lines of a run on \a stream (rank 0; NULL: nothing), once per simulation. \a
 * builds: kernels are built next. */
void oak_print_head(oak_t *sim, FILE *stream, int builds);

#endif
