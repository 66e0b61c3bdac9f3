/* SPDX-License-Identifier: GPL-2.0-or-later
 * The value of a cell is what it asks of the mesh, so that a test can ask for any flags; in
 * quarters of the xy plane, regions may have their own answers until t = 1, and then want nothing.
 * Physics: advection. */

#define PROBLEM_TITLE "Marked cells"

#define MARKS_PARAMETERS(P)                               \
  P(regions, 0, "{no,yes} ask for regions")               \
  P(depth, 3, "level up to which one of them is refined") \
  P(middle, 0.5, "where the regions meet, along x and y")
OAK_PARAMETERS(problem, MARKS_PARAMETERS)
#define PROBLEM_PARAMETERS MARKS_PARAMETERS

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

OAK_FN int marks_region(const problem_parameters_t *p, const physics_parameters_t *ph,
                        const double lower[3], const double upper[3], int level, double t) {
  const int right = lower[0] + upper[0] > 2 * p->middle, top = lower[1] + upper[1] > 2 * p->middle;
  (void)ph;
  if (!p->regions) return OAK_REGION_FREE;
  if (t >= 1) return OAK_REGION_DEREFINE;
  if (!top) return right ? OAK_REGION_NEVER : OAK_REGION_FREE;
  return !right ? OAK_REGION_DEREFINE : level < p->depth ? OAK_REGION_REFINE : OAK_REGION_FREE;
}
#define PROBLEM_REGION marks_region
