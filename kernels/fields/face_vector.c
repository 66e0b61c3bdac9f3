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

/* A side of a block. Where finer cells are beyond, only they have shares; where no cells of the
 * block's level or finer are beyond, only the block has shares. */
typedef struct {
  int upper, own, beyond;
  double scale;
  oak_side_t ghost;
} edges_side_t;

OAK_FN edges_side_t edges_side(const oak_curl_args_t *arg, long block, int face) {
  const int upper = face & 1, kind = arg->f.face[block * OAK_FACES + face].kind;
  const int own = kind != OAK_FACE_FINER, beyond = kind == OAK_FACE_SAME || !own;
  const double scale = is_wall(arg, block, face / 2, upper ? OAK_ALONG(face / 2) : 0) ? 0
                       : OAK_ELECTRIC && arg->sum                                     ? 1
                       : own && beyond                                                ? 0.25
                                                                                      : 1.0 / 3;
  const edges_side_t s = {upper, own, beyond, scale, oak_side_of(&arg->f, OAK_SHARES, block, face)};
  return s;
}

/* Fields on the lower edges of cell (a, b) in a side across `dir`. On CPUs whole rows are computed,
 * because they fill vectors. Some of these edges are in a side or on the rim of the block:
 * side_edges and then rim_edges replace their fields. */
OAK_FN void set_side(const oak_curl_args_t *arg, const part_t *part, int dir, edges_side_t s, int a,
                     int b) {
  const int lanes = dir == 0 ? 1 : 0, rows = dir == 2 ? 1 : 2; /* axes of a and b */
  double sum[2];
  int x[3];
  face_point(dir, s.upper ? OAK_ALONG(dir) - 1 : 0, a, b, x);
  const store_t *p = arg->f.u + part->block * OAK_SHARES * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]);
  const store_t *g =
      s.ghost.p + (s.upper ? 0 : OAK_NG - 1) * s.ghost.sn + a * s.ghost.sa + b * s.ghost.sb;
  x[dir] += s.upper;
  OAK_FOR(n, OAK_DIM - 1) { /* edges along one axis follow each other along the other one */
    const int c = n ? lanes : rows, other = n ? rows : lanes, first = dir == (c + 1) % 3;
    const int zero = share_number(c, 0, 0), across = first ? 1 : 2, below = 3 - across;
    const store_t *q = p + (zero + s.upper * across) * OAK_CELLS;
    const store_t *r = g + (zero + !s.upper * across) * s.ghost.sv;
    const double own0 = s.own ? (double)q[below * OAK_CELLS - OAK_STRIDE(other)] : 0;
    const double own1 = s.own ? (double)q[0] : 0;
    const double far0 =
        s.beyond ? (double)r[below * s.ghost.sv - (n ? s.ghost.sb : s.ghost.sa)] : 0;
    const double far1 = s.beyond ? (double)r[0] : 0;
    sum[n] = first ? (own0 + far0) + (own1 + far1) : (own0 + own1) + (far0 + far1);
  }
  OAK_FOR(n, OAK_DIM - 1) {
    if (OAK_LANES_IN_TURN || (n ? b : a))
      part->e[edge_index(n ? lanes : rows, x[0], x[1], x[2])] = s.scale * sum[n];
  }
}

/* Fields on the lower edges of cells that have four cells of the block around, and on the edges at
 * both ends of each row, as long as caches have its shares. */
OAK_FN void inner_edges(const oak_curl_args_t *arg, const part_t *part OAK_LANE_PARAM) {
  const double scale = OAK_ELECTRIC && arg->sum ? 1 : 0.25;
  const edges_side_t low = edges_side(arg, part->block, 0), high = edges_side(arg, part->block, 1);
  PART_ROWS(part, row, OAK_NY * OAK_NZ, OAK_NX) {
    const int j = row % OAK_NY, k = row / OAK_NY;
    const store_t *share = arg->f.u + part->block * OAK_SHARES * OAK_CELLS + OAK_INDEX(0, j, k);
    double *e = part->e + edge_index(0, 0, j, k);
    OAK_LANES(i, OAK_NX) {
      const int x[3] = {i, j, k};
      double sum[EDGE_AXES];
      OAK_FOR(n, EDGE_AXES) {
        const int c = 3 - EDGE_AXES + n, sa = OAK_STRIDE((c + 1) % 3), sb = OAK_STRIDE((c + 2) % 3);
        const store_t *p = share + share_number(c, 0, 0) * OAK_CELLS + i;
        sum[n] = ((double)p[3 * OAK_CELLS - sa - sb] + p[2 * OAK_CELLS - sb]) +
                 ((double)p[OAK_CELLS - sa] + p[0]);
      }
      OAK_FOR(n, EDGE_AXES) {
        const int c = 3 - EDGE_AXES + n;
        if (OAK_LANES_IN_TURN || (x[(c + 1) % 3] && x[(c + 2) % 3]))
          e[n * NODES + i] = scale * sum[n];
      }
    }
    OAK_LANES(n, 2) set_side(arg, part, 0, n ? high : low, j, k);
  }
}

OAK_FN void side_edges(const oak_curl_args_t *arg, const part_t *part, int face OAK_LANE_PARAM) {
  const edges_side_t s = edges_side(arg, part->block, face);
  PART_ROWS(part, b, FB(face / 2), OAK_NX) {
    OAK_LANES(a, OAK_NX) set_side(arg, part, face / 2, s, a, b);
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

OAK_FN double share_at(const beside_edge_t *cell, int n) {
  return cell->p ? (double)cell->p[n * cell->step] : 0;
}

/* Fields on the rim of the block. Where finer cells meet at it, only they have shares. */
OAK_FN void rim_edges(const oak_curl_args_t *arg, const part_t *part OAK_LANE_PARAM) {
  PART_ROWS(part, line, 4 * EDGE_AXES, OAK_NX) {
    const int c = 2 - line / 4, a = (c + 1) % 3, b = (c + 2) % 3;
    const int p = line & 1 ? OAK_ALONG(a) : 0, q = line & 2 ? OAK_ALONG(b) : 0;
    beside_edge_t cell[4];
    int finest = 0, there[4], faces;
    OAK_FOR(n, 4) {
      int x[3] = {0, 0, 0};
      x[a] = p - 1 + (n & 1);
      x[b] = q - 1 + (n >> 1);
      cell[n] = beside_edge(arg, part->block, c, x, share_number(c, !(n & 1), !(n >> 1)));
      finest = OAK_MAX(finest, cell[n].finer);
    }
    OAK_FOR(n, 4) {
      there[n] = cell[n].finer == finest;
      if (!there[n]) cell[n].p = NULL;
    }
    faces = (there[0] | there[1]) + (there[2] | there[3]) + (there[0] | there[2]) +
            (there[1] | there[3]);
    const double scale = is_wall(arg, part->block, a, p) || is_wall(arg, part->block, b, q) ? 0
                         : OAK_ELECTRIC && arg->sum                                         ? 1
                                                    : 1.0 / faces;
    double *e = part->e + edge_index(c, 0, 0, 0) + p * edge_step(a) + q * edge_step(b);
    OAK_LANES(m, OAK_DIM == 3 ? OAK_ALONG(c) : 1)
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
    inner_edges(&arg, &part OAK_LANE_ARG);
    OAK_FOR(face, OAK_FACES - 2) side_edges(&arg, &part, face + 2 OAK_LANE_ARG);
    rim_edges(&arg, &part OAK_LANE_ARG);
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
