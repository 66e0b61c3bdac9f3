/* SPDX-License-Identifier: GPL-2.0-or-later
 * The locale of a thread while it reads or writes text. */
#include <errno.h>
#include <locale.h>
#include <stdatomic.h>

static _Thread_local struct {
  int depth;
  locale_t before;
} own;

/* Both functions leave errno alone, which the caller may look at afterwards. */
void oak_c_locale_enter(void) {
  static _Atomic(locale_t) plain;
  if (own.depth++) return;
  const int error = errno;
  locale_t c = atomic_load(&plain);
  if (!c) atomic_store(&plain, c = newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* a constant */
  own.before = uselocale(c);
  errno = error;
}

void oak_c_locale_leave(void) {
  const int error = errno;
  if (--own.depth == 0) uselocale(own.before);
  errno = error;
}
