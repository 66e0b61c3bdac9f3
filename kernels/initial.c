/* SPDX-License-Identifier: GPL-2.0-or-later
 * Initial condition: the problem's primitive state at cell centres, stored as conserved. */
#ifdef PROBLEM_INITIAL
OAK_KERNEL(oak_initial, oak_initial_args_t, 128) {
  OAK_ARGS(oak_initial_args_t);
  OAK_OUTER(n) {
    const oak_field_t *f = &arg.f;
    const oak_user_t user = oak_user(f);
    OAK_SHARED int bad[OAK_N];
    OAK_INNER(i, OAK_N) bad[i] = 0;
    OAK_BARRIER;
    for (int k = 0; k < OAK_NZ; k++)
      for (int j = 0; j < OAK_N; j++)
        OAK_INNER(i, OAK_N) {
          double x[3];
          real q[NVAR];
          for (int v = 0; v < NVAR; v++) q[v] = 0;
          oak_center(f, n, i, j, k, x);
          PROBLEM_INITIAL(&user.problem, &user.physics, x, q);
          physics_to_conservative(&user.physics, q);
          bad[i] += !physics_valid(&user.physics, q);
          oak_store(arg.out + n * OAK_BLOCK_REALS + OAK_INDEX(i, j, k), OAK_CELLS, q);
        }
    int invalid;
    OAK_BARRIER;
    OAK_REDUCE_SUM(invalid, bad, OAK_N);
    OAK_SERIAL arg.bad[n] = invalid;
  }
}
#endif
