/* SPDX-License-Identifier: GPL-2.0-or-later
 * Writing checkpoints. Each rank writes the records and the data of its blocks by itself, to their
 * place in the one file. The records of a rank are contiguous in the file, and so are its data;
 * collective writing would therefore not be faster. If a rank cannot write, it reports the reason.
 * The ranks wait for each other when the file is made and when all parts are on the disk. */
#include "checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/shape.h"
#include "checkpoint_head.h"
#include "io/files/file_tools.h"

/** A checkpoint until it has its name. */
typedef struct {
  oak_part_file_t file;
  int64_t block_bytes, first;        /**< of a block; number of this rank's first one */
  int64_t records, data, file_bytes; /**< where these begin in the file, and the file's size */
  uint64_t head_sum;                 /**< to which the records are bound */
  int nblock, most;                  /**< blocks of this rank; of a chunk */
  oak_checkpoint_record_t *record;   /**< [nblock] */
  oak_checkpoint_blocks_t source;
} writer_t;

/** Some blocks on their way to the disk. */
typedef struct {
  writer_t *writer;
  int from, count;
  char data[];
} chunk_t;

static uint32_t pack_shape(const oak_checkpoint_t *h) {
  const int *n = h->block_size;
  if (oak_shape_equal(h->dim, n)) return (uint32_t)n[0];
  return (uint32_t)n[0] | (uint32_t)n[1] << 8 | (uint32_t)(h->dim == 3 ? n[2] : 0) << 16;
}

/** Head and texts in fresh memory, NULL when there is none, and their checksum. Each text ends with
 * a zero, and zeros fill up to a multiple of 8 bytes. */
static char *make_start(const oak_checkpoint_t *h, size_t *size, uint64_t *head_sum) {
  uint64_t text_bytes = 0;
  for (int t = 0; t < OAK_CHECKPOINT_TEXTS; t++) text_bytes += strlen(h->text[t]) + 1;
  text_bytes = (text_bytes + 7) / 8 * 8;
  *size = sizeof(oak_checkpoint_head_t) + text_bytes;
  char *start = calloc(1, *size);
  if (!start) return NULL;
  oak_checkpoint_head_t head = {
      .order = OAK_CHECKPOINT_ORDER,
      .version = OAK_CHECKPOINT_VERSION,
      .text_bytes = text_bytes,
      .blocks = (uint64_t)h->nglobal,
      .dim = (uint32_t)h->dim,
      .block_size = pack_shape(h),
      .nvar = (uint32_t)h->nvar,
      .real_size = (uint32_t)h->real_size,
      .rates_known = (uint32_t)h->rates_known | (uint32_t)h->growing << 1};
  OAK_CHECKPOINT_COPY(&head, h);
  memcpy(head.magic, OAK_CHECKPOINT_MAGIC, sizeof head.magic);
  for (int d = 0; d < 3; d++) {
    head.trees[d] = (uint32_t)h->trees[d];
    head.periodic |= (uint32_t)(h->periodic[d] != 0) << d;
  }
  int64_t records, data, file_bytes = 0;
  oak_checkpoint_layout(h, text_bytes, &records, &data, &file_bytes);
  head.file_bytes = (uint64_t)file_bytes;
  char *at = start + sizeof head;
  for (int t = 0; t < OAK_CHECKPOINT_TEXTS; t++) at = stpcpy(at, h->text[t]) + 1;
  const uint32_t sum = oak_checkpoint_sum(0, &head, offsetof(oak_checkpoint_head_t, sum));
  head.sum = oak_checkpoint_sum(sum, start + sizeof head, text_bytes);
  memcpy(start, &head, sizeof head);
  *head_sum = head.sum;
  return start;
}

/** Rank 0: make the file, with its head. */
static oak_status_t begin_file(writer_t *w, const char *start, size_t size) {
  (void)unlink(w->file.part); /* what a run that was killed has left */
  w->file.fd = open(w->file.part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (w->file.fd < 0) return oak_file_failed("create", w->file.part, errno);
  return oak_write_at(w->file.fd, start, size, 0, w->file.part);
}

/** Checksums and data of some blocks. */
static oak_status_t write_data(writer_t *w, int from, int count, const char *data) {
  for (int i = 0; i < count; i++) {
    oak_checkpoint_record_t *r = &w->record[from + i];
    r->data_sum = oak_checkpoint_sum(0, data + i * w->block_bytes, (size_t)w->block_bytes);
    r->sum = oak_checkpoint_record_sum((uint32_t)w->head_sum, r, w->first + from + i);
  }
  return oak_write_at(w->file.fd, data, (size_t)(count * w->block_bytes),
                      w->data + (w->first + from) * w->block_bytes, w->file.part);
}

/** The job of a chunk. */
static oak_status_t write_chunk(void *context, oak_status_t st) {
  chunk_t *c = context;
  if (st == OAK_OK) st = write_data(c->writer, c->from, c->count, c->data);
  free(c);
  return st;
}

/** Blocks of the next chunk. */
static int next_chunk(const writer_t *w, int from) {
  return w->nblock - from < w->most ? w->nblock - from : w->most;
}

/** The job that writes all chunks, if the thread of the disk may read the blocks itself. */
static oak_status_t write_all(void *context, oak_status_t st) {
  writer_t *w = context;
  const oak_checkpoint_blocks_t *b = &w->source;
  for (int from = 0; from < w->nblock && st == OAK_OK; from += w->most) {
    st = b->read(b->owner, from, next_chunk(w, from), b->buffer);
    if (st == OAK_OK) st = write_data(w, from, next_chunk(w, from), b->buffer);
  }
  return st;
}

/** The job after all chunks. */
static oak_status_t write_records(void *context, oak_status_t st) {
  const writer_t *w = context;
  if (st != OAK_OK) return st;
  return oak_write_at(w->file.fd, w->record, (size_t)w->nblock * sizeof *w->record,
                      w->records + w->first * (int64_t)sizeof *w->record, w->file.part);
}

static void fill_records(writer_t *w, const oak_checkpoint_blocks_t *b) {
  for (int i = 0; i < b->nblock; i++) {
    oak_checkpoint_record_t *r = &w->record[i];
    *r = (oak_checkpoint_record_t){.level = (uint32_t)b->level[i], .rate = b->rate[i]};
    memcpy(r->index, b->index[i], sizeof r->index);
  }
}

/** The data of this rank's blocks, and their records. */
static oak_status_t write_blocks(writer_t *w) {
  const oak_checkpoint_blocks_t *b = &w->source;
  fill_records(w, b);
  if (b->buffer) OAK_TRY(oak_disk_do(b->disk, 0, write_all, w));
  for (int from = 0; from < b->nblock && !b->buffer; from += w->most) {
    const int n = next_chunk(w, from);
    const size_t bytes = sizeof(chunk_t) + (size_t)(n * w->block_bytes);
    chunk_t *c = malloc(bytes);
    OAK_CHECK(c, OAK_ERR_MEMORY, "no memory to write %s", w->file.part);
    *c = (chunk_t){w, from, n};
    const oak_status_t st = b->read(b->owner, from, n, c->data);
    if (st != OAK_OK) {
      free(c);
      return st;
    }
    OAK_TRY(oak_disk_do(b->disk, bytes, write_chunk, c));
  }
  return oak_disk_do(b->disk, 0, write_records, w);
}

/** This rank's part of the file. Collective. */
static oak_status_t write_part(writer_t *w, const char *start, size_t size) {
  const oak_checkpoint_blocks_t *blocks = &w->source;
  int rank;
  oak_status_t st = OAK_OK;
  MPI_Comm_rank(blocks->comm, &rank);
  if (rank == 0) st = begin_file(w, start, size);
  st = oak_agree(blocks->comm, st);
  if (st == OAK_OK && rank != 0) {
    w->file.fd = open(w->file.part, O_WRONLY | O_CLOEXEC);
    if (w->file.fd < 0) st = oak_file_failed("open", w->file.part, errno);
  }
  if (st == OAK_OK) st = write_blocks(w);
  if (w->file.fd >= 0) st = oak_disk_close(blocks->disk, w->file.fd, w->file.part, st);
  return st;
}

static void free_writer(void *context) {
  writer_t *w = context;
  if (!w) return;
  if (w->source.release) w->source.release(w->source.owner);
  free(w->record);
  free(w);
}

static oak_status_t make_writer(const oak_checkpoint_t *head, const oak_checkpoint_blocks_t *blocks,
                                const char *path, writer_t **out) {
  writer_t *w = *out = calloc(1, sizeof *w);
  if (!w && blocks->release) blocks->release(blocks->owner);
  OAK_CHECK(w, OAK_ERR_MEMORY, "no memory to write %s", path);
  *w = (writer_t){.block_bytes = oak_checkpoint_block_bytes(head),
                  .first = blocks->first,
                  .nblock = blocks->nblock,
                  .most = oak_checkpoint_chunk(head),
                  .source = *blocks};
  OAK_TRY(OAK_NEW(w->record, blocks->nblock));
  return oak_part_file_name(&w->file, path);
}

static oak_status_t check_replaceable(const char *path) {
  struct stat info;
  OAK_CHECK(lstat(path, &info) != 0 || oak_checkpoint_is_one(path), OAK_ERR_FILE,
            "cannot write checkpoint %s: something else of that name is there; move it away or "
            "choose another name",
            path);
  return oak_make_parents(path);
}

/** Rank 0: check the path, and prepare the beginning of the file. */
static oak_status_t prepare(writer_t *w, const oak_checkpoint_t *head, char **start, size_t *size) {
  OAK_TRY(check_replaceable(w->file.path));
  *start = make_start(head, size, &w->head_sum);
  OAK_CHECK(*start, OAK_ERR_MEMORY, "no memory to write %s", w->file.path);
  return OAK_OK;
}

oak_status_t oak_checkpoint_write(const oak_checkpoint_t *head,
                                  const oak_checkpoint_blocks_t *blocks, const char *path) {
  int rank;
  size_t size = 0;
  OAK_FREED char *start = NULL;
  writer_t *w;
  MPI_Comm_rank(blocks->comm, &rank);
  oak_status_t st = make_writer(head, blocks, path, &w);
  if (st == OAK_OK && rank == 0) st = prepare(w, head, &start, &size);
  st = oak_agree(blocks->comm, st);
  if (st == OAK_OK) {
    uint64_t shared[2] = {size - sizeof(oak_checkpoint_head_t), w->head_sum};
    MPI_Bcast(shared, 2, MPI_UINT64_T, 0, blocks->comm);
    w->head_sum = shared[1];
    oak_checkpoint_layout(head, shared[0], &w->records, &w->data, &w->file_bytes);
    st = write_part(w, start, size);
    const oak_disk_output_t output = {oak_part_file_publish, oak_part_file_discard, free_writer, w,
                                      NULL};
    st = oak_disk_commit(blocks->disk, blocks->comm, st, &output);
  } else {
    free_writer(w);
  }
  return st;
}
