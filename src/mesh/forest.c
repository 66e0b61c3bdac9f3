/* SPDX-License-Identifier: GPL-2.0-or-later
 * The p4est forest behind a mesh. Not compiled by itself: forest2d.c and forest3d.c include it.
 * A quadrant is a block; it carries no data except, while the mesh is adapted, its flag. */
#ifdef OAK_FOREST_3D
#include <p4est_to_p8est.h>
#include <p8est_algorithms.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>
#include <p8est_io.h>
#define NAME(stem) stem##_3
#else
#include <p4est_algorithms.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#include <p4est_io.h>
#define NAME(stem) stem##_2
#endif

#include <stdlib.h>

#include "mesh/forest.h"

struct oak_forest {
  p4est_connectivity_t *connectivity;
  p4est_t *p4est;
  p4est_ghost_t *ghost; /* NULL unless oak_forest_find_ghosts was called */
};

oak_forest_t *NAME(oak_forest_new)(MPI_Comm comm, const int trees[3], const int periodic[3],
                                   int level) {
  oak_forest_t *forest;
  oak_status_t st = OAK_NEW(forest, 1);
  if (oak_agree(comm, st) != OAK_OK) {
    free(forest);
    return NULL;
  }
#ifdef OAK_FOREST_3D
  forest->connectivity = p8est_connectivity_new_brick(trees[0], trees[1], trees[2], periodic[0],
                                                      periodic[1], periodic[2]);
#else
  forest->connectivity = p4est_connectivity_new_brick(trees[0], trees[1], periodic[0], periodic[1]);
#endif
  forest->p4est = p4est_new_ext(comm, forest->connectivity, 0, level, 1, 0, NULL, NULL);
  return forest;
}

static void forget_ghosts(oak_forest_t *forest) {
  if (forest->ghost) p4est_ghost_destroy(forest->ghost);
  forest->ghost = NULL;
}

void NAME(oak_forest_destroy)(oak_forest_t *forest) {
  forget_ghosts(forest);
  p4est_destroy(forest->p4est);
  p4est_connectivity_destroy(forest->connectivity);
  free(forest);
}

void NAME(oak_forest_size)(const oak_forest_t *forest, oak_mesh_t *mesh) {
  const p4est_t *p = forest->p4est;
  mesh->nblock = p->local_num_quadrants;
  mesh->nglobal = p->global_num_quadrants;
  mesh->first = p->global_first_quadrant[p->mpirank];
  mesh->revision = p->revision;
}

/* Visit local quadrants in order; `n` counts them across trees. */
#define FOR_QUADRANTS(p, t, q, n)                                                                 \
  for (p4est_topidx_t t = (p)->first_local_tree, n = 0; t <= (p)->last_local_tree; t++)           \
    for (size_t i_ = 0;                                                                           \
         i_ < p4est_tree_array_index((p)->trees, t)->quadrants.elem_count &&                      \
         (q = p4est_quadrant_array_index(&p4est_tree_array_index((p)->trees, t)->quadrants, i_)); \
         i_++, n++)

/* Position of a quadrant of tree t in the brick, in units of its own size. */
static void position(const p4est_connectivity_t *c, p4est_topidx_t t, const p4est_quadrant_t *q,
                     int32_t index[3]) {
  const double *corner = &c->vertices[3 * c->tree_to_vertex[t * P4EST_CHILDREN]];
  const int shift = P4EST_MAXLEVEL - q->level;
  index[0] = ((int32_t)corner[0] << q->level) + (q->x >> shift);
  index[1] = ((int32_t)corner[1] << q->level) + (q->y >> shift);
#ifdef OAK_FOREST_3D
  index[2] = ((int32_t)corner[2] << q->level) + (q->z >> shift);
#else
  index[2] = 0;
#endif
}

void NAME(oak_forest_blocks)(const oak_forest_t *forest, int8_t *level, int32_t (*index)[3]) {
  p4est_quadrant_t *q;
  FOR_QUADRANTS(forest->p4est, t, q, n) {
    level[n] = q->level;
    position(forest->connectivity, t, q, index[n]);
  }
}

static int wants_refine(p4est_t *p, p4est_topidx_t t, p4est_quadrant_t *q) {
  (void)p, (void)t;
  return q->p.user_int > 0;
}

static int wants_coarsen(p4est_t *p, p4est_topidx_t t, p4est_quadrant_t *q[]) {
  (void)p, (void)t;
  for (int c = 0; c < P4EST_CHILDREN; c++)
    if (q[c]->p.user_int >= 0) return 0;
  return 1;
}

static void clear_flag(p4est_t *p, p4est_topidx_t t, p4est_quadrant_t *q) {
  (void)p, (void)t;
  q->p.user_int = 0;
}

void NAME(oak_forest_adapt)(oak_forest_t *forest, const int *flag) {
  p4est_t *p = forest->p4est;
  p4est_quadrant_t *q;
  FOR_QUADRANTS(p, t, q, n) q->p.user_int = flag[n];
  p4est_refine(p, 0, wants_refine, clear_flag);
  p4est_coarsen(p, 0, wants_coarsen, clear_flag);
}

void NAME(oak_forest_families)(const oak_forest_t *forest, int32_t *count) {
  p4est_partition_for_coarsening(forest->p4est, count);
}

void NAME(oak_forest_distribute)(oak_forest_t *forest, const int32_t *count) {
  p4est_partition_given(forest->p4est, count);
  forest->p4est->revision++; /* p4est_partition_given leaves this number as it is */
}

const int64_t *NAME(oak_forest_first)(const oak_forest_t *forest) {
  return forest->p4est->global_first_quadrant;
}

void NAME(oak_forest_tree)(const oak_forest_t *forest, int t, int place[3]) {
  const p4est_connectivity_t *c = forest->connectivity;
  const double *corner = &c->vertices[3 * c->tree_to_vertex[t * P4EST_CHILDREN]];
  for (int d = 0; d < 3; d++) place[d] = d < P4EST_DIM ? (int)corner[d] : 0;
}

/* Blocks of all ranks before the end of each tree. */
static p4est_gloidx_t *count_trees(const p4est_t *p, const int32_t *tree, int count) {
  const p4est_topidx_t trees = p->connectivity->num_trees;
  p4est_gloidx_t *sum = P4EST_ALLOC_ZERO(p4est_gloidx_t, trees + 1);
  for (int n = 0; n < count; n++) sum[tree[n] + 1]++;
  MPI_Allreduce(MPI_IN_PLACE, sum, trees + 1, MPI_INT64_T, MPI_SUM, p->mpicomm);
  for (p4est_topidx_t t = 0; t < trees; t++) sum[t + 1] += sum[t];
  return sum;
}

int NAME(oak_forest_replace)(oak_forest_t *forest, const int64_t *first, const int32_t *tree,
                             const int8_t *level, const int32_t (*index)[3], int balanced) {
  p4est_t *old = forest->p4est;
  const int count = (int)(first[old->mpirank + 1] - first[old->mpirank]);
  sc_array_t *list = sc_array_new_count(sizeof(p4est_qcoord_t), (P4EST_DIM + 1) * (size_t)count);
  p4est_qcoord_t *q = (p4est_qcoord_t *)list->array;
  for (int n = 0; n < count; n++) {
    for (int d = 0; d < P4EST_DIM; d++) /* within its tree */
      *q++ = (index[n][d] & ((1 << level[n]) - 1)) << (P4EST_MAXLEVEL - level[n]);
    *q++ = level[n];
  }
  p4est_gloidx_t *sum = count_trees(old, tree, count);
  p4est_t *fresh = p4est_inflate(old->mpicomm, forest->connectivity, first, sum, list, NULL, NULL);
  P4EST_FREE(sum);
  sc_array_destroy(list);
  balanced = balanced || p4est_is_balanced(fresh, P4EST_CONNECT_FULL);
  if (balanced) {
    fresh->revision = old->revision + 1;
    forget_ghosts(forest);
    forest->p4est = fresh;
  }
  p4est_destroy(balanced ? old : fresh);
  return balanced;
}

int NAME(oak_forest_find_ghosts)(oak_forest_t *forest) {
  forget_ghosts(forest);
  forest->ghost = p4est_ghost_new(forest->p4est, P4EST_CONNECT_FULL);
  return (int)forest->ghost->ghosts.elem_count;
}

void NAME(oak_forest_ghosts)(const oak_forest_t *forest, int8_t *level, int32_t (*index)[3],
                             int (*owner)[2]) {
  p4est_ghost_t *ghost = forest->ghost;
  for (int r = 0; r < ghost->mpisize; r++)
    for (p4est_locidx_t n = ghost->proc_offsets[r]; n < ghost->proc_offsets[r + 1]; n++) {
      const p4est_quadrant_t *q = p4est_quadrant_array_index(&ghost->ghosts, n);
      level[n] = q->level;
      position(forest->connectivity, q->p.piggy3.which_tree, q, index[n]);
      owner[n][0] = r;
      owner[n][1] = q->p.piggy3.local_num;
    }
}

void NAME(oak_forest_exchange)(const oak_forest_t *forest, int *own, int *received) {
  p4est_ghost_t *ghost = forest->ghost;
  const size_t n = ghost->mirrors.elem_count;
  void **sent = P4EST_ALLOC(void *, n);
  for (size_t m = 0; m < n; m++)
    sent[m] = &own[p4est_quadrant_array_index(&ghost->mirrors, m)->p.piggy3.local_num];
  p4est_ghost_exchange_custom(forest->p4est, ghost, sizeof *own, sent, received);
  P4EST_FREE(sent);
}
