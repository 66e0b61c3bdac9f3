/* SPDX-License-Identifier: GPL-2.0-or-later
 * Elliptic equations as part of a run. Private to src/solver. */
#ifndef OAK_POISSON_H
#define OAK_POISSON_H

#include "oak.h"

#include "oak/kernel_args.h"

typedef struct {
  int number;                    /**< of the equation */
  struct oak_elliptic *elliptic; /**< equations of the same kind share it */
  void *b;                       /**< device: what POISSON_B returns; NULL without */
  int isolated;                  /**< 1: multipoles give the values at the boundary */
  int given[6];     /**< 1: the hook POISSON_BOUNDARY gives values or slopes on some face */
  int field[4];     /**< numbers of the fields phi, phi_x, phi_y, phi_z; -1: there is none */
  void *slope;      /**< device: derivatives across faces, for the hooks FACE_FIELD; NULL without */
  int slope_blocks; /**< for which it has room */
  int every;        /**< steps from one solution to the next; 0: it is solved in each stage */
  int cycles;       /**< of the last solution */
  double residual;  /**< of the last solution, relative to the largest right-hand side */
  double seconds;   /**< wall-clock time of all solutions on this rank */
} oak_poisson_t;

#endif
