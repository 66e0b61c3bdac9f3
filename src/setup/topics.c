/* SPDX-License-Identifier: GPL-2.0-or-later
 * The list of topics, and their functions one after the other. */
#include "base/params_outputs.h"
#include "setup/setup.h"

#define DECLARE(name) extern const oak_topic_t oak_topic_##name;
OAK_TOPICS(DECLARE)
#define ITEM(name) &oak_topic_##name,
static const oak_topic_t *const topics[] = {OAK_TOPICS(ITEM)};
enum { COUNT = sizeof topics / sizeof *topics };

/* A loop over the topics t that have a function. */
#define FOR_TOPICS(t, function)                                                                  \
  for (const oak_topic_t *const *at_ = topics, *t; at_ < topics + COUNT && (t = *at_, 1); at_++) \
    if (t->function)

oak_status_t oak_topics_begin(oak_setup_t *setup) {
  FOR_TOPICS(t, begin) OAK_TRY(t->begin(setup));
  return OAK_OK;
}

oak_status_t oak_topics_describe(oak_setup_t *setup, oak_module_t *module) {
  FOR_TOPICS(t, describe) OAK_TRY(t->describe(setup, module));
  return OAK_OK;
}

oak_status_t oak_topics_read(oak_setup_t *setup) {
  FOR_TOPICS(t, read) OAK_TRY(t->read(setup));
  return OAK_OK;
}

oak_status_t oak_topics_check(const oak_setup_t *setup) {
  FOR_TOPICS(t, check) OAK_TRY(t->check(setup));
  return OAK_OK;
}

void oak_topics_print(const oak_setup_t *setup, int purpose, FILE *f) {
  FOR_TOPICS(t, print) {
    t->print(setup, purpose, f);
    fputc('\n', f);
  }
}

void oak_topics_report(const oak_setup_t *setup, FILE *f) {
  FOR_TOPICS(t, report) t->report(setup, f);
}

void oak_topics_clear(oak_setup_t *setup) { FOR_TOPICS(t, clear) t->clear(setup); }

const oak_param_desc_t *const *oak_topics_keys(void) {
  static const oak_param_desc_t *list[COUNT + 3];
  int n = 0;
  list[n++] = oak_first_keys;
  FOR_TOPICS(t, keys) list[n++] = t->keys;
  list[n++] = oak_last_keys;
  return list;
}

oak_status_t oak_key_unused(const oak_setup_t *setup, const char *key, const char *reason) {
  const char *text = oak_params_changed(setup->params, key);
  OAK_CHECK(!text || !reason, OAK_ERR_INPUT,
            "%s: %s = %s has no effect, because %s: leave the key out",
            oak_params_origin(setup->params, key), key, text, reason);
  return OAK_OK;
}

oak_status_t oak_keys_unused(const oak_setup_t *setup, const oak_param_desc_t *keys,
                             const char *reason) {
  for (keys++; keys->key; keys++) OAK_TRY(oak_key_unused(setup, keys->key, reason));
  return OAK_OK;
}
