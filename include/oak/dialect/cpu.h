/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel dialect on CPUs: OpenMP threads over OUTER, SIMD lanes over INNER.
 * docs/kernels.md explains the macros that kernels of users need, the comments here the others;
 * every device has one header with the same names. */
#pragma once

#include <math.h>
#include <stddef.h>

#define OAK_PRAGMA_(x) _Pragma(#x)
#define OAK_PRAGMA(x) OAK_PRAGMA_(x)

#define OAK_FN static inline __attribute__((always_inline))
#define OAK_CONST_DATA __attribute__((visibility("default"))) const
/* An array with the numbers of a table (TABLE). */
#define OAK_TABLE_DATA(type, name, count) __attribute__((unused)) static const type name[count]

/* Refuse a constant offset, as the compiler sees it, beyond the ghost layers. */
#if defined(__clang__) ? __clang_major__ >= 14 : defined(__GNUC__)
extern void oak_near_beyond(void)
    __attribute__((error("beyond the ghost layers, see scheme.ghost_layers")));
#define OAK_IS_BEYOND(i, most) (__builtin_constant_p(i) && ((i) > (most) || (i) < -(most)))
#define OAK_CHECK_OFFSET(i, j, k)                          \
  (OAK_IS_BEYOND(i, OAK_NG) || OAK_IS_BEYOND(j, OAK_NG) || \
           OAK_IS_BEYOND(k, OAK_DIM == 3 ? OAK_NG : 0)     \
       ? oak_near_beyond()                                 \
       : (void)0)
#endif

/* A kernel on one thread needs nothing of OpenMP: the end of a parallel region is a system call. A
 * launch of a few blocks uses one thread, because starting the others takes longer. */
#define OAK_KERNEL(name, args_t, threads)                                               \
  static void name##_team(long oak_n, long oak_chunk, long *oak_next, const args_t *);  \
  __attribute__((visibility("default"))) void name(long oak_n, int oak_threads,         \
                                                   const args_t *oak_args) {            \
    long oak_next = 0;                                                                  \
    if (oak_threads > 1 && oak_n > 8) OAK_PRAGMA(omp parallel num_threads(oak_threads)) \
    name##_team(oak_n, 4, &oak_next, oak_args);                                         \
    else name##_team(oak_n, oak_n, &oak_next, oak_args);                                \
  }                                                                                     \
  static void name##_team(long oak_n, long oak_chunk, long *oak_next, const args_t *oak_args)
/* `resident` and `shared_bytes` matter to GPUs alone. */
#define OAK_KERNEL_SHARED(name, args_t, threads, resident, shared_bytes) \
  OAK_KERNEL(name, args_t, threads)
#define OAK_KERNEL_FEW(name, args_t, threads, most) OAK_KERNEL(name, args_t, threads)
#define OAK_ARGS(args_t) const args_t arg = *oak_args
#define OAK_ARGS_EARLY(args_t) OAK_ARGS(args_t)
#define OAK_WAIT ((void)0)
#define OAK_ARGS_PLACE(arg) (&(arg))

/* Chunks of a few blocks keep neighbours in Morton order on one core. Each thread takes the next
 * one; one thread takes all blocks at once. All loops of a kernel would share this counter, so the
 * label, which a function may define once, refuses a second loop. */
#define OAK_ONE_OUTER_LOOP         \
  oak_a_kernel_has_one_outer_loop: \
  __attribute__((unused))
#define OAK_OUTER(n)                                                                             \
  OAK_ONE_OUTER_LOOP                                                                             \
  for (long oak_c; (oak_c = __atomic_fetch_add(oak_next, oak_chunk, __ATOMIC_RELAXED)) < oak_n;) \
    for (long n = oak_c; n < OAK_MIN(oak_c + oak_chunk, oak_n); n++)

/* Not `omp simd`: in such a loop, gcc gives each lane a copy in memory of the arrays that are
 * declared in the body, although they would fit in registers (gcc 12: 8 instead of 35 MCUPS). */
#if defined(__clang__)
/* Not `assume_safety`: with it, clang (14 to 19) lets the lanes share an array of the body that is
 * indexed at run time, and all of them get the values of the last one. With `enable`, clang proves
 * or tests that lanes are independent. OAK_RESTRICT and OAK_STORE_LATER help where it fails. */
#define OAK_SIMD OAK_PRAGMA(clang loop vectorize(enable))
#define OAK_STORE_LATER 1
#else
#define OAK_SIMD OAK_PRAGMA(GCC ivdep)
#define OAK_STORE_LATER 0
#endif
/* For a pointer argument: the function reads values that it writes through this pointer through no
 * other pointer. */
#define OAK_RESTRICT restrict
#define OAK_INNER(i, ni) \
  OAK_SIMD               \
  for (int i = 0; i < (ni); i++)
#define OAK_INNER2(j, nj, i, ni)          \
  for (int j = 0; j < (nj); j++) OAK_SIMD \
  for (int i = 0; i < (ni); i++)
/* Rows of lanes with a prologue per row. */
#define OAK_ROWS(row, nrows, width) for (int row = 0; row < (nrows); row++)
/* Rows of every variable. */
#define OAK_ROWS_OF(v, nv, row, nrows, width) \
  for (int v = 0; v < (nv); v++)              \
    OAK_ROWS(row, nrows, width)
#define OAK_LANES(a, width) OAK_INNER(a, width)
#define OAK_SERIAL if (1)
#define OAK_BARRIER ((void)0)

/* Iterations whose lanes exchange no data, mostly loops over cells: no SHARED, BARRIER or SERIAL.
 * A function with INNER loops that is called there ends its parameters with OAK_LANE_PARAM, the
 * call its arguments with OAK_LANE_ARG, both without a comma. Only directives treat them in another
 * way. After VECTOR2, GANG_MAX and GANG_SUM combine a variable of all lanes for the SERIAL part. */
#define OAK_OUTER_LANES(n) OAK_OUTER(n)
#define OAK_LANE_PARAM
#define OAK_LANE_ARG
#define OAK_LANES_APART 0
#define OAK_GANGS(n) OAK_OUTER(n)
#define OAK_VECTOR(...)
#define OAK_VECTOR2(j, nj, i, ni, ...) \
  for (int j = 0; j < (nj); j++)       \
    for (int i = 0; i < (ni); i++)
#define OAK_GANG_MAX(x) ((void)0)
#define OAK_GANG_SUM(x) ((void)0)
#ifndef OAK_CELL_LOOPS
#define OAK_CELL_LOOPS 0
#endif
#define OAK_BULK_COPIES 0

#define OAK_MANY_THREADS 0

/* A kernel with LANE loops has as many threads as lanes, and a PRIVATE variable lives from one such
 * loop to the next. Data of a lane is an element of an array over the lanes. The array is a little
 * longer, because arrays whose distance is a power of two would share few sets of the cache. */
#define OAK_LANE(c, nc) OAK_INNER(c, nc)
#define OAK_LANE2(j, nj, i, ni) OAK_INNER2(j, nj, i, ni)
#define OAK_PRIVATE(declaration, lanes) __attribute__((aligned(64))) declaration[(lanes) + 8]
#define OAK_PRIVATE_ARG(declaration, lanes) declaration[(lanes) + 8]
#define OAK_MY(x, c) (x)[c]
/* The arrays of `x` from lane c on. The compiler does not see where this pointer comes from. It
 * then keeps this one address in a register, and not one in memory for each array. The short rows
 * of blocks of 8^2 cells are faster without. */
#define OAK_FROM_LANE(x, c)                                             \
  __extension__({                                                       \
    __typeof__(&(x)[0]) oak_from = (void *)((real *)(void *)(x) + (c)); \
    if (OAK_CELLS > 64) __asm__("" : "+r"(oak_from));                   \
    oak_from;                                                           \
  })
/* The compiler forgets what it knows of memory and of this pointer. It otherwise begins work on an
 * array in the loop that fills it, and then cannot vectorise the loop that reads it (gcc 12, the
 * hook FLAT of shallow water). */
#define OAK_FORGET(pointer) __asm__("" : "+r"(pointer) : : "memory")

#define OAK_ALIGNED __attribute__((aligned(64)))
#define OAK_SHARED OAK_ALIGNED
#define OAK_SHARED_STRUCT(type, name) type name

/* A queue of planes advances without copying: the index rotates. */
#define OAK_QUEUE(len, step, s) (((step) + (s) + 4 * (len)) % (len))
#define OAK_QUEUE_TURN(queue, len, nvar) ((void)0)

/* Reductions over a SHARED array, which is overwritten; all threads of a team call them. They
 * combine the two halves of the array again and again, because compilers vectorise neither a
 * floating-point maximum that respects NaN nor a sum of fixed order. */
#define OAK_REDUCE_(result, array, n, combine)                            \
  do {                                                                    \
    for (int oak_m = (n), oak_h = (oak_m + 1) / 2; oak_m > 1;             \
         oak_m = oak_h, oak_h = (oak_m + 1) / 2)                          \
      OAK_INNER(oak_r, oak_m - oak_h)                                     \
        (array)[oak_r] = combine((array)[oak_r], (array)[oak_r + oak_h]); \
    (result) = (array)[0];                                                \
  } while (0)
#define OAK_ADD_(a, b) ((a) + (b))
#define OAK_REDUCE_MAX(result, array, n) OAK_REDUCE_(result, array, n, OAK_MAX)
#define OAK_REDUCE_SUM(result, array, n) OAK_REDUCE_(result, array, n, OAK_ADD_)

/* Raise an element of a SHARED array that several lanes may change; values are not negative. */
#define OAK_TALLY_MAX(place, value) ((place) = OAK_MAX(place, value))
#define OAK_TALLY_ADD(place, value) ((place) += (value))
/* Whether `flag` is set for any thread of the team; all of them call it. */
#define OAK_ANY(flag) (flag)

#define OAK_UNROLL OAK_PRAGMA(GCC unroll 16)
#define OAK_NO_UNROLL
#define OAK_TWO_TURNS
