/* SPDX-License-Identifier: GPL-2.0-or-later
 * The file of the problem, in quotes. Its hooks belong to the problem, and may use all that is
 * included before. */
#pragma once

#include "kernels/access/field.h"
#include "kernels/geometry/geometry.h"
#include "numerics/limiters.h"

#undef OAK_OWNER
#define OAK_OWNER problem
#include OAK_PROBLEM
