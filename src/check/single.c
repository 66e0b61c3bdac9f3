/* SPDX-License-Identifier: GPL-2.0-or-later
 * Identities of one pair of states and of its images. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/identity.h"

/* Tolerance for rounding, and for digits that conversions lose at large kinetic energies. */
static const double exact = 1e-9;

void oak_identity_conversion(const oak_samples_t *s, oak_verdict_t *verdict) {
  for (int i = 0; i < s->count; i++) {
    double worst = 0;
    int where = 0;
    for (int v = 0; v < s->e->nvar; v++) {
      const double q = s->pair[i].left[v], error = fabs(s->out[i].back[v] - q) / fabs(q);
      if (!(error <= worst)) worst = error, where = v;
    }
    oak_verdict_note(s, verdict, &s->pair[i], worst, exact,
                     "TO_PRIMITIVE(TO_CONSERVED(q)) has %s = %.10g where q has %.10g",
                     oak_primitive_name(s, where), s->out[i].back[where], s->pair[i].left[where]);
  }
}

void oak_identity_consistency(const oak_samples_t *s, int riemann, oak_verdict_t *verdict,
                              const oak_identity_t *same) {
  for (int i = 0; i < s->count; i++) {
    const double *f = same[i].riemann[riemann].flux, scale = oak_flux_scale(s, &same[i]);
    double worst = 0;
    int where = 0;
    for (int v = 0; v < s->e->nvar; v++) {
      const double error = fabs(f[v] - same[i].flux[v]) / scale;
      if (!(error <= worst)) worst = error, where = v;
    }
    oak_verdict_note(s, verdict, &s->pair[i], worst, exact,
                     "between two equal states the flux of %s along %c is %.10g, but FLUX says "
                     "%.10g",
                     oak_conserved_name(s, where), "xyz"[s->pair[i].dir], f[where],
                     same[i].flux[where]);
  }
}

oak_status_t oak_identity_nan(const oak_samples_t *s, oak_verdict_t *verdict) {
  const int nvar = s->e->nvar;
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *out = NULL;
  OAK_TRY(OAK_NEW(pair, nvar));
  OAK_TRY(OAK_NEW(out, nvar));
  for (int v = 0; v < nvar; v++) {
    pair[v].conserved = 1;
    memcpy(pair[v].left, s->out[0].u, sizeof pair[v].left);
    pair[v].left[v] = NAN;
    memcpy(pair[v].right, pair[v].left, sizeof pair[v].left);
  }
  OAK_TRY(oak_evaluate(s->e, nvar, pair, out));
  for (int v = 0; v < nvar; v++)
    oak_verdict_note(s, verdict, &pair[v], out[v].valid && !oak_is_fixed(s, v) ? 1 : 0, 0.5,
                     "VALID accepts a conserved state with %s = nan", oak_conserved_name(s, v));
  return OAK_OK;
}

/* ---- images of a state */

/* An image: variable v of the image is sign[v] times variable from[v]. The same for primitive and
 * conserved states, and for fluxes. */
typedef struct {
  int from[OAK_MAX_NVAR], axis[3];
  double sign[OAK_MAX_NVAR];
  int swaps; /**< left and right change places, and fluxes and speeds their sign */
} image_t;

static void no_image(const oak_samples_t *s, image_t *m) {
  m->swaps = 0;
  for (int v = 0; v < s->e->nvar; v++) m->from[v] = v, m->sign[v] = 1;
  for (int d = 0; d < 3; d++) m->axis[d] = d;
}

static void apply(const oak_samples_t *s, const image_t *m, const double *q, double *out) {
  for (int v = 0; v < s->e->nvar; v++) out[v] = m->sign[v] * q[m->from[v]];
}

/* The largest difference between the mirrored flux and the flux of the mirrored states. */
static double compare(const oak_samples_t *s, const image_t *m, const double *flux,
                      const double *of_image, int *where, double *expected) {
  double worst = 0, image[OAK_MAX_NVAR];
  apply(s, m, flux, image);
  *where = 0;
  for (int v = 0; v < s->e->nvar; v++) {
    const double want = m->swaps ? -image[v] : image[v], error = fabs(of_image[v] - want);
    if (v == 0) *expected = want;
    if (!(error <= worst)) worst = error, *where = v, *expected = want;
  }
  return worst;
}

/* Compare the images of all states of axis `dir`; `words` say what the image is. */
static void compare_all(const oak_samples_t *s, const image_t *m, int dir, const char *words,
                        const oak_identity_t *out, oak_verdict_t *hooks, oak_verdict_t *riemann) {
  for (int i = dir; i < s->count; i += s->dim) {
    const oak_identity_t *at = &s->out[i];
    const double scale = oak_flux_scale(s, at);
    const double smin = m->swaps ? -at->smax : at->smin, smax = m->swaps ? -at->smin : at->smax;
    const double speed = fmax(fabs(at->smin), fabs(at->smax));
    double want, error;
    int v;
    /* With swapped sides, the left state of the image is the image of the right state, so `out` has
     * its FLUX. */
    error = compare(s, m, at->flux, out[i].flux, &v, &want) / scale;
    oak_verdict_note(s, hooks, &s->pair[i], error, exact,
                     "%s: the flux of %s along %c is %.10g; that of the state itself leads to "
                     "%.10g",
                     words, oak_conserved_name(s, v), "xyz"[m->axis[dir]], out[i].flux[v], want);
    error = fmax(fabs(out[i].smin - smin), fabs(out[i].smax - smax)) / speed;
    oak_verdict_note(s, hooks, &s->pair[i], speed > 0 ? error : 0, exact,
                     "%s: WAVE_SPEEDS along %c are %.10g and %.10g; those of the state itself lead "
                     "to %.10g and %.10g",
                     words, "xyz"[m->axis[dir]], out[i].smin, out[i].smax, smin, smax);
    for (int r = 1; r <= s->e->nriemann; r++) {
      const double *f = out[i].riemann[r].flux;
      error = compare(s, m, at->riemann[r].flux, f, &v, &want) / scale;
      oak_verdict_note(s, &riemann[r], &s->pair[i], error, exact,
                       "%s: the flux of %s along %c is %.10g; that of the states themselves leads "
                       "to %.10g",
                       words, oak_conserved_name(s, v), "xyz"[m->axis[dir]], f[v], want);
    }
  }
}

static oak_status_t check_image(const oak_samples_t *s, const image_t *m, int dir,
                                const char *words, oak_verdict_t *hooks, oak_verdict_t *riemann) {
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *out = NULL, *left = NULL;
  OAK_TRY(OAK_NEW(pair, s->count));
  OAK_TRY(OAK_NEW(out, s->count));
  OAK_TRY(OAK_NEW(left, s->count));
  for (int i = 0; i < s->count; i++) {
    pair[i].dir = m->axis[s->pair[i].dir];
    apply(s, m, s->pair[i].left, m->swaps ? pair[i].right : pair[i].left);
    apply(s, m, s->pair[i].right, m->swaps ? pair[i].left : pair[i].right);
  }
  OAK_TRY(oak_evaluate(s->e, s->count, pair, out));
  for (int i = 0; i < s->count; i++) /* FLUX of the left states' images */
    apply(s, m, s->pair[i].left, pair[i].left);
  OAK_TRY(oak_evaluate(s->e, s->count, pair, left));
  for (int i = 0; i < s->count; i++) memcpy(out[i].flux, left[i].flux, sizeof out[i].flux);
  compare_all(s, m, dir, words, out, hooks, riemann);
  return OAK_OK;
}

static int has_vectors(const oak_samples_t *s, oak_verdict_t *hooks, oak_verdict_t *riemann) {
  static const char why[] = "PHYSICS_NORMAL is -1, so nothing says what a mirror changes";
  if (s->e->sim->setup.description.mirror[0]) return 1;
  snprintf(hooks->message, sizeof hooks->message, "%s", why);
  for (int r = 1; r <= s->e->nriemann; r++)
    snprintf(riemann[r].message, sizeof riemann[r].message, "%s", why);
  return 0;
}

oak_status_t oak_identity_mirror(const oak_samples_t *s, oak_verdict_t *hooks,
                                 oak_verdict_t *riemann) {
  if (!has_vectors(s, hooks, riemann)) return OAK_OK;
  for (int dir = 0; dir < s->dim; dir++)
    for (int across = 0; across < s->dim; across++) {
      image_t m;
      char words[256];
      no_image(s, &m);
      m.swaps = across == dir;
      size_t used =
          (size_t)snprintf(words, sizeof words, "in a mirror across %c (sign of", "xyz"[across]);
      for (int v = 0; v < s->e->nvar; v++) {
        if (!(s->e->sim->setup.description.mirror[across] >> v & 1)) continue;
        m.sign[v] = -1;
        if (used < sizeof words)
          used +=
              (size_t)snprintf(words + used, sizeof words - used, " %s", oak_primitive_name(s, v));
      }
      if (used < sizeof words) snprintf(words + used, sizeof words - used, " changed)");
      OAK_TRY(check_image(s, &m, dir, words, hooks, riemann));
    }
  return OAK_OK;
}

/* The axes along which a mirror changes the sign of a variable: axis d for component d of a vector;
 * the two other axes for component d of an axial vector in 3D. */
static unsigned changing_axes(const oak_samples_t *s, int v) {
  unsigned axes = 0;
  for (int d = 0; d < s->dim; d++) axes |= (s->e->sim->setup.description.mirror[d] >> v & 1u) << d;
  return axes;
}

/* Each axis becomes the next one. Variables are grouped by their axes (changing_axes): the first
 * variable of a group becomes the first one of the group of the next axes, and so on. */
static void turn_axes(const oak_samples_t *s, image_t *m) {
  const unsigned all = (1u << s->dim) - 1;
  no_image(s, m);
  for (int d = 0; d < s->dim; d++) m->axis[d] = (d + 1) % s->dim;
  for (unsigned axes = 1; axes < all; axes++) {
    const unsigned next = (axes << 1 | axes >> (s->dim - 1)) & all;
    int to = -1;
    for (int from = 0; from < s->e->nvar; from++) {
      if (changing_axes(s, from) != axes) continue;
      do to++;
      while (to < s->e->nvar && changing_axes(s, to) != next);
      if (to < s->e->nvar) m->from[to] = from;
    }
  }
}

/* Axes are exchanged by rotations, which are the same for axial and other vectors. In 2D y becomes
 * -x, so the first component of each vector is minus the second one. */
oak_status_t oak_identity_rotation(const oak_samples_t *s, oak_verdict_t *hooks,
                                   oak_verdict_t *riemann) {
  static const char *const words[] = {"turned by 90 degrees (x to y, y to -x)",
                                      "with its axes exchanged (x to y, y to z, z to x)"};
  image_t m;
  if (!has_vectors(s, hooks, riemann)) return OAK_OK;
  turn_axes(s, &m);
  for (int v = 0; v < s->e->nvar && s->dim == 2; v++) m.sign[v] = m.from[v] > v ? -1 : 1;
  for (int dir = 0; dir < s->dim; dir++) {
    m.swaps = s->dim == 2 && dir == 1;
    OAK_TRY(check_image(s, &m, dir, words[s->dim - 2], hooks, riemann));
  }
  return OAK_OK;
}

/* ---- what other coordinates need */

/* The image that is turned about an axis: \a a becomes \a b, and b becomes -a. The components of
 * the n-th vector are the n-th bits. */
static void turn_vectors(const oak_samples_t *s, int a, int b, image_t *m) {
  const uint32_t *component = s->e->sim->setup.description.vectors.component;
  no_image(s, m);
  for (int v = 0, w = 0; v < s->e->nvar; v++) {
    if (!(component[a] >> v & 1)) continue;
    while (w < s->e->nvar - 1 && !(component[b] >> w & 1)) w++;
    m->from[w] = v;
    m->from[v] = w;
    m->sign[v] = -1;
    w++;
  }
}

oak_status_t oak_identity_vectors(const oak_samples_t *s, oak_verdict_t *verdict) {
  const oak_description_t *d = &s->e->sim->setup.description;
  oak_verdict_t riemann[1 + OAK_MAX_RIEMANN];
  memset(riemann, 0, sizeof riemann);
  if (!d->vectors.component[0]) {
    snprintf(verdict->message, sizeof verdict->message, "%s",
             d->vectors.declared
                 ? "PHYSICS_VECTORS names no vectors"
                 : "PHYSICS_VECTORS is missing, which other coordinates than cartesian need");
    return OAK_OK;
  }
  for (int axis = 0; axis < 3; axis++) {
    const int a = (axis + 1) % 3, b = (axis + 2) % 3, beyond = axis >= s->dim;
    char words[80];
    image_t m;
    if (!beyond && d->vectors.planar) continue;
    turn_vectors(s, a, b, &m);
    if (beyond) m.axis[a] = b;
    snprintf(words, sizeof words, "with PHYSICS_VECTORS turned about component %d", axis + 1);
    OAK_TRY(check_image(s, &m, beyond ? a : axis, words, verdict, riemann));
  }
  return OAK_OK;
}

oak_status_t oak_identity_symmetry(const oak_samples_t *s, oak_verdict_t *verdict) {
  const int *momentum = s->e->sim->setup.description.normal;
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *out = NULL;
  if (momentum[0] < 0) {
    snprintf(verdict->message, sizeof verdict->message, "PHYSICS_NORMAL is -1");
    return OAK_OK;
  }
  OAK_TRY(OAK_NEW(pair, s->count));
  OAK_TRY(OAK_NEW(out, s->count));
  for (int i = 0; i < s->count; i++) {
    pair[i] = s->pair[i];
    pair[i].dir = (s->pair[i].dir + 1) % s->dim;
  }
  OAK_TRY(oak_evaluate(s->e, s->count, pair, out));
  for (int i = 0; i < s->count; i++) {
    const int a = s->pair[i].dir, b = pair[i].dir;
    const double ab = s->out[i].flux[momentum[b]], ba = out[i].flux[momentum[a]];
    oak_verdict_note(s, verdict, &s->pair[i], fabs(ab - ba) / oak_flux_scale(s, &s->out[i]), exact,
                     "the flux of %s along %c is %.10g, but that of %s along %c is %.10g; angular "
                     "momentum is kept only if both are equal",
                     oak_conserved_name(s, momentum[b]), "xyz"[a], ab,
                     oak_conserved_name(s, momentum[a]), "xyz"[b], ba);
  }
  return OAK_OK;
}
