/* SPDX-License-Identifier: GPL-2.0-or-later
 * The kernel dialect on AMD GPUs, for hipRTC: the vendor's part of gpu.h. oak's build defines
 * OAK_WAVE, the threads of a wavefront: 64 on Instinct cards (CDNA), 32 on Radeon cards (RDNA). */
#pragma once

#ifndef NULL
#define NULL 0
#endif
#define __grid_constant__

#define OAK_WARP OAK_WAVE
#define OAK_HALF_WARP (OAK_WAVE / 2)
/* The threads of a wavefront need no mask: inactive threads do not take part. */
#define OAK_WARP_MASK(all, m) ((void)0)
#define OAK_SHUFFLE_DOWN(all, x, h) __shfl_down(x, h)
/* Wavefronts on each of the four SIMD units of a compute unit. This limits the registers. */
#define OAK_WAVES(most, resident) ((resident) * (((most) + OAK_WAVE - 1) / OAK_WAVE) / 4)
#define OAK_BOUND(most, resident) (OAK_WAVES(most, resident) > 1 ? OAK_WAVES(most, resident) : 1)
#define OAK_ATOMIC64 unsigned long long
#define OAK_WAIT ((void)0)

#define OAK_NEAR_INV(r, x) const double r = __builtin_amdgcn_rcp(x)
#define OAK_NEAR_INV_FLOAT(r, x) const float r = __builtin_amdgcn_rcpf(x)
#define OAK_NEAR_RSQRT(r, x) const double r = __builtin_amdgcn_rsq(x)
#define OAK_NEAR_SQRT_FLOAT(r, x) const float r = __builtin_amdgcn_sqrtf(x)

/* Copies to SHARED memory go through registers. */
#define OAK_COPY_BEGIN(to, from) *to = *from
#define OAK_COPY_END

/* The flux kernel goes cell by cell: two tiles with their halo do not fit into the 64 KiB of LDS of
 * a compute unit, and there are registers for twice as many walks as on other GPUs. With 256 lanes
 * as the goal for a compute unit gfx90a spills nothing (tests/device/hip_registers.py). In 2D the
 * walks of a block of 8^2 or 16^2 cells are one wavefront. */
#define OAK_FLUX_CELLS 1
#define OAK_RESIDENT_LANES 256
#define OAK_WALK_CELLS (OAK_DIM == 3 ? OAK_NZ : OAK_NY < 16 ? 1 : 4)
/* The coarsest part of multigrid shares the LDS with the sums of its 1024 threads. */
#define OAK_FAST_REALS 6144

#include "oak/dialect/gpu.h"
