/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between the state and Poisson's equation, which is solved in double precision: the right-hand
 * side from the hook POISSON, and fields beside the state from and to the solver. */
OAK_KERNEL(oak_poisson_rhs, oak_poisson_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real q[NVAR];
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      load_primitive(&user, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
#if OAK_HAS_problem_poisson
      arg.values[n * OAK_CELLS + c] = problem_poisson(&at, q);
#else
      arg.values[n * OAK_CELLS + c] = physics_poisson(&at, q);
#endif
    }
  }
}

OAK_KERNEL(oak_poisson_field, oak_poisson_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_poisson_args_t);
  OAK_OUTER(n) {
    double *values = arg.values + n * OAK_CELLS;
    real *field = arg.field + n * OAK_CELLS;
    OAK_INNER(c, OAK_CELLS) {
      if (arg.store)
        field[c] = (real)values[c];
      else
        values[c] = field[c];
    }
  }
}
