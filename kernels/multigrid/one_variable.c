/* SPDX-License-Identifier: GPL-2.0-or-later
 * The physics of elliptic equations: one variable with any value. The ghost cell exchange, which
 * their kernels need, works on the state of a physics. */
#include "kernels/language/hooks.h"

#define PHYSICS_NVAR 1
#define PHYSICS_NORMAL(d) (-1)

TO_PRIMITIVE(ph, q) { (void)ph, (void)q; }

TO_CONSERVED(ph, u) { (void)ph, (void)u; }

VALID(ph, u) {
  (void)ph, (void)u;
  return 1;
}
