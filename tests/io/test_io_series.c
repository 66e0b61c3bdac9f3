/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists of outputs that viewers open as one time series: their order, what leaves them. */
// TEST np={1,2} sanitize
#define _GNU_SOURCE 1
#include "output_test.h"

#include "output/output.h"

static const oak_series_t *series_of(const char *kind) {
  int k = 0;
  while (strcmp(oak_output_kinds[k]->word.name, kind)) k++;
  return oak_output_kinds[k]->series;
}

/** Compare the list in the folder with the one expected. */
static void check_list(const char *name, const char *expected) {
  char path[512], text[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  MPI_Barrier(MPI_COMM_WORLD);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  assert_string_equal(text, expected);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void add(const oak_series_t *series, const char *stem_name, const char *name) {
  char stem[512], path[512];
  snprintf(stem, sizeof stem, "%s/%s", folder, stem_name);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  int test_rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
  const oak_status_t st =
      oak_agree(MPI_COMM_WORLD, test_rank == 0 ? oak_series_add(series, stem, path, 0.1) : OAK_OK);
  if (st != OAK_OK) fail_msg("%s", oak_last_error());
}

static void drop(const char *name) {
  char path[512];
  int test_rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  if (test_rank == 0) assert_int_equal(oak_remove_all(path), OAK_OK);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void test_plotfiles(void **state) {
  (void)state;
  static const char *const plots[] = {"plt000010", "plt000020", "plt1000000", "plt2000000"};
  for (int i = 0; i < 4; i++) {
    leave_file(folder, "", plots[i]);
    add(series_of("plotfile"), "plotfiles", plots[i]);
  }
  check_list("plotfiles.visit",
             "plt000010/Header\nplt000020/Header\nplt1000000/Header\nplt2000000/Header\n");
  drop("plt000020");
  add(series_of("plotfile"), "plotfiles", "plt2000000/");
  check_list("plotfiles.visit", "plt000010/Header\nplt1000000/Header\nplt2000000/Header\n");
  /* A run that was taken back to step 10 goes another way from there. */
  leave_file(folder, "", "plt000015");
  add(series_of("plotfile"), "plotfiles", "plt000015");
  check_list("plotfiles.visit", "plt000010/Header\nplt000015/Header\n");
}

#define XDMF_HEAD                                                                 \
  "<?xml version=\"1.0\"?>\n<!-- Written by oak. -->\n"                           \
  "<Xdmf Version=\"2.0\" xmlns:xi=\"http://www.w3.org/2001/XInclude\"><Domain>\n" \
  "<Grid Name=\"oak\" GridType=\"Collection\" CollectionType=\"Temporal\">\n"
#define XDMF_ENTRY(name) \
  "<xi:include href=\"" name "\" xpointer=\"xpointer(/Xdmf/Domain/Grid)\"/>\n"
#define XDMF_TAIL "</Grid>\n</Domain></Xdmf>\n"

static void test_xdmf(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    char name[32];
    snprintf(name, sizeof name, "f_%06d.xdmf", 10 * i);
    leave_file(folder, "", name);
    add(series_of("xdmf"), "f", name);
  }
  check_list("f.xdmf", XDMF_HEAD XDMF_ENTRY("f_000000.xdmf") XDMF_ENTRY("f_000010.xdmf")
                           XDMF_ENTRY("f_000020.xdmf") XDMF_TAIL);
  add(series_of("xdmf"), "f", "f_000010.xdmf");
  check_list("f.xdmf", XDMF_HEAD XDMF_ENTRY("f_000000.xdmf") XDMF_ENTRY("f_000010.xdmf") XDMF_TAIL);
}

#define VTKHDF_HEAD "{\"file-series-version\": \"1.0\", \"files\": [\n"
#define VTKHDF_ENTRY(name) "{\"name\": \"" name "\", \"time\": 0.10000000000000001}\n"

/** Commas between entries, and none after the last one, also when the first one goes. */
static void test_vtkhdf(void **state) {
  (void)state;
  static const char *const files[] = {"v_000000.vtkhdf", "v_000010.vtkhdf", "v_000020.vtkhdf"};
  for (int i = 0; i < 2; i++) {
    leave_file(folder, "", files[i]);
    add(series_of("vtkhdf"), "v", files[i]);
  }
  check_list("v.vtkhdf.series", VTKHDF_HEAD VTKHDF_ENTRY("v_000000.vtkhdf") "," VTKHDF_ENTRY(
                                    "v_000010.vtkhdf") "]}\n");
  drop(files[0]);
  leave_file(folder, "", files[2]);
  add(series_of("vtkhdf"), "v", files[2]);
  check_list("v.vtkhdf.series", VTKHDF_HEAD VTKHDF_ENTRY("v_000010.vtkhdf") "," VTKHDF_ENTRY(
                                    "v_000020.vtkhdf") "]}\n");
}

static void test_unwritable(void **state) {
  (void)state;
  check_failure(oak_series_add(series_of("plotfile"), "/dev/null/plotfiles", "/dev/null/plt", 0),
                OAK_ERR_FILE, "/dev/null");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_plotfiles), cmocka_unit_test(test_xdmf),
                                     cmocka_unit_test(test_vtkhdf),
                                     cmocka_unit_test(test_unwritable)};
  return FOLDER_TEST_MAIN(tests);
}
