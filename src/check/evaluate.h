/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks of a physics on states that the host chooses (kernels/check/identities.c). Private. */
#pragma once

#include "solver/step/sim.h"

enum { OAK_MAX_RIEMANN = 16 };

/** A pair of primitive or conserved states and an axis, to be evaluated. */
typedef struct {
  double left[OAK_MAX_NVAR], right[OAK_MAX_NVAR];
  int dir, conserved;
} oak_pair_t;

/** The results of the hooks. */
typedef struct {
  double u[OAK_MAX_NVAR];    /**< left state, conserved */
  double back[OAK_MAX_NVAR]; /**< the same, converted to a primitive state */
  double flux[OAK_MAX_NVAR]; /**< FLUX of the left state */
  double smin, smax;         /**< WAVE_SPEEDS of the pair */
  int valid;                 /**< VALID of the left state */
  int joined[OAK_MAX_NVAR];  /**< FACE makes both sides equal in this variable */
  struct {
    double speed, flux[OAK_MAX_NVAR];
  } riemann[1 + OAK_MAX_RIEMANN]; /**< the first-order flux of repairs, then those of all Riemann
                                   * solvers */
} oak_identity_t;

typedef struct {
  oak_t *sim;
  oak_module_t *module;
  oak_kernel_t *kernel;
  int nvar, nriemann; /**< number of Riemann solvers, without the first-order flux */
  char names[1024];   /**< names of the Riemann solvers, each ends with a null character */
  const char *name[1 + OAK_MAX_RIEMANN];
} oak_evaluate_t;

/** Build the kernel. Collective. */
oak_status_t oak_evaluate_open(oak_t *sim, oak_evaluate_t *e);
void oak_evaluate_close(oak_evaluate_t *e);
/** Evaluate \a count pairs. Rank-local. */
oak_status_t oak_evaluate(const oak_evaluate_t *e, int count, const oak_pair_t *pair,
                          oak_identity_t *out);
