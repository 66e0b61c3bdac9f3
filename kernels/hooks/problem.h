/* SPDX-License-Identifier: GPL-2.0-or-later
 * The problem of the run. OAK_PROBLEM is its file, in quotes. Hooks in it belong to the problem,
 * and may use what is included before it. */
#pragma once

#include "kernels/geometry/rows.h"
#include "kernels/geometry/solids.h"

#undef OAK_OWNER
#define OAK_OWNER problem
#include OAK_PROBLEM
