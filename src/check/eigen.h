/* SPDX-License-Identifier: GPL-2.0-or-later
 * Eigenvalues of small matrices, by LAPACK. Private. */
#pragma once

/** Whether LAPACK is there. It is opened at run time: only oak check asks for it. */
int oak_eigen_known(void);
/** Eigenvalues of a real matrix, a[row + n * column], which is overwritten. \return 1 if they were
 * found. */
int oak_eigenvalues(int n, double *a, double *re, double *im);
