/* SPDX-License-Identifier: GPL-2.0-or-later
 * Values at the boundary of the domain. They go to the right-hand side of the finest level: the
 * equation is then solved with boundary values of 0, as on coarser levels. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "elliptic/elliptic.h"

/* In 2D: the table `power` of oak_elliptic_poles_args_t. */
static oak_status_t fit_power(oak_elliptic_t *e) {
  const int *n = e->setup.block_size;
  const size_t bytes = (size_t)n[0] * n[1] * 8 * sizeof(double);
  if (e->dim == 3 || e->setup.coordinates) return OAK_OK;
  const double complex corner = CMPLX(n[0] * e->setup.dx0[0], n[1] * e->setup.dx0[1]);
  OAK_FREED double *power = NULL;
  OAK_TRY(OAK_NEW(power, (size_t)n[0] * n[1] * 8));
  for (int c = 0; c < n[0] * n[1] / 4; c++) {
    const int i = c % (n[0] / 2), j = c / (n[0] / 2);
    const double complex z =
        CMPLX((2 * i + 1) * e->setup.dx0[0], (2 * j + 1) * e->setup.dx0[1]) / cabs(corner);
    double complex term = 1;
    for (int l = 0; l <= OAK_ELLIPTIC_POLES(2); l++, term *= z)
      for (int part = 0; part < 2; part++) {
        const int k = OAK_PLANAR(l, part);
        power[k / 8 * 2 * n[0] * n[1] + 8 * c + k % 8] = part ? cimag(term) : creal(term);
      }
  }
  return oak_elliptic_put(e, power, bytes, &e->power);
}

static void poles_args(oak_elliptic_t *e, oak_elliptic_poles_args_t *args) {
  oak_elliptic_args_t all;
  oak_elliptic_args(e, e->nlevel - 1, &all);
  *args = (oak_elliptic_poles_args_t){.f = all.f,
                                      .rhs = e->f,
                                      .out = e->moments,
                                      .volume = 1,
                                      .power = e->power,
                                      .outer = e->where,
                                      .given = e->given};
  double half = 0, diagonal = 0;
  for (int d = 0; d < e->dim; d++) {
    const double extent = e->mesh->trees[d] * e->setup.block_size[d] * e->setup.dx0[d];
    const int on_axis = e->setup.coordinates && d == 0,
              angle = e->setup.coordinates == OAK_SPHERICAL;
    args->center[d] = e->setup.xmin[d] + (on_axis || angle ? 0 : 0.5 * extent);
    args->volume *= e->setup.dx0[d];
    diagonal = hypot(diagonal, 0.5 * e->setup.block_size[d] * e->setup.dx0[d]);
    if (d == 0 || !angle) half = fmax(half, (on_axis ? 1 : 0.5) * extent);
  }
  args->scale = 1 / half;
  args->volume /= pow(args->scale * diagonal, 2);
}

/* Memory for moments. In 2D, the last rows are what changes with the mesh alone. */
static oak_status_t fit_moments(oak_elliptic_t *e) {
  const int *n = e->setup.block_size, blocks = e->mesh->nblock, chunks = OAK_MOMENT_CHUNKS(blocks);
  const size_t chunk = OAK_MOMENT_ROWS(e->dim) * OAK_MOMENT_ROW;
  oak_elliptic_poles_args_t args;
  poles_args(e, &args);
  OAK_FREED double *all = NULL;
  OAK_TRY(OAK_NEW(all, chunks * chunk + 1));
  for (int b = 0; b < blocks && e->dim == 2; b++) {
    double *last =
        all + b / OAK_ELLIPTIC_CHUNK * chunk + 32 * OAK_MOMENT_ROW + b % OAK_ELLIPTIC_CHUNK;
    for (int d = 0; d < 2; d++) {
      const double middle = 0.5 * ldexp(e->mesh->trees[d], e->mesh->level[b]) - 0.5;
      const double width = args.scale * n[d] * ldexp(e->setup.dx0[d], -e->mesh->level[b]);
      last[d * OAK_MOMENT_ROW] = (e->mesh->index[b][d] - middle) * width;
      last[2 * OAK_MOMENT_ROW] = hypot(last[2 * OAK_MOMENT_ROW], 0.5 * width);
    }
  }
  return oak_elliptic_put(e, all, chunks * chunk * sizeof *all, &e->moments);
}

oak_status_t oak_elliptic_outer_fit(oak_elliptic_t *e) {
  const oak_face_t *face = oak_elliptic_top(e)->pattern.face.host;
  const int n = e->mesh->nblock * 2 * e->dim;
  const size_t area = e->face_cells * sizeof(double);
  e->nouter = 0;
  OAK_TRY(OAK_NEW(e->outer_host, 2 * n + 1));
  int *where = e->outer_host + n;
  for (int i = 0; i < n; i++) {
    const int outer =
        face[i].kind == OAK_FACE_BOUNDARY && !(e->setup.axis_faces >> i % (2 * e->dim) & 1);
    e->outer_host[i] = outer ? e->nouter : -1;
    if (outer) where[e->nouter++] = i;
  }
  OAK_TRY(oak_elliptic_put(e, e->outer_host, n * sizeof(int), &e->outer));
  OAK_TRY(oak_elliptic_put(e, where, e->nouter * sizeof(int), &e->where));
  OAK_FREED double *zero = NULL;
  OAK_TRY(OAK_NEW(zero, (size_t)(e->nouter + 1) * e->face_cells));
  OAK_TRY(oak_elliptic_put(e, zero, (e->nouter + 1) * area, &e->given));
  OAK_TRY(oak_elliptic_put(e, zero, (e->nouter + 1) * area, &e->zero));
  e->given_zero = 1;
  OAK_TRY(fit_moments(e));
  return fit_power(e);
}

/* The centre of a cell's face. */
static void face_center(const oak_elliptic_t *e, int block, int face, int cell, double x[3]) {
  const int *n = e->setup.block_size, dir = face / 2;
  const int axis[2] = {dir == 0 ? 1 : 0, dir == 2 ? 1 : 2};
  const int along[2] = {cell % n[axis[0]], cell / n[axis[0]]};
  for (int d = 0; d < 3; d++) {
    double at = d == dir ? (face & 1 ? n[d] : 0) : 0;
    for (int i = 0; i < 2; i++)
      if (d == axis[i]) at = along[i] + 0.5;
    x[d] = d < e->dim ? e->setup.xmin[d] + (e->mesh->index[block][d] * n[d] + at) *
                                               ldexp(e->setup.dx0[d], -e->mesh->level[block])
                      : 0;
  }
  if (e->setup.logarithmic) x[0] = exp(x[0]);
}

oak_status_t oak_elliptic_set_outer(oak_elliptic_t *e, oak_elliptic_value_t value, void *data) {
  const int faces = 2 * e->dim;
  const size_t count = (size_t)e->nouter * e->face_cells;
  if (!e->nouter) return OAK_OK;
  OAK_FREED double *given = NULL;
  OAK_TRY(OAK_NEW(given, count));
  for (int i = 0; i < e->mesh->nblock * faces; i++) {
    const int face = i % faces, area = e->cells / e->setup.block_size[face / 2];
    if (e->outer_host[i] < 0) continue;
    double *to = given + (size_t)e->outer_host[i] * e->face_cells;
    for (int c = 0; c < area; c++) {
      double x[3];
      face_center(e, i / faces, face, c, x);
      to[c] = value(data, face, x);
    }
  }
  e->given_zero = 0;
  return oak_device_upload(e->dev, e->given, given, count * sizeof *given);
}

/* ---- multipoles */

/* The numbers that cut each moment into parts whose sums over all blocks are exact. There are at
 * most 2^bits blocks. The first parts are therefore multiples of 2^(exponent + bits - 52), and
 * their sums are below 2^(exponent + bits). The rest of each moment is below half of that multiple,
 * and is cut in the same way. */
static void find_round(double largest, int64_t blocks, double round[OAK_ELLIPTIC_PARTS]) {
  int exponent, bits = 1;
  while (INT64_C(1) << bits < 2 * blocks) bits++;
  frexp(largest, &exponent);
  for (int p = 0; p < OAK_ELLIPTIC_PARTS; p++, exponent += bits - 53)
    round[p] = ldexp(1.5, exponent + bits);
}

/* The moments of all blocks, the same for any number of ranks. Collective. */
static oak_status_t find_moments(oak_elliptic_t *e, const oak_elliptic_poles_args_t *args,
                                 double moment[OAK_ELLIPTIC_MOMENTS]) {
  enum { ROW = OAK_ELLIPTIC_PARTS * OAK_ELLIPTIC_MOMENTS };
  const int n = e->mesh->nblock, chunks = OAK_MOMENT_CHUNKS(n);
  oak_elliptic_moment_sums_args_t sums = {
      .moment = e->moments, .largest = e->norms, .blocks = n, .out = e->sums};
  double largest, part[ROW] = {0};
  oak_status_t st = oak_device_launch(e->dev, e->kernel.moments, n, args, sizeof *args);
  if (st == OAK_OK)
    st = oak_device_launch(e->dev, e->kernel.moment_sizes, chunks, &sums, sizeof sums);
  OAK_TRY(oak_elliptic_noted(e, st, 1, &largest));
  find_round(largest, e->mesh->nglobal, sums.round);
  st = oak_device_launch(e->dev, e->kernel.moment_sums, chunks, &sums, sizeof sums);
  if (st == OAK_OK) st = oak_device_download(e->dev, e->sums_host, sums.out, chunks * sizeof part);
  OAK_TRY(oak_agree(e->comm, st));
  for (int c = 0; c < chunks; c++)
    for (int i = 0; i < ROW; i++) part[i] += e->sums_host[c * ROW + i];
  MPI_Allreduce(MPI_IN_PLACE, part, ROW, MPI_DOUBLE, MPI_SUM, e->comm);
  for (int i = 0; i < OAK_ELLIPTIC_MOMENTS; i++)
    moment[i] = isfinite(largest) ? part[i] + part[OAK_ELLIPTIC_MOMENTS + i] : NAN;
  return OAK_OK;
}

/* Moments about a centre that lies at `by` along an axis: of x^n-m (x - by)^m for m = 1, 2 and so
 * on. */
static void shift_moments(int axis, double by, double *moment) {
  const int top = OAK_ELLIPTIC_POLES(3), second = axis == 0, third = axis == 2 ? 1 : 2;
  for (int m = 1; m <= top; m++)
    for (int a = top; a >= m; a--)
      for (int b = 0; b <= top - a; b++)
        for (int c = 0; c <= top - a - b; c++) {
          int at[3];
          at[axis] = a;
          at[second] = b;
          at[third] = c;
          double *to = moment + OAK_MONOMIAL(at[0], at[1], at[2]);
          at[axis]--;
          *to -= by * moment[OAK_MONOMIAL(at[0], at[1], at[2])];
        }
}

/* The same in 2D, with x + i y in place of x. */
static void shift_planar(double complex by, double *moment) {
  for (int m = 1; m <= OAK_ELLIPTIC_POLES(2); m++)
    for (int l = OAK_ELLIPTIC_POLES(2); l >= m; l--) {
      const double complex less = by * CMPLX(moment[2 * l - 2], moment[2 * l - 1]);
      moment[2 * l] -= creal(less);
      moment[2 * l + 1] -= cimag(less);
    }
}

/* Expand about the centre of mass if it is inside the domain: there is no dipole then, and the
 * series converges fastest. In (r, z) the centre lies on the axis, and R^l P_l(cos theta) changes
 * with it as z^l does. In (r, theta) it stays at r = 0. */
static void move_center(const oak_elliptic_t *e, oak_elliptic_poles_args_t *args, double *moment) {
  const int rings = e->setup.coordinates != OAK_CARTESIAN;
  double by[3] = {0};
  if (e->setup.coordinates == OAK_SPHERICAL) return;
  for (int d = rings; d < e->dim; d++) {
    const double half = 0.25 * e->mesh->trees[d] * e->setup.block_size[d] * e->setup.dx0[d];
    const int place = e->dim == 2 ? 2 + d - rings : OAK_MONOMIAL(d == 0, d == 1, d == 2);
    by[d] = moment[place] / moment[0];
    if (!(fabs(by[d]) < half * args->scale)) return;
  }
  if (e->dim == 2) shift_planar(rings ? by[1] : CMPLX(by[0], by[1]), moment);
  for (int d = 0; d < e->dim; d++) {
    if (e->dim == 3) shift_moments(d, by[d], moment);
    args->center[d] += by[d] / args->scale;
  }
}

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* How often x^a y^b z^c occurs in (x + y + z)^(a + b + c). */
static double times(int a, int b, int c) {
  return factorial(a + b + c) / (factorial(a) * factorial(b) * factorial(c));
}

/* The factor of (x x')^(l - 2 k) (r^2 r'^2)^k in K_l, a term of the expansion 1 / |x - x'| = sum
 * over l of r^(-2 l - 1) K_l. With c the cosine of the angle between x and x', and the polynomials
 * P_l of Legendre, K_l is (r r')^l P_l(c). */
static double factor(int l, int k) {
  const double sign = k % 2 ? -1 : 1, rest = factorial(k) * factorial(l - 2 * k);
  return sign * ldexp(factorial(2 * l - 2 * k), -l) / (rest * factorial(l - k));
}

/* Add weight x^a y^b z^c r^(2 k), times the moment of the same monomial, to a polynomial. */
static void add_term(const int at[3], int k, double weight, const double *moment, double *out) {
  for (int turn = 0; turn < 2; turn++) {
    double sum = 0;
    for (int i = 0; i <= k; i++)
      for (int j = 0; j <= k - i; j++) {
        const int place = OAK_MONOMIAL(at[0] + 2 * (k - i - j), at[1] + 2 * i, at[2] + 2 * j);
        if (turn == 0)
          sum += times(k - i - j, i, j) * moment[place];
        else
          out[place] += weight * times(k - i - j, i, j);
      }
    weight *= sum;
  }
}

/* The polynomial of the potential (kernels/multigrid/far_field.c). In 2D it follows from
 * ln(z - z') = ln z - sum over l > 0 of (z' / z)^l / l. */
static void find_coefficients(const oak_elliptic_t *e, const double *moment,
                              oak_elliptic_poles_args_t *args) {
  const int planar = e->dim == 2 && !e->setup.coordinates;
  const double unit = (planar ? 1 / (2 * M_PI) : -args->scale / (4 * M_PI)) / e->setup.a;
  memset(args->coefficient, 0, sizeof args->coefficient);
  for (int l = 0; l <= 2 * OAK_ELLIPTIC_POLES(2) + 1 && e->dim == 2; l++)
    args->coefficient[l] = planar ? -moment[l] / (l < 2 ? 1 : l / 2) : moment[l];
  if (planar) args->coefficient[0] *= log(args->scale);
  for (int l = 0; l <= OAK_ELLIPTIC_POLES(3) && e->dim == 3; l++)
    for (int k = 0; 2 * k <= l; k++)
      for (int b = 0; b <= l - 2 * k; b++)
        for (int c = 0; c <= l - 2 * k - b; c++) {
          const int at[3] = {l - 2 * k - b - c, b, c};
          add_term(at, k, factor(l, k) * times(at[0], b, c), moment, args->coefficient);
        }
  for (int i = 0; i < OAK_ELLIPTIC_MOMENTS; i++) args->coefficient[i] *= unit;
  args->logarithm = moment[0] * unit;
}

oak_status_t oak_elliptic_isolate(oak_elliptic_t *e) {
  double moment[OAK_ELLIPTIC_MOMENTS];
  oak_elliptic_poles_args_t args;
  poles_args(e, &args);
  OAK_TRY(find_moments(e, &args, moment));
  move_center(e, &args, moment);
  find_coefficients(e, moment, &args);
  e->given_zero = 0;
  return oak_agree(e->comm,
                   oak_device_launch(e->dev, e->kernel.poles, e->nouter, &args, sizeof args));
}

/* The largest |f| in those cells of a block that lie at a face. */
static double largest_beside(const oak_elliptic_t *e, const double *f, int face) {
  const int *n = e->setup.block_size, dir = face / 2;
  double most = 0;
  for (int c = 0; c < e->cells; c++) {
    const int x[3] = {c % n[0], c / n[0] % n[1], c / (n[0] * n[1])};
    if (x[dir] == (face & 1 ? n[dir] - 1 : 0)) most = fmax(most, fabs(f[c]));
  }
  return most;
}

oak_status_t oak_elliptic_beside(oak_elliptic_t *e, double *most) {
  const int faces = 2 * e->dim;
  const size_t bytes = e->cells * sizeof(double);
  OAK_FREED double *f = NULL;
  oak_status_t st = OAK_NEW(f, e->cells);
  *most = 0;
  for (int i = 0; i < e->mesh->nblock * faces && st == OAK_OK; i++) {
    if (e->outer_host[i] < 0) continue;
    st = oak_device_download(e->dev, f, (const char *)e->f + i / faces * bytes, bytes);
    if (st == OAK_OK) *most = fmax(*most, largest_beside(e, f, i % faces));
  }
  MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_DOUBLE, MPI_MAX, e->comm);
  return oak_agree(e->comm, st);
}

oak_status_t oak_elliptic_bound(oak_elliptic_t *e) {
  const int top = e->nlevel - 1;
  oak_elliptic_args_t args;
  oak_elliptic_args(e, top, &args);
  args.u = e->level[top].rhs;
  oak_status_t st = oak_elliptic_combine(e, top, e->f, e->level[top].rhs, 1, 0, 0);
  if (st == OAK_OK) st = oak_elliptic_combine(e, top, e->f, e->level[top].res, 1, 0, 0);
  for (args.face = 0; args.face < 2 * e->dim && st == OAK_OK && !e->given_zero; args.face++)
    if (!e->mesh->periodic[args.face / 2]) st = oak_elliptic_launch(e, e->kernel.bound, top, &args);
  return st;
}
