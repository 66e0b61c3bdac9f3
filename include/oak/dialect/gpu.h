/* SPDX-License-Identifier: GPL-2.0-or-later
 * The common part of the kernel dialects of GPUs (cuda.h, hip.h): an iteration of OUTER is a thread
 * block, the threads of a block share its INNER iterations. Run-time compilers have no headers of
 * the C library. docs/kernels.md explains the macros; every device has one header with the same
 * names.
 *
 * A warp is the threads that run in step. The header of a vendor defines
 *   OAK_WARP, OAK_HALF_WARP   the size of a warp and half of it
 *   OAK_WARP_MASK(all, m)     declares the mask `all` of the first m threads of a warp
 *   OAK_SHUFFLE_DOWN(all, x, h)    the value x of the thread h places further on
 *   OAK_BOUND(most, resident)      second number of launch bounds, for so many blocks of `most`
 *                                  threads on a multiprocessor
 *   OAK_ATOMIC64              an integer of 64 bits for atomicMax
 *   OAK_WAIT, OAK_COPY_BEGIN(to, from), OAK_COPY_END for the functions below
 *   OAK_BULK_COPIES           1 if a thread can start copies of many bytes (cuda.h)
 *   OAK_NEAR_INV(r, x) and the like                    declare r, the hardware's 1/x */
#pragma once

#ifndef NAN
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#endif
#ifndef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000LL)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#define OAK_FN static __device__ __forceinline__
#define OAK_CONST_DATA extern "C" __constant__
/* An array with the numbers of a table (TABLE). Lanes read different samples, which is slow in
 * __constant__ memory. */
#define OAK_TABLE_DATA(type, name, count) static __device__ const type name[count]

/* For the host: threads of a block, bytes of its dynamic shared memory, and threads where blocks
 * are fewer than multiprocessors. */
#define OAK_KERNEL_(name, args_t, threads, resident, shared_bytes, most)                    \
  OAK_CONST_DATA int name##_launch[3] = {(int)(threads), (int)(shared_bytes), (int)(most)}; \
  extern "C" __global__ void __launch_bounds__(most, OAK_BOUND(most, resident))             \
      name(const __grid_constant__ long oak_n, const __grid_constant__ args_t arg)
#define OAK_KERNEL(name, args_t, threads) OAK_KERNEL_(name, args_t, threads, 1, 0, threads)
/* With 1024 threads on a multiprocessor, some blocks work while others wait for memory. */
#define OAK_KERNEL_FEW(name, args_t, threads, most) \
  OAK_KERNEL_(name, args_t, threads, 1024 / (most), 0, most)
#define OAK_KERNEL_SHARED(name, args_t, threads, resident, shared_bytes) \
  OAK_KERNEL_(name, args_t, threads, resident, shared_bytes, threads)
#define OAK_ARGS(args_t) OAK_WAIT
/* OAK_ARGS in two parts. Between OAK_ARGS_EARLY and OAK_WAIT a kernel may read tables that no
 * kernel writes. They are there: the kernel may start before the one in front of it ends, but that
 * one lets it start only after its own OAK_WAIT, when all earlier kernels and copies have ended. A
 * copy of the host waits for all kernels before it, and the next kernel for the copy. */
#define OAK_ARGS_EARLY(args_t) ((void)0)
#define OAK_ARGS_PLACE(arg) (&(arg))

/* One block per iteration: the grid has oak_n blocks. */
#define OAK_OUTER(n) for (long n = blockIdx.x, oak_outer = 1; oak_outer; oak_outer = 0)

/* The number of threads of the kernel. A file that knows this number redefines OAK_TEAM. */
#define OAK_TEAM_ANY ((int)blockDim.x)
#define OAK_TEAM OAK_TEAM_ANY
#define OAK_THREAD ((int)threadIdx.x)
/* Number of this thread if numbers begin at thread `first`. */
#define OAK_THREAD_FROM(first)                                        \
  (OAK_THREAD >= (first) % OAK_TEAM ? OAK_THREAD - (first) % OAK_TEAM \
                                    : OAK_THREAD + OAK_TEAM - (first) % OAK_TEAM)

#define OAK_INNER(i, ni) for (int i = OAK_THREAD; i < (ni); i += OAK_TEAM)
#define OAK_INNER2(j, nj, i, ni)                                       \
  for (int oak_t = OAK_THREAD; oak_t < (nj) * (ni); oak_t += OAK_TEAM) \
    for (int j = oak_t / (ni), i = oak_t % (ni), oak_o = 1; oak_o; oak_o = 0)
#define OAK_ROWS(row, nrows, width)                                                   \
  for (int oak_w = (width) < OAK_TEAM ? (width) : OAK_TEAM, oak_g = OAK_TEAM / oak_w, \
           oak_t = OAK_THREAD, row = oak_t / oak_w < oak_g ? oak_t / oak_w : (nrows); \
       row < (nrows); row += oak_g)
/* Rows of every variable. */
#define OAK_ROWS_OF(v, nv, row, nrows, width) \
  OAK_ROWS(oak_vr, (nv) * (nrows), width)     \
    for (int v = oak_vr / (nrows), row = oak_vr % (nrows), oak_o = 1; oak_o; oak_o = 0)
/* Without a sign, the compiler sees that a team as wide as the row has one turn. */
#define OAK_LANES(a, width) \
  for (int a = (int)((unsigned)oak_t % (unsigned)oak_w); a < (width); a += oak_w)

/* A thread for each iteration: the kernel has as many threads as iterations, or more. */
#define OAK_VECTOR2(j, nj, i, ni, ...) \
  if (OAK_THREAD < (nj) * (ni))        \
    for (int j = OAK_THREAD / (ni), i = OAK_THREAD % (ni), oak_o = 1; oak_o; oak_o = 0)
/* Combine a value of each thread; thread 0 has the result. Once per type and kernel. */
#define OAK_GANG_MAX(x) ((x) = oak_gang_reduce(x, OAK_TEAM, oak_larger()))
#define OAK_GANG_SUM(x) ((x) = oak_gang_reduce(x, OAK_TEAM, oak_sum()))
struct oak_larger {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};
struct oak_sum {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
template <typename T, typename combine_t>
static __device__ __forceinline__ T oak_gang_reduce(T x, int n, combine_t combine) {
  const int lane = threadIdx.x % OAK_WARP, warp = threadIdx.x / OAK_WARP;
  const int m = n - OAK_WARP * warp < OAK_WARP ? n - OAK_WARP * warp : OAK_WARP; /* its lanes */
  OAK_WARP_MASK(all, m);
  for (int h = OAK_HALF_WARP; h > 0; h /= 2) {
    const T y = OAK_SHUFFLE_DOWN(all, x, h);
    if (lane + h < m) x = combine(x, y);
  }
  if (n <= OAK_WARP) return x;
  __shared__ T part[32]; /* a block has no more warps */
  if (lane == 0) part[warp] = x;
  __syncthreads();
  for (int w = 1; threadIdx.x == 0 && OAK_WARP * w < n; w++) x = combine(x, part[w]);
  return x;
}

/* A block has a thread for each lane. */
#define OAK_MANY_THREADS 1

/* A lane for each thread: the kernel has as many threads as lanes. */
#define OAK_LANE(c, nc) for (int c = OAK_THREAD, oak_o = 1; oak_o; oak_o = 0)
#define OAK_LANE2(j, nj, i, ni) \
  for (int j = OAK_THREAD / (ni), i = OAK_THREAD % (ni), oak_o = 1; oak_o; oak_o = 0)
#define OAK_PRIVATE(declaration, lanes) declaration
#define OAK_PRIVATE_ARG(declaration, lanes) declaration
#define OAK_MY(x, c) (x)
#define OAK_FROM_LANE(x, c) (x)

/* All threads of a block must run a BARRIER or a reduction. In SERIAL one thread would wait for
 * ever. SERIAL therefore declares a variable of one byte with the name of the larger constant, and
 * a BARRIER that finds this variable does not compile. */
enum { oak_together };
#define OAK_SERIAL if (const bool oak_together = threadIdx.x == 0)
#define OAK_BARRIER                                                                \
  do {                                                                             \
    static_assert(sizeof oak_together > 1,                                         \
                  "OAK_BARRIER and reductions must stand outside OAK_SERIAL: all " \
                  "threads of a team run them");                                   \
    __syncthreads();                                                               \
  } while (0)
#define OAK_SHARED __shared__
#define OAK_RESTRICT
#define OAK_ALIGNED
#define OAK_SHARED_STRUCT(type, name)                        \
  extern __shared__ __align__(16) char oak_dynamic_shared[]; \
  type &name = *reinterpret_cast<type *>(oak_dynamic_shared)

/* Copies to SHARED memory that run while the thread does other work. After oak_copy_end the thread
 * can read its own copies. */
template <typename T>
OAK_FN void oak_copy_begin(T *to, const T *from) {
  OAK_COPY_BEGIN(to, from);
}
OAK_FN void oak_copy_end(void) { OAK_COPY_END }

/* Registers cannot be indexed at run time, so the planes move from place to place in the queue. */
#define OAK_QUEUE(len, step, s) (s)
#define OAK_QUEUE_TURN(queue, len, nvar)                                                   \
  _Pragma("unroll") for (int oak_q = 0; oak_q < (len)-1; oak_q++)                          \
      _Pragma("unroll") for (int oak_v = 0; oak_v < (nvar); oak_v++) queue[oak_q][oak_v] = \
          queue[oak_q + 1][oak_v]

/* Reductions over a SHARED array, which is overwritten; all threads call them. One warp does the
 * work, because each round of all threads would need a barrier. */
#define OAK_REDUCE_(result, array, n, combine)                                           \
  do {                                                                                   \
    OAK_BARRIER;                                                                         \
    if (threadIdx.x < OAK_WARP) {                                                        \
      const int oak_l = threadIdx.x, oak_m = OAK_TEAM < OAK_WARP ? OAK_TEAM : OAK_WARP;  \
      OAK_WARP_MASK(oak_all, oak_m);                                                     \
      decltype((array)[0] + 0) oak_v = 0; /* lanes beyond the array stay out of it */    \
      if (oak_l < (n)) oak_v = (array)[oak_l];                                           \
      for (int oak_r = oak_l + oak_m; oak_r < (n); oak_r += oak_m)                       \
        oak_v = combine(oak_v, (array)[oak_r]);                                          \
      for (int oak_h = OAK_HALF_WARP; oak_h > 0; oak_h /= 2) {                           \
        const auto oak_w = OAK_SHUFFLE_DOWN(oak_all, oak_v, oak_h);                      \
        if (oak_l + oak_h < oak_m && oak_l + oak_h < (n)) oak_v = combine(oak_v, oak_w); \
      }                                                                                  \
      if (oak_l == 0) (array)[0] = oak_v;                                                \
    }                                                                                    \
    __syncthreads();                                                                     \
    (result) = (array)[0];                                                               \
  } while (0)

/* Floating-point numbers that are not negative have the same order as their bits read as
 * integers. */
#define OAK_TALLY_MAX(place, value) oak_tally_max(&(place), value)
OAK_FN void oak_tally_max(float *p, float x) {
  if (!(x <= *p)) atomicMax((int *)p, __float_as_int(x));
}
OAK_FN void oak_tally_max(double *p, double x) {
  if (!(x <= *p)) atomicMax((OAK_ATOMIC64 *)p, __double_as_longlong(x));
}
#define OAK_TALLY_ADD(place, value) atomicAdd(&(place), value)
#define OAK_ANY(flag) __syncthreads_or(flag)

/* Division and square root from the hardware's approximations (20 or more bits in double precision)
 * and Newton steps: results differ from the rounded ones by a bit or two at most. The operators
 * take longer because they also get the last bit right and treat denormal numbers, which are zero
 * here. OAK_NEAR_INV(r, x) and the like declare r. */
#ifndef OAK_EXACT_DIVISION
#define OAK_OWN_DIVISION 1
OAK_FN double oak_inv(double x) {
  OAK_NEAR_INV(r, x);
  const double e = fma(-x, r, 1.0);
  return fma(r, fma(e, e, e), r);
}
OAK_FN float oak_inv(float x) {
  OAK_NEAR_INV_FLOAT(r, x);
  return r;
}
OAK_FN double oak_div(double a, double b) { return a * oak_inv(b); }
OAK_FN float oak_div(float a, float b) { return a * oak_inv(b); }
/* A number far below 1e-284 beside x keeps the root of 0 from 0 * infinity. It changes no root of a
 * number above 1e-284, and takes fewer instructions than a choice. */
OAK_FN double oak_sqrt(double x) {
  OAK_NEAR_RSQRT(r, x + 1e-300);
  const double s = x * r, h = 0.5 * r;
  const double e = fma(-s, h, 0.5); /* a correction of relative size e */
  return fma(s, fma(1.5 * e, e, e), s);
}
OAK_FN float oak_sqrt(float x) {
  OAK_NEAR_SQRT_FLOAT(r, x);
  return r;
}
#endif

#define OAK_UNROLL _Pragma("unroll")
#define OAK_PRAGMA(x) _Pragma(#x)
#define oak_stream(to, from, bytes) ((void)0)
#define oak_stream_end() ((void)0)
#ifndef OAK_WILL_READ
#define OAK_WILL_READ(p) ((void)0)
#endif
#define OAK_NO_UNROLL _Pragma("unroll 1")
#define OAK_TWO_TURNS OAK_NO_UNROLL
