/* SPDX-License-Identifier: GPL-2.0-or-later
 * How far the refinement of a block reaches: bits that the mesh and the kernels share. */
#ifndef OAK_REACH_H
#define OAK_REACH_H

/** Neighbours of a block across its faces, edges and corners, as bits: x, y, z are -1, 0 or 1 (z =
 * 0 in 2D). */
#define OAK_REACH(x, y, z) (1 << ((x) + 1 + 3 * ((y) + 1) + 9 * ((z) + 1)))
/** Bits of a block that its neighbours must respect: it must not be refined for them, and it need
 * not be kept for them. */
enum { OAK_REACH_NOT_REFINED = 1 << 27, OAK_REACH_NOT_KEPT = 1 << 28 };

#endif
