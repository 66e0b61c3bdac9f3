/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of topics. */
#include "base/params_library.h"
#include "setup/setup.h"

#define DECLARE(name) extern const oak_topic_t oak_topic_##name;
OAK_TOPICS(DECLARE)
#define ITEM(name) &oak_topic_##name,
const oak_topic_t *const oak_topics[] = {OAK_TOPICS(ITEM) NULL};

const oak_param_desc_t *const *oak_topics_keys(void) {
  static const oak_param_desc_t *list[sizeof oak_topics / sizeof *oak_topics + 3];
  int n = 0;
  list[n++] = oak_first_keys;
  list[n++] = oak_boundary_keys;
  OAK_FOR_TOPICS(t, keys) list[n++] = t->keys;
  list[n++] = oak_last_keys;
  return list;
}
