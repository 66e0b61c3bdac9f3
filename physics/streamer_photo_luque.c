/* SPDX-License-Identifier: GPL-2.0-or-later
 * The equations of physics/streamer_photo.c with two terms, the fit of A. Luque et al., Appl. Phys.
 * Lett. 90 (2007) 081501. The constants of the fit contain the efficiency xi. */

#define PHOTO_TITLE "streamer discharge with photoionisation, two terms"
#define PHOTO_TERMS 2
#define PHOTO_EFFICIENCY 1
#define PHOTO_C1 4.993035e-5
#define PHOTO_C2 8.4389345e-4
#define PHOTO_LAMBDA1 0.037503
#define PHOTO_LAMBDA2 0.221269

#include "physics/streamer_photo.c"
