/* SPDX-License-Identifier: GPL-2.0-or-later
 * The problem of oak check, which needs none. */
#include "kernels/language/hooks.h"

TITLE("no problem")
