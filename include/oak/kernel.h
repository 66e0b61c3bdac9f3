/* SPDX-License-Identifier: GPL-2.0-or-later
 * The language of kernels, physics files and problem files: C that is also CUDA C++, with a few
 * macros for parallel loops. Included first by every kernel build; docs/kernels.md is its manual.
 *
 * Constants of the run, given by the build (for an editor by oak/editor.h):
 *   OAK_DIM  2 or 3        OAK_NX, OAK_NY, OAK_NZ  cells of a block along each axis; in 2D OAK_NZ
 * is 1 OAK_NG   ghost layers  OAK_REAL                double or float */
#pragma once

#if OAK_DEVICE_CPU
#include "oak/dialect/cpu.h"
#elif OAK_DEVICE_CUDA
#include "oak/dialect/cuda.h"
#elif OAK_DEVICE_HIP
#include "oak/dialect/hip.h"
#elif OAK_DEVICE_OPENACC || OAK_DEVICE_OPENMP
#include "oak/dialect/directives.h"
#else
#error "unknown device: no dialect header"
#endif

#include "oak/kernel_args.h"

#define OAK_FACES (2 * OAK_DIM)
#define OAK_CELLS (OAK_NX * OAK_NY * OAK_NZ)
/* Cells of a block along axis `dir`, which need not be a constant. */
#define OAK_ALONG(dir) ((dir) == 0 ? OAK_NX : (dir) == 1 || OAK_DIM == 2 ? OAK_NY : OAK_NZ)
/* The same along every axis: only for blocks with equal edges. */
#if OAK_NX == OAK_NY && (OAK_DIM == 2 || OAK_NX == OAK_NZ)
#define OAK_N OAK_NX
#endif

/** for (int v = 0; v < n; v++), unrolled: for each variable, axis or face. Arrays whose index is v
 * then become registers. */
#define OAK_FOR(v, n) \
  OAK_UNROLL          \
  for (int v = 0; v < (n); v++)

/* Comparisons with NaN choose the second operand, as the hardware instructions do. */
#define OAK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define OAK_MAX(a, b) ((a) > (b) ? (a) : (b))

/** 1/x, a/b and square root for inner loops. On some devices they are faster than the operators.
 * The results differ from the rounded ones by a bit or two at most, and are NaN where they are not
 * finite. */
#ifndef OAK_OWN_DIVISION
OAK_FN real oak_inv(real x) { return 1 / x; }
OAK_FN real oak_div(real a, real b) { return a / b; }
OAK_FN real oak_sqrt(real x) {
  return sizeof(real) == 4 ? (real)sqrtf((float)x) : (real)sqrt((double)x);
}
#endif
OAK_FN real oak_abs(real x) {
  return sizeof(real) == 4 ? (real)fabsf((float)x) : (real)fabs((double)x);
}

/* Parameters of physics and problem: oak writes the structures (kernels/language/hooks.h). */
typedef struct physics_parameters physics_parameters_t;
typedef struct problem_parameters problem_parameters_t;
