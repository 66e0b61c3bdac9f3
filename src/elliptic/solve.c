/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cycles through the levels, and solutions to a tolerance. */
#include <math.h>
#include <stdio.h>

#include "base/failure.h"
#include "base/str.h"
#include "elliptic/elliptic.h"

/* Correction scheme: level l - 1 computes the correction that is added to u of level l. With \a
 * again, level l - 1 does a cycle of this kind and then a V-cycle: this is an F-cycle. */
static oak_status_t cycle(oak_elliptic_t *e, int l, int zero, int again) {
  oak_elliptic_level_t *level = &e->level[l];
  oak_status_t st = OAK_OK;
  if (l == 0 && zero) return oak_elliptic_flat(e, level->rhs, level->u.memory.mine);
  if (l == 0) {
    st = oak_elliptic_residual(e, 0);
    oak_keep_failure(&st, oak_elliptic_flat(e, level->res, level->res));
    oak_keep_failure(&st, oak_elliptic_combine(e, 0, level->res, level->u.memory.mine, 1, 1, 0));
    return st;
  }
  oak_keep_failure(&st, oak_elliptic_smooth(e, l, e->sweeps, 0, zero));
  oak_keep_failure(&st, oak_elliptic_descend(e, l, zero));
  oak_keep_failure(&st, cycle(e, l - 1, 1, again));
  if (again && l > 1) oak_keep_failure(&st, cycle(e, l - 1, 0, 0));
  oak_keep_failure(&st, oak_elliptic_inner_ghosts(e, l - 1, l - 1, OAK_ELLIPTIC_NONE));
  oak_keep_failure(&st, oak_elliptic_prolong(e, l, 1));
  oak_keep_failure(&st, oak_elliptic_smooth(e, l, e->after, 1, 0));
  return st;
}

oak_status_t oak_elliptic_cycle(oak_elliptic_t *e, int l, int zero) { return cycle(e, l, zero, 0); }

/* The recording of a cycle of this equation, or a free place for it. */
static oak_elliptic_recorded_t *find_recorded(oak_elliptic_t *e, int again) {
  for (int i = 0; i < OAK_ELLIPTIC_RECORDED; i++) {
    oak_elliptic_recorded_t *r = &e->recorded[i];
    if (!r->launches || (r->b == e->setup.b && r->given_zero == e->given_zero && r->again == again))
      return r;
  }
  oak_elliptic_forget(e);
  return e->recorded;
}

static oak_status_t record(oak_elliptic_t *e, int again, oak_elliptic_recorded_t *r) {
  *r = (oak_elliptic_recorded_t){.b = e->setup.b, .given_zero = e->given_zero, .again = again};
  oak_timers_hold(e->setup.timers, 1); /* first, because a recording must not contain its marks */
  oak_status_t st = oak_device_ops(e->dev)->record(e->dev);
  if (st == OAK_OK) {
    st = cycle(e, e->nlevel - 1, 0, again);
    oak_keep_failure(&st, oak_device_ops(e->dev)->recorded(e->dev, &r->launches));
  }
  oak_timers_hold(e->setup.timers, 0);
  if (st != OAK_OK) oak_elliptic_forget(e);
  return st;
}

/* A cycle of the finest level. Its kernels are the same until the mesh changes: one rank records
 * them and starts them as a whole, because the host would need more time to launch the kernels of
 * small levels than the GPU to run them. Several ranks meet between kernels. */
static oak_status_t top_cycle(oak_elliptic_t *e, int again) {
  const oak_device_ops_t *ops = oak_device_ops(e->dev);
  if (e->mesh->size > 1 || !ops->records || !ops->records(e->dev))
    return cycle(e, e->nlevel - 1, 0, again);
  oak_elliptic_recorded_t *r = find_recorded(e, again);
  if (!r->launches) OAK_TRY(record(e, again, r));
  return ops->replay(e->dev, r->launches);
}

/* Full multigrid: every level starts from the solution of the coarser one. */
static oak_status_t full_cycle(oak_elliptic_t *e) {
  const int top = e->nlevel - 1;
  oak_status_t st = OAK_OK;
  for (int l = top; l > 0; l--)
    oak_keep_failure(&st, oak_elliptic_restrict(e, l, e->level[l].rhs, e->level[l - 1].rhs));
  oak_keep_failure(&st, oak_elliptic_cycle(e, 0, 1));
  for (int l = 1; l <= top; l++) {
    oak_keep_failure(&st, oak_elliptic_inner_ghosts(e, l - 1, l - 1, OAK_ELLIPTIC_NONE));
    oak_keep_failure(&st, oak_elliptic_prolong(e, l, 0));
    oak_keep_failure(&st, oak_elliptic_cycle(e, l, 0));
  }
  return st;
}

double oak_elliptic_volume(const oak_elliptic_t *e) {
  double out = 1;
  for (int d = 0; d < e->dim; d++)
    out *= e->mesh->trees[d] * e->setup.block_size[d] * e->setup.dx0[d];
  return e->setup.mean_factor * out;
}

/* Without a value at the boundary and without b, u is only determined up to a constant, and the
 * right-hand side must have the mean 0: the mean is removed from both. This is done twice: the
 * first mean has a rounding error relative to its own size, which may be large compared with the
 * values that remain. Collective. */
static oak_status_t remove_mean(oak_elliptic_t *e, oak_status_t st, void *x) {
  double sum[OAK_ELLIPTIC_SUMS];
  if (!e->singular) return st;
  for (int n = 0; n < 2; n++) {
    OAK_TRY(oak_elliptic_sums(e, st, x, x, sum));
    st = oak_elliptic_meet(e, e->nlevel - 1);
    oak_keep_failure(&st, oak_elliptic_combine(e, e->nlevel - 1, NULL, x, 0, 1,
                                               -sum[1] / oak_elliptic_volume(e)));
  }
  return st;
}

/* The largest residual on all ranks. Collective. */
static oak_status_t find_residual(oak_elliptic_t *e, oak_status_t st, double *out) {
  const int top = e->nlevel - 1;
  if (e->plain) {
    oak_keep_failure(&st, oak_elliptic_note(e, 0));
    return oak_elliptic_noted(e, st, 1, out);
  }
  oak_keep_failure(&st, oak_elliptic_residual(e, top));
  return oak_elliptic_largest(e, st, e->level[top].res, out);
}

static oak_status_t diverged(const oak_elliptic_options_t *o, const oak_elliptic_report_t *r) {
  enum { FIRST = 5, LAST = 5 };
  char list[512] = "";
  for (int c = 0; c <= r->cycles; c++) {
    if (c > FIRST && c < r->cycles - LAST) continue;
    const int gap = c == r->cycles - LAST && c > FIRST + 1;
    oak_str_append(list, sizeof list, "%s%.2e",
                   gap ? " ... "
                   : c ? " "
                       : "",
                   r->residual[c] / r->scale);
  }
  return OAK_FAIL(OAK_ERR_STATE,
                  "the elliptic equation is not solved to %g after %d cycle%s; largest residual "
                  "relative to the right-hand side, at first and after each cycle: %s; raise the "
                  "tolerance or the number of cycles",
                  o->tolerance, r->cycles, r->cycles == 1 ? "" : "s", list);
}

static int done(const oak_elliptic_options_t *o, const oak_elliptic_report_t *r) {
  return r->residual[r->cycles] <= o->tolerance * r->scale;
}

/* The least number of further cycles; the residual is not read before they are done. A cycle
 * reduces the residual at most by a factor of 64, and full multigrid from zero at most by a factor
 * of 2000. One cycle too many would do no harm. */
static int ahead(const oak_elliptic_options_t *o, const oak_elliptic_report_t *r, int full) {
  const double fastest = log(64), first = full ? log(2000) : fastest;
  const double left = log(r->residual[r->cycles] / (o->tolerance * r->scale));
  const int needed = 1 + (left > first ? (int)ceil((left - first) / fastest) : 0);
  const int most = o->most_cycles - r->cycles;
  const int n = needed < most ? needed : most;
  return n < OAK_ELLIPTIC_AHEAD ? n : OAK_ELLIPTIC_AHEAD;
}

/* Whether the last cycle shows that BiCGSTAB is cheaper: a is a field and jumps, the shape of cells
 * differs much from place to place, or cells are very long. A cycle of BiCGSTAB costs about twice
 * as much as a V-cycle, and reduces the residual by a factor of 10 to 30. */
static int slow(const oak_elliptic_t *e, const oak_elliptic_report_t *r) {
  const int c = r->cycles;
  const int may = e->setup.fields || e->lines || e->sweeps == OAK_ELLIPTIC_MOST_SWEEPS;
  return may && c > 0 && !(r->residual[c] * 5 < r->residual[c - 1]);
}

static oak_status_t cycles(oak_elliptic_t *e, const oak_elliptic_options_t *o,
                           oak_elliptic_report_t *r) {
  const int top = e->nlevel - 1;
  const int later = e->plain && !oak_device_ops(e->dev)->host_memory; /* reading the residual costs
                                                                       * time */
  while (!done(o, r) && !slow(e, r)) {
    int full = o->full && r->cycles == 0 && top > 0;
    if (r->cycles == o->most_cycles || !isfinite(r->residual[r->cycles])) return diverged(o, r);
    const int n = later ? ahead(o, r, full) : 1;
    oak_status_t st = OAK_OK;
    for (int i = 0; i < n; i++, full = 0) {
      oak_keep_failure(&st, full ? full_cycle(e) : top_cycle(e, 0));
      if (e->plain) oak_keep_failure(&st, oak_elliptic_note(e, i));
    }
    if (e->plain)
      OAK_TRY(oak_elliptic_noted(e, st, n, &r->residual[r->cycles + 1]));
    else
      OAK_TRY(find_residual(e, st, &r->residual[r->cycles + 1]));
    r->cycles += n;
  }
  return OAK_OK;
}

/* ---- BiCGSTAB (van der Vorst 1992) with an F-cycle as preconditioner from the right */

enum { X, R, R0, P, V, VECTORS };

static oak_status_t alloc_work(oak_elliptic_t *e) {
  const size_t bytes = (size_t)e->mesh->nblock * e->cells * sizeof(double);
  for (int i = 0; i < VECTORS; i++)
    if (!e->work[i]) OAK_TRY(oak_elliptic_alloc(e, bytes, &e->work[i]));
  return OAK_OK;
}

/* x += c u, r -= c A u and, with the new r, its largest value and (r0, r). A u is in `res` with the
 * opposite sign, or in v. */
static oak_status_t advance(oak_elliptic_t *e, oak_status_t st, double c, const void *au,
                            double sign, double sum[OAK_ELLIPTIC_SUMS]) {
  const int top = e->nlevel - 1;
  oak_keep_failure(&st,
                   oak_elliptic_combine(e, top, e->level[top].u.memory.mine, e->work[X], c, 1, 0));
  oak_keep_failure(&st, oak_elliptic_combine(e, top, au, e->work[R], -sign * c, 1, 0));
  return oak_elliptic_sums(e, st, e->work[R], e->work[R0], sum);
}

/* u = M x for one F-cycle M, and -A u in `res`. */
static oak_status_t precondition(oak_elliptic_t *e, const void *x) {
  const int top = e->nlevel - 1;
  oak_elliptic_level_t *level = &e->level[top];
  oak_status_t st = oak_elliptic_combine(e, top, x, level->rhs, 1, 0, 0);
  oak_keep_failure(&st, oak_elliptic_meet(e, top));
  oak_keep_failure(&st, oak_elliptic_combine(e, top, NULL, level->u.memory.mine, 0, 0, 0));
  oak_keep_failure(&st, top_cycle(e, 1));
  oak_keep_failure(&st, oak_elliptic_combine(e, top, NULL, level->rhs, 0, 0, 0));
  oak_keep_failure(&st, oak_elliptic_residual(e, top));
  return st;
}

static oak_status_t iterate(oak_elliptic_t *e, const oak_elliptic_options_t *o, double *rho,
                            double *alpha, double *omega, oak_elliptic_report_t *r) {
  const int top = e->nlevel - 1;
  void *const *w = e->work, *res = e->level[top].res;
  double sum[OAK_ELLIPTIC_SUMS], before = *rho;
  OAK_TRY(oak_elliptic_sums(e, OAK_OK, w[R], w[R0], sum));
  *rho = sum[2];
  const double beta = before == 0 ? 0 : *rho / before * (*alpha / *omega);
  oak_status_t st = oak_elliptic_combine(e, top, w[V], w[P], -beta * *omega, beta, 0);
  oak_keep_failure(&st, oak_elliptic_combine(e, top, w[R], w[P], 1, 1, 0));
  oak_keep_failure(&st, precondition(e, w[P]));
  oak_keep_failure(&st, oak_elliptic_combine(e, top, res, w[V], -1, 0, 0));
  OAK_TRY(oak_elliptic_sums(e, st, w[V], w[R0], sum));
  *alpha = *rho / sum[2];
  OAK_TRY(advance(e, OAK_OK, *alpha, w[V], 1, sum));
  r->residual[++r->cycles] = sum[0];
  if (done(o, r)) return OAK_OK;
  st = precondition(e, w[R]);
  OAK_TRY(oak_elliptic_sums(e, st, res, w[R], sum));
  *omega = -sum[2] / sum[3];
  OAK_TRY(advance(e, OAK_OK, *omega, res, -1, sum));
  r->residual[++r->cycles] = sum[0];
  return OAK_OK;
}

static oak_status_t krylov(oak_elliptic_t *e, const oak_elliptic_options_t *o,
                           oak_elliptic_report_t *r) {
  const int top = e->nlevel - 1;
  oak_elliptic_level_t *level = &e->level[top];
  double rho = 0, alpha = 1, omega = 1;
  oak_status_t st = alloc_work(e);
  if (e->plain) oak_keep_failure(&st, oak_elliptic_residual(e, top)); /* `res` does not hold it */
  if (st == OAK_OK) st = oak_elliptic_combine(e, top, level->u.memory.mine, e->work[X], 1, 0, 0);
  for (int i = R; i <= R0 && st == OAK_OK; i++)
    st = oak_elliptic_combine(e, top, level->res, e->work[i], 1, 0, 0);
  for (int i = P; i <= V && st == OAK_OK; i++)
    st = oak_elliptic_combine(e, top, NULL, e->work[i], 0, 0, 0);
  OAK_TRY(oak_agree(e->comm, st));
  while (!done(o, r)) {
    if (r->cycles + 2 > o->most_cycles || !isfinite(r->residual[r->cycles])) return diverged(o, r);
    OAK_TRY(iterate(e, o, &rho, &alpha, &omega, r));
  }
  st = oak_elliptic_meet(e, top);
  oak_keep_failure(&st, oak_elliptic_combine(e, top, e->work[X], level->u.memory.mine, 1, 0, 0));
  return oak_agree(e->comm, st);
}

/* ---- all of it */

oak_status_t oak_elliptic_solve(oak_elliptic_t *e, const oak_elliptic_options_t *o,
                                oak_elliptic_report_t *r) {
  const int top = e->nlevel - 1;
  oak_elliptic_level_t *level = &e->level[top];
  const int mean_0 = e->singular && e->given_zero; /* the mean of f does not count */
  double largest;
  *r = (oak_elliptic_report_t){0};
  oak_status_t st = e->setup.fields ? OAK_OK : oak_elliptic_flat_factor(e);
  if (st == OAK_OK) st = oak_elliptic_bound(e);
  if (e->setup.bodies && st == OAK_OK) st = oak_elliptic_add_bodies(e);
  st = remove_mean(e, st, level->rhs);
  OAK_TRY(oak_elliptic_largest(e, st, mean_0 ? level->rhs : level->res, &largest));
  r->scale = largest > 0 && isfinite(largest) ? largest : 1;
  st = OAK_OK;
  if (o->full) {
    st = oak_elliptic_meet(e, top);
    oak_keep_failure(&st, oak_elliptic_combine(e, top, NULL, level->u.memory.mine, 0, 0, 0));
  }
  if (o->full && !o->krylov) /* that of u = 0 */
    OAK_TRY(oak_elliptic_largest(e, st, level->rhs, &r->residual[0]));
  else
    OAK_TRY(find_residual(e, st, &r->residual[0]));
  if (!o->krylov) OAK_TRY(cycles(e, o, r));
  if (!done(o, r)) OAK_TRY(krylov(e, o, r));
  return oak_agree(e->comm, remove_mean(e, OAK_OK, level->u.memory.mine));
}

/* Run a kernel of derivatives, that of gradients along an axis. */
static oak_status_t differentiate(oak_elliptic_t *e, oak_kernel_t *kernel, int axis, void *out) {
  oak_status_t st = oak_elliptic_ghosts(e, e->nlevel - 1);
  if (st == OAK_OK) st = oak_elliptic_on_top(e, kernel, axis, out);
  return oak_agree(e->comm, st);
}

oak_status_t oak_elliptic_gradient(oak_elliptic_t *e, int axis, void *out) {
  return differentiate(e, e->kernel.gradient, axis, out);
}

oak_status_t oak_elliptic_slopes(oak_elliptic_t *e, void *out) {
  oak_status_t st = differentiate(e, e->kernel.slopes, 0, out);
  for (int axis = 0; axis < e->dim && st == OAK_OK && e->setup.bodies; axis++)
    st = oak_elliptic_wall_slopes(e, axis, out);
  return e->setup.bodies ? oak_agree(e->comm, st) : st;
}
