/* SPDX-License-Identifier: GPL-2.0-or-later
 * Checkpoints of a simulation, and what has changed when one is read. Private. */
#pragma once

#include "io/checkpoint/checkpoint.h"
#include "solver/step/sim.h"

enum { OAK_MOST_CHANGES = 16 };

/** Differences between a restarted run and the run of the checkpoint; on rank 0. */
typedef struct {
  int physics, problem; /**< their files have changed */
  int equations;        /**< keys of scheme, physics, problem, boundary or bodies have changed */
  int count;            /**< number of changed keys; the first of them: */
  char line[OAK_MOST_CHANGES][160];
} oak_changes_t;

/** Compare two printed parameter sets (oak_params_print) key by key. Fails if \a now has other
 * bodies than that of the checkpoint at \a path: the cells that are solid are those of the
 * checkpoint. Keys that are only in one of them, and the section of devices, do not count as \a
 * changes, which may be NULL. Not collective. */
oak_status_t oak_changes_find(const char *old, const char *now, const char *path,
                              oak_changes_t *changes);

/** oak_write_checkpoint with the schedule of the run's output, by \a disk (NULL: at once). */
oak_status_t oak_checkpoint_save(oak_t *sim, const char *schedule, const char *path,
                                 oak_disk_t *disk);
/** Get memory for writing a checkpoint while the run goes on. Rank-local. */
void oak_checkpoint_prepare(oak_t *sim);
/** Can the simulation read this checkpoint with the kernels that it has or will build? Judges its
 * head. Collective. */
oak_status_t oak_checkpoint_fits(const oak_t *sim, const char *path);
/** oak_read_checkpoint; \a *schedule is to be freed, also after a failure. */
oak_status_t oak_checkpoint_load(oak_t *sim, const char *path, char **schedule,
                                 oak_changes_t *changes);
