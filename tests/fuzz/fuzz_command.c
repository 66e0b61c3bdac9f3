/* SPDX-License-Identifier: GPL-2.0-or-later
 * The command line: a line of the input is an argument. Settings are assigned and judged, by
 * themselves and all at once, as `oak run` does with them. */
#include "fuzz.h"
#include "oak/params.h"

enum { MOST = 8 };

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  fuzz_begin(argc, argv);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1), *next = text, *word[MOST];
  oak_params_t *one, *all;
  int count = 0;
  FUZZ_MUST(text);
  memcpy(text, data, size);
  text[size] = 0;
  FUZZ_MUST(oak_params_new(&one) == OAK_OK && oak_params_new(&all) == OAK_OK);
  for (char *line; count < MOST && (line = strsep(&next, "\n"));) word[count++] = line;
  for (int i = 0; i < count; i++) fuzz_judge(oak_params_assign(one, word[i], "command line"));
  fuzz_judge(oak_params_check(one, 1));
  const oak_status_t st = oak_params_assign_all(all, count, word, "command line");
  fuzz_judge(st);
  if (st == OAK_OK) fuzz_judge(oak_params_check(all, 0));
  oak_params_destroy(&one);
  oak_params_destroy(&all);
  free(text);
  return 0;
}
