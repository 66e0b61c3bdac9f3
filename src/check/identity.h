/* SPDX-License-Identifier: GPL-2.0-or-later
 * Identities and their report. Private to this folder. */
#pragma once

#include "check/evaluate.h"

/** Whether an identity holds for a Riemann solver or a hook. */
typedef struct {
  const char *what;   /**< the hooks or the Riemann solver that it tests */
  char message[2048]; /**< on the first state for which it does not hold; "" if there is none */
  double worst;       /**< largest error, relative to the scale of the state */
  int failed, done;   /**< states */
} oak_verdict_t;

/** Random admissible states, as primitive ones, and what is known of the physics. */
typedef struct {
  const oak_evaluate_t *e;
  int count, dim;
  uint32_t joined[3];  /**< variables that FACE makes equal on both sides, along each axis */
  oak_pair_t *pair;    /**< [count] primitive, along all axes in turn */
  oak_identity_t *out; /**< [count] */
} oak_samples_t;

/* samples.c */
/** Draw the states. The caller frees `pair` and `out`, also after a failure. */
oak_status_t oak_samples_new(const oak_evaluate_t *e, oak_samples_t *s);
/** Note the error of a state, which fails if \a error is not below \a bound. The further arguments
 * are the message, as for printf; the state of \a pair is added to it. */
__attribute__((format(printf, 6, 7))) void oak_verdict_note(const oak_samples_t *s,
                                                            oak_verdict_t *verdict,
                                                            const oak_pair_t *pair, double error,
                                                            double bound, const char *format, ...);
/** The size of fluxes at a state: the largest of flux and speed * u. */
double oak_flux_scale(const oak_samples_t *s, const oak_identity_t *at);
/** Whether a variable is a field in the state, which time steps leave as it is. */
int oak_is_fixed(const oak_samples_t *s, int v);
/** Name of conserved or primitive variable \a v of the physics. */
const char *oak_conserved_name(const oak_samples_t *s, int v);
const char *oak_primitive_name(const oak_samples_t *s, int v);

/* single.c */
void oak_identity_conversion(const oak_samples_t *s, oak_verdict_t *verdict);
void oak_identity_consistency(const oak_samples_t *s, int riemann, oak_verdict_t *verdict,
                              const oak_identity_t *same);
oak_status_t oak_identity_nan(const oak_samples_t *s, oak_verdict_t *verdict);
/** Mirror images along and across an axis: of FLUX and WAVE_SPEEDS, and of Riemann solvers. */
oak_status_t oak_identity_mirror(const oak_samples_t *s, oak_verdict_t *hooks,
                                 oak_verdict_t *riemann);
oak_status_t oak_identity_rotation(const oak_samples_t *s, oak_verdict_t *hooks,
                                   oak_verdict_t *riemann);
/** Turns of the vectors of PHYSICS_VECTORS, and symmetry of the fluxes of momentum. */
oak_status_t oak_identity_vectors(const oak_samples_t *s, oak_verdict_t *verdict);
oak_status_t oak_identity_symmetry(const oak_samples_t *s, oak_verdict_t *verdict);

/* waves.c */
oak_status_t oak_identity_waves(const oak_samples_t *s, oak_verdict_t *real, oak_verdict_t *bounds,
                                oak_verdict_t *riemann, const oak_identity_t *same);
oak_status_t oak_identity_step(const oak_samples_t *s, oak_verdict_t *verdict);
