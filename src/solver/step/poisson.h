/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations as part of a run. Private to src/solver. */
#pragma once

#include "oak.h"

#include "base/progress.h"
#include "oak/kernel_args.h"
#include "solver/step/part.h"

struct oak_elliptic_setup;

typedef struct {
  int number; /**< number of the equation */
  const struct oak_equation *equation;
  struct oak_elliptic *elliptic; /**< equations of the same kind share it */
  void *b;                       /**< device: what POISSON_B returns; NULL without */
  int isolated;                  /**< 1: multipoles give the values at the boundary */
  double beside;                 /**< isolated: |f| beside the boundary, as last looked at */
  double share;                  /**< f of this size everywhere, over all f */
  int told;                      /**< a warning about it has been printed */
  int given[6]; /**< 1: the hook POISSON_BOUNDARY gives values or slopes on some face */
  int field[4]; /**< numbers of the fields phi, phi_x, phi_y, phi_z; -1: there is none */
  int rate[5];  /**< numbers of the fields phi_t, phi_x_t and so on, and of phi_tt; -1 as above */
  int state;    /**< from which the present solution is found, and its time */
  double now;
  double time;       /**< time of the last solution */
  int64_t step;      /**< that it belongs to; -1: there is none */
  double shift;      /**< from the last solution in this step to the present one */
  oak_array_t slope; /**< derivatives across faces, for the hooks FACE_FIELD */
  int bodies;        /**< 1: there are electrodes or dielectrics, which this equation sees */
  int absorb;        /**< 1: the solution is 0 in all of them (POISSON_OF) */
  double charge[32 * OAK_BODY_SUMS]; /**< charge of the last solution: sums of each body */
  int every;       /**< steps from one solution to the next; 0: it is solved in each stage */
  int cycles;      /**< cycles of the last solution */
  double residual; /**< residual of the last solution, relative to the largest right-hand side */
  double seconds;  /**< wall-clock time of all solutions on this rank */
} oak_poisson_t;

/* poisson.c */
/** Whether the last solution is that of a time before the end of the step: where the last stage of
 * the integrator starts from such a time. Outputs then solve the equations for the present state,
 * and afterwards take the solutions back from which the run goes on, so that a run does not depend
 * on its outputs. Collective. */
int oak_poisson_is_past(const oak_t *sim);
oak_status_t oak_poisson_present(oak_t *sim);
oak_status_t oak_poisson_back(oak_t *sim);

/** Warn once of isolated equations whose f is not 0 beside the boundary of the domain. */
void oak_poisson_warn(oak_t *sim, oak_progress_t *progress);

/* poisson_setup.c */
/** The set-up of an elliptic equation on the mesh of a simulation, with a = 1, b = 0. */
void oak_poisson_setup(oak_t *sim, struct oak_elliptic_setup *out);

/* poisson_bodies.c */
/** Where bodies are on all levels of a new mesh, potentials of electrodes, and charge on
 * dielectrics from the right-hand side. *again becomes 1 if the coefficients are to be set again.
 * Collective. */
oak_status_t oak_poisson_set_bodies(oak_t *sim, oak_poisson_t *p, int changed, int *again);
/** Coefficients that no hook gives: constants, and the permittivities of dielectrics. Rank-local.
 */
oak_status_t oak_poisson_set_permittivities(oak_t *sim, oak_poisson_t *p);
/** The charges of all bodies for the solution, whose derivatives across faces are known. The
 * right-hand side is in `res`. Collective; fails on all ranks if \a st is not OAK_OK on one. */
oak_status_t oak_poisson_sum_bodies(oak_t *sim, oak_poisson_t *p, oak_status_t st);

/* poisson_totals.c */
extern const oak_columns_t oak_poisson_columns;
