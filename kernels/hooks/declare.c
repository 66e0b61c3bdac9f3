/* SPDX-License-Identifier: GPL-2.0-or-later
 * The files of physics and problem, and the schemes of oak, as the host reads them after the
 * preprocessor. The table of hooks comes last, so that hooks stay as they are written. */
#include "kernels/hooks/user.h"
#include "numerics/boundary.h"
#include "numerics/criteria.h"
#include "numerics/limiters.h"
#include "numerics/riemann.h"

#include "kernels/language/hook_table.h"
