/* SPDX-License-Identifier: GPL-2.0-or-later
 * VTKHDF files: what happens when writing fails or something is in the way. What they hold is
 * looked at by test_vtkhdf_reader.py: with the argument FOLDER this program leaves samples there
 * and says on each line of its output what is in one of them. */
// TEST np={1,3} sanitize
#define _GNU_SOURCE 1
#include "output_test.h"

#include <signal.h>
#include <sys/resource.h>

#include "io/vtkhdf/vtkhdf.h"

static void sample(test_mesh_t *mesh, int dim, int fine, test_cut_t cut) {
  test_mesh_new(mesh, MPI_COMM_WORLD, dim, 4, fine, 2, 1, 0, cut);
}

static off_t size_of(const char *path) {
  struct stat info;
  MPI_Barrier(MPI_COMM_WORLD);
  assert_int_equal(stat(path, &info), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  return info.st_size;
}

/** One rank alone cannot read or write: the earlier file stays, whole. */
static void test_keeps_earlier(void **state) {
  (void)state;
  char path[600];
  test_mesh_t mesh;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(path, sizeof path, "%s/new/folder/fields.vtkhdf", folder);
  sample(&mesh, 3, 2, TEST_CUT_EVEN);
  assert_int_equal(oak_vtkhdf_write(&mesh.view, path), OAK_OK);
  const off_t bytes = size_of(path);
  mesh.fail_rank = size - 1;
  mesh.fail_var = 1;
  check_failure(oak_vtkhdf_write(&mesh.view, path), OAK_ERR_DEVICE, "the test lets reading fail");
  mesh.fail_rank = -1;
  for (int culprit = 0; culprit < size; culprit++)
    for (rlim_t limit = 0; limit <= 6000; limit += 3000) {
      struct rlimit before, small;
      getrlimit(RLIMIT_FSIZE, &before);
      small = before;
      small.rlim_cur = limit;
      signal(SIGXFSZ, SIG_IGN);
      if (rank == culprit) setrlimit(RLIMIT_FSIZE, &small);
      const oak_status_t st = oak_vtkhdf_write(&mesh.view, path);
      setrlimit(RLIMIT_FSIZE, &before);
      check_failure(st, OAK_ERR_FILE, "File too large; raise the file size limit");
      assert_int_equal(size_of(path), bytes);
      assert_false(exists(path, OAK_PART));
    }
  assert_int_equal(oak_vtkhdf_write(&mesh.view, path), OAK_OK);
  assert_int_equal(size_of(path), bytes);
  test_mesh_free(&mesh);
}

/** What oak did not write is not replaced; what a killed run has left is. */
static void test_keeps_others(void **state) {
  (void)state;
  char path[600];
  test_mesh_t mesh;
  sample(&mesh, 2, 2, TEST_CUT_LAST);
  snprintf(path, sizeof path, "%s/figure.vtkhdf", folder);
  leave_file(folder, "", "figure.vtkhdf");
  check_failure(oak_vtkhdf_write(&mesh.view, path), OAK_ERR_FILE, "that oak did not write");
  assert_true(exists(path, ""));
  assert_false(exists(path, OAK_PART));
  snprintf(path, sizeof path, "%s/again.vtkhdf", folder);
  leave_file(folder, "", "again.vtkhdf" OAK_PART);
  assert_int_equal(oak_vtkhdf_write(&mesh.view, path), OAK_OK);
  assert_false(exists(path, OAK_PART));
  test_mesh_free(&mesh);
}

static void test_bad_arguments(void **state) {
  (void)state;
  const char *names[TEST_NVAR] = {"density", "a/b", "mx"};
  test_mesh_t mesh;
  sample(&mesh, 2, 2, TEST_CUT_EVEN);
  check_failure(oak_vtkhdf_write(&mesh.view, "/dev/null/x/a.vtkhdf"), OAK_ERR_FILE,
                "/dev/null: Not a directory");
  test_mesh_free(&mesh);
  sample(&mesh, 3, 2, TEST_CUT_EVEN);
  mesh.view.trees[0] = 1 << 28;
  check_failure(oak_vtkhdf_write(&mesh.view, "/nowhere/a.vtkhdf"), OAK_ERR_ARGUMENT, "32 bits");
  mesh.view.name = names;
  check_failure(oak_vtkhdf_write(&mesh.view, "/nowhere/a.vtkhdf"), OAK_ERR_ARGUMENT, "a/b");
  test_mesh_free(&mesh);
}

/** The ramp and mx as the components of a vector in the plane. */
static const oak_vector_t flow = {"flow", {1, 2, -1}};

/** For each sample a line: path, dimension, bytes of a value, blocks, integrals of the first and of
 * the last variable. */
static int leave_samples(const char *to) {
  oak_status_t st = OAK_OK;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 16 && st == OAK_OK; i++) {
    const int dim = 2 + i % 2, many = i / 2 % 2, bytes = i / 4 % 2 ? 8 : 4,
              cut = i / 8 ? TEST_CUT_HOLES : TEST_CUT_EVEN;
    char path[600];
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 8,
                  !many      ? 1
                  : dim == 2 ? 5
                             : 3,
                  2, 1, 0, (test_cut_t)cut);
    mesh.view.nvector = 1;
    mesh.view.vector = &flow;
    mesh.view.value_bytes = bytes;
    snprintf(path, sizeof path, "%s/%dd_%d_bytes_%d_levels_cut_%d.vtkhdf", to, dim, bytes,
             mesh.view.max_level - mesh.view.min_level + 1, cut);
    st = oak_vtkhdf_write(&mesh.view, path);
    if (rank == 0 && st == OAK_OK)
      printf("%s %d %d %d %.17g %.17g\n", path, dim, bytes, mesh.nleaf, known_integral(&mesh, 0),
             known_integral(&mesh, 2));
    test_mesh_free(&mesh);
  }
  if (rank == 0 && st != OAK_OK) fprintf(stderr, "%s\n", oak_last_error());
  return st != OAK_OK;
}

static void test_needs_hdf5(void **state) {
  (void)state;
  check_failure(oak_vtkhdf_supported("a.ini:3: kind = vtkhdf"), OAK_ERR_UNSUPPORTED,
                "a.ini:3: kind = vtkhdf: VTKHDF files need HDF5");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_keeps_earlier),
                                     cmocka_unit_test(test_keeps_others),
                                     cmocka_unit_test(test_bad_arguments)},
                          without[] = {cmocka_unit_test(test_needs_hdf5)};
  const int supported = oak_vtkhdf_supported("") == OAK_OK;
  folder_begin(&argc, &argv);
  if (argc == 2) return folder_end(supported ? leave_samples(argv[1]) : 77);
  return folder_end(supported ? TEST_GROUP(tests) : TEST_GROUP(without));
}
