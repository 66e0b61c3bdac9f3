/* SPDX-License-Identifier: GPL-2.0-or-later
 * Reading checkpoints. Everything in a file is checked before it is used: sizes before memory is
 * allocated for them, checksums before values are used. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_head.h"
#include "io/files/file_tools.h"

#define DAMAGED(path, what, ...)                                                        \
  OAK_FAIL(OAK_ERR_FILE, "checkpoint %s is damaged: " what "; take an older one", path, \
           ##__VA_ARGS__)

static oak_status_t read_at(int fd, void *data, size_t bytes, int64_t offset, const char *path) {
  if (oak_read_at(fd, data, bytes, offset) == bytes) return OAK_OK;
  return errno ? oak_file_failed("read", path, errno) : DAMAGED(path, "it ends too early");
}

/* ---- the head ------------------------------------------------------------------------------- */

static oak_status_t judge_kind(const oak_checkpoint_head_t *h, int64_t size, const char *path) {
  OAK_CHECK(size >= 8 && !memcmp(h->magic, OAK_CHECKPOINT_MAGIC, sizeof h->magic), OAK_ERR_FILE,
            "%s is no checkpoint of oak: check the path", path);
  if (size < (int64_t)sizeof *h) return DAMAGED(path, "it ends within its head");
  OAK_CHECK(h->order != __builtin_bswap32(OAK_CHECKPOINT_ORDER), OAK_ERR_FILE,
            "checkpoint %s was written on a machine of another byte order: go on there", path);
  if (h->order != OAK_CHECKPOINT_ORDER) return DAMAGED(path, "its mark of byte order is wrong");
  if (h->version == 0) return DAMAGED(path, "its version is 0");
  OAK_CHECK(h->version == OAK_CHECKPOINT_VERSION, OAK_ERR_FILE,
            "checkpoint %s has version %u of the format, and this oak reads version %d: use the %s "
            "oak that wrote it",
            path, h->version, OAK_CHECKPOINT_VERSION,
            h->version > OAK_CHECKPOINT_VERSION ? "newer" : "older");
  return OAK_OK;
}

/** Check that the sizes in the head add up to the size of the file, because memory of these sizes
 * is allocated later. */
static oak_status_t judge_sizes(const oak_checkpoint_head_t *h, int64_t size,
                                oak_checkpoint_file_t *file) {
  int64_t file_bytes;
  if ((h->dim != 2 && h->dim != 3) || h->block_size % 256 < 1 || h->block_size >> 24 ||
      h->nvar < 1 || h->nvar > 4096 || (h->real_size != 4 && h->real_size != 8) || h->blocks < 1 ||
      h->blocks > INT64_MAX || h->text_bytes > OAK_CHECKPOINT_MOST_TEXT || h->text_bytes % 8 != 0 ||
      h->text_bytes < OAK_CHECKPOINT_TEXTS)
    return DAMAGED(file->path, "sizes in its head are wrong");
  file->head = (oak_checkpoint_t){.dim = (int)h->dim,
                                  .nvar = (int)h->nvar,
                                  .real_size = (int)h->real_size,
                                  .nglobal = (int64_t)h->blocks};
  for (int d = 0; d < 3; d++) {
    const int n = h->block_size >> 8 * d & 255;
    file->head.block_size[d] = d >= (int)h->dim ? 1 : n ? n : file->head.block_size[0];
    file->head.trees[d] = (int)h->trees[d];
    file->head.periodic[d] = h->periodic >> d & 1;
  }
  if (!oak_checkpoint_layout(&file->head, h->text_bytes, &file->records, &file->data,
                             &file_bytes) ||
      h->file_bytes != (uint64_t)file_bytes)
    return DAMAGED(file->path, "sizes in its head do not fit together");
  if (size != file_bytes)
    return DAMAGED(file->path, "it should have %lld bytes and has %lld", (long long)file_bytes,
                   (long long)size);
  return OAK_OK;
}

/** Texts and checksum. */
static oak_status_t judge_texts(const oak_checkpoint_head_t *h, oak_checkpoint_file_t *file) {
  const uint32_t sum = oak_checkpoint_sum(0, h, offsetof(oak_checkpoint_head_t, sum));
  if (oak_checkpoint_sum(sum, file->texts, h->text_bytes) != h->sum)
    return DAMAGED(file->path, "the checksum of its head is wrong");
  file->sum = h->sum;
  const char *at = file->texts, *end = at + h->text_bytes;
  for (int t = 0; t < OAK_CHECKPOINT_TEXTS; t++) {
    const char *zero = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
    if (!zero) return DAMAGED(file->path, "its texts have no end");
    file->head.text[t] = at;
    at = zero + 1;
  }
  return OAK_OK;
}

static oak_status_t judge_numbers(const oak_checkpoint_file_t *file) {
  const oak_checkpoint_t *h = &file->head;
  const int64_t counts[] = {h->step, h->updates, h->first_order_cells, h->floored_cells,
                            h->retries};
  int bad = !isfinite(h->time) || !isfinite(h->dt) || !(h->rate >= 0) || isinf(h->rate);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    bad |= counts[i] < 0 || counts[i] > INT64_MAX / 2; /* the run adds to them */
  return bad ? DAMAGED(file->path, "numbers in its head are out of range") : OAK_OK;
}

static oak_status_t read_head(oak_checkpoint_file_t *file) {
  oak_checkpoint_head_t h = {.order = 0};
  struct stat info;
  if (fstat(file->fd, &info) != 0) return oak_file_failed("read", file->path, errno);
  OAK_CHECK(S_ISREG(info.st_mode), OAK_ERR_FILE, "%s is no regular file: check the path",
            file->path);
  const int64_t size = info.st_size;
  OAK_TRY(read_at(file->fd, &h, size < (int64_t)sizeof h ? (size_t)size : sizeof h, 0, file->path));
  OAK_TRY(judge_kind(&h, size, file->path));
  OAK_TRY(judge_sizes(&h, size, file));
  OAK_TRY(OAK_NEW(file->texts, h.text_bytes));
  OAK_TRY(read_at(file->fd, file->texts, h.text_bytes, sizeof h, file->path));
  OAK_TRY(judge_texts(&h, file));
  OAK_CHECKPOINT_COPY(&file->head, &h);
  file->head.rates_known = h.rates_known & 1;
  file->head.growing = h.rates_known >> 1 & 1;
  return judge_numbers(file);
}

oak_status_t oak_checkpoint_open(MPI_Comm comm, const char *path, oak_checkpoint_file_t *file) {
  *file = (oak_checkpoint_file_t){.comm = comm, .fd = -1};
  oak_status_t st = oak_path_print(file->path, "%s", path);
  if (st == OAK_OK)
    file->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* no wait for a pipe */
  if (st == OAK_OK && file->fd < 0)
    st = OAK_FAIL(OAK_ERR_FILE, "cannot open checkpoint %s: %s; check the path", path,
                  strerror(errno));
  if (st == OAK_OK) st = read_head(file);
  st = oak_agree(comm, st);
  if (st != OAK_OK) oak_checkpoint_close(file);
  return st;
}

void oak_checkpoint_close(oak_checkpoint_file_t *file) {
  if (file->fd >= 0) close(file->fd);
  free(file->texts);
  *file = (oak_checkpoint_file_t){.fd = -1};
}

/* ---- blocks --------------------------------------------------------------------------------- */

oak_status_t oak_checkpoint_records(const oak_checkpoint_file_t *file, int64_t first, int count,
                                    int8_t *level, int32_t (*index)[3], double *rate,
                                    uint32_t *sum) {
  OAK_FREED oak_checkpoint_record_t *record = NULL;
  OAK_TRY(OAK_NEW(record, count));
  OAK_TRY(read_at(file->fd, record, (size_t)count * sizeof *record,
                  file->records + first * (int64_t)sizeof *record, file->path));
  for (int n = 0; n < count; n++) {
    const oak_checkpoint_record_t *r = &record[n];
    if (r->sum != oak_checkpoint_record_sum(file->sum, r, first + n) || r->level > 64)
      return DAMAGED(file->path, "the record of block %lld is wrong", (long long)(first + n));
    level[n] = (int8_t)r->level;
    memcpy(index[n], r->index, sizeof *index);
    rate[n] = r->rate;
    sum[n] = r->data_sum;
  }
  return OAK_OK;
}

oak_status_t oak_checkpoint_data(const oak_checkpoint_file_t *file, int64_t first, int count,
                                 const uint32_t *sum, void *dst) {
  const int64_t bytes = oak_checkpoint_block_bytes(&file->head);
  OAK_TRY(read_at(file->fd, dst, (size_t)(count * bytes), file->data + first * bytes, file->path));
  for (int n = 0; n < count; n++)
    if (oak_checkpoint_sum(0, (char *)dst + n * bytes, (size_t)bytes) != sum[n])
      return DAMAGED(file->path, "the checksum of block %lld is wrong", (long long)(first + n));
  return OAK_OK;
}
