/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles, read back by a small reader of their own: values, averages, coverage, integral; and
 * what happens when writing fails. With arguments "FOLDER DIM" it leaves a plotfile for
 * check_plotfile.py and prints the integral of its first variable. */
// TEST np={1,2,3,4}
#define _GNU_SOURCE 1
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "file_tools.h"
#include "io_test_view.h"
#include "plotfile.h"

enum { LEVELS = 8 };
static char folder[256];

/** A plotfile in memory, dense arrays per level. */
typedef struct {
  int nvar, dim, finest, nbox[LEVELS];
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
  const char *head = "FAB ((8, (64 11 52 0 1 12 0 1023)),(8, (8 7 6 5 4 3 2 1)))";
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
        assert_int_equal(fread(row, sizeof *row, (size_t)n[0], in), n[0]);
        memcpy(plot->value[l] + v * N[0] * N[1] * N[2] + at, row, (size_t)n[0] * sizeof *row);
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

static void read_plot(plot_t *plot, const oak_grid_view_t *view, const char *path) {
  memset(plot, 0, sizeof *plot);
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
  for (int l = 0; l <= plot->finest; l++) {
    int64_t low[3], high[3];
    while (fgetc(in) != '(') continue;
    ungetc('(', in);
    read_box(in, plot->dim, low, high);
    for (int d = 0; d < 3; d++) {
      assert_int_equal(low[d], 0);
      plot->n[l][d] = high[d] + 1;
      if (d < plot->dim) assert_int_equal(plot->n[l][d], view->block_size * view->trees[d] << l);
    }
    const size_t n = (size_t)(plot->n[l][0] * plot->n[l][1] * plot->n[l][2]);
    plot->value[l] = calloc(n * plot->nvar, sizeof(double));
    plot->present[l] = calloc(n, 1);
  }
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

/** Integral of a variable over the leaves, from the known field. */
static double known_integral(const test_mesh_t *mesh, int var) {
  const oak_grid_view_t *view = &mesh->view;
  const int n = view->block_size, nk = view->dim == 3 ? n : 1;
  double sum = 0;
  for (int b = 0; b < mesh->nleaf; b++) {
    double volume = 1;
    for (int d = 0; d < view->dim; d++)
      volume *= (view->xmax[d] - view->xmin[d]) / (double)(view->trees[d] * n << mesh->level[b]);
    for (int k = 0; k < nk; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
          const int64_t cell[3] = {mesh->index[b][0] * n + i, mesh->index[b][1] * n + j,
                                   mesh->index[b][2] * n + k};
          sum += volume * test_field(view, var, mesh->level[b], cell);
        }
  }
  return sum;
}

/** Compare one cell with the field (leaf) or with the average of its children. \return its share of
 * the integral: 0 for a covered cell. */
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
    assert_true(fabs(value - sum / ncovered) <= 1e-15 * 8 * fmax(1, fabs(value)));
    return 0;
  }
  assert_true(value == test_field(view, v, l, c));
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
    assert_true(fabs(integral - known_integral(mesh, v)) < 1e-12);
  }
  free_plot(&plot);
}

/** Is a file there on every rank? Waits for all before and after, so that none goes on to create or
 * remove it while another looks. */
static int exists(const char *path, const char *suffix) {
  char name[1024];
  struct stat info;
  snprintf(name, sizeof name, "%s%s", path, suffix);
  MPI_Barrier(MPI_COMM_WORLD);
  const int found = lstat(name, &info) == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  return found;
}

/** All ranks must have got the same status and the same message, with \a words in it. */
static void check_failure(oak_status_t st, oak_status_t expected, const char *words) {
  char message[512];
  assert_int_equal(st, expected);
  snprintf(message, sizeof message, "%s", oak_last_error());
  MPI_Bcast(message, sizeof message, MPI_CHAR, 0, MPI_COMM_WORLD);
  assert_string_equal(message, oak_last_error());
  if (!strstr(message, words)) fail_msg("'%s' is not in '%s'", words, message);
}

static void plot_path(char *path, size_t size, const char *name) {
  snprintf(path, size, "%s/%s", folder, name);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void write_and_read(int dim, int block_size, int fine, int tx, int ty, int backwards) {
  for (test_cut_t cut = 0; cut < TEST_CUT_COUNT; cut++) {
    char path[512];
    test_mesh_t mesh;
    plot_path(path, sizeof path, "new/folder/plt00010/");
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, block_size, fine, tx, ty, backwards, cut);
    const oak_status_t st = oak_plotfile_write(&mesh.view, path);
    if (st != OAK_OK) fail_msg("%s", oak_last_error());
    check_plot(&mesh, path);
    path[strlen(path) - 1] = '\0';
    assert_false(exists(path, OAK_PART));
    assert_false(exists(path, OAK_PLOTFILE_OLD));
    test_mesh_free(&mesh);
  }
}

static void test_quadtree(void **state) {
  (void)state;
  write_and_read(2, 4, 5, 2, 1, 0);
  write_and_read(2, 16, 3, 1, 1, 0);
}
static void test_octree(void **state) {
  (void)state;
  write_and_read(3, 4, 3, 2, 1, 0);
  write_and_read(3, 8, 2, 1, 1, 0);
}
static void test_tree_order(void **state) {
  (void)state;
  write_and_read(2, 2, 4, 3, 2, 1);
  write_and_read(3, 2, 2, 2, 2, 1);
}
static void test_one_block(void **state) {
  (void)state;
  write_and_read(2, 8, 0, 1, 1, 0);
}

static void test_merges(void **state) {
  (void)state;
  char path[512];
  test_mesh_t mesh;
  plot_t plot;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  plot_path(path, sizeof path, "merged");
  test_mesh_new(&mesh, MPI_COMM_WORLD, 3, 16, 1, 2, 1, 0, TEST_CUT_EVEN);
  assert_int_equal(oak_plotfile_write(&mesh.view, path), OAK_OK);
  read_plot(&plot, &mesh.view, path);
  assert_int_equal(plot.nbox[0], 2);
  /* One or two ranks hold whole families of 8; three and four split some. */
  if (size <= 2)
    assert_int_equal(plot.nbox[1], 2);
  else
    assert_true(plot.nbox[1] > 2);
  free_plot(&plot);
  test_mesh_free(&mesh);
}

static void test_unwritable(void **state) {
  (void)state;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  check_failure(oak_plotfile_write(&mesh.view, "/dev/null/x/plt"), OAK_ERR_FILE,
                "/dev/null: Not a directory");
  test_mesh_free(&mesh);
}

static void test_keeps_earlier(void **state) {
  (void)state;
  char path[512];
  test_mesh_t mesh;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  plot_path(path, sizeof path, "kept");
  test_mesh_new(&mesh, MPI_COMM_WORLD, 3, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  assert_int_equal(oak_plotfile_write(&mesh.view, path), OAK_OK);

  mesh.fail_rank = size - 1; /* one rank alone cannot read its data */
  mesh.fail_var = 1;
  check_failure(oak_plotfile_write(&mesh.view, path), OAK_ERR_DEVICE, "the test lets reading fail");
  mesh.fail_rank = -1;
  assert_false(exists(path, OAK_PART));
  check_plot(&mesh, path);

  for (int culprit = 0; culprit<size; culprit += size> 1 ? size - 1 : 1) {
    struct rlimit before, small; /* one rank alone runs out of file space */
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 700;
    signal(SIGXFSZ, SIG_IGN);
    if (rank == culprit) setrlimit(RLIMIT_FSIZE, &small);
    const oak_status_t st = oak_plotfile_write(&mesh.view, path);
    setrlimit(RLIMIT_FSIZE, &before);
    check_failure(st, OAK_ERR_FILE, "File too large; raise the file size limit");
    assert_false(exists(path, OAK_PART));
    check_plot(&mesh, path);
  }
  test_mesh_free(&mesh);
}

static void test_keeps_others(void **state) {
  (void)state;
  char path[512], note[600];
  test_mesh_t mesh;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  plot_path(path, sizeof path, "thesis");
  snprintf(note, sizeof note, "%s/chapter.tex", path);
  if (rank == 0) {
    assert_int_equal(mkdir(path, 0777), 0);
    FILE *out = fopen(note, "w");
    assert_non_null(out);
    fclose(out);
  }
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  check_failure(oak_plotfile_write(&mesh.view, path), OAK_ERR_FILE, "something else of that name");
  assert_true(exists(note, ""));
  test_mesh_free(&mesh);
}

/** On rank 0 a file with a folder of its own, "PATH SUFFIX/NAME". */
static void leave_file(const char *path, const char *suffix, const char *name) {
  char file[1200];
  snprintf(file, sizeof file, "%s%s/%s", path, suffix, name);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    assert_int_equal(oak_make_parents(file), OAK_OK);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fclose(out);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/** Copies and notes beside a plotfile, and in it, are not ours; what a killed run left is. */
static void test_deletes_own_only(void **state) {
  (void)state;
  char path[512], link[600];
  test_mesh_t mesh;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  plot_path(path, sizeof path, "mine");
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  leave_file(path, ".old", "Header");
  leave_file(path, ".part", "Level_0/Cell_H");
  leave_file(path, OAK_PART, "Level_7/Cell_D_00009");
  leave_file(path, OAK_PLOTFILE_OLD, "Header");
  for (int i = 0; i < 2; i++) assert_int_equal(oak_plotfile_write(&mesh.view, path), OAK_OK);
  check_plot(&mesh, path);
  assert_true(exists(path, ".old/Header"));
  assert_true(exists(path, ".part/Level_0/Cell_H"));
  assert_false(exists(path, OAK_PART));
  assert_false(exists(path, OAK_PLOTFILE_OLD));

  leave_file(path, "", "Level_1/notes.txt");
  check_failure(oak_plotfile_write(&mesh.view, path), OAK_ERR_FILE,
                "mine/Level_1/notes.txt was not written by oak");
  assert_true(exists(path, "/Level_1/notes.txt"));
  check_plot(&mesh, path);

  plot_path(path, sizeof path, "other");
  leave_file(path, OAK_PART, "thesis/chapter.tex");
  check_failure(oak_plotfile_write(&mesh.view, path), OAK_ERR_FILE, "was not written by oak");
  assert_true(exists(path, OAK_PART "/thesis/chapter.tex"));

  plot_path(path, sizeof path, "kept");
  snprintf(link, sizeof link, "%s/link", folder);
  if (rank == 0) assert_int_equal(symlink(path, link), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  check_failure(oak_plotfile_write(&mesh.view, link), OAK_ERR_FILE, "something else of that name");
  assert_true(exists(link, ""));
  assert_true(exists(path, "/Header"));
  test_mesh_free(&mesh);
}

static void test_bad_names(void **state) {
  (void)state;
  static const struct {
    const char *name, *words;
  } bad[] = {{"vel_x", "ends in _x"},
             {"m_z", "for example 'mz'"},
             {"", "not empty"},
             {"a b", "has no blanks"},
             {"density", "two output variables"}};
  const char *names[TEST_NVAR] = {"density", "ramp", NULL};
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  mesh.view.name = names;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    names[2] = bad[i].name;
    check_failure(oak_plotfile_write(&mesh.view, "/nowhere/plt"), OAK_ERR_ARGUMENT, bad[i].words);
  }
  test_mesh_free(&mesh);
}

static void test_series(void **state) {
  (void)state;
  char path[512], line[64];
  test_mesh_t mesh;
  int rank;
  static const char *const plots[] = {"s/plt00020", "s/plt100000", "s/plt00010", "s/plt00020"};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 2, 2, 1, 0, TEST_CUT_EVEN);
  for (int i = 0; i < 4; i++) {
    plot_path(path, sizeof path, plots[i]);
    assert_int_equal(oak_plotfile_write(&mesh.view, path), OAK_OK);
    assert_int_equal(oak_plotfile_series(MPI_COMM_WORLD, path), OAK_OK);
  }
  for (int n = 3; n >= 2; n--) {
    static const char *const expected[] = {"plt00010/Header\n", "plt00020/Header\n",
                                           "plt100000/Header\n"};
    FILE *in = open_part(folder, "s/plotfiles.visit", "r");
    for (int i = 0; i < n; i++) {
      assert_non_null(fgets(line, sizeof line, in));
      assert_string_equal(line, expected[i]);
    }
    assert_null(fgets(line, sizeof line, in));
    fclose(in);
    /* A plotfile that is gone leaves the list at the next update. */
    plot_path(path, sizeof path, "s/plt100000");
    if (rank == 0) assert_int_equal(oak_remove_all(path), OAK_OK);
    plot_path(path, sizeof path, "s/plt00020");
    assert_int_equal(oak_plotfile_series(MPI_COMM_WORLD, path), OAK_OK);
  }
  check_failure(oak_plotfile_series(MPI_COMM_WORLD, "/dev/null/plt"), OAK_ERR_FILE, "/dev/null");
  test_mesh_free(&mesh);
}

static int leave_sample(const char *path, int dim) {
  test_mesh_t mesh;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test_mesh_new(&mesh, MPI_COMM_WORLD, dim, dim == 3 ? 8 : 16, dim == 3 ? 4 : 6, 2, 1, 0,
                TEST_CUT_EVEN);
  const oak_status_t st = oak_plotfile_write(&mesh.view, path);
  if (rank == 0 && st == OAK_OK) printf("%.17g\n", known_integral(&mesh, 0));
  if (rank == 0 && st != OAK_OK) fprintf(stderr, "%s\n", oak_last_error());
  test_mesh_free(&mesh);
  return st != OAK_OK;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quadtree),        cmocka_unit_test(test_octree),
      cmocka_unit_test(test_tree_order),      cmocka_unit_test(test_one_block),
      cmocka_unit_test(test_merges),          cmocka_unit_test(test_unwritable),
      cmocka_unit_test(test_keeps_earlier),   cmocka_unit_test(test_keeps_others),
      cmocka_unit_test(test_bad_names),       cmocka_unit_test(test_series),
      cmocka_unit_test(test_deletes_own_only)};
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int failed;
  if (argc == 3) {
    failed = leave_sample(argv[1], atoi(argv[2]));
  } else {
    test_folder(folder, sizeof folder);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) oak_remove_all(folder);
  }
  MPI_Finalize();
  return failed != 0;
}
