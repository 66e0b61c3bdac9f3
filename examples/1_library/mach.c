/* SPDX-License-Identifier: GPL-2.0-or-later
 * A kernel of one's own: the largest Mach number in each block. Written in oak's kernel dialect
 * (docs/kernels.md) and compiled when the program runs, for its device, dimension and block size.
 */
#include "mach.h"

OAK_KERNEL(mach, mach_args_t, 128) {
  OAK_ARGS(mach_args_t);
  OAK_OUTER(n) {
    const oak_user_t user = oak_user(&arg.f);
    const store_t *u = arg.f.u + n * OAK_BLOCK_REALS;
    OAK_SHARED real most[OAK_NX]; /* of the squared Mach number, one per lane */
    OAK_INNER(i, OAK_NX) {
      real largest = 0;
      for (int c = i; c < OAK_CELLS; c += OAK_NX) {
        real q[NVAR], speed2 = 0;
        oak_load(u + c, OAK_CELLS, q);
        oak_state_to_primitive(&user.physics, q);
        for (int d = 0; d < OAK_DIM; d++) speed2 += q[VX + d] * q[VX + d];
        const real mach2 = speed2 * q[RHO] / ((real)user.physics.gamma * q[PRS]);
        largest = OAK_MAX(mach2, largest);
      }
      most[i] = largest;
    }
    real mach2;
    OAK_REDUCE_MAX(mach2, most, OAK_NX);
    OAK_SERIAL arg.mach[n] = (double)oak_sqrt(mach2);
  }
}
