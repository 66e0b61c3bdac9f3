/* SPDX-License-Identifier: GPL-2.0-or-later
 * Runge-Kutta schemes as tables (paper, "Time integration"). Private.
 *
 * Stage: state[out] = beta dt F(state[deriv]) + sum_i w[i] state[prev[i]]. A stage never writes the
 * state it differentiates, since kernels read neighbours from it. Weights of a stage must add up to
 * exactly one in floating point, or every step changes the totals by a rounding error. The weight
 * beside 2/3 is therefore 1 - 2/3, not 1/3. */
#pragma once

enum { OAK_MAX_STATES = 7, OAK_MAX_STAGES = 5, OAK_MAX_PREV = 4 };

typedef struct {
  int deriv, out;
  double beta;
  double c; /**< time of `deriv` in units of the step */
  int nprev;
  int prev[OAK_MAX_PREV];
  double w[OAK_MAX_PREV];
} oak_stage_t;

typedef struct {
  const char *name;
  int order;
  int nstage;
  int nstate;
  int result; /**< state that holds the solution after the last stage */
  oak_stage_t stage[OAK_MAX_STAGES];
} oak_runge_kutta_t;

/** The i-th scheme, NULL past the end; in the order of the key scheme.integrator. */
const oak_runge_kutta_t *oak_runge_kutta(int i);
/** Weights of a stage, 0 beyond nprev. With \a single they are numbers of single precision that
 * add up to one exactly: the smallest weight is one minus the others, since its rounding steps
 * are the finest. */
void oak_stage_weights(const oak_stage_t *stage, int single, double w[OAK_MAX_PREV]);
/** Most previous states any stage combines. */
int oak_runge_kutta_max_prev(const oak_runge_kutta_t *scheme);
