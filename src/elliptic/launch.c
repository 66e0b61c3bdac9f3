/* SPDX-License-Identifier: GPL-2.0-or-later
 * What all work on a level needs: the arguments of kernels, launches over the blocks of the level,
 * and a meeting of the ranks that have these blocks. */
#include <string.h>

#include "base/geometry.h"
#include "elliptic/elliptic.h"

void oak_elliptic_geometry(const oak_elliptic_t *e, const oak_elliptic_level_t *level,
                           oak_field_t *f) {
  f->block = level->blocks;
  oak_geometry_field(e->setup.logarithmic, e->dim, e->setup.xmin, e->setup.dx0, f);
}

void oak_elliptic_args(oak_elliptic_t *e, int l, oak_elliptic_args_t *args) {
  oak_elliptic_level_t *level = &e->level[l];
  *args = (oak_elliptic_args_t){.u = level->u.memory.mine,
                                .rhs = level->rhs,
                                .res = level->res,
                                .bs = level->b,
                                .ghost = level->ghost,
                                .a = e->setup.a,
                                .b = e->setup.b,
                                .fine = level->fine,
                                .coarse = level->coarse,
                                .piece = level->average.piece.mine,
                                .peer_piece = level->average.peer,
                                .outer = e->outer,
                                .given = e->given_zero ? e->zero : e->given};
  memcpy(args->outside, e->outside, sizeof args->outside);
  oak_exchange_field(&level->exchange, &level->u, &args->f);
  oak_elliptic_geometry(e, level, &args->f);
  for (int d = 0; d < e->dim; d++) {
    args->low[d] = level->on_face[d];
    args->share[d] = 1.0 / (level->mesh->trees[d] * e->setup.block_size[d]);
  }
  args->high = level->on_face[e->dim];
  args->cut = level->cut;
  args->pin = level->pin;
  args->wall = level->wall;
  args->line = level->line;
  args->nline = (long)level->mesh->nblock * e->cells;
  args->top = l == e->nlevel - 1;
  if (e->setup.fields && l == e->nlevel - 1) {
    oak_exchange_field(&level->cexchange, &level->a, &args->c);
    oak_elliptic_geometry(e, level, &args->c);
  }
}

oak_status_t oak_elliptic_launch(oak_elliptic_t *e, oak_kernel_t *kernel, int l,
                                 const oak_elliptic_args_t *args) {
  return oak_device_launch(e->dev, kernel, e->level[l].mesh->nblock, args, sizeof *args);
}

oak_status_t oak_elliptic_on_top(oak_elliptic_t *e, oak_kernel_t *kernel, int axis, void *res) {
  oak_elliptic_args_t args;
  oak_elliptic_args(e, e->nlevel - 1, &args);
  args.axis = axis;
  if (res) args.res = res;
  return oak_elliptic_launch(e, kernel, e->nlevel - 1, &args);
}

oak_status_t oak_elliptic_meet(oak_elliptic_t *e, int l) {
  oak_elliptic_level_t *level = &e->level[l];
  if (level->transport->peers.count == 1) return OAK_OK;
  return OAK_TIMED(e->setup.timers, OAK_PHASE_MPI,
                   oak_peers_meet(&level->transport->peers, level->pattern.contact));
}

void oak_elliptic_forget(oak_elliptic_t *e) {
  for (int i = 0; i < OAK_ELLIPTIC_RECORDED; i++) {
    oak_recording_t **launches = &e->recorded[i].launches;
    if (*launches) oak_device_ops(e->dev)->forget(e->dev, *launches);
    *launches = NULL;
  }
}
