/* SPDX-License-Identifier: GPL-2.0-or-later
 * Random admissible states on which identities are checked, and the message about a state for which
 * an identity does not hold. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check/identity.h"

enum { STATES = 300, LOT = 4096, MOST_LOTS = 64, FEWEST = 20 };

/* ---- random states */

/* SplitMix64: G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014. The same states in every check. */
static double uniform(uint64_t *seed) {
  uint64_t z = (*seed += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double any_number(uint64_t *seed) {
  const double size = pow(10, 2 * uniform(seed) - 1);
  return uniform(seed) < 0.5 ? -size : size;
}

static int all_finite(const oak_evaluate_t *e, const oak_identity_t *at) {
  for (int v = 0; v < e->nvar; v++)
    if (!isfinite(at->u[v])) return 0;
  return 1;
}

/* Keep those left states of a batch that VALID accepts. Every second one of them becomes the right
 * state of the one before. */
static void keep_valid(oak_samples_t *s, int *found, const oak_pair_t *pair,
                       const oak_identity_t *out) {
  const size_t bytes = s->e->nvar * sizeof(double);
  for (int i = 0; i < LOT && *found < 2 * STATES; i++) {
    if (!out[i].valid || !all_finite(s->e, &out[i])) continue;
    oak_pair_t *to = &s->pair[*found / 2];
    memcpy(*found % 2 ? to->right : to->left, pair[i].left, bytes);
    to->dir = *found / 2 % s->dim;
    ++*found;
  }
}

static oak_status_t find_states(oak_samples_t *s, oak_pair_t *pair, oak_identity_t *out) {
  uint64_t seed = 1;
  int found = 0, lots = 0;
  for (; found < 2 * STATES && lots < MOST_LOTS; lots++) {
    for (int i = 0; i < LOT; i++)
      for (int v = 0; v < s->e->nvar; v++) pair[i].left[v] = pair[i].right[v] = any_number(&seed);
    OAK_TRY(oak_evaluate(s->e, LOT, pair, out));
    keep_valid(s, &found, pair, out);
  }
  s->count = found / 2;
  OAK_CHECK(s->count >= FEWEST, OAK_ERR_INPUT,
            "%s: VALID accepts only %d of %d random states whose primitive variables have sizes of "
            "0.1 to 10 and both signs: too few to check",
            s->e->sim->setup.files.physics, found, lots * LOT);
  OAK_TRY(oak_evaluate(s->e, s->count, s->pair, s->out));
  for (int i = 0; i < s->dim; i++) /* the first pairs have all axes */
    for (int v = 0; v < s->e->nvar; v++) s->joined[i] |= (uint32_t)s->out[i].joined[v] << v;
  return OAK_OK;
}

oak_status_t oak_samples_new(const oak_evaluate_t *e, oak_samples_t *s) {
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *out = NULL;
  *s = (oak_samples_t){.e = e, .dim = e->sim->setup.dim};
  OAK_TRY(OAK_NEW(pair, LOT));
  OAK_TRY(OAK_NEW(out, LOT));
  OAK_TRY(OAK_NEW(s->pair, STATES));
  OAK_TRY(OAK_NEW(s->out, STATES));
  return find_states(s, pair, out);
}

/* ---- verdicts */

const char *oak_conserved_name(const oak_samples_t *s, int v) {
  return s->e->sim->setup.description.name[v];
}
const char *oak_primitive_name(const oak_samples_t *s, int v) {
  return s->e->sim->setup.description.name[s->e->nvar + v];
}

int oak_is_fixed(const oak_samples_t *s, int v) {
  const oak_field_list_t *fields = &s->e->sim->setup.fields;
  for (int n = 0; n < fields->nfixed; n++)
    if (fields->fixed[n].variable == v) return 1;
  return 0;
}

double oak_flux_scale(const oak_samples_t *s, const oak_identity_t *at) {
  const double speed = fmax(fabs(at->smin), fabs(at->smax));
  double most = 0;
  for (int v = 0; v < s->e->nvar; v++)
    most = fmax(most, fmax(fabs(at->flux[v]), speed * fabs(at->u[v])));
  return most;
}

static size_t print_state(const oak_samples_t *s, char *text, size_t size, const double *q,
                          int conserved) {
  size_t used = 0;
  for (int v = 0; v < s->e->nvar && used < size; v++)
    used += (size_t)snprintf(text + used, size - used, "%s%s = %.6g", v ? ", " : "",
                             conserved ? oak_conserved_name(s, v) : oak_primitive_name(s, v), q[v]);
  return used < size ? used : size;
}

void oak_verdict_note(const oak_samples_t *s, oak_verdict_t *verdict, const oak_pair_t *pair,
                      double error, double bound, const char *format, ...) {
  va_list args;
  verdict->done++;
  if (!(error <= verdict->worst)) verdict->worst = error; /* NaN too */
  if (error < bound || error == 0) return;
  if (verdict->failed++) return;
  const size_t size = sizeof verdict->message;
  va_start(args, format);
  size_t used = (size_t)vsnprintf(verdict->message, size, format, args);
  va_end(args);
  if (used >= size) return;
  used += (size_t)snprintf(verdict->message + used, size - used, "\n      state: ");
  if (used < size)
    used += print_state(s, verdict->message + used, size - used, pair->left, pair->conserved);
  if (used < size && memcmp(pair->left, pair->right, s->e->nvar * sizeof(double))) {
    used += (size_t)snprintf(verdict->message + used, size - used, "\n      right: ");
    if (used < size)
      print_state(s, verdict->message + used, size - used, pair->right, pair->conserved);
  }
}
