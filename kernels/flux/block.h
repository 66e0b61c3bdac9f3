/* SPDX-License-Identifier: GPL-2.0-or-later
 * x and y fluxes of a plane (flux.c). A flux needs the state at the upper face of the neighbour
 * cell, which belongs to another lane. So lanes first reconstruct the states of their cells, and
 * after a barrier compute the fluxes.
 *
 * begin_fluxes comes before the first rows of a plane, compute_fluxes computes the x and y fluxes
 * of the present rows in sh->fx and sh->fy. */
#ifndef OAK_FLUX_FACES_H
#define OAK_FLUX_FACES_H

#include "kernels/flux/lanes.h"
#include "kernels/flux/threads.h"

#endif
