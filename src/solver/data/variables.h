/* SPDX-License-Identifier: GPL-2.0-or-later
 * The variables that outputs may ask for, by name: conserved and primitive ones, those that
 * describe the mesh, derived ones and hooks OUTPUT (kernels/fields/derived.c), and fields beside
 * the state. Private. */
#pragma once

#include "base/geometry.h"
#include "solver/data/data.h"

enum { OAK_MOST_SELECTED = 2 * OAK_MAX_NVAR + OAK_MAX_OUTPUTS + OAK_MAX_FIELDS + 16 };

/** Variables of an output. */
typedef struct {
  int count;
  int variable[OAK_MOST_SELECTED]; /**< numbers for oak_variable_read */
  const char *name[OAK_MOST_SELECTED];
  const char *unit[OAK_MOST_SELECTED]; /**< "": none is declared */
  int nvector;
  oak_vector_t vector[2 * OAK_MAX_VECTORS]; /**< vectors whose components are all selected */
} oak_selection_t;

/** Refuse an output variable of physics or problem whose name stands for another variable, and
 * units of variables that are not there. Rank-local. */
oak_status_t oak_variables_check(const oak_setup_t *setup);

/** The variables that an empty list selects. */
typedef enum {
  OAK_SELECT_ALL,     /**< conserved and primitive variables, stored fields, elliptic solutions */
  OAK_SELECT_FIRST,   /**< the first conserved variable */
  OAK_SELECT_MEASURED /**< all, and the hooks OUTPUT of the physics, such as the error of div B */
} oak_select_t;

/** Select the variables that the text of a parameter names, separated by blanks or commas; \a
 * origin and \a key say where it stands. Rank-local. */
oak_status_t oak_variables_select(const oak_setup_t *setup, const char *text, const char *origin,
                                  const char *key, oak_select_t empty, oak_selection_t *s);

/** Find the vectors among the variables of a selection. */
void oak_variables_find_vectors(const oak_setup_t *setup, oak_selection_t *s);

/** The variable that is the mask of solids; -1: there are none. Not collective. */
int oak_variables_mask(const oak_setup_t *setup);
/** Add it to a selection that lacks it. */
void oak_variables_add_mask(const oak_setup_t *setup, oak_selection_t *s);

/** Print the names that can be asked for, separated by blanks; names that do not fit are left out.
 * \a of_cells: leave out variables with one value per block, such as the level. Rank-local. */
void oak_variables_print(const oak_setup_t *setup, int of_cells, char *names, size_t size);

/** Fail because there is no variable \a word, which \a key names, and list those that there are. \a
 * of_cells: as above. Rank-local. */
oak_status_t oak_variable_unknown(const oak_setup_t *setup, const char *word, const char *origin,
                                  const char *key, int of_cells);

/** Get ready to read these variables of the current solution: build the kernel of derived ones,
 * fill ghost cells. Collective. */
oak_status_t oak_variables_prepare(oak_data_t *data, const oak_selection_t *selection);

/** Read variable \a variable of blocks [first, first + count): out [count][N^d]. Rank-local, after
 * oak_variables_prepare. */
oak_status_t oak_variable_read(oak_data_t *data, int variable, int first, int count, double *out);

/** Read a variable in the \a count blocks of \a list; NULL: from \a first on. */
oak_status_t oak_variable_read_list(oak_data_t *data, int variable, int first, const int *list,
                                    int count, double *out);

/** 1 if a kernel gives the values of this variable. */
int oak_variable_keepable(const oak_setup_t *setup, int variable);
/** Let a kernel write its values in blocks [first, first + count) to memory of the device,
 * [count][N^d], and do not wait for it. Rank-local, after oak_variables_prepare. */
oak_status_t oak_variable_keep(oak_data_t *data, int variable, int first, int count, void *memory);
/** Find sum, norms and extrema of variables in each block, on the device: out [count][nblock]. \a
 * box [nblock][6] selects cells, as in oak_measure_args_t; NULL: all. Cells of solids count for the
 * mask alone, those of \a dielectrics for all variables. A block without such cells has sum 0 and
 * no extrema. Rank-local, after oak_variables_prepare. */
oak_status_t oak_variables_measure(oak_data_t *data, int count, const int *variable,
                                   const int (*box)[6], int dielectrics, oak_measured_t *out);

/** Number in kernels/fields/derived.c of the derived variable or the hook OUTPUT of that name, -1:
 * there is none. Rank-local. */
int oak_derived_find(const oak_setup_t *setup, const char *name);
/** Build the module of kernels/fields/derived.c, once. Collective. */
oak_status_t oak_derived_build(oak_data_t *data);
