/* SPDX-License-Identifier: GPL-2.0-or-later
 * Water falls, runs up a slope and back, with three fractions. Physics: shallow_water. */

TITLE("Water on a slope")

FIELD(bed, at) { return 0.6 * at->x[0] + 0.03 * sin(6 * M_PI * at->x[1]); }

INITIAL(at, q) {
  const int high = at->x[0] < 0.3, upper = at->x[1] < 0.5;
  q[H] = fmax(0, (high ? 0.5 : 0.25) - at->f.bed);
  q[SCALAR(even)] = 0.25;
  q[SCALAR(inner)] = high & upper ? 0.65 : 0.1;
  q[SCALAR(outer)] = high & upper ? 0.1 : 0.65;
}
