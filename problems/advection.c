/* SPDX-License-Identifier: GPL-2.0-or-later
 * A smooth blob carried through the unit square or cube (paper, "Scalar advection"): a sphere with
 * a cubic edge, eq. advection-sphere-sol, or a Gaussian, eq. advection-sphere-gauss.
 * Physics: advection; all boundaries periodic. */

#define PROBLEM_TITLE "Advection of a blob"

#define ADVECTION_PROBLEM_PARAMETERS(P)             \
  P(shape, 0, "{sphere,gaussian} initial profile")  \
  P(radius, 0.1, "radius R of the blob")            \
  P(edge, 0.05, "width delta of the sphere's edge") \
  P(center, 0.5, "position of the blob along every axis")
OAK_PARAMETERS(problem, ADVECTION_PROBLEM_PARAMETERS)
#define PROBLEM_PARAMETERS ADVECTION_PROBLEM_PARAMETERS

OAK_FN void blob_initial(const problem_parameters_t *p, const physics_parameters_t *ph,
                         const double x[3], real q[]) {
  double d2 = 0;
  (void)ph;
  OAK_UNROLL
  for (int i = 0; i < OAK_DIM; i++) d2 += (x[i] - p->center) * (x[i] - p->center);
  const double d = sqrt(d2), s = 1 + (d - p->radius) / p->edge;
  const double sphere = d < p->radius - p->edge ? 1
                        : d < p->radius         ? 1 - 3 * s * s + 2 * s * s * s
                                                : 0;
  q[0] = (real)(p->shape > 0.5 ? exp(-d2 / (p->radius * p->radius)) : sphere);
}

#define PROBLEM_INITIAL blob_initial
