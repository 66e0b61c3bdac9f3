/* SPDX-License-Identifier: GPL-2.0-or-later
 * The hooks FIELD: values of a field beside the state at cell centres. Only runs with such a hook
 * have this kernel. */
#include "kernels/hooks/user.h"

#ifdef OAK_FIELD_FUNCTIONS
/* OAK_FIELD_FUNCTIONS(X) is X(number, function) for each field (src/setup/hook_text.c). */
OAK_FN double field_value(const oak_at_t *at, int number) {
#define OAK_FIELD_VALUE(n, function) \
  if (number == (n)) return function(at);
  OAK_FIELD_FUNCTIONS(OAK_FIELD_VALUE)
  return 0;
}

OAK_KERNEL(oak_set_field, oak_set_field_args_t, 128) {
  OAK_ARGS(oak_set_field_args_t);
  OAK_OUTER_LANES(n) {
    const oak_user_t user = oak_user(&arg.f);
    OAK_INNER(c, OAK_CELLS) {
      const oak_at_t at = oak_place_cell(&arg.f, &user, n, c);
      arg.out[n * OAK_CELLS + c] = (store_t)field_value(&at, arg.number);
    }
  }
}
#endif
