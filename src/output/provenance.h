/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the output folder says of where its files come from. Private. */
#pragma once

#include "solver/step/sim.h"

/** Write to \a folder, on rank 0: parameters.ini, with which the run can be repeated from any
 * folder, and copies of the physics and problem files. \a command: the command line, NULL if it is
 * not known; \a begun_from: the checkpoint that the run goes on from, NULL: none. Rank-local. */
oak_status_t oak_provenance_write(const oak_t *sim, const char *folder, const char *command,
                                  const char *begun_from);
/** The name of a checkpoint in parameters.ini: its path and the beginning of its content. */
void oak_checkpoint_note(const char *path, char *text, size_t size);
