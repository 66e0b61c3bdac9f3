/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checkpoints: the input is a file. Since hardly any change would get past the checksums, the first
 * byte says what is made good first: 1 the checksum of the head, 2 those of the records, 4 the size
 * of the file. */
#define _GNU_SOURCE 1
#include <stddef.h>

#include "io/checkpoint/checkpoint_head.h"
#include "fuzz.h"

enum { MOST = 1 << 20, BLOCKS = 4 };
static char path[96];

static oak_status_t block_data(void *owner, int b0, int n, void *dst) {
  (void)owner, (void)b0;
  memset(dst, 0, (size_t)n * 2 * 16 * sizeof(float));
  return OAK_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  static const int8_t level[BLOCKS] = {1, 1, 1, 1};
  static const int32_t index[BLOCKS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  static const double rate[BLOCKS] = {1, 1, 1, 1};
  oak_checkpoint_t head = {.dim = 2,
                           .block_size = {4, 4, 1},
                           .nvar = 2,
                           .real_size = 4,
                           .trees = {1, 1, 1},
                           .xmax = {1, 1, 0},
                           .step = 3,
                           .time = 0.5,
                           .dt = 0.1,
                           .rate = 1,
                           .rates_known = 1,
                           .nglobal = BLOCKS};
  const oak_checkpoint_blocks_t blocks = {.comm = MPI_COMM_SELF,
                                          .nblock = BLOCKS,
                                          .level = level,
                                          .index = index,
                                          .rate = rate,
                                          .read = block_data};
  size_t size;
  fuzz_begin(argc, argv);
  for (int t = 0; t < OAK_CHECKPOINT_TEXTS; t++) head.text[t] = "a b";
  snprintf(path, sizeof path, "%s/chk", fuzz_folder);
  FUZZ_MUST(oak_checkpoint_write(&head, &blocks, path) == OAK_OK);
  char *file = fuzz_read(path, &size);
  fuzz_seed("plain", 0, file, size);
  fuzz_seed("mended", 7, file, size);
  free(file);
  return 0;
}

/** Correct the size and the checksums that `which` selects, as far as the file is complete. */
static void mend(uint8_t *file, size_t size, int which) {
  oak_checkpoint_head_t head;
  if (size < sizeof head) return;
  memcpy(&head, file, sizeof head);
  if (head.text_bytes > size - sizeof head) return;
  if (which & 4) head.file_bytes = size;
  memcpy(file, &head, sizeof head);
  if (which & 1) {
    const uint32_t sum = oak_checkpoint_sum(0, &head, offsetof(oak_checkpoint_head_t, sum));
    head.sum = oak_checkpoint_sum(sum, file + sizeof head, (size_t)head.text_bytes);
    memcpy(file, &head, sizeof head);
  }
  const size_t first = sizeof head + (size_t)head.text_bytes;
  for (int64_t b = 0; which & 2 && b < 1000; b++) {
    oak_checkpoint_record_t record;
    const size_t at = first + (size_t)b * sizeof record;
    if (at + sizeof record > size || (uint64_t)b >= head.blocks) break;
    memcpy(&record, file + at, sizeof record);
    record.sum = oak_checkpoint_record_sum(head.sum, &record, b);
    memcpy(file + at, &record, sizeof record);
  }
}

static void read_all(const oak_checkpoint_file_t *file) {
  static uint8_t data[MOST];
  int8_t level;
  int32_t index[1][3];
  double rate;
  uint32_t sum;
  for (int64_t b = 0; b < file->head.nglobal && b < 100; b++) {
    const oak_status_t st = oak_checkpoint_records(file, b, 1, &level, index, &rate, &sum);
    fuzz_judge(st);
    if (st == OAK_OK && oak_checkpoint_block_bytes(&file->head) <= MOST)
      fuzz_judge(oak_checkpoint_data(file, b, 1, &sum, data));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  oak_checkpoint_file_t file;
  if (size == 0) return 0;
  uint8_t *copy = malloc(size);
  FUZZ_MUST(copy);
  memcpy(copy, data + 1, size - 1);
  mend(copy, size - 1, data[0]);
  fuzz_write(path, copy, size - 1);
  free(copy);
  const oak_status_t st = oak_checkpoint_open(MPI_COMM_SELF, path, &file);
  fuzz_judge(st);
  if (st == OAK_OK) {
    read_all(&file);
    oak_checkpoint_close(&file);
  }
  fuzz_tell(path);
  return 0;
}
