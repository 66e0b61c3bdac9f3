/* SPDX-License-Identifier: GPL-2.0-or-later
 * The force on solids. Private to src/solver. */
#pragma once

#include "oak.h"
#include "setup/setup.h"

/** Whether a run has component \a d of the force: there are solids and velocities, and the axis has
 * the same direction everywhere. */
int oak_forces_has(const oak_setup_t *setup, int d);

/** The force on the walls of cells in \a box [nblock][6] (as in oak_measure_args_t; NULL: all), of
 * the present state: \a force[0] by the Riemann solver, mainly the pressure, \a force[1] by the
 * hooks DIFFUSIVE_FLUX. These are the fluxes of a stage, so the momentum that the gas loses in a
 * step of forward Euler is this force times the step. In 2D it is per depth.
 * Collective. */
oak_status_t oak_forces_measure(oak_t *sim, const int (*box)[6], double force[2][3]);
