/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an output format sees of a simulation: the leaves of the block tree and a way to read
 * them. Private. Formats know neither the mesh library nor the device. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/geometry.h"
#include "io/files/disk.h"

/** Numbers of mesh.coordinates. */
enum {
  OAK_VIEW_CARTESIAN,
  OAK_VIEW_AXISYMMETRIC,
  OAK_VIEW_POLAR,
  OAK_VIEW_CYLINDRICAL,
  OAK_VIEW_SPHERICAL
};

typedef struct oak_grid_view {
  MPI_Comm comm;
  int dim;                   /**< 2 or 3 */
  int block_size[3];         /**< cells of a block along each axis (even; 1 in z for 2D) */
  double xmin[3];            /**< lower corner of the domain */
  double xmax[3];            /**< upper corner of the domain */
  int trees[3];              /**< blocks of level 0 along each dimension (1 in z for 2D) */
  int max_level;             /**< highest level present on any rank */
  int min_level;             /**< lowest level present on any rank */
  int64_t nglobal;           /**< blocks on all ranks */
  int64_t first;             /**< global number of this rank's first block */
  int nblock;                /**< blocks of this rank, in Morton order, tree after tree; may be 0 */
  int partial;               /**< the blocks do not fill the domain: they have no parents */
  const int8_t *level;       /**< [nblock] */
  const int32_t (*index)[3]; /**< [nblock] position of the block, counted in blocks of its own level
                                  from xmin: 0 <= index[d] < trees[d] << level */
  int coordinates;           /**< number of mesh.coordinates: OAK_VIEW_CARTESIAN, ... */
  int logarithmic;           /**< the cells have equal sizes of ln r: mesh.radius = logarithmic */
  double time;
  long step;
  int value_bytes;         /**< size of a value in files: 4 or 8 */
  int nvar;                /**< output variables */
  const char *const *name; /**< [nvar] */
  const char *const *unit; /**< [nvar] "" where none is declared; NULL: none is */
  int nvector;             /**< for formats that write vectors */
  const oak_vector_t *vector;
  const char *length_unit, *time_unit; /**< units of the axes; "" or NULL: none is declared */
  int has_mask; /**< there are solids: cells where variable \a mask is 1, or 2 in dielectrics */
  int no_dielectrics; /**< leave out dielectrics as other solids */
  int mask;           /**< for `read`; it may be nvar, and then is none of the variables */
  /** Read variable \a var of blocks [b0, b0+n): dst[n][N^dim], i fastest, interior cells only.
   * Rank-local. */
  oak_status_t (*read)(const struct oak_grid_view *view, int var, int b0, int n, double *dst);
  /** `read` for the \a n blocks whose numbers are in the list \a block; a device reads them
   * together. May be NULL: oak_view_read_fluid() works in any case. */
  oak_status_t (*read_list)(const struct oak_grid_view *view, int var, int n, const int *block,
                            double *dst);
  /** `read` with \a layers ghost layers, 1 to half a block: dst[n] of blocks with 2 layers more
   * cells along each axis, i fastest, with the ghost cells across faces, edges and corners.
   * Collective: all ranks call it equally often, with the same \a var and \a layers; n may be 0 on
   * some. The status is this rank's alone. NULL if the view has no ghost cells. */
  oak_status_t (*read_ghosts)(const struct oak_grid_view *view, int var, int b0, int n, int layers,
                              double *dst);
  oak_disk_t *disk; /**< the thread that writes files; NULL: they are written at once */
  /** Lower and upper corner of what is wanted of the domain; NULL: all of it. For formats that
   * store all levels; others get a partial view. */
  const double (*region)[3];
  /** Not NULL: the view does not change with the simulation, and another thread may call `read`. If
   * `disk` is set, the format then takes over the view with all that it points to, and calls this
   * function once, on the thread of the run. */
  void (*release)(void *owner);
  void *owner;
} oak_grid_view_t;

/** The unit of a variable, "" if none is declared. */
const char *oak_view_unit(const oak_grid_view_t *view, int var);
/** The letter of axis d: x, y, z, or r, z. */
const char *oak_view_axis(const oak_grid_view_t *view, int d);

#define OAK_MASK_NAME "solid" /**< variable that is the mask of solids in files */
enum { OAK_VIEW_NAME = 128 /**< of a variable, with its 0 */ };

/** The name of a variable in files for viewers. ParaView takes a_x, a_y, a_z for the components of
 * a vector, and drops the names; therefore a last _x, _y or _z loses its underscore. \return \a out
 */
const char *oak_view_file_name(const char *name, char out[OAK_VIEW_NAME]);

/** The variable that \a name means: of this name, of the same component of a vector (vx is v_r), or
 * of this name in files. -1: there is none. */
int oak_view_find(const oak_grid_view_t *view, const char *name);

/** Whether a mask of solids, or an average of masks with its rounding, may have this value. */
static inline int oak_mask_allowed(double value) { return value > -1e-5 && value < 2 + 1e-5; }

/** Can \a view be written to \a path? Judges the precision and the names of the variables in files:
 * not empty, no blanks, nothing that XML quotes, each once. Rank-local; all ranks see the same.
 * \return OAK_ERR_ARGUMENT. */
oak_status_t oak_view_check(const oak_grid_view_t *view, const char *path);

/** Can the cells of \a level be counted by 32 bits, as in files of \a path? \a advice says what to
 * do otherwise. Rank-local; all ranks see the same. \return OAK_ERR_ARGUMENT. */
oak_status_t oak_view_check_cells(const oak_grid_view_t *view, int level, const char *path,
                                  const char *advice);

/** Read variable \a var of the \a n blocks whose numbers are \a block: dst[n][N^dim]. Cells of
 * solids, where a variable has no meaning (those of dielectrics with `no_dielectrics`), get the
 * value \a solid; another cell with this value gets NAN. The mask itself is read as it is.
 * Rank-local. */
oak_status_t oak_view_read_fluid(const oak_grid_view_t *view, int var, int n, const int *block,
                                 double solid, double *dst);
typedef int (*oak_block_wanted_t)(const void *context, int b);
typedef void (*oak_block_visit_t)(void *context, int b, const double *cells);
/** Visit the blocks for which \a wanted returns 1 (NULL: all of this rank) with the values of a
 * variable as oak_view_read_fluid() gives them. Rank-local. */
oak_status_t oak_view_visit(const oak_grid_view_t *view, int var, double solid,
                            oak_block_wanted_t wanted, oak_block_visit_t visit, void *context);

/** Number of cells of a block. */
size_t oak_view_block_cells(const oak_grid_view_t *view);
/** Number of blocks to read at a time: 4 MB of values, at least one block. */
int oak_view_batch(const oak_grid_view_t *view);

/** Does the block at \a index of \a level share a volume with the box between the corners \a
 * region? A common side does not count, even if rounding gives it a small volume. */
int oak_view_touches(const oak_grid_view_t *view, const double (*region)[3], int level,
                     const int32_t index[3]);

/** Is a node of the tree wanted for the view's region, in a format that stores all levels? Where
 * the region does not reach, the tree ends as early as it can: a node is there if its parent
 * touches the region, so that nodes come in whole families. All nodes of level 0 are there. */
int oak_view_wants_node(const oak_grid_view_t *view, int level, const int32_t index[3]);

/** The layer of cells of block \a b across axis \a d at \a trees trees from the lower end of the
 * domain, 0 if \a d is -1; -1: that is in another block. */
int oak_view_layer(const oak_grid_view_t *view, int b, int d, double trees);

/** A place along the space-filling curve: the number of a tree, and a Morton number within it. */
typedef struct {
  int64_t tree;
  uint64_t place;
} oak_curve_t;
/** The place of block \a index of \a level. Places are counted in blocks of level \a finest, trees
 * with x fastest. */
oak_curve_t oak_curve_at(int dim, const int trees[3], int finest, int level,
                         const int32_t index[3]);
/** Below, at or above 0, as for qsort. */
int oak_curve_compare(const oak_curve_t *a, const oak_curve_t *b);

/** Width of a cell on \a level along dimension \a d, of ln r if the radius is logarithmic. */
double oak_view_cell_size(const oak_grid_view_t *view, int level, int d);
/** The coordinate at \a cells cells of \a level from the lower end of the domain. */
double oak_view_coordinate(const oak_grid_view_t *view, int level, int d, double cells);
/** The way back: \a x counted in cells of \a level. */
double oak_view_cells_to(const oak_grid_view_t *view, int level, int d, double x);
/** The coordinate at \a part of the extent of the domain, counted in cells of one level, and the
 * way back. */
double oak_view_at_part(const oak_grid_view_t *view, int d, double part);
double oak_view_part_to(const oak_grid_view_t *view, int d, double x);
/** The lower (0) or upper (1) end of the domain along \a d in coordinates of the mesh, of which the
 * first is ln r if the radius is logarithmic. */
double oak_view_end(const oak_grid_view_t *view, int d, int upper);

/** Do cells have sides that the coordinates bend, so that formats must write their corners? */
int oak_view_is_bent(const oak_grid_view_t *view);

/** Corners of \a cells cells along each dimension that begin with cell \a first of \a level, as
 * points of space: point[k][j][i][3], i fastest; in 2D k = 0 and z = 0. */
void oak_view_corners(const oak_grid_view_t *view, int level, const int64_t first[3],
                      const int cells[3], double *point);

/** Volume of cell \a cell of \a level, divided by the product of its sizes in coordinates. */
double oak_view_volume(const oak_grid_view_t *view, int level, const int64_t cell[3]);

/** An array of a file: a variable, or the Cartesian components of a vector. */
typedef struct {
  char name[OAK_VIEW_NAME];
  const char *unit;  /**< "" if none is declared */
  int count, var[3]; /**< values of a cell, 1 or 3, and their variables; -1: this component is 0 */
} oak_view_array_t;

/** List the arrays of a format: its variables; with \a vectors the variables that no vector has in
 * Cartesian coordinates, which keep their names in others, and then the vectors. The caller frees
 * \a list, also after a failure. */
oak_status_t oak_view_arrays(const oak_grid_view_t *view, int vectors, oak_view_array_t **list,
                             int *count);
/** Put the values of an array in \a n cells along the first axis, from cell \a first of \a level
 * on, into \a dst[n][array->count], in the precision of files. \a src: those of the first variable;
 * those of the next ones are \a stride further. */
void oak_view_pack_row(const oak_grid_view_t *view, const oak_view_array_t *array, int level,
                       const int64_t first[3], int n, const double *src, size_t stride, void *dst);

/** Convert \a n values to the precision of files: dst[n] of float or double. */
void oak_view_pack(const oak_grid_view_t *view, const double *src, size_t n, void *dst);

/** 1 if the run goes on while the values of this view are read and written. The same on all ranks.
 */
static inline int oak_view_goes_on(const oak_grid_view_t *view) {
  return view->release && view->disk;
}

/** A status: \a *out is fresh memory of \a bytes for what takes over the view. If there is none, it
 * is NULL, and the view is released. */
oak_status_t oak_view_take(const oak_grid_view_t *view, size_t bytes, void *out);

/** The view is no longer needed. */
static inline void oak_view_release(oak_grid_view_t *view) {
  if (view->release) view->release(view->owner);
  view->release = NULL;
}

/* ---- locate.c: which block is where */

typedef struct oak_locator oak_locator_t;

/** Prepare searches among this rank's leaves of \a view, which must stay as it is. Rank-local.
 * Memory: 32 bytes per leaf. */
oak_status_t oak_locator_new(const oak_grid_view_t *view, oak_locator_t **out);
void oak_locator_destroy(oak_locator_t **locator);

/** Number of the leaf that contains the place \a at, counted in blocks of \a level from xmin, where
 * \a level is at least the view's max_level; -1 if there is none on this rank. */
int oak_locate(const oak_locator_t *locator, int level, const int64_t at[3]);

/** The block of a point of the domain, its upper sides included; \a x in the units of xmin.
 * \param [out] cell  the cell within the block. */
int oak_locate_point(const oak_locator_t *locator, const double x[3], int cell[3]);
