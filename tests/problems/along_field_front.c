/* SPDX-License-Identifier: GPL-2.0-or-later
 * The front of along_field.c, whose conductivity depends on the temperature. */
#include "along_field.c"

COEFFICIENTS(at, q, ph) {
  const double T = (double)(q[PRS] / q[RHO]);
  ph->conductivity_parallel *= T * T * sqrt(T);
}
