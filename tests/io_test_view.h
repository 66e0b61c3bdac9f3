/* SPDX-License-Identifier: GPL-2.0-or-later
 * Artificial octrees for the tests of output formats: several trees, refined towards one corner,
 * with known fields. The blocks are distributed over ranks in unusual ways. */
#ifndef OAK_IO_TEST_VIEW_H
#define OAK_IO_TEST_VIEW_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/view/grid_view.h"

typedef enum {
  TEST_CUT_EVEN,  /**< equal numbers of blocks; families may be split */
  TEST_CUT_LAST,  /**< all blocks on the last rank */
  TEST_CUT_FIRST, /**< all but the very last block on rank 0, where that is possible */
  TEST_CUT_HOLES, /**< none on odd ranks */
  TEST_CUT_COUNT
} test_cut_t;

enum { TEST_NVAR = 3 };
static const char *const test_names[TEST_NVAR] = {"density", "ramp", "mx"};

typedef struct {
  oak_grid_view_t view;
  int8_t *level; /* all leaves, on every rank */
  int32_t (*index)[3];
  int nleaf, capacity;
  int32_t *leaf;           /* [finest blocks of the domain] the leaf that covers each */
  int backwards;           /* trees come in decreasing order */
  int fail_rank, fail_var; /* read() fails there; -1: never */
} test_mesh_t;

/** Field value at the centre of a cell, counted in cells of its level. */
static double test_field(const oak_grid_view_t *view, int var, int level, const int64_t cell[3]) {
  double x[3] = {0, 0, 0};
  uint64_t hash = (uint64_t)level + 1;
  for (int d = 0; d < view->dim; d++) {
    const double n = (double)((int64_t)view->trees[d] * view->block_size[d] << level);
    x[d] = view->xmin[d] + (view->xmax[d] - view->xmin[d]) * ((double)cell[d] + 0.5) / n;
    hash = (hash ^ (uint64_t)cell[d]) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  if (var == 0)
    return 1.0 +
           exp(-20.0 * ((x[0] - 0.3) * (x[0] - 0.3) + (x[1] - 0.4) * (x[1] - 0.4) + x[2] * x[2])) +
           0.2 * sin(9.0 * x[0] + 3.0 * x[1]);
  if (var == 1) return x[0] + 2.0 * x[1] - 3.0 * x[2];
  return (double)(int64_t)hash * 0x1p-63;
}

static oak_status_t test_read(const oak_grid_view_t *view, int var, int b0, int n, double *dst) {
  const test_mesh_t *mesh = view->owner;
  const int *size = view->block_size;
  int rank;
  MPI_Comm_rank(view->comm, &rank);
  OAK_CHECK(rank != mesh->fail_rank || var != mesh->fail_var, OAK_ERR_DEVICE,
            "the test lets reading fail on rank %d", rank);
  for (int b = b0; b < b0 + n; b++)
    for (int k = 0; k < size[2]; k++)
      for (int j = 0; j < size[1]; j++)
        for (int i = 0; i < size[0]; i++) {
          const int64_t cell[3] = {(int64_t)view->index[b][0] * size[0] + i,
                                   (int64_t)view->index[b][1] * size[1] + j,
                                   (int64_t)view->index[b][2] * size[2] + k};
          *dst++ = test_field(view, var, view->level[b], cell);
        }
  return OAK_OK;
}

/** The value of cell \a c of \a level, which may lie anywhere. Leaves of that level and places
 * outside the domain have the field itself; finer cells are averaged, coarser ones interpolated. */
static double test_value(const test_mesh_t *mesh, int var, int level, const int64_t c[3]) {
  const oak_grid_view_t *view = &mesh->view;
  const int dim = view->dim, *n = view->block_size;
  int64_t block[3] = {0, 0, 0}, size[3] = {1, 1, 1};
  for (int d = 0; d < dim; d++) {
    if (c[d] < 0 || c[d] >= (int64_t)view->trees[d] * n[d] << level)
      return test_field(view, var, level, c);
    block[d] = c[d] / n[d] << (view->max_level - level);
    size[d] = (int64_t)view->trees[d] << view->max_level;
  }
  const int leaf = mesh->level[mesh->leaf[(block[2] * size[1] + block[1]) * size[0] + block[0]]];
  double sum = 0;
  if (leaf == level) return test_field(view, var, level, c);
  if (leaf > level) {
    for (int s = 0; s < 1 << dim; s++) {
      const int64_t fine[3] = {2 * c[0] + (s & 1), 2 * c[1] + (s >> 1 & 1),
                               2 * c[2] + (s >> 2 & 1)};
      sum += test_value(mesh, var, level + 1, fine);
    }
    return sum / (1 << dim);
  }
  const int64_t coarse[3] = {c[0] >> 1, c[1] >> 1, dim == 3 ? c[2] >> 1 : 0};
  for (int d = 0; d < dim; d++) {
    int64_t low[3] = {coarse[0], coarse[1], coarse[2]}, high[3] = {coarse[0], coarse[1], coarse[2]};
    low[d]--;
    high[d]++;
    sum += (c[d] & 1 ? 0.125 : -0.125) *
           (test_value(mesh, var, level - 1, high) - test_value(mesh, var, level - 1, low));
  }
  return test_value(mesh, var, level - 1, coarse) + sum;
}

static oak_status_t test_read_ghosts(const oak_grid_view_t *view, int var, int b0, int n,
                                     int layers, double *dst) {
  const test_mesh_t *mesh = view->owner;
  const int *size = view->block_size, gk = view->dim == 3 ? layers : 0;
  int rank;
  MPI_Comm_rank(view->comm, &rank);
  MPI_Barrier(view->comm); /* collective, as a solver's */
  OAK_CHECK(rank != mesh->fail_rank || var != mesh->fail_var, OAK_ERR_DEVICE,
            "the test lets reading fail on rank %d", rank);
  for (int b = b0; b < b0 + n; b++)
    for (int k = -gk; k < size[2] + gk; k++)
      for (int j = -layers; j < size[1] + layers; j++)
        for (int i = -layers; i < size[0] + layers; i++) {
          const int64_t cell[3] = {(int64_t)view->index[b][0] * size[0] + i,
                                   (int64_t)view->index[b][1] * size[1] + j,
                                   (int64_t)view->index[b][2] * size[2] + k};
          *dst++ = test_value(mesh, var, view->level[b], cell);
        }
  return OAK_OK;
}

/** Say which leaf covers each block of the finest level. */
static void test_cover(test_mesh_t *mesh) {
  const oak_grid_view_t *view = &mesh->view;
  int64_t size[3] = {1, 1, 1};
  for (int d = 0; d < view->dim; d++) size[d] = (int64_t)view->trees[d] << view->max_level;
  mesh->leaf = malloc((size_t)(size[0] * size[1] * size[2]) * sizeof *mesh->leaf);
  for (int b = 0; b < mesh->nleaf; b++) {
    const int up = view->max_level - mesh->level[b];
    const int32_t *at = mesh->index[b];
    for (int64_t k = 0; k < (view->dim == 3 ? 1 << up : 1); k++)
      for (int64_t j = 0; j < 1 << up; j++)
        for (int64_t i = 0; i < 1 << up; i++)
          mesh->leaf[(((int64_t)at[2] << up) + k) * size[1] * size[0] +
                     (((int64_t)at[1] << up) + j) * size[0] + ((int64_t)at[0] << up) + i] = b;
  }
}

static void test_add_node(test_mesh_t *mesh, int level, int32_t i, int32_t j, int32_t k, int fine) {
  const oak_grid_view_t *view = &mesh->view;
  const double n0 = view->trees[0] << level, n1 = view->trees[1] << level;
  /* Refined where the block is within reach of a point off the centre. */
  const double dx = (i + 0.5) / n0 - 0.3, dy = (j + 0.5) / n1 - 0.4;
  const double reach = 1.1 / (1 << level);
  const int near = fabs(dx) < reach && fabs(dy) < reach && (view->dim == 2 || k < 1);
  if (level < fine && (level < 1 || near)) {
    for (int c = 0; c < 1 << view->dim; c++)
      test_add_node(mesh, level + 1, 2 * i + (c & 1), 2 * j + (c >> 1 & 1), 2 * k + (c >> 2 & 1),
                    fine);
    return;
  }
  if (mesh->nleaf == mesh->capacity) {
    mesh->capacity = 2 * mesh->capacity + 64;
    mesh->level = realloc(mesh->level, (size_t)mesh->capacity);
    mesh->index = realloc(mesh->index, (size_t)mesh->capacity * sizeof *mesh->index);
  }
  mesh->level[mesh->nleaf] = (int8_t)level;
  mesh->index[mesh->nleaf][0] = i;
  mesh->index[mesh->nleaf][1] = j;
  mesh->index[mesh->nleaf++][2] = k;
}

static int test_cut(int nleaf, int rank, int size, test_cut_t cut) {
  switch (cut) {
    case TEST_CUT_LAST:
      return rank < size ? 0 : nleaf;
    case TEST_CUT_FIRST:
      return rank == 0 ? 0 : rank < size ? nleaf - 1 : nleaf;
    case TEST_CUT_HOLES: {
      const int even = (size + 1) / 2;
      return (int)((int64_t)nleaf * ((rank + 1) / 2) / even);
    }
    default:
      return (int)((int64_t)nleaf * rank / size);
  }
}

/** With 1, blocks of the next meshes have half as many cells along y as along the other axes. */
static int test_flat_blocks;

static inline void test_mesh_new(test_mesh_t *mesh, MPI_Comm comm, int dim, int block_size,
                                 int fine, int tx, int ty, int backwards, test_cut_t cut) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memset(mesh, 0, sizeof *mesh);
  mesh->fail_rank = -1;
  mesh->backwards = backwards;
  mesh->view = (oak_grid_view_t){.comm = comm,
                                 .dim = dim,
                                 .block_size = {block_size, block_size, block_size},
                                 .xmin = {-0.25, 0.0, -0.5},
                                 .xmax = {-0.25 + tx, 0.75 * ty, 0.5},
                                 .trees = {tx, ty, 1},
                                 .time = 1.5,
                                 .step = 2140,
                                 .value_bytes = 8,
                                 .nvar = TEST_NVAR,
                                 .name = test_names,
                                 .read = test_read,
                                 .read_ghosts = test_read_ghosts,
                                 .owner = mesh};
  if (dim == 2) {
    mesh->view.xmin[2] = mesh->view.xmax[2] = 0.0;
    mesh->view.block_size[2] = 1;
  }
  if (test_flat_blocks) mesh->view.block_size[1] /= 2;
  for (int t = 0; t < tx * ty; t++) {
    const int tree = backwards ? tx * ty - 1 - t : t;
    test_add_node(mesh, 0, tree % tx, tree / tx, 0, fine);
  }
  oak_grid_view_t *view = &mesh->view;
  view->min_level = fine;
  for (int b = 0; b < mesh->nleaf; b++) {
    if (mesh->level[b] > view->max_level) view->max_level = mesh->level[b];
    if (mesh->level[b] < view->min_level) view->min_level = mesh->level[b];
  }
  test_cover(mesh);
  const int first = test_cut(mesh->nleaf, rank, size, cut);
  view->nglobal = mesh->nleaf;
  view->first = first;
  view->nblock = test_cut(mesh->nleaf, rank + 1, size, cut) - first;
  view->level = mesh->level + first;
  view->index = (const int32_t(*)[3])(mesh->index + first);
}

static inline void test_mesh_free(test_mesh_t *mesh) {
  free(mesh->level);
  free(mesh->index);
  free(mesh->leaf);
}

/** Integral of a variable over the leaves, from the known field. */
static inline double known_integral(const test_mesh_t *mesh, int var) {
  const oak_grid_view_t *view = &mesh->view;
  const int *n = view->block_size;
  double sum = 0;
  for (int b = 0; b < mesh->nleaf; b++) {
    double volume = 1;
    for (int d = 0; d < view->dim; d++)
      volume *= (view->xmax[d] - view->xmin[d]) / (double)(view->trees[d] * n[d] << mesh->level[b]);
    for (int k = 0; k < n[2]; k++)
      for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
          const int64_t cell[3] = {mesh->index[b][0] * n[0] + i, mesh->index[b][1] * n[1] + j,
                                   mesh->index[b][2] * n[2] + k};
          sum += volume * test_field(view, var, mesh->level[b], cell);
        }
  }
  return sum;
}

#endif
