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
#elif OAK_DEVICE_OPENACC
#include "oak/dialect/directives.h"
#else
#error "unknown device: no dialect header"
#endif

#include "oak/kernel_args.h"

/* ---- common parts of dialects */

/* Iterations whose lanes exchange no data, mostly loops over cells: no SHARED, BARRIER or
 * SERIAL. A function with INNER loops that they call ends its parameters with OAK_LANE_PARAM,
 * the call its arguments with OAK_LANE_ARG, both without a comma. Only directives give these
 * macros a meaning. */
#ifndef OAK_OUTER_LANES
#define OAK_OUTER_LANES(n) OAK_OUTER(n)
#define OAK_GANGS(n) OAK_OUTER(n)
#define OAK_LANE_PARAM
#define OAK_LANE_ARG
#define OAK_LANES_APART 0
#endif
#ifndef OAK_CELL_LOOPS
#define OAK_CELL_LOOPS 0
#endif
#ifndef OAK_BULK_COPIES
#define OAK_BULK_COPIES 0
#endif
#ifndef OAK_FETCH_NEXT
#define OAK_FETCH_NEXT(p, count) ((void)(p))
#endif
#ifndef OAK_SHARED_BYTES
#define OAK_SHARED_BYTES 0x7fffffff
#endif

/* A GPU has a thread for each lane (gpu.h); other dialects ignore `resident`, `shared_bytes`. */
#ifndef OAK_MANY_THREADS
#define OAK_MANY_THREADS 0
#define OAK_KERNEL_SHARED(name, args_t, threads, resident, shared_bytes) \
  OAK_KERNEL(name, args_t, threads)
#define OAK_KERNEL_FEW(name, args_t, threads, most) OAK_KERNEL(name, args_t, threads)
#define OAK_ARGS_EARLY(args_t) OAK_ARGS(args_t)
#define OAK_WAIT ((void)0)
/* Rows of every variable; all rows of one cell belong to the same lane. */
#define OAK_ROWS_OF(v, nv, row, nrows, width) \
  for (int v = 0; v < (nv); v++)              \
    OAK_ROWS(row, nrows, width)
/* Reductions combine the two halves of the array again and again, because compilers vectorise
 * neither a floating-point maximum that respects NaN nor a sum of fixed order. */
#define OAK_REDUCE_(result, array, n, combine)                            \
  do {                                                                    \
    for (int oak_m = (n), oak_h = (oak_m + 1) / 2; oak_m > 1;             \
         oak_m = oak_h, oak_h = (oak_m + 1) / 2)                          \
      OAK_INNER(oak_r, oak_m - oak_h)                                     \
        (array)[oak_r] = combine((array)[oak_r], (array)[oak_r + oak_h]); \
    (result) = (array)[0];                                                \
  } while (0)
/* Raise an element of a SHARED array that several lanes may change; values are not negative. */
#define OAK_TALLY_MAX(place, value) ((place) = OAK_MAX(place, value))
#define OAK_TALLY_ADD(place, value) ((place) += (value))
#endif
#define OAK_LANES_IN_TURN (!OAK_MANY_THREADS && !OAK_LANES_APART)
/* Reductions over a SHARED array, which is overwritten; all threads of a team call them. */
#define OAK_ADD_(a, b) ((a) + (b))
#define OAK_REDUCE_MAX(result, array, n) OAK_REDUCE_(result, array, n, OAK_MAX)
#define OAK_REDUCE_SUM(result, array, n) OAK_REDUCE_(result, array, n, OAK_ADD_)

#define OAK_FACES (2 * OAK_DIM)
#define OAK_CELLS (OAK_NX * OAK_NY * OAK_NZ)
/* Cells of a block along axis `dir`, which need not be a constant. */
#define OAK_ALONG(dir) ((dir) == 0 ? OAK_NX : (dir) == 1 || OAK_DIM == 2 ? OAK_NY : OAK_NZ)
/* Number of cells along every axis, only for blocks with equal edges. */
#if OAK_NX == OAK_NY && (OAK_DIM == 2 || OAK_NX == OAK_NZ)
#define OAK_N OAK_NX
#endif

/** for (int v = 0; v < n; v++), unrolled: for each variable, axis or face. Arrays with the index v
 * then become registers. */
#define OAK_FOR(v, n) \
  OAK_UNROLL          \
  for (int v = 0; v < (n); v++)

/* Minimum and maximum; a comparison with NaN chooses the second operand, as hardware does. */
#define OAK_MIN(a, b) ((a) < (b) ? (a) : (b))
#define OAK_MAX(a, b) ((a) > (b) ? (a) : (b))

/** 1/x, a/b and square root for inner loops, on some devices faster than the operators. The results
 * differ from the rounded ones by a bit or two at most, and are NaN where those are not finite. */
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
