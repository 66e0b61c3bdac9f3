/* SPDX-License-Identifier: GPL-2.0-or-later
 * Lists that let a viewer open all outputs of one kind as one time series. Private. */
#pragma once

#include "oak/status.h"

/** The form of a kind of list: each output on a line of its own, which is \a before, the file's
 * name and the end of the line. */
typedef struct {
  const char *ending; /**< ending of the list's name */
  const char *head, *before, *after;
  const char *time; /**< text after the time, which follows \a after; NULL: no time */
  const char *tail;
  int commas; /**< every line but the first begins with a comma */
} oak_series_t;

/** Enter \a path, an output of \a time that has just been written, into the list "\a stem ENDING",
 * which is in the same folder. If a run goes back to an earlier time, the outputs whose names come
 * after this one are out of date: they are removed from the list. Outputs that no longer exist are
 * removed too. Numbers in names are compared by value. Rank-local: for one rank to call. */
oak_status_t oak_series_add(const oak_series_t *series, const char *stem, const char *path,
                            double time);
