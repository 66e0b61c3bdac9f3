/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lengths of edges, areas of faces and volumes of cells for a vector on faces (FACE_VECTOR), in
 * double precision, with the same bits in all blocks that share an edge or a face. In 2D they are
 * those for one radian of phi, or one unit of z. */
#pragma once

#include "kernels/geometry/geometry.h"

/* Bits of the axes along which the true size of a cell is its size in coordinates times r, and
 * times sin theta. */
#define OAK_TIMES_R \
  (OAK_COORDINATES == OAK_SPHERICAL ? 6 : OAK_COORDINATES == OAK_AXISYMMETRIC ? 4 : 2)
#define OAK_TIMES_SINE (OAK_COORDINATES == OAK_SPHERICAL ? 4 : 0)

/** The integral of the true sizes along the axes in the bits of `over`, from the lower corner of a
 * cell of a level: 4 is its edge along z or phi, 6 its lower face across the first axis, 7 its
 * volume. `i` and `j` are its numbers (oak_cells_to, oak_cells_along). */
OAK_FN double oak_extent(const oak_field_t *f, int level, double i, double j, int over) {
  double size = 1;
  OAK_FOR(d, OAK_DIM) size *= over >> d & 1 ? oak_dx(f, level, d) : 1;
  if (!OAK_COORDINATES) return size;
  const int times = over & OAK_TIMES_R, power = (times >> 1 & 1) + (times >> 2);
  const double dr = oak_dx(f, level, 0);
  const double low = OAK_LOG_RADIUS ? oak_radius(i * dr) : i * dr;
  const double high = OAK_LOG_RADIUS ? oak_radius((i + 1) * dr) : (i + 1) * dr;
  double mean[3] = {1, low, low * low}; /* of the powers of r */
  if (over & 1) {
    mean[1] = 0.5 * (low + high);
    mean[2] = (low * low + low * high + high * high) * (1.0 / 3);
    if (OAK_LOG_RADIUS) size *= (high - low) / dr;
  }
  size *= power == 0 ? mean[0] : power == 1 ? mean[1] : mean[2];
  if (!(over & OAK_TIMES_SINE)) return size;
  double sine, half_sine, cosine;
  const double width = oak_dx(f, level, 1);
  oak_sine(f->low[1] + (over & 2 ? j + 0.5 : j) * width, &sine, &cosine);
  oak_sine(0.5 * width, &half_sine, &cosine);
  if (over & 2) return size * sine * (2 * half_sine / width);
  return sine > 1e-12 ? size * sine : 0; /* at poles */
}

/** The same for cell (i, j) of a block. */
OAK_FN double oak_block_extent(const oak_field_t *f, long block, int i, int j, int over) {
  const int level = f->block[block].level;
  if (!OAK_COORDINATES) return oak_extent(f, level, 0, 0, over);
  return oak_extent(f, level, oak_cells_to(f, block, i),
                    OAK_TIMES_SINE ? oak_cells_along(f, block, j) : 0, over);
}

/** The area of the lower face of cell (i, j) across `dir`. */
OAK_FN double oak_face_area(const oak_field_t *f, long block, int dir, int i, int j) {
  return oak_block_extent(f, block, i, j, 7 ^ 1 << dir);
}

#if OAK_CURL
/** The divergence in cell x[] of a block with these faces. *size: the sum of what its faces add,
 * without signs. */
OAK_FN double oak_cell_divergence(const oak_field_t *f, const store_t *faces, long block,
                                  const int x[3], double *size) {
  const double inv = 1 / oak_block_extent(f, block, x[0], x[1], 7);
  double net = 0;
  *size = 0;
  OAK_FOR(d, OAK_DIM) {
    const store_t *p = faces + oak_face_index(d, x[0], x[1], x[2]);
    const double low = (double)p[0] * oak_face_area(f, block, d, x[0], x[1]);
    const double high =
        (double)p[OAK_STRIDE(d)] * oak_face_area(f, block, d, x[0] + (d == 0), x[1] + (d == 1));
    net += (high - low) * inv;
    *size += (fabs(high) + fabs(low)) * inv;
  }
  return net;
}

/** The same for the cell of a hook. */
OAK_FN double oak_at_divergence(const oak_at_t *at) {
  double size;
  return oak_cell_divergence(at->state, oak_faces(at->state->u, at->block), at->block, at->cell,
                             &size);
}
#endif
