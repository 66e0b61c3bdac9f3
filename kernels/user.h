/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parameters of physics and problem as kernels read them, and what hooks get. Included after
 * kernels/field.h. */
#ifndef OAK_USER_H
#define OAK_USER_H

/* Inside a function whose brace a file above has not closed, a compiler refuses this by name. */
OAK_FN int a_brace_is_not_closed_in_the_file_of_the_problem(void) { return 0; }

/* What a physics includes before it changes the number of variables has arrays of another size. */
#ifdef OAK_RIEMANN_SIDES_H
OAK_REQUIRE(
    (int)OAK_NVAR_OF_SIDES == (int)(PHYSICS_NVAR),
    "PHYSICS_NVAR changes behind an #include that uses it: docs/kernels.md, 'A physics that "
    "changes another one'");
#endif

/* Parameters by value, so that they stay in registers. */
typedef struct {
  physics_parameters_t physics;
  problem_parameters_t problem;
} oak_user_t;

OAK_FN oak_user_t oak_user(const oak_field_t *f) {
  oak_user_t user;
  user.physics = *(const physics_parameters_t *)f->user;
  user.problem =
      *(const problem_parameters_t *)(f->user + sizeof(physics_parameters_t) / sizeof(double));
  return user;
}

/** What a hook gets at cell (i, j, k) of a block, ghost cells included. */
OAK_FN oak_at_t oak_place(const oak_field_t *f, const oak_user_t *user, long block, int i, int j,
                          int k) {
  oak_at_t at;
  at.p = user->problem;
  at.ph = user->physics;
#ifdef OAK_FIELDS
#define OAK_PLACE_FIELD(number, name) at.f.name = oak_beside_get(f, number, block, i, j, k);
  OAK_FIELDS(OAK_PLACE_FIELD)
#endif
  at.state = f;
  at.block = block;
  at.level = f->block[block].level;
  at.t = f->time;
  at.dt = f->dt;
  at.step = f->step;
  oak_center(f, block, i, j, k, at.x);
  OAK_UNROLL
  for (int d = 0; d < 3; d++) at.dx[d] = d < OAK_DIM ? oak_dx(f, at.level, d) : 0;
  at.cell[0] = i;
  at.cell[1] = j;
  at.cell[2] = k;
  return at;
}

#endif
