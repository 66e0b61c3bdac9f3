/* SPDX-License-Identifier: GPL-2.0-or-later
 * A vector on faces (FACE_VECTOR): fields on edges, and a stage of the vector (the scheme is in
 * kernels/scheme/edges.h). */
#include "kernels/fields/face_vector.h"

#if OAK_CURL
/* A part of a block, and the fields on the edges of the block. Few large blocks keep a whole GPU
 * busy because parts are work of their own. */
typedef struct {
  long block;
  int number, parts;
  double *e;
} part_t;

OAK_FN part_t part_of(const oak_curl_args_t *arg, long m) {
  const int n = (int)m, block = n / arg->parts; /* GPUs divide 64 bits slowly */
  const part_t part = {arg->first + block, n % arg->parts, arg->parts,
                       arg->e + (long)block * EDGE_AXES * NODES};
  return part;
}
/* OAK_ROWS for the rows of a part. */
#define PART_ROWS(p, row, n, width)                                                             \
  OAK_ROWS(oak_r, (n) * ((p)->number + 1) / (p)->parts - (n) * (p)->number / (p)->parts, width) \
    for (int row = oak_r + (n) * (p)->number / (p)->parts, oak_p = 1; oak_p; oak_p = 0)

/* Fields on the edges along c with four cells of the block around. */
OAK_FN void inner_edges(const oak_curl_args_t *arg, const part_t *part, int c OAK_LANE_PARAM) {
  const int a = (c + 1) % 3, b = (c + 2) % 3, sa = OAK_STRIDE(a), sb = OAK_STRIDE(b);
  const int i0 = c != 0, j0 = c != 1, k0 = OAK_DIM == 3 && c != 2;
  const int ni = OAK_NX - i0, nj = OAK_NY - j0, nk = OAK_NZ - k0;
  const store_t *share = arg->f.u + (part->block * OAK_SHARES + share_number(c, 0, 0)) * OAK_CELLS;
  const double scale = OAK_ELECTRIC && arg->sum ? 1 : 0.25;
  PART_ROWS(part, row, nj * nk, ni) {
    const int j = j0 + row % nj, k = k0 + row / nj;
    const store_t *p = share + OAK_INDEX(i0, j, k);
    double *e = part->e + edge_index(c, i0, j, k);
    OAK_LANES(i, ni)
      e[i] = scale * (((double)p[3 * OAK_CELLS - sa - sb + i] + p[2 * OAK_CELLS - sb + i]) +
                      ((double)p[OAK_CELLS - sa + i] + p[i]));
  }
}

/* Whether a face of the block is a wall that the vector does not cross. */
OAK_FN int is_wall(const oak_curl_args_t *arg, long block, int dir, int at) {
  const int face = 2 * dir + (at > 0);
  return (at == 0 || at == OAK_ALONG(dir)) &&
         arg->f.face[block * OAK_FACES + face].kind == OAK_FACE_BOUNDARY &&
         arg->bc[face * NVAR + OAK_FACE_VECTOR + dir].kind == OAK_BC_ANTIMIRROR;
}

/* Fields on the edges along c in a side of the block, but for its rim. Where finer cells are
 * beyond, only they have shares; where no cells of the block's level or finer are beyond, only the
 * block has shares. */
OAK_FN void side_edges(const oak_curl_args_t *arg, const part_t *part, int face,
                       int c OAK_LANE_PARAM) {
  const long block = part->block;
  const int dir = face / 2, upper = face & 1, other = 3 - dir - c, first = dir == (c + 1) % 3;
  const int kind = arg->f.face[block * OAK_FACES + face].kind;
  const int own = kind != OAK_FACE_FINER, beyond = kind == OAK_FACE_SAME || !own;
  const double scale = is_wall(arg, block, dir, upper ? OAK_ALONG(dir) : 0) ? 0
                       : OAK_ELECTRIC && arg->sum                           ? 1
                       : own && beyond                                      ? 0.25
                                                                            : 1.0 / 3;
  const int axis = dir == 0 ? 1 : 0; /* the axis of the lanes */
  const int a0 = axis == other, na = OAK_ALONG(axis) - a0;
  const int b0 = OAK_DIM == 3 && axis == c, nb = FB(dir) - b0;
  const oak_side_t s = oak_side_of(&arg->f, OAK_SHARES, block, face);
  const store_t *in = arg->f.u + block * OAK_SHARES * OAK_CELLS;
  const store_t *ghost = beyond ? s.p + (upper ? 0 : OAK_NG - 1) * s.sn : in;
  const int step = axis == other ? s.sa : s.sb, across = OAK_STRIDE(other);
  int number[2][2]; /* shares of the block and beyond, below and above the edge along `other` */
  in += upper ? (OAK_ALONG(dir) - 1) * OAK_STRIDE(dir) : 0;
  OAK_FOR(n, 2)
    OAK_FOR(m, 2) {
      const int side = n ? !upper : upper;
      number[n][m] = first ? share_number(c, side, !m) : share_number(c, !m, side);
    }
  PART_ROWS(part, row, nb, na) {
    int x[3];
    face_point(dir, 0, a0, b0 + row, x);
    const store_t *p = in + OAK_INDEX(x[0], x[1], x[2]);
    const store_t *g = beyond ? ghost + a0 * s.sa + (b0 + row) * s.sb : p;
    const int sa = OAK_STRIDE(axis), ga = beyond ? s.sa : sa, back = beyond ? step : across;
    const int sv = beyond ? s.sv : OAK_CELLS;
    x[dir] = upper ? OAK_ALONG(dir) : 0;
    double *e = part->e + edge_index(c, x[0], x[1], x[2]);
    OAK_LANES(a, na) {
      const double own0 = own ? (double)p[number[0][0] * OAK_CELLS - across + a * sa] : 0;
      const double own1 = own ? (double)p[number[0][1] * OAK_CELLS + a * sa] : 0;
      const double far0 = beyond ? (double)g[number[1][0] * sv - back + a * ga] : 0;
      const double far1 = beyond ? (double)g[number[1][1] * sv + a * ga] : 0;
      e[a * edge_step(axis)] =
          scale * (first ? (own0 + far0) + (own1 + far1) : (own0 + own1) + (far0 + far1));
    }
  }
}

/* One of the four cells around an edge: its share, and the step to the share of the next cell along
 * the edge. `finer`: levels above the block; 0: of the block's level, -1: no cell with a share. */
typedef struct {
  const store_t *p;
  int step, finer;
} beside_edge_t;

OAK_FN beside_edge_t beside_edge(const oak_curl_args_t *arg, long block, int c, const int x[3],
                                 int number) {
  int outside = 0, dir = 0, stride, next[3] = {x[0], x[1], x[2]};
  OAK_FOR(d, OAK_DIM) {
    const int out = x[d] < 0 || x[d] >= OAK_ALONG(d);
    outside += out;
    dir = out ? d : dir;
  }
  const int kind = outside == 0   ? OAK_FACE_SAME
                   : outside == 1 ? arg->f.face[block * OAK_FACES + 2 * dir + (x[dir] > 0)].kind
                                  : arg->edge[block * OAK_EDGES + edge_beyond(x)].kind;
  beside_edge_t cell = {NULL, 0, kind == OAK_FACE_SAME ? 0 : kind == OAK_FACE_FINER ? 1 : -1};
  if (cell.finer < 0) return cell;
  cell.p = edge_cell_of(&arg->f, arg->edge, OAK_SHARES, block, x, &stride);
  cell.p += (long long)number * stride;
  if (OAK_DIM == 3) {
    next[c] += 1;
    const store_t *q = edge_cell_of(&arg->f, arg->edge, OAK_SHARES, block, next, &stride);
    cell.step = (int)(q + (long long)number * stride - cell.p);
  }
  return cell;
}

/* Fields on the line of edges along c on the rim of the block at (p, q) along the axes a and b.
 * Where finer cells meet at it, only they have shares. */
OAK_FN void rim_line(const oak_curl_args_t *arg, long block, int c, int p, int q,
                     beside_edge_t cell[4], double *scale) {
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  int finest = 0, there[4], faces;
  OAK_FOR(n, 4) {
    int x[3] = {0, 0, 0};
    x[a] = p - 1 + (n & 1);
    x[b] = q - 1 + (n >> 1);
    cell[n] = beside_edge(arg, block, c, x, share_number(c, !(n & 1), !(n >> 1)));
    finest = OAK_MAX(finest, cell[n].finer);
  }
  OAK_FOR(n, 4) there[n] = cell[n].finer == finest;
  faces =
      (there[0] | there[1]) + (there[2] | there[3]) + (there[0] | there[2]) + (there[1] | there[3]);
  OAK_FOR(n, 4)
    if (!there[n]) cell[n].p = NULL;
  *scale = is_wall(arg, block, a, p) || is_wall(arg, block, b, q) ? 0
           : OAK_ELECTRIC && arg->sum                             ? 1
                                                                  : 1.0 / faces;
}

OAK_FN double share_at(const beside_edge_t *cell, int n) {
  return cell->p ? (double)cell->p[n * cell->step] : 0;
}

OAK_FN void rim_edges(const oak_curl_args_t *arg, const part_t *part, int c OAK_LANE_PARAM) {
  const int a = (c + 1) % 3, b = (c + 2) % 3, along = OAK_DIM == 3 ? OAK_ALONG(c) : 1;
  PART_ROWS(part, line, 4, along) {
    const int p = line & 1 ? OAK_ALONG(a) : 0, q = line >> 1 ? OAK_ALONG(b) : 0;
    beside_edge_t cell[4];
    double scale;
    rim_line(arg, part->block, c, p, q, cell, &scale);
    double *e = part->e + edge_index(c, 0, 0, 0) + p * edge_step(a) + q * edge_step(b);
    OAK_LANES(m, along)
      e[m * edge_step(c)] = scale * ((share_at(&cell[0], m) + share_at(&cell[1], m)) +
                                     (share_at(&cell[2], m) + share_at(&cell[3], m)));
  }
}

/* On a GPU large blocks get more threads, which wait less for memory. A multiprocessor has
 * registers for 1280 threads. */
enum { STAGE_LANES = OAK_CELLS < 512 ? 128 : 256 };
#define STAGE_KERNEL(name) \
  OAK_KERNEL_SHARED(name, oak_curl_args_t, STAGE_LANES, 1280 / STAGE_LANES, 0)

STAGE_KERNEL(oak_edge_fields) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(m) {
    const part_t part = part_of(&arg, m);
    OAK_UNROLL
    for (int c = 3 - EDGE_AXES; c < 3; c++) {
      inner_edges(&arg, &part, c OAK_LANE_ARG);
      OAK_FOR(face, OAK_FACES) {
        if (face / 2 != c) side_edges(&arg, &part, face, c OAK_LANE_ARG);
      }
      rim_edges(&arg, &part, c OAK_LANE_ARG);
    }
  }
}

/* The difference of the fields on the edges along c at both ends along b of the face across a below
 * cell (i, j, k), times their length over the area. */
OAK_FN double edges_of_face(const oak_field_t *f, long block, const double *e, int a, int b, int c,
                            int i, int j, int k) {
  const double *p = e + edge_index(c, i, j, k);
  if (!OAK_COORDINATES) return (p[edge_step(b)] - p[0]) * oak_inv_dx(f, f->block[block].level, b);
  const double area = oak_face_area(f, block, a, i, j);
  const double low = oak_block_extent(f, block, i, j, 1 << c);
  const double high = oak_block_extent(f, block, i + (b == 0), j + (b == 1), 1 << c);
  return area > 0 ? (p[edge_step(b)] * high - p[0] * low) / area : 0;
}

/* The rate of change on the face below cell (i, j, k) across a. */
OAK_FN double minus_curl(const oak_field_t *f, long block, const double *e, int a, int i, int j,
                         int k) {
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  double rate = 0;
  if (b < OAK_DIM) rate -= edges_of_face(f, block, e, a, b, c, i, j, k);
  if (c < OAK_DIM) rate += edges_of_face(f, block, e, a, c, b, i, j, k);
  return rate;
}

/* Set the vector after the stage on the faces below a cell across the axes from `first` to before
 * `end`. All are read before one is set, so a lane waits for memory once. */
OAK_FN void set_faces(const oak_curl_args_t *arg, const part_t *part, int first, int end,
                      const int x[3]) {
  double value[3];
  long long at[3];
  OAK_UNROLL
  for (int a = first; a < end; a++) {
    at[a] = part->block * OAK_BLOCK_REALS + NVAR * OAK_CELLS + oak_face_index(a, x[0], x[1], x[2]);
    value[a] = arg->dt * minus_curl(&arg->f, part->block, part->e, a, x[0], x[1], x[2]);
    OAK_FOR(n, OAK_NPREV) value[a] += arg->w[n] * (double)arg->prev[n][at[a]];
    if (OAK_ELECTRIC && arg->rate) value[a] += arg->dt * (double)arg->rate[at[a]];
  }
  OAK_UNROLL
  for (int a = first; a < end; a++) arg->u[at[a]] = (store_t)value[a];
}

STAGE_KERNEL(oak_face_stage) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(m) {
    const part_t part = part_of(&arg, m);
    store_t *rest = arg.u + part.block * OAK_BLOCK_REALS + NVAR * OAK_CELLS + OAK_FACE_REALS;
    PART_ROWS(&part, row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY};
        set_faces(&arg, &part, 0, OAK_DIM, x);
      }
    }
    OAK_FOR(dir, OAK_DIM) { /* the upper sides of the block */
      PART_ROWS(&part, b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int x[3];
          face_point(dir, OAK_ALONG(dir), a, b, x);
          set_faces(&arg, &part, dir, dir + 1, x);
        }
      }
    }
    PART_ROWS(&part, n, OAK_ROOM * OAK_CELLS - OAK_FACE_REALS, 1) rest[n] = 0;
  }
}

/* Set the means in the cells of a state. */
STAGE_KERNEL(oak_face_means) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(m) {
    const part_t part = part_of(&arg, m);
    const physics_parameters_t ph = oak_physics(&arg.f);
    store_t *u = arg.u + part.block * OAK_BLOCK_REALS;
    int invalid = 0;
    PART_ROWS(&part, row, OAK_NY * OAK_NZ, OAK_NX) {
      store_t *cell = u + row * OAK_NX;
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY};
        invalid |=
            !set_means(&ph, cell + i, u + NVAR * OAK_CELLS, x, OAK_KEEP_PRESSURE && arg.keep);
      }
    }
    if (invalid) arg.bad[part.block * arg.results] = 1; /* all lanes store the same value */
  }
}
#endif
