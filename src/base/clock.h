/* SPDX-License-Identifier: GPL-2.0-or-later
 * The clock that all processes of a host share. Private. */
#pragma once

#include <time.h>

static inline double oak_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
