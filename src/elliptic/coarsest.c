/* SPDX-License-Identifier: GPL-2.0-or-later
 * The coarsest level, with one block per tree. All ranks get its right-hand side, and each computes
 * all of it: it is so small that sending the result would take longer. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/geometry.h"
#include "elliptic/elliptic.h"

/* Choose the arrays: each has half the cells of the one before along each axis, as long as all of
 * these numbers are even. */
static int64_t plan_arrays(const oak_elliptic_t *e, oak_elliptic_flat_args_t *a) {
  int64_t at = 0;
  int even = 1, most = 1;
  double sum = 0, need = 1;
  for (int d = 0; d < e->dim; d++) sum += 1 / (e->setup.dx0[d] * e->setup.dx0[d] * e->dim);
  for (int l = 0; l < OAK_ELLIPTIC_FLAT_LEVELS && even; l++) {
    int64_t cells = 1;
    most = 1;
    need = 1;
    for (int d = 0; d < 3; d++) {
      a->n[l][d] = d >= e->dim ? 1
                   : l == 0    ? e->mesh->trees[d] * e->setup.block_size[d]
                               : a->n[l - 1][d] / 2;
      if (d < e->dim && a->n[l][d] % 2) even = 0;
      if (a->n[l][d] > most) most = a->n[l][d];
      if (a->n[l][d] > 1) need = fmax(need, sum * pow(a->n[l][d] * e->setup.dx0[d], 2));
      cells *= a->n[l][d];
    }
    a->start[l] = at;
    a->levels = l + 1;
    at += cells;
  }
  /* How many sweeps Gauss-Seidel needs without coarser levels: about the square of the number of
   * cells along an axis, times the mean weight of all neighbours divided by that of the neighbours
   * along this axis. One cell needs one sweep. */
  a->sweeps = most == 1 ? 1 : most < 10 ? 4 + (int)fmin(2 * need + 0.5, 1000) : 204;
  return at;
}

/* Whether the coarsest array is solved directly, by factors of its matrix, a band. The longest axis
 * comes last, so that the band is as narrow as the domain. A single cell needs none. */
static void plan_factors(const oak_elliptic_t *e, oak_elliptic_flat_args_t *a) {
  const double most = 1 << 27; /* operations */
  const int *n = a->n[a->levels - 1];
  a->along = 0;
  for (int d = 1; d < e->dim; d++)
    if (n[d] > n[a->along]) a->along = d;
  const double cells = (double)n[0] * n[1] * n[2], plane = cells / n[a->along];
  a->folded = a->periodic[a->along];
  const double band = plane * (a->folded ? 2 : 1);
  a->band = n[a->along] > 1 && cells * band * band <= most ? (int)band : 0;
}

/* For each place of level 0 the number of its block, and the number of blocks of each rank. */
static void find_numbers(oak_elliptic_t *e, int *number, int trees) {
  const oak_mesh_t *m = e->level[0].mesh;
  for (int b = 0; b < m->nblock; b++)
    number[(m->index[b][2] * m->trees[1] + m->index[b][1]) * m->trees[0] + m->index[b][0]] =
        (int)m->first + b;
  MPI_Allreduce(MPI_IN_PLACE, number, trees, MPI_INT, MPI_SUM, m->comm);
  oak_elliptic_count(m, e->flat.counts, e->flat.starts);
}

static oak_status_t alloc_all(oak_elliptic_t *e, int trees, int64_t cells) {
  oak_elliptic_flat_args_t *a = &e->flat.args;
  const size_t all = (size_t)trees * e->cells * sizeof(double);
  OAK_TRY(oak_elliptic_alloc(e, trees * sizeof(int), &e->flat.number));
  OAK_TRY(oak_elliptic_alloc(e, (e->setup.fields ? 3 + 2 * e->dim : 2) * cells * sizeof(double),
                             &e->flat.memory));
  a->fu = e->flat.memory;
  a->fr = (char *)a->fu + cells * sizeof(double);
  a->fb = (char *)a->fr + cells * sizeof(double);
  a->fa = (char *)a->fb + cells * sizeof(double);
  const int *n = a->n[a->levels - 1];
  const size_t last = (size_t)n[0] * n[1] * n[2] * sizeof(double);
  if (a->band) OAK_TRY(oak_elliptic_alloc(e, last * (2 * a->band + 2), &e->flat.lu));
  a->lu = e->flat.lu;
  if (e->level[0].mesh->size == 1) return OAK_OK;
  for (int i = 0; i < (e->setup.fields ? 3 + e->dim : 1); i++)
    OAK_TRY(oak_elliptic_alloc(e, all, &e->flat.all[i]));
  if (oak_device_ops(e->dev)->host_memory) return OAK_OK;
  return OAK_NEW(e->flat.host, all / sizeof *e->flat.host);
}

/* The number of sweeps that reduces errors along the shorter side of the cells at both ends of the
 * radii. */
static int find_sweeps(const oak_elliptic_t *e) {
  const double dr = e->setup.dx0[0], extent = e->mesh->trees[0] * e->setup.block_size[0] * dr;
  double most = 1;
  for (int end = 0; end < 2; end++) {
    const double r = e->setup.xmin[0] + (end ? extent - 0.5 * dr : 0.5 * dr);
    const double ratio = (e->setup.logarithmic ? 1 : r) * e->setup.dx0[1] / dr;
    most = fmax(most, fmax(ratio * ratio, 1 / (ratio * ratio)));
  }
  return (int)fmin(8 * most, 40);
}

oak_status_t oak_elliptic_flat_fit(oak_elliptic_t *e) {
  const oak_mesh_t *m = e->level[0].mesh;
  const int trees = m->trees[0] * m->trees[1] * m->trees[2];
  oak_field_t domain = {0};
  oak_elliptic_flat_args_t *a = &e->flat.args;
  *a = (oak_elliptic_flat_args_t){.a = e->setup.a, .b = e->setup.b, .singular = e->singular};
  for (int d = 0; d < 3; d++) {
    a->trees[d] = m->trees[d];
    a->periodic[d] = m->periodic[d];
  }
  memcpy(a->outside, e->outside, sizeof a->outside);
  oak_geometry_field(e->setup.logarithmic, e->dim, e->setup.xmin, e->setup.dx0, &domain);
  a->axis = domain.axis;
  a->theta = domain.low[1];
  memcpy(a->dx0, domain.dx0, sizeof a->dx0);
  a->smooth = find_sweeps(e);
  a->first = (int)m->first;
  a->count = m->nblock;
  const int64_t cells = plan_arrays(e, a);
  a->all = cells;
  plan_factors(e, a);
  e->flat.factored = -1;
  OAK_FREED int *number = NULL;
  oak_status_t st = OAK_NEW(number, trees);
  if (st == OAK_OK) st = OAK_NEW(e->flat.counts, 2 * m->size);
  if (st == OAK_OK) st = alloc_all(e, trees, cells);
  st = oak_agree(e->comm, st);
  if (st == OAK_OK) {
    e->flat.starts = e->flat.counts + m->size;
    find_numbers(e, number, trees);
    st = oak_agree(e->comm,
                   oak_device_upload(e->dev, e->flat.number, number, trees * sizeof *number));
  }
  a->number = e->flat.number;
  return st == OAK_OK && !e->setup.fields ? oak_agree(e->comm, oak_elliptic_flat_factor(e)) : st;
}

oak_status_t oak_elliptic_flat_factor(oak_elliptic_t *e) {
  const oak_elliptic_flat_args_t *a = &e->flat.args;
  if (!a->band || (!e->setup.fields && e->flat.factored == a->b)) return OAK_OK;
  e->flat.factored = a->b;
  return oak_device_launch(e->dev, e->kernel.flat_factor, 1, a, sizeof *a);
}

void oak_elliptic_flat_clear(oak_elliptic_t *e) {
  free(e->flat.host);
  free(e->flat.counts);
  memset(&e->flat, 0, sizeof e->flat);
}

/* Values of all blocks of level 0 on every rank. */
static oak_status_t gather(oak_elliptic_t *e, const void *mine, int i, const void **out) {
  *out = e->level[0].mesh->size == 1 ? mine : e->flat.all[i];
  if (*out == mine) return OAK_OK;
  return oak_elliptic_allgather(e, mine, e->flat.all[i], e->flat.host, e->flat.counts,
                                e->flat.starts);
}

oak_status_t oak_elliptic_flat_fields(oak_elliptic_t *e) {
  oak_elliptic_flat_args_t *a = &e->flat.args;
  a->singular = e->singular;
  oak_status_t st = gather(e, e->level[0].b, 1, (const void **)&a->bs);
  for (int d = 0; d <= e->dim; d++)
    oak_keep_failure(&st, gather(e, e->level[0].on_face[d], 2 + d,
                                 (const void **)(d < e->dim ? &a->low[d] : &a->high)));
  if (st == OAK_OK) st = oak_device_launch(e->dev, e->kernel.flat_fields, 1, a, sizeof *a);
  return st == OAK_OK ? oak_elliptic_flat_factor(e) : st;
}

oak_status_t oak_elliptic_flat(oak_elliptic_t *e, const void *rhs, void *out) {
  oak_elliptic_flat_args_t *a = &e->flat.args;
  oak_status_t st = gather(e, rhs, 0, (const void **)&a->rhs);
  oak_keep_failure(&st, oak_elliptic_meet(e, 0));
  a->u = out;
  return st == OAK_OK ? oak_device_launch(e->dev, e->kernel.flat, 1, a, sizeof *a) : st;
}
