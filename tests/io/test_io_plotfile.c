/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles, read back by a small reader of their own: values, averages, coverage, integral; and
 * what happens when writing fails. With arguments "FOLDER DIM" it leaves a plotfile for
 * check_plotfile.py and prints the integral of its first variable. */
// TEST np={1,2,3,4} sanitize
// WRAP rename renameat2: a file system that cannot exchange two names, or cannot give one
#define _GNU_SOURCE 1

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/files/file_tools.h"
#include "output_test.h"
#include "io/plotfile/plotfile.h"
#include "plotfile_test.h"

static int plain; /* no names can be exchanged; 2: nor can a finished output get its name */

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) {
  if (plain < 2 || !oak_path_ends(from, "kept" OAK_PART)) return __real_rename(from, to);
  errno = EIO;
  return -1;
}

int __real_renameat2(int at, const char *from, int there, const char *to, unsigned flags);
int __wrap_renameat2(int at, const char *from, int there, const char *to, unsigned flags);
int __wrap_renameat2(int at, const char *from, int there, const char *to, unsigned flags) {
  if (!plain) return __real_renameat2(at, from, there, to, flags);
  errno = EINVAL;
  return -1;
}

static void write_and_read(int dim, int block_size, int fine, int tx, int ty, int backwards) {
  for (int i = 0; i < 2 * TEST_CUT_COUNT; i++) {
    const test_cut_t cut = i / 2;
    char path[512];
    test_mesh_t mesh;
    plot_path(path, sizeof path, "new/folder/plt00010/");
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, block_size, fine, tx, ty, backwards, cut);
    mesh.view.value_bytes = i % 2 ? 4 : 8;
    const oak_status_t st = oak_plotfile_write(&mesh.view, i % 3, path);
    if (st != OAK_OK) fail_msg("%s", oak_last_error());
    check_plot(&mesh, path);
    path[strlen(path) - 1] = '\0';
    assert_false(exists(path, OAK_PART));
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
  assert_int_equal(oak_plotfile_write(&mesh.view, 0, path), OAK_OK);
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

/** A level has as many data files as asked for, of neighbours in rank; by default few large ones.
 */
static void test_files(void **state) {
  (void)state;
  char path[512];
  test_mesh_t mesh;
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  plot_path(path, sizeof path, "files");
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 1, 2, 1, 0, TEST_CUT_EVEN);
  for (int files = 0; files <= 3; files++) {
    const int expected = files == 0 ? 1 : files < size ? files : size;
    assert_int_equal(oak_plotfile_write(&mesh.view, files, path), OAK_OK);
    check_plot(&mesh, path);
    for (int f = 0; f <= expected; f++) {
      char name[32];
      snprintf(name, sizeof name, "/Level_1/Cell_D_%05d", f);
      assert_int_equal(exists(path, name), f < expected);
    }
  }
  check_failure(oak_plotfile_write(&mesh.view, -1, path), OAK_ERR_ARGUMENT, "-1 data files");
  test_mesh_free(&mesh);
}

static void test_unwritable(void **state) {
  (void)state;
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  check_failure(oak_plotfile_write(&mesh.view, 0, "/dev/null/x/plt"), OAK_ERR_FILE,
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
  assert_int_equal(oak_plotfile_write(&mesh.view, 0, path), OAK_OK);

  mesh.fail_rank = size - 1; /* one rank alone cannot read its data */
  mesh.fail_var = 1;
  check_failure(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_DEVICE,
                "the test lets reading fail");
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
    const oak_status_t st = oak_plotfile_write(&mesh.view, 0, path);
    setrlimit(RLIMIT_FSIZE, &before);
    check_failure(st, OAK_ERR_FILE, "File too large; raise the file size limit");
    assert_false(exists(path, OAK_PART));
    check_plot(&mesh, path);
  }

  plain = 1;
  mesh.view.time++;
  leave_file(path, ".old" OAK_PART, "Header"); /* of a killed run */
  assert_int_equal(oak_plotfile_write(&mesh.view, 0, path), OAK_OK);
  check_plot(&mesh, path);
  plain = 2;
  check_failure(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_FILE, "Input/output error");
  plain = 0;
  check_plot(&mesh, path);
  assert_false(exists(path, OAK_PART) || exists(path, ".old" OAK_PART));
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
  check_failure(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_FILE, "was not written by oak");
  assert_true(exists(note, ""));
  test_mesh_free(&mesh);
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
  for (int i = 0; i < 2; i++) assert_int_equal(oak_plotfile_write(&mesh.view, 0, path), OAK_OK);
  check_plot(&mesh, path);
  assert_true(exists(path, ".old/Header"));
  assert_true(exists(path, ".part/Level_0/Cell_H"));
  assert_false(exists(path, OAK_PART));

  leave_file(path, "", "Level_1/notes.txt");
  check_failure(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_FILE,
                "mine/Level_1/notes.txt was not written by oak");
  assert_true(exists(path, "/Level_1/notes.txt"));
  check_plot(&mesh, path);

  plot_path(path, sizeof path, "other");
  leave_file(path, OAK_PART, "thesis/chapter.tex");
  check_failure(oak_plotfile_write(&mesh.view, 0, path), OAK_ERR_FILE, "was not written by oak");
  assert_true(exists(path, OAK_PART "/thesis/chapter.tex"));

  plot_path(path, sizeof path, "kept");
  snprintf(link, sizeof link, "%s/link", folder);
  if (rank == 0) assert_int_equal(symlink(path, link), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  check_failure(oak_plotfile_write(&mesh.view, 0, link), OAK_ERR_FILE, "was not written by oak");
  assert_true(exists(link, ""));
  assert_true(exists(path, "/Header"));
  test_mesh_free(&mesh);
}

static void test_bad_names(void **state) {
  (void)state;
  static const struct {
    const char *name, *words;
  } bad[] = {{"", "not empty"},
             {"a b", "has no blanks"},
             {"v_x", "two output variables are called 'vx'"},
             {"density", "two output variables"}};
  const char *names[TEST_NVAR] = {"density", "vx", NULL};
  test_mesh_t mesh;
  test_mesh_new(&mesh, MPI_COMM_WORLD, 2, 4, 3, 2, 1, 0, TEST_CUT_EVEN);
  mesh.view.name = names;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    names[2] = bad[i].name;
    check_failure(oak_plotfile_write(&mesh.view, 0, "/nowhere/plt"), OAK_ERR_ARGUMENT,
                  bad[i].words);
  }
  test_mesh_free(&mesh);
}

static int leave_sample(const char *path, int dim) {
  test_mesh_t mesh;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  test_mesh_new(&mesh, MPI_COMM_WORLD, dim, dim == 3 ? 8 : 16, dim == 3 ? 4 : 6, 2, 1, 0,
                TEST_CUT_EVEN);
  const oak_status_t st = oak_plotfile_write(&mesh.view, 0, path);
  if (rank == 0 && st == OAK_OK) printf("%.17g\n", known_integral(&mesh, 0));
  if (rank == 0 && st != OAK_OK) fprintf(stderr, "%s\n", oak_last_error());
  test_mesh_free(&mesh);
  return st != OAK_OK;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_quadtree),        cmocka_unit_test(test_octree),
      cmocka_unit_test(test_tree_order),      cmocka_unit_test(test_one_block),
      cmocka_unit_test(test_merges),          cmocka_unit_test(test_files),
      cmocka_unit_test(test_unwritable),      cmocka_unit_test(test_keeps_earlier),
      cmocka_unit_test(test_keeps_others),    cmocka_unit_test(test_bad_names),
      cmocka_unit_test(test_deletes_own_only)};
  folder_begin(&argc, &argv);
  return folder_end(argc == 3 ? leave_sample(argv[1], atoi(argv[2])) : TEST_GROUP(tests));
}
