/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the dialects of kernels for GPUs (include/oak/dialect/gpu.h) need from a GPU, for a compiler
 * of C++ on the host: so the code that GPUs run, with tiles in shared memory, barriers and
 * shuffles, runs in tests. Included before the source of a kernel, see fake.h.
 *
 * The threads of a block are stacks of their own in one thread of the host, which take turns: one
 * runs until it waits at a barrier or a shuffle. From turn to turn their order is reversed, so that
 * a barrier that is missing shows in the results whichever of two threads would have to wait.
 * Threads that wait at different places, or for one that has ended, end the test. */
#ifndef OAK_FAKE_LANES_H
#define OAK_FAKE_LANES_H

#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define __device__
#define __global__
#define __forceinline__ inline
#define __constant__ __attribute__((visibility("default")))
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __launch_bounds__(...)

static struct { volatile unsigned x; } threadIdx, blockIdx, blockDim;

/* ---- threads that take turns */

enum { FAKE_LANES = 1024, FAKE_STACK = 1 << 17, FAKE_SHARED = 1 << 18 };
#ifdef OAK_DEVICE_HIP
enum { FAKE_WARP = OAK_WAVE };
#else
enum { FAKE_WARP = 32 };
#endif
typedef unsigned long long fake_mask_t;
enum { FAKE_ENDED, FAKE_READY, FAKE_AT_BARRIER, FAKE_AT_SHUFFLE };

typedef struct {
  jmp_buf place;
  int state, begun;
  fake_mask_t mask; /**< of its shuffles: who takes part, and how many there have been */
  unsigned turn;
} fake_lane_t;

static fake_lane_t fake_lane[FAKE_LANES];
static long long fake_passed[FAKE_LANES][2]; /**< values of shuffles, of odd and even turns */
static jmp_buf fake_home;
static ucontext_t fake_start, fake_context;
static char *fake_stacks;
alignas(16) static char fake_shared[FAKE_SHARED];
static void (*fake_kernel)(long, const void *);
static const void *fake_args;
static long fake_n;
static int fake_any, fake_result;

static void fake_fail(const char *text) {
  fprintf(stderr, "fake GPU, block %u, thread %u: %s\n", blockIdx.x, threadIdx.x, text);
  abort();
}

/** Back to fake_run until there is something to do again. */
static __attribute__((noinline)) void fake_wait(int state) {
  const unsigned me = threadIdx.x;
  fake_lane[me].state = state;
  if (_setjmp(fake_lane[me].place) == 0) _longjmp(fake_home, 1);
}

/** Each stack runs this function for ever: it executes the kernel for one block after another. */
static void fake_live(void) {
  for (;;) {
    fake_kernel(fake_n, fake_args);
    fake_wait(FAKE_ENDED);
  }
}

static __attribute__((noinline)) void fake_go_on(int i) {
  threadIdx.x = (unsigned)i;
  if (_setjmp(fake_home) != 0) return;
  if (fake_lane[i].begun) _longjmp(fake_lane[i].place, 1);
  fake_lane[i].begun = 1;
  getcontext(&fake_context);
  fake_context.uc_stack.ss_sp = fake_stacks + (size_t)i * FAKE_STACK;
  fake_context.uc_stack.ss_size = FAKE_STACK;
  fake_context.uc_link = NULL;
  makecontext(&fake_context, fake_live, 0);
  swapcontext(&fake_start, &fake_context);
}

/** Whether all that take part in the shuffle of thread i are there. */
static int fake_met(int i, int threads) {
  const fake_lane_t *lane = &fake_lane[i];
  for (int k = 0; k < FAKE_WARP; k++) {
    const int other = i / FAKE_WARP * FAKE_WARP + k;
    if (!(lane->mask >> k & 1)) continue;
    if (other < threads && fake_lane[other].turn > lane->turn) continue;
    if (other < threads && fake_lane[other].turn == lane->turn) {
      if (fake_lane[other].mask != lane->mask)
        fake_fail("threads name different masks in a shuffle");
      continue;
    }
    if (other >= threads || fake_lane[other].state == FAKE_ENDED ||
        fake_lane[other].state == FAKE_AT_BARRIER)
      fake_fail("a shuffle waits for a thread that does not take part");
    return 0;
  }
  return 1;
}

static void fake_run_block(int threads) {
  int running = threads, backward = (int)(blockIdx.x & 1);
  for (int i = 0; i < threads; i++) fake_lane[i].state = FAKE_READY, fake_lane[i].turn = 0;
  while (running) {
    int waiting = 0, moved = 0;
    backward = !backward;
    for (int t = 0; t < threads; t++) {
      const int i = backward ? threads - 1 - t : t;
      if (fake_lane[i].state == FAKE_AT_SHUFFLE && fake_met(i, threads))
        fake_lane[i].state = FAKE_READY;
      if (fake_lane[i].state == FAKE_READY) {
        fake_go_on(i);
        moved = 1;
        if (fake_lane[i].state == FAKE_ENDED) running--;
      }
      waiting += fake_lane[i].state == FAKE_AT_BARRIER;
    }
    if (waiting && waiting == running) {
      if (running < threads) fake_fail("threads wait at a barrier, others have ended");
      fake_result = fake_any;
      fake_any = 0;
      for (int i = 0; i < threads; i++) fake_lane[i].state = FAKE_READY;
    } else if (running && !moved) {
      fake_fail("threads wait for each other at different places");
    }
  }
}

static void fake_run(long n, int threads, void (*kernel)(long, const void *), const void *args) {
  if (threads > FAKE_LANES) abort();
  if (!fake_stacks)
    fake_stacks = (char *)mmap(NULL, (size_t)FAKE_LANES * FAKE_STACK, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fake_stacks == MAP_FAILED) abort();
  fake_kernel = kernel;
  fake_args = args;
  fake_n = n;
  blockDim.x = (unsigned)threads;
  for (long block = 0; block < n; block++) {
    memset(fake_shared, 0xff, sizeof fake_shared); /* NaN */
    blockIdx.x = (unsigned)block;
    fake_run_block(threads);
  }
}

/* ---- what kernels call */

static void __syncthreads(void) { fake_wait(FAKE_AT_BARRIER); }

static int __syncthreads_or(int flag) {
  fake_any |= flag != 0;
  fake_wait(FAKE_AT_BARRIER);
  return fake_result;
}

template <typename T>
static T __shfl_down_sync(fake_mask_t mask, T x, int distance) {
  const unsigned me = threadIdx.x, from = me + (unsigned)distance;
  fake_lane_t *lane = &fake_lane[me];
  if (!(mask >> me % FAKE_WARP & 1)) fake_fail("a thread is not in the mask of its shuffle");
  lane->mask = mask;
  lane->turn++;
  memcpy(&fake_passed[me][lane->turn & 1], &x, sizeof x);
  fake_wait(FAKE_AT_SHUFFLE);
  /* Beyond the warp, a thread gets its own value. */
  if (me % FAKE_WARP + (unsigned)distance < FAKE_WARP && mask >> from % FAKE_WARP & 1)
    memcpy(&x, &fake_passed[from][fake_lane[me].turn & 1], sizeof x);
  return x;
}

/** HIP has no mask: here all threads of the wavefront take part. */
template <typename T>
static T __shfl_down(T x, int distance) {
  const unsigned first = threadIdx.x / FAKE_WARP * FAKE_WARP, left = blockDim.x - first;
  return __shfl_down_sync(
      left < FAKE_WARP ? ((fake_mask_t)1 << left) - 1 : ~(fake_mask_t)0 >> (64 - FAKE_WARP), x,
      distance);
}

template <typename T, typename U>
static T atomicAdd(T *place, U value) {
  const T before = *place;
  *place += value;
  return before;
}
template <typename T, typename U>
static T atomicMax(T *place, U value) {
  const T old = *place;
  if (value > old) *place = value;
  return old;
}

template <typename T, typename U>
static T fake_bits(U x) {
  T y;
  memcpy(&y, &x, sizeof y);
  return y;
}
#define __float_as_int(x) fake_bits<int>((float)(x))
#define __double_as_longlong(x) fake_bits<long long>((double)(x))
#define __longlong_as_double(x) fake_bits<double>((long long)(x))

/* ---- the dialect, with entry points as the driver's stand-in calls them */

#ifdef OAK_DEVICE_HIP
#include "oak/dialect/hip.h"
#else
#include "oak/dialect/cuda.h"
#endif
#undef OAK_KERNEL_
#define OAK_KERNEL_(name, args_t, threads, resident, shared_bytes, most)                        \
  OAK_CONST_DATA int name##_launch[3] = {(int)(threads), (int)(shared_bytes), (int)(most)};     \
  static void name##_lane(const long oak_n, const args_t &arg);                                 \
  static void name##_start(long n, const void *args) { name##_lane(n, *(const args_t *)args); } \
  extern "C" __attribute__((visibility("default"))) void name(long n, int lanes,                \
                                                              const args_t *args) {             \
    fake_run(n, lanes, name##_start, args);                                                     \
  }                                                                                             \
  static void name##_lane(const long oak_n, const args_t &arg)
#undef OAK_SHARED_STRUCT
#define OAK_SHARED_STRUCT(type, name) type &name = *reinterpret_cast<type *>(fake_shared)

#endif
