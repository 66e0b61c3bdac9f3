/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the solution, and the message on an invalid cell. Private to src/solver. */
#ifndef OAK_SOLVER_SOLUTION_H
#define OAK_SOLVER_SOLUTION_H

#include "oak.h"
#include "oak/device.h"
#include "oak/kernel_args.h"

/* solution.c */
/** Run a kernel that reads one value of each cell, like oak_cells, and fetch the values of blocks
 * [first, first + count): out [count][N^d]. Rank-local. */
oak_status_t oak_read_kernel(oak_t *sim, oak_kernel_t *kernel, int variable, int first, int count,
                             double *out);
/** The same for the \a count blocks of \a list. */
oak_status_t oak_read_list(oak_t *sim, oak_kernel_t *kernel, int variable, const int *list,
                           int count, double *out);
/** Let such a kernel write to memory of the device, [count][N^d]; it does not wait. Rank-local. */
oak_status_t oak_keep_kernel(oak_t *sim, oak_kernel_t *kernel, int variable, int first, int count,
                             void *memory);
/** Values of a variable of a state in blocks [first, first + count): out [count][N^d]. Rank-local.
 */
oak_status_t oak_read_state(oak_t *sim, int state, int variable, int first, int count, double *out);
/** Print where a cell is: the coordinates of its centre. */
void oak_print_place(const oak_t *sim, int block, int64_t cell, char *text, size_t size);
/** Print "name = value" of the variables of a cell: conserved ones, and primitive ones of other
 * names. Rank-local. */
void oak_print_state(oak_t *sim, int state, int block, int64_t cell, char *text, size_t size);
/* invalid.c */
/** The part of a run that has left an invalid cell. */
typedef enum {
  OAK_INVALID_INITIAL,
  OAK_INVALID_GIVEN,
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
/** The same if kernels have counted invalid cells. This always fails; if the cell is no longer
 * known, the message names the first block with a count. */
oak_status_t oak_report_invalid(oak_t *sim, int state, oak_invalid_t kind);

#endif
