/* SPDX-License-Identifier: GPL-2.0-or-later
 * Bodies in elliptic equations: cuts of their surfaces with the lines between centres of cells,
 * potentials, permittivities and charges. */
#include "kernels/bodies/shapes.h"

#ifndef PHYSICS_EPSILON /* charge over the flux of -a grad phi */
#define PHYSICS_EPSILON 1
#endif

#if OAK_NBODY
/* The place of a cell on a level of the multigrid solver, where fields have no values. */
OAK_FN oak_at_t bodies_place(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                             int k) {
  oak_at_t at = oak_place_bare(f, user, block, i, j, k);
#ifdef OAK_FIELDS
  const oak_fields_t none = {0};
  at.f = none;
#endif
  return at;
}

/* The body around a place in which the solution is given (its kind is one of the bits `given`), or
 * else the dielectric there. */
OAK_FN oak_body_t bodies_here(const oak_at_t *at, int given, int *inside) {
  oak_body_t b = oak_body_near(at, given);
  *inside = oak_is_inside(at, &b);
  if (!*inside) {
    b = oak_body_near(at, 1 << OAK_BODY_DIELECTRIC);
    *inside = oak_is_inside(at, &b);
  }
  return b;
}

/* The distance along an axis from a point outside to the surface of such a body, divided by the
 * distance to a point inside. */
OAK_FN double bodies_way(const oak_at_t *outside, int given, int dir, double to) {
  double low = 0, high = 1;
  for (int n = 0; n < 50; n++) {
    const double middle = 0.5 * (low + high);
    oak_at_t at = *outside;
    for (int d = 0; d < OAK_DIM; d++)
      if (d == dir) at.x[d] += middle * to;
    if (oak_body_near(&at, given).distance < 0)
      high = middle;
    else
      low = middle;
  }
  return OAK_MAX(high, OAK_LEAST_CUT);
}

/* The cut between the cells below and above a face (oak_elliptic_args_t.cut). */
OAK_FN double bodies_cut(const oak_at_t *below, const oak_at_t *above, int given, int dir) {
  int in_below, in_above;
  const oak_body_t b = bodies_here(below, given, &in_below),
                   a = bodies_here(above, given, &in_above);
  const int pin_below = in_below && given >> b.kind & 1;
  const int pin_above = in_above && given >> a.kind & 1;
  if (pin_below && pin_above) return 0;
  if (pin_above) return bodies_way(below, given, dir, below->dx[dir]);
  if (pin_below) return -bodies_way(above, given, dir, -above->dx[dir]);
  return in_above && !in_below   ? OAK_DIELECTRIC_CUT
         : in_below && !in_above ? -OAK_DIELECTRIC_CUT
                                 : 0;
}

OAK_FN void cut_face(const oak_body_args_t *arg, const oak_user_t *user, long n, int dir, int i,
                     int j, int k) {
  const int x = dir == 0 ? i : dir == 1 ? j : k;
  const oak_at_t above = bodies_place(&arg->f, user, n, i, j, k);
  const oak_at_t below =
      bodies_place(&arg->f, user, n, i - (dir == 0), j - (dir == 1), k - (dir == 2));
  const oak_face_t *face = arg->f.face + n * OAK_FACES + 2 * dir;
  const int ends = (x == 0 && face[0].kind == OAK_FACE_BOUNDARY) ||
                   (x == OAK_ALONG(dir) && face[1].kind == OAK_FACE_BOUNDARY);
  arg->cut[n * (long long)OAK_FACE_REALS + oak_face_index(dir, i, j, k)] =
      ends ? 0 : bodies_cut(&below, &above, arg->given, dir);
}

/* Compute the cuts of all faces, and mark the cells in which the solution is given. */
OAK_KERNEL(oak_body_cuts, oak_body_args_t, 128) {
  OAK_ARGS(oak_body_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_EACH_FACE(cut_face, &arg, &user, n)
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const oak_at_t at = bodies_place(&arg.f, &user, n, i, row % OAK_NY, row / OAK_NY);
        int inside;
        const oak_body_t b = bodies_here(&at, arg.given, &inside);
        arg.pin[n * (long long)OAK_CELLS + row * OAK_NX + i] = !inside ? 0
                                                               : arg.given >> b.kind & 1
                                                                   ? 1
                                                                   : -b.permittivity;
      }
    }
  }
}

OAK_FN void face_potential(const oak_body_args_t *arg, const oak_user_t *user, long n, int dir,
                           int i, int j, int k) {
  const long long place = n * (long long)OAK_FACE_REALS + oak_face_index(dir, i, j, k);
  const double cut = arg->cut[place];
  double value = 0;
  if (cut != 0 && fabs(cut) <= 1 && !arg->zero) {
    /* the cell below the face lies inside if `cut` is negative */
    const int back = cut < 0;
    oak_at_t at = bodies_place(&arg->f, user, n, i - back * (dir == 0), j - back * (dir == 1),
                               k - back * (dir == 2));
    const oak_body_t b = oak_body_near(&at, arg->given);
    for (int d = 0; d < OAK_DIM; d++)
      if (d == dir) at.x[d] += at.dx[d] * (cut < 0 ? 1 + cut : cut - 1);
    value = oak_potential(&at, b.number, b.potential);
  }
  arg->wall[place] = value;
}

/* Compute potentials: at the cuts of surfaces, and in the cells of electrodes, where the potential
 * takes the place of the right-hand side. */
OAK_KERNEL(oak_body_potentials, oak_body_args_t, 128) {
  OAK_ARGS(oak_body_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_EACH_FACE(face_potential, &arg, &user, n)
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const long long c = n * (long long)OAK_CELLS + row * OAK_NX + i;
        if (arg.pin[c] > 0) {
          const oak_at_t at = bodies_place(&arg.f, &user, n, i, row % OAK_NY, row / OAK_NY);
          const oak_body_t b = oak_body_near(&at, arg.given);
          arg.values[c] = arg.u[c] = arg.zero ? 0 : oak_potential(&at, b.number, b.potential);
        }
      }
    }
  }
}

/* Set the coefficient `a` in dielectrics. */
OAK_KERNEL(oak_body_permittivity, oak_body_args_t, 128) {
  OAK_ARGS(oak_body_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const oak_at_t at = bodies_place(&arg.f, &user, n, i, row % OAK_NY, row / OAK_NY);
        const oak_body_t b = oak_body_near(&at, 1 << OAK_BODY_DIELECTRIC);
        if (oak_is_inside(&at, &b))
          arg.values[n * (long long)OAK_CELLS + row * OAK_NX + i] = b.permittivity;
      }
    }
  }
}

/* The area of a face of a cell, times the distance of cells, over the volume of the cell. */
OAK_FN double bodies_area(const oak_field_t *f, long block, int i, int face) {
#if OAK_COORDINATES
  const double s = (double)oak_ring(f, block, i);
  return face == 0 ? 1 - s : face == 1 ? 1 + s : 1;
#else
  (void)f, (void)block, (void)i, (void)face;
  return 1;
#endif
}

/* Add cell c of a block to the sums of a body: the flux of -a grad phi out of its surface, and
 * minus the right-hand side in its cells. */
OAK_FN void bodies_add(const oak_body_args_t *arg, const oak_user_t *user, long n, int c,
                       double sum[][OAK_BODY_SUMS]) {
  const int x[3] = {c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY)};
  const double volume = oak_cell_volume(&arg->f, n) * oak_volume_factor(&arg->f, n, c);
  oak_at_t at = oak_place_cell(&arg->f, user, n, c);
  int inside;
  const oak_body_t here = bodies_here(&at, arg->given, &inside);
  if (inside) {
    sum[here.number][1] -= volume * arg->values[n * (long long)OAK_CELLS + c];
    if (here.kind == OAK_BODY_ELECTRODE) return;
  }
  for (int face = 0; face < OAK_FACES; face++) {
    const int dir = face / 2, high = face & 1;
    const long long place = n * (long long)OAK_FACE_REALS + oak_face_index(dir, x[0], x[1], x[2]) +
                            high * OAK_STRIDE(dir);
    const double cut = high ? arg->cut[place] : -arg->cut[place];
    if (!(cut > 0 && cut <= 1)) continue;
    oak_at_t beyond = at;
    for (int d = 0; d < OAK_DIM; d++)
      if (d == dir) beyond.x[d] += (high ? 1 : -1) * at.dx[d];
    const oak_body_t b = oak_body_near(&beyond, arg->given);
    sum[b.number][0] += (high ? 1 : -1) * arg->a[n * (long long)OAK_CELLS + c] * arg->slope[place] *
                        volume / at.dx[dir] * bodies_area(&arg->f, n, x[0], face);
  }
}

/* The sums of each body over each block, [nblock][OAK_NBODY][OAK_BODY_SUMS]. */
OAK_KERNEL(oak_body_sums, oak_body_args_t, 64) {
  OAK_ARGS(oak_body_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_SERIAL {
      double sum[OAK_NBODY][OAK_BODY_SUMS];
      for (int b = 0; b < OAK_NBODY; b++)
        for (int i = 0; i < OAK_BODY_SUMS; i++) sum[b][i] = 0;
      for (int c = 0; c < OAK_CELLS; c++) bodies_add(&arg, &user, n, c, sum);
      for (int b = 0; b < OAK_NBODY; b++)
        for (int i = 0; i < OAK_BODY_SUMS; i++)
          arg.sums[(n * OAK_NBODY + b) * OAK_BODY_SUMS + i] = PHYSICS_EPSILON * sum[b][i];
    }
  }
}
#endif
