/* SPDX-License-Identifier: GPL-2.0-or-later
 * The file format of checkpoints (README.md). A checkpoint is one file, whose contents do not
 * depend on the number of ranks: a head, texts, a record per block, the data of all blocks.
 * Checksums cover every byte. Private. Knows neither the mesh library nor the device. */
#pragma once

#include <stdint.h>

#include "base/path.h"
#include "io/view/grid_view.h"
#include "oak/status.h"

/** Texts of a checkpoint, in their order. */
typedef enum {
  OAK_CHECKPOINT_PROGRAM,    /**< version of oak that wrote it */
  OAK_CHECKPOINT_VARIABLES,  /**< conserved ones, then stored fields, blank-separated */
  OAK_CHECKPOINT_PHYSICS,    /**< hash of the physics and what it includes */
  OAK_CHECKPOINT_PROBLEM,    /**< hash of the problem and what it includes */
  OAK_CHECKPOINT_PARAMETERS, /**< parameters of the run, as a file */
  OAK_CHECKPOINT_SCHEDULE,   /**< state of its outputs; only the solver reads it */
  OAK_CHECKPOINT_TEXTS
} oak_checkpoint_text_t;

/** The data of a checkpoint beside the blocks. */
typedef struct {
  int dim, nvar, real_size;
  int block_size[3]; /**< cells of a block along each axis; 1 in z for 2D */
  int trees[3], periodic[3];
  double xmin[3], xmax[3];
  int64_t step;
  double time, dt; /**< dt: of the last step */
  double rate;     /**< the largest rate (wave speed / dx), from which the next step follows */
  int64_t updates, first_order_cells, floored_cells, retries;
  int rates_known; /**< 1: the rates of the blocks belong to the present state */
  int growing;     /**< 1: `rate` is half of that of the last step, because steps grow twofold */
  int64_t nglobal; /**< blocks */
  const char *text[OAK_CHECKPOINT_TEXTS]; /**< to write, on rank 0 alone */
} oak_checkpoint_t;

/** Blocks of a rank, in global order. */
typedef struct {
  MPI_Comm comm;
  int64_t first; /**< global number of the first of them */
  int nblock;
  const int8_t *level;       /**< [nblock]; like the next two, read before the function returns */
  const int32_t (*index)[3]; /**< [nblock] position in blocks of its level */
  const double *rate;        /**< [nblock] largest wave speed / dx */
  /** Copy the data of blocks [b0, b0 + n), real [n][V][N^dim], to \a dst. Rank-local. */
  oak_status_t (*read)(void *owner, int b0, int n, void *dst);
  void *owner;
  /** NULL, or memory for a chunk (oak_checkpoint_chunk). Then the thread of \a disk may call \a
   * read, with this memory, until the owner is released. */
  void *buffer;
  void (*release)(void *owner); /**< called once, also after a failure; may be NULL */
  oak_disk_t *disk;             /**< the thread that writes the file; NULL: it is written at once */
} oak_checkpoint_blocks_t;

/** Bytes of the data of a block. */
int64_t oak_checkpoint_block_bytes(const oak_checkpoint_t *head);

/** Write a checkpoint, or hand it over to be written. It gets its name when all of it is on the
 * disk; an earlier file of that name stays until then, and must be a checkpoint. Collective. */
oak_status_t oak_checkpoint_write(const oak_checkpoint_t *head,
                                  const oak_checkpoint_blocks_t *blocks, const char *path);

/** A checkpoint that is read. */
typedef struct {
  oak_checkpoint_t head;
  MPI_Comm comm;
  char path[PATH_MAX], *texts;
  int fd;
  int64_t records, data; /**< places in the file */
  uint32_t sum;          /**< checksum of the head, then of the records */
} oak_checkpoint_file_t;

/** Open a checkpoint and judge its head and size. Collective. \return OAK_ERR_FILE, with what is
 * wrong, if this version of oak cannot read it. */
oak_status_t oak_checkpoint_open(MPI_Comm comm, const char *path, oak_checkpoint_file_t *file);
void oak_checkpoint_close(oak_checkpoint_file_t *file);

/** Read the records of blocks [first, first + count) into arrays [count]. \a sum: checksums of
 * their data. Rank-local; OAK_ERR_FILE if a record is damaged. */
oak_status_t oak_checkpoint_records(const oak_checkpoint_file_t *file, int64_t first, int count,
                                    int8_t *level, int32_t (*index)[3], double *rate,
                                    uint32_t *sum);
/** Data of blocks [first, first + count), real [count][V][N^dim], whose checksums must be \a sum.
 * Rank-local. */
oak_status_t oak_checkpoint_data(const oak_checkpoint_file_t *file, int64_t first, int count,
                                 const uint32_t *sum, void *dst);

/** Blocks whose data fits into a buffer of moderate size, at least one. */
int oak_checkpoint_chunk(const oak_checkpoint_t *head);

/** 1 if the file \a path begins as checkpoints do. Rank-local. */
int oak_checkpoint_is_one(const char *path);

/* ---- checkpoints of a folder: checkpoint_list.c. All are rank-local. */

/** Names of a run's checkpoints, by their step. */
#define OAK_CHECKPOINT_FORMAT "chk%06ld.oak"
enum { OAK_CHECKPOINT_NAME = 32 };

typedef struct {
  char name[OAK_CHECKPOINT_NAME];
  int64_t time; /**< nanoseconds of its last change */
  long step;
} oak_checkpoint_name_t;

int oak_checkpoint_is_name(const char *name);
/** Checkpoints of a folder, the newest first; the caller frees \a *list, also on failure. */
oak_status_t oak_checkpoint_list(const char *folder, oak_checkpoint_name_t **list, int *count);
/** Remove all but the newest \a keep, and unfinished files that killed runs have left. */
oak_status_t oak_checkpoint_prune(const char *folder, int keep);

/* ---- checkpoint_view.c: a checkpoint as a grid, for reading its values on another mesh */

typedef struct oak_checkpoint_grid oak_checkpoint_grid_t;

/** The text before the variables of a checkpoint: "" for Cartesian coordinates, "(r, z) " and so
 * on, by their number (OAK_VIEW_CARTESIAN, ...); then with a logarithmic radius. */
enum { OAK_CHECKPOINT_SYSTEMS = 5 };
extern const char *const oak_checkpoint_coordinates[2 * OAK_CHECKPOINT_SYSTEMS];

/** Open a checkpoint and read its list of blocks. Rank-local. Its variables are those of the state,
 * then stored fields. \return OAK_ERR_FILE as oak_checkpoint_open. */
oak_status_t oak_checkpoint_grid_open(const char *path, oak_checkpoint_grid_t **out);
void oak_checkpoint_grid_close(oak_checkpoint_grid_t **out);
const oak_grid_view_t *oak_checkpoint_grid_view(const oak_checkpoint_grid_t *grid);
