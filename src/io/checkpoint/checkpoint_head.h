/* SPDX-License-Identifier: GPL-2.0-or-later
 * The first bytes of a checkpoint and the records of blocks, as they are in the file. Private to
 * src/io/checkpoint. Numbers have the byte order of the machine that wrote them. */
#pragma once

#include <string.h>

#include "checkpoint.h"

/* The first bytes follow the idea of PNG files. No text begins with the first of them, and a
 * transfer that converts line ends changes the others. */
#define OAK_CHECKPOINT_MAGIC "\211OAK\r\n\032\n"

enum {
  OAK_CHECKPOINT_VERSION = 2,
  OAK_CHECKPOINT_ORDER = 0x01020304,
  OAK_CHECKPOINT_MOST_TEXT = 64 << 20 /* bytes */
};

typedef struct {
  char magic[8];
  uint32_t order, version;
  uint64_t file_bytes, text_bytes, blocks;
  uint32_t dim;
  uint32_t block_size; /**< 8 bits for each axis, x lowest; 0 along y and z: as along x */
  uint32_t nvar, real_size;
  uint32_t trees[3], periodic; /* periodic: a bit for each axis */
  double xmin[3], xmax[3];
  int64_t step;
  double time, dt, rate;
  int64_t updates, first_order_cells, floored_cells, retries;
  uint32_t rates_known; /* and 2 if steps grow twofold */
  uint32_t sum;         /* sum: CRC-32 of what is before it, and of the texts */
} oak_checkpoint_head_t;
_Static_assert(sizeof(oak_checkpoint_head_t) == 192, "the head of a checkpoint has no gaps");

/** Copy the numbers that both structures have, in either direction. */
#define OAK_CHECKPOINT_COPY(to, from)                                            \
  ((to)->step = (from)->step, (to)->time = (from)->time, (to)->dt = (from)->dt,  \
   (to)->rate = (from)->rate, (to)->updates = (from)->updates,                   \
   (to)->first_order_cells = (from)->first_order_cells,                          \
   (to)->floored_cells = (from)->floored_cells, (to)->retries = (from)->retries, \
   memcpy((to)->xmin, (from)->xmin, sizeof(to)->xmin),                           \
   memcpy((to)->xmax, (from)->xmax, sizeof(to)->xmax))

typedef struct {
  int32_t index[3];
  uint32_t level;
  double rate;
  uint32_t data_sum;
  uint32_t sum; /* oak_checkpoint_record_sum */
} oak_checkpoint_record_t;
_Static_assert(sizeof(oak_checkpoint_record_t) == 32, "a record of a checkpoint has no gaps");

/** CRC-32 of \a bytes, continuing \a sum (0 at first). */
uint32_t oak_checkpoint_sum(uint32_t sum, const void *data, size_t bytes);
/** The checksum of a record, of the block of that global number. It continues the checksum of the
 * head, so a block of another file or of another place does not fit. */
uint32_t oak_checkpoint_record_sum(uint32_t head_sum, const oak_checkpoint_record_t *record,
                                   int64_t block);

/** The places of records and data, and the size of the file. \return 0 if that exceeds 63 bits. */
int oak_checkpoint_layout(const oak_checkpoint_t *head, uint64_t text_bytes, int64_t *records,
                          int64_t *data, int64_t *file_bytes);
