/* SPDX-License-Identifier: GPL-2.0-or-later
 * LAPACK's DGEEV: E. Anderson et al., LAPACK Users' Guide (3rd ed.), SIAM 1999. */
#include "check/eigen.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* As Fortran compilers pass it; the last two are the lengths of the first two. */
typedef void dgeev_t(const char *, const char *, const int *, double *, const int *, double *,
                     double *, double *, const int *, double *, const int *, double *, const int *,
                     int *, size_t, size_t);

static dgeev_t *find_dgeev(void) {
  static dgeev_t *found;
  static int looked;
  void *library = looked ? NULL : dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "dgeev_") : NULL;
  if (symbol) memcpy(&found, &symbol, sizeof found);
  looked = 1;
  return found;
}

int oak_eigen_known(void) { return find_dgeev() != NULL; }

int oak_eigenvalues(int n, double *a, double *re, double *im) {
  enum { MOST = 64, WORK = 8 * MOST };
  const int work_size = WORK, one = 1;
  double work[WORK], none;
  int info = 1;
  dgeev_t *dgeev = find_dgeev();
  if (dgeev && n <= MOST)
    dgeev("N", "N", &n, a, &n, re, im, &none, &one, &none, &one, work, &work_size, &info, 1, 1);
  return info == 0;
}
