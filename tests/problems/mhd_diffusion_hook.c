/* SPDX-License-Identifier: GPL-2.0-or-later
 * problems/mhd_diffusion.c, with its resistivity by a hook. */
#define TEST_HOOK
#include "mhd_diffusion.c"
