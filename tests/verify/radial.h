/* SPDX-License-Identifier: GPL-2.0-or-later
 * Radial profiles of blasts and implosions about the origin. */
#ifndef RADIAL_H
#define RADIAL_H

#include "verify.h"

double radius(const double x[3]);

/** Means over shells r = i width .. (i + 1) width. */
typedef struct {
  int n;
  double *r;    /**< [n] mean radius of the cell centres in the shell; NAN: it has none */
  double *mean; /**< [n] mean of the variable, weighted by volume */
} radial_t;

/** Profile of one variable up to radius `end`, the same on all ranks. Free with radial_free. */
radial_t radial_profile(const sim_t *s, int variable, double width, double end);
void radial_free(radial_t *p);

/** The outermost radius at which the profile falls below `value`, by linear interpolation between
 * two shells; 0: nowhere. */
double radial_fall(const radial_t *p, double value);
/** Mean over first <= r < last, every shell with its volume. */
double radial_mean(const radial_t *p, int dim, double first, double last);
double radial_largest(const radial_t *p);

/** Table cells_2d or cells_3d of some cells spread over the domain, "r;value" of the density, and
 * the picture density_2d or density_3d of its values from 0 to `high`. */
void radial_show(sim_t *s, int level, double high);

#endif
