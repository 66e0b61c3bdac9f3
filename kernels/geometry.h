/* SPDX-License-Identifier: GPL-2.0-or-later
 * Coordinates of the mesh. With OAK_COORDINATES = 0 they are Cartesian, and nothing of this file is
 * in the code of a kernel. With OAK_COORDINATES = 1 the axes are (r, z), and a cell is a ring:
 *
 *   V = 2 pi r dr dz,   areas of its faces: 2 pi (r -+ dr / 2) dz across r, 2 pi r dr across z,
 *
 * where r is the radius of the middle of the cell. All that depends on r is
 *
 *   s = (dr / 2) / r:   area / V = (1 -+ s) / dr across r, and 1 / dz across z as in Cartesian.
 *
 * s is 1 beside the axis, where the inner area is then exactly 0. It is computed from the number of
 * cells between the axis and the cell, so it has the same bits on every rank. */
#ifndef OAK_GEOMETRY_H
#define OAK_GEOMETRY_H

#include "kernels/field.h"

#ifndef OAK_COORDINATES
#define OAK_COORDINATES 0
#endif

#if OAK_COORDINATES
/** Number of cells, of the size that they have in the block, from r = 0 to the lower side of cell i
 * along r. OAK_AXIS: those of level 0 from r = 0 to the lower end of the domain. */
OAK_FN double oak_cells_to(const oak_field_t *f, long block, int i) {
  const oak_block_t *b = &f->block[block];
  return OAK_AXIS * (double)(1LL << b->level) + ((double)b->first * OAK_N + i);
}

/** s of cell i along r of a block. */
OAK_FN real oak_ring(const oak_field_t *f, long block, int i) {
  return (real)(0.5 / (oak_cells_to(f, block, i) + 0.5));
}

/** s of the coarse cell of which cells i and i + 1 of a block are parts. */
OAK_FN real oak_pair(const oak_field_t *f, long block, int i) {
  return (real)(0.5 / (0.5 * oak_cells_to(f, block, i) + 0.5));
}

/** The mean of the values of two neighbours along r by their volumes; s: that of both together. */
OAK_FN real oak_mean_along(real s, real lower, real upper) {
  const real more = (real)0.5 * s;
  return (real)0.5 * ((1 - more) * lower + (1 + more) * upper);
}

/** The mean of the four cells whose lowest is at p; s: that of all together. */
OAK_FN real oak_restrict_rings(const store_t *p, real s) {
  return (real)0.5 * (oak_mean_along(s, p[0], p[1]) + oak_mean_along(s, p[OAK_N], p[OAK_N + 1]));
}

/** As oak_prolong, from the centroid of a coarse cell to those of its parts, so that their mean by
 * volume is u; s: that of the coarse cell. A value does not become negative for theta up to 1.7:
 * beside the axis the inner part lies a third of a cell from the centroid. */
OAK_FN real oak_prolong_rings(real u, const real slope[3], const int upper[3], real s) {
  const real more = (real)0.5 * s, m2 = more * more;
  const real step = (real)0.25 - m2 / (12 * (1 - m2));
  return u + (upper[0] ? (1 - more) : -(1 + more)) * step * slope[0] +
         (real)0.25 * (upper[1] ? slope[1] : -slope[1]);
}

/** 2 pi r of cell i along r of a block: its volume over the area dr dz. */
OAK_FN double oak_ring_length(const oak_field_t *f, long block, int i) {
  return 6.283185307179586 * oak_dx(f, f->block[block].level, 0) *
         (oak_cells_to(f, block, i) + 0.5);
}

/** The volume of cell c of a block over oak_cell_volume. */
#define oak_volume_factor(f, block, c) oak_ring_length(f, block, (c) % OAK_N)
#else
#define oak_volume_factor(f, block, c) ((void)(f), (void)(block), 1.0)
#endif

#endif
