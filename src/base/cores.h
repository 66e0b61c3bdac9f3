/* SPDX-License-Identifier: GPL-2.0-or-later
 * Cores and memory that this process may use. Private. */
#pragma once

/** Cores that this process may use. */
int oak_host_cores(void);
/** Cores and bytes of memory that control groups leave to this process; 1e30: they set no limit. */
double oak_group_cores(void);
double oak_group_memory(void);
