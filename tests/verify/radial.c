/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "radial.h"

double radius(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

radial_t radial_profile(const sim_t *s, int variable, double width, double end) {
  const int n = (int)ceil(end / width);
  radial_t p = {n, calloc(n, sizeof *p.r), calloc(n, sizeof *p.mean)};
  double *volume = calloc(n, sizeof *volume), *u = verify_read(s, variable);
  if (!p.r || !p.mean || !volume) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      const double V = verify_cell(s, b, c, x), r = radius(x);
      const int i = (int)(r / width);
      if (i >= n) continue;
      p.r[i] += V * r;
      p.mean[i] += V * u[(size_t)b * s->cells + c];
      volume[i] += V;
    }
  free(u);
  MPI_Allreduce(MPI_IN_PLACE, p.r, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, p.mean, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, volume, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) {
    p.r[i] /= volume[i]; /* 0/0: NAN */
    p.mean[i] /= volume[i];
  }
  free(volume);
  return p;
}

void radial_free(radial_t *p) {
  free(p->r);
  free(p->mean);
}

double radial_fall(const radial_t *p, double value) {
  int outer = -1;
  for (int i = p->n - 1; i >= 0; i--) {
    if (isnan(p->r[i])) continue;
    if (p->mean[i] >= value) {
      if (outer < 0) return p->r[i];
      const double w = (p->mean[i] - value) / (p->mean[i] - p->mean[outer]);
      return p->r[i] + w * (p->r[outer] - p->r[i]);
    }
    outer = i;
  }
  return 0;
}

double radial_mean(const radial_t *p, int dim, double first, double last) {
  double sum = 0, volume = 0;
  for (int i = 0; i < p->n; i++) {
    if (!(p->r[i] >= first && p->r[i] < last)) continue;
    sum += pow(p->r[i], dim - 1) * p->mean[i];
    volume += pow(p->r[i], dim - 1);
  }
  return sum / volume;
}

double radial_largest(const radial_t *p) {
  double most = -INFINITY;
  for (int i = 0; i < p->n; i++)
    if (p->mean[i] > most) most = p->mean[i];
  return most;
}

/* Table `name` of some `points` cells spread over the domain. */
static void scatter(const sim_t *s, const char *name, int level, int points) {
  int size[3];
  double lower[3], upper[3], *u = verify_uniform(s, 0, level, size);
  oak_params_reals(s->params, "mesh.xmin", lower);
  oak_params_reals(s->params, "mesh.xmax", upper);
  const size_t count = (size_t)size[0] * size[1] * size[2];
  const size_t stride = count / points | 1; /* an odd step visits all rows */
  FILE *table = verify_table(s->v, name, "r;value");
  for (size_t c = 0; c < count && table; c += stride) {
    const size_t at[3] = {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
    double x[3] = {0};
    for (int d = 0; d < s->dim; d++)
      x[d] = lower[d] + (at[d] + 0.5) * (upper[d] - lower[d]) / size[d];
    fprintf(table, "%.6g;%.6g\n", radius(x), u[c]);
  }
  verify_close(table);
  free(u);
}

void radial_show(sim_t *s, int level, double high) {
  char name[32];
  snprintf(name, sizeof name, "cells_%dd", s->dim);
  scatter(s, name, level, 2500);
  snprintf(name, sizeof name, "density_%dd", s->dim);
  if (s->dim == 3) MUST(oak_params_set(s->params, "output.picture_position", "0"));
  verify_picture(s, name, "rho", 0, high);
}
