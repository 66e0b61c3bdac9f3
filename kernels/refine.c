/* SPDX-License-Identifier: GPL-2.0-or-later
 * Refinement flags per block. Ghost cells must be up to date.
 *
 * The paper's criterion ("Mesh refinement criterion", eq. lohner-simple, after R. Loehner, Comput.
 * Methods Appl. Mech. Eng. 61 (1987) 323): the second difference over the first differences plus a
 * noise floor, per axis; the norm over axes is compared with c_refine and c_derefine. A problem may
 * bring its own indicator instead. */

OAK_FN real lohner(const oak_row_t *row, int a, real eps, real eps_abs) {
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

OAK_KERNEL(oak_refine_flags, oak_refine_args_t, 128) {
  OAK_ARGS(oak_refine_args_t);
  OAK_OUTER(n) {
    const oak_field_t *f = &arg.f;
    OAK_SHARED real most[OAK_N]; /* squared indicator */
    OAK_INNER(i, OAK_N) most[i] = 0;
    OAK_BARRIER;
#if OAK_REFINE_USER && defined(PROBLEM_REFINE)
    const oak_user_t user = oak_user(f);
    for (int k = 0; k < OAK_NZ; k++)
      for (int j = 0; j < OAK_N; j++)
        OAK_INNER(i, OAK_N) {
          const real e = PROBLEM_REFINE(&user.problem, &user.physics, f, n, i, j, k);
          const real e2 = e * e;
          most[i] = OAK_MAX(most[i], e2);
        }
#else
    for (int v = 0; v < NVAR; v++) {
      if (!(arg.variables >> v & 1)) continue;
      for (int k = 0; k < OAK_NZ; k++)
        for (int j = 0; j < OAK_N; j++) {
          const int x[3] = {0, j, k};
          const oak_row_t row = oak_row(f, n, v, 0, x);
          OAK_INNER(i, OAK_N) {
            const real e2 = lohner(&row, i, (real)arg.eps, (real)arg.eps_abs);
            most[i] = OAK_MAX(most[i], e2);
          }
        }
    }
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
