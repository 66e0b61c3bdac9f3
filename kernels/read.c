/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the solution for output, diagnostics and tests. */

/* The part of cell c in the integral of variable v, whose values in the block are u; 0 if the cell
 * is solid. */
OAK_FN double counted(const store_t *u, int v, int c) {
#if NSOLID
  if (v != SOLID_VAR && oak_is_solid(u[(SOLID_VAR - v) * OAK_CELLS + c])) return 0;
#else
  (void)v;
#endif
  return (double)u[c];
}

#if OAK_LANES_APART
/* Sum of a lane's share of a block, as several partial sums, so that loads do not wait for
 * additions. */
OAK_FN double lane_sum(const store_t *u, int v, int lane, int lanes) {
  double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int first = lane; first < OAK_CELLS; first += 8 * lanes) {
    OAK_UNROLL
    for (int s = 0; s < 8; s++)
      if (OAK_CELLS % (8 * lanes) == 0 || first + s * lanes < OAK_CELLS)
        part[s] += counted(u, v, first + s * lanes);
  }
  for (int s = 1; s < 8; s++) part[0] += part[s];
  return part[0];
}
#endif

/* Integral of every variable over each block, summed in an order that depends on N alone. */
OAK_KERNEL(oak_totals, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
#if OAK_LANES_APART
  OAK_GANGS_SUM(n) {
    const long block = oak_listed(&arg.f, n);
    const double volume = oak_cell_volume(&arg.f, block);
    for (int v = 0; v < NVAR; v++) {
      const store_t *u = arg.f.u + block * OAK_BLOCK_REALS + (long long)v * OAK_CELLS;
      double sum = 0;
      OAK_VECTOR(reduction(+ : sum))
      OAK_SUM_LANES sum += lane_sum(u, v, oak_lane, oak_lanes);
      arg.total[n * NVAR + v] = sum * volume;
    }
  }
#else
  OAK_OUTER(n) {
    const long block = oak_listed(&arg.f, n);
    const double volume = oak_cell_volume(&arg.f, block);
    for (int v = 0; v < NVAR; v++) {
      const store_t *u = arg.f.u + block * OAK_BLOCK_REALS + (long long)v * OAK_CELLS;
      OAK_SHARED double part[OAK_N];
      OAK_INNER(i, OAK_N) {
        double sum = 0;
        for (int c = i; c < OAK_CELLS; c += OAK_N) sum += counted(u, v, c);
        part[i] = sum;
      }
      double total;
      OAK_BARRIER;
      OAK_REDUCE_SUM(total, part, OAK_N);
      OAK_SERIAL arg.total[n * NVAR + v] = total * volume;
      OAK_BARRIER;
    }
  }
#endif
}

enum { RESULT_LANES = 256 };

/* The largest rate and the number of invalid cells that the flux kernel left in a chunk of tiles.
 */
OAK_KERNEL(oak_results, oak_results_args_t, 256) {
  OAK_ARGS(oak_results_args_t);
#if OAK_LANES_APART
  OAK_GANGS(n) {
    const long first = n * OAK_RESULTS_CHUNK;
    const long rest = arg.count - first, count = OAK_MIN(rest, OAK_RESULTS_CHUNK);
    double most = 0, sum = 0;
    OAK_VECTOR(reduction(max : most) reduction(+ : sum))
    for (long t = 0; t < count; t++) {
      most = OAK_MAX(most, arg.rate[first + t]);
      sum += arg.bad[first + t];
    }
    arg.out[2 * n] = most;
    arg.out[2 * n + 1] = sum;
  }
#else
  OAK_OUTER(n) {
    OAK_SHARED double rate[RESULT_LANES], bad[RESULT_LANES];
    const long first = n * OAK_RESULTS_CHUNK;
    const long rest = arg.count - first, count = OAK_MIN(rest, OAK_RESULTS_CHUNK);
    OAK_INNER(c, RESULT_LANES) {
      rate[c] = bad[c] = 0;
      for (long t = c; t < count; t += RESULT_LANES) {
        rate[c] = OAK_MAX(rate[c], arg.rate[first + t]);
        bad[c] += arg.bad[first + t];
      }
    }
    double most, sum;
    OAK_BARRIER;
    OAK_REDUCE_MAX(most, rate, RESULT_LANES);
    OAK_REDUCE_SUM(sum, bad, RESULT_LANES);
    OAK_SERIAL {
      arg.out[2 * n] = most;
      arg.out[2 * n + 1] = sum;
    }
  }
#endif
}

OAK_FN double read_cell(const oak_user_t *user, int variable, real q[]) {
  if (variable < NVAR) return (double)q[variable];
  if (variable == 2 * NVAR) return oak_state_valid(&user->physics, q);
  oak_state_to_primitive(&user->physics, q);
  return (double)q[variable - NVAR];
}

/* One output variable. */
OAK_KERNEL(oak_cells, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    const store_t *u = arg.f.u + oak_listed(&arg.f, arg.first + n) * OAK_BLOCK_REALS;
    double *out = arg.cells + n * OAK_CELLS;
    OAK_INNER(c, OAK_CELLS) {
      real q[NVAR];
      oak_load(u + c, OAK_CELLS, q);
      out[c] = read_cell(&user, arg.variable, q);
    }
  }
}

/* Blocks with their ghost layers, conserved variables; edges and corners, which have no value, are
 * NaN. */
OAK_KERNEL(oak_ghosts, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const int width = OAK_N + 2 * OAK_NG, depth = OAK_DIM == 3 ? width : 1;
    OAK_ROWS(row, NVAR * depth * width, width) {
      const int j = row % width - OAK_NG, v = row / (width * depth);
      const int k = OAK_DIM == 3 ? row / width % depth - OAK_NG : 0;
      const int outside = (j < 0 || j >= OAK_N) + (k < 0 || k >= OAK_NZ);
      const long block = oak_listed(&arg.f, arg.first + n);
      double *out = arg.cells + ((long long)n * NVAR * depth * width + row) * width;
      OAK_LANES(a, width) {
        const int i = a - OAK_NG;
        out[a] = outside + (i < 0 || i >= OAK_N) > 1 ? (double)NAN
                                                     : (double)oak_get(&arg.f, block, v, i, j, k);
      }
    }
  }
}
