/* SPDX-License-Identifier: GPL-2.0-or-later
 * XDMF files: what happens when writing fails or something is in the way. What they hold is looked
 * at by test_xdmf_reader.py: with the argument FOLDER this program leaves samples there and says on
 * each line of its output what is in one of them. */
// TEST np={1,3} sanitize
#define _GNU_SOURCE 1
#include "output_test.h"

#include <signal.h>
#include <sys/resource.h>

#include "io/xdmf/xdmf.h"

/** Is the output complete, and does it hold what \a mesh does? Its XML names each rank's file,
 * whose length follows from the mesh. */
static void check_output(const test_mesh_t *mesh, int layers, const char *stem) {
  char name[1024], wanted[64];
  struct stat info;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  const oak_grid_view_t *view = &mesh->view;
  int64_t cells = 1;
  for (int d = 0; d < view->dim; d++) cells *= view->block_size[d] + 2 * layers;
  const int64_t mask = layers > 0 ? (cells + 7) / 8 * 8 : 0;
  snprintf(name, sizeof name, "%s.data/rank_%05d.raw", stem, rank);
  assert_int_equal(stat(name, &info) == 0, view->nblock > 0);
  if (view->nblock > 0)
    assert_int_equal(info.st_size, mask + view->nvar * view->nblock * cells * view->value_bytes);
  snprintf(name, sizeof name, "%s.xdmf", stem);
  FILE *in = fopen(name, "r");
  assert_non_null(in);
  static char text[1 << 22];
  const size_t length = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  assert_true(length < sizeof text - 1);
  text[length] = '\0';
  snprintf(wanted, sizeof wanted, ".data/rank_%05d.raw<", rank);
  assert_int_equal(strstr(text, wanted) != NULL, view->nblock > 0);
  assert_non_null(strstr(text, "</Xdmf>"));
  for (int i = 0; i < 2; i++) {
    static const char *const left[] = {".xdmf" OAK_PART, ".data" OAK_PART};
    assert_false(exists(stem, left[i]));
  }
}

static void sample(test_mesh_t *mesh, int dim, int fine, test_cut_t cut) {
  test_mesh_new(mesh, MPI_COMM_WORLD, dim, 4, fine, 2, 1, 0, cut);
}

static void test_writes(void **state) {
  (void)state;
  char stem[512], path[600];
  snprintf(stem, sizeof stem, "%s/new/folder/fields_000010", folder);
  snprintf(path, sizeof path, "%s.xdmf", stem);
  for (test_cut_t cut = 0; cut < TEST_CUT_COUNT; cut++)
    for (int layers = 0; layers <= 2; layers++) {
      test_mesh_t mesh;
      sample(&mesh, 2 + layers % 2, 3, cut);
      mesh.view.value_bytes = layers == 1 ? 4 : 8;
      const oak_status_t st = oak_xdmf_write(&mesh.view, layers, path);
      if (st != OAK_OK) fail_msg("%s", oak_last_error());
      check_output(&mesh, layers, stem);
      test_mesh_free(&mesh);
    }
}

/** One rank alone cannot read or write: the earlier output stays, whole. */
static void test_keeps_earlier(void **state) {
  (void)state;
  char stem[512], path[600];
  test_mesh_t mesh;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(stem, sizeof stem, "%s/kept", folder);
  snprintf(path, sizeof path, "%s.xdmf", stem);
  sample(&mesh, 3, 2, TEST_CUT_EVEN);
  for (int layers = 0; layers <= 1; layers++) {
    assert_int_equal(oak_xdmf_write(&mesh.view, layers, path), OAK_OK);
    mesh.fail_rank = size - 1;
    mesh.fail_var = 1;
    check_failure(oak_xdmf_write(&mesh.view, layers, path), OAK_ERR_DEVICE,
                  "the test lets reading fail");
    mesh.fail_rank = -1;
    check_output(&mesh, layers, stem);

    for (int culprit = 0; culprit < size; culprit++) {
      struct rlimit before, small;
      getrlimit(RLIMIT_FSIZE, &before);
      small = before;
      small.rlim_cur = 700;
      signal(SIGXFSZ, SIG_IGN);
      if (rank == culprit) setrlimit(RLIMIT_FSIZE, &small);
      const oak_status_t st = oak_xdmf_write(&mesh.view, layers, path);
      setrlimit(RLIMIT_FSIZE, &before);
      check_failure(st, OAK_ERR_FILE, "File too large; raise the file size limit");
      check_output(&mesh, layers, stem);
    }
  }
  test_mesh_free(&mesh);
}

/** What oak did not write is not replaced, neither the file nor anything in the folder. */
static void test_keeps_others(void **state) {
  (void)state;
  char stem[512], path[600];
  test_mesh_t mesh;
  sample(&mesh, 2, 2, TEST_CUT_LAST);
  snprintf(stem, sizeof stem, "%s/thesis", folder);
  snprintf(path, sizeof path, "%s.xdmf", stem);
  leave_file(stem, ".data", "chapter.tex");
  check_failure(oak_xdmf_write(&mesh.view, 0, path), OAK_ERR_FILE,
                "chapter.tex was not written by oak");
  assert_true(exists(stem, ".data/chapter.tex"));
  assert_false(exists(path, ""));

  snprintf(stem, sizeof stem, "%s/figure", folder);
  snprintf(path, sizeof path, "%s.xdmf", stem);
  leave_file(folder, "", "figure.xdmf");
  check_failure(oak_xdmf_write(&mesh.view, 0, path), OAK_ERR_FILE, "that oak did not write");
  assert_true(exists(path, ""));
  assert_false(exists(stem, ".data"));

  /* What a killed run has left is ours. */
  snprintf(stem, sizeof stem, "%s/again", folder);
  snprintf(path, sizeof path, "%s.xdmf", stem);
  leave_file(stem, ".data" OAK_PART, "rank_00007.raw");
  leave_file(folder, "", "again.xdmf" OAK_PART);
  assert_int_equal(oak_xdmf_write(&mesh.view, 0, path), OAK_OK);
  check_output(&mesh, 0, stem);
  test_mesh_free(&mesh);
}

static void test_bad_arguments(void **state) {
  (void)state;
  const char *names[TEST_NVAR] = {"density", "a<b", "mx"};
  test_mesh_t mesh;
  sample(&mesh, 2, 2, TEST_CUT_EVEN);
  check_failure(oak_xdmf_write(&mesh.view, 3, "/nowhere/a.xdmf"), OAK_ERR_ARGUMENT, "with 0 to 2");
  check_failure(oak_xdmf_write(&mesh.view, -1, "/nowhere/a.xdmf"), OAK_ERR_ARGUMENT, "with 0 to 2");
  check_failure(oak_xdmf_write(&mesh.view, 0, "/nowhere/a.xmf"), OAK_ERR_ARGUMENT, "ends in .xdmf");
  check_failure(oak_xdmf_write(&mesh.view, 0, "/nowhere/.xdmf"), OAK_ERR_ARGUMENT, "ends in .xdmf");
  check_failure(oak_xdmf_write(&mesh.view, 0, "/dev/null/x/a.xdmf"), OAK_ERR_FILE,
                "/dev/null: Not a directory");
  mesh.view.read_ghosts = NULL;
  check_failure(oak_xdmf_write(&mesh.view, 1, "/nowhere/a.xdmf"), OAK_ERR_ARGUMENT, "have none");
  mesh.view.value_bytes = 2;
  check_failure(oak_xdmf_write(&mesh.view, 0, "/nowhere/a.xdmf"), OAK_ERR_ARGUMENT, "2 bytes per");
  mesh.view.value_bytes = 4;
  mesh.view.name = names;
  check_failure(oak_xdmf_write(&mesh.view, 0, "/nowhere/a.xdmf"), OAK_ERR_ARGUMENT, "a<b");
  test_mesh_free(&mesh);
}

/** The ramp and mx as the components of a vector in the plane. */
static const oak_vector_t flow = {"flow", {1, 2, -1}};

/** For each sample a line: path, dimension, bytes of a value, ghost layers, blocks, integrals of
 * the first and of the last variable. */
static int leave_samples(const char *to) {
  oak_status_t st = OAK_OK;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 24 && st == OAK_OK; i++) {
    const int dim = 2 + i % 2, many = i / 2 % 2, layers = i / 8, bytes = i / 4 % 2 ? 8 : 4;
    char path[600];
    test_mesh_t mesh;
    test_mesh_new(&mesh, MPI_COMM_WORLD, dim, 8,
                  !many      ? 1
                  : dim == 2 ? 5
                             : 3,
                  2, 1, 0, TEST_CUT_EVEN);
    mesh.view.nvector = 1;
    mesh.view.vector = &flow;
    mesh.view.value_bytes = bytes;
    snprintf(path, sizeof path, "%s/%dd_%d_bytes_%d_levels_%d_layers.xdmf", to, dim, bytes,
             mesh.view.max_level - mesh.view.min_level + 1, layers);
    st = oak_xdmf_write(&mesh.view, layers, path);
    if (rank == 0 && st == OAK_OK)
      printf("%s %d %d %d %d %.17g %.17g\n", path, dim, bytes, layers, mesh.nleaf,
             known_integral(&mesh, 0), known_integral(&mesh, 2));
    test_mesh_free(&mesh);
  }
  if (rank == 0 && st != OAK_OK) fprintf(stderr, "%s\n", oak_last_error());
  return st != OAK_OK;
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_writes), cmocka_unit_test(test_keeps_earlier),
      cmocka_unit_test(test_keeps_others), cmocka_unit_test(test_bad_arguments)};
  folder_begin(&argc, &argv);
  return folder_end(argc == 2 ? leave_samples(argv[1]) : TEST_GROUP(tests));
}
