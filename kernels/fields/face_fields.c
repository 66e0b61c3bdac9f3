/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks FACE_FIELD: numbers on faces, from the fields in both cells beside a face and from the
 * derivatives of the solutions of elliptic equations there. Only a physics with such a hook has
 * this kernel. */
#include "kernels/bodies/shapes.h"

#ifdef OAK_FACE_FIELDS
#if OAK_NBODY
/* The body beside a face. */
OAK_FN void find_wall(const oak_face_fields_args_t *arg, const oak_user_t *user, long block,
                      const int x[3], int index, oak_at_face_t *face) {
  const int up = arg->cut[block * (long long)OAK_FACE_REALS + index] > 0, back = !up;
  const oak_at_t inside = oak_place(&arg->f, user, block, x[0] - back * (face->dir == 0),
                                    x[1] - back * (face->dir == 1), x[2] - back * (face->dir == 2));
  face->wall = up ? 1 : -1;
  face->surface = oak_body_near(&inside, OAK_ALL_BODIES).surface;
}
#endif

/* On CPUs the loop over the faces of a plane is vectorised: the fields in the cells on both sides
 * are copied to arrays with the places of the faces. Elsewhere each lane finds the fields of its
 * face. Planes of large blocks are cut into strips of rows, because the arrays of many fields are
 * larger than the stack of some threads. */
enum { FACE_ROWS = OAK_LANES_IN_TURN ? OAK_MIN(OAK_NY + 1, 2048 / OAK_NX) : OAK_NY + 1 };
#if defined OAK_FIELDS && OAK_LANES_IN_TURN
typedef struct {
  store_t below[FACE_ROWS * (OAK_NX + 1)], above[FACE_ROWS * (OAK_NX + 1)];
} face_sides_t;
#define FACE_STORE(number, name) face_sides_t name;
typedef struct {
  OAK_FIELDS(FACE_STORE)
} face_plane_t;

OAK_FN void find_sides(const oak_field_t *f, int number, long block, int dir, int j0, int rows,
                       int k, face_sides_t *p) {
  const oak_field_t field = oak_beside(f, number);
  const oak_side_t low = oak_side_of(&field, 1, block, 0), high = oak_side_of(&field, 1, block, 1);
  for (int j = j0; j < j0 + rows; j++) {
    int stride;
    const store_t *above = oak_cell_of(&field, 1, block, 0, j, k, &stride);
    const store_t *below =
        dir ? oak_cell_of(&field, 1, block, 0, j - (dir == 1), k - (dir == 2), &stride) : above;
    const int first = (j - j0) * (OAK_NX + (dir == 0));
    OAK_INNER(i, OAK_NX) {
      p->above[first + i] = above[i];
      p->below[first + i + (dir == 0)] = below[i];
    }
    if (dir) continue;
    p->below[first] = low.p[(OAK_NG - 1) * low.sn + j * low.sa + k * low.sb];
    p->above[first + OAK_NX] = high.p[j * high.sa + k * high.sb];
  }
}
#define FIND_SIDES(number, name) find_sides(f, number, block, dir, j0, rows, k, &plane->name);
#define FACE_SIDES_FIELD(number, name) \
  at.left.name = plane->name.below[c]; \
  at.right.name = plane->name.above[c];
#else
typedef int face_plane_t;
#define FACE_SIDES_FIELD(number, name)                                           \
  at.left.name = oak_beside_get(f, number, block, below[0], below[1], below[2]); \
  at.right.name = oak_beside_get(f, number, block, x[0], x[1], x[2]);
#endif

OAK_FN void find_plane(const oak_field_t *f, long block, int dir, int j0, int rows, int k,
                       face_plane_t *plane) {
#if defined OAK_FIELDS && OAK_LANES_IN_TURN
  OAK_FIELDS(FIND_SIDES)
#endif
  (void)f, (void)block, (void)dir, (void)j0, (void)rows, (void)k, (void)plane;
}

/* The place of face `index` (oak_face_index) of a block, below cell x[] across `dir`; x[dir] may be
 * N. It is face `c` of the strip. */
OAK_FN oak_at_face_t face_place(const oak_face_fields_args_t *arg, const oak_user_t *user,
                                long block, int dir, const int end[2], const face_plane_t *plane,
                                int c, const int x[3], int index) {
  const oak_field_t *f = &arg->f;
  oak_at_face_t at;
  at.p = user->problem;
  at.ph = user->physics;
#ifdef OAK_FIELDS
  const int below[3] = {x[0] - (dir == 0), x[1] - (dir == 1), x[2] - (dir == 2)};
  OAK_FIELDS(FACE_SIDES_FIELD)
  (void)below, (void)plane, (void)c;
#endif
#ifdef OAK_EQUATIONS
#define FACE_SLOPE(number, name) \
  at.slope.name = (real)arg->slope[number][block * OAK_FACE_REALS + index];
  OAK_EQUATIONS(FACE_SLOPE)
#endif
  at.level = f->block[block].level;
  oak_center(f, block, x[0], x[1], x[2], at.x);
  OAK_FOR(d, 3) {
    at.dx[d] = d < OAK_DIM ? oak_size(f, block, x[0], x[1], d) : 0;
    if (d == dir) at.x[d] = oak_moved(d, at.x[d], -0.5 * oak_dx(f, at.level, d));
  }
  at.t = f->time;
  at.dt = f->dt;
  at.dir = dir;
  at.wall = at.surface = 0;
  const int low = end[0] && x[dir] == 0, high = end[1] && x[dir] == (dir == 0   ? OAK_NX
                                                                     : dir == 1 ? OAK_NY
                                                                                : OAK_NZ);
  at.end = high - low;
  at.given = (low || high) && arg->given[2 * dir + high];
  at.bc = arg->bc + (2 * dir + high) * NVAR;
#if OAK_NBODY
  if (arg->cut && arg->cut[block * (long long)OAK_FACE_REALS + index] != 0)
    find_wall(arg, user, block, x, index, &at);
#endif
  (void)index;
  return at;
}

/* Set all numbers on a face. This kernel may write to the fields, which are const for all other
 * kernels. */
OAK_FN void set_face(const oak_face_fields_args_t *arg, const oak_user_t *user, long block, int dir,
                     const int end[2], const face_plane_t *plane, int c, int j0, int k) {
  const int ni = OAK_NX + (dir == 0), x[3] = {c % ni, j0 + c / ni, k};
  const int index = oak_face_index(dir, 0, j0, k) + c;
  const oak_at_face_t at = face_place(arg, user, block, dir, end, plane, c, x, index);
#define PUT_FACE_FIELD(number, name)                                                \
  ((store_t *)arg->f.beside[number].u)[block * (long long)OAK_FACE_REALS + index] = \
      (store_t)physics_face_field_##name(&at);
  OAK_FACE_FIELDS(PUT_FACE_FIELD)
}

OAK_KERNEL(oak_face_fields, oak_face_fields_args_t, 128) {
  OAK_ARGS(oak_face_fields_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_FOR(dir, OAK_DIM) {
      const int ni = OAK_NX + (dir == 0), nj = OAK_NY + (dir == 1);
      const oak_face_t *face = arg.f.face + n * OAK_FACES + 2 * dir;
      const int end[2] = {face[0].kind == OAK_FACE_BOUNDARY, face[1].kind == OAK_FACE_BOUNDARY};
      const int strips = (nj + FACE_ROWS - 1) / FACE_ROWS, most = OAK_MIN(nj, FACE_ROWS);
      OAK_ROWS(strip, strips * (OAK_NZ + (dir == 2)), most * ni) {
        const int k = strip / strips, j0 = strip % strips * FACE_ROWS;
        const int rows = OAK_MIN(most, nj - j0);
        face_plane_t plane;
        find_plane(&arg.f, n, dir, j0, rows, k, &plane);
        OAK_LANES(c, rows * ni) set_face(&arg, &user, n, dir, end, &plane, c, j0, k);
      }
    }
  }
}
#endif
