/* SPDX-License-Identifier: GPL-2.0-or-later
 * How much memory of the device a solver has on this rank. */
#include "elliptic/elliptic.h"

static int64_t level_bytes(const oak_elliptic_t *e, const oak_elliptic_level_t *level) {
  const int64_t n = level->mesh->nblock, block = (int64_t)e->cells * (int64_t)sizeof(double);
  const int64_t area = (int64_t)e->face_cells * (int64_t)sizeof(double);
  const oak_elliptic_family_t *f = &level->family;
  int64_t bytes = oak_exchange_bytes(&level->exchange) + level->u.memory.bytes +
                  level->pattern.table_capacity + level->average.piece.bytes;
  bytes += 2 * n * block + n * (int64_t)sizeof(oak_block_t); /* rhs, res */
  bytes += level->pattern.flux.nbflux * area + level->nfine * (int64_t)sizeof(oak_elliptic_fine_t) +
           level->ncoarse * (int64_t)sizeof(oak_coarse_face_t);
  if (e->setup.fields)
    bytes +=
        oak_exchange_bytes(&level->cexchange) + level->a.memory.bytes + (e->dim + 2) * n * block;
  if (e->setup.bodies) /* cut, pin; wall on the finest level */
    bytes += n * (block + (level->wall ? 2 : 1) * (block + area) * e->dim);
  if (level->line)
    bytes += n * (3 * block + 2 * (int64_t)(sizeof(oak_elliptic_chain_t) + sizeof(int)));
  if (f->move_device) bytes += (n + f->nrecv) * (int64_t)sizeof(oak_elliptic_move_t);
  if (f->up) bytes += n * (int64_t)sizeof(oak_elliptic_move_t);
  return bytes + (f->nsend > f->nrecv ? f->nsend : f->nrecv) * block;
}

static int64_t flat_bytes(const oak_elliptic_t *e) {
  const oak_elliptic_flat_args_t *a = &e->flat.args;
  const int last = a->levels - 1, *n = a->n[last > 0 ? last : 0];
  if (a->levels == 0) return 0;
  const int64_t cells = a->start[last] + (int64_t)n[0] * n[1] * n[2];
  const int64_t trees = (int64_t)a->trees[0] * a->trees[1] * a->trees[2];
  int64_t values = (e->setup.fields ? 3 + 2 * e->dim : 2) * cells;
  if (a->band) values += (int64_t)n[0] * n[1] * n[2] * (2 * a->band + 2);
  if (e->level[0].mesh->size > 1) values += (e->setup.fields ? 3 + e->dim : 1) * trees * e->cells;
  return values * (int64_t)sizeof(double) + trees * (int64_t)sizeof(int);
}

oak_status_t oak_elliptic_put(oak_elliptic_t *e, const void *host, size_t bytes, void **out) {
  OAK_TRY(oak_device_alloc(e->dev, bytes, out));
  return oak_device_upload(e->dev, *out, host, bytes);
}

int64_t oak_elliptic_bytes(const oak_elliptic_t *e) {
  if (!e || e->nlevel == 0) return 0;
  const int64_t n = e->mesh->nblock, value = sizeof(double);
  int vectors = 1; /* f */
  int64_t bytes = flat_bytes(e);
  if (e->gather.level >= 0)
    bytes += e->gather.part.bytes + e->gather.all * (int64_t)sizeof(oak_elliptic_move_t);
  for (int l = 0; l < e->nlevel; l++) bytes += level_bytes(e, &e->level[l]);
  for (size_t i = 0; i < sizeof e->work / sizeof *e->work; i++) vectors += e->work[i] != NULL;
  bytes += n * vectors * e->cells * value + (int64_t)oak_elliptic_sums_bytes(n);
  bytes += OAK_MOMENT_CHUNKS(n) * OAK_MOMENT_ROWS(e->dim) * OAK_MOMENT_ROW * value;
  return bytes + (n * 2 * e->dim + e->nouter) * (int64_t)sizeof(int) +
         2 * (e->nouter + 1) * e->face_cells * value;
}
