/* SPDX-License-Identifier: GPL-2.0-or-later
 * A wave, in a window that moves along x and is refined. Physics: advection. */

#define PROBLEM_TITLE "Moving window"

OAK_FN void window_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                           const double x[3], real q[]) {
  (void)p, (void)ph;
  q[0] = (real)(1 + 0.5 * sin(6.283185307179586 * (x[0] + x[1])));
}
#define PROBLEM_INITIAL window_initial

OAK_FN int window_region(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const double lower[3], const double upper[3], int level, double t) {
  (void)p, (void)ph, (void)level;
  return lower[0] < 0.3 + 2 * t && upper[0] > 0.2 + 2 * t ? OAK_REGION_REFINE : OAK_REGION_DEREFINE;
}
#define PROBLEM_REGION window_region
