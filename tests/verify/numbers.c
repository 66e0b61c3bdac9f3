/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checks and tables: how results are compared and where they are written. */
#include <errno.h>
#include <stdarg.h>

#include "verify.h"

double verify_sum(double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return x;
}

double verify_max(double x) {
  if (isnan(x)) x = INFINITY;
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return x;
}

double verify_min(double x) { return -verify_max(-x); }

const char verify_measured[] = "regression only: what oak gave when the case was written";

void verify_check(verify_t *v, double value, double reference, double low, double high,
                  const char *source, const char *format, ...) {
  const int passed = value >= low && value <= high;
  char what[128];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  v->checked++;
  v->failed += !passed;
  if (v->rank != 0) return;
  printf("   %-4s %-52s %12.5g", passed ? "ok" : "BAD", what, value);
  if (!isnan(reference)) printf("  reference %.5g", reference);
  printf("  in %.5g .. %.5g\n", low, high);
  fflush(stdout);
  fprintf(v->checks, "%s;%.9g;%.9g;%.9g;%.9g;%d;%s\n", what, value, reference, low, high, passed,
          source);
}

FILE *verify_table(verify_t *v, const char *name, const char *columns) {
  char path[4096];
  if (v->rank != 0) return NULL;
  snprintf(path, sizeof path, "%s/%s/%s.csv", v->folder, v->name, name);
  FILE *f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "oak_verify: cannot write %s: %s\n", path, strerror(errno));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fprintf(f, "%s\n", columns);
  return f;
}

void verify_row(FILE *table, const char *format, ...) {
  va_list args;
  if (!table) return;
  va_start(args, format);
  vfprintf(table, format, args);
  va_end(args);
  fputc('\n', table);
}

void verify_close(FILE *table) {
  if (!table || fclose(table) == 0) return;
  fprintf(stderr, "oak_verify: cannot write a table: %s\n", strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

double verify_order(double coarse_error, double fine_error, double ratio) {
  return log(coarse_error / fine_error) / log(ratio);
}

verify_error_t verify_error(const sim_t *s, int variable, verify_exact_t *exact, const void *data) {
  double *u = verify_read(s, variable), sum1 = 0, sum2 = 0, most = 0, volume = 0;
  for (int b = 0; b < oak_nblocks(s->sim); b++)
    for (int c = 0; c < s->cells; c++) {
      double x[3];
      const double V = verify_cell(s, b, c, x);
      const double e = fabs(u[(size_t)b * s->cells + c] - exact(x, oak_time(s->sim), data));
      sum1 += e * V;
      sum2 += e * e * V;
      volume += V;
      if (!(e <= most)) most = e;
    }
  free(u);
  volume = verify_sum(volume);
  return (verify_error_t){verify_sum(sum1) / volume, sqrt(verify_sum(sum2) / volume),
                          verify_max(most)};
}

double *verify_uniform(const sim_t *s, int variable, int level, int size[3]) {
  int trees[3];
  double lower[3], *u = verify_read(s, variable);
  oak_params_ints(s->params, "mesh.trees", trees);
  oak_params_reals(s->params, "mesh.xmin", lower);
  size_t count = 1;
  for (int d = 0; d < 3; d++) {
    size[d] = d < s->dim ? trees[d] * s->n << level : 1;
    count *= size[d];
  }
  double *sum = calloc(count, sizeof *sum);
  if (!sum) abort();
  for (int b = 0; b < oak_nblocks(s->sim); b++) {
    const int above = oak_block_level(s->sim, b) - level; /* levels finer */
    const int copies = above < 0 ? 1 << -above : 1;
    const double weight = above > 0 ? ldexp(1, -s->dim * above) : 1;
    double origin[3], dx[3];
    oak_block_geometry(s->sim, b, origin, dx);
    for (int c = 0; c < s->cells; c++) {
      const int at[3] = {c % s->n, c / s->n % s->n, c / (s->n * s->n)};
      int first[3] = {0, 0, 0};
      for (int d = 0; d < s->dim; d++) {
        const long cell = lround((origin[d] - lower[d]) / dx[d]) + at[d];
        first[d] = (int)(above > 0 ? cell >> above : cell << -above);
      }
      for (int k = 0; k < (s->dim == 3 ? copies : 1); k++)
        for (int j = 0; j < copies; j++)
          for (int i = 0; i < copies; i++)
            sum[((size_t)(first[2] + k) * size[1] + first[1] + j) * size[0] + first[0] + i] +=
                weight * u[(size_t)b * s->cells + c];
    }
  }
  free(u);
  for (size_t done = 0; done < count; done += 1 << 24)
    MPI_Allreduce(MPI_IN_PLACE, sum + done, (int)(count - done < 1 << 24 ? count - done : 1 << 24),
                  MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

double verify_difference(const sim_t *a, const sim_t *b, int variable, int level) {
  int size[3];
  double *ua = verify_uniform(a, variable, level, size);
  double *ub = verify_uniform(b, variable, level, size), sum = 0;
  const size_t count = (size_t)size[0] * size[1] * size[2];
  for (size_t c = 0; c < count; c++) sum += fabs(ua[c] - ub[c]);
  free(ua);
  free(ub);
  return sum / count;
}

verify_amr_t verify_amr(verify_t *v, const char *name, const sim_t *uniform, const sim_t *amr,
                        int variable, int level, verify_amr_t most) {
  static const char *const source = "the uniform mesh of the finest level";
  const verify_amr_t is = {verify_difference(uniform, amr, variable, level),
                           (double)oak_cell_updates(amr->sim) / oak_cell_updates(uniform->sim)};
  verify_check(v, is.difference, 0, 0, most.difference, source,
               "%s: L1 difference of density from the uniform mesh", name);
  verify_check(v, is.updates, NAN, 0, most.updates, verify_measured,
               "%s: cell updates over those of the uniform mesh", name);
  return is;
}

double verify_change(sim_t *s, int nvar, double end) {
  double **start = calloc(nvar, sizeof *start), squares = 0;
  if (!start) abort();
  for (int n = 0; n < nvar; n++) start[n] = verify_read(s, n);
  verify_continue(s, end);
  for (int n = 0; n < nvar; n++) {
    double *u = verify_read(s, n), sum = 0;
    for (long c = 0; c < (long)oak_nblocks(s->sim) * s->cells; c++) sum += fabs(u[c] - start[n][c]);
    sum = verify_sum(sum) / (oak_nblocks_global(s->sim) * (double)s->cells);
    squares += sum * sum;
    free(u);
    free(start[n]);
  }
  free(start);
  return sqrt(squares);
}
