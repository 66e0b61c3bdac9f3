/* SPDX-License-Identifier: GPL-2.0-or-later
 * Blocks of a view with ghost cells across faces, edges and corners, for output.
 *
 * The values of one variable in all blocks that touch one of this rank are brought together on the
 * host. The value of each ghost cell comes from the block at its place: it is the cell of a block
 * of the same level, the average of finer cells, or a linear interpolation in a coarser block. The
 * slopes of this interpolation use only cells of that block. Beyond the physical boundary, a ghost
 * cell has the value of the nearest cell of the domain. All of this follows from the values of
 * blocks alone, so it does not depend on how they are distributed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/neighbours.h"
#include "output/view.h"

struct oak_view_ghosts {
  const oak_t *sim;
  const oak_neighbours_t *tree;
  int64_t cells;
  int var;       /* the variable whose values are here; -1: none yet */
  double *value; /* [nleaf][cells] blocks of this rank, then those that touch them, by rank */
  double *sent;  /* [all of give_count][cells] */
  /* Of each rank: how many of its blocks are here, how many it wants, and where these begin. */
  int *take_count, *take_start, *give_count, *give_start; /* [size] */
  int *give;                                              /* their numbers here */
};

/* ---- blocks of other ranks */

static int sum_before(const int *count, int *start, int n) {
  int sum = 0;
  for (int r = 0; r < n; r++) {
    start[r] = sum;
    sum += count[r];
  }
  return sum;
}

/* Each rank tells the others what it wants. Collective; the status is this rank's. */
static oak_status_t exchange_numbers(oak_view_ghosts_t *g) {
  const oak_neighbours_t *t = g->tree;
  const MPI_Comm comm = g->sim->setup.comm;
  const int size = g->sim->setup.size, n = t->nleaf - t->nblock;
  OAK_FREED int *number = NULL;
  oak_status_t st = OAK_NEW(g->take_count, 4 * (size_t)size);
  oak_keep_failure(&st, OAK_NEW(number, n + 1));
  oak_keep_failure(&st, OAK_NEW(g->value, ((size_t)t->nleaf + 1) * (size_t)g->cells));
  OAK_TRY(oak_agree(comm, st));
  g->take_start = g->take_count + size;
  g->give_count = g->take_count + 2 * size;
  g->give_start = g->take_count + 3 * size;
  for (int i = 0; i < n; i++) {
    g->take_count[t->owner[i][0]]++;
    number[i] = t->owner[i][1];
  }
  MPI_Alltoall(g->take_count, 1, MPI_INT, g->give_count, 1, MPI_INT, comm);
  sum_before(g->take_count, g->take_start, size);
  const int given = sum_before(g->give_count, g->give_start, size);
  st = OAK_NEW(g->give, given + 1);
  oak_keep_failure(&st, OAK_NEW(g->sent, ((size_t)given + 1) * (size_t)g->cells));
  OAK_TRY(oak_agree(comm, st));
  MPI_Alltoallv(number, g->take_count, g->take_start, MPI_INT, g->give, g->give_count,
                g->give_start, MPI_INT, comm);
  return OAK_OK;
}

/* Values of blocks that touch those of other ranks go there. */
static void exchange_values(oak_view_ghosts_t *g) {
  const int last = g->sim->setup.size - 1, given = g->give_start[last] + g->give_count[last];
  MPI_Datatype block;
  for (int i = 0; i < given; i++)
    memcpy(g->sent + i * g->cells, g->value + g->give[i] * g->cells,
           (size_t)g->cells * sizeof(double));
  MPI_Type_contiguous((int)g->cells, MPI_DOUBLE, &block);
  MPI_Type_commit(&block);
  MPI_Alltoallv(g->sent, g->give_count, g->give_start, block, g->value + g->tree->nblock * g->cells,
                g->take_count, g->take_start, block, g->sim->setup.comm);
  MPI_Type_free(&block);
}

static void destroy(oak_view_ghosts_t *g) {
  free(g->value);
  free(g->sent);
  free(g->take_count);
  free(g->give);
  free(g);
}

/* Collective; fails on all ranks alike. */
static oak_status_t create(const oak_t *sim, oak_view_ghosts_t **out) {
  oak_view_ghosts_t *g;
  oak_status_t st = oak_agree(sim->setup.comm, OAK_NEW(g, 1));
  if (st == OAK_OK) st = oak_agree(sim->setup.comm, oak_neighbours_update(sim->data.mesh));
  if (st == OAK_OK) {
    *g = (oak_view_ghosts_t){
        .sim = sim, .tree = sim->data.mesh->neighbours, .cells = sim->setup.block.cells, .var = -1};
    st = exchange_numbers(g);
  }
  if (st == OAK_OK)
    *out = g;
  else if (g)
    destroy(g);
  return st;
}

/* ---- ghost cells */

/* Linear interpolation at one of the 2^d fine cells of a cell in a coarser block; `fine` counts in
 * half cells of that block. */
static double interpolate(const oak_view_ghosts_t *g, const double *value, const int fine[3]) {
  const int *n = g->sim->setup.block.size, stride[3] = {1, n[0], n[0] * n[1]};
  int at = 0;
  for (int d = 0; d < g->sim->setup.dim; d++) at += fine[d] / 2 * stride[d];
  double sum = value[at];
  for (int d = 0; d < g->sim->setup.dim; d++) {
    const int c = fine[d] / 2, low = c > 0, high = c < n[d] - 1;
    const double slope =
        (value[at + high * stride[d]] - value[at - low * stride[d]]) / (low + high);
    sum += (fine[d] & 1 ? 0.25 : -0.25) * slope;
  }
  return sum;
}

/* Average of the fine cells that cover cell `c` of a place with finer blocks; NaN where none of
 * them touches a block of this rank. */
static double average(const oak_view_ghosts_t *g, const oak_node_t *node, const int c[3]) {
  const int *n = g->sim->setup.block.size, dim = g->sim->setup.dim;
  double sum = 0;
  for (int s = 0; s < 1 << dim; s++) {
    int child = 0;
    int64_t at = 0;
    for (int d = dim - 1; d >= 0; d--) {
      const int fine = 2 * c[d] + (s >> d & 1);
      child |= (fine >= n[d]) << d;
      at = at * n[d] + fine % n[d];
    }
    const int link = node->child[child];
    sum += link >= 0 ? g->value[link * g->cells + at] : NAN;
  }
  return sum / (1 << dim);
}

/* What lies at cell `c` of the block beyond block b in a direction, where both have the same
 * level. */
static double look_up(const oak_view_ghosts_t *g, int b, int link, const int dir[3],
                      const int c[3]) {
  const int *n = g->sim->setup.block.size, dim = g->sim->setup.dim;
  const oak_node_t *finer = oak_neighbours_node(g->tree, link);
  if (finer) return average(g, finer, c);
  if (link < 0) return NAN;
  const double *value = g->value + link * g->cells;
  if (g->tree->leaf[link].level == g->sim->data.mesh->level[b])
    return value[(c[2] * n[1] + c[1]) * n[0] + c[0]];
  int fine[3] = {0, 0, 0};
  for (int d = 0; d < dim; d++)
    fine[d] = ((g->sim->data.mesh->index[b][d] + dir[d]) & 1) * n[d] + c[d];
  return interpolate(g, value, fine);
}

/* Links of block b in all directions. If a direction leaves the domain, it is replaced by the
 * direction without the axes along which it does. */
static void find_links(const oak_view_ghosts_t *g, int b, int link[OAK_DIRECTIONS],
                       int8_t inside[OAK_DIRECTIONS]) {
  const oak_mesh_t *mesh = g->sim->data.mesh;
  for (int n = 0; n < OAK_DIRECTIONS; n++) {
    const int dir[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, unit[3] = {1, 3, 9};
    inside[n] = OAK_DIRECTION_NONE;
    for (int d = 0; d < mesh->dim; d++) {
      const int64_t at = (int64_t)mesh->index[b][d] + dir[d];
      const int leaves = at < 0 || at >= (int64_t)mesh->trees[d] << mesh->level[b];
      if (!leaves || mesh->periodic[d]) inside[n] = (int8_t)(inside[n] + dir[d] * unit[d]);
    }
    link[n] = b;
    if (inside[n] == n && n != OAK_DIRECTION_NONE && (mesh->dim == 3 || dir[2] == 0))
      link[n] = oak_neighbours_beyond(g->tree, &g->tree->leaf[b], n);
  }
}

static void fill_block(const oak_view_ghosts_t *g, int b, int layers, double *dst) {
  const int *n = g->sim->setup.block.size, dim = g->sim->setup.dim;
  const int gk = dim == 3 ? layers : 0;
  int link[OAK_DIRECTIONS];
  int8_t inside[OAK_DIRECTIONS];
  find_links(g, b, link, inside);
  for (int k = -gk; k < n[2] + gk; k++)
    for (int j = -layers; j < n[1] + layers; j++)
      for (int i = -layers; i < n[0] + layers; i++) {
        const int x[3] = {i, j, k};
        int direction = OAK_DIRECTION_NONE, c[3] = {0, 0, 0}, dir[3] = {0, 0, 0};
        for (int d = 0, unit = 1; d < dim; d++, unit *= 3)
          direction += (x[d] < 0 ? -1 : x[d] >= n[d]) * unit;
        const int to = inside[direction];
        for (int d = 0, rest = to; d < dim; d++, rest /= 3) {
          dir[d] = rest % 3 - 1;
          c[d] = x[d] - dir[d] * n[d];
          c[d] = c[d] < 0 ? 0 : c[d] >= n[d] ? n[d] - 1 : c[d]; /* beyond the boundary */
        }
        *dst++ = to == OAK_DIRECTION_NONE
                     ? g->value[b * g->cells + (c[2] * n[1] + c[1]) * n[0] + c[0]]
                     : look_up(g, b, link[to], dir, c);
      }
}

oak_status_t oak_view_read_ghosts(const oak_grid_view_t *view, int var, int b0, int n, int layers,
                                  double *dst) {
  oak_view_source_t *source = view->owner;
  oak_t *sim = source->sim;
  size_t size = 1;
  if (!source->ghosts) OAK_TRY(create(sim, &source->ghosts));
  oak_view_ghosts_t *g = source->ghosts;
  if (g->var != var) {
    const int variable = source->variables->variable[var];
    OAK_TRY(oak_agree(sim->setup.comm, oak_variable_read(&sim->data, variable, 0,
                                                         sim->data.mesh->nblock, g->value)));
    exchange_values(g);
    g->var = var;
  }
  for (int d = 0; d < view->dim; d++) size *= (size_t)(view->block_size[d] + 2 * layers);
  for (int b = b0; b < b0 + n; b++)
    fill_block(g, source->block ? source->block[b] : b, layers, dst + (size_t)(b - b0) * size);
  return OAK_OK;
}

void oak_view_clear(oak_view_source_t *source) {
  if (source->ghosts) destroy(source->ghosts);
  free(source->block);
  free(source->level);
  free(source->index);
  source->ghosts = NULL;
  source->block = NULL;
  source->level = NULL;
  source->index = NULL;
}
