/* SPDX-License-Identifier: GPL-2.0-or-later
 * Samples of a grid view whose blocks are on many ranks. A value that a rank does not know has all
 * bits set, which is a NaN. The bitwise "and" over all ranks is the result. */
#include "sample.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid_view.h"

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

static int compare_blocks(const void *a, const void *b) {
  return ((const oak_pick_t *)a)->block - ((const oak_pick_t *)b)->block;
}

/** The values at the points of this rank. */
static oak_status_t sample_own(const oak_grid_view_t *view, int count, const double (*x)[3],
                               double *out) {
  OAK_FREED oak_pick_t *pick = NULL;
  OAK_FREED int *var = NULL;
  oak_locator_t *locator;
  const int *n = view->block_size;
  int64_t npick = 0;
  OAK_TRY(OAK_NEW(pick, count + 1));
  OAK_TRY(OAK_NEW(var, view->nvar));
  OAK_TRY(oak_locator_new(view, &locator));
  for (int p = 0; p < count; p++) {
    int c[3];
    const int b = oak_locate_point(locator, x[p], c);
    if (b >= 0) pick[npick++] = (oak_pick_t){b, (size_t)((c[2] * n[1] + c[1]) * n[0] + c[0]), p};
  }
  oak_locator_destroy(&locator);
  qsort(pick, (size_t)npick, sizeof *pick, compare_blocks);
  for (int v = 0; v < view->nvar; v++) var[v] = v;
  return oak_view_pick(view, pick, npick, var, view->nvar, out, view->nvar);
}

oak_status_t oak_sample_points(const oak_grid_view_t *view, int count, const double (*x)[3],
                               double *out) {
  for (int i = 0; i < count * view->nvar; i++) out[i] = NAN;
  OAK_TRY(oak_agree(view->comm, sample_own(view, count, x, out)));
  combine(view->comm, (int64_t)count * view->nvar, out);
  return OAK_OK;
}
