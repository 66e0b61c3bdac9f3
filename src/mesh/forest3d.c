/* SPDX-License-Identifier: GPL-2.0-or-later
 * Octrees. */
#define OAK_FOREST_3D
#include "forest.c"
