/* SPDX-License-Identifier: GPL-2.0-or-later
 * Water on a bed that is rough or steep, in a box of 16 x 16 cells of size 1. Physics:
 * shallow_water. */

TITLE("Puddles, hills, rain, islands, a cliff")

PARAMETER(kind, 0, "{puddles hills rain islands cliff dam} what there is")
PARAMETER(rain, 1e-3, "depth per time of the rain")

/* A number from 0 to 1 for each cell. */
OAK_FN double chance(const oak_at_t *at, double seed) {
  const double x = sin(12.9898 * floor(at->x[0]) + 78.233 * floor(at->x[1]) + seed) * 43758.5453;
  return x - floor(x);
}

FIELD(bed, at) {
  const double x = at->x[0], hills = sin(0.75 * x + 1) * sin(0.5 * at->x[1] + 0.5);
  const double cliff = x < 1 ? 0.1 : x < 2 ? 0.106 : x < 3 ? 0.114 : x < 4 ? 0.125 : 0.592;
  return at->p.kind == 0   ? 2 * chance(at, 0)
         : at->p.kind == 3 ? 1 + hills
         : at->p.kind == 4 ? cliff
         : at->p.kind == 5 ? 0
                           : 13 * (1 + hills);
}

INITIAL(at, q) {
  const int kind = at->p.kind, wet = chance(at, 1) < 0.3;
  q[H] = kind == 0   ? wet * 0.3 * chance(at, 2)
         : kind == 1 ? 0.02
         : kind == 2 ? 1e-3
         : kind == 3 ? fmax(0, 1 + 0.03 * at->x[0] - at->f.bed)
         : kind == 4 ? 0.04 * (at->x[0] > 3 && at->x[0] < 4)
                     : at->x[0] < 40;
}

SOURCE(at, q, s) { s[H] += at->p.kind == 2 ? at->p.rain : 0; }
