/* SPDX-License-Identifier: GPL-2.0-or-later
 * Between the physics and the problem file: hooks are the problem's from here on. */
#undef OAK_OWNER
#define OAK_OWNER problem
