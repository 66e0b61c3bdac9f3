/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel dialect on CPUs: OpenMP threads over OUTER, SIMD lanes over INNER. docs/kernels.md
 * explains the macros for kernels of users, the comments here explain the others; every device has
 * one header with the same names. */
#pragma once

#include <math.h>
#include <stddef.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define OAK_PRAGMA_(x) _Pragma(#x)
#define OAK_PRAGMA(x) OAK_PRAGMA_(x)

#define OAK_FN static inline __attribute__((always_inline))
#define OAK_CONST_DATA __attribute__((visibility("default"))) const
/* An array with the numbers of a table (TABLE). */
#define OAK_TABLE_DATA(type, name, count) __attribute__((unused)) static const type name[count]

/* Refuse a constant offset beyond the ghost layers. */
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

/* A kernel on one thread needs no OpenMP: the end of a parallel region is a system call. A launch
 * of a few blocks uses one thread, because starting the others takes longer. */
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
#define OAK_ARGS(args_t) const args_t arg = *oak_args
#define OAK_ARGS_PLACE(arg) (&(arg))

/* Chunks of a few blocks keep neighbours in Morton order on one core. Each thread takes the next
 * chunk; one thread takes all blocks at once. All loops of a kernel would share the counter, so a
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
 * indexed at run time, and all lanes get the values of the last one. With `enable`, clang proves or
 * tests that lanes are independent. OAK_RESTRICT and OAK_STORE_LATER help where it fails. */
#define OAK_SIMD OAK_PRAGMA(clang loop vectorize(enable))
#define OAK_STORE_LATER 1
#else
#define OAK_SIMD OAK_PRAGMA(GCC ivdep)
#define OAK_STORE_LATER 0
#endif
/* A pointer argument: the function reads values that it writes through this pointer through no
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
#define OAK_LANES(a, width) OAK_INNER(a, width)
#define OAK_SERIAL if (1)
#define OAK_BARRIER ((void)0)

/* After VECTOR2, GANG_MAX and GANG_SUM combine a variable of all lanes for the SERIAL part. */
#define OAK_VECTOR(...)
#define OAK_VECTOR2(j, nj, i, ni, ...) \
  for (int j = 0; j < (nj); j++)       \
    for (int i = 0; i < (ni); i++)
#define OAK_GANG_MAX(x) ((void)0)
#define OAK_GANG_SUM(x) ((void)0)

/* A kernel with LANE loops has as many threads as lanes, and a PRIVATE variable lives from one such
 * loop to the next. Data of a lane is an element of an array over the lanes. The array is a little
 * longer, because arrays whose distance is a power of two would share few sets of the cache. */
#define OAK_LANE(c, nc) OAK_INNER(c, nc)
#define OAK_LANE2(j, nj, i, ni) OAK_INNER2(j, nj, i, ni)
#define OAK_PRIVATE(declaration, lanes) __attribute__((aligned(64))) declaration[(lanes) + 8]
#define OAK_PRIVATE_ARG(declaration, lanes) declaration[(lanes) + 8]
#define OAK_MY(x, c) (x)[c]
/* The arrays of `x` from lane c on. The compiler does not know the origin of this pointer, so it
 * keeps this one address in a register, and not one in memory for each array. The short rows of
 * blocks of 8^2 cells are faster without. */
#define OAK_FROM_LANE(x, c)                                             \
  __extension__({                                                       \
    __typeof__(&(x)[0]) oak_from = (void *)((real *)(void *)(x) + (c)); \
    if (OAK_CELLS > 64) __asm__("" : "+r"(oak_from));                   \
    oak_from;                                                           \
  })
/* Make the compiler forget its knowledge of memory and of this pointer. Otherwise it begins work on
 * an array in the loop that fills it, and then cannot vectorise the loop that reads it (gcc 12, the
 * hook FLAT of shallow water). */
#define OAK_FORGET(pointer) __asm__("" : "+r"(pointer) : : "memory")

#define OAK_ALIGNED __attribute__((aligned(64)))
#define OAK_SHARED OAK_ALIGNED
#define OAK_SHARED_STRUCT(type, name) type name

/* Copy to memory that is read much later. Whole cache lines go past the caches, because a processor
 * would read a line from memory before it writes there. Others see the copies after
 * oak_stream_end. */
OAK_FN void oak_stream(void *to, const void *from, size_t bytes) {
#ifdef __SSE2__
  if (((size_t)to | bytes) % 64 == 0) {
    for (size_t n = 0; n < bytes; n += 16)
      _mm_stream_si128((__m128i *)((char *)to + n), *(const __m128i *)((const char *)from + n));
    return;
  }
#endif
  __builtin_memcpy(to, from, bytes);
}
OAK_FN void oak_stream_end(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

/* A queue of planes advances without copying: the index rotates. */
#define OAK_QUEUE(len, step, s) (((step) + (s) + 4 * (len)) % (len))
#define OAK_QUEUE_TURN(queue, len, nvar) ((void)0)

/* Whether `flag` is set for any thread of the team; all of them call it. */
#define OAK_ANY(flag) (flag)

#define OAK_UNROLL OAK_PRAGMA(GCC unroll 16)
#define OAK_NO_UNROLL
/* Fetch the data of the next block, which follow `count` numbers at p, while this block is
 * computed. The arrays of small blocks end before a processor begins to fetch ahead by itself. */
#define OAK_FETCH_NEXT(p, count)                                                     \
  for (int oak_f = 0; OAK_CELLS <= 64 && oak_f < (count); oak_f += 64 / sizeof *(p)) \
  __builtin_prefetch((p) + (count) + oak_f)
#define OAK_TWO_TURNS OAK_UNROLL
