/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kinds of output. Private. */
#pragma once

#include "output/item.h"

/** The kinds that a section can have; ends with NULL. */
extern const oak_output_kind_t *const oak_output_kinds[];
/** The kinds of the keys in [output]. */
extern const oak_output_kind_t oak_output_plotfile, oak_output_picture, oak_output_diagnostics,
    oak_output_vtkhdf, oak_output_xdmf;
