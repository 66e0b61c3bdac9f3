/* SPDX-License-Identifier: GPL-2.0-or-later
 * The format of checkpoints, for what writes and what reads them: sizes, places and checksums. */
#include "checkpoint_head.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/shape.h"

enum { CHUNK_BYTES = 16 << 20 };

uint32_t oak_checkpoint_sum(uint32_t sum, const void *data, size_t bytes) {
  return (uint32_t)crc32_z(sum, data, bytes);
}

uint32_t oak_checkpoint_record_sum(uint32_t head_sum, const oak_checkpoint_record_t *record,
                                   int64_t block) {
  const uint32_t sum = oak_checkpoint_sum(head_sum, &block, sizeof block);
  return oak_checkpoint_sum(sum, record, offsetof(oak_checkpoint_record_t, sum));
}

int64_t oak_checkpoint_block_bytes(const oak_checkpoint_t *head) {
  return oak_shape_cells(head->block_size) * head->nvar * head->real_size;
}

int oak_checkpoint_chunk(const oak_checkpoint_t *head) {
  const int64_t blocks = CHUNK_BYTES / oak_checkpoint_block_bytes(head);
  return blocks > 1 ? (int)blocks : 1;
}

int oak_checkpoint_layout(const oak_checkpoint_t *head, uint64_t text_bytes, int64_t *records,
                          int64_t *data, int64_t *file_bytes) {
  int64_t all_records, all_data;
  *records = (int64_t)(sizeof(oak_checkpoint_head_t) + text_bytes);
  return !__builtin_mul_overflow(head->nglobal, (int64_t)sizeof(oak_checkpoint_record_t),
                                 &all_records) &&
         !__builtin_add_overflow(*records, all_records, data) &&
         !__builtin_mul_overflow(head->nglobal, oak_checkpoint_block_bytes(head), &all_data) &&
         !__builtin_add_overflow(*data, all_data, file_bytes);
}

int oak_checkpoint_is_one(const char *path) {
  char magic[8];
  struct stat info;
  const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return 0;
  const int is = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
                 pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
                 !memcmp(magic, OAK_CHECKPOINT_MAGIC, sizeof magic);
  close(fd);
  return is;
}
