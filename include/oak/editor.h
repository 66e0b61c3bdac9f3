/* SPDX-License-Identifier: GPL-2.0-or-later
 * For editors and linters: what a run writes in front of its kernels, for one typical run. clangd
 * includes this file first: kernels/compile_flags.txt says so for the kernels, and `oak editor` for
 * problem and physics files. No build of oak includes it. */
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

/* The physics and its parameters. `oak editor` gives those of another physics. */
#ifndef OAK_PHYSICS
#define OAK_PHYSICS "physics/euler.c"
#define OAK_EDITOR_PHYSICS_PARAMETERS double gamma, density_floor, pressure_floor;
#define OAK_HAS_physics_floor 1
#endif
/* Numbers on faces, and the elliptic equations whose derivatives they are made of. */
#ifdef OAK_EDITOR_PHYSICS_FACES
#ifndef OAK_EDITOR_PHYSICS_EQUATIONS
#define OAK_EDITOR_PHYSICS_EQUATIONS(X)
#endif
#define OAK_EQUATIONS(X) X(0, phi) OAK_EDITOR_PHYSICS_EQUATIONS(X)
#define OAK_FACE_FIELDS(X) OAK_EDITOR_PHYSICS_FACES(X)
#define OAK_EDITOR_FACE(number, name) OAK_REAL name;
#endif
struct physics_parameters {
  OAK_EDITOR_PHYSICS_PARAMETERS
#ifdef OAK_FACE_FIELDS
  struct oak_face_numbers {
    OAK_FACE_FIELDS(OAK_EDITOR_FACE)
  } face;
#endif
};

/* A problem file is not included, because it is the file that is opened. Only its parameters stand
 * in front, as they were when `oak editor` ran. */
#define OAK_PROBLEM "kernels/language/no_problem.c"
#ifndef OAK_EDITOR_PARAMETERS
#define OAK_EDITOR_PARAMETERS double oak_unused;
#endif
struct problem_parameters {
  OAK_EDITOR_PARAMETERS
};

/* Fields of the physics and of the file that is opened: lists of X(number, name), where the number
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

/* What a file that is not a kernel finds in front of it. */
#ifdef OAK_EDITOR_OPENS_PHYSICS
#include "kernels/language/hooks.h"
#elif defined OAK_EDITOR_OPENS_PROBLEM
#include "kernels/hooks/user.h"
#endif

#endif
