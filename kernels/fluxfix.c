/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing (paper, "Flux fixing"): after a stage was computed with the coarse flux at refinement
 * boundaries, correct the coarse cells with the average of the fine fluxes, so that what leaves one
 * side enters the other. */

/* Average the fluxes of one fine face over the coarse faces they cover. */
OAK_KERNEL(oak_fluxfix_average, oak_fluxfix_args_t, 64) {
  OAK_ARGS(oak_fluxfix_args_t);
  OAK_OUTER_LANES(n) {
    const oak_fine_face_t t = arg.fine[n];
    const real *fine = arg.bflux + (long long)t.bflux * NVAR * OAK_AREA;
    real *piece = arg.piece + (long long)t.piece * NVAR * PIECE_AREA;
    OAK_ROWS(row, NVAR * HB, HN) {
      const int b = row % HB, v = row / HB;
      const real *p = fine + v * OAK_AREA + 2 * b * OAK_N;
      OAK_LANES(a, HN) {
        real sum = p[2 * a] + p[2 * a + 1];
        if (OAK_DIM == 3) sum += p[OAK_N + 2 * a] + p[OAK_N + 2 * a + 1];
        piece[row * HN + a] = sum * (real)(OAK_DIM == 3 ? 0.25 : 0.5);
      }
    }
  }
}

/* Whether line `a` of the corrected cells has an invalid one. */
OAK_FN int corrected_invalid(const oak_user_t *user, const real *u, int face, int a) {
  int invalid = 0;
  for (int b = 0; b < FB; b++) {
    int x[3];
    real q[NVAR];
    face_point(face / 2, face & 1 ? OAK_N - 1 : 0, a, b, x);
    oak_load(u + OAK_INDEX(x[0], x[1], x[2]), OAK_CELLS, q);
    invalid |= !physics_valid(&user->physics, q);
  }
  return invalid;
}

/* Correct the cells next to one coarse face. Faces of one launch share their direction, so no cell
 * is touched twice. */
OAK_KERNEL(oak_fluxfix_apply, oak_fluxfix_args_t, 128) {
  OAK_ARGS(oak_fluxfix_args_t);
  OAK_OUTER(n) {
    const oak_coarse_face_t t = arg.coarse[n];
    const int dir = t.face / 2, high = t.face & 1;
    const double dx = oak_dx(&arg.f, arg.f.block[t.block].level, dir);
    const real c = (real)(high ? arg.dt / dx : -arg.dt / dx);
    const oak_user_t user = oak_user(&arg.f);
    real *u = arg.u + t.block * OAK_BLOCK_REALS;
    const real *coarse = arg.bflux + (long long)t.bflux * NVAR * OAK_AREA;
    OAK_ROWS(row, NVAR * FB, OAK_N) {
      const int b = row % FB, v = row / FB;
      int x[3];
      face_point(dir, high ? OAK_N - 1 : 0, 0, b, x);
      real *p = u + (long long)v * OAK_CELLS + OAK_INDEX(x[0], x[1], x[2]);
      const int step = dir == 0 ? OAK_N : 1;
      const int upper = OAK_DIM == 3 ? 2 * (b / HN) : 0;
      const long long at = (long long)v * PIECE_AREA + (OAK_DIM == 3 ? b % HN : 0) * HN;
      const real *lo = arg.piece + (long long)t.piece[upper] * NVAR * PIECE_AREA + at;
      const real *hi = arg.piece + (long long)t.piece[upper + 1] * NVAR * PIECE_AREA + at - HN;
      OAK_LANES(a, OAK_N) {
        const real fine = a < HN ? lo[a] : hi[a];
        p[a * step] += c * (coarse[v * OAK_AREA + b * OAK_N + a] - fine);
      }
    }
    OAK_BARRIER;
    OAK_SHARED int bad[OAK_N];
    OAK_INNER(a, OAK_N) bad[a] = corrected_invalid(&user, u, t.face, a);
    int invalid;
    OAK_BARRIER;
    OAK_REDUCE_SUM(invalid, bad, OAK_N);
    /* Two faces of a block may do this at a time: both store the same. */
    OAK_SERIAL if (invalid) arg.bad[t.block * arg.results] = 1;
  }
}
