/* SPDX-License-Identifier: GPL-2.0-or-later
 * oak check: what the hooks of any physics satisfy, on random admissible states. A. H. Hakim, J.
 * Juno et al. test each solver of Gkeyll in this way. */
#include <stdlib.h>
#include <string.h>

#include "api/create.h"
#include "check/identity.h"

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
  oak_verdict_t conversion, nan, mirror, rotation, vectors, symmetry, real, bounds, step;
  oak_verdict_t consistency[1 + OAK_MAX_RIEMANN], mirrored[1 + OAK_MAX_RIEMANN];
  oak_verdict_t rotated[1 + OAK_MAX_RIEMANN], speed[1 + OAK_MAX_RIEMANN];
} verdicts_t;

static oak_status_t judge(const oak_samples_t *s, verdicts_t *v, oak_pair_t *pair,
                          oak_identity_t *same) {
  oak_samples_t equal = *s;
  equal.pair = pair;
  equal.out = same;
  memcpy(pair, s->pair, s->count * sizeof *pair);
  for (int i = 0; i < s->count; i++) memcpy(pair[i].right, pair[i].left, sizeof pair[i].left);
  OAK_TRY(oak_evaluate(s->e, s->count, pair, same));
  oak_identity_conversion(&equal, &v->conversion);
  for (int r = 0; r <= s->e->nriemann; r++)
    oak_identity_consistency(&equal, r, &v->consistency[r], same);
  OAK_TRY(oak_identity_nan(&equal, &v->nan));
  OAK_TRY(oak_identity_mirror(s, &v->mirror, v->mirrored));
  OAK_TRY(oak_identity_rotation(s, &v->rotation, v->rotated));
  OAK_TRY(oak_identity_vectors(s, &v->vectors));
  OAK_TRY(oak_identity_symmetry(s, &v->symmetry));
  OAK_TRY(oak_identity_waves(&equal, &v->real, &v->bounds, v->speed, same));
  return oak_identity_step(s, &v->step);
}

static void report(const oak_samples_t *s, const verdicts_t *v, FILE *f, int *failures) {
  const oak_evaluate_t *e = s->e;
  char name[128];
  if (f)
    fprintf(f, "%s in %dD (%s): %d random states\n", e->sim->setup.description.physics_title,
            s->dim, e->sim->setup.files.physics, s->count);
  print_verdict(f, "conversion there and back", &v->conversion, failures);
  print_verdict(f, "VALID refuses NaN", &v->nan, failures);
  print_verdict(f, "real eigenvalues", &v->real, failures);
  print_verdict(f, "WAVE_SPEEDS bound eigenvalues", &v->bounds, failures);
  print_verdict(f, "first-order step stays valid", &v->step, failures);
  print_verdict(f, "mirror image of FLUX", &v->mirror, failures);
  print_verdict(f, "rotation of FLUX", &v->rotation, failures);
  print_verdict(f, "turn of PHYSICS_VECTORS", &v->vectors, failures);
  print_verdict(f, "symmetric flux of momentum", &v->symmetry, failures);
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
  OAK_FREED verdicts_t *v = NULL;
  OAK_FREED oak_pair_t *pair = NULL;
  OAK_FREED oak_identity_t *same = NULL;
  oak_status_t st = oak_samples_new(e, &s);
  if (st == OAK_OK) st = OAK_NEW(v, 1);
  if (st == OAK_OK) st = OAK_NEW(pair, s.count);
  if (st == OAK_OK) st = OAK_NEW(same, s.count);
  if (st == OAK_OK) st = judge(&s, v, pair, same);
  if (st == OAK_OK) report(&s, v, sim->setup.rank == 0 ? f : NULL, failures);
  free(s.pair);
  free(s.out);
  return st;
}

/* Globals of the physics, such as a speed that follows the flow, are 1. */
static oak_status_t set_parameters(oak_t *sim) {
  double one[OAK_MAX_PARAMETERS];
  for (int g = 0; g < OAK_MAX_PARAMETERS; g++) one[g] = 1;
  OAK_TRY(oak_params_check(sim->setup.params, 1));
  OAK_FOR_TOPICS(t, read) OAK_TRY(t->read(&sim->setup));
  OAK_TRY(oak_setup_upload_parameters(&sim->setup));
  return oak_setup_upload_globals(&sim->setup, one);
}

oak_status_t oak_check_physics(MPI_Comm comm, oak_params_t *params, FILE *stream, int *failures) {
  OAK_NEED(params);
  const char *root;
  char problem[4200];
  oak_t *sim;
  oak_evaluate_t e = {.module = NULL};
  *failures = 0;
  OAK_TRY(oak_agree(comm, oak_source_root(&root)));
  snprintf(problem, sizeof problem, "problem.name=%s/kernels/language/no_problem.c", root);
  oak_status_t st = oak_params_assign(params, problem, "oak check");
  if (st == OAK_OK) st = oak_params_assign(params, "scheme.precision=double", "oak check");
  OAK_TRY(oak_agree(comm, st));
  OAK_TRY(oak_sim_declare(comm, params, &sim));
  st = oak_agree(comm, set_parameters(sim));
  if (st == OAK_OK) st = oak_agree(comm, oak_vectors_check(&sim->setup));
  if (st == OAK_OK) st = oak_evaluate_open(sim, &e);
  if (st == OAK_OK) st = oak_agree(comm, check(sim, &e, stream, failures));
  oak_evaluate_close(&e);
  oak_destroy(&sim);
  return st;
}
