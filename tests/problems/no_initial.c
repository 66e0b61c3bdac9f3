/* SPDX-License-Identifier: GPL-2.0-or-later
 * For tests: a problem that forgets its initial condition. */

TITLE("Nothing")
