/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the two files of a driver's stand-in share, see fake.h. */
#ifndef OAK_FAKE_DRIVER_H
#define OAK_FAKE_DRIVER_H

#include "fake.h"

enum {
  ERROR_VALUE = 1,
  ERROR_MEMORY = 2,
  ERROR_CONTEXT = 201,
  ERROR_IMAGE = 200,
  ERROR_CAPTURE = 900,
  ERROR_NOT_FOUND = 500
};

typedef struct fake_stream stream_t;

extern int fake_sticky;             /**< error of a kernel: all calls return it */
extern __thread void *fake_current; /**< context of this thread */

size_t fake_capacity(void); /**< bytes of memory */
int fake_launch(stream_t *stream, unsigned threads, void *function, void **arguments);
int fake_wait_value(stream_t *stream, size_t address, uint64_t value);

#endif
