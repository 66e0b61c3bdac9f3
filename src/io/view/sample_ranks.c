/* SPDX-License-Identifier: GPL-2.0-or-later
 * Samples of a grid view whose blocks are on many ranks. A value that a rank does not know has all
 * bits set, which is a NaN. The bitwise "and" over all ranks is the result. */
#include "sample_ranks.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "locate.h"

static void combine(MPI_Comm comm, int64_t n, double *value) {
  enum { CHUNK = 1 << 24 };
  static const uint64_t unknown = UINT64_MAX;
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int64_t i = 0; i < n; i++)
    if (isnan(value[i])) memcpy(&value[i], &unknown, sizeof unknown);
  for (int64_t at = 0; at < n; at += CHUNK) {
    const int count = (int)(n - at < CHUNK ? n - at : CHUNK);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : value + at, value + at, count, MPI_UINT64_T, MPI_BAND, 0,
               comm);
  }
  for (int64_t i = 0; i < n; i++)
    if (isnan(value[i])) value[i] = NAN; /* unknown is printed as -nan */
}

void oak_table_merge(MPI_Comm comm, oak_table_t *table) {
  combine(comm, table->nrow * table->ncol, table->value);
}

/* ---- lines */

/** Rank 0: room for the rows of all ranks, and where those of each go. */
static oak_status_t make_room(const oak_table_t *table, int size, const int *count, int **start,
                              double **value) {
  int64_t sum = 0;
  OAK_TRY(OAK_NEW(*start, size));
  for (int r = 0; r < size; r++) {
    (*start)[r] = (int)sum;
    sum += count[r];
    OAK_CHECK(sum <= INT_MAX, OAK_ERR_ARGUMENT,
              "a line through more than %d cells; choose a shorter one", INT_MAX / table->ncol);
  }
  OAK_TRY(OAK_NEW(*value, sum + 1));
  return OAK_OK;
}

oak_status_t oak_table_gather(MPI_Comm comm, oak_table_t *table) {
  int rank, size;
  OAK_FREED int *start = NULL;
  OAK_FREED double *value = NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = (int)(table->nrow * table->ncol);
  OAK_FREED int *count = NULL;
  oak_status_t st = oak_agree(comm, OAK_NEW(count, size));
  if (st == OAK_OK) {
    MPI_Gather(&mine, 1, MPI_INT, count, 1, MPI_INT, 0, comm);
    st = oak_agree(comm, rank == 0 ? make_room(table, size, count, &start, &value) : OAK_OK);
  }
  if (st == OAK_OK) {
    MPI_Gatherv(table->value, mine, MPI_DOUBLE, value, count, start, MPI_DOUBLE, 0, comm);
    free(table->value);
    table->value = value;
    table->nrow = rank == 0 ? (start[size - 1] + count[size - 1]) / table->ncol : 0;
    table->shape[0] = table->nrow;
    value = NULL;
    oak_table_sort(table);
  }
  return st;
}

/* ---- points */

/** The points of this rank: the number of each, its block, and the cell in this block. */
typedef struct {
  int count, *point, *block;
  size_t *cell;
} own_t;

static oak_status_t find_own(const oak_grid_view_t *view, int count, const double (*x)[3],
                             own_t *own) {
  oak_locator_t *locator;
  const int *n = view->block_size;
  const size_t room = (size_t)count + 1;
  OAK_TRY(OAK_NEW(own->point, room));
  OAK_TRY(OAK_NEW(own->block, room));
  OAK_TRY(OAK_NEW(own->cell, room));
  OAK_TRY(oak_locator_new(view, &locator));
  for (int p = 0; p < count; p++) {
    int cell[3];
    const int b = oak_locate_point(locator, x[p], cell);
    if (b < 0) continue;
    own->point[own->count] = p;
    own->block[own->count] = b;
    own->cell[own->count++] = (size_t)((cell[2] * n[1] + cell[1]) * n[0] + cell[0]);
  }
  oak_locator_destroy(&locator);
  return OAK_OK;
}

static oak_status_t read_own(const oak_grid_view_t *view, const own_t *own, double *out) {
  const size_t ncell = oak_view_block_cells(view);
  const int batch = oak_view_batch(view), most = own->count < batch ? own->count : batch;
  OAK_FREED double *cells = NULL;
  oak_status_t st = OAK_NEW(cells, (size_t)most * ncell + 1);
  for (int first = 0; first < own->count && st == OAK_OK; first += most) {
    const int n = own->count - first < most ? own->count - first : most;
    for (int v = 0; v < view->nvar && st == OAK_OK; v++) {
      st = oak_view_read_fluid(view, v, n, own->block + first, NAN, cells);
      for (int i = 0; i < n && st == OAK_OK; i++)
        out[own->point[first + i] * view->nvar + v] =
            cells[(size_t)i * ncell + own->cell[first + i]];
    }
  }
  return st;
}

static oak_status_t sample_own(const oak_grid_view_t *view, int count, const double (*x)[3],
                               double *out) {
  own_t own = {0};
  oak_status_t st = find_own(view, count, x, &own);
  if (st == OAK_OK) st = read_own(view, &own, out);
  free(own.point);
  free(own.block);
  free(own.cell);
  return st;
}

oak_status_t oak_sample_points(const oak_grid_view_t *view, int count, const double (*x)[3],
                               double *out) {
  for (int i = 0; i < count * view->nvar; i++) out[i] = NAN;
  OAK_TRY(oak_agree(view->comm, sample_own(view, count, x, out)));
  combine(view->comm, (int64_t)count * view->nvar, out);
  return OAK_OK;
}
