/* SPDX-License-Identifier: GPL-2.0-or-later
 * For editors and linters: the text that a run writes before its kernels, for one typical run.
 * clangd includes this file first, as compile_flags.txt in kernels/, physics/ and problems/ says.
 * No build of oak includes it. */
#ifndef OAK_EDITOR_H
#define OAK_EDITOR_H

#ifndef OAK_DIM
#define OAK_DIM 3
#endif
#ifndef OAK_REAL
#define OAK_REAL double
#endif
#define OAK_NX 16
#define OAK_NY 16
#define OAK_NZ (OAK_DIM == 3 ? 16 : 1)
#define OAK_NG 3
#define OAK_TILE_X OAK_NX
#define OAK_TILE_Y OAK_NY
#ifndef OAK_COORDINATES
#define OAK_COORDINATES 0
#endif
#define OAK_NPREV 2
#define OAK_DEVICE_CPU 1
#define OAK_LIMITER vanleer
#define OAK_RADIUS 1
#define OAK_FLUX hll
#define OAK_WAVE_SPEEDS_EINFELDT 1
#define OAK_DIFFUSION 2
#define OAK_REFINE_USER 0
#define OAK_CRITERION lohner
#define OAK_CRITERION_OWN 0
#define OAK_REFINE_NONE 0
#define OAK_REFINE_BUFFER 1
#define OAK_REFINE_PRIMITIVES 1
#define OAK_RIEMANN_LIST(X) X(0, hll)
#define OAK_ELLIPTIC_FIELDS 1
#define OAK_ELLIPTIC_BODIES 1
#define OAK_ELLIPTIC_RELAX 1.1
#define OAK_ELLIPTIC_SWEEPS 2
/* The parameter file names the passive scalars. Here SCALAR(name) is one scalar, whatever its
 * name. */
#define NSCALARS 1
#define OAK_SCALAR_VALUES 0
#define SCALAR(name) PHYSICS_NVAR
#include "oak/kernel.h"

/* The physics and its parameters; a line of compile_flags.txt may give another one. */
#ifndef OAK_PHYSICS
#define OAK_PHYSICS "physics/euler.c"
#define OAK_EDITOR_PHYSICS_PARAMETERS double gamma, density_floor, pressure_floor;
#define OAK_HAS_physics_floor 1
#endif
struct physics_parameters {
  OAK_EDITOR_PHYSICS_PARAMETERS
};

/* A problem file is not included, because it is the file that is opened. Its parameters are here if
 * a line of compile_flags.txt gives them. */
#define OAK_PROBLEM "kernels/language/no_problem.c"
#ifndef OAK_EDITOR_PARAMETERS
#define OAK_EDITOR_PARAMETERS double oak_unused;
#endif
struct problem_parameters {
  OAK_EDITOR_PARAMETERS
};

/* Includes for a file that is not a kernel. */
#ifdef OAK_EDITOR_OPENS_PHYSICS
#include "kernels/language/hooks.h"
#elif defined OAK_EDITOR_OPENS_PROBLEM
#include "kernels/hooks/user.h"
#endif

#endif
