/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks FACE_FIELD: numbers on faces, from the fields in both cells beside a face and from the
 * derivatives of the solutions of elliptic equations there. Part of the kernels only where a
 * physics has such a hook. */
#include "kernels/bodies.h"

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

/* Face `index` (oak_face_index) of a block, below cell x[] across `dir`; x[dir] may be N. */
OAK_FN oak_at_face_t face_place(const oak_face_fields_args_t *arg, const oak_user_t *user,
                                long block, int dir, const int x[3], int index) {
  const oak_field_t *f = &arg->f;
  oak_at_face_t at;
  at.p = user->problem;
  at.ph = user->physics;
#ifdef OAK_FIELDS
  const int below[3] = {x[0] - (dir == 0), x[1] - (dir == 1), x[2] - (dir == 2)};
#define FACE_SIDES_FIELD(number, name)                                           \
  at.left.name = oak_beside_get(f, number, block, below[0], below[1], below[2]); \
  at.right.name = oak_beside_get(f, number, block, x[0], x[1], x[2]);
  OAK_FIELDS(FACE_SIDES_FIELD)
#endif
#ifdef OAK_EQUATIONS
#define FACE_SLOPE(number, name) \
  at.slope.name = (real)arg->slope[number][block * OAK_FACE_REALS + index];
  OAK_EQUATIONS(FACE_SLOPE)
#endif
  at.level = f->block[block].level;
  oak_center(f, block, x[0], x[1], x[2], at.x);
  OAK_UNROLL
  for (int d = 0; d < 3; d++) {
    at.dx[d] = d < OAK_DIM ? oak_size(f, block, x[0], x[1], d) : 0;
    if (d == dir) at.x[d] = oak_moved(d, at.x[d], -0.5 * oak_dx(f, at.level, d));
  }
  at.t = f->time;
  at.dt = f->dt;
  at.dir = dir;
  at.wall = at.surface = 0;
#if OAK_NBODY
  if (arg->cut && arg->cut[block * (long long)OAK_FACE_REALS + index] != 0)
    find_wall(arg, user, block, x, index, &at);
#endif
  (void)index;
  return at;
}

/* Set all numbers on that face. This kernel may write to the fields, which are const for all
 * others. */
OAK_FN void set_face(const oak_face_fields_args_t *arg, const oak_user_t *user, long block, int dir,
                     int i, int j, int k) {
  const int x[3] = {i, j, k}, index = oak_face_index(dir, i, j, k);
  const oak_at_face_t at = face_place(arg, user, block, dir, x, index);
#define PUT_FACE_FIELD(number, name)                                                \
  ((store_t *)arg->f.beside[number].u)[block * (long long)OAK_FACE_REALS + index] = \
      (store_t)physics_face_field_##name(&at);
  OAK_FACE_FIELDS(PUT_FACE_FIELD)
}

OAK_KERNEL(oak_face_fields, oak_face_fields_args_t, 128) {
  OAK_ARGS(oak_face_fields_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_EACH_FACE(set_face, &arg, &user, n)
  }
}
#endif
