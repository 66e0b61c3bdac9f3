/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak check: what the hooks of any physics satisfy, on random admissible states. A. H. Hakim, J.
 * Juno et al. test each solver of Gkeyll in this way. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "solver/identity/eigen.h"
#include "solver/identity/identity.h"

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

/* Keep the left states of a lot that VALID accepts; every second one becomes the right state of
 * the one before. */
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
            s->e->sim->files.physics, found, lots * LOT);
  OAK_TRY(oak_evaluate(s->e, s->count, s->pair, s->out));
  for (int i = 0; i < s->dim; i++) /* the first pairs have all axes */
    for (int v = 0; v < s->e->nvar; v++) s->joined[i] |= (uint32_t)s->out[i].joined[v] << v;
  return OAK_OK;
}

static oak_status_t sample(const oak_evaluate_t *e, oak_samples_t *s) {
  oak_pair_t *pair = calloc(LOT, sizeof *pair);
  oak_identity_t *out = calloc(LOT, sizeof *out);
  *s = (oak_samples_t){.e = e, .dim = e->sim->dim};
  s->pair = calloc(STATES, sizeof *s->pair);
  s->out = calloc(STATES, sizeof *s->out);
  oak_status_t st = OAK_OK;
  if (!pair || !out || !s->pair || !s->out) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for states");
  if (st == OAK_OK) st = find_states(s, pair, out);
  free(pair);
  free(out);
  return st;
}

/* ---- verdicts */

const char *oak_conserved_name(const oak_samples_t *s, int v) {
  return s->e->sim->description.name[v];
}
const char *oak_primitive_name(const oak_samples_t *s, int v) {
  return s->e->sim->description.name[s->e->nvar + v];
}

int oak_is_fixed(const oak_samples_t *s, int v) {
  const oak_beside_list_t *fields = &s->e->sim->fields;
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

static void print_verdict(FILE *f, const char *name, const oak_verdict_t *v, int *failures) {
  *failures += v->failed > 0;
  if (!f) return;
  if (!v->done)
    fprintf(f, "  %-34s not checked: %s\n", name, v->message);
  else if (!v->failed)
    fprintf(f, "  %-34s ok\n", name);
  else
    fprintf(f, "  %-34s FAILS for %d of %d states\n      %s\n", name, v->failed, v->done,
            v->message);
}

/* ---- all of them */

typedef struct {
  oak_verdict_t conversion, nan, mirror, rotation, real, bounds, step;
  oak_verdict_t consistency[1 + OAK_MAX_RIEMANN], mirrored[1 + OAK_MAX_RIEMANN];
  oak_verdict_t rotated[1 + OAK_MAX_RIEMANN], speed[1 + OAK_MAX_RIEMANN];
} verdicts_t;

static oak_status_t judge(const oak_samples_t *s, verdicts_t *v, oak_identity_t *same) {
  oak_pair_t *pair = calloc(s->count, sizeof *pair);
  OAK_CHECK(pair, OAK_ERR_MEMORY, "no memory for states");
  for (int i = 0; i < s->count; i++) {
    pair[i] = s->pair[i];
    memcpy(pair[i].right, pair[i].left, sizeof pair[i].left);
  }
  const oak_samples_t equal = {.e = s->e,
                               .count = s->count,
                               .dim = s->dim,
                               .pair = pair,
                               .out = same,
                               .joined = {s->joined[0], s->joined[1], s->joined[2]}};
  oak_status_t st = oak_evaluate(s->e, s->count, pair, same);
  if (st == OAK_OK) {
    oak_identity_conversion(&equal, &v->conversion);
    for (int r = 0; r <= s->e->nriemann; r++)
      oak_identity_consistency(&equal, r, &v->consistency[r], same);
    st = oak_identity_nan(&equal, &v->nan);
  }
  if (st == OAK_OK) st = oak_identity_mirror(s, &v->mirror, v->mirrored);
  if (st == OAK_OK) st = oak_identity_rotation(s, &v->rotation, v->rotated);
  if (st == OAK_OK) st = oak_identity_waves(&equal, &v->real, &v->bounds, v->speed, same);
  if (st == OAK_OK) st = oak_identity_step(s, &v->step);
  free(pair);
  return st;
}

static void report(const oak_samples_t *s, const verdicts_t *v, FILE *f, int *failures) {
  const oak_evaluate_t *e = s->e;
  char name[128];
  if (f)
    fprintf(f, "%s in %dD (%s): %d random states\n", e->sim->description.physics_title, s->dim,
            e->sim->files.physics, s->count);
  print_verdict(f, "conversion there and back", &v->conversion, failures);
  print_verdict(f, "VALID refuses NaN", &v->nan, failures);
  print_verdict(f, "real eigenvalues", &v->real, failures);
  print_verdict(f, "WAVE_SPEEDS bound eigenvalues", &v->bounds, failures);
  print_verdict(f, "first-order step stays valid", &v->step, failures);
  print_verdict(f, "mirror image of FLUX", &v->mirror, failures);
  print_verdict(f, "rotation of FLUX", &v->rotation, failures);
  for (int r = 1; r <= e->nriemann; r++) {
    snprintf(name, sizeof name, "%s: f(q, q) is FLUX", e->name[r]);
    print_verdict(f, name, &v->consistency[r], failures);
    snprintf(name, sizeof name, "%s: speed bounds eigenvalues", e->name[r]);
    print_verdict(f, name, &v->speed[r], failures);
    snprintf(name, sizeof name, "%s: mirror image", e->name[r]);
    print_verdict(f, name, &v->mirrored[r], failures);
    snprintf(name, sizeof name, "%s: rotation", e->name[r]);
    print_verdict(f, name, &v->rotated[r], failures);
  }
}

static oak_status_t check(oak_t *sim, oak_evaluate_t *e, FILE *f, int *failures) {
  oak_samples_t s;
  verdicts_t *v = calloc(1, sizeof *v);
  oak_identity_t *same = calloc(STATES, sizeof *same);
  oak_status_t st = sample(e, &s);
  if (st == OAK_OK && (!v || !same)) st = OAK_FAIL(OAK_ERR_MEMORY, "no memory for states");
  if (st == OAK_OK) st = judge(&s, v, same);
  if (st == OAK_OK) report(&s, v, sim->rank == 0 ? f : NULL, failures);
  free(s.pair);
  free(s.out);
  free(v);
  free(same);
  return st;
}

/* Globals of the physics, such as a speed that follows the flow, are 1. */
static oak_status_t set_parameters(oak_t *sim) {
  double one[OAK_MAX_PARAMETERS];
  for (int g = 0; g < OAK_MAX_PARAMETERS; g++) one[g] = 1;
  OAK_TRY(oak_params_check(sim->params, 1));
  OAK_TRY(oak_sim_upload_parameters(sim));
  return oak_sim_upload_globals(sim, one);
}

oak_status_t oak_check_physics(MPI_Comm comm, oak_params_t *params, FILE *stream, int *failures) {
  const char *root;
  char problem[4200];
  oak_t *sim;
  oak_evaluate_t e = {.module = NULL};
  *failures = 0;
  OAK_TRY(oak_agree(comm, oak_source_root(&root)));
  snprintf(problem, sizeof problem, "problem.name=%s/kernels/no_problem.c", root);
  OAK_TRY(oak_params_assign(params, problem, "oak check"));
  OAK_TRY(oak_params_assign(params, "scheme.precision=double", "oak check"));
  OAK_TRY(oak_sim_declare(comm, params, &sim));
  oak_status_t st = oak_agree(comm, set_parameters(sim));
  if (st == OAK_OK) st = oak_evaluate_open(sim, &e);
  if (st == OAK_OK) st = oak_agree(comm, check(sim, &e, stream, failures));
  oak_evaluate_close(&e);
  oak_destroy(&sim);
  return st;
}
