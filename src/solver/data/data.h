/* SPDX-License-Identifier: GPL-2.0-or-later
 * The solution: its values on the blocks of the mesh, and its time. Private to src/solver. */
#pragma once

#include "base/timer.h"
#include "halo/exchange.h"
#include "mesh/mesh.h"
#include "oak.h"
#include "oak/kernel_args.h"
#include "setup/setup.h"

/** Memory of the device that grows with the mesh; oak_array_fit. */
typedef struct {
  void *at;
  int64_t bytes;
} oak_array_t;

/** Device memory of the blocks (storage.c). */
typedef struct {
  oak_values_t state[OAK_MAX_STATES]; /**< [nblock][V][N^d]; 0 is current between steps */
  oak_array_t blocks;                 /**< oak_block_t [nblock] */
  oak_array_t scratch;                /**< results of reading kernels */
  long revision;                      /**< mesh revision that blocks, rates and states fit */
} oak_storage_t;

/** Device memory of the results of the flux kernel (storage.c). */
typedef struct {
  int whole_tiles; /**< the kernel never cuts tiles into parts */
  int tiles;       /**< tiles of a block */
  int parts; /**< number of parts into which the kernel cuts a tile, so that a small mesh fills the
              * device */
  oak_array_t memory; /**< memory of the next three members */
  void *rate, *bad;   /**< per block, tile and part: largest wave speed / dx; invalid cells */
  void *sums;         /**< maxima and sums of them by chunk */
} oak_results_t;

/** Memory of the host for copies of the solution that are written to files (snapshot.c). */
typedef struct {
  void *buffer;
  size_t bytes;
  int taken; /**< number of copies, which use the buffer one after the other */
} oak_snapshot_memory_t;

/** A field of one component. */
typedef struct {
  oak_exchange_t exchange;
  oak_values_t now, next; /**< [nblock][N^d]; next: the values of a stored field on a new mesh */
  char set;               /**< a program or a file has set it */
} oak_field_value_t;

/** Fields that kernels find through a table (field_set.c). */
typedef struct {
  int count;
  oak_field_value_t field[OAK_MAX_FIELDS];
  void *table; /**< device: oak_beside_t [count + nface] */
  int nface;
  oak_array_t face; /**< fields on faces, [nface][nblock][numbers of a block] */
  void *bc;         /**< device: oak_bc_t [2 dim] */
} oak_field_set_t;

/** A kernel that is built when it is first needed; NULL until then (state.c). */
typedef struct {
  oak_module_t *module;
  oak_kernel_t *kernel;
} oak_late_kernel_t;

/** The time of the solution. */
typedef struct {
  double time, dt; /**< dt: of the last step, 0 before the first */
  double taken_dt; /**< the step that is being taken; 0 between steps */
  int stage;       /**< stage of the Runge-Kutta scheme; 0 between steps */
  long step;
} oak_solution_time_t;

typedef struct {
  const oak_setup_t *setup;
  oak_timers_t timers;
  oak_mesh_t *mesh;
  oak_transport_t transport;
  oak_pattern_t pattern;
  oak_exchange_t exchange; /**< exchange of the solution */
  oak_storage_t storage;
  oak_results_t results;
  oak_field_set_t fields; /**< fields beside the state, in the order of setup.fields (fields.c) */
  oak_late_kernel_t derived;
  oak_array_t tasks; /**< oak_adapt_task_t; they fill blocks (fields.c) */
  oak_snapshot_memory_t snapshot;
  oak_solution_time_t clock;
} oak_data_t;

/* state.c */
/** Fill the parts of a field that every kernel needs. `state` is an index. */
void oak_data_field(const oak_data_t *data, int state, double time, oak_field_t *field);
/** The arguments of kernels that fill its ghost cells. */
void oak_data_halo(const oak_data_t *data, int state, double time, oak_halo_args_t *args);
/** Device memory of a state. */
static inline void *oak_data_state(const oak_data_t *data, int state) {
  return data->storage.state[state].memory.mine;
}
/** Origin and cell size of a block. */
void oak_data_geometry(const oak_data_t *data, int block, double origin[3], double dx[3]);
/** A rank that has failed calls this before the next communication: if its device no longer works,
 * its peers must not wait for its signals. */
void oak_data_failed(oak_data_t *data, oak_status_t st);
/** oak_agree, with oak_data_failed before it. Collective. */
oak_status_t oak_data_agree(oak_data_t *data, oak_status_t st);
/** Build kernels/FILE.c, once, and take its kernel \a name. Collective. */
oak_status_t oak_late_kernel(const oak_setup_t *setup, oak_late_kernel_t *late, const char *file,
                             const char *name);
/** Fill the ghost cells of a state. All ranks take part. */
oak_status_t oak_fill_ghosts(oak_data_t *data, int state, double time);
/** Whether a kernel that leaves so many counts of invalid cells for each block has found some: the
 * bits of all counts. Rank-local. */
oak_status_t oak_count_invalid(oak_data_t *data, int results, int *invalid);
/** Run a kernel over all blocks of a state; \a args begins with an oak_field_t, which is set here.
 * Rank-local. */
oak_status_t oak_data_launch(const oak_data_t *data, oak_kernel_t *kernel, int state, double time,
                             void *args, size_t bytes);

/** Volume of the cells of \a box (as in oak_measure_args_t) divided by the product of the cell
 * sizes. */
double oak_box_volume(const oak_data_t *data, int block, const int *box);

/* open.c */
/** Data without a mesh. */
void oak_data_init(oak_data_t *data, const oak_setup_t *setup);
/** Open what the data need before the mesh is made. \a edges: ghost cells beyond edges are needed.
 * Collective; the ranks agree. */
oak_status_t oak_data_open(oak_data_t *data, int edges, int whole_tiles);
void oak_data_clear(oak_data_t *data);

/* storage.c */
/** Allocate the memory for a mesh of `trees` at min_level before the mesh is made, so that a mesh
 * that is far too large is refused at once. Collective. */
oak_status_t oak_storage_begin(oak_data_t *data);
/** Blocks of the mesh at min_level; OAK_ERR_INPUT if that is more than the ranks can have. */
oak_status_t oak_storage_check(const oak_setup_t *setup, double *blocks);
/** Make room for `blocks` in states [first, last); their contents are lost if they must grow.
 * Collective. */
oak_status_t oak_storage_reserve(oak_data_t *data, int first, int last, int blocks);
/** Positions of the blocks, and room for results of the flux kernel. Rank-local. */
oak_status_t oak_storage_blocks(oak_data_t *data);
/** Buffers of ghost cells for a new pattern. Collective; the ranks do not agree. */
oak_status_t oak_storage_connect(oak_data_t *data);
/** Whether all that depends on the mesh fits the present one. */
static inline int oak_storage_fits(const oak_data_t *data) {
  return data->storage.revision == data->mesh->revision;
}
/** Say that it does. */
static inline void oak_storage_fitted(oak_data_t *data) {
  data->storage.revision = data->pattern.revision = data->mesh->revision;
}
void oak_storage_swap(oak_data_t *data, int a, int b);
/** Memory of at least \a bytes; the contents are lost if it grows, which it does by an eighth more.
 * Rank-local. */
oak_status_t oak_array_fit(oak_device_t *dev, oak_array_t *array, int64_t bytes);
/** Scratch memory of at least \a bytes. */
static inline oak_status_t oak_storage_scratch(oak_data_t *data, size_t bytes) {
  return oak_array_fit(data->setup->dev, &data->storage.scratch, (int64_t)bytes);
}
int64_t oak_storage_bytes(const oak_data_t *data);
void oak_storage_clear(oak_data_t *data);

/** Results that the flux kernel leaves for a block. */
static inline int oak_data_results(const oak_data_t *data) {
  return data->results.tiles * data->results.parts;
}
/** Chunks of `count` results. */
static inline long oak_results_chunks(long count) {
  return (count + OAK_RESULTS_CHUNK - 1) / OAK_RESULTS_CHUNK;
}

/* snapshot.c */
typedef struct oak_snapshot oak_snapshot_t;
/** Copy the solution and stored fields, on the device. NULL where that is not possible: the device
 * has no queue for it, or too little memory. \a chunk: bytes that are read at a time, at most.
 * Rank-local. */
oak_snapshot_t *oak_snapshot_take(oak_data_t *data, size_t chunk);
/** Allocate in advance the memory that the first copy needs, so that the run need not wait for it
 * later. If there is no memory, nothing happens. Rank-local. */
void oak_snapshot_prepare(oak_data_t *data, size_t chunk);
/** Memory of the host for a chunk; NULL without a snapshot. */
void *oak_snapshot_buffer(const oak_snapshot_t *snapshot);
/** Fetch blocks [b0, b0 + n): real [n][V][N^dim] and the fields of each block, to the buffer. One
 * other thread may call it. */
oak_status_t oak_snapshot_read(void *snapshot, int b0, int n, void *dst);
/** Copy the values of output variables in \a nblock blocks, after oak_variables_prepare.
 * \a block [nblock]: numbers of the blocks, in increasing order; NULL: from 0 on. The result is
 * NULL as above. \a chunk: bytes of the host through which they are read. Rank-local. */
oak_snapshot_t *oak_snapshot_values(oak_data_t *data, int count, const int *variable, int nblock,
                                    const int *block, size_t chunk);
/** Fetch the values of variable \a var of the copy, as oak_variable_read does. \a b0 counts the
 * blocks of the copy. */
oak_status_t oak_snapshot_read_value(oak_snapshot_t *snapshot, int var, int b0, int n, double *dst);
void oak_snapshot_free(void *snapshot);
void oak_snapshot_clear(oak_data_t *data);

/* fields.c; none is collective */
typedef struct oak_carried oak_carried_t;
/** Fill blocks out[n] from the present values, by task n. */
oak_status_t oak_adapt_run(oak_data_t *data, const oak_carried_t *c, const oak_adapt_task_t *task,
                           int count, void *out);
/** Copy blocks that were on this rank, or on a peer, whose memory the kernel reads in place. */
oak_status_t oak_adapt_copy(oak_data_t *data, const oak_carried_t *c, int to, int from, int count,
                            int base);

/* field_set.c */
/** Numbers of a field on the faces of a block (OAK_FACE_REALS). */
static inline int64_t oak_face_numbers(const oak_setup_t *setup) {
  int64_t numbers = 0;
  for (int d = 0; d < setup->dim; d++)
    numbers += setup->block.cells + setup->block.cells / setup->block.size[d];
  return numbers;
}
/** Prepare the exchanges of \a count fields, and for \a nface fields on faces. Rank-local. */
oak_status_t oak_field_set_open(oak_data_t *data, oak_field_set_t *set, int count, int nface);
/** Collective on the ranks of a host. */
void oak_field_set_clear(oak_data_t *data, oak_field_set_t *set);
int64_t oak_field_set_bytes(const oak_field_set_t *set);
/** Memory, buffers and table for the present mesh and pattern. Collective on the ranks of a host:
 * a rank that has failed takes part. The status is this rank's own. */
oak_status_t oak_field_set_fit(oak_data_t *data, oak_field_set_t *set);
/** Fill the ghost cells of a field. Collective; the ranks do not agree on the status. */
oak_status_t oak_field_set_fill(oak_data_t *data, oak_field_set_t *set, int number);

/* fields.c */
/** Memory, tables and buffers for the present mesh and pattern, the values of fields that have a
 * function, and all ghost cells. Collective; the ranks agree. */
oak_status_t oak_fields_renew(oak_data_t *data);
/** Variable of the state that is the field of that name, -1: none. */
int oak_field_variable(const oak_setup_t *setup, const char *name);
/** Set a stored field on this rank, \a in [nblock][N^d]. Collective; the ranks do not agree. */
oak_status_t oak_field_write(oak_data_t *data, int number, const double *in);
/** Refuse stored fields that hooks read and that nothing sets. Collective. */
oak_status_t oak_fields_check(oak_data_t *data);
/** Values of local blocks [first, first + count): \a out [count][N^d]. Rank-local. */
oak_status_t oak_field_read(oak_data_t *data, int number, int first, int count, double *out);
/** The values that move with the blocks of the mesh: number 0 is the state, then come the stored
 * fields. */
struct oak_carried {
  const oak_exchange_t *exchange;
  oak_values_t *now, *next;
};
enum { OAK_MAX_CARRIED = OAK_MAX_FIELDS + 1 };
int oak_carried(oak_data_t *data, oak_carried_t list[OAK_MAX_CARRIED]);
/** Room for the blocks of the mesh in all `next`. Collective; the ranks agree. */
oak_status_t oak_carried_reserve(oak_data_t *data);
/** The number of components of all these values together. */
int oak_carried_components(const oak_setup_t *setup);

/* solution.c */
/** Run a kernel that reads one value of each cell of a state, like oak_cells, and fetch the values
 * of the \a count blocks of \a list, or from \a first on (NULL): out [count][N^d]. Rank-local. */
oak_status_t oak_read_values(oak_data_t *data, oak_kernel_t *kernel, int state, int variable,
                             int first, const int *list, int count, double *out);
/** Values of a variable of a state in blocks [first, first + count): out [count][N^d]. Rank-local.
 */
oak_status_t oak_read_state(oak_data_t *data, int state, int variable, int first, int count,
                            double *out);
/** Refuse blocks that this rank does not have. */
oak_status_t oak_data_check(const oak_data_t *data, int first, int count);
/** Refuse an array that is not of \a count = all blocks of this rank. Rank-local. */
oak_status_t oak_data_check_all(const oak_data_t *data, int count);
/** oak_read_ghosts, oak_write_cells and oak_totals (oak.h), which check the variable. */
oak_status_t oak_data_read_ghosts(oak_data_t *data, int first, int count, double *out);
oak_status_t oak_data_write(oak_data_t *data, int variable, int first, int count, const double *in);
oak_status_t oak_data_totals(oak_data_t *data, double *total);
/** Convert numbers to those of states and fields, and write them to the device. */
oak_status_t oak_upload_cells(const oak_data_t *data, void *to, const double *in, int64_t cells);
/** Print a block: its level and box. */
void oak_print_block(const oak_data_t *data, int block, char *text, size_t size);
/** Print where a cell is: the coordinates of its centre. */
void oak_print_place(const oak_data_t *data, int block, int64_t cell, char *text, size_t size);
/** Print "name = value" of the variables of a cell: conserved ones, and primitive ones of other
 * names. Rank-local. */
void oak_print_state(oak_data_t *data, int state, int block, int64_t cell, char *text, size_t size);
