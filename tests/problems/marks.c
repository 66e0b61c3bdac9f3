/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a cell is what it asks of the mesh, so that a test can ask for any flags.
 * Physics: advection. */

#define PROBLEM_TITLE "Marked cells"

OAK_FN void marks_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                          const double x[3], real q[]) {
  (void)p, (void)ph, (void)x, (void)q;
}
#define PROBLEM_INITIAL marks_initial

OAK_FN real marks_refine(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const oak_field_t *f, long block, int i, int j, int k) {
  (void)p, (void)ph;
  return oak_get(f, block, 0, i, j, k);
}
#define PROBLEM_REFINE marks_refine
