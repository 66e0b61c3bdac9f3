/* SPDX-License-Identifier: GPL-2.0-or-later
 * Physics and problem for kernels: their parameters, and the arguments of hooks. */
#pragma once

#include "kernels/hooks/problem.h"

/* Defaults of hooks of the physics. */
#ifndef PHYSICS_SIDES
#define PHYSICS_SIDES 0
#define physics_face_sides(...) ((void)0)
#define physics_cell_terms(...) ((void)0)
#endif

#define OAK_COUNT_ONE(...) +1 /* counts the entries of a list X(...) */

/* The name in the compiler's message if a function in an earlier file lacks its closing brace. */
OAK_FN int a_brace_is_not_closed_in_the_file_of_the_problem(void) { return 0; }

/* Arrays of files that were included before a change of the number of variables have another
 * size. */
#ifdef OAK_RIEMANN_SIDES_H
OAK_REQUIRE(
    (int)OAK_NVAR_OF_SIDES == (int)(PHYSICS_NVAR),
    "PHYSICS_NVAR changes behind an #include that uses it: docs/kernels.md, 'A physics that "
    "changes another one'");
#endif

/** The face values of cell s[0] of a row by the limiter of the run. */
OAK_FN void oak_reconstruct(const real *s, real *lo, real *hi) {
  OAK_PASTE(limiter_, OAK_LIMITER)(s, lo, hi);
}

/* Parameters by value, so that they stay in registers. */
typedef struct {
  physics_parameters_t physics;
  problem_parameters_t problem;
} oak_user_t;

/* The parameters of the physics alone. Kernels that need no others are not compiled again if the
 * parameters of the problem change. */
OAK_FN physics_parameters_t oak_physics(const oak_field_t *f) {
  physics_parameters_t physics = *(const physics_parameters_t *)f->user;
#ifdef OAK_FACE_FIELDS /* last member, which the host does not have */
  const struct oak_face_numbers none = {0};
  physics.face = none;
#endif
  return physics;
}

OAK_FN oak_user_t oak_user(const oak_field_t *f) {
  oak_user_t user;
  user.physics = oak_physics(f);
#ifdef OAK_FACE_FIELDS
  user.problem = *(const problem_parameters_t *)(f->user + (sizeof(physics_parameters_t) -
                                                            sizeof(struct oak_face_numbers)) /
                                                               sizeof(double));
#else
  user.problem =
      *(const problem_parameters_t *)(f->user + sizeof(physics_parameters_t) / sizeof(double));
#endif
  return user;
}

/* Let `at` point to a copy in which COEFFICIENTS has changed the parameters of the physics. */
#if OAK_HAS_problem_coefficients
#define OAK_AT_PLACE(at, q)                  \
  oak_at_t at_place = *(at);                 \
  problem_coefficients(at, q, &at_place.ph); \
  (at) = &at_place
#else
#define OAK_AT_PLACE(at, q) ((void)0)
#endif
#if OAK_HAS_physics_diffusivity
OAK_FN double oak_physics_diffusivity(const oak_at_t *at, const real q[]) {
  OAK_AT_PLACE(at, q);
  return physics_diffusivity(at, q);
}
#endif

/* AT_FACE(ph, f, user, block, index): a pointer `ph` to the parameters of the physics, with the
 * numbers of the hooks FACE_FIELD on a face (oak_face_index). SET_FACE(at, user, index): the same
 * parameters in at->ph. */
#ifdef OAK_FACE_FIELDS
#define OAK_SET_FACE(number, name) \
  ph.face.name = f->beside[number].u[block * OAK_FACE_REALS + index];
OAK_FN physics_parameters_t oak_at_face(const oak_field_t *f, physics_parameters_t ph,
                                        long long block, int index) {
  OAK_FACE_FIELDS(OAK_SET_FACE)
#if OAK_CURL
  ph.face.OAK_FACE_VECTOR_NAME = oak_faces(f->u, block)[index];
#endif
  return ph;
}
#define SET_FACE(at, user, index) \
  ((at)->ph = oak_at_face((at)->state, (user)->physics, (at)->block, index))
#define AT_FACE(ph, f, user, block, index)                                               \
  const physics_parameters_t ph##_there = oak_at_face(f, (user)->physics, block, index), \
                             *const ph = &ph##_there
#else
#define AT_FACE(ph, f, user, block, index) \
  const physics_parameters_t *const ph = ((void)(index), &(user)->physics)
#define SET_FACE(at, user, index) ((void)(index))
#endif

/* The place of cell (i, j, k) of a block as a hook gets it, without the fields, which have no
 * values on coarse levels of the multigrid solver. */
OAK_FN oak_at_t oak_place_bare(const oak_field_t *f, const oak_user_t *user, long block, int i,
                               int j, int k) {
  oak_at_t at;
  at.p = user->problem;
  at.ph = user->physics;
  at.state = f;
  at.block = block;
  at.level = f->block[block].level;
  at.t = f->time;
  at.dt = f->dt;
  at.step = f->step;
  oak_center(f, block, i, j, k, at.x);
  OAK_FOR(d, 3) at.dx[d] = d < OAK_DIM ? oak_size(f, block, i, j, d) : 0;
  at.cell[0] = i;
  at.cell[1] = j;
  at.cell[2] = k;
  return at;
}

/** The place of cell (i, j, k) of a block as a hook gets it, ghost cells included. */
OAK_FN oak_at_t oak_place(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                          int k) {
  oak_at_t at = oak_place_bare(f, user, block, i, j, k);
#ifdef OAK_FIELDS
#define OAK_PLACE_FIELD(number, name) at.f.name = oak_beside_get(f, number, block, i, j, k);
#define OAK_PLACE_FIXED(variable, name) at.f.name = oak_get(f, block, variable, i, j, k);
  OAK_FIELDS(OAK_PLACE_FIELD)
  OAK_FIXED(OAK_PLACE_FIXED)
#endif
  return at;
}

/** oak_place for a cell inside the block. It has no branches, so loops over cells are vectorised.
 */
OAK_FN oak_at_t oak_place_inside(const oak_field_t *f, const oak_user_t *user, long block, int i,
                                 int j, int k) {
  oak_at_t at = oak_place_bare(f, user, block, i, j, k);
#ifdef OAK_FIELDS
  const long long cell = OAK_INDEX(i, j, k);
#define OAK_INSIDE_FIELD(number, name) at.f.name = f->beside[number].u[block * OAK_CELLS + cell];
#define OAK_INSIDE_FIXED(variable, name) \
  at.f.name = f->u[block * OAK_BLOCK_REALS + (variable)*OAK_CELLS + cell];
  OAK_FIELDS(OAK_INSIDE_FIELD)
  OAK_FIXED(OAK_INSIDE_FIXED)
#endif
  return at;
}

/** oak_place_inside for cell c = i + N j + N^2 k of the block. */
OAK_FN oak_at_t oak_place_cell(const oak_field_t *f, const oak_user_t *user, long block, int c) {
  return oak_place(f, user, block, c % OAK_NX, c / OAK_NX % OAK_NY, c / (OAK_NX * OAK_NY));
}

/** The primitive state of the cell whose first variable is at p. */
OAK_FN void load_primitive(const physics_parameters_t *ph, const store_t *p, long long stride,
                           real q[]) {
  oak_load(p, stride, q);
  oak_state_to_primitive(ph, q);
}

/* ---- fields that are variables of the state: OAK_FIXED_FUNCTIONS(X) is X(variable, name,
 * function) for each field that a hook FIELD sets */
#ifdef OAK_FIXED_FUNCTIONS
/** Value of variable `v` of the state, which a hook FIELD sets, in the cell of `at`. It is the mean
 * over the cells of the finest level in this cell (at most OAK_FIXED_DEPTH levels finer), so the
 * mean of fine cells is the value of the coarse cell. In polar coordinates it is the mean by
 * volume. */
enum { OAK_FIXED_DEPTH = OAK_DIM == 3 ? 4 : 6 };
OAK_FN double oak_fixed_value(const oak_at_t *at, int v) {
  const int depth = OAK_MIN(at->state->finest - at->level, OAK_FIXED_DEPTH),
            n = depth > 0 ? 1 << depth : 1;
  double sum = 0, volume = 0;
  oak_at_t fine = *at;
  for (int k = 0; k < (OAK_DIM == 3 ? n : 1); k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const int part[3] = {i, j, k};
        OAK_FOR(d, OAK_DIM)
          fine.x[d] =
              oak_moved(d, at->x[d], ((part[d] + 0.5) / n - 0.5) * oak_dx(at->state, at->level, d));
        const double r = OAK_COORDINATES ? fine.x[0] : 1, weight = OAK_LOG_RADIUS ? r * r : r;
#define OAK_ADD_FIXED(variable, name, function) \
  if (v == (variable)) sum += weight * function(&fine);
        OAK_FIXED_FUNCTIONS(OAK_ADD_FIXED)
        volume += weight;
      }
  return sum / volume;
}
#endif
