/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flux fixing (paper, "Flux fixing"): a stage used the coarse flux at refinement boundaries;
 * afterwards the coarse cells are corrected with the average of the fine fluxes, so that what
 * leaves one side enters the other. */
#include "kernels/access/rounding.h"
#include "kernels/hooks/user.h"

enum { APPLY_LANES = FACE_ROOM < 32 ? 32 : FACE_ROOM < 128 ? FACE_ROOM : 128 };

/* Average the fluxes of one fine face over the coarse faces. */
OAK_KERNEL(oak_fluxfix_average, oak_fluxfix_args_t, 64) {
  OAK_ARGS_EARLY(oak_fluxfix_args_t);
  OAK_OUTER_LANES(n) {
    const oak_fine_face_t t = arg.fine[n];
    OAK_WAIT;
    const real *fine = arg.bflux + (long long)t.bflux * NVAR * FACE_ROOM;
    real *piece = arg.piece + (long long)t.piece * NVAR * PIECE_ROOM;
    const int dir = t.dir;
    OAK_ROWS(row, NVAR * HB(dir), HA(dir)) {
      const int b = row % HB(dir), v = row / HB(dir);
      const real *p = fine + v * FACE_CELLS(dir) + 2 * b * FA(dir);
      OAK_LANES(a, HA(dir))
        piece[row * HA(dir) + a] = oak_face_mean(&arg.f, t.block, dir, v, a, b, p + 2 * a, FA(dir));
    }
  }
}

/* Correct the cells next to one coarse face. Faces of one launch share their direction, so no cell
 * is touched twice. A lane corrects all variables of its cells and checks the new states. */
OAK_KERNEL(oak_fluxfix_apply, oak_fluxfix_args_t, APPLY_LANES) {
  OAK_ARGS_EARLY(oak_fluxfix_args_t);
  OAK_OUTER_LANES(n) {
    const oak_coarse_face_t *t = arg.coarse + n;
    const int block = t->block, face = t->face;
    const int dir = face / 2, high = face & 1, step = dir == 0 ? OAK_NX : 1;
    const double dx = oak_dx(&arg.f, arg.f.block[block].level, dir);
    OAK_WAIT;
    const real c = (real)(high ? arg.dt / dx : -arg.dt / dx);
    const physics_parameters_t ph = oak_physics(&arg.f);
    int invalid = 0;
    /* Half a line of cells has its fine fluxes in one piece. */
    OAK_ROWS(row, 2 * FB(dir), HA(dir)) {
      const int a0 = row % 2 * HA(dir), b = row / 2;
      int x[3];
      face_point(dir, high ? OAK_ALONG(dir) - 1 : 0, a0, b, x);
      store_t *p = arg.u + block * OAK_BLOCK_REALS + OAK_INDEX(x[0], x[1], x[2]);
      const real *coarse = arg.bflux + (long long)t->bflux * NVAR * FACE_ROOM + b * FA(dir) + a0;
      const real *fine = oak_fine_side(t, arg.piece, arg.peer_piece, NVAR, row % 2, b);
      OAK_LANES(a, HA(dir)) {
        real u[NVAR];
        const oak_areas_t areas =
            oak_areas(&arg.f, block, x[0] + (dir != 0) * a, x[1] + (dir == 0) * a);
        OAK_FOR(v, NVAR)
          u[v] = p[v * OAK_CELLS + a * step] +
                 oak_face_factor(&areas, v, dir, high) * c *
                     (coarse[v * FACE_CELLS(dir) + a] - fine[v * HA(dir) * HB(dir) + a]);
        oak_keep_bounds(&ph, p[PHYSICS_MASS * OAK_CELLS + a * step], u);
        oak_round_result(
            u, oak_cell_number(&arg.f, block, x[0] + (dir != 0) * a, x[1] + (dir == 0) * a, x[2]));
        oak_store(p + a * step, OAK_CELLS, u);
        invalid |= !OAK_CURL && !oak_state_valid(&ph, u); /* with OAK_CURL the check comes later */
      }
    }
    /* Several lanes, and two faces of a block, may store this at the same time; all store the same
     * value. */
    if (invalid) arg.bad[block * arg.results] = 1;
  }
}
