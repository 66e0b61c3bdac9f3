/* SPDX-License-Identifier: GPL-2.0-or-later
 * Gas of high pressure and density in a disc or ball expands in a wind, with scalars: `even` is the
 * same everywhere, `inner` and `outer` are on different sides of another circle. Unit square or
 * cube, periodic. Physics: euler. */

TITLE("Scalars in a blast")

PARAMETER(thin, 1, "{>0} factor of density and pressure outside")
PARAMETER(most, 0.75, "{>=0} of `inner` and `outer`")

INITIAL(at, q) {
  double r2 = 0;
  for (int d = 0; d < OAK_DIM; d++) r2 += (at->x[d] - 0.45) * (at->x[d] - 0.45);
  q[RHO] = r2 < 0.04 ? 2 : at->p.thin;
  q[VX] = 0.7;
  q[VY] = -0.3;
  q[PRS] = r2 < 0.04 ? 10 : 0.5 * at->p.thin;
  q[SCALAR(even)] = 0.25;
  q[SCALAR(1)] = r2 < 0.03 ? at->p.most : 0;
  q[SCALAR(0) + 2] = r2 < 0.03 ? 0 : at->p.most;
}
