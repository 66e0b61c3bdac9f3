/* SPDX-License-Identifier: GPL-2.0-or-later
 * A vector on faces (FACE_VECTOR) in blocks that were refined, on the new mesh. Faces that such a
 * block shares with other blocks get the values that are known there (oak_face_give,
 * oak_face_take). The faces inside coarse cells are then interpolated without a divergence (G.
 * Toth, P. L. Roe, J. Comput. Phys. 180 (2002) 736, for cells of any shape). */
#include "kernels/fields/face_vector.h"
#include "kernels/mesh/face_levels.h"

#if OAK_CURL
/* The number of the share in which blocks give each other the lower or upper faces of cells across
 * dir. For coarser blocks shares are averaged along one axis, which is z, phi or theta, so that
 * both halves have the same area; m is the position along the other axis. */
OAK_FN int face_share(int dir, int upper, int m) {
  const int along = dir == 2 ? 1 : 2;
  return dir == (along + 1) % 3 ? share_number(along, upper, m) : share_number(along, m, upper);
}

/* Give the faces on the sides of each block to its neighbours. */
OAK_KERNEL(oak_face_give, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    const int dir = arg.dir;
    const store_t *faces = oak_faces(arg.u, n);
    store_t *share = arg.shares + n * OAK_SHARES * OAK_CELLS;
    for (int upper = 0; upper < 2; upper++) {
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int x[3];
          face_point(dir, upper ? OAK_ALONG(dir) - 1 : 0, a, b, x);
          const store_t value =
              faces[oak_face_index(dir, x[0], x[1], x[2]) + upper * OAK_STRIDE(dir)];
          for (int m = 0; m < 2; m++)
            share[face_share(dir, upper, m) * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2])] = value;
        }
      }
    }
  }
}

/* Take faces in refined blocks from neighbours of the same level, and means from finer ones. */
OAK_KERNEL(oak_face_take, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    const int dir = arg.dir;
    store_t *faces = arg.u + n * OAK_BLOCK_REALS + NVAR * OAK_CELLS;
    const int fresh = faces[OAK_FACE_REALS] == WAITS_FACES;
    for (int upper = 0; upper < 2 && fresh; upper++) {
      const int kind = arg.f.face[n * OAK_FACES + 2 * dir + upper].kind;
      if (kind == OAK_FACE_BOUNDARY || kind == OAK_FACE_COARSER) continue;
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int x[3], y[3], stride;
          face_point(dir, upper ? OAK_ALONG(dir) : -1, a, b, x);
          face_point(dir, upper ? OAK_ALONG(dir) : 0, a, b, y);
          const store_t *p = oak_cell_of(&arg.f, OAK_SHARES, n, x[0], x[1], x[2], &stride);
          const real first = p[face_share(dir, !upper, 0) * stride];
          const real second = p[face_share(dir, !upper, 1) * stride];
          const oak_parts_t parts = oak_face_parts(oak_span(&arg.f, n, y[0], y[1]), 0, dir);
          faces[oak_face_index(dir, y[0], y[1], y[2])] =
              (store_t)oak_mean_along(&parts, dir == 0, first, second);
        }
      }
    }
  }
}

/* Fluxes through the faces inside a coarse cell, whose first fine cell is x[], across a, as the
 * fluxes through its fine faces across b and c give them: the mean, and the terms whose sign is
 * that of the position along b and along c. */
OAK_FN void between_faces(const oak_field_t *f, long block, const store_t *faces, const int x[3],
                          int a, double *mean, double *along_b, double *along_c) {
  const int b = (a + 1) % OAK_DIM, c = OAK_DIM == 3 ? (a + 2) % 3 : -1;
  *mean = *along_b = *along_c = 0;
  OAK_FOR(e, (1 << OAK_DIM)) {
    const int side[3] = {e & 1, e >> 1 & 1, e >> 2};
    OAK_FOR(d, OAK_DIM) {
      if (d == a) continue;
      int y[3] = {x[0], x[1], x[2]};
      OAK_FOR(n, OAK_DIM) y[n] += n == d ? 2 * side[n] : side[n];
      const double flux = oak_face_area(f, block, d, y[0], y[1]) *
                          (double)faces[oak_face_index(d, y[0], y[1], y[2])];
      const int sign = (side[a] ^ side[d]) ? -1 : 1;
      *mean += (OAK_DIM == 3 ? 0.125 : 0.25) * sign * flux;
      if (OAK_DIM == 2) continue;
      const double twist = 0.0625 * (sign * (side[d == b ? c : b] ? 1 : -1)) * flux;
      if (d == b)
        *along_c += twist;
      else
        *along_b += twist;
    }
  }
}

/* Interpolate the faces between the fine cells of a coarse cell. */
OAK_FN void refine_cell(const oak_field_t *f, long block, store_t *faces, const int x[3]) {
  OAK_FOR(a, OAK_DIM) {
    const int b = (a + 1) % OAK_DIM, c = OAK_DIM == 3 ? (a + 2) % 3 : -1;
    double mean, along_b, along_c;
    between_faces(f, block, faces, x, a, &mean, &along_b, &along_c);
    OAK_FOR(e, (1 << (OAK_DIM - 1))) {
      int y[3] = {x[0], x[1], x[2]};
      y[b] += e & 1;
      if (OAK_DIM == 3) y[OAK_MAX(c, 0)] += e >> 1;
      store_t *p = faces + oak_face_index(a, y[0], y[1], y[2]);
      double flux = mean + (e & 1 ? along_b : -along_b) + (e >> 1 ? along_c : -along_c);
      for (int end = 0; end < 2; end++, y[a] += 2)
        flux += 0.5 * oak_face_area(f, block, a, y[0], y[1]) * (double)p[2 * end * OAK_STRIDE(a)];
      y[a] -= 3;
      p[OAK_STRIDE(a)] = (store_t)(flux / oak_face_area(f, block, a, y[0], y[1]));
    }
  }
}

/* Complete the blocks that wait: means over cells follow from faces in merged blocks, too. Cells
 * that have no pressure with these means keep it. */
OAK_KERNEL(oak_face_refine, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    store_t *u = arg.u + n * OAK_BLOCK_REALS, *faces = u + NVAR * OAK_CELLS;
    const physics_parameters_t ph = oak_physics(&arg.f);
    const int waits = (int)faces[OAK_FACE_REALS];
    OAK_ROWS(row, waits ? HY * HZ : 0, HX) {
      OAK_LANES(i, HX) {
        const int x[3] = {2 * i, row % HY * 2, row / HY * 2};
        if (waits == WAITS_FACES) refine_cell(&arg.f, n, faces, x);
        for (int e = 0; e < 1 << OAK_DIM; e++) {
          const int y[3] = {x[0] + (e & 1), x[1] + (e >> 1 & 1), x[2] + (e >> 2)};
          set_means(&ph, u + OAK_INDEX(y[0], y[1], y[2]), faces, y, 1);
        }
      }
    }
  }
}

/* Complete blocks wait no longer. This is a kernel of its own, because on some devices the lanes of
 * oak_face_refine have no barrier: one could clear the number before another reads it. */
OAK_KERNEL(oak_face_done, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER(n) {
    OAK_SERIAL arg.u[n * OAK_BLOCK_REALS + NVAR * OAK_CELLS + OAK_FACE_REALS] = 0;
  }
}
#endif
