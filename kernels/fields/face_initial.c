/* SPDX-License-Identifier: GPL-2.0-or-later
 * The initial values of a vector on faces (FACE_VECTOR): the curl of VECTOR_POTENTIAL, or else the
 * components of INITIAL on faces. A number on an edge or face is the mean over edges or faces of
 * the finest level in it, so that the flux through a coarse face is the sum of the fluxes through
 * finer ones. Places are counted from the lower end of the domain, so that all blocks at a face
 * find the same numbers. */
#include "kernels/fields/face_vector.h"

#if OAK_CURL
/* MOST_FINER: the mean is over edges or faces that are at most this many levels finer. */
#if OAK_DIM == 3 && !OAK_HAS_problem_vector_potential
enum { MOST_FINER = 4 };
#else
enum { MOST_FINER = 10 };
#endif

typedef struct {
  const oak_user_t *user;
  store_t *faces;
} initial_t;

/* A place at `place` cells, of a level that is `finer` than the block, from the lower corner of the
 * block. *extent: oak_extent from there along the axes in `over`. */
OAK_FN oak_at_t finer_place(const oak_field_t *f, const oak_user_t *user, long block, int finer,
                            const double place[3], int over, double *extent) {
  oak_at_t at = oak_place_bare(f, user, block, 0, 0, 0);
  double cells[3] = {0, 0, 0};
  OAK_FOR(d, OAK_DIM) {
    const double dx = oak_dx(f, at.level + finer, d);
    const double first = (f->block[block].origin[d] - f->low[d]) * oak_inv_dx(f, at.level, d);
    cells[d] = floor(first + 0.5) * (1 << finer) + place[d];
    at.x[d] = f->low[d] + cells[d] * dx;
    cells[d] = floor(cells[d]);
  }
  at.x[0] = oak_first_coordinate(at.x[0]);
  at.level += finer;
  cells[0] += f->axis * (double)(1LL << at.level);
  OAK_FOR(d, OAK_DIM) at.dx[d] = oak_extent(f, at.level, cells[0], cells[1], 1 << d);
  *extent = oak_extent(f, at.level, cells[0], cells[1], over);
  return at;
}

#if OAK_HAS_problem_vector_potential
/* The integral of the potential along the edge along c below cell x[]. */
OAK_FN double on_edge(const oak_field_t *f, const oak_user_t *user, long block, int c,
                      const int x[3]) {
  const int finer = OAK_MIN(f->finest - f->block[block].level, MOST_FINER), n = 1 << finer;
  double sum = 0, length;
  for (int m = 0; m < (c < OAK_DIM ? n : 1); m++) {
    double place[3], a[3] = {0, 0, 0};
    OAK_FOR(d, 3) place[d] = (double)x[d] * n + (d == c ? m + 0.5 : 0);
    const oak_at_t at = finer_place(f, user, block, finer, place, 1 << c, &length);
    problem_vector_potential(&at, a);
    if (length > 0) sum += a[c] * length;
  }
  return sum;
}
#endif

/* The flux through the face below cell x[] across dir. */
OAK_FN double initial_flux(const oak_field_t *f, const oak_user_t *user, long block, int dir,
                           const int x[3]) {
  double sum = 0;
#if OAK_HAS_problem_vector_potential
  /* r, z and phi are left-handed in this order */
  const int b = (dir + 1) % 3, c = (dir + 2) % 3;
  const int hand = OAK_COORDINATES == OAK_AXISYMMETRIC ? -1 : 1;
  OAK_FOR(n, 2) {
    const int along = n ? b : c, across = n ? c : b; /* d_b A_c - d_c A_b */
    if (across >= OAK_DIM) continue;
    int y[3] = {x[0], x[1], x[2]};
    y[across]++;
    sum += (n ? -hand : hand) *
           (on_edge(f, user, block, along, y) - on_edge(f, user, block, along, x));
  }
#else
  const int finer = OAK_MIN(f->finest - f->block[block].level, MOST_FINER), n = 1 << finer;
  for (int l = 0; l < (OAK_DIM == 3 ? n : 1); l++)
    for (int m = 0; m < n; m++) {
      double place[3], q[NVAR], area;
      const int part[2] = {m, l};
      int number = 0;
      OAK_FOR(d, 3)
        place[d] = (double)x[d] * n + (d == dir || d >= OAK_DIM ? 0 : part[number++] + 0.5);
      const oak_at_t at = finer_place(f, user, block, finer, place, 7 ^ 1 << dir, &area);
      for (int v = 0; v < NVAR; v++) q[v] = 0;
      problem_initial(&at, q);
      sum += q[OAK_FACE_VECTOR + dir] * area;
    }
#endif
  return sum;
}

OAK_FN void set_initial_face(const oak_field_t *f, const initial_t *t, long block, int dir, int i,
                             int j, int k) {
  const int x[3] = {i, j, k};
  const double area = oak_face_area(f, block, dir, i, j);
  t->faces[oak_face_index(dir, i, j, k)] =
      (store_t)(area > 0 ? initial_flux(f, t->user, block, dir, x) / area : 0);
}

/* The components of INITIAL beside VECTOR_POTENTIAL in a block whose cells still have them: 4: the
 * same field, with large errors allowed; 8: another field; 0: no field. */
OAK_FN int compare_fields(const store_t *u) {
  double given = 0, made = 0, difference = 0;
  for (int c = 0; c < OAK_CELLS; c++) {
    const int x[3] = {c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY)};
    real mean[NVAR];
    cell_means(u + NVAR * OAK_CELLS, x, mean);
    OAK_FOR(d, OAK_DIM) {
      const double value = (double)u[(OAK_FACE_VECTOR + d) * OAK_CELLS + c];
      const double other = (double)mean[OAK_FACE_VECTOR + d];
      given += fabs(value), made += fabs(other), difference += fabs(value - other);
    }
  }
  return given <= 1e-6 * made ? 0 : difference < 0.5 * given ? 4 : 8;
}

OAK_KERNEL(oak_face_initial, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    store_t *u = arg.u + n * OAK_BLOCK_REALS;
    const initial_t t = {&user, u + NVAR * OAK_CELLS};
    OAK_EACH_FACE(set_initial_face, &arg.f, &t, n)
    OAK_INNER(m, OAK_ROOM * OAK_CELLS - OAK_FACE_REALS) t.faces[OAK_FACE_REALS + m] = 0;
  }
}

/* Note the result of compare_fields, on faces that are set. */
OAK_KERNEL(oak_face_compare, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER(n) {
    OAK_SERIAL arg.bad[n * arg.results] |= compare_fields(arg.u + n * OAK_BLOCK_REALS);
  }
}

/* Set the state of each cell from the means of the vector and the pressure of INITIAL. A divergence
 * that is more than rounding is noted (2). */
OAK_KERNEL(oak_face_start, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    const physics_parameters_t ph = oak_physics(&arg.f);
    store_t *u = arg.u + n * OAK_BLOCK_REALS;
    const store_t *faces = u + NVAR * OAK_CELLS;
    const double digits = OAK_DIGITS == 7 ? 1e-4 : 1e-10;
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      store_t *cell = u + row * OAK_NX;
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY};
        double size;
        real q[NVAR];
        OAK_FOR(v, NVAR) q[v] = cell[v * OAK_CELLS + i];
        oak_state_to_primitive(&ph, q);
        cell_means(faces, x, q);
        oak_state_to_conserved(&ph, q);
        OAK_FOR(v, NVAR) cell[v * OAK_CELLS + i] = (store_t)q[v];
        const double net = oak_cell_divergence(&arg.f, faces, n, x, &size);
        if (!oak_state_valid(&ph, q)) arg.bad[n * arg.results] |= 1;
        if (fabs(net) > digits * size + arg.dt) arg.bad[n * arg.results] |= 2;
      }
    }
  }
}

/* Store the divergence of each cell in arg.e, [nblock][N^d]. */
OAK_KERNEL(oak_face_divergence, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    OAK_ROWS(row, OAK_NY * OAK_NZ, OAK_NX) {
      OAK_LANES(i, OAK_NX) {
        const int x[3] = {i, row % OAK_NY, row / OAK_NY};
        double size;
        arg.e[n * OAK_CELLS + row * OAK_NX + i] =
            oak_cell_divergence(&arg.f, oak_faces(arg.u, n), n, x, &size);
      }
    }
  }
}

/* Subtract the derivatives arg.e [nblock][OAK_FACE_REALS] from the faces, and clear the notes of
 * oak_face_start, which runs again. */
OAK_KERNEL(oak_face_project, oak_curl_args_t, 128) {
  OAK_ARGS(oak_curl_args_t);
  OAK_OUTER_LANES(n) {
    store_t *faces = arg.u + n * OAK_BLOCK_REALS + NVAR * OAK_CELLS;
    const double *slope = arg.e + n * OAK_FACE_REALS;
    OAK_INNER(m, OAK_FACE_REALS) faces[m] = (store_t)((double)faces[m] - slope[m]);
    OAK_INNER(m, 1) arg.bad[n * arg.results] = 0;
  }
}
#endif
