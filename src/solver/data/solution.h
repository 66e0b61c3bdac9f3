/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the solution. Private to src/solver. */
#pragma once

#include "solver/data/data.h"

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
/** What oak_read_ghosts, oak_write_cells and oak_totals do (oak.h); they check the variable. */
oak_status_t oak_data_read_ghosts(oak_data_t *data, int first, int count, double *out);
oak_status_t oak_data_write(oak_data_t *data, int variable, int first, int count, const double *in);
oak_status_t oak_data_totals(oak_data_t *data, double *total);
/** Print where a cell is: the coordinates of its centre. */
void oak_print_place(const oak_data_t *data, int block, int64_t cell, char *text, size_t size);
/** Print "name = value" of the variables of a cell: conserved ones, and primitive ones of other
 * names. Rank-local. */
void oak_print_state(oak_data_t *data, int state, int block, int64_t cell, char *text, size_t size);
