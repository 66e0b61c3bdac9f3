/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plots as inline SVG, for reports. Private to app. */
#ifndef OAK_PLOT_SVG_H
#define OAK_PLOT_SVG_H

#include <stdio.h>

typedef enum {
  OAK_PLOT_LINE,    /**< points with a line */
  OAK_PLOT_POINTS,  /**< points alone */
  OAK_PLOT_DASHED,  /**< a grey dashed line: an ideal, a limit, an expected slope */
  OAK_PLOT_OUTLINED /**< hollow points with a dashed line: figures of others */
} oak_plot_style_t;

/** Points of one name. NAN in y leaves a point out. */
typedef struct {
  const char *name;
  oak_plot_style_t style;
  int color; /**< 0 to 5 */
  int n;
  const double *x, *y;           /**< [n] */
  const double *least, *most;    /**< [n], or NULL: a bar through the point */
  const char *const *point_name; /**< [n], or NULL: written beside the points */
} oak_plot_series_t;

typedef enum { OAK_AXIS_LINEAR, OAK_AXIS_LOG2, OAK_AXIS_LOG10 } oak_axis_t;

typedef struct {
  const char *x_title, *y_title;
  oak_axis_t x_axis, y_axis; /**< a linear y axis begins at 0 */
  const oak_plot_series_t *series;
  int nseries;
} oak_plot_t;

/** Write a plot with a legend. */
void oak_plot_lines(FILE *out, const oak_plot_t *plot);

/** Write stacked horizontal bars: share [nbar][npart], of 1. */
void oak_plot_shares(FILE *out, const char *const *bar, int nbar, const char *const *part,
                     int npart, const double *share);

/** Write text; characters that have a meaning in HTML are replaced. */
void oak_html_text(FILE *out, const char *text);

#endif
