/* SPDX-License-Identifier: GPL-2.0-or-later
 * Taking back an adaptation. For adapt.c alone. */
#pragma once

#include "solver/step/sim.h"

/** A mesh as it was. */
typedef struct {
  int nblock;
  int8_t *level;
  int32_t (*index)[3];
  oak_rates_t rates;
} oak_undo_t;

/** Keep the present mesh. Collective; fails on all ranks alike. */
oak_status_t oak_undo_keep(oak_t *sim, oak_undo_t *undo);
void oak_undo_forget(oak_undo_t *undo);
/** Bring the mesh back; the block data must be those of that mesh. Collective. \return \a st, with
 * its message, or another failure. */
oak_status_t oak_undo_mesh(oak_t *sim, oak_undo_t *undo, oak_status_t st);
/** The same, and make all other data fit the mesh again. Tables and state 0 must still be the old
 * ones. */
oak_status_t oak_undo_all(oak_t *sim, oak_undo_t *undo, oak_status_t st);
/** Fail if the device lacks memory for an adapted mesh, before its blocks are redistributed or
 * after. State 1 is there already. Rank-local. */
oak_status_t oak_undo_probe(oak_t *sim, int old_blocks);
