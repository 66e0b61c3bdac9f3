/* SPDX-License-Identifier: GPL-2.0-or-later
 * Arguments of the kernel in mach.c, for the program and for the kernel. */
#ifndef MACH_H
#define MACH_H

#include "oak/kernel_args.h"

typedef struct {
  oak_field_t f; /* always first: oak_kernel_run fills it in */
  double *mach;  /* device memory, [blocks of this rank] */
} mach_args_t;

#endif
