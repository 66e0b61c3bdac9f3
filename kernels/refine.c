/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement flags per block. Ghost cells must be up to date.
 *
 * An indicator of each cell is compared with c_refine and c_derefine:
 *
 * lohner: the paper's criterion ("Mesh refinement criterion", eq. lohner-simple, after R. Loehner,
 * Comput. Methods Appl. Mech. Eng. 61 (1987) 323): the second difference over the first differences
 * plus a noise floor, per axis; the norm over axes.
 *
 * gradient: the central difference of the neighbours, |u+ - u-| / 2, the change from cell to cell,
 * over eps_abs + |u|; the norm over axes. With eps_abs = 0 this is the condition of Athena++
 * (Stone et al., ApJS 249 (2020) 4; src/pgen/blast.cpp).
 *
 * user: the problem's own indicator. */

#if OAK_REFINE_GRADIENT
OAK_FN real indicator2(const oak_row_t *row, int a, real eps, real eps_abs) {
  real sum = 0;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++) {
    real m, p;
    oak_row_neighbours(row, dir, a, &m, &p);
    sum += (p - m) * (p - m);
  }
  const real scale = eps_abs + oak_abs(row->c[a * row->sc]);
  return (real)0.25 * sum / (scale * scale);
}
#else
OAK_FN real indicator2(const oak_row_t *row, int a, real eps, real eps_abs) {
  const real u = row->c[a * row->sc];
  real sum = 0;
  OAK_UNROLL
  for (int dir = 0; dir < OAK_DIM; dir++) {
    real m, p;
    oak_row_neighbours(row, dir, a, &m, &p);
    const real mean = oak_abs(m) + 2 * oak_abs(u) + oak_abs(p);
    const real e = (m - 2 * u + p) / (eps_abs + oak_abs(u - m) + oak_abs(p - u) + eps * mean);
    sum += e * e;
  }
  return sum;
}
#endif

#if OAK_REFINE_PRIMITIVES
/* Primitive variables of a row along x and of the rows beside it: [row][v][i + 1]. The row itself
 * is the first and has its two ghost cells; rows 2 dir - 1 and 2 dir are those below and above
 * along dir. Only variables of the mask OAK_REFINE_PRIMITIVES are kept. */
typedef real refine_rows_t[2 * OAK_DIM - 1][NVAR][OAK_N + 2];

OAK_FN void keep_primitives(const oak_user_t *user, real q[], real out[NVAR][OAK_N + 2], int at) {
  physics_to_primitive(&user->physics, q);
  OAK_UNROLL
  for (int v = 0; v < NVAR; v++)
    if (OAK_REFINE_PRIMITIVES >> v & 1) out[v][at] = q[v];
}

/* One row through x[], which may be a ghost row. */
OAK_FN void primitive_row(const oak_field_t *f, const oak_user_t *user, long block, const int x[3],
                          real out[NVAR][OAK_N + 2]) {
  int stride;
  const real *p = oak_row_start(f, block, 0, 0, x, &stride);
  const long long sv = oak_row_start(f, block, 1, 0, x, &stride) - p;
  OAK_INNER(i, OAK_N) {
    real q[NVAR];
    oak_load(p + i * stride, sv, q);
    keep_primitives(user, q, out, i + 1);
  }
}

OAK_FN void primitive_rows(const oak_field_t *f, const oak_user_t *user, long block, int j, int k,
                           refine_rows_t rows) {
  int x[3] = {0, j, k};
  primitive_row(f, user, block, x, rows[0]);
  OAK_UNROLL
  for (int dir = 1; dir < OAK_DIM; dir++) {
    x[dir]--;
    primitive_row(f, user, block, x, rows[2 * dir - 1]);
    x[dir] += 2;
    primitive_row(f, user, block, x, rows[2 * dir]);
    x[dir]--;
  }
  OAK_INNER(end, 2) {
    real q[NVAR];
    for (int v = 0; v < NVAR; v++) q[v] = oak_get(f, block, v, end ? OAK_N : -1, j, k);
    keep_primitives(user, q, rows[0], end ? OAK_N + 1 : 0);
  }
}

OAK_FN oak_row_t primitive_view(refine_rows_t rows, int v) {
  oak_row_t row;
  row.axis = 0;
  row.c = &rows[0][v][1];
  row.sc = 1;
  row.below = rows[0][v][0];
  row.above = rows[0][v][OAK_N + 1];
  OAK_UNROLL
  for (int dir = 1; dir < OAK_DIM; dir++)
    for (int side = 0; side < 2; side++) {
      row.side[dir][side] = &rows[2 * dir - 1 + side][v][1];
      row.ss[dir][side] = 1;
    }
  return row;
}
#endif

/* Largest squared indicator of the variables asked for, over all cells: by lane, in most[]. */
OAK_FN void look_at_variables(const oak_refine_args_t *arg, long n, real most[OAK_N]) {
  const oak_field_t *f = &arg->f;
  const real eps = (real)arg->eps, eps_abs = (real)arg->eps_abs;
  for (int v = 0; v < NVAR; v++) {
    if (!(arg->variables >> v & 1)) continue;
    for (int k = 0; k < OAK_NZ; k++)
      for (int j = 0; j < OAK_N; j++) {
        const int x[3] = {0, j, k};
        const oak_row_t row = oak_row(f, n, v, 0, x);
        OAK_INNER(i, OAK_N) {
          const real e2 = indicator2(&row, i, eps, eps_abs);
          most[i] = OAK_MAX(most[i], e2);
        }
      }
  }
#if OAK_REFINE_PRIMITIVES
  const oak_user_t user = oak_user(f);
  OAK_SHARED refine_rows_t rows;
  for (int k = 0; k < OAK_NZ; k++)
    for (int j = 0; j < OAK_N; j++) {
      primitive_rows(f, &user, n, j, k, rows);
      OAK_BARRIER;
      for (int v = 0; v < NVAR; v++) {
        if (!(OAK_REFINE_PRIMITIVES >> v & 1)) continue;
        const oak_row_t row = primitive_view(rows, v);
        OAK_INNER(i, OAK_N) {
          const real e2 = indicator2(&row, i, eps, eps_abs);
          most[i] = OAK_MAX(most[i], e2);
        }
      }
      OAK_BARRIER;
    }
#endif
}

OAK_KERNEL(oak_refine_flags, oak_refine_args_t, 128) {
  OAK_ARGS(oak_refine_args_t);
  OAK_OUTER(n) {
    OAK_SHARED real most[OAK_N]; /* squared indicator */
    OAK_INNER(i, OAK_N) most[i] = 0;
    OAK_BARRIER;
#if OAK_REFINE_USER && defined(PROBLEM_REFINE)
    const oak_user_t user = oak_user(&arg.f);
    for (int k = 0; k < OAK_NZ; k++)
      for (int j = 0; j < OAK_N; j++)
        OAK_INNER(i, OAK_N) {
          const real e = PROBLEM_REFINE(&user.problem, &user.physics, &arg.f, n, i, j, k);
          const real e2 = e * e;
          most[i] = OAK_MAX(most[i], e2);
        }
#else
    look_at_variables(&arg, n, most);
#endif
    OAK_BARRIER;
    OAK_SERIAL {
      real e2;
      OAK_REDUCE_MAX(e2, most, OAK_N);
      arg.flag[n] = e2 > (real)(arg.c_refine * arg.c_refine)       ? 1
                    : e2 < (real)(arg.c_derefine * arg.c_derefine) ? -1
                                                                   : 0;
    }
  }
}
