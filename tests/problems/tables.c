/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: the values of a table of each kind along a line, as the state. */

TITLE("Values of tables")

TABLE(linear, "", "two points or more")
TABLE(smooth, "", "{cubic} values")
TABLE(logarithmic, "", "{log} values")
TABLE(log_axis, "", "{log_x} values")
TABLE(log_value, "", "{log_value} values")
TABLE(beyond, "", "{log, extrapolate} values")
TABLE(smooth_beyond, "", "{cubic extrapolate} values")
TABLE(inside, "", "{linear error} values")
TABLE_2D(plane, "", "{extrapolate} values")
TABLE_2D(grid, "", "{log} values")
PARAMETER(which, 0, "number of the table")
PARAMETER(scale, 1, "of the values; -1e9 stands for no number")
PARAMETER(low, 0, "first x")
PARAMETER(high, 1, "last x")
PARAMETER(ratio, 0, "above 0: x at equal ratios")

INITIAL(at, q) {
  const double u = at->x[0] + (at->x[1] - 0.5 * at->dx[1]) * at->dx[0] - 0.5 * at->dx[0];
  const int which = (int)at->p.which;
  const real x = (real)(at->p.ratio > 0 ? at->p.low * pow(at->p.high / at->p.low, u)
                                        : at->p.low + u * (at->p.high - at->p.low));
  const real y = (real)(at->p.low + at->x[1] * (at->p.high - at->p.low));
  const double value = which == 0   ? linear(x)
                       : which == 1 ? smooth(x)
                       : which == 2 ? logarithmic(x)
                       : which == 3 ? log_axis(x)
                       : which == 4 ? log_value(x)
                       : which == 5 ? beyond(x)
                       : which == 6 ? smooth_beyond(x)
                       : which == 7 ? inside(x)
                       : which == 8 ? plane(x, y)
                                    : grid(x, y);
  q[0] = value == value ? value * at->p.scale : -1e9;
}
