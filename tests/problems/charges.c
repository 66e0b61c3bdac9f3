/* SPDX-License-Identifier: GPL-2.0-or-later
 * Charges for the physics drift.c. */
TITLE("charges")
PARAMETER(edge, 0, "1: n jumps")
PARAMETER(refined, 0.5, "blocks whose lower corner has x and y below this are refined")

INITIAL(at, q) {
  const double x = 2 * M_PI * at->x[0], y = 2 * M_PI * at->x[1];
  const double z = OAK_DIM == 3 ? 2 * M_PI * at->x[2] : 0;
  q[RHO] = cos(x + 0.3) * sin(y) + 0.5 * sin(2 * x) + 0.4 * cos(z + 0.1) * (OAK_DIM == 3);
  q[N] = at->p.edge ? at->x[0] + at->x[1] < 0.8 : 1 + 0.5 * cos(x) * cos(y);
}

/* Two steps have different meshes. */
REFINE(at) {
  const double move = at->step / 2 % 2 ? 0.25 : 0;
  return at->x[0] < at->p.refined + move && at->x[1] < at->p.refined ? 1 : 0;
}
