/* SPDX-License-Identifier: GPL-2.0-or-later
 * Failures: messages, and the agreement of all ranks on one of them. */
// TEST np={1,2,3,4} sanitize
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "main_test.h"
#include "oak/status.h"

static oak_status_t refuse(int value) {
  OAK_CHECK(value < 3, OAK_ERR_ARGUMENT, "value = %d: must be below 3", value);
  return OAK_OK;
}

static oak_status_t pass_on(int value) {
  OAK_TRY(refuse(value));
  return OAK_OK;
}

static void test_message(void **state) {
  (void)state;
  assert_int_equal(pass_on(2), OAK_OK);
  assert_int_equal(pass_on(7), OAK_ERR_ARGUMENT);
  assert_string_equal(oak_last_error(), "value = 7: must be below 3");
  assert_string_equal(oak_status_text(OAK_ERR_ARGUMENT), "invalid argument");
  assert_string_equal(oak_status_text(OAK_OK), "success");
  assert_string_equal(oak_status_text((oak_status_t)12345), "unknown status");
}

/** A message may quote the one before it. */
static void test_quoted(void **state) {
  (void)state;
  OAK_FAIL(OAK_ERR_FILE, "disk full");
  OAK_FAIL(OAK_ERR_FILE, "cannot write '%s': %s", "a", oak_last_error());
  assert_string_equal(oak_last_error(), "cannot write 'a': disk full");
}

static void test_long(void **state) {
  (void)state;
  static char line[100001];
  memset(line, 'x', sizeof line - 1);
  OAK_FAIL(OAK_ERR_INPUT, "%s", line);
  size_t length = strlen(oak_last_error());
  assert_true(length > 8000 && length < 100000);
  assert_string_equal(oak_last_error() + length - 4, "x...");
}

static void test_debug(void **state) {
  (void)state;
  setenv("OAK_DEBUG", "1", 1);
  OAK_FAIL(OAK_ERR_INPUT, "bad");
  unsetenv("OAK_DEBUG");
  assert_memory_equal(oak_last_error(), "bad (", 5);
  assert_non_null(strstr(oak_last_error(), "test_base_status.c:"));
}

/** All is well: agreement leaves the last message alone. */
static void test_agree_ok(void **state) {
  (void)state;
  OAK_FAIL(OAK_ERR_FILE, "kept on %d", test_rank);
  assert_int_equal(oak_agree(MPI_COMM_WORLD, OAK_OK), OAK_OK);
  char kept[32];
  snprintf(kept, sizeof kept, "kept on %d", test_rank);
  assert_string_equal(oak_last_error(), kept);
}

/** Each rank in turn fails alone. All ranks get its status and message, even if theirs was
 * longer. */
static void test_agree_one(void **state) {
  (void)state;
  for (int failing = 0; failing < test_size; failing++) {
    OAK_FAIL(OAK_ERR_FILE, "a rather long message of an earlier failure on rank %d", test_rank);
    oak_status_t status = OAK_OK;
    if (test_rank == failing)
      status = OAK_FAIL(OAK_ERR_MEMORY, "no memory on %d\nsecond line", failing);
    assert_int_equal(oak_agree(MPI_COMM_WORLD, status), OAK_ERR_MEMORY);
    char expected[64];
    snprintf(expected, sizeof expected, "no memory on %d\nsecond line", failing);
    assert_string_equal(oak_last_error(), expected);
  }
}

/** Of several failures, that of the lowest rank counts. */
static void test_agree_several(void **state) {
  (void)state;
  int lowest = test_size > 1 ? 1 : 0;
  oak_status_t status = OAK_OK;
  if (test_rank >= lowest)
    status =
        OAK_FAIL(test_rank == lowest ? OAK_ERR_BUILD : OAK_ERR_DEVICE, "failed on %d", test_rank);
  assert_int_equal(oak_agree(MPI_COMM_WORLD, status), OAK_ERR_BUILD);
  char expected[32];
  snprintf(expected, sizeof expected, "failed on %d", lowest);
  assert_string_equal(oak_last_error(), expected);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_message),      cmocka_unit_test(test_quoted),
      cmocka_unit_test(test_long),         cmocka_unit_test(test_debug),
      cmocka_unit_test(test_agree_ok),     cmocka_unit_test(test_agree_one),
      cmocka_unit_test(test_agree_several)};
  unsetenv("OAK_DEBUG");
  return TEST_MAIN(tests);
}
