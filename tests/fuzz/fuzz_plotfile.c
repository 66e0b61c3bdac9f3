/* SPDX-License-Identifier: GPL-2.0-or-later
 * Plotfiles: the first byte of the input chooses a file of a good plotfile, the others take its
 * place. All values of all blocks are read. */
#define _GNU_SOURCE 1
#include "../io_test_view.h"
#include "fuzz.h"
#include "io/plotfile/plotfile.h"

static const char *const name[] = {"Header", "Level_0/Cell_H", "Level_1/Cell_H",
                                   "Level_0/Cell_D_00000"};
enum { FILES = sizeof name / sizeof *name, MOST_VALUES = 1 << 20 };
static char plotfile[96], *good[FILES];
static size_t good_size[FILES];

static void path_of(int file, char path[256]) {
  snprintf(path, 256, "%s/%s", plotfile, name[file]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  test_mesh_t mesh;
  char path[256];
  fuzz_begin(argc, argv);
  snprintf(plotfile, sizeof plotfile, "%s/plt", fuzz_folder);
  test_mesh_new(&mesh, MPI_COMM_SELF, 2, 4, 1, 1, 1, 0, TEST_CUT_EVEN);
  FUZZ_MUST(oak_plotfile_write(&mesh.view, 0, plotfile) == OAK_OK);
  test_mesh_free(&mesh);
  for (int f = 0; f < FILES; f++) {
    char seed[64];
    path_of(f, path);
    good[f] = fuzz_read(path, &good_size[f]);
    snprintf(seed, sizeof seed, "file_%d", f);
    fuzz_seed(seed, (uint8_t)f, good[f], good_size[f]);
  }
  return 0;
}

static void read_all(const oak_grid_view_t *view) {
  int64_t cells = 1;
  for (int d = 0; d < view->dim; d++) cells *= view->block_size[d];
  if (cells > MOST_VALUES) return;
  double *values = malloc((size_t)cells * sizeof *values);
  FUZZ_MUST(values);
  for (int b = 0; b < view->nblock && b < 100; b++)
    for (int v = 0; v < view->nvar && v < 10; v++) fuzz_judge(view->read(view, v, b, 1, values));
  free(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  oak_plotfile_t *p = NULL;
  char path[256];
  if (size == 0) return 0;
  const int f = data[0] % FILES;
  path_of(f, path);
  fuzz_write(path, data + 1, size - 1);
  const oak_status_t st = oak_plotfile_open(plotfile, NULL, &p);
  fuzz_judge(st);
  if (st == OAK_OK) read_all(oak_plotfile_view(p));
  oak_plotfile_close(&p);
  fuzz_tell(plotfile);
  fuzz_write(path, good[f], good_size[f]);
  return 0;
}
