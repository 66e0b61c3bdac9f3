/* SPDX-License-Identifier: GPL-2.0-or-later
 * The parameters of physics and problem, as kernels read them. Included after both files. */
#ifndef OAK_USER_H
#define OAK_USER_H

/* Inside a function whose brace a file above has not closed, a compiler refuses this by name. */
OAK_FN int a_brace_is_not_closed_in_the_file_of_the_problem(void) { return 0; }

#ifndef PROBLEM_PARAMETERS
#define OAK_NO_PARAMETERS_(P) P(none, 0, "unused")
OAK_PARAMETERS(problem, OAK_NO_PARAMETERS_)
#endif

/* Parameters by value, so that they stay in registers. */
typedef struct {
  physics_parameters_t physics;
  problem_parameters_t problem;
} oak_user_t;

/* For the host, which checks that it gives as many values. */
OAK_CONST_DATA int oak_user_count = (int)(sizeof(oak_user_t) / sizeof(double));

OAK_FN oak_user_t oak_user(const oak_field_t *f) {
  oak_user_t user;
  user.physics = *(const physics_parameters_t *)f->user;
  user.problem =
      *(const problem_parameters_t *)(f->user + sizeof(physics_parameters_t) / sizeof(double));
  return user;
}

#endif
