/* SPDX-License-Identifier: GPL-2.0-or-later
 * Coefficients that are fields, on the faces of cells: on the finest level from the cells on both
 * sides, on coarser levels means of finer faces. Only solvers with such coefficients have these
 * kernels. */
#include "kernels/multigrid/equation.h"

/* The harmonic mean of both cells, with which both halves of the way from centre to centre have the
 * same flux. */
OAK_FN real elliptic_mean(real a, real b) { return oak_div(2 * a * b, a + b); }

OAK_KERNEL(oak_elliptic_faces, oak_elliptic_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const real *c = arg.c.u + n * (long long)OAK_CELLS;
    oak_side_t side[OAK_FACES];
    for (int face = 0; face < OAK_FACES; face++) side[face] = oak_side_of(&arg.c, 1, n, face);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const elliptic_row_t r = elliptic_row(c, side, row % OAK_NY, row / OAK_NY);
      OAK_LANES(i, OAK_NX) {
        OAK_FOR(d, OAK_DIM)
          arg.low[d][n * (long long)OAK_CELLS + row * OAK_NX + i] =
              elliptic_mean(r.c[i], elliptic_across(&r, i, 2 * d));
      }
    }
    for (int dir = 0; dir < OAK_DIM; dir++) {
      const oak_side_t s = dir == 0 ? side[1] : dir == 1 ? side[3] : side[OAK_FACES - 1];
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          *elliptic_place(&arg, n, 2 * dir + 1, 0, a, b) =
              elliptic_mean(c[elliptic_side_cell(2 * dir + 1, a, b)], s.p[a * s.sa + b * s.sb]);
        }
      }
    }
  }
}

/* Coefficients on fine faces, and their averages for the coarse side. If a jumps at the face, u has
 * a kink there. The flux is this coefficient times the difference to the ghost value of
 * oak_elliptic_fine. It is exact if u is a parabola on each side, with the same flux and the same
 * second derivative on both sides. */
OAK_KERNEL(oak_elliptic_fine_faces, oak_elliptic_args_t, 64) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_fine_t t = arg.fine[n];
    const int dir = t.face / 2;
    const oak_side_t s = oak_side_of(&arg.c, 1, t.block, t.face);
    const real *c = arg.c.u + t.block * (long long)OAK_CELLS;
    real *piece = arg.piece + (long long)t.piece * PIECE_ROOM;
    OAK_ROWS(row, HB(dir), HA(dir)) {
      OAK_LANES(h, HA(dir)) {
        const oak_parts_t g = elliptic_face_parts(&arg.f, t.block, dir, 2 * h, 2 * row);
        real sum = 0;
        for (int e = 0; e < (OAK_DIM == 3 ? 4 : 2); e++) {
          const int a = 2 * h + (e & 1), b = OAK_DIM == 3 ? 2 * row + (e >> 1) : 0;
          const int cell = elliptic_side_cell(t.face, a, b);
          const real beyond = s.p[a * s.sa + b * s.sb];
          const real on_face = oak_div(15 * c[cell] * beyond, 8 * c[cell] + 7 * beyond);
          *elliptic_place(&arg, t.block, t.face, cell, a, b) = on_face;
          sum += on_face * elliptic_part(&g, dir, elliptic_child(dir, e));
        }
        piece[row * HA(dir) + h] = sum * (real)(OAK_DIM == 3 ? 0.25 : 0.5);
      }
    }
  }
}

OAK_KERNEL(oak_elliptic_coarse_faces, oak_elliptic_args_t, 64) {
  OAK_ARGS(oak_elliptic_args_t);
  OAK_OUTER_LANES(n) {
    const oak_coarse_face_t *t = arg.coarse + n;
    const int dir = t->face / 2;
    OAK_ROWS(row, 2 * FB(dir), HA(dir)) {
      const int a0 = row % 2 * HA(dir), b = row / 2;
      const real *piece = oak_fine_side(t, arg.piece, arg.peer_piece, 1, row % 2, b);
      OAK_LANES(h, HA(dir)) {
        const int cell = elliptic_side_cell(t->face, a0 + h, b);
        *elliptic_place(&arg, t->block, t->face, cell, a0 + h, b) = piece[h];
      }
    }
  }
}

/* ---- on coarser levels */

/* The sum of the coefficients on the fine faces of a coarse face, times the parts of its area. They
 * begin at c and have the strides `one` and `two`. */
OAK_FN real elliptic_face_sum(const real *c, const oak_parts_t *g, int dir, int one, int two) {
  const real row =
      elliptic_part(g, dir, 0) * c[0] + elliptic_part(g, dir, elliptic_child(dir, 1)) * c[one];
  if (OAK_DIM == 2) return row;
  return row + (elliptic_part(g, dir, elliptic_child(dir, 2)) * c[two] +
                elliptic_part(g, dir, elliptic_child(dir, 3)) * c[one + two]);
}

/* The first place of a child's coefficients, on its upper face across `dir`, among the coefficients
 * on the upper faces of its parent. */
OAK_FN int upper_place(int dir, int child) {
  const int a0 = (child >> (dir == 0 ? 1 : 0) & 1) * HA(dir);
  const int b0 = OAK_DIM == 3 ? (child >> (dir == 2 ? 1 : 2) & 1) * HB(dir) : 0;
  return dir * FACE_ROOM + b0 * FA(dir) + a0;
}

/* Coefficients on faces of the coarse level: means of the fine faces in them. arg.axis is the axis
 * of lower faces of cells, or OAK_DIM for the upper faces of blocks. */
OAK_KERNEL(oak_elliptic_merge_faces, oak_elliptic_move_args_t, ELLIPTIC_LANES) {
  OAK_ARGS(oak_elliptic_move_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_move_t t = arg.move[n];
    const real *p = arg.from + n * (long long)OAK_CELLS;
    real *q = (t.remote ? arg.remote : arg.to) + t.coarse * (long long)OAK_CELLS;
    const real part = (real)(OAK_DIM == 3 ? 0.25 : 0.5);
    if (t.child < 0) {
      OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
        OAK_LANES(i, OAK_NX) q[row * OAK_NX + i] = p[row * OAK_NX + i];
      }
    } else if (arg.axis < OAK_DIM) {
      const int one = OAK_STRIDE(arg.axis == 0 ? 1 : 0), two = OAK_STRIDE(arg.axis == 2 ? 1 : 2);
      if (!t.remote) q += elliptic_octant(t.child);
      OAK_ROWS(row, HY * HZ, HX) {
        const int j = row % HY, k = row / HY;
        const int to = t.remote ? row * HX : OAK_INDEX(0, j, k);
        OAK_LANES(i, HX) {
          const real *c = p + OAK_INDEX(2 * i, 2 * j, 2 * k);
          const oak_parts_t g = elliptic_face_parts(
              &arg.fine, n, arg.axis, arg.axis ? 2 * i : 2 * j, arg.axis == 2 ? 2 * j : 2 * k);
          q[to + i] = part * elliptic_face_sum(c, &g, arg.axis, one, two);
        }
      }
    } else {
      for (int dir = 0; dir < OAK_DIM; dir++) {
        const real *face = p + dir * FACE_ROOM;
        real *out = q + (t.remote ? dir * PIECE_ROOM : upper_place(dir, t.child));
        const int width = t.remote ? HA(dir) : FA(dir);
        if (!t.remote && !(t.child >> dir & 1)) continue;
        OAK_ROWS(b, HB(dir), HA(dir)) {
          OAK_LANES(a, HA(dir)) {
            const real *c = face + 2 * b * FA(dir) + 2 * a;
            const oak_parts_t g = elliptic_face_parts(&arg.fine, n, dir, 2 * a, 2 * b);
            out[b * width + a] = part * elliptic_face_sum(c, &g, dir, 1, FA(dir));
          }
        }
      }
    }
  }
}

/* Unpack received coefficients on the upper faces of blocks. */
OAK_KERNEL(oak_elliptic_unpack_faces, oak_elliptic_move_args_t, 64) {
  OAK_ARGS(oak_elliptic_move_args_t);
  OAK_OUTER_LANES(n) {
    const oak_elliptic_move_t t = arg.move[n];
    const real *p = arg.remote + n * (long long)OAK_CELLS;
    real *q = arg.to + t.coarse * (long long)OAK_CELLS;
    for (int dir = 0; dir < OAK_DIM; dir++) {
      if (!(t.child >> dir & 1)) continue;
      OAK_ROWS(b, HB(dir), HA(dir)) {
        OAK_LANES(a, HA(dir))
          q[upper_place(dir, t.child) + b * FA(dir) + a] = p[dir * PIECE_ROOM + b * HA(dir) + a];
      }
    }
  }
}
