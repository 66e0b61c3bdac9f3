/* SPDX-License-Identifier: GPL-2.0-or-later
 * Ideal magnetohydrodynamics in 2D and 3D by constrained transport: the equations of physics/mhd.c
 * without psi. The field is advanced on faces of cells by electric fields on edges
 * (kernels/scheme/edges.h), so div B stays 0 but for rounding; bx, by and bz are means over cells.
 * In 2D bz is advanced in cells. docs/mhd.md compares both physics. */

TITLE("Ideal MHD, constrained transport")
#define PHYSICS_NVAR 8
VARIABLES("rho mx my mz E bx by bz")
PRIMITIVES("rho vx vy vz p bx by bz")

#define MHD_FACES 1
#include "physics/mhd.c"

FACE_VECTOR(b, BX)

/** The field on the lower faces of cells. */
OUTPUT(bx_face, at, q) { return oak_at_cell_face(at, 0, 0); }
OUTPUT(by_face, at, q) { return oak_at_cell_face(at, 1, 0); }
OUTPUT(bz_face, at, q) {
  return OAK_DIM == 3 ? oak_at_cell_face(at, OAK_DIM - 1, 0) : (double)q[BZ];
}
