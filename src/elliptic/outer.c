/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values at the boundary of the domain. They go to the right-hand side of the finest level: the
 * equation is then solved with boundary values of 0, as on coarser levels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/reduce.h"
#include "elliptic/elliptic.h"

oak_status_t oak_elliptic_outer_fit(oak_elliptic_t *e) {
  const oak_face_t *face = oak_elliptic_top(e)->pattern.face.host;
  const int n = e->mesh->nblock * 2 * e->dim;
  const size_t area = e->cells / e->setup.block_size * sizeof(double);
  e->nouter = 0;
  e->outer_host = malloc((n + 1) * sizeof *e->outer_host);
  OAK_CHECK(e->outer_host, OAK_ERR_MEMORY, "out of memory for %d faces", n);
  for (int i = 0; i < n; i++)
    e->outer_host[i] = face[i].kind == OAK_FACE_BOUNDARY ? e->nouter++ : -1;
  OAK_TRY(oak_device_alloc(e->dev, n * sizeof(int), &e->outer));
  if (n) OAK_TRY(oak_device_upload(e->dev, e->outer, e->outer_host, n * sizeof(int)));
  OAK_TRY(oak_device_alloc(e->dev, (e->nouter + 1) * area, &e->given));
  double *zero = calloc(e->nouter + 1, area);
  OAK_CHECK(zero, OAK_ERR_MEMORY, "out of memory for %d faces", e->nouter);
  const oak_status_t st = oak_device_upload(e->dev, e->given, zero, (e->nouter + 1) * area);
  free(zero);
  e->given_zero = 1;
  return st;
}

/* The centre of a cell's face. */
static void face_center(const oak_elliptic_t *e, int block, int face, int cell, double x[3]) {
  const int n = e->setup.block_size, dir = face / 2;
  const int axis[2] = {dir == 0 ? 1 : 0, dir == 2 ? 1 : 2}, along[2] = {cell % n, cell / n};
  for (int d = 0; d < 3; d++) {
    double at = d == dir ? (face & 1 ? n : 0) : 0;
    for (int i = 0; i < 2; i++)
      if (d == axis[i]) at = along[i] + 0.5;
    x[d] = d < e->dim ? e->setup.xmin[d] + (e->mesh->index[block][d] * n + at) *
                                               ldexp(e->setup.dx0[d], -e->mesh->level[block])
                      : 0;
  }
}

oak_status_t oak_elliptic_set_outer(oak_elliptic_t *e, oak_elliptic_value_t value, void *data) {
  const int faces = 2 * e->dim, area = e->cells / e->setup.block_size;
  if (!e->nouter) return OAK_OK;
  double *given = malloc((size_t)e->nouter * area * sizeof *given), *next = given;
  OAK_CHECK(given, OAK_ERR_MEMORY, "out of memory for %d faces", e->nouter);
  for (int i = 0; i < e->mesh->nblock * faces; i++)
    for (int c = 0; c < area && e->outer_host[i] >= 0; c++) {
      double x[3];
      face_center(e, i / faces, i % faces, c, x);
      *next++ = value(data, i % faces, x);
    }
  e->given_zero = 0;
  const oak_status_t st =
      oak_device_upload(e->dev, e->given, given, (size_t)e->nouter * area * sizeof *given);
  free(given);
  return st;
}

/* ---- multipoles */

static void poles_args(oak_elliptic_t *e, oak_elliptic_poles_args_t *args) {
  oak_elliptic_args_t all;
  oak_elliptic_args(e, e->nlevel - 1, &all);
  *args = (oak_elliptic_poles_args_t){
      .f = all.f, .rhs = e->f, .out = e->sums, .outer = e->outer, .given = e->given};
}

static oak_status_t find_moments(oak_elliptic_t *e, oak_elliptic_poles_args_t *args) {
  const int n = e->mesh->nblock;
  oak_status_t st = OAK_OK;
  if (n) st = oak_device_launch(e->dev, e->kernel.moments, n, args, sizeof *args);
  if (st == OAK_OK && n)
    st = oak_device_download(e->dev, e->sums_host, e->sums,
                             n * OAK_ELLIPTIC_MOMENTS * sizeof(double));
  OAK_TRY(oak_agree(e->comm, st));
  /* In 2D there are fewer; the rest of a row is not set. */
  for (int b = 0; b < n && e->dim == 2; b++)
    for (int i = 2 * (2 * OAK_ELLIPTIC_POLES + 1); i < OAK_ELLIPTIC_MOMENTS; i++)
      e->sums_host[(size_t)b * OAK_ELLIPTIC_MOMENTS + i] = 0;
  return oak_sum_exact(e->comm, OAK_ELLIPTIC_MOMENTS, n, e->sums_host, args->moment);
}

/* Expand about the centre of mass if it is inside the domain: there is no dipole then, and the
 * series converges fastest. */
static void move_center(const oak_elliptic_t *e, oak_elliptic_poles_args_t *args) {
  const double *m = args->moment;
  double center[3] = {args->center[0], args->center[1], args->center[2]};
  if (e->dim == 2) {
    center[0] += m[2] / m[0];
    center[1] += m[3] / m[0];
  } else { /* R_10 = z, R_11 = (x + i y) / 2 */
    center[0] += 2 * m[4] / m[0];
    center[1] += 2 * m[5] / m[0];
    center[2] += m[2] / m[0];
  }
  for (int d = 0; d < e->dim; d++) {
    const double half = 0.25 * e->mesh->trees[d] * e->setup.block_size * e->setup.dx0[d];
    if (!(fabs(center[d] - args->center[d]) < half)) return;
  }
  memcpy(args->center, center, sizeof center);
}

oak_status_t oak_elliptic_isolate(oak_elliptic_t *e) {
  oak_elliptic_poles_args_t args;
  poles_args(e, &args);
  for (int d = 0; d < e->dim; d++)
    args.center[d] =
        e->setup.xmin[d] + 0.5 * e->mesh->trees[d] * e->setup.block_size * e->setup.dx0[d];
  OAK_TRY(find_moments(e, &args));
  move_center(e, &args);
  OAK_TRY(find_moments(e, &args));
  for (int i = 0; i < OAK_ELLIPTIC_MOMENTS; i++) args.moment[i] /= e->setup.a;
  oak_status_t st = OAK_OK;
  e->given_zero = 0;
  for (args.face = 0; args.face < 2 * e->dim && st == OAK_OK; args.face++)
    if (e->mesh->nblock)
      st = oak_device_launch(e->dev, e->kernel.poles, e->mesh->nblock, &args, sizeof args);
  return oak_agree(e->comm, st);
}

oak_status_t oak_elliptic_bound(oak_elliptic_t *e) {
  const int top = e->nlevel - 1;
  oak_elliptic_args_t args;
  oak_elliptic_args(e, top, &args);
  args.res = e->level[top].rhs;
  oak_status_t st = oak_elliptic_combine(e, top, e->f, e->level[top].rhs, 1, 0, 0);
  for (args.face = 0; args.face < 2 * e->dim && st == OAK_OK && !e->given_zero; args.face++)
    if (!e->mesh->periodic[args.face / 2]) st = oak_elliptic_launch(e, e->kernel.bound, top, &args);
  return st;
}
