/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel dialect on NVIDIA GPUs, for NVRTC: the vendor's part of gpu.h. */
#pragma once

#define OAK_WARP 32
#define OAK_HALF_WARP 16
#define OAK_WARP_MASK(all, m) const unsigned all = m < 32 ? (1u << m) - 1 : 0xffffffffu
#define OAK_SHUFFLE_DOWN(all, x, h) __shfl_down_sync(all, x, h)
#define OAK_ATOMIC64 long long
#define OAK_BOUND(most, resident) resident

/* From compute capability 9.0 on, the blocks of a kernel may start while the kernel before it ends.
 * Here they wait until its results are in memory. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define OAK_WAIT                                                    \
  do {                                                              \
    asm volatile("griddepcontrol.wait;" ::: "memory");              \
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); \
  } while (0)
/* From 12.0 on the copies need more shared memory than a block can have (99 KB). */
#define OAK_BULK_COPIES (__CUDA_ARCH__ < 1200)
#else
#define OAK_WAIT ((void)0)
#define OAK_BULK_COPIES 0
#endif

/* OAK_SHARED_BYTES: of a block. Compute capabilities 8.6, 8.9, 12 are those of graphics cards. */
#ifdef __CUDA_ARCH__
#define OAK_SHARED_BYTES                                        \
  (1024 * (__CUDA_ARCH__ >= 1200                          ? 99  \
           : __CUDA_ARCH__ >= 900                         ? 227 \
           : __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 870 ? 163 \
           : __CUDA_ARCH__ >= 800                         ? 99  \
                                                          : 64))
#endif

#if __CUDACC_VER_MAJOR__ >= 13 /* compilers can move it out of a loop, unlike assembly */
#define OAK_NEAR_INV(r, x) const double r = __nvvm_rcp_approx_ftz_d(x)
#else
#define OAK_NEAR_INV(r, x) \
  double r;                \
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x))
#endif
#define OAK_NEAR_INV_FLOAT(r, x) \
  float r;                       \
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x))
#define OAK_NEAR_RSQRT(r, x) \
  double r;                  \
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x))
#define OAK_NEAR_SQRT_FLOAT(r, x) \
  float r;                        \
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x))

#if __CUDA_ARCH__ >= 800
#define OAK_COPY_BEGIN(to, from)                                                                   \
  const unsigned place = (unsigned)__cvta_generic_to_shared(to);                                   \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place), "l"(from), "n"(sizeof(T)) \
               : "memory")
#define OAK_COPY_END asm volatile("cp.async.wait_all;" ::: "memory");
#define OAK_WILL_READ(p) asm volatile("prefetch.global.L2 [%0];" ::"l"(p))
#else /* before 2020 */
#define OAK_COPY_BEGIN(to, from) *to = *from
#define OAK_COPY_END
#endif

#include "oak/dialect/gpu.h"

/* From compute capability 9.0 on, one thread can start copies of many bytes to SHARED memory, which
 * a separate unit carries out. A gate in SHARED memory is passed once in each of its phases, 0, 1,
 * 0, ...: when all threads and bytes that it awaits have arrived. After that, a thread can read
 * what they have written. */
#if OAK_BULK_COPIES
typedef unsigned long long oak_gate_t;

OAK_FN unsigned oak_shared_place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

/* Called by one thread, before a barrier: the gate awaits this number of arrivals in each phase. */
OAK_FN void oak_gate_start(oak_gate_t *gate, int arrivals) {
  asm volatile(
      "mbarrier.init.shared.b64 [%0], %1;\n"
      "fence.mbarrier_init.release.cluster;" ::"r"(oak_shared_place(gate)),
      "r"(arrivals)
      : "memory");
}

/* Called by one of the threads that the gate awaits. */
OAK_FN void oak_gate_arrive(oak_gate_t *gate) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(oak_shared_place(gate)) : "memory");
}

/* Called by one thread: an arrival, after which this phase also awaits \a bytes of bulk copies. */
OAK_FN void oak_gate_expect(oak_gate_t *gate, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(oak_shared_place(gate)),
               "r"(bytes)
               : "memory");
}

/* Called by one thread. Both addresses and the number of bytes are multiples of 16. */
OAK_FN void oak_bulk_copy(oak_gate_t *gate, void *to, const void *from, int bytes) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(oak_shared_place(to)),
      "l"(from), "r"(bytes), "r"(oak_shared_place(gate))
      : "memory");
}

/* Called by all threads: wait until the gate is passed in this phase. */
OAK_FN void oak_gate_wait(oak_gate_t *gate, int phase) {
  asm volatile(
      "{\n"
      ".reg .pred passed;\n"
      "AGAIN:\n"
      "mbarrier.try_wait.parity.shared.b64 passed, [%0], %1;\n"
      "@!passed bra AGAIN;\n"
      "}" ::"r"(oak_shared_place(gate)),
      "r"(phase)
      : "memory");
}
#endif
