/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cells that a stage leaves invalid are repaired with first-order fluxes (M. N. Lemaster, J. M.
 * Stone, ApJ 691 (2009) 1092; S. Clain, S. Diot, R. Loubere, J. Comput. Phys. 230 (2011) 4028).
 * Such cells are marked, their faces get first-order fluxes on both sides, and all cells at these
 * faces are computed again. Only runs with scheme.on_invalid = first_order have these kernels. */
#include "kernels/flux/place.h"
#include "kernels/scheme/reference.h"

/* Bits of a mark: faces that are of first order, and the cell itself. */
enum { MARK_CELL = 1 << OAK_FACES, MARK_FACES = MARK_CELL - 1 };

/* Mark invalid cells, in addition to cells marked before. Their state becomes NaN, which ghost
 * cells carry to all neighbours. Next to NaN, interpolation takes slopes of 0. */
OAK_KERNEL(oak_mark, oak_mark_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_mark_args_t);
  OAK_OUTER(n) {
    const oak_flux_user_t user = oak_flux_user(&arg.f);
    OAK_INNER(c, OAK_CELLS) {
      real u[NVAR];
      store_t *p = arg.u + n * OAK_BLOCK_REALS + c;
      unsigned char *mark = arg.mark + n * OAK_CELLS + c;
      oak_load(p, OAK_CELLS, u);
      const int marked = (!arg.first && *mark & MARK_CELL) || !oak_state_valid(&user.physics, u);
      *mark = marked ? MARK_CELL : 0;
      for (int v = 0; v < NVAR && marked; v++) p[v * OAK_CELLS] = (store_t)NAN;
    }
  }
}

/* Coordinates of cell c of a block. */
OAK_FN void cell_point(int c, int x[3]) {
  x[0] = c % OAK_NX;
  x[1] = c / OAK_NX % OAK_NY;
  x[2] = OAK_DIM == 3 ? c / (OAK_NX * OAK_NY) : 0;
}

/* The mark of a cell. A marked cell (`own`) gets the bits of the cell and of all faces; another
 * cell gets the bits of those faces beyond which a cell is marked. */
OAK_FN int mark_of(const oak_field_t *f, long block, int c, int own) {
  int bits = own ? MARK_CELL | MARK_FACES : 0;
  for (int face = 0; face < OAK_FACES && !own; face++) {
    int x[3];
    cell_point(c, x);
    x[face / 2] += face & 1 ? 1 : -1;
    const real beyond = oak_get(f, block, 0, x[0], x[1], x[2]);
    bits |= (beyond != beyond) << face;
  }
  return bits;
}

/* Mark the faces of marked cells, on both sides. */
OAK_KERNEL(oak_mark_faces, oak_mark_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_mark_args_t);
  OAK_OUTER(n) {
    OAK_SHARED int marked[OAK_CHUNK_LANES], touched[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) marked[i] = touched[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      unsigned char *mark = arg.mark + n * OAK_CELLS + first + i;
      const int own = *mark != 0, bits = mark_of(&arg.f, n, first + i, own);
      marked[i] += own;
      touched[i] += bits != 0;
      *mark = (unsigned char)bits;
    }
    int sum, any;
    OAK_REDUCE_SUM(sum, marked, OAK_CHUNK_LANES);
    OAK_REDUCE_SUM(any, touched, OAK_CHUNK_LANES);
    OAK_SERIAL {
      arg.marked[n] = sum;
      arg.touched[n] = any;
    }
  }
}

/* Compute all marked cells of a block. The wave speed of the block is computed again from all
 * cells, because face states that made a cell invalid may have given a wrong speed or none. */
OAK_FN void repair_block(const oak_repair_args_t *arg, long block) {
  const oak_flux_args_t *s = &arg->stage;
  const oak_flux_user_t user = oak_flux_user(&s->f);
  OAK_SHARED real most[OAK_CHUNK_LANES];
  OAK_SHARED int bad[OAK_CHUNK_LANES];
  OAK_INNER(i, OAK_CHUNK_LANES) most[i] = 0, bad[i] = 0;
  OAK_CHUNKS(first)
  OAK_INNER(i, OAK_CHUNK(first)) {
    const int c = first + i, mark = arg->mark[block * OAK_CELLS + c];
    int x[3];
    real flux[OAK_DIM][2][NFLUX], rate;
    sum_t u[NVAR];
    cell_point(c, x);
    const int valid = reference_cell(s, &user, block, x, mark & MARK_FACES, flux, u, &rate);
    most[i] = OAK_MAX(rate, most[i]); /* not NaN */
    if (!mark) continue;
    bad[i] += !valid;
    oak_store(s->out + block * OAK_BLOCK_REALS + c, OAK_CELLS, u);
    for (int face = 0; face < OAK_FACES; face++)
      keep_flux(&s->f, s->bflux, block, face, x, flux[face / 2][face % 2]);
  }
  real fastest;
  int invalid;
  OAK_REDUCE_MAX(fastest, most, OAK_CHUNK_LANES);
  OAK_REDUCE_SUM(invalid, bad, OAK_CHUNK_LANES);
  OAK_SERIAL for (int t = 0; t < TILES; t++) {
    s->rate[block * TILES + t] = t ? 0 : (double)fastest;
    s->bad[block * TILES + t] = t ? 0 : invalid;
  }
}

OAK_KERNEL(oak_repair, oak_repair_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_repair_args_t);
  OAK_OUTER(n) {
    if (arg.touched[n]) repair_block(&arg, n);
  }
}
