/* SPDX-License-Identifier: GPL-2.0-or-later
 * For editors: what stands in front of a problem file when oak compiles it, for one typical run.
 * `oak editor` prints settings with which clangd includes this file. No build of oak includes it.
 */
#ifndef OAK_EDITOR_H
#define OAK_EDITOR_H

#define OAK_LIMITER vanleer
#define OAK_FLUX hll
#define OAK_WAVE_SPEEDS_EINFELDT 1
#include "oak/kernel.h"
struct physics_parameters {
  OAK_EDITOR_PHYSICS_PARAMETERS
};
/* The parameters of the file that is opened, as they were when `oak editor` ran. */
#ifndef OAK_EDITOR_PARAMETERS
#define OAK_EDITOR_PARAMETERS double oak_unused;
#endif
struct problem_parameters {
  OAK_EDITOR_PARAMETERS
};
/* Fields of the physics, and of the file that is opened: lists of X(number, name), where the number
 * does not matter. */
#if defined OAK_EDITOR_PHYSICS_FIELDS || defined OAK_EDITOR_FIELDS
#ifndef OAK_EDITOR_PHYSICS_FIELDS
#define OAK_EDITOR_PHYSICS_FIELDS(X)
#endif
#ifndef OAK_EDITOR_FIELDS
#define OAK_EDITOR_FIELDS(X)
#endif
#define OAK_FIELDS(X) OAK_EDITOR_PHYSICS_FIELDS(X) OAK_EDITOR_FIELDS(X)
#define OAK_FIXED(X)
#endif
#include "kernels/hooks.h"
#ifndef OAK_EDITOR_OPENS_PHYSICS
#include OAK_EDITOR_PHYSICS
#include "kernels/scalars.h"
#include "numerics/limiters.h"
#include "kernels/field.h"
#include "kernels/rows.h"
#include "kernels/solids.h"
#include "kernels/problem.h"
#endif

#endif
