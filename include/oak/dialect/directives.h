/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel dialect in directives of OpenACC. Lanes have no barrier, and compilers put arrays that
 * lanes share into slow memory or do not support them (docs/openacc.md). No form of loop here
 * therefore uses barriers or shared arrays among lanes:
 *
 *   OAK_OUTER        an iteration is one lane, its INNER loops are serial: always correct
 *   OAK_OUTER_LANES  an iteration is a gang whose lanes take their share of INNER loops: no SHARED,
 *                    no BARRIER, no SERIAL
 *   OAK_GANGS, OAK_VECTOR   the loops of the foap4 paper: a gang loop over blocks, a collapsed
 * vector loop over cells, with reductions
 *
 * docs/kernels.md explains the macros; every device has one header with the same names. */
#pragma once

#include <math.h>
#include <openacc.h>
#include <stddef.h>
#include <string.h>

#define OAK_PRAGMA_(x) _Pragma(#x)
#define OAK_PRAGMA(x) OAK_PRAGMA_(x)

/* Inlined into the compute region, so that no `acc routine` is needed and arrays become registers.
 */
#define OAK_FN static inline __attribute__((always_inline))
#define OAK_CONST_DATA __attribute__((visibility("default"))) const
/* An array with the numbers of a table (TABLE). Not `const`: gcc would put it into the constant
 * memory of an NVIDIA GPU, which has 64 KiB. */
#define OAK_TABLE_DATA(type, name, count)          \
  __attribute__((unused)) static type name[count]; \
  OAK_PRAGMA(acc declare copyin(name)) static type name[count]

#define OAK_KERNEL(name, args_t, threads)                                       \
  __attribute__((visibility("default"))) void name(long oak_n, int oak_threads, \
                                                   const args_t *oak_args)

/* Lanes of a gang: for kernels that move data, and for those with a loop over cells. */
#ifndef OAK_ACC_LANES
#define OAK_ACC_LANES 64
#endif
#ifndef OAK_ACC_VECTOR
#define OAK_ACC_VECTOR 128
#endif
/* A gang per iteration, since the hardware starts a gang whenever another one ends. */
#ifndef OAK_ACC_GANGS
#define OAK_ACC_GANGS num_gangs(oak_n)
#endif

/* Arguments: one structure, whose pointers are addresses of the device. OAK_EACH, OAK_GANG: a lane
 * or a gang for each iteration of the loop that follows.
 *
 * Arguments are in a variable that is always on the device. A launch then takes 14 us (H100,
 * docs/openacc.md). With clauses it takes 30 us, because gcc's runtime allocates, fills and frees
 * memory of the device at each launch. */
#define OAK_ACC_ARGUMENTS 4096
static struct {
  long n;
  _Alignas(16) char arg[OAK_ACC_ARGUMENTS];
} oak_acc_sent;
OAK_PRAGMA(acc declare create(oak_acc_sent))
/* A function that is kept even in files that launch nothing, so that the linker includes the
 * runtime, which oak_acc_sent needs. */
__attribute__((used)) static void oak_acc_send(long n, const void *arg, size_t size) {
  oak_acc_sent.n = n;
  memcpy(oak_acc_sent.arg, arg, size);
  acc_update_device(&oak_acc_sent, offsetof(__typeof__(oak_acc_sent), arg) + size);
}
#define OAK_ARGS(args_t)                                                               \
  args_t arg = *oak_args;                                                              \
  _Static_assert(sizeof arg <= OAK_ACC_ARGUMENTS, "arguments larger than 4096 bytes"); \
  oak_acc_send(oak_n, oak_args, sizeof arg);                                           \
  (void)oak_threads
/* Arguments for a kernel that is short of registers: gcc would keep a copy of `arg` in registers,
 * but reads this variable again at every use. */
#define OAK_ARGS_PLACE(arg) ((const __typeof__(arg) *)oak_acc_sent.arg)
/* The region declares its own `arg`, because a variable from outside would need a clause. */
#define OAK_ACC_N oak_acc_sent.n
#define OAK_ACC_LOOP(kind, ...)                                \
  OAK_PRAGMA(acc parallel private(arg) __VA_ARGS__)            \
  if ((arg = *(const __typeof__(arg) *)oak_acc_sent.arg, 0)) { \
  } else                                                       \
    OAK_PRAGMA(acc loop kind)
#define OAK_EACH(lanes) OAK_ACC_LOOP(gang vector, vector_length(lanes))
#define OAK_GANG(lanes) OAK_ACC_LOOP(gang, OAK_ACC_GANGS vector_length(lanes))

/* Lane 0 of 1, unless a loop or a function's arguments say otherwise. */
enum { oak_lane = 0, oak_lanes = 1 };
#define OAK_LANE_PARAM , const int oak_lane, const int oak_lanes
#define OAK_LANE_ARG , oak_lane, oak_lanes

#define OAK_OUTER(n)      \
  OAK_EACH(OAK_ACC_LANES) \
  for (long n = 0; n < OAK_ACC_N; n++)
#define OAK_OUTER_LANES(n)                                     \
  OAK_GANG(OAK_ACC_LANES)                                      \
  for (long n = 0; n < OAK_ACC_N; n++) OAK_VECTOR()            \
  for (int oak_lane = 0; oak_lane < OAK_ACC_LANES; oak_lane++) \
    for (int oak_lanes = OAK_ACC_LANES, oak_o = 1; oak_o; oak_o = 0)

#define OAK_GANGS(n)       \
  OAK_GANG(OAK_ACC_VECTOR) \
  for (long n = 0; n < OAK_ACC_N; n++)
#define OAK_VECTOR(...) OAK_PRAGMA(acc loop vector __VA_ARGS__)
#define OAK_VECTOR2(j, nj, i, ni, ...) \
  OAK_VECTOR(collapse(2) __VA_ARGS__)  \
  for (int j = 0; j < (nj); j++)       \
    for (int i = 0; i < (ni); i++)
/* The clauses of the loop have already combined the values. */
#define OAK_GANG_MAX(x) ((void)0)
#define OAK_GANG_SUM(x) ((void)0)
/* After OAK_VECTOR: a loop over all lanes of a gang, each with its share of INNER loops. */
#define OAK_TEAM_LANES                                          \
  for (int oak_lane = 0; oak_lane < OAK_ACC_VECTOR; oak_lane++) \
    for (int oak_lanes = OAK_ACC_VECTOR, oak_o = 1; oak_o; oak_o = 0)

/* OAK_VECTOR for sums of real numbers in a fixed order. gcc adds the numbers of a warp by shuffles,
 * in a fixed order, but the sums of several warps in the order of their arrival. */
enum { OAK_SUM_VECTOR = 32 };
#define OAK_GANGS_SUM(n)   \
  OAK_GANG(OAK_SUM_VECTOR) \
  for (long n = 0; n < OAK_ACC_N; n++)
#define OAK_SUM_LANES                                           \
  for (int oak_lane = 0; oak_lane < OAK_SUM_VECTOR; oak_lane++) \
    for (int oak_lanes = OAK_SUM_VECTOR, oak_o = 1; oak_o; oak_o = 0)

#define OAK_INNER(i, ni) for (int i = oak_lane; i < (ni); i += oak_lanes)
#define OAK_INNER2(j, nj, i, ni)                                      \
  for (int oak_t = oak_lane; oak_t < (nj) * (ni); oak_t += oak_lanes) \
    for (int j = oak_t / (ni), i = oak_t % (ni), oak_p = 1; oak_p; oak_p = 0)
#define OAK_ROWS(row, nrows, width)                                                      \
  for (int oak_w = (width) < oak_lanes ? (width) : oak_lanes, oak_g = oak_lanes / oak_w, \
           row = oak_lane / oak_w < oak_g ? oak_lane / oak_w : (nrows);                  \
       row < (nrows); row += oak_g)
#define OAK_LANES(a, width) for (int a = oak_lane % oak_w; a < (width); a += oak_w)
#define OAK_LANES_APART 1
#define OAK_SERIAL if (oak_lane == 0)
#define OAK_BARRIER ((void)0)

#define OAK_SHARED
#define OAK_RESTRICT
#define OAK_ALIGNED

/* Whether `flag` may be set for any lane of a gang. Lanes cannot see the flags of others. */
#define OAK_ANY(flag) ((void)(flag), 1)

#define OAK_UNROLL OAK_PRAGMA(GCC unroll 16)
/* If gcc may not unroll a loop of two iterations, it puts the first one before the loop. This takes
 * more branches and registers. */
#ifndef OAK_ACC_UNROLL
#define OAK_ACC_UNROLL 2
#endif
#define OAK_TWO_TURNS OAK_PRAGMA(GCC unroll OAK_ACC_UNROLL)
#define OAK_NO_UNROLL OAK_PRAGMA(GCC unroll 1)

/* Division and square root on NVIDIA GPUs through gcc: as in cuda.h, from the hardware's
 * approximations and Newton steps. The operators end in calls for rare cases, which cost registers.
 * OAK_ON_NVIDIA is a constant for both compilers, that for the host and that for the GPU. Without
 * optimization, the compiler for the host would keep the instructions of the GPU. */
#if defined(__OPTIMIZE__) && !defined(OAK_EXACT_DIVISION)
#define OAK_OWN_DIVISION 1
#define OAK_ON_NVIDIA __builtin_acc_on_device(acc_device_nvidia)
/* gcc may keep a number in an integer register, so the instruction gets registers of its own. */
#define OAK_PTX(bits, op, r, x)                                                           \
  asm("{.reg .f" #bits " x, r; mov.b" #bits " x, %1; " op " r, x; mov.b" #bits " %0, r;}" \
      : "=r"(r)                                                                           \
      : "r"(x))
OAK_FN double oak_inv_double(double x) {
  double r;
  OAK_PTX(64, "rcp.approx.ftz.f64", r, x);
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
OAK_FN double oak_sqrt_double(double x) {
  double r;
  OAK_PTX(64, "rsqrt.approx.ftz.f64", r, x);
  const double s = x * r, h = 0.5 * r;
  const double e = fma(-s, h, 0.5); /* a correction of relative size e */
  const double t = fma(s, fma(1.5 * e, e, e), s);
  return x == 0 ? 0 : t;
}
OAK_FN float oak_inv_float(float x) {
  float r;
  OAK_PTX(32, "rcp.approx.ftz.f32", r, x);
  return r;
}
OAK_FN float oak_sqrt_float(float x) {
  float r;
  OAK_PTX(32, "sqrt.approx.ftz.f32", r, x);
  return r;
}
/* `real` is float or double. C has no overloading, so its size selects the function. */
#define OAK_BY_SIZE(x, name) \
  (sizeof(x) == 4 ? (OAK_REAL)name##_float((float)(x)) : (OAK_REAL)name##_double((double)(x)))
OAK_FN OAK_REAL oak_inv(OAK_REAL x) { return OAK_ON_NVIDIA ? OAK_BY_SIZE(x, oak_inv) : 1 / x; }
OAK_FN OAK_REAL oak_div(OAK_REAL a, OAK_REAL b) {
  return OAK_ON_NVIDIA ? a * OAK_BY_SIZE(b, oak_inv) : a / b;
}
OAK_FN OAK_REAL oak_sqrt(OAK_REAL x) {
  if (OAK_ON_NVIDIA) return OAK_BY_SIZE(x, oak_sqrt);
  return sizeof(x) == 4 ? (OAK_REAL)sqrtf((float)x) : (OAK_REAL)sqrt((double)x);
}
#endif

/* Forms of kernels that go cell by cell (kernels/flux/cells.h). */
#ifndef OAK_CELL_LOOPS
#define OAK_CELL_LOOPS 1
#endif
