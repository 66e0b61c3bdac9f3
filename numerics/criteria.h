/* SPDX-License-Identifier: GPL-2.0-or-later
 * Criteria of mesh refinement. CRITERION(name, u, below, above, eps, eps_abs) defines a criterion
 * for the key refine.criterion; files of physics and problem may have further ones. It gives the
 * square of the indicator of a cell of value u, whose neighbours along axis d have the values
 * below[d] and above[d]. OAK_CRITERION is the name of the criterion of the run. */
#pragma once

#include "oak/kernel.h"

/* lohner: the paper's criterion ("Mesh refinement criterion", eq. lohner-simple, after R. Loehner,
 * Comput. Methods Appl. Mech. Eng. 61 (1987) 323): for each axis, the second difference divided by
 * the sum of the first differences and a noise floor. The indicator is the norm over axes. */
CRITERION(lohner, u, below, above, eps, eps_abs) {
  real sum = 0;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++) {
    const real m = below[dir], p = above[dir];
    const real mean = oak_abs(m) + 2 * oak_abs(u) + oak_abs(p);
    const real least = eps_abs + oak_abs(u - m) + oak_abs(p - u) + eps * mean;
    const real e = oak_div(m - 2 * u + p, least);
    sum += e * e;
  }
  return sum;
}

/* gradient: for each axis, the change from cell to cell, |u+ - u-| / 2, divided by eps_abs + |u|.
 * The indicator is the norm over axes; where nothing changes it is 0. With eps_abs = 0 this is the
 * condition of Athena++ (Stone et al., ApJS 249 (2020) 4; src/pgen/blast.cpp). */
CRITERION(gradient, u, below, above, eps, eps_abs) {
  real sum = 0;
  (void)eps;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++) {
    const real change = (real)0.5 * oak_abs(above[dir] - below[dir]);
    const real e = change > 0 ? oak_div(change, eps_abs + oak_abs(u)) : 0;
    sum += e * e;
  }
  return sum;
}
