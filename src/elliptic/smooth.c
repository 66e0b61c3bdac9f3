/* SPDX-License-Identifier: GPL-2.0-or-later
 * What multigrid does on one level: ghost cells, smoothing, residual, sums. A rank that fails still
 * takes part in all meetings and messages, because the others wait for it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/await.h"
#include "base/failure.h"
#include "base/reduce.h"
#include "elliptic/elliptic.h"

/* At refinement boundaries the exchange reads cells of peers that smoothing changes next. The ranks
 * therefore meet, so that none goes on before all have read. */
static oak_status_t fill(oak_elliptic_t *e, int l, int least, oak_elliptic_need_t need, int inner) {
  oak_elliptic_level_t *level = &e->level[l];
  oak_elliptic_args_t args;
  const int still = need == OAK_ELLIPTIC_AGAIN;
  oak_halo_args_t halo = {.bc = e->bc, .theta = 1, .least = least, .inner = inner, .still = still};
  oak_elliptic_args(e, l, &args);
  args.least = least;
  oak_elliptic_geometry(e, level, &halo.f);
  if (e->setup.fields && l == e->nlevel - 1) {
    halo.a = level->a.memory.mine;
    memcpy(halo.low, args.low, sizeof halo.low);
    halo.high = args.high;
  }
  oak_status_t st = OAK_OK;
  if (!still || !inner || level->transport->messages)
    st = oak_exchange_fill(&level->exchange, &level->u, &halo, e->setup.timers);
  if (!level->jumps) return st;
  if (need >= OAK_ELLIPTIC_FINE && st == OAK_OK)
    st = oak_device_launch(e->dev, e->kernel.fine, level->nfine, &args, sizeof args);
  if (need == OAK_ELLIPTIC_BOTH) {
    oak_keep_failure(&st, oak_averages_exchange(&level->average, level->transport, &level->pattern,
                                                e->setup.timers));
    if (st == OAK_OK)
      st = oak_device_launch(e->dev, e->kernel.coarse, level->ncoarse, &args, sizeof args);
  }
  oak_keep_failure(&st, oak_elliptic_meet(e, l));
  return st;
}

oak_status_t oak_elliptic_ghosts(oak_elliptic_t *e, int l) {
  return fill(e, l, 0, OAK_ELLIPTIC_BOTH, 0);
}

oak_status_t oak_elliptic_share_a(oak_elliptic_t *e) {
  oak_elliptic_level_t *level = oak_elliptic_top(e);
  oak_halo_args_t halo = {.bc = e->cbc, .theta = 1};
  oak_elliptic_geometry(e, level, &halo.f);
  return oak_exchange_fill(&level->cexchange, &level->a, &halo, e->setup.timers);
}

oak_status_t oak_elliptic_inner_ghosts(oak_elliptic_t *e, int l, int least,
                                       oak_elliptic_need_t need) {
  if (e->plain && !e->level[l].jumps && !e->level[l].transport->messages)
    return oak_elliptic_meet(e, l);
  return fill(e, l, least, need, e->plain);
}

/* The level of the coarsest blocks that smoothing of level l changes. Coarser blocks rest: coarser
 * levels smooth them (McCormick's fast adaptive composite method). A cycle then reduces the
 * residual by the same factor as if all blocks were smoothed on each level, but not if the sides of
 * cells are unequal. With bodies no block of the finest level rests, because smoothing sets the
 * potential of electrodes. */
static int least_smoothed(const oak_elliptic_t *e, int l) {
  const int all = e->lines || e->sweeps > 2 || (e->setup.bodies && l == e->nlevel - 1);
  return all ? 0 : l;
}

oak_status_t oak_elliptic_smooth(oak_elliptic_t *e, int l, int sweeps, int first, int zero) {
  const int least = least_smoothed(e, l);
  oak_elliptic_need_t need = least ? OAK_ELLIPTIC_FINE : OAK_ELLIPTIC_BOTH;
  oak_status_t st = OAK_OK;
  oak_elliptic_args_t args;
  if (zero) st = oak_elliptic_meet(e, l);
  if (zero && !e->plain)
    oak_keep_failure(&st, oak_elliptic_combine(e, l, NULL, e->level[l].u.memory.mine, 0, 0, 0));
  oak_elliptic_args(e, l, &args);
  args.least = least;
  for (int s = 0; s < 2 * sweeps; s++) {
    args.zero = zero && e->plain && s == 0;
    args.colour = (s + first) & 1;
    /* The second smoothing of a cycle has the opposite order. */
    args.axis = first ? e->dim - 1 - s / 2 % e->dim : s / 2 % e->dim;
    if (!args.zero) {
      oak_keep_failure(&st, oak_elliptic_inner_ghosts(e, l, least, need));
      if (least) need = OAK_ELLIPTIC_AGAIN;
    }
    args.chain = e->level[l].chain[args.axis];
    args.link = e->level[l].link[args.axis];
    if (st != OAK_OK) continue;
    const int n = args.chain ? e->level[l].nchain[args.axis] : e->level[l].mesh->nblock;
    if (n) st = oak_device_launch(e->dev, e->smooth, n, &args, sizeof args);
  }
  return st;
}

static oak_status_t find_residual(oak_elliptic_t *e, int l, int least) {
  oak_elliptic_args_t args;
  oak_elliptic_args(e, l, &args);
  args.least = least;
  oak_status_t st =
      least ? oak_elliptic_inner_ghosts(e, l, least, OAK_ELLIPTIC_BOTH) : oak_elliptic_ghosts(e, l);
  if (st == OAK_OK) st = oak_elliptic_launch(e, e->kernel.residual, l, &args);
  return st;
}

oak_status_t oak_elliptic_residual(oak_elliptic_t *e, int l) { return find_residual(e, l, 0); }

/* From u = 0, smoothing changes the residual only in the finest blocks and in those beside them. */
oak_status_t oak_elliptic_descend(oak_elliptic_t *e, int l, int zero) {
  const int least = zero && least_smoothed(e, l) ? l - 1 : 0;
  oak_elliptic_level_t *level = &e->level[l];
  void *to = e->level[l - 1].rhs;
  oak_status_t st;
  if (!e->plain) {
    st = find_residual(e, l, least);
    oak_keep_failure(&st, oak_elliptic_restrict(e, l, level->res, to));
    return st;
  }
  oak_elliptic_down_args_t args = {.move = {.move = level->family.move_device,
                                            .to = oak_elliptic_target(e, l, to),
                                            .remote = level->family.buffer}};
  oak_elliptic_args(e, l, &args.e);
  args.e.least = least;
  st = oak_elliptic_inner_ghosts(e, l, least, OAK_ELLIPTIC_BOTH);
  if (st == OAK_OK)
    st = oak_device_launch(e->dev, e->down, level->mesh->nblock, &args, sizeof args);
  oak_keep_failure(&st, oak_elliptic_restrict_end(e, l, to));
  return st;
}

oak_status_t oak_elliptic_combine(oak_elliptic_t *e, int l, const void *x, void *y, double p,
                                  double q, double s) {
  const oak_elliptic_combine_args_t args = {.x = x ? x : y, .y = y, .p = p, .q = q, .s = s};
  return oak_device_launch(e->dev, e->kernel.combine, e->level[l].mesh->nblock, &args, sizeof args);
}

oak_status_t oak_elliptic_note(oak_elliptic_t *e, int slot) {
  void *to = (double *)e->norms + (size_t)slot * e->mesh->nblock;
  const oak_status_t st = oak_elliptic_inner_ghosts(e, e->nlevel - 1, 0, OAK_ELLIPTIC_BOTH);
  return st == OAK_OK ? oak_elliptic_on_top(e, e->norm, 0, to) : st;
}

/* The largest of \a count numbers on all ranks; one more tells a failure. */
static oak_status_t find_most(const oak_elliptic_t *e, oak_status_t st, int count, double *most) {
  most[count] = st != OAK_OK;
  if (st != OAK_OK && oak_device_sync(e->dev) != OAK_OK) oak_transport_failed(e->setup.transport);
  oak_await(e->comm);
  MPI_Allreduce(MPI_IN_PLACE, most, count + 1, MPI_DOUBLE, MPI_MAX, e->comm);
  return most[count] > 0 ? oak_agree(e->comm, st) : OAK_OK;
}

oak_status_t oak_elliptic_noted(oak_elliptic_t *e, oak_status_t st, int slots, double *out) {
  const int n = e->mesh->nblock;
  double most[OAK_ELLIPTIC_AHEAD + 1] = {0};
  if (st == OAK_OK)
    st = oak_device_download(e->dev, e->norms_host, e->norms, (size_t)slots * n * sizeof *most);
  for (int s = 0; s < slots && st == OAK_OK; s++)
    for (int i = s * n; i < (s + 1) * n; i++)
      most[s] = e->norms_host[i] > most[s] ? e->norms_host[i] : most[s];
  OAK_TRY(find_most(e, st, slots, most));
  memcpy(out, most, slots * sizeof *most);
  return OAK_OK;
}

oak_status_t oak_elliptic_largest(oak_elliptic_t *e, oak_status_t st, const void *x, double *out) {
  const oak_elliptic_sums_args_t args = {.x = x, .out = e->norms};
  if (st == OAK_OK)
    st = oak_device_launch(e->dev, e->kernel.largest, e->mesh->nblock, &args, sizeof args);
  return oak_elliptic_noted(e, st, 1, out);
}

static double block_volume(const oak_elliptic_t *e, int level) {
  double volume = 1;
  for (int d = 0; d < e->dim; d++) volume *= ldexp(e->setup.dx0[d], -level);
  return volume;
}

oak_status_t oak_elliptic_sums(oak_elliptic_t *e, oak_status_t st, const void *x, const void *y,
                               double out[OAK_ELLIPTIC_SUMS]) {
  const int n = e->mesh->nblock;
  oak_elliptic_sums_args_t args = {.x = x, .y = y, .out = e->sums};
  double most[2] = {0}, *sum = e->sums_host;
  oak_elliptic_geometry(e, oak_elliptic_top(e), &args.f);
  if (st == OAK_OK) st = oak_device_launch(e->dev, e->kernel.sums, n, &args, sizeof args);
  if (st == OAK_OK)
    st = oak_device_download(e->dev, sum, e->sums, n * OAK_ELLIPTIC_SUMS * sizeof *sum);
  for (int b = 0; b < n && st == OAK_OK; b++) {
    const double volume = block_volume(e, e->mesh->level[b]);
    double *s = sum + (size_t)b * OAK_ELLIPTIC_SUMS;
    if (s[0] > most[0]) most[0] = s[0];
    for (int i = 1; i < OAK_ELLIPTIC_SUMS; i++) s[i] *= volume;
  }
  OAK_TRY(find_most(e, st, 1, most));
  OAK_TRY(oak_sum_exact(e->comm, OAK_ELLIPTIC_SUMS, n, sum, out));
  out[0] = isfinite(out[3]) ? most[0] : NAN; /* taking a maximum may have dropped a NaN */
  return OAK_OK;
}
