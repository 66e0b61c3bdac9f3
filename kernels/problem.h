/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between the physics and the problem file: from here on, hooks belong to the problem. */
#undef OAK_OWNER
#define OAK_OWNER problem
