/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak: octree adaptive kernels. The library for programs that run simulations on adaptive meshes.
 *
 *   oak_params_new(&par); oak_params_read(par, comm, "run.ini");
 *   oak_create(comm, par, &sim); oak_initialize(sim);
 *   while (oak_time(sim) < end) {
 *     oak_advance(sim, oak_time_step(sim));
 *     if (oak_step(sim) % 4 == 0) oak_adjust_refinement(sim, NULL);
 *   }
 *   oak_write_grid(sim, "plt00010"); oak_print_wtime(sim, stdout); oak_destroy(&sim);
 *
 * All functions that take a simulation are collective on its communicator unless they say
 * otherwise; a failure is returned on every rank, with a message in oak_last_error(). A simulation
 * that is NULL is refused, with OAK_ERR_ARGUMENT, by functions that return a status, and all are
 * refused after MPI_Finalize. Other functions return 0, "" or NULL for it, or do nothing.
 *
 * Functions that fill or read arrays for all blocks of a rank take the \a count of blocks that the
 * array has. They refuse it with OAK_ERR_ARGUMENT if the rank has other blocks now. Only one thread
 * at a time may call oak. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "oak/device.h"
#include "oak/kernel_args.h"
#include "oak/params.h"
#include "oak/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OAK_VERSION "0.1.0"

/** The commit that the library was built from: the first characters of its hash, with "+" after it
 * if files had been changed; "unknown" if it was built neither with git nor from a release. Not
 * collective. */
OAK_API const char *oak_commit(void);

typedef struct oak oak_t;

/** Set up a simulation: open the device, read what physics and problem declare, check all
 * parameters, build the kernels, make the mesh at mesh.min_level. The solution is not set yet.
 * \a params is kept by reference and must outlive the simulation; MPI must be initialised. */
OAK_API oak_status_t oak_create(MPI_Comm comm, oak_params_t *params, oak_t **out);
/** oak_create, and rank 0 prints the first lines of a run on \a stream (NULL: nothing) before
 * kernels are compiled. oak_run does not repeat these lines. */
OAK_API oak_status_t oak_create_ext(MPI_Comm comm, oak_params_t *params, FILE *stream, oak_t **out);
OAK_API void oak_destroy(oak_t **sim);
/** Declare in \a params the keys of its physics and problem, so that a caller can list them. No
 * other step of oak_create is done. Collective. */
OAK_API oak_status_t oak_declare(MPI_Comm comm, oak_params_t *params);
/** Check on random states that the hooks of the physics satisfy identities that hold for every
 * physics; "oak help check" lists them. \a params names the physics; its problem is not used.
 * Prints a line for each identity on rank 0 to \a stream, if that is not NULL. \a *failures:
 * identities that do not hold. Collective. */
OAK_API oak_status_t oak_check_physics(MPI_Comm comm, oak_params_t *params, FILE *stream,
                                       int *failures);

/** Set the initial condition of the problem, or the state of run.initial, and refine the mesh
 * around it level by level. */
OAK_API oak_status_t oak_initialize(oak_t *sim);
/** Set the problem's initial condition on the present mesh. Call oak_update_time_step before the
 * next oak_time_step. */
OAK_API oak_status_t oak_set_initial(oak_t *sim);

/** Adapt the mesh to the refinement criterion and move the solution to it; balance the load. Fills
 * ghost cells first. \param [out] changed 1 if the mesh changed, or blocks have moved to other
 * ranks (mesh.balance = measured); may be NULL.
 * \return OAK_ERR_MEMORY, with the amount needed, if memory does not suffice on some rank. All
 * ranks then keep the previous mesh and solution, because oak tries to get the memory before it
 * gives up the old solution. A device may later give less memory than this trial has promised. Then
 * the solution on the new mesh is complete and can be written (oak_write_checkpoint) and read
 * (oak_read_cells). The next oak_advance or adaptation tries to get the missing memory, and returns
 * OAK_ERR_MEMORY again if it fails. Until then, functions that need it return OAK_ERR_STATE. */
OAK_API oak_status_t oak_adjust_refinement(oak_t *sim, int *changed);
/** oak_adjust_refinement with the caller's flags, \a flag [count], count = oak_nblocks: > 0 refine,
 * 0 keep, < 0 coarsen if the whole family has such flags. Levels stay between mesh.min_level and
 * mesh.max_level. Fills ghost cells first. */
OAK_API oak_status_t oak_adjust_refinement_flags(oak_t *sim, int count, const int *flag,
                                                 int *changed);

/** Make the ghost cells of the current state readable by kernels. Ghost cells may be cells of other
 * ranks of the host that are read in place, not copied. They keep their values only while the other
 * ranks do not change these cells (see oak_write_cells). */
OAK_API oak_status_t oak_update_ghostcells(oak_t *sim);

/** One time step of size \a dt with the chosen Runge-Kutta scheme. Returns OAK_ERR_STATE, with
 * position and values, if a cell ends in an invalid state (negative density or pressure, NaN). With
 * scheme.on_invalid = retry, oak first repeats the step with dt/2, dt/4, ... up to ten times;
 * oak_time then tells how far the solution was advanced. If the last attempt fails too, solution,
 * time and step are those before. */
OAK_API oak_status_t oak_advance(oak_t *sim, double dt);
/** The largest time step that run.cfl and run.dt_max allow now. Not collective. */
OAK_API double oak_time_step(const oak_t *sim);
/** Update oak_time_step after oak_set_initial, oak_write_cells or a kernel of the caller's own that
 * changes cells. oak_initialize, oak_advance and adaptation do this themselves. It costs a pass
 * over all cells, or almost nothing if none of these changes happened since the last step. \return
 * OAK_ERR_STATE as oak_advance does. */
OAK_API oak_status_t oak_update_time_step(oak_t *sim);

/** Correct the cells on the coarse side of refinement boundaries by the difference between their
 * flux and the average of the fine fluxes over a step \a dt. The last flux computation has stored
 * both fluxes. oak_advance does this itself after each stage. */
OAK_API oak_status_t oak_fix_c2f_flux(oak_t *sim, double dt);

/** Write an AMReX plotfile (a folder) with all conserved and primitive variables, or the variables
 * in output.plot_variables. ParaView, VisIt and yt read it. An earlier plotfile of that name is
 * replaced when the new one is complete. \return OAK_ERR_FILE if something else has that name. */
OAK_API oak_status_t oak_write_grid(oak_t *sim, const char *path);
/** Write a PNG picture of one variable (output.picture_*). */
OAK_API oak_status_t oak_write_picture(oak_t *sim, const char *path);

/** Write the output of the section [output.\a name] of the parameters now, as a run does when the
 * output is due: files NAME_... of any kind, a row of the table NAME.csv. The keys that say when it
 * is due have no effect, and each step is written only once. The first call locks output.folder
 * until oak_destroy or oak_run_ext, and removes the rows of this step and later ones from the
 * tables. Files of an earlier run stay there until one of the same name is written. Collective; \a
 * name agrees on all ranks. \return OAK_ERR_INPUT if there is no such section; OAK_ERR_FILE as
 * oak_run_ext. */
OAK_API oak_status_t oak_write_output(oak_t *sim, const char *name);

/** Write a checkpoint to the file \a path: everything that the rest of the simulation depends on. A
 * simulation on any number of ranks and any device can read it (docs/restart.md). The file gets its
 * name when it is complete; it then replaces an earlier checkpoint of that name. \return
 * OAK_ERR_FILE if something else has that name. */
OAK_API oak_status_t oak_write_checkpoint(oak_t *sim, const char *path);
/** Continue from a checkpoint, on any number of ranks and any device: after oak_create(), in place
 * of oak_initialize(). Mesh, solution, time, step and counts are those of the file, and all later
 * steps are bitwise the same on the same kind of device. If parameters or files of scheme, physics,
 * problem or boundary have changed, the time step is computed again. \return OAK_ERR_INPUT if
 * dimension, domain, trees, block size, precision or variables differ, or if blocks are outside of
 * the allowed levels; OAK_ERR_FILE if the file is damaged or is no checkpoint; OAK_ERR_STATE as for
 * oak_update_time_step. After a failure that comes after these checks, the simulation has no
 * blocks, and it may only read another checkpoint or be destroyed: other functions return
 * OAK_ERR_STATE. */
OAK_API oak_status_t oak_read_checkpoint(oak_t *sim, const char *path);
/** Set time and step, for example after the solution was set by oak_write_cells. Arguments agree on
 * all ranks. */
OAK_API void oak_set_time(oak_t *sim, double time);
OAK_API void oak_set_step(oak_t *sim, long step);

/** Print the table of time spent in the parts of oak (paper: f4_print_wtime). */
OAK_API void oak_print_wtime(oak_t *sim, FILE *stream);

/** Seconds that this rank has spent in a phase of the table of oak_print_wtime, such as "flux and
 * update"; NULL: in all phases. Not collective. */
OAK_API double oak_wtime(oak_t *sim, const char *phase);

/** Integrals of the conserved variables over the domain, \a total [oak_nvar]. They have the same
 * bits for any number of ranks. */
OAK_API oak_status_t oak_totals(oak_t *sim, double *total);

/** A whole run as the command `oak run` does it: initial condition, steps, adaptation, output,
 * progress on \a stream (rank 0; NULL: silent). */
OAK_API oak_status_t oak_run(oak_t *sim, FILE *stream);

#define OAK_SIGNALS_UNTIL_EXIT 2

/** Options of oak_run_ext beside the parameters. With zeros behind `size` oak_run_ext is oak_run.
 */
typedef struct {
  size_t size;   /**< sizeof(oak_run_options_t), by which programs built with an earlier oak.h work
                    with   later libraries; 0 is refused */
  FILE *stream;  /**< as for oak_run */
  int overwrite; /**< if output.folder holds a run already: 0: return OAK_ERR_FILE, 1: remove the
                      files of that run */
  /** Go on from this checkpoint. Files of later steps in output.folder are moved to a folder in it.
   * "latest": the newest good checkpoint in output.folder, refused if the run there has finished at
   * a later step. NULL: begin a new run. */
  const char *restart;
  /** 1: SIGUSR1, SIGTERM and SIGINT end the run with a checkpoint. After the last step their
   * earlier handlers are set again; with OAK_SIGNALS_UNTIL_EXIT (2) they are ignored until the
   * process ends, so that a signal that comes late does not change its exit status. */
  int signals;
  const char *command; /**< command line, for parameters.ini of the output folder; may be NULL */
} oak_run_options_t;

/** oak_run with options, the same on all ranks. Writes checkpoints as [checkpoint] says, and ends
 * early, with a checkpoint and OAK_OK, if it is asked to (oak_interrupted). output.folder is locked
 * while it runs: OAK_ERR_FILE if another run has it. */
OAK_API oak_status_t oak_run_ext(oak_t *sim, const oak_run_options_t *options);

/** A simulation for oak_run_ext with these \a options, as oak_create_ext makes it. Keys of outputs
 * are checked before kernels are compiled, and so is the checkpoint of a restart: its dimension,
 * block size, variables and precision. */
OAK_API oak_status_t oak_create_run(MPI_Comm comm, oak_params_t *params,
                                    const oak_run_options_t *options, oak_t **out);

/** Print on options->stream (rank 0; NULL: silent) what a run with these parameters and \a options
 * would do: blocks, memory, outputs, and an estimate of the time. Kernels are built. A few steps
 * are timed, on a coarser mesh if the mesh of the run is large; memory and time then follow from
 * the numbers of blocks. No file is written but to the cache of kernels. Collective. */
OAK_API oak_status_t oak_check(MPI_Comm comm, oak_params_t *params,
                               const oak_run_options_t *options);

/** Facts about a simulation. Not collective. */
OAK_API double oak_time(const oak_t *sim);
OAK_API long oak_step(const oak_t *sim);
/** 1 if the last run ended early, after a checkpoint, by a signal, a stop file or the limit of
 * wall-clock time. */
OAK_API int oak_interrupted(const oak_t *sim);
OAK_API int oak_dim(const oak_t *sim);
OAK_API int oak_block_size(const oak_t *sim); /**< cells of a block along an axis; 0: its edges
                                                   differ */
OAK_API void oak_block_shape(const oak_t *sim, int n[3]); /**< cells along each axis; 1 in z for
                                                               2D */
OAK_API int oak_ghost_layers(const oak_t *sim);
OAK_API int oak_nvar(const oak_t *sim);
OAK_API int oak_nblocks(const oak_t *sim);            /**< blocks of this rank */
OAK_API int64_t oak_nblocks_global(const oak_t *sim); /**< blocks on all ranks */
/** A number that changes with the blocks of this rank: until then oak_nblocks, oak_block_level and
 * oak_block_geometry stay the same. */
OAK_API long oak_mesh_revision(const oak_t *sim);
/** A number that changes when the solution, or a value computed from it, may have changed. */
OAK_API long oak_solution_revision(const oak_t *sim);
OAK_API int64_t oak_cell_updates(const oak_t *sim); /**< cells updated so far, on all ranks; each
                                                         stage counts */
/** Number of cells, since the start and on all ranks, that a stage left invalid and that got
 * first-order fluxes, counted once per stage. 0 with scheme.on_invalid = stop. */
OAK_API int64_t oak_first_order_cells(const oak_t *sim);
/** Number of steps that were repeated with half their size since the start. 0 unless
 * scheme.on_invalid = retry. */
OAK_API int64_t oak_retries(const oak_t *sim);
/** Number of cells that were raised to a floor of the physics since the start, on all ranks,
 * counted once per stage. Each floor adds to the totals of the conserved variables. */
OAK_API int64_t oak_floored_cells(const oak_t *sim);
/** Names of the conserved variables, then of the primitive ones, in the physics. In other
 * coordinates than Cartesian outputs have v_r for vx; functions that take a name know both. */
OAK_API const char *oak_variable_name(const oak_t *sim, int variable);
OAK_API int oak_block_level(const oak_t *sim, int block); /**< -1: this rank has no such block */
/** Lower corner and cell size of a local block; NaN if this rank has no such block. With
 * mesh.radius = logarithmic, the first coordinate is ln r. */
OAK_API void oak_block_geometry(const oak_t *sim, int block, double origin[3], double dx[3]);
/** Bytes of block data, halo buffers and tables on this rank's device. */
OAK_API int64_t oak_memory(const oak_t *sim);
OAK_API oak_device_t *oak_device(oak_t *sim);

/** Read one variable (conserved, then primitive) of local blocks [first, first + count):
 * \a out [count][N^d], interior cells. Not collective. */
OAK_API oak_status_t oak_read_cells(oak_t *sim, int variable, int first, int count, double *out);
/** Read a variable by its name in all local blocks: \a out [count][N^d], count = oak_nblocks. Any
 * variable of outputs is allowed, such as vorticity or a hook OUTPUT. Collective; \a name agrees on
 * all ranks. \return OAK_ERR_INPUT if there is no such variable. */
OAK_API oak_status_t oak_read_variable(oak_t *sim, const char *name, int count, double *out);
/** Overwrite \a n conserved variables in all blocks of all ranks, \a in [n][count][N^d], count =
 * oak_nblocks, and update oak_time_step. Collective; \a variable [n] agrees on all ranks. \return
 * OAK_ERR_STATE if a cell is then invalid. After a failure the solution is unchanged. */
OAK_API oak_status_t oak_write_variables(oak_t *sim, int n, const int *variable, int count,
                                         const double *in);
/** List the names that oak_read_variable takes, blank-separated, as many as fit in \a names [size].
 * Not collective. */
OAK_API void oak_list_variables(const oak_t *sim, char *names, size_t size);
/** The unit that physics or problem declare for a variable of oak_read_variable, for "length" or
 * for "time"; "" if they declare none. Not collective. */
OAK_API const char *oak_variable_unit(const oak_t *sim, const char *name);
/** The conserved variables in memory of the device. */
typedef struct {
  void *cells;         /**< [oak_nblocks][oak_nvar][N^d], of floating-point numbers */
  int number_bytes;    /**< size of one number, 4 or 8 */
  int memory;          /**< kind of memory, as DLPack: 1 host, 2 CUDA, 10 HIP */
  int device;          /**< number of the GPU */
  int64_t block_bytes; /**< from block to block: some physics store more than variables */
} oak_view_t;

/** View the conserved variables in memory of the device, without a copy, after all its work has
 * ended. They are the solution until the next call that advances or adapts it. The memory itself
 * stays until oak_hold_free(hold), also after the solution has moved elsewhere and after
 * oak_destroy. \a write: 1 if the caller writes them, with the care that oak_write_cells asks for,
 * and then calls oak_update_time_step. What is written to the mean of a vector on faces
 * (FACE_VECTOR) is lost. OAK_ERR_UNSUPPORTED on device openacc. Not collective. */
OAK_API oak_status_t oak_view_cells(oak_t *sim, int write, oak_view_t *view, oak_hold_t **hold);
/** The deleter of a DLManagedTensor (DLPack) in memory of malloc; its manager_ctx is an oak_hold_t.
 * Any thread may call it. */
OAK_API void oak_view_free(void *tensor);
/** Read all conserved variables with ghost layers, after oak_update_ghostcells: \a out
 * [count][V][(N + 2 G)^d]; edges and corners are NaN. Not collective. */
OAK_API oak_status_t oak_read_ghosts(oak_t *sim, int first, int count, double *out);
/** Overwrite one conserved variable of local blocks: \a in [count][N^d]. Not collective. Call
 * oak_update_time_step before the next oak_time_step; only that function checks the values. If it
 * returns OAK_ERR_STATE, the solution keeps the values until others are written, so keep a copy of
 * the earlier ones (oak_read_cells). Other ranks of the host may read these cells in place, as
 * ghost cells. If another rank reads ghost cells after an oak_update_ghostcells (in a kernel of the
 * caller, or by oak_read_ghosts), MPI_Barrier or a collective function of oak must come between
 * that reading and this writing. */
OAK_API oak_status_t oak_write_cells(oak_t *sim, int variable, int first, int count,
                                     const double *in);

/** Set the field beside the state \a name, which a physics or problem file declares with
 * FIELD_STORED(name), to \a in [count][N^d], count = oak_nblocks, and fill its ghost cells. From
 * then on it moves with the blocks when the mesh changes. \return OAK_ERR_ARGUMENT if there is no
 * such field or the hook FIELD sets it. */
OAK_API oak_status_t oak_field_set(oak_t *sim, const char *name, int count, const double *in);
/** Read the field beside the state \a name: \a out [count][N^d], count = oak_nblocks. Not
 * collective. */
OAK_API oak_status_t oak_field_get(oak_t *sim, const char *name, int count, double *out);

/** An elliptic equation div(a grad u) - b u = f on the mesh of a simulation, which multigrid solves
 * (docs/poisson.md). It computes in double precision. */
typedef struct oak_solver oak_solver_t;

/** The condition on a face of the domain that is not periodic. */
typedef enum {
  OAK_SOLVER_DIRICHLET, /**< the value of u */
  OAK_SOLVER_NEUMANN,   /**< the outward derivative of u */
  OAK_SOLVER_ISOLATED   /**< u falls off towards infinity, by the multipoles of f; all faces or none
                         */
} oak_solver_condition_t;

enum { OAK_SOLVER_MOST_CYCLES = 200 };

typedef struct {
  double a, b; /**< coefficients, a > 0 and b >= 0 */
  int fields;  /**< 1: they are fields instead, which oak_solver_write sets */
  struct {
    oak_solver_condition_t condition;
    double value;
  } face[6]; /**< xlow, xhigh, ylow, ... */
  /** The value at position \a x on a face, in place of face[].value, unless NULL. It may depend on
   * the time of the simulation. */
  double (*value)(void *data, int face, const double x[3], double time);
  void *data;       /**< first argument of value */
  double tolerance; /**< of the largest residual, relative to the largest |f|; a given value u
                       counts as u / (L dx), where L is the size of the domain */
  int max_cycles;   /**< 1 to OAK_SOLVER_MOST_CYCLES */
  int krylov; /**< 0: V-cycles; if the coefficients are fields and a cycle reduces the residual by
                 less than a factor of 5, BiCGSTAB with an F-cycle as preconditioner continues; 1:
                 BiCGSTAB from the start */
  int warm;   /**< 1: start from the present u; 0: from zero, with a full multigrid cycle */
} oak_solver_options_t;

/** The course of a solution. */
typedef struct {
  int cycles;                                  /**< V-cycles and F-cycles */
  double residual[OAK_SOLVER_MOST_CYCLES + 1]; /**< largest at first and after each cycle */
  double scale;                                /**< the value to which they are relative */
} oak_solver_report_t;

/** Values of a solver in all cells. */
typedef enum {
  OAK_SOLVER_RHS,      /**< f */
  OAK_SOLVER_SOLUTION, /**< u */
  OAK_SOLVER_A,        /**< coefficients, where they are fields */
  OAK_SOLVER_B
} oak_solver_values_t;

/** Make a solver. \a options agree on all ranks; they are copied. All values are 0. If b = 0 and u
 * is not given anywhere at the boundary, u is determined up to a constant. The means of f and u are
 * then made 0. A solver does not see bodies ([body.NAME], SOLID). Collective. Destroy it before the
 * simulation. */
OAK_API oak_status_t oak_solver_new(oak_t *sim, const oak_solver_options_t *options,
                                    oak_solver_t **out);
/** Free a solver. Collective. */
OAK_API void oak_solver_destroy(oak_solver_t **solver);
/** Follow a mesh that has changed; all values are 0 then. Collective. */
OAK_API oak_status_t oak_solver_follow(oak_solver_t *solver);
/** Set values of local blocks [first, first + count): \a in [count][N^d]. Not collective; a
 * collective function of oak or MPI_Barrier must lie between a solution and the next writing of
 * OAK_SOLVER_SOLUTION. \return OAK_ERR_STATE if the mesh has changed. */
OAK_API oak_status_t oak_solver_write(oak_solver_t *solver, oak_solver_values_t what, int first,
                                      int count, const double *in);
/** Read values of local blocks: \a out [count][N^d]. Not collective. */
OAK_API oak_status_t oak_solver_read(oak_solver_t *solver, oak_solver_values_t what, int first,
                                     int count, double *out);
/** The derivative of u along an axis: \a out [count][N^d], count = oak_nblocks. It is the mean of
 * the differences across both faces of a cell. Collective. */
OAK_API oak_status_t oak_solver_gradient(oak_solver_t *solver, int axis, int count, double *out);
/** Solve the equation. \a report may be NULL. The solution has the same bits for any number of
 * ranks. Collective. \return OAK_ERR_STATE, with the history of residuals, if the tolerance is not
 * reached. */
OAK_API oak_status_t oak_solve(oak_solver_t *solver, oak_solver_report_t *report);

/** Build a kernel of the caller. \a path is a C file in the kernel dialect (docs/kernels.md); it is
 * built with the physics, the problem and all constants of this simulation. \a name is an
 * OAK_KERNEL in it. */
OAK_API oak_status_t oak_kernel_build(oak_t *sim, const char *path, const char *name,
                                      oak_kernel_t **out);
/** Run a kernel once for each local block. \a args starts with an oak_field_t, which this function
 * sets to the current state. \a bytes is the size of the whole structure. A kernel changes cells by
 * oak_set(); call oak_update_time_step afterwards. Not collective. */
OAK_API oak_status_t oak_kernel_run(oak_t *sim, oak_kernel_t *kernel, void *args, size_t bytes);

/** List the names that a key may have, blank-separated, as many as fit in \a names [size]:
 * scheme.limiter, scheme.flux, refine.criterion, or boundary.xlow, which stands for all faces.
 * Names of oak come first, then names of \a physics, a value of physics.name; a path starts at the
 * current folder. "" gives only names of oak. Not collective. */
OAK_API oak_status_t oak_list_schemes(const char *key, const char *physics, char *names,
                                      size_t size);

/** Give the help of these keys their names (oak_params_name): names of oak; after oak_declare and
 * oak_create also those of physics and problem. Not collective. */
OAK_API oak_status_t oak_name_schemes(oak_params_t *params);

#ifdef __cplusplus
}
#endif
