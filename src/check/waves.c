/* SPDX-License-Identifier: GPL-2.0-or-later
 * Wave speeds against the eigenvalues of the flux, and what a first-order step leaves.
 * LAPACK's DGEEV: E. Anderson et al., LAPACK Users' Guide (3rd ed.), SIAM 1999. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/identity.h"

/* Tolerance relative to the largest eigenvalue: for errors of flux differences, and for eigenvalues
 * that coincide. */
static const double numerical = 1e-3;
/* Step relative to the conserved variables: rounding and curvature cause equal errors there. */
static const double step = 1e-6;

typedef struct {
  double least, most, imaginary;
} spectrum_t;

/* As Fortran compilers pass it; the last two are the lengths of the first two. */
typedef void dgeev_t(const char *, const char *, const int *, double *, const int *, double *,
                     double *, double *, const int *, double *, const int *, double *, const int *,
                     int *, size_t, size_t);

/* LAPACK is opened at run time: only oak check asks for it. NULL if it is not there. */
static dgeev_t *find_dgeev(void) {
  void *library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "dgeev_") : NULL;
  dgeev_t *found = NULL;
  if (symbol) memcpy(&found, &symbol, sizeof found);
  return found;
}

/* List the variables that have waves. Fields in the state have none. Variables that FACE makes
 * equal on both sides are left out, because they are parameters to the Riemann solver. */
static int list_moving(const oak_samples_t *s, int dir, int *moving) {
  int n = 0;
  for (int v = 0; v < s->e->nvar; v++)
    if (!oak_is_fixed(s, v) && !(s->joined[dir] >> v & 1)) moving[n++] = v;
  return n;
}

/* Eigenvalues of d FLUX / d u from central differences: out[2 v], out[2 v + 1] belong to u[v] with
 * its step up and down. */
static int find_spectrum(const oak_samples_t *s, dgeev_t *dgeev, int dir, const oak_identity_t *out,
                         spectrum_t *spectrum) {
  enum { WORK = 8 * OAK_MAX_NVAR };
  const int work_size = WORK, one = 1;
  int moving[OAK_MAX_NVAR];
  const int n = list_moving(s, dir, moving);
  double a[OAK_MAX_NVAR * OAK_MAX_NVAR], re[OAK_MAX_NVAR], im[OAK_MAX_NVAR], work[WORK], none;
  int info = 1;
  for (int column = 0; column < n; column++)
    for (int row = 0; row < n; row++) {
      const int v = moving[column], w = moving[row];
      const oak_identity_t *up = &out[2 * v], *down = &out[2 * v + 1];
      const double slope = (up->flux[w] - down->flux[w]) / (up->u[v] - down->u[v]);
      if (!isfinite(slope)) return 0;
      a[row + n * column] = slope;
    }
  if (n > 0)
    dgeev("N", "N", &n, a, &n, re, im, &none, &one, &none, &one, work, &work_size, &info, 1, 1);
  if (info != 0) return 0;
  *spectrum = (spectrum_t){.least = re[0], .most = re[0]};
  for (int v = 0; v < n; v++) {
    spectrum->least = fmin(spectrum->least, re[v]);
    spectrum->most = fmax(spectrum->most, re[v]);
    spectrum->imaginary = fmax(spectrum->imaginary, fabs(im[v]));
  }
  return 1;
}

static oak_status_t spectrum_of(const oak_samples_t *s, dgeev_t *dgeev, int i, oak_pair_t *pair,
                                oak_identity_t *out, spectrum_t *spectrum, int *found) {
  double scale = 0;
  for (int v = 0; v < s->e->nvar; v++) scale = fmax(scale, fabs(s->out[i].u[v]));
  for (int n = 0; n < 2 * s->e->nvar; n++) {
    const int v = n / 2;
    pair[n].dir = s->pair[i].dir;
    pair[n].conserved = 1;
    memcpy(pair[n].left, s->out[i].u, sizeof pair[n].left);
    pair[n].left[v] += (n % 2 ? -step : step) * fmax(fabs(s->out[i].u[v]), 0.01 * scale);
    memcpy(pair[n].right, pair[n].left, sizeof pair[n].left);
  }
  OAK_TRY(oak_evaluate(s->e, 2 * s->e->nvar, pair, out));
  *found = find_spectrum(s, dgeev, s->pair[i].dir, out, spectrum);
  return OAK_OK;
}

static void compare(const oak_samples_t *s, int i, const spectrum_t *w, oak_verdict_t *real,
                    oak_verdict_t *bounds, oak_verdict_t *riemann, const oak_identity_t *same) {
  const double fastest = fmax(fabs(w->least), fabs(w->most));
  const char axis = "xyz"[s->pair[i].dir];
  /* Equations that leave a state as it is have no waves. */
  const double scale = fmax(fastest, 1e-12);
  oak_verdict_note(
      s, real, &s->pair[i], w->imaginary / scale, 10 * numerical,
      "FLUX along %c has a complex eigenvalue, with imaginary part %.6g: the equations "
      "are not hyperbolic",
      axis, w->imaginary);
  oak_verdict_note(s, bounds, &s->pair[i],
                   fmax(w->most - same[i].smax, same[i].smin - w->least) / scale, numerical,
                   "along %c the eigenvalues of FLUX are between %.6g and %.6g, but WAVE_SPEEDS "
                   "between two such states are %.6g and %.6g",
                   axis, w->least, w->most, same[i].smin, same[i].smax);
  for (int r = 1; r <= s->e->nriemann; r++)
    oak_verdict_note(s, &riemann[r], &s->pair[i], (fastest - same[i].riemann[r].speed) / scale,
                     numerical,
                     "along %c the fastest wave of FLUX moves at %.6g, but %s returns the speed "
                     "%.6g, which sets the time step",
                     axis, fastest, s->e->name[r], same[i].riemann[r].speed);
}

oak_status_t oak_identity_waves(const oak_samples_t *s, oak_verdict_t *real, oak_verdict_t *bounds,
                                oak_verdict_t *riemann, const oak_identity_t *same) {
  static const char missing[] = "LAPACK is not there (Debian, Ubuntu: apt-get install liblapack3)";
  dgeev_t *dgeev = find_dgeev();
  if (!dgeev) {
    snprintf(real->message, sizeof real->message, "%s", missing);
    snprintf(bounds->message, sizeof bounds->message, "%s", missing);
    for (int r = 1; r <= s->e->nriemann; r++)
      snprintf(riemann[r].message, sizeof riemann[r].message, "%s", missing);
    return OAK_OK;
  }
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *out = NULL;
  OAK_TRY(OAK_NEW(pair, 2 * s->e->nvar));
  OAK_TRY(OAK_NEW(out, 2 * s->e->nvar));
  for (int i = 0; i < s->count; i++) {
    spectrum_t w;
    int found = 0;
    OAK_TRY(spectrum_of(s, dgeev, i, pair, out, &w, &found));
    if (found)
      compare(s, i, &w, real, bounds, riemann, same);
    else
      oak_verdict_note(s, real, &s->pair[i], 1, 0.5, "FLUX along %c is not finite near this state",
                       "xyz"[s->pair[i].dir]);
  }
  return OAK_OK;
}

/* A cell with the left state, between the right state and that of the next pair: its state after
 * the step, with a CFL number just below one. */
static void take_step(const oak_samples_t *s, const oak_identity_t *low, const oak_identity_t *high,
                      oak_pair_t *after) {
  const double speed = fmax(low->riemann[0].speed, high->riemann[0].speed);
  const double ratio = speed > 0 ? (1 - 1e-6) / speed : 0;
  for (int v = 0; v < s->e->nvar; v++)
    after->left[v] = after->right[v] =
        high->u[v] - ratio * (high->riemann[0].flux[v] - low->riemann[0].flux[v]);
  after->conserved = 1;
}

/* In the step, variables that FACE makes equal on both sides of a face have no jump. For the normal
 * magnetic field this means div B = 0. With jumps no scheme keeps the pressure positive. */
static void join(const oak_samples_t *s, const double *middle, int dir, double *other) {
  for (int v = 0; v < s->e->nvar; v++)
    if (s->joined[dir] >> v & 1) other[v] = middle[v];
}

oak_status_t oak_identity_step(const oak_samples_t *s, oak_verdict_t *verdict) {
  const int n = s->count;
  OAK_FREED oak_pair_t *low = NULL;
  OAK_FREED oak_identity_t *out = NULL;
  OAK_TRY(OAK_NEW(low, 3 * n));
  OAK_TRY(OAK_NEW(out, 3 * n));
  oak_pair_t *high = low + n, *after = low + 2 * n;
  for (int i = 0; i < n; i++) {
    const size_t bytes = sizeof low->left;
    high[i] = s->pair[i];
    low[i].dir = s->pair[i].dir;
    memcpy(low[i].left, s->pair[(i + 1) % n].left, bytes);
    memcpy(low[i].right, s->pair[i].left, bytes);
    join(s, high[i].left, high[i].dir, high[i].right);
    join(s, high[i].left, high[i].dir, low[i].left);
  }
  OAK_TRY(oak_evaluate(s->e, 2 * n, low, out));
  for (int i = 0; i < n; i++) take_step(s, &out[i], &out[n + i], &after[i]);
  OAK_TRY(oak_evaluate(s->e, n, after, out + 2 * n));
  for (int i = 0; i < n; i++) {
    char left[1024] = "";
    size_t used = 0;
    for (int v = 0; v < s->e->nvar && used < sizeof left; v++)
      used += (size_t)snprintf(left + used, sizeof left - used, " %s = %.6g",
                               oak_conserved_name(s, v), after[i].left[v]);
    oak_verdict_note(s, verdict, &high[i], out[2 * n + i].valid ? 0 : 1, 0.5,
                     "a step of Rusanov's flux along %c with the CFL number 1 between three valid "
                     "states leaves one that VALID refuses:%s. WAVE_SPEEDS may be too slow",
                     "xyz"[s->pair[i].dir], left);
  }
  return OAK_OK;
}
