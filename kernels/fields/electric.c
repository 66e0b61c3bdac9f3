/* SPDX-License-Identifier: GPL-2.0-or-later
 * The current J, the curl of a vector on faces (FACE_VECTOR), and its electric field on edges.
 * Cells give shares of both to their edges, as they do in stages (kernels/scheme/edges.h).
 *
 * J on an edge is the circulation around it, through the four faces that meet there, each of which
 * two cells share. With this J the shortest waves on faces decay, of which means over cells know
 * nothing. The field on the edge is the mean over the cells around it of the field that
 * ELECTRIC_FIELD gives from the state of the cell, J on this edge, and the means in the cell of the
 * other components of J. A current thus never cools: in a cell the sum of E J over its edges is not
 * negative if the hook has E . J >= 0. */
#include "kernels/fields/face_vector.h"

#if OAK_ELECTRIC
/* Whether a face in `closed` (closed_faces) is the lower or upper one of cell x[] across d. */
OAK_FN int is_closed(int closed, const int x[3], int d, int upper) {
  return closed >> (2 * d + upper) & (x[d] == (upper ? OAK_ALONG(d) - 1 : 0));
}

/* Component v of the vector in a ghost cell. */
OAK_FN double beyond(const oak_curl_args_t *arg, long block, const int x[3], int v) {
  int stride;
  const store_t *p = edge_cell_of(&arg->f, arg->edge, NVAR, block, x, &stride);
  return (double)p[(OAK_FACE_VECTOR + v) * stride];
}

/* oak_scale of axis v at `step` cells along d from a place. */
OAK_FN double scale_near(const oak_field_t *f, long block, const double place[3], int d,
                         double step, int v) {
  return oak_scale(f, block, place[0] + (d == 0) * step, place[1] + (d == 1) * step, v);
}

/* The share of cell x[] in J on its edge along c, on its sides upper[] along a and b. Where no cell
 * of the block's level is beyond a face, the state in the ghost cells takes the place of the vector
 * on the missing faces. */
OAK_FN double current_share(const oak_curl_args_t *arg, long block, const int x[3], int closed,
                            int c, const int upper[2]) {
  const oak_field_t *f = &arg->f;
  const int axis[2] = {(c + 1) % 3, (c + 2) % 3}, level = f->block[block].level;
  int shut[2], ends = 0, near[3][3]; /* cells across a, across b, across the edge */
  double sum = 0, edge[3];
  OAK_FOR(n, 9) near[n / 3][n % 3] = x[n % 3];
  OAK_FOR(d, 3) edge[d] = x[d] + 0.5;
  OAK_FOR(s, 2) {
    const int d = axis[s];
    near[s][d] = near[2][d] = x[d] + (upper[s] ? 1 : -1);
    edge[d] = x[d] + upper[s];
    shut[s] = is_closed(closed, x, d, upper[s]);
    ends += is_closed(~0, x, d, upper[s]);
  }
  const int there = /* a cell across the edge; ghost cells are not needed then */
      ends == 2 && arg->edge[block * OAK_EDGES + edge_beyond(near[2])].kind == OAK_FACE_SAME;
  OAK_FOR(s, 2) { /* derivative along axis d of component v */
    const int d = axis[s], v = axis[!s];
    const int face = oak_face_index(v, x[0], x[1], x[2]) + upper[!s] * OAK_STRIDE(v);
    const double step = upper[s] ? -0.5 : 0.5, far = 0.5 * scale_near(f, block, edge, d, -step, v);
    double value = (shut[!s] ? 1 : 0.5) * (double)oak_faces(arg->f.u, block)[face] *
                   scale_near(f, block, edge, d, step, v);
    if (shut[s] && !there) value -= far * beyond(arg, block, near[s], v);
    if (shut[s] && shut[!s] && !there) value -= far * beyond(arg, block, near[2], v);
    sum += (s == upper[s] ? 1 : -1) * value * oak_inv_dx(f, level, d) /
           (scale_near(f, block, edge, d, 0, v) * scale_near(f, block, edge, d, 0, d));
  }
  return sum;
}

/* Find J on the edges of cell x[], and its mean in the cell. In 2D a current in the plane follows
 * from means over cells. No current flows along a conductor, as on the edges of its cells. */
OAK_FN void cell_currents(const oak_curl_args_t *arg, long block, const int x[3], real j[3][4],
                          real mean[3]) {
  const oak_field_t *f = &arg->f;
  const double *e = arg->e + block * EDGE_AXES * NODES, middle[3] = {x[0] + 0.5, x[1] + 0.5, 0};
  OAK_FOR(c, 3) {
    const int a = (c + 1) % 3, b = (c + 2) % 3;
    if (OAK_DIM == 2 && c < 2) {
      const int d = 1 - c;
      double sum = 0;
      for (int n = -1; n < 2; n += 2) {
        const int mirror =
            is_wall(arg, block, d, x[d] + (n > 0)) &&
            arg->bc[(2 * d + (n > 0)) * NVAR + OAK_FACE_VECTOR + 2].kind == OAK_BC_MIRROR;
        const int m = mirror ? 0 : n;
        sum += n * scale_near(f, block, middle, d, m, 2) *
               (double)oak_get(f, block, OAK_FACE_VECTOR + 2, x[0] + m * c, x[1] + m * d, 0);
      }
      sum *= (c ? -0.5 : 0.5) * oak_inv_dx(f, f->block[block].level, d);
      mean[c] = (real)(sum / (scale_near(f, block, middle, d, 0, 2) *
                              scale_near(f, block, middle, d, 0, d)));
      continue;
    }
    OAK_FOR(s, 4)
      j[c][s] = (real)
          e[edge_index(c, x[0], x[1], x[2]) + (s & 1) * edge_step(a) + (s >> 1) * edge_step(b)];
    mean[c] = (real)0.25 * ((j[c][0] + j[c][3]) + (j[c][1] + j[c][2]));
  }
}

/* Store shares in J (with arg.sum), or else in the field of J on edges. */
OAK_KERNEL(oak_electric, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(block) {
    const oak_user_t user = oak_user(&arg.f);
    const int closed = closed_faces(&arg.f, block);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY}, cell = row * OAK_NX + i;
        const oak_at_t place = oak_place(&arg.f, &user, block, x[0], x[1], x[2]), *at = &place;
        store_t *share = arg.shares + block * OAK_SHARES * OAK_CELLS + cell;
        real q[NVAR], j[3][4], mean[3];
        load_primitive(&user.physics, arg.f.u + block * OAK_BLOCK_REALS + cell, OAK_CELLS, q);
        OAK_AT_PLACE(at, q);
        if (!arg.sum) cell_currents(&arg, block, x, j, mean);
        OAK_UNROLL
        for (int c = 3 - EDGE_AXES; c < 3; c++)
          OAK_FOR(s, 4) {
            const int upper[2] = {s & 1, s >> 1}, number = share_number(c, upper[0], upper[1]);
            const int ends = is_closed(closed, x, (c + 1) % 3, upper[0]) +
                             is_closed(closed, x, (c + 2) % 3, upper[1]);
            if (arg.sum) {
              share[number * OAK_CELLS] = (store_t)current_share(&arg, block, x, closed, c, upper);
              continue;
            }
            real here[3] = {mean[0], mean[1], mean[2]}, e[3] = {0, 0, 0};
            here[c] = j[c][s];
            physics_electric_field(at, q, here, e);
            share[number * OAK_CELLS] = (store_t)((1 + (real)0.5 * ends) * e[c]);
          }
      }
    }
  }
}
#endif
