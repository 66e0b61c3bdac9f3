/* SPDX-License-Identifier: GPL-2.0-or-later
 * The reach of the refinement of a block: bits that the mesh and the kernels share. */
#pragma once

/** Neighbours of a block across its faces, edges and corners, as bits: x, y, z are -1, 0 or 1 (z =
 * 0 in 2D). */
#define OAK_REACH(x, y, z) (1 << ((x) + 1 + 3 * ((y) + 1) + 9 * ((z) + 1)))
/** Bits by which a block limits the buffers of its neighbours. NOT_REFINED: buffers do not refine
 * it. NOT_KEPT: buffers do not refine it, and it may be coarsened inside them. */
enum { OAK_REACH_NOT_REFINED = 1 << 27, OAK_REACH_NOT_KEPT = 1 << 28 };
