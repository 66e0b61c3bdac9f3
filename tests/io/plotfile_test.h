/* SPDX-License-Identifier: GPL-2.0-or-later
 * A small reader of plotfiles for tests, and a comparison with the fields of io_test_view.h. */
#ifndef OAK_PLOTFILE_TEST_H
#define OAK_PLOTFILE_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "io_test_view.h"

enum { LEVELS = 8 };

/** A plotfile in memory, dense arrays per level. */
typedef struct {
  int nvar, dim, finest, bytes, nbox[LEVELS];
  double time;
  int64_t n[LEVELS][3];
  double *value[LEVELS]; /* [nvar][nk][nj][ni] */
  char *present[LEVELS]; /* [nk][nj][ni] how many boxes hold the cell */
} plot_t;

static FILE *open_part(const char *path, const char *part, const char *mode) {
  char name[4096];
  snprintf(name, sizeof name, "%.2000s/%.2000s", path, part);
  FILE *in = fopen(name, mode);
  if (!in) fail_msg("cannot read %s", name);
  return in;
}

static void read_corner(FILE *in, int dim, int64_t out[3]) {
  assert_int_equal(fgetc(in), '(');
  out[0] = out[1] = out[2] = 0;
  for (int d = 0; d < dim; d++) {
    long long v;
    assert_int_equal(fscanf(in, "%lld", &v), 1);
    out[d] = v;
    assert_int_equal(fgetc(in), d + 1 < dim ? ',' : ')');
  }
}

static void read_box(FILE *in, int dim, int64_t low[3], int64_t high[3]) {
  int64_t type[3];
  assert_int_equal(fgetc(in), '(');
  read_corner(in, dim, low);
  assert_int_equal(fgetc(in), ' ');
  read_corner(in, dim, high);
  assert_int_equal(fgetc(in), ' ');
  read_corner(in, dim, type);
  assert_int_equal(type[0] | type[1] | type[2], 0);
  assert_int_equal(fgetc(in), ')');
}

static void read_word(FILE *in, const char *expected) {
  char word[256];
  assert_int_equal(fscanf(in, "%255s", word), 1);
  assert_string_equal(word, expected);
}

static int64_t read_int(FILE *in) {
  long long v;
  assert_int_equal(fscanf(in, "%lld", &v), 1);
  return v;
}

static double read_real(FILE *in) {
  double v;
  assert_int_equal(fscanf(in, "%lf", &v), 1);
  return v;
}

static void read_fab(plot_t *plot, int l, const char *path, const char *file, int64_t offset,
                     const int64_t low[3], const int64_t high[3]) {
  char name[1200], text[128];
  int64_t flow[3], fhigh[3], n[3];
  snprintf(name, sizeof name, "Level_%d/%s", l, file);
  FILE *in = open_part(path, name, "rb");
  assert_int_equal(fseeko(in, (off_t)offset, SEEK_SET), 0);
  const char *head = plot->bytes == 4
                         ? "FAB ((8, (32 8 23 0 1 9 0 127)),(4, (4 3 2 1)))"
                         : "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))";
  assert_int_equal(fread(text, 1, strlen(head), in), strlen(head));
  assert_memory_equal(text, head, strlen(head));
  read_box(in, plot->dim, flow, fhigh);
  assert_memory_equal(flow, low, sizeof flow);
  assert_memory_equal(fhigh, high, sizeof fhigh);
  assert_int_equal(read_int(in), plot->nvar);
  assert_int_equal(fgetc(in), '\n');
  for (int d = 0; d < 3; d++) n[d] = high[d] - low[d] + 1;
  double *row = malloc((size_t)n[0] * sizeof *row);
  const int64_t *N = plot->n[l];
  for (int v = 0; v < plot->nvar; v++)
    for (int64_t k = low[2]; k <= high[2]; k++)
      for (int64_t j = low[1]; j <= high[1]; j++) {
        const int64_t at = (k * N[1] + j) * N[0] + low[0];
        assert_int_equal(fread(row, (size_t)plot->bytes, (size_t)n[0], in), n[0]);
        for (int64_t i = 0; i < n[0]; i++)
          plot->value[l][v * N[0] * N[1] * N[2] + at + i] =
              plot->bytes == 4 ? ((float *)row)[i] : row[i];
        if (v == 0)
          for (int64_t i = 0; i < n[0]; i++) plot->present[l][at + i]++;
      }
  free(row);
  fclose(in);
}

static void read_level(plot_t *plot, int l, const char *path) {
  char name[64];
  snprintf(name, sizeof name, "Level_%d/Cell_H", l);
  FILE *in = open_part(path, name, "r");
  const int nbox = plot->nbox[l];
  assert_int_equal(read_int(in), 1);
  assert_int_equal(read_int(in), 1);
  assert_int_equal(read_int(in), plot->nvar);
  assert_int_equal(read_int(in), 0);
  assert_int_equal(fscanf(in, " ("), 0);
  assert_int_equal(read_int(in), nbox);
  assert_int_equal(read_int(in), 0);
  int64_t(*low)[3] = malloc((size_t)nbox * sizeof *low);
  int64_t(*high)[3] = malloc((size_t)nbox * sizeof *high);
  for (int b = 0; b < nbox; b++) {
    assert_int_equal(fscanf(in, "%*1[\n]"), 0);
    read_box(in, plot->dim, low[b], high[b]);
  }
  read_word(in, ")");
  assert_int_equal(read_int(in), nbox);
  for (int b = 0; b < nbox; b++) {
    char file[64];
    read_word(in, "FabOnDisk:");
    assert_int_equal(fscanf(in, "%63s", file), 1);
    read_fab(plot, l, path, file, read_int(in), low[b], high[b]);
  }
  for (int side = 0; side < 2; side++) { /* lowest, then highest values */
    assert_int_equal(read_int(in), nbox);
    assert_int_equal(fgetc(in), ',');
    assert_int_equal(read_int(in), plot->nvar);
    for (int b = 0; b < nbox; b++)
      for (int v = 0; v < plot->nvar; v++) {
        double expected = side ? -INFINITY : INFINITY;
        const int64_t *N = plot->n[l];
        const double *value = plot->value[l] + v * N[0] * N[1] * N[2];
        for (int64_t k = low[b][2]; k <= high[b][2]; k++)
          for (int64_t j = low[b][1]; j <= high[b][1]; j++)
            for (int64_t i = low[b][0]; i <= high[b][0]; i++) {
              const double x = value[(k * N[1] + j) * N[0] + i];
              expected = side ? fmax(expected, x) : fmin(expected, x);
            }
        assert_true(read_real(in) == expected);
        assert_int_equal(fgetc(in), ',');
      }
  }
  free(low);
  free(high);
  fclose(in);
}

/* The cells of a level, and memory for them. */
static void read_size(plot_t *plot, int l, const oak_grid_view_t *view, FILE *in) {
  int64_t low[3], high[3];
  while (fgetc(in) != '(') continue;
  ungetc('(', in);
  read_box(in, plot->dim, low, high);
  for (int d = 0; d < 3; d++) {
    assert_int_equal(low[d], 0);
    plot->n[l][d] = high[d] + 1;
    if (d < plot->dim) assert_int_equal(plot->n[l][d], view->block_size[d] * view->trees[d] << l);
  }
  const size_t n = (size_t)(plot->n[l][0] * plot->n[l][1] * plot->n[l][2]);
  plot->value[l] = calloc(n * plot->nvar, sizeof(double));
  plot->present[l] = calloc(n, 1);
}

static void read_plot(plot_t *plot, const oak_grid_view_t *view, const char *path) {
  memset(plot, 0, sizeof *plot);
  plot->bytes = view->value_bytes;
  FILE *in = open_part(path, "Header", "r");
  read_word(in, "HyperCLaw-V1.1");
  plot->nvar = (int)read_int(in);
  assert_int_equal(plot->nvar, view->nvar);
  for (int v = 0; v < plot->nvar; v++) read_word(in, view->name[v]);
  plot->dim = (int)read_int(in);
  plot->time = read_real(in);
  plot->finest = (int)read_int(in);
  assert_int_equal(plot->dim, view->dim);
  assert_int_equal(plot->finest, view->max_level);
  for (int d = 0; d < plot->dim; d++) assert_true(read_real(in) == view->xmin[d]);
  for (int d = 0; d < plot->dim; d++) assert_true(read_real(in) == view->xmax[d]);
  for (int l = 0; l < plot->finest; l++) assert_int_equal(read_int(in), 2);
  for (int l = 0; l <= plot->finest; l++) read_size(plot, l, view, in);
  for (int l = 0; l <= plot->finest; l++) assert_int_equal(read_int(in), view->step);
  for (int l = 0; l <= plot->finest; l++)
    for (int d = 0; d < plot->dim; d++) {
      const double width = (view->xmax[d] - view->xmin[d]) / (double)plot->n[l][d];
      assert_true(fabs(read_real(in) - width) < 1e-15 * width * 4);
    }
  assert_int_equal(read_int(in), 0);
  assert_int_equal(read_int(in), 0);
  for (int l = 0; l <= plot->finest; l++) {
    char cell[64];
    assert_int_equal(read_int(in), l);
    plot->nbox[l] = (int)read_int(in);
    assert_true(read_real(in) == plot->time);
    assert_int_equal(read_int(in), view->step);
    double volume = 0, domain = 1;
    for (int b = 0; b < plot->nbox[l]; b++) {
      double v = 1;
      for (int d = 0; d < plot->dim; d++) {
        const double low = read_real(in);
        v *= read_real(in) - low;
      }
      volume += v;
    }
    for (int d = 0; d < plot->dim; d++) domain *= view->xmax[d] - view->xmin[d];
    assert_true(l > 0 ? volume <= domain * (1 + 1e-12) : fabs(volume / domain - 1) < 1e-12);
    snprintf(cell, sizeof cell, "Level_%d/Cell", l);
    read_word(in, cell);
  }
  fclose(in);
  for (int l = 0; l <= plot->finest; l++) read_level(plot, l, path);
}

static void free_plot(plot_t *plot) {
  for (int l = 0; l < LEVELS; l++) {
    free(plot->value[l]);
    free(plot->present[l]);
  }
}

/** Compare one cell with the field, or, if finer cells cover it, with their average. \return its
 * part of the integral, 0 if it is covered. */
static double check_cell(const plot_t *plot, const oak_grid_view_t *view, int v, int l,
                         const int64_t c[3]) {
  const int64_t *N = plot->n[l], *F = l < plot->finest ? plot->n[l + 1] : N;
  const double value = plot->value[l][((v * N[2] + c[2]) * N[1] + c[1]) * N[0] + c[0]];
  int ncovered = 0;
  double sum = 0;
  for (int s = 0; l < plot->finest && s < 1 << plot->dim; s++) {
    const int64_t f[3] = {2 * c[0] + (s & 1), 2 * c[1] + (s >> 1 & 1), 2 * c[2] + (s >> 2 & 1)};
    ncovered += plot->present[l + 1][(f[2] * F[1] + f[1]) * F[0] + f[0]];
    sum += plot->value[l + 1][((v * F[2] + f[2]) * F[1] + f[1]) * F[0] + f[0]];
  }
  assert_true(ncovered == 0 || ncovered == 1 << plot->dim);
  if (ncovered > 0) {
    const double epsilon = plot->bytes == 4 ? 0x1p-24 : 0x1p-53;
    assert_true(fabs(value - sum / ncovered) <= 8 * epsilon * fmax(1, fabs(value)));
    return 0;
  }
  const double known = test_field(view, v, l, c);
  assert_true(value == (plot->bytes == 4 ? (float)known : known));
  double volume = 1;
  for (int d = 0; d < plot->dim; d++) volume *= (view->xmax[d] - view->xmin[d]) / (double)N[d];
  return volume * value;
}

static void check_plot(const test_mesh_t *mesh, const char *path) {
  const oak_grid_view_t *view = &mesh->view;
  plot_t plot;
  read_plot(&plot, view, path);
  for (int v = 0; v < plot.nvar; v++) {
    double integral = 0;
    for (int l = 0; l <= plot.finest; l++) {
      const int64_t *N = plot.n[l];
      int64_t c[3];
      for (c[2] = 0; c[2] < N[2]; c[2]++)
        for (c[1] = 0; c[1] < N[1]; c[1]++)
          for (c[0] = 0; c[0] < N[0]; c[0]++) {
            const int present = plot.present[l][(c[2] * N[1] + c[1]) * N[0] + c[0]];
            assert_true(present == 1 || (present == 0 && l > 0));
            if (present) integral += check_cell(&plot, view, v, l, c);
          }
    }
    assert_true(fabs(integral - known_integral(mesh, v)) < (plot.bytes == 4 ? 1e-6 : 1e-12));
  }
  free_plot(&plot);
}

#endif
