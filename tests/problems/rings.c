/* SPDX-License-Identifier: GPL-2.0-or-later
 * Flows in (r, z) with exact solutions: a gas at rest with rings of other density; a gas that
 * expands with the velocity x / (1 + t), in which a density that is any function of x / (1 + t)
 * keeps its shape (gamma = 5/3: uniform pressure falls as (1 + t)^-5); waves. */

TITLE("Rings")

PARAMETER(flow, 0, "{rest expansion waves} which")
PARAMETER(fine, 0, "1: refine a disk beside the axis and a ring")

OAK_FN double rings_density(double r, double z) {
  const double a = z - 0.1, b = r - 0.5, c = z - 0.3;
  return 1 + 0.5 * exp(-(r * r + a * a) / 0.05) + 0.5 * exp(-(b * b + c * c) / 0.03);
}

OAK_FN void rings_state(const oak_at_t *at, double q[]) {
  const double scale = at->p.flow == 1 ? 1 / (1 + at->t) : 1;
  const double density = rings_density(at->x[0] * scale, at->x[1] * scale);
  q[RHO] = density * scale * scale * scale;
  q[VX] = at->p.flow == 1 ? at->x[0] * scale : 0;
  q[VY] = at->p.flow == 1 ? at->x[1] * scale : 0;
  q[PRS] = at->p.flow == 2 ? density : 0.5 * pow(scale, 5);
}

INITIAL(at, q) { rings_state(at, q); }
BOUNDARY(at, face, q) { rings_state(at, q); }

REGION(at, lower, upper) {
  const int disk = lower[0] < 0.2 && lower[1] < 0.3 && upper[1] > 0;
  const int ring = lower[0] < 0.7 && upper[0] > 0.5 && lower[1] < -0.2;
  if (at->p.flow == 2) return OAK_REGION_FREE;
  return at->p.fine > 0 && (disk || ring) ? OAK_REGION_REFINE : OAK_REGION_NEVER;
}
