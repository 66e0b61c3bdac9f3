/* SPDX-License-Identifier: GPL-2.0-or-later
 * Variables for outputs and the refinement criterion that follow from the solution: speed, Mach
 * number, vorticity, divergence of the velocity, density gradient; and the hooks OUTPUT. Only runs
 * that ask for one of them have these kernels. Derivatives are central differences of cell
 * averages, of second order on a smooth mesh. They read ghost cells, which must be up to date.
 * Velocities are the primitive variables that a wall reflects (PHYSICS_NORMAL). */
#include "kernels/hooks/user.h"

/* The velocity along an axis; 0 if the physics has none. */
OAK_FN int derived_velocity(int d) { return PHYSICS_NORMAL(0) >= 0 ? PHYSICS_NORMAL(d) : 0; }

OAK_FN void derived_state(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                          int k, real q[]) {
  int stride;
  const store_t *p = oak_cell(f, block, i, j, k, &stride);
  load_primitive(&user->physics, p, stride, q);
}

/* The magnitude of the velocity, with its third component if a physics has one in 2D. */
OAK_FN double derived_speed(const real q[]) {
  double sum = 0;
  OAK_FOR(d, OAK_DIM) {
    const double v = (double)q[derived_velocity(d)];
    sum += v * v;
  }
#define DERIVED_THIRD(first, second, third)                         \
  if (OAK_DIM == 2 && (first) == PHYSICS_NORMAL(0) && (third) >= 0) \
    sum += (double)q[OAK_MAX(third, 0)] * (double)q[OAK_MAX(third, 0)];
  PHYSICS_VECTORS(DERIVED_THIRD)
  return sqrt(sum);
}

/* The Mach number; half the difference of both wave speeds along x is the speed of sound. */
OAK_FN double derived_mach(const oak_user_t *user, const real q[]) {
  real low, high;
  physics_wave_speeds(&user->physics, q, q, 0, &low, &high);
  return derived_speed(q) / (0.5 * ((double)high - (double)low));
}

/* Add to the derivatives g of the velocity q the terms of the unit vectors, whose directions
 * change. */
OAK_FN void derived_turn(const oak_field_t *f, long block, int i, int j, const real q[],
                         double g[3][3]) {
  const oak_span_t span = oak_span(f, block, i, j);
  const double inv_r = (double)oak_inv_middle(span, (real)oak_inv_dx(f, f->block[block].level, 0));
  const double radial = (double)q[derived_velocity(0)] * inv_r;
  const double second = (double)q[derived_velocity(1)] * inv_r;
  if (OAK_COORDINATES == OAK_AXISYMMETRIC) {
    g[2][2] += radial;
    return;
  }
  g[1][0] -= second;
  g[1][1] += radial;
  if (OAK_COORDINATES != OAK_SPHERICAL) return;
  const double third = OAK_DIM == 3 ? (double)q[derived_velocity(OAK_DIM - 1)] * inv_r : 0;
  g[2][0] -= third;
  g[2][1] -= third * (double)span.cot;
  g[2][2] += radial + second * (double)span.cot;
}

/* The derivatives g[d][c] along d of velocity c. */
OAK_FN void derived_gradient(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                             int k, double g[3][3]) {
  for (int n = 0; n < 9; n++) g[n / 3][n % 3] = 0;
  OAK_FOR(d, OAK_DIM) {
    const int x = d == 0, y = d == 1, z = d == 2;
    const double scale = 0.5 * oak_inv_size(f, block, i, j, d);
    real low[NVAR], high[NVAR];
    derived_state(f, user, block, i - x, j - y, k - z, low);
    derived_state(f, user, block, i + x, j + y, k + z, high);
    OAK_FOR(c, OAK_DIM)
      g[d][c] = ((double)high[derived_velocity(c)] - (double)low[derived_velocity(c)]) * scale;
  }
  if (!OAK_COORDINATES) return;
  real q[NVAR];
  derived_state(f, user, block, i, j, k, q);
  derived_turn(f, block, i, j, q, g);
}

OAK_FN double derived_vorticity(double g[3][3]) {
  const double z = g[0][1] - g[1][0];
  if (OAK_COORDINATES == OAK_AXISYMMETRIC) return -z; /* along phi: r, phi, z are right-handed */
  if (OAK_DIM == 2) return z;
  const double x = g[1][2] - g[2][1], y = g[2][0] - g[0][2];
  return sqrt(x * x + y * y + z * z);
}

/* Magnitude of the gradient of the first variable. */
OAK_FN double derived_schlieren(const oak_field_t *f, long block, int i, int j, int k) {
  double sum = 0;
  OAK_FOR(d, OAK_DIM) {
    const int x = d == 0, y = d == 1, z = d == 2;
    const double low = (double)oak_get(f, block, 0, i - x, j - y, k - z);
    const double high = (double)oak_get(f, block, 0, i + x, j + y, k + z);
    const double slope = 0.5 * (high - low) * oak_inv_size(f, block, i, j, d);
    sum += slope * slope;
  }
  return sqrt(sum);
}

OAK_FN double derived_value(const oak_field_t *f, const oak_user_t *user, int variable, long block,
                            int i, int j, int k) {
  real q[NVAR];
  double g[3][3];
#ifdef OAK_OUTPUTS
  /* OAK_OUTPUTS(X) is X(number, function) for each hook OUTPUT (src/setup/hook_text.c). */
  if (variable >= OAK_DERIVED_COUNT) {
    const oak_at_t at = oak_place(f, user, block, i, j, k);
    derived_state(f, user, block, i, j, k, q);
#define OAK_CASE(n, function) \
  if (variable == OAK_DERIVED_COUNT + n) return function(&at, q);
    OAK_OUTPUTS(OAK_CASE)
  }
#endif
  switch (variable) {
    case OAK_DERIVED_SPEED:
      derived_state(f, user, block, i, j, k, q);
      return derived_speed(q);
    case OAK_DERIVED_MACH:
      derived_state(f, user, block, i, j, k, q);
      return derived_mach(user, q);
    case OAK_DERIVED_VORTICITY:
      derived_gradient(f, user, block, i, j, k, g);
      return derived_vorticity(g);
    case OAK_DERIVED_DIVERGENCE:
      derived_gradient(f, user, block, i, j, k, g);
      return g[0][0] + g[1][1] + g[2][2];
    default:
      return derived_schlieren(f, block, i, j, k);
  }
}

/* A derived variable in all blocks, as a field beside the state, for the refinement criterion. */
OAK_KERNEL(oak_derived_field, oak_set_field_args_t, 128) {
  OAK_ARGS(oak_set_field_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_INNER(c, OAK_CELLS) {
      arg.out[n * OAK_CELLS + c] = (store_t)derived_value(
          &arg.f, &user, arg.number, n, c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY));
    }
  }
}

/* A derived variable in a range of blocks. */
OAK_KERNEL(oak_derived, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    const long block = oak_listed(&arg.f, arg.first + n);
    double *out = arg.cells + n * OAK_CELLS;
    OAK_INNER(c, OAK_CELLS) {
      out[c] = derived_value(&arg.f, &user, arg.variable, block, c % OAK_NX, c / OAK_NX % OAK_NY,
                             c / (OAK_NX * OAK_NY));
    }
  }
}
