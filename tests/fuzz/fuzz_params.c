/* SPDX-License-Identifier: GPL-2.0-or-later
 * Parameter files: reading, judging, printing. What is printed reads back as the same text. */
#define _GNU_SOURCE 1
#include "fuzz.h"
#include "oak/params.h"

static char path[96], again[96];

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_begin(argc, argv);
  snprintf(path, sizeof path, "%s/run.ini", fuzz_folder);
  snprintf(again, sizeof again, "%s/again.ini", fuzz_folder);
  return 0;
}

/** All parameters as text, to be freed; NULL if they are refused. */
static char *print(const char *file, oak_status_t *st) {
  char *text = NULL;
  size_t size;
  oak_params_t *params;
  FUZZ_MUST(oak_params_new(&params) == OAK_OK);
  oak_params_trust(params);
  *st = oak_params_read(params, MPI_COMM_SELF, file);
  if (*st == OAK_OK) *st = oak_params_check(params, 1);
  fuzz_judge(*st);
  if (*st == OAK_OK) {
    FILE *stream = open_memstream(&text, &size);
    FUZZ_MUST(stream);
    oak_params_print(params, stream);
    fclose(stream);
  }
  oak_params_destroy(&params);
  return text;
}

/** Write the text, read and print it. */
static char *reprint(const char *text) {
  oak_status_t st;
  fuzz_write(again, text, strlen(text));
  char *next = print(again, &st);
  FUZZ_MUST(next);
  return next;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  oak_status_t st;
  fuzz_write(path, data, size);
  char *first = print(path, &st);
  if (!first) return 0;
  /* The first text marks values that are defaults. The second one has no marks, because it is read
   * from a text that sets all values. */
  char *second = reprint(first), *third = reprint(second);
  FUZZ_MUST(strcmp(second, third) == 0);
  free(first);
  free(second);
  free(third);
  return 0;
}
