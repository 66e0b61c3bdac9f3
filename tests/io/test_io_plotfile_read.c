/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles read back by oak itself: every leaf and every value, places found among them, and
 * damaged files, which end in a message. */
// TEST np={1,2} sanitize
#define _GNU_SOURCE 1

#include <stdio.h>
#include <sys/stat.h>

#include "folder_test.h"
#include "io/files/file_tools.h"
#include "io_test_view.h"
#include "io/view/grid_view.h"
#include "io/plotfile/plotfile.h"

static char path[512];
/** Write an artificial tree over all ranks. */
static void write_mesh(test_mesh_t *mesh, int dim, int block_size, int fine, int value_bytes) {
  test_mesh_new(mesh, MPI_COMM_WORLD, dim, block_size, fine, 2, 1, 1, TEST_CUT_EVEN);
  mesh->view.value_bytes = value_bytes;
  snprintf(path, sizeof path, "%s/plt_%d_%d", folder, dim, block_size);
  if (oak_plotfile_write(&mesh->view, 0, path) != OAK_OK) fail_msg("%s", oak_last_error());
}

/** With blocks that are a \a cut of those written along each axis; 0: with those written. */
static oak_status_t open_cut(const test_mesh_t *mesh, int cut, oak_plotfile_t **p) {
  int size[3];
  for (int d = 0; d < 3; d++)
    size[d] = d < mesh->view.dim && cut ? mesh->view.block_size[d] / cut : 1;
  return oak_plotfile_open(path, cut ? size : NULL, p);
}

static void add_deep(test_mesh_t *mesh, int level, int32_t i, int32_t j) {
  const int last = i == (mesh->view.trees[0] << level) - 1 && j == 0;
  for (int c = 0; last && level < mesh->view.max_level && c < 4; c++)
    add_deep(mesh, level + 1, 2 * i + (c & 1), 2 * j + (c >> 1));
  if (last && level < mesh->view.max_level) return;
  mesh->level[mesh->nleaf] = (int8_t)level;
  mesh->index[mesh->nleaf][0] = i;
  mesh->index[mesh->nleaf++][1] = j;
}

/** Trees in a row, the last of which is refined to level \a fine in its corner. All leaves are on
 * the last rank. */
static void deep_mesh(test_mesh_t *mesh, int trees, int fine) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  test_mesh_new(mesh, MPI_COMM_WORLD, 2, 4, 0, trees, 1, 0, TEST_CUT_LAST);
  mesh->view.max_level = fine;
  mesh->level = realloc(mesh->level, (size_t)(trees + 4 * fine));
  mesh->index = realloc(mesh->index, (size_t)(trees + 4 * fine) * sizeof *mesh->index);
  memset(mesh->index, 0, (size_t)(trees + 4 * fine) * sizeof *mesh->index);
  mesh->nleaf = 0;
  for (int t = 0; t < trees; t++) add_deep(mesh, 0, t, 0);
  mesh->view.nglobal = mesh->nleaf;
  mesh->view.nblock = test_rank == size - 1 ? mesh->nleaf : 0;
  mesh->view.level = mesh->level;
  mesh->view.index = (const int32_t(*)[3])mesh->index;
}

/** Compare what \a view reads with the test's field. \return its cells, in those of the finest. */
static double compare_values(const oak_grid_view_t *view, const oak_grid_view_t *written,
                             int value_bytes) {
  const int *n = view->block_size, ncell = n[0] * n[1] * n[2];
  double *cells = malloc((size_t)ncell * sizeof *cells), volume = 0;
  for (int v = 0; v < view->nvar; v++)
    for (int b = 0; b < view->nblock; b++) {
      assert_int_equal(view->read(view, v, b, 1, cells), OAK_OK);
      volume += v == 0 ? ncell * pow(0.5, view->dim * view->level[b]) : 0;
      for (int c = 0; c < ncell; c++) {
        const int64_t cell[3] = {(int64_t)view->index[b][0] * n[0] + c % n[0],
                                 (int64_t)view->index[b][1] * n[1] + c / n[0] % n[1],
                                 (int64_t)view->index[b][2] * n[2] + c / n[0] / n[1]};
        double expected = test_field(written, v, view->level[b], cell);
        if (value_bytes == 4) expected = (float)expected;
        assert_true(cells[c] == expected);
      }
    }
  free(cells);
  return volume;
}

/** Header and leaves are those that were written. */
static void check_plotfile(const test_mesh_t *mesh, int cut, int value_bytes) {
  oak_plotfile_t *p;
  double range[2];
  if (open_cut(mesh, cut, &p) != OAK_OK) fail_msg("%s", oak_last_error());
  if (!cut) cut = 1;
  const oak_grid_view_t *view = oak_plotfile_view(p), *written = &mesh->view;
  assert_int_equal(view->value_bytes, value_bytes);
  assert_int_equal(view->dim, written->dim);
  assert_int_equal(view->nvar, TEST_NVAR);
  assert_int_equal(view->step, 2140);
  assert_true(view->time == 1.5);
  assert_int_equal(view->min_level, written->min_level);
  assert_int_equal(view->max_level, written->max_level);
  assert_int_equal(view->nglobal, mesh->nleaf * (int)pow(cut, view->dim));
  for (int d = 0; d < view->dim; d++) {
    assert_true(view->xmin[d] == written->xmin[d] && view->xmax[d] == written->xmax[d]);
    assert_int_equal(view->trees[d], written->trees[d] * cut);
    assert_int_equal(view->block_size[d], written->block_size[d] / cut);
  }
  assert_true(compare_values(view, written, value_bytes) ==
              (double)oak_view_block_cells(written) * view->trees[0] * view->trees[1] *
                  view->trees[2] / pow(cut, view->dim));
  oak_plotfile_range(p, 2, range);
  assert_true(range[0] >= -1 && range[0] < -0.9 && range[1] <= 1 && range[1] > 0.9);
  oak_plotfile_close(&p);
  assert_null(p);
}

static void test_values(void **state) {
  (void)state;
  for (int i = 0; i < 6; i++) {
    test_mesh_t mesh;
    test_flat_blocks = i >= 4;
    const int dim = 2 + i % 2, size = dim == 2 ? 16 : 8, bytes = i < 2 ? 8 : 4;
    write_mesh(&mesh, dim, size, dim == 2 ? 5 : 3, bytes);
    check_plotfile(&mesh, 0, bytes);
    check_plotfile(&mesh, 1, bytes);
    check_plotfile(&mesh, 2, bytes);
    check_plotfile(&mesh, size / 4, bytes);
    oak_plotfile_t *p;
    const int wrong[3] = {6, size, dim == 3 ? size : 1};
    assert_int_equal(oak_plotfile_open(path, wrong, &p), OAK_ERR_ARGUMENT);
    assert_null(p);
    test_mesh_free(&mesh);
  }
  test_flat_blocks = 0;
}

/** Each place is found in the leaf around it, whatever the order of the leaves. */
static void test_locate(void **state) {
  (void)state;
  for (int dim = 2; dim <= 3; dim++) {
    test_mesh_t mesh;
    oak_locator_t *locator;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 4, 3, 2, 1, 1, TEST_CUT_EVEN);
    const oak_grid_view_t *view = &mesh.view;
    assert_int_equal(oak_locator_new(view, &locator), OAK_OK);
    for (int b = 0; b < mesh.nleaf; b++) {
      const int shift = 5 - mesh.level[b], mine = b - (int)view->first;
      for (int corner = 0; corner < 1 << dim; corner++) {
        int64_t at[3] = {0, 0, 0};
        double x[3] = {0, 0, 0};
        int cell[3];
        for (int d = 0; d < dim; d++) {
          const int upper = corner >> d & 1;
          at[d] = ((int64_t)(mesh.index[b][d] + upper) << shift) - upper;
          x[d] = view->xmin[d] +
                 (view->xmax[d] - view->xmin[d]) * ((double)at[d] + 0.5) / (view->trees[d] << 5);
        }
        const int expected = mine >= 0 && mine < view->nblock ? mine : -1;
        assert_int_equal(oak_locate(locator, 5, at), expected);
        assert_int_equal(oak_locate_point(locator, x, cell), expected);
        if (expected >= 0)
          for (int d = 0; d < dim; d++) assert_int_equal(cell[d], corner >> d & 1 ? 3 : 0);
      }
    }
    assert_int_equal(oak_locate(locator, 3, (int64_t[3]){-1, 0, 0}), -1);
    assert_int_equal(oak_locate(locator, 3, (int64_t[3]){0, 8, 0}), -1);
    int cell[3];
    assert_int_equal(oak_locate_point(locator, (double[3]){0, NAN, 0}, cell), -1);
    oak_locator_destroy(&locator);
    test_mesh_free(&mesh);
  }
}

/* ---- damaged files ---- */

static char *load(const char *name, size_t *length) {
  char *text = malloc(1 << 20);
  FILE *in = fopen(name, "rb");
  if (!in) fail_msg("cannot read %s", name);
  *length = fread(text, 1, 1 << 20, in);
  fclose(in);
  return text;
}

static void store(const char *name, const char *text, size_t length) {
  FILE *out = fopen(name, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, length, out), length);
  assert_int_equal(fclose(out), 0);
}

/** Open and read all: it works, or fails with OAK_ERR_FILE and a message that names the plotfile.
 * \return whether it works. */
static int survives(void) {
  oak_plotfile_t *p;
  oak_status_t st = oak_plotfile_open(path, NULL, &p);
  double cells[16 * 16];
  const oak_grid_view_t *view = st == OAK_OK ? oak_plotfile_view(p) : NULL;
  for (int b = 0; view && b < view->nblock && st == OAK_OK; b++)
    for (int v = 0;
         v < view->nvar && st == OAK_OK && oak_view_block_cells(view) <= 256 && view->dim == 2; v++)
      st = view->read(view, v, b, 1, cells);
  if (st != OAK_OK) {
    assert_int_equal(st, OAK_ERR_FILE);
    assert_non_null(strstr(oak_last_error(), path));
  }
  oak_plotfile_close(&p);
  return st == OAK_OK;
}

/** Cut a file short at many places, then put other bytes in. */
static void damage(const char *part, int stride) {
  char name[1024];
  size_t length;
  snprintf(name, sizeof name, "%s/%s", path, part);
  char *text = load(name, &length), *other = malloc(length);
  assert_true(length > 100 && length < 1 << 20);
  for (size_t n = 0; n + 8 < length; n += (size_t)stride) { /* less than a line's end is missed */
    store(name, text, n);
    if (survives()) fail_msg("%s can be read with %zu of its %zu bytes", name, n, length);
  }
  for (size_t n = 0; n < length; n += (size_t)stride) {
    memcpy(other, text, length);
    other[n] = "9-(x,\n 0"[n / (size_t)stride % 8];
    store(name, other, length);
    (void)survives();
  }
  store(name, text, length);
  assert_true(survives());
  free(text);
  free(other);
}

/** Put \a to in the place of the first \a from. */
static void replace(const char *part, const char *from, const char *to, const char *words) {
  char name[1024], text[1 << 16];
  size_t length;
  snprintf(name, sizeof name, "%s/%s", path, part);
  char *old = load(name, &length), *at = memmem(old, length, from, strlen(from));
  assert_non_null(at);
  const size_t head = (size_t)(at - old), rest = length - head - strlen(from);
  memcpy(text, old, head);
  memcpy(text + head, to, strlen(to));
  memcpy(text + head + strlen(to), at + strlen(from), rest);
  store(name, text, head + strlen(to) + rest);
  assert_false(survives());
  if (!strstr(oak_last_error(), words)) fail_msg("'%s' is not in '%s'", words, oak_last_error());
  store(name, old, length);
  free(old);
}

static void test_damaged(void **state) {
  (void)state;
  test_mesh_t mesh;
  write_mesh(&mesh, 2, 4, 2, 8);
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank == 0) {
    assert_true(survives());
    damage("Header", 3);
    damage("Level_0/Cell_H", 3);
    damage("Level_2/Cell_H", 7);
    damage("Level_0/Cell_D_00000", 11);
    replace("Header", "HyperCLaw", "OtherCode", "'HyperCLaw-V1.1' expected");
    replace("Header", "\n3\n", "\n2000000000\n", "");
    replace("Header", "\n2\n1.5", "\n4\n1.5", "dimension from 2 to 3");
    replace("Header", "1.5\n2\n", "1.5\n30\n", "");
    replace("Header", "-0.25", "1e999", "domain of finite size");
    replace("Level_0/Cell_H", "(2 0", "(2000000000 0", "number of boxes in Header");
    replace("Level_0/Cell_H", "(3,3)", "(7,3)", "");
    replace("Header", "V1.1\n3\n", "V1.1\n3\n\033]0;",
            "the name of a variable expected, not '?]0;");
    replace("Header", "V1.1\n3\n", "V1.1\n3\n\302\233", "the name of a variable expected, not '??");
    replace("Level_1/Cell_H", "Cell_D", "../Cell_D", "file of the same folder");
    replace("Level_1/Cell_H", "Cell_D_00000 0", "Cell_D_00000 4000000000000000000", "byte 40");
    replace("Level_0/Cell_D_00000", "(64 11", "(32 11", "no header of the box");
    assert_true(survives());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  test_mesh_free(&mesh);
}

/** Cells are counted by 32 bits: 2^30 along an axis can be read back, 2^31 are not written. */
static void test_most_cells(void **state) {
  (void)state;
  test_mesh_t mesh;
  oak_plotfile_t *p;
  deep_mesh(&mesh, 4096, 16);
  snprintf(path, sizeof path, "%s/deep", folder);
  if (oak_plotfile_write(&mesh.view, 0, path) != OAK_OK) fail_msg("%s", oak_last_error());
  if (oak_plotfile_open(path, NULL, &p) != OAK_OK) fail_msg("%s", oak_last_error());
  const oak_grid_view_t *view = oak_plotfile_view(p);
  assert_int_equal(view->nblock, 4095 + 16 * 3 + 1);
  assert_int_equal(view->max_level, 16);
  assert_true(compare_values(view, &mesh.view, 8) == 4096 * 16);
  oak_plotfile_close(&p);
  mesh.view.block_size[0] = 8;
  snprintf(path, sizeof path, "%s/deeper", folder);
  assert_int_equal(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_ARGUMENT);
  assert_non_null(strstr(oak_last_error(), "level 16 has 2147483648 along x"));
  assert_int_not_equal(access(path, F_OK), 0);
  test_mesh_free(&mesh);
}

static void test_not_there(void **state) {
  (void)state;
  oak_plotfile_t *p;
  char other[600];
  assert_int_equal(oak_plotfile_open("/nowhere/plt", NULL, &p), OAK_ERR_FILE);
  assert_non_null(strstr(oak_last_error(), "No such file"));
  snprintf(other, sizeof other, "%s/odd_%d", folder, test_rank);
  mkdir(other, 0777);
  snprintf(other, sizeof other, "%s/odd_%d/Header", folder, test_rank);
  mkfifo(other, 0666);
  snprintf(other, sizeof other, "%s/odd_%d/", folder, test_rank);
  assert_int_equal(oak_plotfile_open(other, NULL, &p), OAK_ERR_FILE);
  assert_non_null(strstr(oak_last_error(), "no regular file"));
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values), cmocka_unit_test(test_locate), cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_most_cells), cmocka_unit_test(test_not_there)};
  return FOLDER_TEST_MAIN(tests);
}
