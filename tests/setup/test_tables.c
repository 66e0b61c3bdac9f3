/* SPDX-License-Identifier: GPL-2.0-or-later
 * Tables of hooks against an interpolation of its own between the points of the files: those that
 * oak ships, and tables with points that lie close together, far apart, or where values jump. */
// TEST timeout=200
#include "folder_test.h"
#include "solver_test.h"

enum { LINEAR, CUBIC, LOG, LOG_X, LOG_VALUE, BEYOND, CUBIC_BEYOND, INSIDE, PLANE, GRID };
enum { MOST = 300, SIDE = 64 };

static const char *const key[] = {"linear", "smooth",        "logarithmic", "log_axis", "log_value",
                                  "beyond", "smooth_beyond", "inside",      "plane",    "grid"};

typedef struct {
  int count, ny;
  double x[MOST], y[MOST], slope[MOST], value[MOST][8]; /* y: values, or the second axis */
} points_t;

/* ---- interpolation */

static long double mix(long double a, long double b, long double s, int is_log) {
  return is_log ? a * powl(b / a, s) : (1 - s) * a + s * b;
}

static long double place(double a, double b, double x, int is_log) {
  return is_log ? logl((long double)x / a) / logl((long double)b / a)
                : ((long double)x - a) / ((long double)b - a);
}

static int interval(const double *x, int count, double at) {
  int n = 0;
  while (n + 2 < count && at >= x[n + 1]) n++;
  return n;
}

/* The cubic of F. N. Fritsch, J. Butland, SIAM J. Sci. Stat. Comput. 5 (1984) 300; at the ends the
 * slope of a parabola through three points, limited. */
static void find_slopes(points_t *p) {
  double h[MOST], d[MOST];
  const int last = p->count - 1;
  for (int n = 0; n < last; n++) h[n] = p->x[n + 1] - p->x[n];
  for (int n = 0; n < last; n++) d[n] = (p->y[n + 1] - p->y[n]) / h[n];
  for (int n = 1; n < last; n++) {
    const double alpha = (h[n - 1] + 2 * h[n]) / (3 * (h[n - 1] + h[n]));
    p->slope[n] =
        d[n - 1] * d[n] > 0 ? d[n - 1] * d[n] / (alpha * d[n] + (1 - alpha) * d[n - 1]) : 0;
  }
  for (int end = 0; end < 2; end++) {
    const int a = end ? last - 1 : 0, b = end ? last - 2 : 1;
    double s = ((2 * h[a] + h[b]) * d[a] - h[a] * d[b]) / (h[a] + h[b]);
    if (s * d[a] <= 0) s = 0;
    if (fabs(s) > 3 * fabs(d[a])) s = 3 * d[a];
    p->slope[end ? last : 0] = s;
  }
}

static long double cubic(const points_t *p, int n, double x) {
  const long double h = p->x[n + 1] - p->x[n], s = (x - (long double)p->x[n]) / h;
  const long double a = p->y[n], b = p->y[n + 1], u = h * p->slope[n], v = h * p->slope[n + 1];
  return a + s * (u + s * (3 * (b - a) - 2 * u - v + s * (2 * (a - b) + u + v)));
}

static long double expected(const points_t *p, int kind, double x, double y) {
  const int log_x = kind == LOG || kind == LOG_X || kind == BEYOND || kind == GRID;
  const int log_value = kind == LOG || kind == LOG_VALUE || kind == BEYOND || kind == GRID;
  const int n = interval(p->x, p->count, x), last = p->count - 1;
  const int extrapolates = kind == BEYOND || kind == CUBIC_BEYOND || kind == PLANE;
  const double in = fmin(fmax(x, p->x[0]), p->x[last]), at = extrapolates ? x : in;
  if (kind == INSIDE && in != x) return NAN;
  if (kind == CUBIC || (kind == CUBIC_BEYOND && in == x)) return cubic(p, n, at);
  if (kind == CUBIC_BEYOND) {
    const int end = x > in ? last : 0;
    return p->y[end] + (x - (long double)in) * p->slope[end];
  }
  const long double s = place(p->x[n], p->x[n + 1], at, log_x);
  if (kind != PLANE && kind != GRID) return mix(p->y[n], p->y[n + 1], s, log_value);
  const int m = interval(p->y, p->ny, y);
  const double inside = fmin(fmax(y, p->y[0]), p->y[p->ny - 1]);
  const long double t = place(p->y[m], p->y[m + 1], extrapolates ? y : inside, log_x);
  return mix(mix(p->value[n][m], p->value[n + 1][m], s, log_value),
             mix(p->value[n][m + 1], p->value[n + 1][m + 1], s, log_value), t, log_value);
}

/* ---- files */

static void write_points(const points_t *p) {
  FILE *f = fopen(in_folder("table.txt"), "w");
  if (!f) abort();
  for (int n = 0; n < p->count; n++) fprintf(f, "%.17g %.17g\n", p->x[n], p->y[n]);
  fclose(f);
}

/* Two dimensions: the corner is not used. */
static void write_grid(const points_t *p) {
  FILE *f = fopen(in_folder("table.txt"), "w");
  if (!f) abort();
  for (int n = -1; n < p->count; n++) {
    fprintf(f, "%.17g", n < 0 ? 0 : p->x[n]);
    for (int m = 0; m < p->ny; m++) fprintf(f, ", %.17g", n < 0 ? p->y[m] : p->value[n][m]);
    fprintf(f, "\n");
  }
  fclose(f);
}

static points_t read_points(const char *name) {
  points_t p = {.count = 0};
  char path[4096], line[256];
  snprintf(path, sizeof path, "%s/../problems/%s", test_folder(), name);
  FILE *f = fopen(path, "r");
  if (!f) abort();
  while (fgets(line, sizeof line, f))
    p.count += sscanf(line, "%lf %lf", &p.x[p.count], &p.y[p.count]) == 2;
  fclose(f);
  return p;
}

/* ---- comparison */

/* Where cell c is along the line. */
static void find_place(const sim_t *s, int c, double low, double high, int ratio, double at[2]) {
  double x[3];
  const double h = 1.0 / SIDE;
  sim_center(s, 0, c, x);
  const double u = x[0] + (x[1] - 0.5 * h) * h - 0.5 * h;
  at[0] = ratio ? low * pow(high / low, u) : low + u * (high - low);
  at[1] = low + x[1] * (high - low);
}

/* 4096 values from low to high. Errors are those of the local value; where it is below 1e-6 of the
 * largest, they count as parts of that. */
static double compare(const points_t *p, int kind, double low, double high, int ratio, int single) {
  double worst = 0, largest = 0;
  points_t q = *p;
  if (kind == CUBIC || kind == CUBIC_BEYOND) find_slopes(&q);
  for (int n = 0; n < p->count; n++)
    for (int m = 0; m < (p->ny ? p->ny : 1); m++)
      largest = fmax(largest, fabs(p->ny ? p->value[n][m] : p->y[n]));
  sim_t s = sim_new(MPI_COMM_WORLD,
                    TEST_PROBLEM("tables") "physics.name=advection\nmesh.dim=2\nmesh.block_size=64\n"
                                           "mesh.max_level=0\ndevice.flags=-O2\nproblem.%s=%s\n"
                                           "problem.which=%d\nproblem.low=%.17g\nproblem.high=%.17g\n"
                                           "problem.scale=%.17g\nproblem.ratio=%d\n"
                                           "scheme.precision=%s\n",
                    key[kind], in_folder("table.txt"), kind, low, high, 1 / largest, ratio,
                    single ? "single" : "double");
  MUST(oak_initialize(s.sim));
  double *value = sim_read(&s, 0);
  for (int c = 0; c < s.cells; c++) {
    double at[2];
    find_place(&s, c, low, high, ratio, at);
    for (int d = 0; d < 2 && single; d++) at[d] = (double)(float)at[d];
    const double y = (double)(expected(&q, kind, at[0], at[1]) / largest);
    if (isnan(y))
      assert_true(value[c] == -1e9);
    else
      worst = worse(worst, fabs(value[c] - y) / fmax(fabs(y), 1e-6));
  }
  free(value);
  sim_free(&s);
  report("%s, %d points%s: largest error %.1e", key[kind], p->count, single ? ", single" : "",
         worst);
  return worst;
}

/* Logarithmic scales of one dimension are replaced by cubics. */
static void check(const points_t *p, int kind, double low, double high, int ratio) {
  const int cut = kind == LOG || kind == LOG_X || kind == LOG_VALUE || kind == BEYOND;
  if (kind == PLANE || kind == GRID)
    write_grid(p);
  else
    write_points(p);
  assert_true(compare(p, kind, low, high, ratio, 0) < (cut ? 2e-5 : 1e-12));
  if (kind != INSIDE) assert_true(compare(p, kind, low, high, ratio, 1) < (cut ? 2e-5 : 1e-6));
}

static void test_shipped(void **state) {
  (void)state;
  static const char *const name[] = {"streamer_mobility.txt", "streamer_diffusion.txt",
                                     "streamer_ionization.txt", "streamer_attachment.txt"};
  static const int kind[] = {LOG, LOG, CUBIC, LINEAR};
  for (int n = 0; n < 4; n++) {
    const points_t p = read_points(name[n]);
    assert_true(p.count >= 2);
    check(&p, kind[n], 0.5, 3000, 1);
  }
}

/* Jumps, neighbours that are close, values over many decades. All x are numbers of few bits. */
static void test_generated(void **state) {
  (void)state;
  const points_t jump = {.count = 8,
                         .x = {-1, 0, 0x1p-20, 0.125, 0.125 + 0x1p-22, 0.5, 0.75, 4},
                         .y = {3, 2, 5, 5, 1e-3, 1e3, 0, 7}};
  points_t p = {.count = 200}, tight = {.count = 6, .x = {1, 2, 2.5, 3, 3.25, 64}};
  check(&jump, LINEAR, -2, 5, 0);
  check(&jump, CUBIC, -2, 5, 0);
  check(&jump, CUBIC_BEYOND, -2, 5, 0);
  check(&jump, INSIDE, -2, 5, 0);
  for (int n = 0; n < p.count; n++) {
    p.x[n] = 1e4 + 1e3 * n * n + 500 * (n % 2);
    p.y[n] = 1e-22 * pow(1.1, n + 20 * sin(n));
  }
  check(&p, LINEAR, 5e3, 5e7, 1);
  check(&p, LOG, 5e3, 5e7, 1);
  check(&p, LOG_X, 5e3, 5e7, 1);
  check(&p, LOG_VALUE, 5e3, 5e7, 1);
  for (int n = 0; n < tight.count; n++) tight.y[n] = pow(tight.x[n], n % 2 ? 2 : -2);
  check(&tight, BEYOND, 0.25, 200, 1);
}

static void test_two_dimensions(void **state) {
  (void)state;
  points_t p = {.count = 5, .ny = 4, .x = {1, 2, 2.5, 16, 64}, .y = {0.5, 4, 5, 32}};
  for (int n = 0; n < p.count; n++)
    for (int m = 0; m < p.ny; m++) p.value[n][m] = 50 + pow(p.x[n], 2) * (3 + p.y[m]);
  check(&p, PLANE, 0.25, 100, 0);
  check(&p, GRID, 0.25, 100, 1);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped),
                                     cmocka_unit_test(test_generated),
                                     cmocka_unit_test(test_two_dimensions)};
  return FOLDER_TEST_MAIN(tests);
}
