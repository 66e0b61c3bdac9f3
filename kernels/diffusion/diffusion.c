/* SPDX-License-Identifier: GPL-2.0-or-later
 * Diffusive fluxes: the rate of change by the hooks DIFFUSIVE_FLUX, from gradients at faces. The
 * flux kernel adds it to the other rates (scheme.diffusion = explicit), or stages of super time
 * stepping advance it by itself (rkl2). Only runs with the hook have these kernels.
 *
 * Gradients along a face need cells beyond edges, and blocks have no ghost cells. oak_primitive
 * therefore first copies some blocks with one layer of ghost cells, in primitive variables.
 * oak_diffusion reads these copies, in which all cells have fixed places. */
#include "kernels/diffusion/diffusive_flux.h"
#include "kernels/flux/place.h"
#include "kernels/ghosts/edges.h"

/* Threads of a GPU for a block. Few large blocks fit in a batch, so each gets many. */
enum { DIFFUSION_LANES = OAK_CELLS < 4096 ? 128 : 512 };

/* Store a state in memory that is not part of a state (oak_store is for states). */
OAK_FN void put_reals(real *to, long long stride, const real q[]) {
  OAK_FOR(v, NVAR) to[v * stride] = q[v];
}

/* The face of the domain beyond which cell x[] of a block lies along axis d; -1: none. */
OAK_FN int boundary_beyond(const oak_diffusion_args_t *arg, long block, const int x[3], int d) {
  const oak_block_t *b = &arg->f.block[block];
  const double wide = OAK_ALONG(d) * oak_dx(&arg->f, b->level, d);
  const double first = d ? floor((b->origin[d] - arg->f.low[d]) / wide + 0.5) : b->first;
  const double last = arg->trees[d] * (double)(1LL << b->level) - 1;
  return x[d] < 0 && first == 0 ? 2 * d : x[d] >= OAK_ALONG(d) && first == last ? 2 * d + 1 : -1;
}

/* Apply walls of the domain with slip, or conductors (oak_wall_power). Beyond an edge of the
 * domain, the condition of the later axis takes precedence; it may give the state. */
OAK_FN void slip_at_boundary(const oak_diffusion_args_t *arg, long block, const int x[3],
                             real q[NVAR]) {
  int given = 0;
  for (int dir = OAK_DIM - 1; dir >= 0 && PHYSICS_NORMAL(0) >= 0; dir--) {
    const int face = boundary_beyond(arg, block, x, dir),
              inside[3] = {OAK_MIN(OAK_MAX(x[0], 0), OAK_NX - 1),
                           OAK_MIN(OAK_MAX(x[1], 0), OAK_NY - 1), 0};
    const oak_bc_t *bc = arg->bc + face * NVAR;
    double ghost[3], mirror[3];
    if (face < 0) continue;
    oak_center(&arg->f, block, x[0], x[1], 0, ghost);
    oak_center(&arg->f, block, inside[0], inside[1], 0, mirror);
    for (int v = 0; v < NVAR; v++) {
      int normal;
      const int power = oak_wall_power(v, dir, &normal);
      if (power && !given && bc[v].kind == OAK_BC_MIRROR && bc[normal].kind == OAK_BC_ANTIMIRROR)
        q[v] *= oak_wall_ratio(power, dir, mirror[dir], ghost[dir]);
    }
    given |= bc[0].kind >= OAK_BC_USER_STATE;
  }
}

/* Store cell x[], whose first variable is at p, in primitive variables. */
OAK_FN void primitive_cell(const oak_diffusion_args_t *arg, const oak_user_t *user, long block,
                           const int x[3], const store_t *p, long long stride, real *out) {
  real q[NVAR];
  load_primitive(&user->physics, p, stride, q);
  slip_at_boundary(arg, block, x, q);
  put_reals(out + WIDE_INDEX(x[0], x[1], x[2]), WIDE_CELLS, q);
}

/* Store the ghost cells beyond a face. */
OAK_FN void primitive_side(const oak_diffusion_args_t *arg, const oak_user_t *user, long block,
                           int dir, int high, real *out OAK_LANE_PARAM) {
  const oak_side_t s = oak_side(&arg->f, block, 2 * dir + high);
  const store_t *layer = s.p + (high ? 0 : (OAK_NG - 1) * s.sn);
  OAK_ROWS(b, FB(dir), FA(dir)) {
    OAK_LANES(a, FA(dir)) {
      int x[3];
      face_point(dir, high ? OAK_ALONG(dir) : -1, a, b, x);
      primitive_cell(arg, user, block, x, layer + a * s.sa + b * s.sb, s.sv, out);
    }
  }
}

OAK_KERNEL(oak_primitive, oak_diffusion_args_t, DIFFUSION_LANES) {
  OAK_ARGS(oak_diffusion_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    const long block = arg.first + n;
    const store_t *u = arg.f.u + block * OAK_BLOCK_REALS;
    real *out = arg.q + n * (long long)NVAR * WIDE_CELLS;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      const int j = row % OAK_NY, k = row / OAK_NY;
      OAK_LANES(i, OAK_NX) {
        real q[NVAR];
        load_primitive(&user.physics, u + OAK_INDEX(i, j, k), OAK_CELLS, q);
        put_reals(out + WIDE_INDEX(i, j, k), WIDE_CELLS, q);
      }
    }
    OAK_FOR(dir, OAK_DIM)
      OAK_FOR(high, 2) primitive_side(&arg, &user, block, dir, high, out OAK_LANE_ARG);
    /* Cells beyond edges; nothing reads corners in 3D. */
    OAK_ROWS(row, WIDE_Y * WIDE_Z, WIDE_X) {
      const int j = row % WIDE_Y - 1, k = OAK_DIM == 3 ? row / WIDE_Y - 1 : 0;
      const int beyond = (j < 0 || j >= OAK_NY) + (k < 0 || k >= OAK_NZ);
      if (!beyond) continue;
      OAK_LANES(i, WIDE_X) {
        const int x[3] = {i - 1, j, k};
        int stride;
        if ((i == 0 || i == WIDE_X - 1) + beyond != 2) continue;
        const store_t *p = edge_cell_of(&arg.f, arg.edge, NVAR, block, x, &stride);
        primitive_cell(&arg, &user, block, x, p, stride, out);
      }
    }
  }
}

/* Each flux is computed by the cells on both sides of a face. A GPU computes both fluxes of a cell
 * in turn, by one piece of code. In two, a compiler may contract products and sums in two ways, and
 * what leaves a cell would differ from what enters the next one.
 *
 * Fluxes are kept for flux fixing in a loop of its own, because stores to some faces of some blocks
 * would keep a CPU from making vectors of a row. */
OAK_KERNEL(oak_diffusion, oak_diffusion_args_t, DIFFUSION_LANES) {
  OAK_ARGS(oak_diffusion_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    const long block = arg.first + n;
    const int level = arg.f.block[block].level;
    const real *wide = arg.q + n * (long long)NVAR * WIDE_CELLS;
    store_t *out = arg.out + block * OAK_BLOCK_REALS;
    int refined = 0;
    OAK_FETCH_NEXT(out, OAK_BLOCK_REALS);
    for (int face = 0; face < OAK_FACES; face++)
      refined |= arg.f.face[block * OAK_FACES + face].bflux >= 0;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      real kept[OAK_FACES][NVAR][OAK_MANY_THREADS ? 1 : OAK_NX];
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY}, lane = OAK_MANY_THREADS ? 0 : i;
        const real inv_dx[3] = {(real)oak_inv_dx(&arg.f, level, 0),
                                (real)oak_inv_dx(&arg.f, level, 1),
                                OAK_DIM == 3 ? (real)oak_inv_dx(&arg.f, level, 2) : 0};
        const real *p = wide + WIDE_INDEX(x[0], x[1], x[2]);
        oak_at_t at = oak_place(&arg.f, &user, block, x[0], x[1], x[2]);
        real rate[NVAR], lower[NVAR], upper[NVAR];
        const metric_t m = diffusive_metric(&at, p, inv_dx);
        OAK_FOR(v, NVAR) rate[v] = upper[v] = 0;
        OAK_FOR(dir, OAK_DIM) {
          const double center = at.x[dir], half = 0.5 * oak_dx(&arg.f, level, dir);
          const int face = oak_face_index(dir, x[0], x[1], x[2]);
          OAK_TWO_TURNS
          for (int high = 0; high < 2; high++) {
            OAK_FOR(v, NVAR) lower[v] = upper[v];
            at.x[dir] = oak_moved(dir, center, high ? half : -half);
            SET_FACE(&at, &user, face + high * OAK_STRIDE(dir));
            diffusive_flux(&at, p + high * WIDE_STRIDE(dir), dir, inv_dx, upper);
          }
          at.x[dir] = center;
          OAK_FOR(v, NVAR) {
            rate[v] += net_flux(&m, v, dir, lower[v], upper[v]) * inv_dx[dir];
            kept[2 * dir][v][lane] = lower[v];
            kept[2 * dir + 1][v][lane] = upper[v];
          }
        }
        const int solid = oak_is_solid(p[SOLID_VAR * WIDE_CELLS]);
        OAK_FOR(v, NVAR) rate[v] = solid ? 0 : rate[v];
        oak_store(out + OAK_INDEX(x[0], x[1], x[2]), OAK_CELLS, rate);
      }
      if (!refined) continue;
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY}, lane = OAK_MANY_THREADS ? 0 : i;
        for (int face = 0; face < OAK_FACES; face++) {
          real flux[NVAR];
          OAK_FOR(v, NVAR) flux[v] = kept[face][v][lane];
          keep_flux(&arg.f, arg.bflux, block, face, x, flux);
        }
      }
    }
  }
}

OAK_KERNEL(oak_diffusivity, oak_diffusivity_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_diffusivity_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_SHARED double rate[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) rate[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c = first + i;
      real q[NVAR];
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      load_primitive(&user.physics, arg.f.u + n * OAK_BLOCK_REALS + c, OAK_CELLS, q);
      const double here = diffusion_rate(&at, q);
      rate[i] = OAK_MAX(rate[i], here);
    }
    double most;
    OAK_REDUCE_MAX(most, rate, OAK_CHUNK_LANES);
    OAK_SERIAL arg.rate[n] = most;
  }
}

#if OAK_DIFFUSION == 2 /* rkl2 */
/* Differences to y0, so that weights add up to one exactly and totals do not drift. */
OAK_KERNEL(oak_rkl, oak_rkl_args_t, OAK_CHUNK_LANES) {
  OAK_ARGS(oak_rkl_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    const real mu = (real)arg.mu, nu = (real)arg.nu, a = (real)arg.a, b = (real)arg.b;
    OAK_SHARED int bad[OAK_CHUNK_LANES];
    OAK_INNER(i, OAK_CHUNK_LANES) bad[i] = 0;
    OAK_CHUNKS(first)
    OAK_INNER(i, OAK_CHUNK(first)) {
      const int c0 = first + i;
      const long long at = n * OAK_BLOCK_REALS + c0;
      real u[NVAR];
      OAK_FOR(v, NVAR) {
        const long long c = at + v * OAK_CELLS;
        const real y0 = arg.f.u[c];
        u[v] =
            y0 + (mu * (arg.y1[c] - y0) + nu * (arg.y2[c] - y0) + (a * arg.m1[c] + b * arg.m0[c]));
      }
      oak_round_result(
          u, oak_cell_number(&arg.f, n, c0 % OAK_NX, c0 / OAK_NX % OAK_NY, c0 / (OAK_NX * OAK_NY)));
      bad[i] += !OAK_CURL && !oak_state_valid(&user.physics, u); /* else oak_face_means checks */
      oak_store(arg.out + at, OAK_CELLS, u);
    }
#if OAK_CURL /* the vector on faces */
    OAK_INNER(m, OAK_ROOM * OAK_CELLS) {
      const long long c = n * OAK_BLOCK_REALS + NVAR * OAK_CELLS + m;
      const real y0 = arg.f.u[c], rate = OAK_ELECTRIC ? a * arg.m1[c] + b * arg.m0[c] : 0;
      arg.out[c] = y0 + (mu * (arg.y1[c] - y0) + nu * (arg.y2[c] - y0) + rate);
    }
#endif
    int invalid;
    OAK_REDUCE_SUM(invalid, bad, OAK_CHUNK_LANES);
    OAK_SERIAL arg.bad[n] = invalid;
  }
}
#endif
