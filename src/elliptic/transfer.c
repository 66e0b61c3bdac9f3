/* SPDX-License-Identifier: GPL-2.0-or-later
 * From a level to the next coarser one: families of the finest blocks are replaced by their
 * parents. A parent is on the rank of its first child, so the blocks of a rank stay together on the
 * curve. Only the first and the last family of a rank can be shared with other ranks; these few
 * blocks travel through memory of the host. */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"

enum { TAG_FAMILY = 5 };

/* Blocks of the coarse mesh on this rank. The families of level `finest` are replaced. */
static void list_parents(const oak_mesh_t *fine, int finest, oak_elliptic_move_t *move, int *count,
                         int8_t *level, int32_t (*index)[3]) {
  int n = 0;
  for (int b = 0; b < fine->nblock; b++) {
    if (fine->level[b] < finest) {
      move[b] = (oak_elliptic_move_t){.coarse = n, .child = -1};
      level[n] = fine->level[b];
      memcpy(index[n++], fine->index[b], sizeof *index);
      continue;
    }
    const int child = oak_family_number(fine->index[b]);
    if (child == 0) {
      level[n] = (int8_t)(finest - 1);
      for (int d = 0; d < 3; d++) index[n][d] = d < fine->dim ? fine->index[b][d] >> 1 : 0;
      n++;
    }
    move[b] = (oak_elliptic_move_t){.coarse = n - 1, .child = child};
    if (n == 0) move[b] = (oak_elliptic_move_t){.coarse = b, .child = child, .remote = 1};
  }
  *count = n;
}

/* The ranks that share families with this one. */
static oak_status_t find_shared(const oak_mesh_t *fine, int finest, const int64_t *start,
                                oak_elliptic_family_t *family) {
  const int n = fine->nblock, me = fine->rank, children = 1 << fine->dim;
  OAK_TRY(OAK_NEW(family->from, fine->size + 1));
  while (family->nsend < n && family->move[family->nsend].remote) family->nsend++;
  if (family->nsend) {
    const int64_t first = start[me] - oak_family_number(fine->index[0]);
    for (family->to = me - 1; start[family->to] > first;) family->to--;
  }
  if (n == 0 || fine->level[n - 1] < finest || family->nsend == n) return OAK_OK;
  family->nrecv = children - 1 - oak_family_number(fine->index[n - 1]);
  int64_t at = start[me + 1], left = family->nrecv;
  for (int r = me + 1; left > 0 && r < fine->size; r++) {
    const int64_t here = start[r + 1] - at < left ? start[r + 1] - at : left;
    if (here == 0) continue;
    family->from[family->nfrom][0] = r;
    family->from[family->nfrom++][1] = (int)here;
    at += here;
    left -= here;
  }
  OAK_ASSERT(left == 0);
  return OAK_OK;
}

/* Places of the parents if the next coarser level is the finest gathered one. The parent of this
 * rank's first blocks may belong to an earlier rank; it is then the block before this rank's own
 * parents. */
static oak_status_t fit_up(oak_elliptic_t *e, const oak_mesh_t *fine,
                           oak_elliptic_family_t *family) {
  const int n = fine->nblock, first = e->gather.first;
  if (&e->level[e->gather.level + 1].family != family || e->gather.level < 0) return OAK_OK;
  OAK_FREED oak_elliptic_move_t *up = NULL;
  OAK_TRY(OAK_NEW(up, n + 1));
  for (int b = 0; b < n; b++) {
    const oak_elliptic_move_t m = family->move[b];
    up[b] =
        (oak_elliptic_move_t){.coarse = m.remote ? first - 1 : first + m.coarse, .child = m.child};
  }
  OAK_TRY(oak_elliptic_put(e, up, n * sizeof *up, &family->up));
  return oak_device_sync(e->dev);
}

static oak_status_t fit_family(oak_elliptic_t *e, const oak_mesh_t *fine,
                               oak_elliptic_family_t *family) {
  const size_t unit = e->cells * sizeof(double), each = sizeof(oak_elliptic_move_t);
  const int n = fine->nblock;
  /* This rank may send and receive in the same exchange. The buffer holds what it sends, and then
   * what it receives. */
  const int units = family->nsend + family->nrecv;
  OAK_TRY(oak_elliptic_put(e, family->move, n * each, &family->move_device));
  OAK_TRY(oak_elliptic_alloc(e, units * unit, &family->buffer));
  if (!oak_device_ops(e->dev)->host_memory)
    OAK_TRY(OAK_NEW(family->host, (size_t)units * e->cells));
  OAK_TRY(fit_up(e, fine, family));
  oak_elliptic_move_t received[8] = {{0}};
  const oak_elliptic_move_t *last = n ? &family->move[n - 1] : NULL;
  for (int i = 0; i < family->nrecv; i++)
    received[i] = (oak_elliptic_move_t){.coarse = last->coarse, .child = last->child + 1 + i};
  return oak_elliptic_put(e, received, family->nrecv * each, &family->received);
}

/* The part of this rank alone. *level and *index belong to the mesh from then on. */
static oak_status_t coarsen_local(const oak_mesh_t *fine, int finest, const int64_t *start,
                                  oak_elliptic_family_t *family, int *count, int8_t **level,
                                  int32_t (**index)[3]) {
  const size_t n = fine->nblock + 1;
  OAK_TRY(OAK_NEW(*level, n));
  OAK_TRY(OAK_NEW(*index, n));
  OAK_TRY(OAK_NEW(family->move, n));
  list_parents(fine, finest, family->move, count, *level, *index);
  return find_shared(fine, finest, start, family);
}

oak_status_t oak_elliptic_coarsen(oak_elliptic_t *e, oak_elliptic_level_t *fine,
                                  oak_elliptic_level_t *coarse) {
  const oak_mesh_t *mesh = fine->mesh;
  const int finest = (int)(fine - e->level);
  int8_t *level = NULL;
  int32_t(*index)[3] = NULL;
  int count = 0;
  OAK_FREED int64_t *start = NULL; /* [ranks + 1] where blocks begin on each rank */
  const int64_t mine = mesh->first + mesh->nblock;
  OAK_TRY(oak_agree(e->comm, OAK_NEW(start, mesh->size + 1)));
  MPI_Allgather(&mine, 1, MPI_INT64_T, start + 1, 1, MPI_INT64_T, mesh->comm);
  oak_status_t st =
      oak_agree(e->comm, coarsen_local(mesh, finest, start, &fine->family, &count, &level, &index));
  coarse->transport = fine->transport;
  if (st == OAK_OK)
    st = oak_mesh_new(mesh->comm, mesh->dim, mesh->trees, mesh->periodic, 0, &coarse->mesh);
  if (st == OAK_OK) st = oak_mesh_replace(coarse->mesh, count, level, index, 1);
  st = oak_agree(e->comm, st);
  if (st != OAK_OK) {
    free(level);
    free(index);
    return st;
  }
  OAK_TRY(oak_elliptic_gather_fit(e, finest - 1));
  return oak_agree(e->comm, fit_family(e, mesh, &fine->family));
}

void oak_elliptic_family_clear(oak_elliptic_family_t *family) {
  free(family->from);
  free(family->host);
  free(family->move);
  *family = (oak_elliptic_family_t){0};
}

/* ---- values that travel */

static char *place(const oak_elliptic_t *e, const oak_elliptic_family_t *f, int unit) {
  return (char *)f->buffer + unit * e->cells * sizeof(double);
}

/* Exchange units of the buffer with other ranks. For averages, children are sent to the ranks of
 * their parents; for corrections, they come back. */
static oak_status_t travel(oak_elliptic_t *e, oak_elliptic_family_t *f, int up) {
  MPI_Request request[1 + 8];
  const int in_place = oak_device_ops(e->dev)->host_memory, units = f->nsend + f->nrecv;
  const size_t unit = e->cells * sizeof(double);
  double *host = in_place ? f->buffer : f->host;
  int n = 0, at = f->nsend;
  oak_status_t st = OAK_OK;
  if (!units) return OAK_OK;
  if (!in_place) st = oak_device_download(e->dev, host, f->buffer, units * unit);
  if (in_place) st = oak_device_sync(e->dev);
  for (int i = 0; i < f->nfrom; i++) {
    double *p = host + (size_t)at * e->cells;
    if (up)
      MPI_Isend(p, f->from[i][1] * e->cells, MPI_DOUBLE, f->from[i][0], TAG_FAMILY, e->comm,
                &request[n++]);
    else
      MPI_Irecv(p, f->from[i][1] * e->cells, MPI_DOUBLE, f->from[i][0], TAG_FAMILY, e->comm,
                &request[n++]);
    at += f->from[i][1];
  }
  if (f->nsend && up)
    MPI_Irecv(host, f->nsend * e->cells, MPI_DOUBLE, f->to, TAG_FAMILY, e->comm, &request[n++]);
  if (f->nsend && !up)
    MPI_Isend(host, f->nsend * e->cells, MPI_DOUBLE, f->to, TAG_FAMILY, e->comm, &request[n++]);
  MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
  const int first = up ? 0 : f->nsend, count = up ? f->nsend : f->nrecv;
  if (st == OAK_OK && !in_place)
    st = oak_device_upload(e->dev, place(e, f, first), host + (size_t)first * e->cells,
                           count * unit);
  return st;
}

void *oak_elliptic_target(const oak_elliptic_t *e, int l, void *to) {
  return oak_elliptic_gathers(e, l) ? e->gather.part.mine : to;
}

/* Send the averages of shared families, unpack those received, and collect them on a gathered
 * level. */
static oak_status_t finish(oak_elliptic_t *e, int l, void *to, oak_kernel_t *unpack) {
  oak_elliptic_family_t *f = &e->level[l].family;
  oak_status_t st = travel(e, f, 0);
  const oak_elliptic_move_args_t args = {
      .move = f->received, .to = oak_elliptic_target(e, l, to), .remote = place(e, f, f->nsend)};
  if (st == OAK_OK) st = oak_device_launch(e->dev, unpack, f->nrecv, &args, sizeof args);
  if (oak_elliptic_gathers(e, l)) oak_keep_failure(&st, oak_elliptic_gather(e, to));
  return st;
}

oak_status_t oak_elliptic_restrict_end(oak_elliptic_t *e, int l, void *to) {
  return finish(e, l, to, e->kernel.unpack);
}

/* Average values in cells or on faces of level l to the next coarser level, by a kernel for this
 * and one for what other ranks send. */
static oak_status_t merge(oak_elliptic_t *e, int l, oak_kernel_t *kernel, oak_kernel_t *unpack,
                          int axis, const void *from, void *to) {
  oak_elliptic_level_t *level = &e->level[l];
  oak_elliptic_move_args_t args = {.move = level->family.move_device,
                                   .from = from,
                                   .to = oak_elliptic_target(e, l, to),
                                   .remote = level->family.buffer,
                                   .axis = axis};
  oak_elliptic_geometry(e, level, &args.fine);
  oak_status_t st = oak_device_launch(e->dev, kernel, level->mesh->nblock, &args, sizeof args);
  oak_keep_failure(&st, finish(e, l, to, unpack));
  return st;
}

oak_status_t oak_elliptic_restrict(oak_elliptic_t *e, int l, const void *from, void *to) {
  return merge(e, l, e->kernel.merge, e->kernel.unpack, 0, from, to);
}

oak_status_t oak_elliptic_restrict_faces(oak_elliptic_t *e, int l, int axis) {
  oak_kernel_t *unpack = axis < e->dim ? e->kernel.unpack : e->kernel.unpack_faces;
  return merge(e, l, e->kernel.merge_faces, unpack, axis, e->level[l].on_face[axis],
               e->level[l - 1].on_face[axis]);
}

oak_status_t oak_elliptic_prolong(oak_elliptic_t *e, int l, int add) {
  oak_elliptic_level_t *fine = &e->level[l];
  oak_elliptic_family_t *f = &fine->family;
  oak_elliptic_args_t coarse;
  oak_elliptic_args(e, l - 1, &coarse);
  oak_elliptic_move_args_t args = {.coarse = coarse.f, .move = f->received};
  args.to = place(e, f, f->nsend);
  memcpy(args.outside, e->outside, sizeof args.outside);
  memcpy(args.low, coarse.low, sizeof args.low);
  args.high = coarse.high;
  oak_status_t st = OAK_OK;
  const int whole = oak_elliptic_gathers(e, l); /* this rank has all parents */
  if (!whole) st = oak_device_launch(e->dev, e->kernel.prolong, f->nrecv, &args, sizeof args);
  if (!whole) oak_keep_failure(&st, travel(e, f, 1));
  oak_keep_failure(&st, oak_elliptic_meet(e, l));
  args.move = whole ? f->up : f->move_device;
  args.to = fine->u.memory.mine;
  args.remote = f->buffer;
  args.add = add;
  OAK_TRY(st);
  return oak_device_launch(e->dev, e->kernel.prolong, fine->mesh->nblock, &args, sizeof args);
}
