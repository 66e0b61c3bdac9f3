/* SPDX-License-Identifier: GPL-2.0-or-later
 * Data for Poisson's equation, which is solved in double precision. The hooks POISSON... give the
 * right-hand side, coefficients and boundary values. Fields beside the state are copied from and to
 * the solver. */
#include "kernels/hooks/user.h"

/* OAK_EQUATION_RHS(X) is X(number, function) for each equation, and so are the other lists
 * (src/setup/equations.c). */
#ifdef OAK_EQUATION_RHS
OAK_FN double equation_rhs(int number, const oak_at_t *at, const real q[]) {
#define CALL_RHS(n, function) \
  if (number == (n)) return function(at, q);
  OAK_EQUATION_RHS(CALL_RHS)
  return 0;
}

OAK_KERNEL(oak_poisson_rhs, oak_poisson_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real q[NVAR];
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      load_primitive(&user.physics, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
      arg.values[n * OAK_CELLS + c] = equation_rhs(arg.equation, &at, q);
    }
  }
}
#endif

#ifdef OAK_EQUATION_COEFFICIENTS
OAK_FN void equation_coefficients(int number, const oak_at_t *at, const real q[], double *a,
                                  double *b) {
#define CALL_COEFFICIENTS(n, function) \
  if (number == (n)) function(at, q, a, b);
  OAK_EQUATION_COEFFICIENTS(CALL_COEFFICIENTS)
}

/* Compute the coefficients. A value that is not allowed becomes NaN, which the host finds. */
OAK_KERNEL(oak_poisson_coefficients, oak_poisson_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real q[NVAR];
      double a = 1, b = 0;
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      load_primitive(&user.physics, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
      equation_coefficients(arg.equation, &at, q, &a, &b);
      arg.values[n * OAK_CELLS + c] = a > 0 ? a : NAN;
      arg.b[n * OAK_CELLS + c] = b >= 0 ? b : NAN;
    }
  }
}
#endif

#ifdef OAK_EQUATION_B
/* Store a constant coefficient in values[0]. */
OAK_KERNEL(oak_poisson_b, oak_poisson_args_t, 1) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    OAK_SERIAL {
      const oak_user_t user = oak_user(&arg.f);
      oak_at_t at = {0};
      at.p = user.problem;
      at.ph = user.physics;
      at.t = arg.f.time;
#define CALL_B(number, function) \
  if (arg.equation == (number)) arg.values[n] = function(&at);
      OAK_EQUATION_B(CALL_B)
    }
  }
}
#endif

#ifdef OAK_EQUATION_BOUNDARY
OAK_FN double equation_boundary(int number, const oak_at_t *at, int face) {
#define CALL_BOUNDARY(n, function) \
  if (number == (n)) return function(at, face);
  OAK_EQUATION_BOUNDARY(CALL_BOUNDARY)
  return 0;
}

/* Compute the given values on one face of the domain, at the centres of the cells' faces. */
OAK_KERNEL(oak_poisson_boundary, oak_poisson_args_t, 64) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    const int face = arg.face, dir = face / 2, place = arg.outer[n * OAK_FACES + face];
    if (place >= 0) {
      OAK_ROWS(b, FB(dir), FA(dir)) {
        OAK_LANES(a, FA(dir)) {
          int cell[3];
          face_point(dir, face & 1 ? OAK_ALONG(dir) - 1 : 0, a, b, cell);
          oak_at_t at = oak_place(&arg.f, &user, n, cell[0], cell[1], cell[2]);
          OAK_FOR(d, OAK_DIM)
            if (d == dir)
              at.x[d] =
                  oak_moved(d, at.x[d], (face & 1 ? 0.5 : -0.5) * oak_dx(&arg.f, at.level, d));
          arg.values[(long long)place * FACE_ROOM + b * FA(dir) + a] =
              equation_boundary(arg.equation, &at, face);
        }
      }
    }
  }
}
#endif

/* Copy between the solver and a field. A solution starts from the field and its derivatives in
 * time. Afterwards the derivatives follow from the change of the field. */
OAK_KERNEL(oak_poisson_field, oak_poisson_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    double *values = arg.values + n * OAK_CELLS;
    store_t *field = arg.field + n * OAK_CELLS;
    store_t *first = arg.weight[0] != 0 ? arg.rate[0] + n * OAK_CELLS : field;
    store_t *second = arg.weight[1] != 0 ? arg.rate[1] + n * OAK_CELLS : field;
    OAK_INNER(c, OAK_CELLS) {
      const double before = field[c];
      if (arg.store) {
        const double rate = (values[c] - before) * arg.weight[0];
        second[c] = (store_t)((rate - first[c]) * arg.weight[1]);
        first[c] = (store_t)rate;
        field[c] = (store_t)values[c];
      } else {
        values[c] = before + arg.weight[0] * first[c] + arg.weight[1] * second[c];
      }
    }
  }
}
