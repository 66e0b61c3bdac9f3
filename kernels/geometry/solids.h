/* SPDX-License-Identifier: GPL-2.0-or-later
 * Solids (hook SOLID): cells whose mask is 1 or 2 keep their state, and faces between them and
 * other cells are walls. Beyond a wall the flux kernel reads a mirror image, as at a boundary that
 * reflects. */
#pragma once

#include "kernels/access/field.h"
#include "kernels/geometry/geometry.h"
#include "numerics/limiters.h"

enum { SOLID_VAR = NVAR - 1 };

/** Whether a cell with this mask is solid. The mask may be an average over several cells. */
OAK_FN int oak_is_solid(real mask) { return NSOLID && mask >= (real)0.5; }
/** Whether a cell with this mask is in a dielectric. */
OAK_FN int oak_is_dielectric(real mask) { return mask >= (real)1.5; }

/** Whether the cell with this state is solid. */
OAK_FN int oak_in_solid(const real u[]) { return oak_is_solid(u[SOLID_VAR]); }

/** The factor of variable v, 1 or -1, in the mirror image across a wall normal to axis `dir`. At
 * walls without slip, all components of vectors change their sign. */
OAK_FN real oak_mirror_sign(int v, int dir) {
  int negative = 0;
  OAK_FOR(d, OAK_DIM) {
    if (d != dir && !OAK_NO_SLIP) continue;
#ifdef PHYSICS_MIRROR
    negative |= v < PHYSICS_NVAR && PHYSICS_MIRROR(v, d);
#else
    negative |= v == PHYSICS_NORMAL(d);
#endif
  }
#define OAK_MIRROR_PHI(r, z, phi) \
  negative |= OAK_COORDINATES && OAK_NO_SLIP && (phi) >= 0 && v == (phi);
  PHYSICS_VECTORS(OAK_MIRROR_PHI)
  return negative ? (real)-1 : (real)1;
}

/** Replace values behind walls in the stencil row[0 .. 2 radius] of variable v by the mirror image
 * of the values before the walls. mask[]: the mask of the same cells. */
OAK_FN void oak_mirror_row(int v, int dir, const real *mask, real *row) {
  const real sign = oak_mirror_sign(v, dir);
  OAK_UNROLL
  for (int s = -1; s < 2; s += 2) {
    int wall = 0; /* distance of the first solid cell; 0: none */
    OAK_UNROLL
    for (int k = 1; k <= OAK_RADIUS; k++) {
      wall = wall ? wall : oak_is_solid(mask[OAK_RADIUS + s * k]) ? k : 0;
      OAK_UNROLL
      for (int j = 1; j <= k; j++) {
        const real image = sign * row[OAK_RADIUS + s * (2 * j - 1 - k)];
        row[OAK_RADIUS + s * k] = wall == j ? image : row[OAK_RADIUS + s * k];
      }
    }
  }
}

/** Put a mirror image in the place of a solid on one side of a face; 0 if both sides are solid. */
OAK_FN int oak_wall_states(int dir, real ql[], real qr[]) {
  if (!NSOLID) return 1;
  const int left = oak_is_solid(ql[SOLID_VAR]), right = oak_is_solid(qr[SOLID_VAR]);
  OAK_FOR(v, NVAR) {
    const real sign = oak_mirror_sign(v, dir), l = ql[v], r = qr[v];
    ql[v] = left ? sign * r : l;
    qr[v] = right ? sign * l : r;
  }
  return !(left && right);
}
