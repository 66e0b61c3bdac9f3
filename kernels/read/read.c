/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading the solution for output, diagnostics and tests. */
#include "kernels/geometry/solids.h"
#include "kernels/hooks/user.h"

/* The contribution of cell c to the integral of variable v, divided by oak_cell_volume; 0 in solid
 * cells, but 1 for the mask itself. u: the values of v in the block. */
OAK_FN double counted(const oak_field_t *f, long block, const store_t *u, int v, int c) {
  const int of_mask = NSOLID && v == SOLID_VAR;
  if (NSOLID && oak_is_solid(u[(SOLID_VAR - v) * OAK_CELLS + c]) != of_mask) return 0;
  return (of_mask ? 1 : (double)u[c]) * oak_volume_factor(f, block, c);
}

#if OAK_LANES_APART
/* Sum over the cells of a lane, as several partial sums, so that loads do not wait for
 * additions. */
OAK_FN double lane_sum(const oak_field_t *f, long block, const store_t *u, int v, int lane,
                       int lanes) {
  double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int first = lane; first < OAK_CELLS; first += 8 * lanes) {
    OAK_FOR(s, 8)
      if (OAK_CELLS % (8 * lanes) == 0 || first + s * lanes < OAK_CELLS)
        part[s] += counted(f, block, u, v, first + s * lanes);
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
      OAK_SUM_LANES sum += lane_sum(&arg.f, block, u, v, oak_lane, oak_lanes);
      arg.total[n * NVAR + v] = sum * volume;
    }
  }
#else
  OAK_OUTER(n) {
    const long block = oak_listed(&arg.f, n);
    const double volume = oak_cell_volume(&arg.f, block);
    for (int v = 0; v < NVAR; v++) {
      const store_t *u = arg.f.u + block * OAK_BLOCK_REALS + (long long)v * OAK_CELLS;
      OAK_SHARED double part[OAK_NX];
      OAK_INNER(i, OAK_NX) {
        double sum = 0;
        for (int c = i; c < OAK_CELLS; c += OAK_NX) sum += counted(&arg.f, block, u, v, c);
        part[i] = sum;
      }
      double total;
      OAK_BARRIER;
      OAK_REDUCE_SUM(total, part, OAK_NX);
      OAK_SERIAL arg.total[n * NVAR + v] = total * volume;
      OAK_BARRIER;
    }
  }
#endif
}

enum { RESULT_LANES = 256 };

/* The largest rate and the number of invalid cells, from the results of the flux kernel in a chunk
 * of tiles. */
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

OAK_FN double read_cell(const physics_parameters_t *ph, int variable, real q[]) {
  if (variable == 2 * NVAR) return oak_state_valid(ph, q);
  oak_state_to_primitive(ph, q);
  real value = q[0]; /* an array that is indexed at run time would keep lanes from vectorising */
  OAK_UNROLL
  for (int v = 1; v < NVAR; v++) value = v == variable - NVAR ? q[v] : value;
  return (double)value;
}

/* The place of a variable's values in a block; NULL: the values must be computed. */
OAK_FN const store_t *stored_values(const oak_field_t *f, int variable, long block) {
  if (variable < NVAR) return f->u + block * OAK_BLOCK_REALS + (long long)variable * OAK_CELLS;
#ifdef OAK_FIELDS
  if (variable > 2 * NVAR) return f->beside[variable - 2 * NVAR - 1].u + block * OAK_CELLS;
#endif
  return NULL;
}

/* One output variable. */
OAK_KERNEL(oak_cells, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const physics_parameters_t ph = oak_physics(&arg.f);
    const long block = oak_listed(&arg.f, arg.first + n);
    const store_t *stored = stored_values(&arg.f, arg.variable, block);
    const store_t *u = arg.f.u + block * OAK_BLOCK_REALS;
    double *out = arg.cells + n * OAK_CELLS;
    if (stored) {
      OAK_INNER(c, OAK_CELLS) out[c] = (double)stored[c];
    } else {
      OAK_INNER(c, OAK_CELLS) {
        real q[NVAR];
        oak_load(u + c, OAK_CELLS, q);
        out[c] = read_cell(&ph, arg.variable, q);
      }
    }
  }
}

/* MEASURE_LANES: a CPU goes through a block cell by cell, and so does a lane of OpenACC, which has
 * a block for itself. */
enum { MEASURE_LANES = OAK_MANY_THREADS ? 128 : 1 };

/* Measure the cells of a lane. */
OAK_FN oak_measured_t measure_share(const oak_field_t *f, long block, const double *x,
                                    const double *mask, int dielectrics, const int *box, int lane) {
  oak_measured_t m;
  m.sum = m.moment = m.count = m.norm[0] = m.norm[1] = 0;
  m.value[0] = (double)INFINITY;
  m.value[1] = -(double)INFINITY;
  m.place[0] = m.place[1] = -1;
  for (int c = lane; c < OAK_CELLS; c += MEASURE_LANES) {
    if (box && !oak_in_box(box, c)) continue;
    if (NSOLID && mask && oak_is_solid((real)mask[c]) &&
        !(dielectrics && oak_is_dielectric((real)mask[c])))
      continue;
    if (NSOLID) m.count += oak_volume_factor(f, block, c);
    const double weight = oak_volume_factor(f, block, c);
    m.sum += x[c] * weight;
    m.moment += x[c] * weight * oak_axis_distance(f, block, c);
    m.norm[0] += fabs(x[c]) * weight;
    m.norm[1] += x[c] * x[c] * weight;
    if (!(x[c] - x[c] == 0)) continue; /* not finite */
    if (x[c] < m.value[0]) {
      m.value[0] = x[c];
      m.place[0] = c;
    }
    if (x[c] > m.value[1]) {
      m.value[1] = x[c];
      m.place[1] = c;
    }
  }
  return m;
}

/* Join two results. Of equal values the value in the first cell is kept. */
OAK_FN void measure_join(oak_measured_t *to, const oak_measured_t *m) {
  to->sum += m->sum;
  to->moment += m->moment;
  to->count += m->count;
  OAK_FOR(e, 2) to->norm[e] += m->norm[e];
  OAK_FOR(e, 2) {
    const int better = e ? m->value[e] > to->value[e] : m->value[e] < to->value[e];
    const int first = m->value[e] == to->value[e] && m->place[e] < to->place[e];
    if (m->place[e] < 0 || !(to->place[e] < 0 || better || first)) continue;
    to->value[e] = m->value[e];
    to->place[e] = m->place[e];
  }
}

/* Sum, norms and extrema of values that another kernel has written, in an order that depends on the
 * block alone. */
OAK_KERNEL(oak_measure, oak_measure_args_t, 128) {
  OAK_ARGS(oak_measure_args_t);
  OAK_OUTER(n) {
    const double *x = arg.cells + n * OAK_CELLS;
    const double *mask = arg.mask ? arg.mask + n * OAK_CELLS : NULL;
    const int *box = arg.box ? arg.box + 6 * n : NULL;
    OAK_SHARED oak_measured_t part[MEASURE_LANES];
    OAK_INNER(i, MEASURE_LANES)
      part[i] = measure_share(&arg.f, arg.first + n, x, mask, arg.dielectrics, box, i);
    for (int half = MEASURE_LANES / 2; half > 0; half /= 2) {
      OAK_BARRIER;
      OAK_INNER(i, half) measure_join(&part[i], &part[i + half]);
    }
    OAK_SERIAL {
      for (int e = 0; e < 2; e++) /* of 0 and -0, which are equal, the compiler may take either */
        if (part[0].place[e] >= 0) part[0].value[e] = x[part[0].place[e]];
      arg.out[n] = part[0];
    }
  }
}

/* Blocks with their ghost layers, conserved variables; edges and corners, which have no value, are
 * NaN. */
OAK_KERNEL(oak_ghosts, oak_read_args_t, 128) {
  OAK_ARGS(oak_read_args_t);
  OAK_OUTER_LANES(n) {
    const int width = OAK_NX + 2 * OAK_NG, height = OAK_NY + 2 * OAK_NG;
    const int depth = OAK_DIM == 3 ? OAK_NZ + 2 * OAK_NG : 1;
    OAK_ROWS(row, NVAR * depth * height, width) {
      const int j = row % height - OAK_NG, v = row / (height * depth);
      const int k = OAK_DIM == 3 ? row / height % depth - OAK_NG : 0;
      const int outside = (j < 0 || j >= OAK_NY) + (k < 0 || k >= OAK_NZ);
      const long block = oak_listed(&arg.f, arg.first + n);
      double *out = arg.cells + ((long long)n * NVAR * depth * height + row) * width;
      OAK_LANES(a, width) {
        const int i = a - OAK_NG;
        out[a] = outside + (i < 0 || i >= OAK_NX) > 1 ? (double)NAN
                                                      : (double)oak_get(&arg.f, block, v, i, j, k);
      }
    }
  }
}
